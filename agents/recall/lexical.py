"""The words of every memory, summary and note, in SQLite's FTS5. Used from one thread only, never the event loop's.

A memory's row id is its agent's number in the upper 32 bits and its seq in the lower, so that one range holds one life.
The file may vanish or break at any time: then a new one is begun, and whoever asks sees that nothing is indexed in it.
It refuses to read the vault: entries and documents are handed to it.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from agents.memory.entries import Entry
from agents.recall import tables
from agents.recall.documents import IndexedDocument, Record, record_of
from agents.recall.ranking import NEAREST, Found, neighbours_of
from agents.recall.tables import Progress
from mud.errors import Unavailable

log = logging.getLogger(__name__)

T = TypeVar("T")

PATIENCE = 1.0
"""Seconds to wait for somebody else who has the file open; nobody should."""
FULL = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_NOMEM)
"""Errors that say nothing against the file."""


class LexicalIndex:
    """The index in one file.

    Args:
        path: the file; its folder is made.
        private: work on a copy in memory and leave the file alone, for a process that does not hold the vault.
    """

    def __init__(self, path: Path, *, private: bool = False) -> None:
        self.path = path
        self.generation = 0
        """Counts the times an empty index was begun."""
        self._private = self._copies = private
        self._db: sqlite3.Connection | None = None
        self._inode: int | None = None

    # -- the file ---------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Let go of the file."""
        if self._db is not None:
            self._db.close()
        self._db = None

    def discard(self) -> None:
        """Throw the index away and begin an empty one with the next use."""
        self.close()
        if not self._private:
            for end in ("", "-wal", "-shm", "-journal"):
                Path(f"{self.path}{end}").unlink(missing_ok=True)

    def _do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work` in a transaction; when the file is broken, begin a new one and run it there.

        Raises:
            Unavailable: the disk is full; what was indexed before is still there.
        """
        try:
            with self._opened() as db:
                return work(db)
        except (sqlite3.DatabaseError, OSError) as error:
            if (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF in FULL:
                raise Unavailable(f"the index {self.path} cannot be written: {error}") from error
            log.warning("The index %s is broken (%s); it is made anew.", self.path, error)
        self._begin_anew()
        with self._opened() as db:
            return work(db)

    def _begin_anew(self) -> None:
        self._copies = False
        try:
            self.discard()
            self._opened()
        except (sqlite3.DatabaseError, OSError) as error:
            log.warning("No index can be kept in %s (%s); it is kept in memory.", self.path.parent, error)
            self.close()
            self._private = True

    def _opened(self) -> sqlite3.Connection:
        if self._db is not None and self._vanished():
            log.info("The index %s is gone; it is made anew.", self.path)
            self.close()
        if self._db is None:
            self._db = self._copied() if self._private else self._connected()
            self._prepare(self._db)
        return self._db

    def _vanished(self) -> bool:
        if self._private:
            return False
        try:
            return self.path.stat().st_ino != self._inode
        except OSError:
            return True

    def _connected(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if not self.path.exists():
            # A journal that outlived its file would be played into the new one.
            self.discard()
        db = sqlite3.connect(self.path, timeout=PATIENCE)
        try:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")
            self._inode = self.path.stat().st_ino
        except BaseException:
            db.close()
            raise
        return db

    def _copied(self) -> sqlite3.Connection:
        db = sqlite3.connect(":memory:")
        if self._copies and self.path.exists():
            try:
                source = sqlite3.connect(self.path)
                try:
                    source.backup(db)
                finally:
                    source.close()
            except sqlite3.DatabaseError:
                db.close()
                db = sqlite3.connect(":memory:")
        return db

    def _prepare(self, db: sqlite3.Connection) -> None:
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version == tables.VERSION:
            return
        self.generation += 1
        if version or db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            raise sqlite3.DatabaseError(f"it has the form {version}, not {tables.VERSION}")
        db.executescript(f"BEGIN; {tables.SCHEMA} PRAGMA user_version = {tables.VERSION}; COMMIT;")

    # -- memories ---------------------------------------------------------------------------------------------------

    def add(self, batch: Mapping[str, Sequence[Entry]]) -> None:
        """Index memories, of several agents at once; those that are indexed already are left out.

        Args:
            batch: memories by agent id.

        Raises:
            Unavailable: the disk is full.
        """
        self._do(lambda db: tables.add(db, batch))

    def through(self, agent_id: str) -> int:
        """Return up to which memory every one is indexed."""
        return self._do(lambda db: tables.through_of(db, agent_id))

    def texts(self, agent_id: str, seqs: Collection[int]) -> dict[int, str]:
        """Return the texts that are indexed under these numbers."""

        def work(db: sqlite3.Connection) -> dict[int, str]:
            return {
                seq: entry.text for seq, entry in tables.entries_of(db, tables.number_of(db, agent_id), seqs).items()
            }

        return self._do(work)

    def forget(self, agent_id: str) -> None:
        """Take out all memories of an agent."""

        def work(db: sqlite3.Connection) -> None:
            db.execute("DELETE FROM memories WHERE rowid BETWEEN ? AND ?", tables.span(tables.number_of(db, agent_id)))
            db.execute("UPDATE agents SET through = 0 WHERE id = ?", (agent_id,))

        self._do(work)

    # -- documents --------------------------------------------------------------------------------------------------

    def sync(self, agent_id: str, documents: Sequence[IndexedDocument]) -> list[str]:
        """Make these the documents of an agent; what is the same stays untouched.

        Args:
            agent_id: whose.
            documents: all that it has.

        Returns:
            The ids of the vectors that are no longer wanted.
        """
        return self._do(lambda db: tables.sync(db, agent_id, documents))

    def waiting(self, limit: int) -> list[Record]:
        """Return documents without a vector, oldest first, in the form the vectors' store takes."""

        def work(db: sqlite3.Connection) -> list[Record]:
            rows = db.execute(
                f"SELECT {tables.DOCUMENT}, agents.id FROM documents JOIN agents ON number = agent "
                "WHERE embedded = 0 ORDER BY documents.id LIMIT ?",
                (limit,),
            ).fetchall()
            return [record_of(row[-1], row[7], tables.document_of(row)) for row in rows]

        return self._do(work)

    def embedded(self, ids: Collection[str]) -> None:
        """Note that these vectors are in the store."""

        def work(db: sqlite3.Connection) -> None:
            db.executemany("UPDATE documents SET embedded = 1 WHERE vector = ?", [(one,) for one in ids])

        self._do(work)

    def reconcile(self, ids: Collection[str]) -> list[str]:
        """Note that these vectors, and no others, are in the store; return those that are not wanted."""

        def work(db: sqlite3.Connection) -> list[str]:
            db.execute("UPDATE documents SET embedded = 0 WHERE embedded = 1")
            db.executemany("UPDATE documents SET embedded = 1 WHERE vector = ?", [(i,) for i in ids])
            wanted = {row[0] for row in db.execute("SELECT vector FROM documents")}
            return [i for i in ids if i not in wanted]

        return self._do(work)

    def progress(self, agent_id: str) -> Progress:
        """Return how far the index of an agent is."""
        return self._do(lambda db: tables.progress_of(db, agent_id))

    def all_waiting(self) -> tuple[int, int]:
        """Return how many documents of all agents have no vector, and how many there are."""

        def work(db: sqlite3.Connection) -> tuple[int, int]:
            row = db.execute("SELECT coalesce(sum(embedded = 0), 0), count(*) FROM documents").fetchone()
            return int(row[0]), int(row[1])

        return self._do(work)

    # -- search -----------------------------------------------------------------------------------------------------

    def find(
        self, agent_id: str, words: Sequence[str], memories: bool, kinds: Collection[str], cosines: Mapping[str, float]
    ) -> Found:
        """Return what has any of the words, with how much of the question it has.

        Args:
            agent_id: whose.
            words: the words that say what is asked.
            memories: whether memories are wanted.
            kinds: which kinds of documents are wanted.
            cosines: what the vectors found, by vector id; an id that is not (or no longer) a document's is ignored.
        """

        def work(db: sqlite3.Connection) -> Found:
            number = tables.number_of(db, agent_id)
            telling = tables.telling(db, words) if words else {}
            shares = tables.memory_shares(db, number, telling) if memories and telling else {}
            entries = tables.entries_of(db, number, neighbours_of(list(shares)))
            floor = min(cosines.values()) if len(cosines) >= NEAREST else None
            return Found(shares, entries, tables.document_finds(db, number, telling, kinds, cosines), floor)

        return self._do(work)


def read_progress(path: Path, agent_id: str) -> Progress:
    """Return how far an index file is for an agent, for a process without recall; zeros when there is no file."""
    index = LexicalIndex(path, private=True)
    try:
        return index.progress(agent_id)
    finally:
        index.close()
