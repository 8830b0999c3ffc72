from __future__ import annotations

import json
import logging
import math
import statistics
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.llm.backend import Completion
from agents.memory.entries import Entry, Hit
from agents.mind.traces import (
    FILES,
    LONGEST_HIT,
    LONGEST_REPLY,
    Lookup,
    ModelCall,
    ModelCallTimer,
    Trace,
    TracedHit,
    TraceFile,
    briefly,
    head_of,
    lookup_of,
    to_json,
)
from agents.prompt.prompt import Prompt, PromptSection
from mud.sanitize import sanitize
from tests.disks import file_size_limit

AT = "2026-11-20T07:21:37.123Z"
TEXT = st.text(max_size=30).map(sanitize)
SHARE = st.floats(0, 1)
FOUND = st.builds(
    TracedHit, TEXT, TEXT, SHARE, st.dictionaries(st.sampled_from(["lexical", "who"]), SHARE), TEXT, TEXT, TEXT, TEXT
)
LOOKUP = st.builds(Lookup, TEXT, st.lists(FOUND, max_size=3).map(tuple))
TOKENS = st.none() | st.integers(0, 9999)
ASKED = st.builds(
    ModelCall,
    *(TEXT for _ in range(7)),
    sections=st.lists(st.builds(PromptSection, TEXT, st.integers(0, 99), TEXT), max_size=3).map(tuple),
    tokens=st.integers(0, 9999),
    window=st.integers(0, 9999),
    reserve=st.integers(0, 9999),
    shed=st.lists(TEXT, max_size=2).map(tuple),
    prompt_tokens=TOKENS,
    completion_tokens=TOKENS,
    cached_tokens=TOKENS,
    queued=SHARE,
    seconds=SHARE,
    related=st.none() | LOOKUP,
)
TRACE = st.builds(
    Trace,
    st.integers(0, 10**12),
    st.just(AT),
    st.from_regex(r"#\d{1,4}", fullmatch=True),
    st.none() | TEXT,
    *(TEXT for _ in range(5)),
    answers=st.integers(0, 99),
    cites=st.lists(TEXT, max_size=3).map(tuple),
    waiting=st.booleans(),
    instead=TEXT,
    refused=TEXT,
    seconds=SHARE,
    lookups=st.lists(LOOKUP, max_size=2).map(tuple),
    asked=st.lists(ASKED, max_size=2).map(tuple),
)


