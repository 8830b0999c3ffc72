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
    @property
    def model(self) -> str:
        """Name and version of the model. Vectors of different names cannot be compared."""
        ...

    @property
    def dimension(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector per text. Must be deterministic and accept any text."""
        ...


class Served(Embedder, Protocol):
    """An embedder on a server, which may be away and may cost money. Its `embed` raises `EmbedderAway`."""

    def price(self, texts: Sequence[str]) -> Bill:
        """Estimate what embedding these texts costs, rather too high."""
        ...

    def bill(self) -> Bill: ...

    def greet(self) -> None:
        """Check that the server answers (else `EmbedderAway`) and still has the same model (else `StoreFailed`)."""
        ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class EmbedderKind:
    """An embedder plug-in. `make` gets the folder for its files and its server's profile; may raise `Unavailable`."""

    name: str
    help: str
    make: Callable[[Path, LLMProfile | None], Embedder]
    served: bool = False


def embedder(name: str, help: str) -> Callable[[Callable[[Path], Embedder]], EmbedderKind]:
    """Decorator that makes a plug-in of a function that makes a local embedder."""
    return lambda start: EmbedderKind(name, help, lambda folder, server: start(folder))
