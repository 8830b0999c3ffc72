"""Measures a life after each memory: the length of its view, and the cost of its folds.

All views are measured with one counter to be comparable; budgets are measured by each strategy. The time spent
measuring is counted, to be subtracted.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from agents.agent import Agent, Ask, Services
from agents.compaction.folds import Commit
from agents.compaction.view import StrategyContext, StrategyView
from agents.llm.backend import Completion
from agents.llm.tokens import Count
from mud.clock import Clock, parse_iso
from tests.benchmarks._scratch import LifeClock

COUNTED_BY = "the counter of prompts"


class Calls:
    """Asks a model and counts its answers."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self.answered = 0

    async def __call__(self, owner: str, prompt: str, profile: str) -> Completion:
        reply = await self._ask(owner, prompt, profile)
        self.answered += 1
        return reply


@dataclass(slots=True)
class WatchTotals:
    """Sums over a life. Tokens are of one counter, except `spent`, which are the server's.

    Args:
        moments: how often the view was measured.
        tokens: of the view, summed over those.
        peak: the longest view.
        budget: the largest share of a budget that was used, 1 for all; None without a budget.
        over: moments at which the view exceeded a budget.
        saved: tokens by which folds shortened the view.
        spent: tokens that the model read and wrote.
        price: tokens that a model would have read and written: the replaced text and its summaries.
        beside: seconds spent measuring.
    """

    moments: int = 0
    tokens: int = 0
    peak: int = 0
    budget: float | None = None
    over: int = 0
    folds: int = 0
    saved: int = 0
    spent: int = 0
    price: int = 0
    beside: float = 0.0

    @property
    def mean(self) -> float:
        return self.tokens / max(1, self.moments)

    @property
    def saved_per_prompt(self) -> float | None:
        """Tokens that one fold takes off every later prompt; None without folds."""
        return self.saved / self.folds if self.folds else None

    def break_even(self, paid: int) -> float | None:
        """Return after how many prompts the folds have saved what they cost; None when they save nothing.

        These are the rounds of seed 004; input and output tokens count the same.
        """
        return paid / self.saved if self.saved > 0 else None


class FoldWatch:
    """Folds a life by rules or by a model, and measures it. A `LifeClock` is set to each memory's time."""

    def __init__(self, agent: Agent, means: Services, clock: Clock, count: Count, ask_model: bool) -> None:
        self._agent, self._clock, self._ask_model, self._count = agent, clock, ask_model, count
        self.window = agent.compactor.view.state().window
        context = StrategyContext(owner=agent.slug, window=lambda: self.window, counting=lambda: count)
        self.view = StrategyView(agent.memory, agent.settings, means.strategies, context)
        self.totals = WatchTotals()

    async def fold(self, agent: Agent) -> None:
        begun, totals = time.perf_counter(), self.totals
        if isinstance(self._clock, LifeClock):
            self._clock.moment = parse_iso(agent.memory.newest(1)[0].at)
        before, earlier = self.view.tokens(), self._summaries()
        totals.beside += time.perf_counter() - begun
        compactor = agent.compactor
        commits = await compactor.fold_due() if self._ask_model else compactor.fold_due_now()
        begun = time.perf_counter()
        self._take_note(before, earlier, commits)
        totals.beside += time.perf_counter() - begun

    def _summaries(self) -> int:
        both = (self._agent.memory.longterm, self._agent.memory.recent)
        return sum(self._count(summary.text) for summary in both if summary is not None)

    def _take_note(self, before: int, earlier: int, commits: list[Commit]) -> None:
        totals = self.totals
        after = self.view.tokens() if commits else before
        totals.moments += 1
        totals.tokens += after
        totals.peak = max(totals.peak, after)
        view = self._agent.compactor.view
        budgets = view.strategy.budgets(view.state(), view.settings)
        shares = [one.taken / max(1, one.most) for one in budgets]
        if shares:
            totals.budget = max(totals.budget or 0.0, *shares)
            totals.over += max(shares) > 1
        for commit in commits:
            totals.folds += 1
            totals.spent += commit.spent
            made = sum(self._count(summary.text) for summary in commit.made)
            folded = self._agent.memory.read(commit.first, commit.last)
            totals.price += earlier + sum(self._count(entry.text) for entry in folded) + made
            earlier = made
        totals.saved += before - after
