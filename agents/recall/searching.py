"""A question to the lexical index: which memories and documents have its words, and what is brought along for ranking.

Every function works within its caller's transaction.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from typing import NamedTuple

from agents.recall.matching import ALIKE, Asked, Term, best, idf, shares_of
from agents.recall.memories import Lived, entries_of, repeated, top_memory
from agents.recall.postings import Postings, RowList
from agents.recall.ranking import CANDIDATES, WIDELY, Found, FoundDocument, Groups, lenders, neighbours_of, relevances
from agents.recall.tables import WORDS, documents_found, number_of, table_of, through_of, top_document
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

    asked: Asked = field(default_factory=Asked)
    shares: Mapping[int, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Matches:
    """What has words of a question.

    Args:
        memories: among memories.
        documents: among each kind of documents.
        brought: memories of the time that is asked about, whatever their words.
    """

    memories: Matched = field(default_factory=Matched)
    documents: Mapping[str, Matched] = field(default_factory=dict)
    brought: tuple[int, ...] = ()


class _Word(NamedTuple):
    """A word that counts, with its stem, what it adds, and the memories that have it."""

    word: str
    stem: str
    value: float
    rows: RowList


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

        @cache
        def rows(word: str) -> RowList:
            if word not in stems:
                return RowList()
            return self._postings.rows(db, table_of(number), number, stems[word], word, through, top)

        chosen = [_chosen(word, alike, stems, rows, through) for word, alike in groups.items()]
        whole = sum(idf(len(rows(word)), through) ** 2 for word in groups)
        own = tuple(tuple(Term(one.value, one.rows) for one in group) for group in chosen)
        most, last = WIDELY if widely else CANDIDATES, top_document(db, number) if kinds else 0
        return Matches(
            _matched(Asked(own, whole), most, self._budget, oldest=oldest) if memories else Matched(),
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
        return _matched(Asked(tuple(groups), whole), DOCUMENTS, min(self._budget, DOCUMENT_BUDGET))


def _matched(asked: Asked, most: int, budget: int, *, oldest: bool = False) -> Matched:
    return Matched(asked, best(asked, most, budget, oldest=oldest))


def _chosen(
    word: str, alike: Mapping[str, float], stems: Mapping[str, str], rows: Callable[[str], RowList], total: int
) -> list[_Word]:
    """Return the word, if it can be looked for, and the best of the words alike that occur in this life."""
    own = idf(len(rows(word)), total)
    chosen = {stems[word]: _Word(word, stems[word], own**2, rows(word))} if word in stems else {}
    left = ALIKE
    for other, weight in sorted(alike.items(), key=lambda one: -one[1]):
        stem = stems.get(other)
        if left == 0 or weight <= 0:
            break
        if stem is None or stem in chosen or not len(there := rows(other)):
            continue
        chosen[stem] = _Word(other, stem, weight * min(own, idf(len(there), total)) ** 2, there)
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
) -> Found:
    """See `LexicalIndex.gather`."""
    number = number_of(db, agent_id)
    entries = entries_of(db, number, {*matches.memories.shares, *memories, *matches.brought})
    texts = repeated(db, number, entries)
    # A vector's id may be left from another life under the same name.
    known = {seq: cosine for seq, cosine in memories.items() if seq in entries and _is_first(seq, texts)}
    later = {texts[seq].last: texts[seq] for seq in known if seq in texts and texts[seq].last not in entries}
    entries.update(entries_of(db, number, later))
    texts.update(later)
    cosines = known | {seq: known[text.first] for seq, text in texts.items() if text.first in known}
    shares = _all_shares(matches.memories, entries)
    near = neighbours_of(lenders(relevances(shares, cosines, weight)))
    entries.update(entries_of(db, number, near - entries.keys()))
    times = {seq: text.times for seq, text in texts.items()}
    brought = [seq for seq in matches.brought if seq in entries]
    return Found(shares, cosines, entries, times, _documents_of(db, number, matches, documents, kinds), brought)


def _is_first(seq: int, texts: Mapping[int, Lived]) -> bool:
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
