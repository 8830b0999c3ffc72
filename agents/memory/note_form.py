"""The form of a note's file: front matter, a title, dated entries with the newest on top, `[[links]]` to other notes.

No I/O. No text is refused: people edit these files in any form, and what is not understood is prose.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from mud.clock import iso, parse_iso
from mud.sanitize import sanitize
from mud.storage.documents import body_of, examine_document, heading_lines, link_name, markdown_lines, open_fence

_HEADING = re.compile(r"^ {0,3}(#{1,2})[ \t]+(\S.*)$")
_STRUCTURE = re.compile(r"^( {0,3})(?=#{1,6}(?:[ \t]|$)|-{3,}\s*$)")
"""Start of a heading, or of a line that ends a front matter or turns the line above into a heading."""
_DATED = re.compile(r"(\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d[^\s,]*)?)(?:,\s*(\S.*))?")
_BECAUSE = re.compile(r"\*Because: (.+)\*")
_ENTRY = re.compile(r"## \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z(?:, [^\n]*)?\n\n> [^\n]+\n*")
"""An entry of one quoted line, as the program writes a dream."""
_EMPTIED = re.compile(r"^## \d{4}-\d\d-\d\d[^\n]*\n\s*(?=## |\Z)", re.MULTILINE)
_LINK = re.compile(r"\[\[[^\[\]\n]+\]\]")
_WRITTEN = ("updated", "modified", "created", "date")
"""Front matter keys of other programs for a note's time, the best first."""


@dataclass(frozen=True, slots=True)
class NoteSection:
    """One part of a note: a dated entry, or text around the entries. `heading` has no `## `; `at` may be empty."""

    heading: str
    text: str
    at: str = ""
    place: str | None = None
    reason: str | None = None


class Note(NamedTuple):
    """One note. `slug`: file name without ending; `text`: below the title; `updated`: newest date, may be empty."""

    title: str
    slug: str
    text: str
    updated: str
    aliases: tuple[str, ...] = ()

    @property
    def sections(self) -> list[NoteSection]:
        return list(_sections(self.text))

    @property
    def links(self) -> list[str]:
        """The names in its `[[links]]`, each once, in order; links in code do not count."""
        found: dict[str, str] = {}
        for line in markdown_lines(self.text) if "[[" in self.text else ():
            for link in [] if line.fenced else _LINK.findall(line.text):
                if name := link_name(link.replace("\\|", "|")):  # escaped inside a table
                    found.setdefault(name.casefold(), name)
        return list(found.values())


@lru_cache(maxsize=1 << 12)
def folded(name: str) -> str:
    """Return a name normalized for comparison."""
    return unicodedata.normalize("NFC", " ".join(name.split()).casefold())


def is_reason(line: str) -> bool:
    """Return whether a line is an entry's private reason, as the program writes it."""
    return _BECAUSE.fullmatch(line.strip()) is not None


def is_blank(raw: str) -> bool:
    """Return whether a file holds nothing yet, as one just made by an editor."""
    return not raw.strip("\ufeff \t\r\n")


def read_note(raw: str, slug: str) -> Note | None:
    """Return the note in a file's text; None when it is blank. `slug`: file name without ending."""
    if is_blank(raw):
        return None
    body = body_of(raw)
    stated = examine_document(raw, slug)[0].front if len(body) < len(raw) else {}
    body = sanitize(body)
    start, end = _title_line(body)
    title = _heading(body[start:end].rstrip("\r\n"))
    text = (body[:start] + body[end:]).strip()
    dates = [section.at for section in _sections(text) if section.at]
    fronts = (_time(str(stated.get(key, ""))) for key in _WRITTEN)
    updated = max(dates, default="") or next(filter(None, fronts), "")
    front = {key.casefold(): value for key, value in stated.items()}
    given = front.get("aliases") or front.get("alias")
    names = given.split(",") if isinstance(given, str) else given if isinstance(given, list) else ()
    aliases = tuple(name for one in names if (name := " ".join(str(one).split())))
    return Note(title[2] if title else sanitize(slug), slug, text, updated, aliases)


def _time(text: str) -> str:
    """Normalize a time as people write it, with minutes or without; empty when it is none."""
    try:
        return iso(parse_iso(text.strip()))
    except (ValueError, OverflowError):
        return ""


