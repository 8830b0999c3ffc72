"""One memory as a value, its line in the archive, its importance; ranges of memories, and a hit of recall. No I/O."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from json.encoder import encode_basestring as _quoted
from typing import Any, NamedTuple, TypeGuard

from agents.text.grammar import second_person
from mud.clock import iso, parse_iso
from mud.sanitize import sanitize, visible
from mud.world.events import Perception, mark_of

KINDS = ("said", "heard", "did", "saw", "moved", "result", "thought", "note", "dream", "told")
"""`result`: what the agent's own query commands showed. `told`: whispered to the agent alone; without an actor it
comes from outside the world, such as from the owner."""
HIGHEST = 10**12  # the highest number of a memory, step or fold; lines with a higher one cannot be read
LONGEST_TEXT = 65_536  # in characters, of a memory that comes from a file
LONGEST_ID = 200  # in characters, of an id in a bulk import
RECORD_KEYS = ("text", "at", "kind", "actor", "place", "reason", "failed", "importance", "id")
"""The keys read from a record from outside."""
ORIGIN = "from"
_STRUCTURE = ("#", "~", "---")
"""What headings, cues and the lines around a transcript begin with in a prompt."""


class Entry(NamedTuple):
    """One memory."""

    seq: int  # number in this archive, 1..n without holes
    at: str  # time, as `2026-11-20T07:21:37.123Z`
    kind: str
    actor: str | None  # name of the character that acted; None for the agent itself
    place: str | None
    text: str
    reason: str | None = None  # the private reason of an own action
    failed: bool = False
    importance: int = 3  # 1 (trifle) to 10 (never to be forgotten)
    source: int = 0  # number of the ledger step
    mark: str | None = None  # one of `mud.world.events.MARKS`; None for most
    id: str | None = None  # id from the input of a bulk import
    # digest of a bulk import's file up to this line; see `agents.memory.history.with_digests`
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
    def from_json(data: Mapping[str, Any]) -> Entry | None:
        """Decode an archive line; None when `is_memory` denies it. Numbers that are none count as missing."""
        if not is_memory(data):
            return None
        importance, source = data.get("importance"), data.get("source")
        id, origin = data.get("id"), data.get(ORIGIN)
        return Entry(
            data["seq"],
            data["at"],
            data["kind"],
            data.get("actor"),
            data.get("place"),
            data["text"],
            data.get("reason"),
            data.get("failed", False),
            importance if is_number(importance) else 3,
            source if is_number(source) else 0,
            mark_of(data.get("mark")),
            id if isinstance(id, str) else None,
            origin if isinstance(origin, str) else None,
        )


def is_memory(line: Mapping[str, Any]) -> bool:
    """Return whether a line has every key that a memory needs, with strings where they belong."""
    for key in ("at", "kind", "text"):
        if not isinstance(line.get(key), str):
            return False
    for key in ("actor", "place", "reason"):
        if not isinstance(line.get(key, ""), str) and line[key] is not None:
            return False
    return True


def is_number(value: object) -> TypeGuard[int]:
    """Return whether a value is an integer (no bool) of at most `HIGHEST`."""
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= HIGHEST


def in_prompt(entry: Entry, name: str) -> str:
    """Return a memory as prompt text, with the private reason of an own action.

    An own action is archived with the agent's name and shown in the second person (`You smile.`). Text that looks like
    prompt structure is indented.
    """
    text = second_person(entry.text, name) if entry.kind == "did" and entry.actor is None else entry.text
    text = f"  {text}" if text.startswith(_STRUCTURE) else text
    return f"{text} (your reason: {entry.reason})" if entry.reason else text


def undreamt(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Replace the text of dreams, so that summaries do not take them for events."""
    return tuple(one._replace(text="I dreamed something.") if one.kind == "dream" else one for one in entries)


SCORE_PARTS = (
    "lexical", "vector", "neighbours", "who", "when", "answer", "echoed", "called", "recency", "importance",
)  # fmt: skip


