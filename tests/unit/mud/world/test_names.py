from __future__ import annotations

import pytest

from mud.world.names import look_alike, misleading

THERE = ["Eliza", "The Bronze Fin", "Ian", "Tower 10", "Ярослав"]


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("\u0415liza", "Eliza"),  # Cyrillic
        ("Еlіzа", "Eliza"),
        ("Ｅｌｉｚａ", "Eliza"),
        ("ELΙZA", "Eliza"),  # Greek iota
        ("EIiza", "Eliza"),
        ("𝐄liza", "Eliza"),
        ("bronze\u2800fіn", "The Bronze Fin"),
        ("Tower lO", "Tower 10"),
        ("Яpocлaв", "Ярослав"),  # Latin letters in a Cyrillic name
    ],
)
def test_a_name_that_looks_like_one_that_is_there_is_told_by_it(name: str, other: str) -> None:
    assert look_alike(name, THERE) == other
    assert misleading(name, THERE) == f"{name!r} looks like {other!r}, which is the name of another"


@pytest.mark.parametrize(
    "name", ["Elíza", "Elisa", "eliza", "ELIZA", "Lan", "Zoë", "Ελένη", "名前", "Tower 11", "Анна"]
)
def test_a_name_that_one_can_tell_from_all_others_is_fine(name: str) -> None:
    assert misleading(name, THERE) == ""


@pytest.mark.parametrize(
    "name", ["me", "Self", "YOU", "everybody", "All", "here", "North", "n", "The West", "mе", "Ｙｏｕ"]
)
def test_a_word_that_means_something_else_is_no_name(name: str) -> None:
    assert misleading(name) == f"{name!r} is a word that means something else where a name is typed"


def test_a_name_that_nobody_reads_to_its_end_is_told_without_it() -> None:
    assert misleading("n" * 120) == ""
    assert misleading("n" * 100_000) == "the name has 100,000 characters, more than the 120 that can be taken in"
