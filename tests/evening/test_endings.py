"""The mysteries of the shipped world, solved among minds without a model: what happens, and who speaks of it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from tests.evening.stage import Stage, staged


class Mystery(NamedTuple):
    """How one is solved, what it is about, by what word of it its ending is known, and who speaks of that."""

    lines: tuple[str, ...]
    about: str
    told: dict[str, str]


SUNDIAL = Mystery(
    ("go boathouse", "take fin", "go garden", "put fin on sundial"),
    "the sundial",
    {"Eliza": "sundial", "Tamsin": "fin is back", "Moss": "keeps time"},
)
CHAIR = Mystery(
    ("go library", "take chair", "go hall", "put reading chair at long table"),
    "the reading chair",
    {"Moss": "gone home", "Eliza": "long table"},
)
LAMPS = Mystery(
    ("go loft", "take glass", "go lantern row", "put lamp glass on nineteenth lamp"),
    "the nineteenth lamp",
    {"Corvin": "lamp", "Eliza": "walking", "Moss": "glass"},
)
HIVE = Mystery(
    ("go bindery", "take tablet", "go bee yard", "put tablet in third hive"),
    "the third hive",
    {"Eliza": "no longer silent", "Corvin": "begun to hum"},
)


async def solve(stage: Stage, mystery: Mystery) -> None:
    """Let Jonas solve a mystery and see its ending through."""
    stage.enter("Jonas")
    await stage.live(3)
    for line in mystery.lines:
        await stage.type("Jonas", line, 3)
    await stage.live(150)


async def visit(stage: Stage, who: str, mind: str) -> None:
    """Let somebody go to where a mind is and have a moment with it."""
    here = stage.parts.engine.world.location_of(stage.mind(mind).id)
    assert here is not None
    if stage.where(who) != here.name:
        await stage.type(who, f"go {here.name}", 60)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("mystery", [SUNDIAL, CHAIR, LAMPS, HIVE], ids=lambda one: one.about)
async def test_minds_speak_of_an_ending_also_to_who_was_not_there(tmp_path: Path, seed: int, mystery: Mystery) -> None:
    async with staged(tmp_path, seed, walking=False) as stage:
        await solve(stage, mystery)
        stage.leave("Jonas")
        stage.enter("Anna", "The Cistern")
        for name, words in mystery.told.items():
            await visit(stage, "Anna", name)
            said = await stage.type("Anna", f"say {name}, what happened to {mystery.about}?", 25)
            answers = [one for one in said if one.startswith(name)]
            assert any(words in one for one in answers), (name, said)


@pytest.mark.parametrize(
    ("mystery", "told"),
    [
        (SUNDIAL, "Eliza unties the notebook, looks from the slate to the page, and writes a whole line."),
        (LAMPS, "Corvin takes off his hat, and does not know where to put it."),
    ],
    ids=lambda one: one.about if isinstance(one, Mystery) else "",
)
async def test_whoever_stands_by_is_moved_by_it(tmp_path: Path, mystery: Mystery, told: str) -> None:
    async with staged(tmp_path, walking=False) as stage:
        await solve(stage, mystery)
        assert any(told in line for line in stage.script)


async def test_a_mind_hands_on_what_it_saw_to_another_that_was_elsewhere(tmp_path: Path) -> None:
    async with staged(tmp_path, walking=False) as stage:
        await solve(stage, SUNDIAL)
        stage.leave("Jonas")
        stage.place("Eliza", "Lantern Row")
        await stage.live(600)
        assert any(name == "Eliza" and "sundial" in line for _, name, line in stage.spoken if line.startswith("say "))
        stage.enter("Anna", "Lantern Row")
        await stage.live(60)
        said = await stage.type("Anna", "say Corvin, what happened to the sundial?", 25)
        answers = [one for one in said if one.startswith("Corvin")]
        assert any("Eliza" in one for one in answers), said


async def test_the_glass_on_its_lamp_is_what_somebody_looked_for(tmp_path: Path) -> None:
    async with staged(tmp_path, walking=False) as stage:
        stage.want("Corvin", "Find the glass of the nineteenth lamp.")
        await solve(stage, LAMPS)
        assert any("glass" in title and title.startswith("Goal") for title in stage.mind("Corvin").notes.titles())


async def test_endings_go_on_by_themselves(tmp_path: Path) -> None:
    async with staged(tmp_path, walking=False) as stage:
        for mystery in (SUNDIAL, CHAIR, LAMPS, HIVE):
            stage.enter("Jonas")
            await solve(stage, mystery)
            stage.leave("Jonas")
        world = stage.parts.engine.world
        places = {
            thing.name: world.things[where].name
            for thing in world.things.values()
            if (where := world.where.get(thing.id))
        }
        assert places["bright label"] == "The Garden"
        assert places["warm plate"] == "long table"
        assert places["folded order"] == "The Bee Yard"
        assert places["honeycomb"] == "straw hives"
        stage.enter("Anna", "Lantern Row")
        await stage.type("Anna", "go road")
        assert stage.where("Anna") == "The Library"
        await stage.type("Anna", "go road")
        assert stage.where("Anna") == "Lantern Row"
