"""Notes: files that an agent and its owner write together."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.memory.notes import Links, Notes
from mud.errors import Refusal
from mud.storage.files import READ_LIMIT, write_atomic

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
    assert [note.text for note in notes.all()] == ["It is gone now, sadly."]
    (tmp_path / "key.md").rename(tmp_path / "lock.md")
    assert [note.slug for note in notes.all()] == ["lock"]
    (tmp_path / "lock.md").unlink()
    assert notes.all() == []


def test_an_entry_goes_to_the_note_that_people_gave_this_name(tmp_path: Path) -> None:
    (tmp_path / "My Dial.md").write_text("---\naliases: [Gnomon]\n---\n# Sundial\n\nMine.\n")
    notes = Notes(tmp_path)
    assert notes.add("gnomon", "one", AT).slug == notes.add("SUNDIAL", "two", AT).slug == "My Dial"
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("front", ["---\naliases: [[x]]\n---\n", "---\nno end\n"])
def test_a_front_matter_with_a_mistake_hides_no_note(tmp_path: Path, front: str) -> None:
    (tmp_path / "key.md").write_text(f"{front}# Key\n\nMine.\n")
    notes = Notes(tmp_path)
    assert [note.title for note in notes.all()] == ["Key"]
    notes.add("key", "one", AT)
    assert (tmp_path / "key.md").read_text().startswith(f"{front}# Key\n\nMine.\n")


def test_a_blank_file_of_an_editor_is_filled(tmp_path: Path) -> None:
    (tmp_path / "key.md").write_text("\n")
    notes = Notes(tmp_path)
    assert notes.all() == []
    notes.add("Key", "one", AT)
    assert (tmp_path / "key.md").read_text() == f"# Key\n\n## {AT}\n\none\n"


@pytest.mark.parametrize("write", [Notes.add, Notes.overwrite])
def test_a_file_that_is_no_text_is_left_alone(tmp_path: Path, write: Callable[[Notes, str, str, str], object]) -> None:
    (tmp_path / "key.md").write_bytes(b"\xff\xfe")
    write(Notes(tmp_path), "Key", "one", AT)
    assert (tmp_path / "key.md").read_bytes() == b"\xff\xfe"
    assert (tmp_path / "key-2.md").exists()


def test_a_note_without_room_is_refused_and_stays(tmp_path: Path) -> None:
    raw = "# Key\n" + "x" * (READ_LIMIT - 8)
    (tmp_path / "key.md").write_text(raw)
    with pytest.raises(Refusal, match="no room"):
        Notes(tmp_path).add("Key", "one", AT)
    assert (tmp_path / "key.md").read_text() == raw


def test_an_overwritten_text_is_kept_byte_for_byte_and_is_no_note(tmp_path: Path) -> None:
    raw = b"---\r\ntags: [x] # mine\r\n---\r\n# Sundial\r\n\r\nMy own words.   \r\n\r\n## Old\r\n\r\ntext\r\n"
    (tmp_path / "sundial.md").write_bytes(raw)
    notes = Notes(tmp_path)
    _, kept = notes.overwrite("sundial", "New.", AT, "why not", "The Garden")
    assert kept
    assert (tmp_path / "history/sundial-20261120-072137.md").read_bytes() == raw
    assert (tmp_path / "sundial.md").read_bytes().decode() == (
        "---\r\ntags: [x] # mine\r\n---\r\n# Sundial\r\n\r\n"
        f"## {AT}, The Garden\r\n\r\nNew.\r\n\r\n*Because: why not*\r\n"
    )
    assert notes.titles() == ("Sundial",)
    (version,) = notes.versions("Sundial")
    assert (version.file, version.at) == ("history/sundial-20261120-072137.md", "2026-11-20T07:21:37.000Z")
    assert version.note.text.startswith("My own words.")


def test_overwriting_what_is_not_there_writes_it_and_keeps_nothing(tmp_path: Path) -> None:
    notes = Notes(tmp_path)
    note, kept = notes.overwrite("Key", "one", AT)
    assert (note.text.split()[-1], kept) == ("one", False)
    assert [path.name for path in tmp_path.iterdir()] == ["key.md"]
    assert notes.versions("Key") == []


def test_what_somebody_saves_while_a_note_is_overwritten_is_kept_too(tmp_path: Path) -> None:
    path = tmp_path / "key.md"
    path.write_text("# Key\n\nfirst\n")

    def write(target: Path, text: str) -> None:
        if "first" in text:
            path.write_text("# Key\n\nsaved meanwhile\n")
        write_atomic(target, text)

    notes = Notes(tmp_path, write)
    assert notes.overwrite("Key", "new", AT)[0].text.endswith("new")
    assert {version.note.text for version in notes.versions("Key")} == {"first", "saved meanwhile"}


def test_an_overwrite_that_cannot_be_kept_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "key.md"
    path.write_text("# Key\n\nfirst\n")
    (tmp_path / "history").write_text("in the way")
    with pytest.raises(OSError, match="Not a directory"):
        Notes(tmp_path).overwrite("Key", "new", AT)
    assert path.read_text() == "# Key\n\nfirst\n"


def test_versions_come_last_first_and_are_those_of_this_note_alone(tmp_path: Path) -> None:
    notes = Notes(tmp_path)
    for number in range(12):
        notes.overwrite("Key", f"text {number}", AT)
    notes.overwrite("Key", "text 12", LATER)
    for number in range(2):
        notes.overwrite("Key 2", f"other {number}", LATER)
    found = [version.note.text.split()[-1] for version in notes.versions("key")]
    assert found == [str(number) for number in reversed(range(12))]
    assert len(notes.versions("Key 2")) == 1


def test_versions_are_found_after_a_renaming_by_hand_and_when_the_note_is_gone(tmp_path: Path) -> None:
    notes = Notes(tmp_path)
    notes.add("Key", "one", AT)
    notes.overwrite("Key", "two", AT)
    (tmp_path / "key.md").rename(tmp_path / "my-key.md")
    assert len(notes.versions("Key")) == 1
    (tmp_path / "my-key.md").unlink()
    (tmp_path / "history" / "mine.md").write_text("no version")
    assert len(notes.versions("Key")) == 1


def test_versions_of_a_note_in_a_second_file_of_its_slug_are_found_after_a_renaming(tmp_path: Path) -> None:
    notes = Notes(tmp_path)
    for title in ("A B", "a-b"):
        notes.add(title, f"old {title}", AT)
        notes.overwrite(title, "new", AT)
    (tmp_path / "a-b-2.md").rename(tmp_path / "other.md")
    assert [version.note.text.split("\n")[-1] for version in notes.versions("a-b")] == ["old a-b"]
    assert [version.note.text.split("\n")[-1] for version in notes.versions("A B")] == ["old A B"]


@pytest.fixture
def impatient() -> Iterator[None]:
    """Have threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("impatient")
