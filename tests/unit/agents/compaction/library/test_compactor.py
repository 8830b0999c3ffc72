"""Compaction of any list of entries: the seed's own examples, its eight faults, and what must always hold."""

from __future__ import annotations

import re
from collections import deque
from copy import deepcopy
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.compaction import CompactionConfig, MemoryCompactor
from agents.compaction.library import SummaryEntry
from mud.errors import Unavailable
from tests.unit.agents.compaction.library.histories import (
    FORMS,
    RULES,
    Model,
    Repl,
    Repls,
    chars,
    chunks,
    configs,
    histories,
    quiet,
    replies,
    sentences,
    text,
)

# What the seed says.


def test_the_seeds_end_to_end_example_turns_ten_entries_into_three() -> None:
    config = CompactionConfig(
        max_entries_before_compaction=8,
        max_chars_before_compaction=5000,
        preserve_last_n_entries=2,
        summary_max_sentences=2,
        use_llm_for_summary=False,
    )
    compactor, history = MemoryCompactor(config=config), Repls(chunks(10))
    assert compactor.should_compact(history)
    result = compactor.compact(history, task="Analyze all data chunks")
    compacted = compactor.apply_compaction(history, result)
    assert (len(history), len(compacted)) == (10, 3)
    assert (result.original_entries, result.compacted_entries, result.original_chars) == (10, 3, 896)
    assert result.compacted_chars == len(result.summary) + sum(map(chars, result.preserved_entries))
    assert 0.4 <= result.compression_ratio <= 0.61
    assert not result.used_llm


def test_the_first_entry_afterwards_holds_the_summary_in_three_lines() -> None:
    compactor, history = MemoryCompactor(), chunks(10)
    first = compactor.apply_compaction(history, compactor.compact(history, task="Analyze data"))[0]
    assert first.reasoning.startswith("[COMPACTED] Working on: Analyze data. Completed 8 steps (8 successful).")
    assert (first.code, first.output) == ("# Previous steps summarized above", "(Compacted 8 steps)")


def test_the_timestamp_is_iso_8601_in_utc() -> None:
    then = datetime(2026, 11, 20, 7, 21, 37, 123_000, tzinfo=UTC)
    result = MemoryCompactor(now=lambda: then).compact([])
    assert result.timestamp == "2026-11-20T07:21:37.123Z"
    real = datetime.fromisoformat(MemoryCompactor().compact([]).timestamp)
    assert real.utcoffset() == then.utcoffset()


@pytest.mark.parametrize(
    ("entries", "length", "due"),
    [(4, 50_000, False), (5, 1599, False), (5, 1600, True), (9, 10, False), (10, 1, True), (12, 1, True)],
)
def test_it_is_due_at_ten_entries_or_8000_characters_but_never_below_five(entries: int, length: int, due: bool) -> None:
    assert MemoryCompactor().should_compact(["x" * length] * entries) is due


def test_what_is_not_due_stays_as_it_is_unless_forced() -> None:
    compactor, history = MemoryCompactor(RULES), chunks(7)
    result = compactor.compact(history)
    assert (result.summary, result.preserved_entries, result.compression_ratio) == ("", history, 0.0)
    assert compactor.apply_compaction(history, result) is history
    assert compactor.compact(history, force=True).compacted_entries == 3


def test_the_summary_by_rules_has_the_seeds_parts_in_three_sentences() -> None:
    outputs = ["lines: 1024, kept", "errors: 12 of them", "KeyError: x", "ValueError: y", *["ok"] * 5]
    history = [Repl(output=said, code="parse(line) " * 5, llm_calls=["?"] * (i < 3)) for i, said in enumerate(outputs)]
    summary = MemoryCompactor(RULES).compact([*history, Repl(output="ok")], task="Parse the log file").summary
    assert summary == (
        "Working on: Parse the log file. Completed 8 steps (5 successful). Made 3 LLM sub-calls; "
        "Key findings: lines: 1024, kept; lines=1024; errors: 12 of them; Resolved issues: Error, KeyError, ValueError."
    )


def test_without_key_findings_the_summary_names_no_values() -> None:
    config = CompactionConfig(use_llm_for_summary=False, include_key_findings=False)
    assert "findings" not in MemoryCompactor(config).compact(chunks(10)).summary


def test_the_model_is_asked_with_task_numbered_previews_and_the_limit() -> None:
    model = Model("They looked.")
    history = [Repl("r" * 300 + "\nr", "c" * 300, "one\ntwo" + "o" * 300) for _ in range(10)]
    result = MemoryCompactor(llm_connector=model).compact(history, task="Find the key")
    (asked,) = model.asked
    assert "Find the key" in asked
    assert [number for number in range(12) if f"Step {number}\n" in asked] == list(range(1, 9))
    assert f"{'r' * 200}\n" in asked
    assert f"{'c' * 150}\n" in asked
    assert f"one two{'o' * 93}\n" in asked
    assert not re.search("r{201}|c{151}|o{95}", asked)
    assert (result.used_llm, result.summary) == (True, "They looked.")


