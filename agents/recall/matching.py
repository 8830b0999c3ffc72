"""How much of a question's words a memory or document has. Pure.

    share = sum over the question's words of max over {the word, words alike} of weight x min(idf, idf of the word)^2
            for those that are in it, / sum of idf^2 of the question's words
    idf = ln(1 + (n - count + 0.5) / (count + 0.5)), as in BM25, with n and count of the one agent's memories

As plain sets: how often a word is in a memory, and how long that is, told nothing more on the development data. Lists
that are longer than the budget are never walked through: whoever has a rarer word of the question is looked up in them.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from agents.recall.postings import PostingList

ALIKE = 5
"""Words of the life alike to one of the question that count."""
BUDGET = 2000
"""Rows that are walked through for one question. Of 80 questions to a life of 100,000 with Zipf's words, each of 40
words and words alike, the first 20 were the same as without a budget, and 97 % of the first 200; with 1,000 rows 99 %
and 88 %."""


class Term(NamedTuple):
    """A word that counts.

    Args:
        value: what it adds.
        rows: what has it.
    """

    value: float
    rows: PostingList


@dataclass(frozen=True, slots=True)
class WeightedTerms:
    """A question, as what is looked for.

    Args:
        groups: for each of its words the terms that stand for it.
        whole: what all its words would add.
    """

    groups: tuple[tuple[Term, ...], ...] = ()
    whole: float = 1.0


def idf(count: int, total: int) -> float:
    """Return how telling a word is, always above 0.

    Args:
        count: memories that have it.
        total: all memories.
    """
    count = min(count, total)
    return math.log(1 + (total - count + 0.5) / (count + 0.5))


def shares_of(asked: WeightedTerms, rows: Sequence[int]) -> dict[int, float]:
    """Return the share of each of these rows that has any."""
    having = [(term, number, term.rows.among(rows)) for term, number in reversed(_by_value(asked))]
    return {row: value / asked.whole for row, value in _added(asked, having).items()}


def best(asked: WeightedTerms, most: int, budget: int = BUDGET, *, oldest: bool = False) -> dict[int, float]:
    """Return the rows with the highest shares, best first, the younger first among equals.

    Every share is exact. A row may be missing that has none but words whose lists are longer than the budget, unless it
    is among the newest.

    Args:
        asked: the question.
        most: how many rows.
        budget: how many rows are walked through.
        oldest: the older first among equals instead.
    """
    short: list[Found] = []
    long: list[tuple[Term, int]] = []
    for term, number in _by_value(asked):
        if len(term.rows) <= budget:
            budget -= len(term.rows)
            short.append((term, number, term.rows.rows))
        else:
            long.append((term, number))
    rows: set[int] = set().union(*(having for _, _, having in short))
    if long and budget:
        # Whoever has only words that very many have: there is no telling them apart, and the newest will do.
        common = long[0][0].rows.rows
        rows.update(common[:budget] if oldest else common[-budget:])
    wanted = list(rows)
    found = short + [(term, number, term.rows.among(wanted)) for term, number in long]
    added = _added(asked, sorted(found, key=_value))
    # Sorting the values alone is the quickest way to get rid of most rows.
    least = sorted(added.values())[-most] if len(added) > most else 0.0
    turn = -1 if oldest else 1
    top = sorted(((value, turn * row) for row, value in added.items() if value >= least), reverse=True)
    return {turn * row: value / asked.whole for value, row in top[:most]}


Found = tuple[Term, int, Collection[int]]
"""A term, the number of its group, and the rows that have it, as far as they are looked at."""


def _value(found: Found) -> float:
    return found[0].value


def _by_value(asked: WeightedTerms) -> list[tuple[Term, int]]:
    """Return all terms, the most telling first, with the numbers of their groups."""
    terms = [(term, number) for number, group in enumerate(asked.groups) for term in group]
    return sorted(terms, key=lambda one: -one[0].value)


def _added(asked: WeightedTerms, found: Sequence[Found]) -> dict[int, float]:
    """Return what is added up for each row; of the terms of a group the one that comes last counts."""
    parts: list[dict[int, float]] = [{} for _ in asked.groups]
    for term, number, having in found:
        parts[number].update(dict.fromkeys(having, term.value))
    parts.sort(key=len, reverse=True)
    total = parts[0] if parts else {}
    get = total.get
    for part in parts[1:]:
        for row, value in part.items():
            total[row] = get(row, 0.0) + value
    return total
