"""The full-text index of memories, summaries and notes, in SQLite's FTS5. Used from one thread only.

A missing, broken or outdated file is created again, which changes `generation`. With a full disk, memory is used.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from agents.memory.entries import Entry
from agents.recall import tables
from agents.recall.documents import IndexedDocument, Listed, Record, clean
from agents.recall.question import Question
from agents.recall.ranking import Candidates, Groups
from agents.recall.searching import BUDGET, Matches, Searcher, gather, memories_of_time
from agents.recall.tables import IndexProgress
from agents.recall.words import Postings, Stemmer, Vocabulary, words_after
from mud.errors import Unavailable, UnsafePath
from mud.storage.paths import check_tree, may_be_read, remove

log = logging.getLogger(__name__)

T = TypeVar("T")

PATIENCE = 1.0
STATEMENTS = 512
"""Prepared statements kept; each table has its own."""
CACHE = 16_000
"""Kilobytes of page cache; a query reads some hundred memories all over the file."""
TRANSIENT = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_NOMEM)
"""Temporary errors; the file is not broken."""
DISK_FULL = (
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_FSYNC,
    sqlite3.SQLITE_IOERR_SHMSIZE,
    sqlite3.SQLITE_IOERR_SHMOPEN,
)
"""Errors of a full disk or quota; the file is not broken."""


class OtherVersion(sqlite3.DatabaseError):
    """The file has another schema version."""


class IndexFile:
    """The SQLite file. `forget` is called when cached content may be stale; `private` works on a copy in memory."""

    def __init__(self, path: Path, forget: Callable[[], None], *, private: bool = False) -> None:
        self.path = path
        self.generation = 0
        """Number of times an empty index was created."""
        self._forget = forget
        self._private = self._copies = private
        self._db: sqlite3.Connection | None = None
        self._inode: int | None = None

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self._forget()
        if self._db is not None:
            self._db.close()
        self._db = None

    def discard(self) -> None:
        self.close()
        if not self._private:
            for end in ("", "-wal", "-shm", "-journal"):
                remove(Path(f"{self.path}{end}"))

    def do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work` in a transaction; on a broken file retry with an empty one, on a full disk in memory.

        Raises:
            Unavailable: another process has locked the file.
        """
        try:
            return self._transact(work)
        except UnsafePath as error:
            self._go_on_in_memory(error, copies=False)
        except OtherVersion as error:
            log.info("The index %s is made anew: %s.", self.path, error)
            self._begin_anew()
        except (sqlite3.DatabaseError, OSError) as error:
            if _code(error) & 0xFF in TRANSIENT:
                raise Unavailable(f"the index {self.path} cannot be written: {error}") from error
            if _code(error) in DISK_FULL:
                self._go_on_in_memory(error, copies=True)
            else:
                self._begin_anew()
                if not self._private:  # else it was already logged that none can be kept
                    log.warning("The index %s is broken (%s); it is made anew.", self.path, error)
        try:
            return self._transact(work)
        except sqlite3.OperationalError as error:
            if _code(error) not in DISK_FULL:
                raise
            self._go_on_in_memory(error, copies=True)
            return self._transact(work)

    def _transact(self, work: Callable[[sqlite3.Connection], T]) -> T:
        try:
            with self._opened() as db:
                return work(db)
        except BaseException:
            self._forget()
            raise

    def _begin_anew(self) -> None:
        try:
            self.discard()
            self._opened()
        except (sqlite3.DatabaseError, OSError) as error:
            self._go_on_in_memory(error, copies=False)

    def _go_on_in_memory(self, error: Exception, *, copies: bool) -> None:
        log.warning("No index can be kept in %s (%s); it is kept in memory.", self.path.parent, error)
        self.close()
        self._private, self._copies = True, copies

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
        check_tree(self.path.parent)
        if not self.path.exists():
            # A left-over journal would be applied to the new file.
            self.discard()
        db = sqlite3.connect(self.path, timeout=PATIENCE, cached_statements=STATEMENTS)
        try:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")
            db.execute(f"PRAGMA cache_size = {-CACHE}")
            self._inode = self.path.stat().st_ino
        except BaseException:
            db.close()
            raise
        return db

    def _copied(self) -> sqlite3.Connection:
        db = sqlite3.connect(":memory:")
        if self._copies and self.path.exists():
            try:
                with closing(_read_only(self.path)) as source:
                    source.backup(db)
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
            raise OtherVersion(f"it has the form {version}, not {tables.VERSION}")
        db.executescript(f"BEGIN; {tables.SCHEMA} PRAGMA user_version = {tables.VERSION}; COMMIT;")


