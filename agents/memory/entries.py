"""One memory as a value, its line in the archive, how much it matters, and a hit that recall found.

Pure: it knows the form of a line, not where it is kept.
"""

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
"""Every kind of memory. `result` is what one's own query commands showed; `told` was whispered to oneself alone;
without an actor it is what came from outside the world, such as a person's own hand."""
LONGEST_TEXT = 65_536
"""Characters of one memory that comes from a file."""
DREAMED = "I dreamed something."
"""All that is summed up of a dream."""


class Entry(NamedTuple):
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
        mark: one of `mud.world.events.MARKS`, for what kind and words do not tell; None for most.
        id: the name that whoever gave it in bulk has for it; None for most.
        origin: for what was given in bulk, the digest of its file up to its line; see `agents.memory.received`.
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
        """Return its archive line, without the newline."""
        # By hand: json.dumps takes four times as long, and this is half of an append.
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
            mark=mark_of(data.get("mark")),
            id=_text(data.get("id")),
            origin=_text(data.get("from")),
        )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


_STRUCTURE = ("#", "~", "---")
"""What headings, cues and the lines around a transcript begin with in a prompt."""


def in_prompt(entry: Entry, name: str) -> str:
    """Return a memory as it stands in a prompt: its text, with the private reason behind what was done.

    What everybody saw one do is told by one's name in the archive, and as all that one did in a prompt: `You smile.`
    What looks like a part of the prompt is indented, as all further lines of a memory are.

    Args:
        entry: the memory.
        name: whose it is.
    """
    text = second_person(entry.text, name) if entry.kind == "did" and entry.actor is None else entry.text
    text = f"  {text}" if text.startswith(_STRUCTURE) else text
    return f"{text} (your reason: {entry.reason})" if entry.reason else text


class Hit(NamedTuple):
    """One thing that recall found, with every part of its score.

    Args:
        kind: kind of memory, or `summary` or `note`.
        text: what was found; of a long memory the passage that fits best.
        score: the fused score, higher is better; `agents.recall.ranking` tells how it is made of the parts.
        lexical: share of the question's words that it has, by how telling they are; None when it has none of them.
        vector: cosine of its vector and the question's; None when its vector was not among the nearest.
        recency, importance: 0 to 1; None where there is nothing to go by.
        seq: number of the memory; None for a summary or note.
        covers: first and last memory of a summary; None otherwise.
        entry: the whole memory; None for a summary or note.
        title: title of a note; None otherwise.
        neighbours: what the memories, or passages, beside it lend to it.
        who, when, answer: what it gets for being of somebody who is named, of the time that is asked about, and for
            holding the kind of thing that is asked for.
        echoed: what it gets to stand before a later memory that repeats it.
        called: what a note gets because the question calls it by its name.
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
    echoed: float = 0.0
    called: float = 0.0
    times: int = 1
    at: str = ""


def entry_from_perceived(perceived: Perception, seq: int, at: str, source: int, names: tuple[str, ...] = ()) -> Entry:
    """Return the entry of what a step of the world left with a character.

    Args:
        perceived: what it left.
        seq: the number it gets.
        at: when, written.
        source: the step's number.
        names: the agent's own names, for its importance.
    """
    _, kind, text, actor, place, reason, failed, mark, _ = perceived
    return Entry(seq, at, kind, actor, place, text, reason, failed, importance_of(kind, text, names), source, mark)


LONGEST_ID = 200
"""Characters of the name that a memory given in bulk may have."""
RECORD_KEYS = ("text", "at", "kind", "actor", "place", "reason", "failed", "importance", "id")
"""What is read of a record from outside."""
ORIGIN = "from"
"""The key of an entry's origin."""


def entry_from_record(
    record: Mapping[str, object], seq: int, at: str, source: int, names: tuple[str, ...] = ()
) -> Entry:
    """Return the entry that a record from outside describes, such as a line given to `remember`.

    Args:
        record: `text` is needed, the others of `RECORD_KEYS` are optional; so is what `remember` says of its origin
            under `ORIGIN`. Any other is ignored.
        seq: the number it gets.
        at: when, should the record not say.
        source: the ledger step it belongs to.
        names: the agent's own names, for its importance.

    Raises:
        ValueError: one sentence on what is wrong with it.
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
    """Return memories for who sums them up: that somebody dreamed, but not what, for it never happened."""
    return tuple(entry._replace(text=DREAMED) if entry.kind == "dream" else entry for entry in entries)


def check_record(record: Mapping[str, object]) -> None:
    """Make sure that a record describes a memory; see `entry_from_record`.

    Raises:
        ValueError: one sentence on what is wrong with it.
    """
    _checked(record)
    _time(record.get("at"), "")


def _checked(record: Mapping[str, object]) -> tuple[str, str, int | None]:
    """Return the text, kind and importance of a record, all of whose parts but its time are in order.

    Raises:
        ValueError: when one is not.
    """
    text, importance = _text_of(record), record.get("importance")
    # `told` of somebody is what they whispered, which is told to nobody else.
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
    """Return what is remembered.

    Raises:
        ValueError: when that is nothing, or too much.
    """
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
    """Return a record's time in the one written form.

    Raises:
        ValueError: when it is no time.
    """
    if not isinstance(value, str) or not value:
        return otherwise
    try:
        if not _ISO.fullmatch(value):
            raise ValueError
        return iso(parse_iso(value.replace(",", ".").upper()))
    except (ValueError, OverflowError):  # the latter where its zone takes it out of all years
        raise ValueError(f"at: {value!r} is no time; expected one such as 2026-11-20T07:21:37.123Z") from None


_ISO = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[Tt ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(?:[Zz]|[+-][0-9]{2}:?[0-9]{2})?)?"
)
"""A date or a time of ISO 8601 that can be read in one way only; one without a zone is UTC."""

_TEXTS = ("at", "kind", "actor", "place", "reason", "id")
_HALF = re.compile("[\ud800-\udfff]")
"""Half of a surrogate pair: no character, though JSON and YAML can spell it."""
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
    """Return how much a memory matters, 1 to 10, by rules alone.

    Args:
        kind: its kind.
        text: its text.
        names: the agent's own names; being spoken of raises the value.
    """
    value = _BASE.get(kind, 3) + _told(text)
    if kind in ("heard", "saw"):
        for name in names:
            if name and name in text:
                value += 1
                break
    return min(10, value)


@lru_cache(maxsize=256)
def _told(text: str) -> int:
    """Return how much more a memory matters for what it tells; everybody who witnessed a line asks the same."""
    low = text.lower()
    value = 2 if _finds(_PROMISE, _OF_PROMISES, text, low) else 0
    return value + 1 if _DIGIT.search(text) or _finds(_TELLING, _OF_TELLING, text, low) else value


def _finds(pattern: re.Pattern[str], marks: tuple[str, ...], text: str, low: str) -> bool:
    """Return whether a pattern is found in a text; a plain text without any of these marks has it nowhere.

    To look for the marks in `low`, the text in small letters, takes a tenth of the time, and most texts have none.
    """
    if text.isascii():
        for mark in marks:
            if mark in low:
                break
        else:
            return False
    return pattern.search(text) is not None
