"""What must hold whatever anybody types: random lines of random characters, read and carried out by the engine."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from mud.commands import Command
from mud.engine.engine import Engine, Step, changes_of, perceived_from_json
from mud.registry import collect
from mud.world.roles import Role
from mud.world.things import Thing
from tests.examples import examples
from tests.worlds import (
    ANN,
    ELIZA,
    HERON,
    MOSS,
    PEOPLE,
    MemoryLedger,
    check_places,
    commands,
    make_engine,
    small_world,
    snapshot,
)

EVERY = commands().joined(collect("agents.commands", Command))

ODD = st.text(st.characters(codec=None), max_size=30)
"""Any characters at all, control characters and halves of characters included."""
NAMES = st.sampled_from(
    ["Eliza", "eliza", "Moss the Slow", "moss", "Ann", "ann,", "Margery", "lamp", "brass lamp", "sundial", "key",
     "green book", "me", "here", "#1101", "#2001", "#9999", "the", "a", "library", "to the loft", "cellar", "gate",
     "north", "s", "ladder", "up lamp", "down lamp", "at lamp", "under", "", " ", "->", "a -> b", "-> b", "a ->", "|",
     "\\|", "\\", '"', "'", ":", "{words}", "%s", "..", "../../x", "\t", "\u00a0", "Γειά", "👋🏽"]
)  # fmt: skip
WORDS = st.one_of(ODD, NAMES, st.lists(NAMES, max_size=4).map(" ".join))
VERBS = st.sampled_from([*EVERY.words(), "n", "North", "SOUTH", "'", '"', ":", "xyzzy", "tkae", "LOOK", "|"])
# What moves and carries is typed more often than chance alone would have it.
DOINGS = st.sampled_from(
    ["go north", "go south", "go library", "go garden", "go loft", "take lamp", "take key", "take book", "drop lamp",
     "drop key", "drop book", "say hi", "whisper Eliza psst", "whisper Ann psst", "whisper Moss psst", ":nods",
     "x lamp", "look", "i"]
)  # fmt: skip
LINES = st.one_of(
    DOINGS,
    DOINGS,
    ODD,
    st.builds(lambda verb, gap, rest: f"{verb}{gap}{rest}", VERBS, st.sampled_from(["", " ", "  "]), WORDS),
)
TYPED = st.tuples(st.sampled_from([*PEOPLE, HERON]), LINES, st.sampled_from(Role))
LIVES = st.lists(TYPED, max_size=25)


class Life:
    """A world in which lines are typed, and all that came of them."""

    def __init__(self, *, secrets: bool = False) -> None:
        self.ledger = MemoryLedger()
        self.engine: Engine = make_engine(ledger=self.ledger, registry=EVERY)
        self.secrets = secrets
        self.steps: list[tuple[Step, dict[str, Thing | None], str]] = []

    def live(self, typed: list[tuple[str, str, Role]]) -> None:
        """Type every line; leaving and coming back are part of life."""
        for number, (who, line, role) in enumerate(typed):
            secret = f"§{number}§"
            where = {one: self.engine.world.location_of(one) for one in self.engine.world.things}
            step = self.engine.step(who, f"{line} | {secret}" if self.secrets else line, role)
            self.steps.append((step, where, secret))
            if step.quit:
                here = self.engine.world.location_of(who)
                self.engine.leave(self.engine.world.things[who])
                if here is not None:
                    self.engine.enter(self.engine.world.things[who], here.id)


@given(LIVES)
@settings(max_examples=examples(200), deadline=None)
def test_no_line_ever_raises_or_puts_anything_into_two_places(typed: list[tuple[str, str, Role]]) -> None:
    life = Life()
    life.live(typed)
    check_places(life.engine.world)


@given(LIVES)
@settings(deadline=None)
def test_a_refused_line_changes_nothing_and_tells_nobody(typed: list[tuple[str, str, Role]]) -> None:
    life = Life()
    for who, line, role in typed:
        before = snapshot(life.engine.world)
        step = life.engine.step(who, line, role)
        assert step.reply or step.requests, "every line is answered"
        if step.failed:
            assert snapshot(life.engine.world) == before
            assert not step.events
            assert not step.requests
            assert {perceived.who for perceived in step.left} <= {who}
        if role < Role.OWNER:
            assert all(
                request.name not in ("save", "reload", "show_config", "impersonate") for request in step.requests
            )


@given(LIVES, st.integers(0, 30))
@settings(max_examples=examples(200), deadline=None)
def test_the_ledger_makes_the_same_world_again_also_from_a_few_steps_too_early(
    typed: list[tuple[str, str, Role]], early: int
) -> None:
    life = Life()
    life.live(typed)
    records = list(life.ledger.after(0))
    assert [record["step"] for record in records] == list(range(1, len(records) + 1))
    again = small_world()
    for record in records:
        again.apply(changes_of(record))
    assert snapshot(again) == snapshot(life.engine.world)
    for record in records[-early:] if early else ():
        again.apply(changes_of(record))
    assert snapshot(again) == snapshot(life.engine.world)


@given(LIVES)
@settings(deadline=None)
def test_the_ledger_holds_what_each_step_left_with_everybody(typed: list[tuple[str, str, Role]]) -> None:
    life = Life()
    life.live(typed)
    records = {record["step"]: record for record in life.ledger.after(0)}
    for step, _, _ in life.steps:
        if step.number:
            held = [perceived_from_json(data) for data in records[step.number]["left"]]
            assert held == [perceived._replace(event=None) for perceived in step.left]


@given(LIVES)
@settings(max_examples=examples(200), deadline=None)
def test_nobody_perceives_what_happens_where_they_are_not(typed: list[tuple[str, str, Role]]) -> None:
    life = Life()
    life.live(typed)
    for step, where, _ in life.steps:
        for perceived in step.left:
            if perceived.who == step.who:
                assert perceived.event is None
                continue
            place = where[perceived.who]
            assert place is not None
            assert perceived.event is not None
            assert perceived.event.location == place.id
            assert perceived.place == place.name
        for event in step.events:
            if event.kind == "whisper":
                assert {perceived.who for perceived in step.left} <= {step.who, event.to}
        assert HERON not in {perceived.who for perceived in step.left}


@given(LIVES)
@settings(max_examples=examples(200), deadline=None)
def test_a_private_reason_reaches_nobody_else(typed: list[tuple[str, str, Role]]) -> None:
    life = Life(secrets=True)
    life.live(typed)
    for step, _, secret in life.steps:
        assert secret not in step.reply
        for event in step.events:
            assert secret not in event.text + (event.words or "")
        for perceived in step.left:
            assert secret not in perceived.text
            if perceived.who == step.who:
                assert perceived.reason is not None
                assert perceived.reason.endswith(secret)
            else:
                assert perceived.reason is None


@given(st.lists(TYPED, max_size=8), st.text(st.characters(categories=("L", "N", "Zs")), min_size=1, max_size=20))
@settings(deadline=None)
def test_a_whisper_reaches_exactly_two_whoever_else_is_there(typed: list[tuple[str, str, Role]], words: str) -> None:
    life = Life()
    life.live(typed)
    engine = life.engine
    for who in (ELIZA, MOSS):  # of one who sleeps the others would see that it wakes
        engine.step(who, "wake", Role.AGENT)
        engine.step(who, "go garden", Role.AGENT)
    engine.step(ANN, "go garden", Role.GUEST)
    step = engine.step(ANN, f"whisper #2001 {words}", Role.GUEST)
    together = engine.world.location_of(ANN) == engine.world.location_of(ELIZA)
    if together and words.strip():
        assert not step.failed, step.reply
        assert sorted(perceived.who for perceived in step.left) == sorted([ANN, ELIZA])


@given(LIVES)
@settings(deadline=None)
def test_ids_never_change_and_none_is_given_twice(typed: list[tuple[str, str, Role]]) -> None:
    life = Life()
    before = {thing.id: thing.name for thing in life.engine.world.things.values()}
    next_id = life.engine.world.next_id
    life.live(typed)
    assert {thing.id: thing.name for thing in life.engine.world.things.values()} == before
    assert life.engine.world.next_id == next_id
