"""How a memory stands, as values: computed from what is shown, not from what should be. It mends nothing.

It is quick however long the life: of memories that no summary stands for the newest are read, the others are counted in
the archive's bytes (see `agents.memory.scan`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple

from agents.compaction.masking import masked
from agents.compaction.memory_state import MemoryState, ViewBudget
from agents.compaction.settings import CompactionSettings
from agents.compaction.strategy_view import StrategyView
from agents.compaction.weighing import Weight, weigh, worth
from agents.llm.tokens import TokenCounter
from agents.memory.entries import in_prompt
from agents.memory.memory import Memory, View
from agents.memory.perception import remembered
from agents.memory.ranges import Range, merged, missing, spoken
from agents.memory.scan import lost, size, without
from agents.memory.summaries import Summary, unread
from agents.text.repetition import RepetitionRate
from mud.storage.settings import Scalar

READ = 1024
"""Memories of the tail that are read for a status at most, the newest; what the others take is told from these."""
SPOKEN_AMONG = 512
"""Newest memories among which the lines are that tell how often an agent repeats itself."""
DEEP = 3
"""Depth from which on a summary is warned of: it was made from summaries of summaries, and details wear off."""


class Shed(NamedTuple):
    """What a prompt leaves out.

    Args:
        words: each thing in words.
        unheld: first and last memory among it that no summary holds; None when there is none.
    """

    words: tuple[str, ...]
    unheld: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class Facts:
    """What a status tells beside the memory itself.

    Args:
        now: the time; None for no ages.
        index: `lexical_through` and `vector_through`; None when there is no index.
        counter: counts the tokens of the view.
        settings: every setting's value and where it comes from.
        errors: what else went wrong lately, one sentence each.
        skipped: folds that were not made since the start, as they would have saved too little.
        notice: why the last fold did not happen; empty when it did.
        room: tokens that summaries and memories may take in its next prompt; None when there is no prompt.
        shed: what that leaves out; None when there is no prompt.
        inner: when it reflected and dreamed last, and how far the next reflection is; None when that is not known.
        unreadable: memories that every line of the archive was looked at for, and that cannot be read.
    """

    now: datetime | None = None
    index: Mapping[str, int] | None = None
    counter: TokenCounter = field(default_factory=TokenCounter)
    settings: Mapping[str, tuple[Scalar, str]] = field(default_factory=dict)
    errors: Sequence[str] = ()
    skipped: int = 0
    notice: str = ""
    room: int | None = None
    shed: Shed | None = None
    inner: Mapping[str, Any] | None = None
    unreadable: Sequence[Range] = ()


def coverage(view: View) -> list[Range]:
    """Return the ranges that a view accounts for, in order: summaries, what is hidden, the runs shown word for word."""
    ranges = [summary.covers for summary in (view.longterm, view.recent) if summary is not None]
    ranges += [view.hidden] if view.hidden else []
    return [*ranges, *merged((entry.seq, entry.seq) for entry in view.tail)]


def holes(ranges: Sequence[Range], total: int) -> tuple[list[Range], list[Range]]:
    """Return the gaps and the overlaps of ranges over `1..total`.

    Args:
        ranges: what is shown.
        total: memories there are.
    """
    gaps: list[Range] = []
    overlaps: list[Range] = []
    end = 0
    for first, last in sorted(ranges):
        if first > end + 1:
            gaps.append((end + 1, first - 1))
        if first <= end:
            overlaps.append((first, min(last, end)))
        end = max(end, last)
    if end < total:
        gaps.append((end + 1, total))
    return gaps, overlaps


def status(
    memory: Memory, settings: CompactionSettings, outlook: StrategyView, facts: Facts | None = None
) -> dict[str, Any]:
    """Return how a memory stands, with the keys of the command line's `status`; the first thirteen are a contract.

    Args:
        memory: the memory.
        settings: its compaction settings.
        outlook: what its strategy says of it.
        facts: what else is told.
    """
    facts = facts or Facts()
    total = memory.total + memory.waiting
    standing, view = outlook.standing(), _view(memory, settings, outlook)
    shown = _shown(memory, view, total)
    gaps, overlaps = holes([*_older(memory, view, shown), *coverage(view)], total)
    unreadable = merged([*gaps, *_damaged(memory), *facts.unreadable])
    for gap in unreadable:
        memory.note_unreadable(*gap)
    weight = weigh(memory, view, shown, standing.window, facts.counter)
    # by the sizes that were just counted: a long life is not counted again
    standing = replace(standing, chars=lambda: weight.chars, tokens=lambda: weight.tokens)
    late = _unheld(outlook, settings, facts.shed) or _beyond_reach(outlook, settings, standing.window)
    return {
        "agent": memory.name,
        "total": total,
        "covered_through": memory.watermark,
        "immediate": _range(shown) if shown else None,
        "recent": _tier(memory.recent),
        "longterm": _tier(memory.longterm),
        "gaps": [_range(found) for found in merged([*gaps, *unread(memory.longterm, memory.recent)])],
        "overlaps": [_range(found) for found in overlaps],
        "next_compaction_at": outlook.next_at(),
        "strategy": settings.strategy,
        "compactions": memory.compactions,
        "warnings": [*memory.warnings, *_shown_twice(overlaps), *([late] if late else [])],
        **_indexed(facts.index or {}, total),
        "automatic": settings.auto_enabled,
        "waits": outlook.waits(standing),
        "keeps": outlook.keeps(),
        "budgets": [asdict(budget) for budget in _budgets(outlook, settings, standing)],
        "hidden": _range(view.hidden) if view.hidden else None,
        "tiers": [*_told(memory, facts.now), *([_verbatim(view, shown, weight, facts.now)] if shown else [])],
        "tokens": weight.record(),
        "room": facts.room,
        "shed": list(facts.shed.words) if facts.shed is not None else None,
        **_repetition(memory),
        **_depth(memory),
        "last_fold": worth(memory),
        "skipped": facts.skipped,
        "notice": facts.notice or None,
        "waiting": memory.waiting,
        "unreadable": [_range(found) for found in unreadable],
        "archive": _archive(memory),
        "settings": {key: {"value": value, "from": origin} for key, (value, origin) in facts.settings.items()},
        "inner": dict(facts.inner) if facts.inner is not None else None,
        "errors": list(facts.errors),
        "last_error": memory.last_error,
    }


def _budgets(outlook: StrategyView, settings: CompactionSettings, standing: MemoryState) -> Sequence[ViewBudget]:
    """Return within what the view is kept: the room in the prompt where that is gone first, else by the strategy."""
    room = outlook.room_first(standing)
    return (room,) if room is not None else outlook.strategy.budgets(standing, settings)


def _indexed(index: Mapping[str, int], total: int) -> dict[str, dict[str, int | None]]:
    """Return how far the index is, and how far behind."""
    lexical, vector = index.get("lexical_through"), index.get("vector_through")
    return {
        "index": {"lexical_through": lexical, "vector_through": vector},
        "index_lag": {
            "lexical": total - lexical if lexical is not None else None,
            "vector": total - vector if vector is not None else None,
        },
    }


def shown_texts(memory: Memory, settings: CompactionSettings, outlook: StrategyView) -> list[str]:
    """Return the texts of a view, as far as a status reads them: what a model's server is asked to count."""
    view = _view(memory, settings, outlook)
    summaries = [summary.text for summary in (view.longterm, view.recent) if summary is not None]
    return [*summaries, *(in_prompt(entry, memory.name) for entry in view.tail)]