def test_notes_are_read_in_one_thread_while_they_are_written_in_another(tmp_path: Path) -> None:
    for number in range(200):
        (tmp_path / f"old-{number}.md").write_text(f"# Old {number}\n\ntext\n")
    notes, written = Notes(tmp_path), 60

    def look() -> list[int]:
        return [len(notes.all()) for _ in range(written)]

    with ThreadPoolExecutor(1) as other:
        seen = other.submit(look)
        for number in range(written):
            note = notes.add(f"New {number}", f"text {number}", AT)
            assert note.text.endswith(f"text {number}")
            assert notes.read(f"New {number}") == note
        counts = seen.result()
    assert counts == sorted(counts)
    assert set(notes.titles()) == {f"Old {number}" for number in range(200)} | {f"New {n}" for n in range(written)}


def test_a_text_of_the_same_length_written_in_the_same_moment_is_seen(tmp_path: Path) -> None:
    notes = Notes(tmp_path)
    for number in range(10, 40):
        assert notes.overwrite("Key", str(number), AT)[0].text.endswith(str(number))
        assert [note.text.split()[-1] for note in notes.all()] == [str(number)]


def test_links_follow_an_edit_by_hand(tmp_path: Path) -> None:
    notes = Notes(tmp_path)
    key, pot = notes.add("Key", "In the [[Pot]].", AT), notes.add("Pot", "Of clay.", AT)
    assert notes.links(pot).back == ("Key",)
    (tmp_path / "key.md").write_text("# Key\n\nIt is gone from there.\n")
    assert notes.links(pot).back == ()
    (tmp_path / "pot.md").unlink()
    assert notes.links(key).unwritten == ("Pot",)


TITLES = st.sampled_from(["Key", "key", "Sun dial", "sun-dial", "CON"])
WORDS = st.text(st.characters(exclude_categories=["C", "Z"], exclude_characters="\\"), min_size=1, max_size=8)


