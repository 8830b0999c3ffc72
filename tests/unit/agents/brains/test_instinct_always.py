"""What must hold of the instinct whatever happens around it."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from agents.brains.instinct.conversation import STAY
from agents.text.addressing import Address, addressed
from agents.text.english import repeats
from tests.examples import examples
from tests.unit.agents.brains.stage import Done, Stage

PEOPLE = ("Visitor", "Anna", "Ελένη")
EXITS = {
    "The Garden": {"east": "The Lobby", "stile": "The Bee Yard"},
    "The Lobby": {"west": "The Garden"},
    "The Bee Yard": {"stile": "The Garden"},
}
LINES = st.one_of(
    st.sampled_from(
        [
            "Hello Eliza!",
            "Eliza, where is the key?",
            "The key is under the third flowerpot.",
            "Where is the key?",
            "Moss, who are you?",
            "thank you",
            "Goodbye, all of you.",
            "What is new?",
            "What did Anna say?",
            "Where is Anna?",
            "Come with me, Eliza",
            "My sister sells honey, don't tell anybody.",
            "do you know me?",
            "why",
        ]
    ),
    st.text(st.characters(exclude_categories=["C", "Z"], include_characters=" "), min_size=1, max_size=60).filter(
        str.strip
    ),
)
SCENES = st.lists(
    st.one_of(
        st.tuples(st.just("say"), st.sampled_from(PEOPLE), LINES),
        st.tuples(st.just("insist"), st.sampled_from(PEOPLE), LINES),
        st.tuples(st.just("whisper"), st.sampled_from(PEOPLE), LINES),
        st.tuples(st.just("move"), st.sampled_from(PEOPLE), st.sampled_from(sorted(EXITS))),
        st.tuples(st.just("live"), st.sampled_from(("1", "9", "40")), st.just("")),
        st.tuples(st.just("wait"), st.sampled_from(("5", "70", "1000")), st.just("")),
    ),
    max_size=40,
)  # fmt: skip


class Play:
    """A stage on which a list of scenes is played, keeping when who was spoken to."""

    def __init__(self, seed: int, scenes: list[tuple[str, str, str]]) -> None:
        self.stage = Stage(seed, EXITS)
        self.stage.items = {"The Lobby": ("tall clock",), "The Bee Yard": ("straw hives",)}
        for name in ("Eliza", "Moss"):
            self.stage.mind(name, voice_name=name.lower())
        self.spoken_to: list[tuple[str, float]] = []
        self.stage.enter("Visitor")
        scene: dict[str, Callable[[str, str], None]] = {
            "say": self.say,
            "insist": self.insist,
            "whisper": self.whisper,
            "move": self.move,
            "live": lambda seconds, _: self.stage.run(float(seconds)),
            "wait": lambda seconds, _: self.stage.wait(float(seconds)),
        }
        for kind, one, other in scenes:
            scene[kind](one, other)
        self.stage.run(30)

    def say(self, who: str, words: str) -> None:
        """Say something where one is, if one is anywhere."""
        if place := self.stage.where.get(who):
            here = [name for name, where in self.stage.where.items() if where == place and name != who]
            for name in self.stage.minds:
                if name in here:
                    others = [one for one in here if one != name]
                    known = [*others, *(one for one in self.stage.minds if one != name)]
                    if addressed(words, (name,), known, alone=not others) is Address.ME:
                        self.spoken_to.append((name, self.stage.seconds))
            self.stage.say(who, words)

    def insist(self, who: str, words: str) -> None:
        """Say the same again and again, with time for an answer."""
        for _ in range(12):
            self.say(who, words)
            self.stage.run(3)

    def whisper(self, who: str, words: str) -> None:
        """Whisper to Eliza, if she is there."""
        if self.stage.where.get(who) == self.stage.where["Eliza"]:
            self.spoken_to.append(("Eliza", self.stage.seconds))
            self.stage.whisper(who, "Eliza", words)

    def move(self, who: str, place: str) -> None:
        """Leave where one is, and turn up somewhere."""
        if who in self.stage.where:
            self.stage.leave(who)
        else:
            self.stage.enter(who, place)


def public(play: Play, name: str) -> list[str]:
    """Return what a mind said, whispered and showed, in order."""
    return [shown(one) for one in play.stage.done if one.who == name and one.verb in ("say", "whisper", "emote")]


def shown(done: Done) -> str:
    """Return the words of a line, without whom they were whispered to."""
    to = next((one for one in done.company if done.verb == "whisper" and done.words.startswith(one)), "")
    return done.words.removeprefix(to).strip()


@settings(max_examples=examples(30), deadline=None)
@given(st.integers(0, 1000), SCENES)
def test_nothing_is_said_twice_within_ten_lines_nor_where_nobody_is_nor_in_more_than_a_line(
    seed: int, scenes: list[tuple[str, str, str]]
) -> None:
    play = Play(seed, scenes)
    for name in ("Eliza", "Moss"):
        lines = public(play, name)
        for number, line in enumerate(lines):
            assert repeats(line, lines[max(0, number - 10) : number]) is None
    for one in play.stage.done:
        assert one.verb in ("say", "whisper", "emote", "go", "examine", "note", "think")
        assert one.company or one.verb not in ("say", "whisper")
        assert one.line.count("|") <= 1
        assert one.line.isprintable()
        assert one.words.strip()


@settings(max_examples=examples(30), deadline=None)
@given(st.integers(0, 1000), SCENES)
def test_who_was_spoken_to_stays_unless_it_follows_them_or_takes_leave_and_one_seed_gives_one_life(
    seed: int, scenes: list[tuple[str, str, str]]
) -> None:
    play = Play(seed, scenes)
    leaves = [(one.who, one.at) for one in play.stage.done if one.text.startswith(("leave.", "reply.bye"))]
    for one in play.stage.done:
        if one.verb == "go" and one.words[0].islower():  # an exit; a name is where somebody went whom it follows
            for name, at in play.spoken_to:
                if name == one.who and 0 < one.at - at < STAY:
                    assert any(who == name and at <= left <= one.at for who, left in leaves)
    assert Play(seed, scenes).stage.done == play.stage.done