def _view(memory: Memory, settings: CompactionSettings, outlook: StrategyView) -> View:
    """Return what is shown, of a long tail the newest; there the masks may be off by a block, as nobody counts them."""
    strategy = outlook.strategy
    hidden = strategy.hides(outlook.standing(), settings)
    if memory.total + memory.waiting - (hidden[1] if hidden else memory.watermark) <= READ:
        return outlook.view()
    newest = tuple(memory.newest(READ))
    tail = masked(newest, settings, memory.folder.name) if strategy.masks else newest
    return View(memory.longterm, memory.recent, tail, hidden)


def _shown(memory: Memory, view: View, total: int) -> Range | None:
    """Return what is shown word for word: from the first memory that can be read to the last."""
    if not view.tail:
        return None
    first = (view.hidden[1] if view.hidden else memory.watermark) + 1
    whole = total - first + 1 <= READ
    return (view.tail[0].seq if whole else first), view.tail[-1].seq


def _damaged(memory: Memory) -> list[Range]:
    """Return the memories below the watermark that their archive has lost; their summaries still tell of them."""
    try:
        return lost(memory.folder / "archive", 1, memory.watermark, memory.total)
    except OSError:
        return []  # what cannot be read at all is told already


def _unheld(outlook: StrategyView, settings: CompactionSettings, shed: Shed | None) -> str:
    """Say that the next prompt leaves out memories that no summary holds, and why; empty when it does not."""
    if shed is None or shed.unheld is None:
        return ""
    why = "they could not be folded" if settings.auto_enabled else "auto_enabled is off; @compact-memories folds them"
    return f"the next prompt has no room for {spoken(*shed.unheld)}, which no summary holds: {why}"


