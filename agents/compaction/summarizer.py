"""What a summarizer is: a generator that asks for replies, if it needs any, and returns a text.

It never waits and never asks by itself, so the same summarizer runs in a fold that awaits a model and in one that must
end at once.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import NamedTuple

from agents.compaction.prompt_styles import Style
from agents.compaction.settings import PROSE
from agents.memory.entries import Entry

Writing = Generator[str, str, str]
"""A summary being written: yields prompts, is sent replies, returns the text."""

Prompts = Callable[[str], Style]
"""Gives a prompt style by its name, that of a file in `vault/prompts/summaries` without its ending."""


@dataclass(frozen=True, slots=True)
class SummarySource:
    """What is to be summarized, and within which limits.

    Args:
        name: whose memories they are; the "I" of the summary.
        tier: `recent` or `longterm`.
        entries: the memories, oldest first; empty for a summary of summaries.
        earlier: the summaries that the new one takes up, oldest first; empty for a recent summary.
        max_sentences: sentences at most; None for any number.
        max_tokens: tokens at most, as estimated.
        max_source_tokens: tokens of memories that one prompt may hold.
        begins: it holds the first memory of the life.
        again: an earlier try was rejected.
        style: how a model is asked, a file of `vault/prompts/summaries`.
        shape: `prose`, or `sections`: six headings with a line for each fact.
        findings: a summary by rules names numbers and values.
        covers: the memories that the summary will stand for, both ends included; None when that is not known.
        sample: what is asked of the earlier summaries, for the judge alone (see `agents.compaction.judge.retention`).
        when: when the memories were, as a sentence begins with it: `On Tuesday morning`; empty when that is not said.
    """

    name: str
    tier: str
    entries: tuple[Entry, ...] = ()
    earlier: tuple[str, ...] = ()
    max_sentences: int | None = None
    max_tokens: int = 600
    max_source_tokens: int = 5000
    begins: bool = False
    again: bool = False
    style: str = "base_v2"
    shape: str = PROSE
    findings: bool = True
    covers: tuple[int, int] | None = None
    sample: tuple[str, ...] = ()
    when: str = ""

    def texts(self) -> list[str]:
        """Return what is replaced: the earlier summaries, and the memories' texts."""
        return [*self.earlier, *(entry.text for entry in self.entries)]


class Summarizer(NamedTuple):
    """A way to write summaries, as a plug-in.

    Args:
        name: what `summarizer:` says; also the name of its file.
        help: one sentence for people.
        write: begins to write.
        needs_model: it yields prompts; without a model another one writes.
    """

    name: str
    help: str
    write: Callable[[SummarySource, Prompts], Writing]
    needs_model: bool = False
