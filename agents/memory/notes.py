"""Notes: what somebody chose to write down, a markdown file for each title, the newest entry on top.

People own these files too: an entry is put in under the title, and everything else stays as they left it, byte for
byte. Nothing here ever removes what was written: a text that is replaced is kept whole, as a file in `history/` beside
the notes, named after the note and the moment it was put away. What stands there is no note any more.
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
"""The folder of earlier texts."""
_STAMP = "%Y%m%d-%H%M%S"
_VERSION = re.compile(r"((.+?)(?:-\d+)?)-(\d{8}-\d{6})(?:-\d+)?")
"""The name of an earlier text: the slug, also without the number of a further file of it, and when."""


class NoteVersion(NamedTuple):
    """An earlier text of a note.

    Args:
        file: its name in the folder of the notes.
        at: when it was put away.
        note: what it was.
    """

    file: str
    at: str
    note: Note


class Links(NamedTuple):
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
    """One character's notes. One thread may read them while another writes.

    Args:
        folder: where they are; made with the first note.
        write: replaces a file as a whole.
    """

    def __init__(self, folder: Path, write: Callable[[Path, str], None] = write_atomic) -> None:
        self._folder = folder
        self._write = write
        self._in_bulk = False
        self._shelf = NoteSnapshot()

    # writing

    @contextmanager
    def in_bulk(self) -> Iterator[None]:
        """Within it no note waits for the disk: whoever writes so much at once has all of it synced at its end.

        Nor is the folder looked at before each entry: what people change in it meanwhile is known afterwards, and an
        entry is put into its file as that stands.
        """
        before = self._write, self._in_bulk
        self._write, self._in_bulk = write_unsynced, True
        try:
            yield
        finally:
            self._write, self._in_bulk = before

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

    def overwrite(
        self, title: str, text: str, at: str, reason: str | None = None, place: str | None = None
    ) -> tuple[Note, bool]:
        """Write an entry instead of all there is under this title, which is kept in the history.

        Front matter and title line stay; a note that is not there yet is written as `add` does.

        Args:
            title: as in `add`.
            text: the entry.
            at: when, written.
            reason: the private reason for it.
            place: where.

        Returns:
            The note as it is now, and whether there was a text that is kept now.

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
        written = self._written(path, new_file(title, entry) if is_blank(raw) else with_only(raw, entry))
        return written, kept is not None

    def restore(self, title: str, at: str) -> Note | None:
        """Write the text that was put away last in place of what a note says now, which is put away for it.

        Args:
            title: as in `read`.
            at: when, written.

        Returns:
            The note as it is now; None when no text of it was ever put away.

        Raises:
            Refusal, OSError: as `overwrite` does.
        """
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
        """Write a note as something makes it of its whole file as it stands; None when that changes nothing.

        Raises:
            Refusal, OSError: as `add` does.
        """
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
        """Put an earlier text away, byte for byte."""
        history = self._folder / HISTORY
        taken = {Path(name).stem for name in names_in(history)}
        stamp = parse_iso(at).astimezone(UTC).strftime(_STAMP)
        self._write(history / f"{free_stem(taken, f'{slug}-{stamp}')}.md", raw)

    def _path(self, title: str) -> Path:
        """Return the file for a title: its note's, or a free one; two titles of one slug get two files."""
        wanted, shelf = folded(title), self._glanced() if self._in_bulk else self._looked()
        if note := shelf.titled(wanted):
            return self._folder / f"{note.slug}{ENDING}"
        blank = {name for name, file in shelf.files.items() if file.note is None and _is_free(self._folder / name)}
        taken = {name.removesuffix(ENDING) for name in shelf.files if name not in blank}
        return self._folder / f"{free_stem(taken, slugify(title))}.md"

    # reading

    def titles(self) -> list[str]:
        """Return the titles, the newest note first. Next to nothing is asked of the disk: every thought begins with it.

        A note that came, went or was written here is known at once; one edited in its place when the notes are next
        read, which whoever watches the vault sees to.
        """
        return list(self._glanced().titles)

    def read(self, name: str) -> Note | None:
        """Return the note that a name means in any case: a title, else a further name or a file's; None when none."""
        return self._looked().named.get(folded(name))

    def meant(self, name: str) -> list[Note]:
        """Return the notes that a name may mean: the one that `read` finds, else those it is a part of the name of."""
        shelf = self._looked()
        exact = shelf.named.get(folded(name))
        notes = {} if exact else {note.slug: note for note in shelf.notes}
        slugs = match_names(name, ((slug, (note.title, *note.aliases)) for slug, note in notes.items()))
        return [exact] if exact else [notes[slug] for slug in slugs]

    def all(self) -> list[Note]:
        """Return every note that can be read, the newest first. Files that did not change are not read again."""
        return list(self._looked().notes)

    def links(self, note: Note) -> Links:
        """Return what a note links to and what links to it."""
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
        """Return the earlier texts of a note, the one put away last first; also of one that was renamed or is gone.

        Args:
            name: as in `read`.
        """
        note = self.read(name)
        slug, title = (note.slug, note.title) if note else (slugify(name), name)
        called, found = slugify(title), []
        for file in names_in(self._folder / HISTORY):
            mark = _VERSION.fullmatch(file.removesuffix(ENDING))
            # Of a note whose file was renamed, the earlier texts have the name that its title gave it.
            if not mark or (mark[1] != slug and called not in mark.group(1, 2)):
                continue
            at, earlier = _moment(mark[3]), parsed(self._folder / HISTORY / file)
            if at and earlier and (mark[1] == slug or folded(earlier.title) == folded(title)):
                found.append(NoteVersion(f"{HISTORY}/{file}", at, earlier))
        return sorted(found, key=lambda version: (version.at, len(version.file), version.file), reverse=True)

    def _glanced(self) -> NoteSnapshot:
        """Return all files as they were when one last came into the folder or went from it, or was written here; in
        bulk as they were at its beginning.
        """
        shelf = self._shelf
        changed = shelf.changed if self._in_bulk else changed_at(self._folder)
        return shelf if changed is not None and changed == shelf.changed else self._looked()

    def _looked(self) -> NoteSnapshot:
        """Return all files as they are now; what did not change is not read again."""
        # The shelf of the other thread may take this one's place at once, but not in what is returned.
        self._shelf = shelf = self._shelf.looked(self._folder)
        return shelf


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


def _moment(stamp: str) -> str | None:
    try:
        return iso(datetime.strptime(stamp, _STAMP).replace(tzinfo=UTC))
    except ValueError:
        return None
