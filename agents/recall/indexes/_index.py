"""What an index of vectors is."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Metadata = Mapping[str, str | int]


class Index(Protocol):
    """Unit vectors with ids and metadata, of many agents."""

    def ids(self) -> list[str]:
        """Return the id of every vector in it."""
        ...

    def put(self, ids: Sequence[str], vectors: NDArray[np.float32], metadata: Sequence[Metadata]) -> None:
        """Add vectors, or replace those of the same id; each metadata holds at least `agent` and `type`."""
        ...

    def remove(self, ids: Collection[str]) -> None:
        """Take these out; an id that is not there is no error."""
        ...

    def nearest(self, vector: NDArray[np.float32], agent: str, types: Collection[str], k: int) -> dict[str, float]:
        """Return the k nearest of one agent and of these types: ids with their cosines, best first."""
        ...

    def close(self) -> None:
        """Write everything down and let go."""
        ...


@dataclass(frozen=True, slots=True)
class IndexKind:
    """An index as a plug-in.

    Args:
        name: what it is chosen by.
        help: one sentence for people.
        open: opens it in a folder of its own, for a model's name and dimension; vectors of another model are dropped.
    """

    name: str
    help: str
    open: Callable[[Path, str, int], Index]


def index(name: str, help: str) -> Callable[[Callable[[Path, str, int], Index]], IndexKind]:
    """Make a function that opens an index a plug-in."""
    return lambda opened: IndexKind(name, help, opened)
