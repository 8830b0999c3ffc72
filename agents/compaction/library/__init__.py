"""The library form of seed 001: compaction of any list of entries, without a world, an agent or a vault.

A history becomes one summary of its old entries, and the newest entries unchanged. What earlier summaries say is
carried over, the oldest and the newest of it if there is too much. If no summary is shorter than what it would
replace, nothing is compacted.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from functools import partial
from itertools import count
from typing import Any, NamedTuple

from agents.compaction.library.digest import (
    LEAST_ROOM,
    MARK,
    Digest,
    HistoryStep,
    as_text,
    digest_steps,
    entries_of,
    joined,
    oldest_and_newest,
    read_digest,
    sentences_of,
    steps_of,
    summary_entry,
    summary_lines,
)
from agents.compaction.settings import PRESETS
from agents.text.english import flat
from mud.clock import iso
from mud.errors import Unavailable, UnknownName

log = logging.getLogger(__name__)

_now = partial(datetime.now, UTC)
_REASONING_CHARS, _CODE_CHARS, _OUTPUT_CHARS = 200, 150, 100
"""Maximum characters of each part of a step in a prompt; an entry with a single text gets as many as reasoning."""
_ASK = """Summarize these steps of a longer task in at most {limit}.

Task: {task}
{earlier}
Steps:
{steps}

