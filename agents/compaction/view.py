"""What is shown of a memory, and how large that is: by the strategy of the moment, kept up to date entry by entry.

Nothing here changes a memory; `due` decides by it and the engine acts on it.
"""

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
"""Memories read at once."""
UNLIMITED = 1 << 60
"""The room where no prompt is ever built."""
FALLBACK = "waterfall"
"""The strategy that is used when the settings name none that there is."""
MARK_STEP = 4096
"""Memories by which the mark moves from which on results are counted in a very long life."""
PRESSED_FROM = 0.99
"""Share of the room in the next prompt from which on memories are folded under pressure. Together with what the room
keeps free for descriptions of places it gives a model some time to write the summary that the prompt needs."""
LEAST_SHARE = 0.25
"""Share of that room that memories may take however long the summaries are, such as ones that people wrote."""


@dataclass(frozen=True, slots=True)
class StrategyContext:
    """What a strategy needs to know from outside the memory.

    Args:
        owner: folder of whose memory it is; archive references name it.
        window: returns the tokens of the thinking model's window.
        asleep: returns whether the character sleeps.
        counting: returns what counts the tokens of a text at the moment.
        scale: what the counting goes by; when that changes, what was counted is counted anew.
        passed: says in a prompt how much time passed between two written times, one memory's and the next one's; empty
            for no words.
        room: returns the tokens that summaries and memories may take in the next prompt.
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
    """Counts the memories that no summary covers once, when it is first asked, and from then on only what comes.

    It holds running sums, so it also knows the sizes of the same memory when it was shorter: by that a fold that comes
    late takes what it would have taken on time.

    Args:
        memory: the memory.
        context: what is outside it.
    """

    def __init__(self, memory: Memory, context: StrategyContext) -> None:
        self._memory, self._context = memory, context
        self.forget()

    def forget(self) -> None:
        """Forget what was counted; the memory may hold another life now."""
        self._counted_by: tuple[str, int, str, float] | None = None
        self._summaries: tuple[tuple[str, ...], int] = ((), 0)
        """The summaries' texts when they were last counted, and their tokens."""
        self._begin(1)

    def _begin(self, first: int) -> None:
        self._first, self._last_at = first, ""
        self._chars, self._tokens = array("q", [0]), array("q", [0])
        """Of all memories from `_first` on: the sums through each of them, and 0 before the first."""
        self._results, self._saved = array("q"), array("q", [0])
        """The numbers of the results among them, and the tokens that masks save, summed in the same way."""

    def state(self, settings: CompactionSettings, masks: bool, total: int | None = None) -> MemoryState:
        """Return the state of the memory, now or with `total` entries; sizes are counted when they are asked for."""
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
        """Return the tokens that the view would take if these summaries covered everything up to a memory."""
        return self._shown_tokens(settings, masks, last, self._memory.total) + self._context.tokens(texts)

    def tokens_of(self, settings: CompactionSettings, first: int, last: int) -> int:
        """Return the tokens of memories that are not folded yet, unmasked, both ends included."""
        self._update(settings, self._memory.watermark)
        return self._span(self._tokens, first - 1, last)

    def chars_of(self, settings: CompactionSettings, first: int, last: int) -> int:
        """Return the characters of memories that are not folded yet, both ends included."""
        self._update(settings, self._memory.watermark)
        return self._span(self._chars, first - 1, last)

    def results(self, settings: CompactionSettings, after: int) -> int:
        """Return how many results there are after a memory."""
        self._update(settings, after)
        return len(self._results) - bisect_right(self._results, after)

    def summary_tokens(self) -> int:
        """Return the tokens of the summaries; the same ones are counted once."""
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
        """Return the tokens of the memories after one and up to another as they are shown."""
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
        """Count what came, from the one after a memory on, and let go of most of what was folded."""
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
        """Count the memories from a number on to another; what cannot be read is not shown either."""
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
        """Forget the memories up to one; now and then only, since it moves all the others."""
        count, results = through - self._first + 1, bisect_right(self._results, through)
        del self._chars[:count], self._tokens[:count]
        del self._results[:results], self._saved[:results]
        self._first = through + 1


