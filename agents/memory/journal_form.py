"""The form of a journal's file: one list item per entry, with its attributes in parentheses after the text.

    - The key is under the bench (2026-11-20T07:21:37.123Z; direct; trust 0.9; importance 6; from Moss; eliza#120)

No I/O. People edit it too: other lines are prose, and an item without parentheses is an entry without attributes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from mud.sanitize import sanitize
from mud.storage.documents import markdown_lines

DIRECT = "direct"
OBSERVATION = "observation"
INFERENCE = "inference"
ENVIRONMENTAL = "environmental"
SYNTHESIS = "context_synthesis"
TYPES = (DIRECT, OBSERVATION, INFERENCE, ENVIRONMENTAL, SYNTHESIS)
"""Origins of an entry (seed 003): told, perceived, concluded, overheard, or the summary of a fold."""

CONSOLIDATED = "consolidated"
"""Mark of an entry that is in a note or a newer entry too."""

_ITEM = re.compile(r"^- +(?P<text>\S.*?)(?: +\((?P<known>[^()]*)\))?[ \t]*$")
_REFERENCE = re.compile(r"(?P<owner>[\w-]+)#(?P<first>\d{1,15})(?:-(?P<last>\d{1,15}))?")
_REST = re.compile(r"(?P<count>\d{1,15}) more")
SHOWN = 4
"""References listed at either end; those in between are only counted."""
_TIME = re.compile(r"\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?")
_UNSAFE = re.compile(r"[;()\n\r]+")


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One entry of a journal, on one line.

    Args:
        at: empty when unknown.
        type: one of `TYPES`.
        trust: 0 to 1.
        importance: 1 (trifle) to 10.
        source: name of the speaker; may be empty.
        about: person or place; may be empty.
        references: such as `eliza#120` or `eliza#66-129`; `12 more` for those left out.
    """

    text: str
    at: str = ""
    type: str = DIRECT
    trust: float = 0.9
    importance: int = 5
    source: str = ""
    about: str = ""
    references: tuple[str, ...] = ()
    consolidated: bool = False

    def last(self, owner: str) -> int:
        """Return the last memory of `owner` that it refers to; 0 when there is none."""
        return max((max(_numbers(found)) for found in _found(self.references) if found["owner"] == owner), default=0)


class JournalLine(NamedTuple):
    raw: str
    entry: JournalEntry


def render_entry(entry: JournalEntry) -> str:
    """Return the line of an entry; it parses to the same entry."""
    text = " ".join(entry.text.split())
    if text.endswith(")"):
        text += "."  # or the parentheses would be read as attributes
    known = [
        entry.at,
        entry.type,
        f"trust {entry.trust:g}",
        f"importance {entry.importance}",
        f"from {_safe(entry.source)}" if _safe(entry.source) else "",
        f"about {_safe(entry.about)}" if _safe(entry.about) else "",
        ", ".join(entry.references),
        CONSOLIDATED if entry.consolidated else "",
    ]
    return f"- {text} ({'; '.join(part for part in known if part)})"


def _safe(name: str) -> str:
    return " ".join(_UNSAFE.sub(" ", name).split())


def parse_entry(line: str) -> JournalEntry | None:
    found = _ITEM.match(line := sanitize(line))
    if found is None:
        return None
    known = found["known"]
    if known is None or not any(_is_known(part) for part in _parts(known)):
        return JournalEntry(line.strip()[1:].strip())
    entry = JournalEntry(found["text"])
    for part in _parts(known):
        entry = _with(entry, part)
    return entry


def _parts(known: str) -> list[str]:
    return [part for part in (one.strip() for one in known.split(";")) if part]


def _is_known(part: str) -> bool:
    return part in TYPES or _TIME.fullmatch(part) is not None or _references(part) != ()


def _references(part: str) -> tuple[str, ...]:
    found = [one.strip() for one in part.split(",")]
    known = _REFERENCE.fullmatch(found[0]) and all(_REFERENCE.fullmatch(one) or _REST.fullmatch(one) for one in found)
    return tuple(found) if known else ()


def _found(references: Iterable[str]) -> Iterator[re.Match[str]]:
    return (found for one in references if (found := _REFERENCE.fullmatch(one)))


def _numbers(found: re.Match[str]) -> tuple[int, int]:
    first, last = int(found["first"]), int(found["last"] or found["first"])
    return min(first, last), max(first, last)


def united_references(references: Iterable[str]) -> tuple[str, ...]:
    """Merge references into ordered ranges; of very many, keep `SHOWN` at either end and count the rest."""
    references = list(references)
    spans: dict[str, list[tuple[int, int]]] = {}
    for found in _found(references):
        spans.setdefault(found["owner"], []).append(_numbers(found))
    ranges = [(owner, *span) for owner, found in spans.items() for span in _joined(found)]
    left_out = sum(int(rest["count"]) for one in references if (rest := _REST.fullmatch(one)))
    between = ranges[SHOWN:-SHOWN]
    left_out += sum(last - first + 1 for _, first, last in between)
    if left_out:
        after = ranges[max(SHOWN, len(ranges) - SHOWN) :]
        return (*map(_reference, ranges[:SHOWN]), f"{left_out} more", *map(_reference, after))
    return tuple(map(_reference, ranges))


def _joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Merge spans that overlap or touch, in order."""
    joined: list[tuple[int, int]] = []
    for first, last in sorted(spans):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return joined


def _reference(span: tuple[str, int, int]) -> str:
    owner, first, last = span
    return f"{owner}#{first}-{last}" if last > first else f"{owner}#{first}"


def _with(entry: JournalEntry, part: str) -> JournalEntry:
    """Return the entry with one attribute set; an unreadable one changes nothing."""
    word, _, rest = part.partition(" ")
    if part in TYPES:
        return replace(entry, type=part)
    if part == CONSOLIDATED:
        return replace(entry, consolidated=True)
    if _TIME.fullmatch(part):
        return replace(entry, at=part)
    if references := _references(part):
        return replace(entry, references=references)
    if word == "from":
        return replace(entry, source=rest)
    if word == "about":
        return replace(entry, about=rest)
    if word == "trust" and re.fullmatch(r"[01](?:\.\d+)?", rest):
        return replace(entry, trust=min(1.0, float(rest)))
    if word == "importance" and re.fullmatch(r"\d{1,2}", rest):
        return replace(entry, importance=max(1, min(10, int(rest))))
    return entry


def entry_lines(text: str) -> Iterator[JournalLine]:
    """Yield the entries of a file in order, except those in code blocks."""
    for line in markdown_lines(text):
        entry = None if line.fenced else parse_entry(line.text)
        if entry is not None:
            yield JournalLine(line.text, entry)
