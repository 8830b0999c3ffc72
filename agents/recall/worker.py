"""The child process: it alone loads the embedder and the vectors' index, and may crash without harm to the world.

The functions at the bottom are what the parent calls through its process pool. Nothing heavy is imported before
`prepare` has run. It never reads stdin and never writes to stdout or stderr, which belong to the world.

Files in `.index/`: `worker.lock` (held as long as the child lives, as the folder itself is), `chroma/`,
`chroma.closed` (written at a clean end: which files `chroma/` held; whoever opens it and finds it gone, or other files,
begins with an empty folder), `embeddings.sqlite3`.
"""

from __future__ import annotations

import fcntl
import functools
import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, TypeVar, cast

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
from mud.errors import Unavailable, UnknownName, UnsafePath
from mud.registry import load
from mud.storage.files import lock_folder
from mud.storage.paths import check_tree, open_own

if TYPE_CHECKING:
    from agents.recall.embedder import Served

P = ParamSpec("P")
R = TypeVar("R")

EMBEDDED, SERVER = "chroma", "chroma_server"
"""The names of the index in the folder and of the one on a server."""
KNOWN = 10
"""A text that was kept must be among so many found by its own vector."""
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


class Kept(NamedTuple):
    """What an index holds when it is opened.

    Args:
        fresh: whether it was begun just now and holds nothing.
        documents: the ids of the summaries' and notes' vectors.
        served: whether a server embeds, which may be away and is paid.
    """

    fresh: bool
    documents: list[str]
    served: bool = False


class Store:
    """Embedder, cache, thesaurus and index together, held by one process at a time.

    Args:
        folder: the vault's `.index/`.
        embedder: name of the embedder.
        server: address of a chroma server; empty to keep the vectors in the folder.
        by: the LLM profile that names the embedder's server; None when there is none.

    Raises:
        Unavailable: the embedder cannot be had here.
        EmbedderAway: its server does not answer.
        UnknownName: there is no such embedder.
        StoreFailed: the server does not answer.
        FolderGone: the folder was deleted meanwhile.
        UnsafePath: something in the folder is a link.
    """

    def __init__(self, folder: Path, embedder: str, server: str = "", by: LLMProfile | None = None) -> None:
        check_tree(folder)
        self._closed = False
        self._served: Served | None = None
        self._lock_path = folder / "worker.lock"
        # An older child may still be ending: two writers would lose vectors without a word.
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
        # Here, and not above: these import numpy and all that stands on it.
        from agents.recall.cache import EmbeddingCache
        from agents.recall.clean_shutdown import CleanShutdown
        from agents.recall.embedder import EmbedderKind
        from agents.recall.thesaurus import Thesaurus
        from agents.recall.vector_index import IndexKind, Place

        chosen = load("agents.recall.embedders", EmbedderKind, "embedder").get(embedder)
        model = chosen.start(folder, by)
        self._served = cast("Served", model) if chosen.served else None
        kind = load("agents.recall.indexes", IndexKind, "index").get(SERVER if server else EMBEDDED)
        self._seal = CleanShutdown(folder / EMBEDDED)
        self._embedded = not server
        if self._embedded:
            self._seal.open()
        self._cache = EmbeddingCache(folder / "embeddings.sqlite3", model)
        self._thesaurus = Thesaurus(model.dimension)
        self._index = kind.open(Place(folder / EMBEDDED, server), model.model, model.dimension)
        if self._embedded:
            self._watched[folder / EMBEDDED] = (folder / EMBEDDED).stat().st_ino
        self._seeker = ThreadPoolExecutor(1, thread_name_prefix="nearest")
        self._sought: tuple[Query, Future[tuple[dict[int, float], dict[str, float]]]] | None = None

    def check(self) -> None:
        """Refuse to go on in a folder that was deleted under us.

        Raises:
            FolderGone: what we hold open is not what is there any more.
        """
        try:
            same = all(path.stat().st_ino == inode for path, inode in self._watched.items())
        except OSError:
            same = False
        if not same:
            raise FolderGone("the folder was deleted")

    def put(self, records: Sequence[Record]) -> None:
        """Embed these, as far as they are not in the cache, and put them into the index."""
        self.check()
        vectors = self._cache.embed([record.digest for record in records], [record.text for record in records])
        self._index.put([record.id for record in records], vectors, [record.metadata for record in records])

    def learn(self, words: Sequence[str]) -> bool:
        """Add words to the thesaurus; tell whether it has room for more."""
        self.check()
        self._thesaurus.learn(words, self._cache.embed([digest_of(word) for word in words], words))
        return self._thesaurus.has_room

    def understand(self, query: Query, words: Sequence[str]) -> dict[str, dict[str, float]]:
        """Begin to look for what is nearest to a question; return the words that are like each of its own.

        Args:
            query: what `nearest` will be asked for next.
            words: telling words of the question.
        """
        self.check()
        if self._served is not None:  # all in one request
            self._cache.questions([query.text, *self._thesaurus.unknown(words)])
        vector = self._cache.question(query.text)
        # Beside the thesaurus: both leave the interpreter to the other while they count.
        self._sought = (query, self._seeker.submit(self._nearest, query, vector))
        unknown = self._thesaurus.unknown(words)
        return self._thesaurus.alike(words, {word: self._cache.question(word) for word in unknown})

    def nearest(self, query: Query) -> tuple[dict[int, float], dict[str, float]]:
        """Return what is nearest to a question: passages of memories by place, documents by id, with their cosines."""
        self.check()
        if self._sought is not None and self._sought[0] == query:
            return self._sought[1].result()
        return self._nearest(query, self._cache.question(query.text))

    def _nearest(self, query: Query, vector: Any) -> tuple[dict[int, float], dict[str, float]]:
        lived = self._index.nearest(vector, query.agent, (MEMORY,), query.most) if query.memories else {}
        written = self._index.nearest(vector, query.agent, query.types, query.most) if query.types else {}
        return {place_named(one): cosine for one, cosine in lived.items()}, written

    def remove(self, agent: str, ids: Collection[str]) -> None:
        """Take these documents out of the index."""
        self.check()
        self._index.remove(agent, ids)

    def forget(self, agent: str) -> None:
        """Take everything of an agent out of the index."""
        self.check()
        self._index.forget(agent)

    def holds(self, agent: str, memories: int, samples: Sequence[Record]) -> bool:
        """Tell whether the index has so many memories of an agent, and finds most of these by their own text.

        Most, because its search is approximate: of texts of one form that only spelling tells apart it misses some.
        """
        self.check()
        if self._index.count(agent) != memories:
            return False
        vectors = self._cache.embed([one.digest for one in samples], [one.text for one in samples]) if samples else ()
        found = [
            one.id in self._index.nearest(vector, agent, (MEMORY,), KNOWN)
            for one, vector in zip(samples, vectors, strict=True)
        ]
        return 2 * sum(found) >= len(found)

    def kept(self) -> Kept:
        """Return what is in the index."""
        return Kept(self._index.empty, self._index.documents(), self._served is not None)

    def price(self, texts: Sequence[str]) -> Bill:
        """Return what a server will take for embedding these, as far as they are not in the cache."""
        missing = self._cache.missing([digest_of(text) for text in texts], texts)
        return self._served.price(missing) if self._served is not None else Bill()

    def price_question(self, query: Query, words: Sequence[str]) -> Bill:
        """Return what a server will take for a question and those of its words that nobody ever said."""
        missing = self._cache.unasked([query.text, *self._thesaurus.unknown(words)])
        return self._served.price(missing) if self._served is not None else Bill()

    def bill(self) -> Bill:
        """Return what a server took since this was last asked."""
        return self._served.bill() if self._served is not None else Bill()

    def greet(self) -> None:
        """Return when the embedder's server answers and is the one that it was; see `Served`."""
        if self._served is not None:
            self._served.greet()

    def close(self) -> None:
        """End cleanly: the next process can use the index as it is. Closing again does nothing."""
        if self._closed:
            return
        self._closed = True
        self._seeker.shutdown()
        self._index.close()
        self._cache.close()
        if self._served is not None:
            self._served.close()
        if self._embedded and self._lock_path.exists():
            self._seal.close()
        os.close(self._lock)
        os.close(self._folder_lock)


