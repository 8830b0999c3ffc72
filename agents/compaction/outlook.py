"""The outlook: what the strategy of the moment says of a life: how it stands, what is shown, what is to be folded.

It changes nothing; the compactor acts on it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from agents.compaction.gauge import Gauge, Surroundings
from agents.compaction.masking import KIND, masked, masked_count
from agents.compaction.plan import SLEEP, Fold, Plan, plan_fold
from agents.compaction.settings import CompactionSettings
from agents.compaction.standing import Budget, Standing
from agents.compaction.strategies._strategy import Strategy
from agents.compaction.wanted import Wanted
from agents.memory.entries import Entry
from agents.memory.memory import Memory, View
from mud.errors import LociError
from mud.registry import Registry

FALLBACK = "waterfall"
"""The strategy that is used when the settings name none that there is."""
LONGEST_FOLD = 4096
"""Memories that one fold takes at most; of a longer arrear the oldest are folded first."""
ARREAR = 512
"""Unfolded memories up to which a late fold takes what it would have taken on time; more are folded as they stand, or
a long life that changes its strategy would wait for hundreds of summaries."""


class Outlook:
    """What the strategy of the moment says of one life.

    Args:
        memory: the life.
        settings: gives the settings of the moment.
        strategies: the plug-ins.
        around: what is outside the memory.
    """

    def __init__(
        self,
        memory: Memory,
        settings: Callable[[], CompactionSettings],
        strategies: Registry[Strategy],
        around: Surroundings,
    ) -> None:
        self._memory, self._settings, self._strategies, self._around = memory, settings, strategies, around
        self.when = around.when
        """Says when something was, see `Surroundings.when`."""
        self._gauge = Gauge(memory, around)
        self._last: tuple[CompactionSettings, Strategy] | None = None
        """The strategy that was chosen last, and the settings it was chosen by."""
        self._from: tuple[CompactionSettings, int, int] | None = None
        """From how many memories on a fold is due, with the settings and the watermark that this holds for."""

    def forget(self) -> None:
        """Forget what was counted; another life begins."""
        self._gauge.forget()

    @property
    def strategy(self) -> Strategy:
        """The strategy of the moment."""
        return self._chosen(self._settings())

    def _chosen(self, settings: CompactionSettings) -> Strategy:
        if self._last is not None and self._last[0] is settings:
            return self._last[1]  # it is asked for with every memory
        wanted = settings.strategy
        found = self._strategies.find(wanted)
        if found is not None:
            self._memory.note_trouble("strategy", None)
            self._last = (settings, found)
            return found
        there = ", ".join(self._strategies.names())
        self._memory.note_trouble("strategy", f"there is no strategy {wanted!r}; there is: {there}; {FALLBACK} is used")
        return self._strategies.get(FALLBACK)

    def standing(self) -> Standing:
        """Return how the life stands: what its strategy decides by."""
        settings = self._settings()
        return self._standing(self._chosen(settings), settings)

    def _standing(self, strategy: Strategy, settings: CompactionSettings, total: int | None = None) -> Standing:
        standing = self._gauge.standing(settings, strategy.masks, total)
        if strategy.hides(standing, settings) is None:
            return standing
        return replace(standing, tokens=lambda: self._around.tokens(_texts(self.view())))

    def tokens(self) -> int:
        """Return the tokens of the view as it is now."""
        return self.standing().tokens()

    def tokens_after(self, last: int, texts: Sequence[str]) -> int:
        """Return the tokens that the view would take if these summaries stood for everything up to a memory."""
        settings = self._settings()
        return self._gauge.tokens_after(settings, self._chosen(settings).masks, last, texts)

    def count(self, texts: Sequence[str]) -> int:
        """Return how many tokens some texts take together, counted as the view is."""
        return self._around.tokens(texts)

    def tokens_of(self, first: int, last: int) -> int:
        """Return the tokens of memories that are not folded yet, unmasked, both ends included."""
        return self._gauge.whole(self._settings(), first, last)

    def chars_of(self, first: int, last: int) -> int:
        """Return the characters of memories that are not folded yet, both ends included."""
        return self._gauge.chars(self._settings(), first, last)

    def budgets(self) -> tuple[Budget, ...]:
        """Return within what the strategy keeps the view by itself, and how much of it is taken now."""
        settings = self._settings()
        strategy = self._chosen(settings)
        return strategy.budgets(self._standing(strategy, settings), settings)

    def wanted(self) -> Wanted:
        """Return how the strategy wants its summaries written."""
        settings = self._settings()
        return self._chosen(settings).wanted(settings)

    def planned(self, not_below: int = 0) -> Plan | None:
        """Return the fold that is due by itself now; None for none. A late one takes what it would have on time.

        Args:
            not_below: tokens of the view below which nothing is tried, since the last fold would have saved too
                little; 0 when it did not.
        """
        settings = self._settings()
        if not settings.auto_enabled:
            return None
        strategy, memory = self._chosen(settings), self._memory
        if strategy.by_number and memory.total < self._due_from(strategy, settings):
            return None
        fold = self._due(strategy, settings, memory.total, not_below)
        if fold is None or fold.reason == SLEEP or memory.total - memory.watermark > ARREAR:
            return self._plan(strategy, fold)  # who falls asleep only now is on time
        early, on_time = memory.watermark, memory.total
        middle = on_time - 1  # nearly always the fold is not late at all
        while on_time - early > 1:
            found = self._due(strategy, settings, middle, not_below)
            early, on_time, fold = (early, middle, found) if found is not None else (middle, on_time, fold)
            middle = (early + on_time) // 2
        return self._plan(strategy, fold)

    def quiet(self) -> bool:
        """Return whether the newest memory changes nothing: nothing is masked, and no fold is due by their number."""
        settings = self._settings()
        strategy = self._chosen(settings)
        return strategy.by_number and not strategy.masks and self._memory.total < self._due_from(strategy, settings)

    def _due_from(self, strategy: Strategy, settings: CompactionSettings) -> int:
        """Return from how many memories on a fold is due; it is asked after every memory, and changes with a fold."""
        watermark = self._memory.watermark
        if self._from is None or self._from[0] is not settings or self._from[1] != watermark:
            at = strategy.next_at(self._standing(strategy, settings), settings)
            self._from = settings, watermark, at or 0
        return self._from[2]

    def _due(self, strategy: Strategy, settings: CompactionSettings, total: int, not_below: int) -> Fold | None:
        """Return the fold that is due with so many memories and that saves enough, as far as can be told before."""
        standing = self._standing(strategy, settings, total)
        fold = strategy.due(standing, settings)
        if fold is None:
            return None
        least = strategy.least_saving(settings)
        if least or not_below:
            tokens = standing.tokens()
            if tokens < not_below or tokens - settings.max_summary_tokens * bool(least) < least:
                return None  # a summary as long as it may be would save too little; nobody pays for that
        more = strategy.manual(standing, settings) if not_below else None  # the same ones would save too little again
        return fold if more is None else replace(fold, last=max(fold.last, more.last))

    def manual(self, reason: str) -> Plan | None:
        """Return the fold of everything that may be folded; None for nothing."""
        settings = self._settings()
        strategy = self._chosen(settings)
        fold = strategy.manual(self._standing(strategy, settings), settings)
        return self._plan(strategy, replace(fold, reason=reason) if fold else None)

    def _plan(self, strategy: Strategy, fold: Fold | None) -> Plan | None:
        if fold is not None and fold.last - fold.first >= LONGEST_FOLD:
            fold = replace(fold, last=fold.first + LONGEST_FOLD - 1)
        return plan_fold(strategy.name, fold, self._memory.watermark, rolling=strategy.rolling)

    def widened(self, plan: Plan) -> Plan:
        """Return a plan none of whose memories can be read, with as many more as it takes until some can be.

        Args:
            plan: the plan.

        Raises:
            LociError: when that is none of all that may be folded; the fold waits for others.
        """
        settings = self._settings()
        strategy = self._chosen(settings)
        fold = strategy.manual(self._standing(strategy, settings), settings)
        last, step = plan.last, plan.last - plan.first + 1
        while fold is not None and last < fold.last:
            first, last = last + 1, min(last + step, fold.last)
            if self._memory.read(first, last):
                return plan.until(last)
            step = min(2 * step, LONGEST_FOLD)
        raise LociError(f"none of the memories {plan.first} to {last} can be read")

    def next_at(self) -> int | None:
        """Return at how many memories the next fold is due; None when none is by their number."""
        settings = self._settings()
        return self.strategy.next_at(self.standing(), settings) if settings.auto_enabled else None

    def waits(self) -> str:
        """Say what the next fold waits for, such as `at 129 memories`."""
        settings = self._settings()
        if not settings.auto_enabled:
            return "only when asked for (@compact-memories)"
        return self.strategy.waits(self.standing(), settings)

    def keeps(self) -> str:
        """Say what is never folded, such as `the newest 64 memories`."""
        return self.strategy.keeps(self._settings())

    def why_nothing(self) -> str:
        """Say why a fold that is asked for finds nothing to fold."""
        keeps = self.keeps()
        if keeps == "everything":
            return f"the strategy {self.strategy.name} never folds anything"
        if keeps != "nothing":
            return f"nothing is older than {keeps}"
        return "everything is folded already" if self._memory.total else "there are no memories yet"

    def view(self, most: int | None = None) -> View:
        """Return the life as it is shown: summaries, what is hidden, and the rest with old results masked.

        Args:
            most: memories shown word for word at most, the newest; None for all.
        """
        settings, memory = self._settings(), self._memory
        strategy = self._chosen(settings)
        hidden = strategy.hides(self._gauge.standing(settings, strategy.masks), settings)
        first = hidden[1] + 1 if hidden else memory.watermark + 1
        count = memory.total + memory.waiting - first + 1
        shown = count if most is None else min(count, most)
        tail = tuple(memory.newest(shown))
        if strategy.masks:
            left = self._masked_of(tail, settings) if shown < count else None
            tail = masked(tail, settings, self._around.owner, left)
        left_out = (first, first + count - shown - 1) if shown < count else None
        return View(memory.longterm, memory.recent, tail, hidden, left_out)

    def _masked_of(self, tail: Sequence[Entry], settings: CompactionSettings) -> int | None:
        """Return how many results of the newest memories are masked, so that masks stay as the window moves on.

        Of a very long life it counts from a mark that seldom moves; None when the memories begin before that.
        """
        memory = self._memory
        mark = max(memory.watermark, (memory.total // LONGEST_FOLD - 1) * LONGEST_FOLD)
        if not tail or tail[0].seq <= mark:
            return None
        results = self._gauge.results(settings, mark)
        results += sum(entry.kind == KIND for entry in memory.newest(memory.waiting))
        masks = masked_count(results, settings)
        return max(0, masks - (results - sum(entry.kind == KIND for entry in tail)))


def _texts(view: View) -> list[str]:
    summaries = [summary.text for summary in (view.longterm, view.recent) if summary is not None]
    return [*summaries, *(entry.text for entry in view.tail)]
