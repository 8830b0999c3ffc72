"""Thirty facts told among much other talk, and asked for in other words: real vectors, real worlds."""

from __future__ import annotations

import random
import re
import time
from pathlib import Path

import pytest

from mud.server.wiring import RealClock
from tests.houses import house
from tests.live import thirty_facts
from tests.processes import Running
from tests.vaults import copy_vault

PATIENCE = 120.0
"""Seconds that a loaded machine gets for two thousand vectors; they take ten."""
BY_WORDS = "by its words everything was searched"
"""What an answer says that the vectors had no part in."""
ENOUGH = 24
"""Facts of the thirty that must be among the first five hits."""


async def test_an_agent_finds_what_it_was_told_among_much_else_when_asked_in_other_words(tmp_path: Path) -> None:
    async with house(tmp_path, RealClock()) as home:
        ann, eliza = home.enter("Ann"), home.agent("Eliza")
        await home.parts.recall.start()
        for agent in (ann, eliza):
            await home.minds.catch_up(agent)
        for line in thirty_facts.lines(random.Random(1), 600):
            step = home.type(ann, f"say {line}")
            assert not step.failed
        assert await home.parts.recall.complete()
        missed = []
        for fact in thirty_facts.FACTS:
            hits, behind = await home.parts.recall.search(eliza.id, fact.asked, 5)
            assert not behind
            if not any(fact.told in hit.text for hit in hits):
                missed.append(fact.asked)
        assert len(thirty_facts.FACTS) - len(missed) >= ENOUGH, missed


@pytest.mark.torture
def test_whoever_told_them_finds_them_by_typing_recall(tmp_path: Path) -> None:
    world = Running(copy_vault(tmp_path), "--no-agents", "--as", "Ann")
    try:
        for line in thirty_facts.lines(random.Random(2)):
            world.type(f"say {line}")
        deadline, words, meaning = time.monotonic() + PATIENCE, "1", "0"
        while words != meaning:
            assert time.monotonic() < deadline, "the vectors do not come"
            words, meaning = re.findall(r"up to (\w+)", world.say("@memory-status full", "  Index")[-1])
        found = 0
        for number, fact in enumerate(thirty_facts.FACTS):
            shown = [BY_WORDS]
            while any(BY_WORDS in line for line in shown):  # a busy child that does not answer in time says nothing
                assert time.monotonic() < deadline, "the vectors do not answer"
                world.type(f"recall {fact.asked}")
                shown = world.say(f"say that was {number}", f"that was {number}")
            found += any(f'"{fact.told}"' in line and "You say" in line for line in shown)
    finally:
        world.kill()
    assert found >= ENOUGH
