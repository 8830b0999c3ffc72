"""A hash of the state of a world and its memories, to compare two runs or a run and its replay.

Step numbers and times are not part of it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from agents.agent import Agent
from agents.memory.summaries import Summary
from mud.world.things import Thing
from mud.world.world import World


def state_hash(world: World, agents: Iterable[Agent]) -> str:
    """Return sha256, in hex, over canonical JSON of every thing and every memory (design, section 9)."""
    state = {
        "entities": {thing.id: _entity(world, thing) for thing in world.things.values()},
        "memories": {agent.id: _memory(agent) for agent in agents},
    }
    text = json.dumps(state, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _entity(world: World, thing: Thing) -> dict[str, Any]:
    return {
        "kind": thing.kind,
        "name": thing.name,
        "description": thing.description,
        "aliases": thing.aliases,
        "exits": [(way.name, way.to) for way in thing.exits],
        "fixed": thing.fixed,
        "thinks": thing.thinks,
        "in": world.where.get(thing.id),
        "away": world.away.get(thing.id),
        "asleep": thing.id in world.asleep,
    }


def _memory(agent: Agent) -> dict[str, Any]:
    memory = agent.memory
    return {
        "total": memory.total,
        "longterm": _covers(memory.longterm),
        "recent": _covers(memory.recent),
        "immediate": (memory.watermark + 1, memory.total),
        "tail": [entry.text for entry in memory.tail],
    }


def _covers(summary: Summary | None) -> tuple[int, int] | None:
    return summary.covers if summary is not None else None
