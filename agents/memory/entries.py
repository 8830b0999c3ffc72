"""One memory as a value, its line in the archive, how much it matters, and a hit that recall found.

Pure: it knows the form of a line, not where it is kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mud.clock import iso, parse_iso
from mud.world.events import Perceived

KINDS = ("said", "heard", "did", "saw", "moved", "result", "thought", "note", "dream", "told")
"""Every kind of memory. `result` is what one's own query commands showed; `told` was whispered to oneself alone."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One memory.

    Args:
        seq: its number in this life, 1..n without holes.
        at: when, as `2026-11-20T07:21:37.123Z`.
        kind: one of `KINDS`.
        actor: name of who acted; None for the agent itself.
        place: name of the location; None when nowhere.
        text: what is remembered, as the agent would read it.
        reason: the private reason behind one's own doing; None when there was none.
        failed: it was tried and did not work.
        importance: 1 (trifle) to 10 (never to be forgotten).
        source: number of the ledger step it comes from.
    """

    seq: int
    at: str
    kind: str
    actor: str | None
    place: str | None
    text: str
    reason: str | None = None
    failed: bool = False
    importance: int = 3
    source: int = 0

    def to_json(self) -> str:
        """Return its archive line, without the newline."""
        # By hand: dataclasses.asdict doubles the time of an append.
        return json.dumps(
            {
                "seq": self.seq,
                "at": self.at,
                "kind": self.kind,
                "actor": self.actor,
                "place": self.place,
                "text": self.text,
                "reason": self.reason,
                "failed": self.failed,
                "importance": self.importance,
                "source": self.source,
            },
            ensure_ascii=False,
            separators=(",", ":"),
        )

    @staticmethod
    def from_json(data: dict[str, Any]) -> Entry:
        """Return the entry that a decoded archive line holds.

        Raises:
            KeyError: when `seq`, `at`, `kind` or `text` is missing.
        """
        return Entry(
            seq=data["seq"],
            at=data["at"],
            kind=data["kind"],
            actor=data.get("actor"),
            place=data.get("place"),
            text=data["text"],
            reason=data.get("reason"),
            failed=data.get("failed", False),
            importance=data.get("importance", 3),
            source=data.get("source", 0),
        )


@dataclass(frozen=True, slots=True)
class Hit:
    """One thing that recall found, with every part of its score.

    Args:
        kind: kind of memory, or `summary` or `note`.
        text: what was found.
        score: the fused score, higher is better; `agents.recall.ranking` tells how it is made of the parts.
        lexical: share of the question's words that it has, by how telling they are; None when it has none of them.
        vector: cosine of its vector and the question's; None when its vector was not among the nearest.
        recency, importance: 0 to 1; None where there is nothing to go by.
        seq: number of the memory; None for a summary or note.
        covers: first and last memory of a summary; None otherwise.
        entry: the whole memory; None for a summary or note.
        title: title of a note; None otherwise.
        neighbours: what the memories beside it lend to it.
        who, when, answer: what it gets for being of somebody who is named, of the time that is asked about, and for
            holding the kind of thing that is asked for.
        times: how often this was lived in these very words.
        at: when; empty when that is not known.
    """

    kind: str
    text: str
    score: float
    lexical: float | None = None
    vector: float | None = None
    recency: float | None = None
    importance: float | None = None
    seq: int | None = None
    covers: tuple[int, int] | None = None
    entry: Entry | None = None
    title: str | None = None
    neighbours: float = 0.0
    who: float = 0.0
    when: float = 0.0
    answer: float = 0.0
    times: int = 1
    at: str = ""


def entry_from_perceived(perceived: Perceived, seq: int, at: str, source: int, names: tuple[str, ...] = ()) -> Entry:
    """Return the entry of what a step of the world left with a character.

    Args:
        perceived: what it left.
        seq: the number it gets.
        at: when, written.
        source: the step's number.
        names: the agent's own names, for its importance.
    """
    return Entry(
        seq=seq,
        at=at,
        kind=perceived.kind,
        actor=perceived.actor,
        place=perceived.place,
        text=perceived.text,
        reason=perceived.reason,
        failed=perceived.failed,
        importance=importance_of(perceived.kind, perceived.text, names),
        source=source,
    )


def entry_from_record(
    record: Mapping[str, object], seq: int, at: str, source: int, names: tuple[str, ...] = ()
) -> Entry:
    """Return the entry that a record from outside describes, such as a line given to `remember`.

    Args:
        record: `text` is needed; `at kind actor place reason failed importance` are optional, others are ignored.
        seq: the number it gets.
        at: when, should the record not say.
        source: the ledger step it belongs to.
        names: the agent's own names, for its importance.

    Raises:
        ValueError: one sentence on what is wrong with it.
    """
    text = record.get("text")
    if not isinstance(text, str) or not text.strip():
        raise ValueError("text: there is none; expected what is remembered, as text")
    for key in ("at", "kind", "actor", "place", "reason"):
        value = record.get(key)
        if value is not None and not isinstance(value, str):
            raise ValueError(f"{key}: {value!r} is no text")
    kind = str(record.get("kind") or "told")
    if kind not in KINDS:
        raise ValueError(f"kind: there is no kind {kind!r}; there is: {' '.join(KINDS)}")
    importance = record.get("importance")
    if importance is None:
        importance = importance_of(kind, text, names)
    if not isinstance(importance, int) or isinstance(importance, bool) or not 1 <= importance <= 10:
        raise ValueError(f"importance: {importance!r} is no whole number from 1 to 10")
    return Entry(
        seq=seq,
        at=_time(record.get("at"), at),
        kind=kind,
        actor=_optional(record.get("actor")),
        place=_optional(record.get("place")),
        text=text,
        reason=_optional(record.get("reason")),
        failed=record.get("failed") is True,
        importance=importance,
        source=source,
    )


def _optional(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _time(value: object, otherwise: str) -> str:
    """Return a record's time in the one written form.

    Raises:
        ValueError: when it is no time.
    """
    if not isinstance(value, str) or not value:
        return otherwise
    if _WRITTEN.fullmatch(value):
        return value
    try:
        return iso(parse_iso(value))
    except ValueError:
        raise ValueError(f"at: {value!r} is no time; expected one such as 2026-11-20T07:21:37.123Z") from None


_WRITTEN = re.compile(r"\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\d\.\d{3}Z")

_BASE = {"told": 6, "heard": 4, "note": 6, "saw": 2, "moved": 2, "result": 2}
_PROMISE = re.compile(
    r"\b(promise\w*|swear|swore|never|always|remember|secret|must|i will|i'll|give you my word)\b", re.IGNORECASE
)
_TELLING = re.compile(r"\d|\b(key|hidden|buried|dead|died|love\w*|hate\w*|danger\w*|name is|called)\b", re.IGNORECASE)


def importance_of(kind: str, text: str, names: tuple[str, ...] = ()) -> int:
    """Return how much a memory matters, 1 to 10, by rules alone.

    Args:
        kind: its kind.
        text: its text.
        names: the agent's own names; being spoken of raises the value.
    """
    value = _BASE.get(kind, 3)
    value += 2 if _PROMISE.search(text) else 0
    value += 1 if _TELLING.search(text) else 0
    value += 1 if kind in ("heard", "saw") and any(name and name in text for name in names) else 0
    return max(1, min(10, value))
