"""Folds that begin by themselves although nobody remembers anything new: after another, and after a pause."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.agent import Agent
from agents.compaction.engine import FIRST_PAUSE
from agents.llm.backend import Completion
from mud.world.events import Perception
from tests.houses import House, house
from tests.settings import put
from tests.unit.agents.llm.stage import HandClock, settle
from tests.vaults import copy_vault

AT = "2026-01-01T00:00:00.000Z"


class Slow:
    """A model that answers when it is told to."""

    def __init__(self) -> None:
        self.asked, self.go = 0, asyncio.Event()

    async def __call__(self, owner: str, prompt: str, profile: str) -> Completion:
        self.asked += 1
        await self.go.wait()
        return Completion("I heard how a pear fell in the garden.", 100, 20, 0.5, "slow")


def prepared(tmp_path: Path, summarizer: str) -> None:
    put(copy_vault(tmp_path), "memory_compaction", immediate_window=4, recent_window=4, summarizer=summarizer)


def live(who: Agent, count: int) -> None:
    for _ in range(count):
        number = who.memory.total + 1
        text = f"pear number {number} fell in The Garden, and nobody but the gardener took any notice of it at all"
        who.actor.perceive(number + 1000, AT, [Perception(who.id, "saw", text)])


def opened_with(home: House, model: Slow) -> Agent:
    """Return Eliza, opened anew with a model."""
    home.minds.means = replace(home.minds.means, ask=model)
    home.minds.let_go(home.agent("Eliza"))
    assert home.minds.load_definition("eliza") == []
    return home.agent("Eliza")


def by_hand(home: House, eliza: Agent) -> Coroutine[Any, Any, object]:
    return home.minds.fold(eliza)


def anew(home: House, eliza: Agent) -> Coroutine[Any, Any, object]:
    return home.minds.folds.tracked(eliza, eliza.rebuild.run("rebuild"))


@pytest.mark.parametrize("work", [by_hand, anew])
async def test_what_became_due_while_summaries_were_made_is_folded_right_after(
    tmp_path: Path, work: Callable[[House, Agent], Coroutine[Any, Any, object]]
) -> None:
    prepared(tmp_path, "model")
    async with house(tmp_path) as home:
        slow = Slow()
        eliza = opened_with(home, slow)
        live(eliza, 8)
        slow.go.set()
        await home.minds.fold(eliza)
        before = eliza.memory.watermark
        assert before
        slow.go.clear()
        slow.asked = 0
        live(eliza, 3)
        making = asyncio.ensure_future(work(home, eliza))
        await settle()
        assert slow.asked
        assert eliza.compactor.busy
        live(eliza, 12)
        slow.go.set()
        await making
        for _ in range(5):
            await settle()
        assert not eliza.compactor.due()
        assert eliza.memory.watermark >= eliza.memory.total - 8 > before


async def test_a_fold_that_failed_is_tried_again_after_its_pause_by_itself(tmp_path: Path) -> None:
    prepared(tmp_path, "extractive")
    clock = HandClock()
    async with house(tmp_path, clock) as home:
        eliza = home.agent("Eliza")
        (eliza.folder / "summaries").write_text("a file is in the way")
        live(eliza, 12)
        await settle()
        assert eliza.memory.watermark == 0
        assert any("could not be folded" in one for one in eliza.memory.warnings)
        clock.advance(FIRST_PAUSE)
        await settle()
        assert eliza.memory.watermark == 0
        (eliza.folder / "summaries").unlink()
        clock.advance(FIRST_PAUSE)
        await settle()
        assert eliza.memory.watermark == 0, "the second pause is longer"
        clock.advance(FIRST_PAUSE)
        await settle()
        assert eliza.memory.watermark > 0
        assert not any("could not be folded" in one for one in eliza.memory.warnings)


@pytest.mark.parametrize("end", ["finish", "drop", "let go"])
async def test_nobody_waits_for_a_pause_when_it_is_over_with_them(tmp_path: Path, end: str) -> None:
    prepared(tmp_path, "extractive")
    clock = HandClock()
    async with house(tmp_path, clock) as home:
        eliza = home.agent("Eliza")
        (eliza.folder / "summaries").write_text("a file is in the way")
        live(eliza, 12)
        await settle()
        if end == "finish":
            await home.minds.finish_folds(0)
        elif end == "drop":
            await home.minds.drop_folds("eliza")
        else:
            home.minds.let_go(eliza)
        (eliza.folder / "summaries").unlink()
        clock.advance(10 * FIRST_PAUSE)
        await settle()
        assert eliza.memory.watermark == 0


async def test_one_may_wait_until_no_fold_is_under_way(tmp_path: Path) -> None:
    prepared(tmp_path, "extractive")
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        live(eliza, 30)
        await home.minds.folds.settle()
        assert eliza.memory.compactions > 1
        assert not eliza.compactor.due()
        await home.minds.folds.settle()  # and none is under way now
