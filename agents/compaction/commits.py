"""A fold that was committed, as a value: what was folded into what, what it cost, and what it saves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from agents.memory.entries import Entry
from agents.memory.summaries import Summary


@dataclass(frozen=True, slots=True)
class Commit:
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
        kept: memories that stay word for word.
        seconds: how long it took, the model's part included.
        rejected: why replies of the model were not used, and why it did not answer.
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
    kept: int
    seconds: float
    rejected: tuple[str, ...]

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
        """Return the result record: seed 001's fields, then range, tokens, retention and cost."""
        chars, told = sum(len(summary.text) for summary in self.made), self.told
        return {
            "original_entries": self.last - self.first + 1,
            "compacted_entries": len(self.made) + self.kept,
            "original_chars": self.chars,
            "compacted_chars": chars,
            "summary": told.text,
            "preserved_entries": self.kept,
            "timestamp": self.at,
            "used_llm": any(summary.method == "model" for summary in self.made),
            "compression_ratio": round(1 - chars / self.chars, 4) if self.chars else 0.0,
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
            "faithful": all(summary.faithful for summary in self.made),
            "seconds": round(self.seconds, 3),
            "rejected": list(self.rejected),
        }


def no_fold(tail: Sequence[Entry], at: str, why: str) -> dict[str, object]:
    """Return the result record of a fold that there was not: an empty summary, everything preserved.

    Args:
        tail: the memories that no summary stands for.
        at: when it was asked for.
        why: why there was none.
    """
    chars = sum(len(entry.text) for entry in tail)
    return {
        "original_entries": len(tail),
        "compacted_entries": len(tail),
        "original_chars": chars,
        "compacted_chars": chars,
        "summary": "",
        "preserved_entries": len(tail),
        "timestamp": at,
        "used_llm": False,
        "compression_ratio": 0.0,
        "range": None,
        "reason": why,
    }
