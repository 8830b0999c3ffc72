"""The world: all things and where they are. Only `apply` changes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, KeysView, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from mud.world.changes import (
    Alter,
    Arrive,
    Change,
    Copy,
    Define,
    Depart,
    FallAsleep,
    Leave,
    Put,
    Remove,
    SetState,
    Settle,
    StartTimer,
    StopTimer,
    TurnTo,
    Vanish,
    WakeUp,
)
from mud.world.channels import Channels, JoinChannel, LeaveChannel, Post
from mud.world.elsewhere import Journey
from mud.world.live_state import LiveState
from mud.world.matching import plain
from mud.world.things import Kind, Thing

FIRST_ID = 1000
COUNTED_IDS = 10**9
"""New ids are counted on from the highest id below this."""
_MOST_DIGITS = 15


class World:
    """Things by id, and what holds them.

    A thing is in a location, held by a character, or nowhere. A character that left keeps the location for its return,
    and is not asleep.
    """

    def __init__(self) -> None:
        self._visited: dict[str, dict[str, None]] = {}
        self._things: dict[str, Thing] = {}
        self._where: dict[str, str] = {}
        self._inside: dict[str, dict[str, None]] = {}
        self._away: dict[str, str] = {}
        self._asleep: dict[str, bool] = {}
        self._next = FIRST_ID
        self._named: dict[str, dict[str, None]] = {}
        """Ids of the things with each plain name or alias."""
        self._locations: list[Thing] | None = []
        """All locations by name; None until somebody asks again."""
        self._entrances: dict[str, list[str]] = {}
        """By location, the others with an exit to it; empty when that has to be found again."""
        self.channels = Channels()
        self._filed: dict[str, Thing] = {}
        """Each altered thing as its file has it."""
        self.live = LiveState()

    @property
    def things(self) -> Mapping[str, Thing]:
        return MappingProxyType(self._things)

    @property
    def where(self) -> Mapping[str, str]:
        """Id of the holder of each thing that has one."""
        return MappingProxyType(self._where)

    def holder(self, thing: str) -> str:
        """Return the id of what a thing is in; empty when it is nowhere."""
        return self._where.get(thing, "")

    def is_location(self, thing: str) -> bool:
        found = self._things.get(thing)
        return found is not None and found.kind is Kind.LOCATION

    @property
    def away(self) -> Mapping[str, str]:
        """Id of the location that each absent character left from."""
        return MappingProxyType(self._away)

    @property
    def elsewhere(self) -> Mapping[str, Journey]:
        """The journey of each character that went to another world, by its id."""
        return MappingProxyType(self.live.journeys)

    @property
    def asleep(self) -> KeysView[str]:
        """Ids of sleeping characters, in the order of falling asleep."""
        return self._asleep.keys()

    @property
    def absent(self) -> list[str]:
        """Ids of the sleepers whose persons left; they are woken by nobody else."""
        return [one for one, absent in self._asleep.items() if absent]

    def visited(self, who: str) -> KeysView[str]:
        """Return the ids of the locations where a person has been, in the order of the first visits."""
        return self._visited.get(who, {}).keys()

    @contextmanager
    def as_if_awake(self, who: str) -> Iterator[None]:
        """Treat a character as awake within the block: actions wake the actor, who then acts awake."""
        asleep = self._asleep
        self._asleep = {one: absent for one, absent in asleep.items() if one != who}
        try:
            yield
        finally:
            self._asleep = asleep

    @property
    def next_id(self) -> int:
        """Number of the next new thing; higher than any ever used."""
        return self._next

    def reserve(self, number: int) -> None:
        """Raise `next_id` to at least `number`."""
        self._next = max(self._next, number)

    def new_id(self) -> str:
        """Return the id of the next new thing; it is used up when the thing is defined."""
        while f"#{self._next}" in self._things:
            self._next += 1
        return f"#{self._next}"

    def apply(self, changes: Iterable[Change]) -> None:
        """Apply changes in order; those that name unknown things are ignored."""
        for change in changes:
            if isinstance(change, Define):
                self._define(change.thing)
            elif isinstance(change, StopTimer):
                self.live.timers.pop(change.timer, None)
            elif isinstance(change, JoinChannel | LeaveChannel | Post):
                self.channels.apply(change)
            elif isinstance(change, TurnTo):
                self.live.now[change.what] = change.value
            elif change.thing in self._things or isinstance(change, Copy):
                self._APPLIED[type(change)](self, change)

    def _put(self, change: Put) -> None:
        thing, into = change.thing, change.into
        if into in self._things and thing not in self.live.journeys:
            self._lift(thing)
            self._away.pop(thing, None)
            self.live.gone.pop(thing, None)
            self._where[thing] = into
            self._inside.setdefault(into, {})[thing] = None
            self.remember_visit(thing, into)

    def _leave(self, change: Leave) -> None:
        holder = self._lift(change.thing)
        if holder is not None:
            self._away[change.thing] = holder
        self._asleep.pop(change.thing, None)

    def _depart(self, change: Depart) -> None:
        self._leave(Leave(change.thing))
        self.live.journeys[change.thing] = Journey(change.to, change.ticket, home=change.home)

    def _settle(self, change: Settle) -> None:
        journey = self.live.journeys.get(change.thing)
        if journey is not None:
            self.live.journeys[change.thing] = journey._replace(settled=True)

    def _arrive(self, change: Arrive) -> None:
        self.live.journeys.pop(change.thing, None)
        if change.ticket:
            self.live.arrivals[change.thing] = change.ticket

    def _fall_asleep(self, change: FallAsleep) -> None:
        if self._is_character(change.thing):
            self._asleep[change.thing] = change.absent

    def _wake(self, change: WakeUp) -> None:
        self._asleep.pop(change.thing, None)

    def _alter(self, change: Alter) -> None:
        self.live.alter(change)
        self._define(self.as_filed(change.thing))

    def _vanish(self, change: Vanish) -> None:
        self.live.gone[change.thing] = None
        self._empty(change.thing, self._lift(change.thing))

    _APPLIED: Mapping[type, Callable[[World, Any], None]] = MappingProxyType(
        {
            Put: _put,
            Leave: _leave,
            FallAsleep: _fall_asleep,
            WakeUp: _wake,
            Remove: lambda self, change: self._remove(change.thing),
            SetState: lambda self, change: self.live.set_state(change.thing, change.state, on=change.on),
            Alter: _alter,
            Copy: lambda self, change: self._copy(change.thing, change.of),
            Vanish: _vanish,
            StartTimer: lambda self, change: self.live.timers.update({change.timer: change}),
            Depart: _depart,
            Settle: _settle,
            Arrive: _arrive,
        }
    )

    def as_filed(self, thing: str) -> Thing:
        """Return a thing as its file has it, without what rules altered."""
        return self._filed.get(thing, self._things[thing])

    def _define(self, thing: Thing) -> None:
        before = self._things.get(thing.id)
        now = self.live.define(thing, before)
        self._file_names(before, now)
        self._things[thing.id] = now
        if now is thing:
            self._filed.pop(thing.id, None)
        else:
            self._filed[thing.id] = thing
        self._next = max(self._next, number_of(thing.id) + 1)
        for copy in [one for one, of in self.live.made.items() if of == thing.id] if self.live.made else ():
            self._define(replace(thing, id=copy))

    def _file_names(self, before: Thing | None, now: Thing | None) -> None:
        """Keep what is looked up by name, when a thing changes, begins or ends."""
        if before is not None:
            for name in map(plain, before.names):
                self._named.get(name, {}).pop(before.id, None)
        if now is not None:
            for name in map(plain, now.names):
                self._named.setdefault(name, {})[now.id] = None
        if Kind.LOCATION in (before and before.kind, now and now.kind):
            self._locations, self._entrances = None, {}

    def _copy(self, thing: str, of: str) -> None:
        original = self.live.made.get(of, of)
        if original in self._things and thing not in self._things:
            self.live.made[thing] = original
            self._define(replace(self.as_filed(original), id=thing))

    def remember_visit(self, who: str, place: str) -> None:
        """Add a location to those where a person has been; agents and things have no such list."""
        person, location = self._things.get(who), self.location(place)
        if person is not None and person.kind is Kind.CHARACTER and not person.thinks and location is not None:
            self._visited.setdefault(who, {})[place] = None

    def _is_character(self, thing: str) -> bool:
        found = self._things.get(thing)
        return found is not None and found.kind is Kind.CHARACTER

    def set_away(self, thing: str, location: str) -> None:
        """When loading, set where an absent character left from; unknown ids are ignored."""
        if thing in self._things and location in self._things:
            self._lift(thing)
            self._asleep.pop(thing, None)
            self._away[thing] = location

    def _remove(self, thing: str) -> None:
        """Remove a thing; what it held moves to its holder, and characters that left from it lose their place."""
        holder = self._lift(thing)
        self._away.pop(thing, None)
        self._asleep.pop(thing, None)
        self._visited.pop(thing, None)
        self.channels.forget(thing)
        self._empty(thing, holder)
        for absent in [one for one, location in self._away.items() if location == thing]:
            del self._away[absent]
        self._filed.pop(thing, None)
        if (known := self._things.pop(thing, None)) is not None:
            self.live.forget(known)
            self._file_names(known, None)
        for copy in [one for one, of in self.live.made.items() if of == thing]:
            self._remove(copy)

    def _empty(self, thing: str, holder: str | None) -> None:
        """Move what a thing holds to its holder; without one it is nowhere, and gone with what rules took away."""
        taken = thing in self.live.gone or thing in self.live.made
        for held in self._inside.pop(thing, ()):
            del self._where[held]
            if holder is None and taken:
                self.live.gone[held] = None
            if holder is not None:
                self._where[held] = holder
                self._inside.setdefault(holder, {})[held] = None

    def _lift(self, thing: str) -> str | None:
        holder = self._where.pop(thing, None)
        if holder is not None:
            self._inside.get(holder, {}).pop(thing, None)
        return holder

    def get(self, thing: str) -> Thing | None:
        return self._things.get(thing)

    def location(self, thing: str) -> Thing | None:
        """Return the location with this id; None for other things."""
        found = self._things.get(thing)
        return found if found is not None and found.kind is Kind.LOCATION else None

    def called(self, name: str) -> Thing | None:
        """Return the thing with a name or alias, ignoring case and articles.

        Characters that are nowhere are left out: they were forgotten, and their names are free.
        """
        for one in self.named(plain(name)):
            if one.kind is not Kind.CHARACTER or self.location_of(one.id) is not None:
                return one
        return None

    def named(self, name: str) -> list[Thing]:
        """Return the things with a name or alias, which is given in its plain form."""
        return [self._things[one] for one in self._named.get(name, ())]

    def contents(self, holder: str) -> list[Thing]:
        """Return what is directly in a location or held by a character, oldest first."""
        return [self._things[thing] for thing in self._inside.get(holder, ())]

    def inside(self, holder: str) -> KeysView[str]:
        """Return the ids of what is directly in a location or held by a character, oldest first."""
        return self._inside.get(holder, {}).keys()

    def people(self, location: str) -> list[Thing]:
        return self._of_kind(Kind.CHARACTER, location)

    def items(self, holder: str) -> list[Thing]:
        return self._of_kind(Kind.ITEM, holder)

    def _of_kind(self, kind: Kind, holder: str) -> list[Thing]:
        things = self._things
        return [thing for one in self._inside.get(holder, ()) if (thing := things[one]).kind is kind]

    def location_of(self, thing: str) -> Thing | None:
        """Return the location of a thing, through its holders; None when it is nowhere."""
        holder, things = self._where.get(thing), self._things
        if (found := things.get(holder or "")) is None or found.kind is Kind.LOCATION:
            return found
        for holder in self.within(thing):  # not without end, even in a loop of holders from an edited file
            if (found := things.get(holder)) is None or found.kind is Kind.LOCATION:
                return found
        return None

    def within(self, thing: str) -> Iterator[str]:
        """Yield the ids of what holds a thing, from the inside out; the last is a location, if it is in one."""
        holder = self._where.get(thing)
        for _ in range(len(self._things)):
            if holder is None:
                return
            yield holder
            holder = self._where.get(holder)

    def locations(self) -> Sequence[Thing]:
        """Return all locations by name; the list is shared and must not be changed."""
        if self._locations is None:
            found = (one for one in self._things.values() if one.kind is Kind.LOCATION)
            self._locations = sorted(found, key=lambda one: one.name.lower())
        return self._locations

    def entrances(self, location: str) -> list[str]:
        """Return the ids of the other locations with an exit to a location."""
        if not self._entrances:
            ways = [(way.to, place.id) for place in self.locations() for way in place.exits if way.to != place.id]
            for to, place in dict.fromkeys(ways):
                self._entrances.setdefault(to, []).append(place)
        return self._entrances.get(location, [])

    def present(self) -> list[Thing]:
        """Return every character that is somewhere, by name."""
        found = (t for t in self._things.values() if t.kind is Kind.CHARACTER and t.id in self._where)
        return sorted(found, key=lambda t: t.name.lower())


def number_of(thing: str) -> int:
    """Return the number of an id, or 0 if it is too high to count new ids from it: they would soon be invalid."""
    digits = thing.removeprefix("#")
    short = digits.isdecimal() and len(digits) <= _MOST_DIGITS
    return number if short and (number := int(digits)) < COUNTED_IDS else 0
