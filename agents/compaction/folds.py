"""One fold: its plan, the data read for it, the drafts of its summaries, and the commit with its cost and savings.

A model's reply becomes a draft only if it is valid; after `TRIES` failures the extractive summarizer writes instead.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from agents.compaction.judge import validate
from agents.compaction.judge.facts import asked_of, carried
from agents.compaction.periods import composed, dated, parts_of, undated
from agents.compaction.settings import SECTIONS, CompactionSettings, SummaryStyle
from agents.compaction.strategies import Strategy
from agents.compaction.summarizer import Prompts, Style, Summarizer, SummarySource, Writing
from agents.compaction.summarizers.model import style_of
from agents.compaction.view import summaries_of
from agents.llm.backend import Completion
from agents.llm.tokens import estimate
from agents.memory.corrections import FORGOTTEN
from agents.memory.entries import Entry, Range, merged, missing, spoken, undreamt
from agents.memory.memory import View
from agents.memory.summaries import EDITED, Summary, unread
from agents.text.english import flat
from mud.clock import Clock
from mud.errors import LociError
from mud.registry import Registry

Ask = Callable[[str, str], Awaitable[Completion]]  # asks the model; takes the prompt and the name of the LLM profile
FALLBACK = "extractive"
TRIES = 2
NO_ANSWER = "the model did not answer"
MODEL = "model"
"""Key of the memory's warning that a model did not write its summaries."""
_OF_A_FOLD = (
    *("strategy", "method", "longterm", "tokens", "saved_tokens", "break_even_rounds", "depth", "retention"),
    *("faithful", "seconds", "rejected"),
)
"""The fields of the record that are empty when nothing was folded."""


class FoldPlan(NamedTuple):
    """One fold, of the memories `first` to `last`. It always begins right after the watermark."""

    strategy: str
    reason: str
    first: int
    last: int
    # The new recent summary; None for a strategy with one summary. If it begins before `first`, it is written again
    # together with the folded memories.
    recent: Range | None
    longterm: Range | None  # None if it is unchanged or there is none

    @property
    def source(self) -> Range:
        return self.recent or (self.first, self.last)

    @property
    def joins(self) -> bool:
        return self.source[0] < self.first

    def until(self, last: int) -> FoldPlan:
        if self.recent is None:
            return self._replace(last=last, longterm=(1, last))
        return self._replace(last=last, recent=(self.recent[0], last))


@dataclass(frozen=True, slots=True)
class Fold:
    """A plan with the data read for it, compared again before the commit: a person may have edited a summary."""

    plan: FoldPlan
    strategy: Strategy
    entries: tuple[Entry, ...]
    settings: CompactionSettings
    earlier: list[Summary]
    began: float
    corrections: int = 0  # number of the last correction then
    days: tuple[str, str] = ("", "")  # of the recent summary among `earlier`, for a strategy by periods

    @property
    def unchanged(self) -> list[Summary]:
        """The long-term summary, if only the recent one is written again."""
        return [one for one in self.earlier if self.plan.joins and one.tier == "longterm"]

    @property
    def replaced(self) -> list[str]:
        """The texts that the new summary replaces."""
        earlier = [one.text for one in self.earlier] if self.plan.recent is None else []
        return [*earlier, *(entry.text for entry in self.entries)]

    def gaps(self) -> list[Range]:
        return missing((entry.seq for entry in self.entries), *self.plan.source)

    def receipt(self, made: Summary, source: SummarySource) -> Summary:
        """Return the summary with its receipt completed; one that only moves keeps its method and depth."""
        longterm, earlier = made.tier == "longterm", self.earlier
        gaps = self.gaps() if not longterm or self.plan.recent is None else []
        not_read = tuple(merged([*(unread(*earlier) if longterm else []), *gaps]))
        made = replace(made, strategy=self.plan.strategy, reason=self.plan.reason, unread=not_read)
        if not longterm or not earlier:
            return made
        if not source.entries and len(earlier) == 1 and earlier[0].text in (made.text, undated(made.text)):
            return replace(made, method=earlier[0].method, model=earlier[0].model, depth=earlier[0].depth)
        return replace(made, depth=max(summary.depth for summary in earlier) + 1)

    def sources(self, name: str, when: Callable[[str, str], str]) -> list[SummarySource]:
        """Return the sources of the summaries to write, the long-term one first."""
        settings, covers, entries = self.settings, self.plan.longterm, self.entries
        style, begins = self.strategy.style(settings), self.plan.source[0] == 1
        recent = source_of(name, "recent", entries, settings, style, begins=begins, covers=self.plan.recent)
        when_it_was = when(entries[0].at, entries[-1].at) if entries else ""
        recent = replace(recent, max_sentences=settings.max_recent_sentences, when=when_it_was)
        if covers is None:
            return [recent]
        texts, sample = tuple(one.text for one in self.earlier), carried(self.earlier, name)
        longterm = replace(recent, tier="longterm", earlier=texts, covers=covers, sample=sample)
        if self.plan.recent is None:
            return [replace(longterm, max_sentences=style.sentences)]
        longterm = replace(longterm, entries=(), max_sentences=None, begins=False, when="")
        return [in_periods(longterm, [self.days], settings) if self.strategy.by_period else longterm, recent]


