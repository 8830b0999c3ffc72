"""What a view weighs and what a fold was worth: tokens, the share of the window they take, and when a fold pays off."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from agents.llm.tokens import TokenCounter
from agents.memory.entries import in_prompt
from agents.memory.memory import Memory, View
from agents.memory.ranges import Range

CRITICAL = "critical"
BANDS = ((0.70, "ok"), (0.85, "warning"), (0.95, "danger"))
"""Shares of the window below, and at the last up to, which a band reaches; seed 003's. What is beyond is critical."""


class Weight(NamedTuple):
    """How much a view takes.

    Args:
        tokens: tokens of the view: summaries, and the memories as they are shown.
        chars: characters of the same, and of what is hidden.
        verbatim: characters of the memories that are shown word for word.
        window: tokens of the thinking model's window.
        counted_by: what counted the tokens, in words.
        estimated: only the newest memories were counted; the others are taken to be like them.
    """

    tokens: int
    chars: int
    verbatim: int
    window: int
    counted_by: str
    estimated: bool

    @property
    def share(self) -> float:
        """The share of the window that the view takes; may be more than 1, since a prompt shows what fits."""
        return self.tokens / max(1, self.window)

    @property
    def band(self) -> str:
        """`ok` below 70 %, `warning` below 85 %, `danger` up to 95 %, else `critical`."""
        return band(self.share)

    def record(self) -> dict[str, Any]:
        """Return it for a status."""
        return {
            "view": self.tokens,
            "window": self.window,
            "utilization": round(self.share, 4),
            "band": self.band,
            "counted_by": self.counted_by,
            "estimated": self.estimated,
        }


def band(share: float) -> str:
    """Return the name of a utilization.

    Args:
        share: of the window that is taken.
    """
    for below, name in BANDS:
        if share < below or (name == "danger" and share <= below):
            return name
    return CRITICAL


def weigh(memory: Memory, view: View, shown: Range | None, window: int, counter: TokenCounter) -> Weight:
    """Weigh a view.

    Args:
        memory: the memory it is of.
        view: its summaries, and the newest memories of its tail.
        shown: all the memories that are shown word for word.
        window: tokens of the thinking model's window.
        counter: counts.
    """
    summaries = [summary.text for summary in (memory.longterm, memory.recent) if summary is not None]
    newest = [in_prompt(entry, memory.name) for entry in view.tail]
    tokens, by = counter.total([*summaries, *newest])
    there = sum(len(entry.text) for entry in view.tail)
    read, count = len(newest), shown[1] - shown[0] + 1 if shown else 0
    estimated = count > read and shown is not None and view.tail[0].seq > shown[0]
    more = (count - read) / read if estimated else 0.0
    tokens += round(more * (tokens - counter.total(summaries)[0])) if estimated else 0
    verbatim = round(there * (1 + more))
    hidden = _hidden(view, verbatim, count)
    return Weight(tokens, sum(map(len, summaries)) + verbatim + hidden, verbatim, window, by, estimated)


def _hidden(view: View, verbatim: int, count: int) -> int:
    """Return about how many characters are hidden: as if those memories were like the ones that are shown."""
    hidden = view.hidden[1] - view.hidden[0] + 1 if view.hidden else 0
    return round(hidden * verbatim / count) if hidden and count else 0


def worth(memory: Memory) -> dict[str, Any] | None:
    """Return what the last fold came to, from the receipts of the summaries in use; None before the first.

    It pays off after as many prompts as what the model read and wrote for it is of what each prompt is shorter by;
    tokens in and out are taken to cost the same.
    """
    made = [summary for summary in (memory.longterm, memory.recent) if summary is not None]
    if not made:
        return None
    told = made[-1]
    made = [summary for summary in made if summary.updated == told.updated]  # the long-term one may have stayed
    source, left, spent = (
        sum(summary.tokens.get(part, 0) for summary in made for part in parts)
        for parts in (("source",), ("summary",), ("prompt", "completion"))
    )
    saved = source - left
    return {
        "first": told.covers[0] if told.tier == "recent" else None,
        "last": told.covers[1],
        "at": told.updated,
        "reason": told.reason,
        "strategy": told.strategy,
        "method": told.method,
        "source_tokens": source,
        "summary_tokens": left,
        "saved_tokens": saved,
        "spent_tokens": spent,
        "break_even_rounds": math.ceil(spent / saved) if saved > 0 else None,
    }
