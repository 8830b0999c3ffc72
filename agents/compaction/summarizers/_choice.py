"""What of some memories is told: each is weighed once, and those that together hold the most are put into words.

What people told of themselves, promises, numbers, names, gifts and quarrels go before what was only looked at. Small
talk is told only when there is nothing else. What a person said in the very same words more than once is told once, and
says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from agents.compaction.summarizers._coverage import ALIKE, SAME, Claim, covering
from agents.compaction.summarizers._prose import retell
from agents.compaction.summarizers._reading import CACHED, HEARD_YOU, StatementContent, read, spoken
from agents.compaction.wording import PLAIN, flat, sentences, word_set
from agents.llm.tokens import estimate
from agents.memory.entries import Entry

AGAIN = ("More than once ", "Again and again ")
"""How a sentence begins that was told twice, and oftener."""
TALE = 3.6
"""Weight below which a memory is small talk: three telling words and nothing else reach 2 to 3, a plain fact 4.5."""
SMALL = 2.2
"""Worth of a statement up to which it is small talk: five plain words, or two and an address."""
_AGAIN = 2.5
"""What a fact weighs more when it was said more than once."""
_KIND = {"saw": 2.0, "did": 3.0, "told": 1.5, "dream": -1.0}
"""What a kind of memory weighs more or less: what I was told, and what was done, before what was only said."""
_NEW_NAME = 1.0
"""What each name weighs more that is nobody's who was there, two at most."""
_ACTS = word_set(
    """give gives gave hand hands handed lend lends lent return returns returned pay pays paid sell sells sold buy buys
    bought steal steals stole take takes took snatch snatches grab grabs promise promises swear swears hit hits strike
    strikes struck slap slaps push pushes shove shoves kick kicks kiss kisses hug hugs embrace embraces marry marries
    insult insults accuse accuses forgive forgives quarrel quarrels fight fights fought argue argues shout shouts
    shouted spit spits break breaks broke burn burns burned kill kills die dies died offer offers thank thanks
    apologise apologises apologize apologizes"""
)
"""What is done that changes what people have, or how they stand to each other."""
_LONGEST = 60
"""Tokens that are told of a memory at most, about: those of a quotation of `LONGEST_QUOTE` characters."""
_MUCH_OF_IT = 0.85
"""Share of a memory of which, when less is told, only that counts; most are told with as much at least."""
_MOST = 24
"""Memories, the weightiest, among which is chosen."""
_POSES = word_set(
    "attention nod nods grin smile smiles look looks glance bow wave wink shrug sigh knock sleeve cheek forehead"
)
"""What one gives somebody, or touches, and nothing changes."""
_UNTOLD = frozenset({"result", "note", "moved"})
"""Kinds that are not told: a look can be looked at again, a note stands in the notes, where I was is in the scene."""
_DONE = frozenset({"saw", "did"})
_TALKED = frozenset({"heard", "told", "said", "thought"})
_OWN_TALK = frozenset({"said", "thought"})
_CHATTER = 12.0
"""What an own line weighs less when it holds no fact, or only says that I heard."""
_YOU = frozenset({"you", "your"})
_USUAL, _HEARD = 3.0, 5
"""Importance of what nobody marked; a heard line has 4."""
_PLEDGE = re.compile(r"\b(?:promis\w+|swear|swore|vow\w*|my word)\b", re.IGNORECASE)


class Weighed(NamedTuple):
    """A memory that may become a sentence.

    Args:
        place: its place among the others.
        entry: the memory.
        reading: what it says.
        weight: how much it matters.
        times: how often it was said in these words.
        small: whether it is only small talk, a gesture or a passing thought.
    """

    place: int
    entry: Entry
    reading: StatementContent
    weight: float
    times: int
    small: bool


def weighed(entries: Sequence[Entry], name: str) -> list[Weighed]:
    """Return the memories that may be told with their weights, what was said again in the same words once.

    Looks, steps, gestures and small talk are left out, unless there is nothing else; questions are not.

    Args:
        entries: the memories, oldest first.
        name: whose they are; what speaks of them weighs more.
    """
    own = _words_of([name])
    people = _words_of(entry.actor for entry in entries)
    known = own | people | _words_of(entry.place for entry in entries)
    every = [(place, entry) for place, entry in enumerate(entries) if entry.text and not entry.text.isspace()]
    read_of = _once_each(one for one in every if _is_told(one[1], own, people))
    found = [one for one in read_of if one[2].question or not _is_small(one[1], one[2], known)]
    found = found or read_of or _once_each(every)
    once: set[str] = set()
    again: set[str] = set()
    for _, _, reading, times in found:
        again |= reading.words if times > 1 else once & reading.words
        once |= reading.words
    context = _Context(frozenset(once - again), own, known)
    return [
        Weighed(place, entry, reading, _weight(entry, reading, context, times), times, _is_small(entry, reading, known))
        for place, entry, reading, times in found
    ]


@lru_cache(maxsize=CACHED)
def _reading_of(kind: str, text: str) -> StatementContent:
    """Return what a memory says; one that many heard, or that comes again, is read once."""
    return read(spoken(text) if kind in _TALKED else text)


def _is_told(entry: Entry, own: frozenset[str], people: frozenset[str]) -> bool:
    """Return whether a memory is more than a look, a step or a gesture."""
    if entry.kind in _DONE:
        return entry.failed or (entry.reason is not None and entry.kind == "did") or _is_deed(entry, own, people)
    return entry.kind not in _UNTOLD or entry.failed


