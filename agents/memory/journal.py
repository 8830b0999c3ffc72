"""The journal: facts kept before memories are folded (seed 003), in a file that people may read and edit.

`journal.md` has one list item per entry, with its attributes in parentheses after the text:

    - The key is under the bench (2026-11-20T07:21:37.123Z; direct; trust 0.9; importance 6; from Moss; eliza#120)

Other lines are prose and stay as people left them; an item without parentheses is an entry without attributes. At most
`LIVE` entries are held. Those that must make room are first appended to `journal-history.md`; a kill in between leaves
them in both. What to keep is decided in `agents.mind.journal_keeper`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from agents.memory.entries import Range, merged, reference
from mud.errors import VaultProblem
from mud.sanitize import sanitize
from mud.storage.documents import examine_document, markdown_lines, render_document, replace_key
from mud.storage.files import OWN_LIMIT, read_if_there, write_atomic
from mud.storage.jsonl import JsonlWriter

FILE = "journal.md"
HISTORY = "journal-history.md"
LIVE = 100  # entries in the journal at most (seed 003)
DIRECT = "direct"
OBSERVATION = "observation"
INFERENCE = "inference"
ENVIRONMENTAL = "environmental"
SYNTHESIS = "context_synthesis"
TYPES = (DIRECT, OBSERVATION, INFERENCE, ENVIRONMENTAL, SYNTHESIS)
"""Origins of an entry (seed 003): told, perceived, concluded, overheard, or the summary of a fold."""
SHOWN = 4  # references listed at either end; those in between are only counted
_CONSOLIDATED = "consolidated"  # mark of an entry that is in a note or a newer entry too
_INTRO = """# Journal

What is kept before memories are folded into a summary. Each line that begins with - is an entry; edit them freely.
"""
_ITEM = re.compile(r"^- +(?P<text>\S.*?)(?: +\((?P<known>[^()]*)\))?[ \t]*$")
_REFERENCE = re.compile(r"(?P<owner>[\w-]+)#(?P<first>\d{1,15})(?:-(?P<last>\d{1,15}))?")
_REST = re.compile(r"(?P<count>\d{1,15}) more")
_TIME = re.compile(r"\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?")
_UNSAFE = re.compile(r"[;()\n\r]+")


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One entry of a journal, on one line."""

    text: str
    at: str = ""  # empty when unknown
    type: str = DIRECT  # one of `TYPES`
    trust: float = 0.9  # 0 to 1
    importance: int = 5  # 1 (trifle) to 10
    source: str = ""  # name of the speaker; may be empty
    about: str = ""  # person or place; may be empty
    references: tuple[str, ...] = ()  # such as `eliza#120` or `eliza#66-129`; `12 more` for those left out
    consolidated: bool = False


class JournalLine(NamedTuple):
    """An entry, and its line as it stands in the file."""

    raw: str
    entry: JournalEntry


def render_entry(entry: JournalEntry) -> str:
    """Return the line of an entry; it parses to the same entry."""
    text = " ".join(entry.text.split())
    source, about = (" ".join(_UNSAFE.sub(" ", name).split()) for name in (entry.source, entry.about))
    known = [
        entry.at,
        entry.type,
        f"trust {_decimal(entry.trust)}",
        f"importance {entry.importance}",
        f"from {source}" if source else "",
        f"about {about}" if about else "",
        ", ".join(entry.references),
        _CONSOLIDATED if entry.consolidated else "",
    ]
    return f"- {text} ({'; '.join(filter(None, known))})"


def _decimal(number: float) -> str:
    """Return a number without an exponent, which is not read; six digits after the point, at most."""
    return f"{number:.6f}".rstrip("0").rstrip(".")


def parse_entry(line: str) -> JournalEntry | None:
    """Return the entry of a line; None when it is no list item."""
    found = _ITEM.match(line := sanitize(line))
    if found is None:
        return None
    parts = [part for one in (found["known"] or "").split(";") if (part := one.strip())]
    if not any(part in TYPES or _TIME.fullmatch(part) or _references(part) for part in parts):
        return JournalEntry(line.strip()[1:].strip())
    entry = JournalEntry(found["text"])
    for part in parts:
        entry = replace(entry, **_attribute(part))
    return entry


def _attribute(part: str) -> dict[str, Any]:
    """Return an attribute by the name of its field; nothing for one that cannot be read."""
    word, _, rest = part.partition(" ")
    if part in TYPES:
        return {"type": part}
    if part == _CONSOLIDATED:
        return {"consolidated": True}
    if _TIME.fullmatch(part):
        return {"at": part}
    if references := _references(part):
        return {"references": references}
    if word in ("from", "about"):
        return {"source" if word == "from" else "about": rest}
    if word == "trust" and re.fullmatch(r"[01](?:\.\d+)?", rest):
        return {"trust": min(1.0, float(rest))}
    if word == "importance" and re.fullmatch(r"\d{1,2}", rest):
        return {"importance": max(1, min(10, int(rest)))}
    return {}


def _references(part: str) -> tuple[str, ...]:
    found = [one.strip() for one in part.split(",")]
    known = _REFERENCE.fullmatch(found[0]) and all(_REFERENCE.fullmatch(one) or _REST.fullmatch(one) for one in found)
    return tuple(found) if known else ()


