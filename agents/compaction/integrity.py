"""How a memory stands: computed from what is shown, not from what should be, and put into words for its owner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from agents.compaction.outlook import Outlook
from agents.memory.memory import Memory, View
from agents.memory.ranges import merged
from agents.memory.summaries import Summary


class Windows(Protocol):
    """The settings that a status tells of."""

    @property
    def strategy(self) -> str:
        """The strategy's name."""
        ...

    @property
    def immediate_window(self) -> int:
        """Memories that stay word for word."""
        ...

    @property
    def recent_window(self) -> int:
        """Memories that one fold takes."""
        ...


def coverage(view: View) -> list[tuple[int, int]]:
    """Return the ranges that a view accounts for, in order: summaries, what is hidden, the runs shown word for word."""
    ranges = [summary.covers for summary in (view.longterm, view.recent) if summary is not None]
    ranges += [view.hidden] if view.hidden else []
    return [*ranges, *merged((entry.seq, entry.seq) for entry in view.tail)]


def holes(ranges: Sequence[tuple[int, int]], total: int) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return the gaps and the overlaps of ranges over `1..total`.

    Args:
        ranges: what is shown.
        total: memories there are.
    """
    gaps: list[tuple[int, int]] = []
    overlaps: list[tuple[int, int]] = []
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
    memory: Memory, settings: Windows, outlook: Outlook, index: Mapping[str, int] | None = None
) -> dict[str, Any]:
    """Return how a memory stands, with the keys of the command line's `status`.

    Args:
        memory: the memory.
        settings: its compaction settings.
        outlook: what its strategy says of it.
        index: `lexical_through` and `vector_through`; None when there is no index.
    """
    total = memory.total + memory.waiting
    view = outlook.view()
    gaps, overlaps = holes(coverage(view), total)
    for gap in gaps:
        memory.note_unreadable(*gap)
    return {
        "agent": memory.name,
        "total": total,
        "covered_through": memory.watermark,
        "immediate": _range((view.tail[0].seq, view.tail[-1].seq)) if view.tail else None,
        "recent": _tier(memory.recent),
        "longterm": _tier(memory.longterm),
        "gaps": [_range(found) for found in gaps],
        "overlaps": [_range(found) for found in overlaps],
        "next_compaction_at": outlook.next_at(),
        "strategy": settings.strategy,
        "compactions": memory.compactions,
        "warnings": [*memory.warnings, *(f"memories {first}-{last} are shown twice" for first, last in overlaps)],
        "index": {
            "lexical_through": index.get("lexical_through") if index else None,
            "vector_through": index.get("vector_through") if index else None,
        },
    }


def _range(covers: tuple[int, int]) -> dict[str, int]:
    return {"first": covers[0], "last": covers[1]}


def _tier(summary: Summary | None) -> dict[str, Any] | None:
    if summary is None:
        return None
    about = {"chars": len(summary.text), "method": summary.method, "updated": summary.updated}
    return {**_range(summary.covers), **about}


def report(status: Mapping[str, Any], memory: Memory, errors: Sequence[str] = ()) -> str:
    """Return a status in aligned plain text, with the summaries' words.

    Args:
        status: what `status` returned.
        memory: the memory it is of.
        errors: what else went wrong lately, one sentence each.
    """
    total, watermark = status["total"], status["covered_through"]
    rows = [
        ("Memories", f"{total}, {watermark} of them in summaries; {memory.compactions} folds so far"),
        ("Long-term", _told(memory.longterm)),
        ("Recent", _told(memory.recent)),
        ("Word for word", _span(status["immediate"])),
        ("Next fold", _next(status["next_compaction_at"], total)),
        ("Strategy", str(status["strategy"])),
        ("Coverage", _coverage(status)),
    ]
    index = status["index"]
    if index["lexical_through"] is not None:
        vectors = index["vector_through"]
        rows.append(("Index", f"words up to {index['lexical_through']}, meaning up to {vectors or 'none yet'}"))
    width = max(len(name) for name, _ in rows)
    lines = [f"Memory of {status['agent']}", *(f"  {name:<{width}}  {text}" for name, text in rows)]
    for title, summary in (("Long-term summary", memory.longterm), ("Recent summary", memory.recent)):
        if summary is not None:
            lines += ["", f"{title} (memories {summary.covers[0]}-{summary.covers[1]}):", f"  {summary.text}"]
    wrong = list(dict.fromkeys([*status["warnings"], *errors]))
    lines += ["", "Warnings:", *(f"  {text}" for text in wrong)] if wrong else ["", "No warnings."]
    if memory.last_error and memory.last_error not in wrong:
        lines.append(f"Last error: {memory.last_error}")
    return "\n".join(lines)


def _told(summary: Summary | None) -> str:
    if summary is None:
        return "none yet"
    kept = f", {summary.retention:.0%} of names, numbers, places and promises kept" if summary.retention else ""
    by = f"{summary.method} ({summary.model})" if summary.model else summary.method
    first, last = summary.covers
    return f"{first}-{last}, {len(summary.text)} characters, {by}, {summary.updated}{kept}"


def _span(immediate: Mapping[str, int] | None) -> str:
    return f"{immediate['first']}-{immediate['last']}" if immediate else "none"


def _next(at: int | None, total: int) -> str:
    if at is None:
        return "only when asked for (@compact-memories)"
    return f"at {at} memories, in {at - total}" if at > total else f"due since {at} memories"


def _coverage(status: Mapping[str, Any]) -> str:
    if not status["gaps"] and not status["overlaps"]:
        return f"1-{status['total']} whole, no gap and no overlap" if status["total"] else "nothing to cover yet"
    told = [f"gap {_span(found)}" for found in status["gaps"]]
    return ", ".join([*told, *(f"overlap {_span(found)}" for found in status["overlaps"])])
