"""Makes a long history short: one summary of the old entries, and the newest as they are."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from agents.compaction.library.config import CompactionConfig
from agents.compaction.library.digest import LEAST_ROOM, Digest, digest_steps, joined, sentences_of
from agents.compaction.library.planned import PlannedCompaction
from agents.compaction.library.steps import MARK, HistoryStep, entries_of, steps_of, summary_entry
from mud.clock import iso
from mud.errors import Unavailable

log = logging.getLogger(__name__)


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class CompactionResult:
    """What one compaction did; its summary is empty where there was nothing to do.

    Args:
        original_entries: entries before.
        compacted_entries: entries after, the summary counted as one.
        original_chars: characters before.
        compacted_chars: characters after: those of the summary, without its entry's marks, and of what is preserved.
        summary: the text; empty when nothing was compacted.
        preserved_entries: the newest entries, the very same objects.
        timestamp: when, ISO-8601, UTC.
        used_llm: a model wrote the summary.
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
        """Return the share of the characters that is gone: 1 - compacted / original; 0.0 of nothing."""
        return 1.0 - self.compacted_chars / self.original_chars if self.original_chars else 0.0


class MemoryCompactor:
    """Makes a long history short: one summary of the old entries, and the newest as they are.

    Args:
        config: when and how; the defaults of `CompactionConfig` without one.
        llm_connector: whoever writes summaries: anything with `generate_response(prompt=...)` that returns text.
        now: the time of day, for the timestamp of results.
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
        """Let another model write summaries from now on; None lets rules write them."""
        self._connector = connector

    def should_compact(self, history: Any) -> bool:
        """Return whether a history is due: never with too few entries; else with many entries, or many characters.

        Raises:
            TypeError: when it is no history of known entries.
        """
        return self._due(steps_of(entries_of(history)))

    def _due(self, steps: Sequence[HistoryStep]) -> bool:
        if len(steps) < self.config.min_entries_for_compaction:
            return False
        if len(steps) >= self.config.max_entries_before_compaction:
            return True
        return sum(step.chars for step in steps) >= self.config.max_chars_before_compaction

    def compact(self, history: Any, task: str | None = "", force: bool = False) -> CompactionResult:
        """Return what compacting a history comes to; the history itself stays as it is.

        A no-op, with an empty summary and every entry preserved, when nothing is due and nothing is forced, when there
        is nothing new among the old entries, or when a summary would be no shorter than they are.

        Args:
            history: any sequence of entries, or an object that has one as `entries`.
            task: what the entries work on; None is as good as nothing.
            force: compact though it is not due.

        Raises:
            TypeError: when it is no history of known entries.
            Exception: what the model raises, or Unavailable for an empty reply, when rules may not write instead.
        """
        entries = entries_of(history)
        steps = steps_of(entries)
        cut = max(0, len(entries) - self.config.preserve_last_n_entries)
        summary, used_llm = "", False
        if (force or self._due(steps)) and not all(step.is_summary for step in steps[:cut]):
            summary, used_llm = self._summary(PlannedCompaction(steps[:cut], task or ""))
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
        """Return the compacted history: the summary's entry, what was preserved, and what has been added since.

        The summary's entry has the form of the entries it replaces: a string, a dict, or a `SummaryEntry`. After a
        no-op the history is returned as it is.

        Args:
            history: what `compact` was given.
            compaction_result: what it returned.

        Raises:
            TypeError: when it is no history of known entries.
            ValueError: when the result is of another history.
        """
        if not compaction_result.summary:
            return history if isinstance(history, list) else entries_of(history)
        entries = entries_of(history)
        cut = _cut(entries, compaction_result)
        folding = PlannedCompaction(steps_of(entries[:cut]), "")
        like = next((entries[at] for at, step in enumerate(folding.steps) if not step.is_summary), (*entries, "")[0])
        lines = folding.lines(compaction_result.summary)
        return [summary_entry(like, lines, compaction_result.timestamp), *entries[cut:]]

    def _summary(self, folding: PlannedCompaction) -> tuple[str, bool]:
        """Return a summary that saves something, and whether a model wrote it; an empty one when there is none."""
        known = folding.known().within(max(LEAST_ROOM, self.config.max_chars_before_compaction // 4))
        if self.config.use_llm_for_summary and self._connector is not None and folding.saves("?"):
            try:
                text = self._asked(folding, known)
            except Exception as error:
                if not self.config.fallback_to_deterministic:
                    raise
                log.info("no summary from the model, rules write it: %s", error)
            else:
                if folding.saves(text):
                    return text, True
                if not self.config.fallback_to_deterministic:
                    return "", False
        return folding.first_that_saves(self._by_rules(folding, known)), False

    def _by_rules(self, folding: PlannedCompaction, known: Digest) -> list[str]:
        """Return the summary by rules, and shorter ones for a history that has no room; what was known stays in all."""
        digest = digest_steps(folding.fresh, folding.task, self.config.include_key_findings)
        shorter = (digest, *digest.with_fewer_findings()) if folding.earlier else digest.ever_shorter()
        return [joined(one.after(known).parts(), self.config.summary_max_sentences) for one in shorter]

    def _asked(self, folding: PlannedCompaction, known: Digest) -> str:
        """Return the model's summary, cut to the limit, and behind it what it leaves out of the earlier summary."""
        reply = self._connector.generate_response(prompt=folding.prompt(self.config.summary_max_sentences))
        found = sentences_of(reply.replace(MARK, " ")) if isinstance(reply, str) else []
        if not found:
            raise Unavailable("the model's summary is empty")
        if _NO_SUMMARY.search(reply):
            raise Unavailable("the model refused, or sent its template back")
        most = self.config.summary_max_sentences
        text = " ".join(found[:most])
        return joined([*found[:most], *known.untold(text).parts()], most)


_NO_SUMMARY = re.compile(
    r"^\W*(?:as an ai\b|(?:i(?:['’]m| am) )?sorry\b|i(?:['’]m| am) unable\b|i can(?:not|['’]t)\b)|\{\w*\}",
    re.IGNORECASE,
)
"""A reply that is no summary of anything."""


def _cut(entries: Sequence[Any], result: CompactionResult) -> int:
    """Return how many entries a result replaces: all before those that it preserved.

    Raises:
        ValueError: when what it preserved does not stand where it was.
    """
    kept = result.preserved_entries
    for start in (result.original_entries - len(kept), len(entries) - len(kept)):
        there = entries[start : start + len(kept)] if start >= 0 else []
        if len(there) == len(kept) and all(
            one is other or one == other for one, other in zip(there, kept, strict=True)
        ):
            return start
    raise ValueError("the result is of another history: what it preserved is not there")
