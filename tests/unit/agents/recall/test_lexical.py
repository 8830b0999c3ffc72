from __future__ import annotations

import logging
import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.memory.entries import Entry
from agents.recall import tables
from agents.recall.documents import IndexedDocument, Unread
from agents.recall.lexical import LexicalIndex, read_progress
from agents.recall.question import ParsedQuestion, content_words
from agents.recall.ranking import FoundDocument
from agents.recall.searching import gather
from agents.recall.tables import IndexProgress
from mud.world.events import WHISPERED
from tests.disks import file_size_limit
from tests.examples import examples
from tests.unit.agents.recall.lives import entry, found, keys, life, progress, seqs, sync

Open = Callable[..., LexicalIndex]


def test_other_forms_of_a_word_are_found(opened: Open) -> None:
    index = opened()
    index.add({"#1": life("Moss walks slowly.", "The café is closed.", "Éloïse hid the keys.", "Nothing here.")})
    assert seqs(index, "#1", "Who walked?") == [1]
    assert seqs(index, "#1", "CAFE") == [2]
    assert seqs(index, "#1", "Where did Eloise hide a key?") == [3]


def test_a_rare_word_tells_more_than_a_common_one(opened: Open) -> None:
    index = opened()
    index.add({"#1": life(*["Silas talks of rain."] * 50, "Silas owns a lute.", *["Wendell leaves."] * 49)})
    assert seqs(index, "#1", "Does Silas own a lute?")[0] == 51


def test_the_actor_and_the_private_reason_are_found_too_and_the_place_is_not(opened: Open) -> None:
    index = opened()
    reasoned = Entry(2, "2026-01-01T00:00:00.000Z", "did", None, "The Kiln", "Quiet.", "to mourn")
    index.add({"#1": [entry(1, "Good day.", actor="Ulric"), reasoned, entry(3, "So.")]})
    assert seqs(index, "#1", "ulric") == [1]
    assert seqs(index, "#1", "mourning") == [2]
    assert seqs(index, "#1", "kiln") == []


def test_no_agent_finds_what_another_lived(opened: Open) -> None:
    index = opened()
    index.add({"#2": life("The key is mine."), "#1": life("Nothing.", "The key is gone.")})
    sync(index, "#2", [IndexedDocument("notes/key", "note", "my key")])
    assert seqs(index, "#1", "key") == [2]
    assert seqs(index, "#3", "key") == []
    assert keys(index, "#1", "key") == set()


def test_the_whole_memory_comes_back_with_its_neighbours(opened: Open) -> None:
    whole = Entry(3, "2026-01-01T00:00:00.000Z", "said", None, "The Kiln", "key", "a reason", True, 7, 88, WHISPERED)
    index = opened()
    index.add({"#1": [*life("a", "b"), whole, entry(4, "d")]})
    entries = found(index, "#1", "key").entries
    assert entries[3] == whole
    assert set(entries) == {1, 2, 3, 4}


def test_a_hole_stays_one_until_it_is_filled(opened: Open) -> None:
    index, all_of_it = opened(), life("one", "two", "three", "four")
    index.add({"#1": [all_of_it[0], all_of_it[2]]})
    assert index.do(tables.through_of, "#1") == 1
    assert seqs(index, "#1", "three") == [3]
    index.add({"#1": all_of_it[1:]})
    assert index.do(tables.through_of, "#1") == 4
    assert seqs(index, "#1", "three") == [3]


def _texts(index: LexicalIndex) -> dict[int, str]:
    entries = index.do(lambda db: tables.entries_of(db, tables.number_of(db, "#1"), range(9)))
    return {seq: entry.text for seq, entry in entries.items()}


def test_what_is_indexed_already_is_left_alone(opened: Open) -> None:
    index = opened()
    index.add({"#1": life("one", "two")})
    index.add({"#1": [entry(2, "changed")]})
    assert _texts(index) == {1: "one", 2: "two"}


def test_a_forgotten_life_can_be_begun_again(opened: Open) -> None:
    index = opened()
    index.add({"#1": life("one", "two"), "#2": life("one")})
    index.forget("#1")
    assert (index.do(tables.through_of, "#1"), index.do(tables.through_of, "#2")) == (0, 1)
    index.add({"#1": life("other")})
    assert _texts(index) == {1: "other"}


def test_everything_is_there_again_after_closing(opened: Open) -> None:
    first = opened()
    first.add({"#1": life("the key")})
    first.close()
    second = opened()
    assert seqs(second, "#1", "key") == [1]
    assert second.generation == 0


