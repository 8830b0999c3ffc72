"""An index that came with somebody else's vault: nothing in it is run, and nothing outside is touched."""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from agents.recall.embedders.hashing import HashingEmbedder
from agents.recall.indexes import EmbeddingCache
from agents.recall.lexical import LexicalIndex
from tests.unit.agents.recall.lives import life, seqs

MAGIC = bytes.fromhex("d9d505f920a163d7")
ENDLESS = """
CREATE TRIGGER endless AFTER INSERT ON {table} BEGIN
    SELECT count(*) FROM (WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c);
END
"""


def leave_journal(path: Path, victim: Path) -> None:
    """Leave a rollback journal beside a database whose super-journal, by SQLite's file format, is another file.

    SQLite plays such a journal back, and then removes the super-journal.
    """
    data = bytearray(path.read_bytes())
    size = struct.unpack(">H", data[16:18])[0]
    data[18] = data[19] = 1  # no write-ahead logging
    path.write_bytes(data)
    page, nonce, name = bytes(data[:size]), 12345, str(victim).encode()
    checksum = (nonce + sum(page[at] for at in range(size - 200, 0, -200))) & 0xFFFFFFFF
    header = (MAGIC + struct.pack(">IIIII", 1, nonce, len(data) // size, 512, size)).ljust(512, b"\0")
    record = struct.pack(">I", 1) + page + struct.pack(">I", checksum)
    names = struct.pack(">I", 0x40000000 // size + 1) + name + struct.pack(">II", len(name), sum(name) & 0xFFFFFFFF)
    Path(f"{path}-journal").write_bytes(header + record + names + MAGIC)


def embed(folder: Path) -> bool:
    """Return whether a vector comes out as the model makes it, through the cache in a folder."""
    cache = EmbeddingCache(folder / "embeddings.sqlite3", HashingEmbedder())
    found = cache.embed(["a"], ["the key"])
    cache.close()
    return bool(np.array_equal(found, HashingEmbedder().embed(["the key"])))


def deletes(path: Path, victim: Path) -> bool:
    """Return whether the journal does what it is made for when SQLite alone opens the database."""
    victim.write_text("kept")
    with closing(sqlite3.connect(path)) as db:
        db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return not victim.exists()


@pytest.mark.parametrize("private", [False, True])
def test_a_journal_beside_the_index_of_words_takes_no_file_away(
    opened: Callable[..., LexicalIndex], tmp_path: Path, private: bool
) -> None:
    index, path, victim = opened(), tmp_path / ".index" / "lexical.sqlite3", tmp_path / "victim"
    index.add({"#1": life("the key")})
    index.close()
    leave_journal(path, victim)
    assert deletes(path, victim)
    leave_journal(path, victim)
    victim.write_text("kept")
    again = opened(private=private)
    again.add({"#1": life("the key")})
    assert seqs(again, "#1", "key") == [1]
    assert victim.read_text() == "kept"


def test_a_journal_beside_the_kept_vectors_takes_no_file_away(tmp_path: Path) -> None:
    assert embed(tmp_path)
    path, victim = tmp_path / "embeddings.sqlite3", tmp_path / "victim"
    leave_journal(path, victim)
    victim.write_text("kept")
    assert embed(tmp_path)
    assert victim.read_text() == "kept"
    assert not Path(f"{path}-journal").exists()


@pytest.mark.parametrize("private", [False, True])
def test_a_trigger_in_the_index_of_words_is_never_run(
    opened: Callable[..., LexicalIndex], tmp_path: Path, private: bool
) -> None:
    index = opened()
    index.add({"#1": life("the key")})
    index.close()
    with closing(sqlite3.connect(tmp_path / ".index" / "lexical.sqlite3")) as db:
        for table in ("agents", "texts", "times", "documents", "vocabulary"):
            db.execute(ENDLESS.format(table=table).replace("endless", f"endless_{table}"))
    again = opened(private=private)
    again.add({"#1": life("the key", "the moss")})
    assert seqs(again, "#1", "moss") == [2]


def test_a_trigger_in_the_kept_vectors_is_never_run(tmp_path: Path) -> None:
    assert embed(tmp_path)
    with closing(sqlite3.connect(tmp_path / "embeddings.sqlite3")) as db:
        db.execute(ENDLESS.format(table="vectors"))
        db.execute("DELETE FROM vectors")
        db.commit()
    assert embed(tmp_path)
