"""The library as one who only has the package sees it."""

from __future__ import annotations

import doctest
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import agents.compaction
from agents.compaction import CompactionConfig
from agents.compaction.library import (
    Digest,
    HistoryStep,
    SummaryEntry,
    as_text,
    digest_steps,
    item_of,
    joined,
    oldest_and_newest,
    read_digest,
    sentences_of,
    steps_of,
    summary_entry,
    summary_lines,
)
from mud.errors import UnknownName
from tests.unit.agents.compaction.library.histories import FORMS, Repl, form
from tests.vaults import ROOT

HEAVY = (
    "asyncio",
    "yaml",
    "numpy",
    "chromadb",
    "httpx",
    "mud.storage",
    "mud.engine.engine",
    "agents.memory",
    "agents.llm",
)


def test_the_example_of_the_package_runs_as_it_is_written() -> None:
    ran = doctest.testmod(agents.compaction)
    assert (ran.failed, ran.attempted) == (0, 11)


def test_importing_it_brings_neither_world_nor_disk_nor_net() -> None:
    program = f"import sys, agents.compaction; print([name for name in {HEAVY!r} if name in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_its_settings_are_read_in_either_order() -> None:
    for first, second in (
        ("agents.compaction", "agents.compaction.settings"),
        ("agents.compaction.settings", "agents"),
    ):
        subprocess.run([sys.executable, "-c", f"import {first}, {second}"], cwd=ROOT, check=True)


def test_the_defaults_are_those_of_the_seed() -> None:
    assert CompactionConfig() == CompactionConfig(5, 10, 8000, 3, 2, True, True, True)


@pytest.mark.parametrize(
    ("name", "least", "entries", "chars", "keep", "sentences", "model"),
    [
        ("aggressive", 3, 6, 4000, 1, 2, True),
        ("high_throughput", 3, 5, 3000, 1, 2, False),
        ("long_research", 8, 15, 15_000, 3, 4, True),
        ("small_context", 2, 4, 2000, 1, 1, False),
        ("context_8k", 5, 5, 3000, 2, 3, True),
        ("off", 999, 999, 999_999, 2, 3, True),
    ],
)
def test_a_preset_is_the_recipe_that_the_seed_gives(
    name: str, least: int, entries: int, chars: int, keep: int, sentences: int, model: bool
) -> None:
    assert CompactionConfig.preset(name) == CompactionConfig(
        least, entries, chars, sentences, keep, use_llm_for_summary=model
    )


def test_a_preset_that_is_none_is_answered_with_those_there_are() -> None:
    with pytest.raises(UnknownName, match=r"there is no preset 'turbo'; there is: aggressive, .*, off"):
        CompactionConfig.preset("turbo")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"summary_max_sentences": 0}, "summary_max_sentences is 0; the least is 1"),
        ({"preserve_last_n_entries": -1}, "preserve_last_n_entries is -1; the least is 0"),
        ({"max_chars_before_compaction": "8000"}, "max_chars_before_compaction is '8000'; expected a whole number"),
        ({"max_entries_before_compaction": True}, "max_entries_before_compaction is True; expected a whole number"),
        ({"use_llm_for_summary": 1}, "use_llm_for_summary is 1; expected True or False"),
    ],
)
def test_a_setting_that_cannot_be_is_refused_with_a_sentence(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises((TypeError, ValueError), match=said):
        CompactionConfig(**wrong)


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


_ITEMS = st.lists(st.text(max_size=60).map(item_of).filter(bool), max_size=6, unique=True)
_DIGESTS = st.builds(
    Digest,
    task=st.text(max_size=100).map(item_of),
    steps=st.integers(1, 500),
    successful=st.none() | st.integers(0, 500),
    calls=st.integers(0, 99),
    findings=_ITEMS.map(tuple),
    issues=st.frozensets(st.sampled_from(["Error", "KeyError", "TypeError"])),
    earlier=_ITEMS.map(tuple),
)


@given(_DIGESTS, st.integers(1, 6))
def test_a_summary_by_rules_is_read_back_as_it_was(digest: Digest, most: int) -> None:
    assert read_digest(joined(digest.parts(), most), digest.steps) == digest


@given(_DIGESTS, _DIGESTS)
def test_what_comes_after_an_earlier_digest_holds_all_of_it(earlier: Digest, later: Digest) -> None:
    both = later.after(earlier)
    assert {*both.findings} == {*earlier.findings, *later.findings}
    assert both.findings[: len(earlier.findings)] == earlier.findings
    assert both.issues == earlier.issues | later.issues
    assert {*earlier.earlier, *later.earlier} <= {*both.earlier}
    assert (both.steps, both.calls) == (earlier.steps + later.steps, earlier.calls + later.calls)


def test_another_task_does_not_make_the_earlier_one_forgotten() -> None:
    both = Digest(task="Paint the wall").after(Digest(task="Count the coins"))
    assert both.parts() == ["Working on: Paint the wall", "Earlier: worked on Count the coins"]


def test_what_a_text_does_not_tell_again_is_known() -> None:
    digest = Digest(findings=("lines=1024", "doors=7"), issues=frozenset({"KeyError"}), earlier=("Petra hid the key",))
    rest = digest.untold("There were 1,024 lines, and the key was hidden by Petra.")
    assert (rest.findings, rest.issues, rest.earlier) == (("doors=7",), frozenset({"KeyError"}), ())


def test_the_oldest_and_the_newest_stay_where_not_all_fit() -> None:
    items = [f"item {number}" for number in range(9)]
    assert oldest_and_newest(items, 999) == (items[:5], items[5:])
    assert oldest_and_newest(items, 30) == (items[:3], items[7:])
    assert oldest_and_newest(["x" * 50], 10) == (["x" * 10], [])


def test_sentences_are_found_in_lists_and_wrapped_lines() -> None:
    assert sentences_of("He went\nhome. She\n\nstayed") == ["He went home.", "She", "stayed"]
    assert sentences_of("- one\n2. two\n* Dr. Moss came") == ["one", "two", "Dr. Moss came"]
    assert sentences_of('"Go." he said. then') == ['"Go."', "he said.", "then"]
    assert sentences_of(" \n . ") == []


def test_a_long_output_takes_no_long_time() -> None:
    steps = [HistoryStep("", "", one * 50_000, 0, True) for one in ("a", "a_", " ", "0", ",", "error_", ";.", "no ")]
    assert digest_steps(steps, "", True).steps == len(steps)