def test_documents_follow_the_list_they_are_given(opened: Open) -> None:
    index = opened()
    old = IndexedDocument("summaries/recent", "summary", "I saw a fox.", covers=(1, 64))
    note = IndexedDocument("notes/owl", "note", "It hoots.", "An owl")
    assert sync(index, "#1", [old, note]) == []
    assert keys(index, "#1", "fox owl") == {"summaries/recent", "notes/owl"}
    assert keys(index, "#1", "fox owl", ("note",)) == {"notes/owl"}
    assert sync(index, "#1", [note, old]) == []
    edited = replace(old, text="I saw a heron.")
    assert set(sync(index, "#1", [edited])) == {old.vector_id("#1"), note.vector_id("#1")}
    assert keys(index, "#1", "fox owl") == set()
    assert keys(index, "#1", "heron") == {"summaries/recent"}


class Version:
    """A version of a summary in a file that never changes; counts how often it is read."""

    def __init__(self, name: str, text: str, key: str = "s/1") -> None:
        self.document = IndexedDocument(key, "summary", text, covers=(1, 64), file=name)
        self.reads = 0
        self.listed = Unread(name, self.read)

    def read(self) -> IndexedDocument:
        self.reads += 1
        return self.document


def test_a_summary_in_a_file_that_never_changes_is_read_once(opened: Open, tmp_path: Path) -> None:
    index = opened()
    version, gone = Version("a.md", "I saw a fox."), Unread("b.md", lambda: None)
    for _ in range(3):
        assert sync(index, "#1", [version.listed, gone, replace(version.document, file="")]) == []
    assert (version.reads, keys(index, "#1", "fox")) == (1, {"s/1"})
    (tmp_path / ".index" / "lexical.sqlite3").unlink()
    sync(index, "#1", [version.listed])
    assert (version.reads, keys(index, "#1", "fox")) == (2, {"s/1"})
    assert sync(index, "#1", []) == [version.document.vector_id("#1")]
    assert keys(index, "#1", "fox") == set()


def test_of_two_documents_of_one_key_the_later_holds_and_an_edit_gives_way_to_what_it_was_made_from(
    opened: Open,
) -> None:
    index = opened()
    one, two = Version("a.md", "I saw a fox."), Version("b.md", "I saw a heron.")
    edited = replace(two.document, text="I saw an owl.", file="")
    for _ in range(2):
        sync(index, "#1", [one.listed, two.listed])
        assert [keys(index, "#1", word) for word in ("fox", "heron", "owl")] == [set(), {"s/1"}, set()]
    assert two.reads == 1
    for _ in range(2):
        sync(index, "#1", [one.listed, two.listed, edited])
        assert [keys(index, "#1", word) for word in ("fox", "heron", "owl")] == [set(), set(), {"s/1"}]
    sync(index, "#1", [one.listed, two.listed])
    assert [keys(index, "#1", word) for word in ("fox", "heron", "owl")] == [set(), {"s/1"}, set()]


def test_what_waits_for_a_vector_is_counted_until_it_has_one(opened: Open) -> None:
    index = opened()
    documents = [IndexedDocument(f"s/{n}", "summary", f"text {n}", covers=(n * 64 + 1, n * 64 + 64)) for n in range(3)]
    sync(index, "#1", documents)
    assert [record.id for record in index.do(tables.documents_waiting, 2, ())] == [
        one.vector_id("#1") for one in documents[:2]
    ]
    assert progress(index, "#1").summaries_through == 0
    index.do(tables.documents_embedded, [documents[0].vector_id("#1"), documents[2].vector_id("#1")])
    assert (
        progress(index, "#1").summaries_through,
        progress(index, "#1").waiting,
        index.do(tables.all_waiting, False),
    ) == (
        64,
        1,
        (1, 3),
    )
    index.do(tables.documents_embedded, [documents[1].vector_id("#1")])
    assert progress(index, "#1").summaries_through == 192


def test_the_store_and_the_list_are_reconciled(opened: Open) -> None:
    index = opened()
    one, two = (IndexedDocument(f"notes/{name}", "note", name) for name in ("one", "two"))
    sync(index, "#1", [one, two])
    index.do(tables.documents_embedded, [one.vector_id("#1")])
    assert index.do(tables.reconcile, [two.vector_id("#1"), "#1|notes/old|x"]) == ["#1|notes/old|x"]
    assert [record.id for record in index.do(tables.documents_waiting, 9, ())] == [one.vector_id("#1")]


