"""What gets a vector: memories, summaries and notes, as plain values that can cross to the child process.

Refuses to read files: whoever owns the summaries and notes hands them over as a full list.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

from agents.recall.passages import passages, place_of
from mud.errors import LociError, Unavailable

if TYPE_CHECKING:  # the child process, which loads this module, needs no storage
    from agents.memory.entries import Entry
    from agents.memory.notes import Note
    from agents.memory.summaries import Summary

SUMMARY = "summary"
NOTE = "note"
DREAMS = "dreams"
"""The file of the note into which dreams are written."""
MEMORY = "memory"
"""The `type` that stands beside a memory's vector."""


READ = 4000
"""Characters of a passage that are embedded; only those of a very long text have more, and no model reads so far."""


class StoreFailed(LociError):
    """The vectors' store cannot go on; a new child process with a new store can."""


class FolderGone(StoreFailed):
    """Somebody deleted the store's folder, as anybody may: no failure, and the next one is filled again."""


class NoRoom(StoreFailed):
    """There is no room for the vectors of one agent more; those that are there are no worse for it."""


class EmbedderMissing(Unavailable):
    """The embedder cannot be had here, and another try will not change that."""


class EmbedderAway(Unavailable):
    """The server that embeds gives nothing of use now; it may later."""


@dataclass(frozen=True, slots=True)
class Bill:
    """What a server did for us.

    Args:
        calls: requests that it answered.
        tokens: tokens that it read.
    """

    calls: int = 0
    tokens: int = 0

    def __add__(self, other: Bill) -> Bill:
        return Bill(self.calls + other.calls, self.tokens + other.tokens)


def clean(text: str) -> str:
    """Return the text without lone surrogates, which neither SQLite nor a tokenizer takes."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


@dataclass(frozen=True)
class IndexedDocument:
    """One summary or note of one agent.

    Args:
        key: what names it among the agent's documents, such as `summaries/recent-20261120-072137` or `notes/the-key`.
        kind: `summary` or `note`.
        text: all of its text.
        title: the title of a note; empty for a summary.
        aliases: other names of a note.
        covers: first and last memory of a summary; None for a note.
        timestamp: when it was last written, as `2026-11-20T07:21:37.123Z`.
        file: the name of the file that it stands in, should that never change; else empty.
    """

    key: str
    kind: str
    text: str
    title: str = ""
    covers: tuple[int, int] | None = None
    timestamp: str = ""
    aliases: tuple[str, ...] = ()
    file: str = ""

    @property
    def names(self) -> str:
        """Its title and its other names."""
        return ", ".join(one for one in (self.title, *self.aliases) if one)

    @cached_property
    def digest(self) -> str:
        """A hash of all that is indexed of it: another one means that the document must be indexed anew."""
        parts = [self.key, self.kind, self.text, self.names, self.covers, self.timestamp]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24]

    def vector_id(self, agent_id: str) -> str:
        """Return the id of its vector: one that names agent, key and content, so that a stale vector is never hit."""
        return f"{agent_id}|{clean(self.key)}|{self.digest}"

    def metadata(self, agent_id: str) -> dict[str, str | int]:
        """Return what stands beside its vector; a summary's keys are those of the founding document."""
        text_of: dict[str, str | int] = {"agent": agent_id, "key": clean(self.key), "timestamp": self.timestamp}
        if self.kind == NOTE:
            return text_of | {"type": "note", "title": clean(self.title)}
        first, last = self.covers or (0, 0)
        return text_of | {
            "type": "memory_summary",
            "memory_range_start": first,
            "memory_range_end": last,
            "memory_count": last - first + 1 if self.covers else 0,
            "summary_text": clean(self.text),
        }


class Unread(NamedTuple):
    """A summary in a file that never changes: it is read only where the index does not have it yet.

    Args:
        file: the file's name.
        read: gives the summary; None when there is none in it.
    """

    file: str
    read: Callable[[], IndexedDocument | None]


Listed = IndexedDocument | Unread
"""A document, or where it stands."""


@dataclass(frozen=True, slots=True)
class Record:
    """One document on its way into the vectors' store.

    Args:
        id: the id of its vector.
        text: what is embedded.
        metadata: what stands beside the vector.
    """

    id: str
    text: str
    metadata: dict[str, str | int] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """The hash of the embedded text: the same text is never embedded twice by one model."""
        return digest_of(self.text)


