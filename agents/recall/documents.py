"""What gets a vector: memories, summaries and notes, as plain values that can cross to the child process; its errors.

A long text is found by its passages: a passage is a stretch of the text as it stands, of whole lines where they are
short enough, else of whole sentences, else of words; a short text is its own only passage. Measured on conversations
regrouped into long memories, on such by one speaker, and on short lines between long answers (README, "Recall"):
passages of 250 to 400 characters found as much, those of 120 and of 800 less.

No file is read here: whoever owns the summaries and notes hands them over as a full list.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

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
MAX_EMBEDDED = 4000
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
    """Requests that a server answered for us, and tokens that it read."""

    calls: int = 0
    tokens: int = 0

    def __add__(self, other: Bill) -> Bill:
        return Bill(self.calls + other.calls, self.tokens + other.tokens)


def clean(text: str) -> str:
    """Return the text without lone surrogates, which neither SQLite nor a tokenizer takes."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


# -- passages ---------------------------------------------------------------------------------------------------------

LONG = 600
"""Characters up to which a text is its own only passage; a line of talk rarely has more."""
PASSAGE = 300
"""Characters of a passage, at most, while `MAX_PASSAGES` of them are enough for the text."""
MAX_PASSAGES = 64
"""Passages of one text; in a longer one they grow instead, so that every word stays in one and none is work for ever.
It is a power of two, because it numbers rows of the index."""
CACHED_LENGTH = 10_000
"""Characters of a long text whose passages are kept in RAM for the next question, of the last thousand texts."""
_PART_SHIFT = 32
"""Bits of a memory's number in a place."""
_MEMORY_MASK = (1 << _PART_SHIFT) - 1

_SENTENCE = re.compile(r"[^\n]+?(?:[.!?…]{1,8}[\"'”’)\]]{0,4}(?=\s)|$)\s*|\n\s*", re.MULTILINE)
"""A sentence with what follows it, or a blank beginning of a line."""


def place_of(seq: int, part: int = 0) -> int:
    """Return the number of a passage: that of its memory for the first, one above all of those for others."""
    return part << _PART_SHIFT | seq


def memory_of(place: int) -> int:
    """Return the number of the memory that a passage is of."""
    return place & _MEMORY_MASK


def part_of(place: int) -> int:
    """Return which passage of its memory it is, from 0."""
    return place >> _PART_SHIFT


def place_beside(place: int, step: int, parts: Mapping[int, int]) -> int:
    """Return the place so many passages further on, in the same memory or another; 0 before the first.

    Args:
        place: a passage.
        step: passages, at most as many as memories that come before; back below 0.
        parts: how many passages the long memories around it have.
    """
    if not parts:
        return place + step
    seq, part = memory_of(place), part_of(place)
    for _ in range(abs(step)):
        part += 1 if step > 0 else -1
        if part < 0:
            seq -= 1
            part = parts.get(seq, 1) - 1
        elif part >= parts.get(seq, 1):
            seq, part = seq + 1, 0
        if seq < 1:
            return 0
    return place_of(seq, part)


def passages(text: str) -> tuple[str, ...]:
    """Return the passages of a text, in order; together they are all of it but blanks between them."""
    if len(text) <= LONG:
        return (text,)
    return _cached_cut(text) if len(text) <= CACHED_LENGTH else _cut(text)


