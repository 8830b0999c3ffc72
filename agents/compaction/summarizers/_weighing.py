"""The lines that a summary may have, from memories and from earlier summaries, and which of them it gets.

Memories and lines are weighed; small talk is used only if there is nothing else. The choice greedily maximizes a
submodular function, which reaches a fixed share of the optimum: content already told adds nothing, and a new speaker
adds a bonus. Of lines only identical ones are merged, because similar ones may differ in a fact.
"""

from __future__ import annotations

import heapq
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from agents.compaction.summarizers._statements import (
    CACHED,
    HEARD_YOU,
    StatementContent,
    closed,
    ended,
    read,
    retell,
    spoken,
)
from agents.llm.tokens import estimate
from agents.memory.entries import Entry
from agents.text.english import PLAIN, apart, flat, mentions, quoted, sentences, word_set
from agents.text.grammar import first_person
from mud.world.narration import listed
from mud.world.sentences import sentences as sentences_in_quotations

TALE = 3.6  # weight below which a memory is small talk: three content words alone reach 2 to 3, a plain fact 4.5
_SMALL = 2.2  # maximum worth of small talk: five plain words, or two and an address
_SAID_AGAIN = 2.5  # added when a fact was said more than once
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
_MUCH_OF_IT = 0.85  # if less than this share of a memory is told, only the told part is weighed
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
_LENGTH = 0.9  # exponent of the length in tokens that the gain is divided by: 0 ignores the length
_POWER = 0.6  # exponent of the worth: below 1, two facts rank above one that is worth as much as both
_SAME, _ALIKE = 0.2, 0.5  # minimum share of a line that must be new; with less than `_ALIKE` it is similar to others
_SOME_WORDS = 4  # minimum words of a sentence for detecting repetition; "Good morning." repeats anyway
_LEAST = 8  # minimum length in tokens used for the gain

KNOWN = (16, 12, 8, 4, 2)
"""Limits for the people in a scene, tried in order; the limit for places is half of it, at least three."""
_AGAIN = ("More than once ", "Again and again ")
_MOST_PLACES = 2  # places in the scene of new memories
_FEW = 4  # small talk is carried over only up to so many sentences
_MOST_SPEAKERS = 3  # maximum named speakers of the same words
_FIRST = 1.0  # added to the first facts of a life
_THOUGHT = "I thought, "
_IDLE = ("I wondered ", "I thought about ", "I mused ")
_SAID = re.compile(r'([^"]*?)( said| promised)?, "([^"]*)"\.?')
_SCRAP = re.compile(r"\W*|[(\[][^()\[\]]*[)\]]\W*")
_BETWEEN = re.compile(r", | and ")
_OTHERS = "others"
_IN_NAMES = frozenset({"the", "of", "and", "de", "van", "von", _OTHERS})
_DAY = r"[^\W\d_a-z]\w+ \w+(?: to [^\W\d_a-z]\w+ \w+)?"
_BEGAN = re.compile(
    rf"^My first memories(?:, (?P<when>(?:on|from) {_DAY}),)? are "
    r"(?:of (?P<places>.+?))?(?:,? ?\bwith (?P<people>.+?))?\.$"
)
_WAS = re.compile(
    rf"^(?:(?P<when>(?:On|From) {_DAY}) )?I was (?:at (?P<places>.+?))?"
    r"(?:(?:, (?:mostly )?|\b)with (?P<people>.+?))?\.$"
)


class Weighed(NamedTuple):
    """A memory that may become a sentence."""

    place: int
    entry: Entry
    reading: StatementContent
    times: int = 1
    weight: float = 0.0
    small: bool = False