class Hit(NamedTuple):
    """One result of recall, with all parts of its score."""

    kind: str  # kind of memory, or `summary` or `note`
    text: str  # of a long memory the best passage
    score: float  # fused score, higher is better; see `agents.recall.ranking`
    lexical: float | None = None  # weighted share of the query's words; None when there are none
    vector: float | None = None  # cosine to the query's vector; None when not among the nearest
    recency: float | None = None  # recency and importance: 0 to 1; None when unknown
    importance: float | None = None
    seq: int | None = None
    covers: tuple[int, int] | None = None
    entry: Entry | None = None
    title: str | None = None
    neighbours: float = 0.0  # bonus from adjacent memories or passages
    # who, when, answer: bonus for a named speaker, the time asked about, and the kind of thing asked for
    who: float = 0.0
    when: float = 0.0
    answer: float = 0.0
    echoed: float = 0.0  # bonus that ranks it before a later repetition
    called: float = 0.0  # bonus for a note that the query names
    times: int = 1  # how often the same words were perceived
    at: str = ""

    @property
    def parts(self) -> dict[str, float | None]:
        """What the score is made of."""
        return {name: getattr(self, name) for name in SCORE_PARTS}

    def record(self) -> dict[str, Any]:
        """Return it as the command line prints it as JSON."""
        where: dict[str, Any] = {"seq": self.seq}
        if self.covers is not None:
            where = {"covers": {"first": self.covers[0], "last": self.covers[1]}}
        if self.title is not None:
            where["title"] = self.title
        told = {"kind": self.kind, "text": self.text, "at": self.at or None, "times": self.times, "score": self.score}
        return {**where, **told, **self.parts}


def entry_from_perceived(perceived: Perception, seq: int, at: str, source: int, names: tuple[str, ...] = ()) -> Entry:
    """Return the entry for a perception. `names`: the agent's own names, used for its importance."""
    _, kind, text, actor, place, reason, failed, mark, _ = perceived
    return Entry(seq, at, kind, actor, place, text, reason, failed, importance_of(kind, text, names), source, mark)


_TEXTS = ("at", "kind", "actor", "place", "reason", "id")
_HALF = re.compile("[\ud800-\udfff]")  # half of a surrogate pair, which JSON and YAML can spell
_ISO = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[Tt ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(?:[Zz]|[+-][0-9]{2}:?[0-9]{2})?)?"
)
"""An ISO 8601 date or time with only one reading; UTC when it has no zone."""


def read_record(
    record: Mapping[str, object],
    seq: int = 0,
    at: str = "",
    source: int = 0,
    weigh: Callable[[str, str], int] = lambda kind, text: 0,
) -> Entry:
    """Return the entry of a record from outside. `at` and `weigh` are for one without time and importance.

    It needs `text`; other `RECORD_KEYS` and `ORIGIN` are optional, further keys are ignored. Raises ValueError with one
    sentence on what is wrong.
    """
    text = record.get("text")
    if text is None:
        raise ValueError("text: there is none; expected what is remembered")
    if not isinstance(text, str):
        raise ValueError(f"text: {text!r} is no text; expected what is remembered")
    text = _sanitized("text", text)
    if not text or text.isspace():
        raise ValueError("text: it is blank; expected what is remembered")
    if len(text) > LONGEST_TEXT:
        raise ValueError(f"text: it has {len(text):,} characters; expected at most {LONGEST_TEXT:,} in one memory")
    if len(str(record.get("id") or "")) > LONGEST_ID:
        raise ValueError(f"id: it is too long; expected at most {LONGEST_ID} characters")
    given = {key: _sanitized(key, value) or None for key in _TEXTS if (value := record.get(key)) is not None}
    # With an actor, `told` would be a private whisper.
    kind = record.get("kind") or ("heard" if record.get("actor") else "told")
    if not isinstance(kind, str) or kind not in KINDS:
        raise ValueError(f"kind: there is no kind {kind!r}; there is: {' '.join(KINDS)}")
    weight, origin, failed = record.get("importance"), record.get(ORIGIN), record.get("failed") is True
    if weight is None:
        weight = weigh(kind, text)
    elif not isinstance(weight, int) or isinstance(weight, bool) or not 1 <= weight <= 10:
        raise ValueError(f"importance: {weight!r} is no whole number from 1 to 10")
    actor, place, reason, id = (given.get(key) for key in ("actor", "place", "reason", "id"))
    origin = origin if isinstance(origin, str) else None
    at = _time(record["at"]) if record.get("at") else at
    return Entry(seq, at, kind, actor, place, text, reason, failed, weight, source, id=id, origin=origin)


def entry_from_record(
    record: Mapping[str, object], seq: int, at: str, source: int, names: tuple[str, ...] = ()
) -> Entry:
    """Return the entry for a record from outside (see `read_record`). `names`: the agent's own, for its importance."""
    return read_record(record, seq, at, source, lambda kind, text: importance_of(kind, text, names))


