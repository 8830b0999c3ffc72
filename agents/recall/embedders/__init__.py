"""Ways to turn a text into a vector, one file each. Loaded in recall's child process only.

To add one, write a module here with a function `@embedder("name", "one sentence about it")` that takes the folder
`.index/` (a `Path`, for what it builds once) and returns an `Embedder`; the name is the file's. It can then be named in
`embedder:` of config/recall.md. It must be deterministic and give unit vectors; the contract tests try it. One on a
server is a `Dialect` given to `served` instead; the LLM profile `embed` names the server.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from agents.llm.backend import Refused, tidy
from agents.llm.http import BODY_LIMIT, Wire
from agents.llm.profiles import LLMProfile
from agents.llm.tokens import estimate, prompt_tokens
from agents.recall.documents import Bill, EmbedderAway, StoreFailed
from mud.errors import Unavailable
from mud.storage.files import write_atomic

T = TypeVar("T")


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


def unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the rows with length 1."""
    normal: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return normal


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


# -- on a server -------------------------------------------------------------------------------------------------------

PIECES = 8
"""Pieces of `num_ctx` tokens read of a long text; its vector is their mean weighted by length."""
BATCH = 32
NUMBER_BYTES = 24
"""Upper bound for one number of a vector in an answer."""
EXTRA = 8
"""Tokens of `num_ctx` reserved for the special tokens that a model adds."""
LONGEST = 60.0
"""Seconds for one request, whatever the profile says, so that the child does not count as hung."""
SHORTEST = 64
"""Characters; a refused text is halved until it is this short, then skipped."""
KNOWN = "The brass key lies under the third flowerpot."
"""Its vector identifies the model."""
BLANK = "."
"""Sent for an empty text, which servers refuse."""
MEANINGS = {
    404: "it does not know this address or this model: check host and model in config/llm/embed.md",
    501: "it was not started for embeddings; llama.cpp's takes --embeddings --pooling mean",
}
MODELS = "embedders.json"
"""Beside the vectors: the vectors of `KNOWN` for each model name."""
SAME_MODEL = 0.98
"""Cosine from which two vectors of one text are the same model's; other hardware or quantization differs less."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """The protocol of a kind of server.

    Args:
        asked: returns the request body for texts and a model; an empty model means the server's own.
        rows: returns the vectors of an answer, in the order of the texts.
        tokens: returns the tokens read; None if the answer does not say.
        unnamed: whether a request may omit the model, and the answer then names it.
    """

    name: str
    base: Callable[[str], str]
    models: str
    listed: Callable[[dict[str, Any]], list[str]]
    path: str
    asked: Callable[[list[str], str, LLMProfile], dict[str, Any]]
    rows: Callable[[dict[str, Any]], list[Any]]
    tokens: Callable[[dict[str, Any]], int | None]
    unnamed: bool = False


def served(dialect: Dialect, help: str) -> EmbedderKind:
    return EmbedderKind(dialect.name, help, lambda folder, server: ServedEmbedder(dialect, server, folder), served=True)


class ServedEmbedder:
    """An embedder on a server, which may be away (`EmbedderAway`). Raises `Unavailable` without a valid profile.

    Vectors of two models are never mixed: a changed model, known by its name, by the length of its vectors or by its
    vector of a known text, raises `StoreFailed`.
    """

    def __init__(self, dialect: Dialect, server: LLMProfile | None, folder: Path) -> None:
        if server is None:
            raise Unavailable("there is no config/llm/embed.md, which says where the server is that embeds")
        self._dialect = dialect
        self._profile = replace(server, timeout=min(server.timeout, LONGEST))
        self._wires = [Wire(dialect.base(host), meanings=MEANINGS) for host in server.hosts]
        self._runner = asyncio.Runner()
        self._met: Wire | None = None
        """The host whose model was last checked."""
        self._bill = Bill()
        self._says = False
        """True if the server names its model in answers to requests without one, so a change is noticed at once."""
        self.dimension = 0
        self._known: NDArray[np.float32] | None = None
        self._named = server.model.strip()
        try:
            known = self._meet()
            self.model = _model_name(folder, f"{dialect.name}:{self._named}:{self.dimension}", known)
        except BaseException:
            self.close()
            raise

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector per text. Raises `EmbedderAway`, or `StoreFailed` if the model has changed."""
        pieces = [(row, piece) for row, text in enumerate(texts) for piece in _pieces(text, self._room)]
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for start in range(0, len(pieces), self._batch):
            some = pieces[start : start + self._batch]
            for (row, piece), vector in zip(some, self._vectors([piece for _, piece in some]), strict=True):
                rows[row] += vector * len(piece)
        rows[~rows.any(axis=1), 0] = 1.0
        return unit(rows)

    def price(self, texts: Sequence[str]) -> Bill:
        """Estimate the cost, rather too high; refused texts that are sent again may cost more calls."""
        pieces = [piece for text in texts for piece in _pieces(text, self._room)]
        return Bill(math.ceil(len(pieces) / self._batch), sum(estimate(piece) + EXTRA for piece in pieces))

    def bill(self) -> Bill:
        """Return what the server charged since the last call."""
        bill, self._bill = self._bill, Bill()
        return bill

    def greet(self) -> None:
        """Check that the server answers (else `EmbedderAway`) and still has the same model (else `StoreFailed`)."""
        self._meet()

    def close(self) -> None:
        for wire in self._wires:
            self._runner.run(wire.close())
        self._runner.close()

    def _meet(self) -> NDArray[np.float32]:
        """Check or learn the server's model and its vector length; return the vector of `KNOWN`. Not billed."""
        before = self._bill
        try:
            if not self._profile.model.strip():
                self._same_model(self._run(self._first_listed))
                self._met = self._wires[0]
                self._says = self._dialect.unnamed and self._run(self._says_which)
            known: NDArray[np.float32] = self._embedded([KNOWN])[0]
        except Refused as error:
            raise EmbedderAway(str(error)) from None
        finally:
            self._bill = before
        if self._known is not None and not _is_same_model(self._known, known):
            raise StoreFailed(f"{self._wires[0].name} now has another model; the vectors are all made anew")
        self.dimension, self._known = known.shape[0], known
        return known

    def _same_model(self, name: str) -> None:
        if self._named not in ("", name):
            raise StoreFailed(f"{self._wires[0].name} now has the model {name!r} instead of {self._named!r}")
        self._named = name

    @property
    def _room(self) -> int:
        return max(1, self._profile.num_ctx - EXTRA)

    @property
    def _batch(self) -> int:
        return max(1, min(BATCH, BODY_LIMIT // (NUMBER_BYTES * self.dimension)))

    def _vectors(self, pieces: list[str]) -> NDArray[np.float32]:
        """Embed pieces; a refused piece is halved until it is accepted, or gets a zero vector."""
        try:
            return self._embedded(pieces)
        except Refused:
            if len(pieces) > 1:
                return np.concatenate([self._vectors([piece]) for piece in pieces])
        (piece,) = pieces
        if len(piece) > SHORTEST:
            return self._vectors([piece[: len(piece) // 2]])
        self.greet()  # raises if the server refuses everything
        return np.zeros((1, self.dimension), dtype=np.float32)

    def _embedded(self, pieces: list[str]) -> NDArray[np.float32]:
        answer = self._run(lambda wire: self._asked(wire, pieces))
        found = self._checked(self._dialect.rows(answer), len(pieces))
        read = prompt_tokens(self._dialect.tokens(answer), "".join(pieces))
        self._bill += Bill(1, sum(map(estimate, pieces)) if read is None else read)
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        normal: NDArray[np.float32] = np.divide(found, lengths, out=np.zeros_like(found), where=lengths > 0)
        return normal

    def _checked(self, rows: list[Any], wanted: int) -> NDArray[np.float32]:
        """Return an array of the vectors. Raises `EmbedderAway` if invalid, `StoreFailed` if their length changed."""
        name = self._wires[0].name
        try:
            found = np.array(rows, dtype=np.float32)
        except (ValueError, TypeError, OverflowError):
            raise EmbedderAway(f"{name} sends something else than vectors of one length") from None
        if found.ndim == 3:
            raise EmbedderAway(f"{name} sends a vector for every token; llama.cpp's server takes --pooling mean")
        if found.ndim != 2 or len(found) != wanted or not found.shape[1] or not np.isfinite(found).all():
            raise EmbedderAway(f"{name} was sent {wanted} texts and did not send as many vectors")
        if self.dimension and found.shape[1] != self.dimension:
            change = f"{found.shape[1]} numbers instead of {self.dimension}"
            raise StoreFailed(f"{name} now sends vectors of {change}; they are all made anew")
        return found

    async def _first_listed(self, wire: Wire) -> str:
        answer, _ = await wire.ask("GET", self._dialect.models, self._profile, self._profile.timeout)
        names = [name for name in self._dialect.listed(answer) if name]
        if not names:
            raise Unavailable(f"{wire.name} lists no model; load one there, or name one in config/llm/embed.md")
        return wire.said(names[0], self._profile)[:200]

    async def _says_which(self, wire: Wire) -> bool:
        """Return whether the server, asked without a model, names the model that it lists."""
        body = self._dialect.asked([KNOWN], "", self._profile)
        try:
            answer, _ = await wire.ask("POST", self._dialect.path, self._profile, self._profile.timeout, body)
        except Refused:
            return False
        return wire.said(_model_in(answer), self._profile) == self._named

    async def _asked(self, wire: Wire, pieces: list[str]) -> dict[str, Any]:
        if wire is not self._met and not self._profile.model.strip():  # another host took over
            name = await self._first_listed(wire)
            if name != self._named:
                raise Unavailable(f"{wire.name} has the model {name!r} instead of {self._named!r}")
            self._met = wire
        sent = [piece if piece.strip() else BLANK for piece in pieces]
        body = self._dialect.asked(sent, "" if self._says else self._named, self._profile)
        answer, _ = await wire.ask("POST", self._dialect.path, self._profile, self._profile.timeout, body)
        if self._says and (name := wire.said(_model_in(answer), self._profile)) not in ("", self._named):
            raise StoreFailed(f"{wire.name} now has the model {name!r} instead of {self._named!r}")
        return answer

    def _run(self, ask: Callable[[Wire], Coroutine[Any, Any, T]]) -> T:
        """Ask the hosts in turn until one answers or raises `Refused`; the last to answer is asked first."""
        wrong: list[str] = []
        for wire in list(self._wires):
            try:
                answer = self._runner.run(_in_time(self._profile.timeout, wire, ask))
            except Refused:
                raise
            except Unavailable as error:
                wrong.append(str(error))
            else:
                self._wires.remove(wire)
                self._wires.insert(0, wire)
                return answer
        raise EmbedderAway("; ".join(wrong))


def _model_in(answer: dict[str, Any]) -> str:
    name = answer.get("model")
    return tidy(name)[:200] if isinstance(name, str) else ""


async def _in_time(seconds: float, wire: Wire, ask: Callable[[Wire], Coroutine[Any, Any, T]]) -> T:
    """Limit the whole request, also if the server keeps sending single bytes."""
    try:
        async with asyncio.timeout(seconds):
            return await ask(wire)
    except TimeoutError:
        raise Unavailable(f"{wire.name} did not answer within {seconds:g} s") from None


def _pieces(text: str, tokens: int) -> Iterator[str]:
    """Yield at least one and at most `PIECES` pieces of a text, each of at most `tokens` estimated tokens."""
    start = 0
    for _ in range(PIECES):
        size = tokens * 4
        while (piece := text[start : start + size]) and (counted := estimate(piece)) > tokens and len(piece) > 1:
            size = max(1, min(len(piece) - 1, len(piece) * tokens // counted))
        if start and not piece:
            return
        whole = len(piece) == len(text) - start
        cut = piece if whole else piece[: piece.rfind(" ") + 1] or piece
        yield cut
        start += len(cut)
        if start >= len(text):
            return


# -- which model a server has, by its vector of one text: many take any name for their one model ---------------------


def _is_same_model(one: NDArray[np.float32], other: NDArray[np.float32]) -> bool:
    return one.shape == other.shape and float(one @ other) >= SAME_MODEL


def _model_name(folder: Path, name: str, vector: NDArray[np.float32]) -> str:
    """Return the model's name, numbered if another model (another vector of `KNOWN`) used that name before."""
    path = folder / MODELS
    known = _read(path)
    of_name = known.setdefault(name, [])
    for number, seen in enumerate(of_name, 1):
        if _is_same_model(np.array(seen, dtype=np.float32), vector):
            return _numbered(name, number)
    of_name.append([round(float(one), 6) for one in vector])
    with contextlib.suppress(OSError):  # a full disk must not prevent recall
        if folder.is_dir():
            write_atomic(path, json.dumps(known))
    return _numbered(name, len(of_name))


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name}:{number}"


def _read(path: Path) -> dict[str, list[list[float]]]:
    try:
        known = json.loads(path.read_text("utf-8"))
        return {name: [[float(one) for one in seen] for seen in rows] for name, rows in known.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
