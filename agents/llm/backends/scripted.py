"""A model that says what it was told to: to try out prompts and to test what waits for a model.

It keeps the contract of a real one: stops, lengths, cancelling, closing. Named in a profile, it says the texts of
`model`, which are separated by ` / `, one after another and then from the first again.
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
"""What it does when asked: say a text, raise an error, or await something first, given the prompt."""


class ScriptedModel:
    """A model with a script.

    Args:
        turns: what it does at each call, in order; after the last it is unavailable.
        seconds: how long each of its calls is said to have taken.
    """

    def __init__(self, turns: Iterable[Turn] = (), seconds: float = 0.0) -> None:
        self._turns, self._seconds = iter(turns), seconds
        self._closed = False
        self.prompts: list[str] = []
        """Every prompt it was asked, in order."""

    async def complete(self, prompt: str, profile: LLMProfile, enough: Enough | None = None) -> Completion:
        """Take the next turn of the script; see `LanguageModel.complete`."""
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
        """Count as its completions do."""
        await self.check(profile)
        return estimate(text)

    async def check(self, profile: LLMProfile) -> str:
        """Return its name unless it is closed."""
        if self._closed:
            raise Unavailable("the scripted model is closed")
        return "scripted"

    async def close(self) -> None:
        """Say nothing from now on."""
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
