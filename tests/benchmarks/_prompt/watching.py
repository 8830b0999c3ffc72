"""Records what the model is asked and answers, between the agents and the real backend."""

from __future__ import annotations

from dataclasses import dataclass, field

from agents.agent import Agent
from agents.life.prompting import Prompting, Related
from agents.llm.backend import Backend, Completion, Enough, LanguageModel
from agents.llm.profiles import LLMProfile
from agents.llm.tokens import estimate
from agents.prompt.prompt import Prompt

VOLATILE = ("notes", "experiences", "hints", "situation", "cue")
"""The sections that may differ from one prompt to the next, wherever they stand."""


@dataclass(frozen=True, slots=True)
class Call:
    prompt: Prompt
    completion: Completion


@dataclass
class PromptWatch:
    """What was asked and answered: all calls in order, and the last profile and prompt."""

    calls: list[Call] = field(default_factory=list)
    model: LanguageModel | None = None
    profile: LLMProfile | None = None
    built: Prompt | None = None

    async def volatile(self, prompt: Prompt) -> int:
        """Return the tokens of a prompt's volatile sections, by the model's count or else estimated."""
        text = "\n\n".join(one.text for one in prompt.sections if one.name in VOLATILE)
        if self.model is None or self.profile is None:
            return estimate(text)
        exact = await self.model.tokens(text, self.profile)
        return estimate(text) if exact is None else exact


class WatchedPrompting(Prompting):
    """Builds prompts as the program does, and keeps the last one."""

    watch: PromptWatch

    def build(self, agent: Agent, related: Related, hint: str = "", *, thinks: bool = False) -> Prompt:
        self.watch.built = super().build(agent, related, hint, thinks=thinks)
        return self.watch.built


class WatchedModel:
    """Passes calls on to the real model and records them."""

    def __init__(self, model: LanguageModel, watch: PromptWatch) -> None:
        self._model, self._watch = model, watch
        watch.model = model

    async def complete(self, prompt: str, profile: LLMProfile, enough: Enough | None = None) -> Completion:
        completion = await self._model.complete(prompt, profile, enough)
        built = self._watch.built
        if built is not None and built.text == prompt:
            self._watch.calls.append(Call(built, completion))
        self._watch.profile = profile
        return completion

    async def tokens(self, text: str, profile: LLMProfile) -> int | None:
        return await self._model.tokens(text, profile)

    async def check(self, profile: LLMProfile) -> str:
        return await self._model.check(profile)

    async def close(self) -> None:
        await self._model.close()


def watched(backend: Backend, watch: PromptWatch) -> Backend:
    return Backend(backend.name, backend.help, lambda profile: WatchedModel(backend.make(profile), watch), backend.host)
