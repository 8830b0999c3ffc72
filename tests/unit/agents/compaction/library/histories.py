"""Histories of every form, and models led by hand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from hypothesis import strategies as st

from agents.compaction import CompactionConfig


@dataclass
class Repl:
    """A step as seed 001 has it."""

    reasoning: str = ""
    code: str = ""
    output: str = ""
    llm_calls: list[str] = field(default_factory=list)
    timestamp: str = "2026-01-01T00:00:00Z"


class Line(NamedTuple):
    """An object with a text."""

    text: str


class Repls:
    """The seed's immutable history."""

    def __init__(self, entries: Sequence[Any]) -> None:
        self.entries = entries

    def __len__(self) -> int:
        return len(self.entries)


class Model:
    """A model that gives the replies it was given, the last of them for ever, and keeps what it was asked."""

    def __init__(self, *replies: Any) -> None:
        self.replies = list(replies)
        self.asked: list[str] = []

    def generate_response(self, prompt: str) -> Any:
        self.asked.append(prompt)
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, Exception):
            raise reply
        return reply


def chars(entry: Any) -> int:
    """Count an entry's characters in a way of its own."""
    if isinstance(entry, str):
        return len(entry)
    record = entry if isinstance(entry, dict) else {name: getattr(entry, name, "") for name in (*PARTS, "text")}
    parts = sum(len(record.get(name) or "") for name in PARTS)
    return parts or len(record.get("text") or "")


def text(entry: Any) -> str:
    """Return everything that an entry says."""
    if isinstance(entry, str):
        return entry
    record = entry if isinstance(entry, dict) else {name: getattr(entry, name, "") for name in (*PARTS, "text")}
    return "\n".join(str(record.get(name) or "") for name in (*PARTS, "text"))


PARTS = ("reasoning", "code", "output")


def form(name: str, said: str) -> Any:
    """Return an entry of a form that says something."""
    if name == "string":
        return said
    if name == "mapping":
        return {"text": said, "timestamp": "2026-01-01T00:00:00Z"}
    if name == "object":
        return Line(said)
    if name == "step mapping":
        return {"reasoning": "I look again", "code": "look()", "output": said, "llm_calls": []}
    return Repl("I look again", "look()", said)


FORMS = ("string", "mapping", "object", "step mapping", "step object")

_SAID = st.text(max_size=80) | st.sampled_from(
    [
        "0 errors found",
        "KeyError: boom",
        "total: 1523. Done; and more! Really?",
        "[COMPACTED] Working on: x. Completed 3 steps (2 successful).\n(Compacted 3 steps)",
        "[COMPACTED] She found 12 coins. He left.",
        "key: 9",
        "I walked along the long wall of the garden and counted seventeen old stones in it. " * 3,
    ]
)
_ENTRY = st.one_of(
    _SAID,
    st.builds(lambda said: {"text": said}, _SAID),
    st.builds(Line, _SAID),
    st.builds(Repl, _SAID, _SAID, _SAID, st.lists(st.text(max_size=3), max_size=3)),
    st.builds(lambda one, two: {"reasoning": one, "output": two, "llm_calls": 2}, _SAID, _SAID),
)
histories = st.lists(_ENTRY, max_size=25)
"""Lists of entries in any mixture of forms, earlier summaries among them."""
configs = st.builds(
    CompactionConfig,
    min_entries_for_compaction=st.integers(0, 12),
    max_entries_before_compaction=st.integers(0, 15),
    max_chars_before_compaction=st.integers(0, 3000),
    summary_max_sentences=st.integers(1, 5),
    preserve_last_n_entries=st.integers(0, 12),
    include_key_findings=st.booleans(),
    use_llm_for_summary=st.booleans(),
)
replies = st.text(max_size=200) | st.sampled_from(
    ["", "  \n", "One. two. Three! four? Five.", "- a\n- b\n- c\n- d\n- e\n- f", None, 7]
)

RULES = CompactionConfig(use_llm_for_summary=False)


def chunks(count: int) -> list[Repl]:
    """Return the history of the seed's end-to-end example."""
    return [
        Repl(
            f"Step {i}: analyzing chunk {i}",
            f"result_{i} = analyze(chunks[{i}])",
            f"Processed chunk {i}: found {i * 3} patterns",
        )
        for i in range(count)
    ]


def quiet(name: str, count: int, *said: str) -> list[Any]:
    """Return a history in which nothing happens but what is said first."""
    return [form(name, one) for one in (*said, *["I walked around in the garden for a while."] * (count - len(said)))]


def sentences(summary: str) -> int:
    """Count the sentences of a summary, as simply as can be."""
    return len(re.findall(r"[.!?…]+[\"”»'’)\]]*(?:\s|$)", summary))