def _code(error: Exception) -> int:
    return getattr(error, "sqlite_errorcode", None) or 0


def _read_only(path: Path) -> sqlite3.Connection:
    """Open an index for reading only, without creating files beside it. Raises `sqlite3.OperationalError`."""
    if not path.is_file() or not may_be_read(path):
        raise sqlite3.OperationalError(f"there is no index {path}")
    # SQLite deletes the journal on closing: without one, no process has the file open.
    complete = not Path(f"{path}-wal").exists()
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' if complete else ''}", uri=True)


def read_progress(path: Path, agent_id: str) -> IndexProgress:
    """Return an agent's progress from an index file, for a process without recall; zeros if it cannot be read."""
    try:
        with closing(_read_only(path)) as db:
            if db.execute("PRAGMA user_version").fetchone()[0] == tables.VERSION:
                return tables.progress_of(db, agent_id)
    except sqlite3.DatabaseError:
        pass  # missing or of another version: nothing is indexed
    return IndexProgress()


class LexicalIndex:
    """The index in one file. Every method raises `Unavailable` when another process has locked it.

    `private` works on a copy in memory, without the vault's lock; `budget` limits the rows read for one query.
    """

    def __init__(self, path: Path, *, private: bool = False, budget: int = BUDGET) -> None:
        self._stemmer = Stemmer()
        self._vocabulary = Vocabulary(self._stemmer)
        self._postings = Postings()
        self._searcher = Searcher(self._stemmer, self._postings, budget)
        self._file = IndexFile(path, self._forget_seen, private=private)
        self._served_last = ""

    def _forget_seen(self) -> None:
        self._vocabulary.forget()
        self._postings.clear()

    @property
    def generation(self) -> int:
        return self._file.generation

    def close(self) -> None:
        self._file.close()
        self._stemmer.close()

    def discard(self) -> None:
        self._file.discard()

    # -- what goes in -----------------------------------------------------------------------------------------------

    def add(
        self, batch: Mapping[str, Sequence[Entry]], documents: Mapping[str, Sequence[Listed]] = {}
    ) -> tuple[list[str], dict[str, IndexProgress]]:
        """Index memories and replace documents, by agent; return ids of obsolete vectors and the agents' progress.

        All is one transaction, which costs as much as indexing ten memories. Memories already indexed are skipped.
        """
        # Read outside the transaction, where every error is treated as one of the index.
        wanted = {agent_id: self._wanted(agent_id, some) for agent_id, some in documents.items()}

        def work(db: sqlite3.Connection) -> tuple[list[str], dict[str, IndexProgress]]:
            tables.add_memories(db, batch, self._vocabulary)
            gone: list[str] = []
            for agent_id, some in wanted.items():
                old, changed = tables.sync_documents(db, agent_id, some)
                gone += old
                for table in tables.WORDS.values() if changed else ():
                    self._postings.forget(table, tables.number_of(db, agent_id))
            return gone, {agent_id: tables.progress_of(db, agent_id) for agent_id in {*batch, *wanted}}

        return self._file.do(work)

    def _wanted(self, agent_id: str, documents: Sequence[Listed]) -> dict[str, IndexedDocument | None]:
        known = self._file.do(lambda db: tables.files_of(db, agent_id))
        wanted: dict[str, IndexedDocument | None] = {}
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

    def sync(self, agent_id: str, documents: Sequence[Listed]) -> list[str]:
        """Replace the documents of an agent; return the ids of obsolete vectors."""
        return self.add({}, {agent_id: documents})[0]

    def set_importance(self, agent_id: str, values: Mapping[int, int]) -> None:
        self._file.do(lambda db: tables.set_importance(db, agent_id, values))

    def forget(self, agent_id: str) -> None:
        """Remove all memories of an agent."""
        self._file.do(lambda db: tables.delete_memories(db, agent_id))
        self._postings.clear()

    # -- what is in it ----------------------------------------------------------------------------------------------

    def through(self, agent_id: str) -> int:
        """Return the last seq up to which every memory is indexed."""
        return self._file.do(lambda db: tables.through_of(db, agent_id))

    def texts(self, agent_id: str, seqs: Collection[int]) -> dict[int, str]:
        entries = self._file.do(lambda db: tables.entries_of(db, tables.number_of(db, agent_id), seqs))
        return {seq: entry.text for seq, entry in entries.items()}

    def agents(self) -> list[str]:
        return self._file.do(lambda db: [row[0] for row in db.execute("SELECT id FROM agents ORDER BY number")])

    def words_after(self, number: int, limit: int) -> list[tuple[int, str]]:
        return self._file.do(lambda db: words_after(db, number, limit))

    def progress(self, agent_id: str) -> IndexProgress:
        return self._file.do(lambda db: tables.progress_of(db, agent_id))

    def all_waiting(self, memories: bool = False) -> tuple[int, int]:
        """Return how many documents (and memories) of all agents have no vector, and how many there are."""

        def work(db: sqlite3.Connection) -> tuple[int, int]:
            row = db.execute("SELECT coalesce(sum(embedded = 0), 0), count(*) FROM documents").fetchone()
            lives = db.execute("SELECT coalesce(sum(through - embedded), 0), coalesce(sum(through), 0) FROM agents")
            more = lives.fetchone() if memories else (0, 0)
            return int(row[0] + more[0]), int(row[1] + more[1])

        return self._file.do(work)

    # -- vectors ----------------------------------------------------------------------------------------------------

    def memories_waiting(self, limit: int, without: Collection[str] = ()) -> tuple[str, int, list[Record]] | None:
        """Return an agent, the seq of its last memory looked at, and records for new texts; None when no memory waits.

        Agents take turns. Call `memories_embedded` afterwards even if there are no records.
        """
        found = self._file.do(lambda db: tables.memories_waiting(db, self._served_last, limit, without))
        if found is not None:
            self._served_last = found[0]
        return found

    def memories_embedded(self, agent_id: str, through: int) -> None:
        update = "UPDATE agents SET embedded = max(embedded, min(through, ?)) WHERE id = ?"
        self._file.do(lambda db: db.execute(update, (through, agent_id)))

    def vectors_expected(self, agent_id: str) -> int:
        return self._file.do(lambda db: tables.vectors_expected(db, agent_id))

    def samples(self, agent_id: str) -> list[Record]:
        return self._file.do(lambda db: tables.samples(db, agent_id))

    def forget_vectors(self, agent_id: str | None = None) -> None:
        self._file.do(lambda db: tables.forget_vectors(db, agent_id))

    def documents_waiting(self, limit: int, without: Collection[str] = ()) -> list[Record]:
        """Return documents without a vector, oldest first, skipping the agents in `without`."""
        return self._file.do(lambda db: tables.documents_waiting(db, limit, without))

    def documents_embedded(self, ids: Collection[str]) -> None:
        update = "UPDATE documents SET embedded = 1 WHERE vector = ?"
        self._file.do(lambda db: db.executemany(update, [(one,) for one in ids]))

    def reconcile(self, ids: Collection[str]) -> list[str]:
        """Record that the store has exactly these document vectors; return those that no document has."""
        return self._file.do(lambda db: tables.reconcile(db, ids))

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
        """Find memories and documents by the words in `groups` and the times in `question`.

        `widely` returns more memories, for when some will be filtered out.
        """

        def work(db: sqlite3.Connection) -> Matches:
            oldest = question is not None and question.order < 0
            matches = self._searcher.match(db, agent_id, groups, memories, kinds, oldest=oldest, widely=widely)
            of_time = memories_of_time(db, agent_id, question) if memories and question is not None else []
            return replace(matches, of_time=tuple(of_time))

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
        """Combine the results of words and vectors.

        Args:
            agent_id: the agent.
            matches: the result of `match`.
            memories: cosines by place, of the first memory with each text.
            documents: cosines by vector id; unknown ids are ignored.
            kinds: wanted kinds of documents.
            weight: the vectors' weight, used to choose whose neighbours are included.
        """
        return self._file.do(lambda db: gather(db, agent_id, matches, memories, documents, kinds, weight))
