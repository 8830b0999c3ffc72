"""Notes: what somebody chose to write down, a markdown file for each title, the newest entry on top.

People own these files too: an entry is put in under the title, and everything else stays as they left it, byte for
byte. Nothing here ever removes what was written: a text that is replaced is kept whole, as a file in `history/` beside
the notes, named after the note and the moment it was put away. What stands there is no note any more.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from agents.memory.note_form import Note, entry_text, folded, is_blank, new_file, read_note, with_entry, with_only
from mud.clock import iso, parse_iso
from mud.errors import Refusal, VaultProblem
from mud.storage.files import READ_LIMIT, encode, free_stem, read_if_there, slugify, write_atomic
from mud.world.matching import match_names

__all__ = ["Links", "Note", "Notes", "Version"]

HISTORY = "history"
"""The folder of earlier texts."""
_STAMP = "%Y%m%d-%H%M%S"
_VERSION = re.compile(r"(.+)-(\d{8}-\d{6})(?:-\d+)?")


@dataclass(frozen=True, slots=True)
class Version:
    """An earlier text of a note.

    Args:
        file: its name in the folder of the notes.
        at: when it was put away.
        note: what it was.
    """

    file: str
    at: str
    note: Note


@dataclass(frozen=True, slots=True)
class Links:
    """How a note hangs together with the others.

    Args:
        to: titles of the notes it links to, in the order of its text.
        unwritten: names it links to that no note has.
        back: titles of the notes that link to it, the newest first.
    """

    to: tuple[str, ...]
    unwritten: tuple[str, ...]
    back: tuple[str, ...]


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

    # writing

    def add(self, title: str, text: str, at: str, reason: str | None = None, place: str | None = None) -> Note:
        """Write an entry, on top of those there are under this title.

        Args:
            title: the note it belongs to, its title or a further name of it in any case.
            text: the entry.
            at: when, written.
            reason: the private reason for it.
            place: where.

        Returns:
            The note as it is now.

        Raises:
            Refusal: when title or text is missing, or there is no room left in the note.
            OSError: when it cannot be written.
        """
        title, entry = _checked(title, text, at, reason, place)
        path = self._path(title)
        raw = _text_of(path)
        return self._written(path, new_file(title, entry) if is_blank(raw) else with_entry(raw, entry))

    def overwrite(self, title: str, text: str, at: str, reason: str | None = None, place: str | None = None) -> Note:
        """Write an entry instead of all there is under this title, which is kept in the history.

        Front matter and title line stay; a note that is not there yet is written as `add` does.

        Args:
            title: as in `add`.
            text: the entry.
            at: when, written.
            reason: the private reason for it.
            place: where.

        Returns:
            The note as it is now.

        Raises:
            Refusal: as `add` does.
            OSError: when the old text cannot be kept or the new one not be written; the old one stands then.
        """
        title, entry = _checked(title, text, at, reason, place)
        path = self._path(title)
        kept = None
        while not is_blank(raw := _text_of(path)) and raw != kept:  # what somebody saves meanwhile is kept as well
            self._keep(path.stem, raw, at)
            kept = raw
        return self._written(path, new_file(title, entry) if is_blank(raw) else with_only(raw, entry))

    def _written(self, path: Path, text: str) -> Note:
        if len(encode(text)) > READ_LIMIT:
            raise Refusal("There is no room left in this note.", "begin another one under a new title")
        self._write(path, text)
        note = self._note(path)
        if note is None:
            raise Refusal(f"The note {path.name} was written and cannot be read back.")
        return note

    def _keep(self, slug: str, raw: str, at: str) -> None:
        """Put an earlier text away, byte for byte."""
        history = self._folder / HISTORY
        taken = {path.stem for path in history.glob("*.md")}
        stamp = parse_iso(at).astimezone(UTC).strftime(_STAMP)
        self._write(history / f"{free_stem(taken, f'{slug}-{stamp}')}.md", raw)

    def _path(self, title: str) -> Path:
        """Return the file for a title: its note's, or a free one; two titles of one slug get two files."""
        wanted = folded(title)
        for note in self.all():
            if wanted in map(folded, (note.title, *note.aliases)):
                return self._folder / f"{note.slug}.md"
        taken = {path.stem for path in self._files() if not _is_free(path)}
        return self._folder / f"{free_stem(taken, slugify(title))}.md"

    # reading

    def titles(self) -> list[str]:
        """Return the titles, the newest note first."""
        return [note.title for note in self.all()]

    def read(self, name: str) -> Note | None:
        """Return the note that a name means in any case: a title, else a further name or a file's; None when none."""
        return _by_name(self.all()).get(folded(name))

    def meant(self, name: str) -> list[Note]:
        """Return the notes that a name may mean: the one that `read` finds, else those it is a part of the name of."""
        exact = self.read(name)
        notes = {} if exact else {note.slug: note for note in self.all()}
        slugs = match_names(name, ((slug, (note.title, *note.aliases)) for slug, note in notes.items()))
        return [exact] if exact else [notes[slug] for slug in slugs]

    def all(self) -> list[Note]:
        """Return every note that can be read, the newest first. Files that did not change are not read again."""
        paths = self._files()
        self._read = {path: known for path, known in self._read.items() if path in set(paths)}
        found = [note for path in paths if (note := self._note(path)) is not None]
        return sorted(found, key=lambda note: note.updated, reverse=True)

    def links(self, note: Note) -> Links:
        """Return what a note links to and what links to it."""
        notes = self.all()
        named = _by_name(notes)
        found = {link: named.get(folded(link)) for link in note.links}
        back = [one for one in notes if any(named.get(folded(link)) == note for link in one.links)]
        return Links(
            tuple(dict.fromkeys(one.title for one in found.values() if one and one != note)),
            tuple(link for link, one in found.items() if one is None),
            tuple(one.title for one in back if one != note),
        )

    def versions(self, name: str) -> list[Version]:
        """Return the earlier texts of a note, the one put away last first; also of one that was renamed or is gone.

        Args:
            name: as in `read`.
        """
        note = self.read(name)
        slug, title = (note.slug, note.title) if note else (slugify(name), name)
        found = []
        for path in sorted((self._folder / HISTORY).glob("*.md")):
            mark = _VERSION.fullmatch(path.stem)
            at = _moment(mark[2]) if mark else None
            earlier = _parsed(path) if at else None
            if mark and at and earlier and (mark[1] == slug or folded(earlier.title) == folded(title)):
                found.append(Version(f"{HISTORY}/{path.name}", at, earlier))
        return sorted(found, key=lambda version: (version.at, len(version.file), version.file), reverse=True)

    def _files(self) -> list[Path]:
        return sorted(self._folder.glob("*.md")) if self._folder.is_dir() else []

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


