"""What gets a vector (memories, summaries, notes) as plain values for the child process, and the errors of recall.

A long text is split into passages: whole lines if short enough, else sentences, else words. Passages of 250 to 400
characters found as much as each other, those of 120 and of 800 less (README, "Recall").
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

if TYPE_CHECKING:  # the child process loads this module and needs no storage
    from agents.memory.entries import Entry
    from agents.memory.note_form import Note
    from agents.memory.summaries import Summary

SUMMARY = "summary"
NOTE = "note"
DREAMS = "dreams"
"""Slug of the note that dreams are written to."""
MEMORY = "memory"
MAX_EMBEDDED = 4000
"""Characters of a passage that are embedded; no model reads further."""


class StoreFailed(LociError):
    """The vector store is broken; a new child process can replace it."""


class FolderGone(StoreFailed):
    """The store's folder was deleted. Not an error of the store: the next one is filled again."""


class NoRoom(StoreFailed):
    """No collection for another agent can be opened; the existing ones keep working."""


class EmbedderMissing(Unavailable):
    """The embedder cannot be used here, and trying again will not help."""


class EmbedderAway(Unavailable):
    """The embedder's server fails now but may work later."""


@dataclass(frozen=True, slots=True)
class Bill:
    """Requests that a server answered, and tokens that it read."""

    calls: int = 0
    tokens: int = 0

    def __add__(self, other: Bill) -> Bill:
        return Bill(self.calls + other.calls, self.tokens + other.tokens)


def clean(text: str) -> str:
    """Replace lone surrogates, which neither SQLite nor a tokenizer accepts."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


# -- passages ---------------------------------------------------------------------------------------------------------

LONG = 600
"""Characters up to which a text is one passage; a line of talk is rarely longer."""
PASSAGE = 300
"""Maximum characters of a passage, as long as `MAX_PASSAGES` are enough for the text."""
MAX_PASSAGES = 64
"""In longer texts the passages grow instead, which bounds the work. A power of two, because it numbers index rows."""
CACHED_LENGTH = 10_000
"""Characters; the passages of the last thousand texts up to this length are cached."""
_PART_SHIFT = 32
_MEMORY_MASK = (1 << _PART_SHIFT) - 1

_SENTENCE = re.compile(r"[^\n]+?(?:[.!?…]{1,8}[\"'”’)\]]{0,4}(?=\s)|$)\s*|\n\s*", re.MULTILINE)
"""A sentence with the blanks after it, or a blank start of a line."""


def place_of(seq: int, part: int = 0) -> int:
    """Return a passage's place: its memory's seq and its part in one integer. Part 0 has the seq itself."""
    return part << _PART_SHIFT | seq


def memory_of(place: int) -> int:
    return place & _MEMORY_MASK


def part_of(place: int) -> int:
    return place >> _PART_SHIFT


def place_beside(place: int, step: int, parts: Mapping[int, int]) -> int:
    """Return the place `step` passages away; 0 before the first. `parts` counts the passages of long memories."""
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
    """Return the passages of a text, in order; they omit only blanks between them."""
    if len(text) <= LONG:
        return (text,)
    return _cached_cut(text) if len(text) <= CACHED_LENGTH else _cut(text)


def _cut(text: str) -> tuple[str, ...]:
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
    """A summary or note of one agent.

    Args:
        key: unique within the agent, such as `summaries/recent-20261120-072137` or `notes/the-key`.
        covers: first and last memory of a summary; None for a note.
        timestamp: when it was last written, as `2026-11-20T07:21:37.123Z`.
        file: name of its file if that file never changes; else empty.
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
        return ", ".join(one for one in (self.title, *self.aliases) if one)

    @cached_property
    def digest(self) -> str:
        """Hash of all indexed content; when it changes, the document is indexed again."""
        parts = [self.key, self.kind, self.text, self.names, self.covers, self.timestamp]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24]

    def vector_id(self, agent_id: str) -> str:
        """Return the vector's id; it contains the digest, so a stale vector never matches."""
        return f"{agent_id}|{clean(self.key)}|{self.digest}"

    def metadata(self, agent_id: str) -> dict[str, str | int]:
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
    """A summary in a file that never changes, read only if not indexed yet. `read` returns None if there is none."""

    file: str
    read: Callable[[], IndexedDocument | None]


