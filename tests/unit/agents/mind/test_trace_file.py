from __future__ import annotations

import logging
import statistics
import time
from dataclasses import replace
from pathlib import Path

import pytest

from agents.memory.entries import Hit
from agents.mind.traces import FILES, ModelCall, Trace, TraceFile, lookup_of
from agents.prompt.prompt import PromptSection
from tests.disks import file_size_limit

AT = "2026-11-20T07:21:37.123Z"
ROOM = 1_000_000


def trace(step: int, line: str | None = "look", who: str = "#1") -> Trace:
    return Trace(step, AT, who, line, "Eliza", "The Garden", "instinct", f"for reason {step}")


def filled(folder: Path, steps: range, room: int = ROOM) -> TraceFile:
    file = TraceFile(folder / "eliza")
    for step in steps:
        file.keep(trace(step, f"say {step} pears"), room)
    return file


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "eliza").iterdir())


def test_the_newest_line_comes_first_and_a_turn_that_passed_is_no_line(tmp_path: Path) -> None:
    file = filled(tmp_path, range(1, 4))
    file.keep(trace(3, None), ROOM)
    heads = list(file.heads("#1"))
    assert [head.step for head in heads] == [3, 2, 1]
    assert heads[0].trace() == trace(3, "say 3 pears")


def test_a_line_is_found_by_its_step_after_a_restart_and_one_that_is_not_there_is_not(tmp_path: Path) -> None:
    filled(tmp_path, range(10, 4000, 10), 20_000)
    assert len(names(tmp_path)) == FILES
    file = TraceFile(tmp_path / "eliza")
    kept = [head.step for head in file.heads("#1")]
    for step in kept:
        found = file.find("#1", step)
        assert found is not None
        assert found.line == f"say {step} pears"
    assert file.find("#1", kept[0] - 5) is None
    assert file.find("#1", 10) is None
    assert file.find("#1", 9_999) is None