@pytest.mark.parametrize("form_of", FORMS)
def test_the_summary_has_the_form_of_the_history(form_of: str) -> None:
    history = quiet(form_of, 12, "The code of the door is 4711.")
    compactor = MemoryCompactor(RULES)
    compacted = compactor.apply_compaction(history, compactor.compact(history))
    first = compacted[0]
    if form_of == "string":
        assert isinstance(first, str)
        assert first.endswith("# Previous steps summarized above\n(Compacted 10 steps)")
    elif "mapping" in form_of:
        assert first.keys() == history[0].keys()
    else:
        assert isinstance(first, SummaryEntry)
    said = text(first)
    assert said.strip().startswith("[COMPACTED]")
    assert "4711" in said
    assert "(Compacted 10 steps)" in said


@pytest.mark.parametrize("made", [list, tuple, deque, Repls, lambda entries: Repls(tuple(entries))])
def test_a_history_may_be_any_sequence_or_have_one_as_entries(made: Any) -> None:
    compactor, entries = MemoryCompactor(RULES), chunks(12)
    history = made(entries)
    assert compactor.should_compact(history)
    assert compactor.apply_compaction(history, compactor.compact(history))[1:] == entries[-2:]


@pytest.mark.parametrize(
    "history", [None, 7, "text", b"text", {"text": "x"}, iter(["a"]), ["a", 7], [None], [{"x": 1}]]
)
def test_what_is_no_history_is_refused_with_a_sentence(history: Any) -> None:
    with pytest.raises(TypeError, match=r"a history is a list|entry \d is of type"):
        MemoryCompactor().compact(history)


@pytest.mark.parametrize("refusal", ["As an AI language model, I cannot summarize.", "I'm sorry, but no.", "{summary}"])
def test_a_model_that_refuses_writes_no_summary(refusal: str) -> None:
    result = MemoryCompactor(llm_connector=Model(refusal)).compact(chunks(10), task=None)
    assert (result.used_llm, refusal in result.summary) == (False, False)


@pytest.mark.parametrize("reply", [RuntimeError("the model is away"), "", " \n\t", None, 7, "[COMPACTED]", "."])
def test_a_model_that_fails_is_followed_by_rules_or_its_error_is_raised(reply: Any) -> None:
    by_rules = MemoryCompactor(RULES).compact(chunks(10)).summary
    result = MemoryCompactor(llm_connector=Model(reply)).compact(chunks(10))
    assert (result.summary, result.used_llm) == (by_rules, False)
    strict = MemoryCompactor(CompactionConfig(fallback_to_deterministic=False), Model(reply))
    with pytest.raises(RuntimeError if isinstance(reply, RuntimeError) else Unavailable):
        strict.compact(chunks(10))


def test_a_model_that_writes_more_than_there_was_is_not_followed() -> None:
    endless = Model("word " * 1000)
    assert not MemoryCompactor(llm_connector=endless).compact(chunks(10)).used_llm
    strict = MemoryCompactor(CompactionConfig(fallback_to_deterministic=False), endless)
    assert strict.compact(chunks(10)).summary == ""


# What else would be lost.


def test_what_came_after_a_compaction_is_kept_when_it_is_applied() -> None:
    compactor, history = MemoryCompactor(RULES), chunks(12)
    result = compactor.compact(history)
    late = Repl(output="came late")
    assert compactor.apply_compaction([*history, late], result)[1:] == [*history[-2:], late]


def test_a_result_of_another_history_is_refused() -> None:
    compactor = MemoryCompactor(RULES)
    with pytest.raises(ValueError, match="of another history"):
        compactor.apply_compaction(quiet("string", 12), compactor.compact(chunks(12)))


def test_a_summary_alone_is_not_summarized_again() -> None:
    compactor, history = MemoryCompactor(RULES), chunks(12)
    history = compactor.apply_compaction(history, compactor.compact(history))
    result = compactor.compact(history, force=True)
    assert (result.summary, result.preserved_entries) == ("", history)


# What always holds.


@given(histories, configs, st.booleans(), replies, st.text(max_size=60))
def test_no_history_ever_grows_and_what_is_preserved_is_the_same(
    history: list[Any], config: CompactionConfig, force: bool, reply: Any, task: str
) -> None:
    compactor = MemoryCompactor(config, Model(reply))
    before = deepcopy(history)
    result = compactor.compact(history, task, force)
    after = compactor.apply_compaction(history, result)
    assert history == before
    assert len(after) == result.compacted_entries
    assert 0.0 <= result.compression_ratio <= 1.0
    kept = result.preserved_entries
    assert all(one is other for one, other in zip(after[-len(kept) :] if kept else [], kept, strict=True))
    if result.summary:
        assert sum(map(chars, after)) < sum(map(chars, history))
        assert len(kept) == min(config.preserve_last_n_entries, len(history))
        assert sentences(result.summary) <= config.summary_max_sentences
        assert "[COMPACTED]" in text(after[0])
    else:
        assert after is history
        assert (result.compacted_entries, result.compacted_chars) == (result.original_entries, result.original_chars)
        assert not result.used_llm


@given(histories, configs, st.lists(replies, min_size=2, max_size=5))
def test_compacting_again_and_again_never_loses_count(
    history: list[Any], config: CompactionConfig, answers: list[Any]
) -> None:
    compactor = MemoryCompactor(config, Model(*answers))
    steps = 0
    for _ in range(4):
        result = compactor.compact(history, "Guard the doors", force=True)
        after = compactor.apply_compaction(history, result)
        if result.summary:
            count = int(re.findall(r"\(Compacted (\d+) steps\)", text(after[0]))[-1])
            assert count >= steps
            steps = count
        history = [*after, *quiet("string", 3)]