def weighed(entries: Sequence[Entry], name: str) -> list[Weighed]:
    """Return the memories that may be told with their weights, without duplicates."""
    own = _words_of([name])
    people = _words_of(entry.actor for entry in entries)
    known = own | people | _words_of(entry.place for entry in entries)
    every = [(place, entry) for place, entry in enumerate(entries) if entry.text.strip()]
    may_be_told = _once_each((one for one in every if _is_told(one[1], own, people)), known)
    found = [one for one in may_be_told if one.reading.question or not one.small]
    found = found or may_be_told or _once_each(every, known)
    once: set[str] = set()
    again: set[str] = set()
    for one in found:
        words = one.reading.words
        again |= words if one.times > 1 else once & words
        once |= words
    rare = frozenset(once - again)
    return [Weighed(*one[:4], _weight(one, rare, own, known), one.small) for one in found]


def _words_of(names: Iterable[str | None]) -> frozenset[str]:
    return frozenset(word for name in set(names) if name for word in name.lower().split()) - PLAIN


def _once_each(entries: Iterable[tuple[int, Entry]], known: frozenset[str]) -> list[Weighed]:
    found: dict[tuple[str | None, str, str], Weighed] = {}
    for place, entry in entries:
        same = (entry.actor, entry.kind, entry.text)
        old = found.get(same)
        if old is None:
            reading = _reading_of(entry.kind, entry.text)
            found[same] = Weighed(place, entry, reading, small=_is_small(entry, reading, known))
        else:
            found[same] = old._replace(times=old.times + 1)
    return list(found.values())


@lru_cache(maxsize=CACHED)
def _reading_of(kind: str, text: str) -> StatementContent:
    return read(spoken(text) if kind in _TALKED else text)


def _is_told(entry: Entry, own: frozenset[str], people: frozenset[str]) -> bool:
    if entry.failed or entry.kind not in _DONE:
        return entry.failed or entry.kind not in _UNTOLD
    words = entry.text.split()
    if entry.reason is not None and entry.kind == "did":
        return True
    if _ACTS.isdisjoint(words):
        return False
    others = (people | own | _YOU) - _words_of([entry.actor]) if entry.actor else people - own
    named = {word.strip(".,;:!?'\"").lower().removesuffix("'s") for word in words[1:]}
    return not others.isdisjoint(named) and _POSES.isdisjoint(named)


def _weight(one: Weighed, rare: frozenset[str], own: frozenset[str], known: frozenset[str]) -> float:
    """Return the weight of a memory; `rare` words are those of no other one, `known` those of names around."""
    entry, reading, words = one.entry, one.reading, one.reading.words
    weight = reading.worth + 0.7 * (entry.importance - _USUAL) + _KIND.get(entry.kind, 0.0)
    if words:
        weight += 2.0 * len(words & rare) / len(words)
    if reading.names and not reading.question:
        weight += _NEW_NAME * min(2, len(reading.names - known))
    if one.times > 1 and reading.worth > _SMALL:
        weight += _SAID_AGAIN
    if entry.kind in _OWN_TALK and not _holds_fact(entry, reading):
        weight -= _CHATTER
    if entry.actor and not own.isdisjoint(words):
        weight += 1.5
    if entry.reason and entry.kind == "did":
        weight += 1.0
    return weight - 2.0 if entry.failed else weight


def _is_small(entry: Entry, reading: StatementContent, known: frozenset[str]) -> bool:
    if reading.question:
        return True
    if entry.kind in _OWN_TALK and HEARD_YOU.search(entry.text) and not _holds_fact(entry, reading):
        return True
    small = reading.worth <= _SMALL and reading.names <= known and entry.importance <= _HEARD
    return small and entry.kind not in _DONE


def _holds_fact(entry: Entry, reading: StatementContent) -> bool:
    if not (reading.states or reading.promise or reading.counted):
        return False
    if not HEARD_YOU.search(entry.text) and reading.states:
        return True
    said = sentences(flat(spoken(entry.text)))
    return any(read(one).states and (not HEARD_YOU.search(one) or _PLEDGE.search(one)) for one in said)


class Claim(NamedTuple):
    """A candidate line."""

    worth: float
    words: frozenset[str]  # words and heavy: its content words and numbers; those that are names or numbers
    heavy: frozenset[str]
    who: str
    tokens: int
    same: float  # the share of its words that must be new, `_SAME` or `_ALIKE`
    text: str
    promise: bool
    # computes the final claim lazily, because that is slow; until then the other fields are upper bounds
    put: Callable[[], Claim | None] | None = None


