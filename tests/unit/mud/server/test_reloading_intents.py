"""Intents and word lists are taken up while the world runs, and their mistakes are told as `check` tells them."""

from __future__ import annotations

from pathlib import Path

from agents.brains.instinct.meaning import Names
from mud.server.checks import check_vault
from mud.server.wiring import opened
from tests.unit.mud.server.stage import Edited, edited
from tests.vaults import copy_vault

NAMES = Names("Eliza")
JOKE = "instinct/intents/joke.md"


def read(on: Edited, said: str) -> str:
    return on.home.parts.interpreter.get().read(said, NAMES).intent


async def test_a_running_world_takes_up_an_edited_intent(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        assert read(on, "Tickle my ribs.") != "joke"
        on.replace(JOKE, "## Patterns\n\n", "## Patterns\n\n- tickle my ribs\n")
        assert read(on, "Tickle my ribs.") == "joke"
        on.write("instinct/intents/quarrel.md", "---\ntype: intent\n---\n# Quarrel\n\n## Patterns\n\n- have at you\n")
        assert read(on, "Have at you!") == "quarrel"
        assert on.told == []


async def test_a_mistake_in_an_intent_changes_nothing_and_is_told_once(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        before = on.home.parts.interpreter.get().read("Tell me a joke.", NAMES)
        on.replace(JOKE, "## Patterns\n\n", "## Patterns\n\n- tell (me a joke\n")
        (told,) = on.told
        assert f"{JOKE}:10: tell (me a joke: a bracket is not closed; expected )" in told
        assert on.home.parts.interpreter.get().read("Tell me a joke.", NAMES) == before
        on.told.clear()
        on.replace(JOKE, "- tell (me a joke\n", "- tell (me|us) a pun\n")
        assert on.told == [f"(the vault) nothing is wrong in {JOKE} any more"]
        assert read(on, "Tell us a pun!") == "joke"


async def test_an_empty_intent_is_an_edit_in_progress(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        on.write(JOKE, "")
        assert read(on, "Tell me a joke.") == "joke"


async def test_check_and_reload_name_the_same_mistakes(tmp_path: Path) -> None:
    async with edited(tmp_path) as on:
        on.replace(JOKE, "wants: nothing", "wants: nuthing")
        on.replace("instinct/words/words.md", "## stop", "## stpo")
        problems = [one for one in on.reloading.everything() if one.file.startswith("instinct/")]
        assert [str(one).partition(": ")[0] for one in problems] == [f"{JOKE}:3", "instinct/words/words.md:6"]
        assert problems == [one for one in check_vault(on.vault) if one.file.startswith("instinct/")]


def test_a_vault_without_intents_reads_with_those_that_came_with_the_program(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    for path in sorted((vault / "instinct").rglob("*.md")):
        path.unlink()
    with opened(vault, writable=True) as parts:
        assert parts.interpreter.get().read("Tell me a joke.", NAMES).intent == "joke"
