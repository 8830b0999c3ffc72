from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from agents.compaction.status import coverage, holes
from agents.compaction.view import KIND, MaskLog
from agents.memory.memory import View
from agents.mind.character_memory import CharacterMemory, trash_of
from mud.clock import VirtualClock
from mud.errors import Unavailable
from mud.world.events import Perception
from tests import lives
from tests.houses import House, house
from tests.lives import Disk, heard, waiting_model

AT = "2026-11-20T07:21:37.123Z"
LOOK = "The Library\n" + "Dust turns in a blade of light. " * 10


def made(folder: Path, **changes: int | str) -> tuple[lives.Life, CharacterMemory]:
    """Return what a life is made of, and the life."""
    parts = lives.Life(folder / "agents" / "wren", Disk())
    parts.set(**changes)
    masks = MaskLog(parts.compactor.view, parts.clock)
    return parts, CharacterMemory(parts.memory, parts.compactor, masks, parts.clock)


def tiles(life: CharacterMemory, total: int) -> bool:
    return holes(coverage(life.context()), total) == ([], [])


def test_what_is_appended_is_in_the_context_in_order(tmp_path: Path) -> None:
    _, life = made(tmp_path)
    assert life.is_empty
    assert [entry.seq for entry in life.append([heard("one"), heard("two")], AT, 1)] == [1, 2]
    assert not life.is_empty
    assert [entry.seq for entry in life.context().tail] == [1, 2]
    assert [entry.seq for entry in life.context(1).tail] == [2]


def test_a_turn_masks_first_and_folds_what_is_due_then(tmp_path: Path) -> None:
    parts, life = made(tmp_path, strategy="hybrid", mask_keep=2, mask_block=3, mask_chars=80)
    for number in range(1, 60):
        told = Perception("#1", KIND, LOOK, None, "The Library") if number % 2 else Perception("#1", "did", "You sit.")
        life.append([told], AT, number)
        life.next_turn()
        assert tiles(life, number)
    events = [json.loads(line) for line in (parts.folder / "archive/0000000001.jsonl").read_text().splitlines()]
    names = [line["event"] for line in events if "event" in line]
    assert names.count("auto_compact") == len(parts.commits) >= 1
    assert names[0] == "micro_compact"


def test_a_life_in_memory_waits_out_a_full_disk_and_is_not_empty(tmp_path: Path) -> None:
    parts, life = made(tmp_path)
    parts.disk.full = True
    assert life.append([heard("one")], AT, 1) == []
    assert not life.is_empty
    life.next_turn()
    assert [entry.text for entry in life.context().tail] == ['Moss says, "one"']


def test_masks_that_cannot_be_counted_leave_the_turn_and_the_originals(tmp_path: Path) -> None:
    parts, life = made(tmp_path, strategy="masking", mask_keep=0, mask_block=1)
    life.append([Perception("#1", KIND, LOOK, None, "The Library")] * 70, AT, 1)
    (parts.folder / "archive/0000000001.jsonl").rename(tmp_path / "away")  # what is not in RAM cannot be read
    life.next_turn()
    assert any("masked results could not be written down" in text for text in parts.memory.warnings)
    (tmp_path / "away").rename(parts.folder / "archive/0000000001.jsonl")
    life.next_turn()
    assert not any("masked results" in text for text in parts.memory.warnings)
    assert len(life.context().tail) == 70


async def test_a_forced_fold_says_what_it_folded_and_a_second_one_folds_nothing(tmp_path: Path) -> None:
    parts, life = made(tmp_path)
    life.append([heard(f"word {number}") for number in range(100)], AT, 1)
    commit = await life.compact("manual")
    assert commit is not None
    assert (commit.first, commit.last, commit.reason) == (1, 36, "manual")
    assert await life.compact("manual") is None
    assert "nothing is older" in parts.compactor.notice


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_clearing_puts_a_life_into_the_trash_whole_and_begins_anew(tmp_path: Path) -> None:
    parts, life = made(tmp_path)
    parts.live(200)
    (parts.folder / "agent.md").write_text("# Wren\n")
    before = everything(parts.folder)
    trash = life.clear()
    assert trash == tmp_path / ".trash" / f"wren-{parts.clock.now():%Y%m%d-%H%M%S}"
    assert everything(parts.folder) == {"agent.md": before.pop("agent.md")}
    assert everything(trash) == before
    assert life.is_empty
    assert life.context() == View(None, None, ())
    assert [entry.seq for entry in life.append([heard("anew")], AT, 1)] == [1]
    assert life.clear() != trash
    assert len(list((tmp_path / ".trash").iterdir())) == 2