def _sanitized(key: str, value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{key}: {value!r} is no text")
    if not value.isascii() and _HALF.search(value):
        raise ValueError(f"{key}: it holds half of a character, such as \\ud800 alone; expected whole ones")
    return sanitize(value)


def _time(value: object) -> str:
    try:
        if not isinstance(value, str) or not _ISO.fullmatch(value):
            raise ValueError
        return iso(parse_iso(value.replace(",", ".").upper()))
    except (ValueError, OverflowError):  # OverflowError: its zone moves it out of the valid years
        raise ValueError(f"at: {value!r} is no time; expected one such as 2026-11-20T07:21:37.123Z") from None


_BASE = {"told": 6, "heard": 4, "note": 6, "saw": 2, "moved": 2, "result": 2}
_PROMISE = re.compile(
    r"\b(promise\w*|swear|swore|never|always|remember|secret|must|i will|i'll|give you my word)\b", re.IGNORECASE
)
_OF_PROMISES = ("promise", "swear", "swore", "never", "always", "remember", "secret", "must", "i will", "i'll", "word")
_TELLING = re.compile(r"\b(key|hidden|buried|dead|died|love\w*|hate\w*|danger\w*|name is|called)\b", re.IGNORECASE)
_OF_TELLING = ("key", "hidden", "buried", "dead", "died", "love", "hate", "danger", "name is", "called")
_DIGIT = re.compile(r"\d")


def importance_of(kind: str, text: str, names: tuple[str, ...] = ()) -> int:
    """Return the importance of a memory, 1 to 10, by rules alone. A mention of one of `names` raises it."""
    value = _BASE.get(kind, 3) + _weight(text)
    if kind in ("heard", "saw"):
        for name in names:
            if name and name in text:
                return min(10, value + 1)
    return min(10, value)


@lru_cache(maxsize=256)
def _weight(text: str) -> int:
    """Return what the words add to the importance. Cached, as every witness of a line asks for the same text."""
    low = text.lower()
    value = 2 if _finds(_PROMISE, _OF_PROMISES, text, low) else 0
    return value + 1 if _DIGIT.search(text) or _finds(_TELLING, _OF_TELLING, text, low) else value


def _finds(pattern: re.Pattern[str], marks: tuple[str, ...], text: str, low: str) -> bool:
    """Search for a pattern; an ASCII text without any plain mark in lower case is ruled out in a tenth of the time."""
    if text.isascii() and not any(map(low.__contains__, marks)):
        return False
    return pattern.search(text) is not None


Range = tuple[int, int]
_REFERENCE = re.compile(r"(?:(?P<owner>.*?)\s*#\s*)?(?P<first>\d{1,12})(?:\s*[-–]\s*(?P<last>\d{1,12}))?")


class Reference(NamedTuple):
    """A range of memories. `owner`: name, slug or id, empty for the reader's own; `last` may be smaller, as typed."""

    owner: str
    first: int
    last: int


def spoken(first: int, last: int) -> str:
    """Return a range in words: `memory 3`, `memories 3-5`."""
    return f"memory {first}" if first == last else f"memories {first}-{last}"


def missing(numbers: Iterable[int], first: int, last: int) -> list[Range]:
    """Return the runs of `first..last` that are missing in `numbers`, which are ascending and within it."""
    gaps: list[Range] = []
    for number in (*numbers, last + 1):
        if number > first:
            gaps.append((first, number - 1))
        first = number + 1
    return gaps


def merged(ranges: Iterable[Range]) -> list[Range]:
    """Merge ranges into the fewest, in order."""
    found: list[Range] = []
    for first, last in sorted(ranges):
        if found and first <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(last, found[-1][1]))
        else:
            found.append((first, last))
    return found


def reference(owner: str, first: int, last: int | None = None) -> str:
    """Return a reference such as `eliza#120` or `eliza#120-133`."""
    owner = visible(owner)  # a folder's name may hold any characters
    return f"{owner}#{first}" if last is None or last == first else f"{owner}#{first}-{last}"


def read_reference(text: str) -> Reference | None:
    """Parse a reference, with or without owner; None when it is none."""
    found = _REFERENCE.fullmatch(text.strip().strip("[]()").strip())
    if found is None:
        return None
    first = int(found["first"])
    return Reference((found["owner"] or "").strip(), first, int(found["last"] or first))
