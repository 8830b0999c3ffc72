from __future__ import annotations

import pytest

from mud.world.names import NameIndex, misleading

THERE = ["Eliza", "The Bronze Fin", "Ian", "Tower 10", "Ярослав", "Moss", "Evvan", "Anclrew"]


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
        *((name, "Moss") for name in ("M0ss", "ꮇoss", "Ⲙoss", "M०ss", "M๐ss", "Mഠss", "Mᴑss", "rnoss", "Móss", "Mo̸ss")),
        *((name, "Moss") for name in ("Moss.", "Moss'", "“Moss”", "Moss´", "M٠SS", "Ⲙⲟss")),
        *((name, "Eliza") for name in ("Eᥣiza", "E丨iza", "E1iza", "El1za", "Elíza", "Eliza!")),
        ("Ewan", "Evvan"),
        ("Andrew", "Anclrew"),
    ],
)
def test_a_name_that_looks_like_one_that_is_there_is_told_by_it(name: str, other: str) -> None:
    told = f"{name!r} looks like {other!r}, which is the name of another"
    assert misleading(name, THERE) == misleading(name, NameIndex(THERE)) == told


@pytest.mark.parametrize("name", ["Elisa", "eliza", "ELIZA", "Lan", "Zoë", "Ελένη", "名前", "Tower 11", "Анна"])
def test_a_name_that_one_can_tell_from_all_others_is_fine(name: str) -> None:
    assert misleading(name, THERE) == ""


@pytest.mark.parametrize(
    "name",
    ["me", "Self", "YOU", "everybody", "All", "here", "North", "n", "The West", "mе", "Ｙｏｕ", "you.", "YOU!", "y0u"],
)
def test_a_word_that_means_something_else_is_no_name(name: str) -> None:
    assert misleading(name) == f"{name!r} is a word that means something else where a name is typed"


def test_a_name_that_nobody_reads_to_its_end_is_told_without_it() -> None:
    assert misleading("n" * 120) == ""
    assert misleading("n" * 100_000) == "the name has 100,000 characters, more than the 120 that can be taken in"


ORDINARY = [
    *(("Anna", "Ana"), ("Neil", "Nell"), ("NEIL", "Nell"), ("Ella", "Elia"), ("Ian", "Lan"), ("Clara", "Dara")),
    *(
        ("Corvin", "Comin"),
        ("Marco", "Mario"),
        ("Bill", "Will"),
        ("Tower 1", "Tower 7"),
        ("10", "io"),
        ("Mara", "Maria"),
    ),
    *(("かな", "がな"), ("गुरु", "गोरू"), ("Андрей", "Андрон"), ("山田", "山口"), ("דנה", "דינה"), ("C", "C++")),
]


@pytest.mark.parametrize(("one", "other"), ORDINARY)
def test_ordinary_names_are_not_taken_for_one_another(one: str, other: str) -> None:
    assert (misleading(one, [other]), misleading(other, [one])) == ("", "")


@pytest.mark.parametrize(
    ("name", "scripts"),
    [
        ("yоu all", "Latin and Cyrillic"),
        ("Zoя", "Latin and Cyrillic"),
        ("Mᄋra", "Latin and Hangul"),
        ("ⲘAX", "Coptic and Latin"),
    ],
)
def test_a_name_of_letters_of_several_scripts_is_none(name: str, scripts: str) -> None:
    assert misleading(name) == f"{name!r} mixes letters of {scripts}"


@pytest.mark.parametrize(
    "name", ["田中さくらノ丞", "佐々木", "Oʼahu", "Bridge 7", "Zoë Ångström", "고은", "Ⅻ. Legion", "Ｅｖａ"]
)
def test_a_name_of_one_script_and_scripts_that_are_written_together_is_fine(name: str) -> None:
    assert misleading(name) == ""


def test_to_hold_a_name_against_many_is_no_slower_than_against_few() -> None:
    class Counted(str):
        compared = 0

        def __eq__(self, other: object) -> bool:
            Counted.compared += 1
            return super().__eq__(other)

        __hash__ = str.__hash__

    names = NameIndex(Counted(f"Hall of {number}") for number in range(3000))
    Counted.compared = 0
    assert all(names.alike(Counted(f"Hall of {number}")) is None for number in range(3000))
    assert Counted.compared < 30_000