def test_a_life_that_was_cleared_comes_back_when_its_files_are_moved_back(tmp_path: Path) -> None:
    parts, life = made(tmp_path)
    parts.live(200)
    view = life.context()
    trash = life.clear()
    assert trash is not None
    parts.memory.close()
    for part in trash.iterdir():
        part.rename(parts.folder / part.name)
    parts.start()
    assert parts.memory.view() == view


def test_a_life_that_begins_anew_is_measured_anew(tmp_path: Path) -> None:
    parts, life = made(tmp_path, strategy="hybrid", mask_keep=0, mask_block=1)
    view = parts.compactor.view
    long = Perception("#1", KIND, "word " * 400, None, "The Library")
    life.append([long] * 100, AT, 1)
    (parts.folder / "summaries").write_text("a file is in the way of a fold")
    life.next_turn()
    assert parts.compactor.pause
    assert view.tokens()
    assert life.clear() is not None
    assert (parts.compactor.pause, parts.compactor.notice, parts.compactor.skipped) == (0.0, "", 0)
    life.append([heard("tiny")] * 101, AT, 1)
    assert view.tokens() == sum(-(-len(entry.text) // 4) for entry in life.context().tail) < 1000
    life.next_turn()
    lines = "".join(path.read_text() for path in parts.folder.glob("archive/*.jsonl"))
    assert "micro_compact" not in lines


def test_clearing_nothing_does_nothing(tmp_path: Path) -> None:
    _, life = made(tmp_path)
    assert life.clear() is None
    assert not (tmp_path / ".trash").exists()


def test_a_life_is_not_cleared_while_something_of_it_would_be_lost(tmp_path: Path) -> None:
    parts, life = made(tmp_path)
    parts.live(3)
    parts.disk.full = True
    parts.live(1)
    with pytest.raises(Unavailable, match="cannot be written"):
        life.clear()
    parts.disk.full = False
    assert life.clear() is not None
    parts.live(2)
    (tmp_path / ".trash").rename(tmp_path / "elsewhere")
    (tmp_path / ".trash").write_text("a file is in the way")
    with pytest.raises(Unavailable, match="cannot be put away"):
        life.clear()
    assert len(life.context().tail) == 2
    parts.live(1)
    assert parts.memory.total == 3


def test_a_life_is_not_cleared_while_it_is_folded(tmp_path: Path) -> None:
    parts = lives.Life(tmp_path / "agents" / "wren", model=waiting_model)
    life = CharacterMemory(parts.memory, parts.compactor, MaskLog(parts.compactor.view, parts.clock), parts.clock)
    life.append([heard(f"word {number}") for number in range(129)], AT, 1)
    fold = parts.compactor.fold_due()
    fold.send(None)
    with pytest.raises(Unavailable, match="being folded"):
        life.clear()
    fold.close()
    assert life.clear() is not None


def test_a_name_in_the_trash_is_never_taken_twice(tmp_path: Path) -> None:
    folder, now = tmp_path / "agents" / "wren", VirtualClock().now()
    names = []
    for _ in range(3):
        names.append(trash_of(folder, now))
        names[-1].mkdir(parents=True)
    assert [name.name.removeprefix(names[0].name) for name in names] == ["", "-2", "-3"]


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
        shown = [entry for entry in ann.life.context().tail if entry.kind == KIND]
        whole = ann.memory.read(1, 1)[0].text
        assert [entry.text == whole for entry in shown] == [False, False, True, True]
        mark = shown[0].text.rpartition(" ")[2].removesuffix("]")
        answer = await home.ask(ann, f"@archive {mark}")
        assert whole.splitlines()[1] in answer.reply
        assert "2 old results shown in short, ann#1-3" in (await home.ask(ann, "@memory-history")).reply
        await asyncio.sleep(0)
