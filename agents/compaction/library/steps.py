"""The entries of the library's histories: their content and length, and the summary entry.

An entry is a string, or an object or mapping with `text`, or with `reasoning`, `code`, `output` and `llm_calls`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass
from typing import Any

MARK = "[COMPACTED]"
"""Prefix of a summary entry in every form; used to recognise earlier summaries."""
COMMENT = "# Previous steps summarized above"

_COUNT = re.compile(r"\(Compacted (\d{1,9}) steps\)\s*\Z")
_PARTS = ("reasoning", "code", "output")


@dataclass(frozen=True, slots=True)
class HistoryStep:
    """The content of one entry: the three parts of a step, or a single text as `output` (then `whole` is true)."""

    reasoning: str
    code: str
    output: str
    calls: int
    whole: bool

    @property
    def chars(self) -> int:
        return len(self.reasoning) + len(self.code) + len(self.output)

    @property
    def is_summary(self) -> bool:
        return (self.output if self.whole else self.reasoning).startswith(MARK)

    @property
    def summary(self) -> str:
        text = self.output if self.whole else self.reasoning
        return _COUNT.sub("", text).removeprefix(MARK).rstrip().removesuffix(COMMENT).strip()

    @property
    def stands_for(self) -> int:
        count = _COUNT.search(self.output) if self.is_summary else None
        return int(count[1]) if count else 1


@dataclass(frozen=True, slots=True)
class SummaryEntry:
    """The summary entry of a history of objects, readable as a step and as one text."""

    reasoning: str
    code: str
    output: str
    text: str
    timestamp: str
    llm_calls: tuple[Any, ...] = ()
    execution_time: float = 0.0


def entries_of(history: Any) -> list[Any]:
    """Return the entries of a history: a sequence, or an object with `entries`; raises TypeError otherwise."""
    entries = history if isinstance(history, Sequence) else getattr(history, "entries", history)
    if isinstance(entries, str | bytes | Mapping) or not (isinstance(entries, Iterable) and isinstance(entries, Sized)):
        raise TypeError(f"a history is a list of entries, or has one as .entries; this is of type {_kind(history)}")
    return list(entries)


def steps_of(entries: Iterable[Any]) -> list[HistoryStep]:
    """Return the content of entries; raises TypeError for an unknown form."""
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
    return f"{MARK} {summary}", COMMENT if with_comment else "", f"(Compacted {steps} steps)"


def as_text(lines: Iterable[str]) -> str:
    return "\n".join(filter(None, lines))


def summary_entry(like: Any, lines: tuple[str, str, str], timestamp: str) -> Any:
    """Return a summary entry in the form of `like`: a string, a dict with the same keys, or a `SummaryEntry`."""
    text = as_text(lines)
    if isinstance(like, str):
        return text
    if not isinstance(like, Mapping):
        return SummaryEntry(*lines, text, timestamp)
    entry: dict[str, Any] = dict(zip(_PARTS, lines, strict=True)) if like.get("text") is None else {"text": text}
    extra = {"llm_calls": [], "timestamp": timestamp}
    return entry | {name: value for name, value in extra.items() if name in like}
