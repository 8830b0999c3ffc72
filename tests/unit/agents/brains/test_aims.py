"""What a goal aims at, and what is meant by its words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.brains.instinct.aims import Aim, AimSort, aims_of, is_meant, is_spoken_of, places_in


@pytest.mark.parametrize(
    ("goal", "aims"),
    [
        ("Find the fin of the sundial.", [Aim(AimSort.THING, "the fin of the sundial")]),
        ("I want to find the bronze fin that is missing.", [Aim(AimSort.THING, "the bronze fin")]),
        ("Fetch the lamp glass", [Aim(AimSort.THING, "the lamp glass", takes=True)]),
        ("Go to the Loft.", [Aim(AimSort.PLACE, "the Loft", exact=True)]),
        ("Meet Corvin.", [Aim(AimSort.PERSON, "Corvin", exact=True)]),
        (
            "Talk to Old Tom and then visit the Cistern.",
            [Aim(AimSort.PERSON, "Old Tom", exact=True), Aim(AimSort.PLACE, "the Cistern")],
        ),
        ("Find out who broke the sundial.", [Aim(AimSort.ANSWER, "who broke the sundial", exact=True)]),
        ("Ask where the key is", [Aim(AimSort.ANSWER, "where the key is", exact=True)]),
        ("Never go to the Cistern.", []),
        ("Be kind to everybody.", []),
        ("Find it.", []),
        ("", []),
    ],
)  # fmt: skip
def test_a_goal_says_what_it_aims_at(goal: str, aims: list[Aim]) -> None:
    assert list(aims_of(goal)) == aims


@pytest.mark.parametrize(
    ("words", "name", "meant"),
    [
        ("the fin of the sundial", "bronze fin", True),
        ("the fin of the sundial", "sundial", False),
        ("the bronze fin", "bronze fin", True),
        ("the bronze fin", "gilt fin", False),
        ("the Loft", "The Loft", True),
        ("the lamp glass", "row of lamps", False),
        ("Corvin", "Corvin", True),
        ("Corvin", "Moss", False),
    ],
)
def test_a_name_is_what_is_meant_or_it_is_not(words: str, name: str, meant: bool) -> None:
    assert is_meant(Aim(AimSort.THING, words), name) is meant


def test_a_line_speaks_of_an_aim_and_names_locations() -> None:
    assert is_spoken_of(Aim(AimSort.THING, "the bronze fin"), "A fin lies in the loft.")
    assert not is_spoken_of(Aim(AimSort.THING, "the bronze fin"), "Bronze is heavy.")
    known = ("The Garden", "The Loft", "Lantern Row")
    assert places_in("From Lantern Row to the loft it is not far.", known) == ["Lantern Row", "The Loft"]


@given(st.text(max_size=200))
def test_any_text_can_be_a_goal(goal: str) -> None:
    for aim in aims_of(goal):
        assert aim.words.strip()
        is_meant(aim, goal)
