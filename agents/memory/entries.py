"""One memory as a value, its line in the archive, its importance, and a hit that recall found. No I/O."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from json.encoder import encode_basestring as _quoted
from typing import Any, NamedTuple

from agents.text.grammar import second_person
from mud.clock import iso, parse_iso
from mud.sanitize import sanitize
from mud.world.events import Perception, mark_of

KINDS = ("said", "heard", "did", "saw", "moved", "result", "thought", "note", "dream", "told")
"""`result`: what the agent's own query commands showed. `told`: whispered to the agent alone; without an actor it
comes from outside the world, such as from the owner."""
LONGEST_TEXT = 65_536
"""In characters, of a memory that comes from a file."""
DREAMED = "I dreamed something."
"""The text that stands for a dream in summaries."""


class Entry(NamedTuple):
    """One memory.

    Args:
        seq: number in this archive, 1..n without holes.
        at: time, as `2026-11-20T07:21:37.123Z`.
        actor: name of the character that acted; None for the agent itself.
        reason: the private reason of an own action.
        importance: 1 (trifle) to 10 (never to be forgotten).
        source: number of the ledger step.
        mark: one of `mud.world.events.MARKS`; None for most.
        id: id from the input of a bulk import.
        origin: digest of a bulk import's file up to this line; see `agents.memory.received`.
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
    mark: str | None = None
    id: str | None = None
    origin: str | None = None

    def to_json(self) -> str:
        """Return the archive line, without the newline."""
        # Not json.dumps: it takes four times as long, and this is half of an append.
        seq, at, kind, actor, place, text, reason, failed, importance, source, mark, id, origin = self
        return (
            f'{{"seq":{seq},"at":{_quoted(at)},"kind":{_quoted(kind)},'
            f'"actor":{"null" if actor is None else _quoted(actor)},'
            f'"place":{"null" if place is None else _quoted(place)},"text":{_quoted(text)},'
            f'"reason":{"null" if reason is None else _quoted(reason)},'
            f'"failed":{"true" if failed else "false"},"importance":{importance},"source":{source}'
            + (f',"mark":{_quoted(mark)}' if mark else "")
            + (f',"id":{_quoted(id)}' if id else "")
            + (f',"from":{_quoted(origin)}}}' if origin else "}")
        )

    @staticmethod
    def from_json(data: dict[str, Any]) -> Entry:
        """Decode an archive line. Raises KeyError when `seq`, `at`, `kind` or `text` is missing."""
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
            mark=mark_of(data.get("mark")),
            id=_text(data.get("id")),
            origin=_text(data.get("from")),
        )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


_STRUCTURE = ("#", "~", "---")
"""What headings, cues and the lines around a transcript begin with in a prompt."""


def in_prompt(entry: Entry, name: str) -> str:
    """Return a memory as prompt text, with the private reason of an own action.

    An own action is archived with the agent's name and shown in the second person (`You smile.`). Text that looks like
    prompt structure is indented.
    """
    text = second_person(entry.text, name) if entry.kind == "did" and entry.actor is None else entry.text
    text = f"  {text}" if text.startswith(_STRUCTURE) else text
    return f"{text} (your reason: {entry.reason})" if entry.reason else text


class Hit(NamedTuple):
    """One result of recall, with all parts of its score.

    Args:
        kind: kind of memory, or `summary` or `note`.
        text: of a long memory the best passage.
        score: fused score, higher is better; see `agents.recall.ranking`.
        lexical: weighted share of the query's words; None when there are none.
        vector: cosine to the query's vector; None when not among the nearest.
        recency, importance: 0 to 1; None when unknown.
        neighbours: bonus from adjacent memories or passages.
        who, when, answer: bonus for a named speaker, the time asked about, and the kind of thing asked for.
        echoed: bonus that ranks it before a later repetition.
        called: bonus for a note that the query names.
        times: how often the same words were perceived.
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
    echoed: float = 0.0
    called: float = 0.0
    times: int = 1
    at: str = ""


def entry_from_perceived(perceived: Perception, seq: int, at: str, source: int, names: tuple[str, ...] = ()) -> Entry:
    """Return the entry for a perception. `names`: the agent's own names, used for its importance."""
    _, kind, text, actor, place, reason, failed, mark, _ = perceived
    return Entry(seq, at, kind, actor, place, text, reason, failed, importance_of(kind, text, names), source, mark)


LONGEST_ID = 200
"""In characters, of an id in a bulk import."""
RECORD_KEYS = ("text", "at", "kind", "actor", "place", "reason", "failed", "importance", "id")
"""The keys read from a record from outside."""
ORIGIN = "from"


def entry_from_record(
    record: Mapping[str, object], seq: int, at: str, source: int, names: tuple[str, ...] = ()
) -> Entry:
    """Return the entry for a record from outside, such as a line given to `remember`.

    Args:
        record: needs `text`; other `RECORD_KEYS` and `ORIGIN` are optional, further keys are ignored.
        at: the time, if the record has none.
        names: the agent's own names, used for its importance.

    Raises:
        ValueError: one sentence on what is wrong.
    """
    text, kind, importance = _checked(record)
    return Entry(
        seq,
        _time(record.get("at"), at),
        kind,
        _optional(record.get("actor")),
        _optional(record.get("place")),
        text,
        _optional(record.get("reason")),
        record.get("failed") is True,
        importance_of(kind, text, names) if importance is None else importance,
        source,
        id=_optional(record.get("id")),
        origin=_text(record.get(ORIGIN)),
    )