def test_what_only_the_vectors_found_is_there_and_a_stale_vector_is_not(opened: Open) -> None:
    index = opened()
    note = IndexedDocument("notes/owl", "note", "It hoots.", "An owl")
    sync(index, "#1", [note])
    cosines = {note.vector_id("#1"): 0.7, "#1|notes/owl|older": 0.9}
    assert found(index, "#1", "bird", ("note",), {}, cosines).documents == (FoundDocument(note, None, 0.7),)
    assert found(index, "#1", "owl", ("summary",), {}, cosines).documents == ()


def test_a_file_that_vanishes_while_running_is_made_anew(opened: Open, tmp_path: Path) -> None:
    index = opened()
    index.add({"#1": life("the key")})
    before = index.generation
    shutil.rmtree(tmp_path / ".index")
    assert seqs(index, "#1", "key") == []
    assert index.generation == before + 1
    index.add({"#1": life("the key")})
    assert seqs(index, "#1", "key") == [1]


def test_a_broken_file_is_made_anew(opened: Open, tmp_path: Path) -> None:
    index, path = opened(), tmp_path / ".index" / "lexical.sqlite3"
    index.add({"#1": life(*["the key and much more"] * 500)})
    index.close()
    path.write_bytes(b"\xff" * path.stat().st_size)
    assert index.do(tables.through_of, "#1") == 0
    index.add({"#1": life("the key")})
    assert seqs(index, "#1", "key") == [1]


def test_a_file_that_breaks_while_it_is_open_is_never_fatal(opened: Open, tmp_path: Path) -> None:
    index, all_of_it = opened(), life(*[f"the key number {number}" for number in range(3000)])
    index.add({"#1": all_of_it})
    for file in (tmp_path / ".index").glob("lexical.sqlite3*"):
        file.write_bytes(b"\xff" * file.stat().st_size)
    for _ in range(3):
        index.add({"#1": all_of_it})
        assert seqs(index, "#1", "key")
        index.close()
    assert index.do(tables.through_of, "#1") == 3000


def test_an_index_of_another_form_is_made_anew_and_nobody_is_alarmed(
    opened: Open, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / ".index").mkdir()
    db = sqlite3.connect(tmp_path / ".index" / "lexical.sqlite3")
    db.execute("CREATE TABLE agents (name TEXT)")
    db.execute("PRAGMA user_version = 99")
    db.close()
    assert read_progress(tmp_path / ".index" / "lexical.sqlite3", "#1") == IndexProgress()
    index = opened()
    index.add({"#1": life("the key")})
    assert seqs(index, "#1", "key") == [1]
    assert [record.levelname for record in caplog.records if record.levelno > logging.INFO] == []


