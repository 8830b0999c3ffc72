"""The interface of a backend, and what backends share: errors, cleaned replies, the window check, streamed replies."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from agents.llm.profiles import LLMProfile
from agents.llm.tokens import at_most, estimate
from mud.errors import Unavailable
from mud.sanitize import sanitize

TEXT_LIMIT = 100_000
_SECRET = re.compile(r"(?<=//)[^/]*@|[?#].*")


class Refused(Unavailable):
    """The host answers but rejects this request, for example because the prompt is too long; the host is not down."""


class TransientError(Unavailable):
    """The call failed, but may work soon: the connection broke off, or status 429, 500, 502 or 503.

    A timeout is not transient, since it has already cost the whole timeout. `after` is the host's wish in seconds.
    """

    def __init__(self, message: str, after: float | None = None) -> None:
        super().__init__(message)
        self.after = after


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's reply, cut at the stops. Token counts are None when the server reports none; the queue sets `host`."""

    text: str
    prompt_tokens: int | None
    completion_tokens: int | None
    seconds: float
    model: str
    cached_tokens: int | None = None
    host: str = ""


Enough = Callable[[str], bool]
"""Takes the beginning of a reply and returns whether the rest is not needed."""


class LanguageModel(Protocol):
    async def complete(self, prompt: str, profile: LLMProfile, enough: Enough | None = None) -> Completion:
        """Continue a prompt. A streamed reply is ended as soon as `enough` returns true for what has arrived.

        Raises Refused when the host rejects this request, and Unavailable when it does not answer, or not usefully.
        """

    async def tokens(self, text: str, profile: LLMProfile) -> int | None:
        """Return the exact number of tokens of a text, or None when the host cannot count."""

    async def check(self, profile: LLMProfile) -> str:
        """Return the name of the profile's model, or of the host's first, without running it; raises Unavailable."""

    async def close(self) -> None: ...


def named_host(profile: LLMProfile) -> str:
    return _SECRET.sub("", profile.host.strip()).rstrip("/")


class Backend(NamedTuple):
    """A way to reach a model, as a plug-in; `make` opens it for a profile's host and is called once for each host.

    Calls to one `host` name share a queue and a health. `tells_whole`: reported prompt tokens include cached ones.
    """

    name: str
    help: str
    make: Callable[[LLMProfile], LanguageModel]
    host: Callable[[LLMProfile], str] = named_host
    tells_whole: bool = True


def tidy(text: str, stop: tuple[str, ...] = ()) -> str:
    """Return a reply without unprintable characters, cut before the first stop; not every server honours stops."""
    kept = sanitize(text[:TEXT_LIMIT])
    return kept[: _first_stop(kept, stop)]


def _first_stop(text: str, stops: tuple[str, ...], seen: int = 0) -> int | None:
    found = (text.find(stop, max(0, seen + 1 - len(stop))) for stop in stops if stop)
    return min((at for at in found if at >= 0), default=None)


def hold_to_window(prompt: str, profile: LLMProfile, ratio: float = 1.0) -> None:
    """Raise Refused when prompt and reply do not fit into the profile's window, as servers silently cut the prompt.

    The lower of two token counts decides, since thoughts and summaries are sized by different ones.
    """
    tokens = min(estimate(prompt), at_most(prompt, ratio))
    if tokens + profile.max_tokens > profile.num_ctx:
        raise Refused(
            f"a prompt of about {tokens} tokens and a reply of {profile.max_tokens} do not fit into num_ctx "
            f"{profile.num_ctx} of the LLM profile"
        )


_PIECES = 4  # a token comes in at most this many pieces; a server that sends more ignores `max_tokens`
_FIRST_HALF = re.compile(r"[\ud800-\udbff]\Z")


class StreamedReply:
    """A reply that comes in pieces and may be ended early. Only new text is scanned, to keep the work linear."""

    def __init__(self, profile: LLMProfile, enough: Enough) -> None:
        self._pieces: list[str] = []
        self._stop, self._enough = profile.stop, enough
        self._room = _PIECES * profile.max_tokens
        self._left = TEXT_LIMIT
        self._tidied, self._half = "", ""

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    def add(self, piece: str) -> bool:
        """Add a piece and return whether the reply ends here: at a stop, at its length limit, or by `enough`."""
        if not piece:
            return False
        self._pieces.append(piece)
        self._room -= 1
        raw = self._half + piece[: self._left]
        self._left -= len(piece[: self._left])
        half = _FIRST_HALF.search(raw) if self._left else None
        self._half = half[0] if half else ""
        tidied, self._tidied = self._tidied, ""
        seen = len(tidied)
        tidied += tidy(raw[: half.start()] if half else raw)  # in place, as CPython does with an only reference
        self._tidied = tidied
        end = _first_stop(tidied, self._stop, seen)
        return self._enough(tidied[:end]) or self._room <= 0 or end is not None
