"""How likely a remembered sentence answers a question, by features whose weights were measured."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from math import exp
from types import MappingProxyType
from typing import NamedTuple

from agents.brains.instinct.retell import part
from agents.brains.instinct.words import HEARD, Words, tokens
from agents.text.addressing import mentions

SURE, LIKELY, NEAR = 0.40, 0.2, 0.06
"""From which probability on a fact answers a question, from which it is offered as what may, and from which only
with the word that the answer is not known.
"""
DOUBT = 0.05
"""How much less than these is what cannot answer for certain, or is not worth offering."""
FAINT = 0.3
"""Up to which cosine a fact that shares no telling word is not worth offering."""
WEIGHTS = {
    "constant": (-4.4, -3.7),
    "vector": (5.0, 0.0),  # cosine to the question
    "ahead": (4.8, 0.0),  # how much greater than that of the nearest other fact, -0.2 to 0.2
    "shared": (0.8, 1.8),  # share of the question's telling words in the fact and who said it
    "told": (0.7, 0.7),  # the same in the fact alone, without names
    "some": (0.5, 1.1),  # whether it is any
    "exact": (0.5, 1.6),  # share of the question's words said just so
    "lacks": (-1.7, -1.9),  # it has no number, time, place, colour or name though that is asked for
    "own": (0.2, 0.2),  # who asks said it
    "named": (0.0, 0.7),  # it names whom the question names
    "other": (-0.9, -1.0),  # it names nobody whom the question names
    "kin": (-0.5, -0.4),  # it says no sister though the question is of one
    "says": (0.0, 0.4),  # it says who, where that is asked for
    "hearsay": (-0.6, -0.6),  # passed on by a mind
    "seen": (-0.3, -0.3),  # nobody told it
}
"""Weights of a logistic regression, with a vector and by words alone; `tests.evening.fit` finds and prints them.

