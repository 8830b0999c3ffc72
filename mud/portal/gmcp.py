"""GMCP, the messages that MUD clients read besides the text: packages with JSON. Pure."""

from __future__ import annotations

import json
from typing import Any

from mud.portal.portal import MemoryBar
from mud.portal.scene import Scene
from mud.portal.session import Message
from mud.world.exits import SHORT
from mud.world.matching import plain
from mud.world.world import World, number_of

MODULES = ("char", "room", "comm.channel")
"""What clients may ask for with `Core.Supports`; one that never does is sent everything."""
_CHANNELS = {"speech": "say", "shout": "shout", "whisper": "whisper"}
_DIRECTIONS = {name: short for short, name in SHORT.items()}
_MOST_MODULES = 64  # of a client's list that are read


def write_gmcp(package: str, value: object) -> bytes:
    """Return a message as it is sent, in ASCII."""
    return f"{package} {json.dumps(value, separators=(',', ':'))}".encode("ascii")


def read_gmcp(data: bytes) -> tuple[str, Any]:
    """Return package and value of a message from a client; the value is None when it has none or is no JSON."""
    package, _, text = data.decode("utf-8", "replace").partition(" ")
    try:
        return package.lower(), json.loads(text) if text.strip() else None
    except (ValueError, RecursionError):
        return package.lower(), None


def supported(value: object) -> frozenset[str]:
    """Return which of our modules a `Core.Supports` list names: `["Room 1", "Char 1"]`."""
    names = value[:_MOST_MODULES] if isinstance(value, list) else []
    wanted = {str(name).lower().split(" ")[0] for name in names}
    return frozenset(one for one in MODULES if any(_covers(name, one) for name in wanted))


def _covers(name: str, module: str) -> bool:
    return module == name or module.startswith(f"{name}.")


def room_info(scene: Scene) -> dict[str, object]:
    """Return `Room.Info`: where a character is, and the numbers of the places its exits lead to."""
    exits = {_DIRECTIONS.get(plain(way.name), way.name): number_of(way.to) for way in scene.ways}
    return {"num": number_of(scene.id), "name": scene.name, "exits": exits}


def vitals(memory: MemoryBar) -> dict[str, int | None]:
    """Return `Char.Vitals`: how much of the character's memory is in which form."""
    return memory._asdict()


def channel_text(message: Message, world: World) -> bytes | None:
    """Return `Comm.Channel.Text` for what somebody said, here or on a channel; None for all else.

    It is written once for all listeners.
    """
    event = message.event
    channel = event and (event.channel or _CHANNELS.get(event.kind))
    if event is None or not channel or not event.words:
        return None
    found = message.drawn.get("gmcp")
    if found is None:
        talker = world.get(event.actor)
        text = {"channel": channel, "talker": talker.name if talker else "", "text": message.text}
        found = message.drawn["gmcp"] = write_gmcp("Comm.Channel.Text", text)
    return found
