"""The child process that holds the embedder and the vectors, so that a crash there does not affect the world.

`Store` lives in the child; `VectorProcess` is the parent's side. The heavy libraries are imported after `prepare`,
and the child never uses stdin, stdout or stderr. Files in `.index/`: `worker.lock` (held while the child lives),
`chroma/`, `chroma.closed` (see `CleanShutdown`) and `embeddings.sqlite3`.
"""

from __future__ import annotations

import asyncio
import fcntl
import multiprocessing
import multiprocessing.connection
import os
import shutil
import signal
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, NamedTuple, ParamSpec, TypeVar, cast

from agents.llm.profiles import LLMProfile
from agents.recall.documents import (
    MEMORY,
    Bill,
    EmbedderAway,
    EmbedderMissing,
    FolderGone,
    Query,
    Record,
    StoreFailed,
    digest_of,
    place_named,
)
from agents.recall.settings import EMBEDDED, RecallSettings
from mud.errors import Unavailable, UnknownName, UnsafePath
from mud.registry import load
from mud.storage.files import lock_folder
from mud.storage.paths import check_held, check_tree, open_own

if TYPE_CHECKING:
    from agents.recall.embedders import Served

P = ParamSpec("P")
R = TypeVar("R")

CHROMA, CHROMA_SERVER = "chroma", "chroma_server"
NEAREST_SAMPLES = 10
"""A stored text must be among this many results for its own vector."""
NICENESS = 5
LONGEST = 120.0
"""Seconds that one call may take before the child counts as hung; opening builds a graph and loads weights."""
CLOSING = 3.0
"""Seconds that a child gets to close its files; then it is killed, and the index is rebuilt at the next start."""
LEAVING = 2.0
"""Seconds to wait for a killed child to end."""


# -- in the child -----------------------------------------------------------------------------------------------------


def prepare() -> None:
    """Initialise the child: no terminal, signals ignored, one thread for numpy, ends when the parent ends."""
    threading.Thread(target=_end_with_parent, name="end-with-parent", daemon=True).start()
    # Signals of the terminal reach the whole process group; the parent ends its child itself.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    os.close(nothing)
    # Must be set before numpy and the tokenizer are imported.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    os.environ["ANONYMIZED_TELEMETRY"] = "False"
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # onnxruntime would write into the home folder and send telemetry
    os.nice(NICENESS)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)


class CleanShutdown:
    """A list of the index's files at the last clean shutdown. Opening an index changed since then may crash."""

    def __init__(self, index: Path) -> None:
        self._index = index
        self._path = index.with_suffix(".closed")

    def open(self) -> None:
        """Remove the list; delete the index if it does not match it."""
        noted = self._path.read_text("utf-8", "replace") if self._path.is_file() else ""
        if self._index.is_file():
            self._index.unlink()
        elif self._index.exists() and noted != self._listing():
            shutil.rmtree(self._index)
        self._path.unlink(missing_ok=True)

    def close(self) -> None:
        self._path.write_text(self._listing(), "utf-8")

    def _listing(self) -> str:
        """Return each file with its size and time; a copy that keeps the times is valid too."""
        files = sorted(path for path in self._index.rglob("*") if path.is_file())
        found = ((path.relative_to(self._index), path.stat()) for path in files)
        return "".join(f"{path} {stat.st_size} {stat.st_mtime_ns}\n" for path, stat in found)


class StoreState(NamedTuple):
    """What a store holds when it is opened: `documents` are vector ids, `served` says whether a server embeds."""

    fresh: bool
    documents: list[str]
    served: bool = False