_store: Store | None = None


def _told(work: Callable[P, R]) -> Callable[P, R]:
    """Turn every error into one that the parent can read without loading a library of the child's."""

    @functools.wraps(work)
    def done(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return work(*args, **kwargs)
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

    return done


def _opened() -> Store:
    if _store is None:
        raise StoreFailed("the store is not open")
    return _store


@_told
def open_store(folder: str, embedder: str, server: str, by: LLMProfile | None = None) -> Kept:
    """Open the store and return what is in it."""
    global _store
    _store = Store(Path(folder), embedder, server, by)
    return _store.kept()


@_told
def check() -> None:
    """See `Store.check`."""
    _opened().check()


@_told
def put(records: Sequence[Record]) -> None:
    """See `Store.put`."""
    _opened().put(records)


@_told
def learn(words: Sequence[str]) -> bool:
    """See `Store.learn`."""
    return _opened().learn(words)


@_told
def remove(agent: str, ids: Collection[str]) -> None:
    """See `Store.remove`."""
    _opened().remove(agent, ids)


@_told
def forget(agent: str) -> None:
    """See `Store.forget`."""
    _opened().forget(agent)


@_told
def holds(agent: str, memories: int, samples: Sequence[Record]) -> bool:
    """See `Store.holds`."""
    return _opened().holds(agent, memories, samples)


@_told
def understand(query: Query, words: Sequence[str]) -> dict[str, dict[str, float]]:
    """See `Store.understand`."""
    return _opened().understand(query, words)


@_told
def nearest(query: Query) -> tuple[dict[int, float], dict[str, float]]:
    """See `Store.nearest`."""
    return _opened().nearest(query)


@_told
def price(texts: Sequence[str]) -> Bill:
    """See `Store.price`."""
    return _opened().price(texts)


@_told
def price_question(query: Query, words: Sequence[str]) -> Bill:
    """See `Store.price_question`."""
    return _opened().price_question(query, words)


@_told
def metered(
    work: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs
) -> tuple[R | None, Bill, Unavailable | StoreFailed | None]:
    """Do one of these; return its result, what a server took for it, and why there is none: that is paid for too."""
    try:
        return work(*args, **kwargs), _opened().bill(), None
    except (EmbedderAway, EmbedderMissing, StoreFailed) as error:
        return None, _opened().bill(), error


@_told
def greet() -> None:
    """See `Store.greet`."""
    _opened().greet()


@_told
def close_store() -> None:
    """See `Store.close`."""
    global _store
    store, _store = _opened(), None
    store.close()
