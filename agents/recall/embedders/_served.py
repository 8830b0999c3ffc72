"""Vectors from a server, whatever its protocol: batches, long texts, junk, and a server that is away or has changed.

The LLM profile `embed` names the server: `host`, `model`, `api_key_env`, `timeout`, `num_ctx` and, for Ollama,
`keep_alive`. Of several hosts the one that answered last is asked first, and the others stand in for it. It refuses to
mix the vectors of two models: should the server have another one than at the beginning, it ends. It notices that at
once by another length of the vectors, and by the name in the answer where the profile names no model and the server
tells its own, as llama.cpp's does; at the next greeting by the list of models and by other vectors of a known text,
which is how it notices it at the start, too, where a server takes any name for the one model it has.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from agents.llm.backend import Refused, tidy
from agents.llm.http import BODY_LIMIT, Wire
from agents.llm.profiles import LLMProfile
from agents.llm.tokens import estimate, prompt_tokens
from agents.recall.documents import Bill, EmbedderAway, StoreFailed
from agents.recall.embedders import EmbedderKind
from mud.errors import Unavailable
from mud.storage.files import write_atomic

T = TypeVar("T")

PIECES = 8
"""Pieces of `num_ctx` tokens that are read of a long text; its vector is their mean, by length."""
BATCH = 32
"""Pieces in one request at most."""
NUMBER_BYTES = 24
"""Bytes that one number of a vector takes in an answer at most."""
EXTRA = 8
"""Tokens of `num_ctx` that are kept for the marks which a model sets around a text."""
LONGEST = 60.0
"""Seconds that one request may take, whatever the profile says: the child must not count as hung."""
SHORTEST = 64
"""Characters; a text that is refused although it is no longer than this is passed over."""
KNOWN = "The brass key lies under the third flowerpot."
"""What the server is greeted with."""
BLANK = "."
"""Sent for a text of nothing, which servers refuse."""
MEANINGS = {
    404: "it does not know this address or this model: check host and model in config/llm/embed.md",
    501: "it was not started for embeddings; llama.cpp's takes --embeddings --pooling mean",
}
"""What a status means here."""
MODELS = "embedders.json"
"""The vectors that models made of that text, by the name they go by; it lies beside the vectors themselves."""
SAME_MODEL = 0.98
"""The cosine from which on two vectors of one text are the same model's: another machine or quantization costs less."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a kind of server is spoken to.

    Args:
        name: of the embedder.
        base: returns the address that paths are added to, for a host.
        models: where the models are listed.
        listed: returns the names of the models in that answer.
        path: where texts are embedded.
        asked: returns the body of a request for these texts, of this model; of the server's own where that is empty.
        rows: returns the vectors in an answer, in the order of the texts.
        tokens: returns how many tokens the server read; None when it does not say.
        unnamed: a request may leave the model out, and the answer then says which it was of.
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
    """Return the plug-in of a server's embedder."""
    return EmbedderKind(dialect.name, help, lambda folder, server: ServedEmbedder(dialect, server, folder), served=True)


