"""Which way out somebody means."""

from __future__ import annotations

import pytest

from mud.world.exits import SHORT, find_exits, names_exit
from mud.world.things import Exit, Kind, Thing

HALL = Thing(
    "#1", Kind.LOCATION, "Hall",
    exits=(Exit("North", "#2"), Exit("northeast", "#3"), Exit("garden gate", "#4"), Exit("e", "#5"),
           Exit("east", "#6")),
)  # fmt: skip


@pytest.mark.parametrize(
    ("typed", "ways"),
    [
        ("north", ["North"]),
        ("NORTH", ["North"]),
        ("n", ["North"]),
        ("ne", ["northeast"]),
        ("nor", ["North", "northeast"]),
        ("gate", ["garden gate"]),
        ("the garden gate", ["garden gate"]),
        ("e", ["e"]),
        ("east", ["east"]),
        ("s", []),
        ("w", []),
        ("ladder", []),
        ("", []),
    ],
)
def test_a_typed_name_means_the_exits_it_fits_best(typed: str, ways: list[str]) -> None:
    assert [way.name for way in find_exits(HALL, typed)] == ways


def test_a_location_without_exits_has_none_to_find() -> None:
    assert find_exits(Thing("#9", Kind.LOCATION, "Cell"), "north") == []


def test_whole_names_and_short_forms_name_an_exit_and_parts_do_not() -> None:
    north, gate = HALL.exits[0], HALL.exits[2]
    assert names_exit("north", north)
    assert names_exit("N", north)
    assert names_exit("the garden gate", gate)
    assert not names_exit("nor", north)
    assert not names_exit("garden", gate)


def test_no_short_form_is_also_a_direction() -> None:
    assert not set(SHORT) & set(SHORT.values())
