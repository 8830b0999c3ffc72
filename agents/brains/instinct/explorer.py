"""What an agent knows of the world around it: ways, places, things, who was seen where, and what is worth a note.

All of it was perceived; a new start finds it again in the tail of memory and in the notes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import NamedTuple

from agents.brains import Situation
from agents.brains.instinct.voice import clean
from agents.brains.instinct.ways import path_to
from agents.memory.entries import Entry
from agents.text.addressing import mentions
from mud.world.events import CHANGED
from mud.world.sentences import sentences

SHORTEST, LONGEST = 25, 240
"""How many characters of what was seen are kept, at least and at most."""
_ARTICLES = ("the", "a", "an", "my", "your", "some")


class Sighting(NamedTuple):
    """Where and when somebody was seen last, by the monotonic clock."""

    place: str
    seconds: float


class Noteworthy(NamedTuple):
    """Something worth a note, or to wonder at: its title, the text that words it, and what the places hold."""

    title: str
    key: str
    places: Mapping[str, str]


def with_article(name: str) -> str:
    """Return the name of a thing as one speaks of it: "the sundial", but "Old Tom" and "a wax tablet" as they stand."""
    first = name.partition(" ")[0]
    return name if first in _ARTICLES or not first.islower() else f"the {name}"


def named_in(text: str, names: Iterable[str]) -> str:
    """Return the first of some names that a text says; "" for none."""
    low = text.lower()
    return next((name for name in names if name.lower() in low and mentions(text, name)), "")


class Explorer:
    """One agent's knowledge of what is around it.

    Args:
        rng: its chance.
        ways: where each way out of a place led, by place and exit; kept up to date.
    """

    def __init__(self, rng: Random, ways: dict[str, dict[str, str]]) -> None:
        self._rng, self._ways = rng, ways
        self._here = ""
        self.looks: dict[str, str] = {}
        """What things and places look like, a sentence of each, by their names as written."""
        self.homes: dict[str, str] = {}
        """Where a thing was seen last."""
        self.seen: dict[str, Sighting] = {}
        """Where and when somebody was seen last."""
        self.change: Noteworthy | None = None
        """What is not as it was when a place was seen last."""
        self.visited: dict[str, tuple[str, ...]] = {}
        """The exits of the places that it was in, the latest last; none of one only remembered."""
        self._sights: dict[str, tuple[str, tuple[str, ...]]] = {}
        self._known: set[str] = set()
        """Names, in lower case, of what was looked at or has a note."""
        self._way: tuple[str, str] | None = None
        """From where it takes which exit; of a walk of several steps the first one."""
        self._far = False
        """Whether that walk has several steps."""
        self._walk = ("", "")
        """The exit that begins the last walk of several steps that was thought of, and where that ends."""
        self._looking = ""
        self._walks: list[tuple[str, str, str]] = []
        """Walks before a new start: from where, to where, and how they are remembered."""
        self._due: deque[Noteworthy] = deque(maxlen=8)

    def begin(self, recent: Sequence[Entry], notes: Iterable[str]) -> None:
        """Learn from the tail of memory and the notes what was seen before a new start."""
        self._known.update(title.casefold() for title in notes)
        place = ""
        for entry in recent:
            own = entry.actor is None and not entry.failed and entry.mark != CHANGED
            if own and entry.kind == "moved" and entry.place:
                self._walks.append((place, entry.place, entry.text))
            if place := entry.place or place:
                self.visited[place] = self.visited.pop(place, ())
            title, mark, look = entry.text.partition(": ")
            if own and entry.kind in ("result", "did", "saw") and mark and len(title) <= 40:
                self._known.add(title.casefold())
                self.looks[title] = look.split("\n")[0][:LONGEST]

    def settle(self, situation: Situation) -> bool:
        """Take in where the agent is; return whether it has just come there."""
        here, before = situation.location, self._here
        sight = (situation.description, situation.items)
        if self._sights.get(here) != sight:
            self._compare(here, sight, here != before)
        if here == before:
            return False
        if self._way and self._way[0] == before and not self._far:
            self._ways.setdefault(before, {})[self._way[1]] = here
        self._way, self._here = None, here
        for start, end, text in self._walks:
            for way in situation.exits if start == here else ():
                if mentions(text, way):
                    self._ways.setdefault(here, {}).setdefault(way, end)
        if here not in self.visited and situation.description:
            said = sentences(situation.description)
            self.looks[here] = clean(said[0])[:LONGEST]
            self.keep(here, "note.place", " ".join(said[:2]), here)
        self.visited.pop(here, None)
        self.visited[here] = situation.exits
        return True

    def _compare(self, here: str, sight: tuple[str, tuple[str, ...]], new: bool) -> None:
        before, self._sights[here] = self._sights.get(here), sight
        self.homes.update(dict.fromkeys(sight[1], here))
        if before is None:
            return
        fresh = [one for one in sentences(sight[0]) if one not in before[0]]
        come, gone = (sorted({*one[1]} - {*other[1]}) for one, other in ((sight, before), (before, sight)))
        if fresh:
            self.change = Noteworthy(here, "changed", {"words": clean(fresh[0])[:LONGEST]})
        elif new and (come or gone):  # what changes before its eyes it saw happen
            self.change = Noteworthy(here, "new" if come else "gone", {"thing": with_article((come or gone)[0])})

    def outcome(self, text: str, failed: bool) -> None:
        """Take in what came of the agent's own last line."""
        if self._way and failed:
            self._ways.setdefault(self._way[0], {})[self._way[1]] = self._way[0]  # it leads nowhere
            self._way = None
        elif self._looking and text and not failed:
            told = sentences(text.partition(": ")[2].split("\n")[0] or text)
            look = [one for one in told if len(one) > SHORTEST] or told
            self.looks[self._looking] = clean(self._rng.choice(look[:3]))[:LONGEST] if look else ""
            self.keep(self._looking, "note.thing", text.split("\n")[0], self._here)
        self._looking = ""

    # ---- ways ----

    def goes(self, way: str, *, far: bool = False) -> None:
        """Take note that it takes an exit now, and with `far` others after it."""
        self._way, self._far = (self._here, way), far

    def walk_by(self, way: str) -> str:
        """Return where a walk of several steps that was thought of, and begins with an exit, ends; "" for none."""
        return self._walk[1] if way == self._walk[0] else ""

    def way_to(self, places: Iterable[str]) -> str:
        """Return the exit from here that begins the shortest known way to one of some places; "" for none."""
        paths = [(path, place) for place in places if (path := path_to(place, self._here, self._ways))]
        path, place = min(paths, key=lambda one: len(one[0]), default=([""], ""))
        self._walk = (path[0], place) if len(path) > 1 else ("", "")
        return path[0]

    def _fresh(self, place: str) -> list[str]:
        """Return the exits of a place that were never taken."""
        known = self._ways.get(place, {})
        return [way for way in self.visited[place] if way not in known]

    def towards_new(self) -> str:
        """Return the exit that leads to the nearest way never taken; "" when all were."""
        here = self._fresh(self._here)
        return self._rng.choice(here) if here else self.way_to([one for one in self.visited if self._fresh(one)])

    def any_way(self) -> str:
        """Return the exit to where it was longest ago; "" when there is none."""
        known, order = self._ways.get(self._here, {}), [*self.visited]
        return min(known, key=lambda way: order.index(known[way]) if known[way] in order else -1, default="")

    # ---- things and notes ----

    def to_examine(self, situation: Situation, curious: float) -> str:
        """Choose something here that was not looked at yet, things before people; "" when all was.

        Args:
            situation: the situation.
            curious: chance to look at somebody.
        """
        names = [name for name in situation.items if name.casefold() not in self._known]
        if not names and self._rng.random() < curious:
            names = [one.name for one in situation.people if one.name.casefold() not in self._known]
        return self.looks_at(self._rng.choice(names)) if names else ""

    def looks_at(self, name: str) -> str:
        """Take note that it looks at a thing now, and return it."""
        self._known.add(name.casefold())
        self._looking = name
        return name

    def keep(self, title: str, key: str, words: str, place: str, person: str = "") -> None:
        """Keep something in mind for a note."""
        title, words = clean(title.replace("->", " ")), clean(words)[:LONGEST]
        if title and words:
            self._due.append(Noteworthy(title, key, {"words": words, "place": place, "person": person}))

    def noteworthy(self, notes: Iterable[str]) -> Noteworthy | None:
        """Return, once, the next thing worth a note; but for what people tell, a note of the same title is enough."""
        titles = {title.casefold() for title in notes} if self._due else set()
        while self._due:
            one = self._due.popleft()
            if one.places["person"] or one.title.casefold() not in titles:
                return one
        return None
