"""The child process: it alone loads the embedder and the vectors' index, and may crash without harm to the world.

The functions at the bottom are what the parent calls through its process pool. Nothing heavy is imported before
`prepare` has run. It never reads stdin and never writes to stdout or stderr, which belong to the world.

Files in `.index/`: `worker.lock` (held as long as the child lives), `chroma/`, `chroma.dirty` (there while the index is
open: whoever finds it begins with an empty folder), `embeddings.sqlite3`.
"""

from __future__ import annotations

import fcntl
import functools
import multiprocessing
import multiprocessing.connection
import os
import shutil
import signal
import threading
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import ParamSpec, TypeVar

from agents.recall.documents import EmbedderMissing, Record, StoreFailed
from mud.errors import Unavailable, UnknownName
from mud.registry import load

P = ParamSpec("P")
R = TypeVar("R")

INDEX = "chroma"
NICENESS = 5
"""The world and its people come first."""


def prepare() -> None:
    """Make this process a quiet child: no terminal, no signals, one thread, never outliving its parent."""
    threading.Thread(target=_end_with_parent, name="end-with-parent", daemon=True).start()
    # What ends the world on a terminal reaches the whole group; the parent ends its child itself.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    os.close(nothing)
    # Before numpy and the tokenizer are imported: they read these once.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    os.environ["ANONYMIZED_TELEMETRY"] = "False"
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # onnxruntime would write into the home folder and call its maker
    os.nice(NICENESS)


def _end_with_parent() -> None:
    """Wait until the parent is gone, however it ended, and end at once: what is half written is made anew."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)


class Store:
    """Embedder, cache and index together, held by one process at a time.

    Args:
        folder: the vault's `.index/`.
        embedder: name of the embedder.
        index: name of the index.

    Raises:
        Unavailable: the embedder cannot be had here.
        UnknownName: there is no such embedder or index.
    """

    def __init__(self, folder: Path, embedder: str, index: str = INDEX) -> None:
        # Here, and not above: these import numpy and all that stands on it.
        from agents.recall.cache import EmbeddingCache
        from agents.recall.embedders._embedder import EmbedderKind
        from agents.recall.indexes._index import IndexKind

        folder.mkdir(parents=True, exist_ok=True)
        self._closed = False
        self._lock_path = folder / "worker.lock"
        self._lock = os.open(self._lock_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        # An older child may still be ending: two writers would lose vectors without a word.
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        model = load("agents.recall.embedders", EmbedderKind, "embedder").get(embedder).start(folder)
        kind = load("agents.recall.indexes", IndexKind, "index").get(index)
        self._dirty = folder / f"{index}.dirty"
        if self._dirty.exists() and (folder / index).exists():
            shutil.rmtree(folder / index)
        self._dirty.touch()
        self._cache = EmbeddingCache(folder / "embeddings.sqlite3", model)
        self._index = kind.open(folder / index, model.model, model.dimension)

    def check(self) -> None:
        """Refuse to go on in a folder that was deleted under us.

        Raises:
            StoreFailed: the lock's file is not ours any more.
        """
        try:
            same = self._lock_path.stat().st_ino == os.fstat(self._lock).st_ino and self._dirty.exists()
        except OSError:
            same = False
        if not same:
            raise StoreFailed("the folder was deleted")

    def ids(self) -> list[str]:
        """Return the id of every vector in the index."""
        return self._index.ids()

    def put(self, records: Sequence[Record]) -> None:
        """Embed these, as far as they are not in the cache, and put them into the index."""
        self.check()
        vectors = self._cache.embed([record.digest for record in records], [record.text for record in records])
        self._index.put([record.id for record in records], vectors, [record.metadata for record in records])

    def remove(self, ids: Collection[str]) -> None:
        """Take these out of the index."""
        self.check()
        self._index.remove(ids)

    def nearest(self, text: str, agent: str, types: Collection[str], k: int) -> dict[str, float]:
        """Return what of one agent is nearest to a text: ids with their cosines."""
        self.check()
        return self._index.nearest(self._cache.question(text), agent, types, k)

    def close(self) -> None:
        """End cleanly: the next process can use the index as it is. Closing again does nothing."""
        if self._closed:
            return
        self._closed = True
        self._index.close()
        self._cache.close()
        if self._lock_path.exists():
            self._dirty.unlink(missing_ok=True)
        os.close(self._lock)


_store: Store | None = None


def _told(work: Callable[P, R]) -> Callable[P, R]:
    """Turn every error into one that the parent can read without loading a library of the child's."""

    @functools.wraps(work)
    def done(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return work(*args, **kwargs)
        except (Unavailable, UnknownName) as error:
            raise EmbedderMissing(str(error)) from None
        except StoreFailed:
            raise
        except Exception as error:
            raise StoreFailed(f"{type(error).__name__}: {error}") from None

    return done


def _opened() -> Store:
    if _store is None:
        raise StoreFailed("the store is not open")
    return _store


@_told
def open_store(folder: str, embedder: str) -> list[str]:
    """Open the store and return the ids of all vectors in it."""
    global _store
    _store = Store(Path(folder), embedder)
    return _store.ids()


@_told
def check() -> None:
    """See `Store.check`."""
    _opened().check()


@_told
def put(records: Sequence[Record]) -> None:
    """See `Store.put`."""
    _opened().put(records)


@_told
def remove(ids: Collection[str]) -> None:
    """See `Store.remove`."""
    _opened().remove(ids)


@_told
def nearest(text: str, agent: str, types: Collection[str], k: int) -> dict[str, float]:
    """See `Store.nearest`."""
    return _opened().nearest(text, agent, types, k)


@_told
def close_store() -> None:
    """See `Store.close`."""
    global _store
    store, _store = _opened(), None
    store.close()
