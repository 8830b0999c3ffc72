"""Sleeping and waking: what the sleeper, whoever wakes them and everybody else perceive of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.memory.entries import KINDS
from mud.engine.engine import changes_of
from mud.server.opening import build_world, state_of
from mud.storage.world_files import read_state, write_state
from mud.world.roles import Role
from tests.worlds import (
    ANN,
    ELIZA,
    LIBRARY,
    LOCATIONS,
    MOSS,
    PLACED,
    MemoryLedger,
    do,
    left_with,
    make_engine,
    refused,
    small_world,
    snapshot,
)


def test_whoever_falls_asleep_is_seen_to_and_remembers_it() -> None:
    engine = make_engine()
    step = do(engine, "sleep", ELIZA, Role.AGENT)
    assert step.reply == "You fall asleep."
    assert left_with(step, ELIZA) == ["You fall asleep."]
    assert left_with(step, ANN) == ["Eliza falls asleep."]
    assert list(engine.world.asleep) == [ELIZA]


def test_a_sleeper_is_shown_as_one() -> None:
    engine = make_engine()
    assert "Margery and Eliza are here." in do(engine, "look").reply
    do(engine, "sleep", ELIZA)
    assert "Margery and Eliza (asleep) are here." in do(engine, "look").reply
    assert do(engine, "examine Eliza").reply.endswith("Eliza is asleep.")
    assert "Eliza (asleep) [AI], in The Garden" in do(engine, "who").reply
    assert "The Garden: Margery, Eliza (asleep) and Ann" in do(engine, "locations").reply
    do(engine, "wake Eliza")
    assert "asleep" not in do(engine, "look").reply + do(engine, "examine Eliza").reply + do(engine, "who").reply


def test_a_mind_that_sleeps_can_do_nothing_but_wake() -> None:
    engine = make_engine()
    do(engine, "sleep", ELIZA)
    for line in ("look", "say hello", "go north", "think of pears", "note a -> b", "sleep", "emote hums"):
        step = refused(engine, line, ELIZA, Role.AGENT)
        assert step.left == ()
    assert refused(engine, "look", ELIZA).reply == "You are asleep. (wake wakes you)"
    step = do(engine, "wake", ELIZA, Role.AGENT)
    assert step.reply == "You wake up."
    assert left_with(step, ANN) == ["Eliza wakes up."]
    assert left_with(step, ELIZA) == ["You wake up."]
    assert not engine.world.asleep
    do(engine, "look", ELIZA)


def test_a_sleeper_perceives_nothing_but_its_name() -> None:
    engine = make_engine()
    do(engine, "sleep", ELIZA)
    for line in ("say good night", "emote yawns", "take lamp", "say Elizabeth is queen", "x margery"):
        assert left_with(do(engine, line), ELIZA) == []
    step = do(engine, "say it is late, ELIZA.")
    assert step.reply.splitlines() == ['You say, "it is late, ELIZA."', "Eliza wakes up."]
    assert left_with(step, ELIZA) == ['Ann says, "it is late, ELIZA."', "You wake up."]
    assert not engine.world.asleep


def test_whoever_is_whispered_to_wakes() -> None:
    engine = make_engine()
    do(engine, "sleep", ELIZA)
    step = do(engine, "whisper Eliza the bees are out")
    assert left_with(step, ELIZA) == ['Ann whispers to you, "the bees are out"', "You wake up."]
    assert not engine.world.asleep


def test_somebody_else_can_be_woken_and_whoever_is_awake_stays_so() -> None:
    engine = make_engine()
    do(engine, "sleep", ELIZA)
    step = do(engine, "wake up Eliza")
    assert step.reply == "You wake Eliza."
    assert left_with(step, ANN) == ["You wake Eliza."]
    assert left_with(step, ELIZA) == ["Ann wakes Eliza.", "You wake up."]
    again = do(engine, "wake eliza")
    assert again.reply == "Eliza is awake already."
    assert again.left == ()
    assert do(engine, "wake").reply == "You are awake already."
    assert refused(engine, "wake Moss").reply.startswith('You do not see "Moss" here.')


def test_a_person_who_sleeps_wakes_with_whatever_they_do() -> None:
    engine = make_engine()
    do(engine, "sleep")
    assert refused(engine, "sleep").reply == "You are asleep already."
    assert list(engine.world.asleep) == [ANN]
    step = do(engine, "say where am I?")
    assert step.reply.splitlines()[0] == "You wake up."
    assert left_with(step, ANN) == ["You wake up.", 'You say, "where am I?"']
    assert left_with(step, ELIZA) == ["Ann wakes up.", 'Ann says, "where am I?"']
    assert not engine.world.asleep


def test_who_leaves_asleep_comes_back_awake() -> None:
    engine = make_engine()
    do(engine, "sleep")
    engine.leave(engine.world.things[ANN])
    assert not engine.world.asleep
    engine.enter(engine.world.things[ANN], LIBRARY)
    assert not engine.world.asleep


NIGHTS = st.lists(
    st.tuples(
        st.sampled_from([ELIZA, MOSS, ANN]),
        st.sampled_from(
            ["sleep", "wake", "wake Eliza", "say Eliza!", "look", "say hm", "go north", "whisper Eliza hm"]
        ),
    ),
    max_size=20,
)


@given(NIGHTS)
@settings(deadline=None)
def test_sleep_survives_the_ledger_the_saved_state_and_both(
    tmp_path_factory: pytest.TempPathFactory, night: list[tuple[str, str]]
) -> None:
    ledger = MemoryLedger()
    engine = make_engine(ledger=ledger)
    vault = tmp_path_factory.mktemp("vault")
    (vault / "world").mkdir()
    middle = len(night) // 2
    saved = None
    for number, (who, line) in enumerate(night):
        asleep = who in engine.world.asleep and engine.world.things[who].thinks
        step = engine.step(who, line, Role.AGENT)
        assert not asleep or step.failed or line.startswith("wake")
        assert all(one.kind in KINDS for one in step.left)
        if number == middle:
            write_state(vault, state_of(engine.world, engine.number))
            saved = read_state(vault)
    again = small_world()
    for record in ledger.after(0):
        again.apply(changes_of(record))
    assert snapshot(again) == snapshot(engine.world)
    if saved is not None:
        placed = [*((one, None) for one in LOCATIONS), *PLACED]
        later = build_world(placed, saved, ledger.after(saved.step))
        assert list(later.asleep) == list(engine.world.asleep)


def test_a_state_saved_before_there_was_sleep_is_read(tmp_path: Path) -> None:
    (tmp_path / "world").mkdir()
    text = write_state(tmp_path, state_of(small_world(), 7))
    (tmp_path / "world/state.md").write_text(text.replace("asleep: []\n", ""), "utf-8")
    assert "asleep" not in (tmp_path / "world/state.md").read_text("utf-8")
    state = read_state(tmp_path)
    assert state is not None
    assert (state.step, state.asleep) == (7, ())
