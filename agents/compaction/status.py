"""The status of a memory as plain values, computed from what is shown. Read-only.

Only the newest memories are read and the rest is counted in the archive's bytes: that is fast for a long life.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple

from agents.compaction.due import next_at, next_fold_in_words, room_first
from agents.compaction.folds import total_tokens
from agents.compaction.settings import PRESETS, CompactionSettings
from agents.compaction.view import StrategyView, masked, summaries_of, texts_of
from agents.llm.tokens import TokenCounter
from agents.memory.entries import Range, in_prompt, merged, missing, spoken
from agents.memory.history import lost, size, without
from agents.memory.memory import Memory, View
from agents.memory.perception import remembered
from agents.memory.summaries import Summary, unread
from agents.text.english import RepetitionRate
from mud.storage.configuration import Configuration
from mud.storage.settings import Scalar, Value, describe

FILE = "memory_compaction"
READ = 1024
"""Maximum unfolded memories that are read; the size of the others is estimated from these."""
SPOKEN_AMONG = 512
DEEP = 3
"""Depth from which on a warning is given: the summary was made from summaries of summaries."""
BANDS = ((0.70, "ok"), (0.85, "warning"), (0.95, "danger"))
"""Upper limits of each band as a share of the window (seed 003), the last one inclusive; above is `critical`."""


class Shed(NamedTuple):
    words: tuple[str, ...]
    unheld: Range | None


@dataclass(frozen=True, slots=True)
class Facts:
    """What a status needs besides the memory.

    Args:
        index: `lexical_through` and `vector_through`; None if there is no index.
        settings: value and origin of every setting.
        skipped: folds skipped since the start because they would have saved too little.
        room: tokens for summaries and memories in the next prompt; None if there is no prompt.
        inner: the last reflection and dream; None if unknown.
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


def origins(
    configuration: Configuration, overrides: Mapping[str, Value], settings: CompactionSettings
) -> dict[str, tuple[Scalar, str]]:
    """Return the effective value of every setting and its origin: agent.md, a config file, a preset, or the default."""
    preset = PRESETS.get(settings.preset, {})
    found: dict[str, tuple[Scalar, str]] = {}
    for one in describe(CompactionSettings):
        set_to, origin = configuration.explain(f"{FILE}.{one.key}", overrides)[0]
        value: Scalar = getattr(settings, one.key)
        if one.key in preset:
            value, origin = preset[one.key], f"the preset {settings.preset}"
        elif value != set_to:
            origin = f"{origin}, cut to the window of the LLM profile"
        found[one.key] = value, origin
    return found


def coverage(view: View) -> list[Range]:
    """Return the ranges that a view covers, in order: summaries, the hidden range, the runs shown word for word."""
    ranges = [*(summary.covers for summary in summaries_of(view)), *([view.hidden] if view.hidden else [])]
    return [*ranges, *merged((entry.seq, entry.seq) for entry in view.tail)]


def holes(ranges: Sequence[Range], total: int) -> tuple[list[Range], list[Range]]:
    """Return the gaps between the ranges within `1..total`, and their overlaps."""
    gaps: list[Range] = []
    overlaps: list[Range] = []
    end = 0
    for first, last in [*sorted(ranges), (total + 1, total)]:
        if first > end + 1:
            gaps.append((end + 1, first - 1))
        if first <= min(last, end):
            overlaps.append((first, min(last, end)))
        end = max(end, last)
    return gaps, overlaps