def _cut(text: str) -> tuple[str, ...]:
    # Two in a row are always more than one may have: half of `MAX_PASSAGES` times the size is enough for all of it.
    size = max(PASSAGE, -(-len(text) // (MAX_PASSAGES // 2 - 1)))
    cuts = [0]
    end = 0
    for first, last in _units(text, size):
        if last - cuts[-1] > size and first > cuts[-1]:
            cuts.append(first)
        end = last
    found = (text[first:last].strip() for first, last in zip(cuts, [*cuts[1:], end], strict=True))
    return tuple(one for one in found if one) or (text,)


_cached_cut = lru_cache(maxsize=1 << 10)(_cut)


def _units(text: str, size: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of what is not cut: lines, sentences of longer lines, words of longer sentences."""
    first = 0
    for line in text.splitlines(keepends=True):
        last = first + len(line)
        if len(line) <= size:
            yield first, last
        else:
            for sentence in _SENTENCE.finditer(text, first, last):
                yield from _cut_sentence(text, *sentence.span(), size)
        first = last


def _cut_sentence(text: str, first: int, last: int, size: int) -> Iterator[tuple[int, int]]:
    while last - first > size:
        blank = text.rfind(" ", first + 1, first + size)
        end = blank + 1 if blank > first else first + size
        yield first, end
        first = end
    yield first, last


# -- summaries and notes ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class IndexedDocument:
    """One summary or note of one agent.

    Args:
        key: what names it among the agent's documents, such as `summaries/recent-20261120-072137` or `notes/the-key`.
        kind: `summary` or `note`.
        text: all of its text.
        title: the title of a note; empty for a summary.
        covers: first and last memory of a summary; None for a note.
        timestamp: when it was last written, as `2026-11-20T07:21:37.123Z`.
        aliases: other names of a note.
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
        common: dict[str, str | int] = {"agent": agent_id, "key": clean(self.key), "timestamp": self.timestamp}
        if self.kind == NOTE:
            return common | {"type": "note", "title": clean(self.title)}
        first, last = self.covers or (0, 0)
        return common | {
            "type": "memory_summary",
            "memory_range_start": first,
            "memory_range_end": last,
            "memory_count": last - first + 1 if self.covers else 0,
            "summary_text": clean(self.text),
        }


class Unread(NamedTuple):
    """A summary in a file that never changes, by the file's name: it is read only where the index does not have it.

    `read` gives the summary; None when there is none in the file.
    """

    file: str
    read: Callable[[], IndexedDocument | None]


Listed = IndexedDocument | Unread


def documents_of(summaries: Iterable[Summary], notes: Iterable[Note]) -> list[IndexedDocument]:
    """Return an agent's summaries and notes as documents, without the note of its dreams, which is no knowledge."""
    # The file of the dreams may have another name by now.
    written = [_note_document(note) for note in notes if DREAMS not in (note.slug, note.title.casefold())]
    return [*map(summary_document, summaries), *written]


@lru_cache(maxsize=1 << 11)
def _note_document(note: Note) -> IndexedDocument:
    """Cached, as all notes are asked for and hashed whenever one changes."""
    return IndexedDocument(f"notes/{note.slug}", NOTE, note.text, note.title, None, note.updated, note.aliases)


def summary_document(summary: Summary, file: str = "") -> IndexedDocument:
    """Return a summary as a document; `file` is the name of the file it stands in, should that never change."""
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


# -- what crosses to the child process --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Record:
    """A text on its way into the vectors' store.

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
    """A question to the vectors' store.

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
    """Return what is embedded of a memory: its text, and who said it where the text does not name them.

    A line without its speaker is found half as often: among the first ten 0.32 of the evidence on the development
    data by vectors alone, with "Somebody says" before it 0.52.
    """
    text, actor = clean(entry.text), entry.actor
    if not actor or actor in text or actor.casefold() in text.casefold():
        return text
    actor = clean(actor)
    return f'{actor} says, "{text}"' if entry.kind in ("heard", "told") else f"{actor}: {text}"


def memory_id(agent_id: str, seq: int, part: int | None = None) -> str:
    """Return the id of the vector of a memory, or of one of its passages when it has several."""
    return f"{agent_id}|{seq}" if part is None else f"{agent_id}|{seq}.{part}"


def agent_of(vector_id: str) -> str:
    """Return the agent whose text the id of a vector names."""
    return vector_id.split("|", 1)[0]


def place_named(vector_id: str) -> int:
    """Return the place of the passage that the id of a memory's vector names."""
    seq, _, part = vector_id.rsplit("|", 1)[1].partition(".")
    return place_of(int(seq), int(part or 0))


def memory_records(agent_id: str, entry: Entry) -> list[Record]:
    """Return what the vectors' store gets of a memory: a record for each of its passages."""
    metadata: dict[str, str | int] = {"agent": agent_id, "type": MEMORY}
    texts = passages(clean(entry.text))
    if len(texts) == 1:
        return [Record(memory_id(agent_id, entry.seq), text_of(entry), metadata)]
    return [
        Record(memory_id(agent_id, entry.seq, part), text_of(entry._replace(text=text))[:MAX_EMBEDDED], metadata)
        for part, text in enumerate(texts)
    ]
