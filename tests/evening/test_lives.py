"""Agents with a goal, a friend and an enemy, in the real world and without a model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.evening.stage import staged


@pytest.mark.parametrize("seed", [1, 2])
async def test_the_lamplighter_finds_the_glass_takes_it_and_says_so_once(tmp_path: Path, seed: int) -> None:
    async with staged(tmp_path, seed) as stage:
        corvin = stage.mind("Corvin")
        corvin.definition = replace(corvin.definition, goal="Get the lamp glass.")
        await stage.live(3600)
        lines = [line for _, who, line in stage.spoken if who == "Corvin"]
        assert lines.count("take lamp glass") + sum(line.startswith("take lamp glass |") for line in lines) == 1
        assert sum(line.startswith("note Goal, the lamp glass -> ") for line in lines) == 1
        assert len([item for item in stage.parts.engine.world.items(corvin.id) if item.name == "lamp glass"]) == 1
        before = len(stage.spoken)
        await stage.live(1200)
        assert not [line for _, who, line in stage.spoken[before:] if who == "Corvin" and "looking for" in line]


async def test_who_promised_what_and_who_was_rude_is_told_with_their_own_words(tmp_path: Path) -> None:
    async with staged(tmp_path, 3, walking=False) as stage:
        for person in ("Anna", "Bea"):
            stage.enter(person)
        await stage.live(20)
        await stage.type("Anna", "say Eliza, I promise to bring you a jar of honey tomorrow.")
        await stage.type("Bea", "say Eliza, you are stupid and useless.")
        await stage.type("Anna", "whisper Eliza I promise to show you my grave.")
        (promise,) = await stage.type("Bea", "say Eliza, what did Anna promise?")
        assert "honey" in promise
        assert "grave" not in promise
        (rude,) = await stage.type("Anna", "say Eliza, who was rude to you?")
        assert "Bea" in rude
        assert "stupid" in rude
        await stage.type("Anna", "say Eliza, here is the honey, as I promised.")
        (kept,) = await stage.type("Bea", "say Eliza, did Anna keep her promise?")
        assert "jar of honey" in kept
        assert not any("grave" in line for line in stage.script if " -> Bea: " in line)
