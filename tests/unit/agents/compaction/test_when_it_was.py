"""A summary says when it was, in the words that are given for its first and its last memory."""

from __future__ import annotations

from pathlib import Path

from agents.compaction.view import StrategyContext
from tests.lives import Life


def test_the_scene_of_a_summary_begins_with_when_it_was(tmp_path: Path) -> None:
    asked: list[tuple[str, str]] = []

    def when(first: str, last: str) -> str:
        asked.append((first, last))
        return "On Friday morning"

    life = Life(tmp_path, context=StrategyContext(when=when))
    life.live(193)
    assert set(asked) == {("2026-11-20T07:21:37.123Z", "2026-11-20T07:21:37.123Z")}
    assert life.memory.recent is not None
    assert life.memory.longterm is not None
    assert life.memory.recent.text.startswith("On Friday morning I was at the Library. ")
    assert life.memory.longterm.text.startswith("My first memories, from Friday morning, are of the Library, ")
    assert life.memory.recent.faithful, "the day is no name that was made up"


def test_nothing_is_said_of_the_time_where_there_are_no_words_for_it(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(193)
    assert life.memory.recent is not None
    assert life.memory.recent.text.startswith("I was at the Library. ")
