"""Which memories and lines are told: each is weighed, and those that together hold the most are chosen.

What people told of themselves, promises, numbers, names, gifts and quarrels go before what was only looked at. Small
talk is told only when there is nothing else. What a person said in the very same words more than once is told once, and
says so.

The choice is a greedy one of a submodular sum: what a line adds is never more than what it holds alone. What was told
already counts no more, and somebody who has not come up yet counts besides. Such a choice reaches a fixed share of the
best one, and is made in one pass over a heap.
"""

from __future__ import annotations

import heapq
import math
import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from agents.compaction.summarizers._reading import CACHED, HEARD_YOU, StatementContent, read, spoken
from agents.compaction.summarizers._telling import retell
from agents.llm.tokens import estimate
from agents.memory.entries import Entry
from agents.text.english import PLAIN, flat, quoted, sentences, word_set
from mud.world.sentences import sentences as sentences_in_quotations

AGAIN = ("More than once ", "Again and again ")
"""How a sentence begins that was told twice, and oftener."""
TALE = 3.6
"""Weight below which a memory is small talk: three telling words and nothing else reach 2 to 3, a plain fact 4.5."""
SMALL = 2.2
"""Worth of a statement up to which it is small talk: five plain words, or two and an address."""
_AGAIN = 2.5  # what a fact weighs more when it was said more than once
_KIND = {"saw": 2.0, "did": 3.0, "told": 1.5, "dream": -1.0}
"""What a kind of memory weighs more or less: what I was told, and what was done, before what was only said."""
_NEW_NAME = 1.0  # what each name weighs more that is nobody's who was there, two at most
_ACTS = word_set(
    """give gives gave hand hands handed lend lends lent return returns returned pay pays paid sell sells sold buy buys
    bought steal steals stole take takes took snatch snatches grab grabs promise promises swear swears hit hits
    strike strikes struck slap slaps push pushes shove shoves kick kicks kiss kisses hug hugs embrace embraces
    marry marries insult insults accuse accuses forgive forgives quarrel quarrels fight fights fought argue
    argues shout shouts shouted spit spits break breaks broke burn burns burned kill kills die dies died offer
    offers thank thanks apologise apologises apologize apologizes"""
)
"""What is done that changes what people have, or how they stand to each other."""
_LONGEST = 60  # tokens that are told of a memory at most, about: those of a quotation of `LONGEST_QUOTE` characters
_MUCH_OF_IT = 0.85
"""Share of a memory of which, when less is told, only that counts; most are told with as much at least."""
_MOST = 24  # memories, the weightiest, among which is chosen
_POSES = word_set(
    """attention nod nods grin smile smiles look looks glance bow wave wink shrug sigh knock sleeve cheek forehead"""
)
"""What one gives somebody, or touches, and nothing changes."""
_PLAIN_FIRST = word_set("My The A An We He She They It There Somebody When Then")
_UNTOLD = frozenset({"result", "note", "moved"})
"""Kinds that are not told: a look can be looked at again, a note stands in the notes, where I was is in the scene."""
_DONE = frozenset({"saw", "did"})
_TALKED = frozenset({"heard", "told", "said", "thought"})
_OWN_TALK = frozenset({"said", "thought"})
_CHATTER = 12.0  # what an own line weighs less when it holds no fact, or only says that I heard
_YOU = frozenset({"you", "your"})
_USUAL, _HEARD = 3.0, 5  # importance of what nobody marked; a heard line has 4
_PLEDGE = re.compile(r"\b(?:promis\w+|swear|swore|vow\w*|my word)\b", re.IGNORECASE)

_SOMEBODY = 0.5  # what a line weighs more that is the first of somebody
_PROMISE = 0.3
"""What a line weighs more in which somebody binds themselves: such lines are few, and what they tell is to come."""
_HEAVY = 2  # what a name or a number counts beside another word
_LENGTH = 0.9
"""The power of a line's tokens that what it adds is divided by: 0 does not ask for the length, 1 asks for it alone."""
_POWER = 0.6  # the power of a line's worth: below 1, two facts go before one that is worth as much as both
SAME, ALIKE = 0.2, 0.5
"""Shares of what a line holds of which more must be new: with less it says again what others say; with so much already
it is another of the same kind, which is too little where there is room for few, and of a passing thought."""
_WORD = re.compile(r"\w+")
_SOME_WORDS = 4  # words from which on a sentence that is said again is noticed; "Yes." and "Good morning." are not
_LEAST = 8  # tokens below which a line is not cheaper


class Weighed(NamedTuple):
    """A memory that may become a sentence."""

    place: int
    entry: Entry
    reading: StatementContent
    weight: float
    times: int
    """How often it was said in these words."""
    small: bool
    """It is only small talk, a gesture or a passing thought."""


class Claim(NamedTuple):
    """A line that may be told.

    Args:
        worth: how much it is worth by itself.
        words, heavy: its telling words and numbers; those that are names or numbers.
        who: whose words or deeds they are; empty when nobody's.
        tokens: how many it takes.
        same: share of what it holds that must be more than new, `SAME` or `ALIKE`.
        text: the line; one that says again a sentence in quotation marks is not told.
        promise: somebody binds themselves in it.
        put: puts it into words once it comes up, where that takes long: gives the claim as it then is, None when it
            cannot be told. Until then the claim stands for the most that it could be.
    """

    worth: float
    words: frozenset[str]
    heavy: frozenset[str]
    who: str
    tokens: int
    same: float = SAME
    text: str = ""
    promise: bool = False
    put: Callable[[], Claim | None] | None = None


