"""The files of a folder of notes as they were at one moment; what did not change since is not read again."""

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
"""Errors of a folder in which there is nothing to read."""


class NoteFile(NamedTuple):
    """One file as it was read.

    Args:
        state: tells whether it is still the same: its inode, time of change and size.
        note: what it holds; None when that is no note.
        names: the title and the further names of the note, folded.
        links: the names that the note links to, folded.
    """

    state: tuple[int, int, int]
    note: Note | None
    names: frozenset[str]
    links: frozenset[str]


@dataclass(frozen=True)
class NoteSnapshot:
    """All files as they were at one moment; never changed, but replaced as a whole.

    Args:
        files: them, by their names.
        notes: the notes, the newest first; of equally new ones in the order of their files' names.
        changed: when a file had last come into the folder or gone from it, in nanoseconds; None when it was not there.
    """

    files: Mapping[str, NoteFile] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    changed: int | None = None

    @cached_property
    def titles(self) -> tuple[str, ...]:
        """The titles of the notes, the newest note first."""
        return tuple(note.title for note in self.notes)

    @cached_property
    def named(self) -> Mapping[str, Note]:
        """The notes by every name they answer to; a title goes before other names, the newest note before others."""
        found: dict[str, Note] = {}
        for note in self.notes:
            found.setdefault(folded(note.title), note)
        for note in self.notes:
            for name in (note.slug, *note.aliases):
                found.setdefault(folded(name), note)
        return found

    def titled(self, wanted: str) -> Note | None:
        """Return the newest note with this title or further name, folded; a file's name is none of them."""
        found = [file.note for file in self.files.values() if file.note and wanted in file.names]
        return next((note for note in self.notes if note in found), None) if found else None

    def looked(self, folder: Path) -> NoteSnapshot:
        """Return all files as they are now."""
        changed = changed_at(folder)  # first: what changes while it is looked at is seen again
        states = _states(folder)
        if {name: file.state for name, file in self.files.items()} == states:
            return self if self.changed == changed else replace(self, changed=changed)
        files = {}
        for name, state in sorted(states.items()):
            file = self.files.get(name)
            files[name] = file if file and file.state == state else _file(state, parsed(folder / name))
        return _shelf(files, changed)

    def written(self, path: Path, note: Note) -> NoteSnapshot:
        """Return the shelf with a file that was just written, so that it need not be read again."""
        try:
            file = _file(_state(os.stat(path)), note)  # noqa: PTH116  (as below)
        except OSError:
            return self  # somebody took it away already, as the next look will tell
        files, notes, name = dict(self.files), list(self.notes), path.name
        before = files.get(name)
        files[name] = file
        if before and before.note:
            notes.remove(before.note)
        # The newest stand on top, and nearly always this one is the newest: the others need not be sorted again.
        later = (
            at
            for at, one in enumerate(notes)
            if one.updated < note.updated or (one.updated == note.updated and one.slug + ENDING > name)
        )
        notes.insert(next(later, len(notes)), note)
        return NoteSnapshot(files, tuple(notes), changed_at(path.parent))


def changed_at(folder: Path) -> int | None:
    """Return when a file last came into a folder or went from it, in nanoseconds; None when it is not there."""
    try:
        return os.stat(folder).st_mtime_ns  # noqa: PTH116  (a path object takes twice as long)
    except OSError:
        return None


def names_in(folder: Path) -> list[str]:
    """Return the names of the markdown files in a folder, sorted; none when it is not there."""
    with suppress(*_NOWHERE), os.scandir(folder) as entries:
        return sorted(entry.name for entry in entries if entry.name.endswith(ENDING))
    return []


def parsed(path: Path) -> Note | None:
    """Return the note in a file; None when it is gone, or holds none."""
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
    """Return what tells whether a file is still the same, of each markdown file in a folder."""
    found = {}
    with suppress(*_NOWHERE), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(ENDING):
                with suppress(OSError):  # a link to nowhere, or just gone
                    if not entry.is_symlink() or may_be_read(folder / entry.name):
                        found[entry.name] = _state(entry.stat())
    return found


def _state(found: os.stat_result) -> tuple[int, int, int]:
    return found.st_ino, found.st_mtime_ns, found.st_size
