"""The words of every memory, summary and note, in SQLite's FTS5. Used from one thread only, never the event loop's.

A memory's row id is its agent's number in the upper 32 bits and its seq in the lower, so that one range holds one life.
The file may vanish or break at any time: then a new one is begun, and whoever asks sees that nothing is indexed in it.
It refuses to read the vault: entries and documents are handed to it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from agents.memory.entries import Entry
from agents.recall import memories, tables
from agents.recall.documents import IndexedDocument, Listed, Record, clean
from agents.recall.index_file import IndexFile, read_only
from agents.recall.matching import BUDGET
from agents.recall.postings import Postings
from agents.recall.question import Question
from agents.recall.ranking import Candidates, Groups
from agents.recall.searching import Matches, Searcher, gather
from agents.recall.tables import IndexProgress
from agents.recall.time_search import lived_then
from agents.recall.vocabulary import Stemmer, Vocabulary, words_after

Wanted = dict[str, IndexedDocument | None]
"""What an agent shall have by key; None for what is indexed as it is."""


class LexicalIndex:
    """The index in one file.

    Args:
        path: the file; its folder is made.
        private: work on a copy in memory and leave the file alone, for a process that does not hold the vault.
        budget: rows that are walked through for one question; see `matching.best`.
    """

    def __init__(self, path: Path, *, private: bool = False, budget: int = BUDGET) -> None:
        self._file = IndexFile(path, tables.SCHEMA, tables.VERSION, self._forget_seen, private=private)
        self._stemmer = Stemmer()
        self._vocabulary = Vocabulary(self._stemmer)
        self._postings = Postings()
        self._searcher = Searcher(self._stemmer, self._postings, budget)
        self._served = ""

    # -- the file ---------------------------------------------------------------------------------------------------

    @property
    def path(self) -> Path:
        """The file."""
        return self._file.path

    @property
    def generation(self) -> int:
        """Counts the times an empty index was begun."""
        return self._file.generation

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()
        self._stemmer.close()

    def discard(self) -> None:
        """Throw the index away and begin an empty one with the next use."""
        self._file.discard()

    def _forget_seen(self) -> None:
        self._vocabulary.forget()
        self._postings.clear()

    # -- all of it --------------------------------------------------------------------------------------------------

    def take_in(
        self, batch: Mapping[str, Sequence[Entry]], documents: Mapping[str, Sequence[Listed]]
    ) -> tuple[list[str], dict[str, IndexProgress]]:
        """Do `add` and `sync` in one transaction, as each costs as much as the indexing of ten memories.

        Args:
            batch: memories by agent id.
            documents: all that an agent has, by its id.

        Returns:
            The ids of the vectors that are no longer wanted, and how far the index of each of these agents is.

        Raises:
            Unavailable: the disk is full.
        """
        wanted = {agent_id: self._wanted(agent_id, some) for agent_id, some in documents.items()}

        def work(db: sqlite3.Connection) -> tuple[list[str], dict[str, IndexProgress]]:
            if batch:
                memories.add(db, batch, self._vocabulary)
            gone = [one for agent_id, some in wanted.items() for one in self._synced(db, agent_id, some)]
            return gone, {agent_id: tables.progress_of(db, agent_id) for agent_id in {*batch, *wanted}}

        return self._file.do(work)

    # -- memories ---------------------------------------------------------------------------------------------------

    def add(self, batch: Mapping[str, Sequence[Entry]]) -> None:
        """Index memories, of several agents at once; those that are indexed already are left out.

        Args:
            batch: memories by agent id.

        Raises:
            Unavailable: the disk is full.
        """
        self._file.do(lambda db: memories.add(db, batch, self._vocabulary))

    def reweigh(self, agent_id: str, values: Mapping[int, int]) -> None:
        """Have memories matter as much as is said here, by number; those that are not indexed are passed over."""
        self._file.do(lambda db: memories.reweigh(db, agent_id, values))

    def through(self, agent_id: str) -> int:
        """Return up to which memory every one is indexed."""
        return self._file.do(lambda db: tables.through_of(db, agent_id))

    def texts(self, agent_id: str, seqs: Collection[int]) -> dict[int, str]:
        """Return the texts that are indexed under these numbers."""

        def work(db: sqlite3.Connection) -> dict[int, str]:
            entries = memories.entries_of(db, tables.number_of(db, agent_id), seqs)
            return {seq: entry.text for seq, entry in entries.items()}

        return self._file.do(work)

    def forget(self, agent_id: str) -> None:
        """Take out all memories of an agent."""
        self._file.do(lambda db: memories.forget(db, agent_id))
        self._postings.clear()

    def agents(self) -> list[str]:
        """Return the ids of all agents of whom anything was ever indexed."""
        return self._file.do(lambda db: [row[0] for row in db.execute("SELECT id FROM agents ORDER BY number")])

    def words_after(self, number: int, limit: int) -> list[tuple[int, str]]:
        """See `vocabulary.words_after`."""
        return self._file.do(lambda db: words_after(db, number, limit))

    # -- their vectors ----------------------------------------------------------------------------------------------

    def waiting_memories(self, limit: int, without: Collection[str] = ()) -> tuple[str, int, list[Record]] | None:
        """Return the next memories without vectors, agents taking turns; None when there are none.

        Args:
            limit: how many memories are looked at, all of one agent.
            without: agents that are passed over.

        Returns:
            The agent's id, the last memory that was looked at, and the records of those that tell something new in
            this life: none, should all be repetitions. `memories_embedded` has to hear of it either way.
        """
        found = self._file.do(lambda db: memories.waiting(db, self._served, limit, without))
        if found is not None:
            self._served = found[0]
        return found

    def memories_embedded(self, agent_id: str, through: int) -> None:
        """Note that up to this memory the vectors are in the store."""

        def work(db: sqlite3.Connection) -> None:
            db.execute("UPDATE agents SET embedded = max(embedded, min(through, ?)) WHERE id = ?", (through, agent_id))

        self._file.do(work)

    def vectors_wanted(self, agent_id: str) -> int:
        """Return how many vectors of an agent's memories must be in the store, as far as was noted."""
        return self._file.do(lambda db: memories.vectors_wanted(db, agent_id))

    def samples(self, agent_id: str) -> list[Record]:
        """Return a few memories of an agent whose vectors must be in the store."""
        return self._file.do(lambda db: memories.samples(db, agent_id))

    def forget_vectors(self, agent_id: str | None = None) -> None:
        """Note that the store has no vector, of this agent or of anybody."""
        self._file.do(lambda db: tables.forget_vectors(db, agent_id))

    # -- documents --------------------------------------------------------------------------------------------------

    def sync(self, agent_id: str, documents: Sequence[Listed]) -> list[str]:
        """Make these the documents of an agent; what is the same stays untouched.

        Args:
            agent_id: whose.
            documents: all that it has; of two with the same key the later holds. One that is not read yet is read only
                when it is not indexed.

        Returns:
            The ids of the vectors that are no longer wanted.
        """
        wanted = self._wanted(agent_id, documents)
        return self._file.do(lambda db: self._synced(db, agent_id, wanted))

    def _wanted(self, agent_id: str, documents: Sequence[Listed]) -> Wanted:
        """Return what an agent shall have; read before the transaction, whose errors are all taken for the index's."""
        return _wanted(documents, self._file.do(lambda db: tables.files_of(db, agent_id)))

    def _synced(self, db: sqlite3.Connection, agent_id: str, wanted: Wanted) -> list[str]:
        gone, changed = tables.sync(db, agent_id, wanted)
        if changed:
            for table in tables.WORDS.values():
                self._postings.forget(table, tables.number_of(db, agent_id))
        return gone

    def waiting(self, limit: int, without: Collection[str] = ()) -> list[Record]:
        """Return documents without a vector, oldest first, in the form the vectors' store takes; see above."""
        return self._file.do(lambda db: tables.documents_waiting(db, limit, without))

    def embedded(self, ids: Collection[str]) -> None:
        """Note that these vectors are in the store."""

        def work(db: sqlite3.Connection) -> None:
            db.executemany("UPDATE documents SET embedded = 1 WHERE vector = ?", [(one,) for one in ids])

        self._file.do(work)

    def reconcile(self, ids: Collection[str]) -> list[str]:
        """Note that these documents' vectors, and no others, are in the store; return those that are not wanted."""
        return self._file.do(lambda db: tables.reconcile(db, ids))

    def progress(self, agent_id: str) -> IndexProgress:
        """Return how far the index of an agent is."""
        return self._file.do(lambda db: tables.progress_of(db, agent_id))

    def all_waiting(self, memories: bool = False) -> tuple[int, int]:
        """Return how many documents of all agents have no vector, and how many there are.

        Args:
            memories: count these too.
        """

        def work(db: sqlite3.Connection) -> tuple[int, int]:
            row = db.execute("SELECT coalesce(sum(embedded = 0), 0), count(*) FROM documents").fetchone()
            lives = db.execute("SELECT coalesce(sum(through - embedded), 0), coalesce(sum(through), 0) FROM agents")
            more = lives.fetchone() if memories else (0, 0)
            return int(row[0] + more[0]), int(row[1] + more[1])

        return self._file.do(work)

    # -- search -----------------------------------------------------------------------------------------------------

    def match(
        self,
        agent_id: str,
        groups: Groups,
        memories: bool,
        kinds: Collection[str],
        question: Question | None = None,
        widely: bool = False,
    ) -> Matches:
        """Find what has the words of a question, and what is of the time that it asks about.

        Args:
            agent_id: whose.
            groups: for each telling word of the question the words that stand for it, the best first.
            memories: whether memories are wanted.
            kinds: which kinds of documents are wanted.
            question: the question, for its times; None for none.
            widely: bring forward more memories, as not all of them will count.
        """

        def work(db: sqlite3.Connection) -> Matches:
            oldest = question is not None and question.order < 0
            matches = self._searcher.match(db, agent_id, groups, memories, kinds, oldest=oldest, widely=widely)
            brought = lived_then(db, agent_id, question) if memories and question is not None else []
            return replace(matches, brought=tuple(brought))

        return self._file.do(work)

    def gather(
        self,
        agent_id: str,
        matches: Matches,
        memories: Mapping[int, float],
        documents: Mapping[str, float],
        kinds: Collection[str],
        weight: float,
    ) -> Candidates:
        """Put together what the words and the vectors found.

        Args:
            agent_id: whose.
            matches: what `match` found.
            memories: the cosines of memories by seq, each the first that tells its text.
            documents: the cosines of documents by vector id; an id that is not (or no longer) one's is ignored.
            kinds: which kinds of documents are wanted.
            weight: the vectors' part, which decides whose neighbours are brought along.
        """
        return self._file.do(lambda db: gather(db, agent_id, matches, memories, documents, kinds, weight))


def _wanted(documents: Sequence[Listed], known: Mapping[str, str]) -> Wanted:
    """Return what an agent shall have by key; None for what is indexed as it is.

    Args:
        documents: see `LexicalIndex.sync`.
        known: the keys of what is indexed, by the files that never change.
    """
    wanted: Wanted = {}
    for one in documents:
        if isinstance(one, IndexedDocument):
            key = clean(one.key)
            before = wanted.get(key)
            if before is None or before.digest != one.digest:
                wanted[key] = one
        elif one.file in known:
            wanted[known[one.file]] = None
        elif (found := one.read()) is not None:
            wanted[clean(found.key)] = found
    return wanted


def read_progress(path: Path, agent_id: str) -> IndexProgress:
    """Return how far an index file is for an agent, for a process without recall; zeros when it cannot be read."""
    try:
        with closing(read_only(path)) as db:
            if db.execute("PRAGMA user_version").fetchone()[0] == tables.VERSION:
                return tables.progress_of(db, agent_id)
    except sqlite3.DatabaseError:
        pass  # there is none yet, or it will be made anew: nothing is indexed
    return IndexProgress()
