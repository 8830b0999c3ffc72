"""Notes: what somebody chose to write down, a markdown file for each title, the newest entry on top.

People own these files too: an entry is put in under the title, and everything else stays as they left it, byte for
byte. Nothing here ever removes a note.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mud.errors import Refusal, VaultProblem
from mud.storage.documents import parse_document
from mud.storage.files import read_if_there, slugify, write_atomic

_DATED = re.compile(r"^## (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S*Z)", re.MULTILINE)
_TITLE = re.compile(r"^# .*$", re.MULTILINE)
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Note:
    """One note.

    Args:
        title: its title.
        slug: its file name without ending.
        text: everything under the title.
        updated: when its newest dated entry was written; empty when it has none.
    """

    title: str
    slug: str
    text: str
    updated: str


class Notes:
    """One character's notes.

    Args:
        folder: where they are; made with the first note.
        write: replaces a file as a whole.
    """

    def __init__(self, folder: Path, write: Callable[[Path, str], None] = write_atomic) -> None:
        self._folder = folder
        self._write = write
        self._read: dict[Path, tuple[tuple[int, int], Note | None]] = {}

    def add(self, title: str, text: str, at: str, reason: str | None = None, place: str | None = None) -> Note:
        """Write an entry, on top of those there are under this title.

        Args:
            title: the note it belongs to, found in any case.
            text: the entry.
            at: when, written.
            reason: the private reason for it.
            place: where.

        Returns:
            The note as it is now.

        Raises:
            Refusal: when title or text is missing, or the file cannot be understood as text.
            OSError: when it cannot be written.
        """
        title = " ".join(title.split())
        if not title or not text.strip():
            raise Refusal("A note needs a title and a text.", "note Sundial -> The fin is missing.")
        path, there = self._path(title)
        entry = _entry(text, at, reason, place)
        try:
            raw = read_if_there(path) if there else None
        except VaultProblem as error:
            raise Refusal(f"The note cannot be read: {error}") from None
        self._write(path, f"# {title}\n\n{entry}" if raw is None else _inserted(raw, entry))
        note = self._note(path)
        if note is None:
            raise Refusal(f"The note {path.name} is not in order; look at it with an editor.")
        return note

    def _path(self, title: str) -> tuple[Path, bool]:
        """Return the file for a title and whether it is there; two titles of one slug get two files."""
        slug = slugify(title)
        number = 1
        while True:
            path = self._folder / (f"{slug}.md" if number == 1 else f"{slug}-{number}.md")
            if not path.exists():
                return path, False
            note = self._note(path)
            if note is None or note.title.casefold() == title.casefold():
                return path, True
            number += 1

    def titles(self) -> list[str]:
        """Return the titles, the newest note first."""
        return [note.title for note in self.all()]

    def read(self, title: str) -> Note | None:
        """Return the note with this title in any case, or None."""
        wanted = " ".join(title.split()).casefold()
        return next((note for note in self.all() if note.title.casefold() == wanted), None)

    def all(self) -> list[Note]:
        """Return every note that can be read, the newest first. Files that did not change are not read again."""
        paths = sorted(self._folder.glob("*.md")) if self._folder.is_dir() else []
        self._read = {path: known for path, known in self._read.items() if path in set(paths)}
        found = [note for path in paths if (note := self._note(path)) is not None]
        return sorted(found, key=lambda note: note.updated, reverse=True)

    def _note(self, path: Path) -> Note | None:
        try:
            state = path.stat()
            changed = (state.st_mtime_ns, state.st_size)
            known = self._read.get(path)
            if known is None or known[0] != changed:
                known = self._read[path] = (changed, _parsed(path))
        except OSError:
            return None
        return known[1]

    def search(self, query: str) -> list[Note]:
        """Return the notes that share words with a query, the best first; a word in the title counts three times."""
        wanted = {word.casefold() for word in _WORD.findall(query)}
        scored = []
        for note in self.all():
            title = {word.casefold() for word in _WORD.findall(note.title)}
            text = {word.casefold() for word in _WORD.findall(note.text)}
            if score := 3 * len(wanted & title) + len(wanted & text):
                scored.append((score, note))
        return [note for _, note in sorted(scored, key=lambda pair: -pair[0])]


def _parsed(path: Path) -> Note | None:
    try:
        raw = read_if_there(path)
        if raw is None or not raw.strip():
            return None
        document = parse_document(raw, path.name)
    except VaultProblem:
        return None
    body = document.body
    if document.title is not None:
        body = _TITLE.sub("", body, count=1)
    dates = _DATED.findall(body)
    return Note(document.title or path.stem, path.stem, body.strip(), max(dates, default=""))


def _entry(text: str, at: str, reason: str | None, place: str | None) -> str:
    where = f", {' '.join(place.split())}" if place else ""
    # A line that looks like a heading would end the entry; a backslash keeps it text in every editor.
    lines = [f"\\{line}" if line.startswith("#") else line for line in text.strip().split("\n")]
    why = f"\n*Because: {' '.join(reason.split())}*\n" if reason else ""
    body = "\n".join(lines)
    return f"## {at}{where}\n\n{body}\n{why}"


def _inserted(raw: str, entry: str) -> str:
    """Return a note's text with an entry put in above the newest, or where the first section begins."""
    newline = "\r\n" if "\r\n" in raw else "\n"
    entry = entry.replace("\n", newline)
    body = len(raw) - len(parse_body(raw))
    section = re.compile(r"^## ", re.MULTILINE).search(raw, body)
    if section is None:
        gap = "" if raw.endswith(newline * 2) else newline if raw.endswith(newline) else newline * 2
        return f"{raw}{gap}{entry}"
    return f"{raw[: section.start()]}{entry}{newline}{raw[section.start() :]}"


def parse_body(raw: str) -> str:
    """Return what follows the front matter; the whole text when that is missing or not in order."""
    try:
        return parse_document(raw, "").body
    except VaultProblem:
        return raw
