"""What is told to somebody who comes back: who talked, who came by and what changed, in the places that they know.

It is told from what others perceived there in the open; no words are repeated, as who was away did not hear them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from agents.mind.actor import left_by
from mud.engine.engine import Step
from mud.engine.ledger import Ledger
from mud.storage.texts import TextStore
from mud.world.events import DISTANT, Perception
from mud.world.narration import listed, phrase
from mud.world.world import World

HEAD = phrase("app.away.head", "told")
BOTH = phrase("app.away.both", "place", "talkers", "others")
TALKED = phrase("app.away.talked", "place", "talkers")
CAME = phrase("app.away.came", "place", "others")
ITSELF = phrase("app.away.itself", "place", "text")
OTHERS = phrase("app.away.others")

MOST_KEPT = 2000  # things seen that are remembered
TAIL = 256 * 1024  # bytes of the ledger that are read for those who left before the world was started
LINES = 3
NAMES = 4  # people named in a line; more are others


class PublicAct(NamedTuple):
    """Somebody did or said something that others at a place perceived.

    Without a name a rule did, since the world was started: then `text` is what they perceived.
    """

    at: str
    place: str
    name: str
    spoke: bool
    text: str = ""


class AwayNews:
    """Notes who is seen where, and tells it to those who come back."""

    def __init__(self, world: World, ledger: Ledger, texts: TextStore) -> None:
        self._world, self._ledger, self._texts = world, ledger, texts
        self._seen: deque[PublicAct] = deque(maxlen=MOST_KEPT)
        self._complete = False
        self._spans: dict[str, tuple[str, str]] = {}

    def observe(self, step: Step) -> None:
        self._note(step.at, step.left)

    def _note(self, at: str, left: Iterable[Perception]) -> None:
        found, last = set(), None
        for one in left:
            if one.event is not None and one.event is last:
                continue  # fifty witnesses of one happening follow each other
            last = one.event
            if one.event is not None and one.event.kind == "change":
                if one.place and one.event.thing:  # else it was the weather, which is seen anyway
                    found.add(PublicAct(at, one.place, "", spoke=False, text=one.text))
            elif one.kind in ("heard", "saw") and one.place and one.actor and one.mark != DISTANT:
                found.add(PublicAct(at, one.place, one.actor, one.kind == "heard"))
        self._seen.extend(sorted(found))

    def came_back(self, who: str, since: str, now: str) -> list[str]:
        """Remember from when until when somebody was away, and return the same lines as `lines`."""
        self._spans[who] = since, now
        return self.lines(who)

    def lines(self, who: str) -> list[str]:
        """Return what happened while somebody was away the last time, in at most three lines; none if nothing did."""
        person, (since, until) = self._world.get(who), self._spans.get(who, ("", ""))
        if person is None or not since:
            return []
        self._complete_from_ledger(since)
        ids = self._world.visited(who)
        known = {place.name for one in ids if (place := self._world.location(one)) is not None}
        places: dict[str, list[PublicAct]] = {}
        for one in self._seen:
            if since < one.at <= until and one.place in known and one.name != person.name:
                places.setdefault(one.place, []).append(one)
        here = self._world.location_of(who)
        first = here.name if here is not None else ""
        order = sorted(places, key=lambda name: (name != first, -len(places[name])))
        told = [self._line(name, places[name]) for name in order[:LINES]]
        return [self._texts.render(HEAD, told=told[0]), *told[1:]] if told else []

    def _complete_from_ledger(self, since: str) -> None:
        """Add the newest of what happened before the world was started, when somebody left before that."""
        if self._complete or (self._seen and self._seen[0].at < since):
            return
        self._complete = True
        known = {one.at for one in self._seen}
        later, self._seen = self._seen, deque(maxlen=MOST_KEPT)
        for record in self._ledger.newest(TAIL):
            if isinstance(at := record.get("at"), str) and at not in known:
                self._note(at, left_by(record))
        self._seen.extend(later)

    def _line(self, place: str, seen: Sequence[PublicAct]) -> str:
        talkers = dict.fromkeys(one.name for one in seen if one.spoke)
        others = dict.fromkeys(one.name for one in seen if one.name and one.name not in talkers)
        say, named = self._texts.render, self._named
        if talkers and others:
            return say(BOTH, place=place, talkers=named(talkers), others=named(others))
        if talkers:
            return say(TALKED, place=place, talkers=named(talkers))
        if others:
            return say(CAME, place=place, others=named(others))
        return say(ITSELF, place=place, text=seen[-1].text)

    def _named(self, names: Iterable[str]) -> str:
        all = list(names)
        return listed([*all[:NAMES], self._texts.render(OTHERS)] if len(all) > NAMES else all)
