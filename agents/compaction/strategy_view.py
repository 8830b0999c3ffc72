"""The outlook: what the strategy of the moment says of a life: how it stands, what is shown, what is to be folded.

It changes nothing; the compactor acts on it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from agents.compaction.fold import may_be_made_anew
from agents.compaction.masking import KIND, masked, masked_count
from agents.compaction.memory_state import MemoryState, ViewBudget
from agents.compaction.plan import MANUAL, PRESSURE, SLEEP, DueFold, FoldPlan, enough, joined, plan_fold
from agents.compaction.settings import CompactionSettings
from agents.compaction.strategy import LEAST_MEMORY, Strategy
from agents.compaction.summary_style import SummaryStyle
from agents.compaction.view_size import UNLIMITED, StrategyContext, ViewSize
from agents.memory.entries import Entry, in_prompt
from agents.memory.memory import Memory, View
from mud.errors import LociError
from mud.registry import Registry
from mud.world.narration import counted

FALLBACK = "waterfall"
"""The strategy that is used when the settings name none that there is."""
LONGEST_FOLD = 4096
"""Memories that one fold takes at most; of a longer arrear the oldest are folded first."""
ARREAR = 512
"""Unfolded memories up to which a late fold takes what it would have taken on time; more are folded as they stand, or
a long life that changes its strategy would wait for hundreds of summaries."""
PRESSED_FROM = 0.99
"""Share of the room in the next prompt from which on memories are folded under pressure. Together with what the room
keeps free for descriptions of places it gives a model some time to write the summary that the prompt needs."""
LEAST_SHARE = 0.25
"""Share of that room that memories may take however long the summaries are, such as ones that people wrote."""
TELLS = 64
"""Memories that tell how long those to come will be; of fewer, the missing ones count as short."""
PRESSED_TO = 0.5
"""Share of that room, but for the summaries, that is kept word for word then; the next fold is as far away again."""


class StrategyView:
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
        around: StrategyContext,
    ) -> None:
        self._memory, self._settings, self._strategies, self._around = memory, settings, strategies, around
        self.when = around.when
        """Says when something was, see `StrategyContext.when`."""
        self._gauge = ViewSize(memory, around)
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

    def standing(self) -> MemoryState:
        """Return how the life stands: what its strategy decides by."""
        settings = self._settings()
        return self._standing(self._chosen(settings), settings)

    def settings_in_force(self) -> CompactionSettings:
        """Return the settings of the moment; under pressure a strategy with masks masks all but the newest result."""
        settings = self._settings()
        return self._in_force(self._chosen(settings), settings)

    def _in_force(
        self, strategy: Strategy, settings: CompactionSettings, total: int | None = None
    ) -> CompactionSettings:
        if not (strategy.masks and settings.mask_keep and settings.auto_enabled):
            return settings
        pressed = self._is_pressed(strategy, settings, self._gauge.standing(settings, True, total))
        return replace(settings, mask_keep=0) if pressed else settings

    def _is_pressed(self, strategy: Strategy, settings: CompactionSettings, standing: MemoryState) -> bool:
        """Return whether what no summary stands for nearly takes the room that it has in the next prompt."""
        if self._around.room() == UNLIMITED:
            return False
        room = self._room(strategy, settings, standing)
        return room.taken > room.most

    def _room(self, strategy: Strategy, settings: CompactionSettings, standing: MemoryState) -> ViewBudget:
        """Return the tokens of the next prompt over which memories are folded whatever the strategy waits for."""
        room = self._around.room()
        hidden = strategy.hides(standing, settings)
        shown = standing.total - (hidden[1] if hidden else standing.watermark)
        least = self._gauge.summary_tokens(self._gauge.summaries()) + LEAST_SHARE * room
        return ViewBudget("tokens", standing.tokens() + shown, int(max(PRESSED_FROM * room, least)))

    def _standing(self, strategy: Strategy, settings: CompactionSettings, total: int | None = None) -> MemoryState:
        standing = self._gauge.standing(self._in_force(strategy, settings, total), strategy.masks, total)
        if strategy.hides(standing, settings) is None:
            return standing
        return replace(standing, tokens=lambda: self._around.tokens(_texts(self.view(), self._memory.name)))

    def tokens(self) -> int:
        """Return the tokens of the view as it is now."""
        return self.standing().tokens()

    def tokens_after(self, last: int, texts: Sequence[str]) -> int:
        """Return the tokens that the view would take if these summaries stood for everything up to a memory."""
        settings = self.settings_in_force()
        return self._gauge.tokens_after(settings, self._chosen(self._settings()).masks, last, texts)

    def count(self, texts: Sequence[str]) -> int:
        """Return how many tokens some texts take together, counted as the view is."""
        return self._around.tokens(texts)

    def tokens_of(self, first: int, last: int) -> int:
        """Return the tokens of memories that are not folded yet, unmasked, both ends included."""
        return self._gauge.whole(self._settings(), first, last)

    def chars_of(self, first: int, last: int) -> int:
        """Return the characters of memories that are not folded yet, both ends included."""
        return self._gauge.chars(self._settings(), first, last)

    def budgets(self) -> tuple[ViewBudget, ...]:
        """Return within what the strategy keeps the view by itself, and how much of it is taken now."""
        settings = self._settings()
        strategy = self._chosen(settings)
        return strategy.budgets(self._standing(strategy, settings), settings)

    def wanted(self) -> SummaryStyle:
        """Return how the strategy wants its summaries written."""
        settings = self._settings()
        return self._chosen(settings).wanted(settings)

    def planned(self, not_below: int = 0) -> FoldPlan | None:
        """Return the fold that is due by itself now; None for none. A late one takes what it would have on time.

        Args:
            not_below: tokens of the view below which nothing is tried, since the last fold would have saved too
                little; 0 when it did not.
        """
        settings = self._settings()
        if not settings.auto_enabled:
            return None
        strategy, memory = self._chosen(settings), self._memory
        if self._calm(strategy, settings):
            return None
        fold = self._due(strategy, settings, memory.total, not_below)
        if fold is None or fold.reason == SLEEP or memory.total - memory.watermark > ARREAR:
            return self._plan(strategy, fold)  # who falls asleep only now is on time
        if fold.reason == PRESSURE and strategy.hides(self._standing(strategy, settings), settings):
            return self._plan(strategy, fold)  # of what is hidden nobody knows how much was shown before
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
        return not strategy.masks and self._calm(strategy, settings)

    def _calm(self, strategy: Strategy, settings: CompactionSettings) -> bool:
        """Return whether no fold is due by the number of memories, nor by anything else."""
        if not strategy.by_number or self._memory.total >= self._due_from(strategy, settings):
            return False
        if not settings.auto_enabled:
            return True
        return not self._is_pressed(strategy, settings, self._standing(strategy, settings))

    def _due_from(self, strategy: Strategy, settings: CompactionSettings) -> int:
        """Return from how many memories on a fold is due; it is asked after every memory, and changes with a fold."""
        watermark = self._memory.watermark
        if self._from is None or self._from[0] is not settings or self._from[1] != watermark:
            at = strategy.next_at(self._standing(strategy, settings), settings)
            self._from = settings, watermark, at or 0
        return self._from[2]

    def _due(self, strategy: Strategy, settings: CompactionSettings, total: int, not_below: int) -> DueFold | None:
        """Return the fold that is due with so many memories and that saves enough, as far as can be told before."""
        standing = self._standing(strategy, settings, total)
        fold = strategy.due(standing, settings)
        worthwhile = self._worthwhile(strategy, settings, standing, fold, not_below) if fold is not None else None
        return worthwhile or self._pressed(strategy, settings, standing, not_below)

    def _pressed(
        self,
        strategy: Strategy,
        settings: CompactionSettings,
        standing: MemoryState,
        not_below: int = 0,
        through: int = 0,
    ) -> DueFold | None:
        """Return the fold that makes room in the next prompt, of the oldest memories; None when there is enough.

        Args:
            strategy, settings: those of the moment.
            standing: how the life stands.
            not_below: see `planned`.
            through: fold up to this memory at least, whether it seems necessary or not; 0 for as it seems.
        """
        if not through and not (self._is_pressed(strategy, settings, standing) and standing.tokens() >= not_below):
            return None
        left = self._around.room() - self._gauge.summary_tokens(self._gauge.summaries())
        # What saved too little is not tried again alone: then everything but the newest is folded.
        kept = 1 if not_below else max(1, standing.fitting(int(PRESSED_TO * left)))
        last = min(max(through, standing.total - kept), standing.total - 1)
        return DueFold(standing.watermark + 1, last, PRESSURE) if last > standing.watermark else None

    def pressed(self, through: int) -> FoldPlan | None:
        """Return the fold after which the next prompt need not leave out a memory that no summary holds.

        Args:
            through: the last memory that it would leave out.
        """
        settings = self._settings()
        strategy = self._chosen(settings)
        if not settings.auto_enabled:
            return None
        return self._plan(
            strategy, self._pressed(strategy, settings, self._standing(strategy, settings), through=through)
        )

    def _worthwhile(
        self, strategy: Strategy, settings: CompactionSettings, standing: MemoryState, fold: DueFold, not_below: int
    ) -> DueFold | None:
        """Return a fold that is due if it saves enough, as far as can be told before."""
        least = strategy.least_saving(settings)
        if least or not_below:
            tokens = standing.tokens()
            if tokens < not_below or tokens - settings.max_summary_tokens * bool(least) < least:
                return None  # a summary as long as it may be would save too little; nobody pays for that
        more = strategy.manual(standing, settings) if not_below else None  # the same ones would save too little again
        return fold if more is None else replace(fold, last=max(fold.last, more.last))

    def manual(self, reason: str) -> FoldPlan | None:
        """Return the fold of everything that may be folded; None for nothing, or for too little to be asked for."""
        plan = self._everything(reason)
        if plan is None or reason != MANUAL:
            return plan
        recent = self._memory.recent
        covers = recent.covers if recent is not None else None
        return joined(plan, covers, self._settings().recent_window, anew=may_be_made_anew(recent))

    def _everything(self, reason: str) -> FoldPlan | None:
        settings = self._settings()
        strategy = self._chosen(settings)
        fold = strategy.manual(self._standing(strategy, settings), settings)
        return self._plan(strategy, replace(fold, reason=reason) if fold else None)

    def _plan(self, strategy: Strategy, fold: DueFold | None) -> FoldPlan | None:
        if fold is not None and fold.last - fold.first >= LONGEST_FOLD:
            fold = replace(fold, last=fold.first + LONGEST_FOLD - 1)
        return plan_fold(strategy.name, fold, self._memory.watermark, rolling=strategy.rolling)

    def widened(self, plan: FoldPlan) -> FoldPlan:
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

    def waits(self, standing: MemoryState | None = None) -> str:
        """Say what the next fold waits for, such as `at 129 memories`.

        Args:
            standing: how the life stands; None for as it is counted.
        """
        settings, standing = self._settings(), standing or self.standing()
        if not settings.auto_enabled:
            return "only when asked for (@compact-memories)"
        waits = self.strategy.waits(standing, settings)
        if room := self.room_first(standing):
            most, taken = f"{room.most:,}", f"{room.taken:,}"
            return f"over {most} tokens (now {taken}), for want of room in the prompt; otherwise {waits}"
        return waits

    def room_first(self, standing: MemoryState) -> ViewBudget | None:
        """Return the room in the next prompt, where it is gone before what the strategy waits for; else None.

        As far as can be told: memories to come are taken to be as long as those that are not folded yet.

        Args:
            standing: how the life stands.
        """
        settings = self._settings()
        strategy = self._chosen(settings)
        waits = settings.auto_enabled and strategy.reach(settings, standing.window) is not None
        if not waits or self._around.room() == UNLIMITED:
            return None
        room, tokens = self._room(strategy, settings, standing), standing.tokens()
        verbatim = room.taken - self._gauge.summary_tokens(self._gauge.summaries())
        unknown = max(0, TELLS - standing.unfolded)
        memory = max(LEAST_MEMORY, (verbatim + unknown * LEAST_MEMORY) / (standing.unfolded + unknown))
        sizes = {"tokens": 1.0, "characters": tokens / max(1, standing.chars())}
        left = (sizes.get(one.unit, memory) * (one.most - one.taken) for one in strategy.budgets(standing, settings))
        return room if room.most - room.taken < min(left, default=0) else None

    def keeps(self) -> str:
        """Say what is never folded, such as `the newest 64 memories`."""
        return self.strategy.keeps(self._settings())

    def why_nothing(self) -> str:
        """Say why a fold that is asked for finds nothing to fold."""
        keeps = self.keeps()
        if little := self._too_little():
            return little
        if keeps == "everything":
            return f"the strategy {self.strategy.name} folds nothing but what a prompt has no room for"
        if keeps != "nothing":
            return f"nothing is older than {keeps}"
        return "everything is folded already" if self._memory.total else "there are no memories yet"

    def _too_little(self) -> str:
        """Say that there is too little to fold; empty where there is nothing at all."""
        plan, least = self._everything(MANUAL), enough(self._settings().recent_window)
        if plan is None:
            return ""
        many = counted(plan.last - plan.first + 1, "memory is", "memories are")
        return f"only {many} older than {self.keeps()}, too few to push the recent summary out; {least} would do"

    def view(self, most: int | None = None) -> View:
        """Return the life as it is shown: summaries, what is hidden, and the rest with old results masked.

        Args:
            most: memories shown word for word at most, the newest; None for all.
        """
        memory = self._memory
        strategy, settings = self._chosen(self._settings()), self.settings_in_force()
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


def _texts(view: View, name: str) -> list[str]:
    summaries = [summary.text for summary in (view.longterm, view.recent) if summary is not None]
    return [*summaries, *(in_prompt(entry, name) for entry in view.tail)]
