"""The full-text index of memories, summaries and notes, in SQLite's FTS5, with the thread that it is used from.

A missing, broken or outdated file is created again, which changes `generation`. With a full disk, memory is used.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import TypeVar, TypeVarTuple

from agents.memory.entries import Entry
from agents.recall import corrected, tables
from agents.recall.databases import check_schema, open_database, remove_database
from agents.recall.documents import IndexedDocument, Listed, clean
from agents.recall.searching import BUDGET, Postings, Searcher
from agents.recall.tables import IndexProgress, Stemmer, Vocabulary
from mud.errors import Unavailable, UnsafePath
from mud.storage.paths import check_tree, may_be_read

log = logging.getLogger(__name__)

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

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


class LexicalIndex:
    """The index in one file; `do` and `run` call the functions of `tables`.

    `private` works on a copy in memory, without the vault's lock, and `at_once` without a thread; `budget` limits the
    rows read for one query.
    """

    def __init__(self, path: Path, *, private: bool = False, at_once: bool = False, budget: int = BUDGET) -> None:
        self._path = path
        self.generation = 0
        """Number of times an empty index was created."""
        self._private = self._copies = private
        self._db: sqlite3.Connection | None = None
        self._inode: int | None = None
        self._stemmer = Stemmer()
        self._vocabulary = Vocabulary(self._stemmer)
        self._postings = Postings()
        self.searcher = Searcher(self._stemmer, self._postings, budget)
        self._thread = None if at_once else ThreadPoolExecutor(1, thread_name_prefix="recall")

    # -- the thread -------------------------------------------------------------------------------------------------

    async def in_thread(self, work: Callable[[*Ts], T], *args: *Ts) -> T:
        """Call a function, such as a method of this index, in the index's thread."""
        if self._thread is None:
            return work(*args)
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *args)

    async def run(self, work: Callable[[sqlite3.Connection, *Ts], T], *args: *Ts) -> T:
        """Call `do` in the index's thread."""
        return await self.in_thread(lambda: self.do(work, *args))

    async def end(self, patience: float) -> None:
        """Close the file in the thread, and end that; wait at most `patience` seconds."""
        if self._thread is None:
            self.close()
            return
        closed = self._thread.submit(self.close)
        self._thread.shutdown(wait=False)
        _, late = await asyncio.wait([asyncio.wrap_future(closed)], timeout=patience)
        if late:
            log.warning("Recall's index is busy; what it misses is indexed at the next start.")

    # -- what goes in -----------------------------------------------------------------------------------------------

    def add(
        self, batch: Mapping[str, Sequence[Entry]], documents: Mapping[str, Sequence[Listed]] = {}
    ) -> tuple[list[str], dict[str, IndexProgress]]:
        """Index memories and replace documents, by agent; return ids of obsolete vectors and the agents' progress.

        All is one transaction, which costs as much as indexing ten memories. Memories already indexed are skipped.
        """
        # Read outside the transaction, where every error is treated as one of the index.
        wanted = {agent_id: self._wanted(agent_id, some) for agent_id, some in documents.items()}
        return self.do(self._add, batch, wanted)

    def _add(
        self,
        db: sqlite3.Connection,
        batch: Mapping[str, Sequence[Entry]],
        documents: Mapping[str, Mapping[str, IndexedDocument | None]],
    ) -> tuple[list[str], dict[str, IndexProgress]]:
        tables.add_memories(db, batch, self._vocabulary)
        gone: list[str] = []
        for agent_id, some in documents.items():
            old, changed = tables.sync_documents(db, agent_id, some)
            gone += old
            for table in tables.WORDS.values() if changed else ():
                self._postings.forget(table, tables.number_of(db, agent_id))
        return gone, tables.progress_of_all(db, {*batch, *documents})

    def _wanted(self, agent_id: str, documents: Sequence[Listed]) -> dict[str, IndexedDocument | None]:
        known = self.do(tables.files_of, agent_id)
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

    def correct(self, agent_id: str, entries: Sequence[Entry], number: int) -> list[str]:
        """Replace memories by their corrected texts, up to the correction `number`; return ids of obsolete vectors."""
        gone = self.do(corrected.correct_memories, agent_id, entries, number, self._vocabulary)
        self._postings.clear()
        return gone

    def forget(self, agent_id: str) -> None:
        """Remove all memories of an agent."""
        self.do(tables.delete_memories, agent_id)
        self._postings.clear()

    # -- the file ---------------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self._forget_cached()
        self._stemmer.close()
        if self._db is not None:
            self._db.close()
        self._db = None

    def _forget_cached(self) -> None:
        self._vocabulary.forget()
        self._postings.clear()

    def _discard(self) -> None:
        self.close()
        if not self._private:
            remove_database(self._path)

    def do(self, work: Callable[[sqlite3.Connection, *Ts], T], *args: *Ts) -> T:
        """Call `work` in a transaction; on a broken file retry with an empty one, on a full disk in memory.

        Raises:
            Unavailable: another process has locked the file.
        """
        try:
            return self._transact(work, *args)
        except UnsafePath as error:
            self._go_on_in_memory(error, copies=False)
        except OtherVersion as error:
            log.info("The index %s is made anew: %s.", self._path, error)
            self._begin_anew()
        except (sqlite3.DatabaseError, OSError) as error:
            if _code(error) & 0xFF in TRANSIENT:
                raise Unavailable(f"the index {self._path} cannot be written: {error}") from error
            if _code(error) in DISK_FULL:
                self._go_on_in_memory(error, copies=True)
            else:
                self._begin_anew()
                if not self._private:  # else it was already logged that none can be kept
                    log.warning("The index %s is broken (%s); it is made anew.", self._path, error)
        try:
            return self._transact(work, *args)
        except sqlite3.OperationalError as error:
            if _code(error) not in DISK_FULL:
                raise
            self._go_on_in_memory(error, copies=True)
            return self._transact(work, *args)

    def _transact(self, work: Callable[[sqlite3.Connection, *Ts], T], *args: *Ts) -> T:
        try:
            with self._opened() as db:
                return work(db, *args)
        except BaseException:
            self._forget_cached()
            raise

    def _begin_anew(self) -> None:
        try:
            self._discard()
            self._opened()
        except (sqlite3.DatabaseError, OSError) as error:
            self._go_on_in_memory(error, copies=False)

    def _go_on_in_memory(self, error: Exception, *, copies: bool) -> None:
        log.warning("No index can be kept in %s (%s); it is kept in memory.", self._path.parent, error)
        self.close()
        self._private, self._copies = True, copies

    def _opened(self) -> sqlite3.Connection:
        if self._db is not None and self._vanished():
            log.info("The index %s is gone; it is made anew.", self._path)
            self.close()
        if self._db is None:
            self._db = self._copied() if self._private else self._connected()
            self._prepare(self._db)
        return self._db

    def _vanished(self) -> bool:
        if self._private:
            return False
        try:
            return self._path.stat().st_ino != self._inode
        except OSError:
            return True

    def _connected(self) -> sqlite3.Connection:
        check_tree(self._path.parent)
        db = open_database(self._path, timeout=PATIENCE, cached_statements=STATEMENTS)
        try:
            db.execute(f"PRAGMA cache_size = {-CACHE}")
            self._inode = self._path.stat().st_ino
        except BaseException:
            db.close()
            raise
        return db

    def _copied(self) -> sqlite3.Connection:
        db = sqlite3.connect(":memory:")
        if self._copies and self._path.exists():
            try:
                with closing(_read_only(self._path)) as source:
                    source.backup(db)
                check_schema(db)
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
