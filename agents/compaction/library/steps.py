"""The library's histories: what one entry of any form says, how long it is, and the entry that a summary becomes.

An entry is a string, or an object or mapping with `text`, or one with `reasoning`, `code`, `output` and `llm_calls`. It
is only read: what is preserved is handed on as it came. Anything else is refused with a sentence that says which entry.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass
from typing import Any

MARK = "[COMPACTED]"
"""What a summary entry begins with, in every form; by it an earlier summary is known."""
COMMENT = "# Previous steps summarized above"

_COUNT = re.compile(r"\(Compacted (\d{1,9}) steps\)\s*\Z")
_PARTS = ("reasoning", "code", "output")


@dataclass(frozen=True, slots=True)
class HistoryStep:
    """What one entry says: the three parts of a step, or one text as `output`.

    Args:
        calls: how many calls of a model it made by itself.
        whole: it is one text.
    """

    reasoning: str
    code: str
    output: str
    calls: int
    whole: bool

    @property
    def chars(self) -> int:
        """Its length in characters."""
        return len(self.reasoning) + len(self.code) + len(self.output)

    @property
    def is_summary(self) -> bool:
        """Whether it is the summary entry of an earlier compaction."""
        return (self.output if self.whole else self.reasoning).startswith(MARK)

    @property
    def summary(self) -> str:
        """Return the summary that an earlier compaction wrote here, without its marks."""
        text = self.output if self.whole else self.reasoning
        return _COUNT.sub("", text).removeprefix(MARK).rstrip().removesuffix(COMMENT).strip()

    @property
    def stands_for(self) -> int:
        """Return how many steps it stands for: itself, or those that an earlier compaction summarized."""
        count = _COUNT.search(self.output) if self.is_summary else None
        return int(count[1]) if count else 1


@dataclass(frozen=True, slots=True)
class SummaryEntry:
    """The summary entry of a history of objects: readable as a step, and as one text.

    Args:
        reasoning: `[COMPACTED]` and the summary.
        code: a comment that points at it.
        output: how many steps it stands for.
        text: all of that as one text.
        timestamp: when it was written, ISO-8601, UTC.
    """

    reasoning: str
    code: str
    output: str
    text: str
    timestamp: str
    llm_calls: tuple[Any, ...] = ()
    execution_time: float = 0.0


def entries_of(history: Any) -> list[Any]:
    """Return the entries of a history: any sequence of them, or an object that has one as `entries`; else TypeError."""
    entries = history if isinstance(history, Sequence) else getattr(history, "entries", history)
    if isinstance(entries, str | bytes | Mapping) or not (isinstance(entries, Iterable) and isinstance(entries, Sized)):
        raise TypeError(f"a history is a list of entries, or has one as .entries; this is of type {_kind(history)}")
    return list(entries)


def steps_of(entries: Iterable[Any]) -> list[HistoryStep]:
    """Return what entries say; one that is neither a string nor has any of the known parts is a TypeError."""
    return [_step(entry, number) for number, entry in enumerate(entries, 1)]


def _step(entry: Any, number: int) -> HistoryStep:
    if isinstance(entry, str):
        return HistoryStep("", "", entry, 0, True)
    calls = _count(_part(entry, "llm_calls"))
    text = _part(entry, "text")
    if text is not None:
        return HistoryStep("", "", str(text), calls, True)
    if not any(name in entry if isinstance(entry, Mapping) else hasattr(entry, name) for name in _PARTS):
        raise TypeError(
            f"entry {number} is of type {_kind(entry)}: an entry is a string, or has text, or reasoning, code, output"
        )
    reasoning, code, output = ("" if (part := _part(entry, name)) is None else str(part) for name in _PARTS)
    return HistoryStep(reasoning, code, output, calls, False)


def _part(entry: Any, name: str) -> Any:
    return entry.get(name) if isinstance(entry, Mapping) else getattr(entry, name, None)


def _count(calls: Any) -> int:
    return len(calls) if isinstance(calls, Sized) else calls if isinstance(calls, int) else 0


def _kind(value: Any) -> str:
    return type(value).__name__


def summary_lines(summary: str, steps: int, with_comment: bool = True) -> tuple[str, str, str]:
    """Return reasoning, code and output of a summary entry that stands for so many steps."""
    return f"{MARK} {summary}", COMMENT if with_comment else "", f"(Compacted {steps} steps)"


def as_text(lines: Iterable[str]) -> str:
    """Return the lines of a summary entry as one text; no form of it has more characters."""
    return "\n".join(filter(None, lines))


def summary_entry(like: Any, lines: tuple[str, str, str], timestamp: str) -> Any:
    """Return a summary entry in the form of another one: a string, a dict with its keys, or a `SummaryEntry`."""
    text = as_text(lines)
    if isinstance(like, str):
        return text
    if not isinstance(like, Mapping):
        return SummaryEntry(*lines, text, timestamp)
    entry: dict[str, Any] = dict(zip(_PARTS, lines, strict=True)) if like.get("text") is None else {"text": text}
    extra = {"llm_calls": [], "timestamp": timestamp}
    return entry | {name: value for name, value in extra.items() if name in like}