Those of the last three are chosen: the lives have too few such questions, and nothing passed on or seen.
"""
EXACT = ("number", "when", "where", "colour", "name", "who")
"""Parts of a sentence that are told alone."""
LACKED = ("number", "when", "where", "colour", "name")
"""Parts without which a sentence does not answer a question for them."""
MINE = frozenset(("i", "my", "me", "mine", "i'm", "i've", "i'd", "i'll", "we", "our", "us", "myself"))
YOURS = frozenset(("you", "your", "yours", "yourself", "you're", "you've"))
_BY_VECTOR, _BY_WORDS = zip(*WEIGHTS.values(), strict=True)


class Fact(NamedTuple):
    """Something remembered that bears on a question.

    Args:
        words: the sentence, as it was said, with what its pronoun means in place of it.
        score: how well it answers, about 0 to 1.
        kind: kind of memory, or `summary`, `note`, or `known` for what a person wrote into the memory.
        actor: who said or did it; empty for oneself and for nobody.
        place: where; empty when unknown.
        at: when, ISO-8601; empty when unknown.
        seq: number of the memory; 0 for a note or summary.
        via: the mind that passed it on; empty when it was heard from the actor.
        title: title of a note, or of what was looked at.
        origin: the note or summary it stands in, see `Decision`.
        private: it was told in confidence.
        follows: number of the memory that it puts right or goes on from, and is told after; 0 for none.
        line: all that was said with it, word for word; empty for what nobody said.
    """

    words: str
    score: float = 1.0
    kind: str = "heard"
    actor: str = ""
    place: str = ""
    at: str = ""
    seq: int = 0
    via: str = ""
    title: str = ""
    origin: str = ""
    private: bool = False
    follows: int = 0
    line: str = ""

    @property
    def quoted(self) -> str:
        """What is said of it word for word."""
        return self.line or self.words

    @property
    def cited(self) -> str:
        """How a decision cites it."""
        return str(self.seq) if self.seq else self.origin


class Question(NamedTuple):
    """A question to memory.

    Args:
        text: the question.
        asks: the part that is asked for, see `Meaning`.
        asker: who asks.
        me: who is asked.
        words: the telling words.
        person: whom it is about, of the people known; empty for nobody.
        minds: names of those that a brain plays.
        people: names of everybody known.
        corrected: numbers of memories that put an answer right, and of what that was.
    """

    text: str
    asks: str
    asker: str
    me: str
    words: tuple[str, ...]
    person: str = ""
    minds: Collection[str] = ()
    people: Sequence[str] = ()
    corrected: Mapping[int, int] = MappingProxyType({})

    @property
    def own(self) -> bool:
        """Whether it is about who asks."""
        return not MINE.isdisjoint(said(self.text))

    @property
    def yours(self) -> bool:
        """Whether it is about who is asked."""
        return not self.own and not YOURS.isdisjoint(said(self.text))


@lru_cache(maxsize=HEARD)
def said(text: str) -> frozenset[str]:
    """Return the words of a text in lower case."""
    return frozenset(tokens(text))


class Relevance:
    """Weighs facts by one question.

    Args:
        question: the question.
        words: the word lists.
    """

    def __init__(self, question: Question, words: Words) -> None:
        self._question, self._words = question, words
        self._asked = tuple(word for word in question.words if word not in words.of("asked")) or question.words
        names = {word.casefold() for word in question.text.rstrip("?.! ").split()[1:] if word[:1].isupper()}
        person = tokens(question.person if question.person[:1].isupper() else "")
        self._names = (names - {"i", "i'm"} - words.of("time")).union(person)
        self._meant = set(map(words.stem, self._names - set(tokens(f"{question.asker} {question.me}"))))
        self._kin = [word for word in self._asked if question.own and word in words.of("persons")]
        self._roots = set(map(words.stem, question.words))
        self._text = tuple(tokens(question.text))

    def score(self, fact: Fact, vector: float = 0.0, ahead: float = 0.0) -> float:
        """Return how likely a fact answers, 0 to 1.

        Args:
            fact: the fact.
            vector: cosine of its memory to the question; 0 when it has none.
            ahead: how much greater that is than of the nearest other.
        """
        near = vector and fact.kind != "saw"  # whoever was seen is no answer by being near alone
        shared = self._shared(fact)
        if not (near or shared):
            return 0.0
        features = self._features(fact, vector, ahead, shared)
        lacks = features[7]
        weights = _BY_VECTOR if vector else _BY_WORDS
        likely = 1 / (1 + exp(-sum(map(float.__mul__, features, weights))))
        if not (features[5] or vector > FAINT):
            return min(likely, NEAR - DOUBT)  # it shares no more than whom it is about
        echo = self._question.asks != "yes" and self._roots.issuperset(
            map(self._words.stem, self._words.content(fact.words))
        )
        return min(likely, SURE - DOUBT) if lacks or echo else likely  # it says no more than the question

    def _shared(self, fact: Fact) -> float:
        """Return the share of what is asked for that a fact has, with who told it and what it implies."""
        words = self._words
        return words.coverage(self._asked, fact.words, _beside(fact), implied(fact.words, words))

    def features(self, fact: Fact, vector: float, ahead: float) -> tuple[float, ...]:
        """Return what speaks for and against a fact, in the order of `WEIGHTS`."""
        return self._features(fact, vector, ahead, self._shared(fact))

    def _features(self, fact: Fact, vector: float, ahead: float, shared: float) -> tuple[float, ...]:
        question, words = self._question, self._words
        beside = _beside(fact)
        literal, more = said(fact.words), implied(fact.words, words)
        rest = [word for word in self._asked if word not in self._names and word not in said(beside)]
        whole = 0.5 * (fact.kind == "saw" or question.asks != "who" or "who" in self._text)  # all of them will do
        told = words.coverage(rest, fact.words, more) if rest else whole
        named = not self._meant.isdisjoint(map(words.stem, literal | said(beside)))
        kin = self._kin and not any(words.coverage([one], fact.words, beside) for one in self._kin)
        lacks = question.asks in LACKED and part(fact.words, question.asks, self._text, words) is None
        return (
            1.0,
            max(0.0, vector),
            max(-0.2, min(0.2, ahead)),
            shared,
            told,
            float(told > 0),
            len(literal.intersection(self._asked)) / max(1, len(self._asked)),
            float(lacks),
            float(question.own and fact.actor == question.asker),
            float(named),
            float(bool(self._meant) and not named),
            float(bool(kin)),
            float(question.asks == "who" and part(fact.words, "who", self._text, words) is not None),
            float(bool(fact.via)),
            float(fact.kind in ("saw", "change", "result", "known")),
        )

    def is_deed_beside(self, actor: str) -> bool:
        """Return whether what somebody was seen doing, whatever it was, is none of what is asked."""
        question = self._question
        if question.asks == "who":
            return question.person == actor  # who somebody is shows in nothing they do
        return question.asks not in ("when", "yes", "where") and question.person != actor

    def is_beside(self, fact: Fact) -> bool:
        """Return whether a fact is of somebody else's things, whatever words they share."""
        if fact.kind == "saw":
            return self.is_deed_beside(fact.actor)
        question, words, literal = self._question, self._words, said(fact.words)
        mine = not MINE.isdisjoint(literal)
        if fact.kind == "result":
            strong = [word for word in self._asked if words.stem(word) not in words.weak]
            whole = len(strong) > 1 and words.coverage(strong, fact.words) > 0.99
            return not words.coverage(strong, fact.title) and not whole
        if question.yours and question.person in ("", question.me):
            of_me = not YOURS.isdisjoint(literal) or mentions(fact.words, question.me)
            polite = "your" not in self._text and not words.of("polite").isdisjoint(self._text)
            return not (of_me or polite or (fact.kind == "known" and mine))
        return question.own and mine and (fact.kind == "known" or fact.actor != question.asker)


def _beside(fact: Fact) -> str:
    """Return who told a fact and of what, where that says something about it."""
    return f"{fact.actor} {fact.title}" if fact.kind not in ("known", "saw") else ""


@lru_cache(maxsize=HEARD)
def implied(statement: str, words: Words) -> str:
    """Return what a statement says without the word for it: "I am a baker" tells a trade."""
    said = tokens(statement)
    low, phrases = f"-{'-'.join(said)}-{'-'.join(map(words.stem, said))}-", _implications(words)
    found = {one for word in set(low.split("-")) for one in phrases.get(word, ()) if one[1] in low}
    return " ".join(more for _, _, more in sorted(found))


@lru_cache(maxsize=8)
def _implications(words: Words) -> dict[str, list[tuple[int, str, str]]]:
    """Return by its first word what is said, as `-i-am-a-`, and what that implies, with numbers for a fixed order."""
    found: dict[str, list[tuple[int, str, str]]] = {}
    for number, item in enumerate(sorted(words.of("implied"))):
        phrase, _, more = item.partition("=")
        found.setdefault(phrase.partition("-")[0], []).append((number, f"-{phrase}-", more.replace("-", " ")))
    return found
