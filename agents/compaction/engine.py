"""The engine that folds one memory: plan, summarize, validate, check the saving, commit.

At most one fold runs at a time; only an emergency overtakes one that waits for a model. An automatic fold never
raises: the error goes to the memory's warnings and the fold is tried again later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, contextmanager, nullcontext
from typing import Protocol

from agents.compaction.due import fold_due, fold_under_pressure, manual_fold, why_nothing, widen
from agents.compaction.folds import (
    MODEL,
    AskedSummaries,
    Commit,
    CompactionServices,
    Fold,
    FoldPlan,
    SummaryDraft,
    SummaryWriter,
    check_join,
    commit_event,
)
from agents.compaction.settings import CompactionSettings, SummaryStyle
from agents.compaction.strategies import AUTOMATIC, EMERGENCY, MANUAL, PRESSURE
from agents.compaction.view import StrategyContext, StrategyView, summaries_of
from agents.memory.entries import Entry, spoken
from agents.memory.memory import Memory
from agents.memory.summaries import Summary
from mud.clock import iso
from mud.errors import LociError, Unavailable
from mud.tracing import span

FIRST_PAUSE = 2.0  # seconds until a failed automatic fold is tried again; doubles with each failure
LONGEST_PAUSE = 300.0
SENTENCE = 8  # tokens of a short sentence; a manual fold of so few is refused without asking the model


Turn = Callable[[], AbstractAsyncContextManager[None]]


class Pace(Protocol):
    """When automatic folds are made, as each blocks the event loop for some milliseconds."""

    async def wait(self) -> None:
        """Wait until a fold may begin."""

    def turn(self) -> AbstractAsyncContextManager[None]:
        """Wait until a fold may be written and committed, which happens within the context."""

    def at_least(self) -> int:
        """Return how many memories a fold takes, if so many are outside the immediate window; 0 for those due."""


class Compactor:
    """Folds one memory. `before_fold` gets the memories before their commit if the strategy keeps a journal."""

    def __init__(
        self,
        memory: Memory,
        settings: Callable[[], CompactionSettings],
        services: CompactionServices,
        on_commit: Callable[[Commit], None],
        context: StrategyContext | None = None,
        before_fold: Callable[[Sequence[Entry]], None] = lambda entries: None,
    ) -> None:
        self.memory, self.services, self.before_fold = memory, services, before_fold
        self._clock, self._on_commit = services.clock, on_commit
        self._writer = SummaryWriter(services)
        self.view = StrategyView(memory, settings, services.strategies, context or StrategyContext())
        self.busy = False
        self.yields = False
        """The running fold waits and checks again before its commit, so an emergency may overtake it."""
        self.forget()

    def forget(self) -> None:
        """Reset what is known of earlier folds; the memory may hold another life now."""
        self._pause, self._not_before = FIRST_PAUSE, 0.0
        self._skip: tuple[CompactionSettings, int] | None = None
        """Settings and minimum tokens for the next try, after a fold that saved too little."""
        self._notice: tuple[CompactionSettings, str] | None = None
        self.skipped = 0
        self.view.forget()

    @property
    def notice(self) -> str:
        """Why the last requested fold did not happen; empty if it did or the settings have changed."""
        return self._notice[1] if self._notice is not None and self._notice[0] == self.view.settings else ""

    def _note(self, text: str) -> None:
        self._notice = (self.view.settings, text)

    @property
    def pause(self) -> float:
        """Seconds until a failed fold may be tried again automatically; 0 for at once."""
        return max(0.0, self._not_before - self._clock.monotonic())

    def due(self) -> bool:
        """Return whether a fold should begin now. Cheap: called after every memory."""
        return self._planned() is not None

    def emergency(self) -> bool:
        plan = self._planned(overtaking=True)
        return plan is not None and plan.reason == EMERGENCY

    def _planned(self, at_once: bool = False, overtaking: bool = False) -> FoldPlan | None:
        if (self.busy and not (overtaking and self.yields)) or self.memory.waiting or (self.pause and not at_once):
            return None
        if self._skip is not None and self._skip[0] != self.view.settings:
            self._skip = None
        plan = fold_due(self.view, self._skip[1] if self._skip is not None else 0)
        return plan if plan is None or not self.busy or plan.reason == EMERGENCY else None

    async def fold_due(self, pace: Pace | None = None) -> list[Commit]:
        """Fold until nothing is due and return the commits. Raises only when cancelled, before the watermark moves."""
        done: list[Commit] = []
        turn = pace.turn if pace is not None else nullcontext
        while True:
            if pace is not None:
                await pace.wait()
            async with turn():
                plan, asks = self._planned(), self._asks()
                if plan is not None and pace is not None:
                    plan = self._widened(plan, pace.at_least())
                commit = self._by_rules(plan) if plan is not None and not asks else None
            if plan is None:
                return done
            if asks:
                commit = await self._fold(plan, turn)
            done += [commit] if commit is not None else []
            if pace is None and self.due():
                await self._clock.sleep(0)  # many folds in a row must not block other tasks

    def _widened(self, plan: FoldPlan, least: int) -> FoldPlan:
        """Return a plan for at least so many memories, if the strategy makes recent summaries and has so many."""
        if plan.recent is None or plan.joins or plan.last - plan.first + 1 >= least:
            return plan
        every = self.view.strategy.manual(self.view.state(), self.view.settings)
        last = min(plan.first + least - 1, every.last) if every is not None else plan.last
        return plan.until(max(plan.last, last))

    def fold_due_now(self) -> list[Commit]:
        """Fold by rules, without awaiting, until nothing is due; for bulk input and shutdown. Never raises."""
        done: list[Commit] = []
        plan = None if self._needs_model() else self._planned(at_once=True, overtaking=True)
        while plan is not None:
            failed, commit = self._not_before, self._by_rules(plan)
            done += [commit] if commit is not None else []
            plan = self._planned(at_once=True, overtaking=True) if self._not_before <= failed else None
        return done

    def make_room(self, through: int) -> Commit | None:
        """Fold at once, by rules, up to `through`; None if that is not possible now. Never raises.

        It overtakes a fold that waits for a model, and the summary may be longer than its source.
        """
        if (self.busy and not self.yields) or self.memory.waiting or self.pause or self._needs_model():
            return None
        plan = fold_under_pressure(self.view, through)
        return self._by_rules(plan, at_any_length=True) if plan is not None else None

    async def fold_now(self, reason: str = MANUAL) -> Commit | None:
        """Fold everything that may be folded; None if there is nothing, with the reason in `notice`."""
        self.memory.retry()
        if self.busy:
            self._note("a fold is under way already")
        elif self.memory.waiting:
            self._note("the archive cannot be written; nothing is folded until it can")
        else:
            plan = manual_fold(self.view, reason)
            self._note("" if plan else why_nothing(self.view))
            return await self._fold(plan) if plan is not None else None
        return None

    def _style(self) -> SummaryStyle:
        return self.view.strategy.style(self.view.settings)

    def _asks(self) -> bool:
        return self._writer.may_ask(self.view.settings) and self._style().may_ask

    def _needs_model(self) -> bool:
        return self._asks() and not self._style().may_fall_back

    async def _fold(self, plan: FoldPlan, turn: Turn = nullcontext) -> Commit | None:
        if not self._asks():
            return self._by_rules(plan)
        with self._under_way(), self._span(plan):
            return await self._fold_by_model(plan, turn)
        return None

    def _span(self, plan: FoldPlan) -> AbstractContextManager[object]:
        return span("fold", agent=self.memory.name, first=plan.first, last=plan.last, reason=plan.reason)

    def _by_rules(self, plan: FoldPlan, at_any_length: bool = False) -> Commit | None:
        with self._under_way(), self._span(plan):
            return self._fold_at_once(plan, [], at_any_length)
        return None

    @contextmanager
    def _under_way(self) -> Iterator[None]:
        """Mark a fold as running; errors are noted and suppressed."""
        before = self.busy, self.yields
        self.busy, self.yields = True, False
        try:
            yield
        except Exception as error:
            why = str(error) or type(error).__name__
            self._note(f"the memories could not be folded ({why}); they stay as they are")
            self.memory.note_trouble("fold", self.notice)
            self._not_before = self._clock.monotonic() + self._pause
            self._pause = min(2 * self._pause, LONGEST_PAUSE)
            self.say(f"Compaction failed ({why}); nothing is lost, it is tried again")
        finally:
            self.busy, self.yields = before

    async def _fold_by_model(self, plan: FoldPlan, turn: Turn) -> Commit | None:
        fold = self._begin(plan)
        if plan.reason == MANUAL and self.view.context.tokens(fold.replaced) <= SENTENCE:
            self._refuse(plan, "is not shorter than they")
            return None
        self.yields = True
        try:
            asked = await self._writer.ask_model(fold.sources(self.memory.name, self.view.context.when), fold.settings)
            async with turn():
                self.yields = False
                return self._fold_answered(fold, asked)
        finally:
            self.yields = False

    def _fold_answered(self, fold: Fold, asked: AskedSummaries) -> Commit | None:
        """Commit a fold by what the model answered, and by rules where it did not; unless it is not wanted any more."""
        plan, memory, rejected = fold.plan, self.memory, asked.rejected
        if memory.watermark >= plan.first:
            self._refuse(plan, "came too late: they were folded meanwhile", stay=False)
            return None
        if plan.reason != MANUAL and fold.settings != self.view.settings and fold_due(self.view) is None:
            self._refuse(plan, "is not wanted any more")
            return None
        may_fall_back = fold.strategy.style(self.view.settings).may_fall_back
        if not may_fall_back and asked.lacking:
            raise Unavailable("; ".join(rejected))
        memory.refresh()
        same = [one.text for one in summaries_of(memory)] == [one.text for one in fold.earlier]
        same = same and memory.corrections.last == fold.corrections
        if same and memory.watermark + 1 == plan.first:
            return self._commit(fold, self._writer.written(asked), rejected)
        if not may_fall_back:
            raise Unavailable("a summary was edited meanwhile")
        return self._fold_at_once(plan, [*rejected, "a summary was edited meanwhile; its text was taken up by rules"])

    def _fold_at_once(self, plan: FoldPlan, rejected: list[str], at_any_length: bool = False) -> Commit | None:
        """Fold by rules from the current files. Never awaits, so nothing can change in between."""
        fold = self._begin(plan, quiet=bool(rejected))
        drafts = [self._writer.by_rules(source) for source in fold.sources(self.memory.name, self.view.context.when)]
        return self._commit(fold, drafts, rejected, at_any_length)

    def _begin(self, plan: FoldPlan, quiet: bool = False) -> Fold:
        memory, settings = self.memory, self.view.settings
        if not quiet:
            windows = f"{settings.immediate_window} immediate, {settings.recent_window} recent"
            self.say(f"Starting compaction ({memory.total} memories, {windows})")
        memory.refresh()
        if plan.first != memory.watermark + 1:
            raise LociError(f"the fold of {plan.first} to {plan.last} does not begin after memory {memory.watermark}")
        entries = tuple(memory.read(*plan.source))
        check_join(plan, entries, memory.recent)
        if not entries:  # nothing readable: extend the range, and the receipt lists the gaps
            plan = widen(self.view, plan)
            entries = tuple(memory.read(plan.first, plan.last))
        began, corrections = self._clock.monotonic(), memory.corrections.last
        recent = memory.recent if self.view.strategy.by_period else None
        days = self.view.days(recent.covers) if recent is not None else ("", "")
        return Fold(plan, self.view.strategy, entries, settings, summaries_of(memory), began, corrections, days)

    def _commit(
        self, fold: Fold, drafts: list[SummaryDraft], rejected: list[str], at_any_length: bool = False
    ) -> Commit | None:
        memory, plan, view, at = self.memory, fold.plan, self.view, iso(self._clock.now())
        if memory.waiting:
            memory.retry()
        if memory.waiting:
            raise Unavailable("the archive cannot be written")
        made = {draft.source.tier: self._summary(fold, draft, at) for draft in drafts}
        before, unchanged = view.tokens(), fold.unchanged
        gone = [summary.text for summary in fold.earlier if summary not in unchanged]
        commit = Commit(
            number=memory.compactions + 1,
            reason=plan.reason,
            at=at,
            first=plan.first,
            last=plan.last,
            recent=made.get("recent"),
            longterm=made.get("longterm"),
            chars=sum(map(len, gone)) + sum(len(entry.text) for entry in fold.entries if entry.seq >= plan.first),
            tokens=view.context.tokens(gone) + view.tokens_of(plan.first, plan.last),
            saved=before - view.tokens_after(plan.last, [one.text for one in (*unchanged, *made.values())]),
            before=len(fold.earlier) + memory.total - memory.watermark,
            kept=memory.total - plan.last,
            kept_chars=view.chars_of(plan.last + 1, memory.total),
            seconds=self._clock.monotonic() - fold.began,
            rejected=tuple(rejected),
            unchanged=unchanged,
        )
        if not at_any_length and not self._saves_enough(fold, commit, before):
            return None
        name, covers = "manual_compact" if plan.reason == MANUAL else "auto_compact", (plan.first, plan.last)
        event = commit_event(name, at, covers, commit.newest.tokens, plan.reason, commit.number)
        if gaps := fold.gaps():
            event["unread"] = gaps
        if fold.strategy.journals:
            self.before_fold(fold.entries)
        for message in memory.commit(commit.longterm, commit.recent, fold.entries, event):
            self.say(message)
        self._committed(commit)
        return commit

    def _saves_enough(self, fold: Fold, commit: Commit, before: int) -> bool:
        """Return whether a fold saves enough; a due waterfall may save nothing, as later summaries need it."""
        must = fold.strategy.least_saving(self.view.settings) if commit.reason == AUTOMATIC else 0
        least = 0 if commit.recent is not None and commit.reason != MANUAL else 1
        if commit.saved >= max(least, must):
            return True
        if commit.reason != MANUAL:
            self._skip = (self.view.settings, before + self._growth_until_retry(commit, must))
        why = f"saves {commit.saved} tokens, and {must} are asked for"
        self._refuse(fold.plan, why if commit.saved > 0 else "is not shorter than they")
        return False

    def _growth_until_retry(self, commit: Commit, must: int) -> int:
        """Return by how many tokens the view must grow before the next try; 0 if a wider fold is possible."""
        if commit.reason == PRESSURE:
            widest = self.memory.total - 1
        else:
            plan = manual_fold(self.view, commit.reason)
            widest = plan.last if plan is not None else 0
        if widest > commit.last:
            return 0
        self.skipped += 1
        return must or commit.tokens or 1

    def _refuse(self, plan: FoldPlan, why: str, stay: bool = True) -> None:
        self._note(f"a summary of {spoken(plan.first, plan.last)} {why}{'; they stay as they are' if stay else ''}")
        self.say(f"Compaction skipped ({self.notice})")

    def _summary(self, fold: Fold, draft: SummaryDraft, at: str) -> Summary:
        plan, tokens, source = fold.plan, self.view.context.tokens, draft.source
        covers = plan.longterm if source.tier == "longterm" else plan.recent
        assert covers is not None
        taken = tokens(source.earlier)
        if source.entries:
            read_again = [entry.text for entry in fold.entries if entry.seq < plan.first]
            taken += tokens(read_again) + self.view.tokens_of(plan.first, plan.last)
        return fold.receipt(draft.summary(covers, at, taken, tokens([draft.text])), source)

    def _committed(self, commit: Commit) -> None:
        if commit.longterm is not None:
            self.say(f"Long-term summary updated ({len(commit.longterm.text)} chars)")
        if commit.recent is not None:
            self.say(f"Short-term summary updated ({len(commit.recent.text)} chars)")
        self.say(f"Compaction complete ({'first summary' if commit.number == 1 else commit.newest.strategy})")
        self._pause, self._not_before, self._skip, self._notice = FIRST_PAUSE, 0.0, None, None
        self.memory.note_trouble("fold", None)
        self.memory.note_trouble(MODEL, self._writer.trouble)
        try:
            self._on_commit(commit)
        except Exception as error:  # a listener cannot undo a commit
            self.memory.note_trouble("listener", f"after the last fold: {error}")

    def say(self, text: str) -> None:
        self.services.log(f"[Memory] {self.memory.name}: {text}")
