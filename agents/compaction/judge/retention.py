"""Retention: the share of the facts of the memories that a summary covers which it holds, however long ago they were.

What a life has told grows, what a fold may cost does not, so no memory is read again: every summary carries a sample of
the facts of all memories that it covers, and the summary that takes it up takes that up too. Up to `SAMPLE` facts that
is all of them. Of more it is a priority sample (Duffield, Lund and Thorup, 2007): each fact gets a number between 0 and
1 that its words decide, its priority is its weight over that number, and those of the highest priority stay. The weight
is the importance of the memory that tells of it, so what matters is asked for more often; and as the number is the
same everywhere, the sample of two ranges together is made of their two samples exactly. From such a sample the share of
all facts, by weight, is estimated without bias; with 64 facts it is off by some six hundredths.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from heapq import nlargest
from typing import NamedTuple

from agents.compaction.judge.facts import ORDINARY, Fact, facts_among, holds
from agents.compaction.judge.reading import reading_of
from agents.compaction.summarizer import SummarySource, body_of
from agents.memory.summaries import Summary

SAMPLE = 64
"""Facts that are asked of a summary at most once its memories hold more; one further says how weighty the rest is."""
_MARKS = str.maketrans(';"\\', ",' ")


class AskedFacts(NamedTuple):
    """What is asked of a summary.

    Args:
        facts: with their weights.
        whole: they are all that its memories hold; else the sample, that of the least priority last.
    """

    facts: Mapping[Fact, int]
    whole: bool

    def share(self, text: str) -> float | None:
        """Return the share, by weight, that a text holds, 0 to 1; None when nothing is asked."""
        read, facts, least = reading_of(_said_in(text)), list(self.facts.items()), 0.0
        if not self.whole:
            least = _priority(*facts.pop())
        there = held = 0.0
        for fact, weight in facts:
            stands_for = max(weight, least)
            there += stands_for
            held += stands_for * holds(fact, read.words, read.numbers)
        return round(held / there, 2) if there else None

    def sample(self) -> tuple[str, ...]:
        """Return what the next summary is to be asked of this, as `Summary.sample` keeps it."""
        facts = _drawn(self.facts) if self.whole else self.facts
        return tuple(_written(fact, weight) for fact, weight in facts.items())


def asked_of(source: SummarySource) -> AskedFacts:
    """Return what is asked of the summary of a source: the facts of its memories, and of those summed up before."""
    found = dict(_read(source.sample))
    whole = len(found) <= SAMPLE
    if not source.entries:  # a sample is drawn already
        return AskedFacts(found, whole)
    for fact, weight in facts_among(source.entries, (), source.name).items():
        found[fact] = max(weight, found.get(fact, 0))
    return AskedFacts(found if whole else _drawn(found), whole)


def carried(summaries: Iterable[Summary], name: str) -> tuple[str, ...]:
    """Return the sample of some summaries together; of one that has none, the facts that its text tells."""
    found: dict[Fact, int] = {}
    for one in summaries:
        facts = _read(one.sample) if one.sample else facts_among((), [_said_in(one.text)], name)
        for fact, weight in facts.items():
            found[fact] = max(weight, found.get(fact, 0))
    return AskedFacts(found, whole=True).sample()


def _said_in(text: str) -> str:
    """Return a summary without headings, where it has several lines."""
    return body_of(text) if "\n" in text else text


def _drawn(facts: Mapping[Fact, int]) -> Mapping[Fact, int]:
    """Return the facts of the highest priority, one more than `SAMPLE`, the highest first."""
    if len(facts) <= SAMPLE:
        return facts
    return dict(nlargest(SAMPLE + 1, facts.items(), key=lambda one: _priority(*one)))


def _priority(fact: Fact, weight: int) -> float:
    return weight / _chance(fact.kind, fact.what)


@functools.lru_cache(maxsize=4096)
def _chance(kind: str, what: str) -> float:
    """Return the number above 0 and up to 1 that a fact always has."""
    digest = blake2b(f"{kind} {what.casefold()}".encode("utf-8", "replace"), digest_size=8).digest()
    return (int.from_bytes(digest, "big") + 1) / 2**64


@functools.lru_cache(maxsize=4096)
def _written(fact: Fact, weight: int) -> str:
    """Return a fact as a sample holds it, on one line and without what parts a sample or needs an escape in a file."""
    return f"{weight} {fact.kind} {' '.join(fact.what.translate(_MARKS).split())}"


@functools.lru_cache(maxsize=64)
def _read(sample: tuple[str, ...]) -> Mapping[Fact, int]:
    """Return the facts of a sample; what a hand made of it is passed over. It is read again at every fold."""
    return {fact: weight for fact, weight in map(_fact, sample) if fact.what}


@functools.lru_cache(maxsize=4096)
def _fact(written: str) -> tuple[Fact, int]:
    """Return one of them with its weight; it is read again at every fold."""
    weight, _, rest = written.partition(" ")
    kind, _, what = rest.partition(" ")
    known = weight.isdecimal() and len(weight) < 4 and int(weight) > 0
    return Fact(kind, what), min(10, int(weight)) if known else ORDINARY