Listed = IndexedDocument | Unread


def documents_of(summaries: Iterable[Summary], notes: Iterable[Note]) -> list[IndexedDocument]:
    """Return an agent's summaries and notes as documents, without the note of its dreams."""
    # That note may have been renamed, so its title is checked too.
    written = [_note_document(note) for note in notes if DREAMS not in (note.slug, note.title.casefold())]
    return [*map(summary_document, summaries), *written]


@lru_cache(maxsize=1 << 11)
def _note_document(note: Note) -> IndexedDocument:
    """Cached, because all notes are listed and hashed whenever one changes."""
    return IndexedDocument(f"notes/{note.slug}", NOTE, note.text, note.title, None, note.updated, note.aliases)


def summary_document(summary: Summary, file: str = "") -> IndexedDocument:
    key = f"summaries/{summary.tier}-{summary.covers[0]}-{summary.covers[1]}"
    return IndexedDocument(key, SUMMARY, summary.text, covers=summary.covers, timestamp=summary.updated, file=file)


def versions_of(names: Iterable[str], version: Callable[[str], Summary | None]) -> list[Unread]:
    def read(name: str) -> IndexedDocument | None:
        found = version(name)
        return summary_document(found, name) if found is not None else None

    return [Unread(name, partial(read, name)) for name in names]


# -- what crosses to the child process --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Record:
    """A text to store: its vector's id, the text that is embedded, and the vector's metadata."""

    id: str
    text: str
    metadata: dict[str, str | int] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        return digest_of(self.text)


class Query(NamedTuple):
    """A vector search: `types` are the wanted document types, `most` limits memories and documents each."""

    text: str
    agent: str
    memories: bool = True
    types: tuple[str, ...] = ()
    most: int = 10


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def record_of(agent_id: str, vector_id: str, document: IndexedDocument) -> Record:
    text = clean(f"{document.names}\n{document.text}" if document.names else document.text)
    return Record(vector_id, text, document.metadata(agent_id))


def text_of(entry: Entry) -> str:
    """Return a memory's text for embedding, with the speaker where the text does not name them.

    Of the evidence on the development data, 0.32 was found without the speaker, 0.52 with "Somebody says" before it.
    """
    text, actor = clean(entry.text), entry.actor
    if not actor or actor in text or actor.casefold() in text.casefold():
        return text
    actor = clean(actor)
    return f'{actor} says, "{text}"' if entry.kind in ("heard", "told") else f"{actor}: {text}"


def agent_of(vector_id: str) -> str:
    return vector_id.split("|", 1)[0]


def memory_id(agent_id: str, seq: int, part: int = 0) -> str:
    """Return the id of the vector of a memory's passage, of which `place_named` reads the place."""
    return f"{agent_id}|{seq}.{part}" if part else f"{agent_id}|{seq}"


def place_named(vector_id: str) -> int:
    seq, _, part = vector_id.rsplit("|", 1)[1].partition(".")
    return place_of(int(seq), int(part or 0))


def memory_records(agent_id: str, entry: Entry) -> list[Record]:
    metadata: dict[str, str | int] = {"agent": agent_id, "type": MEMORY}
    texts = passages(clean(entry.text))
    if len(texts) == 1:
        return [Record(memory_id(agent_id, entry.seq), text_of(entry), metadata)]
    return [
        Record(memory_id(agent_id, entry.seq, part), text_of(entry._replace(text=text))[:MAX_EMBEDDED], metadata)
        for part, text in enumerate(texts)
    ]
