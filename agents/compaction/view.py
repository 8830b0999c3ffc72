"""What the current strategy shows of a memory, and the size of that, updated entry by entry.

Some strategies mask old results of an agent's own queries: they are shortened to one line with a reference to the
archive. Only results are masked, because the agent can repeat the query; the result of the current turn never is.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from agents.compaction.settings import CompactionSettings
from agents.compaction.strategies import MemoryState, Strategy, ViewBudget
from agents.llm.tokens import Count, by_characters
from agents.memory.entries import Entry, Range, in_prompt, reference
from agents.memory.history import last_event
from agents.memory.memory import Memory, View
from agents.memory.perception import of_own_notes
from agents.memory.summaries import Summary
from agents.text.english import flat
from mud.clock import Clock, iso
from mud.registry import Registry

KIND = "result"
EVENT = "micro_compact"
UNLIMITED = 1 << 60  # the room if no prompt is ever built
_FALLBACK = "waterfall"
_CHUNK = 1024  # memories that are read at once
_MOST = 500  # masks in one record of the archive
_MARK_STEP = 4096  # step, in memories, of the position from which results are counted in a very long life
_PRESSED_FROM = 0.99
"""Share of the prompt's room from which memories are folded; the rest is time for the model to write."""
_LEAST_SHARE = 0.25
"""Share of the room that memories may always take, however long the summaries are (people may edit them)."""
_THIS_TURN = 1  # results of the current turn, which are never masked
_GIST, _LONGEST_QUERY, _LONGEST_READ = 60, 80, 300
"""Maximum characters of a mask's content and query, and of the lines from which both are taken."""
_MOST_TOKENS, _AROUND = (3, 4), 60
"""More tokens than a character can have, within ASCII and beyond, and characters that a prompt adds to a memory."""
_QUOTED = re.compile(r"[\"“„«](.+)[\"”“»]")
_NAMED = re.compile(r"([^:.!?]{1,60}): (?=\S)")


@dataclass(frozen=True, slots=True)
class StrategyContext:
    """What a strategy needs to know from outside the memory."""

    owner: str = "life"  # folder name of the agent, used in archive references
    window: Callable[[], int] = lambda: 8192
    asleep: Callable[[], bool] = lambda: False
    counting: Callable[[], Count] = lambda: by_characters
    # the calibration of the counter; when it changes, everything is counted again
    scale: Callable[[], float] = lambda: 1.0
    # describes the time between two consecutive memories in a prompt; may be empty
    passed: Callable[[str, str], str] = lambda before, after: ""
    room: Callable[[], int] = lambda: UNLIMITED  # tokens that summaries and memories may take in the next prompt
    # describes a time span as the start of a sentence, `On Tuesday morning`; may be empty
    when: Callable[[str, str], str] = lambda first, last: ""
    day: Callable[[str], str] = lambda at: at[:10]  # returns the day of a written time, `2026-11-20`; may be empty

    def tokens(self, texts: Iterable[str]) -> int:
        return sum(map(self.counting(), texts))


@dataclass(slots=True)
class _Slack:
    """By how much memories may grow, after the memory `through`, before a fold can be due; for these settings."""

    settings: CompactionSettings
    scale: float
    folds: int
    due_from: int
    through: int
    tokens: float
    room: int  # what the prompt had for memories when `left` was counted
    since: int
    left: float
    """By how much memories may grow after the memory `since`, by exact counts; `tokens` goes by a bound of them."""


