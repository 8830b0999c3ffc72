"""What is asked of the model and what it answers, taken down between the agents and the real backend."""

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
    """One question to the model.

    Args:
        prompt: what was asked.
        completion: what came back.
    """

    prompt: Prompt
    completion: Completion


@dataclass
class PromptWatch:
    """What was asked and answered.

    Args:
        calls: every one, in order.
        model: the model, once it was asked.
        profile: how it was asked last.
        built: the prompt that was built last.
    """

    calls: list[Call] = field(default_factory=list)
    model: LanguageModel | None = None
    profile: LLMProfile | None = None
    built: Prompt | None = None

    async def volatile(self, prompt: Prompt) -> int:
        """Return how many tokens of a prompt may change at any time: by the model's count, else as estimated."""
        text = "\n\n".join(one.text for one in prompt.sections if one.name in VOLATILE)
        if self.model is None or self.profile is None:
            return estimate(text)
        exact = await self.model.tokens(text, self.profile)
        return estimate(text) if exact is None else exact


class WatchedPrompting(Prompting):
    """Builds prompts as the program does, and shows the last one."""

    watch: PromptWatch

    def build(self, agent: Agent, related: Related, hint: str = "", *, thinks: bool = False) -> Prompt:
        """Return the prompt an agent would get now; see `Prompting.build`."""
        self.watch.built = super().build(agent, related, hint, thinks=thinks)
        return self.watch.built


class WatchedModel:
    """A model that is asked through here.

    Args:
        model: the real one.
        watch: what it is asked is taken down there.
    """

    def __init__(self, model: LanguageModel, watch: PromptWatch) -> None:
        self._model, self._watch = model, watch
        watch.model = model

    async def complete(self, prompt: str, profile: LLMProfile, enough: Enough | None = None) -> Completion:
        """Ask it; see `LanguageModel.complete`."""
        completion = await self._model.complete(prompt, profile, enough)
        built = self._watch.built
        if built is not None and built.text == prompt:
            self._watch.calls.append(Call(built, completion))
        self._watch.profile = profile
        return completion

    async def tokens(self, text: str, profile: LLMProfile) -> int | None:
        """Count; see `LanguageModel.tokens`."""
        return await self._model.tokens(text, profile)

    async def check(self, profile: LLMProfile) -> str:
        """Look whether it is there; see `LanguageModel.check`."""
        return await self._model.check(profile)

    async def close(self) -> None:
        """Let go of it."""
        await self._model.close()


def watched(backend: Backend, watch: PromptWatch) -> Backend:
    """Return a backend whose models are watched."""
    return Backend(backend.name, backend.help, lambda profile: WatchedModel(backend.make(profile), watch), backend.host)
