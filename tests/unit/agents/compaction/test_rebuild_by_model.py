from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from agents.compaction.rebuild import BOOTSTRAP
from agents.compaction.settings import CompactionSettings
from agents.llm.backend import Completion
from mud.errors import Unavailable
from tests.lives import Life, reply
from tests.rebuilds import rebuilding, rebuilt


def _model(answer: Callable[[int], str | Exception]) -> tuple[Callable[..., object], list[str]]:
    prompts: list[str] = []

    async def ask(prompt: str, profile: str) -> Completion:
        prompts.append(prompt)
        found = answer(len(prompts))
        if isinstance(found, Exception):
            raise found
        return reply(found)

    return ask, prompts


def test_a_model_writes_every_part_and_parts_put_together_count_as_made_from_memories(tmp_path: Path) -> None:
    life = Life(tmp_path / "wren", settings=CompactionSettings(auto_enabled=False))
    life.live(330)
    life.model, prompts = _model(lambda number: "Moss told me in The Library that the wind had turned again.")
    life.start()
    made = rebuilt(life, BOOTSTRAP)
    assert made.rejected == ()
    assert all(one.method == "model" and one.depth == 1 for one in made.made)
    assert len(prompts) == made.parts
    assert made.longterm is not None
    assert made.longterm.tokens["prompt"] == 100 * (made.parts - 1)


def test_a_model_that_does_not_answer_is_asked_once_and_rules_write_the_rest(tmp_path: Path) -> None:
    life = Life(tmp_path / "wren", settings=CompactionSettings(auto_enabled=False))
    life.live(330)
    life.model, prompts = _model(lambda number: Unavailable("nobody is at home"))
    life.start()
    made = rebuilt(life, BOOTSTRAP)
    assert len(prompts) == 1
    assert all(one.method == "extractive" for one in made.made)
    assert "nobody is at home" in made.rejected[0]
    assert any("nobody is at home" in warning for warning in life.memory.warnings)


def test_a_rebuild_that_is_cancelled_keeps_what_the_model_wrote(tmp_path: Path) -> None:
    life = Life(tmp_path / "wren", settings=CompactionSettings(auto_enabled=False))
    life.live(330)

    async def cut_short() -> None:
        reached = asyncio.Event()
        count = 0

        async def ask(prompt: str, profile: str) -> Completion:
            nonlocal count
            count += 1
            if count == 4:
                reached.set()
                await asyncio.Event().wait()
            return reply("Moss told me in The Library that the wind had turned again.")

        life.model = ask
        life.start()
        task = asyncio.create_task(rebuilding(life).run(BOOTSTRAP))
        await reached.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cut_short())
    assert not life.compactor.busy
    assert life.memory.watermark == 0
    life.model, _ = _model(lambda number: "Moss told me in The Library that the wind had turned again.")
    life.start()
    assert rebuilt(life, BOOTSTRAP).kept == 3
