"""The outlook: what the strategy of the moment says of a life: how it stands, what is shown, what is to be folded.

It changes nothing; the compactor acts on it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from agents.compaction.gauge import Gauge, Surroundings
from agents.compaction.masking import masked
from agents.compaction.plan import Fold, Plan, plan_fold
from agents.compaction.settings import CompactionSettings
from agents.compaction.standing import Standing
from agents.compaction.strategies._strategy import Strategy
from agents.memory.memory import Memory, View
from mud.registry import Registry

FALLBACK = "waterfall"
"""The strategy that is used when the settings name none that there is."""
LONGEST_FOLD = 4096
"""Memories that one fold takes at most; of a longer arrear the oldest are folded first."""


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
        self._gauge = Gauge(memory, around)

    @property
    def strategy(self) -> Strategy:
        """The strategy of the moment."""
        wanted = self._settings().strategy
        found = self._strategies.find(wanted)
        if found is not None:
            self._memory.note_trouble("strategy", None)
            return found
        there = ", ".join(self._strategies.names())
        self._memory.note_trouble("strategy", f"there is no strategy {wanted!r}; there is: {there}; {FALLBACK} is used")
        return self._strategies.get(FALLBACK)

    def standing(self) -> Standing:
        """Return how the life stands: what its strategy decides by."""
        return self._gauge.standing(self._settings(), self.strategy.masks)

    def planned(self, not_below: int = 0) -> Plan | None:
        """Return the fold that is due by itself now; None for none.

        Args:
            not_below: tokens of the view below which no fold that must save something is tried.
        """
        settings = self._settings()
        if not settings.auto_enabled:
            return None
        strategy, standing = self.strategy, self.standing()
        fold = strategy.due(standing, settings)
        least = strategy.least_saving(settings)
        if fold is not None and least:
            tokens = standing.tokens()
            if tokens < not_below or tokens - settings.max_summary_tokens < least:
                return None  # a summary as long as it may be would save too little; nobody pays for that
        return self._plan(strategy, fold)

    def manual(self, reason: str) -> Plan | None:
        """Return the fold of everything that may be folded; None for nothing."""
        strategy = self.strategy
        fold = strategy.manual(self.standing(), self._settings())
        return self._plan(strategy, replace(fold, reason=reason) if fold else None)

    def _plan(self, strategy: Strategy, fold: Fold | None) -> Plan | None:
        if fold is not None and fold.last - fold.first >= LONGEST_FOLD:
            fold = replace(fold, last=fold.first + LONGEST_FOLD - 1)
        return plan_fold(strategy.name, fold, self._memory.watermark, rolling=strategy.rolling)

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

    def view(self, most: int | None = None) -> View:
        """Return the life as it is shown: summaries, what is hidden, and the rest with old results masked.

        Args:
            most: memories shown word for word at most, the newest; None for all.
        """
        settings, memory, strategy = self._settings(), self._memory, self.strategy
        hidden = strategy.hides(self.standing(), settings)
        first = hidden[1] + 1 if hidden else memory.watermark + 1
        count = memory.total + memory.waiting - first + 1
        tail = tuple(memory.newest(count if most is None else min(count, most)))
        if strategy.masks:
            tail = masked(tail, settings, self._around.owner)
        return View(memory.longterm, memory.recent, tail, hidden)
