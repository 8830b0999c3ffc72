"""Which entries count, what they are about, and how a prompt lists them; their importance by hindsight. Pure.

Thoughts, dreams and notes do not count, so that there are no reflections on reflections and no dreams of dreams.
A model's ratings are whole numbers from 1 to 10, for entries that it was shown.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from agents.compaction.judge.reading import keys_of, telling_of
from agents.memory.entries import Entry
from agents.memory.perception import of_own_mind, remembered, whispered
from agents.mind.interpreter import is_secret
from agents.text.addressing import is_question
from agents.text.unwrapping import unwrapped

EVENTS = ("said", "heard", "did", "saw", "moved", "result", "told")
SPOKEN_TO_ME = ("heard", "told")
FRIEND = 5  # lines heard from a person that make a friend
SHOWN = 160
READ = 20_000  # characters of a reply that are read
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


SHARED = 2
RARE, COMMON = 8, 4  # A word says nothing when more than one in `RARE` entries have it, but `COMMON` may always have it
TRIFLE = 3
ASKED, AGAIN, PROMISED, HABIT = 2, 1, 1, -1
"""Changes of importance: asked about later, mentioned again, a promise between friends, a habit."""
ENOUGH = 0.5  # share of the shown entries that a model must rate; with fewer it did not understand the task

_PROMISE = re.compile(r"\b(?:promise[ds]?|swear|swore|vow(?:ed)?|my word|I['’]ll|I will|I shall)\b", re.IGNORECASE)
_RATED = re.compile(r"\W*(?:memory\s*)?#?(\d{1,9})\s*[.:=)\]–-]+\s*(\d{1,2})(?:\s*/\s*10)?\W*", re.IGNORECASE)


def importance_by_rules(entries: Sequence[Entry], friends: Collection[str]) -> dict[int, int]:
    """Return the changed importance of entries (oldest first) by number; promises of `friends` count more."""
    found = events_of(entries)
    later = _later(found)
    times = Counter(entry.text for entry in found)
    changed: dict[int, int] = {}
    for place, entry in enumerate(found):
        again, asked = later[place]
        matters = entry.actor in friends or (entry.kind == "said" and entry.actor is None)
        promised = matters and _PROMISE.search(entry.text) is not None
        value = entry.importance + AGAIN * again + ASKED * asked + PROMISED * promised
        value = max(1, min(10, value + HABIT * (times[entry.text] >= TRIFLE)))
        if value != entry.importance:
            changed[entry.seq] = value
    return changed


def _later(entries: Sequence[Entry]) -> list[tuple[bool, bool]]:
    """Return of each entry whether later ones mention it again, and whether somebody asks about it later."""
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
    """Return a model's ratings by entry number, from lines such as `12: 7`; None when the reply is useless.

    Unknown entries, numbers beyond 1 to 10 and contradicting ratings are ignored.
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
    return {one.seq: ratings[one.seq] for one in entries if ratings.get(one.seq, one.importance) != one.importance}
