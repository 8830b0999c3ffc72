"""A fold that somebody asks for when there is little to fold: it joins the recent summary, or says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.compaction.due import next_at
from agents.compaction.settings import CompactionSettings
from agents.compaction.status import status
from agents.llm.backend import Completion
from mud.errors import Unavailable
from tests.lives import Life, reply, waiting_model
from tests.unit.agents.compaction.test_compactor import events

MODEL = "I sat in the Library with Moss, who spoke of the wind for the 36. time."


async def fold(life: Life) -> tuple[int, int] | None:
    """Fold by rules, and return what the recent summary covers then; None when nothing was folded."""
    commit = await life.compactor.fold_now()
    assert commit is None or commit.recent is not None
    return commit.recent.covers if commit is not None and commit.recent is not None else None


def tiles(life: Life) -> bool:
    found = status(life.compactor.view)
    return not found["gaps"] and not found["overlaps"]


async def test_a_little_joins_the_recent_summary_of_a_life_as_long_as_both_fit_into_its_window(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(100)
    assert await fold(life) == (1, 36)
    for total, covers in ((101, (1, 37)), (110, (1, 46)), (128, (1, 64))):
        life.live(total - life.memory.total)
        assert await fold(life) == covers
        assert life.memory.longterm is None
        assert tiles(life)
        life.start()
        assert life.memory.recent is not None
        assert life.memory.recent.covers == covers
    assert next_at(life.compactor.view) == 64 + 64 + 64, "the next fold comes as if it had been one"


async def test_the_memories_are_read_again_and_not_the_text(tmp_path: Path) -> None:
    asked: list[str] = []

    async def model(prompt: str, profile: str) -> Completion:
        asked.append(prompt)
        raise Unavailable("it only listens")

    life = Life(tmp_path, settings=CompactionSettings(recent_window=100))
    life.remember('Ada says, "I was born in Riga."')
    life.live(80)
    await fold(life)
    assert life.memory.recent is not None
    text = life.memory.recent.text
    life.model = model
    life.start()
    life.remember('Bo says, "I was born in Oulu."')
    life.live(64)
    assert await fold(life) == (1, 82)
    assert "born in Riga" in asked[0]
    assert "born in Oulu" in asked[0]
    assert text not in asked[0]
    assert life.memory.recent.depth == 1


async def test_the_long_term_summary_stays_as_it_is_when_a_little_joins_the_recent_one(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(215)
    assert await fold(life) == (130, 151), "much gets a recent summary of its own"
    before = life.summary_file("longterm").read_bytes()
    life.live(10)
    commit = await life.compactor.fold_now()
    assert commit is not None
    assert (commit.first, commit.last, commit.newest.covers) == (152, 161, (130, 161))
    assert commit.longterm is None
    assert life.summary_file("longterm").read_bytes() == before
    *_, waterfall, joined = events(life)
    assert joined["longterm"] == waterfall["longterm"]
    assert joined["covers"] == {"first": 152, "last": 161}
    record = commit.record()
    assert (record["original_entries"], record["compacted_entries"]) == (2 + 74, 2 + 64)
    assert tiles(life)
    life.start()
    assert (life.memory.watermark, tiles(life)) == (161, True)


async def test_a_full_recent_summary_is_not_pushed_out_for_little(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(129)
    assert life.memory.recent is not None
    text = life.memory.recent.text
    for new in (1, 15):
        life.live(129 + new - life.memory.total)
        assert await fold(life) is None
        assert "too few to push the recent summary out; 16 would do" in life.compactor.notice
    assert "only 15 memories are older than the newest 64 memories" in life.compactor.notice
    assert life.memory.recent.text == text
    assert len(life.commits) == 1
    life.live(1)
    assert await fold(life) == (66, 81)
    assert life.memory.longterm is not None


async def test_a_text_of_a_person_is_neither_made_anew_nor_pushed_out_for_little(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(100)
    await fold(life)
    path = life.summary_file("recent")
    path.write_text(f"{path.read_text().partition('# Recent')[0]}# Recent\n\nI remember the wind, by hand.\n")
    life.live(10)
    life.memory.refresh()
    assert await fold(life) is None
    assert life.memory.recent is not None
    assert life.memory.recent.text == "I remember the wind, by hand."
    life.live(6)
    assert await fold(life) == (37, 52)
    assert life.memory.longterm is not None
    assert life.memory.longterm.text == "I remember the wind, by hand."


async def test_an_edit_of_the_long_term_summary_holds_when_a_little_joins_the_recent_one(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(215)
    await fold(life)
    path = life.summary_file("longterm")
    path.write_text(f"{path.read_text().partition('# Long')[0]}# Long\n\nI wrote this by hand.\n")
    life.live(10)
    assert await fold(life) == (130, 161)
    for _ in range(2):
        assert life.memory.longterm is not None
        assert life.memory.longterm.text == "I wrote this by hand."
        life.start()
    assert "by hand" in path.read_text()


async def test_an_edit_while_the_model_writes_is_not_lost(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(100)
    await fold(life)
    life.model = waiting_model
    life.start()
    life.live(10)
    folding = life.compactor.fold_now()
    folding.send(None)
    path = life.summary_file("recent")
    path.write_text(f"{path.read_text().partition('# Recent')[0]}# Recent\n\nI remember the wind, by hand.\n")
    with pytest.raises(StopIteration) as done:
        folding.send(reply(MODEL))
    assert done.value.value is None
    assert "edited meanwhile" in life.compactor.notice
    assert life.memory.recent is not None
    assert life.memory.recent.text == "I remember the wind, by hand."
    assert life.memory.watermark == 36


async def test_what_cannot_be_read_again_is_not_made_anew(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(100)
    await fold(life)
    life.memory.close()
    archive = tmp_path / "archive" / "0000000001.jsonl"
    archive.write_text("".join(line for line in archive.read_text().splitlines(True) if '"seq":20,' not in line))
    life.start()
    life.live(10)
    before = life.summary_file("recent").read_text()
    assert await fold(life) is None
    assert "memory 20 cannot be read" in life.compactor.notice
    assert life.summary_file("recent").read_text() == before
