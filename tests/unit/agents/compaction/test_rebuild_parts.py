from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.compaction.rebuild import BOOTSTRAP, CHUNK, FILE, steps_of
from agents.compaction.settings import CompactionSettings
from agents.llm.backend import Completion
from mud.errors import Unavailable
from tests.lives import Life, PowerCut, reply
from tests.rebuilds import rebuilding, rebuilt, tiles, unfolded


@given(through=st.integers(1, 5000), window=st.integers(1, 500), rolling=st.booleans(), back=st.integers(0, 300))
def test_parts_lie_one_behind_the_other_and_end_where_they_should(
    through: int, window: int, rolling: bool, back: int
) -> None:
    recent = (through - back, through) if back < through else None
    steps = steps_of(through, recent, min(window, CHUNK), rolling=rolling)
    read = [step.entries for step in steps if step.entries]
    assert read[0][0] == 1
    assert read[-1][1] == through
    assert all(after[0] == before[1] + 1 for before, after in pairwise(read))
    assert all(last - first < CHUNK for first, last in read)
    longterm = [step.covers for step in steps if step.tier == "longterm"]
    recent_from = steps[-1].covers[0] if steps[-1].tier == "recent" else through + 1
    assert (longterm[-1] if longterm else (1, 0)) == (1, recent_from - 1)


def test_parts_made_under_other_settings_are_made_again(tmp_path: Path) -> None:
    life = Life(tmp_path / "wren", settings=unfolded("waterfall"))
    life.live(330)
    life.disk.cut_after(3)
    with pytest.raises(PowerCut):
        rebuilt(life, BOOTSTRAP)
    life.disk.cut = 0
    life.start()
    life.set(max_recent_sentences=2)
    assert rebuilt(life, BOOTSTRAP).kept == 0


def test_a_file_of_parts_that_a_hand_broke_is_made_again_where_it_is_broken(tmp_path: Path) -> None:
    life = Life(tmp_path / "wren", settings=unfolded("waterfall"))
    life.live(330)
    life.disk.cut_after(4)
    with pytest.raises(PowerCut):
        rebuilt(life, BOOTSTRAP)
    life.disk.cut = 0
    life.start()
    file = life.folder / "summaries" / FILE
    lines = file.read_text().splitlines()
    file.write_text("\n".join([lines[0], '{"covers": 7}', *lines[2:], '{"tier": "recent"}', ""]))
    assert rebuilt(life, BOOTSTRAP).kept == len(lines) - 2
    assert tiles(life)


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
