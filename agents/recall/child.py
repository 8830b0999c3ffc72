"""The child process that holds the embedder and the vectors, so that a crash there does not affect the world.

`Store` lives in the child; `VectorProcess` is the parent's side. The heavy libraries are imported in the child only,
which has no terminal. Files in `.index/`: `worker.lock` (held while the child lives), `matrix/`, `chroma/`,
`chroma.closed` (see `CleanShutdown`) and `embeddings.sqlite3`.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import pickle
import shutil
import socket
import sys
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, TypeVarTuple, cast

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
from agents.recall.settings import EMBEDDED, EXACT, RecallSettings
from mud.child_process import SIZE, ChildProcess, framed, ignore_signals
from mud.errors import Unavailable, UnknownName, UnsafePath
from mud.registry import load
from mud.storage.files import lock_folder
from mud.storage.paths import NO_FILE, check_held, check_tree, hold, open_own, unsafe

if TYPE_CHECKING:
    from agents.recall.embedders import ServedEmbedder

R = TypeVar("R")
Ts = TypeVarTuple("Ts")
Answer = tuple[Any, Bill, Unavailable | StoreFailed | None]
"""Result, what a server charged, and error."""

CHROMA, MATRIX = "chroma", "matrix"
"""The indexes, and their folders: of a server, and of a folder, which has both."""
FOLDERS = (CHROMA, MATRIX)
FORM = 2
"""The form of what is put into an index; after a change all vectors are put again."""
NEAREST_SAMPLES = 10
"""A stored text must be among this many results for its own vector."""
NICENESS = 5
CLOSING = 3.0
"""Seconds that a child gets to close its files; then it is killed, and the index is rebuilt at the next start."""
UNUSED: dict[str, dict[str, object]] = {
    "httpx._main": {"main": lambda: None},
    "jsonschema": {"validate": None, "ValidationError": ValueError},
    "opentelemetry.exporter.otlp.proto.grpc.trace_exporter": {"OTLPSpanExporter": None},
    "overrides": {"override": lambda same: same, "overrides": lambda same: same, "EnforceOverrides": object},
}
"""What stands in for modules that chromadb imports and that do nothing here, a third of the child's start: httpx's
command line, the schemas of embedders that others serve, the sending of traces, and checks of chromadb's own code."""


# -- in the child -----------------------------------------------------------------------------------------------------


def prepare() -> None:
    """Initialise a child process: signals ignored, one thread for numpy. Call it before the heavy imports."""
    ignore_signals()
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    os.environ["ANONYMIZED_TELEMETRY"] = "False"
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # onnxruntime would write into the home folder and send telemetry
    for name, content in UNUSED.items():
        sys.modules[name] = ModuleType(name)
        vars(sys.modules[name]).update(content)
    os.nice(NICENESS)


def main(descriptor: str, *held: str) -> None:
    """The child's program: answer the requests in a socket one by one; the first one opens the store.

    Args:
        descriptor: of the socket.
        held: the vault that the parent holds, if it does, and the descriptor of its folder.
    """
    prepare()
    if held:
        hold(Path(held[0]), int(held[1]))  # nothing is written into a folder that took its place
    requests: SimpleQueue[tuple[int, tuple[bool, Callable[..., Any], tuple[object, ...]]]] = SimpleQueue()
    with socket.socket(fileno=int(descriptor)) as parent:
        threading.Thread(target=_read, args=(parent, requests), name="requests", daemon=True).start()
        store: Store | None = None
        while True:
            number, (metered, work, args) = requests.get()
            result: object = None
            error: Exception | None = None
            try:
                if store is None:
                    store = Store(*args)  # type: ignore[arg-type]
                    result = store.state()
                else:
                    result = work(store, *args)
            except Exception as failure:
                error = _readable(failure, store)
            bill = store.bill() if metered and store is not None else Bill()
            parent.sendall(framed((number, (result, bill, error))))


def _read(parent: socket.socket, requests: SimpleQueue[Any]) -> None:
    """Read requests until the parent ends, and end with it."""
    try:
        with parent.makefile("rb") as stream:
            while stream.read(SIZE):
                requests.put(pickle.load(stream))
    finally:
        os._exit(1)