def test_no_file_is_read_but_the_one_that_holds_the_step(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = filled(tmp_path, range(1, 200), 20_000)
    *_, second, last = names(tmp_path)
    for name in names(tmp_path):
        if name != second:
            (tmp_path / "eliza" / name).unlink()
            (tmp_path / "eliza" / name).mkdir()  # to read it fails, and would be told
    with caplog.at_level(logging.WARNING):
        found = file.find("#1", int(last[:-6]) - 1)
    assert found is not None
    assert caplog.messages == []


def test_somebody_may_take_the_files_away_between_two_traces(tmp_path: Path) -> None:
    file = filled(tmp_path, range(1, 4))
    for path in (tmp_path / "eliza").iterdir():
        path.unlink()
    file.keep(trace(4, "say 4 pears"), ROOM)
    (tmp_path / "eliza/0000000004.jsonl").unlink()
    (tmp_path / "eliza").rmdir()
    file.keep(trace(5, "say 5 pears"), ROOM)
    assert [head.step for head in file.heads("#1")] == [5]
    assert names(tmp_path) == ["0000000005.jsonl"]


def test_they_take_no_more_room_than_they_are_given_and_the_oldest_go(tmp_path: Path) -> None:
    file = TraceFile(tmp_path / "eliza")
    for step in range(1, 600):
        file.keep(trace(step, "say " + "x" * (step % 700)), 50_000)
        assert sum(path.stat().st_size for path in (tmp_path / "eliza").iterdir()) <= 50_000
    kept = [head.step for head in file.heads("#1")]
    assert kept == list(range(599, 599 - len(kept), -1))
    assert len(kept) > 50
    filled(tmp_path, range(600, 700), 10_000)
    assert sum(path.stat().st_size for path in (tmp_path / "eliza").iterdir()) <= 10_000, "less room is soon kept to"


def size(folder: Path) -> int:
    return sum(path.stat().st_size for path in (folder / "eliza").iterdir())


@pytest.mark.parametrize("length", [900, 1500, 3500])
def test_a_trace_of_more_than_its_share_takes_the_room_of_older_ones(tmp_path: Path, length: int) -> None:
    file = filled(tmp_path, range(1, 90), 4000)
    for step in range(90, 110):
        file.keep(replace(trace(step), why="x" * length), 4000)
        assert size(tmp_path) <= 4000
        newest = next(file.heads("#1"))
        assert (newest.step, newest.trace().why) == (step, "x" * length)


def test_of_a_trace_larger_than_all_the_room_long_texts_are_cut_and_the_next_takes_its_own(tmp_path: Path) -> None:
    file = filled(tmp_path, range(1, 9), 4000)
    asked = ModelCall(
        "be kind",
        "say nine pears",
        sections=(PromptSection("identity", 9, "You are Eliza."), PromptSection("a", 1, "y" * 9000)),
    )
    file.keep(replace(trace(9, "say nine pears"), asked=(asked,)), 4000)
    assert size(tmp_path) <= 4000
    head = next(file.heads("#1"))
    assert (head.step, head.line, head.trace().why) == (9, "say nine pears", "for reason 9")
    (kept,) = head.trace().asked
    assert kept.reply == "say nine pears"
    assert kept.sections[0].text == "You are Eliza."
    assert kept.sections[1].text.strip("y") == "…"
    assert len(kept.sections[1].text) > 1000
    file.keep(trace(10), 4000)
    assert next(file.heads("#1")).step == 10
    assert size(tmp_path) <= 4000


def test_a_trace_that_has_no_room_however_short_is_not_kept(tmp_path: Path) -> None:
    file = filled(tmp_path, range(1, 9), 4000)
    file.keep(trace(9, "say " + "x" * 9000), 60)
    assert next(file.heads("#1")).step == 8


def test_without_room_nothing_is_kept_and_what_there_is_stays(tmp_path: Path) -> None:
    TraceFile(tmp_path / "moss").keep(trace(1), 0)
    assert not (tmp_path / "moss").exists()
    file = filled(tmp_path, range(1, 4))
    file.keep(trace(4), 0)
    assert [head.step for head in file.heads("#1")] == [3, 2, 1]


def test_whoever_had_the_folder_before_is_left_out(tmp_path: Path) -> None:
    file = filled(tmp_path, range(1, 4))
    file.keep(trace(7, "say I am new", "#2"), ROOM)
    assert [head.step for head in file.heads("#2")] == [7]
    assert file.find("#2", 2) is None
    assert file.find("#1", 7) is None


@pytest.mark.parametrize("torn", [b'{"step":9,"at":"2026', b"\xff\xfe", b'{"step":9}', b"null\n\n", b"\0" * 50])
def test_a_torn_or_broken_line_costs_nothing_but_itself(tmp_path: Path, torn: bytes) -> None:
    file = filled(tmp_path, range(1, 4))
    with (tmp_path / "eliza" / names(tmp_path)[-1]).open("ab") as opened:
        opened.write(torn)
    assert [head.step for head in file.heads("#1")] == [3, 2, 1]
    file.keep(trace(4), ROOM)
    assert [head.step for head in file.heads("#1")] == [4, 3, 2, 1]


def test_what_others_put_into_the_folder_is_passed_over(tmp_path: Path) -> None:
    file = filled(tmp_path, range(1, 4))
    (tmp_path / "eliza" / "notes.txt").write_text("mine")
    (tmp_path / "eliza" / "old.jsonl").write_text("mine")
    (tmp_path / "eliza" / "0000000009.jsonl").mkdir()
    assert [head.step for head in file.heads("#1")] == [3, 2, 1]


def test_a_full_disk_costs_the_trace_alone_and_is_said_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = filled(tmp_path, range(1, 4))
    size = sum(path.stat().st_size for path in (tmp_path / "eliza").iterdir())
    with file_size_limit(size + 20):
        for step in (4, 5, 6):
            file.keep(trace(step), ROOM)
    assert caplog.text.count("the traces of eliza cannot be kept") == 1
    assert sum(path.stat().st_size for path in (tmp_path / "eliza").iterdir()) == size, "no half line stays behind"
    file.keep(trace(7), ROOM)
    assert [head.step for head in file.heads("#1")] == [7, 3, 2, 1]


def test_a_folder_that_is_no_folder_or_was_taken_away_costs_nothing(tmp_path: Path) -> None:
    (tmp_path / "moss").write_text("a file")
    file = TraceFile(tmp_path / "moss")
    file.keep(trace(1), ROOM)
    assert list(file.heads("#1")) == []
    (tmp_path / "moss").unlink()
    file.keep(trace(2), ROOM)
    assert [head.step for head in file.heads("#1")] == [2]


def test_keeping_the_trace_of_a_thought_takes_less_than_a_millisecond(tmp_path: Path) -> None:
    words = "The pears at the kitchen end ripen first. " * 190
    asked = ModelCall(reply="say hello", sections=tuple(PromptSection(name, 2000, words) for name in "abcd"))
    hits = tuple(Hit("heard", words[:150], 0.9, 0.8, 0.6, 0.5, 0.4, seq) for seq in range(32))
    file, seconds = TraceFile(tmp_path / "eliza"), []
    for step in range(200):
        one = Trace(step, AT, "#1", "say hello", lookups=(lookup_of("pears", hits),), asked=(asked,))
        begun = time.perf_counter()
        file.keep(one, 16 * ROOM)
        seconds.append(time.perf_counter() - begun)
    assert statistics.median(seconds) < 0.001
