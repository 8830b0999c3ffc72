"""Ways to keep vectors and find the nearest, one file each. Loaded in recall's child process only.

To add one, write a module here with a function `@index("name", "one sentence about it")` that takes a `Place` (a folder
of its own, or a server's address) and the name and dimension of the model, and returns an `Index`. It may lose or break
what it keeps in the folder: the child process notices an unclean end and fills an empty one. The contract tests try it.

Two families of vectors are kept apart: memories, of which one life may have a hundred thousand, and documents
(summaries and notes), of which it has some dozens. What the calls cost with chromadb, embedded, on one thread:

    put        0.4-0.9 ms a vector in batches of 128, up to 100,000 vectors of one agent; one alone 4-9 ms
    nearest    1-3 ms over an agent's memories, another 1-3 ms over its documents
    remove     some ms; forget: some 10 ms
    count      0.6 ms; documents: reads all their ids
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Metadata = Mapping[str, str | int]


class Index(Protocol):
    """Unit vectors of many agents, each with its id and one of the types `memory`, `memory_summary` and `note`."""

    @property
    def empty(self) -> bool:
        """Whether it began with nothing."""
        ...

    def put(self, ids: Sequence[str], vectors: NDArray[np.float32], metadata: Sequence[Metadata]) -> None:
        """Add vectors, or replace those of the same id, agent and family.

        Args:
            ids: one for each vector; of two alike the last counts.
            vectors: one row of length 1 for each id.
            metadata: for each at least its `agent` and `type`.
        """
        ...

    def remove(self, agent: str, ids: Collection[str]) -> None:
        """Take these documents of an agent out; unknown ids are no error. Memories are never removed singly."""
        ...

    def forget(self, agent: str) -> None:
        """Take everything of an agent out."""
        ...

    def nearest(self, vector: NDArray[np.float32], agent: str, types: Collection[str], k: int) -> dict[str, float]:
        """Return the k nearest of one agent and of these types: ids with their cosines, best first."""
        ...

    def count(self, agent: str) -> int:
        """Return how many memories of an agent have a vector."""
        ...

    def documents(self) -> list[str]:
        """Return the id of every document's vector."""
        ...

    def close(self) -> None:
        """Write everything down and close; closing again does nothing."""
        ...


@dataclass(frozen=True, slots=True)
class Place:
    """Where an index keeps its vectors.

    Args:
        folder: its own folder in the vault's `.index/`; need not be there yet.
        server: address of the server that keeps them instead, such as `http://127.0.0.1:8000`; empty for none.
    """

    folder: Path
    server: str = ""


@dataclass(frozen=True, slots=True)
class IndexKind:
    """An index as a plug-in.

    Args:
        name: what it is chosen by.
        help: one sentence for people.
        open: opens it in its place, for a model's name and dimension; vectors of another model are dropped. Raises
            `StoreFailed` when its server does not answer.
    """

    name: str
    help: str
    open: Callable[[Place, str, int], Index]


def index(name: str, help: str) -> Callable[[Callable[[Place, str, int], Index]], IndexKind]:
    """Make a function that opens an index a plug-in."""
    return lambda opened: IndexKind(name, help, opened)