class Store:
    """Embedder, cache, thesaurus and index of one `.index/` folder, locked for one process."""

    def __init__(self, folder: Path, embedder: str, server: str = "", by: LLMProfile | None = None) -> None:
        check_tree(folder)
        self._closed = False
        self._served: Served | None = None
        self._lock_path = folder / "worker.lock"
        # A previous child may still be ending; two writers would lose vectors silently.
        self._folder_lock = lock_folder(folder, wait=True)
        self._lock = open_own(self._lock_path, os.O_RDWR | os.O_CREAT, 0o644)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        self._watched = {self._lock_path: os.fstat(self._lock).st_ino}
        try:
            self._open(folder, embedder, server, by)
        except Exception:
            if self._served is not None:
                self._served.close()
            self.check()
            raise

    def _open(self, folder: Path, embedder: str, server: str, by: LLMProfile | None) -> None:
        # Imported here because these import numpy.
        from agents.recall.cache import EmbeddingCache, Thesaurus
        from agents.recall.embedders import EmbedderKind
        from agents.recall.indexes import IndexKind, Place

        chosen = load("agents.recall.embedders", EmbedderKind, "embedder").get(embedder)
        model = chosen.make(folder, by)
        self._served = cast("Served", model) if chosen.served else None
        kind = load("agents.recall.indexes", IndexKind, "index").get(CHROMA_SERVER if server else CHROMA)
        self._clean_shutdown = None if server else CleanShutdown(folder / CHROMA)
        if self._clean_shutdown is not None:
            self._clean_shutdown.open()
        self._cache = EmbeddingCache(folder / "embeddings.sqlite3", model)
        self._thesaurus = Thesaurus(model.dimension)
        self._index = kind.open(Place(folder / CHROMA, server), model.model, model.dimension)
        if self._clean_shutdown is not None:
            self._watched[folder / CHROMA] = (folder / CHROMA).stat().st_ino
        self._searcher = ThreadPoolExecutor(1, thread_name_prefix="nearest")
        self._begun: tuple[Query, Future[tuple[dict[int, float], dict[str, float]]]] | None = None

    def state(self) -> StoreState:
        return StoreState(self._index.empty, self._index.documents(), self._served is not None)

    def check(self) -> None:
        """Raise `FolderGone` if the folder or the lock file was deleted or replaced."""
        try:
            same = all(path.stat().st_ino == inode for path, inode in self._watched.items())
        except OSError:
            same = False
        if not same:
            raise FolderGone("the folder was deleted")

    def put(self, records: Sequence[Record]) -> None:
        self.check()
        vectors = self._cache.embed([record.digest for record in records], [record.text for record in records])
        self._index.put([record.id for record in records], vectors, [record.metadata for record in records])

    def learn(self, words: Sequence[str]) -> bool:
        self.check()
        self._thesaurus.learn(words, self._cache.embed([digest_of(word) for word in words], words))
        return self._thesaurus.has_room

    def similar_words(self, query: Query, words: Sequence[str]) -> dict[str, dict[str, float]]:
        """Return the similar words of each word, and start the search that `nearest` returns for the same query."""
        self.check()
        if self._served is not None:  # all in one request
            self._cache.embed_questions([query.text, *self._thesaurus.unknown(words)])
        vector = self._cache.question(query.text)
        # Runs in parallel with the thesaurus: numpy and chromadb both release the interpreter lock.
        self._begun = (query, self._searcher.submit(self._nearest, query, vector))
        unknown = self._thesaurus.unknown(words)
        return self._thesaurus.similar(words, {word: self._cache.question(word) for word in unknown})

    def nearest(self, query: Query) -> tuple[dict[int, float], dict[str, float]]:
        """Return the nearest memory passages by place and documents by vector id, with their cosines."""
        self.check()
        if self._begun is not None and self._begun[0] == query:
            return self._begun[1].result()
        return self._nearest(query, self._cache.question(query.text))

    def _nearest(self, query: Query, vector: Any) -> tuple[dict[int, float], dict[str, float]]:
        memories = self._index.nearest(vector, query.agent, (MEMORY,), query.most) if query.memories else {}
        documents = self._index.nearest(vector, query.agent, query.types, query.most) if query.types else {}
        return {place_named(one): cosine for one, cosine in memories.items()}, documents

    def remove(self, agent: str, ids: Collection[str]) -> None:
        self.check()
        self._index.remove(agent, ids)

    def forget(self, agent: str) -> None:
        self.check()
        self._index.forget(agent)

    def holds(self, agent: str, memories: int, samples: Sequence[Record]) -> bool:
        """Compare the number of memories, and search most samples by their own text (the search is approximate)."""
        self.check()
        if self._index.count(agent) != memories:
            return False
        vectors = self._cache.embed([one.digest for one in samples], [one.text for one in samples]) if samples else ()
        found = [
            one.id in self._index.nearest(vector, agent, (MEMORY,), NEAREST_SAMPLES)
            for one, vector in zip(samples, vectors, strict=True)
        ]
        return 2 * sum(found) >= len(found)

    def price(self, texts: Sequence[str]) -> Bill:
        missing = self._cache.missing([digest_of(text) for text in texts], texts)
        return self._served.price(missing) if self._served is not None else Bill()

    def price_question(self, query: Query, words: Sequence[str]) -> Bill:
        missing = self._cache.missing_questions([query.text, *self._thesaurus.unknown(words)])
        return self._served.price(missing) if self._served is not None else Bill()

    def bill(self) -> Bill:
        """Return what a server charged since the last call."""
        return self._served.bill() if self._served is not None else Bill()

    def greet(self) -> None:
        if self._served is not None:
            self._served.greet()

    def close(self) -> None:
        """Close cleanly, so that the next process can use the index."""
        if self._closed:
            return
        self._closed = True
        self._searcher.shutdown()
        self._index.close()
        self._cache.close()
        if self._served is not None:
            self._served.close()
        if self._clean_shutdown is not None and self._lock_path.exists():
            self._clean_shutdown.close()
        os.close(self._lock)
        os.close(self._folder_lock)


