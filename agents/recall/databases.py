"""Opening the SQLite files of the index, which may have come with somebody else's vault."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Any

from mud.storage.paths import remove

JOURNAL = "-journal"
WITH = ("-wal", "-shm", JOURNAL)
"""Endings of the files that SQLite keeps beside a database."""


class ForeignDatabase(sqlite3.DatabaseError):
    """The file holds what the program never writes."""


def open_database(path: Path, **options: Any) -> sqlite3.Connection:
    """Open a database, which is made if there is none, with write-ahead logging.

    No SQL in the file is ever run, and a rollback journal is never played back: SQLite then deletes any file that the
    journal names, inside the vault or not. The program's own files have none, as they use write-ahead logging.

    Raises:
        ForeignDatabase: there is such a journal, a trigger or a view; `remove_database` makes room for a new file.
        sqlite3.DatabaseError: the file is broken.
    """
    if not path.exists():
        remove_database(path)  # what is left over would be applied to the new file
    if os.path.lexists(f"{path}{JOURNAL}"):
        raise ForeignDatabase("a rollback journal is beside it")
    db: sqlite3.Connection = sqlite3.connect(path, **options)
    try:
        check_schema(db)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        db.close()
        raise
    return db


def check_schema(db: sqlite3.Connection) -> None:
    """Raise `ForeignDatabase` if a database holds SQL that would be run when it is used."""
    db.execute("PRAGMA trusted_schema = OFF")
    if db.execute("SELECT count(*) FROM sqlite_master WHERE type NOT IN ('table', 'index')").fetchone()[0]:
        raise ForeignDatabase("it has triggers or views")


def remove_database(path: Path) -> None:
    """Remove a closed database with the files beside it; without them, what is there of it."""
    for end in ("", *WITH):
        remove(Path(f"{path}{end}"))
