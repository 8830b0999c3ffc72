"""The eight faults found in the program of seed 001 stay mended; the seventh is tested with the conversation."""

from __future__ import annotations

import re
from typing import Any

import pytest

from agents.compaction import CompactionConfig, MemoryCompactor
from tests.unit.agents.compaction.library.histories import FORMS, RULES, Model, Repl, chunks, quiet, sentences, text


@pytest.mark.parametrize("form_of", FORMS)
@pytest.mark.parametrize("times", [2, 3, 10])
def test_fault_1_the_first_compactions_facts_are_known_after_all_that_follow(form_of: str, times: int) -> None:
    compactor = MemoryCompactor(RULES)
    history: list[Any] = []
    for time in range(times):
        history += quiet(form_of, 9, f"The code of door {time} is {4711 + time}.", f"keeper{time}: Petra")
        history = compactor.apply_compaction(history, compactor.compact(history, task="Guard the doors", force=True))
    said = text(history[0])
    for time in range(times):
        assert f"The code of door {time} is {4711 + time}" in said
        assert f"keeper{time}=Petra" in said
    steps = 9 * times - 2
    assert f"Completed {steps} steps ({steps} successful)" in said
    assert f"(Compacted {steps} steps)" in said
    assert len(history) == 3


def test_fault_1_a_model_reads_the_whole_earlier_summary_and_what_it_leaves_out_stays() -> None:
    long = f"Petra hid the key {'very ' * 60}deep under the sundial. The code is 4711."
    model = Model(long, "We walked on.")
    compactor = MemoryCompactor(llm_connector=model)
    history = compactor.apply_compaction(quiet("string", 12), compactor.compact(quiet("string", 12)))
    history += quiet("string", 9)
    result = compactor.compact(history)
    assert long in model.asked[1]
    assert "Step 11: " in model.asked[1]
    assert "Step 10: " not in model.asked[1]
    assert result.summary.startswith("We walked on. Earlier: Petra hid the key")
    assert "The code is 4711" in result.summary


def test_fault_1_facts_survive_when_model_and_rules_take_turns() -> None:
    compactor = MemoryCompactor()
    history = quiet("step object", 12, "The code of the door is 4711.", "TypeError: no key")
    for time in range(6):
        compactor.set_llm_connector(Model(f"Moss counted {time + 20} stones.") if time % 2 else None)
        result = compactor.compact(history, task="Guard the doors")
        assert result.used_llm is bool(time % 2)
        history = [*compactor.apply_compaction(history, result), *quiet("step object", 9)]
    said = text(history[0])
    for fact in ("The code of the door is 4711", "TypeError", "Moss counted 21", "Moss counted 23", "Moss counted 25"):
        assert fact in said


def test_fault_1_an_earlier_summarys_own_numbers_are_no_findings() -> None:
    compactor = MemoryCompactor(RULES)
    history = compactor.apply_compaction(quiet("string", 12), compactor.compact(quiet("string", 12)))
    assert "findings" not in compactor.compact([*history, *quiet("string", 9)]).summary


@pytest.mark.parametrize("keep", [0, 1, 2, 5])
def test_fault_3_a_tiny_history_stays_as_it_is_when_forced(keep: int) -> None:
    model = Model("A summary that is a good deal longer than that.")
    compactor = MemoryCompactor(CompactionConfig(preserve_last_n_entries=keep), model)
    history = ["look", "wait"]
    result = compactor.compact(history, force=True)
    assert (result.compacted_entries, result.summary, result.compression_ratio) == (2, "", 0.0)
    assert compactor.apply_compaction(history, result) == history
    assert model.asked == []


@pytest.mark.parametrize(
    "said",
    [
        "0 errors found",
        "No errors.",
        "12 passed, 0 failed",
        "0 failed",
        "errors: 0",
        "error_count=0, done",
        "without any errors",
        "no exceptions were raised",
        "Zero errors, zero exceptions",
        "no tests failed",
        "error: None",
        "in terror I ran",
    ],
)
def test_fault_4_where_no_error_is_said_there_is_none(said: str) -> None:
    summary = MemoryCompactor(RULES).compact([Repl(code="x" * 40, output=said)] * 10).summary
    assert "(8 successful)" in summary
    assert "issues" not in summary


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("KeyError: 'x'", "KeyError"),
        ("0 rows\nTraceback (most recent call last): TypeError", "TypeError"),
        ("Step 0 failed", "Error"),
        ("errors: 12", "Error"),
        ("errors: 0.5", "Error"),
        ("0 errors found, then IndexError: 3", "IndexError"),
        ("No such file error", "Error"),
        ("FAILED", "Error"),
    ],
)
def test_fault_4_where_an_error_is_said_there_is_one(said: str, kind: str) -> None:
    summary = MemoryCompactor(RULES).compact([Repl(code="x" * 40, output=said)] * 10).summary
    assert "(0 successful)" in summary
    assert summary.endswith(f"Resolved issues: {kind}.")


def test_fault_5_the_number_of_compacted_steps_leaves_out_the_preserved() -> None:
    compactor, history = MemoryCompactor(RULES), chunks(10)
    history = compactor.apply_compaction(history, compactor.compact(history))
    assert history[0].output == "(Compacted 8 steps)"
    history += chunks(10)
    history = compactor.apply_compaction(history, compactor.compact(history))
    assert history[0].output == "(Compacted 18 steps)"


@pytest.mark.parametrize("most", [1, 2, 3, 5])
def test_fault_8_no_summary_has_more_sentences_than_it_may(most: int) -> None:
    said = ["total: 12. Then! More; and a KeyError.", "I met Dr. Moss. He left. TypeError?"]
    history = [Repl(output=one, code="x" * 90, llm_calls=["?"]) for one in said * 6]
    task = "Count. Then count again. Then rest."
    model = Model("- One.\n- two. Three! four? Five.\n- six\n- seven")
    compactor = MemoryCompactor(CompactionConfig(summary_max_sentences=most), model)
    result = compactor.compact(history, task)
    assert result.used_llm
    assert 1 <= sentences(result.summary) <= most
    assert (
        1
        <= sentences(MemoryCompactor(CompactionConfig(summary_max_sentences=most)).compact(history, task).summary)
        <= most
    )
    asked = model.asked[0].partition("Task:")[0] + model.asked[0].rpartition("\n")[2]
    assert set(re.findall(r"\d+", asked)) == {str(most)}