def encoded(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")


@given(TRACE)
def test_a_trace_comes_back_from_its_line_as_it_was_and_its_head_says_the_same(trace: Trace) -> None:
    line = encoded(to_json(trace))
    assert b"\n" not in line
    head = head_of(line)
    assert head is not None
    assert (head.step, head.at, head.who, head.line) == (trace.step, trace.at, trace.who, trace.line)
    assert head.trace() == trace


@given(TRACE, st.data())
def test_a_torn_line_is_no_trace_and_never_an_error_of_another_kind(trace: Trace, data: st.DataObject) -> None:
    line = encoded(to_json(trace))
    head = head_of(line[: data.draw(st.integers(0, len(line) - 1))])
    if head is not None:
        with pytest.raises(ValueError):
            head.trace()


@pytest.mark.parametrize(
    "rest", [',"lookups":[7]}', ',"asked":[{"sections":[{}]}]}', ',"lookups":[{}]}', ',"asked":3}']
)
def test_a_line_whose_rest_was_changed_by_hand_is_no_trace(rest: str) -> None:
    head = head_of(f'{{"step":1,"at":"{AT}","who":"#1","line":"look"{rest}'.encode())
    assert head is not None
    with pytest.raises(ValueError):
        head.trace()


def test_a_line_of_a_newer_version_is_read_as_far_as_it_is_known() -> None:
    data: dict[str, Any] = json.loads(
        to_json(Trace(1, AT, "#1", "look", why="bored", asked=(ModelCall(reply="look"),)))
    )
    data["mood"] = "grey"
    data["asked"][0]["price"] = 3
    head = head_of(json.dumps(data, separators=(",", ":")).encode())
    assert head is not None
    assert head.trace() == Trace(1, AT, "#1", "look", why="bored", asked=(ModelCall(reply="look"),))


def test_what_is_empty_takes_no_room() -> None:
    line = json.loads(to_json(Trace(1, AT, "#1", None, brain="instinct", why="lets the turn pass")))
    assert sorted(line) == ["at", "brain", "line", "step", "who", "why"]


def test_every_part_of_a_score_is_kept_and_what_a_decision_would_cite() -> None:
    entry = Entry(12, AT, "heard", "Moss", "The Library", 'Moss says, "It grows."')
    memory = Hit(
        "heard", entry.text, 0.91234, 0.8, 0.61, 0.5, 0.4, 12, entry=entry, neighbours=0.1, who=0.2, answer=0.3
    )
    summary = Hit("summary", "word " * 200, 0.5, covers=(1, 64), vector=0.4)
    note = Hit("note", "It hums.", 0.4, lexical=0.4, title="Sundial", at=AT)
    found = lookup_of("moss", (memory, summary, note)).found
    assert found[0].parts == {
        "lexical": 0.8, "vector": 0.61, "recency": 0.5, "importance": 0.4, "neighbours": 0.1, "who": 0.2, "answer": 0.3,
    }  # fmt: skip
    assert (found[0].score, found[0].actor, found[0].place, found[0].at) == (0.912, "Moss", "The Library", AT)
    assert [one.ref for one in found] == ["12", "1-64", "[[Sundial]]"]
    assert len(found[1].text) == LONGEST_HIT


def test_a_score_that_is_no_number_is_none_in_the_trace_and_a_line_that_has_one_can_be_read() -> None:
    hit = Hit("heard", "The fin is gone.", math.nan, lexical=0.5, vector=math.inf, seq=3)
    lookup = lookup_of("fin", (hit,))
    assert (lookup.found[0].score, lookup.found[0].parts) == (0.0, {"lexical": 0.5})
    line = to_json(Trace(1, "now", "#1", "say hm", lookups=(lookup,)))
    assert "null" not in line
    older = line.replace('"score":0.0', '"score":null').replace('{"lexical":0.5}', '{"lexical":0.5,"vector":null}')
    assert older != line
    head = head_of(older.encode())
    assert head is not None
    assert head.trace().lookups == (lookup,)


def test_a_question_to_a_model_is_noted_with_its_prompt_its_price_and_its_times() -> None:
    seconds = [10.0]
    asking = ModelCallTimer("be brief", "think", "http://127.0.0.1:8080", lambda: seconds[0])
    asking.related("the garden", (Hit("note", "It hums.", 0.4, title="Sundial"),))
    sections = (PromptSection("identity", 7, "I am Eliza."), PromptSection("cue", 2, "~Eliza>"))
    seconds[0] += 1.5
    assert asking.built(Prompt("whole", 9, 100, 20, sections, ("1 hint",), None)) == "whole"
    seconds[0] += 2.5
    asked = asking.answered(Completion("look", 11, 1, 2.4, "small", 8))
    assert asked.related is not None
    assert asked == ModelCall(
        hint="be brief", reply="look", profile="think", host="http://127.0.0.1:8080", model="small", sections=sections,
        tokens=9, window=100, reserve=20, shed=("1 hint",), prompt_tokens=11, completion_tokens=1, cached_tokens=8,
        queued=1.5, seconds=2.5, related=asked.related,
    )  # fmt: skip
    assert asking.failed(ValueError("it burns")).error == "it burns"


def test_of_a_turn_that_passed_little_is_kept_and_of_an_endless_reply_its_beginning() -> None:
    asked = ModelCall(reply="x" * 90_000, sections=(PromptSection("identity", 7, "I am Eliza."),), tokens=7)
    trace = Trace(1, AT, "#1", "look", lookups=(Lookup("bees"),), asked=(asked,))
    head = head_of(to_json(trace).encode())
    assert head is not None
    assert len(head.trace().asked[0].reply) == LONGEST_REPLY
    assert briefly(trace) == replace(trace, lookups=(), asked=(ModelCall(reply="x" * LONGEST_HIT, tokens=7),))


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
