"""What a door is told of a message: its kind and the parts it may colour."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mud.portal.session import Message, Session, Sessions, names_around
from mud.world.changes import FallAsleep
from mud.world.roles import Role
from tests.worlds import ANN, ELIZA, do, make_engine, refused


class Seen:
    """Ann's session over an engine, with the messages that it showed."""

    def __init__(self) -> None:
        self.engine = make_engine()
        self.sessions = Sessions(self.engine.world)
        self.engine.observe(self.sessions.observe)
        self.messages: list[Message] = []
        self.ann = self.begin(self.messages)

    def begin(self, shown: list[Message]) -> Session:
        engine = self.engine
        session = Session(
            ANN, lambda line: engine.step(ANN, line, Role.PLAYER), shown.append, Role.PLAYER,
            lambda who: names_around(engine.world, who),
        )  # fmt: skip
        self.sessions.add(session)
        return session

    def marked(self) -> list[tuple[str, str]]:
        """Return the marked parts of the last message."""
        message = self.messages[-1]
        return [(message.text[mark.start : mark.end], mark.kind) for mark in message.marks]


def test_a_location_s_name_its_things_and_exits_are_marked() -> None:
    seen = Seen()
    seen.ann.type("look")
    marked = seen.marked()
    assert marked[0] == ("The Garden", "place")
    assert ("brass lamp", "item") in marked
    assert ("Eliza", "person") in marked
    assert marked[-2:] == [("north", "exit"), ("gate", "exit")]


def test_speech_is_marked_with_its_speaker_and_nothing_inside_it() -> None:
    seen = Seen()
    do(seen.engine, "say The brass lamp is north, Eliza said", ELIZA)
    assert seen.messages[-1].kind == "speech"
    assert seen.marked() == [("Eliza", "person"), ('"The brass lamp is north, Eliza said"', "speech")]


def test_a_refusal_and_a_notice_are_told_from_a_reply() -> None:
    seen = Seen()
    for line in ("xyzzy", "look"):
        seen.ann.type(line)
    seen.ann.tell("The disk is full.")
    assert [message.kind for message in seen.messages] == ["refusal", "reply", "notice"]


@given(st.text(), st.dictionaries(st.text(), st.sampled_from(["person", "exit"])))
def test_marks_lie_in_the_text_in_order_and_never_overlap(text: str, names: dict[str, str]) -> None:
    ends = [0]
    for mark in Message(text, names=names.items()).marks:
        assert ends[-1] <= mark.start < mark.end <= len(text)
        ends.append(mark.end)


def test_one_message_is_made_for_all_who_hear_a_line() -> None:
    seen, other = Seen(), list[Message]()
    seen.begin(other)
    do(seen.engine, "say hello", ELIZA)
    assert seen.messages[-1] is other[-1]


def test_what_is_typed_at_one_door_is_seen_at_the_other_door_of_the_same_person() -> None:
    seen, other = Seen(), list[Message]()
    seen.begin(other)
    seen.ann.type("say hello")
    assert [message.text for message in seen.messages] == [message.text for message in other] == ['You say, "hello"']


def test_who_left_is_woken_by_nobody_and_hears_no_whisper() -> None:
    engine = make_engine()
    engine.world.apply([FallAsleep(ANN, absent=True)])
    told = "Ann sleeps until its person is back; nobody else can wake it."
    for line in ("wake Ann", "whisper Ann psst"):
        assert refused(engine, line, ELIZA).reply == told
    do(engine, "say Ann, are you there?", ELIZA)
    assert engine.world.absent == [ANN]
    assert engine.come_back(engine.world.things[ANN]).reply.startswith("The Garden")
    assert engine.world.absent == []