def source_of(
    name: str,
    tier: str,
    entries: Sequence[Entry],
    settings: CompactionSettings,
    style: SummaryStyle,
    *,
    begins: bool,
    covers: Range | None,
) -> SummarySource:
    """Return memories as the source of a summary, with the limits and the form that settings and strategy give."""
    return SummarySource(
        name,
        tier,
        undreamt(one for one in entries if one.kind != FORGOTTEN),
        max_tokens=settings.max_summary_tokens,
        max_source_tokens=settings.max_source_tokens,
        begins=begins,
        style=settings.prompt_style,
        shape=style.shape,
        findings=style.findings,
        covers=covers,
    )


def in_periods(longterm: SummarySource, days: Sequence[tuple[str, str]], settings: CompactionSettings) -> SummarySource:
    """Return the source of a long-term summary of periods; `days` are those of its last texts, the recent summaries."""
    at = len(longterm.earlier) - len(days)
    texts = [dated(text, one) for text, one in zip(longterm.earlier[at:], days, strict=True)]
    earlier, most = (*longterm.earlier[:at], *texts), settings.periods_tokens
    return replace(longterm, earlier=earlier, max_tokens=most, period_tokens=settings.period_tokens)


def commit_event(
    name: str, at: str, covers: Range, tokens: Mapping[str, int], reason: str, number: int
) -> dict[str, object]:
    """Return the commit line, without the summaries that it will name."""
    first, last = covers
    line: dict[str, object] = {"event": name, "at": at, "covers": {"first": first, "last": last}}
    return line | {"longterm": None, "recent": None, "tokens": dict(tokens), "reason": reason, "number": number}


def may_be_made_anew(recent: Summary | None) -> bool:
    """Return whether a recent summary may be written again: not edited by a person, and made from all its memories."""
    return recent is not None and recent.method != EDITED and not recent.unread


def check_join(plan: FoldPlan, entries: Sequence[Entry], recent: Summary | None) -> None:
    """Raise LociError if rewriting a recent summary would lose a person's edits or a memory it covers."""
    if not plan.joins:
        return
    if not may_be_made_anew(recent):
        raise LociError("the recent summary was edited meanwhile")
    if gone := missing((entry.seq for entry in entries), plan.source[0], plan.first - 1):
        raise LociError(f"{spoken(*gone[0])} cannot be read, and the recent summary tells of them")


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


@dataclass(frozen=True, slots=True)
class SummaryDraft:
    """A text that may become a summary; its cost includes rejected replies."""

    source: SummarySource
    text: str
    method: str
    cost: ModelCost
    fell_back: bool = False

    def summary(self, covers: Range, at: str, source: int, made: int) -> Summary:
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


