"""Retention: the share of the facts of all covered memories that a summary contains.

To bound the cost, memories are not read again: every summary carries a sample of their facts, and the next one merges
the samples. Beyond `SAMPLE` facts it is a priority sample (Duffield, Lund and Thorup, 2007) weighted by importance,
with hashes as random numbers, so that merged samples are exact. With 64 facts the error is about 0.06.
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
"""Maximum facts in a sample; one more is kept to estimate the weight of the rest."""
_MARKS = str.maketrans(';"\\', ",' ")


class AskedFacts(NamedTuple):
    """The facts that a summary is checked for; not `whole` means a sample, with the lowest priority last."""

    facts: Mapping[Fact, int]
    whole: bool

    def share(self, text: str) -> float | None:
        """Return the weighted share of the facts that a text contains, 0 to 1; None if there are no facts."""
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
        facts = _drawn(self.facts) if self.whole else self.facts
        return tuple(_written(fact, weight) for fact, weight in facts.items())


def asked_of(source: SummarySource) -> AskedFacts:
    """Return the facts to check in the summary of a source, including the samples of earlier summaries."""
    found = dict(_read(source.sample))
    whole = len(found) <= SAMPLE
    if not source.entries:  # already a sample
        return AskedFacts(found, whole)
    for fact, weight in facts_among(source.entries, (), source.name).items():
        found[fact] = max(weight, found.get(fact, 0))
    return AskedFacts(found if whole else _drawn(found), whole)


def carried(summaries: Iterable[Summary], name: str) -> tuple[str, ...]:
    """Return the merged sample of summaries; for one without a sample, the facts of its text."""
    found: dict[Fact, int] = {}
    for one in summaries:
        facts = _read(one.sample) if one.sample else facts_among((), [_said_in(one.text)], name)
        for fact, weight in facts.items():
            found[fact] = max(weight, found.get(fact, 0))
    return AskedFacts(found, whole=True).sample()


def _said_in(text: str) -> str:
    return body_of(text) if "\n" in text else text


def _drawn(facts: Mapping[Fact, int]) -> Mapping[Fact, int]:
    """Return the facts of the highest priority, one more than `SAMPLE`, in descending order."""
    if len(facts) <= SAMPLE:
        return facts
    return dict(nlargest(SAMPLE + 1, facts.items(), key=lambda one: _priority(*one)))


def _priority(fact: Fact, weight: int) -> float:
    return weight / _chance(fact.kind, fact.what)


@functools.lru_cache(maxsize=4096)
def _chance(kind: str, what: str) -> float:
    """Return the hash of a fact as a number above 0 and up to 1."""
    digest = blake2b(f"{kind} {what.casefold()}".encode("utf-8", "replace"), digest_size=8).digest()
    return (int.from_bytes(digest, "big") + 1) / 2**64


@functools.lru_cache(maxsize=4096)
def _written(fact: Fact, weight: int) -> str:
    """Return a fact as stored in a sample, without characters that would need escaping in a file."""
    return f"{weight} {fact.kind} {' '.join(fact.what.translate(_MARKS).split())}"


@functools.lru_cache(maxsize=64)
def _read(sample: tuple[str, ...]) -> Mapping[Fact, int]:
    return {fact: weight for fact, weight in map(_fact, sample) if fact.what}


@functools.lru_cache(maxsize=4096)
def _fact(written: str) -> tuple[Fact, int]:
    weight, _, rest = written.partition(" ")
    kind, _, what = rest.partition(" ")
    known = weight.isdecimal() and len(weight) < 4 and int(weight) > 0
    return Fact(kind, what), min(10, int(weight)) if known else ORDINARY
