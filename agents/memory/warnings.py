"""What is wrong with a memory now, as warnings that stay until they are taken back. It mends nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agents.memory.ranges import Range, merged, spoken

TOLD = 8
"""Ranges of unreadable memories that are named in warnings at most."""


class MemoryWarnings:
    """The warnings of one memory.

    Args:
        where: names the files that should hold a range of memories.
    """

    def __init__(self, where: Callable[[int, int], str]) -> None:
        self._where = where
        self._noted: dict[str, str] = {}
        self._unreadable: list[Range] = []
        self.last: str | None = None

    def clear(self) -> None:
        """Take all warnings back."""
        self._noted.clear()
        self._unreadable.clear()

    def note(self, what: str, text: str | None) -> None:
        """Show a warning until it is taken back.

        Args:
            what: what it is about; one warning each.
            text: the warning; None takes it back.
        """
        if text is None:
            self._noted.pop(what, None)
        else:
            self._noted[what] = self.last = text

    def guarded(self, work: Callable[[], list[str]]) -> list[str]:
        """Do something with the summary files and return what it says; a disk that refuses becomes a warning."""
        try:
            messages = work()
        except OSError as error:
            text = f"the summary files cannot be written ({error})"
            self.note("summaries", text)
            return [text]
        self.note("summaries", None)
        return messages

    def note_unreadable(self, first: int, last: int) -> None:
        """Show a warning that a range of memories cannot be read."""
        self._unreadable = merged([*self._unreadable, (first, last)])

    @staticmethod
    def unknown(ranges: Sequence[Range]) -> list[str]:
        """Return the warnings of memories that were folded unread."""
        told = [
            f"{spoken(first, last)} cannot be read; the summary does not know {'it' if first == last else 'them'}"
            for first, last in ranges[:TOLD]
        ]
        more = len(ranges) - len(told)
        return [*told, *([f"{_ranges(more)} that were folded unread"] if more > 0 else [])]

    @property
    def warnings(self) -> list[str]:
        """One sentence each."""
        told = [
            f"{spoken(first, last)} cannot be read: {self._where(first, last)}"
            for first, last in self._unreadable[:TOLD]
        ]
        more = len(self._unreadable) - len(told)
        return [*self._noted.values(), *told, *([f"{_ranges(more)} that cannot be read"] if more else [])]


def _ranges(more: int) -> str:
    return "there is 1 more range of memories" if more == 1 else f"there are {more:,} more ranges of memories"
