"""Making every summary of a life anew from its archive, in parts, and committing them as one fold.

It writes with what folds write with, lets everybody else have their turn after every part, and can be killed at any
moment: the parts that are made are kept and the summaries in use hold until the new ones do. While it works nothing is
folded but in an emergency, to which it yields; what is remembered meanwhile stays word for word. It refuses a life
whose memories cannot all be read, as the summaries there are may be the last that tells of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from agents.compaction.compactor import Compactor
from agents.compaction.drafts import SummaryDraft, SummaryWriter
from agents.compaction.rebuild_parts import RebuildLayout, RebuildProgress, RebuildStep, layout_of
from agents.compaction.retention import carried
from agents.compaction.settings import CompactionSettings
from agents.compaction.strategy import Strategy, nothing
from agents.compaction.summarizer import SummarySource
from agents.compaction.summary_style import SummaryStyle
from agents.llm.tokens import estimate
from agents.memory.archive import LineWriter
from agents.memory.entries import Entry, undreamt
from agents.memory.memory import Memory
from agents.memory.summaries import Summary
from mud.clock import Clock, iso
from mud.errors import LociError, Unavailable
from mud.storage.jsonl import JsonlWriter

REBUILD = "rebuild"
BOOTSTRAP = "bootstrap"
NO_ANSWER = "the model did not answer"
"""How `SummaryWriter.ask` begins to say so."""

RUNNING, BUSY, NO_SUMMARIES, NOTHING, THERE, FITS = "running", "busy", "no_summaries", "nothing", "there", "fits"
"""Why nothing is made: one is under way, a fold is, the strategy has no summaries, there are none to make anew, there
are some already, everything is still shown word for word."""


class Declined(LociError):
    """Nothing is to be made.

    Args:
        why: one of the reasons above.
        places: what a sentence about it names.
    """

    def __init__(self, why: str, **places: object) -> None:
        super().__init__(f"{why} {places}" if places else why)
        self.why, self.places = why, places


class Rebuilt(NamedTuple):
    """What came of it.

    Args:
        longterm, recent: the new summaries; None for one that there is not.
        parts: how many parts they were made from.
        kept: how many of these were made before, by a rebuild that did not come to its end.
        kept_word_for_word: memories that stay as they are.
        rejected: why replies of the model were not used, and why it did not answer.
    """

    longterm: Summary | None
    recent: Summary | None
    parts: int
    kept: int
    kept_word_for_word: int
    rejected: tuple[str, ...]

    @property
    def made(self) -> tuple[Summary, ...]:
        """The new summaries, the long-term one first."""
        return tuple(one for one in (self.longterm, self.recent) if one is not None)


@dataclass(slots=True)
class _Work:
    """One rebuild under way.

    Args:
        settings, strategy: as they were when it began.
        wanted: how the strategy wants its summaries.
        reason: `rebuild` or `bootstrap`.
        layout: how the summaries are to lie.
        asks: a model is asked.
        rejected: why it was not used.
        longterm: the newest part that takes up those before.
        waiting: the parts since.
        watermark: the last memory that a summary stood for when it began.
    """

    settings: CompactionSettings
    strategy: Strategy
    wanted: SummaryStyle
    reason: str
    layout: RebuildLayout
    asks: bool
    rejected: list[str]
    longterm: Summary | None
    waiting: list[Summary]
    watermark: int

    def key(self) -> Mapping[str, object]:
        """Return everything that decides what the parts are like."""
        settings = self.settings
        return {
            "strategy": self.strategy.name,
            "chunk": self.layout.chunk,
            "rolling": self.layout.rolling,
            "asks": self.asks,
            "summarizer": settings.summarizer,
            "profile": settings.profile,
            "prompt_style": settings.prompt_style,
            "max_recent_sentences": settings.max_recent_sentences,
            "max_summary_tokens": settings.max_summary_tokens,
            "max_source_tokens": settings.max_source_tokens,
            "least_retention": settings.least_retention,
            "shape": self.wanted.shape,
            "sentences": self.wanted.sentences,
            "findings": self.wanted.findings,
        }

    def earlier(self, step: RebuildStep) -> list[Summary]:
        """Return the parts that a part takes up."""
        if step.tier == "recent":
            return []
        return [*([self.longterm] if self.longterm is not None else []), *self.waiting]

    def take(self, step: RebuildStep, part: Summary) -> None:
        """Go on with a part that is made."""
        if step.tier == "longterm":
            self.longterm, self.waiting = part, []
        else:
            self.waiting.append(part)


class Rebuild:
    """Makes the summaries of one life anew.

    Args:
        memory: the life.
        settings: gives the settings of the moment.
        compactor: folds it; it folds nothing meanwhile but in an emergency.
        scribe: has summaries written.
        clock: the time.
        log: takes lines for the log.
        before: is told of memories before a summary stands for them, where the strategy keeps a journal.
        open_writer: opens the file of the parts for appending; tests give one that fails or dies.
    """

    def __init__(
        self,
        memory: Memory,
        settings: Callable[[], CompactionSettings],
        compactor: Compactor,
        scribe: SummaryWriter,
        clock: Clock,
        log: Callable[[str], None],
        before: Callable[[Sequence[Entry]], None] = lambda entries: None,
        open_writer: Callable[[Path], LineWriter] = JsonlWriter,
    ) -> None:
        self._memory, self._settings, self._compactor = memory, settings, compactor
        self._scribe, self._clock, self._log = scribe, clock, log
        self._before, self._open_writer = before, open_writer
        self.progress: tuple[int, int] | None = None
        """How many parts are made, and of how many; None while nothing is under way."""

    def check(self, reason: str) -> int:
        """Return the last memory that the new summaries are to stand for.

        Args:
            reason: `REBUILD`, which goes as far as the summaries do, or `BOOTSTRAP`, as far as a fold that is asked
                for would.

        Raises:
            Declined: nothing is to be made.
            Unavailable: the archive cannot be written.
        """
        memory, outlook = self._memory, self._compactor.outlook
        if self.progress is not None:
            raise Declined(RUNNING, done=self.progress[0], of=self.progress[1])
        if self._compactor.busy:
            raise Declined(BUSY)
        strategy = outlook.strategy
        if strategy.manual is nothing:
            raise Declined(NO_SUMMARIES, strategy=strategy.name)
        memory.retry()
        if memory.waiting:
            raise Unavailable("the archive cannot be written; the summaries stay as they are until it can")
        if reason == REBUILD:
            if not memory.watermark:
                raise Declined(NOTHING)
            return memory.watermark
        if memory.watermark:
            raise Declined(THERE, last=memory.watermark)
        fold = strategy.manual(outlook.standing(), self._settings())
        if fold is None:
            raise Declined(FITS)
        return fold.last

    async def run(self, reason: str = REBUILD) -> Rebuilt:
        """Make the summaries, and let them hold. When cancelled, what is made so far is kept for the next time.

        Args:
            reason: `rebuild` or `bootstrap`.

        Raises:
            Declined: nothing is to be made.
            LociError: it could not come to its end; the summaries are as they were, the parts are kept.
        """
        work = self._begin(reason, self.check(reason))
        progress = RebuildProgress(self._memory.folder / "summaries", self._open_writer)
        self._compactor.busy, self.progress = True, (0, sum(1 for _ in work.layout.steps()))
        self._compactor.yields = True
        try:
            kept = await self._make(work, progress)
            return self._committed(work, kept, progress)
        except OSError as error:
            raise Unavailable(f"the disk refused ({error.strerror or error}); what was made is kept") from error
        finally:
            progress.close()
            self._compactor.busy, self._compactor.yields, self.progress = False, False, None

    def _begin(self, reason: str, through: int) -> _Work:
        self._memory.refresh()
        settings, outlook, recent = self._settings(), self._compactor.outlook, self._memory.recent
        strategy, wanted = outlook.strategy, outlook.wanted()
        held = recent.covers if recent is not None else None
        layout = layout_of(through, held, settings.recent_window, rolling=strategy.rolling)
        asks = self._scribe.may_ask(settings) and wanted.may_ask
        return _Work(settings, strategy, wanted, reason, layout, asks, [], None, [], self._memory.watermark)

    async def _make(self, work: _Work, progress: RebuildProgress) -> int:
        """Write every part that is not kept from before; return how many are."""
        assert self.progress is not None
        found, kept, told, of = progress.begin(work.key()), 0, 0, self.progress[1]
        self._say(f"making the summaries of 1-{work.layout.through} anew from the archive, in {of} parts")
        for done, step in enumerate(work.layout.steps(), 1):
            part = found.get((step.tier, step.covers))
            kept += part is not None
            if part is None:
                part = await self._written(work, step)
                progress.add(part)
                if step.tier == "longterm":  # those that are kept of the same tier took up another text
                    found = {which: one for which, one in found.items() if which[0] != step.tier}
            work.take(step, part)
            self.progress = (done, of)
            if 10 * done // of > told:
                told = 10 * done // of
                self._say(f"{done} of {of} parts of its summaries are made")
            await self._clock.sleep(0)
            self._must_stand(work)
        return kept

    def _must_stand(self, work: _Work) -> None:
        """Yield to an emergency fold that came in between: the summaries that would be replaced tell of more now."""
        if self._memory.watermark > work.watermark:
            raise Unavailable("memories were folded in an emergency meanwhile; what was made is kept, ask again")

    async def _written(self, work: _Work, step: RebuildStep) -> Summary:
        """Return one part with its receipt, by a model where one answers."""
        source, earlier = self._source(work, step), work.earlier(step)
        moves = not source.entries and len(earlier) == 1
        if source.entries and work.strategy.journals:
            self._before(source.entries)
        if work.asks and not moves:
            (draft,), rejected = await self._scribe.ask([source], work.settings)
            work.rejected += rejected
            work.asks = not any(one.startswith(NO_ANSWER) for one in rejected)
            if draft.fell_back and not work.wanted.may_fall_back:
                raise Unavailable(f"only a model may write these summaries: {'; '.join(rejected)}")
        else:  # rules hold nobody up: a dense part takes them tens of milliseconds
            draft = await asyncio.to_thread(self._scribe.by_rules, source)
        count, at = self._compactor.outlook.count, iso(self._clock.now())
        tokens = count(source.texts()), count([draft.text])
        part = await asyncio.to_thread(draft.summary, step.covers, at, *tokens)
        part = replace(part, strategy=work.strategy.name, reason=work.reason)
        return (
            replace(part, method=earlier[0].method, model=earlier[0].model) if moves else part_of(part, draft, earlier)
        )

    def _source(self, work: _Work, step: RebuildStep) -> SummarySource:
        """Return what a part is made from.

        Raises:
            LociError: memories of it cannot be read.
        """
        settings, wanted = work.settings, work.wanted
        entries = tuple(self._memory.read(*step.entries)) if step.entries else ()
        if step.entries and len(entries) != step.entries[1] - step.entries[0] + 1:
            many = f"{step.entries[0]}-{step.entries[1]}"
            raise LociError(f"memories of {many} cannot be read; the summaries that tell of them stay as they are")
        alone = wanted.sentences if work.layout.rolling else settings.max_recent_sentences
        return SummarySource(
            self._memory.name,
            step.tier,
            undreamt(entries),
            tuple(part.text for part in work.earlier(step)),
            max_sentences=alone if entries else None,
            max_tokens=settings.max_summary_tokens,
            max_source_tokens=settings.max_source_tokens,
            begins=step.entries is not None and step.entries[0] == 1,
            style=settings.prompt_style,
            shape=wanted.shape,
            findings=wanted.findings,
            covers=step.covers,
            sample=carried(work.earlier(step), self._memory.name),
        )

    def _committed(self, work: _Work, kept: int, progress: RebuildProgress) -> Rebuilt:
        """Let the new summaries hold, with one line in the archive. Never awaits: nobody can come in between."""
        memory, layout, at = self._memory, work.layout, iso(self._clock.now())
        memory.refresh()
        memory.retry()
        self._must_stand(work)
        if memory.waiting:
            raise Unavailable("the archive cannot be written; what was made is kept")
        longterm = replace(work.longterm, updated=at) if work.longterm is not None else None
        recent = replace(work.waiting[-1], updated=at) if work.waiting else None
        made = [one for one in (longterm, recent) if one is not None]
        event = {
            "event": REBUILD,
            "at": at,
            "covers": {"first": 1, "last": layout.through},
            "longterm": None,
            "recent": None,
            "tokens": _sum(made),
            "reason": work.reason,
            "number": memory.compactions + 1,
        }
        entries = memory.read(*recent.covers) if recent is not None else ()
        for message in memory.commit(longterm, recent, entries, event):
            self._say(message)
        progress.end()
        why = f"summaries were written by rules or at the second try: {'; '.join(work.rejected[:3])}"
        memory.note_trouble("fold", None)
        memory.note_trouble("model", why if work.rejected else None)
        self._say(f"its summaries of 1-{layout.through} are made anew")
        parts = sum(1 for _ in layout.steps())
        return Rebuilt(longterm, recent, parts, kept, memory.total - layout.through, tuple(work.rejected))

    def _say(self, text: str) -> None:
        self._log(f"[Memory] {self._memory.name}: {text}")


def part_of(part: Summary, draft: SummaryDraft, earlier: Sequence[Summary]) -> Summary:
    """Return a part with a receipt that goes back to the memories: depth 1, and what all parts were made from and cost.

    Args:
        part: it, with the receipt of its own writing.
        draft: what it was written from.
        earlier: the parts that it takes up.
    """
    read = sum(estimate(entry.text) for entry in draft.source.entries)
    source = read + sum(one.tokens.get("source", 0) for one in earlier)
    spent = {
        name: part.tokens.get(name, 0) + sum(one.tokens.get(name, 0) for one in earlier)
        for name in ("prompt", "completion")
    }
    written = part.tokens["summary"]
    return replace(
        part,
        tokens={"source": source, "summary": written, **spent},
        compression_ratio=round(1 - written / source, 2) if source else None,
    )


def _sum(made: Sequence[Summary]) -> dict[str, int]:
    return {
        name: sum(one.tokens.get(name, 0) for one in made) for name in ("source", "summary", "prompt", "completion")
    }
