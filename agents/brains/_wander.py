"""Where an agent has been, which way it takes next, what it has yet to look at, and what is worth a note.

Derived from what it noticed itself; a restart finds it again in the tail of its memory and in its notes.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from agents.brains._brain import Situation
from agents.brains._voice import clean
from agents.memory.entries import Entry
from agents.perception import mentions, sentences

LONGEST_NOTE = 280
"""How many characters of what was seen go into a note."""

STARE = 0.35
"""Chance to look closely at people where every thing was looked at."""

_SHOWN = ("result", "did", "saw")


@dataclass(frozen=True, slots=True)
class Noteworthy:
    """Something worth a note.

    Args:
        title: title of the note.
        key: the text that words it.
        words: what was seen or heard.
        place: where.
        person: who told it; empty when nobody did.
    """

    title: str
    key: str
    words: str
    place: str
    person: str = ""


_GONE_TO = re.compile(r"\bto (?P<place>[^,;:]+?)\W*$")


def gone_to(text: str) -> str:
    """Return the place somebody was seen to leave for; empty when none is named."""
    found = _GONE_TO.search(text)
    return clean(found["place"]) if found else ""


class Explorer:
    """One agent's knowledge of the ways and things around it.

    Args:
        rng: its chance.
    """

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._count = 0
        self._visited: dict[str, int] = {}
        self._leads: dict[tuple[str, str], str] = {}
        self._taken: set[tuple[str, str]] = set()
        self._shut: set[tuple[str, str]] = set()
        self._walks: list[tuple[str, str, str]] = []
        self._looked: set[str] = set()
        self._shown: tuple[str, ...] = ()
        self._titled: set[str] = set()
        self._due: deque[Noteworthy] = deque(maxlen=8)
        self._place = ""
        self._came_from = ""
        self._way: tuple[str, str] | None = None
        self._looking = ""

    @property
    def visited(self) -> tuple[str, ...]:
        """Names of the locations seen, the latest last."""
        return tuple(sorted(self._visited, key=self._visited.__getitem__))

    def begin(self, recent: Sequence[Entry]) -> None:
        """Learn from the tail of memory which locations were seen, by which ways, and what was looked at."""
        place = ""
        for entry in recent:
            if entry.place and entry.place != place:
                self._visit(entry.place)
                place = entry.place
        moved = [entry for entry in recent if entry.kind == "moved" and entry.actor is None and not entry.failed]
        for entry in moved:
            before = next((e.place for e in reversed(recent) if e.seq < entry.seq and e.place), None)
            # A walk's own memory may stand in either of its two locations.
            after = entry.place if entry.place != before else None
            after = after or next((e.place for e in recent if e.seq > entry.seq and e.place), None)
            if before and after and before != after:
                self._walks.append((before, after, entry.text))
        self._shown = tuple(entry.text for entry in recent if entry.kind in _SHOWN and entry.actor is None)

    def settle(self, situation: Situation) -> bool:
        """Take in where the agent is; return whether it has just come there."""
        here = situation.location
        if here == self._place:
            return False
        if self._way and self._way[0] == self._place:
            self._leads[self._way] = here
        self._way = None
        self._came_from, self._place = self._place, here
        if here not in self._visited and situation.description:
            about = " ".join(sentences(situation.description)[:2])
            self._note(Noteworthy(here, "note.place", about, here))
        self._visit(here)
        for before, after, text in self._walks:
            for way in situation.exits:
                if before == here and mentions(text, way):
                    self._leads.setdefault((here, way), after)
        return True

    def outcome(self, text: str, failed: bool, location: str) -> None:
        """Take in what came of the agent's own last line."""
        if self._way and failed:
            self._shut.add(self._way)
            self._way = None
        elif self._looking and not failed and text:
            self._note(Noteworthy(self._looking, "note.thing", text, location))
        self._looking = ""

    def way_out(self, situation: Situation) -> str | None:
        """Choose an exit: one not taken yet, or one to where it has not been for longest; None when there is none."""
        here = situation.location
        ways = [way for way in situation.exits if (here, way) not in self._shut]
        if not ways:
            return None
        fresh = [way for way in ways if self._is_fresh(here, way)]
        onward = [way for way in ways if self._leads.get((here, way)) != self._came_from] or ways
        choice = self._rng.choice(fresh) if fresh else self._longest_ago(here, onward)
        self._taken.add((here, choice))
        self._way = (here, choice)
        return choice

    def _is_fresh(self, here: str, way: str) -> bool:
        lead = self._leads.get((here, way))
        return lead not in self._visited if lead else (here, way) not in self._taken

    def _longest_ago(self, here: str, ways: list[str]) -> str:
        """Choose mostly the exit whose far end was seen longest ago, so that nobody walks in a small circle."""
        if self._rng.random() < 0.3:
            return self._rng.choice(ways)
        return min(ways, key=lambda way: self._visited.get(self._leads.get((here, way), ""), 0))

    def is_unexplored(self, situation: Situation) -> bool:
        """Return whether an exit from here leads to something new."""
        here = situation.location
        return any(self._is_fresh(here, way) for way in situation.exits if (here, way) not in self._shut)

    def to_examine(self, situation: Situation) -> str | None:
        """Choose something here that was not looked at yet, things before people; None when all was."""
        people = [person.name for person in situation.people] if self._rng.random() < STARE else []
        for names in (situation.items, people):
            left = [name for name in names if not self._has_seen(name, situation.notes)]
            if left:
                choice = self._rng.choice(left)
                self._looked.add(choice.casefold())
                self._looking = choice
                return choice
        return None

    def leads(self, here: str, way: str) -> str:
        """Return where an exit leads, if it went there; else empty."""
        return self._leads.get((here, way), "")

    def way_to(self, situation: Situation, place: str) -> str:
        """Return the exit from here that leads straight to a location, as far as it went it; empty when none does."""
        here = situation.location
        return next((way for way in situation.exits if self._leads.get((here, way)) == place), "")

    def looks_at(self, name: str) -> None:
        """Take note that it looks at a thing now because somebody asked."""
        self._looked.add(name.casefold())
        self._looking = name

    def _has_seen(self, name: str, notes: tuple[str, ...]) -> bool:
        folded = name.casefold()
        return (
            folded in self._looked
            or folded in (title.casefold() for title in notes)
            or any(mentions(text, name) for text in self._shown)
        )

    def told(self, person: str, words: str, place: str) -> None:
        """Keep something told in mind for a note."""
        self._due.append(Noteworthy(person, "note.told", words[:LONGEST_NOTE], place, person))

    def noteworthy(self, notes: tuple[str, ...]) -> Noteworthy | None:
        """Return, once, the next thing worth a note; what has a note of its own needs no second one."""
        titles = {title.casefold() for title in notes}
        while self._due:
            one = self._due.popleft()
            if one.person or one.title.casefold() not in titles:
                return one
        return None

    def _note(self, one: Noteworthy) -> None:
        """Queue a note, once for each title."""
        title = clean(one.title.replace("->", " "))
        words = clean(one.words)[:LONGEST_NOTE]
        if title and words and title.casefold() not in self._titled:
            self._titled.add(title.casefold())
            self._due.append(Noteworthy(title, one.key, words, one.place))

    def _visit(self, place: str) -> None:
        self._count += 1
        self._visited[place] = self._count
