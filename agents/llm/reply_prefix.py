"""Replies that end before they begin: a model that opens with an empty line or a thought meets its line's stop there.

A stop of nothing but blanks counts from the first word on that is no thought; but a server that keeps stops itself ends
the reply there, and what would have come is not known. So such a reply is asked for once more without these stops, and
cut here; a model that opens so is asked like that at once from then on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import replace

from agents.llm.backend import Completion, Enough, tidy
from agents.llm.profiles import LLMProfile
from agents.text.unwrapping import past_thoughts

MUTE = 3
"""Times in a row that a model said nothing at all after which it is asked only once, until it says something."""
Ask = Callable[[LLMProfile, Enough | None], Awaitable[Completion]]
"""Asks for one reply."""


class ReplyPrefixes:
    """Knows which models open their replies with an empty line or a thought."""

    def __init__(self) -> None:
        self._blank: set[tuple[str, ...]] = set()
        self._mute: Counter[tuple[str, ...]] = Counter()

    async def reply(self, ask: Ask, profile: LLMProfile, enough: Enough | None) -> Completion:
        """Return a reply from its first word on.

        Args:
            ask: asks for it; a second time at most, when the first reply is empty or no more than a thought.
            profile: how it is to be asked for; names one host.
            enough: what ends it early, if anything does.
        """
        model = (profile.backend, profile.host, profile.model, profile.api)
        if model not in self._blank:
            reply = await ask(profile, enough)
            if reply.text.strip():
                del self._mute[model]
            if _said(reply.text) or not _blank(profile) or self._mute[model] >= MUTE:
                return reply
        reply = await ask(*_past(profile, enough))
        text = reply.text.lstrip()
        said = _said(text)
        thoughts = text.removesuffix(said)
        reply = replace(reply, text=thoughts + tidy(said, profile.stop))
        if reply.text:
            self._blank.add(model)
        else:
            self._mute[model] += 1
        return reply


def _past(profile: LLMProfile, enough: Enough | None) -> tuple[LLMProfile, Enough]:
    """Return how a reply is asked for that may open with an empty line or a thought, and what ends it then."""
    stops = _blank(profile)

    def ended(so_far: str) -> bool:
        begun = _said(so_far)
        return bool(begun) and (any(stop in begun for stop in stops) or (enough is not None and enough(so_far)))

    return replace(profile, stop=tuple(stop for stop in profile.stop if stop not in stops)), ended


def _blank(profile: LLMProfile) -> tuple[str, ...]:
    """Return the stops that hold no word."""
    return tuple(stop for stop in profile.stop if not stop.strip())


def _said(text: str) -> str:
    """Return a reply from the first word on that is no thought; empty while there is none."""
    return (past_thoughts(text) or "").lstrip()
