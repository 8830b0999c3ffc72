"""What is new draws an agent, and what it knows does not hold it."""

from __future__ import annotations

import pytest

from tests.unit.agents.brains.stage import Stage

EXITS = {
    "The Garden": {"east": "The Lobby", "gate": "The Towpath"},
    "The Lobby": {"west": "The Garden", "up": "The Loft"},
    "The Loft": {"down": "The Lobby"},
    "The Towpath": {"gate": "The Garden"},
}
SEEDS = (1, 2)


def stage_with(seed: int) -> Stage:
    stage = Stage(seed, EXITS)
    stage.mind("Eliza")
    return stage


@pytest.mark.parametrize("seed", SEEDS)
def test_every_location_is_visited_and_everything_looked_at_once(seed: int) -> None:
    stage = stage_with(seed)
    stage.items = {"The Loft": ("gilt hand",), "The Towpath": ("milestone",)}
    stage.run(1500)
    assert {one.words for one in stage.done if one.verb == "examine"} == {"gilt hand", "milestone"}
    assert len([one for one in stage.done if one.verb == "examine"]) == 2


@pytest.mark.parametrize(
    ("before", "after", "key"),
    [((), ("lantern",), "new"), (("lantern",), (), "gone")],
)
@pytest.mark.parametrize("company", [False, True])
def test_what_came_or_went_meanwhile_is_noticed_once(
    before: tuple[str, ...], after: tuple[str, ...], key: str, company: bool
) -> None:
    stage = stage_with(1)
    stage.items = {"The Garden": before}
    stage.run(40)
    stage.where["Eliza"] = "The Towpath"
    stage.think("Eliza")
    stage.items = {"The Garden": after}
    stage.where["Eliza"] = "The Garden"
    if company:
        stage.enter("Anna")
    texts = []
    for _ in range(30):
        stage.seconds += 8
        stage.where["Eliza"] = "The Garden"
        texts.append(stage.think("Eliza").text)
    assert sum(text in (f"talk.{key}", f"think.{key}") for text in texts) == 1


def test_a_location_that_looks_otherwise_is_noticed_with_what_is_new_of_it() -> None:
    stage = stage_with(2)
    stage.run(8)
    stage.where["Eliza"] = "The Garden"
    stage.think("Eliza")
    stage.looks["The Garden"] = "This is The Garden. A wall has fallen in the night."
    found = []
    for _ in range(30):
        stage.seconds += 8
        stage.where["Eliza"] = "The Garden"
        found.append(stage.think("Eliza"))
    told = [one for one in found if one.text in ("talk.changed", "think.changed")]
    assert len(told) == 1
    assert "A wall has fallen" in (told[0].line or "")
