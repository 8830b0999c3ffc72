"""What a rebuild is made of: which parts, in which order, and the file that keeps those that are made.

The file stands beside the summaries until they hold, so that a rebuild that was killed goes on where it was. It is
believed only as far as it fits: other settings, or a line that cannot be understood, and the rest is made again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from agents.memory.archive import LineWriter
from agents.memory.ranges import Range
from agents.memory.summaries import Summary
from mud.storage.jsonl import JsonlWriter, read_jsonl
from mud.storage.paths import remove

CHUNK = 64
"""Memories of one part at most."""
GROUP = 16
"""Parts that are taken up into the long-term summary at once."""
FILE = "rebuild.jsonl"
_NAME = "rebuild"


@dataclass(frozen=True, slots=True)
class RebuildStep:
    """One part that is to be written.

    Args:
        tier: `recent` for a part made from memories alone, `longterm` for one that takes up those before.
        covers: what it stands for.
        entries: the memories that it is made from; None for none, it is made of the parts before.
    """

    tier: str
    covers: Range
    entries: Range | None


@dataclass(frozen=True, slots=True)
class RebuildLayout:
    """How the new summaries are to lie.

    Args:
        split: the long-term summary covers `1..split`; 0 for none.
        through: the recent one covers `split+1..through`; none when both are the same.
        chunk: memories of one part at most.
        rolling: every part takes up the one before, as the strategy has one summary.
    """

    split: int
    through: int
    chunk: int
    rolling: bool

    def steps(self) -> Iterator[RebuildStep]:
        """Yield the parts in the order in which they are written; the last of each tier are the summaries."""
        waiting = 0
        for first in range(1, self.split + 1, self.chunk):
            last = min(first + self.chunk - 1, self.split)
            if self.rolling:
                yield RebuildStep("longterm", (1, last), (first, last))
                continue
            yield RebuildStep("recent", (first, last), (first, last))
            waiting += 1
            if waiting == GROUP or last == self.split:
                yield RebuildStep("longterm", (1, last), None)
                waiting = 0
        if self.through > self.split:
            yield RebuildStep("recent", (self.split + 1, self.through), (self.split + 1, self.through))


def layout_of(through: int, recent: Range | None, window: int, *, rolling: bool) -> RebuildLayout:
    """Return how summaries of `1..through` are to lie.

    Args:
        through: the last memory that they stand for.
        recent: what the recent summary covers now, which stays; None for none, then it gets the newest.
        window: memories of one part at most, as the settings say; never more than `CHUNK`.
        rolling: the strategy has one summary.
    """
    chunk = max(1, min(window, CHUNK))
    if rolling:
        return RebuildLayout(through, through, CHUNK, True)
    stays = recent is not None and recent[1] == through and recent[1] - recent[0] < CHUNK
    split = recent[0] - 1 if stays and recent is not None else max(0, through - chunk)
    return RebuildLayout(split, through, chunk, False)


class RebuildProgress:
    """The file of one rebuild.

    Args:
        folder: the summaries' folder.
        open_writer: opens the file for appending; tests give one that fails or dies.
    """

    def __init__(self, folder: Path, open_writer: Callable[[Path], LineWriter] = JsonlWriter) -> None:
        self._path = folder / FILE
        self._open_writer = open_writer
        self._writer: LineWriter | None = None

    def begin(self, key: Mapping[str, object]) -> dict[tuple[str, Range], Summary]:
        """Open the file and return the parts in it, by tier and range; with another key it begins anew.

        Args:
            key: everything that decides what the parts are like.

        Raises:
            OSError: when it cannot be read or written.
        """
        lines = [line.data for line in read_jsonl(self._path)] if self._path.exists() else []
        if not lines or lines[0] is None or lines[0].get(_NAME) != json.loads(json.dumps(key)):
            self.end()
            lines = []
        self._writer = self._open_writer(self._path)
        if not lines:
            self._writer.append([json.dumps({_NAME: key}, ensure_ascii=False)])
        parts = [_part(line) for line in lines[1:]]
        return {(part.tier, part.covers): part for part in parts if part is not None}

    def add(self, part: Summary) -> None:
        """Keep one more part.

        Raises:
            OSError: when it cannot be written.
        """
        assert self._writer is not None
        self._writer.append([json.dumps(asdict(part), ensure_ascii=False)])

    def close(self) -> None:
        """Let go of the file, which stays."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def end(self) -> None:
        """Remove the file: the summaries hold, or it belongs to other settings."""
        self.close()
        for path in (self._path, *self._path.parent.glob(f"{FILE}.torn-*")):
            remove(path)


def _part(line: dict[str, Any] | None) -> Summary | None:
    """Return the part in a line; None when it cannot be understood."""
    try:
        first, last = (line or {})["covers"]
        sample = tuple(map(str, (line or {}).get("sample", ())))
        part = Summary(**{**(line or {}), "covers": (int(first), int(last)), "sample": sample, "unread": ()})  # none
    except (KeyError, TypeError, ValueError):
        return None
    whole = isinstance(part.text, str) and part.text and isinstance(part.tokens, dict)
    return part if whole and all(isinstance(one, int) for one in part.tokens.values()) else None
