"""What of some memories is told: each is weighed once, and the weightiest that do not repeat each other are put into
words.

Small talk is told only when there is nothing else. What a person said in the very same words more than once is told
once, and says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from agents.compaction.summarizers._prose import retell
from agents.compaction.summarizers._reading import Reading, read, spoken
from agents.compaction.wording import flat, sentences, word_set
from agents.memory.entries import Entry

AGAIN = ("More than once ", "Again and again ")
"""How a sentence begins that was told twice, and oftener."""
TALE = 3.6
"""Weight below which a memory is small talk: three telling words and nothing else reach 2 to 3, a plain fact 4.5."""
SMALL = 2.2
"""Worth of a statement up to which it is small talk: five plain words, or two and an address."""
_AGAIN = 2.5
"""What a fact weighs more when it was said more than once."""
_SAME = 0.65
"""Share of the words of two memories, all taken together, that both have, from which they say the same."""
_KIND = {"result": -9.0, "saw": -2.0, "moved": -2.0, "did": 1.0, "note": -9.0, "told": 1.5, "dream": -1.0}
"""What a kind of memory weighs more or less: what I was told, and did, before what I only saw; a look can be looked at
again, and a note stands in the notes."""
_TALKED = frozenset({"heard", "told", "said", "thought"})
_OWN_TALK = frozenset({"said", "thought"})
_CHATTER = 12.0
"""What an own line weighs less when it holds no fact, or only says that I heard."""
_USUAL = 3.0
"""Importance of what nobody marked; a heard line has 4."""
_NOTHING = Reading(frozenset(), frozenset(), 0.0, False, False, False, False, False, False)
_PLEDGE = re.compile(r"\b(?:promis\w+|swear|swore|vow\w*|my word)\b", re.IGNORECASE)
_HEARD_YOU = re.compile(
    r"\bI(?: will|['’]ll| shall) (?:remember|note|think|keep (?:that|it|this) in mind|bear)\b"
    r"|\b(?:thank you|thanks|I see|I understand|I hear you|good to know|noted)\b",
    re.IGNORECASE,
)


class Weighed(NamedTuple):
    """A memory that may become a sentence.

    Args:
        place: its place among the others.
        entry: the memory.
        reading: what it says.
        weight: how much it matters.
        times: how often it was said in these words.
    """

    place: int
    entry: Entry
    reading: Reading
    weight: float
    times: int


def weighed(entries: Sequence[Entry], name: str) -> list[Weighed]:
    """Return memories with their weights, what was said again in the same words once.

    Args:
        entries: the memories, oldest first.
        name: whose they are; what speaks of them weighs more.
    """
    found, times = _once_each(entries)
    once: set[str] = set()
    again: set[str] = set()
    for (_, _, reading), many in zip(found, times, strict=True):
        again |= reading.words if many > 1 else once & reading.words
        once |= reading.words
    once -= again
    own = frozenset(name.lower().split())
    return [
        Weighed(place, entry, reading, _weight(entry, reading, once, own, many), many)
        for (place, entry, reading), many in zip(found, times, strict=True)
    ]


def _once_each(entries: Sequence[Entry]) -> tuple[list[tuple[int, Entry, Reading]], list[int]]:
    """Return the memories that say something, each once with its place and reading, and how often each came."""
    seen: dict[tuple[str | None, str, str], int] = {}
    times: list[int] = []
    found: list[tuple[int, Entry, Reading]] = []
    for place, entry in enumerate(entries):
        text, kind = entry.text, entry.kind
        same = seen.setdefault((entry.actor, kind, text), len(found))
        if same < len(found):
            times[same] += 1
        elif not text or text.isspace():
            del seen[entry.actor, kind, text]
        else:
            times.append(1)
            reading = _NOTHING if kind == "result" else read(spoken(text) if kind in _TALKED else text)
            found.append((place, entry, reading))
    return found, times


def _weight(entry: Entry, reading: Reading, once: set[str], own: frozenset[str], times: int) -> float:
    words, kind = reading.words, entry.kind
    weight = reading.worth + 0.7 * (entry.importance - _USUAL) + _KIND.get(kind, 0.0)
    if words:
        weight += 2.0 * len(words & once) / len(words)
    if times > 1 and reading.worth > SMALL:
        weight += _AGAIN
    if kind in _OWN_TALK and not is_told(entry, reading):
        weight -= _CHATTER
    if entry.actor and not own.isdisjoint(words):
        weight += 1.5
    if entry.reason:
        weight += 1.0
    return weight - 2.0 if entry.failed else weight


def is_told(entry: Entry, reading: Reading) -> bool:
    """Return whether an own memory may take a place in a summary: something done, or words with a fact in them."""
    if entry.kind not in _OWN_TALK:
        return entry.kind not in ("result", "note")
    if not (reading.states or reading.promise or reading.counted):
        return False
    if not _HEARD_YOU.search(entry.text) and reading.states:
        return True
    said = sentences(flat(spoken(entry.text)))
    return any(read(one).states and (not _HEARD_YOU.search(one) or _PLEDGE.search(one)) for one in said)


def chosen(found: Sequence[Weighed], count: int) -> list[tuple[int, str, float]]:
    """Return the weightiest memories put into words, in order, each with its place and weight.

    One of my own doing is among them when it is worth it. What cannot be told in whole sentences is passed over.

    Args:
        found: the memories, weighed.
        count: sentences at most.
    """
    ranked = sorted(found, key=lambda one: (-one.weight, one.place))
    picked: list[tuple[Weighed, str]] = []
    for one in ranked:
        if len(picked) == count or (picked and one.weight < TALE):
            break
        if not any(_repeats(one, other) for other, _ in picked) and (text := told(one)):
            picked.append((one, text))
    if count > 1 and not any(one.entry.actor is None for one, _ in picked):
        _add_own(picked, ranked, count)
    if len(picked) == 1 < count:
        other = next(_told_besides(picked[0][0], ranked), None)
        picked += [other] if other else []
    picked.sort(key=lambda pair: pair[0].place)
    return [(one.place, text, one.weight) for one, text in picked]


def _add_own(picked: list[tuple[Weighed, str]], ranked: Sequence[Weighed], count: int) -> None:
    mine = (one for one in ranked if one.entry.actor is None and is_told(one.entry, one.reading))
    own = next(((one, text) for one in mine if (text := told(one))), None)
    if own is None:
        return
    if len(picked) < count:
        picked.append(own)
    elif count > 2 and own[0].weight > 0.6 * picked[-1][0].weight:
        picked[-1] = own


def _told_besides(first: Weighed, ranked: Sequence[Weighed]) -> Iterator[tuple[Weighed, str]]:
    for one in ranked:
        if one.entry.actor is not None and not _repeats(one, first) and (text := told(one)):
            yield one, text


def told(one: Weighed) -> str:
    """Return a memory as a sentence; empty when nothing of it is whole."""
    text = retell(one.entry)
    if one.times == 1 or len(sentences(text)) != 1:
        return text
    return AGAIN[min(one.times, 3) - 2] + inside(text)


def inside(text: str) -> str:
    """Return a sentence as it stands after other words: a plain first word loses its capital."""
    first, gap, rest = text.partition(" ")
    return f"{first.lower()}{gap}{rest}" if first in _PLAIN_FIRST else text


_PLAIN_FIRST = word_set("My The A An We He She They It There Somebody When Then")


def _repeats(one: Weighed, other: Weighed) -> bool:
    shared = len(one.reading.words & other.reading.words)
    return shared > 0 and shared >= _SAME * len(one.reading.words | other.reading.words)
