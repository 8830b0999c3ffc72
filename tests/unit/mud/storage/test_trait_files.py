"""What files say that things can do: every mistake has its file, its line and its key, and names find their things."""

from __future__ import annotations

from pathlib import Path

import pytest

from mud.storage.trait_files import MOST_RULES
from mud.storage.world_files import ThingDefinition, WorldFiles
from mud.world.rules import IT, Becomes, Does, Move, Ref
from mud.world.things import Exit, Kind, Thing
from mud.world.traits import NO_TRAITS

HALL = '---\nid: "#1001"\nexits:\n  north: "[[The Loft]]"\n---\n# The Hall\n\nA hall.\n'
LOFT = '---\nid: "#1002"\naliases: [attic]\n---\n# The Loft\n'
CLOCK = 'id: "#1101"\nlocation: "[[The Hall]]"'


def vault(tmp_path: Path, front: str = "", body: str = "", **files: str) -> WorldFiles:
    """Return the files of a world with a hall, a loft, and a clock as it is here; its body begins on line 9 + n."""
    texts = {"locations/hall.md": HALL, "locations/loft.md": LOFT}
    extra = f"\n{front}" if front else ""
    texts["items/clock.md"] = f"---\n{CLOCK}{extra}\n---\n# tall clock\n\nIt stands.\n{body}"
    for file, text in {**texts, **files}.items():
        path = tmp_path / "world" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return WorldFiles(tmp_path)


def clock(files: WorldFiles) -> ThingDefinition:
    definitions, problems = files.load()
    assert problems == []
    return next(one for one in definitions if one.thing.id == "#1101")


def told(files: WorldFiles) -> list[str]:
    return [str(one) for one in files.load()[1]]


def test_a_file_says_all_that_a_thing_can_do(tmp_path: Path) -> None:
    flags = ("opens", "light", "switch", "wearable", "food")
    front = "holds: on\ncapacity: 3\nkey: '[[brass key]]'\nstates: [Locked, half  full]"
    front += "".join(f"\n{one}: true" for one in flags)
    body = (
        "\n## Text\n\nTempus fugit.\n\n## When lit\n\nIt glows.\n"
        "\n## Verbs\n\n- wind: You wind it.\n- Turn On: It hums.\n"
        '\n## Rules\n\n- when wind: it becomes lit\n- when put anything on it: say "Click."\n'
    )
    key = '---\nid: "#1102"\nlocation: "#1001"\n---\n# brass key\n'
    traits = clock(vault(tmp_path, front, body, **{"items/key.md": key})).thing.traits
    assert (traits.holds, traits.capacity, traits.key, traits.writing) == ("on", 3, "#1102", "Tempus fugit.")
    assert all(getattr(traits, one) for one in flags)
    assert traits.states == ("locked", "half full")
    assert traits.verbs == (("wind", "You wind it."), ("turn on", "It hums."))
    assert [one.text for one in traits.texts] == ["It glows."]
    assert set(traits.triggers) == {"wind", "put"}


def test_a_file_that_says_nothing_of_the_kind_has_no_traits(tmp_path: Path) -> None:
    assert clock(vault(tmp_path)).thing.traits is NO_TRAITS


