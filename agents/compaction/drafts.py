"""Drafts of summaries: running a summarizer, by rules or by asking a model, and judging what it wrote.

A reply of a model becomes a draft only when nothing speaks against it; after one more try the extractive summarizer
writes instead. What the model cost is counted either way.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from agents.compaction.judge.judge import validate
from agents.compaction.judge.retention import asked_of
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
"""Asks the language model: the prompt, and the name of the LLM profile."""
FALLBACK = "extractive"
TRIES = 2
"""How often a model is asked for one summary."""
NO_ANSWER = "the model did not answer"
"""How the reason begins that a model was not used at all."""


@dataclass(frozen=True, slots=True)
class CompactionServices:
    """What folding needs from the program.

    Args:
        strategies, summarizers: the plug-ins.
        clock: the time.
        log: takes lines for the log.
        model: asks the language model; None when there is none.
        prompts: returns a prompt style by its name; needed with a model.
    """

    strategies: Registry[Strategy]
    summarizers: Registry[Summarizer]
    clock: Clock
    log: Callable[[str], None]
    model: Ask | None = None
    prompts: Prompts | None = None


@dataclass(slots=True)
class ModelCost:
    """What asking a model took.

    Args:
        prompt, completion: tokens in and out, as the server counted or else as estimated.
        model: name of the model; None when none answered.
    """

    prompt: int = 0
    completion: int = 0
    model: str | None = None

    def add(self, prompt: str, reply: Completion) -> None:
        """Count one more call."""
        self.prompt += reply.prompt_tokens if reply.prompt_tokens is not None else estimate(prompt)
        self.completion += reply.completion_tokens if reply.completion_tokens is not None else estimate(reply.text)
        self.model = reply.model


@dataclass(frozen=True, slots=True)
class SummaryDraft:
    """A text that may become a summary.

    Args:
        source: what it was made from.
        text: the text.
        method: the summarizer that wrote it.
        cost: what asking a model took, for replies that were thrown away too.
        fell_back: a model was to write it, and could not.
    """

    source: SummarySource
    text: str
    method: str
    cost: ModelCost
    fell_back: bool = False

    def summary(self, covers: tuple[int, int], at: str, source: int, made: int) -> Summary:
        """Return it as a summary with its receipt; what the plan knows is still to be filled in.

        Args:
            covers: the memories that it tells of, both ends included.
            at: when it was made.
            source, made: the tokens of what it was made from, and its own.
        """
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
    """Has drafts written.

    Args:
        services: the summarizers, the model, the prompt styles.
    """

    def __init__(self, services: CompactionServices) -> None:
        self._summarizers, self.model, self._prompts = services.summarizers, services.model, services.prompts
        self.trouble: str | None = None
        """Why the last summaries are not the model's though one was asked; None when there was no trouble."""

    def may_ask(self, settings: CompactionSettings) -> bool:
        """Return whether there is a model and the settings want it."""
        chosen = self._summarizers.find(settings.summarizer)
        ready = self.model is not None and self._prompts is not None
        return ready and chosen is not None and chosen.needs_model

    def by_rules(self, source: SummarySource) -> SummaryDraft:
        """Return the extractive draft."""
        writing = self._summarizers.get(FALLBACK).write(source, _no_prompts)
        try:
            next(writing)
        except StopIteration as done:
            return SummaryDraft(source, str(done.value), FALLBACK, ModelCost())
        raise TypeError(f"the summarizer {FALLBACK} asked for a model")

    async def ask(
        self, sources: list[SummarySource], settings: CompactionSettings
    ) -> tuple[list[SummaryDraft], list[str]]:
        """Return one draft for each source, by the model where it writes well, and why it was not used elsewhere.

        A model that does not answer is not asked again for the next source.
        """
        drafts: list[SummaryDraft] = []
        rejected: list[str] = []
        answers, self.trouble = True, None
        for source in sources:
            cost, draft = ModelCost(), None
            moves = not source.entries and len(source.earlier) == 1  # one summary alone moves down as it is
            if answers and (source.entries or len(source.earlier) > 1):
                try:
                    draft = await self._tried(source, settings, cost, rejected)
                except Exception as error:  # whatever a model, its server or a prompt does, the rules can write
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
        if style_of(source, self._prompts).sections:  # whoever names six headings wants them
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
        """Return that a reply keeps too little, as a reason; none when it keeps enough.

        It is measured by what rules keep of the same: how much there is to keep differs from one source to the next.
        """
        asked = asked_of(source)
        share = asked.share(text)
        if not least or share is None:
            return []
        by_rules = asked.share(self.by_rules(source).text) or 0.0
        reason = f"it keeps {share:.0%} of names, numbers, places and promises, where rules keep {by_rules:.0%}"
        return [reason] if share < least * by_rules else []

    async def _run(self, writing: Writing, profile: str, cost: ModelCost) -> str:
        """Carry out what a summarizer asks for, and return its text."""
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
    """Say that and why summaries are not the model's, or not at the first try."""
    return f"summaries were written by rules or at the second try: {'; '.join(rejected)}"
