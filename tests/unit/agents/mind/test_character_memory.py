from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from agents.agent import CharacterMemory
from agents.compaction.status import coverage, holes
from agents.compaction.view import KIND, MaskLog
from mud.world.events import Perception
from tests import lives
from tests.houses import House, house
from tests.lives import Disk, heard

AT = "2026-11-20T07:21:37.123Z"
LOOK = "The Library\n" + "Dust turns in a blade of light. " * 10


def made(folder: Path, **changes: int | str) -> tuple[lives.Life, CharacterMemory]:
    """Return what a life is made of, and the life."""
    parts = lives.Life(folder / "agents" / "wren", Disk())
    parts.set(**changes)
    masks = MaskLog(parts.compactor.view, parts.clock)
    return parts, CharacterMemory(parts.memory, parts.compactor, masks, parts.compactor.fold_due_now)


def tiles(parts: lives.Life, total: int) -> bool:
    return holes(coverage(parts.compactor.view.shown()), total) == ([], [])


def test_a_turn_masks_first_and_folds_what_is_due_then(tmp_path: Path) -> None:
    parts, life = made(tmp_path, strategy="hybrid", mask_keep=2, mask_block=3, mask_chars=80)
    for number in range(1, 60):
        told = Perception("#1", KIND, LOOK, None, "The Library") if number % 2 else Perception("#1", "did", "You sit.")
        parts.memory.append([told], AT, number)
        life.next_turn()
        assert tiles(parts, number)
    events = [json.loads(line) for line in (parts.folder / "archive/0000000001.jsonl").read_text().splitlines()]
    names = [line["event"] for line in events if "event" in line]
    assert names.count("auto_compact") == len(parts.commits) >= 1
    assert names[0] == "micro_compact"


def test_a_life_in_memory_waits_out_a_full_disk(tmp_path: Path) -> None:
    parts, life = made(tmp_path)
    parts.disk.full = True
    assert parts.memory.append([heard("one")], AT, 1) == []
    life.next_turn()
    assert [entry.text for entry in parts.compactor.view.shown().tail] == ['Moss says, "one"']


def test_masks_that_cannot_be_counted_leave_the_turn_and_the_originals(tmp_path: Path) -> None:
    parts, life = made(tmp_path, strategy="masking", mask_keep=0, mask_block=1)
    parts.memory.append([Perception("#1", KIND, LOOK, None, "The Library")] * 70, AT, 1)
    (parts.folder / "archive/0000000001.jsonl").rename(tmp_path / "away")  # what is not in RAM cannot be read
    life.next_turn()
    assert any("masked results could not be written down" in text for text in parts.memory.warnings)
    (tmp_path / "away").rename(parts.folder / "archive/0000000001.jsonl")
    life.next_turn()
    assert not any("masked results" in text for text in parts.memory.warnings)
    assert len(parts.compactor.view.shown().tail) == 70


@asynccontextmanager
async def _masking(tmp_path: Path) -> AsyncIterator[House]:
    async with house(tmp_path) as home:
        config = home.parts.vault / "config/memory_compaction.md"
        text = config.read_text(encoding="utf-8")
        for old, new in (
            ("**strategy**: waterfall", "**strategy**: masking"),
            ("**mask_keep**: 10", "**mask_keep**: 1"),
        ):
            assert old in text
            text = text.replace(old, new)
        config.write_text(text.replace("**mask_block**: 5", "**mask_block**: 2"), encoding="utf-8")
        assert home.parts.configuration.load() == []
        yield home


async def test_in_the_world_old_looks_are_masked_and_their_reference_shows_them_whole(tmp_path: Path) -> None:
    async with _masking(tmp_path) as home:
        ann = home.enter("Ann")
        for number in range(4):
            home.type(ann, "look")
            home.type(ann, f"say {number}")
        shown = [entry for entry in ann.compactor.view.shown().tail if entry.kind == KIND]
        whole = ann.memory.read(1, 1)[0].text
        assert [entry.text == whole for entry in shown] == [False, False, True, True]
        mark = shown[0].text.rpartition(" ")[2].removesuffix("]")
        answer = await home.ask(ann, f"@archive {mark}")
        assert whole.splitlines()[1] in answer.reply
        assert "2 old results shown in short, ann#1-3" in (await home.ask(ann, "@memory-history")).reply
        await asyncio.sleep(0)
