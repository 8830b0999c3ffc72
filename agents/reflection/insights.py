"""Insights by rules from an agent's entries, each with the entries that support it. Pure.

They cover kept promises, contradicting places of things, frequent topics, and the usual place and company.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from agents.brains import stem
from agents.compaction.judge.reading import normalize, telling_of
from agents.memory.entries import Entry
from agents.reflection.lived import SPOKEN_TO_ME, asks, lived, topics_of, words_of
from mud.world.narration import Phrase, phrase

KEEPS = phrase("minds.reflect.keeps_promises", "name")
CHANGED = phrase("minds.reflect.changed", "old", "new")
COMES_BACK = phrase("minds.reflect.comes_back", "thing")
MOSTLY = phrase("minds.reflect.mostly", "place")
COMPANY = phrase("minds.reflect.company", "name")

CITED = 5
OFTEN = 4
"""Number of mentions that make a topic frequent."""
SPEAKERS = 2
SHARE = 0.5
"""Share of entries at one place, or of lines by one speaker, that makes a habit."""

_PROMISE = re.compile(r"\b(?:I promise|promise you|I swear|my word|I['’]ll|I will|I shall)\b", re.IGNORECASE)
_DONE = re.compile(
    r"\b(?:I['’]ve|I have|here (?:is|are)|gives?|gave|brought|brings?|mended|found|done|drops?|puts?)\b", re.I
)
_STANDS = re.compile(
    r"\b(?P<thing>(?:the|my|our|his|her|your)\s+[\w'’ -]{2,40}?)\s+(?:is|are|lies|hangs|stands|sits|lives|hides)\s+"
    r"(?:now\s+|still\s+|hidden\s+|kept\s+)?(?P<where>(?:in|under|at|on|behind|by|beneath|inside|near|beside|above)\s+"
    r"[\w'’ -]{2,60})",
    re.IGNORECASE,
)

_WHEN = frozenset(["today", "tomorrow", "tonight", "soon", "morning", "evening", "night", "week", "later"])
"""Time words, ignored when the content of promises is compared."""

Say = Callable[..., str]


class Insight(NamedTuple):
    """One sentence, and the entry numbers that support it, ascending."""

    text: str
    cites: tuple[int, ...]


def insights(entries: Sequence[Entry], name: str, say: Say) -> Iterator[Insight]:
    """Yield insights from entries, which are oldest first, in order of relevance."""
    found = lived(entries)
    yield from _promises(found, say)
    yield from _changes(found, say)
    yield from _topics(found, name, say)
    yield from _habits(found, say)


def _insight(say: Say, what: Phrase, cites: Sequence[int], **places: str) -> Insight:
    return Insight(say(what, **places), tuple(sorted(set(cites))[:CITED]))


def _promises(entries: Sequence[Entry], say: Say) -> Iterator[Insight]:
    """Yield kept promises: a later line of the same speaker has the promise's content words."""
    promised: dict[str, list[tuple[Entry, frozenset[str]]]] = defaultdict(list)
    kept: dict[str, list[int]] = defaultdict(list)
    for entry in entries:
        if not entry.actor:
            continue
        words, before = words_of(entry), promised[entry.actor]
        told = _stems(topics_of(entry)) if before and _DONE.search(words) else frozenset()
        for promise, what in before:
            if 2 * len(what & told) > len(what):
                kept[entry.actor] += [promise.seq, entry.seq]
        found = _PROMISE.search(words) if entry.kind in SPOKEN_TO_ME and not asks(entry) else None
        if found and (what := _stems(telling_of(words[found.end() :]) - _WHEN)):
            before.append((entry, what))
    for actor, seqs in kept.items():
        yield _insight(say, KEEPS, seqs, name=actor)


def _stems(words: Iterable[str]) -> frozenset[str]:
    return frozenset(map(stem, words))


def _changes(entries: Sequence[Entry], say: Say) -> Iterator[Insight]:
    """Yield things that were said to be in one place and later in another, by any speaker."""
    known: dict[frozenset[str], tuple[Entry, str, frozenset[str]]] = {}
    for entry in entries:
        if entry.kind != "heard" or asks(entry):
            continue
        for found in _STANDS.finditer(words_of(entry)):
            thing, where = telling_of(found["thing"]), telling_of(found["where"])
            if not thing or not where:
                continue
            told = f"{_the(found['thing'])} {found[0][len(found['thing']) :].strip()}"
            before = known.get(thing)
            if before is not None and not before[2] & where:
                yield _insight(say, CHANGED, [before[0].seq, entry.seq], old=before[1], new=told)
            known[thing] = entry, told, where


def _the(thing: str) -> str:
    """Replace a possessive by `the`, because it would be wrong for another speaker."""
    return f"the {thing.split(None, 1)[1]}"


def _topics(entries: Sequence[Entry], name: str, say: Say) -> Iterator[Insight]:
    seqs: dict[str, list[int]] = defaultdict(list)
    speakers: dict[str, set[str]] = defaultdict(set)
    written: dict[str, str] = {}
    people = {normalize(part) for entry in entries for part in (entry.actor or "").split()}
    people |= {normalize(part) for part in name.split()}
    for entry in entries:
        if entry.kind != "heard" or not entry.actor:
            continue
        words = words_of(entry)
        for found in re.finditer(r"\b(?:the|my|our) ([^\W\d_]{4,})\b", words, re.IGNORECASE):
            key = normalize(found[1])
            if key in people or key not in topics_of(entry):
                continue
            written.setdefault(key, found[1].lower())
            speakers[key].add(entry.actor)
            if entry.seq not in seqs[key]:
                seqs[key].append(entry.seq)
    often = sorted((-len(found), found[0], key) for key, found in seqs.items() if len(found) >= OFTEN)
    for _, _, key in often:
        if len(speakers[key]) >= SPEAKERS:
            yield _insight(say, COMES_BACK, seqs[key][-CITED:], thing=written[key])


def _habits(entries: Sequence[Entry], say: Say) -> Iterator[Insight]:
    places = Counter(entry.place for entry in entries if entry.place)
    for place, times in places.most_common(1):
        if len(places) > 1 and times >= max(OFTEN, SHARE * sum(places.values())):
            yield _insight(say, MOSTLY, [one.seq for one in entries if one.place == place][-3:], place=place)
    heard = Counter(entry.actor for entry in entries if entry.kind in SPOKEN_TO_ME and entry.actor)
    for actor, times in heard.most_common(1):
        if len(heard) > 1 and times >= max(OFTEN, SHARE * sum(heard.values())):
            seqs = [one.seq for one in entries if one.actor == actor and one.kind in SPOKEN_TO_ME]
            yield _insight(say, COMPANY, seqs[-3:], name=actor)
