"""The interface of a backend, and what all backends share: errors, tidy replies, the window, streamed replies.

A backend keeps no queue, retries nothing and knows nothing of agents. It holds back junk: what it returns is text that
can be written to a file, cut at the profile's stops.
"""

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
"""Characters of a reply that are kept; no profile asks for as many."""
_SECRET = re.compile(r"(?<=//)[^/@]*@|[?#].*")
"""Where people put keys into addresses; backends refuse those, but the address is still shown."""


class Refused(Unavailable):
    """The host answers, but will not do this one thing, such as a prompt that is too long; the host is not down."""


class TransientError(Unavailable):
    """The host did not do it this time, but may in a moment: the connection broke off, or the host is too busy (429),
    loads its model (503), stumbled (500), or is out of its proxy's reach (502).

    Silence is not transient: it costs the whole timeout already.

    Args:
        after: seconds after which the host itself asks to be tried again; None when it does not say.
    """

    def __init__(self, message: str, after: float | None = None) -> None:
        super().__init__(message)
        self.after = after


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model replied.

    Args:
        text: the raw reply, cut at the stops; may be empty.
        prompt_tokens, completion_tokens: as the server counts; None when it does not say.
        seconds: how long the call took.
        cached_tokens: of the prompt's tokens, those that the server had read before; None when it does not say.
        host: filled in by the queue.
    """

    text: str
    prompt_tokens: int | None
    completion_tokens: int | None
    seconds: float
    model: str
    cached_tokens: int | None = None
    host: str = ""


Enough = Callable[[str], bool]
"""Tells of the beginning of a reply whether it is all that is wanted."""


class LanguageModel(Protocol):
    """A model that can be asked."""

    async def complete(self, prompt: str, profile: LLMProfile, enough: Enough | None = None) -> Completion:
        """Continue a prompt.

        Where the reply comes bit by bit, it is ended as soon as `enough` says so of what has come.

        Raises:
            Refused: the host will not do this.
            Unavailable: the host does not answer, or not with anything of use.
        """
        ...

    async def tokens(self, text: str, profile: LLMProfile) -> int | None:
        """Return how many tokens the model makes of a text, exactly; None when its host cannot tell."""
        ...

    async def check(self, profile: LLMProfile) -> str:
        """Return the name of the host's model, without asking the model anything: the profile's, else the first.

        Raises:
            Unavailable: says why the host does not answer.
        """
        ...

    async def close(self) -> None:
        """Close every connection; nothing may be asked afterwards."""
        ...


def named_host(profile: LLMProfile) -> str:
    """Return a profile's host without anything secret; addresses that differ only in a last slash are one."""
    return _SECRET.sub("", profile.host.strip()).rstrip("/")


class Backend(NamedTuple):
    """A way to reach a model, as a plug-in.

    Args:
        name: what `backend:` in a profile says; also the name of its file.
        help: one sentence for people.
        make: opens it for a profile's host; called once for each host.
        host: names that host, as people are told of it; calls to one host share a queue and a health.
        tells_whole: the prompt tokens that it reports are those of the whole prompt, cached ones included.
    """

    name: str
    help: str
    make: Callable[[LLMProfile], LanguageModel]
    host: Callable[[LLMProfile], str] = named_host
    tells_whole: bool = True


def tidy(text: str, stop: tuple[str, ...] = ()) -> str:
    """Return a reply as text that any file and any terminal can hold, cut before the first stop.

    Half a surrogate pair, which JSON can spell and UTF-8 cannot, is replaced. Servers differ in whether they honour
    stops; cutting again costs nothing.
    """
    kept = sanitize(text[:TEXT_LIMIT])
    return kept[: _first_stop(kept, stop)]


def _first_stop(text: str, stops: tuple[str, ...], seen: int = 0) -> int | None:
    """Return where the first stop begins in a text whose first `seen` characters hold none; None without one."""
    found = (text.find(stop, max(0, seen + 1 - len(stop))) for stop in stops if stop)
    return min((at for at in found if at >= 0), default=None)


def hold_to_window(prompt: str, profile: LLMProfile, ratio: float = 1.0) -> None:
    """Check that a prompt fits into its profile's window: servers cut a longer one silently, or fail.

    Prompts of thoughts are made to fit by one of the two counts, those of summaries by the other; what fits by either
    is let through. See `agents.llm.tokens.at_most` for the ratio.

    Raises:
        Refused: prompt and reply do not fit.
    """
    tokens = min(estimate(prompt), at_most(prompt, ratio))
    if tokens + profile.max_tokens > profile.num_ctx:
        raise Refused(
            f"a prompt of about {tokens} tokens and a reply of {profile.max_tokens} do not fit into num_ctx "
            f"{profile.num_ctx} of the LLM profile"
        )


_PIECES = 4  # pieces a token comes in at most; a server that sends more ignores `max_tokens`
_FIRST_HALF = re.compile(r"[\ud800-\udbff]\Z")
"""The half of a character whose other half may be the next piece's beginning."""


class StreamedReply:
    """A reply that comes piece by piece and may be ended early.

    Only what is new is read, or the work would grow with the square of a reply's length.
    See `LanguageModel.complete` for the arguments.
    """

    def __init__(self, profile: LLMProfile, enough: Enough) -> None:
        self._pieces: list[str] = []
        self._stop, self._enough = profile.stop, enough
        self._room = _PIECES * profile.max_tokens
        self._left = TEXT_LIMIT  # characters that are still kept
        self._tidied, self._half = "", ""  # the text so far, and half a character at its end

    @property
    def text(self) -> str:
        """All that has come, as it came."""
        return "".join(self._pieces)

    def add(self, piece: str) -> bool:
        """Add the next piece and return whether the reply ends here: at a stop, at its length, or as it is enough."""
        if not piece:
            return False
        self._pieces.append(piece)
        self._room -= 1
        new, tidied, self._tidied = self._new(piece), self._tidied, ""
        seen = len(tidied)
        tidied += new  # what nothing else refers to, no closure either, grows where it is instead of being copied
        self._tidied = tidied
        end = _first_stop(tidied, self._stop, seen)
        return self._enough(tidied[:end]) or self._room <= 0 or end is not None

    def _new(self, piece: str) -> str:
        """Return what a piece adds to the tidy text; half a character waits for its other half."""
        raw = self._half + piece[: self._left]
        self._left -= len(piece[: self._left])
        half = _FIRST_HALF.search(raw) if self._left else None
        self._half = half[0] if half else ""
        return tidy(raw[: half.start()] if half else raw)
