from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agents.memory.archive import Archive
from mud.world.events import Perception
from mud.world.roles import Role
from tests.houses import House, house


def _think(home: House, count: int) -> None:
    ann = home.enter("Ann")
    for number in range(1, count + 1):
        home.type(ann, f"think of pear {number}")


async def test_the_newest_page_is_shown_with_the_way_to_what_was_before(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        _think(home, 120)
        ann = home.agent("Ann")
        lines = (await home.ask(ann, "@memory-history")).reply.splitlines()
        assert lines[0] == "Ann: memories 101 to 120 of 120, page 3 of 3."
        assert len(lines) == 22
        assert lines[-1] == "What was before: @memory-history ann 2"
        assert (await home.ask(ann, "@memory-history ann 1")).reply.count("of pear") == 50


async def test_every_memory_is_on_one_page_whatever_was_folded(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        _think(home, 120)
        ann = home.agent("Ann")
        await home.ask(ann, "@compact-memories")
        pages = [(await home.ask(ann, f"@memory-history {page}")).reply for page in (1, 2, 3)]
        seen = [int(line.split(".")[0]) for page in pages for line in page.splitlines() if line[2:3].isdigit()]
        assert seen == list(range(1, 121))
        folds = [line for page in pages for line in page.splitlines() if "manual_compact" in line]
        assert len(folds) == 1
        assert "ann#1-56 folded; now recent ann#1-56" in folds[0]
        assert pages[2].splitlines()[-2] == folds[0], "it stands behind the memory after which it happened"


async def test_what_waits_for_the_archive_is_part_of_the_life_and_says_so(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        _think(home, 3)
        ann = home.agent("Ann")
        folder = ann.folder / "archive"
        folder.rename(tmp_path / "away")
        folder.write_text("a file is in the way")
        ann.memory.close()  # the next write opens the file anew
        ann.memory.append([Perception(ann.id, "thought", "You think of a full disk")], "2026-11-20T07:21:37.123Z", 9)
        assert ann.memory.waiting == 1
        folder.unlink()
        (tmp_path / "away").rename(folder)
        shown = (await home.ask(ann, "@memory-history")).reply
        assert shown.splitlines()[-1].endswith("You think of a full disk (it waits: the archive cannot be written)")
        assert "memories 1 to 4 of 4" in shown
        assert "full disk" in (await home.ask(ann, "@archive 4")).reply


async def test_lines_that_are_no_memories_are_shown_as_what_they_are(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        _think(home, 2)
        home.agent("Ann").memory.close()
        archive = Archive(tmp_path / "vault/agents/ann/archive")
        archive.open(writable=True)
        archive.append_event({"event": "import", "at": "2026-11-20T07:21:37.123Z", "covers": {"first": 1, "last": 2}})
        archive.append_event({"event": "odd", "covers": "nothing"})
        archive.close()
        lines = (await home.ask(home.agent("Ann"), "@memory-history")).reply.splitlines()
        then = datetime(2026, 11, 20, 7, 21, tzinfo=UTC).astimezone()
        assert lines[-2:] == [f"  -- {then:%a} {then.day} {then:%b %H:%M} import: ann#1-2", "  -- ? odd"]


async def test_times_are_those_of_peoples_clocks(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        now = home.parts.clock.now().astimezone()
        _think(home, 70)
        ann = home.agent("Ann")
        await home.minds.fold(ann, "manual")
        lines = "\n".join([(await home.ask(ann, f"@memory-history {page}")).reply for page in (1, 2)]).splitlines()
        assert lines[1].startswith(f"  1. {now:%a} {now.day} {now:%b %H:%M}, The Garden (thought): You think")
        (fold,) = [line for line in lines if "manual_compact" in line]
        assert re.match(rf"  -- {now:%a} {now.day} {now:%b} \d\d:\d\d manual_compact: ann#1-6 folded", fold)


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("Ann 2", "There is no page 2; the last one of Ann is 1."),
        ("0", "There is no page 0; the last one of Ann is 1."),
        ("moss", "Moss has no memories yet."),
        ("Nobody 3", 'Nobody called "Nobody" has a mind here. (there is: Corvin, Eliza, Moss and Tamsin)'),
    ],
)
async def test_a_page_or_a_mind_that_there_is_not_is_said_plainly(tmp_path: Path, typed: str, told: str) -> None:
    async with house(tmp_path) as home:
        _think(home, 2)
        answer = await home.ask(home.agent("Ann"), f"@memory-history {typed}")
        assert answer.failed
        assert answer.reply == told


async def test_anothers_history_is_for_the_owner_alone(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        _think(home, 2)
        ann = home.agent("Ann")
        refused = await home.ask(ann, "@memory-history Eliza", Role.GUEST)
        assert refused.reply == "Only the owner of this world may look into another's mind."
        assert "of pear 2" in (await home.ask(ann, "@memory-history 1", Role.GUEST)).reply
