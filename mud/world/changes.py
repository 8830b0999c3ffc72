"""Changes of the world as values, and their JSON form in the ledger.

A change states the result, so applying it twice is harmless. Move what a thing holds before removing it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mud.world.channels import ChannelChange, JoinChannel, LeaveChannel, Post
from mud.world.things import Exit, Kind, Thing


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


Change = Put | Leave | FallAsleep | WakeUp | Define | Remove | ChannelChange


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
        case JoinChannel(channel, who):
            return {"join": channel, "who": who}
        case LeaveChannel(channel, who):
            return {"part": channel, "who": who}
        case Post(channel, at, by, words):
            return {"post": channel, "at": at, "by": by, "words": words}


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
        case {"join": str(channel), "who": str(who)}:
            return JoinChannel(channel, who)
        case {"part": str(channel), "who": str(who)}:
            return LeaveChannel(channel, who)
        case {"post": str(channel), "at": str(at), "by": str(by), "words": str(words)}:
            return Post(channel, at, by, words)
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
        "fixed": thing.fixed,
        "thinks": thing.thinks,
    }
    return {key: value for key, value in full.items() if value or key in _ALWAYS}


def thing_from_json(data: dict[str, Any]) -> Thing:
    """Parse a thing. Raises AttributeError, ValueError, KeyError or TypeError for other data."""
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
