"""The gauge: how long a life's view is, kept up to date memory by memory, so that asking costs nothing.

It counts what no summary stands for once, when it is first asked, and from then on only what comes. It holds running
sums, so it also tells how the life stood when it was shorter: by that a fold that comes late takes what it would have
taken on time.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from agents.compaction.masking import KIND, masked_count, may_mask, placeholder
from agents.compaction.memory_state import MemoryState
from agents.compaction.settings import CompactionSettings
from agents.llm.tokens import Count, by_characters
from agents.memory.entries import Entry, in_prompt
from agents.memory.memory import Memory

CHUNK = 1024
"""Memories read at once."""
UNLIMITED = 1 << 60
"""The room where no prompt is ever built."""


@dataclass(frozen=True, slots=True)
class StrategyContext:
    """What a fold's strategy needs to know from outside the memory.

    Args:
        owner: folder of whose memory it is; archive references name it.
        window: gives the tokens of the thinking model's window.
        asleep: tells whether the character sleeps.
        counting: gives what counts the tokens of a text at the moment.
        scale: what the counting goes by; when that changes, what was counted is counted anew.
        passed: says in a prompt how much time passed between two written times, one memory's and the next one's; empty
            for no words.
        room: gives the tokens that summaries and memories may take in the next prompt.
        when: says from when to when something was, of two written times, as a sentence begins with it: `On Tuesday
            morning`; empty when that is not said.
    """

    owner: str = "life"
    window: Callable[[], int] = lambda: 8192
    asleep: Callable[[], bool] = lambda: False
    counting: Callable[[], Count] = lambda: by_characters
    scale: Callable[[], float] = lambda: 1.0
    passed: Callable[[str, str], str] = lambda before, after: ""
    room: Callable[[], int] = lambda: UNLIMITED
    when: Callable[[str, str], str] = lambda first, last: ""

    def tokens(self, texts: Iterable[str]) -> int:
        """Return how many tokens some texts take together."""
        return sum(map(self.counting(), texts))


class ViewSize:
    """Measures one life.

    Args:
        memory: the life.
        around: what is outside it.
    """

    def __init__(self, memory: Memory, around: StrategyContext) -> None:
        self._memory, self._around = memory, around
        self.forget()

    def forget(self) -> None:
        """Forget what was counted; another life may stand in the memory now."""
        self._by: tuple[str, int, str, float] | None = None
        self._told: tuple[tuple[str, ...], int] = ((), 0)
        """The summaries' texts when they were last counted, and their tokens."""
        self._begin(1)

    def _begin(self, first: int) -> None:
        self._first, self._at = first, ""
        self._chars, self._tokens = array("q", [0]), array("q", [0])
        """Of all memories from `_first` on: the sums through each of them, and 0 before the first."""
        self._results, self._saved = array("q"), array("q", [0])
        """The numbers of the results among them, and the tokens that masks save, summed in the same way."""

    def standing(self, settings: CompactionSettings, masks: bool, total: int | None = None) -> MemoryState:
        """Return how the life stands, or stood; its sizes are counted when they are asked for.

        Args:
            settings: the settings of the moment.
            masks: whether old results are shown masked.
            total: how many memories there were; None for now.
        """
        memory, around = self._memory, self._around
        end, after = memory.total if total is None else total, memory.watermark
        return MemoryState(
            total=end,
            watermark=memory.watermark,
            summaries=(memory.longterm is not None) + (memory.recent is not None),
            window=around.window(),
            asleep=around.asleep(),
            chars=lambda: self._counted(settings, after)._span(self._chars, after, end) + self._summary_chars(),
            tokens=lambda: self._shown(settings, masks, after, end) + self.summary_tokens(self.summaries()),
            fitting=lambda tokens: self._counted(settings, after)._fitting(tokens, after, end),
        )

    def tokens_after(self, settings: CompactionSettings, masks: bool, last: int, texts: Sequence[str]) -> int:
        """Return the tokens that the view would take if summaries stood for everything up to a memory.

        Args:
            settings: the settings of the moment.
            masks: whether old results are shown masked.
            last: the last memory that they would stand for.
            texts: the summaries.
        """
        return self._shown(settings, masks, last, self._memory.total) + self._around.tokens(texts)

    def whole(self, settings: CompactionSettings, first: int, last: int) -> int:
        """Return the tokens of memories that are not folded yet, unmasked, both ends included."""
        counted = self._counted(settings, self._memory.watermark)
        return counted._span(counted._tokens, first - 1, last)

    def chars(self, settings: CompactionSettings, first: int, last: int) -> int:
        """Return the characters of memories that are not folded yet, both ends included."""
        counted = self._counted(settings, self._memory.watermark)
        return counted._span(counted._chars, first - 1, last)

    def results(self, settings: CompactionSettings, after: int) -> int:
        """Return how many results there are after a memory."""
        counted = self._counted(settings, after)
        return len(counted._results) - bisect_right(counted._results, after)

    def summary_tokens(self, texts: tuple[str, ...]) -> int:
        """Return the tokens of the summaries; the same ones are counted once."""
        if texts != self._told[0]:
            self._told = (texts, self._around.tokens(texts))
        return self._told[1]

    def summaries(self) -> tuple[str, ...]:
        """Return the texts of the summaries, the long-term one first."""
        both = (self._memory.longterm, self._memory.recent)
        return tuple(summary.text for summary in both if summary is not None)

    def _summary_chars(self) -> int:
        return sum(map(len, self.summaries()))

    def _shown(self, settings: CompactionSettings, masks: bool, after: int, end: int) -> int:
        """Return the tokens of the memories after one and up to another as they are shown."""
        whole = self._counted(settings, after)._span(self._tokens, after, end)
        if not masks:
            return whole
        before, through = bisect_right(self._results, after), bisect_right(self._results, end)
        masked = masked_count(through - before, settings)
        return whole - (self._saved[before + masked] - self._saved[before])

    def _span(self, sums: array[int], after: int, end: int) -> int:
        return sums[end - self._first + 1] - sums[after - self._first + 1]

    def _fitting(self, tokens: int, after: int, end: int) -> int:
        """Return how many of the newest memories fit into so many tokens, unmasked."""
        most = self._tokens[end - self._first + 1] - tokens
        start = bisect_left(self._tokens, most, after - self._first + 1, end - self._first + 1)
        return end - self._first + 1 - start

    def _counted(self, settings: CompactionSettings, after: int) -> ViewSize:
        """Take in what came, from the one after a memory on, and let go of most of what was folded."""
        memory = self._memory
        by = (settings.strategy, settings.mask_chars, settings.token_counter, self._around.scale())
        through = self._first + len(self._chars) - 2
        if by != self._by or not self._first <= after + 1 <= through + 1 or through > memory.total:
            self._by, self._told, through = by, ((), 0), after
            self._begin(after + 1)
        elif memory.watermark - self._first > len(self._chars) // 2 + CHUNK:
            self._let_go(memory.watermark)
        while through < memory.total:
            last = min(memory.total, through + CHUNK)
            self._add(through + 1, memory.read(through + 1, last), last, settings)
            through = last
        return self

    def _add(self, seq: int, entries: Sequence[Entry], last: int, settings: CompactionSettings) -> None:
        """Take in the memories from a number on to another; what cannot be read is not shown either."""
        count, owner = self._around.counting(), self._around.owner
        chars, tokens = self._chars[-1], self._tokens[-1]
        for entry in (*entries, None):
            for _ in range(seq, entry.seq if entry is not None else last + 1):
                self._append(chars, tokens)
            if entry is None:
                return
            seq = entry.seq + 1
            taken = count(in_prompt(entry, self._memory.name))
            if self._at and (label := self._around.passed(self._at, entry.at)):
                taken += count(label) + 1
            self._at = entry.at
            chars, tokens = chars + len(entry.text), tokens + taken
            if entry.kind == KIND:
                masks = may_mask(entry, settings, owner)
                saved = count(entry.text) - count(placeholder(entry, owner)) if masks else 0
                self._results.append(entry.seq)
                self._saved.append(self._saved[-1] + saved)
            self._append(chars, tokens)

    def _append(self, chars: int, tokens: int) -> None:
        self._chars.append(chars)
        self._tokens.append(tokens)

    def _let_go(self, through: int) -> None:
        """Forget the memories up to one; now and then only, since it moves all the others."""
        count, results = through - self._first + 1, bisect_right(self._results, through)
        if count <= 0:
            return
        del self._chars[:count], self._tokens[:count]
        del self._results[:results], self._saved[:results]
        self._first = through + 1
