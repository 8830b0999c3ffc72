"""What an embedder is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Embedder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def model(self) -> str:
        """Names the model and its version: vectors of another name cannot be compared with these."""
        ...

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row of length 1 for each text, whatever the text is; the same text always gives the same row."""
        ...


@dataclass(frozen=True, slots=True)
class EmbedderKind:
    """An embedder as a plug-in.

    Args:
        name: what `embedder:` in config/recall.md says.
        help: one sentence for people.
        start: makes it; takes the folder for what it builds once. Raises `Unavailable` when it cannot be had here.
    """

    name: str
    help: str
    start: Callable[[Path], Embedder]


def embedder(name: str, help: str) -> Callable[[Callable[[Path], Embedder]], EmbedderKind]:
    """Make a function that starts an embedder a plug-in."""
    return lambda start: EmbedderKind(name, help, start)
