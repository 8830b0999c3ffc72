"""What the current strategy shows of a memory, and the size of that, updated entry by entry. Read-only."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from agents.compaction.masking import KIND, masked, masked_count, may_mask, placeholder
from agents.compaction.settings import CompactionSettings
from agents.compaction.strategies import MemoryState, Strategy, ViewBudget
from agents.llm.tokens import Count, by_characters
from agents.memory.entries import Entry, in_prompt
from agents.memory.memory import Memory, View
from mud.registry import Registry

CHUNK = 1024
UNLIMITED = 1 << 60
"""The room if no prompt is ever built."""
FALLBACK = "waterfall"
MARK_STEP = 4096
"""Step, in memories, of the position from which results are counted in a very long life."""
PRESSED_FROM = 0.99
"""Share of the prompt's room from which memories are folded; the rest is time for the model to write."""
LEAST_SHARE = 0.25
"""Share of the room that memories may always take, however long the summaries are (people may edit them)."""


@dataclass(frozen=True, slots=True)
class StrategyContext:
    """What a strategy needs to know from outside the memory.

    Args:
        owner: folder name of the agent, used in archive references.
        scale: the calibration of the counter; when it changes, everything is counted again.
        passed: describes the time between two consecutive memories in a prompt; may be empty.
        room: tokens that summaries and memories may take in the next prompt.
        when: describes a time span as the start of a sentence, `On Tuesday morning`; may be empty.
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
        return sum(map(self.counting(), texts))


class ViewSize:
    """Incremental sizes of the unfolded memories; running sums give them at any earlier total too."""

    def __init__(self, memory: Memory, context: StrategyContext) -> None:
        self._memory, self._context = memory, context
        self.forget()

    def forget(self) -> None:
        """Reset the counts; the memory may hold another life now."""
        self._counted_by: tuple[str, int, str, float] | None = None
        self._summaries: tuple[tuple[str, ...], int] = ((), 0)
        self._begin(1)

    def _begin(self, first: int) -> None:
        self._first, self._last_at = first, ""
        self._chars, self._tokens = array("q", [0]), array("q", [0])
        """Cumulative sums of the memories from `_first` on, with a leading 0."""
        self._results, self._saved = array("q"), array("q", [0])
        """The sequence numbers of the results, and the cumulative tokens that masks save."""

    def state(self, settings: CompactionSettings, masks: bool, total: int | None = None) -> MemoryState:
        """Return the state of the memory, now or with `total` entries; sizes are computed on access."""
        memory, context = self._memory, self._context
        end, after = memory.total if total is None else total, memory.watermark

        def fitting(tokens: int) -> int:
            self._update(settings, after)
            low, high = after - self._first + 1, end - self._first + 1
            return high - bisect_left(self._tokens, self._tokens[high] - tokens, low, high)

        return MemoryState(
            total=end,
            watermark=after,
            summaries=(memory.longterm is not None) + (memory.recent is not None),
            window=context.window(),
            asleep=context.asleep(),
            chars=lambda: self._chars_between(settings, after, end) + sum(map(len, self._summary_texts())),
            tokens=lambda: self._shown_tokens(settings, masks, after, end) + self.summary_tokens(),
            fitting=fitting,
        )

    def tokens_after(self, settings: CompactionSettings, masks: bool, last: int, texts: Sequence[str]) -> int:
        return self._shown_tokens(settings, masks, last, self._memory.total) + self._context.tokens(texts)

    def tokens_of(self, settings: CompactionSettings, first: int, last: int) -> int:
        self._update(settings, self._memory.watermark)
        return self._span(self._tokens, first - 1, last)

    def chars_of(self, settings: CompactionSettings, first: int, last: int) -> int:
        self._update(settings, self._memory.watermark)
        return self._span(self._chars, first - 1, last)

    def results(self, settings: CompactionSettings, after: int) -> int:
        self._update(settings, after)
        return len(self._results) - bisect_right(self._results, after)

    def summary_tokens(self) -> int:
        texts = self._summary_texts()
        if texts != self._summaries[0]:
            self._summaries = (texts, self._context.tokens(texts))
        return self._summaries[1]

    def _summary_texts(self) -> tuple[str, ...]:
        both = (self._memory.longterm, self._memory.recent)
        return tuple(summary.text for summary in both if summary is not None)

    def _chars_between(self, settings: CompactionSettings, after: int, end: int) -> int:
        self._update(settings, after)
        return self._span(self._chars, after, end)

    def _shown_tokens(self, settings: CompactionSettings, masks: bool, after: int, end: int) -> int:
        """Return the tokens of a range of memories as shown, with masks."""
        self._update(settings, after)
        whole = self._span(self._tokens, after, end)
        if not masks:
            return whole
        before, through = bisect_right(self._results, after), bisect_right(self._results, end)
        count = masked_count(through - before, settings)
        return whole - (self._saved[before + count] - self._saved[before])

    def _span(self, sums: array[int], after: int, end: int) -> int:
        return sums[end - self._first + 1] - sums[after - self._first + 1]

    def _update(self, settings: CompactionSettings, after: int) -> None:
        memory = self._memory
        by = (settings.strategy, settings.mask_chars, settings.token_counter, self._context.scale())
        through = self._first + len(self._chars) - 2
        if by != self._counted_by or not self._first <= after + 1 <= through + 1 or through > memory.total:
            self._counted_by, self._summaries, through = by, ((), 0), after
            self._begin(after + 1)
        elif memory.watermark - self._first > len(self._chars) // 2 + CHUNK:
            self._drop(memory.watermark)
        while through < memory.total:
            last = min(memory.total, through + CHUNK)
            self._add(through + 1, memory.read(through + 1, last), last, settings)
            through = last

    def _add(self, seq: int, entries: Sequence[Entry], last: int, settings: CompactionSettings) -> None:
        """Count a range of memories; unreadable ones have size 0."""
        count, owner = self._context.counting(), self._context.owner
        chars, tokens = self._chars[-1], self._tokens[-1]
        for entry in entries:
            self._append(chars, tokens, entry.seq - seq)
            seq = entry.seq + 1
            taken = count(in_prompt(entry, self._memory.name))
            if self._last_at and (label := self._context.passed(self._last_at, entry.at)):
                taken += count(label) + 1
            self._last_at = entry.at
            chars, tokens = chars + len(entry.text), tokens + taken
            if entry.kind == KIND:
                masks = may_mask(entry, settings, owner)
                saved = count(entry.text) - count(placeholder(entry, owner)) if masks else 0
                self._results.append(entry.seq)
                self._saved.append(self._saved[-1] + saved)
            self._append(chars, tokens)
        self._append(chars, tokens, last + 1 - seq)

    def _append(self, chars: int, tokens: int, times: int = 1) -> None:
        for _ in range(times):
            self._chars.append(chars)
            self._tokens.append(tokens)

    def _drop(self, through: int) -> None:
        """Drop the memories up to `through`; called rarely, because it moves all the others."""
        count, results = through - self._first + 1, bisect_right(self._results, through)
        del self._chars[:count], self._tokens[:count]
        del self._results[:results], self._saved[:results]
        self._first = through + 1


class StrategyView:
    def __init__(
        self,
        memory: Memory,
        current_settings: Callable[[], CompactionSettings],
        strategies: Registry[Strategy],
        context: StrategyContext,
    ) -> None:
        self.memory, self._current_settings, self._strategies, self.context = (
            memory,
            current_settings,
            strategies,
            context,
        )
        self._size = ViewSize(memory, context)
        self._chosen: tuple[CompactionSettings, Strategy] | None = None

    def forget(self) -> None:
        self._size.forget()

    @property
    def settings(self) -> CompactionSettings:
        return self._current_settings()

    @property
    def strategy(self) -> Strategy:
        settings = self.settings
        if self._chosen is not None and self._chosen[0] is settings:
            return self._chosen[1]
        found = self._strategies.find(settings.strategy)
        if found is not None:
            self.memory.note_trouble("strategy", None)
            self._chosen = (settings, found)
            return found
        there = ", ".join(self._strategies.names())
        trouble = f"there is no strategy {settings.strategy!r}; there is: {there}; {FALLBACK} is used"
        self.memory.note_trouble("strategy", trouble)
        return self._strategies.get(FALLBACK)

    def state(self, total: int | None = None) -> MemoryState:
        """Return the input of the strategy's decisions: the state now, or with `total` entries."""
        strategy = self.strategy
        state = self._size.state(self.settings_in_force(total), strategy.masks, total)
        if strategy.hides(state, self.settings) is None:
            return state
        return replace(state, tokens=lambda: self.context.tokens(texts_of(self.shown(), self.memory.name)))

    def settings_in_force(self, total: int | None = None) -> CompactionSettings:
        """Return the current settings; under pressure, a strategy with masks keeps only the newest result unmasked."""
        settings, masks = self.settings, self.strategy.masks
        if not (masks and settings.mask_keep and settings.auto_enabled):
            return settings
        return replace(settings, mask_keep=0) if self.is_pressed(self._size.state(settings, masks, total)) else settings

    def is_pressed(self, state: MemoryState) -> bool:
        if self.context.room() == UNLIMITED:
            return False
        room = self.room(state)
        return room.taken > room.most

    def room(self, state: MemoryState) -> ViewBudget:
        """Return the tokens above which memories are folded regardless of the strategy, and the tokens in use."""
        room = self.context.room()
        hidden = self.strategy.hides(state, self.settings)
        shown = state.total - (hidden[1] if hidden else state.watermark)
        least = self.summary_tokens() + LEAST_SHARE * room
        return ViewBudget("tokens", state.tokens() + shown, int(max(PRESSED_FROM * room, least)))

    def summary_tokens(self) -> int:
        return self._size.summary_tokens()

    def tokens(self) -> int:
        return self.state().tokens()

    def tokens_after(self, last: int, texts: Sequence[str]) -> int:
        return self._size.tokens_after(self.settings_in_force(), self.strategy.masks, last, texts)

    def tokens_of(self, first: int, last: int) -> int:
        return self._size.tokens_of(self.settings, first, last)

    def chars_of(self, first: int, last: int) -> int:
        return self._size.chars_of(self.settings, first, last)

    def budgets(self) -> tuple[ViewBudget, ...]:
        return self.strategy.budgets(self.state(), self.settings)

    def shown(self, most: int | None = None) -> View:
        """Return what is shown: summaries, the hidden range, and the newest memories (at most `most`), with masks."""
        memory, strategy, settings = self.memory, self.strategy, self.settings_in_force()
        hidden = strategy.hides(self._size.state(settings, strategy.masks), settings)
        first = hidden[1] + 1 if hidden else memory.watermark + 1
        count = memory.total + memory.waiting - first + 1
        shown = count if most is None else min(count, most)
        tail = tuple(memory.newest(shown))
        if strategy.masks:
            left = self._masked_of(tail, settings) if shown < count else None
            tail = masked(tail, settings, self.context.owner, left)
        left_out = (first, first + count - shown - 1) if shown < count else None
        return View(memory.longterm, memory.recent, tail, hidden, left_out)

    def _masked_of(self, tail: Sequence[Entry], settings: CompactionSettings) -> int | None:
        """Return how many results of the tail are masked, counted from a mark that seldom moves."""
        memory = self.memory
        mark = max(memory.watermark, (memory.total // MARK_STEP - 1) * MARK_STEP)
        if not tail or tail[0].seq <= mark:
            return None
        results = self._size.results(settings, mark)
        results += sum(entry.kind == KIND for entry in memory.newest(memory.waiting))
        masks = masked_count(results, settings)
        return max(0, masks - (results - sum(entry.kind == KIND for entry in tail)))


def texts_of(view: View, name: str) -> list[str]:
    """Return the texts of a view as a prompt shows them to the agent with this name."""
    summaries = [summary.text for summary in (view.longterm, view.recent) if summary is not None]
    return [*summaries, *(in_prompt(entry, name) for entry in view.tail)]
