"""Event lines that change nothing: they stand beside the memories, and no reader takes one for a commit."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.memory.summaries import COMMITS
from tests.lives import Life


def test_an_event_is_noted_beside_the_memories_and_counts_nowhere(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(130)
    for event in ({"event": "micro_compact", "first": 1, "last": 9}, {"event": "import", "recent": None, "number": 7}):
        life.memory.record(event)
    life.live(5)
    before = life.memory.view()
    life.start()
    assert (life.memory.view(), life.memory.compactions, life.memory.total) == (before, 1, 135)
    assert (life.memory.last_source, life.messages) == (135, [])
    raw = (tmp_path / "archive" / "0000000001.jsonl").read_text()
    assert '{"event":"micro_compact","first":1,"last":9}\n' in raw


def test_an_event_that_cannot_be_noted_is_a_warning_until_one_can(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(3)
    life.disk.full = True
    life.memory.record({"event": "micro_compact"})
    assert "could not take note of micro_compact" in life.memory.warnings[0]
    life.disk.full = False
    life.memory.record({"event": "micro_compact"})
    assert life.memory.warnings == []


def test_a_commit_is_no_event_to_be_noted_and_a_reader_notes_nothing(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(3)
    for name in COMMITS:
        with pytest.raises(ValueError, match="written by `commit` alone"):
            life.memory.record({"event": name})
    before = (tmp_path / "archive" / "0000000001.jsonl").read_bytes()
    life.start(writable=False)
    life.memory.record({"event": "micro_compact"})
    assert (tmp_path / "archive" / "0000000001.jsonl").read_bytes() == before