class _ByRules(NamedTuple):
    """A summary that remains to be written by rules; it has cost what the model's rejected replies did."""

    source: SummarySource
    cost: ModelCost
    fell_back: bool


class _InPeriods(NamedTuple):
    """A long-term summary of periods, and the drafts of those that had to be written."""

    source: SummarySource
    parts: list[_Asked]

    @property
    def fell_back(self) -> bool:
        return any(one.fell_back for one in self.parts)


_Asked = SummaryDraft | _ByRules | _InPeriods


@dataclass(slots=True)
class _Asking:
    """How it goes with the model: whether it answers, and why replies were not used."""

    settings: CompactionSettings
    answers: bool = True
    rejected: list[str] = field(default_factory=list)


class AskedSummaries(NamedTuple):
    """What came of asking the model: the drafts, some to be written by rules, and why replies were not used."""

    drafts: list[_Asked]
    rejected: list[str]

    @property
    def lacking(self) -> bool:
        """Whether a summary was asked of the model, which failed."""
        return any(one.fell_back for one in self.drafts)


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
        if source.period_tokens:
            return _composed(source, [self.by_rules(part) for part in parts_of(source)])
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
        asked = await self.ask_model(sources, settings)
        return self.written(asked), asked.rejected

    async def ask_model(self, sources: list[SummarySource], settings: CompactionSettings) -> AskedSummaries:
        """Ask the model for a summary of each source; what it does not write, `written` does by rules."""
        asking = _Asking(settings)
        self.trouble = None
        drafts = [await self._asked(source, asking) for source in sources]
        if asking.rejected:
            self.trouble = written_by_rules(asking.rejected)
        return AskedSummaries(drafts, asking.rejected)

    async def _asked(self, source: SummarySource, asking: _Asking) -> _Asked:
        if source.period_tokens:
            return _InPeriods(source, [await self._asked(part, asking) for part in parts_of(source)])
        cost, draft = ModelCost(), None
        moves = not source.entries and len(source.earlier) == 1  # a single summary moves down unchanged
        if asking.answers and (source.entries or len(source.earlier) > 1):
            try:
                draft = await self._tried(source, asking.settings, cost, asking.rejected)
            except Exception as error:  # the rules can write, whatever fails in the model, its server or a prompt
                asking.answers = False
                asking.rejected.append(f"{NO_ANSWER}: {error or type(error).__name__}")
        return draft or _ByRules(source, cost, fell_back=not moves)

    def written(self, asked: AskedSummaries) -> list[SummaryDraft]:
        """Return a draft per source."""
        return [self._written(one) for one in asked.drafts]

    def _written(self, one: _Asked) -> SummaryDraft:
        if isinstance(one, _InPeriods):
            return _composed(one.source, [self._written(part) for part in one.parts])
        if isinstance(one, _ByRules):
            return replace(self.by_rules(one.source), cost=one.cost, fell_back=one.fell_back)
        return one

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
                cost.prompt += estimate(prompt) if reply.prompt_tokens is None else reply.prompt_tokens
                read = estimate(reply.text) if reply.completion_tokens is None else reply.completion_tokens
                cost.completion, cost.model = cost.completion + read, reply.model
                prompt = writing.send(reply.text)
        except StopIteration as done:
            return str(done.value)
        finally:
            writing.close()


def _composed(source: SummarySource, drafts: Sequence[SummaryDraft]) -> SummaryDraft:
    """Return the draft of a long-term summary of periods from those of the periods that were written."""
    text, spent = composed(source, [one.text for one in drafts]), [one.cost for one in drafts]
    made = [one for one in drafts if one.method != FALLBACK]
    cost = ModelCost(
        sum(one.prompt for one in spent),
        sum(one.completion for one in spent),
        made[-1].cost.model if made else None,
    )
    return SummaryDraft(source, text, made[-1].method if made else FALLBACK, cost, any(one.fell_back for one in drafts))


