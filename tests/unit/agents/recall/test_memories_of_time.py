from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from agents.memory.entries import Entry
from agents.recall.lexical import LexicalIndex
from agents.recall.question import read_question
from agents.recall.searching import AT_AN_END, OF_TIME
from mud.clock import iso

NOW = datetime(2026, 11, 20, 15, tzinfo=UTC)
HOURS = 24 * 60
"""A memory an hour, for sixty days."""


def life() -> list[Entry]:
    return [
        Entry(
            seq, iso(NOW - timedelta(hours=HOURS - seq)), "heard", "Moss", None, f"line {seq}", importance=1 + seq % 3
        )
        for seq in range(1, HOURS + 1)
    ]


@pytest.fixture
def lived(opened: Callable[..., LexicalIndex]) -> Callable[[str], list[Entry]]:
    """Give a function that returns the memories that a question's time brings forward."""
    index, entries = opened(), {entry.seq: entry for entry in life()}
    index.add({"#1": list(entries.values()), "#2": [entries[9]._replace(seq=1)]})

    def asked(question: str) -> list[Entry]:
        matches = index.do(index.searcher.match, "#1", {}, True, (), read_question(question, NOW))
        return [entries[seq] for seq in matches.of_time]

    return asked


def test_what_was_lived_at_the_time_is_brought_whatever_its_words(lived: Callable[[str], list[Entry]]) -> None:
    days = {entry.at[:10] for entry in lived("What happened yesterday?")}
    assert days == {"2026-11-19"}
    assert len(lived("What happened yesterday?")) == 24
    assert {entry.at[:7] for entry in lived("What happened in October?")} == {"2026-10"}


def test_of_much_the_most_important_is_brought(lived: Callable[[str], list[Entry]]) -> None:
    month = lived("What happened last month?")
    assert len(month) == OF_TIME
    assert {entry.importance for entry in month} == {3}


def test_the_ends_of_a_life_are_brought_when_they_are_asked_for(lived: Callable[[str], list[Entry]]) -> None:
    first = lived("What is the first thing that you remember?")
    assert [entry.seq for entry in first] == list(range(1, AT_AN_END + 1))
    last = lived("What was the last thing that was said?")
    assert [entry.seq for entry in last] == list(range(HOURS - AT_AN_END + 1, HOURS + 1))


def test_a_question_without_a_time_brings_nothing(lived: Callable[[str], list[Entry]]) -> None:
    assert lived("Who has the key?") == []
    assert lived("What happened in 1999?") == []


def test_what_was_given_with_times_of_its_own_is_brought_by_them_whatever_its_place_in_the_life(
    opened: Callable[..., LexicalIndex],
) -> None:
    index, given = opened(), ("2026-11-19T10:00:00.000Z", "2026-05-07T10:00:00.000Z", "2025-03-02T10:00:00.000Z")
    times = [*given, "long ago", iso(NOW)]
    index.add({"#1": [Entry(seq, at, "told", None, None, f"line {seq}") for seq, at in enumerate(times, 1)]})
    asked = {"What happened yesterday?": (1,), "What happened in May?": (2,), "What was in March 2025?": (3,)}
    for question, brought in asked.items():
        assert index.do(index.searcher.match, "#1", {}, True, (), read_question(question, NOW)).of_time == brought
    index.forget("#1")
    index.add({"#1": [Entry(1, iso(NOW), "told", None, None, "line")]})
    assert (
        index.do(index.searcher.match, "#1", {}, True, (), read_question("What happened yesterday?", NOW)).of_time == ()
    )


def test_a_life_whose_times_cannot_be_read_is_asked_in_vain(opened: Callable[..., LexicalIndex]) -> None:
    index = opened()
    index.add({"#1": [Entry(1, "long ago", "heard", None, None, "line")]})
    question = read_question("What happened yesterday?", NOW)
    assert index.do(index.searcher.match, "#1", {}, True, (), question).of_time == ()
    assert index.do(index.searcher.match, "#9", {}, True, (), question).of_time == ()


def test_of_equal_ones_the_oldest_are_matched_when_what_was_first_is_asked_for(
    opened: Callable[..., LexicalIndex],
) -> None:
    index = opened()
    index.add({"#1": [entry._replace(text="The bell rings.") for entry in life()]})
    groups = {"bell": {"bell": 1.0}}
    first = index.do(index.searcher.match, "#1", groups, True, (), read_question("When did the bell first ring?", NOW))
    assert min(first.memories.shares) == 1
    last = index.do(index.searcher.match, "#1", groups, True, (), read_question("When does the bell ring?", NOW))
    assert max(last.memories.shares) == HOURS
