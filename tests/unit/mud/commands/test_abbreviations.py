"""The beginning of a command's name, typed by a person."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mud.commands import Command, read_line, understand
from mud.errors import Refusal
from mud.registry import collect
from mud.world.changes import Define
from mud.world.roles import Role
from mud.world.things import Exit
from tests.worlds import ANN, ELIZA, GARDEN, LOBBY, commands, do, left_with, make_engine, refused, small_world

EVERY = commands().joined(collect("agents.commands", Command))
PEOPLE = [one for one in Role if one > Role.AGENT]


@pytest.mark.parametrize(
    ("typed", "whole"),
    [
        ("exa sundial", "examine sundial"),
        ("inv", "inventory"),
        ("LOCA", "locations"),
        ("whis Eliza hi", "whisper Eliza hi"),
    ],
)
@pytest.mark.parametrize("role", PEOPLE)
def test_a_beginning_does_what_the_command_does_and_says_no_more(typed: str, whole: str, role: Role) -> None:
    short, long = do(make_engine(), typed, role=role), do(make_engine(), whole, role=role)
    assert (short.reply, short.events, short.left) == (long.reply, long.events, long.left)
    assert short.line == typed


@pytest.mark.parametrize(
    ("typed", "reply"),
    [
        ("not", '"not" could be note and notes. (type more of it)'),
        ("Not me", '"not" could be note and notes. (type more of it; to speak, begin with say)'),
    ],
)
def test_a_beginning_of_several_commands_is_refused_with_the_choices(typed: str, reply: str) -> None:
    assert refused(make_engine(registry=EVERY), typed).reply == reply


@pytest.mark.parametrize("typed", ["he is nice", "in the garden", "so what", "wh", "hello", "hello Eliza", "inventive"])
def test_short_words_and_words_that_only_look_alike_are_no_beginnings(typed: str) -> None:
    assert refused(make_engine(registry=EVERY), typed).reply.startswith("There is no command")


def test_what_takes_no_words_is_not_meant_by_a_sentence() -> None:
    assert refused(make_engine(), "invent something").reply.startswith('There is no command "invent".')


def test_the_name_of_a_way_and_a_whole_name_go_before_a_beginning() -> None:
    world = small_world()
    garden = world.things[GARDEN]
    world.apply([Define(replace(garden, exits=(*garden.exits, Exit("sle", LOBBY))))])
    assert "The Lobby" in do(make_engine(world), "sle").reply
    assert do(make_engine(), "ex sundial").reply == do(make_engine(), "examine sundial").reply


@pytest.mark.parametrize("typed", ["qui", "@sav", "@relo", "sav", "bye now", "@acc", "passw"])
def test_what_concerns_the_program_is_typed_whole(typed: str) -> None:
    step = refused(make_engine(), typed)
    assert not step.quit
    assert not step.requests


@pytest.mark.parametrize("typed", ["exa sundial", "inv", "loo", "whis Ann hi", "hel"])
def test_agents_type_whole_names(typed: str) -> None:
    step = refused(make_engine(), typed, who=ELIZA, role=Role.AGENT)
    assert step.reply.startswith(f'There is no command "{typed.split()[0]}".')
    assert left_with(step, ELIZA) != []


@given(st.sampled_from([(one.name, cut) for one in commands() for cut in range(1, len(one.name))]))
def test_a_beginning_is_its_command_or_refused_and_never_another(begun: tuple[str, int]) -> None:
    name, cut = begun
    line = read_line(name[:cut], 80)
    if commands().find(line.verb) is not None or line.verb != name[:cut]:
        return
    try:
        _, found = understand(line, commands(), small_world(), ANN, Role.OWNER)
    except Refusal:
        return
    assert found.name == name
