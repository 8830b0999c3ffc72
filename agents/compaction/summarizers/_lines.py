"""Parsing of prose summaries into scenes (where and with whom) and distinct sentences.

Only identical sentences are merged: similar ones may differ in a fact. `read_scene` parses what `Scene` writes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from agents.compaction.summarizers._choice import AGAIN, ALIKE, SAME, SMALL, Claim, covering, inside
from agents.compaction.summarizers._reading import StatementContent, read
from agents.compaction.summarizers._telling import closed, ended
from agents.llm.tokens import estimate
from agents.memory.entries import Entry
from agents.text.english import PLAIN, flat, mentions, quoted, sentences
from agents.text.grammar import first_person
from agents.text.quotations import apart
from mud.world.narration import listed

KNOWN = (16, 12, 8, 4, 2)
"""Limits for the people in a scene, tried in order; the limit for places is half of it, at least three."""
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
_OPENS = re.compile(r"My first memories|(?:(?:On|From) [\w ]{3,60} )?I was ")


class Scene(NamedTuple):
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

    def undated(self) -> Scene:
        return self._replace(when="")

    def without(self, told: str) -> Scene:
        return self if self.begins else self._replace(people=tuple(p for p in self.people if not mentions(told, p)))

    def bounded(self, people: int) -> Scene:
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
def read_scene(sentence: str) -> Scene | None:
    """Parse a scene; None for any other sentence."""
    if _OPENS.match(sentence) is None:
        return None
    for pattern, begins in ((_BEGAN, True), (_WAS, False)):
        match = pattern.match(sentence)
        if match and (match["places"] or match["people"]) and '"' not in sentence:
            return Scene(_unlisted(match["places"]), _unlisted(match["people"]), begins, match["when"] or "")
    return None


def _unlisted(text: str | None) -> tuple[str, ...]:
    if not text:
        return ()
    head, _, last = text.rpartition(" and ")
    return (*(part for part in head.split(", ") if part), last) if head else tuple(text.split(", "))


def scene_of(entries: Sequence[Entry], name: str, begins: bool, when: str = "") -> Scene:
    """Return the scene of memories, with the most frequent first, or in order of time for the first memories."""
    stays = Counter(entry.place for entry in entries if entry.place)
    people = Counter(entry.actor for entry in entries if entry.actor and entry.actor != name)
    known, met = (list(found) if begins else [one for one, _ in found.most_common()] for found in (stays, people))
    there = set(known[:_MOST_PLACES])
    return Scene(tuple(dict.fromkeys(placed(place) for place in stays if place in there)), tuple(met), begins, when)


def joined(scenes: Sequence[Scene], people: Iterable[str] = ()) -> list[Scene]:
    """Return the first scene of the life unchanged, and one scene merged from the others and `people`."""
    began = next((one for one in scenes if one.begins), Scene(begins=True))
    later = one_scene([*(one for one in scenes if not one.begins), Scene(people=tuple(people))])
    rest = Scene(
        tuple(place for place in later.places if place not in began.places),
        tuple(name for name in later.people if name not in began.people),
    )
    return [one for one in (began, rest) if one.places or one.people]


def one_scene(scenes: Sequence[Scene]) -> Scene:
    places = dict.fromkeys(name for one in scenes for name in one.places)
    people = dict.fromkeys(name for one in scenes for name in one.people)
    return Scene(tuple(places), tuple(people), any(one.begins for one in scenes))


class SummarySentence(NamedTuple):
    """A parsed sentence of a summary.

    Args:
        plain, level: the sentence without its repetition prefix; 0 for once, 1 for more than once, 2 for more often.
        who, what: the speakers and the quotation, if the sentence is only that.
        same: the key for detecting duplicates.
    """

    plain: str
    level: int
    who: tuple[str, ...]
    what: str
    same: str
    reading: StatementContent
    tokens: int
    worth: float
    small: bool
    empty: bool

    @property
    def text(self) -> str:
        return AGAIN[self.level - 1] + inside(self.plain) if self.level else self.plain

    @property
    def own(self) -> bool:
        return self.plain.startswith(("I ", "I'", "I’", "My "))


class Carried(NamedTuple):
    scenes: list[Scene]
    lines: list[SummarySentence]


@lru_cache(maxsize=4096)
def line(text: str) -> SummarySentence:
    plain, level = text, 0
    for at, again in enumerate(AGAIN, 1):
        if text.startswith(again):
            plain, level = text[len(again) :], at
    found = _SAID.fullmatch(plain)
    who = _speakers(found[1]) if found and found[2] else ()
    what = found[3] if found else ""
    reading = read(what if found else plain)
    often = min(2, level + max(0, len(who) - 1))
    worth = reading.worth * (1.0 + 0.4 * often) if reading.worth > SMALL else reading.worth
    small = worth <= SMALL and bool(what or plain.startswith(_IDLE))
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


def carried(texts: Iterable[str], name: str) -> Carried:
    """Parse prose summaries, in the first person where they mention `name`; incomplete sentences are dropped."""
    every = [one for text in texts for one in sentences(flat_lines(text))]
    scenes = [read_scene(one) for one in every]
    rest = (one for one, known in zip(every, scenes, strict=True) if known is None)
    single = (first_person(one, name) or one for sentence in rest if closed(sentence) for one in apart(sentence))
    lines = merged(ended(one) for one in single)
    return Carried([one for one in scenes if one is not None], [one for one in lines if not one.empty])


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
    level = min(old.level + max(1, new.level), len(AGAIN))
    return line(AGAIN[level - 1] + inside(old.plain))


def kept(lines: Sequence[SummarySentence], tokens: int, most: int | None = None) -> list[int]:
    """Return the indices of the lines to keep within so many tokens and at most so many lines, in order."""
    facts = [at for at, one in enumerate(lines) if not one.small]
    firsts = [at for at in facts if lines[at].worth > SMALL][:2]
    stay = covering([_claim(lines[at], _FIRST if at in firsts else 0.0) for at in facts], tokens, most)
    told = [facts[at] for at in stay]
    tokens -= sum(lines[at].tokens for at in told)
    talk = sorted((at for at, one in enumerate(lines) if one.small), key=lambda at: (-lines[at].worth, -at))
    for at in talk[: max(0, min(_FEW, most or _FEW) - len(facts))]:
        if lines[at].tokens <= tokens:
            tokens -= lines[at].tokens
            told.append(at)
    return sorted(told)


def _claim(one: SummarySentence, more: float) -> Claim:
    found, lead = one.reading, " ".join(one.who) or one.plain.partition(" ")[0]
    same = ALIKE if one.plain.startswith(_THOUGHT) else SAME
    return Claim(one.worth + more, found.words, found.heavy, lead, one.tokens, same, one.plain, found.binds)