@given(st.lists(st.tuples(st.sampled_from(["add", "overwrite", "edit"]), TITLES, WORDS), max_size=12))
def test_nothing_that_was_ever_written_is_lost(acts: list[tuple[str, str, str]]) -> None:
    with TemporaryDirectory() as name:
        folder, edits = Path(name), list[str]()
        notes = Notes(folder)
        for number, (act, title, word) in enumerate(acts):
            text = f"{number} {word}"
            if act == "edit" and (note := notes.read(title)):
                path = folder / f"{note.slug}.md"
                edits.append(path.read_text("utf-8") + text)
                path.write_text(edits[-1], "utf-8")
            elif act == "add":
                notes.add(title, text, AT)
            else:
                notes.overwrite(title, text, AT)
        kept = [path.read_text("utf-8") for path in folder.rglob("*.md")]
        for number, (_, _, word) in enumerate(acts):
            assert any(f"{number} {word}" in text for text in kept)


def test_links_and_back_links_lead_to_notes_by_title_further_name_or_file(tmp_path: Path) -> None:
    notes = Notes(tmp_path)
    key = notes.add("The Key", "Opens the [[boathouse]] of [[Nobody]], see [[the  KEY]].", AT)
    (tmp_path / "shed.md").write_text(
        "---\naliases: Boathouse\n---\n# Old Shed\n\n[[the-key|It]] is [[Old Shed|here]].\n"
    )
    shed = notes.read("boathouse")
    assert shed is not None
    assert notes.links(key) == Links(to=("Old Shed",), unwritten=("Nobody",), back=("Old Shed",))
    assert notes.links(shed) == Links(to=("The Key",), unwritten=(), back=("The Key",))


def test_a_title_goes_before_a_further_name_of_another_note(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\naliases: Key\n---\n# Lock\n\nMine.\n")
    (tmp_path / "b.md").write_text("# Key\n\nMine.\n")
    for name, slug in (("KEY", "b"), ("lock", "a"), ("a", "a"), ("b", "b")):
        found = Notes(tmp_path).read(name)
        assert found is not None
        assert found.slug == slug


def test_a_part_of_a_title_means_the_notes_that_have_it(tmp_path: Path) -> None:
    notes = Notes(tmp_path)
    for title in ("The Brass Key", "The Iron Key", "Key"):
        notes.add(title, "x", AT)
    assert [note.title for note in notes.meant("iron")] == ["The Iron Key"]
    assert [note.title for note in notes.meant("KEY")] == ["Key"]
    assert {note.title for note in notes.meant("ke")} == {"Key"}
    assert notes.meant("zeppelin") == []


def test_the_titles_follow_whoever_puts_a_note_in_renames_or_takes_it_away(tmp_path: Path) -> None:
    notes = Notes(tmp_path)
    assert notes.titles() == ()
    notes.add("Sundial", "The fin is missing.", AT)
    assert notes.titles() == ("Sundial",)
    (tmp_path / "key.md").write_text(f"# Key\n\n## {LATER}\n\nIt opens.\n")
    assert notes.titles() == ("Key", "Sundial")
    (tmp_path / "sundial.md").rename(tmp_path / "dial.md")
    (tmp_path / "key.md").unlink()
    assert notes.titles() == ("Sundial",)
    (tmp_path / "dial.md").write_text("# Dial\n\nEdited in its place.\n")
    assert [note.title for note in notes.all()] == [*notes.titles()] == ["Dial"]


def test_what_was_just_written_is_known_as_the_file_says_it(tmp_path: Path) -> None:
    notes = Notes(tmp_path)
    with notes.in_bulk():
        for number in range(5):
            notes.add(f"Title {number % 3}", f"Line {number} of [[Title 0]].", AT)
    notes.add("Title 9", "Outside of bulk.", LATER)
    afresh = Notes(tmp_path)
    assert notes.all() == afresh.all()
    assert notes.titles() == afresh.titles()
    title = notes.read("title 0")
    assert title is not None
    assert notes.links(title) == afresh.links(title)


@given(
    st.lists(st.tuples(st.sampled_from(("Sundial", "Sun", "Well", "Moss")), st.sampled_from((AT, LATER))), max_size=9)
)
def test_a_note_that_was_written_stands_where_a_look_at_the_folder_finds_it(acts: list[tuple[str, str]]) -> None:
    with TemporaryDirectory() as folder:
        notes = Notes(Path(folder))
        for title, at in acts:
            notes.add(title, "Seen.", at)
            assert notes.titles() == Notes(Path(folder)).titles()
