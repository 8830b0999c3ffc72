"""What entries of every form say, and the entry that a summary becomes."""

from __future__ import annotations

from typing import Any

import pytest

from agents.compaction.library import SummaryEntry, as_text, steps_of, summary_entry, summary_lines
from tests.unit.agents.compaction.library.histories import FORMS, Repl, form

LINES = summary_lines("She found 12 coins.", 8)


@pytest.mark.parametrize("form_of", FORMS)
@pytest.mark.parametrize("with_comment", [True, False])
def test_a_summary_entry_is_read_back_in_every_form(form_of: str, with_comment: bool) -> None:
    entry = summary_entry(form(form_of, "x"), summary_lines("She found 12 coins.", 8, with_comment), "now")
    (step,) = steps_of([entry])
    assert (step.is_summary, step.summary, step.stands_for) == (True, "She found 12 coins.", 8)
    assert step.chars <= len(as_text(LINES))


def test_a_summary_without_its_number_stands_for_one() -> None:
    (step,) = steps_of(["[COMPACTED] She found 12 coins."])
    assert (step.summary, step.stands_for) == ("She found 12 coins.", 1)


def test_an_entry_that_speaks_of_compaction_is_no_summary() -> None:
    step, other = steps_of(["I read [COMPACTED] (Compacted 8 steps)", Repl(output="[COMPACTED] x (Compacted 8 steps)")])
    assert not step.is_summary
    assert not other.is_summary
    assert (step.stands_for, other.stands_for) == (1, 1)


@pytest.mark.parametrize(
    ("entry", "chars", "calls"),
    [
        ("four", 4, 0),
        ({"text": "four", "llm_calls": ["a", "b"]}, 4, 2),
        ({"reasoning": "a", "code": None, "output": 12, "llm_calls": 3}, 3, 3),
        ({"text": None, "output": "four"}, 4, 0),
        (Repl("a", "bc", "def", ["x"]), 6, 1),
        (SummaryEntry(*LINES, as_text(LINES), "now"), len(as_text(LINES)), 0),
    ],
)
def test_an_entry_is_as_long_as_its_text_or_its_three_parts(entry: Any, chars: int, calls: int) -> None:
    (step,) = steps_of([entry])
    assert (step.chars, step.calls) == (chars, calls)


def test_a_mapping_gets_the_further_keys_that_its_history_has() -> None:
    assert summary_entry({"text": "x"}, LINES, "now") == {"text": as_text(LINES)}
    full = summary_entry({"output": "x", "llm_calls": [1], "timestamp": "then"}, LINES, "now")
    assert list(full.items()) == [
        *zip(("reasoning", "code", "output"), LINES, strict=True),
        ("llm_calls", []),
        ("timestamp", "now"),
    ]
