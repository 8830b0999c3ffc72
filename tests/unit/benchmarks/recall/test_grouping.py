from __future__ import annotations

import argparse
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.benchmarks._recall.bm25 import BM25
from tests.benchmarks._recall.grouping import Sizes, grouped, sizes
from tests.benchmarks._recall.lives import BenchmarkLife, Data, LifeQuestion, read_data
from tests.unit.benchmarks.recall.data import write_conversation


def test_turns_of_a_session_become_one_memory_and_evidence_goes_along(tmp_path: Path) -> None:
    life = grouped(read_data(write_conversation(tmp_path), None), Sizes(2, 2), 1).lives[0]
    assert life.turns == ["D1:1-D1:2", "D2:1-D2:1", "D10:1-D10:1"]
    assert life.records[0]["text"] == 'Maud says, "Did you fire the bowls today?"\nOsric says, "The kiln is cold."'
    # What names no turn is still never found.
    assert [one.evidence for one in life.questions] == [
        ("D1:1-D1:2",),
        ("D10:1-D10:1", "D2:1; D1:1"),
        (),
    ]


@given(st.lists(st.integers(1, 3), min_size=1, max_size=60).map(sorted), st.integers(1, 5), st.integers(0, 5))
def test_every_turn_is_in_one_memory_of_its_session(sessions: list[int], least: int, more: int) -> None:
    turns = [f"D{session}:{number}" for number, session in enumerate(sessions)]
    records = [{"at": "2026-01-01T00:00:00.000Z", "text": f"<{turn}>"} for turn in turns]
    data = Data(
        "locomo", [BenchmarkLife(records, [LifeQuestion("?", "1", (turn,)) for turn in turns], turns, sessions)]
    )
    made = grouped(data, Sizes(least, least + more), 1).lives[0]
    assert made == grouped(data, Sizes(least, least + more), 1).lives[0]
    assert "".join(str(one["text"]).replace("\n", "") for one in made.records) == "".join(f"<{turn}>" for turn in turns)
    for turn, session, question in zip(turns, sessions, made.questions, strict=True):
        place = list(made.turns).index(question.evidence[0])
        assert f"<{turn}>" in str(made.records[place]["text"]).split("\n")
        assert made.sessions[place] == session
    assert all(len(str(one["text"]).split("\n")) <= least + more for one in made.records)


@pytest.mark.parametrize("wrong", ["", "6", "0-3", "9-6", "a-b"])
def test_other_sizes_are_refused(wrong: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="expected two whole numbers"):
        sizes(wrong)
    assert sizes("6-12") == Sizes(6, 12)


def test_bm25_prefers_rare_words_said_often_in_short_texts() -> None:
    texts = ["the cat and the kilns", "a kiln, a kiln and more", "the dog and the cat, " * 9, "nothing"]
    assert [place for place, _ in BM25(texts).found("Any kiln?", 9)] == [1, 0]
    assert [place for place, _ in BM25(texts, stemmed=False).found("kiln", 9)] == [1]
    assert BM25([]).found("kiln", 9) == []
