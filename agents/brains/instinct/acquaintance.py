"""Answers who asks what the agent knows of them: what they told of themselves, in their own words."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence

from agents.brains import Recall, Situation
from agents.brains._words import is_secret, telling
from agents.brains.instinct import answers as answers
from agents.brains.instinct import persons as persons
from agents.brains.instinct.answers import Phrasing
from agents.brains.instinct.evidence import SURE, Evidence, statements
from agents.brains.instinct.self import Self
from agents.brains.instinct.sights import Answer
from agents.brains.instinct.statements import KIN_WORDS, feels
from agents.memory.entries import Entry, Hit

HITS = 24
"""How many memories are looked through."""
JUST_NOW = 20.0
"""How many seconds back a meeting has to be for somebody to be known by it when they ask."""
TOLD = 3
"""How many things are told at most of who asks for all that is known of them."""
LONGEST = 120
"""How many characters one of several things has at most."""

_KIN = "|".join(KIN_WORDS.split())
_LASTING = re.compile(
    rf"\bmy (?:\w+ )?(?:{_KIN})\b|\bi (?:\w+ )?(?:like|love|hate|fear|keep|play|collect|study|teach|sing|paint|write|"
    r"come|grew|own|believe|dream)\b|\bi have (?:an?|no|two|three|many|never|always)\b",
    re.I,
)
"""What is told of somebody's life, not of their day."""
_OWN = re.compile(r"\b(?:i|my|mine|i['’](?:m|ve|ll|d))\b", re.I)


def of_asker(
    me: Self, asker: str, situation: Situation, phrase_time: Phrasing
) -> Generator[Recall, tuple[Hit, ...], Answer]:
    """Tell who asks the best of what is known of them.

    Args:
        me: the agent's own.
        asker: name of who asks.
        situation: the situation.
        phrase_time: words a point in time.
    """
    hits = yield Recall(f"{asker} I my {persons.WHO_WORDS}", HITS)
    entries = answers.entries_of(hits, situation.recent)
    facts = [one for _, one in _facts(me, asker, entries) if len(one.words) <= LONGEST][:TOLD]
    if len(facts) < 2:
        now = situation.recent[-1].at if situation.recent else ""
        return recognise(me, asker, entries, now, phrase_time, every=True)
    words = [answers.inserted(one.words) for one in facts]
    places = {"name": asker, "words": words[0], "others": words[1], "more": words[2] if len(words) > 2 else ""}
    keys = ("self.know_three", "self.know_two") if len(words) > 2 else ("self.know_two",)
    cites = tuple(one.cited for one in facts)
    return Answer((*keys, "answer.again"), places, "tells what it knows of them", cites=cites)


def recognise(
    me: Self, asker: str, entries: Sequence[Entry], now: str, phrase_time: Phrasing, *, every: bool = False
) -> Answer:
    """Say whether somebody is known, and something that they told of their life.

    Args:
        me: the agent's own.
        asker: name of who asks.
        entries: what is remembered of them.
        now: the present time, ISO-8601.
        phrase_time: words a point in time.
        every: what they told of their day will do as well.
    """
    facts = [(rank, one) for rank, one in _facts(me, asker, entries) if every or rank < 2]
    facts.sort(key=lambda pair: me.speaker.said_lately(answers.inserted(pair[1].words)))
    places = {"name": asker}
    if facts:
        one = facts[0][1]
        places["words"] = answers.inserted(one.words)
        places["when"] = answers.spoken_time(one.at, now, phrase_time)
        places["place"] = one.place or phrase_time("word.somewhere", "")
        return Answer(("self.know_words", "self.know"), places, f"remembers heard {one.seq}", cites=(one.cited,))
    if answers.old_words(asker, me.name, entries, now, JUST_NOW)[0]:
        return Answer(("self.know",), places, "remembers them")
    return Answer(("self.stranger",), places, "does not remember them", known=False)


def _facts(me: Self, asker: str, entries: Sequence[Entry]) -> list[tuple[int, Evidence]]:
    """Return what somebody told of themselves in the open, best first: who they are, their life, then their day."""
    found = {one.words: (0, one) for one in persons.who_is(asker, me.name, asker, entries, ()) if one.kind == "heard"}
    for entry in sorted(entries, key=lambda one: (one.importance, one.seq), reverse=True):
        if entry.kind != "heard" or entry.actor != asker or is_secret(entry):
            continue
        for words in statements(entry, me.name):
            if not _OWN.search(words) or feels(words) or len(telling(words)) < 2:
                continue
            rank = 1 if _LASTING.search(words) else 2
            one = Evidence(words, SURE, entry.kind, entry.actor, entry.place, entry.at, entry.seq)
            found.setdefault(words, (rank, one))
    return sorted(found.values(), key=lambda pair: pair[0])
