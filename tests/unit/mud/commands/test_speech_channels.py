"""Channels: made, joined, left, listed, spoken on and read back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mud.commands.speech_channels import MOST
from mud.engine.engine import Engine, Step, changes_of
from mud.world.channels import KEPT
from mud.world.roles import Role
from tests.worlds import (
    ANN,
    ELIZA,
    HERON,
    MOSS,
    MemoryLedger,
    do,
    left_with,
    make_engine,
    refused,
    small_world,
    snapshot,
)


def town() -> Engine:
    """Return the engine of a world where Ann and Moss, who are far apart, are on the channel town."""
    engine = make_engine()
    do(engine, "@channel-join town")
    do(engine, "@channel-join town", MOSS)
    return engine


def heard(step: Step) -> set[str]:
    return {one.who for one in step.left} - {step.who}


def test_members_hear_each_other_wherever_they_are_and_nobody_else_does() -> None:
    engine = town()
    step = do(engine, "@channel town is anybody awake?")
    assert step.reply == 'On town you say, "is anybody awake?"'
    assert left_with(step, MOSS) == ['On town Ann says, "is anybody awake?"']
    assert heard(step) == {MOSS}  # Eliza, who stands beside her, is not on it
    [perceived] = [one for one in step.left if one.who == MOSS]
    assert (perceived.kind, perceived.actor, perceived.place) == ("told", "Ann", "the channel town")


def test_who_joins_can_read_back_what_was_said_and_who_is_not_on_it_cannot() -> None:
    engine = town()
    do(engine, "channel town the pears are ripe", MOSS)
    do(engine, "@channel town thank you")
    refusal = refused(engine, "@channel town", ELIZA, Role.GUEST)
    assert "pears" not in refusal.reply
    assert "@channel-join town" in refusal.reply
    refused(engine, "@channel town let me in", ELIZA, Role.GUEST)
    do(engine, "@channel-join town", ELIZA, Role.GUEST)
    lines = do(engine, "@channel TOWN", ELIZA, Role.GUEST).reply.split("\n")
    assert [line[-len(end) :] for line, end in zip(lines, ENDS, strict=True)] == ENDS
    assert left_with(do(engine, "@channel town"), ANN) == []


ENDS = ["Moss the Slow: the pears are ripe", "Ann: thank you"]


def test_the_list_tells_members_of_one_s_own_channels_and_only_how_many_are_on_others() -> None:
    engine = town()
    assert do(engine, "@channel").reply == "town: Moss the Slow and you"
    assert do(engine, "@channel", ELIZA).reply == "town: 2 members; @channel-join town lets you in"
    assert do(make_engine(), "@channel").reply == "There is no channel yet; @channel-join town makes one."


def test_joining_and_leaving_are_told_to_the_others_and_the_last_one_ends_it() -> None:
    engine = make_engine()
    assert do(engine, "@channel-join town").reply == "The channel town is new, and you are the first."
    step = do(engine, "@channel-join Town", MOSS)
    assert step.reply == "You are on town now, with Ann."
    assert left_with(step, ANN) == ["Moss the Slow joins town."]
    assert left_with(do(engine, "@channel-leave town"), MOSS) == ["Ann leaves town."]
    do(engine, "@channel-leave town", MOSS)
    assert list(engine.world.channels) == []


def test_the_owner_lets_an_agent_in_and_takes_it_out_again() -> None:
    engine = town()
    step = do(engine, "@channel-join town Eliza")
    assert left_with(step, ELIZA) == ["Ann lets you hear the channel town."]
    assert heard(do(engine, "@channel town hello")) == {MOSS, ELIZA}
    step = do(engine, "@channel-leave town Eliza")
    assert left_with(step, ELIZA) == ["Ann takes you off the channel town."]
    assert heard(do(engine, "@channel town hello")) == {MOSS}
    assert refused(engine, "@channel-join town Eliza", MOSS, Role.BUILDER).reply.startswith("Only the owner")


def test_who_sleeps_hears_nothing_and_who_was_forgotten_is_on_no_channel() -> None:
    engine = town()
    do(engine, "sleep", MOSS)
    assert heard(do(engine, "@channel town good night")) == set()
    engine.leave_for_good(engine.world.things[MOSS])
    assert engine.world.channels.members("town") == (ANN,)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("@channel village", 'There is no channel "village".'),
        ("@channel join village", 'There is no channel "join". (@channel-join)'),
        ("@channel-leave village", 'There is no channel "village".'),
        ("@channel-join town", "You are on town already."),
        ("@channel-join town Moss", "Moss the Slow is on town already."),
        ("@channel-leave town Eliza", "Eliza is not on town."),
        ("@channel-join town Margery", 'Nobody called "Margery" is in this world who could hear it.'),
        ("@channel-join ../up", '"../up" is no name for a channel'),
        ("@channel-join " + "x" * 25, f'"{"x" * 25}" is no name for a channel'),
        ("@channel-join say", "say is a command; a channel needs a name of its own."),
        ("@channel-join leave", "leave is a command; a channel needs a name of its own."),
        ("@channel-join everybody", "No channel can be called so: 'everybody' is a word that means something else"),
        ("@channel-join t\u043ewn", "No channel can be called so: 't\u043ewn' looks like 'town'"),
        ("@channel-join t0wn", "No channel can be called so: 't0wn' looks like 'town'"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_sentence(line: str, why: str) -> None:
    assert refused(town(), line).reply.startswith(why)


def test_agents_cannot_type_it_guests_make_none_and_there_are_not_too_many() -> None:
    engine = town()
    for line in ("@channel", "@channel town hello", "@channel-join town", "@channel-leave town"):
        refused(engine, line, MOSS, Role.AGENT)
    assert refused(engine, "@channel-join village", ANN, Role.GUEST).reply.startswith("Only people with an account")
    for number in range(MOST - 1):
        do(engine, f"@channel-join {chr(97 + number // 8)}way{chr(97 + number % 8)}")
    assert refused(engine, "@channel-join village").reply.startswith(f"There are {MOST} channels")


def test_only_the_newest_lines_are_kept() -> None:
    engine = town()
    for number in range(KEPT + 5):
        do(engine, f"@channel town number {number}")
    lines = do(engine, "@channel town").reply.split("\n")
    assert (len(lines), lines[0][-8:]) == (KEPT, "number 5")


LINES = st.sampled_from([
    "@channel-join town", "@channel-join inn", "@channel-leave town", "@channel-leave inn", "@channel town hello",
    "@channel inn hello", "@channel-join town Eliza", "@channel-leave town Eliza", "sleep", "wake",
])  # fmt: skip


@given(st.lists(st.tuples(st.sampled_from([ANN, ELIZA, MOSS, HERON]), LINES), max_size=30))
def test_only_members_ever_perceive_anything_of_a_channel(lines: list[tuple[str, str]]) -> None:
    engine = make_engine()
    for who, line in lines:
        before = {one.name: set(one.members) for one in engine.world.channels}
        step = engine.step(who, line, Role.OWNER)
        for one in step.left:
            if one.event is not None and one.event.channel and one.event.to != one.who:
                assert one.who in before.get(one.event.channel, set()), (who, line)


@given(st.lists(st.tuples(st.sampled_from([ANN, ELIZA, MOSS]), LINES), max_size=30))
def test_the_ledger_makes_the_same_channels_again(lines: list[tuple[str, str]]) -> None:
    ledger, world = MemoryLedger(), small_world()
    engine = make_engine(ledger=ledger)
    for who, line in lines:
        engine.step(who, line, Role.OWNER)
    for record in ledger.after(0):
        world.apply(changes_of(record))
    assert snapshot(world) == snapshot(engine.world)
