"""The status of a memory as plain values, computed from what is shown, and as a report for people. Read-only.

Only the newest memories are read and the rest is counted in the archive's bytes: that is fast for a long life.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple

from agents.compaction.due import next_at, next_fold_in_words, room_first
from agents.compaction.folds import MODEL, total_tokens
from agents.compaction.settings import PRESETS, CompactionSettings
from agents.compaction.strategies import MemoryState
from agents.compaction.view import StrategyView, masked, summaries_of, texts_of
from agents.llm.tokens import TokenCounter
from agents.memory.entries import Range, in_prompt, merged, missing, spoken
from agents.memory.history import lost, size, without
from agents.memory.memory import TOLD, Memory, View
from agents.memory.perception import remembered
from agents.memory.summaries import Summary, unread
from agents.text.english import RepetitionRate
from mud.storage.configuration import Configuration
from mud.storage.settings import Scalar, Setting, Value, describe
from mud.world.narration import counted

FILE = "memory_compaction"
READ = 1024  # maximum unfolded memories that are read; the size of the others is estimated from these
SPOKEN_AMONG = 512
DEEP = 3  # depth from which on a warning is given: the summary was made from summaries of summaries
_RECEIPT = ("method", "model", "strategy", "reason", "depth", "retention", "faithful", "text")
BANDS = ((0.70, "ok"), (0.85, "warning"), (0.95, "danger"))
"""Upper limits of each band as a share of the window (seed 003), the last one inclusive; above is `critical`."""


class Shed(NamedTuple):
    words: tuple[str, ...]
    unheld: Range | None


@dataclass(frozen=True, slots=True)
class Facts:
    """What a status needs besides the memory."""

    now: datetime | None = None
    index: Mapping[str, int] | None = None  # `lexical_through` and `vector_through`; None if there is no index
    counter: TokenCounter = field(default_factory=TokenCounter)
    settings: Mapping[str, tuple[Scalar, str]] = field(default_factory=dict)  # value and origin of every setting
    errors: Sequence[str] = ()
    servers: bool = True  # whether it is told that a model did not write a summary, and what was wrong earlier
    skipped: int = 0  # folds skipped since the start because they would have saved too little
    notice: str = ""
    room: int | None = None  # tokens for summaries and memories in the next prompt; None if there is no prompt
    shed: Shed | None = None
    inner: Mapping[str, Any] | None = None  # the last reflection and dream; None if unknown
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
    memory, summaries = strategy_view.memory, summaries_of(strategy_view.memory)
    total, state, view = memory.total + memory.waiting, strategy_view.state(), _newest_shown(strategy_view)
    verbatim = _verbatim_range(memory, view, total)
    gaps, overlaps = holes([*_older(memory, view, verbatim), *coverage(view)], total)
    unreadable = merged([*gaps, *_damaged(memory), *facts.unreadable])
    for gap in unreadable:
        memory.note_unreadable(*gap)
    weight = _weigh(memory, view, verbatim, facts.counter)
    # use the sizes just computed: counting a long life again is slow
    state = replace(state, chars=lambda: weight.chars, tokens=lambda: weight.tokens)
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
        "strategy": strategy_view.settings.strategy,
        "compactions": memory.compactions,
        "warnings": [*_warnings(strategy_view, facts, overlaps, state.window), *_overdue(strategy_view, state)],
        **_index(facts.index or {}, total),
        **_outlook(strategy_view, state),
        "hidden": _range(view.hidden) if view.hidden else None,
        "tiers": _tiers(summaries, view, verbatim, weight.verbatim, facts.now),
        "tokens": weight.of(state.window),
        "room": facts.room,
        "shed": list(facts.shed.words) if facts.shed is not None else None,
        **_repetition(memory),
        **_depth(summaries),
        "last_fold": _last_fold(summaries),
        "skipped": facts.skipped,
        "notice": facts.notice or None,
        "waiting": memory.waiting,
        "unreadable": [_range(found) for found in unreadable],
        "archive": _archive(memory),
        "settings": {key: {"value": value, "from": origin} for key, (value, origin) in facts.settings.items()},
        "inner": dict(facts.inner) if facts.inner is not None else None,
        "errors": list(facts.errors),
        "last_error": memory.last_error if facts.servers else None,
    }


def _warnings(strategy_view: StrategyView, facts: Facts, overlaps: Sequence[Range], window: int) -> list[str]:
    overlapping = [f"{spoken(*one)} {'is' if one[0] == one[1] else 'are'} shown twice" for one in overlaps]
    late = _not_held(strategy_view.settings, facts.shed) or _too_late(strategy_view, window)
    of_models = None if facts.servers else strategy_view.memory.trouble_with(MODEL)
    told = [one for one in strategy_view.memory.warnings if one != of_models]
    return [*told, *overlapping, *([late] if late else [])]


def _overdue(strategy_view: StrategyView, state: MemoryState) -> list[str]:
    due = next_at(strategy_view)
    if due is None or due > strategy_view.memory.total or state.tokens() <= state.window:
        return []
    return ["a fold is overdue, and no prompt has room for what it would fold: start the world, or fold with compact"]


def _index(index: Mapping[str, int], total: int) -> dict[str, Any]:
    through = {name: index.get(f"{name}_through") for name in ("lexical", "vector")}
    return {
        "index": {f"{name}_through": last for name, last in through.items()},
        "index_lag": {name: total - last if last is not None else None for name, last in through.items()},
    }


def _outlook(strategy_view: StrategyView, state: MemoryState) -> dict[str, Any]:
    settings, strategy = strategy_view.settings, strategy_view.strategy
    room = room_first(strategy_view, state)
    budgets = (room,) if room is not None else strategy.budgets(state, settings)
    return {
        "automatic": settings.auto_enabled,
        "waits": next_fold_in_words(strategy_view, state),
        "keeps": strategy.keeps(settings),
        "budgets": [budget._asdict() for budget in budgets],
    }


def _tiers(
    summaries: Sequence[Summary], view: View, verbatim: Range | None, chars: int, now: datetime | None
) -> list[dict[str, Any]]:
    tiers = [_tier(summary, now) for summary in summaries]
    if verbatim:
        age = _age(view.tail[0].at, now)  # of the oldest memory that was read
        sizes = {"memories": verbatim[1] - verbatim[0] + 1, "chars": chars, "age_seconds": age}
        tiers.append({"tier": "immediate", **_range(verbatim), **sizes})
    return tiers


def _depth(summaries: Sequence[Summary]) -> dict[str, Any]:
    depth = max((summary.depth for summary in summaries), default=0)
    makes = "@rebuild-summaries makes them anew from the archive"
    worn = f"summaries of summaries, {depth} deep: details wear off; {makes}"
    return {"depth": depth, "depth_warning": worn if depth >= DEEP else None}


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
        return lost(memory.archive, 1, memory.watermark, memory.total)
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
    doubtful = lost(memory.archive, first, min(last, memory.total), memory.total)
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
    about = {"memories": summary.memory_count, "chars": len(summary.text), "age_seconds": _age(summary.updated, now)}
    receipt = {name: getattr(summary, name) for name in _RECEIPT}
    return {"tier": summary.tier, **_range(summary.covers), **about, **receipt}


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
        taken, files = size(memory.archive)
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


class _Weight(NamedTuple):
    """The size of a view: `chars` of everything, `verbatim` of the memories shown word for word.

    `estimated`: only the newest memories were counted, the others are extrapolated.
    """

    tokens: int
    chars: int
    verbatim: int
    counted_by: str
    estimated: bool

    def of(self, window: int) -> dict[str, Any]:
        share = self.tokens / max(1, window)  # may be more than 1, because a prompt shows only what fits
        return {
            "view": self.tokens,
            "window": window,
            "utilization": round(share, 4),
            "band": band(share),
            "counted_by": self.counted_by,
            "estimated": self.estimated,
        }


def _weigh(memory: Memory, view: View, verbatim: Range | None, counter: TokenCounter) -> _Weight:
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
    return _Weight(tokens, sum(map(len, summaries)) + chars + hidden, chars, by, estimated)


_UNITS = ((86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))
_BYTES = ((1_000_000_000, "GB"), (1_000_000, "MB"), (1000, "KB"))
_TITLES = {"longterm": "Long-term summary", "recent": "Recent summary"}
_Values = Mapping[str, Any]


def report(known: _Values) -> str:
    """Return what `status` returned as aligned plain text."""
    rows = [(name, text) for name, text in _rows(known) if text]
    width = max(len(name) for name, _ in rows)
    lines = [f"Memory of {known['agent']}", *(f"  {name:<{width}}  {text}" for name, text in rows)]
    for tier in known["tiers"]:
        if tier.get("text"):
            lines += ["", f"{_TITLES[tier['tier']]} ({spoken(tier['first'], tier['last'])}):"]
            lines += [f"  {line}" for line in tier["text"].splitlines()]
    wrong = warnings_of(known)
    lines += ["", "Warnings:", *(f"  {text}" for text in wrong)] if wrong else ["", "No warnings."]
    if known["last_error"] and known["last_error"] not in wrong:
        lines.append(f"Last error, over now: {known['last_error']}")
    return "\n".join(lines)


def warnings_of(known: _Values) -> list[str]:
    """Return all warnings of a status, without those contained in another one."""
    told = {one.rstrip("."): one for one in [*known["warnings"], *known["errors"]]}
    return [one for bare, one in told.items() if not any(bare != other and bare in other for other in told)]


def _rows(known: _Values) -> Iterator[tuple[str, str]]:
    tiers = {tier["tier"]: tier for tier in known["tiers"]}
    covered = f"{known['covered_through']:,} of them in summaries"
    yield "Memories", f"{known['total']:,}, {covered}; {counted(known['compactions'], 'fold')} so far"
    yield "Long-term", _summary_row(tiers.get("longterm"))
    yield "Recent", _summary_row(tiers.get("recent"))
    yield "Word for word", _verbatim_row(tiers.get("immediate"))
    if hidden := known["hidden"]:
        yield "Hidden", f"{_span(hidden)}; the archive has them, and recall finds them"
    yield "View", _view_row(known["tokens"])
    if known["room"] is not None:
        out = f"; leaves out {', '.join(known['shed'])}" if known["shed"] else ""
        room = f"room for {known['room']:,} tokens of summaries and memories"
        yield "Next prompt", f"{room}; when they take more, the oldest are folded{out}"
    yield "Next fold", next_fold(known)
    yield "Budget", ", ".join(f"{one['taken']:,} of {one['most']:,} {one['unit']}" for one in known["budgets"])
    if known["last_fold"] is not None:
        yield "Last fold", _fold_row(known["last_fold"])
    skipped = f"{counted(known['skipped'], 'fold')} skipped since the start" if known["skipped"] else ""
    yield "Not folded", "; ".join(filter(None, (skipped, known["notice"])))
    yield "Depth", str(known["depth_warning"] or known["depth"] or "")
    if over := known["repetition_over"]:
        said = counted(over["lines"], "spoken line")
        yield "Repetition", f"{known['repetition_rate']:.0%} of {said} (memories {_span(over)})"
    if known["inner"] is not None:
        yield "Inner life", told_inner(known["inner"])
    yield "Strategy", _strategy_row(known)
    yield from _settings_rows(known)
    yield "Coverage", _coverage_row(known)
    yield "Archive", _archive_row(known["archive"], known["waiting"])
    yield "Index", _index_row(known["index"], known["index_lag"])


def _summary_row(tier: _Values | None) -> str:
    if tier is None:
        return "none yet"
    by = f"{tier['method']} ({tier['model']})" if tier["model"] else tier["method"]
    kept = tier["retention"]
    told = f"{kept:.0%} of the names, numbers, places and promises of its memories" if kept is not None else ""
    parts = [_span(tier), f"{tier['chars']:,} characters", by, ago(tier["age_seconds"]), told]
    return ", ".join(filter(None, [*parts, "" if tier["faithful"] is not False else "not all of it is in its source"]))


def _verbatim_row(tier: _Values | None) -> str:
    if tier is None:
        return "none"
    oldest = ago(tier["age_seconds"])
    parts = [_span(tier), counted(tier["memories"], "memory", "memories"), f"{tier['chars']:,} characters"]
    return ", ".join([*parts, *([f"the oldest {oldest}"] if oldest else [])])


def _view_row(tokens: _Values) -> str:
    about = "about " if tokens["estimated"] else ""
    share = f"{about}{tokens['view']:,} of {tokens['window']:,} tokens"
    return f"{share}, {tokens['utilization']:.0%} of the window: {tokens['band']} (counted by {tokens['counted_by']})"


def next_fold(known: _Values) -> str:
    at, total, waits = known["next_compaction_at"], known["total"], str(known["waits"])
    if at is None or not waits.startswith(by := f"at {at} memories"):
        return waits
    if at <= total:
        return f"due since {at} memories"
    more = waits.removeprefix(by)
    return f"{by}, in {at - total:,}{',' if more else ''}{more}"


def _fold_row(fold: _Values) -> str:
    what = [_span(fold) if fold["first"] else f"up to {fold['last']}", fold["reason"], fold["method"]]
    made = f"{fold['source_tokens']:,} tokens became {fold['summary_tokens']:,}"
    made = f"{', '.join(filter(None, what))}: {made}"
    rounds, spent = fold["break_even_rounds"], fold["spent_tokens"]
    if rounds is None:
        return f"{made}; it saves nothing"
    if not spent:
        return f"{made} and cost no model anything"
    return f"{made} for {spent:,} spent, so it pays off after {counted(rounds, 'prompt')}"


def told_inner(inner: _Values) -> str:
    """Describe the last reflection and dream, and how close the next reflection is."""

    def since(first: int) -> str:
        return f" since memory {first:,}" if first > 1 else ""

    told = [f"{counted(inner['insights'], 'insight')}{since(inner['counted_from'])}"]
    for did in ("reflected", "dreamed"):
        at = inner[f"{did}_at"]
        told.append(f"{did} {at[:10]} {at[11:16]}" if at else f"not {did}{since(inner['looked_from']) or ' yet'}")
    most = inner["reflection_threshold"]
    due = f"importance lived since then {inner['reflection_sum']:,}, looks back at {most:,}"
    return ", ".join(told) + (f"; {due}" if most else "; reflects never")


def _strategy_row(known: _Values) -> str:
    origin, keeps = known["settings"].get("strategy", {}).get("from"), known["keeps"]
    never = {"nothing": "", "everything": "; it folds only what a prompt has no room for"}
    by = f" ({origin})" if origin else ""
    return f"{known['strategy']}{by}{never.get(keeps, f'; it never folds {keeps}')}"


def _settings_rows(known: _Values) -> Iterator[tuple[str, str]]:
    title = "Settings"
    for one in describe(CompactionSettings):
        found = known["settings"].get(one.key)
        if found is None or one.key == "strategy":
            continue
        if _reads(known, one) or found["value"] != one.default:
            yield title, f"{one.key} {_value(found['value'])} ({found['from']})"
            title = ""


def in_force(known: _Values) -> list[str]:
    """Return the settings that the strategy reads, with their effective values, without the preset."""
    found = known["settings"]
    read = (one.key for one in describe(CompactionSettings) if one.key in found and _reads(known, one))
    return [f"{key} {_value(found[key]['value'])}" for key in read if key != "preset"]


def _reads(known: _Values, one: Setting) -> bool:
    return known["strategy"] in one.help.partition(":")[0].split(", ")


def _value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _coverage_row(known: _Values) -> str:
    gaps, overlaps, total = known["gaps"], known["overlaps"], known["total"]
    if not total:
        return "nothing to cover yet"
    told = [*(f"gap {_span(found)}" for found in gaps), *(f"overlap {_span(found)}" for found in overlaps)]
    if lost := [_span(found) for found in known["unreadable"] if found not in gaps]:
        more = f" and {len(lost) - TOLD:,} more" if len(lost) > TOLD else ""
        told.append(f"1-{total} but for {', '.join(lost[:TOLD])}{more}, which cannot be read")
    return "; ".join(told) or f"1-{total} whole, no gap and no overlap"


def _archive_row(archive: Mapping[str, int | None], waiting: int) -> str:
    taken, files = archive["bytes"], archive["files"]
    if taken is None or files is None:
        return "cannot be read"
    size = next((f"{taken / least:.1f} {unit}" for least, unit in _BYTES if taken >= least), f"{taken} bytes")
    told = f"{size} in {counted(files, 'file')}" if files else "none yet"
    return f"{told}; {counted(waiting, 'memory waits', 'memories wait')} to be written" if waiting else told


def _index_row(index: _Values, lag: _Values) -> str:
    if index["lexical_through"] is None:
        return ""
    parts = []
    for name, kind in (("words", "lexical"), ("meaning", "vector")):
        through, behind = index[f"{kind}_through"], lag[kind]
        parts.append(f"{name} up to {through or 'none yet'}" + (f", {behind:,} behind" if behind else ""))
    return "; ".join(parts)


def _span(found: _Values) -> str:
    return f"{found['first']}-{found['last']}" if found["first"] != found["last"] else str(found["first"])


def ago(seconds: int | None) -> str:
    """Return an age in words, such as `3 hours ago`; empty for None."""
    if seconds is None:
        return ""
    least, unit = next((one for one in _UNITS if seconds >= one[0]), (0, ""))
    if not least:
        return "just now"
    return f"{seconds // least} {unit}{'s' * (seconds // least != 1)} ago"