def _is_deed(entry: Entry, own: frozenset[str], people: frozenset[str]) -> bool:
    """Return whether something was done to somebody, or between people, that is more than a gesture."""
    words = entry.text.split()
    if _ACTS.isdisjoint(words):
        return False
    others = (people | own | _YOU) - _words_of([entry.actor]) if entry.actor else people - own
    named = {word.strip(".,;:!?'\"").lower().removesuffix("'s") for word in words[1:]}
    return not others.isdisjoint(named) and _POSES.isdisjoint(named)


def _once_each(entries: Iterable[tuple[int, Entry]]) -> list[tuple[int, Entry, StatementContent, int]]:
    """Return memories with their places and readings, each text of the same person once, and how often it came."""
    found: dict[tuple[str | None, str, str], tuple[int, Entry, StatementContent, int]] = {}
    for place, entry in entries:
        same = (entry.actor, entry.kind, entry.text)
        if old := found.get(same):
            found[same] = (*old[:3], old[3] + 1)
        else:
            found[same] = (place, entry, _reading_of(entry.kind, entry.text), 1)
    return list(found.values())


class _Context(NamedTuple):
    """What the weights of memories depend on besides themselves.

    Args:
        once: words that only one of them has.
        own: the words of the name of whose they are.
        known: the words of the names of people and places that were there.
    """

    once: frozenset[str]
    own: frozenset[str]
    known: frozenset[str]


def _words_of(names: Iterable[str | None]) -> frozenset[str]:
    return frozenset(word for name in set(names) if name for word in name.lower().split()) - PLAIN


def _weight(entry: Entry, reading: StatementContent, context: _Context, times: int) -> float:
    once, own, known = context
    words, kind = reading.words, entry.kind
    weight = reading.worth + 0.7 * (entry.importance - _USUAL) + _KIND.get(kind, 0.0)
    if words:
        weight += 2.0 * len(words & once) / len(words)
    if reading.names and not reading.question:
        weight += _NEW_NAME * min(2, len(reading.names - known))
    if times > 1 and reading.worth > SMALL:
        weight += _AGAIN
    if kind in _OWN_TALK and not is_told(entry, reading):
        weight -= _CHATTER
    if entry.actor and not own.isdisjoint(words):
        weight += 1.5
    if entry.reason and kind == "did":
        weight += 1.0
    return weight - 2.0 if entry.failed else weight


def _is_small(entry: Entry, reading: StatementContent, known: frozenset[str]) -> bool:
    if reading.question:
        return True
    if entry.kind in _OWN_TALK and HEARD_YOU.search(entry.text) and not is_told(entry, reading):
        return True
    small = reading.worth <= SMALL and reading.names <= known and entry.importance <= _HEARD
    return small and entry.kind not in _DONE


def is_told(entry: Entry, reading: StatementContent) -> bool:
    """Return whether an own memory may take a place in a summary: something done, or words with a fact in them."""
    if entry.kind not in _OWN_TALK:
        return entry.kind not in ("result", "note")
    if not (reading.states or reading.promise or reading.counted):
        return False
    if not HEARD_YOU.search(entry.text) and reading.states:
        return True
    said = sentences(flat(spoken(entry.text)))
    return any(read(one).states and (not HEARD_YOU.search(one) or _PLEDGE.search(one)) for one in said)


def chosen(found: Sequence[Weighed], name: str, room: int, most: int) -> list[tuple[str, float]]:
    """Return what of some memories is told, in order, as sentences with their weights.

    What cannot be told in whole sentences or clauses is passed over.

    Args:
        found: the memories, weighed.
        name: whose they are.
        room: tokens that there is room for; the weightiest is told even if it takes more.
        most: sentences, before any are put together, at most.
    """
    ranked = sorted(found, key=lambda one: (-one.weight, one.place))
    worth = [one for one in ranked[:_MOST] if one.weight >= TALE and not one.small]
    places = covering([_claim(one, name) for one in worth], room, most)
    picked = [(worth[at], sentence_of(worth[at], name)) for at in places]
    if not picked:
        picked = list(islice(((one, text) for one in (*worth, *ranked) if (text := sentence_of(one, name))), 1))
    return [(text, one.weight) for one, text in sorted(picked, key=lambda pair: pair[0].place)]


def _claim(one: Weighed, name: str) -> Claim:
    """Return what a memory may hold; it is retold only when its turn comes, as most never are."""
    found, who = one.reading, one.entry.actor or "I"

    def put() -> Claim | None:
        text = sentence_of(one, name)
        if not text:
            return None
        part, weight = found, one.weight
        if len(text) < _MUCH_OF_IT * len(one.entry.text):  # only what is told of it counts
            part = read(spoken(text))
            weight += min(0.0, part.worth - found.worth)
        same = SAME if part.binds else ALIKE  # two promises that are alike are two
        return Claim(weight, part.words, part.heavy, who, estimate(text), same, text, part.binds)

    tokens = min(int(_MUCH_OF_IT * estimate(one.entry.text)), _LONGEST)
    same = SAME if found.binds else ALIKE
    return Claim(one.weight, found.words, found.heavy, who, tokens, same, promise=found.binds, put=put)


def sentence_of(one: Weighed, name: str) -> str:
    """Return a memory as a sentence of whom it belongs to; empty when nothing of it is whole."""
    text = retell(one.entry, name)
    if one.times == 1 or len(sentences(text)) != 1:
        return text
    return AGAIN[min(one.times, 3) - 2] + inside(text)


def inside(text: str) -> str:
    """Return a sentence as it stands after other words: a plain first word loses its capital."""
    first, gap, rest = text.partition(" ")
    return f"{first.lower()}{gap}{rest}" if first in _PLAIN_FIRST else text


_PLAIN_FIRST = word_set("My The A An We He She They It There Somebody When Then")
