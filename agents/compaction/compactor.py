"""The compactor: one life's folds, from the question whether one is due to the commit.

plan -> summarize -> validate -> commit. At most one fold is in flight; what arrives meanwhile stays outside it. A model
that fails or makes things up is tried once more and then replaced by the extractive summarizer. An automatic fold never
raises: what went wrong stands in the memory's warnings, and it is tried again later. Nothing is folded while the
archive cannot be written, and what is not folded stays visible word for word.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from agents.compaction.drafts import Draft, Scribe
from agents.compaction.plan import AUTOMATIC, CompactionSettings, Plan, plan_fold
from agents.compaction.strategies._strategy import Strategy
from agents.compaction.summarizers._summarizer import Prompts, Source, Summarizer
from agents.llm.backends._backend import Completion
from agents.memory.entries import Entry
from agents.memory.memory import Memory
from agents.memory.summaries import Summary
from mud.clock import Clock, iso
from mud.errors import LociError, Unavailable
from mud.registry import Registry

FALLBACK_STRATEGY = "waterfall"
FIRST_PAUSE = 2.0
"""Seconds before a fold that failed is tried again by itself; each further failure doubles it."""
LONGEST_PAUSE = 300.0

Ask = Callable[[str, str], Awaitable[Completion]]
"""Asks the language model: the prompt, and the name of the LLM profile."""


@dataclass(frozen=True, slots=True)
class Commit:
    """A fold that was committed.

    Args:
        number: how many folds this life has had, this one included.
        reason: `automatic` or `manual`.
        at: when it was committed.
        recent: the new recent summary, with its receipt.
        longterm: the new long-term summary; None after the first fold.
        entries: how many memories were folded.
        chars: characters of what was replaced: those memories and the earlier summaries.
        kept: memories that stay word for word.
        seconds: how long it took, the model's part included.
        rejected: why replies of the model were not used, and why it did not answer.
    """

    number: int
    reason: str
    at: str
    recent: Summary
    longterm: Summary | None
    entries: int
    chars: int
    kept: int
    seconds: float
    rejected: tuple[str, ...]

    def record(self) -> dict[str, object]:
        """Return the result record: seed 001's fields, then range, tokens, retention and cost."""
        made = [summary for summary in (self.longterm, self.recent) if summary is not None]
        chars = sum(len(summary.text) for summary in made)
        return {
            "original_entries": self.entries,
            "compacted_entries": len(made) + self.kept,
            "original_chars": self.chars,
            "compacted_chars": chars,
            "summary": self.recent.text,
            "preserved_entries": self.kept,
            "timestamp": self.at,
            "used_llm": any(summary.method == "model" for summary in made),
            "compression_ratio": round(1 - chars / self.chars, 4) if self.chars else 0.0,
            "range": {"first": self.recent.covers[0], "last": self.recent.covers[1]},
            "reason": self.reason,
            "strategy": self.recent.strategy,
            "method": self.recent.method,
            "longterm": self.longterm.text if self.longterm is not None else None,
            "tokens": {
                part: sum(summary.tokens.get(part, 0) for summary in made)
                for part in ("source", "summary", "prompt", "completion")
            },
            "retention": self.recent.retention,
            "faithful": all(summary.faithful for summary in made),
            "seconds": round(self.seconds, 3),
            "rejected": list(self.rejected),
        }


@dataclass(slots=True)
class _Job:
    """A plan with what it read.

    Args:
        plan: the plan.
        entries: the memories to fold.
        longterm, recent: the summaries as they were when it was planned.
        seconds: the clock then.
    """

    plan: Plan
    entries: tuple[Entry, ...]
    longterm: Summary | None
    recent: Summary | None
    seconds: float

    def earlier(self) -> list[Summary]:
        """Return the summaries that the new long-term summary takes up."""
        return [summary for summary in (self.longterm, self.recent) if summary is not None]

    def texts(self) -> list[str]:
        """Return the texts of those; when they have changed by the time of the commit, a person edited them."""
        return [summary.text for summary in self.earlier()]


