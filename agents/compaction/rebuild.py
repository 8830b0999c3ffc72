"""Rewriting all summaries of a memory from its archive, in parts, committed as one fold.

Finished parts are kept in a file, so a rebuild can be interrupted; the old summaries are used until the commit. An
archive that cannot be read completely is refused: the summaries may be the only record of what is lost.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from agents.compaction.engine import Compactor
from agents.compaction.folds import (
    MODEL,
    NO_ANSWER,
    SummaryWriter,
    commit_event,
    in_periods,
    source_of,
    total_tokens,
    written_by_rules,
)
from agents.compaction.judge.facts import carried
from agents.compaction.settings import CompactionSettings, SummaryStyle
from agents.compaction.strategies import Strategy, nothing
from agents.compaction.summarizer import SummarySource
from agents.llm.tokens import estimate
from agents.memory.entries import Range
from agents.memory.summaries import Summary
from mud.clock import iso
from mud.errors import LociError, Unavailable
from mud.storage.jsonl import JsonlWriter, read_jsonl
from mud.storage.paths import remove

REBUILD, BOOTSTRAP = "rebuild", "bootstrap"
CHUNK = 64
GROUP = 16  # parts that one long-term summary absorbs at once
FILE = "rebuild.jsonl"

RUNNING, BUSY, NO_SUMMARIES, NOTHING, THERE, FITS = "running", "busy", "no_summaries", "nothing", "there", "fits"
"""Reasons to decline."""

_SETTINGS = (
    *("summarizer", "profile", "prompt_style", "max_recent_sentences", "max_summary_tokens", "max_source_tokens"),
    *("least_retention", "period_tokens", "periods_tokens"),
)
"""Settings that change a part: those made under other ones are made again."""


class Declined(LociError):
    """Nothing is to be made, for one of the reasons above."""

    def __init__(self, why: str, **places: object) -> None:
        super().__init__(f"{why} {places}" if places else why)
        self.why, self.places = why, places


class Rebuilt(NamedTuple):
    """The result: `kept` of the `parts` come from an earlier, interrupted rebuild."""

    longterm: Summary | None
    recent: Summary | None
    parts: int
    kept: int
    kept_word_for_word: int
    rejected: tuple[str, ...]

    @property
    def made(self) -> tuple[Summary, ...]:
        return tuple(one for one in (self.longterm, self.recent) if one is not None)


class RebuildStep(NamedTuple):
    """One part: a `recent` one is made from memories only, a `longterm` one absorbs earlier parts."""

    tier: str
    covers: Range
    entries: Range | None


def steps_of(
    through: int,
    recent: Range | None,
    chunk: int,
    *,
    rolling: bool,
    cut: Callable[[int, int], int] | None = None,
) -> list[RebuildStep]:
    """Return the parts of `1..through` in the order of writing; the last of each tier becomes the summary.

    The range of a recent summary is kept if possible. `cut` returns where a part of at most `first..last` ends;
    None for at `last`.
    """
    split = through if rolling else max(0, through - chunk)
    if not rolling and recent is not None and recent[1] == through and recent[1] - recent[0] < CHUNK:
        split = recent[0] - 1
    steps, last, number = [], 0, 0
    while last < split:
        first, number = last + 1, number + 1
        last = min(last + chunk, split)
        last = cut(first, last) if cut is not None else last
        if rolling:
            steps.append(RebuildStep("longterm", (1, last), (first, last)))
            continue
        steps.append(RebuildStep("recent", (first, last), (first, last)))
        if number % GROUP == 0 or last == split:
            steps.append(RebuildStep("longterm", (1, last), None))
    if through > split:
        steps.append(RebuildStep("recent", (split + 1, through), (split + 1, through)))
    return steps


class RebuildProgress:
    """The file with the finished parts of one rebuild. Unreadable lines are ignored."""

    def __init__(self, folder: Path, open_writer: Callable[[Path], JsonlWriter]) -> None:
        self._path, self._open_writer = folder / FILE, open_writer
        self._writer: JsonlWriter | None = None

    def begin(self, key: Mapping[str, object]) -> dict[tuple[str, Range], Summary]:
        """Open the file and return its parts by tier and range; it is emptied if `key`, the settings, differs."""
        lines = [line.data for line in read_jsonl(self._path)] if self._path.exists() else []
        if not lines or lines[0] is None or lines[0].get(REBUILD) != json.loads(json.dumps(key)):
            self.end()
            lines = []
        self._writer = self._open_writer(self._path)
        if not lines:
            self._writer.append([json.dumps({REBUILD: key}, ensure_ascii=False)])
        parts = [_part(line or {}) for line in lines[1:]]
        return {(part.tier, part.covers): part for part in parts if part is not None}

    def add(self, part: Summary) -> None:
        assert self._writer is not None
        self._writer.append([json.dumps(asdict(part), ensure_ascii=False)])

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def end(self) -> None:
        self.close()
        for path in (self._path, *self._path.parent.glob(f"{FILE}.torn-*")):
            remove(path)


def _part(line: Mapping[str, Any]) -> Summary | None:
    try:
        first, last = line["covers"]
        sample = tuple(map(str, line.get("sample", ())))
        part = Summary(**{**line, "covers": (int(first), int(last)), "sample": sample, "unread": ()})
    except (KeyError, TypeError, ValueError):
        return None
    whole = isinstance(part.text, str) and part.text and isinstance(part.tokens, dict)
    return part if whole and all(isinstance(one, int) for one in part.tokens.values()) else None


@dataclass(slots=True)
class _RebuildRun:
    reason: str
    settings: CompactionSettings
    strategy: Strategy
    style: SummaryStyle
    steps: list[RebuildStep]
    key: Mapping[str, object]
    through: int
    watermark: int
    asks: bool
    rejected: list[str] = field(default_factory=list)
    longterm: Summary | None = None
    waiting: list[Summary] = field(default_factory=list)

    def earlier(self, step: RebuildStep) -> list[Summary]:
        """Return the parts that a step absorbs."""
        longterm = [self.longterm] if self.longterm is not None else []
        return [*longterm, *self.waiting] if step.tier == "longterm" else []


class Rebuild:
    def __init__(self, compactor: Compactor, open_writer: Callable[[Path], JsonlWriter] = JsonlWriter) -> None:
        self._compactor, self._open_writer = compactor, open_writer
        self._memory, self._clock = compactor.memory, compactor.services.clock
        self._writer = SummaryWriter(compactor.services)
        self.progress: tuple[int, int] | None = None  # finished and total parts; None while no rebuild is running

    def check(self, reason: str) -> int:
        """Return the last memory to cover: the watermark for `REBUILD`, the end of a manual fold for `BOOTSTRAP`.

        Raises Declined (nothing is to be made); Unavailable (the archive cannot be written).
        """
        memory, view = self._memory, self._compactor.view
        if self.progress is not None:
            raise Declined(RUNNING, done=self.progress[0], of=self.progress[1])
        if self._compactor.busy:
            raise Declined(BUSY)
        strategy = view.strategy
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
        fold = strategy.manual(view.state(), view.settings)
        if fold is None:
            raise Declined(FITS)
        return fold.last

    async def run(self, reason: str = REBUILD) -> Rebuilt:
        """Write and commit the summaries. If cancelled, the finished parts are kept for the next time.

        Raises Declined (nothing is to be made); LociError (it failed; the summaries are unchanged).
        """
        run, compactor = self._begin(reason, self.check(reason)), self._compactor
        progress = RebuildProgress(self._memory.folder / "summaries", self._open_writer)
        compactor.busy = compactor.yields = True
        self.progress = (0, len(run.steps))
        try:
            kept = await self._make(run, progress)
            return self._commit(run, kept, progress)
        except OSError as error:
            raise Unavailable(f"the disk refused ({error.strerror or error}); what was made is kept") from error
        finally:
            progress.close()
            compactor.busy = compactor.yields = False
            self.progress = None

    def _begin(self, reason: str, through: int) -> _RebuildRun:
        memory, view = self._memory, self._compactor.view
        memory.refresh()
        settings, strategy = view.settings, view.strategy
        style, recent = strategy.style(settings), memory.recent
        chunk = CHUNK if strategy.rolling else max(1, min(settings.recent_window, CHUNK))
        covers = recent.covers if recent else None
        days = (lambda first, last: view.whole_days(first, last, chunk // 4)) if strategy.by_period else None
        steps = steps_of(through, covers, chunk, rolling=strategy.rolling, cut=days)
        asks = self._writer.may_ask(settings) and style.may_ask
        key = {"strategy": strategy.name, "chunk": chunk, "rolling": strategy.rolling, "asks": asks}
        key["corrections"] = memory.corrections.last
        key |= {name: getattr(settings, name) for name in _SETTINGS}
        key |= {"shape": style.shape, "sentences": style.sentences, "findings": style.findings}
        return _RebuildRun(reason, settings, strategy, style, steps, key, through, memory.watermark, asks)

    async def _make(self, run: _RebuildRun, progress: RebuildProgress) -> int:
        found, kept, announced, of = progress.begin(run.key), 0, 0, len(run.steps)
        self._compactor.say(f"making the summaries of 1-{run.through} anew from the archive, in {of} parts")
        for done, step in enumerate(run.steps, 1):
            part = found.get((step.tier, step.covers))
            if part is not None:
                kept += 1
            else:
                part = await self._write(run, step)
                progress.add(part)
                if step.tier == "longterm":  # the kept parts of this tier absorbed another text
                    found = {which: one for which, one in found.items() if which[0] != step.tier}
            if step.tier == "longterm":
                run.longterm, run.waiting = part, []
            else:
                run.waiting.append(part)
            self.progress = (done, of)
            if 10 * done // of > announced:
                announced = 10 * done // of
                self._compactor.say(f"{done} of {of} parts of its summaries are made")
            await self._clock.sleep(0)
            self._check_watermark(run)
        return kept

    def _check_watermark(self, run: _RebuildRun) -> None:
        """Abort if an emergency fold has moved the watermark, or if memories were corrected."""
        if self._memory.corrections.last != run.key["corrections"]:
            raise Unavailable("memories were corrected meanwhile; ask again")
        if self._memory.watermark > run.watermark:
            raise Unavailable("memories were folded in an emergency meanwhile; what was made is kept, ask again")

    async def _write(self, run: _RebuildRun, step: RebuildStep) -> Summary:
        source, earlier = self._source(run, step), run.earlier(step)
        moves = not source.entries and len(earlier) == 1 and not source.period_tokens
        if source.entries and run.strategy.journals:
            self._compactor.before_fold(source.entries)
        if run.asks and not moves:
            (draft,), rejected = await self._writer.ask([source], run.settings)
            run.rejected += rejected
            run.asks = not any(one.startswith(NO_ANSWER) for one in rejected)
            if draft.fell_back and not run.style.may_fall_back:
                raise Unavailable(f"only a model may write these summaries: {'; '.join(rejected)}")
        else:  # in a thread: rules take tens of milliseconds for a dense part
            draft = await asyncio.to_thread(self._writer.by_rules, source)
        count, at = self._compactor.view.context.tokens, iso(self._clock.now())
        part = await asyncio.to_thread(draft.summary, step.covers, at, count(source.texts()), count([draft.text]))
        part = replace(part, strategy=run.strategy.name, reason=run.reason)
        if moves:
            return replace(part, method=earlier[0].method, model=earlier[0].model)
        made, before = part.tokens, total_tokens(earlier)  # the receipt counts all absorbed parts
        whole = before["source"] + sum(estimate(entry.text) for entry in source.entries)
        spent = {name: made.get(name, 0) + before[name] for name in ("prompt", "completion")}
        return replace(
            part,
            tokens={"source": whole, "summary": made["summary"], **spent},
            compression_ratio=round(1 - made["summary"] / whole, 2) if whole else None,
        )

    def _source(self, run: _RebuildRun, step: RebuildStep) -> SummarySource:
        settings, style, earlier = run.settings, run.style, run.earlier(step)
        entries = tuple(self._memory.read(*step.entries)) if step.entries else ()
        if step.entries and len(entries) != step.entries[1] - step.entries[0] + 1:
            many = f"{step.entries[0]}-{step.entries[1]}"
            raise LociError(f"memories of {many} cannot be read; the summaries that tell of them stay as they are")
        sentences = style.sentences if run.strategy.rolling else settings.max_recent_sentences
        begins = step.entries is not None and step.entries[0] == 1
        source = source_of(self._memory.name, step.tier, entries, settings, style, begins=begins, covers=step.covers)
        texts, sample = tuple(part.text for part in earlier), carried(earlier, self._memory.name)
        source = replace(source, earlier=texts, max_sentences=sentences if entries else None, sample=sample)
        if not run.strategy.by_period or entries:
            return source
        return in_periods(source, [self._compactor.view.days(part.covers) for part in run.waiting], settings)

    def _commit(self, run: _RebuildRun, kept: int, progress: RebuildProgress) -> Rebuilt:
        """Commit the new summaries with one archive line. Never awaits, so nothing can change in between."""
        memory, at = self._memory, iso(self._clock.now())
        memory.refresh()
        memory.retry()
        self._check_watermark(run)
        if memory.waiting:
            raise Unavailable("the archive cannot be written; what was made is kept")
        longterm = replace(run.longterm, updated=at) if run.longterm is not None else None
        recent = replace(run.waiting[-1], updated=at) if run.waiting else None
        untouched = memory.total - run.through
        result = Rebuilt(longterm, recent, len(run.steps), kept, untouched, tuple(run.rejected))
        number, tokens = memory.compactions + 1, total_tokens(result.made)
        event = commit_event(REBUILD, at, (1, run.through), tokens, run.reason, number)
        entries = memory.read(*recent.covers) if recent is not None else ()
        for message in memory.commit(longterm, recent, entries, event):
            self._compactor.say(message)
        progress.end()
        memory.note_trouble("fold", None)
        memory.note_trouble(MODEL, written_by_rules(run.rejected[:3]) if run.rejected else None)
        self._compactor.say(f"its summaries of 1-{run.through} are made anew")
        return result
