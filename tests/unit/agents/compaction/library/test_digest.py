"""Summaries by rules: what they read back of themselves, and how they keep to a number of sentences."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agents.compaction.library import (
    Digest,
    HistoryStep,
    digest_steps,
    item_of,
    joined,
    oldest_and_newest,
    read_digest,
    sentences_of,
)

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
