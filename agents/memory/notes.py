"""Notes: a markdown file for each title, the newest entry on top.

People own these files too: an entry is inserted under the title, and the rest stays byte for byte. Replaced texts are
kept as files in `history/`, named after the note and the time.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from agents.memory.note_form import (
    Note,
    entry_text,
    folded,
    is_blank,
    new_file,
    read_note,
    with_body,
    with_entry,
    with_only,
)
from mud.clock import iso, parse_iso
from mud.errors import Refusal, VaultProblem
from mud.storage.files import READ_LIMIT, encode, free_stem, read_if_there, slugify, write_atomic, write_unsynced
from mud.storage.paths import may_be_read
from mud.world.matching import match_names

_ENDING = ".md"
_HISTORY = "history"
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


class _File(NamedTuple):
    """One file as read. `state`: inode, mtime and size, to notice changes; `names`, `links`: folded."""

    state: tuple[int, int, int]
    note: Note | None
    names: frozenset[str] = frozenset()
    links: frozenset[str] = frozenset()


@dataclass(frozen=True)
class _Snapshot:
    """All files at one moment; immutable. `changed`: mtime of the folder in ns; None when it does not exist."""

    files: Mapping[str, _File] = field(default_factory=dict)
    changed: int | None = None

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """The notes, newest first."""
        found = (note for name in sorted(self.files) if (note := self.files[name].note) is not None)
        return tuple(sorted(found, key=lambda note: note.updated, reverse=True))

    @cached_property
    def titles(self) -> tuple[str, ...]:
        return tuple(note.title for note in self.notes)

    @cached_property
    def named(self) -> Mapping[str, Note]:
        """The notes by folded name: titles first, then slugs and aliases; newer notes win."""
        found = {folded(note.title): note for note in reversed(self.notes)}
        for note in self.notes:
            for name in (note.slug, *note.aliases):
                found.setdefault(folded(name), note)
        return found

    def looked(self, folder: Path) -> _Snapshot:
        """Return a snapshot of the folder as it is now; files that did not change are not read again."""
        changed = _changed_at(folder)  # first, so that a change made meanwhile is noticed the next time
        states: dict[str, tuple[int, int, int]] = {}
        if not may_be_read(folder):
            return _Snapshot()
        with suppress(FileNotFoundError, NotADirectoryError, PermissionError), os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(_ENDING):
                    with suppress(OSError):  # a dangling link, or just gone
                        if not entry.is_symlink() or may_be_read(folder / entry.name):
                            states[entry.name] = _state(entry.stat())
        if {name: file.state for name, file in self.files.items()} == states:
            return self if self.changed == changed else replace(self, changed=changed)
        files = {}
        for name, state in states.items():
            file = self.files.get(name)
            files[name] = file if file and file.state == state else _file(state, _parsed(folder / name))
        return _Snapshot(files, changed)

    def written(self, path: Path, note: Note) -> _Snapshot:
        """Return the snapshot with a file that was just written, without reading it."""
        try:
            file = _file(_state(os.stat(path)), note)  # noqa: PTH116  (as below)
        except OSError:
            return self  # already gone; the next look notices
        return _Snapshot({**self.files, path.name: file}, _changed_at(path.parent))


def _changed_at(folder: Path) -> int | None:
    try:
        return os.stat(folder).st_mtime_ns  # noqa: PTH116  (a path object takes twice as long)
    except OSError:
        return None


def _state(found: os.stat_result) -> tuple[int, int, int]:
    return found.st_ino, found.st_mtime_ns, found.st_size


def _file(state: tuple[int, int, int], note: Note | None) -> _File:
    if note is None:
        return _File(state, None)
    names = frozenset(map(folded, (note.title, *note.aliases)))
    return _File(state, note, names, frozenset(map(folded, note.links)))


def _parsed(path: Path) -> Note | None:
    """Return the note in a file; None when it is missing or holds none."""
    try:
        return read_note(read_if_there(path) or "", path.stem)
    except VaultProblem:
        return None


class Notes:
    """The notes of one character. One thread may read while another writes."""

    def __init__(self, folder: Path, write: Callable[[Path, str], None] = write_atomic) -> None:
        self._folder = folder
        self._write = write
        self._in_bulk = False
        self._snapshot = _Snapshot()

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

        Raises Refusal when title or text is missing, or the note is full; OSError when it cannot be written.
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
        raw, kept = self._keep(path, at)
        return self._written(path, new_file(title, entry) if is_blank(raw) else with_only(raw, entry)), kept

    def restore(self, title: str, at: str) -> Note | None:
        """Swap a note's text with the newest of its history; return None when there is none. Raises as `overwrite`."""
        earlier = next(iter(self.versions(title)), None)
        if earlier is None:
            return None
        before, path = self._folder / earlier.file, self._path(earlier.note.title)
        text = _text_of(before)
        self._keep(path, at)
        written = self._written(path, text)
        before.unlink(missing_ok=True)  # it is in use again
        return written

    def amend(self, title: str, amended: Callable[[str], str]) -> Note | None:
        """Rewrite a note's whole file with a function; return the note, None when nothing changed. Raises as `add`."""
        path = self._path(" ".join(title.split()))
        raw = _text_of(path)
        text = amended(raw)
        return self._written(path, text) if text != raw else None

    def correct(self, corrected: Callable[[str], str], at: str) -> int:
        """Rewrite what stands below the front matter of all notes with a function; return how many notes changed.

        Their old texts go into the history. Raises as `overwrite`; then the rest of the notes is as it was.
        """
        changed = 0
        for note in self.all():
            path = self._folder / f"{note.slug}{_ENDING}"
            if with_body(raw := _text_of(path), corrected) != raw:
                raw, _ = self._keep(path, at)
                self._written(path, with_body(raw, corrected))
                changed += 1
        return changed

    def _written(self, path: Path, text: str) -> Note:
        if len(encode(text)) > READ_LIMIT:
            raise Refusal("There is no room left in this note.", "begin another one under a new title")
        self._write(path, text)
        note = read_note(text, path.stem)
        if note is None:
            raise Refusal(f"The note {path.name} was written and cannot be read back.")
        self._snapshot = self._snapshot.written(path, note)
        return note

    def _keep(self, path: Path, at: str) -> tuple[str, bool]:
        """Keep a note's text in the history; return it, and whether there is one."""
        history, kept = self._folder / _HISTORY, None
        while not is_blank(raw := _text_of(path)) and raw != kept:  # texts saved meanwhile are kept as well
            name = f"{path.stem}-{parse_iso(at).astimezone(UTC).strftime(_STAMP)}"
            taken = {other.stem for other in history.glob(f"*{_ENDING}")}
            self._write(history / f"{free_stem(taken, name)}{_ENDING}", raw)
            kept = raw
        return raw, kept is not None

    def _path(self, title: str) -> Path:
        """Return the file of a note, or a free name; two titles with one slug get two files."""
        wanted, shown = folded(title), self._glanced() if self._in_bulk else self._looked()
        for note in shown.notes:
            if wanted in shown.files[f"{note.slug}{_ENDING}"].names:
                return self._folder / f"{note.slug}{_ENDING}"
        blank = {name for name, file in shown.files.items() if file.note is None and _is_free(self._folder / name)}
        taken = {name.removesuffix(_ENDING) for name in shown.files if name not in blank}
        return self._folder / f"{free_stem(taken, slugify(title))}{_ENDING}"

    def titles(self) -> tuple[str, ...]:
        """Return the titles, newest note first, with hardly any disk access: each thought begins with it.

        Edits in place are noticed only when the notes are next read, which the vault's watcher causes.
        """
        return self._glanced().titles

    def read(self, name: str) -> Note | None:
        """Return the note with this title, alias or file name, in any case."""
        return self._looked().named.get(folded(name))

    def meant(self, name: str) -> list[Note]:
        """Return the note that `read` finds, else all whose title or aliases contain the name."""
        shown = self._looked()
        if exact := shown.named.get(folded(name)):
            return [exact]
        notes = {note.slug: note for note in shown.notes}
        slugs = match_names(name, ((slug, (note.title, *note.aliases)) for slug, note in notes.items()))
        return [notes[slug] for slug in slugs]

    def all(self) -> list[Note]:
        """Return all readable notes, newest first."""
        return list(self._looked().notes)

    def links(self, note: Note) -> Links:
        shown = self._looked()
        found = {link: shown.named.get(folded(link)) for link in note.links}
        names = {name for name, one in shown.named.items() if one.slug == note.slug}
        back = {file.note.slug for file in shown.files.values() if file.note and not names.isdisjoint(file.links)}
        return Links(
            tuple(dict.fromkeys(one.title for one in found.values() if one and one.slug != note.slug)),
            tuple(link for link, one in found.items() if one is None),
            tuple(one.title for one in shown.notes if one.slug in back and one.slug != note.slug),
        )

    def versions(self, name: str) -> list[NoteVersion]:
        """Return the earlier texts of a note, newest first; also of a renamed or deleted one."""
        note = self.read(name)
        slug, title = (note.slug, note.title) if note else (slugify(name), name)
        found = []
        for path in (self._folder / _HISTORY).glob(f"*{_ENDING}"):
            mark = _VERSION.fullmatch(path.stem)
            # The earlier texts of a renamed file keep the name made from the title.
            if not mark or (mark[1] != slug and slugify(title) not in mark.group(1, 2)):
                continue
            try:
                at = iso(datetime.strptime(mark[3], _STAMP).replace(tzinfo=UTC))
            except ValueError:  # no such day
                continue
            earlier = _parsed(path)
            if earlier and (mark[1] == slug or folded(earlier.title) == folded(title)):
                found.append(NoteVersion(f"{_HISTORY}/{path.name}", at, earlier))
        return sorted(found, key=lambda version: (version.at, len(version.file), version.file), reverse=True)

    def _glanced(self) -> _Snapshot:
        """Return the last snapshot unless files were added or removed since; in bulk, the one at its beginning."""
        shown = self._snapshot
        changed = shown.changed if self._in_bulk else _changed_at(self._folder)
        return shown if changed is not None and changed == shown.changed else self._looked()

    def _looked(self) -> _Snapshot:
        # Another thread may replace the attribute at once, but not what is returned.
        self._snapshot = shown = self._snapshot.looked(self._folder)
        return shown


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
