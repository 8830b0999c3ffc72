"""The form of a note's file: whoever wrote it, with whatever editor."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.memory.note_form import entry_text, is_blank, new_file, read_note, with_entry, with_newest, with_only
from mud.sanitize import sanitize
from mud.storage.documents import examine_document, open_fence

AT, LATER = "2026-11-20T07:21:37.123Z", "2026-11-21T07:21:37.123Z"

MARKDOWN = st.lists(
    st.sampled_from(["# T", "## Old", f"## {AT}", "prose", "", "```", "~~~", "[[Key]]", "---", "  # x", "a: [[b]]"])
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), max_size=12).map(sanitize),
    max_size=12,
).map("\n".join)
FILES = st.builds(
    lambda front, body, end: (front + body).replace("\n", end),
    st.sampled_from(["", "---\ntags: [x] # mine\n---\n", "---\nbroken: [[x]]\n---\n", "---\nno end\n", "\ufeff"]),
    MARKDOWN,
    st.sampled_from(["\n", "\r\n"]),
)
TEXTS = MARKDOWN.filter(lambda text: bool(text.strip()))


@given(FILES, TEXTS)
def test_an_entry_is_put_in_whole_and_nothing_else_changes(raw: str, text: str) -> None:
    entry = entry_text(text, LATER, None, "The Garden")
    after = with_entry(raw, entry)
    put = entry.replace("\n", "\r\n") if "\r\n" in raw else entry
    before, _, rest = after.partition(put)
    assert before + put + rest == after
    assert raw.startswith(before.rstrip("\r\n")) or not before.strip()
    assert (before + rest).replace("\r", "").replace("\n", "") == raw.replace("\r", "").replace("\n", "")


@given(FILES, TEXTS)
def test_the_new_entry_is_the_first_dated_one_whatever_it_says(raw: str, text: str) -> None:
    note = read_note(with_entry(raw, entry_text(text, LATER, "why not", "The Garden")), "slug")
    assert note is not None
    first = next(section for section in note.sections if section.at)
    assert (first.at, first.place) == (LATER, "The Garden")
    # What a fence without an end swallows goes with the entry above it.
    if open_fence(examine_document(raw, "")[0].body) is None:
        assert first.reason == "why not"
        assert first.text.replace("\\", "").split() == text.replace("\\", "").split()


@given(FILES, TEXTS)
def test_an_entry_alone_leaves_front_matter_and_title_and_nothing_else(raw: str, text: str) -> None:
    before = read_note(raw, "slug")
    after = read_note(with_only(raw, entry_text(text, LATER, None, None)), "slug")
    assert after is not None
    (only,) = after.sections
    assert only.text.replace("\\", "").split() == text.replace("\\", "").split()
    if before is not None:
        assert (after.title, after.aliases) == (before.title, before.aliases)


@given(FILES)
def test_any_file_can_be_read(raw: str) -> None:
    note = read_note(raw, "slug")
    assert (note is None) == is_blank(raw)
    if note is not None:
        assert note.title
        assert "\r\n" not in note.text
        assert all(section.heading or section.text for section in note.sections)


HUGE = 200_000
"""Characters of a gap in a file that somebody, or some program, made."""


def test_a_gap_of_any_length_in_an_entry_is_read() -> None:
    note = read_note(f"# Key\n\n## {AT}\n\nfirst{HUGE * chr(10)}last\n\n*Because: odd*{HUGE * chr(10)}", "key")
    assert note is not None
    (section,) = note.sections
    assert (section.at, section.reason) == (AT, "odd")
    assert section.text == f"first{HUGE * chr(10)}last"


@pytest.mark.parametrize("blank", [" ", "\t", " \t"])
def test_a_heading_with_a_gap_of_any_length_is_read(blank: str) -> None:
    gap = blank * (HUGE // len(blank))
    raw = f"# The{gap}Key{gap}\n\n## {AT},{gap}The{gap}Pier{gap}\n\ntext\n\n## Old{gap}ones\n\nmore\n"
    note = read_note(raw, "key")
    assert note is not None
    assert (note.title, note.updated) == (f"The{gap}Key", AT)
    dated, old = note.sections
    assert (dated.place, dated.text) == (f"The{gap}Pier", "text")
    assert (old.heading, old.text) == (f"Old{gap}ones", "more")
    assert with_entry(raw, "entry\n") == raw.replace(f"## {AT}", f"entry\n\n## {AT}")


REASONS = st.lists(
    st.sampled_from(["*Because: odd*", "*Because: *", "*Because: a* b*", "*Because:", "prose", "*", "", " ", "\t"])
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=6).map(sanitize),
    max_size=8,
).map("\n".join)


@given(REASONS)
def test_a_reason_is_what_the_last_line_with_words_says(body: str) -> None:
    note = read_note(f"# T\n\n## {AT}\n\n{body}", "t")
    assert note is not None
    section = note.sections[0]
    lines = body.replace("\r\n", "\n").rstrip().split("\n")
    if all(line == "" or not line.lstrip().startswith(("#", "`", "~")) for line in lines):
        said = re.fullmatch(r"\*Because: (.+)\*", lines[-1])
        assert section.reason == (said[1] if said else None)
        assert section.text == "\n".join(lines[:-1] if said else lines).strip()


def test_a_note_of_an_editor_is_read_with_its_names_and_time() -> None:
    raw = "---\r\naliases: [The Fin, Gnomon]\r\nupdated: 2026-05-03 14:00\r\n---\r\n# Sundial\r\n\r\nMine.\r\n"
    note = read_note(raw, "sundial")
    assert note is not None
    assert (note.title, note.text, note.updated) == ("Sundial", "Mine.", "2026-05-03T14:00:00.000Z")
    assert note.aliases == ("The Fin", "Gnomon")


@pytest.mark.parametrize("front", ["aliases: Gnomon", "Aliases:\n  - Gnomon", "alias: [Gnomon]"])
def test_further_names_are_read_in_every_form_an_editor_writes(front: str) -> None:
    note = read_note(f"---\n{front}\n---\ntext\n", "sundial")
    assert note is not None
    assert note.aliases == ("Gnomon",)


@pytest.mark.parametrize(
    ("heading", "at", "place"),
    [
        ("2026-05-03", "2026-05-03T00:00:00.000Z", None),
        ("2026-05-03 14:00, The Pier", "2026-05-03T14:00:00.000Z", "The Pier"),
        ("2026-05-03T14:00:01.500Z", "2026-05-03T14:00:01.500Z", None),
        ("2026-05-03T14:00+02:00", "2026-05-03T12:00:00.000Z", None),
        ("2026-13-41", "", None),
        ("On 2026-05-03", "", None),
    ],
)
def test_a_date_that_people_write_dates_an_entry(heading: str, at: str, place: str | None) -> None:
    note = read_note(f"# T\n\n## {heading}\n\ntext\n", "t")
    assert note is not None
    (section,) = note.sections
    assert (section.at, section.place, note.updated) == (at, place, at)


def test_links_are_found_once_each_and_not_in_code() -> None:
    text = "[[Key]] and ![[key]], [[The Pot|it]], [[a\\|b]], [[Pier#Steps]]\n```\n[[Code]]\n```\n[[]] [[#top]]"
    note = read_note(f"# T\n\n{text}\n", "t")
    assert note is not None
    assert note.links == ["Key", "The Pot", "a", "Pier", "#top"]


def test_a_new_file_reads_as_it_was_written() -> None:
    entry = entry_text("The fin is missing.", AT, "it is odd", "The Garden")
    assert new_file("Sundial", entry) == (
        f"# Sundial\n\n## {AT}, The Garden\n\nThe fin is missing.\n\n*Because: it is odd*\n"
    )


def test_a_tag_stays_a_tag() -> None:
    assert "\n#garden is nice\n" in entry_text("#garden is nice", AT, None, None)
    assert "\n\\# garden\n" in entry_text("# garden", AT, None, None)


@given(FILES, st.integers(0, 3), st.integers(0, 6))
def test_of_many_dreams_the_newest_stay_and_all_that_people_wrote(raw: str, keep: int, many: int) -> None:
    after = raw = raw.replace("\ufeff", "").replace(f"## {AT}", "## Once")
    for number in range(many):
        after = with_entry(after, entry_text(f"> Entry {number}.", AT, None, "The Garden"))
    left = with_newest(after, keep)
    assert with_newest(left, keep) == left
    lines = [line for line in after.splitlines() if not line.startswith(("> Entry ", "## 20"))]
    rest = [line for line in left.splitlines() if not line.startswith(("> Entry ", "## 20"))]
    assert [line for line in rest if line] == [line for line in lines if line]
    assert len(re.findall(r"^> Entry \d\.", left, re.M)) >= min(keep, many)


def test_a_dream_that_people_added_to_stays() -> None:
    raw = new_file("T", "".join(entry_text(f"> Entry {number}.", AT, None, None) + "\n" for number in range(4)))
    assert re.findall(r"Entry \d", with_newest(raw, 2)) == ["Entry 0", "Entry 1"]
    added = raw.replace("Entry 3.", "Entry 3.\n\nMine!")
    assert re.findall(r"Entry \d", with_newest(added, 2)) == ["Entry 0", "Entry 1", "Entry 3"]
    assert re.findall(r"Entry \d", with_newest(raw.replace("\n", "\r\n"), 2)) == ["Entry 0", "Entry 1"]


def test_what_was_noted_in_plain_words_among_the_dreams_stays() -> None:
    raw = new_file("Dreams", entry_text("Ask Moss what a heron means.", AT, None, None) + "\n")
    for number in range(4):
        raw = with_newest(with_entry(raw, entry_text(f"> Dream {number}.", AT, None, None)), 2)
    assert "Ask Moss what a heron means." in raw
    assert re.findall(r"Dream \d", raw) == ["Dream 3", "Dream 2"]
