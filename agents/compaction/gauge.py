"""The gauge: how long a life's view is, kept up to date memory by memory, so that asking costs nothing.

It counts what no summary stands for once, when it is first asked, and from then on only what comes and what is folded.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from agents.compaction.masking import KIND, masked_count, may_mask, placeholder
from agents.compaction.settings import CompactionSettings
from agents.compaction.standing import Standing
from agents.memory.entries import Entry
from agents.memory.memory import Memory

CHUNK = 1024
"""Memories read at once."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a fold's strategy needs to know from outside the memory.

    Args:
        owner: folder of whose memory it is; archive references name it.
        window: gives the tokens of the thinking model's window.
        asleep: tells whether the character sleeps.
        count: counts the tokens of a text.
    """

    owner: str = "life"
    window: Callable[[], int] = lambda: 8192
    asleep: Callable[[], bool] = lambda: False
    count: Callable[[str], int] = lambda text: -(-len(text) // 4)


@dataclass(frozen=True, slots=True)
class _Size:
    """One memory's size: characters, tokens, and the tokens that a mask saves; None for what is no result."""

    chars: int
    tokens: int
    saved: int | None


class Gauge:
    """Measures one life.

    Args:
        memory: the life.
        around: what is outside it.
    """

    def __init__(self, memory: Memory, around: Surroundings) -> None:
        self._memory, self._around = memory, around
        self._sizes: deque[_Size] = deque()
        self._from = 1
        self._results: deque[int] = deque()
        self._chars = self._tokens = 0
        self._by: int | None = None

    def standing(self, settings: CompactionSettings, masks: bool) -> Standing:
        """Return how the life stands; its sizes are counted when they are asked for.

        Args:
            settings: the settings of the moment.
            masks: whether old results are shown masked.
        """
        memory, around = self._memory, self._around
        return Standing(
            total=memory.total,
            watermark=memory.watermark,
            summaries=(memory.longterm is not None) + (memory.recent is not None),
            window=around.window(),
            asleep=around.asleep(),
            chars=lambda: self._counted(settings)._chars + sum(map(len, self._summaries())),
            tokens=lambda: self.tokens(settings, masks),
            fitting=lambda tokens: self._counted(settings)._fitting(tokens),
        )

    def tokens(self, settings: CompactionSettings, masks: bool) -> int:
        """Return the tokens of the view: the summaries, and the memories as they are shown."""
        counted = self._counted(settings)
        saved = sum(list(self._results)[: masked_count(len(self._results), settings)]) if masks else 0
        return counted._tokens - saved + sum(map(self._around.count, self._summaries()))

    def _summaries(self) -> list[str]:
        both = (self._memory.longterm, self._memory.recent)
        return [summary.text for summary in both if summary is not None]

    def _counted(self, settings: CompactionSettings) -> Gauge:
        """Take in what came and let go of what was folded since the last look."""
        memory, first = self._memory, self._memory.watermark + 1
        through = self._from + len(self._sizes) - 1
        if self._by != settings.mask_chars or first < self._from or through > memory.total:
            self._by = settings.mask_chars
            self._sizes.clear()
            self._results.clear()
            self._chars = self._tokens = 0
        while self._sizes and self._from < first:
            self._drop()
        if not self._sizes:
            self._from, through = first, first - 1
        while through < memory.total:
            last = min(memory.total, through + CHUNK)
            found = {entry.seq: entry for entry in memory.read(through + 1, last)}
            for seq in range(through + 1, last + 1):
                self._add(found.get(seq), settings)
            through = last
        return self

    def _add(self, entry: Entry | None, settings: CompactionSettings) -> None:
        if entry is None:  # it cannot be read, so it is not shown either
            self._sizes.append(_Size(0, 0, None))
            return
        count = self._around.count
        tokens, saved = count(entry.text), None
        if entry.kind == KIND:
            owner = self._around.owner
            saved = tokens - count(placeholder(entry, owner)) if may_mask(entry, settings, owner) else 0
            self._results.append(max(0, saved))
        self._sizes.append(_Size(len(entry.text), tokens, saved))
        self._chars += len(entry.text)
        self._tokens += tokens

    def _drop(self) -> None:
        size = self._sizes.popleft()
        self._from += 1
        self._chars -= size.chars
        self._tokens -= size.tokens
        if size.saved is not None:
            self._results.popleft()

    def _fitting(self, tokens: int) -> int:
        """Return how many of the newest memories fit into so many tokens, unmasked."""
        count = 0
        for size in reversed(self._sizes):
            tokens -= size.tokens
            if tokens < 0:
                break
            count += 1
        return count
