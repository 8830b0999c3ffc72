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
    """Unit vectors of many agents, each with an id and a type: `memory`, `memory_summary` or `note`."""

    @property
    def empty(self) -> bool:
        """Whether it was empty when opened."""
        ...

    def put(self, ids: Sequence[str], vectors: NDArray[np.float32], metadata: Sequence[Metadata]) -> None:
        """Add vectors, or replace those of the same id, agent and family; metadata needs `agent` and `type`."""
        ...

    def remove(self, agent: str, ids: Collection[str]) -> None:
        """Remove documents of an agent; unknown ids are ignored. Single memories are never removed."""
        ...

    def forget(self, agent: str) -> None: ...

    def nearest(self, vector: NDArray[np.float32], agent: str, types: Collection[str], k: int) -> dict[str, float]:
        """Return the k nearest of one agent and these types: ids with cosines, best first."""
        ...

    def count(self, agent: str) -> int: ...

    def documents(self) -> list[str]: ...

    def close(self) -> None:
        """Save and close. Closing twice is allowed."""
        ...


@dataclass(frozen=True, slots=True)
class Place:
    """Where an index keeps its vectors: a folder, which may not exist yet, or the address of a server, else empty."""

    folder: Path
    server: str = ""


@dataclass(frozen=True, slots=True)
class IndexKind:
    """An index plug-in. `open` drops vectors of another model; raises `StoreFailed` if the server does not answer."""

    name: str
    help: str
    open: Callable[[Place, str, int], Index]


def index(name: str, help: str) -> Callable[[Callable[[Place, str, int], Index]], IndexKind]:
    """Decorator that makes a plug-in of a function that opens an index."""
    return lambda opened: IndexKind(name, help, opened)
