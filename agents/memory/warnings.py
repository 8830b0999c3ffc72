"""Warnings about one memory, kept until they are cleared."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agents.memory.ranges import Range, merged, spoken

TOLD = 8
"""Unreadable ranges that are named at most."""


class MemoryWarnings:
    """The warnings of one memory. `where` names the files that should hold a range of entries."""

    def __init__(self, where: Callable[[int, int], str]) -> None:
        self._where = where
        self._noted: dict[str, str] = {}
        self._unreadable: list[Range] = []
        self.last: str | None = None

    def clear(self) -> None:
        self._noted.clear()
        self._unreadable.clear()

    def note(self, what: str, text: str | None) -> None:
        """Set the warning of a key, or clear it with None."""
        if text is None:
            self._noted.pop(what, None)
        else:
            self._noted[what] = self.last = text

    def guarded(self, work: Callable[[], list[str]]) -> list[str]:
        """Run work on the summary files and return its messages; an OSError becomes a warning."""
        try:
            messages = work()
        except OSError as error:
            text = f"the summary files cannot be written ({error})"
            self.note("summaries", text)
            return [text]
        self.note("summaries", None)
        return messages

    def note_unreadable(self, first: int, last: int) -> None:
        self._unreadable = merged([*self._unreadable, (first, last)])

    @staticmethod
    def unknown(ranges: Sequence[Range]) -> list[str]:
        """Return warnings for memories that were folded unread."""
        told = [
            f"{spoken(first, last)} cannot be read; the summary does not know {'it' if first == last else 'them'}"
            for first, last in ranges[:TOLD]
        ]
        more = len(ranges) - len(told)
        return [*told, *([f"{_ranges(more)} that were folded unread"] if more > 0 else [])]

    @property
    def warnings(self) -> list[str]:
        told = [
            f"{spoken(first, last)} cannot be read: {self._where(first, last)}"
            for first, last in self._unreadable[:TOLD]
        ]
        more = len(self._unreadable) - len(told)
        return [*self._noted.values(), *told, *([f"{_ranges(more)} that cannot be read"] if more else [])]


def _ranges(more: int) -> str:
    return "there is 1 more range of memories" if more == 1 else f"there are {more:,} more ranges of memories"