def _spans(references: Iterable[str]) -> defaultdict[str, list[Range]]:
    """Return the ranges of references by owner."""
    spans: defaultdict[str, list[Range]] = defaultdict(list)
    for found in filter(None, map(_REFERENCE.fullmatch, references)):
        first, last = int(found["first"]), int(found["last"] or found["first"])
        spans[found["owner"]].append((min(first, last), max(first, last)))
    return spans


def united_references(references: Iterable[str]) -> tuple[str, ...]:
    """Merge references into ordered ranges; of very many, keep `SHOWN` at either end and count the rest."""
    references = list(references)
    ranges = [(owner, *span) for owner, spans in _spans(references).items() for span in merged(spans)]
    left_out = sum(int(rest["count"]) for one in references if (rest := _REST.fullmatch(one)))
    left_out += sum(last - first + 1 for _, first, last in ranges[SHOWN:-SHOWN])
    shown = [reference(*one) for one in ranges]
    if not left_out:
        return tuple(shown)
    return (*shown[:SHOWN], f"{left_out} more", *shown[max(SHOWN, len(shown) - SHOWN) :])


def entry_lines(text: str) -> Iterator[JournalLine]:
    """Yield the entries of a file in order, except those in code blocks."""
    for line in markdown_lines(text):
        entry = None if line.fenced else parse_entry(line.text)
        if entry is not None:
            yield JournalLine(line.text, entry)


def superseded(lines: Sequence[JournalLine]) -> dict[str, JournalEntry | None]:
    """Return the fold summaries not marked yet, marked as consolidated: a newer one includes them."""
    return {
        line.raw: replace(line.entry, consolidated=True)
        for line in lines
        if line.entry.type == SYNTHESIS and not line.entry.consolidated
    }


class Journal:
    """The journal of one character. `open_writer` opens the history for appending."""

    def __init__(
        self,
        folder: Path,
        write: Callable[[Path, str], None] = write_atomic,
        open_writer: Callable[[Path], JsonlWriter] = JsonlWriter,
    ) -> None:
        self._path, self._history = folder / FILE, folder / HISTORY
        self._write, self._open = write, open_writer

    def lines(self) -> list[JournalLine]:
        """Return the entries, oldest first, with their lines. Raises OSError or VaultProblem."""
        return list(entry_lines(self._text()))

    def through(self, owner: str, total: int) -> int:
        """Return the last memory searched for facts; 0 when none was, or when that is unknown.

        The front matter says it, else the entries' references to `owner` (a folder) do. Numbers above `total` do not
        count.
        """
        value = examine_document(self._text(), FILE)[0].front.get("through")
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= total:
            return value
        spans = (_spans(line.entry.references)[owner] for line in self.lines() if line.entry.type != SYNTHESIS)
        lasts = (max((last for _, last in found), default=0) for found in spans)
        return max((last for last in lasts if last <= total), default=0)

    def settle(
        self, changed: Mapping[str, JournalEntry | None], added: Sequence[JournalEntry] = (), through: int | None = None
    ) -> None:
        """Replace entries, move some into the history (None), and add new ones, in one write.

        `changed`: by the line as it was read, so that a line which a person changed meanwhile stays. `added`: to make
        room for them, others go into the history. `through`: the last memory searched for facts. Raises OSError or
        VaultProblem (then nothing is lost, and everything may be repeated).
        """
        before = self._text()
        text, moved = _replaced(before, changed)
        if added:
            text = text or render_document({"type": "journal"}, _INTRO)
            after_item = any(entry_lines(text.rstrip().rpartition("\n")[2]))
            text = f"{text.rstrip()}\n{'' if after_item else chr(10)}"
            text += "".join(f"{render_entry(entry)}\n" for entry in added)
        # Consolidated entries make room first, then those with the lowest importance times trust, then the oldest.
        lines = list(entry_lines(text))
        order = sorted(lines, key=lambda line: (not line.entry.consolidated, line.entry.importance * line.entry.trust))
        going = [line.raw for line in order[: max(0, len(lines) - LIVE)]]
        text, crowded = _replaced(text, dict.fromkeys(going))  # of duplicate lines the second goes the next time
        if through is not None and text:
            with suppress(VaultProblem):  # malformed front matter stays as it is
                text = replace_key(text, "through", through, FILE)
        if moved or crowded:
            with closing(self._open(self._history)) as history:
                history.append([*moved, *crowded])
                history.sync()
        if text != before:
            self._write(self._path, text)

    def state(self) -> tuple[int, int]:
        """Return mtime and size of the file, to notice changes; zeros when there is none. Raises OSError."""
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return 0, 0
        return found.st_mtime_ns, found.st_size

    def _text(self) -> str:
        return (read_if_there(self._path, OWN_LIMIT, FILE) or "").replace("\r\n", "\n")


def _replaced(text: str, changed: Mapping[str, JournalEntry | None]) -> tuple[str, list[str]]:
    """Return the text with entries replaced, and the lines for the history."""
    left = dict(changed)
    kept: list[str] = []
    away: list[str] = []
    for line in text.split("\n"):
        if line not in left:
            kept.append(line)
        elif (entry := left.pop(line)) is not None:
            kept.append(render_entry(entry))
        else:
            away.append(line)
    return "\n".join(kept), away
