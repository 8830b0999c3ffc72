from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from agents.llm.backend import Completion
from mud.world.roles import Role
from tests.houses import House, house


def _lived(home: House, count: int) -> None:
    ann = home.enter("Ann")
    for number in range(count):
        home.type(ann, f"think of the {number}. pear that Moss promised to bring to the old mill")


async def test_summaries_are_made_anew_and_shown_with_what_they_keep(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        _lived(home, 400)
        ann = home.agent("Ann")
        ann.compactor.fold_due_now()
        end, folds = ann.memory.watermark, ann.memory.compactions
        answer = await home.ask(ann, "@rebuild-summaries")
        assert not answer.failed, answer.reply
        assert answer.reply.startswith(f"The summaries of Ann are made from memories 1 to {end} (")
        assert ann.memory.longterm is not None
        assert ann.memory.recent is not None
        assert ann.memory.longterm.text in answer.reply
        assert ann.memory.recent.text in answer.reply
        assert ann.memory.compactions == folds + 1
        assert home.minds.status(ann)["depth"] == 1
        assert "manual" not in ann.memory.longterm.reason
        assert "rebuild" in (await home.ask(ann, "@memory-history")).reply


async def test_the_owner_may_name_another_and_nobody_else_may(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        answer = await home.ask(ann, "@rebuild-summaries Eliza")
        assert answer.reply == (
            "There are no summaries of Eliza to make anew; @bootstrap-summaries makes the first ones."
        )
        for line in ("@rebuild-summaries Ann", "@bootstrap-summaries Ann"):
            step = home.type(home.agent("Moss"), line, Role.AGENT)
            assert step.failed
            assert step.requests == ()


async def test_it_is_for_people_and_not_for_the_minds(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        eliza = home.agent("Eliza")
        for command in ("@rebuild-summaries", "@bootstrap-summaries"):
            step = home.type(eliza, command, Role.AGENT)
            assert (step.failed, step.requests) == (True, ())
            assert step.reply.startswith(f'There is no command "{command}".')
        ann = home.enter("Ann")
        assert "no summaries" in (await home.ask(ann, "@rebuild-summaries", Role.GUEST)).reply


async def test_a_strategy_without_summaries_says_so(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        await home.ask(ann, "@compaction strategy sliding_window")
        answer = await home.ask(ann, "@rebuild-summaries")
        assert answer.reply == "The strategy sliding_window makes no summaries."


class Slow:
    """A model that answers when it is told to."""

    def __init__(self) -> None:
        self.asked, self.go = asyncio.Event(), asyncio.Event()

    async def __call__(self, owner: str, prompt: str, profile: str) -> Completion:
        self.asked.set()
        await self.go.wait()
        return Completion("I thought of a pear that Moss promised to bring to the old mill.", 100, 20, 0.5, "slow")


async def test_a_second_request_says_how_far_it_is_and_the_end_of_the_world_cancels_it_cleanly(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        slow = Slow()
        home.minds.means = replace(home.minds.means, ask=slow)
        ann = home.enter("Ann")
        await home.ask(ann, "@compaction off")
        for number in range(200):
            home.type(ann, f"think of the {number}. pear that Moss promised to bring to the old mill")
        first = asyncio.create_task(home.ask(ann, "@bootstrap-summaries"))
        await slow.asked.wait()
        answer = await home.ask(ann, "@bootstrap-summaries")
        assert answer.reply == "The summaries of Ann are being made already: 0 of 4 parts."
        assert "under way" in (await home.ask(ann, "@compact-memories")).reply
        first.cancel()
        await home.minds.finish_folds(0.0)
        assert not ann.compactor.busy
        assert ann.memory.watermark == 0
        slow.go.set()
        answer = await home.ask(ann, "@bootstrap-summaries")
        assert "(parts: 4, model)" in answer.reply
        assert ann.memory.watermark == ann.memory.total - 64
