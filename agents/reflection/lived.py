"""What was lived, as the inner life looks at it: which memories count, what they say, and how a prompt lists them.

Thoughts, dreams and notes are no life: nobody reflects about reflections only, and nobody dreams of dreams. Pure.
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

LIVED = ("said", "heard", "did", "saw", "moved", "result", "told")
"""Kinds of memories of what happened."""
SPOKEN_TO_ME = ("heard", "told")
FRIEND = 5
"""Lines heard from somebody, among those looked at, that make a friend of them."""
SHOWN = 160
"""Characters of a memory in a prompt."""


def lived(entries: Iterable[Entry]) -> list[Entry]:
    """Return those memories that are of what happened and worked."""
    return [entry for entry in entries if entry.kind in LIVED and not entry.failed]


def open_to_all(entries: Iterable[Entry]) -> list[Entry]:
    """Return memories without those that are not for everybody's ears: what is made of the others may be told on.

    What one looked up in one's own memory or notes is among them, for nobody knows what came up there.
    """
    return [entry for entry in entries if not (is_secret(entry) or whispered(entry) or of_own_mind(entry))]


def words_of(entry: Entry) -> str:
    """Return what was said in a memory, else all of it, on one line."""
    said = remembered(entry)
    return " ".join((said.words if said else entry.text).split())


def topics_of(entry: Entry) -> frozenset[str]:
    """Return the words that tell what a memory is about, without the name of who spoke."""
    return telling_of(words_of(entry)) - frozenset(keys_of(entry.actor or ""))


def asks(entry: Entry) -> bool:
    """Return whether a memory is a question."""
    said = remembered(entry)
    return said is not None and is_question(said.words)


def friends(entries: Iterable[Entry]) -> frozenset[str]:
    """Return the names of those who spoke often."""
    heard = Counter(entry.actor for entry in entries if entry.kind in SPOKEN_TO_ME and entry.actor)
    return frozenset(name for name, times in heard.items() if name and times >= FRIEND)


def line_of(entry: Entry) -> str:
    """Return a memory as a prompt lists it: its number and its text on one line, not all of a long one."""
    text = " ".join(entry.text.split())
    return f"{entry.seq}: {text if len(text) <= SHOWN else text[:SHOWN].rsplit(' ', 1)[0] + ' ...'}"


def fitting(entries: Sequence[Entry], room: int, count: Callable[[str], int]) -> list[Entry]:
    """Return the newest memories whose lines fit into a prompt, oldest first.

    Args:
        entries: the memories, oldest first.
        room: tokens there are for them.
        count: counts tokens, rather too many than too few.
    """
    kept: list[Entry] = []
    for entry in reversed(entries):
        room -= count(line_of(entry)) + 1
        if room < 0:
            break
        kept.append(entry)
    return kept[::-1]


def sentence(text: str) -> str:
    """Return a text with a capital and an end, as a sentence."""
    text = text.strip()
    closed = text if re.search(r"[.!?…][\"”'’)]*$", text) else f"{text}."
    return closed[:1].upper() + closed[1:]
