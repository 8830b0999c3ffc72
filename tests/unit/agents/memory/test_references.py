from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.memory.entries import Reference, read_reference, reference
from agents.memory.summaries import Summary, parse_summary, render_summary
from mud.storage.documents import parse_document


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("120", ("", 120, 120)),
        ("120-133", ("", 120, 133)),
        ("120 – 133", ("", 120, 133)),
        ("#120", ("", 120, 120)),
        ("eliza#120-133", ("eliza", 120, 133)),
        ("Old Pike #3-4", ("Old Pike", 3, 4)),
        ("#2001#7", ("#2001", 7, 7)),
        ("[eliza#66-129]", ("eliza", 66, 129)),
        ("133-120", ("", 133, 120)),
    ],
)
def test_a_reference_is_read_as_people_and_masks_write_it(text: str, found: tuple[str, int, int]) -> None:
    assert read_reference(text) == Reference(*found)


@pytest.mark.parametrize("text", ["", "eliza", "eliza#", "1-", "-3", "1-2-3", "one", "9" * 13, "1" * 9999, "1.5", "١-"])
def test_what_is_no_reference_is_none(text: str) -> None:
    assert read_reference(text) is None


@given(owner=st.from_regex(r"[a-z0-9][a-z0-9-]{0,20}", fullmatch=True), ends=st.tuples(*[st.integers(1, 10**9)] * 2))
def test_what_is_written_is_read_back(owner: str, ends: tuple[int, int]) -> None:
    assert read_reference(reference(owner, *ends)) == Reference(owner, *ends)


def test_a_summary_says_where_its_memories_are_and_reads_back_the_same() -> None:
    summary = Summary("recent", (66, 129), "I sat in the Library.")
    raw = render_summary(summary, (), "eliza")
    assert parse_document(raw, "recent.md").front["reference"] == "eliza#66-129"
    assert read_reference("eliza#66-129") == Reference("eliza", 66, 129)
    assert parse_summary(raw, "recent", "recent.md") == summary