class Query(NamedTuple):
    """What is asked of the vectors' store.

    Args:
        text: the question.
        agent: whose life.
        memories: whether memories are wanted.
        types: the types of documents that are wanted.
        most: how many at most of memories, and of documents.
    """

    text: str
    agent: str
    memories: bool = True
    types: tuple[str, ...] = ()
    most: int = 10


def digest_of(text: str) -> str:
    """Return the hash of a text that is embedded."""
    return hashlib.sha256(text.encode()).hexdigest()


def record_of(agent_id: str, vector_id: str, document: IndexedDocument) -> Record:
    """Return what the vectors' store gets of a document."""
    text = clean(f"{document.names}\n{document.text}" if document.names else document.text)
    return Record(vector_id, text, document.metadata(agent_id))


def text_of(entry: Entry) -> str:
    """Return what is embedded of a memory: its text, and who said it where the text does not tell.

    A line without its speaker is found half as often: among the first ten 0.32 of the evidence on the development
    data by vectors alone, with "Somebody says" before it 0.52.
    """
    text, actor = clean(entry.text), entry.actor
    if not actor or actor in text or actor.casefold() in text.casefold():
        return text
    actor = clean(actor)
    return f'{actor} says, "{text}"' if entry.kind in ("heard", "told") else f"{actor}: {text}"


def memory_id(agent_id: str, seq: int, part: int | None = None) -> str:
    """Return the id of the vector of a text that was first lived in this memory.

    Args:
        agent_id: whose.
        seq: the memory's number.
        part: which of its passages, from 0; None when it has only one.
    """
    return f"{agent_id}|{seq}" if part is None else f"{agent_id}|{seq}.{part}"


def agent_of(vector_id: str) -> str:
    """Return the agent whose text the id of a vector names."""
    return vector_id.split("|", 1)[0]


def place_named(vector_id: str) -> int:
    """Return the place of the passage that the id of a memory's vector names; see `passages`."""
    seq, _, part = vector_id.rsplit("|", 1)[1].partition(".")
    return place_of(int(seq), int(part or 0))


def memory_record(agent_id: str, entry: Entry, part: int | None = None) -> Record:
    """Return what the vectors' store gets of a memory, or of one of its passages, whose text `entry` then has."""
    text = text_of(entry) if part is None else text_of(entry)[:READ]
    return Record(memory_id(agent_id, entry.seq, part), text, {"agent": agent_id, "type": MEMORY})


def memory_records(agent_id: str, entry: Entry) -> list[Record]:
    """Return what the vectors' store gets of a memory: a record for each of its passages."""
    texts = passages(clean(entry.text))
    if len(texts) == 1:
        return [memory_record(agent_id, entry)]
    return [memory_record(agent_id, entry._replace(text=text), part) for part, text in enumerate(texts)]


def documents_of(summaries: Iterable[Summary], notes: Iterable[Note]) -> list[IndexedDocument]:
    """Return an agent's summaries and notes in the form that recall takes.

    Args:
        summaries: those to be found.
        notes: all notes; that of the dreams is none of what is known, and is left out.
    """
    # The file of the dreams may have another name by now.
    written = [_note_document(note) for note in notes if DREAMS not in (note.slug, note.title.casefold())]
    return [*map(summary_document, summaries), *written]


@lru_cache(maxsize=1 << 11)
def _note_document(note: Note) -> IndexedDocument:
    """Return a note in the form that recall takes; whenever one changes all of them are asked for, and hashed."""
    return IndexedDocument(f"notes/{note.slug}", NOTE, note.text, note.title, None, note.updated, note.aliases)


def summary_document(summary: Summary, file: str = "") -> IndexedDocument:
    """Return a summary in the form that recall takes.

    Args:
        summary: the summary.
        file: the name of the file it stands in, should that never change.
    """
    key = f"summaries/{summary.tier}-{summary.covers[0]}-{summary.covers[1]}"
    return IndexedDocument(key, SUMMARY, summary.text, covers=summary.covers, timestamp=summary.updated, file=file)


def versions_of(names: Iterable[str], version: Callable[[str], Summary | None]) -> list[Unread]:
    """Return versions of summaries, not read yet.

    Args:
        names: of their files.
        version: gives the summary in a file; None when there is none.
    """

    def read(name: str) -> IndexedDocument | None:
        found = version(name)
        return summary_document(found, name) if found is not None else None

    return [Unread(name, partial(read, name)) for name in names]