class Compactor:
    """Folds one life.

    Args:
        memory: the life.
        settings: gives the settings of the moment.
        strategies, summarizers: the plug-ins.
        model: asks the language model; None when there is none.
        clock: the time.
        log: takes lines for the log.
        on_commit: is told of every commit.
        prompts: gives a prompt of `vault/prompts` by its file name; needed with a model.
    """

    def __init__(
        self,
        memory: Memory,
        settings: Callable[[], CompactionSettings],
        strategies: Registry[Strategy],
        summarizers: Registry[Summarizer],
        model: Ask | None,
        clock: Clock,
        log: Callable[[str], None],
        on_commit: Callable[[Commit], None],
        prompts: Prompts | None = None,
    ) -> None:
        self._memory = memory
        self._settings = settings
        self._strategies = strategies
        self._clock = clock
        self._log = log
        self._on_commit = on_commit
        self._scribe = Scribe(summarizers, model, prompts)
        self._pause = FIRST_PAUSE
        self._not_before = 0.0
        self.busy = False
        self.notice = ""
        """Why the last fold that was asked for did not happen; empty when it did."""

    def due(self) -> bool:
        """Return whether a fold should begin now. Cheap: asked after every memory."""
        return not self.busy and self._clock.monotonic() >= self._not_before and self._planned() is not None

    def next_at(self) -> int | None:
        """Return at how many memories the next fold is due; None when none ever is by itself."""
        settings = self._settings()
        if not settings.auto_enabled:
            return None
        return self._strategy(settings).next_at(self._memory.total, self._memory.watermark, settings)

    def _strategy(self, settings: CompactionSettings) -> Strategy:
        found = self._strategies.find(settings.strategy)
        if found is not None:
            self._memory.note_trouble("strategy", None)
            return found
        there = ", ".join(self._strategies.names())
        self._memory.note_trouble(
            "strategy", f"there is no strategy {settings.strategy!r}; there is: {there}; {FALLBACK_STRATEGY} is used"
        )
        return self._strategies.get(FALLBACK_STRATEGY)

    def _planned(self) -> Plan | None:
        settings, memory = self._settings(), self._memory
        if not settings.auto_enabled or memory.waiting:
            return None
        strategy = self._strategy(settings)
        fold = strategy.due(memory.total, memory.watermark, settings)
        return plan_fold(strategy.name, AUTOMATIC, fold, memory.watermark)

    async def fold_due(self, may_ask_model: bool = True) -> list[Commit]:
        """Fold until nothing is due; never raises but when cancelled, and then the watermark has not moved.

        Args:
            may_ask_model: a model may be asked, if there is one.

        Returns:
            What was committed.
        """
        done: list[Commit] = []
        while self.due() and (plan := self._planned()) is not None:
            commit = await self._fold(plan, may_ask_model)
            if commit is None:
                break
            done.append(commit)
        return done

    def fold_due_now(self) -> list[Commit]:
        """Fold until nothing is due, by rules and without awaiting: for bulk, and for the end. Never raises."""
        done: list[Commit] = []
        while not self.busy and (plan := self._planned()) is not None:
            commit = self._guarded(lambda plan=plan: self._fold_at_once(plan, []))  # type: ignore[misc]
            if commit is None:
                break
            done.append(commit)
        return done

    async def fold_now(self, reason: str, may_ask_model: bool = True) -> Commit | None:
        """Fold everything outside the immediate window, due or not; None when that is nothing, and `notice` says why.

        Args:
            reason: who asked, such as `manual`.
            may_ask_model: a model may be asked, if there is one.
        """
        plan = self._manual(reason)
        return await self._fold(plan, may_ask_model) if plan is not None else None

    def _manual(self, reason: str) -> Plan | None:
        memory, settings = self._memory, self._settings()
        memory.retry()
        if self.busy:
            self.notice = "a fold is under way already"
        elif memory.waiting:
            self.notice = "the archive cannot be written; nothing is folded until it can"
        else:
            strategy = self._strategy(settings)
            fold = strategy.manual(memory.total, memory.watermark, settings)
            self.notice = "" if fold else f"nothing is older than the newest {settings.immediate_window} memories"
            return plan_fold(strategy.name, reason, fold, memory.watermark)
        return None

    async def _fold(self, plan: Plan, may_ask_model: bool) -> Commit | None:
        self.busy = True
        try:
            if not (may_ask_model and self._scribe.may_ask(self._settings())):
                return self._fold_at_once(plan, [])
            job = self._begin(plan)
            drafts, rejected = await self._scribe.ask(self._sources(job), self._settings())
            self._memory.refresh()
            if self._overtaken(job):
                rejected.append("a summary was edited meanwhile; its text was taken up by rules")
                return self._fold_at_once(plan, rejected)
            return self._commit(job, drafts, rejected)
        except Exception as error:  # a fold must never end a tick; the memory shows what happened
            self._failed(error)
            return None
        finally:
            self.busy = False

    def _guarded(self, work: Callable[[], Commit | None]) -> Commit | None:
        self.busy = True
        try:
            return work()
        except Exception as error:  # as above
            self._failed(error)
            return None
        finally:
            self.busy = False

    def _fold_at_once(self, plan: Plan, rejected: list[str]) -> Commit | None:
        """Fold by rules, from what the files hold now, without awaiting: nobody can come in between."""
        self._memory.refresh()
        job = self._begin(plan, quiet=bool(rejected))
        return self._commit(job, [self._scribe.by_rules(source) for source in self._sources(job)], rejected)

    def _begin(self, plan: Plan, quiet: bool = False) -> _Job:
        memory, settings = self._memory, self._settings()
        if not quiet:
            windows = f"{settings.immediate_window} immediate, {settings.recent_window} recent"
            self._say(f"Starting compaction ({memory.total} memories, {windows})")
            memory.refresh()
        entries = tuple(memory.read(plan.first, plan.last))
        if plan.first != memory.watermark + 1:
            raise LociError(f"the fold of {plan.first} to {plan.last} does not begin after memory {memory.watermark}")
        if not entries:
            raise LociError(f"the archive does not hold the memories {plan.first} to {plan.last}")
        return _Job(plan, entries, memory.longterm, memory.recent, self._clock.monotonic())

    def _overtaken(self, job: _Job) -> bool:
        held = [summary.text for summary in (self._memory.longterm, self._memory.recent) if summary is not None]
        return held != job.texts() or self._memory.watermark + 1 != job.plan.first

    def _sources(self, job: _Job) -> list[Source]:
        """Return what is to be written: the long-term summary first, as it takes up the recent one."""
        settings = self._settings()
        recent = Source(
            self._memory.name,
            "recent",
            job.entries,
            max_sentences=settings.max_recent_sentences,
            max_tokens=settings.max_summary_tokens,
            max_source_tokens=settings.max_source_tokens,
            begins=job.plan.first == 1,
        )
        if not (texts := tuple(job.texts())):
            return [recent]
        both = replace(recent, tier="longterm", entries=(), earlier=texts, max_sentences=None, begins=False)
        return [both, recent]

    def _commit(self, job: _Job, drafts: list[Draft], rejected: list[str]) -> Commit:
        memory, plan, at = self._memory, job.plan, iso(self._clock.now())
        if memory.waiting:
            memory.retry()
        if memory.waiting:
            raise Unavailable("the archive cannot be written")
        made = {draft.source.tier: self._summary(job, draft, at) for draft in drafts}
        longterm, recent = made.get("longterm"), made["recent"]
        number = memory.compactions + 1
        event = {
            "event": plan.event,
            "at": at,
            "covers": {"first": plan.first, "last": plan.last},
            "longterm": None,
            "recent": None,
            "tokens": dict(recent.tokens),
            "reason": plan.reason,
            "number": number,
        }
        for message in memory.commit(longterm, recent, job.entries, event):
            self._log(f"[Memory] {memory.name}: {message}")
        chars = sum(len(text) for draft in drafts for text in draft.source.texts())
        seconds = self._clock.monotonic() - job.seconds
        kept = memory.total - plan.last
        commit = Commit(
            number, plan.reason, at, recent, longterm, len(job.entries), chars, kept, seconds, tuple(rejected)
        )
        self._committed(commit)
        return commit

    def _summary(self, job: _Job, draft: Draft, at: str) -> Summary:
        """Return a draft as a summary with its receipt."""
        longterm = draft.source.tier == "longterm"
        covers = job.plan.longterm if longterm else job.plan.recent
        assert covers is not None
        made = replace(draft.summary(covers, at), strategy=job.plan.strategy, reason=job.plan.reason)
        if not longterm:
            return made
        earlier = job.earlier()
        if len(earlier) == 1 and earlier[0].text == made.text:  # moved down as it is, so it stays what it was
            return replace(made, method=earlier[0].method, model=earlier[0].model, depth=earlier[0].depth)
        return replace(made, depth=max(summary.depth for summary in earlier) + 1)

    def _committed(self, commit: Commit) -> None:
        if commit.longterm is not None:
            self._say(f"Long-term summary updated ({len(commit.longterm.text)} chars)")
        self._say(f"Short-term summary updated ({len(commit.recent.text)} chars)")
        kind = "first summary" if commit.longterm is None else commit.recent.strategy
        self._say(f"Compaction complete ({kind})")
        self._pause, self._not_before, self.notice = FIRST_PAUSE, 0.0, ""
        self._memory.note_trouble("fold", None)
        self._memory.note_trouble("model", self._scribe.trouble)
        try:
            self._on_commit(commit)
        except Exception as error:  # whoever listens cannot undo a commit
            self._memory.note_trouble("listener", f"after the last fold: {error}")

    def _failed(self, error: Exception) -> None:
        """Say what went wrong, and wait before it is tried again."""
        why = str(error) or type(error).__name__
        self.notice = f"the memories could not be folded ({why}); they stay as they are"
        self._memory.note_trouble("fold", self.notice)
        self._not_before = self._clock.monotonic() + self._pause
        self._pause = min(2 * self._pause, LONGEST_PAUSE)
        self._say(f"Compaction failed ({why}); nothing is lost, it is tried again")

    def _say(self, text: str) -> None:
        self._log(f"[Memory] {self._memory.name}: {text}")
