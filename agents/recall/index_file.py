"""The file of the lexical index: opened when it is needed, made anew when it is gone, broken or of another form.

Used from one thread only. It knows nothing of what is in the tables.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

from mud.errors import Unavailable, UnsafePath
from mud.storage.paths import check_tree, may_be_read, remove

log = logging.getLogger(__name__)

T = TypeVar("T")

PATIENCE = 1.0
"""Seconds to wait for somebody else who has the file open; nobody should."""
STATEMENTS = 512
"""Prepared statements kept: there are some for each of the tables."""
CACHE = 16_000
"""Kilobytes of the file kept in RAM; a question reads some hundred memories that lie anywhere in a life."""
LATER = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_NOMEM)
"""Errors that say nothing against the file, and will be over."""
FULL = (
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_FSYNC,
    sqlite3.SQLITE_IOERR_SHMSIZE,
    sqlite3.SQLITE_IOERR_SHMOPEN,
)
"""Errors of a disk that is full, for its user at least, and also nothing against the file."""


class OtherForm(sqlite3.DatabaseError):
    """The file was written by another version of this program."""


class IndexFile:
    """One SQLite file.

    Args:
        path: the file; its folder is made.
        schema: makes its tables.
        version: the form that these have, not 0.
        forget: called when what was read from the file or written to it may be of another one, or was never committed.
        private: work on a copy in memory and leave the file alone, for a process that does not hold the vault.
    """

    def __init__(
        self, path: Path, schema: str, version: int, forget: Callable[[], None], *, private: bool = False
    ) -> None:
        self.path = path
        self.generation = 0
        """Counts the times an empty index was begun."""
        self._schema, self._version, self._forget = schema, version, forget
        self._private = self._copies = private
        self._db: sqlite3.Connection | None = None
        self._inode: int | None = None

    def close(self) -> None:
        """Let go of the file."""
        self._forget()
        if self._db is not None:
            self._db.close()
        self._db = None

    def discard(self) -> None:
        """Throw the index away and begin an empty one with the next use."""
        self.close()
        if not self._private:
            for end in ("", "-wal", "-shm", "-journal"):
                remove(Path(f"{self.path}{end}"))

    def do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work` in a transaction; when the file is broken, begin anew; when the disk is full, go on in memory.

        Raises:
            Unavailable: somebody else has the file; what was indexed before is still there.
        """
        try:
            return self._once(work)
        except UnsafePath as error:
            self._go_on_in_memory(error, copies=False)
        except OtherForm as error:
            log.info("The index %s is made anew: %s.", self.path, error)
            self._begin_anew()
        except (sqlite3.DatabaseError, OSError) as error:
            if _code(error) & 0xFF in LATER:
                raise Unavailable(f"the index {self.path} cannot be written: {error}") from error
            if _code(error) in FULL:
                self._go_on_in_memory(error, copies=True)
            else:
                self._begin_anew()
                if not self._private:  # else it is told already that none can be kept
                    log.warning("The index %s is broken (%s); it is made anew.", self.path, error)
        try:
            return self._once(work)
        except sqlite3.OperationalError as error:
            if _code(error) not in FULL:
                raise
            self._go_on_in_memory(error, copies=True)
            return self._once(work)

    def _once(self, work: Callable[[sqlite3.Connection], T]) -> T:
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
        """Leave the file alone from now on: the next start finds it as it is, and fills it."""
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
            # A journal that outlived its file would be played into the new one.
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
                with closing(read_only(self.path)) as source:
                    source.backup(db)
            except sqlite3.DatabaseError:
                db.close()
                db = sqlite3.connect(":memory:")
        return db

    def _prepare(self, db: sqlite3.Connection) -> None:
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version == self._version:
            return
        self.generation += 1
        if version or db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            raise OtherForm(f"it has the form {version}, not {self._version}")
        db.executescript(f"BEGIN; {self._schema} PRAGMA user_version = {self._version}; COMMIT;")


def _code(error: Exception) -> int:
    """Return SQLite's extended code of an error; 0 when it is none of SQLite's."""
    return getattr(error, "sqlite_errorcode", None) or 0


def read_only(path: Path) -> sqlite3.Connection:
    """Open an index for reading alone; a file that nobody has open gets no file beside it either.

    Raises:
        sqlite3.OperationalError: there is no such file, or it may not be read.
    """
    if not path.is_file() or not may_be_read(path):
        raise sqlite3.OperationalError(f"there is no index {path}")
    # SQLite takes its journal away with it: without one nobody has the file open, and there is nobody to mind.
    complete = not Path(f"{path}-wal").exists()
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' if complete else ''}", uri=True)