class ServedEmbedder:
    """An embedder on a server.

    Args:
        dialect: how it is spoken to.
        server: the LLM profile that names it.
        folder: where vectors are kept.

    Raises:
        Unavailable: no profile names it, or the address is none.
        EmbedderAway: it does not answer.
    """

    def __init__(self, dialect: Dialect, server: LLMProfile | None, folder: Path) -> None:
        if server is None:
            raise Unavailable("there is no config/llm/embed.md, which says where the server is that embeds")
        self._dialect = dialect
        self._profile = replace(server, timeout=min(server.timeout, LONGEST))
        self._wires = [Wire(dialect.base(host), meanings=MEANINGS) for host in server.hosts]
        self._runner = asyncio.Runner()
        self._met: Wire | None = None
        """The host whose model is known to be the one that it was."""
        self._bill = Bill()
        self._says = False
        """Asked for no model by name, the server says which one it has: so another one is noticed at once."""
        self.dimension = 0
        self._known: NDArray[np.float32] | None = None
        """What the model made of a known text at the beginning."""
        self._named = server.model.strip()
        try:
            known = self._meet()
            self.model = _model_name(folder, f"{dialect.name}:{self._named}:{self.dimension}", known)
        except BaseException:
            self.close()
            raise

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row of length 1 for each text.

        Raises:
            EmbedderAway: the server gives nothing of use.
            StoreFailed: it has another model now.
        """
        pieces = [(row, piece) for row, text in enumerate(texts) for piece in _pieces(text, self._room)]
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for start in range(0, len(pieces), self._batch):
            some = pieces[start : start + self._batch]
            for (row, piece), vector in zip(some, self._vectors([piece for _, piece in some]), strict=True):
                rows[row] += vector * len(piece)
        rows[~rows.any(axis=1), 0] = 1.0
        normal: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return normal

    def price(self, texts: Sequence[str]) -> Bill:
        """Return what embedding these would take, rather too much than too little; texts that are refused and then
        tried one by one may cost more calls.
        """
        pieces = [piece for text in texts for piece in _pieces(text, self._room)]
        return Bill(math.ceil(len(pieces) / self._batch), sum(estimate(piece) + EXTRA for piece in pieces))

    def bill(self) -> Bill:
        """Return what was taken since this was last asked."""
        bill, self._bill = self._bill, Bill()
        return bill

    def greet(self) -> None:
        """Return when the server answers and is the one that it was; see `Served`."""
        self._meet()

    def close(self) -> None:
        """Close every connection."""
        for wire in self._wires:
            self._runner.run(wire.close())
        self._runner.close()

    def _meet(self) -> NDArray[np.float32]:
        """Learn, or make sure, which model the server has and how long its vectors are; this is on no bill.

        Returns what it makes of a known text.
        """
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
        """Return the vectors of pieces; one that is refused is shortened until it is not, or left without a vector."""
        try:
            return self._embedded(pieces)
        except Refused:
            if len(pieces) > 1:
                return np.concatenate([self._vectors([piece]) for piece in pieces])
        (piece,) = pieces
        if len(piece) > SHORTEST:
            return self._vectors([piece[: len(piece) // 2]])
        self.greet()  # the server may refuse everything, and then it is not the text's fault
        return np.zeros((1, self.dimension), dtype=np.float32)

    def _embedded(self, pieces: list[str]) -> NDArray[np.float32]:
        """Return the unit vectors of texts that fit into one request."""
        answer = self._run(lambda wire: self._asked(wire, pieces))
        found = self._checked(self._dialect.rows(answer), len(pieces))
        read = prompt_tokens(self._dialect.tokens(answer), "".join(pieces))
        self._bill += Bill(1, sum(map(estimate, pieces)) if read is None else read)
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        normal: NDArray[np.float32] = np.divide(found, lengths, out=np.zeros_like(found), where=lengths > 0)
        return normal

    def _checked(self, rows: list[Any], wanted: int) -> NDArray[np.float32]:
        """Return vectors as numbers, when that is what they are.

        Raises:
            EmbedderAway: they are junk.
            StoreFailed: they have another length than they used to have.
        """
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
        """Return whether a server that is asked for no model by name says that it is the one that it lists."""
        body = self._dialect.asked([KNOWN], "", self._profile)
        try:
            answer, _ = await wire.ask("POST", self._dialect.path, self._profile, self._profile.timeout, body)
        except Refused:
            return False
        return wire.said(_model_in(answer), self._profile) == self._named

    async def _asked(self, wire: Wire, pieces: list[str]) -> dict[str, Any]:
        if wire is not self._met and not self._profile.model.strip():  # one host stands in for another
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
        """Ask the hosts one after the other until one answers; it is asked first the next time.

        Raises:
            Refused: it will not do this.
            EmbedderAway: none gives anything of use.
        """
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
    """Return the model that an answer names, written as in `_first_listed`; empty when it names none."""
    name = answer.get("model")
    return tidy(name)[:200] if isinstance(name, str) else ""


async def _in_time(seconds: float, wire: Wire, ask: Callable[[Wire], Coroutine[Any, Any, T]]) -> T:
    """Await a whole request for so long: a server that sends a byte now and then must not hold everything up."""
    try:
        async with asyncio.timeout(seconds):
            return await ask(wire)
    except TimeoutError:
        raise Unavailable(f"{wire.name} did not answer within {seconds:g} s") from None


def _pieces(text: str, tokens: int) -> Iterator[str]:
    """Yield the pieces of a text, each of so many tokens at most, as many as are read of it; one at least.

    Args:
        text: any text.
        tokens: how many, by an estimate that errs on the high side.
    """
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
    """Return whether two unit vectors of one text are the same model's."""
    return one.shape == other.shape and float(one @ other) >= SAME_MODEL


def _model_name(folder: Path, name: str, vector: NDArray[np.float32]) -> str:
    """Return a model's name, with a number behind it when another model went by that name before.

    Args:
        folder: where vectors are kept.
        name: what the model goes by.
        vector: what it makes of the text.
    """
    path = folder / MODELS
    known = _read(path)
    of_name = known.setdefault(name, [])
    for number, seen in enumerate(of_name, 1):
        if _is_same_model(np.array(seen, dtype=np.float32), vector):
            return _numbered(name, number)
    of_name.append([round(float(one), 6) for one in vector])
    with contextlib.suppress(OSError):  # a full disk must not keep anybody from recalling
        if folder.is_dir():
            write_atomic(path, json.dumps(known))
    return _numbered(name, len(of_name))


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name}:{number}"


def _read(path: Path) -> dict[str, list[list[float]]]:
    """Return what is known; nothing when the file is not there or of no use, for it only spares work."""
    try:
        known = json.loads(path.read_text("utf-8"))
        return {name: [[float(one) for one in seen] for seen in rows] for name, rows in known.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