Say what was attempted, what was found and how far the task got, and which errors there were and how they were \
resolved. Name every finding, name and number that the task still needs. Write at most {limit} and nothing else."""
_EARLIER = """
Summary of the {count} steps before these, which yours replaces too:
{summary}
"""
_NO_SUMMARY = re.compile(
    r"^\W*(?:as an ai\b|(?:i(?:['’]m| am) )?sorry\b|i(?:['’]m| am) unable\b|i can(?:not|['’]t)\b)|\{\w*\}",
    re.IGNORECASE,
)
_SHOWN = 5  # turns that a context shows in full
_PREVIEW_CHARS, _TRACE_CHARS = 100, 30
_PREVIEWS = 3  # turns of one fold that keep a long preview, so that the beginning of a conversation stays


@dataclass(frozen=True, slots=True)
class CompactionConfig:
    """When and how a history is compacted. Raises TypeError or ValueError for an invalid value.

    Args:
        min_entries_for_compaction: fewer entries are never compacted, however long they are.
        max_entries_before_compaction, max_chars_before_compaction: compact from so many entries or characters on.
        fallback_to_deterministic: write by rules when the model fails; otherwise its error is raised.
    """

    min_entries_for_compaction: int = 5
    max_entries_before_compaction: int = 10
    max_chars_before_compaction: int = 8000
    summary_max_sentences: int = 3
    preserve_last_n_entries: int = 2
    include_key_findings: bool = True
    use_llm_for_summary: bool = True
    fallback_to_deterministic: bool = True

    def __post_init__(self) -> None:
        for one in fields(self):
            value: Any = getattr(self, one.name)
            whole = type(one.default) is int
            if type(value) is not (int if whole else bool):
                raise TypeError(f"{one.name} is {value!r}; expected {'a whole number' if whole else 'True or False'}")
            least = int(one.name == "summary_max_sentences")
            if value < least:
                raise ValueError(f"{one.name} is {value}; the least is {least}")

    @classmethod
    def preset(cls, name: str) -> CompactionConfig:
        """Return a preset by its name, such as `aggressive`; raises UnknownName."""
        if name not in PRESETS:
            raise UnknownName(f"there is no preset {name!r}; there is: {', '.join(PRESETS)}")
        return cls(**PRESETS[name])


@dataclass(frozen=True, slots=True)
class CompactionResult:
    """The result of one compaction; the summary is empty when nothing was compacted.

    Args:
        compacted_entries, compacted_chars: sizes afterwards; the summary counts as one entry, without its marks.
        preserved_entries: the newest entries, the same objects.
        timestamp: ISO-8601, UTC.
    """

    original_entries: int
    compacted_entries: int
    original_chars: int
    compacted_chars: int
    summary: str
    preserved_entries: list[Any] = field(default_factory=list)
    timestamp: str = field(default_factory=lambda: iso(_now()))
    used_llm: bool = False

    @property
    def compression_ratio(self) -> float:
        """The share of the characters that was removed, 0.0 for an empty history."""
        return 1.0 - self.compacted_chars / self.original_chars if self.original_chars else 0.0


class MemoryCompactor:
    """Compacts a history into one summary of the old entries and the newest entries unchanged.

    Args:
        llm_connector: any object with `generate_response(prompt=...)` that returns text; None for summaries by rules.
    """

    def __init__(
        self,
        config: CompactionConfig | None = None,
        llm_connector: Any = None,
        *,
        now: Callable[[], datetime] = _now,
    ) -> None:
        self.config = config or CompactionConfig()
        self._connector = llm_connector
        self._now = now

    def set_llm_connector(self, connector: Any) -> None:
        self._connector = connector

    def should_compact(self, history: Any) -> bool:
        """Return whether a history is due: it has enough entries, and many entries or many characters."""
        return self._due(steps_of(entries_of(history)))

    def _due(self, steps: Sequence[HistoryStep]) -> bool:
        config = self.config
        if len(steps) < config.min_entries_for_compaction:
            return False
        chars = sum(step.chars for step in steps)
        return len(steps) >= config.max_entries_before_compaction or chars >= config.max_chars_before_compaction

    def compact(self, history: Any, task: str | None = "", force: bool = False) -> CompactionResult:
        """Return the result of compacting a history, which is not modified.

        Args:
            history: any sequence of entries, or an object that has one as `entries`.
            task: what the entries work on.
            force: compact even if it is not due.

        Raises:
            TypeError: when it is no history of known entries.
            Exception: the model's error, without `fallback_to_deterministic`.
        """
        entries = entries_of(history)
        steps = steps_of(entries)
        cut = max(0, len(entries) - self.config.preserve_last_n_entries)
        summary, used_llm = "", False
        if (force or self._due(steps)) and not all(step.is_summary for step in steps[:cut]):
            summary, used_llm = self._summary(_PlannedCompaction(steps[:cut], task or ""))
        chars = sum(step.chars for step in steps)
        left = sum(step.chars for step in steps[cut:])
        return CompactionResult(
            original_entries=len(entries),
            compacted_entries=1 + len(entries) - cut if summary else len(entries),
            original_chars=chars,
            compacted_chars=len(summary) + left if summary else chars,
            summary=summary,
            preserved_entries=entries[cut:] if summary else entries,
            timestamp=iso(self._now()),
            used_llm=used_llm,
        )

    def apply_compaction(self, history: Any, compaction_result: CompactionResult) -> list[Any]:
        """Return the compacted history: the summary entry, in the form of the others, and the newer entries.

        Raises:
            TypeError: when it is no history of known entries.
            ValueError: when the result belongs to another history.
        """
        if not compaction_result.summary:
            return history if isinstance(history, list) else entries_of(history)
        entries = entries_of(history)
        cut = _cut(entries, compaction_result)
        planned = _PlannedCompaction(steps_of(entries[:cut]), "")
        like = next((entries[at] for at, step in enumerate(planned.steps) if not step.is_summary), (*entries, "")[0])
        lines = planned.lines(compaction_result.summary)
        return [summary_entry(like, lines, compaction_result.timestamp), *entries[cut:]]

    def _summary(self, planned: _PlannedCompaction) -> tuple[str, bool]:
        """Return a summary that saves characters (or an empty string), and whether a model wrote it."""
        known = planned.known().within(max(LEAST_ROOM, self.config.max_chars_before_compaction // 4))
        if self.config.use_llm_for_summary and self._connector is not None and planned.saves("?"):
            try:
                text = self._asked(planned, known)
            except Exception as error:
                if not self.config.fallback_to_deterministic:
                    raise
                log.info("no summary from the model, rules write it: %s", error)
            else:
                if planned.saves(text):
                    return text, True
                if not self.config.fallback_to_deterministic:
                    return "", False
        digest = digest_steps(planned.fresh, planned.task, self.config.include_key_findings)
        # All candidates keep what the earlier summaries say; only the new part gets shorter.
        shorter = (digest, *digest.with_fewer_findings()) if planned.earlier else digest.ever_shorter()
        summaries = [joined(one.after(known).parts(), self.config.summary_max_sentences) for one in shorter]
        return planned.first_that_saves(summaries), False

    def _asked(self, planned: _PlannedCompaction, known: Digest) -> str:
        """Return the model's summary within the limit, plus what it omits of the earlier summary."""
        most = self.config.summary_max_sentences
        reply = self._connector.generate_response(prompt=planned.prompt(most))
        found = sentences_of(reply.replace(MARK, " "))[:most] if isinstance(reply, str) else []
        if not found:
            raise Unavailable("the model's summary is empty")
        if _NO_SUMMARY.search(reply):
            raise Unavailable("the model refused, or sent its template back")
        return joined([*found, *known.untold(" ".join(found)).parts()], most)


