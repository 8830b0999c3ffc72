"""Exact search: the memories of each life are a file of vectors; long lives, summaries and notes go into chromadb.

A row of a file is the number of a passage (seq x MAX_PASSAGES + part) and its vector; rows ascend. A file is opened for
one call, so between two a life takes no RAM, open file or thread. New rows are one write: a kill tears at most the last
one, which is cut off and put again. A search takes 0.1 ms over 1,000 vectors, 1 over 10,000 and 17 over 100,000, and
in chromadb 1 to 2; there a life takes 3 MB and four open files. (The vectors in `embeddings.sqlite3`, read by their
digests, would take 9 ms over 1,000 and 78 over 10,000.)

A life that outgrows the limit moves to chromadb with whatever is put next, some rows at a time; it is searched in its
file until all of them are there. So are those beyond `LONG_LIVES`.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.recall.documents import MAX_PASSAGES, MEMORY, memory_id, memory_of, part_of, place_named
from agents.recall.indexes import Index, Metadata, Place, Vectors, index
from agents.recall.indexes.chroma import Collections, collections_at
from mud.storage.files import write_unsynced
from mud.storage.paths import check_tree, open_own, remove

FOLDER = "matrix"
LONG_LIVES = 16
"""Lives in chromadb: 64 open files and 48 MB. In another the search of 100,000 vectors is exact, which is slower."""
MOVED = 512
"""Rows that move with one call, which then takes a quarter of a second; more than are put, so that a move ends."""

Rows = NDArray[Any]
"""Structured: `number` and `vector`."""


class VectorFile:
    """The vectors of one life."""

    def __init__(self, path: Path, dimension: int) -> None:
        self._path = path
        self._row = np.dtype([("number", "<i8"), ("vector", "<f4", (dimension,))])

    def __len__(self) -> int:
        """Return the number of whole rows."""
        try:
            return self._path.stat().st_size // self._row.itemsize
        except FileNotFoundError:
            return 0

    def rows(self) -> Rows:
        """Map the whole rows into memory; they stay mapped for as long as the result is used."""
        try:
            descriptor = open_own(self._path, os.O_RDONLY)
        except FileNotFoundError:
            return np.empty(0, self._row)
        with os.fdopen(descriptor, "rb") as file:
            count = os.fstat(descriptor).st_size // self._row.itemsize
            return np.memmap(file, self._row, "r", shape=(count,)) if count else np.empty(0, self._row)

    def put(self, numbers: Sequence[int], vectors: Vectors) -> None:
        """Add rows, or replace those of the same number. Raises OSError, and then nothing has changed."""
        new = np.empty(len(numbers), self._row)
        new["number"], new["vector"] = numbers, vectors
        _, last = np.unique(new["number"][::-1], return_index=True)
        new, there = new[::-1][last], self.rows()
        if not len(there) or there["number"][-1] < new["number"][0]:
            self._append(new.tobytes())
        else:
            rows = np.concatenate((there[~np.isin(there["number"], new["number"])], new))
            self._replace(rows[np.argsort(rows["number"])])

    def remove(self, numbers: Sequence[int]) -> None:
        there = self.rows()
        kept = there[~np.isin(there["number"], numbers)]
        if len(kept) < len(there):
            self._replace(kept)

    def delete(self) -> None:
        remove(self._path)

    def _append(self, data: bytes) -> None:
        descriptor = open_own(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            whole = len(self) * self._row.itemsize
            os.ftruncate(descriptor, whole)  # a torn row would shift all others
            if os.write(descriptor, data) < len(data):
                os.ftruncate(descriptor, whole)
                raise OSError(errno.ENOSPC, "there is no room for the vectors", str(self._path))
        finally:
            os.close(descriptor)

    def _replace(self, rows: Rows) -> None:
        # Another file, as a search may have mapped this one.
        write_unsynced(self._path, rows.tobytes())


class Matrices:
    """An index of files in a folder, with another for long lives and documents. `limit`: vectors of one file."""

    def __init__(self, folder: Path, dimension: int, others: Collections, limit: int) -> None:
        self._folder, self._dimension, self._others, self._limit = folder, dimension, others, limit
        self._moved: dict[str, int] = {}
        """Of each life that is moving, the number of the last row that is in chromadb."""
        self.empty = others.empty and not any(folder.iterdir())

    def _file(self, agent: str) -> VectorFile:
        name = hashlib.sha256(agent.encode()).hexdigest()[:24]
        return VectorFile(self._folder / f"{name}.f32", self._dimension)

    def _is_long(self, agent: str) -> bool:
        return not len(self._file(agent)) and self._others.count(agent) > 0

    def put(self, ids: Sequence[str], vectors: Vectors, metadata: Sequence[Metadata]) -> None:
        lives: dict[str, list[int]] = {}
        for row, data in enumerate(metadata):
            if data["type"] == MEMORY:
                lives.setdefault(str(data["agent"]), []).append(row)
        short = {agent: rows for agent, rows in lives.items() if not self._is_long(agent)}
        in_files = {row for rows in short.values() for row in rows}
        if others := [row for row in range(len(ids)) if row not in in_files]:
            self._others.put([ids[row] for row in others], vectors[others], [metadata[row] for row in others])
        for agent, rows in short.items():
            numbers = [_number(ids[row]) for row in rows]
            self._file(agent).put(numbers, vectors[rows])
            self._move(agent, min(numbers))

    def _may_move(self, agent: str) -> bool:
        return self._others.lives < LONG_LIVES or self._others.count(agent) > 0

    def _move(self, agent: str, changed: int) -> None:
        """Move some rows of a life that is too long, again from the number `changed` on."""
        file = self._file(agent)
        if len(file) <= self._limit or not self._may_move(agent):
            return
        rows = file.rows()
        moved = min(self._moved.get(agent, 0), changed - 1)
        some = rows[np.searchsorted(rows["number"], moved, side="right") :][:MOVED]
        ids = [_id(agent, int(number)) for number in some["number"]]
        self._others.put(ids, np.ascontiguousarray(some["vector"]), [{"agent": agent, "type": MEMORY}] * len(ids))
        self._moved[agent] = int(some["number"][-1])
        if self._moved[agent] == rows["number"][-1]:
            file.delete()
            del self._moved[agent]

    def remove(self, agent: str, ids: Collection[str]) -> None:
        file = self._file(agent)
        if len(file):
            file.remove([_number(one) for one in ids if _is_memory(one)])
        self._others.remove(agent, ids)

    def forget(self, agent: str) -> None:
        self._moved.pop(agent, None)
        self._file(agent).delete()
        self._others.forget(agent)

    def nearest(self, vector: Vectors, agent: str, types: Collection[str], k: int) -> dict[str, float]:
        found: dict[str, float] = {}
        # Called in another thread than the others: without rows there is no file, and all have moved.
        if MEMORY in types and len(rows := self._file(agent).rows()):
            found = {_id(agent, number): cosine for number, cosine in _nearest(rows, vector, k)}
            types = [one for one in types if one != MEMORY]
        if types:
            found |= self._others.nearest(vector, agent, types, k)
        return dict(sorted(found.items(), key=lambda one: -one[1])[: max(0, k)])

    def count(self, agent: str) -> int:
        rows = self._file(agent).rows()
        if not len(rows):
            return self._others.count(agent)
        # A power cut may leave zeros at the end.
        return len(rows) if 0 < rows["number"][0] <= rows["number"][-1] else 0

    def documents(self) -> list[str]:
        return self._others.documents()

    def close(self) -> None:
        self._others.close()


def _nearest(rows: Rows, vector: Vectors, k: int) -> list[tuple[int, float]]:
    cosines = rows["vector"] @ vector
    best = np.argpartition(-cosines, k)[:k] if 0 < k < len(rows) else np.arange(len(rows))
    return list(zip(rows["number"][best].tolist(), cosines[best].tolist(), strict=True))


def _is_memory(vector_id: str) -> bool:
    return vector_id.count("|") == 1


def _number(vector_id: str) -> int:
    place = place_named(vector_id)
    return memory_of(place) * MAX_PASSAGES + part_of(place)


def _id(agent: str, number: int) -> str:
    return memory_id(agent, *divmod(number, MAX_PASSAGES))


@index("matrix", "Exact search for short lives, a file each; chromadb for long ones, summaries and notes.")
def MATRIX(place: Place, model: str, dimension: int) -> Index:
    """Open it. Files of another model are deleted."""
    folder = place.folder / FOLDER
    own = folder / hashlib.sha256(f"{model} {dimension}".encode()).hexdigest()[:16]
    if folder.is_file():
        folder.unlink()
    check_tree(own)
    for other in folder.iterdir():
        if other != own:
            shutil.rmtree(other) if other.is_dir() else other.unlink()
    return Matrices(own, dimension, collections_at(place, model, dimension), place.exact)
