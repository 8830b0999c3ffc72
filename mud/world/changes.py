"""Changes of the world as values, and their JSON form in the ledger.

A change states the result, so applying it twice is harmless. Move what a thing holds before removing it.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from mud.world.channels import ChannelChange, JoinChannel, LeaveChannel, Post
from mud.world.things import Exit, Kind, Thing
from mud.world.traits import traits_from_json, traits_to_json


@dataclass(frozen=True, slots=True)
class Put:
    thing: str
    into: str


@dataclass(frozen=True, slots=True)
class Leave:
    """A character left the world; its location is kept for its return."""

    thing: str


@dataclass(frozen=True, slots=True)
class FallAsleep:
    """A character fell asleep; `absent` when its person left, so that nothing wakes it but their return."""

    thing: str
    absent: bool = False


@dataclass(frozen=True, slots=True)
class WakeUp:
    thing: str


@dataclass(frozen=True, slots=True)
class Define:
    """A thing is new or was edited."""

    thing: Thing


@dataclass(frozen=True, slots=True)
class Remove:
    thing: str


@dataclass(frozen=True, slots=True)
class SetState:
    """A state begins (`on`) or ends to hold of a thing."""

    thing: str
    state: str
    on: bool = True


@dataclass(frozen=True, slots=True)
class Alter:
    """A thing differs from its file from now on, until the file is edited there.

    Args:
        key: `description`, or `exits.NAME`.
        value: the description, or the id of where the exit leads; empty for no such exit.
        was: what the file says, the same way.
    """

    thing: str
    key: str
    value: str
    was: str


@dataclass(frozen=True, slots=True)
class Copy:
    """A thing like another comes into being; it has no file."""

    thing: str
    of: str


@dataclass(frozen=True, slots=True)
class Vanish:
    """A thing is nowhere from now on, whatever its file says, until it is put somewhere."""

    thing: str


@dataclass(frozen=True, slots=True)
class StartTimer:
    """The effects of a rule come later.

    Args:
        timer: its id, never reused.
        due: seconds since 1970.
        thing: id of the thing whose rule it is.
        actor: id of who set it off.
        effects: their source, with names that `thing` knows.
    """

    timer: str
    due: float
    thing: str
    actor: str
    effects: str


@dataclass(frozen=True, slots=True)
class StopTimer:
    timer: str


@dataclass(frozen=True, slots=True)
class TurnTo:
    """The `time` of day or the `weather` is another now."""

    what: str
    value: str


@dataclass(frozen=True, slots=True)
class Depart:
    """A character is in this world no more and on its way to another; see `mud.world.elsewhere.Journey`."""

    thing: str
    to: str
    ticket: str
    home: bool = False


@dataclass(frozen=True, slots=True)
class Settle:
    """The other world has said that it took in who departed."""

    thing: str


@dataclass(frozen=True, slots=True)
class Arrive:
    """A character came from another world by this ticket, or came back on its way if it is empty.

    Before it nothing can put the character anywhere.
    """

    thing: str
    ticket: str


Change = (
    Put
    | Leave
    | FallAsleep
    | WakeUp
    | Define
    | Remove
    | SetState
    | Alter
    | Copy
    | Vanish
    | StartTimer
    | StopTimer
    | TurnTo
    | Depart
    | Settle
    | Arrive
    | ChannelChange
)


_KEYS: dict[type, tuple[str, ...]] = {
    Put: ("put", "into"),
    Leave: ("leave",),
    FallAsleep: ("asleep", "absent"),
    WakeUp: ("awake",),
    Remove: ("remove",),
    SetState: ("state_of", "state", "on"),
    Alter: ("alter", "key", "value", "was"),
    Copy: ("copy", "of"),
    Vanish: ("vanish",),
    StartTimer: ("timer", "due", "thing", "actor", "effects"),
    StopTimer: ("stop",),
    TurnTo: ("turn", "value"),
    Depart: ("depart", "to", "ticket", "home"),
    Settle: ("settle",),
    Arrive: ("arrive", "ticket"),
    JoinChannel: ("join", "who"),
    LeaveChannel: ("part", "who"),
    Post: ("post", "at", "by", "words"),
}
"""The JSON key of each field, in their order; the first tells what kind of change it is."""
_BY_KEY = {keys[0]: (made, keys, fields(made)) for made, keys in _KEYS.items()}
_TYPES: dict[str, tuple[type, ...]] = {"str": (str,), "bool": (bool,), "float": (float, int)}


def change_to_json(change: Change) -> dict[str, Any]:
    if isinstance(change, Put):  # by far the most of them
        return {"put": change.thing, "into": change.into}
    if isinstance(change, Define):
        return {"define": thing_to_json(change.thing)}
    _, keys, known = _BY_KEY[_KEYS[type(change)][0]]
    values = ((key, one.default, getattr(change, one.name)) for key, one in zip(keys, known, strict=True))
    return {key: value for key, default, value in values if value != default}


def change_from_json(data: dict[str, Any]) -> Change:
    """Parse a change. Raises ValueError for an unknown one, and what `thing_from_json` raises."""
    if isinstance(defined := data.get("define"), dict):
        return Define(thing_from_json(defined))
    made, keys, known = _BY_KEY.get(next(iter(data), ""), (None, (), ()))
    if made is None:
        raise ValueError(f"no known change: {data!r}")
    values = [data.get(key, one.default) for key, one in zip(keys, known, strict=True)]
    if not all(isinstance(value, _TYPES[str(one.type)]) for one, value in zip(known, values, strict=True)):
        raise ValueError(f"no known change: {data!r}")
    changed: Change = made(*values)
    return changed


_ALWAYS = ("id", "kind", "name")


def thing_to_json(thing: Thing) -> dict[str, Any]:
    """Return a thing as JSON values, without empty ones."""
    full: dict[str, Any] = {
        "id": thing.id,
        "kind": thing.kind.value,
        "name": thing.name,
        "description": thing.description,
        "aliases": list(thing.aliases),
        "exits": {way.name: way.to for way in thing.exits},
        "doors": {way.name: way.door for way in thing.exits if way.door},
        "fixed": thing.fixed,
        "thinks": thing.thinks,
        "traits": traits_to_json(thing.traits),
    }
    return {key: value for key, value in full.items() if value or key in _ALWAYS}


def thing_from_json(data: dict[str, Any]) -> Thing:
    """Parse a thing. Raises AttributeError, ValueError, KeyError or TypeError for other data."""
    texts = [data["id"], data["name"], data.get("description", ""), *data.get("aliases", ())]
    ways, doors = data.get("exits", {}), data.get("doors", {})
    if not all(isinstance(one, str) for one in [*texts, *ways, *ways.values(), *doors.values()]):
        raise ValueError(f"no thing: {data!r}")
    return Thing(
        id=data["id"],
        kind=Kind(data["kind"]),
        name=data["name"],
        description=data.get("description", ""),
        aliases=tuple(data.get("aliases", ())),
        exits=tuple(Exit(name, to, doors.get(name, "")) for name, to in ways.items()),
        fixed=data.get("fixed", False),
        thinks=data.get("thinks", False),
        traits=traits_from_json(data.get("traits", {})),
    )