def _by_name(notes: list[Note]) -> dict[str, Note]:
    """Return notes by every name they answer to; a title goes before other names, the newest note before others."""
    found: dict[str, Note] = {}
    for note in notes:
        found.setdefault(folded(note.title), note)
    for note in notes:
        for name in (note.slug, *note.aliases):
            found.setdefault(folded(name), note)
    return found


def _checked(title: str, text: str, at: str, reason: str | None, place: str | None) -> tuple[str, str]:
    """Return a title without needless spaces, and the entry.

    Raises:
        Refusal: when title or text is missing.
    """
    title = " ".join(title.split())
    if not title or not text.strip():
        raise Refusal("A note needs a title and a text.", "note Sundial -> The fin is missing.")
    return title, entry_text(text, at, reason, place)


def _text_of(path: Path) -> str:
    """Return a file's text; empty when it is not there.

    Raises:
        Refusal: when it cannot be understood as text.
    """
    try:
        return read_if_there(path, file=path.name) or ""
    except VaultProblem as error:
        raise Refusal(f"The note cannot be read: {error}") from None


def _is_free(path: Path) -> bool:
    """Whether a file holds nothing yet; an editor makes such a one for a link that it followed."""
    try:
        return is_blank(read_if_there(path) or "")
    except VaultProblem:
        return False


def _parsed(path: Path) -> Note | None:
    try:
        return read_note(read_if_there(path) or "", path.stem)
    except VaultProblem:
        return None


def _moment(stamp: str) -> str | None:
    try:
        return iso(datetime.strptime(stamp, _STAMP).replace(tzinfo=UTC))
    except ValueError:
        return None