def chosen(found: Sequence[Weighed], name: str, room: int, most: int) -> list[tuple[str, float]]:
    """Return the selected sentences in chronological order, with their weights; the first may exceed `room`."""
    ranked = sorted(found, key=lambda one: (-one.weight, one.place))
    worth = [one for one in ranked[:_MOST] if one.weight >= TALE and not one.small]
    places = covering([_claim_of(one, name) for one in worth], room, most)
    picked = [(worth[at], sentence_of(worth[at], name)) for at in places]
    if not picked:
        picked = list(islice(((one, text) for one in (*worth, *ranked) if (text := sentence_of(one, name))), 1))
    return [(text, one.weight) for one, text in sorted(picked, key=lambda pair: pair[0].place)]


def _claim_of(one: Weighed, name: str) -> Claim:
    """Return a memory as a claim; it is retold only if selected, because most are not."""

    def put() -> Claim | None:
        if not (text := sentence_of(one, name)):
            return None
        part, weight = one.reading, one.weight
        if len(text) < _MUCH_OF_IT * len(one.entry.text):  # weigh only what is told
            part = read(spoken(text))
            weight += min(0.0, part.worth - one.reading.worth)
        return claim(part, weight, estimate(text), text)

    def claim(part: StatementContent, weight: float, tokens: int, text: str) -> Claim:
        same = _SAME if part.binds else _ALIKE  # two promises that are alike are distinct
        return Claim(weight, part.words, part.heavy, one.entry.actor or "I", tokens, same, text, part.binds)

    tokens = min(int(_MUCH_OF_IT * estimate(one.entry.text)), _LONGEST)
    return claim(one.reading, one.weight, tokens, "")._replace(put=put)


def sentence_of(one: Weighed, name: str) -> str:
    """Return a memory as retold by the agent; empty if no complete sentence is left."""
    text = retell(one.entry, name)
    return _repeated(text, min(one.times, 3) - 1) if one.times > 1 and len(sentences(text)) == 1 else text


def _repeated(text: str, level: int) -> str:
    """Return a sentence with a prefix that says how often it came up; a plain first word is put in lower case."""
    first, gap, rest = text.partition(" ")
    return f"{_AGAIN[level - 1]}{first.lower() if first in _PLAIN_FIRST else first}{gap}{rest}"


def covering(claims: list[Claim], room: int, most: int | None) -> list[int]:
    """Return the indices of the selected claims, in the order of selection; `put` claims are replaced in the list."""
    told: set[str] = set()
    known: set[str] = set()
    said: set[str] = set()
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
        if adds and said.isdisjoint(says := _sentences_said_in(one.text)):
            stay.append(at)
            room -= one.tokens
            told |= one.words
            known.add(one.who)
            said |= says
    return stay


def _adds(one: Claim, told: set[str], known: set[str]) -> float:
    """Return what a claim adds for its length; names and numbers count twice."""
    share: float = 1.0
    if one.words and told:
        new = one.words - told
        share = (len(new) + len(new & one.heavy)) / (len(one.words) + len(one.heavy))
        if share <= one.same:
            return 0.0
    more = (_SOMEBODY if one.who and one.who not in known else 0.0) + (_PROMISE if one.promise else 0.0)
    return (math.pow(max(one.worth, 0.1), _POWER) * share + more) / math.pow(max(one.tokens, _LEAST), _LENGTH)


@lru_cache(maxsize=4096)
def _sentences_said_in(text: str) -> frozenset[str]:
    parts = (part for one in quoted(text) for part in sentences_in_quotations(one))
    plain = (" ".join(re.findall(r"\w+", part.lower())) for part in parts)
    return frozenset(part for part in plain if part.count(" ") >= _SOME_WORDS - 1)


