"""Notes: a markdown file for each title, the newest entry on top.

People own these files too: an entry is inserted under the title, and the rest stays byte for byte. Replaced texts are
kept as files in `history/`, named after the note and the time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from agents.memory.note_form import Note, entry_text, folded, is_blank, new_file, read_note, with_entry, with_only
from agents.memory.note_shelf import ENDING, NoteSnapshot, changed_at, names_in, parsed
from mud.clock import iso, parse_iso
from mud.errors import Refusal, VaultProblem
from mud.storage.files import READ_LIMIT, encode, free_stem, read_if_there, slugify, write_atomic, write_unsynced
from mud.world.matching import match_names

__all__ = ["Links", "Note", "NoteVersion", "Notes"]

HISTORY = "history"
_STAMP = "%Y%m%d-%H%M%S"
_VERSION = re.compile(r"((.+?)(?:-\d+)?)-(\d{8}-\d{6})(?:-\d+)?")
"""Name of an earlier text: the slug, also without its number, and the time."""


class NoteVersion(NamedTuple):
    """An earlier text of a note. `file`: path in the notes folder; `at`: when it was replaced."""

    file: str
    at: str
    note: Note


class Links(NamedTuple):
    """Links of a note. `to`, `back`: titles of notes linked to and from; `unwritten`: names without a note."""

    to: tuple[str, ...]
    unwritten: tuple[str, ...]
    back: tuple[str, ...]


class Notes:
    """The notes of one character. One thread may read while another writes."""

    def __init__(self, folder: Path, write: Callable[[Path, str], None] = write_atomic) -> None:
        self._folder = folder
        self._write = write
        self._in_bulk = False
        self._shelf = NoteSnapshot()

    @contextmanager
    def in_bulk(self) -> Iterator[None]:
        """Do not wait for the disk within the block; the caller syncs at its end.

        The folder is not scanned before each entry either: edits made meanwhile are noticed afterwards.
        """
        before = self._write, self._in_bulk
        self._write, self._in_bulk = write_unsynced, True
        try:
            yield
        finally:
            self._write, self._in_bulk = before

    def add(self, title: str, text: str, at: str, reason: str | None = None, place: str | None = None) -> Note:
        """Add an entry on top of the note with this title or alias; return the note.

        Raises:
            Refusal: when title or text is missing, or the note is full.
            OSError: when it cannot be written.
        """
        title, entry = _checked(title, text, at, reason, place)
        path = self._path(title)
        raw = _text_of(path)
        return self._written(path, new_file(title, entry) if is_blank(raw) else with_entry(raw, entry))

    def overwrite(
        self, title: str, text: str, at: str, reason: str | None = None, place: str | None = None
    ) -> tuple[Note, bool]:
        """Replace everything below a note's title with one entry; return the note, and whether an old text was kept.

        The old text goes into the history; front matter and title stay. A new note is written as by `add`. Raises as
        `add`; the old text then stays.
        """
        title, entry = _checked(title, text, at, reason, place)
        path = self._path(title)
        kept = None
        while not is_blank(raw := _text_of(path)) and raw != kept:  # texts saved meanwhile are kept as well
            self._keep(path.stem, raw, at)
            kept = raw
        written = self._written(path, new_file(title, entry) if is_blank(raw) else with_only(raw, entry))
        return written, kept is not None

    def restore(self, title: str, at: str) -> Note | None:
        """Swap a note's text with the newest of its history; return None when there is none. Raises as `overwrite`."""
        earlier = next(iter(self.versions(title)), None)
        if earlier is None:
            return None
        before, path = self._folder / earlier.file, self._path(earlier.note.title)
        text, kept = _text_of(before), None
        while not is_blank(raw := _text_of(path)) and raw != kept:
            self._keep(path.stem, raw, at)
            kept = raw
        written = self._written(path, text)
        before.unlink(missing_ok=True)  # it is in use again
        return written

    def amend(self, title: str, amended: Callable[[str], str]) -> Note | None:
        """Rewrite a note's whole file with a function; return the note, None when nothing changed. Raises as `add`."""
        path = self._path(" ".join(title.split()))
        raw = _text_of(path)
        text = amended(raw)
        return self._written(path, text) if text != raw else None

    def _written(self, path: Path, text: str) -> Note:
        if len(encode(text)) > READ_LIMIT:
            raise Refusal("There is no room left in this note.", "begin another one under a new title")
        self._write(path, text)
        note = read_note(text, path.stem)
        if note is None:
            raise Refusal(f"The note {path.name} was written and cannot be read back.")
        self._shelf = self._shelf.written(path, note)
        return note

    def _keep(self, slug: str, raw: str, at: str) -> None:
        history = self._folder / HISTORY
        taken = {Path(name).stem for name in names_in(history)}
        stamp = parse_iso(at).astimezone(UTC).strftime(_STAMP)
        self._write(history / f"{free_stem(taken, f'{slug}-{stamp}')}.md", raw)

    def _path(self, title: str) -> Path:
        """Return the file of a note, or a free name; two titles with one slug get two files."""
        wanted, shelf = folded(title), self._glanced() if self._in_bulk else self._looked()
        if note := shelf.titled(wanted):
            return self._folder / f"{note.slug}{ENDING}"
        blank = {name for name, file in shelf.files.items() if file.note is None and _is_free(self._folder / name)}
        taken = {name.removesuffix(ENDING) for name in shelf.files if name not in blank}
        return self._folder / f"{free_stem(taken, slugify(title))}.md"

    def titles(self) -> list[str]:
        """Return the titles, newest note first, with hardly any disk access: each thought begins with it.

        Edits in place are noticed only when the notes are next read, which the vault's watcher causes.
        """
        return list(self._glanced().titles)

    def read(self, name: str) -> Note | None:
        """Return the note with this title, alias or file name, in any case."""
        return self._looked().named.get(folded(name))

    def meant(self, name: str) -> list[Note]:
        """Return the note that `read` finds, else all whose title or aliases contain the name."""
        shelf = self._looked()
        exact = shelf.named.get(folded(name))
        notes = {} if exact else {note.slug: note for note in shelf.notes}
        slugs = match_names(name, ((slug, (note.title, *note.aliases)) for slug, note in notes.items()))
        return [exact] if exact else [notes[slug] for slug in slugs]

    def all(self) -> list[Note]:
        """Return all readable notes, newest first."""
        return list(self._looked().notes)

    def links(self, note: Note) -> Links:
        shelf = self._looked()
        found = {link: shelf.named.get(folded(link)) for link in note.links}
        names = {name for name, one in shelf.named.items() if one.slug == note.slug}
        back = {file.note.slug for file in shelf.files.values() if file.note and not names.isdisjoint(file.links)}
        return Links(
            tuple(dict.fromkeys(one.title for one in found.values() if one and one.slug != note.slug)),
            tuple(link for link, one in found.items() if one is None),
            tuple(one.title for one in shelf.notes if one.slug in back and one.slug != note.slug),
        )

    def versions(self, name: str) -> list[NoteVersion]:
        """Return the earlier texts of a note, newest first; also of a renamed or deleted one."""
        note = self.read(name)
        slug, title = (note.slug, note.title) if note else (slugify(name), name)
        called, found = slugify(title), []
        for file in names_in(self._folder / HISTORY):
            mark = _VERSION.fullmatch(file.removesuffix(ENDING))
            # The earlier texts of a renamed file keep the name made from the title.
            if not mark or (mark[1] != slug and called not in mark.group(1, 2)):
                continue
            at, earlier = _moment(mark[3]), parsed(self._folder / HISTORY / file)
            if at and earlier and (mark[1] == slug or folded(earlier.title) == folded(title)):
                found.append(NoteVersion(f"{HISTORY}/{file}", at, earlier))
        return sorted(found, key=lambda version: (version.at, len(version.file), version.file), reverse=True)

    def _glanced(self) -> NoteSnapshot:
        """Return the last snapshot unless files were added or removed since; in bulk, the one at its beginning."""
        shelf = self._shelf
        changed = shelf.changed if self._in_bulk else changed_at(self._folder)
        return shelf if changed is not None and changed == shelf.changed else self._looked()

    def _looked(self) -> NoteSnapshot:
        # Another thread may replace the attribute at once, but not what is returned.
        self._shelf = shelf = self._shelf.looked(self._folder)
        return shelf


def _checked(title: str, text: str, at: str, reason: str | None, place: str | None) -> tuple[str, str]:
    title = " ".join(title.split())
    if not title or not text.strip():
        raise Refusal("A note needs a title and a text.", "note Sundial -> The fin is missing.")
    return title, entry_text(text, at, reason, place)


def _text_of(path: Path) -> str:
    try:
        return read_if_there(path, file=path.name) or ""
    except VaultProblem as error:
        raise Refusal(f"The note cannot be read: {error}") from None


def _is_free(path: Path) -> bool:
    """Return whether a file is blank; editors create such files when they follow a link."""
    try:
        return is_blank(read_if_there(path) or "")
    except VaultProblem:
        return False


def _moment(stamp: str) -> str | None:
    try:
        return iso(datetime.strptime(stamp, _STAMP).replace(tzinfo=UTC))
    except ValueError:
        return None
