"""What an agent knows of who somebody is: what they or others told of them, how they look, that they have met."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from agents.brains._words import is_secret
from agents.brains.instinct import answers as answers
from agents.brains.instinct.answers import Phrasing
from agents.brains.instinct.evidence import SURE, Evidence, statements
from agents.brains.instinct.sights import Answer
from agents.brains.instinct.statements import feels
from agents.memory.entries import Entry
from agents.memory.perception import remembered
from agents.text.addressing import calls, mentions
from mud.world.narration import listed
from mud.world.sentences import sentences

_I_AM = re.compile(
    r"\b(?:i am|i['’]m|i was|i have been) (?:\w+ )?(?:an?|the|from|born|called)\b|"
    r"\bi (?:\w+ )?(?:work|live|come from|was born|grew up|earn)\b|"
    r"\bi have (?:\w+ ){0,3}(?:child|children|sons?|daughters?|brothers?|sisters?|wife|husband)\b|"
    r"\bmy (?:name|trade|work|job|craft|home|profession|shop|bakery|farm) (?:is|lies|stands)\b",
    re.I,
)
_IS = r"(?:, | is | was |['’]s )(?:an?|the|my|your|our|his|her|their|from|born|called)\b"
WHO_WORDS = "who work trade live home born come brother sister friend"
"""Words by which what tells of a person is looked up again."""
MOST_NAMED = 6
"""How many people are named who are known."""


def is_met(person: str, known: Iterable[str], entries: Iterable[Entry]) -> bool:
    """Return whether an agent knows somebody from their own doing, not only by name.

    Args:
        person: their name.
        known: names of everybody met since the world began to run.
        entries: what is remembered of them.
    """
    return person in known or any(entry.actor == person for entry in entries)


def acquainted(known: Sequence[str], asker: str) -> Answer:
    """Say whom an agent knows, besides who asks.

    Args:
        known: names of everybody it has met.
        asker: name of who asks.
    """
    others = [name for name in known if name != asker][-MOST_NAMED:]
    key = "answer.acquainted" if others else "answer.met_nobody"
    return Answer((key, "answer.again"), {"name": asker, "person": listed(others)}, "was asked whom it knows")


def who_is(person: str, name: str, asker: str, entries: Sequence[Entry], people: Sequence[str]) -> list[Evidence]:
    """Return what tells who somebody is, the best first: what was told of them, then how they looked.

    Args:
        person: whom it is about.
        name: the agent's own name.
        asker: name of who asks.
        entries: what is remembered of them.
        people: names of everybody known.
    """
    is_they = re.compile(rf"(?<!\w){re.escape(person)}{_IS}", re.I)
    found: list[tuple[int, Evidence]] = []
    for entry in sorted(entries, key=lambda one: one.seq, reverse=True):
        if entry.failed or (is_secret(entry) and entry.actor != asker):
            continue
        rank = 0 if entry.actor == person else 1
        wanted: re.Pattern[str] | None = _I_AM if entry.actor == person else is_they
        if entry.kind == "result" and entry.text.startswith(f"{person}: "):
            rank, wanted = 2, None
        elif entry.kind not in ("heard", "told") or (entry.actor != person and not mentions(entry.text, person)):
            continue
        for words in statements(entry, name, (asker, *people)):
            if wanted is None or (wanted.search(words) and not feels(words)):
                kind = "told" if is_secret(entry) else entry.kind
                one = Evidence(words, SURE, kind, entry.actor, entry.place, entry.at, entry.seq, title=person)
                found.append((rank, one))
    return [one for _, one in sorted(found, key=lambda pair: pair[0])]


def met(person: str, asker: str, entries: Sequence[Entry], now: str, phrase_time: Phrasing) -> Answer | None:
    """Say when and where somebody was met first, as far as that is remembered; None when they never were.

    Args:
        person: whom it is about.
        asker: name of who asks.
        entries: what is remembered of them.
        now: the present time, ISO-8601.
        phrase_time: words a point in time.
    """
    theirs = [entry for entry in entries if entry.actor == person and entry.place]
    if not theirs:
        return None
    first = min(theirs, key=lambda entry: entry.seq)
    places = {"name": asker, "person": person, "place": first.place or ""}
    places["when"] = answers.spoken_time(first.at, now, phrase_time)
    why = f"has met them, {first.seq}"
    return Answer(("answer.met", "answer.again"), places, why, known=False, cites=(str(first.seq),))


def said_to(person: str, towards: str, entries: Sequence[Entry]) -> list[tuple[Entry, str]]:
    """Return what somebody said in the open to another, the newest first: each memory with a sentence of it.

    Args:
        person: who said it; empty for anybody but who is spoken to.
        towards: to whom.
        entries: what is remembered.
    """
    found: list[tuple[Entry, str]] = []
    for entry in sorted(entries, key=lambda one: one.seq, reverse=True):
        said = remembered(entry) if entry.kind == "heard" and not is_secret(entry) else None
        if said is None or entry.actor == towards or (person and entry.actor != person):
            continue
        if calls(said.words, towards):
            found.extend((entry, part) for part in sentences(said.words))
        else:
            found.extend((entry, part) for part in sentences(said.words) if mentions(part, towards))
    return found
