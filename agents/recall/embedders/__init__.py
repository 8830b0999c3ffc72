"""Ways to turn a text into a vector, one file each. Loaded in recall's child process only.

To add one, write a module here with a function `@embedder("name", "one sentence about it")` that takes the folder
`.index/` (a `Path`, for what it builds once) and returns an `Embedder`; the name is the file's. It can then be named in
`embedder:` of config/recall.md. It must be deterministic and give unit vectors; the contract tests try it. One on a
server is a `Dialect` of `_served` instead, with the server that the LLM profile `embed` names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from agents.llm.profiles import LLMProfile
from agents.recall.documents import Bill


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


class Served(Embedder, Protocol):
    """An embedder on a server: it may be away, and what it does is paid for. Its `embed` raises `EmbedderAway`."""

    def price(self, texts: Sequence[str]) -> Bill:
        """Return what embedding these would take, rather too much than too little."""
        ...

    def bill(self) -> Bill:
        """Return what was taken since this was last asked."""
        ...

    def greet(self) -> None:
        """Return when the server answers and is the one that it was.

        Raises:
            EmbedderAway: it does not answer.
            StoreFailed: it has another model now.
        """
        ...

    def close(self) -> None:
        """Close every connection."""
        ...


@dataclass(frozen=True, slots=True)
class EmbedderKind:
    """An embedder as a plug-in.

    Args:
        name: what `embedder:` in config/recall.md says.
        help: one sentence for people.
        make: makes it; takes the folder for what it builds once, and the LLM profile that names its server, if any.
            Raises `Unavailable` when it cannot be had here.
        served: it is on a server, and follows `Served`.
    """

    name: str
    help: str
    make: Callable[[Path, LLMProfile | None], Embedder]
    served: bool = False


def embedder(name: str, help: str) -> Callable[[Callable[[Path], Embedder]], EmbedderKind]:
    """Make a function that starts an embedder in this process a plug-in."""
    return lambda start: EmbedderKind(name, help, lambda folder, server: start(folder))
