"""The form of a note's file: front matter, a title, dated entries with the newest on top, `[[links]]` to other notes.

Pure: text in, values and text out. Nothing in here refuses a text: people write these files too, with any editor and in
any form, and what is not understood is prose. A time that people wrote counts with minutes or without.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from mud.clock import iso, parse_iso
from mud.sanitize import sanitize
from mud.storage.documents import body_of, examine_document, heading_lines, link_name, markdown_lines, open_fence

_HEADING = re.compile(r"^ {0,3}(#{1,2})[ \t]+(\S.*)$")
_STRUCTURE = re.compile(r"^( {0,3})(?=#{1,6}(?:[ \t]|$)|-{3,}\s*$)")
"""The beginning of a heading, and of a line that ends a front matter or makes a heading of the line above it."""
_DATED = re.compile(r"(\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d[^\s,]*)?)(?:,\s*(\S.*))?")
_BECAUSE = re.compile(r"\*Because: (.+)\*")
_ENTRY = re.compile(r"## \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z(?:, [^\n]*)?\n\n> [^\n]+\n*")
"""An entry of one quoted line, as the program writes a dream."""
_LINK = re.compile(r"\[\[[^\[\]\n]+\]\]")
_WRITTEN = ("updated", "modified", "created", "date")
"""Keys of a front matter that say when a note was written, the best first; other programs set them."""


@dataclass(frozen=True, slots=True)
class NoteSection:
    """One part of a note: a dated entry, or what people wrote around them.

    Args:
        heading: what stands behind `## `; empty for what stands above the first one.
        text: what stands below it, without the reason.
        at: when a dated entry was written; empty for other parts.
        place: where; None when that is not said.
        reason: the private reason for it; None when there is none.
    """

    heading: str
    text: str
    at: str = ""
    place: str | None = None
    reason: str | None = None


class Note(NamedTuple):
    """One note.

    Args:
        title: its title.
        slug: its file name without ending.
        text: everything under the title, with plain line ends.
        updated: when its newest dated entry was written; empty when nothing says so.
        aliases: further names of it, from its front matter.
    """

    title: str
    slug: str
    text: str
    updated: str
    aliases: tuple[str, ...] = ()

    @property
    def sections(self) -> list[NoteSection]:
        """Its parts, in the order of the file."""
        return list(_sections(self.text))

    @property
    def links(self) -> list[str]:
        """The names that its text links to, each once, in order; what stands in code is no link."""
        found: dict[str, str] = {}
        if "[[" not in self.text:
            return []
        for line in markdown_lines(self.text):
            for link in [] if line.fenced else _LINK.findall(line.text):
                if name := link_name(link.replace("\\|", "|")):  # as it stands in a table
                    found.setdefault(name.casefold(), name)
        return list(found.values())


@lru_cache(maxsize=1 << 12)
def folded(name: str) -> str:
    """Return a title in the form in which two of them are compared."""
    return unicodedata.normalize("NFC", " ".join(name.split()).casefold())


def is_reason(line: str) -> bool:
    """Whether a line of a note is the private reason for an entry, as the program writes it."""
    return _BECAUSE.fullmatch(line.strip()) is not None


def is_blank(raw: str) -> bool:
    """Whether a file holds nothing yet, as one that an editor has just made."""
    return not raw.strip("\ufeff \t\r\n")


def read_note(raw: str, slug: str) -> Note | None:
    """Return the note that a file holds; None when there is nothing in it.

    Args:
        raw: the whole file.
        slug: its name without ending.
    """
    if is_blank(raw):
        return None
    body = body_of(raw)
    stated = examine_document(raw, slug)[0].front if len(body) < len(raw) else {}
    body = sanitize(body)
    start, end = _title_line(body)
    title = _heading(body[start:end].rstrip("\r\n"))
    text = (body[:start] + body[end:]).strip()
    dates = [section.at for section in _sections(text) if section.at]
    fronts = (written_time(str(stated.get(key, ""))) for key in _WRITTEN)
    updated = max(dates, default="") or next(filter(None, fronts), "")
    return Note(title[2] if title else sanitize(slug), slug, text, updated, _aliases(stated))


def _aliases(stated: Mapping[str, object]) -> tuple[str, ...]:
    front = {key.casefold(): value for key, value in stated.items()}
    given = front.get("aliases") or front.get("alias") or ()
    names = given.split(",") if isinstance(given, str) else given if isinstance(given, list) else ()
    return tuple(name for one in names if (name := " ".join(str(one).split())))


def written_time(text: str) -> str:
    """Return a time as people write it in the one written form; empty when it is none."""
    try:
        return iso(parse_iso(text.strip()))
    except (ValueError, OverflowError):
        return ""


def _sections(text: str) -> Iterator[NoteSection]:
    heading, start = "", 0
    for begin, line in heading_lines(text):
        mark = _heading(line)
        if mark and mark[1] == "##":
            if heading or text[start:begin].strip():
                yield _section(heading, text[start:begin])
            heading, start = mark[2], begin + len(line) + 1
    if heading or text[start:].strip():
        yield _section(heading, text[start:])


def _section(heading: str, text: str) -> NoteSection:
    dated = _DATED.fullmatch(heading)
    at = written_time(dated[1]) if dated else ""
    if not dated or not at:
        return NoteSection(heading, text.strip())
    told = text.rstrip()
    last = told.rfind("\n") + 1
    because = _BECAUSE.fullmatch(told, last)
    return NoteSection(
        heading, told[: last if because else None].strip(), at, dated[2], because[1] if because else None
    )


def _heading(line: str) -> re.Match[str] | None:
    """Match a heading; the blanks behind it are taken off first, for a pattern looks for the last one at every one."""
    return _HEADING.match(line.rstrip(" \t"))


def entry_text(text: str, at: str, reason: str | None, place: str | None) -> str:
    """Return an entry as it stands in a file.

    Args:
        text: what is noted; nothing in it ends the entry or swallows the ones below it.
        at: when, written.
        reason: the private reason for it.
        place: where.
    """
    where = f", {' '.join(place.split())}" if place else ""
    # What would be a heading or a rule gets a backslash, which keeps it text in every editor; so does a fence without
    # an end.
    lines = [_escaped(line) for line in text.replace("\r\n", "\n").strip().split("\n")]
    while (fence := open_fence("\n".join(lines))) is not None:
        lines[fence - 1] = "\\" + lines[fence - 1].lstrip(" ")
    why = f"\n*Because: {' '.join(reason.split())}*\n" if reason and reason.strip() else ""
    body = "\n".join(lines)
    return f"## {at}{where}\n\n{body}\n{why}"


def _escaped(line: str) -> str:
    mark = _STRUCTURE.match(line)  # a substitution would look for it at every letter
    return f"{mark[1]}\\{line[mark.end() :]}" if mark else line


def new_file(title: str, entry: str) -> str:
    """Return the file of a note that is written for the first time."""
    return f"# {title}\n\n{entry}"


def with_entry(raw: str, entry: str) -> str:
    """Return a file with an entry put in above the newest; everything else stays byte for byte."""
    newline, before = _lines_of(raw)
    entry = entry.replace("\n", newline)
    body = raw[before:]
    first = next((start for start, line in heading_lines(body) if _is_section(line)), None)
    if first is not None:
        at = before + first
        return f"{raw[:at]}{entry}{newline}{raw[at:]}"
    # Behind a code fence without an end everything is code: there the entry stands right below the title.
    at = before + _title_line(body)[1] if open_fence(body) else len(raw)
    rest = f"{newline}{raw[at:]}" if raw[at:] else ""
    return f"{raw[:at]}{_gap(raw[:at], newline)}{entry}{rest}"


def with_newest(raw: str, keep: int) -> str:
    """Return a file without those of its dreams that have so many above them; everything else stays byte for byte.

    Only an entry of one quoted line under the moment it was written counts: what was noted in plain words, what people
    added to a dream, or wrote under another heading, stays.

    Args:
        raw: the whole file.
        keep: how many dreams stay.
    """
    newline, before = _lines_of(raw)
    starts = [before + start for start, line in heading_lines(raw[before:]) if _heading(line)]
    spans = pairwise([*starts, len(raw)])
    own = [(start, end) for start, end in spans if _ENTRY.fullmatch(raw[start:end].replace(newline, "\n"))]
    for start, end in reversed(own[keep:]):
        raw = raw[:start] + raw[end:]
    return raw


def with_only(raw: str, entry: str) -> str:
    """Return a file with an entry instead of all there was below the title; front matter and title stay as they are."""
    newline, before = _lines_of(raw)
    body = raw[before:]
    start, end = _title_line(body)
    head = raw[:before] + body[start:end]
    return f"{head}{_gap(head, newline)}{entry.replace(chr(10), newline)}"


def _lines_of(raw: str) -> tuple[str, int]:
    """Return the line end that a file uses, and where its front matter ends."""
    return "\r\n" if "\r\n" in raw else "\n", len(raw) - len(body_of(raw))


def _gap(before: str, newline: str) -> str:
    """Return what makes a blank line of the end of a text."""
    if not before.strip("\ufeff") or before.endswith(newline * 2):
        return ""
    return newline if before.endswith(newline) else newline * 2


def _is_section(line: str) -> bool:
    mark = _heading(line)
    return mark is not None and mark[1] == "##"


def _title_line(body: str) -> tuple[int, int]:
    """Return where the line of the title begins and ends, its line end included; `(0, 0)` when there is none."""
    for start, line in heading_lines(body):
        if mark := _heading(line):
            end = body.find("\n", start) + 1 or len(body)
            return (start, end) if mark[1] == "#" else (0, 0)
    return 0, 0
