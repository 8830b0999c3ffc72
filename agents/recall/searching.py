"""A question to the lexical index: which memories and documents have its words, and what is brought along for ranking.

Every function works within its caller's transaction.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from typing import NamedTuple

from agents.memory.entries import Entry
from agents.recall.matching import ALIKE, Term, WeightedTerms, best, idf, shares_of
from agents.recall.memories import StoredMemory, entries_of, repeated, row_of, top_memory
from agents.recall.passages import MOST, memory_of, part_of, parts_of, passages, place_of
from agents.recall.postings import PostingList, Postings
from agents.recall.ranking import (
    CANDIDATES,
    REACH,
    WIDELY,
    Candidates,
    FoundDocument,
    Groups,
    lenders,
    neighbours_of,
    relevances,
)
from agents.recall.tables import (
    WORDS,
    documents_found,
    more_of,
    number_of,
    passages_of,
    table_of,
    through_of,
    top_document,
)
from agents.recall.vocabulary import Stemmer

DOCUMENTS = 60
"""Documents of each kind that the words may bring forward; a long life has thousands, and each is long."""
DOCUMENT_BUDGET = 1000
"""Rows that are walked through for each kind of documents, at most."""


@dataclass(frozen=True, slots=True)
class Matched:
    """What has words of a question in one table.

    Args:
        asked: the question, for what the vectors will find.
        shares: the best by their numbers, with their shares.
    """

    asked: WeightedTerms = field(default_factory=WeightedTerms)
    shares: Mapping[int, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Matches:
    """What has words of a question.

    Args:
        memories: among short memories.
        passages: among the passages of long ones, by place.
        documents: among each kind of documents.
        brought: memories of the time that is asked about, whatever their words.
    """

    memories: Matched = field(default_factory=Matched)
    passages: Matched = field(default_factory=Matched)
    documents: Mapping[str, Matched] = field(default_factory=dict)
    brought: tuple[int, ...] = ()


class _Word(NamedTuple):
    """A word that counts, with its stem, what it adds, and the short memories and the passages that have it."""

    word: str
    stem: str
    value: float
    rows: PostingList
    passages: PostingList

    @property
    def having(self) -> int:
        """How many of both have it."""
        return len(self.rows) + len(self.passages)


class Searcher:
    """Finds what has the words of a question.

    Args:
        stemmer: gives the stems of words.
        postings: gives the row lists of words.
        budget: rows that are walked through for one question.
    """

    def __init__(self, stemmer: Stemmer, postings: Postings, budget: int) -> None:
        self._stemmer, self._postings, self._budget = stemmer, postings, budget

    def match(
        self,
        db: sqlite3.Connection,
        agent_id: str,
        groups: Groups,
        memories: bool,
        kinds: Collection[str],
        *,
        oldest: bool = False,
        widely: bool = False,
    ) -> Matches:
        """See `LexicalIndex.match`; of equal ones the oldest come first when they are asked for, else the youngest."""
        number = number_of(db, agent_id)
        if not number or not groups:
            return Matches()
        through = through_of(db, agent_id)
        top = max(through, top_memory(db, number))
        stems = self._stemmer.stems({*groups, *chain.from_iterable(groups.values())})

        more = more_of(db, number)

        @cache
        def looked_up(word: str) -> _Word:
            if word not in stems:
                return _Word(word, "", 0.0, PostingList(), PostingList())
            stem = stems[word]
            rows = self._postings.rows(db, table_of(number), number, stem, word, through, top)
            if not more:  # as in most lives
                return _Word(word, stem, 0.0, rows, PostingList())
            first, last = row_of(through, MOST - 1), row_of(top, MOST - 1)
            cut = self._postings.rows(db, passages_of(number), number, stem, word, first, last)
            return _Word(word, stem, 0.0, rows, cut)

        total = through + more
        chosen = [_chosen(word, alike, looked_up, total) for word, alike in groups.items()]
        whole = sum(idf(looked_up(word).having, total) ** 2 for word in groups)
        own = WeightedTerms(tuple(tuple(Term(one.value, one.rows) for one in group) for group in chosen), whole)
        cut = WeightedTerms(tuple(tuple(Term(one.value, one.passages) for one in group) for group in chosen), whole)
        most, last = WIDELY if widely else CANDIDATES, top_document(db, number) if kinds else 0
        return Matches(
            _matched(own, most, self._budget, oldest=oldest) if memories else Matched(),
            _matched(cut, most, self._budget, oldest=oldest) if memories and more else Matched(),
            {kind: self._documents(db, number, WORDS[kind], chosen, whole, last) for kind in kinds},
        )

    def _documents(
        self, db: sqlite3.Connection, number: int, table: str, chosen: Sequence[Sequence[_Word]], whole: float, top: int
    ) -> Matched:
        """Look for the same words in documents up to the `top` one; there are too few of them to tell what is rare."""
        groups = (
            tuple(
                Term(one.value, self._postings.rows(db, table, number, one.stem, one.word, top, top)) for one in group
            )
            for group in (chosen if top else ())
        )
        return _matched(WeightedTerms(tuple(groups), whole), DOCUMENTS, min(self._budget, DOCUMENT_BUDGET))


def _matched(asked: WeightedTerms, most: int, budget: int, *, oldest: bool = False) -> Matched:
    return Matched(asked, best(asked, most, budget, oldest=oldest))


def _chosen(word: str, alike: Mapping[str, float], looked_up: Callable[[str], _Word], total: int) -> list[_Word]:
    """Return the word, if it can be looked for, and the best of the words alike that occur in this life."""
    asked = looked_up(word)
    own = idf(asked.having, total)
    chosen = {asked.stem: asked._replace(value=own**2)} if asked.stem else {}
    left = ALIKE
    for other, weight in sorted(alike.items(), key=lambda one: -one[1]):
        if left == 0 or weight <= 0:
            break
        there = looked_up(other)
        if there.stem in chosen or not there.having:
            continue
        chosen[there.stem] = there._replace(value=weight * min(own, idf(there.having, total)) ** 2)
        left -= 1
    return list(chosen.values())


# -- with what the vectors found --------------------------------------------------------------------------------------


def gather(
    db: sqlite3.Connection,
    agent_id: str,
    matches: Matches,
    memories: Mapping[int, float],
    documents: Mapping[str, float],
    kinds: Collection[str],
    weight: float,
) -> Candidates:
    """See `LexicalIndex.gather`."""
    number = number_of(db, agent_id)
    cut = [_place(row) for row in matches.passages.shares]
    life = _SearchedLife(db, number)
    life.read({*matches.memories.shares, *map(memory_of, (*memories, *cut)), *matches.brought})
    texts = repeated(db, number, life.memories)
    # A vector's id may be left from another life under the same name.
    known = {place: cosine for place, cosine in memories.items() if life.has(place) and _is_first(place, texts)}
    firsts = {texts[seq].last: texts[seq] for seq in map(memory_of, known) if seq in texts}
    later = {seq: text for seq, text in firsts.items() if seq not in life.memories}
    life.read(later)
    texts.update(later)
    cosines = known | _of_repetitions(known, texts)
    shares = _all_shares(matches.memories, [seq for seq in life.memories if seq not in life.parts])
    rows = [_row(place) for place in {*cut, *cosines} if memory_of(place) in life.parts]
    shares |= {_place(row): share for row, share in _all_shares(matches.passages, rows).items()}
    best = lenders(relevances(shares, cosines, weight))
    life.read({seq for place in best for seq in life.beside(place)} - life.memories.keys())
    brought = [seq for seq in matches.brought if seq in life.memories]
    near = neighbours_of(best, life.parts)
    entries = {
        place: life.entry(place) for place in {*life.short, *shares, *cosines, *brought, *near} if life.has(place)
    }
    times = {seq: text.times for seq, text in texts.items()}
    written = _documents_of(db, number, matches, documents, kinds)
    wholes = {seq: life.memories[seq] for seq in life.parts}
    return Candidates(shares, cosines, entries, times, written, brought, wholes, life.parts)


class _SearchedLife:
    """The memories of one life that a question needs, and their passages.

    Args:
        db: the index.
        number: the agent's number in it.
    """

    def __init__(self, db: sqlite3.Connection, number: int) -> None:
        self._db, self._number = db, number
        self.memories: dict[int, Entry] = {}
        """What was read, by number."""
        self.parts: dict[int, int] = {}
        """How many passages the long ones of these have."""

    def read(self, seqs: Collection[int]) -> None:
        """Read memories."""
        new = entries_of(self._db, self._number, seqs)
        self.memories.update(new)
        self.parts.update((seq, parts) for seq, entry in new.items() if (parts := parts_of(entry.text)) > 1)

    @property
    def short(self) -> list[int]:
        """Those that are their own only passages."""
        return [seq for seq in self.memories if seq not in self.parts]

    def has(self, place: int) -> bool:
        """Tell whether a passage is one of what was read."""
        seq = memory_of(place)
        return seq in self.memories and part_of(place) < self.parts.get(seq, 1)

    def entry(self, place: int) -> Entry:
        """Return a memory with the text of one of its passages."""
        entry = self.memories[memory_of(place)]
        return entry if entry.seq not in self.parts else entry._replace(text=passages(entry.text)[part_of(place)])

    def beside(self, place: int) -> Iterable[int]:
        """Return the memories within reach of a passage: of one in the middle of a long text only its own."""
        seq, part = memory_of(place), part_of(place)
        low = max(1, seq - max(0, REACH - part))
        return range(low, seq + max(0, REACH - (self.parts.get(seq, 1) - 1 - part)) + 1)


def _place(row: int) -> int:
    return place_of(*divmod(row, MOST))


def _row(place: int) -> int:
    return row_of(memory_of(place), part_of(place))


def _of_repetitions(known: Mapping[int, float], texts: Mapping[int, StoredMemory]) -> dict[int, float]:
    """Return the cosines of what tells the same as these: a vector is made of the first only."""
    again: dict[int, list[int]] = {}
    for seq, text in texts.items():
        again.setdefault(text.first, []).append(seq)
    return {
        place_of(seq, part_of(place)): cosine
        for place, cosine in known.items()
        for seq in again.get(memory_of(place), ())
    }


def _is_first(place: int, texts: Mapping[int, StoredMemory]) -> bool:
    seq = memory_of(place)
    return seq not in texts or texts[seq].first == seq


def _all_shares(matched: Matched, rows: Collection[int]) -> dict[int, float]:
    """Return the shares of these, also of those that only the vectors brought forward."""
    shares = {row: share for row, share in matched.shares.items() if row in rows}
    return shares | shares_of(matched.asked, [row for row in rows if row not in shares])


def _documents_of(
    db: sqlite3.Connection, number: int, matches: Matches, cosines: Mapping[str, float], kinds: Collection[str]
) -> tuple[FoundDocument, ...]:
    words = [row for matched in matches.documents.values() for row in matched.shares]
    found = documents_found(db, number, words, cosines, kinds)
    shares: dict[int, float] = {}
    for kind, matched in matches.documents.items():
        shares |= _all_shares(matched, [row for row, document, _ in found if document.kind == kind])
    return tuple(FoundDocument(document, shares.get(row), cosine) for row, document, cosine in found)