def weighed(entries: Sequence[Entry], name: str) -> list[Weighed]:
    """Return the memories that may be told with their weights, what was said again in the same words once.

    Looks, steps, gestures and small talk are left out, unless there is nothing else; questions are not. What speaks of
    the owner, by name, weighs more.
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
    return read(spoken(text) if kind in _TALKED else text)


def _is_told(entry: Entry, own: frozenset[str], people: frozenset[str]) -> bool:
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
    """What the weights of memories depend on besides themselves."""

    once: frozenset[str]
    """Words that only one of them has."""
    own: frozenset[str]
    """The words of the owner's name."""
    known: frozenset[str]
    """The words of the names of people and places that were there."""


def _words_of(names: Iterable[str | None]) -> frozenset[str]:
    return frozenset(word for name in set(names) if name for word in name.lower().split()) - PLAIN


def _weight(entry: Entry, reading: StatementContent, context: _Context, times: int) -> float:
    words, kind = reading.words, entry.kind
    weight = reading.worth + 0.7 * (entry.importance - _USUAL) + _KIND.get(kind, 0.0)
    if words:
        weight += 2.0 * len(words & context.once) / len(words)
    if reading.names and not reading.question:
        weight += _NEW_NAME * min(2, len(reading.names - context.known))
    if times > 1 and reading.worth > SMALL:
        weight += _AGAIN
    if kind in _OWN_TALK and not _holds_fact(entry, reading):
        weight -= _CHATTER
    if entry.actor and not context.own.isdisjoint(words):
        weight += 1.5
    if entry.reason and kind == "did":
        weight += 1.0
    return weight - 2.0 if entry.failed else weight


def _is_small(entry: Entry, reading: StatementContent, known: frozenset[str]) -> bool:
    if reading.question:
        return True
    if entry.kind in _OWN_TALK and HEARD_YOU.search(entry.text) and not _holds_fact(entry, reading):
        return True
    small = reading.worth <= SMALL and reading.names <= known and entry.importance <= _HEARD
    return small and entry.kind not in _DONE


def _holds_fact(entry: Entry, reading: StatementContent) -> bool:
    """Return whether own words hold a fact, and do not only answer."""
    if not (reading.states or reading.promise or reading.counted):
        return False
    if not HEARD_YOU.search(entry.text) and reading.states:
        return True
    said = sentences(flat(spoken(entry.text)))
    return any(read(one).states and (not HEARD_YOU.search(one) or _PLEDGE.search(one)) for one in said)


def chosen(found: Sequence[Weighed], name: str, room: int, most: int) -> list[tuple[str, float]]:
    """Return what of some memories is told in so many tokens, in order, as sentences with their weights.

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
    """Return a memory as its owner tells it; empty when nothing of it is whole."""
    text = retell(one.entry, name)
    if one.times == 1 or len(sentences(text)) != 1:
        return text
    return AGAIN[min(one.times, 3) - 2] + inside(text)


def inside(text: str) -> str:
    """Return a sentence as it stands after other words: a plain first word loses its capital."""
    first, gap, rest = text.partition(" ")
    return f"{first.lower()}{gap}{rest}" if first in _PLAIN_FIRST else text


def covering(claims: Sequence[Claim], room: int, most: int | None = None) -> list[int]:
    """Return the places of the claims to tell in so many tokens, the one that adds most for its length first."""
    claims = list(claims)
    told: set[str] = set()
    known: set[str] = set()
    spoken: set[str] = set()
    stay: list[int] = []
    heap = [(-_adds(one, told, known), at) for at, one in enumerate(claims) if one.tokens <= room]
    heapq.heapify(heap)
    while heap and (most is None or len(stay) < most):
        before, at = heapq.heappop(heap)
        one = claims[at]
        if before == 0.0 or one.tokens > room:
            continue
        adds = _adds(one, told, known)
        if adds and one.put and (not heap or -adds <= heap[0][0]):
            if (now := one.put()) is None or now.tokens > room:
                continue
            one = claims[at] = now
            adds = _adds(one, told, known)
        if heap and -adds > heap[0][0]:  # what was told since then took its place from it
            heapq.heappush(heap, (-adds, at))
            continue
        if adds and spoken.isdisjoint(says := _spoken_in(one.text)):
            stay.append(at)
            room -= one.tokens
            told |= one.words
            known.add(one.who)
            spoken |= says
    return stay


def _adds(one: Claim, told: set[str], known: set[str]) -> float:
    """Return what a claim adds to what was told, for its length."""
    share: float = 1.0
    if one.words and told:
        new = one.words - told
        share = (len(new) + (_HEAVY - 1) * len(new & one.heavy)) / (len(one.words) + (_HEAVY - 1) * len(one.heavy))
        if share <= one.same:
            return 0.0
    more = (_SOMEBODY if one.who and one.who not in known else 0.0) + (_PROMISE if one.promise else 0.0)
    return (math.pow(max(one.worth, 0.1), _POWER) * share + more) / math.pow(max(one.tokens, _LEAST), _LENGTH)


@lru_cache(maxsize=4096)
def _spoken_in(text: str) -> frozenset[str]:
    """Return the sentences of some words in the quotations of a line, as compared."""
    parts = (part for one in quoted(text) for part in sentences_in_quotations(one))
    plain = (" ".join(_WORD.findall(part.lower())) for part in parts)
    return frozenset(part for part in plain if part.count(" ") >= _SOME_WORDS - 1)