class StrategyView:
    """What the strategy of the moment shows of one memory.

    Args:
        memory: the memory.
        current_settings: returns the settings of the moment.
        strategies: the plug-ins.
        context: what is outside the memory.
    """

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
        """The settings by which the strategy was chosen last, and that strategy."""

    def forget(self) -> None:
        """Forget what was counted; the memory holds another life now."""
        self._size.forget()

    @property
    def settings(self) -> CompactionSettings:
        """The settings of the moment."""
        return self._current_settings()

    @property
    def strategy(self) -> Strategy:
        """The strategy of the moment."""
        settings = self.settings
        if self._chosen is not None and self._chosen[0] is settings:
            return self._chosen[1]  # it is asked for with every memory
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
        """Return what the strategy decides by: the state of the memory now, or when it had `total` entries."""
        strategy = self.strategy
        state = self._size.state(self.settings_in_force(total), strategy.masks, total)
        if strategy.hides(state, self.settings) is None:
            return state
        return replace(state, tokens=lambda: self.context.tokens(texts_of(self.shown(), self.memory.name)))

    def settings_in_force(self, total: int | None = None) -> CompactionSettings:
        """Return the settings of the moment; under pressure a strategy with masks masks all but the newest result."""
        settings, masks = self.settings, self.strategy.masks
        if not (masks and settings.mask_keep and settings.auto_enabled):
            return settings
        return replace(settings, mask_keep=0) if self.is_pressed(self._size.state(settings, masks, total)) else settings

    def is_pressed(self, state: MemoryState) -> bool:
        """Return whether what no summary covers nearly takes the room that it has in the next prompt."""
        if self.context.room() == UNLIMITED:
            return False
        room = self.room(state)
        return room.taken > room.most

    def room(self, state: MemoryState) -> ViewBudget:
        """Return the tokens of the next prompt over which memories are folded whatever the strategy waits for."""
        room = self.context.room()
        hidden = self.strategy.hides(state, self.settings)
        shown = state.total - (hidden[1] if hidden else state.watermark)
        least = self.summary_tokens() + LEAST_SHARE * room
        return ViewBudget("tokens", state.tokens() + shown, int(max(PRESSED_FROM * room, least)))

    def summary_tokens(self) -> int:
        """Return the tokens of the summaries."""
        return self._size.summary_tokens()

    def tokens(self) -> int:
        """Return the tokens of the view as it is now."""
        return self.state().tokens()

    def tokens_after(self, last: int, texts: Sequence[str]) -> int:
        """Return the tokens that the view would take if these summaries covered everything up to a memory."""
        return self._size.tokens_after(self.settings_in_force(), self.strategy.masks, last, texts)

    def tokens_of(self, first: int, last: int) -> int:
        """Return the tokens of memories that are not folded yet, unmasked, both ends included."""
        return self._size.tokens_of(self.settings, first, last)

    def chars_of(self, first: int, last: int) -> int:
        """Return the characters of memories that are not folded yet, both ends included."""
        return self._size.chars_of(self.settings, first, last)

    def budgets(self) -> tuple[ViewBudget, ...]:
        """Return within what the strategy keeps the view by itself, and how much of it is taken now."""
        return self.strategy.budgets(self.state(), self.settings)

    def shown(self, most: int | None = None) -> View:
        """Return what is shown: summaries, what is hidden, and the rest with old results masked.

        Args:
            most: memories shown word for word at most, the newest; None for all.
        """
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
        """Return how many results of the newest memories are masked, so that masks stay as the window moves on.

        Of a very long life it counts from a mark that seldom moves; None when the memories begin before that.
        """
        memory = self.memory
        mark = max(memory.watermark, (memory.total // MARK_STEP - 1) * MARK_STEP)
        if not tail or tail[0].seq <= mark:
            return None
        results = self._size.results(settings, mark)
        results += sum(entry.kind == KIND for entry in memory.newest(memory.waiting))
        masks = masked_count(results, settings)
        return max(0, masks - (results - sum(entry.kind == KIND for entry in tail)))


def texts_of(view: View, name: str) -> list[str]:
    """Return the texts of a view as a prompt shows them to the character with this name."""
    summaries = [summary.text for summary in (view.longterm, view.recent) if summary is not None]
    return [*summaries, *(in_prompt(entry, name) for entry in view.tail)]
