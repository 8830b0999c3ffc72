"""Where a fold becomes due: automatically (`fold_due`), for want of room in the next prompt, or because somebody asks.

Each function looks at a `StrategyView` and returns a plan, or says in words what the next fold waits for.
"""

from __future__ import annotations

from dataclasses import replace

from agents.compaction.folds import may_be_made_anew
from agents.compaction.plan import MANUAL, PRESSURE, SLEEP, DueFold, FoldPlan, enough, join_recent, plan_fold
from agents.compaction.strategies import LEAST_MEMORY, MemoryState, ViewBudget
from agents.compaction.view import UNLIMITED, StrategyView
from mud.errors import LociError
from mud.world.narration import counted

LONGEST_FOLD = 4096
"""Memories that one fold takes at most; of a longer arrear the oldest are folded first."""
ARREAR = 512
"""Unfolded memories up to which a late fold takes what it would have taken on time; more are folded as they stand, or
a long life that changes its strategy would wait for hundreds of summaries."""
ENOUGH_TO_ESTIMATE = 64
"""Memories that tell how long those to come will be; of fewer, the missing ones count as short."""
PRESSED_TO = 0.5
"""Share of the room in a prompt, but for the summaries, that is kept word for word under pressure; the next fold is as
far away again."""


def fold_due(view: StrategyView, not_below: int = 0) -> FoldPlan | None:
    """Return the fold that is due automatically now; None for none. A late one takes what it would have on time.

    Args:
        view: the memory as its strategy shows it.
        not_below: tokens of the view below which nothing is tried, since the last fold would have saved too little;
            0 when it did not.
    """
    memory = view.memory
    if not view.settings.auto_enabled or _is_too_early(view):
        return None
    fold = _due_at(view, memory.total, not_below)
    if fold is None or fold.reason == SLEEP or memory.total - memory.watermark > ARREAR:
        return _plan(view, fold)  # who falls asleep only now is on time
    if fold.reason == PRESSURE and view.strategy.hides(view.state(), view.settings):
        return _plan(view, fold)  # of what is hidden nobody knows how much was shown before
    early, on_time = memory.watermark, memory.total
    middle = on_time - 1  # nearly always the fold is not late at all
    while on_time - early > 1:
        found = _due_at(view, middle, not_below)
        early, on_time, fold = (early, middle, found) if found is not None else (middle, on_time, fold)
        middle = (early + on_time) // 2
    return _plan(view, fold)


def fold_under_pressure(view: StrategyView, through: int) -> FoldPlan | None:
    """Return the fold after which the next prompt need not leave out a memory that no summary holds.

    Args:
        view: the memory as its strategy shows it.
        through: the last memory that it would leave out.
    """
    return _plan(view, _pressed(view, view.state(), through=through)) if view.settings.auto_enabled else None


def manual_fold(view: StrategyView, reason: str) -> FoldPlan | None:
    """Return the fold of everything that may be folded; None for nothing, or for too little to be asked for."""
    plan = _everything(view, reason)
    if plan is None or reason != MANUAL:
        return plan
    recent = view.memory.recent
    covers = recent.covers if recent is not None else None
    return join_recent(plan, covers, view.settings.recent_window, replaceable=may_be_made_anew(recent))


def widen(view: StrategyView, plan: FoldPlan) -> FoldPlan:
    """Return a plan none of whose memories can be read, with as many more as it takes until some can be.

    Raises:
        LociError: when that is none of all that may be folded; the fold waits for others.
    """
    fold = view.strategy.manual(view.state(), view.settings)
    last, step = plan.last, plan.last - plan.first + 1
    while fold is not None and last < fold.last:
        first, last = last + 1, min(last + step, fold.last)
        if view.memory.read(first, last):
            return plan.until(last)
        step = min(2 * step, LONGEST_FOLD)
    raise LociError(f"none of the memories {plan.first} to {last} can be read")


def changes_nothing(view: StrategyView) -> bool:
    """Return whether the newest memory changes nothing: nothing is masked, and no fold is due by their number."""
    return not view.strategy.masks and _is_too_early(view)


def _is_too_early(view: StrategyView) -> bool:
    """Return whether no fold is due by the number of memories, nor by anything else. Asked after every memory."""
    strategy = view.strategy
    if not strategy.by_number:
        return False
    settings, state = view.settings, view.state()
    due_from = strategy.next_at(state, settings)
    if due_from is None or state.total >= due_from:
        return False
    return not (settings.auto_enabled and view.is_pressed(state))


def _due_at(view: StrategyView, total: int, not_below: int) -> DueFold | None:
    """Return the fold that is due with so many memories and that saves enough, as far as can be told before."""
    state = view.state(total)
    fold = view.strategy.due(state, view.settings)
    worthwhile = _worthwhile(view, state, fold, not_below) if fold is not None else None
    return worthwhile or _pressed(view, state, not_below)


def _worthwhile(view: StrategyView, state: MemoryState, fold: DueFold, not_below: int) -> DueFold | None:
    """Return a fold that is due if it saves enough, as far as can be told before."""
    strategy, settings = view.strategy, view.settings
    least = strategy.least_saving(settings)
    if least or not_below:
        tokens = state.tokens()
        if tokens < not_below or tokens - settings.max_summary_tokens * bool(least) < least:
            return None  # a summary as long as it may be would save too little; nobody pays for that
    more = strategy.manual(state, settings) if not_below else None  # the same ones would save too little again
    return fold if more is None else replace(fold, last=max(fold.last, more.last))


def _pressed(view: StrategyView, state: MemoryState, not_below: int = 0, through: int = 0) -> DueFold | None:
    """Return the fold that makes room in the next prompt, of the oldest memories; None when there is enough.

    Args:
        view: the memory as its strategy shows it.
        state: its state.
        not_below: see `fold_due`.
        through: fold up to this memory at least, whether it seems necessary or not; 0 for as it seems.
    """
    if not through and not (view.is_pressed(state) and state.tokens() >= not_below):
        return None
    left = view.context.room() - view.summary_tokens()
    # What saved too little is not tried again alone: then everything but the newest is folded.
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
    """Return at how many memories the next fold is due; None when none is by their number."""
    settings = view.settings
    return view.strategy.next_at(view.state(), settings) if settings.auto_enabled else None


def next_fold_in_words(view: StrategyView, state: MemoryState) -> str:
    """Say what the next fold waits for, such as `at 129 memories`."""
    if not view.settings.auto_enabled:
        return "only when asked for (@compact-memories)"
    waits = view.strategy.waits(state, view.settings)
    if room := room_first(view, state):
        most, taken = f"{room.most:,}", f"{room.taken:,}"
        return f"over {most} tokens (now {taken}), for want of room in the prompt; otherwise {waits}"
    return waits


def room_first(view: StrategyView, state: MemoryState) -> ViewBudget | None:
    """Return the room in the next prompt, where it is gone before what the strategy waits for; else None.

    As far as can be told: memories to come are taken to be as long as those that are not folded yet.
    """
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
    """Say why a fold that is asked for finds nothing to fold."""
    keeps, least = view.strategy.keeps(view.settings), enough(view.settings.recent_window)
    if plan := _everything(view, MANUAL):
        many = counted(plan.last - plan.first + 1, "memory is", "memories are")
        return f"only {many} older than {keeps}, too few to push the recent summary out; {least} would do"
    if keeps == "everything":
        return f"the strategy {view.strategy.name} folds nothing but what a prompt has no room for"
    if keeps != "nothing":
        return f"nothing is older than {keeps}"
    return "everything is folded already" if view.memory.total else "there are no memories yet"
