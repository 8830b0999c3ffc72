"""A memory status as aligned plain text for people. All data comes from the status itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from agents.compaction.settings import CompactionSettings
from agents.memory.entries import spoken
from agents.memory.memory import TOLD
from mud.storage.settings import Setting, describe

_UNITS = ((86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))
_BYTES = ((1_000_000_000, "GB"), (1_000_000, "MB"), (1000, "KB"))
_TITLES = {"longterm": "Long-term summary", "recent": "Recent summary"}


def report(status: Mapping[str, Any]) -> str:
    """Return the status from `agents.compaction.status.status` as aligned plain text."""
    rows = [(name, text) for name, text in _rows(status) if text]
    width = max(len(name) for name, _ in rows)
    lines = [f"Memory of {status['agent']}", *(f"  {name:<{width}}  {text}" for name, text in rows)]
    for tier in status["tiers"]:
        if tier.get("text"):
            lines += ["", f"{_TITLES[tier['tier']]} ({spoken(tier['first'], tier['last'])}):"]
            lines += [f"  {line}" for line in tier["text"].splitlines()]
    wrong = warnings_of(status)
    lines += ["", "Warnings:", *(f"  {text}" for text in wrong)] if wrong else ["", "No warnings."]
    if status["last_error"] and status["last_error"] not in wrong:
        lines.append(f"Last error, over now: {status['last_error']}")
    return "\n".join(lines)


def warnings_of(status: Mapping[str, Any]) -> list[str]:
    """Return all warnings of a status, without those contained in another one."""
    told = {one.rstrip("."): one for one in [*status["warnings"], *status["errors"]]}
    return [one for bare, one in told.items() if not any(bare != other and bare in other for other in told)]


def _rows(status: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    tiers = {tier["tier"]: tier for tier in status["tiers"]}
    total, folds = status["total"], status["compactions"]
    covered = f"{status['covered_through']:,} of them in summaries"
    yield "Memories", f"{total:,}, {covered}; {folds:,} {_plural(folds, 'fold')} so far"
    yield "Long-term", _summary(tiers.get("longterm"))
    yield "Recent", _summary(tiers.get("recent"))
    yield "Word for word", _verbatim(tiers.get("immediate"))
    hidden = status["hidden"]
    yield "Hidden", f"{_span(hidden)}; the archive has them, and recall finds them" if hidden else ""
    yield "View", _view(status["tokens"])
    yield "Next prompt", _prompt(status)
    yield "Next fold", next_fold(status)
    yield "Budget", ", ".join(f"{one['taken']:,} of {one['most']:,} {one['unit']}" for one in status["budgets"])
    yield "Last fold", _last(status["last_fold"])
    yield "Not folded", _skipped(status)
    yield "Depth", str(status["depth_warning"] or status["depth"] or "")
    yield "Repetition", _repetition(status)
    inner = status["inner"]
    yield "Inner life", told_inner(inner) if inner is not None else ""
    yield "Strategy", _strategy(status)
    yield from _settings(status)
    yield "Coverage", _coverage(status)
    yield "Archive", _archive(status["archive"], status["waiting"])
    yield "Index", _index(status)


def _summary(tier: Mapping[str, Any] | None) -> str:
    if tier is None:
        return "none yet"
    by = f"{tier['method']} ({tier['model']})" if tier["model"] else tier["method"]
    kept = tier["retention"]
    told = f"{kept:.0%} of the names, numbers, places and promises of its memories" if kept is not None else ""
    parts = [_span(tier), f"{tier['chars']:,} characters", by, ago(tier["age_seconds"]), told]
    return ", ".join(filter(None, [*parts, "" if tier["faithful"] is not False else "not all of it is in its source"]))


def _verbatim(tier: Mapping[str, Any] | None) -> str:
    if tier is None:
        return "none"
    count, oldest = tier["memories"], ago(tier["age_seconds"])
    parts = [_span(tier), f"{count:,} {_plural(count, 'memory', 'memories')}", f"{tier['chars']:,} characters"]
    return ", ".join([*parts, *([f"the oldest {oldest}"] if oldest else [])])


def _view(tokens: Mapping[str, Any]) -> str:
    about = "about " if tokens["estimated"] else ""
    share = f"{about}{tokens['view']:,} of {tokens['window']:,} tokens"
    return f"{share}, {tokens['utilization']:.0%} of the window: {tokens['band']} (counted by {tokens['counted_by']})"


def _prompt(status: Mapping[str, Any]) -> str:
    room, shed = status["room"], status["shed"]
    if room is None:
        return ""
    told = f"room for {room:,} tokens of summaries and memories; when they take more, the oldest are folded"
    return f"{told}; leaves out {', '.join(shed)}" if shed else told


def next_fold(status: Mapping[str, Any]) -> str:
    at, total, waits = status["next_compaction_at"], status["total"], str(status["waits"])
    if at is None or not waits.startswith(by := f"at {at} memories"):
        return waits
    if at <= total:
        return f"due since {at} memories"
    more = waits.removeprefix(by)
    return f"{by}, in {at - total:,}{',' if more else ''}{more}"


def _last(fold: Mapping[str, Any] | None) -> str:
    if fold is None:
        return ""
    what = [_span(fold) if fold["first"] else f"up to {fold['last']}", fold["reason"], fold["method"]]
    made = f"{', '.join(filter(None, what))}: {fold['source_tokens']:,} tokens became "
    made += f"{fold['summary_tokens']:,}"
    rounds, spent = fold["break_even_rounds"], fold["spent_tokens"]
    if rounds is None:
        return f"{made}; it saves nothing"
    if not spent:
        return f"{made} and cost no model anything"
    return f"{made} for {spent:,} spent, so it pays off after {rounds:,} {_plural(rounds, 'prompt')}"


def _skipped(status: Mapping[str, Any]) -> str:
    count, why = status["skipped"], status["notice"]
    told = f"{count:,} {_plural(count, 'fold')} skipped since the start" if count else ""
    return "; ".join(filter(None, (told, why)))


def _repetition(status: Mapping[str, Any]) -> str:
    over = status["repetition_over"]
    if over is None:
        return ""
    lines = over["lines"]
    return f"{status['repetition_rate']:.0%} of {lines:,} spoken {_plural(lines, 'line')} (memories {_span(over)})"


def told_inner(inner: Mapping[str, Any]) -> str:
    """Describe the last reflection and dream, and how close the next reflection is."""
    count, most = inner["insights"], inner["reflection_threshold"]
    told = [f"{count:,} {_plural(count, 'insight')}{_since(inner['counted_from'])}"]
    told += [_last_time(did, inner[f"{did}_at"], inner["looked_from"]) for did in ("reflected", "dreamed")]
    due = f"importance lived since then {inner['reflection_sum']:,}, looks back at {most:,}"
    return ", ".join(told) + (f"; {due}" if most else "; reflects never")


def _last_time(did: str, at: str | None, looked_from: int) -> str:
    if at:
        return f"{did} {at[:10]} {at[11:16]}"
    return f"not {did}{_since(looked_from) or ' yet'}"


def _since(first: int) -> str:
    return f" since memory {first:,}" if first > 1 else ""


def _strategy(status: Mapping[str, Any]) -> str:
    origin, keeps = status["settings"].get("strategy", {}).get("from"), status["keeps"]
    never = {"nothing": "", "everything": "; it folds only what a prompt has no room for"}.get(
        keeps, f"; it never folds {keeps}"
    )
    return f"{status['strategy']}{f' ({origin})' if origin else ''}{never}"


def _settings(status: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    title = "Settings"
    for one in describe(CompactionSettings):
        known = status["settings"].get(one.key)
        if known is None or one.key == "strategy":
            continue
        if _reads(status, one) or known["value"] != one.default:
            yield title, f"{one.key} {_value(known['value'])} ({known['from']})"
            title = ""


def in_force(status: Mapping[str, Any]) -> list[str]:
    """Return the settings that the strategy reads, with their effective values, without the preset."""
    known = status["settings"]
    return [
        f"{one.key} {_value(known[one.key]['value'])}"
        for one in describe(CompactionSettings)
        if one.key in known and one.key != "preset" and _reads(status, one)
    ]


def _reads(status: Mapping[str, Any], one: Setting) -> bool:
    return status["strategy"] in one.help.partition(":")[0].split(", ")


def _value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _coverage(status: Mapping[str, Any]) -> str:
    gaps, overlaps, total = status["gaps"], status["overlaps"], status["total"]
    if not total:
        return "nothing to cover yet"
    told = [*(f"gap {_span(found)}" for found in gaps), *(f"overlap {_span(found)}" for found in overlaps)]
    if lost := [_span(found) for found in status["unreadable"] if found not in gaps]:
        more = f" and {len(lost) - TOLD:,} more" if len(lost) > TOLD else ""
        told.append(f"1-{total} but for {', '.join(lost[:TOLD])}{more}, which cannot be read")
    return "; ".join(told) or f"1-{total} whole, no gap and no overlap"


def _archive(archive: Mapping[str, int | None], waiting: int) -> str:
    taken, files = archive["bytes"], archive["files"]
    if taken is None or files is None:
        return "cannot be read"
    told = f"{_size(taken)} in {files:,} {_plural(files, 'file')}" if files else "none yet"
    more = f"{waiting:,} {_plural(waiting, 'memory waits', 'memories wait')} to be written"
    return f"{told}; {more}" if waiting else told


def _index(status: Mapping[str, Any]) -> str:
    index, lag = status["index"], status["index_lag"]
    if index["lexical_through"] is None:
        return ""
    parts = []
    for name, through, behind in (
        ("words", index["lexical_through"], lag["lexical"]),
        ("meaning", index["vector_through"], lag["vector"]),
    ):
        parts.append(f"{name} up to {through or 'none yet'}" + (f", {behind:,} behind" if behind else ""))
    return "; ".join(parts)


def _span(found: Mapping[str, Any]) -> str:
    return f"{found['first']}-{found['last']}" if found["first"] != found["last"] else str(found["first"])


def _plural(count: int, one: str, several: str | None = None) -> str:
    return one if count == 1 else several or f"{one}s"


def _size(taken: int) -> str:
    for least, unit in _BYTES:
        if taken >= least:
            return f"{taken / least:.1f} {unit}"
    return f"{taken} bytes"


def ago(seconds: int | None) -> str:
    """Return an age in words, such as `3 hours ago`; empty for None."""
    if seconds is None:
        return ""
    for least, unit in _UNITS:
        if seconds >= least:
            count = seconds // least
            return f"{count} {_plural(count, unit)} ago"
    return "just now"
