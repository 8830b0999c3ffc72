"""A model that replies from a script, for trying out prompts and for tests.

In a profile, `model` holds the texts, separated by ` / `; they are used in turn, for ever.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Awaitable, Callable, Iterable

from agents.llm.backend import Backend, Completion, Enough, tidy
from agents.llm.profiles import LLMProfile
from agents.llm.tokens import estimate
from mud.errors import Unavailable

Turn = str | Exception | Callable[[str], Awaitable[str]]
"""What one call does: return a text, raise an error, or await a function of the prompt."""


class ScriptedModel:
    """A model that takes one of `turns` at each call and is unavailable after the last."""

    def __init__(self, turns: Iterable[Turn] = (), seconds: float = 0.0) -> None:
        self._turns, self._seconds = iter(turns), seconds
        self._closed = False
        self.prompts: list[str] = []

    async def complete(self, prompt: str, profile: LLMProfile, enough: Enough | None = None) -> Completion:
        await self.check(profile)
        self.prompts.append(prompt)
        turn = next(self._turns, None)
        if turn is None:
            raise Unavailable("the script of the scripted model is at its end")
        if isinstance(turn, Exception):
            raise turn
        text = turn if isinstance(turn, str) else await turn(prompt)
        text = tidy(text, profile.stop)
        while text and estimate(text) > profile.max_tokens:
            text = text[: len(text) * profile.max_tokens // estimate(text)].rpartition(" ")[0]
        if enough is not None:
            ends = (word.end() for word in re.finditer(r"\s*\S+", text))
            text = next((text[:end] for end in ends if enough(text[:end])), text)
        return Completion(text, estimate(prompt), estimate(text), self._seconds, "scripted")

    async def tokens(self, text: str, profile: LLMProfile) -> int | None:
        await self.check(profile)
        return estimate(text)

    async def check(self, profile: LLMProfile) -> str:
        if self._closed:
            raise Unavailable("the scripted model is closed")
        return "scripted"

    async def close(self) -> None:
        self._closed = True


def _from_profile(profile: LLMProfile) -> ScriptedModel:
    texts = [text.strip() for text in profile.model.split(" / ") if text.strip()]
    return ScriptedModel(itertools.cycle(texts))


SCRIPTED = Backend(
    "scripted",
    "Says the texts under model, which ` / ` separates, in turn; for trying things out.",
    _from_profile,
    lambda profile: f"the script {profile.model!r}",
)
