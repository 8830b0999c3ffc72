"""Which of many lines are told where there is not room for all: those that together hold the most.

A greedy choice of a submodular sum (what a line adds is never more than what it holds alone), by what a line adds for
its length: what was told already counts no more, and somebody who has not come up yet counts besides. Such a choice
reaches a fixed share of the best one, and is made in one pass over a heap.
"""

from __future__ import annotations

import functools
import heapq
import math
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from agents.compaction.wording import quoted
from mud.world.sentences import sentences

SOMEBODY = 0.5
"""What a line weighs more that is the first of somebody."""
PROMISE = 0.3
"""What a line weighs more in which somebody binds themselves: such lines are few, and what they tell is to come."""
HEAVY = 2
"""What a name or a number counts beside another word."""
LENGTH = 0.9
"""The power of a line's tokens that what it adds is divided by: 0 does not ask for the length, 1 asks for it alone."""
POWER = 0.6
"""The power of a line's worth: below 1, two facts go before one that is worth as much as both."""
SAME, ALIKE = 0.2, 0.5
"""Shares of what a line holds of which more must be new: with less it says again what others say; with so much already
it is another of the same kind, which is too little where there is room for few, and of a passing thought."""
_WORD = re.compile(r"\w+")
_SOME_WORDS = 4
"""Words from which on a sentence that is said again is noticed; "Yes." and "Good morning." are not."""
_LEAST = 8
"""Tokens below which a line is not cheaper."""


class Claim(NamedTuple):
    """A line that may be told.

    Args:
        worth: how much it is worth by itself.
        words: its telling words and numbers.
        heavy: those that are names or numbers.
        who: whose words or deeds they are; empty when nobody's.
        tokens: how many it takes.
        same: share of what it holds that must be more than new, `SAME` or `ALIKE`.
        text: the line; one that says again a sentence in quotation marks is not told.
        promise: somebody binds themselves in it.
        put: puts it into words once it comes up, where that takes long: gives the claim as it then is, None when it
            cannot be told. Until then the claim stands for the most that it could be.
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


@functools.lru_cache(maxsize=4096)
def spoken_in(text: str) -> frozenset[str]:
    """Return the sentences of some words in the quotations of a line, as compared.

    Args:
        text: the line.
    """
    parts = (part for one in quoted(text) for part in sentences(one))
    plain = (" ".join(_WORD.findall(part.lower())) for part in parts)
    return frozenset(part for part in plain if part.count(" ") >= _SOME_WORDS - 1)


def covering(claims: Sequence[Claim], room: int, most: int | None = None) -> list[int]:
    """Return the places of the claims to tell, the one that adds most for its length first.

    Args:
        claims: what may be told; of equals the first goes first.
        room: tokens that there is room for.
        most: claims at most; None for any number.
    """
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
        if heap and -adds > heap[0][0]:  # what was told since then took its place from it
            heapq.heappush(heap, (-adds, at))
            continue
        if adds and spoken.isdisjoint(says := spoken_in(one.text)):
            stay.append(at)
            room -= one.tokens
            told |= one.words
            known.add(one.who)
            spoken |= says
    return stay


def _adds(one: Claim, told: set[str], known: set[str]) -> float:
    """Return what a claim adds to what was told, for its length."""
    share: float = 1.0
    if one.words and told:
        new = one.words - told
        share = (len(new) + (HEAVY - 1) * len(new & one.heavy)) / (len(one.words) + (HEAVY - 1) * len(one.heavy))
        if share <= one.same:
            return 0.0
    more = (SOMEBODY if one.who and one.who not in known else 0.0) + (PROMISE if one.promise else 0.0)
    return (math.pow(max(one.worth, 0.1), POWER) * share + more) / math.pow(max(one.tokens, _LEAST), LENGTH)
