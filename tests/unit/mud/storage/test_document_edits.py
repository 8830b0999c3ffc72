from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mud.errors import VaultProblem
from mud.sanitize import sanitize
from mud.storage.document_edits import (
    add_item,
    as_meant,
    kept_from_marking,
    remove_key,
    remove_section,
    replace_description,
    replace_entry,
    replace_section,
    replace_title,
)
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


# ---- title, description, keys and entries ----

PLACE = """---
id: "#1003"
exits:
  south: "[[The Lobby]]"   # the wide door
  # not built yet: east
  ladder: "[[The Loft]]"
# what follows is ours
aliases: [hall]
---
# The Hall

Wide and cold.

Two chairs.

## When lit
Warm.
"""
HEAD, BODY = PLACE.split("# The Hall", 1)


def test_a_title_is_changed_in_its_line_alone() -> None:
    assert replace_title(PLACE, "The Great Hall") == PLACE.replace("# The Hall", "# The Great Hall")
    assert replace_title("#  Ann  \r\nx", "Bea") == "#  Bea  \r\nx"
    assert replace_title("---\nid: a\n---\ntext\n", "Bea") == "---\nid: a\n---\n# Bea\ntext\n"


def test_a_description_is_the_text_under_the_title() -> None:
    wanted = PLACE.replace("Wide and cold.\n\nTwo chairs.", "Small.\n\nOne chair.")
    assert replace_description(PLACE, "Small.\n\nOne chair.") == wanted
    assert replace_description("# Ann\n", "Tall.") == "# Ann\n\nTall.\n"
    assert replace_description("# Ann", "Tall.") == "# Ann\n\nTall.\n"
    assert replace_description("# Ann\n\nTall.\n", "") == "# Ann\n"
    assert replace_description("---\nid: x\n---\n", "Tall.") == "---\nid: x\n---\n\nTall.\n"


def test_a_description_with_a_heading_of_its_own_is_changed_there() -> None:
    text = "# Ann\n\n## Description\nTall.\n\n## Profile\nx\n"
    assert replace_description(text, "Small.") == text.replace("Tall.", "Small.")


def test_text_above_a_title_is_told_and_nothing_is_changed() -> None:
    with pytest.raises(VaultProblem, match="above the title"):
        replace_description("Look here.\n# Ann\n\nTall.\n", "Small.", "world/items/ann.md")


@given(st.text(st.sampled_from("ab #`~\\-:\n\t[]|é名"), max_size=60))
def test_any_description_comes_back_and_the_rest_stays(words: str) -> None:
    after = replace_description(PLACE, words)
    document = parse_document(after, "f")
    assert as_meant(document.intro) == words.strip()
    assert document.section("When lit") == "Warm."
    assert after.startswith(HEAD)


def test_a_key_goes_with_its_lines_and_no_others() -> None:
    assert remove_key(PLACE, "aliases") == PLACE.replace("aliases: [hall]\n", "")
    assert parse_document(remove_key(PLACE, "exits"), "f").front == {"id": "#1003", "aliases": ["hall"]}
    assert "# what follows is ours" in remove_key(PLACE, "exits")
    assert remove_key(PLACE, "fixed") == PLACE


def test_an_exit_is_one_line_and_the_others_keep_their_comments() -> None:
    added = replace_entry(PLACE, "exits", "north", "[[The Yard]]")
    assert added == PLACE.replace('Loft]]"\n', 'Loft]]"\n  north: "[[The Yard]]"\n')
    assert replace_entry(added, "exits", "north", None) == PLACE
    assert replace_entry(PLACE, "exits", "ladder", "[[The Attic]]") == PLACE.replace("The Loft", "The Attic")
    assert replace_entry(PLACE, "exits", "up", None) == PLACE


def test_the_first_entry_makes_the_key_and_the_last_one_takes_it_along() -> None:
    bare = "---\nid: x\n---\n# A\n"
    one = replace_entry(bare, "exits", "north", "[[B]]")
    assert one == '---\nid: x\nexits:\n  north: "[[B]]"\n---\n# A\n'
    assert replace_entry(one, "exits", "north", None) == bare
    empty = "---\nid: x\nexits:\n---\n# A\n"
    assert parse_document(replace_entry(empty, "exits", "up", "[[B]]"), "f").front["exits"] == {"up": "[[B]]"}


@pytest.mark.parametrize("held", ['{south: "[[B]]"}', '{ "s o": "[[B]]", up: "[[C]]" }', '\n  south:\n    "[[B]]"'])
def test_entries_written_in_other_ways_are_changed_too(held: str) -> None:
    text = f"---\nexits: {held}\nid: x\n---\n# A\n"
    before = parse_document(text, "f").front
    after = parse_document(replace_entry(text, "exits", "north", "[[D]]"), "f").front
    assert after == {**before, "exits": {**before["exits"], "north": "[[D]]"}}  # type: ignore[dict-item]


NAMES = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=12).map(sanitize).filter(str.strip)


@given(st.dictionaries(NAMES, NAMES, max_size=4), NAMES, st.none() | NAMES, st.sampled_from(["\n", "\r\n"]))
def test_any_entry_is_set_and_nothing_else_changes(
    entries: dict[str, str], name: str, value: str | None, newline: str
) -> None:
    text = replace_key("---\nid: x # c\n---\n# A\n".replace("\n", newline), "exits", entries or None)
    after = replace_entry(text, "exits", name, value)
    wanted = {one: to for one, to in entries.items() if one != name or value is None}
    wanted = {one: to for one, to in wanted.items() if one != name} if value is None else entries | {name: value}
    front = parse_document(after, "f").front
    assert (front.get("exits") or {}) == wanted
    assert after.startswith(f"---{newline}id: x # c{newline}")
    assert after.endswith(f"---{newline}# A{newline}")


# ---- sections taken out, and items ----


def test_a_section_is_taken_out_with_its_heading() -> None:
    assert remove_section(PLACE, "when LIT") == PLACE.partition("\n## When lit")[0]
    assert remove_section(FILE, "Description").count("## Description") == 0
    assert remove_section(PLACE, "Rules") == PLACE


def test_an_item_is_added_below_the_others_or_put_in_place_of_its_like() -> None:
    one = add_item("# clock\n", "Verbs", "wind: You wind it.")
    assert one == "# clock\n\n## Verbs\n- wind: You wind it.\n"
    two = add_item(one, "Verbs", "hit: It rings.", instead_of="hit:")
    assert two == "# clock\n\n## Verbs\n- wind: You wind it.\n- hit: It rings.\n"
    assert add_item(two, "verbs", "Wind: It is wound.", instead_of="Wind:") == two.replace(
        "wind: You wind it.", "Wind: It is wound."
    )