def _no_prompts(name: str) -> Style:
    raise LookupError(f"no prompt {name} is needed without a model")


def written_by_rules(rejected: list[str]) -> str:
    return f"summaries were written by rules or at the second try: {'; '.join(rejected)}"


class Commit(NamedTuple):
    """A committed fold."""

    number: int
    reason: str
    at: str
    first: int
    last: int
    recent: Summary | None  # the new recent summary; None for a strategy with one summary
    longterm: Summary | None  # the new long-term summary; None after the first fold of a strategy with two
    chars: int  # chars and tokens: size of what was replaced, memories and earlier summaries
    tokens: int
    saved: int  # tokens by which the view, and so every later prompt, is shorter
    before: int  # entries of the view before the fold, memories and summaries
    kept: int  # kept and kept_chars: number and characters of the memories that stay word for word
    kept_chars: int
    seconds: float
    rejected: tuple[str, ...]
    unchanged: Sequence[Summary] = ()

    @property
    def made(self) -> tuple[Summary, ...]:
        return tuple(summary for summary in (self.longterm, self.recent) if summary is not None)

    @property
    def newest(self) -> Summary:
        return self.made[-1]

    @property
    def spent(self) -> int:
        """Tokens read and written by the model, including rejected replies."""
        tokens = total_tokens(self.made)
        return tokens["prompt"] + tokens["completion"]

    @property
    def break_even(self) -> int | None:
        """Prompts after which the fold has paid for itself; None if it saves nothing."""
        return math.ceil(self.spent / self.saved) if self.saved > 0 else None

    def record(self) -> dict[str, object]:
        """Return the result record: seed 001's fields for the whole view, then range, tokens, retention and cost."""
        kept, newest = self.kept_chars + sum(len(summary.text) for summary in self.unchanged), self.newest
        chars, after = self.chars + kept, sum(len(summary.text) for summary in self.made) + kept
        return {
            "original_entries": self.before,
            "compacted_entries": len(self.made) + len(self.unchanged) + self.kept,
            "original_chars": chars,
            "compacted_chars": after,
            "summary": newest.text,
            "preserved_entries": self.kept,
            "timestamp": self.at,
            "used_llm": any(summary.method == "model" for summary in self.made),
            "compression_ratio": round(1 - after / chars, 4) if chars else 0.0,
            "range": {"first": self.first, "last": self.last},
            "reason": self.reason,
            "strategy": newest.strategy,
            "method": newest.method,
            "longterm": self.longterm.text if self.longterm is not None else None,
            "tokens": total_tokens(self.made),
            "saved_tokens": self.saved,
            "break_even_rounds": self.break_even,
            "depth": max(summary.depth for summary in self.made),
            "retention": newest.retention,
            "faithful": all(summary.faithful is not False for summary in self.made),
            "seconds": round(self.seconds, 3),
            "rejected": list(self.rejected),
        }


def total_tokens(summaries: Sequence[Summary]) -> dict[str, int]:
    parts = ("source", "summary", "prompt", "completion")
    return {part: sum(summary.tokens.get(part, 0) for summary in summaries) for part in parts}


def no_fold(view: View, at: str, why: str) -> dict[str, object]:
    """Return the result record for when nothing was folded: an empty summary, everything preserved."""
    texts = [*(summary.text for summary in summaries_of(view)), *(entry.text for entry in view.tail)]
    chars = sum(map(len, texts))
    return {
        "original_entries": len(texts),
        "compacted_entries": len(texts),
        "original_chars": chars,
        "compacted_chars": chars,
        "summary": "",
        "preserved_entries": len(view.tail),
        "timestamp": at,
        "used_llm": False,
        "compression_ratio": 0.0,
        "range": None,
        "reason": why,
        **dict.fromkeys(_OF_A_FOLD),
    }
