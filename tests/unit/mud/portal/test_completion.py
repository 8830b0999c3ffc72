"""Completion of typed lines, as every door offers it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mud.commands import Command
from mud.portal.completion import FREE, UNNAMED, Known, complete, filled, known_to
from mud.registry import load
from mud.world.changes import Put
from mud.world.roles import Role
from tests.worlds import ANN, GARDEN, KEY, LOBBY, small_world

COMMANDS = load("mud.commands", Command, "command").joined(load("agents.commands", Command, "command"))
NOTES = ("Sundial", "Sunken path")


def known() -> Known:
    """Return what Ann can name in the Garden, a rusty key in her pocket, after she was in the Lobby."""
    world = small_world()
    world.apply([Put(KEY, ANN), Put(ANN, LOBBY), Put(ANN, GARDEN)])
    return known_to(world, ANN, NOTES)


def choices(line: str, role: Role = Role.OWNER) -> list[str]:
    found = complete(line, COMMANDS, role, known())
    return [line[: found.start] + one for one in found.choices]


@pytest.mark.parametrize(
    ("line", "completed"),
    [
        ("who", ["who"]),
        ("whi", ["whisper"]),
        ("inv", ["inventory"]),  # its alias inv says no more
        ("  gat", ["  gate"]),  # the name of an exit alone walks
        ("go ", ["go north", "go gate", "go The Garden", "go The Lobby"]),
        ("walk lob", ["walk The Lobby"]),
        ("look mar", ["look Margery"]),
        ("x lam", ["x brass lamp"]),
        ("take ", ["take brass lamp", "take sundial"]),
        ("drop ", ["drop rusty key"]),
        ("whisper el", ["whisper Eliza"]),
        ("whisper Eliza Where is Moss t", ["whisper Eliza Where is Moss the Slow"]),
        ("@pause moss", ["@pause Moss the Slow"]),
        ("@role Ann b", ["@role Ann builder"]),
        ("note sun", ["note Sundial", "note Sunken path"]),
        ("note Sundial -> It stands in the gar", ["note Sundial -> It stands in The Garden"]),
        ("help whis", ["help whisper"]),
        ("say Good morning, mar", ["say Good morning, Margery"]),
        ("'is the brass l", ["'is the brass lamp"]),
        ("say my gar", ["say my Garden"]),
        ("take lamp | Eliza wanted it, and mar", ["take lamp | Eliza wanted it, and Margery"]),
        ("", []),
        ("say ", []),
        ("who e", []),
        ("@edit-interval Eliza ", []),
        ("say hello", []),
    ],
)
def test_the_end_of_a_line_becomes_what_fits_there(line: str, completed: list[str]) -> None:
    assert choices(line) == completed


def test_nobody_is_offered_a_command_above_their_role() -> None:
    assert choices("@pau") == ["@pause"]
    assert choices("@pau", Role.PLAYER) == []
    assert choices("@pause el", Role.PLAYER) == []
    assert choices("help @pau", Role.PLAYER) == []


@pytest.mark.parametrize(
    ("line", "longer"),
    [
        ("whi", "whisper "),
        ("note s", "note Sun"),
        ("note Sun", "note Sun"),
        ("x LAM", "x brass lamp "),
        ("say xyzzy", "say xyzzy"),
    ],
)
def test_what_all_choices_share_is_filled_in(line: str, longer: str) -> None:
    assert filled(line, complete(line, COMMANDS, Role.OWNER, known())) == longer


def test_every_slot_of_every_command_is_one_that_completion_knows() -> None:
    understood = {"way", "place", "person", "title", "topic", "thing", "name", "who", "role", *FREE, *UNNAMED}
    unknown = {one.name for one in COMMANDS if not set(re.findall(r"\w+", one.form.text)) <= understood}
    assert not unknown


@given(st.lists(st.sampled_from([*"aeglmnstw|'\":@->İß", " ", "note ", "say ", "go ", "Sun", "->"])).map("".join))
def test_whatever_is_typed_stays_as_it_is_before_what_is_completed(line: str) -> None:
    found = complete(line, COMMANDS, Role.OWNER, known())
    assert 0 <= found.start <= len(line)
    assert filled(line, found).startswith(line[: found.start])
