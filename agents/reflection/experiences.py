"""Helpers of the inner life for entries: which count, what they are about, and how a prompt lists them. Pure.

Thoughts, dreams and notes do not count, so that there are no reflections on reflections and no dreams of dreams.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from agents.brains import is_secret
from agents.compaction.judge.reading import keys_of, telling_of
from agents.memory.entries import Entry
from agents.memory.perception import of_own_mind, remembered, whispered
from agents.text.addressing import is_question

EVENTS = ("said", "heard", "did", "saw", "moved", "result", "told")
SPOKEN_TO_ME = ("heard", "told")
FRIEND = 5
"""Lines heard from a person that make a friend."""
SHOWN = 160
PROMISE = re.compile(r"\b(?:I promise|promise you|I swear|my word|I['’]ll|I will|I shall)\b", re.IGNORECASE)


def events_of(entries: Iterable[Entry]) -> list[Entry]:
    return [entry for entry in entries if entry.kind in EVENTS and not entry.failed]


def open_to_all(entries: Iterable[Entry]) -> list[Entry]:
    """Return the entries that may be retold: no secrets, whispers, or lookups in the agent's memory and notes."""
    return [entry for entry in entries if not (is_secret(entry) or whispered(entry) or of_own_mind(entry))]


def words_of(entry: Entry) -> str:
    """Return an entry's speech, else its whole text, on one line."""
    said = remembered(entry)
    return " ".join((said.words if said else entry.text).split())


def topics_of(entry: Entry) -> frozenset[str]:
    """Return an entry's content words without the speaker's name."""
    return telling_of(words_of(entry)) - frozenset(keys_of(entry.actor or ""))


def asks(entry: Entry) -> bool:
    said = remembered(entry)
    return said is not None and is_question(said.words)


def friends(entries: Iterable[Entry]) -> frozenset[str]:
    heard = Counter(entry.actor for entry in entries if entry.kind in SPOKEN_TO_ME and entry.actor)
    return frozenset(name for name, times in heard.items() if name and times >= FRIEND)


def line_of(entry: Entry) -> str:
    """Return an entry as a line of a prompt: its number and its text, shortened."""
    text = " ".join(entry.text.split())
    return f"{entry.seq}: {text if len(text) <= SHOWN else text[:SHOWN].rsplit(' ', 1)[0] + ' ...'}"


def fitting(entries: Sequence[Entry], room: int, count: Callable[[str], int]) -> list[Entry]:
    """Return the newest entries whose lines fit into `room` tokens, oldest first."""
    kept: list[Entry] = []
    for entry in reversed(entries):
        room -= count(line_of(entry)) + 1
        if room < 0:
            break
        kept.append(entry)
    return kept[::-1]


def sentence(text: str) -> str:
    text = text.strip()
    closed = text if re.search(r"[.!?…][\"”'’)]*$", text) else f"{text}."
    return closed[:1].upper() + closed[1:]
