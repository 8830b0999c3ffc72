"""The part of a character that is in the world: it perceives, and it submits command lines.

Characters of people have one too. It knows the world only from the character's location.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from agents.brains import Person, Situation
from agents.definition import AgentDefinition
from agents.memory.entries import KINDS, Entry
from agents.memory.memory import Memory
from agents.memory.notes import Notes
from mud.engine.engine import Engine, Step, perceived_from_json
from mud.world.events import Perception
from mud.world.roles import Role
from mud.world.sight import is_dark, items_seen, looks
from mud.world.things import Kind
from mud.world.world import World

RECENT = 64


class Actor:
    """One character's senses and hands. `remembered` is called with the new entries that are in the archive."""

    def __init__(self, memory: Memory, remembered: Callable[[Sequence[Entry]], None]) -> None:
        self._memory, self._remembered = memory, remembered

    def perceive(self, source: int, at: str, perceptions: Sequence[Perception], *, hold: bool = False) -> None:
        """Keep the perceptions of step number `source` at ISO time `at`, as one write.

        With `hold` they are written later, together with others; see `Memory.append`.
        """
        self._remembered(self._memory.append(perceptions, at, source, hold=hold))

    def submit(self, engine: Engine, who: str, line: str) -> Step:
        """Submit a line with the rank of an agent; a mind never has a higher one."""
        return engine.step(who, line, Role.AGENT)


def situate(
    definition: AgentDefinition,
    world: World,
    seconds: float,
    bedtime: float | None = None,
    *,
    woke: bool = False,
    takes_notes: bool = True,
    hour: float | None = None,
    unwatched: bool = False,
) -> Situation | None:
    """Return what a character perceives now, without sleepers, and without what `bearing_in_mind` adds.

    None when it has no location.
    """
    here = world.location_of(definition.id)
    if here is None:
        return None
    asleep = world.asleep
    dark = is_dark(world, here)
    there = world.people(here.id) if dark else world.contents(here.id)
    people = [one for one in there if one.kind is Kind.CHARACTER and one.id != definition.id and one.id not in asleep]
    return Situation(
        name=definition.name,
        profile=definition.profile,
        voice=definition.voice,
        location=here.name,
        description="" if is_dark(world, here, definition.id) else looks(world, here, definition.id),
        exits=tuple(way.name for way in here.exits),
        people=tuple([Person(one.name, one.thinks) for one in people]),
        items=tuple([one.name for one in items_seen(world, here)]),
        carrying=tuple([item.name for item in world.items(definition.id)]),
        recent=(),
        notes=(),
        goal=definition.goal or definition.own_goal,
        seconds=seconds,
        bedtime=bedtime,
        woke=woke,
        takes_notes=takes_notes,
        hour=hour,
        habits=definition.habits,
        unwatched=unwatched,
    )


def bearing_in_mind(situation: Situation, memory: Memory, notes: Notes) -> Situation:
    """Return a situation with what the character has most lately lived through, and the titles of its notes."""
    return situation._replace(recent=tuple(memory.newest(RECENT)), notes=notes.titles())


def by_witness(left: Iterable[Perception]) -> dict[str, list[Perception]]:
    grouped: dict[str, list[Perception]] = {}
    for perceived in left:
        grouped.setdefault(perceived.who, []).append(perceived)
    return grouped


def left_by(record: Mapping[str, Any], broken: list[object] | None = None) -> list[Perception]:
    """Return the readable perceptions of a ledger record; append the unreadable values to `broken`."""
    left: list[Perception] = []
    held = record.get("left", [])
    for data in held if isinstance(held, list) else [held]:
        if isinstance(data, dict) and _is_memory(data):
            left.append(perceived_from_json(data))
        elif broken is not None:
            broken.append(data)
    return left


def _is_memory(data: Mapping[str, Any]) -> bool:
    return (
        all(isinstance(data.get(key), str) for key in ("who", "kind", "text"))
        and data["kind"] in KINDS
        and all(isinstance(data.get(key), str | None) for key in ("actor", "place", "reason"))
        and isinstance(data.get("failed", False), bool)
    )
