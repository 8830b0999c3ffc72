"""What a backend is: the one way in which everything else asks a language model.

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


"""What could do something to a terminal, and no reply needs."""
_SECRET = re.compile(r"(?<=//)[^/@]*@|[?#].*")
"""Where people put keys into addresses; backends refuse those, but the address is still shown."""


class Refused(Unavailable):
    """The host answers, but will not do this one thing, such as a prompt that is too long; the host is not down."""


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model replied.

    Args:
        text: the raw reply, cut at the stops; may be empty.
        prompt_tokens: what the prompt took, as the server counts; None when it does not say.
        completion_tokens: what the reply took; None when the server does not say.
        seconds: how long the call took.
        model: name of the model that answered.
        cached_tokens: of the prompt's tokens, those that the server had read before; None when it does not say.
        host: which host it was; the queue, which knows several, says so.
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

        Args:
            prompt: the whole prompt.
            profile: model, sampling, length and stops.
            enough: where the reply comes bit by bit, it is ended as soon as this says so of what has come.

        Raises:
            Refused: the host will not do this.
            Unavailable: the host does not answer, or not with anything of use.
        """
        ...

    async def tokens(self, text: str, profile: LLMProfile) -> int | None:
        """Return how many tokens the model makes of a text, exactly; None when its host cannot tell.

        Args:
            text: any text.
            profile: names the model.

        Raises:
            Unavailable: the host does not answer.
        """
        ...

    async def check(self, profile: LLMProfile) -> str:
        """Return what the host calls its model, when it answers, without asking the model anything.

        Of several models it is the profile's, else the first; empty when it does not say.

        Raises:
            Unavailable: says why it does not.
        """
        ...

    async def close(self) -> None:
        """Let go of every connection; nothing may be asked afterwards."""
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
        tells_whole: the prompt tokens that it tells of are those of the whole prompt, what was cached among them.
    """

    name: str
    help: str
    make: Callable[[LLMProfile], LanguageModel]
    host: Callable[[LLMProfile], str] = named_host
    tells_whole: bool = True


def tidy(text: str, stop: tuple[str, ...] = ()) -> str:
    """Return a reply as text that any file and any terminal can hold, cut before the first stop.

    Servers differ in whether they honour stops; cutting again costs nothing.

    Args:
        text: the raw reply; may hold half a surrogate pair, which JSON can spell and UTF-8 cannot.
        stop: texts that end a reply.
    """
    kept = sanitize(text[:TEXT_LIMIT])
    ends = [at for mark in stop if mark and (at := kept.find(mark)) >= 0]
    return kept[: min(ends)] if ends else kept


def hold_to_window(prompt: str, profile: LLMProfile, ratio: float = 1.0) -> None:
    """Hold a prompt to its profile's window: servers cut a longer one where nobody sees it, or fail.

    Prompts of thoughts are made to fit by one of the two counts, those of summaries by the other; who fits by either is
    let through.

    Args:
        prompt: the whole prompt.
        profile: says how large the window is.
        ratio: see `agents.llm.ratios`.

    Raises:
        Refused: prompt and reply do not fit.
    """
    tokens = min(estimate(prompt), at_most(prompt, ratio))
    if tokens + profile.max_tokens > profile.num_ctx:
        raise Refused(
            f"a prompt of about {tokens} tokens and a reply of {profile.max_tokens} do not fit into num_ctx "
            f"{profile.num_ctx} of the LLM profile"
        )