@pytest.mark.parametrize(
    ("front", "line"),
    [
        ("holds: under", "items/clock.md:4: holds: 'under' is neither; expected in or on"),
        ("holds: 3", "items/clock.md:4: holds: 3 is neither; expected in or on"),
        ("capacity: many", "items/clock.md:4: capacity: 'many' is no number of things"),
        ("capacity: -1", "items/clock.md:4: capacity: -1 is no number of things"),
        ("opens: maybe", "items/clock.md:4: opens: 'maybe' is neither; expected true or false"),
        ("light: 1", "items/clock.md:4: light: 1 is neither; expected true or false"),
        ("fixed: true\nfood: [a]", "items/clock.md:5: food: ['a'] is neither; expected true or false"),
        ("states: [lit, true]", "items/clock.md:4: states: a state is no word"),
        ('key: "[[lost key]]"', "items/clock.md:4: key: '[[lost key]]' is nothing there is"),
        ('key: "[[The Hall]]"', "items/clock.md:4: key: '[[The Hall]]' is nothing there is"),
        ("key: 3", "items/clock.md:4: key: it leads nowhere"),
        ("dark: true", "items/clock.md:4: dark: unknown key"),
        ("doors: x", "items/clock.md:4: doors: unknown key"),
    ],
)
def test_a_mistake_in_a_key_is_told_with_its_line(tmp_path: Path, front: str, line: str) -> None:
    (problem,) = told(vault(tmp_path, front))
    assert line in problem


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("\n## Rules\n\n- when wind\n", "items/clock.md:11: Rules: there is no colon"),
        ("\n## Rules\n\n- when wind: remove it\n- when x: dance\n", "items/clock.md:12: Rules: 'dance' is no effect"),
        ("\n## Rules\n\n- when wind:\n  remove it and\n  run\n", "items/clock.md:11: Rules:"),
        ("\n## Rules\n\n- when wind: move moon to here\n", "items/clock.md:11: Rules: 'moon' is nothing there is"),
        ("\n## When it is a b c d\n\nSo.\n", "items/clock.md:9: When it is a b c d: "),
        ("\n## When moon is lit\n\nSo.\n", "items/clock.md:9: Rules: 'moon' is nothing there is"),
        ("\n## Verbs\n\n- wind\n", "items/clock.md:11: Verbs: 'wind' has no text"),
        ("\n## Verbs\n\n- wind it up: Yes.\n", "items/clock.md:11: Verbs: 'wind it up: Yes.' has no text"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_section_is_told_with_its_line(tmp_path: Path, body: str, line: str) -> None:
    (problem,) = told(vault(tmp_path, "", body))
    assert line in problem


def test_more_rules_than_a_file_may_hold_are_told(tmp_path: Path) -> None:
    body = "\n## Rules\n\n" + "- when wind: remove it\n" * (MOST_RULES + 1)
    (problem,) = told(vault(tmp_path, "", body))
    assert f"items/clock.md:{11 + MOST_RULES}: Rules: there are {MOST_RULES + 1} rules" in problem


@pytest.mark.parametrize("name", ["The Loft", "loft", "the Loft", "attic", "[[The Loft]]", "[[loft]]", "#1002"])
def test_names_in_rules_are_found_by_name_alias_article_file_and_id(tmp_path: Path, name: str) -> None:
    found = clock(vault(tmp_path, "", f"\n## Rules\n\n- when wind: move it to {name}\n"))
    assert found.thing.traits.rules[0].effects == (Move(Ref(IT), Ref("#1002")),)


def test_an_item_goes_before_a_place_of_the_same_name_and_a_name_before_an_alias(tmp_path: Path) -> None:
    item = '---\nid: "#1102"\nlocation: "#1001"\naliases: [tall clock]\n---\n# attic\n'
    body = "\n## Rules\n\n- when attic becomes lit: it becomes lit\n- when wind tall clock: it becomes lit\n"
    rules = clock(vault(tmp_path, "", body, **{"items/attic.md": item})).thing.traits.rules
    assert rules[0].trigger == Becomes(Ref("#1102"), "lit", on=True)
    assert rules[1].trigger == Does("wind", Ref("#1101"))


def test_minds_can_be_named_though_their_files_are_elsewhere(tmp_path: Path) -> None:
    files = vault(tmp_path, "", "\n## Rules\n\n- when give it to Eliza: move Liz to The Loft\n")
    assert len(told(files)) == 2
    files.minds = lambda: [Thing("#2001", Kind.CHARACTER, "Eliza", aliases=("Liz",))]
    assert dict(clock(files).thing.traits.names) == {"Eliza": "#2001", "Liz": "#2001", "Loft": "#1002"}


def test_doors_are_named_beside_the_exits_and_must_have_one(tmp_path: Path) -> None:
    door = '---\nid: "#1103"\nopens: true\n---\n# oak door\n'
    hall = HALL.replace("---\n# The Hall", 'doors:\n  north: "[[oak door]]"\ndark: true\n---\n# The Hall')
    files = vault(tmp_path, "", "", **{"items/door.md": door, "locations/hall.md": hall})
    definitions, problems = files.load()
    assert problems == []
    (found,) = [one.thing for one in definitions if one.thing.id == "#1001"]
    assert (found.exits, found.traits.dark) == ((Exit("north", "#1002", "#1103"),), True)
    wrong = hall.replace('north: "[[oak door]]"', 'south: "[[oak door]]"')
    (problem,) = told(vault(tmp_path, "", "", **{"items/door.md": door, "locations/hall.md": wrong}))
    assert "locations/hall.md:6: doors.south: there is no such exit" in problem
