"""Waking a sleeper by name or whisper. The commands are in `sleep`."""

from __future__ import annotations

import re

from mud.commands._command import Say
from mud.world.changes import Change, WakeUp
from mud.world.events import Event
from mud.world.matching import plain
from mud.world.narration import phrase
from mud.world.things import Thing
from mud.world.world import World

WAKES = phrase("commands.wake.wakes", "actor")


def called_by_name(world: World, location: Thing, words: str) -> list[Thing]:
    """Return the sleepers in a location whose name is among the words, as a whole word, ignoring case."""
    asleep = world.asleep
    sleepers = [one for one in world.people(location.id) if one.id in asleep]
    spoken = plain(words) if sleepers else ""
    return [
        one
        for one in sleepers
        if any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", spoken) for name in map(plain, one.names) if name)
    ]


def waking(say: Say, sleeper: Thing, location: Thing) -> tuple[Change, Event]:
    """Return the change that wakes a sleeper, and the event that others see."""
    return WakeUp(sleeper.id), Event("action", sleeper.id, location.id, say(WAKES, actor=sleeper.name))
