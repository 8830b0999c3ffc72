"""Changing one section of an `agent.md`: it reads as it was meant, and nothing else in the file reads otherwise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.definition import as_meant, kept_from_marking, replace_section
from mud.errors import VaultProblem
from mud.sanitize import sanitize
from mud.storage.documents import examine_document, parse_document, replace_key

FILE = """---
# who she is
id: "#2001"   # never change it
brain: auto
---
# Eliza

Prose of people.

## Description
A small woman.

## Profile

You keep the garden.
<!-- and the gate -->

## Something else
```
## Profile
in a block of code
```
"""

ODD = [
    "one line",
    "two\nlines",
    "a paragraph\n\nand another",
    "---",
    "---\nid: '#1'\n---",
    "## Profile",
    "before\n## Profile\nafter",
    "before\n  ## Description   \nafter",
    "# Eliza\n## x\n### y",
    "\\## Profile\n\\\\## Profile",
    "```\nopen",
    "~~~~",
    "a: b # c, [[link]] | bar {brace}",
    "Größe, 名前, \N{CRAB} and \u202f thin spaces",
    "-> arrow",
    "\\",
]


def said(text: str, heading: str) -> str:
    """Return what a section says, as a definition reads it."""
    return as_meant((parse_document(text, "f").section(heading) or "").strip())


@pytest.mark.parametrize("words", ODD)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_odd_words_come_back_as_they_were_and_nothing_else_changes(words: str, newline: str) -> None:
    before = FILE.replace("\n", newline)
    after = replace_section(before, "Profile", words)
    assert said(after, "Profile").replace("\r\n", "\n") == words
    old, new = before.split("You keep", 1)[0], before.split("the gate -->", 1)[1]
    assert after.startswith(old)
    assert after.endswith(new)
    assert replace_section(after, "Profile", "You keep the garden.\n<!-- and the gate -->") == before


@given(
    st.text(st.sampled_from("ab #`~\\-:\n\t\r[]|é名"), max_size=60), st.sampled_from(["Profile", "Description", "New"])
)
def test_any_words_come_back_and_a_second_change_leaves_no_trace_of_the_first(words: str, heading: str) -> None:
    clean = words.replace("\r", "").strip()
    after = replace_section(FILE, heading, clean)
    assert said(after, heading) == clean
    others = [name for name in ("Description", "Profile", "Something else") if name != heading]
    assert [said(after, name) for name in others] == [said(FILE, name) for name in others]
    assert not clean or replace_section(after, heading, "x") == replace_section(FILE, heading, "x")


@given(st.text(max_size=80))
def test_what_is_kept_from_marking_is_read_as_it_was_meant(words: str) -> None:
    assert as_meant(kept_from_marking(words)) == words


@given(st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=80).map(sanitize))
def test_any_goal_comes_back_and_comments_and_prose_stay(goal: str) -> None:
    after = replace_key(FILE, "goal", goal)
    assert parse_document(after, "f").front["goal"] == goal
    assert [line for line in after.splitlines() if not line.startswith("goal:")] == FILE.splitlines() or "\x85" in goal
    assert after.split("---\n# Eliza", 1)[1] == FILE.split("---\n# Eliza", 1)[1]


@pytest.mark.parametrize("text", ["# Ann\n\n## Profile", "# Ann\n\n## Profile\n", "# Ann\n## profile\n\n\n"])
def test_an_empty_section_is_filled_whatever_ends_the_file(text: str) -> None:
    after = replace_section(text, "Profile", "You row.")
    assert said(after, "Profile") == "You row."
    assert after.endswith("You row.\n") or after.endswith("You row.\n\n")


def test_an_empty_section_in_the_middle_keeps_its_distance() -> None:
    text = "# Ann\n\n## Description\n\n## Profile\nx\n"
    assert replace_section(text, "Description", "Tall.") == "# Ann\n\n## Description\nTall.\n\n## Profile\nx\n"


def test_a_missing_section_is_added_at_the_end() -> None:
    assert replace_section("# Ann\n", "Profile", "You row.") == "# Ann\n\n## Profile\nYou row.\n"


def test_several_sections_of_one_heading_become_one() -> None:
    text = "# Ann\n\n## Profile\none\n\n## Description\nd\n\n## Profile\ntwo\n"
    after = replace_section(text, "Profile", "three")
    assert after == "# Ann\n\n## Profile\nthree\n\n## Description\nd\n\n"


def test_a_block_of_code_that_is_never_closed_is_told_and_nothing_is_changed() -> None:
    text = "# Ann\n\n## Description\n```\nd\n\n## Profile\nhidden\n"
    with pytest.raises(VaultProblem, match="every block of code"):
        replace_section(text, "Profile", "You row.", "agents/ann/agent.md")


def test_a_front_matter_with_a_mistake_is_told() -> None:
    assert examine_document("---\nid: [\n---\n# Ann\n", "f")[1]
    with pytest.raises(VaultProblem):
        replace_section("---\nid: [\n---\n# Ann\n", "Profile", "You row.")
