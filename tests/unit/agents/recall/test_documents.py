from __future__ import annotations

from dataclasses import replace

from agents.memory.note_form import Note
from agents.memory.summaries import Summary
from agents.recall.documents import IndexedDocument, documents_of, record_of, versions_of

SUMMARY = IndexedDocument(
    "summaries/recent-20261120-072137",
    "summary",
    "I spent the morning in the Library with Moss.",
    covers=(66, 129),
    timestamp="2026-11-20T07:21:37.123Z",
)


def test_beside_a_summary_stands_what_the_founding_document_names() -> None:
    assert SUMMARY.metadata("#2001") == {
        "type": "memory_summary",
        "timestamp": "2026-11-20T07:21:37.123Z",
        "memory_range_start": 66,
        "memory_range_end": 129,
        "memory_count": 64,
        "summary_text": "I spent the morning in the Library with Moss.",
        "agent": "#2001",
        "key": "summaries/recent-20261120-072137",
    }


def test_a_note_is_embedded_with_its_title() -> None:
    note = IndexedDocument("notes/key", "note", "Under the pot.", "The key")
    record = record_of("#1", note.vector_id("#1"), note)
    assert record.text == "The key\nUnder the pot."
    assert record.metadata == {"agent": "#1", "key": "notes/key", "timestamp": "", "type": "note", "title": "The key"}


def test_whatever_changes_makes_another_vector() -> None:
    others = [
        replace(SUMMARY, text="I slept."),
        replace(SUMMARY, covers=(66, 130)),
        replace(SUMMARY, timestamp="2026-11-20T07:21:38.000Z"),
        replace(SUMMARY, key="summaries/recent"),
    ]
    ids = {one.vector_id("#1") for one in [SUMMARY, *others]} | {SUMMARY.vector_id("#2")}
    assert len(ids) == 6
    assert replace(SUMMARY).vector_id("#1") == SUMMARY.vector_id("#1")


def test_a_text_with_half_a_character_can_be_indexed() -> None:
    broken = IndexedDocument("notes/\ud800", "note", "half \udfff", "t\ud800")
    record = record_of("#1", broken.vector_id("#1"), broken)
    (record.id + record.text + str(record.metadata)).encode()
    assert len(record.digest) == 64


def test_summaries_and_notes_become_documents() -> None:
    older = Summary("recent", (1, 65), "I woke.")
    longterm = Summary("longterm", (1, 65), "Long ago I woke.")
    found = documents_of([older, longterm], [Note("The key", "the-key", "Under the pot.", "")])
    assert [(one.key, one.text, one.covers) for one in found] == [
        ("summaries/recent-1-65", "I woke.", (1, 65)),
        ("summaries/longterm-1-65", "Long ago I woke.", (1, 65)),
        ("notes/the-key", "Under the pot.", None),
    ]
    assert (found[0].kind, found[2].kind, found[2].title) == ("summary", "note", "The key")


def test_a_version_is_read_when_it_is_asked_for() -> None:
    there = {"recent-1.md": Summary("recent", (1, 65), "I woke.")}
    whole, broken = versions_of(["recent-1.md", "recent-2.md"], there.get)
    assert whole.read() == IndexedDocument(
        "summaries/recent-1-65", "summary", "I woke.", covers=(1, 65), file=whole.file
    )
    assert (whole.file, broken.read()) == ("recent-1.md", None)