def _readable(error: Exception, store: Store | None) -> Exception:
    """Return an error that the parent can unpickle without the child's libraries."""
    match error:
        case EmbedderAway():
            return EmbedderAway(str(error))
        case Unavailable() | UnknownName() | UnsafePath():
            return EmbedderMissing(str(error))
        case StoreFailed():
            return error
    try:
        if store is not None:
            store.check()
    except FolderGone as gone:
        return gone
    last = str(error).strip().rpartition("\n")[2]  # numpy writes a page, and what was wrong in its last line
    return StoreFailed(f"{type(error).__name__}: {last}".removesuffix(": "))


class CleanShutdown:
    """A list of the index's files at the last clean shutdown. Opening an index changed since then may crash."""

    def __init__(self, index: Path) -> None:
        self._index = index
        self._path = index.with_suffix(".closed")

    def open(self) -> bool:
        """Remove the list; delete the index if it does not match it. Return whether there was one that is gone."""
        noted = self._path.read_text("utf-8", "replace") if self._path.is_file() else ""
        lost = noted != self._listing()
        if self._index.is_file():
            self._index.unlink()
        elif self._index.exists() and lost:
            shutil.rmtree(self._index)
        self._path.unlink(missing_ok=True)
        return lost

    def close(self) -> None:
        self._path.write_text(self._listing(), "utf-8")

    def _listing(self) -> str:
        """Return each file with its size, time and inode: the files of a copy, such as a stranger's, are not opened."""
        files = sorted(path for path in self._index.rglob("*") if path.is_file())
        found = ((path.relative_to(self._index), path.stat()) for path in files)
        return "".join(f"{path} {stat.st_size} {stat.st_mtime_ns} {stat.st_ino}\n" for path, stat in found)


class StoreState(NamedTuple):
    """What a store holds when it is opened.

    Args:
        fresh: nothing.
        documents: vector ids.
        served: a server embeds.
        lost: lives with more vectors than are searched exactly may be missing.
    """

    fresh: bool
    documents: list[str]
    served: bool = False
    lost: bool = False


class Store:
    """Embedder, cache, thesaurus and index of one `.index/` folder, locked for one process."""

    def __init__(
        self, folder: Path, embedder: str, server: str = "", by: LLMProfile | None = None, exact: int = EXACT
    ) -> None:
        check_tree(folder)
        for path in folder.iterdir():
            if path.is_dir() and path.name not in FOLDERS:
                raise unsafe(path, NO_FILE)
        self._closed = False
        self._examples: list[Any] = []
        self._served: ServedEmbedder | None = None
        self._lock_path = folder / "worker.lock"
        # A previous child may still be ending; two writers would lose vectors silently.
        self._folder_lock = lock_folder(folder, wait=True)
        self._lock = open_own(self._lock_path, os.O_RDWR | os.O_CREAT, 0o644)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        self._watched = {self._lock_path: os.fstat(self._lock).st_ino}
        try:
            self._open(folder, embedder, server, by, exact)
        except Exception:
            if self._served is not None:
                self._served.close()
            self.check()
            raise

    def _open(self, folder: Path, embedder: str, server: str, by: LLMProfile | None, exact: int) -> None:
        # Imported here because these import numpy.
        from agents.recall.embedders import EmbedderKind
        from agents.recall.indexes import EmbeddingCache, IndexKind, Place, Thesaurus

        kinds = load("agents.recall.embedders", EmbedderKind, "embedder", {embedder})
        if embedder not in kinds:  # all are loaded only to name them
            kinds = load("agents.recall.embedders", EmbedderKind, "embedder")
        chosen = kinds.get(embedder)
        model = chosen.make(folder, by)
        self._served = cast("ServedEmbedder", model) if chosen.served else None
        kind = load("agents.recall.indexes", IndexKind, "index").get(CHROMA if server else MATRIX)
        self._clean_shutdown = None if server else CleanShutdown(folder / CHROMA)
        self._lost = self._clean_shutdown is not None and self._clean_shutdown.open()
        check_held(folder)  # loading the model takes a while
        self._cache = EmbeddingCache(folder / "embeddings.sqlite3", model)
        self._thesaurus = Thesaurus(model.dimension)
        self._index = kind.open(Place(folder, server, exact), f"{model.model} {FORM}", model.dimension)
        if self._clean_shutdown is not None:
            self._watched |= {folder / name: (folder / name).stat().st_ino for name in FOLDERS}
        self._searcher = ThreadPoolExecutor(1, thread_name_prefix="nearest")
        self._begun: tuple[Query, Future[tuple[dict[int, float], dict[str, float]]]] | None = None

    def state(self) -> StoreState:
        fresh = self._index.empty
        return StoreState(fresh, self._index.documents(), self._served is not None, self._lost and not fresh)

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

    def learn_examples(self, start: int, texts: Sequence[str]) -> None:
        """Keep the vectors of example sentences, from a number on; they are cached like all others."""
        self.check()
        self._examples = self._examples if start else []
        self._examples.append(self._cache.embed([digest_of(text) for text in texts], texts))

    def compare(self, sentence: str) -> list[float]:
        """Return the cosine of a sentence and each example."""
        self.check()
        vector = self._cache.question(sentence)
        return [float(cosine) for some in self._examples for cosine in some @ vector]

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

    def lacking(self, wanted: Mapping[str, tuple[int, Sequence[Record]]]) -> list[str]:
        """Return the agents for which `holds` does not hold, by the number of memories and samples of each."""
        return [agent for agent, (memories, samples) in wanted.items() if not self.holds(agent, memories, samples)]

    def price(self, texts: Sequence[str]) -> Bill:
        """Return what embedding these texts costs at most."""
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


