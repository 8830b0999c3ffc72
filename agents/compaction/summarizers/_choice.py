"""Selection of the memories and lines of a summary by weight; small talk is used only if there is nothing else.

It greedily maximizes a submodular function, which reaches a fixed share of the optimum: content already told adds
nothing, and a new speaker adds a bonus.
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
TALE = 3.6
"""Weight below which a memory is small talk: three content words alone reach 2 to 3, a plain fact 4.5."""
SMALL = 2.2
"""Maximum worth of small talk: five plain words, or two and an address."""
_AGAIN = 2.5  # added when a fact was said more than once
_KIND = {"saw": 2.0, "did": 3.0, "told": 1.5, "dream": -1.0}
"""Added by kind of memory: what the agent was told and what was done rank above mere speech."""
_NEW_NAME = 1.0  # added per name of somebody not present, at most two
_ACTS = word_set(
    """give gives gave hand hands handed lend lends lent return returns returned pay pays paid sell sells sold buy buys
    bought steal steals stole take takes took snatch snatches grab grabs promise promises swear swears hit hits
    strike strikes struck slap slaps push pushes shove shoves kick kicks kiss kisses hug hugs embrace embraces
    marry marries insult insults accuse accuses forgive forgives quarrel quarrels fight fights fought argue
    argues shout shouts shouted spit spits break breaks broke burn burns burned kill kills die dies died offer
    offers thank thanks apologise apologises apologize apologizes"""
)
_LONGEST = 60  # tokens that a memory contributes at most, about those of a quotation of `LONGEST_QUOTE` characters
_MUCH_OF_IT = 0.85
"""If less than this share of a memory is told, only the told part is weighed."""
_MOST = 24  # candidates, the memories with the highest weights
_POSES = word_set(
    """attention nod nods grin smile smiles look looks glance bow wave wink shrug sigh knock sleeve cheek forehead"""
)
_PLAIN_FIRST = word_set("My The A An We He She They It There Somebody When Then")
_UNTOLD = frozenset({"result", "note", "moved"})
"""Kinds that are not told: results can be queried again, notes are stored, places are in the scene."""
_DONE = frozenset({"saw", "did"})
_TALKED = frozenset({"heard", "told", "said", "thought"})
_OWN_TALK = frozenset({"said", "thought"})
_CHATTER = 12.0  # subtracted from the agent's own speech without a fact, or that only acknowledges
_YOU = frozenset({"you", "your"})
_USUAL, _HEARD = 3.0, 5  # importance of unmarked memories; speech heard has 4
_PLEDGE = re.compile(r"\b(?:promis\w+|swear|swore|vow\w*|my word)\b", re.IGNORECASE)

_SOMEBODY = 0.5  # added for the first line of a speaker
_PROMISE = 0.3
_HEAVY = 2  # weight of a name or number relative to other words
_LENGTH = 0.9
"""Exponent of the length in tokens that the gain is divided by: 0 ignores the length."""
_POWER = 0.6  # exponent of the worth: below 1, two facts rank above one that is worth as much as both
SAME, ALIKE = 0.2, 0.5
"""Minimum share of a line that must be new; with less than `ALIKE` it is similar to others."""
_WORD = re.compile(r"\w+")
_SOME_WORDS = 4  # minimum words of a sentence for detecting repetition; "Good morning." repeats anyway
_LEAST = 8  # minimum length in tokens used for the gain


class Weighed(NamedTuple):
    """A memory that may become a sentence."""

    place: int
    entry: Entry
    reading: StatementContent
    weight: float
    times: int
    small: bool


class Claim(NamedTuple):
    """A candidate line.

    Args:
        words, heavy: its content words and numbers; those that are names or numbers.
        same: the share of its words that must be new, `SAME` or `ALIKE`.
        put: computes the final claim lazily, because that is slow; until then the other fields are upper bounds.
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
    """Return the memories that may be told with their weights, without duplicates."""
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
    words = entry.text.split()
    if _ACTS.isdisjoint(words):
        return False
    others = (people | own | _YOU) - _words_of([entry.actor]) if entry.actor else people - own
    named = {word.strip(".,;:!?'\"").lower().removesuffix("'s") for word in words[1:]}
    return not others.isdisjoint(named) and _POSES.isdisjoint(named)


