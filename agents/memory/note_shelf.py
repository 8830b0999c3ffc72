"""A snapshot of a folder of notes; files that did not change are not read again."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from agents.memory.note_form import Note, folded, read_note
from mud.errors import VaultProblem
from mud.storage.files import read_if_there
from mud.storage.paths import may_be_read

ENDING = ".md"
_NOWHERE = (FileNotFoundError, NotADirectoryError, PermissionError)
"""Errors that count as an empty folder."""


class NoteFile(NamedTuple):
    """One file as read. `state`: inode, mtime and size, to notice changes; `names`, `links`: folded."""

    state: tuple[int, int, int]
    note: Note | None
    names: frozenset[str]
    links: frozenset[str]


@dataclass(frozen=True)
class NoteSnapshot:
    """All files at one moment; immutable. `notes`: newest first; `changed`: mtime of the folder in ns, or None."""

    files: Mapping[str, NoteFile] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    changed: int | None = None

    @cached_property
    def titles(self) -> tuple[str, ...]:
        return tuple(note.title for note in self.notes)

    @cached_property
    def named(self) -> Mapping[str, Note]:
        """The notes by folded name: titles first, then slugs and aliases; newer notes win."""
        found: dict[str, Note] = {}
        for note in self.notes:
            found.setdefault(folded(note.title), note)
        for note in self.notes:
            for name in (note.slug, *note.aliases):
                found.setdefault(folded(name), note)
        return found

    def titled(self, wanted: str) -> Note | None:
        """Return the newest note with this folded title or alias; file names do not count."""
        found = [file.note for file in self.files.values() if file.note and wanted in file.names]
        return next((note for note in self.notes if note in found), None) if found else None

    def looked(self, folder: Path) -> NoteSnapshot:
        """Return a snapshot of the folder as it is now."""
        changed = changed_at(folder)  # first, so that a change made meanwhile is noticed the next time
        states = _states(folder)
        if {name: file.state for name, file in self.files.items()} == states:
            return self if self.changed == changed else replace(self, changed=changed)
        files = {}
        for name, state in sorted(states.items()):
            file = self.files.get(name)
            files[name] = file if file and file.state == state else _file(state, parsed(folder / name))
        return _shelf(files, changed)

    def written(self, path: Path, note: Note) -> NoteSnapshot:
        """Return the snapshot with a file that was just written, without reading it."""
        try:
            file = _file(_state(os.stat(path)), note)  # noqa: PTH116  (as below)
        except OSError:
            return self  # already gone; the next look notices
        files, notes, name = dict(self.files), list(self.notes), path.name
        before = files.get(name)
        files[name] = file
        if before and before.note:
            notes.remove(before.note)
        # Notes are sorted by age and this is nearly always the newest, so it is inserted instead of sorting again.
        later = (
            at
            for at, one in enumerate(notes)
            if one.updated < note.updated or (one.updated == note.updated and one.slug + ENDING > name)
        )
        notes.insert(next(later, len(notes)), note)
        return NoteSnapshot(files, tuple(notes), changed_at(path.parent))


def changed_at(folder: Path) -> int | None:
    """Return the mtime of a folder in nanoseconds; None when it does not exist."""
    try:
        return os.stat(folder).st_mtime_ns  # noqa: PTH116  (a path object takes twice as long)
    except OSError:
        return None


def names_in(folder: Path) -> list[str]:
    """Return the sorted names of the markdown files in a folder; none when it does not exist."""
    with suppress(*_NOWHERE), os.scandir(folder) as entries:
        return sorted(entry.name for entry in entries if entry.name.endswith(ENDING))
    return []


def parsed(path: Path) -> Note | None:
    """Return the note in a file; None when it is missing or holds none."""
    try:
        return read_note(read_if_there(path) or "", path.stem)
    except VaultProblem:
        return None


def _shelf(files: Mapping[str, NoteFile], changed: int | None) -> NoteSnapshot:
    found: Sequence[Note] = [note for name in sorted(files) if (note := files[name].note) is not None]
    return NoteSnapshot(files, tuple(sorted(found, key=lambda note: note.updated, reverse=True)), changed)


def _file(state: tuple[int, int, int], note: Note | None) -> NoteFile:
    if note is None:
        return NoteFile(state, None, frozenset(), frozenset())
    names = frozenset(map(folded, (note.title, *note.aliases)))
    return NoteFile(state, note, names, frozenset(map(folded, note.links)))


def _states(folder: Path) -> dict[str, tuple[int, int, int]]:
    found = {}
    with suppress(*_NOWHERE), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(ENDING):
                with suppress(OSError):  # a dangling link, or just gone
                    if not entry.is_symlink() or may_be_read(folder / entry.name):
                        found[entry.name] = _state(entry.stat())
    return found


def _state(found: os.stat_result) -> tuple[int, int, int]:
    return found.st_ino, found.st_mtime_ns, found.st_size
