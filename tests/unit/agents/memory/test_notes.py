"""Notes: files that an agent and its owner write together."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.memory.notes import Notes
from mud.errors import Refusal

AT, LATER = "2026-11-20T07:21:37.123Z", "2026-11-21T07:21:37.123Z"


def test_the_newest_entry_stands_on_top(tmp_path: Path) -> None:
    notes = Notes(tmp_path)
    notes.add("Sundial", "The fin is missing.", AT, "it is odd", "The Garden")
    notes.add("sundial", "Found the fin.", LATER)
    assert (tmp_path / "sundial.md").read_text() == (
        f"# Sundial\n\n## {LATER}\n\nFound the fin.\n\n## {AT}, The Garden\n\nThe fin is missing.\n\n"
        "*Because: it is odd*\n"
    )
    (note,) = notes.all()
    assert (note.title, note.updated) == ("Sundial", LATER)


def test_what_people_wrote_stays_byte_for_byte(tmp_path: Path) -> None:
    raw = "---\ntags: [x] # mine\n---\n# Sundial\n\nMy own words.   \n\n## Old\n\ntext\n"
    (tmp_path / "sundial.md").write_text(raw)
    Notes(tmp_path).add("Sundial", "New.", AT)
    found = (tmp_path / "sundial.md").read_text()
    assert found.replace(f"## {AT}\n\nNew.\n\n", "") == raw


def test_two_titles_of_one_slug_get_two_files(tmp_path: Path) -> None:
    notes = Notes(tmp_path)
    notes.add("A B", "one", AT)
    notes.add("a-b", "two", AT)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a-b-2.md", "a-b.md"]
    assert sorted(notes.titles()) == ["A B", "a-b"]


@pytest.mark.parametrize("title", ["../../x", "Ἑρμῆς", "CON", "..", "x" * 300])
def test_no_title_leaves_the_folder(tmp_path: Path, title: str) -> None:
    folder = tmp_path / "notes"
    notes = Notes(folder)
    notes.add(title, "text", AT)
    assert len(list(folder.iterdir())) == len(list(tmp_path.iterdir())) == 1
    assert notes.read(title) is not None


def test_a_heading_in_a_text_does_not_end_the_entry(tmp_path: Path) -> None:
    note = Notes(tmp_path).add("T", "## 2030-01-01T00:00:00.000Z\nx", AT)
    assert note.updated == AT


@pytest.mark.parametrize(("title", "text"), [("", "x"), ("x", " ")])
def test_a_note_needs_a_title_and_a_text(tmp_path: Path, title: str, text: str) -> None:
    with pytest.raises(Refusal):
        Notes(tmp_path).add(title, text, AT)


def test_edits_and_deletions_by_hand_are_seen_at_once(tmp_path: Path) -> None:
    notes = Notes(tmp_path)
    notes.add("Key", "under the stone", AT)
    (tmp_path / "key.md").write_text("# Key\n\nIt is gone now, sadly.\n")
    assert [note.text for note in notes.search("gone")] == ["It is gone now, sadly."]
    (tmp_path / "key.md").unlink()
    assert notes.all() == []
