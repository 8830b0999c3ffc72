"""When a fold is due: by the strategy, because the next prompt lacks room, or on request."""

from __future__ import annotations

from agents.compaction.folds import FoldPlan, may_be_made_anew
from agents.compaction.strategies import LEAST_MEMORY, MANUAL, PRESSURE, SLEEP, DueFold, MemoryState, ViewBudget
from agents.compaction.view import UNLIMITED, StrategyView
from mud.errors import LociError
from mud.world.narration import counted

LONGEST_FOLD = 4096  # maximum memories of one fold; the oldest are folded first
ARREAR = 512
"""With more unfolded memories, a late fold is not split as if on time: that could make hundreds of summaries."""
_LEAST_SHARE = 4  # A manual fold of at least this fraction (1/4) of the window makes its own recent summary
_ENOUGH_TO_ESTIMATE = 64  # memories needed to estimate the length of future ones; missing ones count as short
_PRESSED_TO = 0.5
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
    number = view.strategy.next_at(view.state(), view.settings) if view.strategy.by_number else None
    guesses = [on_time - 1] if number is None else [number, number - 1]  # it is rarely late, or due by number
    while on_time - early > 1:
        guess = guesses.pop() if guesses else 0
        middle = guess if early < guess < on_time else (early + on_time) // 2
        found = _due_at(view, middle, not_below)
        early, on_time, fold = (early, middle, found) if found is not None else (middle, on_time, fold)
    return _plan(view, fold)


def fold_under_pressure(view: StrategyView, through: int) -> FoldPlan | None:
    """Return the fold that keeps the next prompt from leaving out unsummarized memories up to `through`."""
    return _plan(view, _pressed(view, view.state(), through=through)) if view.settings.auto_enabled else None


def manual_fold(view: StrategyView, reason: str) -> FoldPlan | None:
    """Return the fold of everything that may be folded; None if there is nothing or, on request, too little.

    On request it extends the recent summary while both fit into one window. A small remainder is not folded, so that
    it does not push the recent summary out.
    """
    plan, recent, window = _everything(view, reason), view.memory.recent, view.settings.recent_window
    if plan is None or reason != MANUAL or plan.recent is None or recent is None:
        return plan
    if may_be_made_anew(recent) and plan.last - recent.covers[0] < window:
        return plan._replace(recent=(recent.covers[0], plan.last), longterm=None)
    return plan if plan.last - plan.first + 1 >= _enough(window) else None


def _enough(window: int) -> int:
    """Return how many memories a manual fold needs for a recent summary of its own."""
    return -(-window // _LEAST_SHARE)


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
    return view.rests() or (not view.strategy.masks and _is_too_early(view))


def _is_too_early(view: StrategyView) -> bool:
    """Return whether no fold can be due yet by the number of memories; cheap, called after every memory."""
    strategy = view.strategy
    if not strategy.by_number:
        return False
    settings, state = view.settings, view.state()
    due_from = strategy.next_at(state, settings)
    if due_from is None or state.total >= due_from:
        return False
    room = view.room(state) if settings.auto_enabled and view.context.room() != UNLIMITED else None
    if room is not None and room.taken > room.most:
        return False
    if not strategy.masks:
        view.rests_until(due_from, room)
    return True


def _due_at(view: StrategyView, total: int, not_below: int) -> DueFold | None:
    state, strategy, settings = view.state(total), view.strategy, view.settings
    fold = strategy.due(state, settings)
    if fold is not None:
        least = strategy.least_saving(settings)
        tokens = state.tokens() if least or not_below else 0
        # Otherwise a summary of full length would save too little.
        if tokens >= not_below and tokens - settings.max_summary_tokens * bool(least) >= least:
            more = strategy.manual(state, settings) if not_below else None  # the same range would save too little again
            return fold if more is None else fold._replace(last=max(fold.last, more.last))
    return _pressed(view, state, not_below)


def _pressed(view: StrategyView, state: MemoryState, not_below: int = 0, through: int = 0) -> DueFold | None:
    """Return the fold of the oldest memories that makes room in the next prompt; `through` forces one."""
    if not through and not (view.is_pressed(state) and state.tokens() >= not_below):
        return None
    left = view.context.room() - view.summary_tokens()
    # A fold that saved too little is not repeated: then everything but the newest memory is folded.
    kept = 1 if not_below else max(1, state.fitting(int(_PRESSED_TO * left)))
    last = min(max(through, state.total - kept), state.total - 1)
    return DueFold(state.watermark + 1, last, PRESSURE) if last > state.watermark else None


def _everything(view: StrategyView, reason: str) -> FoldPlan | None:
    fold = view.strategy.manual(view.state(), view.settings)
    return _plan(view, fold._replace(reason=reason) if fold else None)


def _plan(view: StrategyView, fold: DueFold | None) -> FoldPlan | None:
    """Return the plan for a fold; ValueError if it does not begin right after the watermark."""
    if fold is None:
        return None
    first, last, watermark = fold.first, min(fold.last, fold.first + LONGEST_FOLD - 1), view.memory.watermark
    if first != watermark + 1 or last < first:
        raise ValueError(f"a fold of {first} to {last} does not begin after memory {watermark}")
    rolling = view.strategy.rolling
    longterm = (1, last) if rolling else (1, watermark) if watermark else None
    return FoldPlan(view.strategy.name, fold.reason, first, last, None if rolling else (first, last), longterm)


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
    unknown = max(0, _ENOUGH_TO_ESTIMATE - state.unfolded)
    verbatim = room.taken - view.summary_tokens()
    memory = max(LEAST_MEMORY, (verbatim + unknown * LEAST_MEMORY) / (state.unfolded + unknown))
    sizes = {"tokens": 1.0, "characters": state.tokens() / max(1, state.chars())}
    left = (sizes.get(one.unit, memory) * (one.most - one.taken) for one in strategy.budgets(state, settings))
    return room if room.most - room.taken < min(left, default=0) else None


def why_nothing(view: StrategyView) -> str:
    keeps, least = view.strategy.keeps(view.settings), _enough(view.settings.recent_window)
    if plan := _everything(view, MANUAL):
        many = counted(plan.last - plan.first + 1, "memory is", "memories are")
        return f"only {many} older than {keeps}, too few to push the recent summary out; {least} would do"
    if keeps == "everything":
        return f"the strategy {view.strategy.name} folds nothing but what a prompt has no room for"
    if keeps != "nothing":
        return f"nothing is older than {keeps}"
    return "everything is folded already" if view.memory.total else "there are no memories yet"