def _cut(entries: Sequence[Any], result: CompactionResult) -> int:
    kept = result.preserved_entries
    for start in (result.original_entries - len(kept), len(entries) - len(kept)):
        if start >= 0 and entries[start : start + len(kept)] == kept:
            return start
    raise ValueError("the result is of another history: what it preserved is not there")


@dataclass(frozen=True, slots=True)
class _PlannedCompaction:
    """The entries that one compaction would replace, at least one of them no summary."""

    steps: Sequence[HistoryStep]
    task: str

    @property
    def fresh(self) -> list[HistoryStep]:
        return [step for step in self.steps if not step.is_summary]

    @property
    def earlier(self) -> list[HistoryStep]:
        return [step for step in self.steps if step.is_summary]

    def known(self) -> Digest:
        known = Digest()
        for step in self.earlier:
            known = read_digest(step.summary, step.stands_for).after(known)
        return known

    def lines(self, summary: str, with_comment: bool | None = None) -> tuple[str, str, str]:
        with_comment = self.saves(summary, with_comment=True) if with_comment is None else with_comment
        return summary_lines(summary, sum(step.stands_for for step in self.steps), with_comment)

    def saves(self, summary: str, with_comment: bool = False) -> bool:
        """Return whether the whole summary entry, in any form, is shorter than what it replaces."""
        return len(as_text(self.lines(summary, with_comment))) < sum(step.chars for step in self.steps)

    def first_that_saves(self, summaries: Sequence[str]) -> str:
        """Return the first summary that saves characters, or an empty string. The comment is dropped last."""
        commented = (False,) if self.fresh[0].whole else (True, False)
        return next((one for comment in commented for one in summaries if self.saves(one, comment)), "")

    def prompt(self, most: int) -> str:
        earlier = self.earlier
        return _ASK.format(
            limit=f"{most} sentence{'s' * (most > 1)}",
            task=self.task or "(not said)",
            earlier="".join(_EARLIER.format(count=one.stands_for, summary=one.summary) for one in earlier),
            steps="\n".join(map(_shown, self.fresh, count(1 + sum(one.stands_for for one in earlier)))),
        )


def _shown(step: HistoryStep, number: int) -> str:
    if step.whole:
        return f"Step {number}: {flat(step.output)[:_REASONING_CHARS]}"
    parts = (
        ("Reasoning", flat(step.reasoning)[:_REASONING_CHARS]),
        ("Code", flat(step.code)[:_CODE_CHARS]),
        ("Output", flat(step.output)[:_OUTPUT_CHARS]),
    )
    return "\n".join([f"Step {number}", *(f"  {label}: {text}" for label, text in parts if text)])


class Turn(NamedTuple):
    """A question and its answer, with the compacted steps that led to it and their summary."""

    user_message: str
    assistant_response: str
    task: str = ""
    history: tuple[Any, ...] = ()
    summary: str = ""


class ConversationMemory:
    """Keeps all turns of a conversation and builds the context for a prompt from them.

    With more than `max_turns` unfolded turns, the older half is folded. In a context, every turn appears in a form:

        the newest five  in full
        older turns      the first 100 characters of question and answer
        folded turns     three turns of each fold with 100 characters, the others with 30
        middle turns     only counted, if the older ones exceed `max_chars_before_compaction` (at least 1,000)
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
    lines = flat(turn.user_message), flat(turn.assistant_response)
    asked, answered = (line if len(line) <= chars else f"{line[:chars]}..." for line in lines)
    return f"Q: {asked} A: {answered}"