_store: Store | None = None


@contextmanager
def _readable_errors() -> Iterator[None]:
    """Convert every error into one that the parent can unpickle without the child's libraries."""
    try:
        yield
    except EmbedderAway as error:
        raise EmbedderAway(str(error)) from None
    except (Unavailable, UnknownName, UnsafePath) as error:
        raise EmbedderMissing(str(error)) from None
    except StoreFailed:
        raise
    except Exception as error:
        if _store is not None:
            _store.check()
        raise StoreFailed(f"{type(error).__name__}: {error}") from None


def _opened() -> Store:
    if _store is None:
        raise StoreFailed("the store is not open")
    return _store


def open_store(folder: str, embedder: str, server: str, by: LLMProfile | None = None) -> StoreState:
    global _store
    with _readable_errors():
        _store = Store(Path(folder), embedder, server, by)
        return _store.state()


def call(work: Callable[Concatenate[Store, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
    with _readable_errors():
        return work(_opened(), *args, **kwargs)


def call_metered(
    work: Callable[Concatenate[Store, P], R], *args: P.args, **kwargs: P.kwargs
) -> tuple[R | None, Bill, Unavailable | StoreFailed | None]:
    """Run a method; return its result, what a server charged (also on failure), and the error, if any."""
    try:
        return call(work, *args, **kwargs), _opened().bill(), None
    except (EmbedderAway, EmbedderMissing, StoreFailed) as error:
        return None, _opened().bill(), error


def close_store() -> None:
    global _store
    with _readable_errors():
        store, _store = _opened(), None
        store.close()


# -- in the parent ----------------------------------------------------------------------------------------------------

_spawning = threading.Lock()
"""Held while a child is spawned, so that the one new process is known to belong to this pool."""


async def answer(future: Future[R]) -> R:
    """Wait for the child's answer; `StoreFailed` when there is none. A cancellation is never lost.

    Not `asyncio.wait_for`: in Python 3.11 it swallows a cancellation that comes with the answer.
    """
    try:
        async with asyncio.timeout(LONGEST):
            return await asyncio.wrap_future(future)
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        # Not this task was cancelled but the future, when the pool ended.
        raise StoreFailed("the child process was ended") from None
    except BrokenProcessPool as error:
        raise StoreFailed("the child process ended unexpectedly") from error
    except TimeoutError as error:
        raise StoreFailed(f"the child process did not answer in {LONGEST:.0f} s") from error


class VectorProcess:
    """One child process with its store. After a failure it is closed, and a new one is made."""

    def __init__(self, folder: Path, settings: RecallSettings, by: LLMProfile | None = None) -> None:
        self._folder, self._settings, self._by = folder, settings, by
        self.ready = self.served = False
        self._process: BaseProcess | None = None
        self._pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), prepare)
        self._spawned: asyncio.Task[Future[StoreState]] | None = None

    def serves(self, settings: RecallSettings, by: LLMProfile | None = None) -> bool:
        """Return whether it was started with the same embedder, index and profile as in these settings."""
        mine = self._settings
        same = (mine.embedder, mine.chroma) == (settings.embedder, settings.chroma)
        return same and (by == self._by or (self.ready and not self.served))

    async def open(self) -> StoreState:
        """Start the child. Raises `StoreFailed` (may be retried), `EmbedderMissing` (final) or `EmbedderAway`."""
        self._spawned = asyncio.create_task(asyncio.to_thread(self._spawn))
        try:
            # Shielded, so that `_process` is set even when the caller is cancelled, and can be killed.
            opening = await asyncio.shield(self._spawned)
        except (OSError, RuntimeError) as error:
            raise StoreFailed(f"the child process did not start: {error}") from error
        state = await answer(opening)
        self.ready, self.served = True, state.served
        return state

    def _spawn(self) -> Future[StoreState]:
        check_held(self._folder)  # the child holds no lock on the vault and would recreate its folder
        # Inherited, so that no interrupt reaches the child before it ignores signals; the mask is this thread's only.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
        try:
            with _spawning:
                others = set(multiprocessing.active_children())
                settings = self._settings
                server = "" if settings.chroma == EMBEDDED else settings.chroma
                try:
                    opening = self._pool.submit(open_store, str(self._folder), settings.embedder, server, self._by)
                finally:
                    self._process = next(iter(set(multiprocessing.active_children()) - others), None)
        except RuntimeError:  # a process may run without the pool's thread, and Python waits for it at its end
            if self._process is not None:
                self._process.kill()
            raise
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return opening

    async def do(self, work: Callable[Concatenate[Store, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run a method of the store in the child; `StoreFailed` when there is no answer."""
        result: R = await self._submit(call, work, *args, **kwargs)
        return result

    async def do_metered(
        self, work: Callable[Concatenate[Store, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> tuple[R | None, Bill, Unavailable | StoreFailed | None]:
        """Like `do`; also return what a server charged, and the error instead of raising it."""
        result: tuple[R | None, Bill, Unavailable | StoreFailed | None]
        result = await self._submit(call_metered, work, *args, **kwargs)
        return result

    async def _submit(self, function: Callable[..., Any], *args: object, **kwargs: object) -> Any:
        try:
            future = self._pool.submit(function, *args, **kwargs)
        except RuntimeError as error:  # the pool is broken or shut down
            raise StoreFailed("the child process is gone") from error
        return await answer(future)

    async def close(self) -> None:
        """End the child, killing it if it is busy or the caller is cancelled. Takes `CLOSING` + `LEAVING` at most."""
        try:
            async with asyncio.timeout(CLOSING):
                if self._spawned is not None and not self._spawned.done():
                    await asyncio.wait([self._spawned])
                if self.ready:
                    self.ready = False
                    await self._submit(close_store)
        except (StoreFailed, TimeoutError):
            pass  # it is killed instead, and `chroma.closed` is not written
        finally:
            # Kill in any case: libraries may take long to shut down.
            self.kill()
            gone = asyncio.create_task(asyncio.to_thread(self._pool.shutdown, True, cancel_futures=True))
            await asyncio.wait([gone], timeout=LEAVING)

    def kill(self) -> None:
        self.ready = False
        if self._process is not None:
            self._process.kill()
