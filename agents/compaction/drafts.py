"""Drafts of summaries: running a summarizer, with or without a model, and judging the result.

A reply becomes a draft only if it is valid; after `TRIES` failures the extractive summarizer writes instead.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from agents.compaction.judge.facts import asked_of
from agents.compaction.judge.judge import validate
from agents.compaction.settings import SECTIONS, CompactionSettings
from agents.compaction.strategies import Strategy
from agents.compaction.summarizer import Prompts, Style, Summarizer, SummarySource, Writing
from agents.compaction.summarizers.model import style_of
from agents.llm.backend import Completion
from agents.llm.tokens import estimate
from agents.memory.summaries import Summary
from agents.text.english import flat
from mud.clock import Clock
from mud.registry import Registry

Ask = Callable[[str, str], Awaitable[Completion]]
"""Asks the model; takes the prompt and the name of the LLM profile."""
FALLBACK = "extractive"
TRIES = 2
NO_ANSWER = "the model did not answer"


@dataclass(frozen=True, slots=True)
class CompactionServices:
    """What folding needs from the program; without `model` and `prompts`, rules write all summaries."""

    strategies: Registry[Strategy]
    summarizers: Registry[Summarizer]
    clock: Clock
    log: Callable[[str], None]
    model: Ask | None = None
    prompts: Prompts | None = None


@dataclass(slots=True)
class ModelCost:
    prompt: int = 0
    completion: int = 0
    model: str | None = None

    def add(self, prompt: str, reply: Completion) -> None:
        self.prompt += reply.prompt_tokens if reply.prompt_tokens is not None else estimate(prompt)
        self.completion += reply.completion_tokens if reply.completion_tokens is not None else estimate(reply.text)
        self.model = reply.model


@dataclass(frozen=True, slots=True)
class SummaryDraft:
    """A text that may become a summary; its cost includes rejected replies."""

    source: SummarySource
    text: str
    method: str
    cost: ModelCost
    fell_back: bool = False

    def summary(self, covers: tuple[int, int], at: str, source: int, made: int) -> Summary:
        """Return it as a summary of `covers`; `source` and `made` are the tokens of both texts."""
        asked, cost = asked_of(self.source), self.cost
        return Summary(
            tier=self.source.tier,
            covers=covers,
            text=self.text,
            updated=at,
            method=self.method,
            model=cost.model if self.method != FALLBACK else None,
            tokens={"source": source, "summary": made, "prompt": cost.prompt, "completion": cost.completion},
            compression_ratio=round(1 - made / source, 2) if source else None,
            retention=asked.share(self.text),
            sample=asked.sample(),
        )


class SummaryWriter:
    def __init__(self, services: CompactionServices) -> None:
        self._summarizers, self.model, self._prompts = services.summarizers, services.model, services.prompts
        self.trouble: str | None = None
        """Why the last summaries are not the model's although it was asked; None if they are."""

    def may_ask(self, settings: CompactionSettings) -> bool:
        chosen = self._summarizers.find(settings.summarizer)
        ready = self.model is not None and self._prompts is not None
        return ready and chosen is not None and chosen.needs_model

    def by_rules(self, source: SummarySource) -> SummaryDraft:
        writing = self._summarizers.get(FALLBACK).write(source, _no_prompts)
        try:
            next(writing)
        except StopIteration as done:
            return SummaryDraft(source, str(done.value), FALLBACK, ModelCost())
        raise TypeError(f"the summarizer {FALLBACK} asked for a model")

    async def ask(
        self, sources: list[SummarySource], settings: CompactionSettings
    ) -> tuple[list[SummaryDraft], list[str]]:
        """Return a draft per source, and why replies were not used; a model that fails is not asked again."""
        drafts: list[SummaryDraft] = []
        rejected: list[str] = []
        answers, self.trouble = True, None
        for source in sources:
            cost, draft = ModelCost(), None
            moves = not source.entries and len(source.earlier) == 1  # a single summary moves down unchanged
            if answers and (source.entries or len(source.earlier) > 1):
                try:
                    draft = await self._tried(source, settings, cost, rejected)
                except Exception as error:  # the rules can write, whatever fails in the model, its server or a prompt
                    answers = False
                    rejected.append(f"{NO_ANSWER}: {error or type(error).__name__}")
            drafts.append(draft or replace(self.by_rules(source), cost=cost, fell_back=not moves))
        if rejected:
            self.trouble = written_by_rules(rejected)
        return drafts, rejected

    async def _tried(
        self, source: SummarySource, settings: CompactionSettings, cost: ModelCost, rejected: list[str]
    ) -> SummaryDraft | None:
        assert self._prompts is not None
        summarizer = self._summarizers.get(settings.summarizer)
        if style_of(source, self._prompts).sections:  # a prompt style that lists the six headings asks for sections
            source = replace(source, shape=SECTIONS)
        for attempt in range(TRIES):
            asked = replace(source, again=attempt > 0)
            text = await self._run(summarizer.write(asked, self._prompts), settings.profile, cost)
            reasons = validate(text, source) or self._keeps_too_little(text, source, settings.least_retention)
            if not reasons:
                written = text if source.shape == SECTIONS else flat(text)
                return SummaryDraft(source, written, summarizer.name, cost)
            rejected.append(f"the {source.tier} summary was rejected: {', '.join(reasons[:3])}")
        return None

    def _keeps_too_little(self, text: str, source: SummarySource, least: float) -> list[str]:
        """Return a reason if a reply keeps too little, compared with what the rules keep of the same source."""
        asked = asked_of(source)
        share = asked.share(text)
        if not least or share is None:
            return []
        by_rules = asked.share(self.by_rules(source).text) or 0.0
        reason = f"it keeps {share:.0%} of names, numbers, places and promises, where rules keep {by_rules:.0%}"
        return [reason] if share < least * by_rules else []

    async def _run(self, writing: Writing, profile: str, cost: ModelCost) -> str:
        assert self.model is not None
        try:
            prompt = next(writing)
            while True:
                reply = await self.model(prompt, profile)
                cost.add(prompt, reply)
                prompt = writing.send(reply.text)
        except StopIteration as done:
            return str(done.value)
        finally:
            writing.close()


def _no_prompts(name: str) -> Style:
    raise LookupError(f"no prompt {name} is needed without a model")


def written_by_rules(rejected: list[str]) -> str:
    return f"summaries were written by rules or at the second try: {'; '.join(rejected)}"
