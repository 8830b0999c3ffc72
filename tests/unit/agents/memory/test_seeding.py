"""Hand-written memories in a whole vault: at the start, while it runs, and beside what the ledger gives back."""

from __future__ import annotations

import shutil
from pathlib import Path

from agents.agent import Agent
from mud.clock import VirtualClock
from mud.server.bulk import newcomer
from mud.server.reloading import Reloading
from mud.server.wiring import opened
from tests.houses import House, house, texts_of
from tests.vaults import copy_vault

AGENT = """---
location: "[[The Library]]"
brain: instinct
voice: moss
---
# Wren

## Description
Quick.

## Profile
You are quick.
"""


def seeded(vault: Path, slug: str, *texts: str) -> None:
    """Write memories by hand."""
    folder = vault / "agents" / slug / "memories"
    folder.mkdir(parents=True, exist_ok=True)
    for number, text in enumerate(texts, 1):
        (folder / f"{number:02d}.md").write_text(text, encoding="utf-8")


def wren(home: House) -> Agent:
    return home.agent("Wren")


async def test_a_life_begins_with_what_was_written_for_it_and_only_once(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    seeded(vault, "eliza", "I was born by the sea.", "I promised Moss 7 pears.")
    for _ in range(2):
        async with house(tmp_path) as home:
            eliza = home.agent("Eliza")
            assert texts_of(eliza)[:2] == ["I was born by the sea.", "I promised Moss 7 pears."]
            assert texts_of(eliza).count("I was born by the sea.") == 1
            await home.minds.catch_up(eliza)
            hits, _ = await home.minds.search(eliza, "born by the sea", 3)
            assert hits[0].seq == 1
            home.type(eliza, "think of the tide")


async def test_what_the_ledger_gives_back_is_neither_lost_nor_doubled_beside_them(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        home.type(home.enter("Ann", home.engine.world.location_of(eliza.id).name), "say Good morning.")  # type: ignore[union-attr]
        lived = texts_of(eliza)
        assert len(lived) >= 2
    shutil.rmtree(vault / "agents/eliza/archive")  # nothing was saved, so the ledger has it all
    seeded(vault, "eliza", "I was born by the sea.")
    for _ in range(2):
        async with house(tmp_path) as home:
            found = texts_of(home.agent("Eliza"))
            assert found.count("I was born by the sea.") == 1
            assert [text for text in found if text in lived] == lived


async def test_somebody_dropped_in_brings_them_along_and_later_ones_are_taken_up_while_it_runs(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        reloading = Reloading(home.parts, lambda text: told.append(text))
        told: list[str] = []
        try:
            vault = home.parts.vault
            seeded(vault, "wren", "I was born by the sea.")
            (vault / "agents/wren/agent.md").write_text(AGENT, encoding="utf-8")
            reloading.changed(frozenset({vault / "agents/wren/agent.md"}))
            assert texts_of(wren(home))[0] == "I was born by the sea."
            late, bad = vault / "agents/wren/memories/09.md", vault / "agents/wren/memories/10.md"
            late.write_text("The tide came in.", encoding="utf-8")
            bad.write_text("---\nkind: sung\n---\nLa.\n", encoding="utf-8")
            reloading.changed(frozenset({late, bad}))
            assert texts_of(wren(home)).count("The tide came in.") == 1
            assert any("agents/wren/memories/10.md:2" in text for text in told)
            reloading.changed(frozenset({late}))
            assert texts_of(wren(home)).count("The tide came in.") == 1
        finally:
            await reloading.stop()


def test_a_bad_file_is_a_problem_of_the_vault_for_a_reader_too_and_keeps_nobody_out(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    seeded(vault, "eliza", "---\nkind: sung\n---\nLa.\n", "All is well.")
    for writable in (False, True):
        with opened(vault, clock=VirtualClock(), writable=writable) as parts:
            (problem,) = parts.problems
            assert str(problem).startswith("agents/eliza/memories/01.md:2: kind: there is no kind 'sung'")
            assert texts_of(parts.minds.get("Eliza")) == (["All is well."] if writable else [])


def test_an_agent_that_is_made_takes_up_the_folder_in_which_memories_wait_for_it(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    seeded(vault, "wren", "I was born by the sea.")
    with opened(vault, clock=VirtualClock(), writable=True) as parts:
        agent = newcomer(parts, "Wren", location="The Garden")
        assert (agent.slug, texts_of(agent)) == ("wren", ["I was born by the sea."])