def test_where_no_file_can_be_the_index_is_kept_in_memory(opened: Open, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    index = opened(tmp_path / "file" / "lexical.sqlite3")
    index.add({"#1": life("the key")})
    assert seqs(index, "#1", "key") == [1]


def test_a_private_copy_goes_on_from_the_file_and_leaves_it_alone(opened: Open, tmp_path: Path) -> None:
    owner = opened()
    owner.add({"#1": life("the key")})
    reader = opened(private=True)
    reader.add({"#1": [entry(2, "the lock")]})
    assert seqs(reader, "#1", "key lock") == [1, 2] or seqs(reader, "#1", "key lock") == [2, 1]
    assert owner.do(tables.through_of, "#1") == 1
    assert read_progress(tmp_path / ".index" / "lexical.sqlite3", "#1").lexical_through == 1
    assert read_progress(tmp_path / "nowhere.sqlite3", "#1").lexical_through == 0
    assert not (tmp_path / "nowhere.sqlite3").exists()


@given(st.lists(st.text(max_size=60), min_size=1, max_size=6), st.text(max_size=60))
@settings(max_examples=examples(60), deadline=None)
def test_any_text_can_be_indexed_and_any_question_asked(texts: list[str], question: str) -> None:
    index = LexicalIndex(Path("never written"), private=True)
    try:
        index.add({"#1": life(*texts)})
        sync(index, "#1", [IndexedDocument(f"notes/{text}", "note", text, text) for text in set(texts)])
        for text in [*texts, question, 'a" OR b', "NEAR(x y) AND NOT *"]:
            groups = {word: {word: 1.0, text: 0.3} for word in [*content_words(text), text]}
            matches = index.do(index.searcher.match, "#1", groups, True, ("summary", "note"), ParsedQuestion(""))
            index.do(gather, "#1", matches, {1: 0.5, 99: 0.4}, {}, ("summary", "note"), 0.4)
        assert index.do(tables.through_of, "#1") == len(texts)
    finally:
        index.close()


@given(st.lists(st.from_regex(r"[a-z]{3,8}( [a-z]{3,8}){1,5}", fullmatch=True), min_size=1, max_size=30, unique=True))
@settings(max_examples=examples(30), deadline=None)
def test_every_memory_is_found_by_its_own_words(texts: list[str]) -> None:
    index = LexicalIndex(Path("never written"), private=True)
    try:
        index.add({"#1": life(*texts)})
        for seq, text in enumerate(texts, 1):
            assert seq in seqs(index, "#1", text)
    finally:
        index.close()


def test_reading_how_far_an_index_is_leaves_no_file_behind(opened: Open, tmp_path: Path) -> None:
    index = opened()
    index.add({"#1": life("the key")})
    path = tmp_path / ".index" / "lexical.sqlite3"
    assert read_progress(path, "#1").lexical_through == 1
    index.close()
    assert [file.name for file in path.parent.iterdir()] == ["lexical.sqlite3"]
    assert read_progress(path, "#1").lexical_through == 1
    assert [file.name for file in path.parent.iterdir()] == ["lexical.sqlite3"]
    path.write_bytes(b"\xff" * 5000)
    assert read_progress(path, "#1") == IndexProgress()


def test_a_note_is_found_by_its_other_names(opened: Open) -> None:
    index = opened()
    note = IndexedDocument(
        "notes/zeppelin", "note", "It lands on Tuesdays.", "Zeppelin", aliases=("Airship", "Old Bag")
    )
    sync(index, "#1", [note])
    assert keys(index, "#1", "Where is the airship?") == {"notes/zeppelin"}
    assert [record.text for record in index.do(tables.documents_waiting, 9, ())] == [
        "Zeppelin, Airship, Old Bag\nIt lands on Tuesdays."
    ]


# -- what waits for its vectors ----------------------------------------------------------------------------------------


def test_memories_wait_for_their_vectors_once_for_each_text(opened: Open) -> None:
    index = opened()
    index.add({"#1": life("Petra yawns.", "A fox.", "Petra yawns.", "An owl.")})
    [(agent, through, records)] = index.do(tables.memories_waiting, 3, "", ())
    assert (agent, through, [record.id for record in records]) == ("#1", 3, ["#1|1", "#1|2"])
    assert (progress(index, "#1").vector_through, progress(index, "#1").waiting) == (0, 4)
    index.do(tables.lives_embedded, [("#1", 3)])
    assert (progress(index, "#1").vector_through, index.do(tables.vectors_expected, "#1")) == (3, 2)
    assert index.do(tables.all_waiting, True) == (1, 4)
    assert index.do(tables.all_waiting, False) == (0, 0)
    [(_, _, records)] = index.do(tables.memories_waiting, 3, "", ())
    assert [record.id for record in records] == ["#1|4"]
    index.do(tables.lives_embedded, [("#1", 99)])
    assert progress(index, "#1").vector_through == 4
    assert index.do(tables.memories_waiting, 3, "", ()) == []


def test_a_stretch_of_repetitions_is_passed_without_a_record(opened: Open) -> None:
    index = opened()
    index.add({"#1": life(*["Petra yawns."] * 5)})
    index.do(tables.lives_embedded, [("#1", 2)])
    assert index.do(tables.memories_waiting, 2, "", ()) == [("#1", 4, [])]


def test_agents_take_turns_for_their_vectors(opened: Open) -> None:
    index = opened()
    index.add({agent: life("one", "two", "three", "four") for agent in ("#1", "#2", "#3")})
    served: list[str] = []
    while waiting := index.do(tables.memories_waiting, 2, served[-1] if served else "", ()):
        [(agent, through, _)] = waiting
        served.append(agent)
        index.do(tables.lives_embedded, [(agent, through)])
    assert served == ["#1", "#2", "#3"] * 2


def test_several_agents_wait_together_with_so_many_records_in_all(opened: Open) -> None:
    index = opened()
    index.add({agent: life("one", "two", "three", "four") for agent in ("#1", "#2", "#3")})
    index.do(tables.lives_embedded, [("#2", 3)])
    waiting = index.do(tables.memories_waiting, 6, "#1", ["#4"], 9)
    assert [(agent, through, len(records)) for agent, through, records in waiting] == [
        ("#2", 4, 1),
        ("#3", 4, 4),
        ("#1", 1, 1),
    ]
    assert [agent for agent, _, _ in index.do(tables.memories_waiting, 99, "", ["#1"], 1)] == ["#2"]


def test_lost_vectors_wait_again(opened: Open) -> None:
    index = opened()
    note = IndexedDocument("notes/owl", "note", "It hoots.", "An owl")
    index.add({"#1": life("one"), "#2": life("one")})
    sync(index, "#1", [note])
    index.do(tables.documents_embedded, [note.vector_id("#1")])
    index.do(tables.lives_embedded, [("#1", 1)])
    index.do(tables.lives_embedded, [("#2", 1)])
    index.do(tables.forget_vectors, "#1")
    assert (
        progress(index, "#1").waiting,
        progress(index, "#2").waiting,
        index.do(tables.vectors_expected, "#1"),
    ) == (2, 0, 0)
    index.do(tables.forget_vectors)
    assert (progress(index, "#1").waiting, progress(index, "#2").waiting) == (2, 1)
    assert index.do(tables.agents_of) == ["#1", "#2"]


def test_a_forgotten_life_leaves_nothing_behind(opened: Open) -> None:
    index = opened()
    index.add({"#1": life("Petra yawns.", "Petra yawns.")})
    assert seqs(index, "#1", "yawns") == [2, 1]
    index.do(tables.lives_embedded, [("#1", 2)])
    index.forget("#1")
    assert seqs(index, "#1", "yawns") == []
    assert (
        progress(index, "#1"),
        index.do(tables.vectors_expected, "#1"),
        index.do(tables.memories_waiting, 9, "", ()),
    ) == (IndexProgress(), 0, [])
    index.add({"#1": life("A fox.", "Petra yawns.")})
    assert seqs(index, "#1", "yawns") == [2]
    assert found(index, "#1", "yawns").times == {}


# -- a disk without room -----------------------------------------------------------------------------------------------


def herons(first: int, last: int) -> list[Entry]:
    at = "2026-01-01T00:00:00.000Z"
    return [Entry(seq, at, "heard", None, None, f"The {seq}. heron, h{seq}.") for seq in range(first, last + 1)]


@pytest.mark.parametrize("before", [0, 500])
def test_on_a_full_disk_it_goes_on_in_memory(opened: Open, caplog: pytest.LogCaptureFixture, before: int) -> None:
    index = opened()
    index.add({"#1": herons(1, before)})
    with file_size_limit(300_000):
        for first in range(before + 1, before + 2000, 100):
            # From where it says that it is: a copy may lack what was never written down.
            start = index.do(tables.through_of, "#1") + 1
            index.add({"#1": herons(start, first + 99)})
            assert index.do(tables.through_of, "#1") == first + 99
            assert seqs(index, "#1", f"h{first}")[0] == first
        assert progress(index, "#1").lexical_through == before + 2000
        assert seqs(index, "#1", "h1")[0] == 1
    assert [record.levelname for record in caplog.records if "in memory" in record.message] == ["WARNING"]
    assert [record for record in caplog.records if record.levelno > logging.WARNING] == []


def test_after_a_full_disk_the_file_is_used_as_it_was_left(opened: Open, tmp_path: Path) -> None:
    index = opened()
    index.add({"#1": herons(1, 100)})
    with file_size_limit(1000):
        index.add({"#1": herons(101, 101)})
        # What could not be copied comes from whoever fills it.
        index.add({"#1": herons(index.do(tables.through_of, "#1") + 1, 200)})
        assert index.do(tables.through_of, "#1") == 200
    index.close()
    again = opened()
    assert again.do(tables.through_of, "#1") == 100
    again.add({"#1": herons(101, 200)})
    assert seqs(again, "#1", "h200")[0] == 200


def test_where_no_index_can_be_kept_that_alone_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / ".index").write_text("in the way")
    index = LexicalIndex(tmp_path / ".index/lexical.sqlite3")
    index.add({"#1": herons(1, 5)})
    assert seqs(index, "#1", "h3")[0] == 3
    (said,) = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert said.startswith(f"No index can be kept in {tmp_path / '.index'} (")
