"""A fold that was committed, as a value: what was folded into what, what it cost, and what it saves."""

from __future__ import annotations

import math
from typing import NamedTuple

from agents.memory.memory import View
from agents.memory.summaries import Summary

_OF_A_FOLD = (
    *("strategy", "method", "longterm", "tokens", "saved_tokens", "break_even_rounds", "depth", "retention"),
    *("faithful", "seconds", "rejected"),
)
"""What the record of a fold tells and that of none has not."""


class Commit(NamedTuple):
    """A fold that was committed.

    Args:
        number: how many folds this life has had, this one included.
        reason: why, such as `automatic` or `manual`.
        at: when it was committed.
        first, last: the memories that were folded.
        recent: the new recent summary, with its receipt; None for a strategy with one summary.
        longterm: the new long-term summary; None after the first fold of a strategy with two.
        chars: characters of what was replaced: those memories and the earlier summaries.
        tokens: tokens of the same.
        saved: tokens by which the view, and with it every later prompt, is shorter.
        before: entries of the view before it, memories and summaries.
        kept: memories that stay word for word.
        kept_chars: their characters.
        seconds: how long it took, the model's part included.
        rejected: why replies of the model were not used, and why it did not answer.
        stays: the summaries that hold as they did before.
    """

    number: int
    reason: str
    at: str
    first: int
    last: int
    recent: Summary | None
    longterm: Summary | None
    chars: int
    tokens: int
    saved: int
    before: int
    kept: int
    kept_chars: int
    seconds: float
    rejected: tuple[str, ...]
    stays: tuple[Summary, ...] = ()

    @property
    def made(self) -> tuple[Summary, ...]:
        """The summaries that were made, the long-term one first."""
        return tuple(summary for summary in (self.longterm, self.recent) if summary is not None)

    @property
    def told(self) -> Summary:
        """The summary that tells of the memories that were folded."""
        return self.made[-1]

    @property
    def spent(self) -> int:
        """Tokens that the model read and wrote for it, rejected replies included."""
        return sum(summary.tokens.get(part, 0) for summary in self.made for part in ("prompt", "completion"))

    @property
    def break_even(self) -> int | None:
        """Prompts after which it has saved what it cost; None when it saves nothing."""
        return math.ceil(self.spent / self.saved) if self.saved > 0 else None

    def record(self) -> dict[str, object]:
        """Return the result record: seed 001's fields, of the whole view, then range, tokens, retention and cost."""
        kept, told = self.kept_chars + sum(len(summary.text) for summary in self.stays), self.told
        chars, after = self.chars + kept, sum(len(summary.text) for summary in self.made) + kept
        return {
            "original_entries": self.before,
            "compacted_entries": len(self.made) + len(self.stays) + self.kept,
            "original_chars": chars,
            "compacted_chars": after,
            "summary": told.text,
            "preserved_entries": self.kept,
            "timestamp": self.at,
            "used_llm": any(summary.method == "model" for summary in self.made),
            "compression_ratio": round(1 - after / chars, 4) if chars else 0.0,
            "range": {"first": self.first, "last": self.last},
            "reason": self.reason,
            "strategy": told.strategy,
            "method": told.method,
            "longterm": self.longterm.text if self.longterm is not None else None,
            "tokens": {
                part: sum(summary.tokens.get(part, 0) for summary in self.made)
                for part in ("source", "summary", "prompt", "completion")
            },
            "saved_tokens": self.saved,
            "break_even_rounds": self.break_even,
            "depth": max(summary.depth for summary in self.made),
            "retention": told.retention,
            "faithful": all(summary.faithful is not False for summary in self.made),
            "seconds": round(self.seconds, 3),
            "rejected": list(self.rejected),
        }


def no_fold(view: View, at: str, why: str) -> dict[str, object]:
    """Return the result record of a fold that there was not: an empty summary, everything preserved.

    Args:
        view: the whole life as it is.
        at: when it was asked for.
        why: why there was none.
    """
    told = [summary.text for summary in (view.longterm, view.recent) if summary is not None]
    count, chars = len(told) + len(view.tail), sum(map(len, [*told, *(entry.text for entry in view.tail)]))
    return {
        "original_entries": count,
        "compacted_entries": count,
        "original_chars": chars,
        "compacted_chars": chars,
        "summary": "",
        "preserved_entries": len(view.tail),
        "timestamp": at,
        "used_llm": False,
        "compression_ratio": 0.0,
        "range": None,
        "reason": why,
        **dict.fromkeys(_OF_A_FOLD),
    }
