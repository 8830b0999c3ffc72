"""Where an agent has been, which way it takes next, what it has yet to look at, and what is worth a note.

Derived from what it noticed itself; a restart finds it again in the tail of its memory and in its notes.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from random import Random

from agents.brains import Situation
from agents.brains.instinct.voice import clean
from agents.memory.entries import Entry
from agents.text.addressing import mentions
from mud.world.sentences import sentences

LONGEST_NOTE = 280
"""How many characters of what was seen go into a note."""

STARE = 0.35
"""Chance to look closely at people where every thing was looked at."""

STARE_AT_STRANGERS = 0.7
"""The same for somebody it never met before."""

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


@dataclass(frozen=True, slots=True)
class _Sight:
    """What a location looked like."""

    description: str
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """Something that is not as it was when the agent saw it last.

    Args:
        place: where.
        thing: what has come or gone; empty when the place itself looks otherwise.
        words: what of its look is new; empty when it is a thing.
        gone: the thing is there no longer.
    """

    place: str
    thing: str = ""
    words: str = ""
    gone: bool = False

    @property
    def subject(self) -> str:
        """What it is, in one word or two."""
        return f"{self.thing or self.words} in {self.place}"


_RESTFUL = re.compile(
    r"\b(?:bed|bunk|cot|hammock|pillow|blanket|couch|sofa|settle|armchair|chair|bench|cushion|mattress|hearth|hay|"
    r"straw|fireside)s?\b",
    re.I,
)
"""What one can rest on, in the look of a location or among the names of what lies there."""


class Explorer:
    """One agent's knowledge of the ways and things around it.

    Args:
        rng: its chance.
    """

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._count = 0
        self._visited: dict[str, int] = {}
        self._unfinished: set[str] = set()
        """Locations with an exit it had not taken when it was there last."""
        self._leads: dict[tuple[str, str], str] = {}
        self._taken: set[tuple[str, str]] = set()
        self._shut: set[tuple[str, str]] = set()
        self._walks: list[tuple[str, str, str]] = []
        self._looked: set[str] = set()
        self._shown: tuple[str, ...] = ()
        self._titled: set[str] = set()
        self._due: deque[Noteworthy] = deque(maxlen=8)
        self._place = ""
        self._sights: dict[str, _Sight] = {}
        self._restful: set[str] = set()
        self.change: Change | None = None
        """What is no longer as it was here; None when all is."""
        self.rested = ""
        """Where it slept last; empty when that is not known."""
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
        self._compare(situation)
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
        if any(self._is_fresh(here, way) for way in situation.exits):
            self._unfinished.add(here)
        else:
            self._unfinished.discard(here)
        for before, after, text in self._walks:
            for way in situation.exits:
                if before == here and mentions(text, way):
                    self._leads.setdefault((here, way), after)
        return True

    def _compare(self, situation: Situation) -> None:
        """Take in what the location looks like, and what of it has changed since it was seen last."""
        here, sight = situation.location, _Sight(situation.description, situation.items)
        before = self._sights.get(here)
        if before == sight:
            return
        self._sights[here] = sight
        if _RESTFUL.search(f"{sight.description} {' '.join(situation.items)}"):
            self._restful.add(here)
        if before is None:
            return
        # What changes before its eyes it saw happen; only what it finds changed is news.
        found = (
            self._changed(before, sight, here)
            if here != self._place or before.description != sight.description
            else None
        )
        self.change = found or self.change

    def _changed(self, before: _Sight, sight: _Sight, here: str) -> Change | None:
        if before.description != sight.description:
            known = set(sentences(before.description))
            new = [part for part in sentences(sight.description) if part not in known]
            return Change(here, words=clean(new[0])[:LONGEST_NOTE]) if new else None
        come, gone = (
            sorted(set(sight.items) - set(before.items)),
            sorted(set(before.items) - set(sight.items)),
        )
        if not (come or gone):
            return None
        thing = (come or gone)[0]
        return Change(here, thing=thing, gone=not come)

    def is_bored(self, situation: Situation) -> bool:
        """Return whether nothing here is left to look at and nothing has changed."""
        changed = self.change is not None and self.change.place == situation.location
        return not changed and all(self._has_seen(name, situation.notes) for name in situation.items)

    def route(self, situation: Situation, to: Collection[str]) -> str:
        """Return the exit from here that begins the shortest way to one of some locations, by ways it went itself.

        Args:
            situation: the situation.
            to: names of locations.

        Returns:
            The exit; empty when it is there, or knows no way.
        """
        here = situation.location
        ways: dict[str, list[tuple[str, str]]] = {}
        for (start, way), end in self._leads.items():
            if (start, way) not in self._shut and (start != here or way in situation.exits):
                ways.setdefault(start, []).append((way, end))
        first: dict[str, str] = {here: ""}
        line = deque([here])
        while line:
            at = line.popleft()
            if at in to:
                return first[at]
            for way, end in ways.get(at, ()):
                if end not in first:
                    first[end] = first[at] or way
                    line.append(end)
        return ""

    def towards_new(self, situation: Situation) -> str:
        """Return the exit that leads, by known ways, to the nearest one it never took; empty when there is none."""
        here = situation.location
        fresh = [way for way in situation.exits if (here, way) not in self._shut and self._is_fresh(here, way)]
        return self._rng.choice(fresh) if fresh else self.route(situation, self._unfinished - {here})

    def goes(self, situation: Situation, way: str) -> None:
        """Take note that it takes an exit now."""
        self._taken.add((situation.location, way))
        self._way = (situation.location, way)

    @property
    def resting_places(self) -> frozenset[str]:
        """Where it could lie down: where it slept last, else wherever there is something to rest on."""
        return frozenset((self.rested,)) if self.rested else frozenset(self._restful)

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
        self.goes(situation, choice)
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

    def to_examine(self, situation: Situation, strangers: Collection[str] = ()) -> str | None:
        """Choose something here that was not looked at yet, things before people; None when all was.

        Args:
            situation: the situation.
            strangers: names of those who are new to it; they draw the eye more than the others.
        """
        here = [person.name for person in situation.people]
        new = [name for name in here if name in strangers]
        chance = self._rng.random()
        people = new if new and chance < STARE_AT_STRANGERS else here if chance < STARE else []
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

    def keep(self, title: str, key: str, words: str, place: str) -> None:
        """Keep something in mind for a note, once for each title."""
        self._note(Noteworthy(title, key, words, place))

    def noteworthy(self, notes: tuple[str, ...]) -> Noteworthy | None:
        """Return, once, the next thing worth a note; what has a note of its own needs no second one."""
        titles = {title.casefold() for title in notes} if self._due else set()
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
