from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.llm.backend import Completion
from agents.memory.entries import Entry, Hit
from agents.mind.traces import (
    LONGEST_HIT,
    LONGEST_REPLY,
    Lookup,
    ModelCall,
    ModelCallTimer,
    Trace,
    TracedHit,
    briefly,
    head_of,
    lookup_of,
    to_json,
)
from agents.prompt.prompt import Prompt, PromptSection
from mud.sanitize import sanitize

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