class SummaryScene(NamedTuple):
    """Places and people in the order met; `when` is the time as the start of a sentence, `On Tuesday morning`."""

    places: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    begins: bool = False
    when: str = ""

    def __str__(self) -> str:
        where = listed([placed(place) for place in self.places])
        who = listed([flat(name) for name in self.people])
        if not where and not who:
            return ""
        if self.begins:
            then = f", from {self.when.partition(' ')[2]}," if self.when else ""
            there = ", ".join(filter(None, (where and f"of {where}", who and f"with {who}")))
            return f"My first memories{then} are {there}."
        there = f"at {where}{f', with {who}' if who else ''}" if where else f"with {who}"
        return f"{self.when} I was {there}." if self.when else f"I was {there}."

    def without(self, told: str) -> SummaryScene:
        return self if self.begins else self._replace(people=tuple(p for p in self.people if not mentions(told, p)))

    def bounded(self, people: int) -> SummaryScene:
        return self._replace(
            places=tuple(first_and_last(self.places, max(3, people // 2))),
            people=tuple(first_and_last(self.people, people)),
        )


def first_and_last(found: Sequence[str], most: int) -> Sequence[str]:
    return found if len(found) <= most else [*found[: most // 3], *found[-(most - most // 3) :]]


@lru_cache(maxsize=1024)
def placed(name: str) -> str:
    place = flat(name)
    return f"the {place[4:]}" if place.startswith("The ") else place


@lru_cache(maxsize=256)
def _read_scene(sentence: str) -> SummaryScene | None:
    """Parse what `SummaryScene` writes; None for any other sentence."""
    for pattern, begins in ((_BEGAN, True), (_WAS, False)):
        match = pattern.match(sentence)
        if match and (match["places"] or match["people"]) and '"' not in sentence:
            return SummaryScene(_unlisted(match["places"]), _unlisted(match["people"]), begins, match["when"] or "")
    return None


def _unlisted(text: str | None) -> tuple[str, ...]:
    head, _, last = (text or "").rpartition(" and ")
    return (*filter(None, head.split(", ")), last) if head else tuple(last.split(", ")) if last else ()


def scene_of(entries: Sequence[Entry], name: str, begins: bool, when: str = "") -> SummaryScene:
    """Return the scene of memories, with the most frequent first, or in order of time for the first memories."""
    stays = Counter(entry.place for entry in entries if entry.place)
    people = Counter(entry.actor for entry in entries if entry.actor and entry.actor != name)
    known, met = (list(found if begins else dict(found.most_common())) for found in (stays, people))
    there = dict.fromkeys(placed(place) for place in stays if place in known[:_MOST_PLACES])
    return SummaryScene(tuple(there), tuple(met), begins, when)


def joined(scenes: Sequence[SummaryScene], people: Iterable[str] = ()) -> list[SummaryScene]:
    """Return the first scene of the life unchanged, and one scene merged from the others and `people`."""
    began = next((one for one in scenes if one.begins), SummaryScene(begins=True))
    later = one_scene([*(one for one in scenes if not one.begins), SummaryScene(people=tuple(people))])
    rest = SummaryScene(
        tuple(place for place in later.places if place not in began.places),
        tuple(name for name in later.people if name not in began.people),
    )
    return [one for one in (began, rest) if one.places or one.people]


def one_scene(scenes: Sequence[SummaryScene]) -> SummaryScene:
    places = dict.fromkeys(name for one in scenes for name in one.places)
    people = dict.fromkeys(name for one in scenes for name in one.people)
    return SummaryScene(tuple(places), tuple(people), any(one.begins for one in scenes))


class SummarySentence(NamedTuple):
    """A parsed sentence of a summary."""

    # plain and level: the sentence without its repetition prefix; 0 for once, 1 for more than once, 2 for more often
    plain: str
    level: int
    who: tuple[str, ...]  # who and what: the speakers and the quotation, if the sentence is only that
    what: str
    same: str  # the key for detecting duplicates
    reading: StatementContent
    tokens: int
    worth: float
    small: bool
    empty: bool

    @property
    def text(self) -> str:
        return _repeated(self.plain, self.level) if self.level else self.plain

    @property
    def own(self) -> bool:
        return self.plain.startswith(("I ", "I'", "I’", "My "))


@lru_cache(maxsize=4096)
def line(text: str) -> SummarySentence:
    plain, level = text, 0
    for at, again in enumerate(_AGAIN, 1):
        if text.startswith(again):
            plain, level = text[len(again) :], at
    found = _SAID.fullmatch(plain)
    who = _speakers(found[1]) if found and found[2] else ()
    what = found[3] if found else ""
    reading = read(what if found else plain)
    often = min(2, level + max(0, len(who) - 1))
    worth = reading.worth * (1.0 + 0.4 * often) if reading.worth > _SMALL else reading.worth
    small = worth <= _SMALL and bool(what or plain.startswith(_IDLE))
    same = what.casefold() if who else plain.casefold()
    empty = '"' in plain and any(_SCRAP.fullmatch(said) for said in quoted(plain))
    return SummarySentence(plain, level, who, what, same, reading, estimate(text) + 1, worth, small, empty)


def _speakers(text: str) -> tuple[str, ...]:
    """Return the names before `said`; empty if there are other words, or the speaker is the agent."""
    for word in text.replace(",", "").split():
        low = word.casefold()
        if low not in _IN_NAMES and (word == low or low in PLAIN):
            return ()
    return tuple(_BETWEEN.split(text))


def carried(texts: Iterable[str], name: str) -> tuple[list[SummaryScene], list[SummarySentence]]:
    """Parse prose summaries, in the first person where they mention `name`; incomplete sentences are dropped."""
    every = [one for text in texts for one in sentences(flat_lines(text))]
    rest = (one for one in every if _read_scene(one) is None and closed(one))
    single = (first_person(one, name) or one for sentence in rest for one in apart(sentence))
    lines = merged(ended(one) for one in single)
    return [scene for one in every if (scene := _read_scene(one))], [one for one in lines if not one.empty]


def flat_lines(text: str) -> str:
    return "\n".join(filter(None, map(flat, text.split("\n"))))


def merged(texts: Iterable[str]) -> list[SummarySentence]:
    found: dict[str, SummarySentence] = {}
    for text in texts:
        new = line(text)
        found[new.same] = _again(found[new.same], new) if new.same in found else new
    return list(found.values())


def _again(old: SummarySentence, new: SummarySentence) -> SummarySentence:
    more = [name for name in new.who if name not in old.who]
    if more and _OTHERS not in old.who:
        who = [*old.who, *more]
        who = who if len(who) <= _MOST_SPEAKERS else [*who[: _MOST_SPEAKERS - 1], _OTHERS]
        return line(f'{listed(who)} said, "{old.what}"')
    return line(_repeated(old.plain, min(old.level + max(1, new.level), len(_AGAIN))))


def kept(lines: Sequence[SummarySentence], tokens: int, most: int | None = None) -> list[int]:
    """Return the indices of the lines to keep within so many tokens and at most so many lines, in order."""
    facts = [at for at, one in enumerate(lines) if not one.small]
    firsts = [at for at in facts if lines[at].worth > _SMALL][:2]
    claims = []
    for at in facts:
        one, found = lines[at], lines[at].reading
        worth, who = one.worth + (_FIRST if at in firsts else 0.0), " ".join(one.who) or one.plain.partition(" ")[0]
        same = _ALIKE if one.plain.startswith(_THOUGHT) else _SAME
        claims.append(Claim(worth, found.words, found.heavy, who, one.tokens, same, one.plain, found.binds))
    told = [facts[at] for at in covering(claims, tokens, most)]
    tokens -= sum(lines[at].tokens for at in told)
    talk = sorted((at for at, one in enumerate(lines) if one.small), key=lambda at: (-lines[at].worth, -at))
    for at in talk[: max(0, min(_FEW, most or _FEW) - len(facts))]:
        if lines[at].tokens <= tokens:
            tokens -= lines[at].tokens
            told.append(at)
    return sorted(told)