def undreamt(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Replace the text of dreams, so that summaries do not take them for events."""
    return tuple(entry._replace(text=DREAMED) if entry.kind == "dream" else entry for entry in entries)


def check_record(record: Mapping[str, object]) -> None:
    """Raise ValueError, with one sentence, when a record is no memory; see `entry_from_record`."""
    _checked(record)
    _time(record.get("at"), "")


def _checked(record: Mapping[str, object]) -> tuple[str, str, int | None]:
    text, importance = _text_of(record), record.get("importance")
    # With an actor, `told` would be a private whisper.
    kind = record.get("kind") or ("heard" if record.get("actor") else "told")
    if len(str(record.get("id") or "")) > LONGEST_ID:
        raise ValueError(f"id: it is too long; expected at most {LONGEST_ID} characters")
    for key in _TEXTS:
        value = record.get(key)
        if value is not None:
            if not isinstance(value, str):
                raise ValueError(f"{key}: {value!r} is no text")
            _check_whole(key, value)
    if not isinstance(kind, str) or kind not in KINDS:
        raise ValueError(f"kind: there is no kind {kind!r}; there is: {' '.join(KINDS)}")
    if importance is None:
        return text, kind, None
    if not isinstance(importance, int) or isinstance(importance, bool) or not 1 <= importance <= 10:
        raise ValueError(f"importance: {importance!r} is no whole number from 1 to 10")
    return text, kind, importance


def _text_of(record: Mapping[str, object]) -> str:
    text = record.get("text")
    if not isinstance(text, str):
        raise ValueError(
            f"text: {'there is none' if text is None else f'{text!r} is no text'}; expected what is remembered"
        )
    _check_whole("text", text)
    text = sanitize(text)
    if not text or text.isspace():
        raise ValueError("text: it is blank; expected what is remembered")
    if len(text) > LONGEST_TEXT:
        raise ValueError(f"text: it has {len(text):,} characters; expected at most {LONGEST_TEXT:,} in one memory")
    return text


def _check_whole(key: str, text: str) -> None:
    if not text.isascii() and _HALF.search(text):
        raise ValueError(f"{key}: it holds half of a character, such as \\ud800 alone; expected whole ones")


def _optional(value: object) -> str | None:
    return sanitize(value) or None if isinstance(value, str) else None


def _time(value: object, otherwise: str) -> str:
    if not isinstance(value, str) or not value:
        return otherwise
    try:
        if not _ISO.fullmatch(value):
            raise ValueError
        return iso(parse_iso(value.replace(",", ".").upper()))
    except (ValueError, OverflowError):  # OverflowError: its zone moves it out of the valid years
        raise ValueError(f"at: {value!r} is no time; expected one such as 2026-11-20T07:21:37.123Z") from None


_ISO = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[Tt ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(?:[Zz]|[+-][0-9]{2}:?[0-9]{2})?)?"
)
"""An ISO 8601 date or time with only one reading; UTC when it has no zone."""

_TEXTS = ("at", "kind", "actor", "place", "reason", "id")
_HALF = re.compile("[\ud800-\udfff]")
"""Half of a surrogate pair, which JSON and YAML can spell."""
_BASE = {"told": 6, "heard": 4, "note": 6, "saw": 2, "moved": 2, "result": 2}
_PROMISE = re.compile(
    r"\b(promise\w*|swear|swore|never|always|remember|secret|must|i will|i'll|give you my word)\b", re.IGNORECASE
)
_OF_PROMISES = (
    "promise",
    "swear",
    "swore",
    "never",
    "always",
    "remember",
    "secret",
    "must",
    "i will",
    "i'll",
    "my word",
)
_TELLING = re.compile(r"\b(key|hidden|buried|dead|died|love\w*|hate\w*|danger\w*|name is|called)\b", re.IGNORECASE)
_OF_TELLING = ("key", "hidden", "buried", "dead", "died", "love", "hate", "danger", "name is", "called")
_DIGIT = re.compile(r"\d")


def importance_of(kind: str, text: str, names: tuple[str, ...] = ()) -> int:
    """Return the importance of a memory, 1 to 10, by rules alone. A mention of one of `names` raises it."""
    value = _BASE.get(kind, 3) + _told(text)
    if kind in ("heard", "saw"):
        for name in names:
            if name and name in text:
                value += 1
                break
    return min(10, value)


@lru_cache(maxsize=256)
def _told(text: str) -> int:
    """Cached, as every witness of a line asks for the same text."""
    low = text.lower()
    value = 2 if _finds(_PROMISE, _OF_PROMISES, text, low) else 0
    return value + 1 if _DIGIT.search(text) or _finds(_TELLING, _OF_TELLING, text, low) else value


def _finds(pattern: re.Pattern[str], marks: tuple[str, ...], text: str, low: str) -> bool:
    """Search for a pattern; an ASCII text without any plain mark in lower case is ruled out in a tenth of the time."""
    if text.isascii():
        for mark in marks:
            if mark in low:
                break
        else:
            return False
    return pattern.search(text) is not None
