"""The world: which things there are and where each of them is. It changes only by `apply`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, KeysView, Mapping
from contextlib import contextmanager
from types import MappingProxyType

from mud.world.changes import Change, Define, FallAsleep, Leave, Put, Remove, WakeUp
from mud.world.matching import plain
from mud.world.things import Kind, Thing

FIRST_ID = 1000
COUNTED_IDS = 10**9
"""New ids are counted on from those below."""
_MOST_DIGITS = 15


class World:
    """Things by id, and what holds what.

    A thing is in a location, in somebody's hands, or nowhere; a character that left is away from a location and comes
    back to it. A character may sleep; who leaves sleeps no more.
    """

    def __init__(self) -> None:
        self._things: dict[str, Thing] = {}
        self._where: dict[str, str] = {}
        self._inside: dict[str, dict[str, None]] = {}
        self._away: dict[str, str] = {}
        self._asleep: dict[str, None] = {}
        self._next = FIRST_ID

    @property
    def things(self) -> Mapping[str, Thing]:
        """Every thing by id."""
        return MappingProxyType(self._things)

    @property
    def where(self) -> Mapping[str, str]:
        """Id of the holder of each thing that is somewhere."""
        return MappingProxyType(self._where)

    @property
    def away(self) -> Mapping[str, str]:
        """Id of the location that each absent character left."""
        return MappingProxyType(self._away)

    @property
    def asleep(self) -> KeysView[str]:
        """Ids of the characters that sleep, whoever fell asleep first before the others."""
        return self._asleep.keys()

    @contextmanager
    def as_if_awake(self, who: str) -> Iterator[None]:
        """Within it a character is awake: whoever does something does it awake, also what begins with waking."""
        asleep = self._asleep
        self._asleep = {one: None for one in asleep if one != who}
        try:
            yield
        finally:
            self._asleep = asleep

    @property
    def next_id(self) -> int:
        """The number of the next new thing; higher than any ever used."""
        return self._next

    def reserve(self, number: int) -> None:
        """Make sure that no new id is below `number`."""
        self._next = max(self._next, number)

    def new_id(self) -> str:
        """Return the id that the next new thing will have. Defining it uses it up."""
        while f"#{self._next}" in self._things:
            self._next += 1
        return f"#{self._next}"

    def apply(self, changes: Iterable[Change]) -> None:
        """Carry out changes in order. One that names a thing the world does not have is passed over."""
        for change in changes:
            match change:
                case Define(thing):
                    self._things[thing.id] = thing
                    self._next = max(self._next, number_of(thing.id) + 1)
                case Put(thing, into):
                    if thing in self._things and into in self._things:
                        self._lift(thing)
                        self._away.pop(thing, None)
                        self._where[thing] = into
                        self._inside.setdefault(into, {})[thing] = None
                case Leave(thing):
                    holder = self._lift(thing)
                    if holder is not None:
                        self._away[thing] = holder
                    self._asleep.pop(thing, None)
                case FallAsleep(thing) if self._is_character(thing):
                    self._asleep[thing] = None
                case WakeUp(thing):
                    self._asleep.pop(thing, None)
                case Remove(thing):
                    self._remove(thing)

    def _is_character(self, thing: str) -> bool:
        found = self._things.get(thing)
        return found is not None and found.kind is Kind.CHARACTER

    def set_away(self, thing: str, location: str) -> None:
        """Record, when loading, where an absent character left from. What the world does not have is passed over."""
        if thing in self._things and location in self._things:
            self._lift(thing)
            self._asleep.pop(thing, None)
            self._away[thing] = location

    def _remove(self, thing: str) -> None:
        """Take a thing out; what it held is where it was then, and who left from it has no place to come back to."""
        holder = self._lift(thing)
        self._away.pop(thing, None)
        self._asleep.pop(thing, None)
        for held in self._inside.pop(thing, ()):
            del self._where[held]
            if holder is not None:
                self._where[held] = holder
                self._inside.setdefault(holder, {})[held] = None
        for absent in [one for one, location in self._away.items() if location == thing]:
            del self._away[absent]
        self._things.pop(thing, None)

    def _lift(self, thing: str) -> str | None:
        holder = self._where.pop(thing, None)
        if holder is not None:
            self._inside.get(holder, {}).pop(thing, None)
        return holder

    def get(self, thing: str) -> Thing | None:
        """Return the thing with this id, or None."""
        return self._things.get(thing)

    def location(self, thing: str) -> Thing | None:
        """Return the location with this id; None when there is no such thing, or it is something else."""
        found = self._things.get(thing)
        return found if found is not None and found.kind is Kind.LOCATION else None

    def called(self, name: str) -> Thing | None:
        """Return the thing that has a name, or an alias, but for case and article; None when there is none.

        A character who is nowhere is not there: one who was forgotten is still known, and leaves their name free.
        """
        wanted = plain(name)
        for one in self._things.values():
            there = one.kind is not Kind.CHARACTER or self.location_of(one.id) is not None
            if there and wanted in map(plain, one.names):
                return one
        return None

    def contents(self, holder: str) -> list[Thing]:
        """Return what is directly in a location or in somebody's hands, longest there first."""
        return [self._things[thing] for thing in self._inside.get(holder, ())]

    def people(self, location: str) -> list[Thing]:
        """Return the characters in a location."""
        return [thing for thing in self.contents(location) if thing.kind is Kind.CHARACTER]

    def items(self, holder: str) -> list[Thing]:
        """Return the items in a location or in somebody's hands."""
        return [thing for thing in self.contents(holder) if thing.kind is Kind.ITEM]

    def location_of(self, thing: str) -> Thing | None:
        """Return the location a thing is in, through whoever carries it; None when it is nowhere."""
        holder = self._where.get(thing)
        for _ in range(len(self._things)):  # a hand-edited loop of holders must not hang the world
            if holder is None:
                return None
            found = self._things.get(holder)
            if found is None or found.kind is Kind.LOCATION:
                return found
            holder = self._where.get(holder)
        return None

    def locations(self) -> list[Thing]:
        """Return every location, by name."""
        return sorted((t for t in self._things.values() if t.kind is Kind.LOCATION), key=lambda t: t.name.lower())

    def present(self) -> list[Thing]:
        """Return every character that is somewhere, by name."""
        found = (t for t in self._things.values() if t.kind is Kind.CHARACTER and t.id in self._where)
        return sorted(found, key=lambda t: t.name.lower())


def number_of(thing: str) -> int:
    """Return the number of an id from which new ids are counted on; 0 for one too high for that.

    A file may have an id that is higher, and is what it is; counting on from there would soon come to numbers that are
    no ids.
    """
    digits = thing.removeprefix("#")
    short = digits.isdecimal() and len(digits) <= _MOST_DIGITS
    return number if short and (number := int(digits)) < COUNTED_IDS else 0
