"""The memory of a conversation: all turns are kept, and a context for the next model call is built from them.

In a context, every turn appears in one of these forms:

    the newest five  in full
    older turns      the first 100 characters of question and answer
    folded turns     three turns of each fold with 100 characters, the others with 30
    middle turns     only counted, if the older ones exceed `max_chars_before_compaction` (at least 1,000 characters)
"""

from __future__ import annotations

from typing import Any, NamedTuple

from agents.compaction.library.compactor import MemoryCompactor
from agents.compaction.library.digest import LEAST_ROOM, oldest_and_newest
from agents.text.english import flat

_SHOWN = 5  # turns that a context shows in full
_PREVIEW_CHARS, _TRACE_CHARS = 100, 30
_PREVIEWS = 3  # turns of one fold that keep a long preview, so that the beginning of a conversation stays


class Turn(NamedTuple):
    """A question and its answer, with the compacted steps that led to it and their summary."""

    user_message: str
    assistant_response: str
    task: str = ""
    history: tuple[Any, ...] = ()
    summary: str = ""


class ConversationMemory:
    """Keeps a conversation and builds the context for a prompt.

    With more than `max_turns` unfolded turns, the older half is folded.
    """

    def __init__(self, compactor: MemoryCompactor | None = None, max_turns: int = 20) -> None:
        if max_turns < 1:
            raise ValueError(f"max_turns is {max_turns}; the least is 1")
        self.compactor = compactor or MemoryCompactor()
        self.max_turns = max_turns
        self._turns: list[Turn] = []
        self._traces: list[str] = []

    @property
    def turns(self) -> list[Turn]:
        return list(self._turns)

    def add_turn(self, user_message: str, assistant_response: str, history: Any = None, task: str = "") -> None:
        """Add a turn; its steps, in any form that the compactor accepts, are compacted when due."""
        steps: list[Any] = []
        summary = ""
        if history is not None:
            result = self.compactor.compact(history, task)
            steps, summary = self.compactor.apply_compaction(history, result), result.summary
        self._turns.append(Turn(user_message, assistant_response, task, tuple(steps), summary))
        if len(self._turns) - len(self._traces) > self.max_turns:
            folded = self._turns[len(self._traces) : len(self._turns) - max(1, self.max_turns // 2)]
            self._traces += [_preview(turn, _PREVIEW_CHARS) for turn in folded[:_PREVIEWS]]
            self._traces += [_preview(turn, _TRACE_CHARS) for turn in folded[_PREVIEWS:]]

    def get_context(self) -> str:
        """Return the conversation for a prompt: the older turns in brackets, then the newest in full."""
        cut = max(len(self._traces), len(self._turns) - _SHOWN)
        older = [*self._traces, *(_preview(turn, _PREVIEW_CHARS) for turn in self._turns[len(self._traces) : cut])]
        parts = [_whole(turn) for turn in self._turns[cut:]]
        if older:
            old, new = oldest_and_newest(older, max(LEAST_ROOM, self.compactor.config.max_chars_before_compaction))
            left = len(older) - len(old) - len(new)
            told = [*old, *([f"({left} more)"] if left else []), *new]
            parts.insert(0, f"[Previous conversation ({len(older)} turns): {' | '.join(told)}]")
        return "\n\n".join(parts)

    def clear(self) -> None:
        self._turns.clear()
        self._traces.clear()


def _whole(turn: Turn) -> str:
    lines = [f"User: {turn.user_message}", f"Assistant: {turn.assistant_response}"]
    return "\n".join([*lines, f"Steps: {turn.summary}"] if turn.summary else lines)


def _preview(turn: Turn, chars: int) -> str:
    return f"Q: {_begun(turn.user_message, chars)} A: {_begun(turn.assistant_response, chars)}"


def _begun(text: str, chars: int) -> str:
    line = flat(text)
    return line if len(line) <= chars else f"{line[:chars]}..."