def _beyond_reach(outlook: StrategyView, settings: CompactionSettings, window: int) -> str:
    """Say that the strategy waits for more than the window holds; empty when it does not."""
    reach = outlook.strategy.reach(settings, window)
    if not settings.auto_enabled or reach is None or reach[1] <= window:
        return ""
    return beyond_reach(outlook.strategy.name, reach[1], window)


def beyond_reach(strategy: str, tokens: int, window: int) -> str:
    """Return the sentence that a strategy waits for more tokens than a window holds."""
    return (
        f"{strategy} waits for {tokens:,} tokens or more, but the window holds {window:,}: its folds come only when a "
        "prompt has no room left"
    )


def _older(memory: Memory, view: View, shown: Range | None) -> list[Range]:
    """Return the runs of what is shown that were not read for the view; what the archive seems to lack is read."""
    if shown is None or view.tail[0].seq <= shown[0]:
        return []
    first, last = shown[0], view.tail[0].seq - 1
    doubtful = lost(memory.folder / "archive", first, min(last, memory.total), memory.total)
    gaps = [gap for one in doubtful for gap in missing((entry.seq for entry in memory.read(*one)), *one)]
    return without(first, last, gaps)


def _shown_twice(overlaps: Sequence[Range]) -> list[str]:
    return [f"{spoken(*one)} {'is' if one[0] == one[1] else 'are'} shown twice" for one in overlaps]


def _range(covers: Range) -> dict[str, int]:
    return {"first": covers[0], "last": covers[1]}


def _tier(summary: Summary | None) -> dict[str, Any] | None:
    if summary is None:
        return None
    about = {"chars": len(summary.text), "method": summary.method, "updated": summary.updated}
    return {**_range(summary.covers), **about}


def _told(memory: Memory, now: datetime | None) -> list[dict[str, Any]]:
    """Return the summaries with their receipts and texts, the long-term one first."""
    return [
        {
            "tier": summary.tier,
            **_range(summary.covers),
            "memories": summary.memory_count,
            "chars": len(summary.text),
            "age_seconds": _age(summary.updated, now),
            "method": summary.method,
            "model": summary.model,
            "strategy": summary.strategy,
            "reason": summary.reason,
            "depth": summary.depth,
            "retention": summary.retention,
            "faithful": summary.faithful,
            "text": summary.text,
        }
        for summary in (memory.longterm, memory.recent)
        if summary is not None
    ]


def _verbatim(view: View, shown: Range, weight: Weight, now: datetime | None) -> dict[str, Any]:
    """Return the memories that are shown word for word; their age is that of the oldest one that was read."""
    return {
        "tier": "immediate",
        **_range(shown),
        "memories": shown[1] - shown[0] + 1,
        "chars": weight.verbatim,
        "age_seconds": _age(view.tail[0].at, now),
    }


def _age(written: str, now: datetime | None) -> int | None:
    """Return how many seconds ago a time was; None when that cannot be told."""
    try:
        return max(0, round((now - datetime.fromisoformat(written)).total_seconds())) if now is not None else None
    except (ValueError, TypeError):  # a hand may have written anything, a time without its zone too
        return None


def _repetition(memory: Memory) -> dict[str, Any]:
    """Return how often an agent repeats itself, and over what that was counted; None when it has said nothing."""
    try:
        newest = memory.read(memory.total - SPOKEN_AMONG + 1, memory.total)
    except OSError:  # told elsewhere; what is in RAM can still be counted
        newest = memory.newest(SPOKEN_AMONG)
    rate = RepetitionRate()
    for entry in newest:
        said = remembered(entry) if entry.kind == "said" and entry.actor is None else None
        if said is not None:
            rate.add(memory.name, said.words)
    over = {"lines": rate.lines, **_range((newest[0].seq, newest[-1].seq))} if rate.lines else None
    return {"repetition_rate": round(rate.rate, 4) if rate.lines else None, "repetition_over": over}


def _depth(memory: Memory) -> dict[str, Any]:
    """Return how many times over the oldest was summarized, and what is to be said of that."""
    depth = max((summary.depth for summary in (memory.longterm, memory.recent) if summary is not None), default=0)
    told = (
        f"summaries of summaries, {depth} deep: details wear off; @rebuild-summaries makes them anew from the archive"
    )
    return {"depth": depth, "depth_warning": told if depth >= DEEP else None}


def _archive(memory: Memory) -> dict[str, int | None]:
    try:
        taken, files = size(memory.folder / "archive")
    except OSError:
        return {"bytes": None, "files": None}
    return {"bytes": taken, "files": files}