def _once_each(entries: Iterable[tuple[int, Entry]]) -> list[tuple[int, Entry, StatementContent, int]]:
    found: dict[tuple[str | None, str, str], tuple[int, Entry, StatementContent, int]] = {}
    for place, entry in entries:
        same = (entry.actor, entry.kind, entry.text)
        if old := found.get(same):
            found[same] = (*old[:3], old[3] + 1)
        else:
            found[same] = (place, entry, _reading_of(entry.kind, entry.text), 1)
    return list(found.values())


class _Context(NamedTuple):
    once: frozenset[str]
    own: frozenset[str]
    known: frozenset[str]


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
    if not (reading.states or reading.promise or reading.counted):
        return False
    if not HEARD_YOU.search(entry.text) and reading.states:
        return True
    said = sentences(flat(spoken(entry.text)))
    return any(read(one).states and (not HEARD_YOU.search(one) or _PLEDGE.search(one)) for one in said)


def chosen(found: Sequence[Weighed], name: str, room: int, most: int) -> list[tuple[str, float]]:
    """Return the selected sentences in chronological order, with their weights; the first may exceed `room`."""
    ranked = sorted(found, key=lambda one: (-one.weight, one.place))
    worth = [one for one in ranked[:_MOST] if one.weight >= TALE and not one.small]
    places = covering([_claim(one, name) for one in worth], room, most)
    picked = [(worth[at], sentence_of(worth[at], name)) for at in places]
    if not picked:
        picked = list(islice(((one, text) for one in (*worth, *ranked) if (text := sentence_of(one, name))), 1))
    return [(text, one.weight) for one, text in sorted(picked, key=lambda pair: pair[0].place)]


def _claim(one: Weighed, name: str) -> Claim:
    """Return a memory as a claim; it is retold only if selected, because most are not."""
    found, who = one.reading, one.entry.actor or "I"

    def put() -> Claim | None:
        text = sentence_of(one, name)
        if not text:
            return None
        part, weight = found, one.weight
        if len(text) < _MUCH_OF_IT * len(one.entry.text):  # weigh only what is told
            part = read(spoken(text))
            weight += min(0.0, part.worth - found.worth)
        same = SAME if part.binds else ALIKE  # two promises that are alike are distinct
        return Claim(weight, part.words, part.heavy, who, estimate(text), same, text, part.binds)

    tokens = min(int(_MUCH_OF_IT * estimate(one.entry.text)), _LONGEST)
    same = SAME if found.binds else ALIKE
    return Claim(one.weight, found.words, found.heavy, who, tokens, same, promise=found.binds, put=put)


def sentence_of(one: Weighed, name: str) -> str:
    """Return a memory as retold by the agent; empty if no complete sentence is left."""
    text = retell(one.entry, name)
    if one.times == 1 or len(sentences(text)) != 1:
        return text
    return AGAIN[min(one.times, 3) - 2] + inside(text)


def inside(text: str) -> str:
    """Return a sentence as the continuation of another: a plain first word is put in lower case."""
    first, gap, rest = text.partition(" ")
    return f"{first.lower()}{gap}{rest}" if first in _PLAIN_FIRST else text


def covering(claims: Sequence[Claim], room: int, most: int | None = None) -> list[int]:
    """Return the indices of the selected claims, in the order of selection."""
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
        if heap and -adds > heap[0][0]:  # outdated gain: push it back
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
    parts = (part for one in quoted(text) for part in sentences_in_quotations(one))
    plain = (" ".join(_WORD.findall(part.lower())) for part in parts)
    return frozenset(part for part in plain if part.count(" ") >= _SOME_WORDS - 1)