# -- in the parent ----------------------------------------------------------------------------------------------------


class VectorProcess:
    """One child process with its store. After a failure it is closed, and a new one is made."""

    def __init__(self, folder: Path, settings: RecallSettings, by: LLMProfile | None = None) -> None:
        self._folder, self._settings, self._by = folder, settings, by
        self.ready = self.served = False
        self._child = ChildProcess("the child process", StoreFailed)

    def serves(self, settings: RecallSettings, by: LLMProfile | None = None) -> bool:
        """Return whether it was started with the same embedder, index and profile as in these settings."""
        mine = self._settings
        same = all(getattr(mine, key) == getattr(settings, key) for key in ("embedder", "chroma", "exact_up_to"))
        return same and (by == self._by or (self.ready and not self.served))

    async def open(self) -> StoreState:
        """Start the child. Raises `StoreFailed` (may be retried), `EmbedderMissing` (final) or `EmbedderAway`."""
        try:
            held = check_held(self._folder)
            args, inherit = ((str(self._folder.parent), str(held[0])), held[:1]) if held else ((), ())
            await self._child.start(__name__, *args, inherit=inherit)
        except OSError as failure:
            raise StoreFailed(f"the child process did not start: {failure}") from failure
        settings = self._settings
        server = "" if settings.chroma == EMBEDDED else settings.chroma
        state, _, error = await self.ask(
            False, Store, self._folder, settings.embedder, server, self._by, settings.exact_up_to
        )
        if error is not None:
            raise error
        self.ready, self.served = True, state.served
        return cast(StoreState, state)

    async def do(self, work: Callable[[Store, *Ts], R], *args: *Ts) -> R:
        """Run a method of the store in the child; `StoreFailed` when there is no answer."""
        result, _, error = await self.ask(False, work, *args)
        if error is not None:
            raise error
        return cast(R, result)

    async def ask(self, metered: bool, work: Callable[..., Any], *args: object) -> Answer:
        """Like `do`; if `metered`, also return what a server charged. The error is returned, not raised."""
        answer: Answer = await self._child.ask(metered, work, args)
        return answer

    async def close(self) -> None:
        """End the child, killing it if it is busy or the caller is cancelled. Takes `CLOSING` + 2 s at most."""
        try:
            if self.ready:
                self.ready = False
                async with asyncio.timeout(CLOSING):
                    await self.do(Store.close)
        except (StoreFailed, TimeoutError):
            pass  # it is killed instead, and `chroma.closed` is not written
        finally:
            await self._child.end()  # in any case: libraries may take long to shut down

    def kill(self) -> None:
        self.ready = False
        self._child.kill()
