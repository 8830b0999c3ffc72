"""How much memories matter by hindsight: what came up again, what was asked about, what a friend's promise hangs on.

By rules, or by a model's numbers, of which nothing is taken but whole numbers from 1 to 10 for memories that it was
shown. Pure.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence

from agents.memory.entries import Entry
from agents.reflection.assistant_talk import READ
from agents.reflection.lived import asks, lived, topics_of
from agents.text.unwrapping import unwrapped

SHARED = 2
"""Telling words that two memories must share to be about the same."""
RARE, COMMON = 8, 4
"""A word that more than one in so many memories has tells nothing about any of them; but so many may have it."""
TRIFLE = 3
"""Times after which the very same words are a habit, and no news."""
ASKED, AGAIN, PROMISED, HABIT = 2, 1, 1, -1
"""What a memory gains when it was asked about, when it came up again, when it is a promise between friends; and what
it loses as a habit."""
ENOUGH = 0.5
"""Share of the memories it was shown that a model must have rated, or it did not understand the task."""

_PROMISE = re.compile(r"\b(?:promise[ds]?|swear|swore|vow(?:ed)?|my word|I['’]ll|I will|I shall)\b", re.IGNORECASE)
_RATED = re.compile(r"\W*(?:memory\s*)?#?(\d{1,9})\s*[.:=)\]–-]+\s*(\d{1,2})(?:\s*/\s*10)?\W*", re.IGNORECASE)


def by_rules(entries: Sequence[Entry], friends: Collection[str]) -> dict[int, int]:
    """Return by number how much memories matter by hindsight, of those for whom that changes.

    Args:
        entries: memories, oldest first; what came later is looked for among them.
        friends: names of those whose promises weigh more.
    """
    found = lived(entries)
    later = _later(found)
    times = Counter(entry.text for entry in found)
    changed: dict[int, int] = {}
    for place, entry in enumerate(found):
        again, asked = later[place]
        value = entry.importance + AGAIN * again + ASKED * asked + PROMISED * _hangs_on(entry, friends)
        value += HABIT * (times[entry.text] >= TRIFLE)
        value = max(1, min(10, value))
        if value != entry.importance:
            changed[entry.seq] = value
    return changed


def _hangs_on(entry: Entry, friends: Collection[str]) -> bool:
    """Return whether a memory is a friend's promise, or one's own."""
    mine = entry.kind == "said" and entry.actor is None
    return (mine or entry.actor in friends) and _PROMISE.search(entry.text) is not None


def _later(entries: Sequence[Entry]) -> list[tuple[bool, bool]]:
    """Return of each memory whether what it tells came up again later, and whether it was asked about."""
    told = [topics_of(entry) for entry in entries]
    places: dict[str, list[int]] = defaultdict(list)
    for place, words in enumerate(told):
        for word in words:
            places[word].append(place)
    most = max(COMMON, len(entries) // RARE)
    rare = {word: found for word, found in places.items() if len(found) <= most}
    question = [asks(entry) for entry in entries]
    found: list[tuple[bool, bool]] = []
    for place, words in enumerate(told):
        shared = Counter(other for word in words if word in rare for other in rare[word] if other > place)
        same = [other for other, times in shared.items() if times >= SHARED]
        again = any(not question[one] and entries[one].text != entries[place].text for one in same)
        asked = not question[place] and any(question[one] and entries[one].actor for one in same)
        found.append((again, asked))
    return found


def parse_ratings(reply: str, shown: Collection[int]) -> dict[int, int] | None:
    """Return the numbers that a model gave to memories; None when the reply is of no use.

    Args:
        reply: what the model said; lines like `12: 7` count, everything else is passed over.
        shown: the memories that it was shown; others, numbers beyond 1 to 10, and two different ones for the same
            memory do not count.
    """
    rated: dict[int, int] = {}
    twice: set[int] = set()
    for line in unwrapped(reply[:READ]).splitlines():
        found = _RATED.fullmatch(line.strip())
        if found is None:
            continue
        seq, value = int(found[1]), int(found[2])
        if seq not in shown or not 1 <= value <= 10:
            continue
        if rated.setdefault(seq, value) != value:
            twice.add(seq)
    sure = {seq: value for seq, value in rated.items() if seq not in twice}
    return sure if shown and len(sure) >= ENOUGH * len(shown) else None


def changed_by(ratings: Mapping[int, int], entries: Sequence[Entry]) -> dict[int, int]:
    """Return those ratings that differ from what the memories weigh already."""
    return {one.seq: ratings[one.seq] for one in entries if ratings.get(one.seq, one.importance) != one.importance}
