"""Small lives, and questions to the index that hold no more than their own words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from agents.memory.entries import Entry
from agents.recall import tables
from agents.recall.documents import Listed
from agents.recall.lexical import LexicalIndex
from agents.recall.question import ParsedQuestion, content_words
from agents.recall.ranking import Candidates
from agents.recall.searching import gather
from agents.recall.tables import IndexProgress


def entry(seq: int, text: str, **parts: str) -> Entry:
    """Return a memory, with its `actor` and `place` if they are given."""
    return Entry(seq, "2026-01-01T00:00:00.000Z", "heard", parts.get("actor"), parts.get("place"), text)


def life(*texts: str) -> list[Entry]:
    """Return a life of these memories."""
    return [entry(seq, text) for seq, text in enumerate(texts, 1)]


def sync(index: LexicalIndex, agent: str, documents: Sequence[Listed]) -> list[str]:
    """Replace the documents of an agent, and return the ids of obsolete vectors."""
    return index.add({}, {agent: documents})[0]


def progress(index: LexicalIndex, agent: str) -> IndexProgress:
    """Return how far the index of an agent is."""
    return index.do(tables.progress_of, agent)


def found(
    index: LexicalIndex,
    agent: str,
    question: str,
    kinds: tuple[str, ...] = (),
    memories: Mapping[int, float] = {},
    documents: Mapping[str, float] = {},
) -> Candidates:
    """Return what is found by a question's words, of documents when kinds are given, and by these cosines."""
    groups = {word: {word: 1.0} for word in content_words(question)}
    matches = index.do(index.searcher.match, agent, groups, not kinds, kinds, ParsedQuestion(""))
    return index.do(gather, agent, matches, memories, documents, kinds, 0.4)


def seqs(index: LexicalIndex, agent: str, question: str) -> list[int]:
    """Return the memories that have words of the question, best first, the younger first among equals."""
    shares = found(index, agent, question).shares
    return sorted(shares, key=lambda seq: (-shares[seq], -seq))


def keys(index: LexicalIndex, agent: str, question: str, kinds: tuple[str, ...] = ("summary", "note")) -> set[str]:
    """Return the keys of the documents that have words of the question."""
    return {one.document.key for one in found(index, agent, question, kinds).documents}


def children() -> list[int]:
    """Return the process ids of this process's children that hold an index; other tests may have left others."""
    pids = [int(pid) for file in Path("/proc/self/task").glob("*/children") for pid in file.read_text().split()]
    return [pid for pid in pids if b"agents.recall.child" in _command_line(pid)]


def _command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
        return b""