def _sections(text: str) -> Iterator[NoteSection]:
    heads = [
        (begin, begin + len(line) + 1, mark[2])
        for begin, line in heading_lines(text)
        if (mark := _heading(line)) and mark[1] == "##"
    ]
    for (_, start, heading), (end, _, _) in pairwise([(0, 0, ""), *heads, (len(text), 0, "")]):
        part = text[start:end].rstrip()
        dated = _DATED.fullmatch(heading)
        if dated and (at := _time(dated[1])):
            last = part.rfind("\n") + 1
            because = _BECAUSE.fullmatch(part, last)
            part = part[: last if because else None]
            yield NoteSection(heading, part.strip(), at, dated[2], because[1] if because else None)
        elif heading or part:
            yield NoteSection(heading, part.strip())


def _heading(line: str) -> re.Match[str] | None:
    """Match a heading. Trailing blanks are stripped first: the pattern would backtrack at each one."""
    return _HEADING.match(line.rstrip(" \t"))


def entry_text(text: str, at: str, reason: str | None, place: str | None) -> str:
    """Return an entry as it stands in a file. Text that would end it or hide the ones below is escaped."""
    where = f", {' '.join(place.split())}" if place else ""
    # A backslash keeps headings, rules and unclosed fences plain text in every editor.
    lines = text.replace("\r\n", "\n").strip().split("\n")
    for number, line in enumerate(lines):
        if mark := _STRUCTURE.match(line):  # a substitution would try at every character
            lines[number] = f"{mark[1]}\\{line[mark.end() :]}"
    while (fence := open_fence("\n".join(lines))) is not None:
        lines[fence - 1] = "\\" + lines[fence - 1].lstrip(" ")
    why = f"\n*Because: {' '.join(reason.split())}*\n" if reason and reason.strip() else ""
    return "\n".join([f"## {at}{where}", "", *lines, why])


def new_file(title: str, entry: str) -> str:
    return f"# {title}\n\n{entry}"


def with_entry(raw: str, entry: str) -> str:
    """Insert an entry above the newest; everything else stays byte for byte."""
    newline, before = _lines_of(raw)
    entry, body = entry.replace("\n", newline), raw[before:]
    for start, line in heading_lines(body):
        if (mark := _heading(line)) and mark[1] == "##":
            return f"{raw[: before + start]}{entry}{newline}{raw[before + start :]}"
    # After an unclosed code fence everything is code, so the entry goes right below the title.
    at = before + _title_line(body)[1] if open_fence(body) else len(raw)
    rest = f"{newline}{raw[at:]}" if raw[at:] else ""
    return f"{raw[:at]}{_gap(raw[:at], newline)}{entry}{rest}"


def with_newest(raw: str, keep: int) -> str:
    """Remove all but the newest `keep` dreams: entries of one quoted line under a timestamp, without additions."""
    newline, before = _lines_of(raw)
    starts = [before + start for start, line in heading_lines(raw[before:]) if _heading(line)]
    spans = pairwise([*starts, len(raw)])
    own = [(start, end) for start, end in spans if _ENTRY.fullmatch(raw[start:end].replace(newline, "\n"))]
    for start, end in reversed(own[keep:]):
        raw = raw[:start] + raw[end:]
    return raw


def with_only(raw: str, entry: str) -> str:
    """Replace everything below the title with one entry; front matter and title stay."""
    newline, before = _lines_of(raw)
    start, end = _title_line(raw[before:])
    head = raw[:before] + raw[before + start : before + end]
    return f"{head}{_gap(head, newline)}{entry.replace(chr(10), newline)}"


def with_body(raw: str, changed: Callable[[str], str]) -> str:
    """Rewrite what stands below the front matter; a dated entry that has no text any more goes."""
    newline, before = _lines_of(raw)
    body = raw[before:].replace(newline, "\n")
    if (made := changed(body)) == body:
        return raw
    return raw[:before] + _EMPTIED.sub("", made).replace("\n", newline)


def _lines_of(raw: str) -> tuple[str, int]:
    """Return the line end of a file, and where its front matter ends."""
    return "\r\n" if "\r\n" in raw else "\n", len(raw) - len(body_of(raw))


def _gap(before: str, newline: str) -> str:
    """Return the newlines that a text needs to end with a blank line."""
    if not before.strip("\ufeff") or before.endswith(newline * 2):
        return ""
    return newline if before.endswith(newline) else newline * 2


def _title_line(body: str) -> tuple[int, int]:
    """Return start and end of the title line, line end included; `(0, 0)` when there is none."""
    for start, line in heading_lines(body):
        if mark := _heading(line):
            end = body.find("\n", start) + 1 or len(body)
            return (start, end) if mark[1] == "#" else (0, 0)
    return 0, 0