class StrategyView:
    """Running sums of the unfolded memories give the size at any earlier total too."""

    def __init__(
        self,
        memory: Memory,
        current_settings: Callable[[], CompactionSettings],
        strategies: Registry[Strategy],
        context: StrategyContext,
    ) -> None:
        self.memory, self.context = memory, context
        self._current_settings, self._strategies = current_settings, strategies
        self._chosen: tuple[CompactionSettings, Strategy] | None = None
        self._slack: _Slack | None = None
        self.forget()

    def forget(self) -> None:
        """Reset the counts; the memory may hold another life now."""
        self._counted_by: tuple[str, int, str, float] | None = None
        self._summaries: tuple[tuple[str, ...], int] = ((), 0)
        self._slack = None
        self._begin(1)

    def _begin(self, first: int) -> None:
        self._first, self._last_at = first, ""
        self._chars, self._tokens = array("q", [0]), array("q", [0])
        """Cumulative sums of the memories from `_first` on, with a leading 0."""
        self._results, self._saved = array("q"), array("q", [0])
        """The sequence numbers of the results, and the cumulative tokens that masks save."""

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
        trouble = f"there is no strategy {settings.strategy!r}; there is: {there}; {_FALLBACK} is used"
        self.memory.note_trouble("strategy", trouble)
        return self._strategies.get(_FALLBACK)

    def state(self, total: int | None = None) -> MemoryState:
        """Return the input of the strategy's decisions: the state now, or with `total` entries."""
        state = self._state(self.settings_in_force(total), total)
        if self.strategy.hides(state, self.settings) is None:
            return state
        return replace(state, tokens=lambda: self.context.tokens(texts_of(self.shown(), self.memory.name)))

    def _state(self, settings: CompactionSettings, total: int | None = None) -> MemoryState:
        """Return the state with hidden memories counted as shown; sizes are computed on access."""
        memory, context = self.memory, self.context
        end, after = memory.total if total is None else total, memory.watermark

        def fitting(tokens: int) -> int:
            self._update(after)
            low, high = after - self._first + 1, end - self._first + 1
            return high - bisect_left(self._tokens, self._tokens[high] - tokens, low, high)

        return MemoryState(
            total=end,
            watermark=after,
            summaries=len(summaries_of(memory)),
            window=context.window(),
            asleep=context.asleep(),
            chars=lambda: self.chars_of(after + 1, end) + sum(len(one.text) for one in summaries_of(memory)),
            tokens=lambda: self._shown_tokens(settings, after, end) + self.summary_tokens(),
            fitting=fitting,
            whole_days=lambda last, least: self.whole_days(after + 1, last, least),
        )

    def days(self, covers: Range) -> tuple[str, str]:
        """Return the days of the first and the last of some memories; both are empty if one cannot be read."""
        days = [self.context.day(entry.at) for seq in covers for entry in self.memory.read(seq, seq)]
        return (days[0], days[1]) if len(days) == len(covers) and all(days) else ("", "")

    def whole_days(self, first: int, last: int, least: int) -> int:
        """Return the end of the fewest whole days from `first` on with `least` memories; `last` if none ends before.

        What is left of a day whose beginning is folded already needs only a quarter as many.
        """
        if len(set(self.days((first, last)))) == 1:
            return last
        if first > 1 and len(set(self.days((first - 1, first)))) == 1:
            least = -(-least // 4)
        day = ""
        for entry in self.memory.read(first, last):
            before, day = day, self.context.day(entry.at) or day
            if before and day != before and entry.seq - first >= least:
                return entry.seq - 1
        return last

    def settings_in_force(self, total: int | None = None) -> CompactionSettings:
        """Return the current settings; under pressure, a strategy with masks keeps only the newest result unmasked."""
        settings = self.settings
        if not (self.strategy.masks and settings.mask_keep and settings.auto_enabled):
            return settings
        return replace(settings, mask_keep=0) if self.is_pressed(self._state(settings, total)) else settings

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
        least = self.summary_tokens() + _LEAST_SHARE * room
        return ViewBudget("tokens", state.tokens() + shown, int(max(_PRESSED_FROM * room, least)))

    def rests_until(self, due_from: int, room: ViewBudget | None) -> None:
        """Take note that no fold is due before so many memories, unless they fill the room in the prompt earlier."""
        memory, left = self.memory, room.most - room.taken if room else UNLIMITED
        known = self.settings, self.context.scale(), memory.compactions, due_from, memory.total, left
        self._slack = _Slack(*known, self.context.room(), memory.total, left)

    def rests(self) -> bool:
        """Return whether no fold can be due yet, by what was counted last; seldom is anything counted for that."""
        slack, memory = self._slack, self.memory
        if slack is None or slack.settings is not self.settings or slack.folds != memory.compactions:
            return False
        total = memory.total
        if total >= slack.due_from or total < slack.through or slack.scale != self.context.scale():
            return False
        for entry in memory.read(slack.through + 1, total):
            size = len(entry.text) + len(entry.reason or "") + _AROUND
            slack.tokens -= size * _MOST_TOKENS[not entry.text.isascii()] * max(1.0, slack.scale)
        slack.through = total
        if slack.tokens <= 0 and slack.room == self.context.room():
            slack.left -= self.tokens_of(slack.since + 1, total) + total - slack.since
            slack.since, slack.tokens = total, slack.left
        return slack.tokens > 0

    def tokens(self) -> int:
        return self.state().tokens()

    def tokens_after(self, last: int, texts: Sequence[str]) -> int:
        """Return the tokens of the view when the memories up to `last` are folded into summaries with these texts."""
        return self._shown_tokens(self.settings_in_force(), last, self.memory.total) + self.context.tokens(texts)

    def tokens_of(self, first: int, last: int) -> int:
        self._update(first - 1)
        return self._tokens[last - self._first + 1] - self._tokens[first - self._first]

    def chars_of(self, first: int, last: int) -> int:
        self._update(first - 1)
        return self._chars[last - self._first + 1] - self._chars[first - self._first]

    def results(self, after: int) -> Sequence[int]:
        """Return the numbers of the results after a memory."""
        self._update(after)
        return self._results[bisect_right(self._results, after) :]

    def summary_tokens(self) -> int:
        texts = tuple(summary.text for summary in summaries_of(self.memory))
        if texts != self._summaries[0]:
            self._summaries = (texts, self.context.tokens(texts))
        return self._summaries[1]

    def _shown_tokens(self, settings: CompactionSettings, after: int, end: int) -> int:
        """Return the tokens of a range of memories as shown, with masks."""
        whole = self.tokens_of(after + 1, end)
        if not self.strategy.masks:
            return whole
        before, through = bisect_right(self._results, after), bisect_right(self._results, end)
        return whole - (self._saved[before + masked_count(through - before, settings)] - self._saved[before])

    def _update(self, after: int) -> None:
        """Count what was not counted yet; memories up to `after` need not be."""
        memory, settings = self.memory, self.settings
        by = (settings.strategy, settings.mask_chars, settings.token_counter, self.context.scale())
        through = self._first + len(self._chars) - 2
        if by != self._counted_by or not self._first <= after + 1 <= through + 1 or through > memory.total:
            self._counted_by, self._summaries, through = by, ((), 0), after
            self._begin(after + 1)
        elif memory.watermark - self._first > len(self._chars) // 2 + _CHUNK:  # rarely, because it moves all others
            folded, results = memory.watermark - self._first + 1, bisect_right(self._results, memory.watermark)
            del self._chars[:folded], self._tokens[:folded]
            del self._results[:results], self._saved[:results]
            self._first = memory.watermark + 1
        while through < memory.total:
            last = min(memory.total, through + _CHUNK)
            self._count(memory.read(through + 1, last), last, settings)
            through = last

    def _count(self, entries: Sequence[Entry], last: int, settings: CompactionSettings) -> None:
        """Count the entries of the next memories up to `last`; those that could not be read have size 0."""
        count, owner = self.context.counting(), self.context.owner
        for entry in entries:
            if len(self._chars) != entry.seq - self._first + 1:
                self._fill(entry.seq - 1)
            taken = count(in_prompt(entry, self.memory.name))
            if self._last_at and (label := self.context.passed(self._last_at, entry.at)):
                taken += count(label) + 1
            self._last_at = entry.at
            self._chars.append(self._chars[-1] + len(entry.text))
            self._tokens.append(self._tokens[-1] + taken)
            if entry.kind == KIND:
                mask = mask_of(entry, settings, owner)
                self._results.append(entry.seq)
                self._saved.append(self._saved[-1] + (count(entry.text) - count(mask) if mask is not None else 0))
        self._fill(last)

    def _fill(self, through: int) -> None:
        for sums in (self._chars, self._tokens):
            sums.extend([sums[-1]] * (through - self._first + 2 - len(sums)))

    def shown(self, most: int | None = None) -> View:
        """Return what is shown: summaries, the hidden range, and the newest memories (at most `most`), with masks."""
        memory, strategy, settings = self.memory, self.strategy, self.settings_in_force()
        hidden = strategy.hides(self._state(settings), settings)
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
        mark = max(memory.watermark, (memory.total // _MARK_STEP - 1) * _MARK_STEP)
        if not tail or tail[0].seq <= mark:
            return None
        results = len(self.results(mark)) + sum(entry.kind == KIND for entry in memory.newest(memory.waiting))
        return max(0, masked_count(results, settings) - results + sum(entry.kind == KIND for entry in tail))


def summaries_of(holder: Memory | View) -> list[Summary]:
    """Return the current summaries, the long-term one first."""
    return [summary for summary in (holder.longterm, holder.recent) if summary is not None]


def texts_of(view: View, name: str) -> list[str]:
    """Return the texts of a view as a prompt shows them to the agent with this name."""
    return [*(summary.text for summary in summaries_of(view)), *(in_prompt(entry, name) for entry in view.tail)]


def placeholder(entry: Entry, owner: str) -> str:
    """Return the line for a masked result; `owner` is the agent's folder."""
    lines = [line for line in entry.text.splitlines() if line.strip()]
    query, shown = _query_and_gist([flat(line[:_LONGEST_READ]) for line in lines[:2]], entry)
    count = f"{len(lines)} lines" if len(lines) > 1 else f"{len(entry.text)} characters"
    both = ": ".join([_cut(query, _LONGEST_QUERY), *([_cut(shown, _GIST)] if shown else [])])
    return f"{both} [{'failed' if entry.failed else 'ok'}, {count}, {_ending(entry, owner)}"


def _ending(entry: Entry, owner: str) -> str:
    return f"whole in {reference(owner, entry.seq)}]"


def _query_and_gist(lines: Sequence[str], entry: Entry) -> tuple[str, str]:
    """Guess the query (a result does not contain the typed command) and return it with the start of the content."""
    first, second = (*lines, "", "")[:2]
    if entry.place and second and first.casefold() == flat(entry.place).casefold():
        return f"look at {first}", second
    quoted = _QUOTED.search(first)
    if first.endswith(":") and second:
        return (f'recall "{quoted[1]}"' if quoted else first[:-1]), second
    named = _NAMED.match(first)
    if named is None:
        return "look", first
    name, rest = named[1], first[named.end() :]
    if quoted and quoted.end() <= named.end():
        return f"notes {quoted[1]}", rest
    return ("notes" if of_own_notes(entry) else f"examine {name}"), rest


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else (text[:most].rsplit(" ", 1)[0] or text[:most]).rstrip(",;:") + " …"


def mask_of(entry: Entry, settings: CompactionSettings, owner: str) -> str | None:
    """Return the mask of an entry; None unless it is a result that is long enough and gets shorter by it."""
    try:
        if entry.kind != KIND or len(entry.text) < settings.mask_chars or entry.text.endswith(_ending(entry, owner)):
            return None
        mask = placeholder(entry, owner)
    except Exception:  # one malformed memory must not break the view
        return None
    return mask if len(mask) < len(entry.text) else None


def masked_count(results: int, settings: CompactionSettings) -> int:
    """Return how many results, the oldest, are masked: only whole blocks, and never the newest."""
    free = results - max(settings.mask_keep, _THIS_TURN)
    return max(0, free) // settings.mask_block * settings.mask_block


def masked(
    entries: Sequence[Entry], settings: CompactionSettings, owner: str, count: int | None = None
) -> tuple[Entry, ...]:
    """Return memories with the `count` oldest results masked; None counts the results in `entries`."""
    results = [at for at, entry in enumerate(entries) if entry.kind == KIND]
    shown = list(entries)
    for at in results[: masked_count(len(results), settings) if count is None else count]:
        mask = mask_of(shown[at], settings, owner)
        if mask is not None:
            shown[at] = shown[at]._replace(text=mask)
    return tuple(shown)


class MaskLog:
    """Records the masks of one memory in the archive. Nothing depends on these records."""

    def __init__(self, view: StrategyView, clock: Clock) -> None:
        self._view, self._memory, self._clock = view, view.memory, clock
        self.forget()

    def forget(self) -> None:
        self._noted: int | None = None  # the newest result recorded as masked; None before the archive was read

    def turn(self) -> list[int]:
        """Record the results masked since the last call and return them; raises OSError. Cheap if there are none."""
        view, memory = self._view, self._memory
        if not view.strategy.masks or memory.waiting:
            return []
        settings, results = view.settings_in_force(), view.results(memory.watermark)
        count = masked_count(len(results), settings)
        if not count:
            return []
        if self._noted is None:
            noted = (last_event(memory.archive, EVENT) or {}).get("masked")
            seqs = noted if isinstance(noted, list) else []
            self._noted = max((seq for seq in seqs if isinstance(seq, int)), default=0)
        due = results[bisect_right(results, self._noted) : count]
        self._noted = max(self._noted, results[count - 1])
        owner = view.context.owner
        fresh = [seq for seq in due if any(mask_of(one, settings, owner) for one in memory.read(seq, seq))]
        for start in range(0, len(fresh), _MOST):
            part = fresh[start : start + _MOST]
            covers = {"first": part[0], "last": part[-1]}
            memory.record({"event": EVENT, "at": iso(self._clock.now()), "covers": covers, "masked": part})
        return fresh
