"""Changes of the world as values, and their form in the ledger.

A change says what is so afterwards, never how to get there: applying one twice is applying it once, so recovery may
start a little too early. Whoever removes a thing puts what it holds elsewhere first, by changes of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mud.world.things import Exit, Kind, Thing


@dataclass(frozen=True, slots=True)
class Put:
    """A thing is now in a location or in somebody's hands."""

    thing: str
    into: str


@dataclass(frozen=True, slots=True)
class Leave:
    """A character has left the world and is remembered to be away from where it was."""

    thing: str


@dataclass(frozen=True, slots=True)
class FallAsleep:
    """A character sleeps from now on."""

    thing: str


@dataclass(frozen=True, slots=True)
class WakeUp:
    """A character sleeps no more."""

    thing: str


@dataclass(frozen=True, slots=True)
class Define:
    """A thing is now what this value says; it is new, or was edited."""

    thing: Thing


@dataclass(frozen=True, slots=True)
class Remove:
    """A thing is no longer in the world."""

    thing: str


Change = Put | Leave | FallAsleep | WakeUp | Define | Remove


def change_to_json(change: Change) -> dict[str, Any]:
    """Return the form of a change that the ledger keeps."""
    match change:
        case Put(thing, into):
            return {"put": thing, "into": into}
        case Leave(thing):
            return {"leave": thing}
        case FallAsleep(thing):
            return {"asleep": thing}
        case WakeUp(thing):
            return {"awake": thing}
        case Remove(thing):
            return {"remove": thing}
        case Define(thing):
            return {"define": thing_to_json(thing)}


def change_from_json(data: dict[str, Any]) -> Change:
    """Read a change back.

    Raises:
        ValueError: when it is no known change.
    """
    match data:
        case {"put": str(thing), "into": str(into)}:
            return Put(thing, into)
        case {"leave": str(thing)}:
            return Leave(thing)
        case {"asleep": str(thing)}:
            return FallAsleep(thing)
        case {"awake": str(thing)}:
            return WakeUp(thing)
        case {"remove": str(thing)}:
            return Remove(thing)
        case {"define": dict(thing)}:
            return Define(thing_from_json(thing))
    raise ValueError(f"no known change: {data!r}")


_ALWAYS = ("id", "kind", "name")


def thing_to_json(thing: Thing) -> dict[str, Any]:
    """Return a thing as plain values, what is empty left out."""
    full: dict[str, Any] = {
        "id": thing.id,
        "kind": thing.kind.value,
        "name": thing.name,
        "description": thing.description,
        "aliases": list(thing.aliases),
        "exits": {way.name: way.to for way in thing.exits},
        "fixed": thing.fixed,
        "thinks": thing.thinks,
    }
    return {key: value for key, value in full.items() if value or key in _ALWAYS}


def thing_from_json(data: dict[str, Any]) -> Thing:
    """Read a thing back.

    Raises:
        AttributeError, ValueError, KeyError, TypeError: when it is no thing.
    """
    texts = [data["id"], data["name"], data.get("description", ""), *data.get("aliases", ())]
    ways = data.get("exits", {})
    if not all(isinstance(one, str) for one in [*texts, *ways, *ways.values()]):
        raise ValueError(f"no thing: {data!r}")
    return Thing(
        id=data["id"],
        kind=Kind(data["kind"]),
        name=data["name"],
        description=data.get("description", ""),
        aliases=tuple(data.get("aliases", ())),
        exits=tuple(Exit(name, to) for name, to in ways.items()),
        fixed=data.get("fixed", False),
        thinks=data.get("thinks", False),
    )
