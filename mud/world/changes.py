"""Changes of the world as values, and their JSON form in the ledger.

A change states the result, so applying it twice is harmless. Move what a thing holds before removing it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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
    on: bool


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
class Turn:
    """The `time` of day or the `weather` is another now."""

    what: str
    value: str


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
    | Turn
)


def change_to_json(change: Change) -> dict[str, Any]:
    match change:
        case Put(thing, into):
            return {"put": thing, "into": into}
        case Leave(thing):
            return {"leave": thing}
        case FallAsleep(thing, absent):
            return {"asleep": thing, "absent": True} if absent else {"asleep": thing}
        case WakeUp(thing):
            return {"awake": thing}
        case Remove(thing):
            return {"remove": thing}
        case Define(thing):
            return {"define": thing_to_json(thing)}
        case SetState(thing, state, on):
            return {"state": state, "of": thing, "on": on}
        case Alter(thing, key, value, was):
            return {"alter": thing, "key": key, "value": value, "was": was}
        case Copy(thing, of):
            return {"copy": thing, "of": of}
        case Vanish(thing):
            return {"vanish": thing}
        case StartTimer(timer, due, thing, actor, effects):
            return {"timer": timer, "due": due, "thing": thing, "actor": actor, "effects": effects}
        case StopTimer(timer):
            return {"stop": timer}
        case Turn(what, value):
            return {"turn": what, "value": value}


def change_from_json(data: dict[str, Any]) -> Change:
    """Parse a change. Raises ValueError for an unknown one."""
    match data:
        case {"put": str(thing), "into": str(into)}:
            return Put(thing, into)
        case {"leave": str(thing)}:
            return Leave(thing)
        case {"asleep": str(thing)}:
            return FallAsleep(thing, data.get("absent") is True)
        case {"awake": str(thing)}:
            return WakeUp(thing)
        case {"remove": str(thing)}:
            return Remove(thing)
        case {"define": dict(thing)}:
            return Define(thing_from_json(thing))
        case {"state": str(state), "of": str(thing), "on": bool(on)}:
            return SetState(thing, state, on)
        case {"alter": str(thing), "key": str(key), "value": str(value), "was": str(was)}:
            return Alter(thing, key, value, was)
        case {"copy": str(thing), "of": str(of)}:
            return Copy(thing, of)
        case {"vanish": str(thing)}:
            return Vanish(thing)
        case {
            "timer": str(timer),
            "due": float() | int() as due,
            "thing": str(thing),
            "actor": str(actor),
            "effects": str(effects),
        }:
            return StartTimer(timer, float(due), thing, actor, effects)
        case {"stop": str(timer)}:
            return StopTimer(timer)
        case {"turn": str(what), "value": str(value)}:
            return Turn(what, value)
    raise ValueError(f"no known change: {data!r}")


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
