"""When a fold is due: by the strategy, because the next prompt lacks room, or on request."""

from __future__ import annotations

from dataclasses import replace

from agents.compaction.folds import may_be_made_anew
from agents.compaction.plan import MANUAL, PRESSURE, SLEEP, DueFold, FoldPlan, enough, join_recent, plan_fold
from agents.compaction.strategies import LEAST_MEMORY, MemoryState, ViewBudget
from agents.compaction.view import UNLIMITED, StrategyView
from mud.errors import LociError
from mud.world.narration import counted

LONGEST_FOLD = 4096
"""Maximum memories of one fold; the oldest are folded first."""
ARREAR = 512
"""With more unfolded memories, a late fold is not split as if on time: that could make hundreds of summaries."""
ENOUGH_TO_ESTIMATE = 64
"""Memories needed to estimate the length of future ones; missing ones count as short."""
PRESSED_TO = 0.5
"""Share of the prompt's room, without the summaries, that stays word for word after a fold under pressure."""


def fold_due(view: StrategyView, not_below: int = 0) -> FoldPlan | None:
    """Return the fold that is due automatically now, or None; a late one takes the range it would have taken on time.

    Nothing is tried while the view has fewer than `not_below` tokens, because the last fold saved too little.
    """
    memory = view.memory
    if not view.settings.auto_enabled or _is_too_early(view):
        return None
    fold = _due_at(view, memory.total, not_below)
    if fold is None or fold.reason == SLEEP or memory.total - memory.watermark > ARREAR:
        return _plan(view, fold)  # a late sleep fold is still on time
    if fold.reason == PRESSURE and view.strategy.hides(view.state(), view.settings):
        return _plan(view, fold)  # how much of the hidden memories was shown before is unknown
    early, on_time = memory.watermark, memory.total
    middle = on_time - 1  # the fold is rarely late, so try the newest memory first
    while on_time - early > 1:
        found = _due_at(view, middle, not_below)
        early, on_time, fold = (early, middle, found) if found is not None else (middle, on_time, fold)
        middle = (early + on_time) // 2
    return _plan(view, fold)


def fold_under_pressure(view: StrategyView, through: int) -> FoldPlan | None:
    """Return the fold that keeps the next prompt from leaving out unsummarized memories up to `through`."""
    return _plan(view, _pressed(view, view.state(), through=through)) if view.settings.auto_enabled else None


def manual_fold(view: StrategyView, reason: str) -> FoldPlan | None:
    """Return the fold of everything that may be folded; None if there is nothing or, on request, too little."""
    plan = _everything(view, reason)
    if plan is None or reason != MANUAL:
        return plan
    recent = view.memory.recent
    covers = recent.covers if recent is not None else None
    return join_recent(plan, covers, view.settings.recent_window, replaceable=may_be_made_anew(recent))


def widen(view: StrategyView, plan: FoldPlan) -> FoldPlan:
    """Extend a plan until it has readable memories; raises LociError when there are none."""
    fold = view.strategy.manual(view.state(), view.settings)
    last, step = plan.last, plan.last - plan.first + 1
    while fold is not None and last < fold.last:
        first, last = last + 1, min(last + step, fold.last)
        if view.memory.read(first, last):
            return plan.until(last)
        step = min(2 * step, LONGEST_FOLD)
    raise LociError(f"none of the memories {plan.first} to {last} can be read")


def changes_nothing(view: StrategyView) -> bool:
    return not view.strategy.masks and _is_too_early(view)


def _is_too_early(view: StrategyView) -> bool:
    """Return whether no fold can be due yet by the number of memories; cheap, called after every memory."""
    strategy = view.strategy
    if not strategy.by_number:
        return False
    settings, state = view.settings, view.state()
    due_from = strategy.next_at(state, settings)
    if due_from is None or state.total >= due_from:
        return False
    return not (settings.auto_enabled and view.is_pressed(state))


def _due_at(view: StrategyView, total: int, not_below: int) -> DueFold | None:
    state = view.state(total)
    fold = view.strategy.due(state, view.settings)
    worthwhile = _worthwhile(view, state, fold, not_below) if fold is not None else None
    return worthwhile or _pressed(view, state, not_below)