def status(strategy_view: StrategyView, facts: Facts | None = None) -> dict[str, Any]:
    """Return the status of a memory, with the keys of the command line's `status`; the first thirteen are stable."""
    facts = facts or Facts()
    memory, settings, strategy = strategy_view.memory, strategy_view.settings, strategy_view.strategy
    total, summaries = memory.total + memory.waiting, summaries_of(memory)
    state, view = strategy_view.state(), _newest_shown(strategy_view)
    verbatim = _verbatim_range(memory, view, total)
    gaps, overlaps = holes([*_older(memory, view, verbatim), *coverage(view)], total)
    unreadable = merged([*gaps, *_damaged(memory), *facts.unreadable])
    for gap in unreadable:
        memory.note_unreadable(*gap)
    weight = _weigh(memory, view, verbatim, facts.counter)
    # use the sizes just computed: counting a long life again is slow
    state = replace(state, chars=lambda: weight.chars, tokens=lambda: weight.tokens)
    share = weight.tokens / max(1, state.window)  # may be more than 1, because a prompt shows only what fits
    room = room_first(strategy_view, state)
    budgets = (room,) if room is not None else strategy.budgets(state, settings)
    late = _not_held(settings, facts.shed) or _too_late(strategy_view, state.window)
    overlapping = [f"{spoken(*one)} {'is' if one[0] == one[1] else 'are'} shown twice" for one in overlaps]
    tiers = [_tier(summary, facts.now) for summary in summaries]
    if verbatim:
        age = _age(view.tail[0].at, facts.now)  # of the oldest memory that was read
        sizes = {"memories": verbatim[1] - verbatim[0] + 1, "chars": weight.verbatim, "age_seconds": age}
        tiers.append({"tier": "immediate", **_range(verbatim), **sizes})
    indexed = {name: (facts.index or {}).get(f"{name}_through") for name in ("lexical", "vector")}
    depth = max((summary.depth for summary in summaries), default=0)
    worn = (
        f"summaries of summaries, {depth} deep: details wear off; @rebuild-summaries makes them anew from the archive"
    )
    return {
        "agent": memory.name,
        "total": total,
        "covered_through": memory.watermark,
        "immediate": _range(verbatim) if verbatim else None,
        "recent": _brief(memory.recent),
        "longterm": _brief(memory.longterm),
        "gaps": [_range(found) for found in merged([*gaps, *unread(*summaries)])],
        "overlaps": [_range(found) for found in overlaps],
        "next_compaction_at": next_at(strategy_view),
        "strategy": settings.strategy,
        "compactions": memory.compactions,
        "warnings": [*memory.warnings, *overlapping, *([late] if late else [])],
        "index": {f"{name}_through": through for name, through in indexed.items()},
        "index_lag": {name: total - through if through is not None else None for name, through in indexed.items()},
        "automatic": settings.auto_enabled,
        "waits": next_fold_in_words(strategy_view, state),
        "keeps": strategy.keeps(settings),
        "budgets": [budget._asdict() for budget in budgets],
        "hidden": _range(view.hidden) if view.hidden else None,
        "tiers": tiers,
        "tokens": {
            "view": weight.tokens,
            "window": state.window,
            "utilization": round(share, 4),
            "band": band(share),
            "counted_by": weight.counted_by,
            "estimated": weight.estimated,
        },
        "room": facts.room,
        "shed": list(facts.shed.words) if facts.shed is not None else None,
        **_repetition(memory),
        "depth": depth,
        "depth_warning": f"{worn} from the archive" if depth >= DEEP else None,
        "last_fold": _last_fold(summaries),
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


def shown_texts(strategy_view: StrategyView) -> list[str]:
    return texts_of(_newest_shown(strategy_view), strategy_view.memory.name)


def _newest_shown(strategy_view: StrategyView) -> View:
    """Return what is shown, limited to the newest `READ` memories; the masks may then be off by one block."""
    memory, settings, strategy = strategy_view.memory, strategy_view.settings, strategy_view.strategy
    hidden = strategy.hides(strategy_view.state(), settings)
    if memory.total + memory.waiting - (hidden[1] if hidden else memory.watermark) <= READ:
        return strategy_view.shown()
    newest = tuple(memory.newest(READ))
    tail = masked(newest, settings, memory.folder.name) if strategy.masks else newest
    return View(memory.longterm, memory.recent, tail, hidden)


def _verbatim_range(memory: Memory, view: View, total: int) -> Range | None:
    if not view.tail:
        return None
    first = (view.hidden[1] if view.hidden else memory.watermark) + 1
    whole = total - first + 1 <= READ
    return (view.tail[0].seq if whole else first), view.tail[-1].seq


def _damaged(memory: Memory) -> list[Range]:
    try:
        return lost(memory.folder / "archive", 1, memory.watermark, memory.total)
    except OSError:
        return []  # what cannot be read at all is told already


def _not_held(settings: CompactionSettings, shed: Shed | None) -> str:
    if shed is None or shed.unheld is None:
        return ""
    why = "they could not be folded" if settings.auto_enabled else "auto_enabled is off; @compact-memories folds them"
    return f"the next prompt has no room for {spoken(*shed.unheld)}, which no summary holds: {why}"


def _too_late(strategy_view: StrategyView, window: int) -> str:
    settings, strategy = strategy_view.settings, strategy_view.strategy
    reach = strategy.reach(settings, window) if settings.auto_enabled else None
    return beyond_reach(strategy.name, reach[1], window) if reach is not None and reach[1] > window else ""


def beyond_reach(strategy: str, tokens: int, window: int) -> str:
    return (
        f"{strategy} waits for {tokens:,} tokens or more, but the window holds {window:,}: its folds come only when a "
        "prompt has no room left"
    )


def _older(memory: Memory, view: View, verbatim: Range | None) -> list[Range]:
    """Return the ranges of the tail that were not read for the view, without the gaps in the archive."""
    if verbatim is None or view.tail[0].seq <= verbatim[0]:
        return []
    first, last = verbatim[0], view.tail[0].seq - 1
    doubtful = lost(memory.folder / "archive", first, min(last, memory.total), memory.total)
    gaps = [gap for one in doubtful for gap in missing((entry.seq for entry in memory.read(*one)), *one)]
    return without(first, last, gaps)


def _range(covers: Range) -> dict[str, int]:
    return {"first": covers[0], "last": covers[1]}


def _brief(summary: Summary | None) -> dict[str, Any] | None:
    if summary is None:
        return None
    about = {"chars": len(summary.text), "method": summary.method, "updated": summary.updated}
    return {**_range(summary.covers), **about}


def _tier(summary: Summary, now: datetime | None) -> dict[str, Any]:
    return {
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


def _age(written: str, now: datetime | None) -> int | None:
    try:
        return max(0, round((now - datetime.fromisoformat(written)).total_seconds())) if now is not None else None
    except (ValueError, TypeError):  # a person may have edited it, for example without a time zone
        return None


def _repetition(memory: Memory) -> dict[str, Any]:
    try:
        newest = memory.read(memory.total - SPOKEN_AMONG + 1, memory.total)
    except OSError:  # the error is reported elsewhere; the memories in RAM can be counted
        newest = memory.newest(SPOKEN_AMONG)
    rate = RepetitionRate()
    for entry in newest:
        said = remembered(entry) if entry.kind == "said" and entry.actor is None else None
        if said is not None:
            rate.add(memory.name, said.words)
    over = {"lines": rate.lines, **_range((newest[0].seq, newest[-1].seq))} if rate.lines else None
    return {"repetition_rate": round(rate.rate, 4) if rate.lines else None, "repetition_over": over}


def _archive(memory: Memory) -> dict[str, int | None]:
    try:
        taken, files = size(memory.folder / "archive")
    except OSError:
        return {"bytes": None, "files": None}
    return {"bytes": taken, "files": files}


def _last_fold(summaries: Sequence[Summary]) -> dict[str, Any] | None:
    """Return the last fold by the summaries' receipts; tokens in and out count as equally expensive."""
    if not summaries:
        return None
    newest = summaries[-1]
    # the long-term summary may be older
    tokens = total_tokens([summary for summary in summaries if summary.updated == newest.updated])
    saved, spent = tokens["source"] - tokens["summary"], tokens["prompt"] + tokens["completion"]
    return {
        "first": newest.covers[0] if newest.tier == "recent" else None,
        "last": newest.covers[1],
        "at": newest.updated,
        "reason": newest.reason,
        "strategy": newest.strategy,
        "method": newest.method,
        "source_tokens": tokens["source"],
        "summary_tokens": tokens["summary"],
        "saved_tokens": saved,
        "spent_tokens": spent,
        "break_even_rounds": math.ceil(spent / saved) if saved > 0 else None,
    }


def band(share: float) -> str:
    for below, name in BANDS:
        if share < below or (name == "danger" and share <= below):
            return name
    return "critical"


class Weight(NamedTuple):
    """The size of a view.

    Args:
        chars: characters of summaries, memories and hidden memories.
        verbatim: characters of the memories shown word for word.
        estimated: only the newest memories were counted, the others are extrapolated.
    """

    tokens: int
    chars: int
    verbatim: int
    counted_by: str
    estimated: bool


def _weigh(memory: Memory, view: View, verbatim: Range | None, counter: TokenCounter) -> Weight:
    """Return the size of a view; `verbatim` is the range shown, of which the view has the newest memories."""
    summaries = [summary.text for summary in summaries_of(memory)]
    newest = [in_prompt(entry, memory.name) for entry in view.tail]
    tokens, by = counter.total([*summaries, *newest])
    read, count = len(newest), verbatim[1] - verbatim[0] + 1 if verbatim else 0
    estimated = count > read and verbatim is not None and view.tail[0].seq > verbatim[0]
    more = (count - read) / read if estimated else 0.0
    tokens += round(more * (tokens - counter.total(summaries)[0])) if estimated else 0
    chars = round(sum(len(entry.text) for entry in view.tail) * (1 + more))
    # hidden memories are assumed to be as long as those shown
    hidden = round((view.hidden[1] - view.hidden[0] + 1) * chars / count) if view.hidden and count else 0
    return Weight(tokens, sum(map(len, summaries)) + chars + hidden, chars, by, estimated)
