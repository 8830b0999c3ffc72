"""The journal: facts kept before memories are folded (seed 003), in a file that people may read and edit.

`journal.md` holds at most `LIVE` entries. Entries that must make room are first appended to `journal-history.md`; a
kill in between leaves them in both. Other lines stay as people left them. What to keep is decided in
`agents.mind.journal_keeper`.
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
    """The journal of one character. `open_writer` opens the history for appending."""

    def __init__(
        self,
        folder: Path,
        write: Callable[[Path, str], None] = write_atomic,
        open_writer: Callable[[Path], LineWriter] = JsonlWriter,
    ) -> None:
        self._path, self._history = folder / FILE, folder / HISTORY
        self._write, self._open = write, open_writer

    def lines(self) -> list[JournalLine]:
        """Return the entries, oldest first, with their lines. Raises OSError or VaultProblem."""
        return list(entry_lines(self._text()))

    def through(self, owner: str, total: int) -> int:
        """Return the last memory searched for facts; 0 when none was, or when that is unknown.

        The front matter says it, else the entries' references to `owner` (a folder) do. Numbers above `total` do not
        count.
        """
        value = examine_document(self._text(), FILE)[0].front.get("through")
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= total:
            return value
        referred = [line.entry.last(owner) for line in self.lines() if line.entry.type != SYNTHESIS]
        return max((last for last in referred if last <= total), default=0)

    def keep(self, entries: Sequence[JournalEntry], through: int | None = None) -> None:
        """Add entries; those that must make room go into the history. `through`: the last memory searched for facts.

        Raises:
            OSError, VaultProblem: then nothing is lost, and everything may be repeated.
        """
        self.settle({}, entries, through)

    def settle(
        self,
        changed: Mapping[str, JournalEntry | None],
        added: Sequence[JournalEntry] = (),
        through: int | None = None,
    ) -> None:
        """Replace entries, move some into the history (None), and add new ones, in one write. Raises as `keep`.

        `changed` is keyed by the line as it was read, so a line that a person changed meanwhile stays.
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
        """Return mtime and size of the file, to notice changes; zeros when there is none. Raises OSError."""
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
    """Return the text with entries replaced, and the lines for the history."""
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
    """Return the text with at most `LIVE` entries, and the lines that must go.

    Consolidated entries go first, then those with the lowest importance times trust, then the oldest.
    """
    lines = list(entry_lines(text))
    over = len(lines) - LIVE
    if over <= 0:
        return text, []
    order = sorted(lines, key=lambda line: (not line.entry.consolidated, line.entry.importance * line.entry.trust))
    going = [line.raw for line in order[:over]]
    marked: dict[str, JournalEntry | None] = dict.fromkeys(going)
    return _replaced(text, marked)  # of duplicate lines the second goes with the next entries


def _through(text: str, through: int) -> str:
    """Set `through` in the front matter; malformed front matter stays as it is."""
    try:
        return replace_key(text, "through", through, FILE)
    except VaultProblem:
        return text


def superseded(lines: Sequence[JournalLine]) -> dict[str, JournalEntry | None]:
    """Return the fold summaries not marked yet, marked as consolidated: a newer one includes them."""
    return {
        line.raw: replace(line.entry, consolidated=True)
        for line in lines
        if line.entry.type == SYNTHESIS and not line.entry.consolidated
    }