def _worthwhile(view: StrategyView, state: MemoryState, fold: DueFold, not_below: int) -> DueFold | None:
    strategy, settings = view.strategy, view.settings
    least = strategy.least_saving(settings)
    if least or not_below:
        tokens = state.tokens()
        if tokens < not_below or tokens - settings.max_summary_tokens * bool(least) < least:
            return None  # a summary of full length would save too little
    more = strategy.manual(state, settings) if not_below else None  # the same range would save too little again
    return fold if more is None else replace(fold, last=max(fold.last, more.last))


def _pressed(view: StrategyView, state: MemoryState, not_below: int = 0, through: int = 0) -> DueFold | None:
    """Return the fold of the oldest memories that makes room in the next prompt; `through` forces one."""
    if not through and not (view.is_pressed(state) and state.tokens() >= not_below):
        return None
    left = view.context.room() - view.summary_tokens()
    # A fold that saved too little is not repeated: then everything but the newest memory is folded.
    kept = 1 if not_below else max(1, state.fitting(int(PRESSED_TO * left)))
    last = min(max(through, state.total - kept), state.total - 1)
    return DueFold(state.watermark + 1, last, PRESSURE) if last > state.watermark else None


def _everything(view: StrategyView, reason: str) -> FoldPlan | None:
    fold = view.strategy.manual(view.state(), view.settings)
    return _plan(view, replace(fold, reason=reason) if fold else None)


def _plan(view: StrategyView, fold: DueFold | None) -> FoldPlan | None:
    if fold is not None and fold.last - fold.first >= LONGEST_FOLD:
        fold = replace(fold, last=fold.first + LONGEST_FOLD - 1)
    return plan_fold(view.strategy.name, fold, view.memory.watermark, rolling=view.strategy.rolling)


def next_at(view: StrategyView) -> int | None:
    """Return the number of memories at which the next fold is due; None if it does not depend on their number."""
    settings = view.settings
    return view.strategy.next_at(view.state(), settings) if settings.auto_enabled else None


def next_fold_in_words(view: StrategyView, state: MemoryState) -> str:
    if not view.settings.auto_enabled:
        return "only when asked for (@compact-memories)"
    waits = view.strategy.waits(state, view.settings)
    if room := room_first(view, state):
        most, taken = f"{room.most:,}", f"{room.taken:,}"
        return f"over {most} tokens (now {taken}), for want of room in the prompt; otherwise {waits}"
    return waits


def room_first(view: StrategyView, state: MemoryState) -> ViewBudget | None:
    """Return the room in the next prompt if it will run out before the strategy folds; otherwise None."""
    settings, strategy = view.settings, view.strategy
    waits = settings.auto_enabled and strategy.reach(settings, state.window) is not None
    if not waits or view.context.room() == UNLIMITED:
        return None
    room = view.room(state)
    unknown = max(0, ENOUGH_TO_ESTIMATE - state.unfolded)
    verbatim = room.taken - view.summary_tokens()
    memory = max(LEAST_MEMORY, (verbatim + unknown * LEAST_MEMORY) / (state.unfolded + unknown))
    sizes = {"tokens": 1.0, "characters": state.tokens() / max(1, state.chars())}
    left = (sizes.get(one.unit, memory) * (one.most - one.taken) for one in strategy.budgets(state, settings))
    return room if room.most - room.taken < min(left, default=0) else None


def why_nothing(view: StrategyView) -> str:
    keeps, least = view.strategy.keeps(view.settings), enough(view.settings.recent_window)
    if plan := _everything(view, MANUAL):
        many = counted(plan.last - plan.first + 1, "memory is", "memories are")
        return f"only {many} older than {keeps}, too few to push the recent summary out; {least} would do"
    if keeps == "everything":
        return f"the strategy {view.strategy.name} folds nothing but what a prompt has no room for"
    if keeps != "nothing":
        return f"nothing is older than {keeps}"
    return "everything is folded already" if view.memory.total else "there are no memories yet"
