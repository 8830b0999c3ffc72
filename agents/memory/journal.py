"""The journal: facts that were kept before memories were folded (seed 003), in a file that people may read and edit.

`journal.md` holds at most `LIVE` entries. What has to make room goes to `journal-history.md` first, so that nothing is
ever lost: a kill in between leaves a line in both. Lines are added, marked and moved; every other line stays as people
left it. What to keep and what to consolidate is decided in `agents.mind.journal_keeper`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from agents.memory.archive import LineWriter
from agents.memory.journal_form import SYNTHESIS, JournalEntry, JournalLine, entry_lines, render_entry
from mud.errors import VaultProblem
from mud.storage.documents import examine_document, render_document, replace_key
from mud.storage.files import OWN_LIMIT, read_if_there, write_atomic
from mud.storage.jsonl import JsonlWriter

FILE = "journal.md"
HISTORY = "journal-history.md"
LIVE = 100
"""Entries in the journal at most (seed 003)."""
_INTRO = """# Journal

What is kept before memories are folded into a summary. Each line that begins with - is an entry; edit them freely.
"""


class Journal:
    """One character's journal.

    Args:
        folder: the character's folder.
        write: replaces a file as a whole.
        open_writer: opens the history for appending.
    """

    def __init__(
        self,
        folder: Path,
        write: Callable[[Path, str], None] = write_atomic,
        open_writer: Callable[[Path], LineWriter] = JsonlWriter,
    ) -> None:
        self._path, self._history = folder / FILE, folder / HISTORY
        self._write, self._open = write, open_writer

    def lines(self) -> list[JournalLine]:
        """Return the entries, oldest first, with the lines they stand in.

        Raises:
            OSError, VaultProblem: when the file cannot be read.
        """
        return list(entry_lines(self._text()))

    def through(self, owner: str, total: int) -> int:
        """Return the last memory that was looked through for facts; 0 when none was, or that cannot be told.

        The front matter says it; only where it does not, the entries do by what they refer to. People write in both:
        numbers of memories that there are not say nothing, nor do memories of others.

        Args:
            owner: folder of whose journal it is; references name it.
            total: how many memories there are.

        Raises:
            OSError, VaultProblem: as `lines`.
        """
        value = examine_document(self._text(), FILE)[0].front.get("through")
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= total:
            return value
        referred = [line.entry.last(owner) for line in self.lines() if line.entry.type != SYNTHESIS]
        return max((last for last in referred if last <= total), default=0)

    def keep(self, entries: Sequence[JournalEntry], through: int | None = None) -> None:
        """Add entries; those that have to make room go into the history.

        Args:
            entries: what is new.
            through: the last memory that was looked through; None leaves that as it was.

        Raises:
            OSError, VaultProblem: when a file cannot be read or written; then nothing is lost and all may be repeated.
        """
        self.settle({}, entries, through)

    def settle(
        self,
        changed: Mapping[str, JournalEntry | None],
        added: Sequence[JournalEntry] = (),
        through: int | None = None,
    ) -> None:
        """Replace entries by others, or move them into the history, and add new ones, in one write.

        A line that a person changed meanwhile is not among those that are replaced, so it stays.

        Args:
            changed: the entry that takes the place of each line, by the line as it was read; None moves it away.
            added: entries that come after all others.
            through: as in `keep`.

        Raises:
            OSError, VaultProblem: as `keep`.
        """
        before = self._text()
        text, away = _replaced(before, changed)
        if added:
            text = text or render_document({"type": "journal"}, _INTRO)
            text = f"{text.rstrip()}\n{'' if _ends_with_item(text) else chr(10)}"
            text += "".join(f"{render_entry(entry)}\n" for entry in added)
        text, crowded = _with_room(text)
        if through is not None and (text or added):
            text = _through(text, through)
        if moved := [*away, *crowded]:
            with_history = self._open(self._history)
            try:
                with_history.append(moved)
                with_history.sync()
            finally:
                with_history.close()
        if text != before:
            self._write(self._path, text)

    def state(self) -> tuple[int, int]:
        """Return what tells whether the file is still the same: its time of change and size; zeros when there is none.

        Raises:
            OSError: when that cannot be told.
        """
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return 0, 0
        return found.st_mtime_ns, found.st_size

    def _text(self) -> str:
        return (read_if_there(self._path, OWN_LIMIT, FILE) or "").replace("\r\n", "\n")


def _ends_with_item(text: str) -> bool:
    last = text.rstrip().rpartition("\n")[2]
    return any(entry_lines(last))


def _replaced(text: str, changed: Mapping[str, JournalEntry | None]) -> tuple[str, list[str]]:
    """Return a text with some of its entries replaced, and the lines that are to go into the history."""
    if not changed:
        return text, []
    left = dict(changed)
    out: list[str] = []
    away: list[str] = []
    for line in text.split("\n"):
        if line not in left:
            out.append(line)
        elif (entry := left.pop(line)) is not None:
            out.append(render_entry(entry))
        else:
            away.append(line)
    return "\n".join(out), away


def _with_room(text: str) -> tuple[str, list[str]]:
    """Return a text with no more than `LIVE` entries, and the lines that have to go.

    Those that stand elsewhere too go first, then what matters least as far as it is to be trusted, then what is oldest.
    """
    lines = list(entry_lines(text))
    over = len(lines) - LIVE
    if over <= 0:
        return text, []
    order = sorted(lines, key=lambda line: (not line.entry.consolidated, line.entry.importance * line.entry.trust))
    going = [line.raw for line in order[:over]]
    marked: dict[str, JournalEntry | None] = dict.fromkeys(going)
    return _replaced(text, marked)  # of a line that stands twice the second goes with the next entries


def _through(text: str, through: int) -> str:
    """Return a text that says which memories were looked through; front matter that is not in order stays as it is."""
    try:
        return replace_key(text, "through", through, FILE)
    except VaultProblem:
        return text


def superseded(lines: Sequence[JournalLine]) -> dict[str, JournalEntry | None]:
    """Return the summaries among the entries that are not marked yet, marked: a newer one takes them up."""
    return {
        line.raw: replace(line.entry, consolidated=True)
        for line in lines
        if line.entry.type == SYNTHESIS and not line.entry.consolidated
    }
