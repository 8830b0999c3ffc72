"""Two vaults compared, such as branches of one: where they part, and in which things and memories they differ."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from agents.agent import Agent
from agents.memory.archive import archive_files
from agents.memory.entries import Entry
from mud.engine.ledger import Ledger
from mud.server.wiring import Parts
from mud.simulation.figures import entity
from mud.world.world import World

_AT_ONCE = 4096  # memories read at once


class Parting(NamedTuple):
    """Where two ledgers part.

    Args:
        step: the last step that is the same in both; 0 for none.
        a, b: the last step of each.
    """

    step: int
    a: int
    b: int


class ThingDifference(NamedTuple):
    """What of a thing differs; None where it is not there."""

    thing: str
    name: str
    key: str
    a: Any
    b: Any


class MemoryDifference(NamedTuple):
    """A memory that only one of two vaults has, `a` or `b`, with this number and text."""

    agent: str
    vault: str
    seq: int
    at: str
    text: str


def parting(a: Path, b: Path) -> Parting:
    """Find the last step that two ledgers have in common. Raises OSError."""
    same, last, together = 0, [0, 0], True
    for both in zip_longest(*(Ledger(vault / "log").after(0) for vault in (a, b))):
        last = [record["step"] if record is not None else known for record, known in zip(both, last, strict=True)]
        together = together and both[0] == both[1]
        same = last[0] if together else same
    return Parting(same, *last)


def thing_differences(a: World, b: World) -> Iterator[ThingDifference]:
    """Yield in what the things of two worlds differ; where they are is told by names."""
    for one in {**a.things, **b.things}:
        here, there = (_told(world, one) for world in (a, b))
        thing = a.get(one) or b.things[one]
        if not here or not there:
            yield ThingDifference(one, thing.name, "", here or None, there or None)
            continue
        keys = (key for key in here if here[key] != there[key])
        yield from (ThingDifference(one, thing.name, key, here[key], there[key]) for key in keys)


def _told(world: World, one: str) -> dict[str, Any]:
    if (thing := world.get(one)) is None:
        return {}
    told = entity(world, thing)
    places = {key: world.get(told[key]) for key in ("in", "away") if told[key]}
    return told | {key: place.name for key, place in places.items() if place is not None}


def memory_differences(a: Parts, b: Parts) -> Iterator[MemoryDifference]:
    """Yield the memories that only one of two vaults has, agent by agent."""
    slugs = sorted({*a.minds.definitions, *b.minds.definitions})
    for slug in slugs:
        both = [parts.minds.open(slug) if slug in parts.minds.definitions else None for parts in (a, b)]
        first = _first_apart(*both)
        for vault, agent in zip("ab", both, strict=True):
            if agent is not None:
                yield from (
                    MemoryDifference(agent.name, vault, one.seq, one.at, one.text)
                    for start in range(first, agent.memory.total + 1, _AT_ONCE)
                    for one in agent.memory.read(start, start + _AT_ONCE - 1)
                )


def _first_apart(a: Agent | None, b: Agent | None) -> int:
    """Return the number of the first memory that two lives do not share."""
    if a is None or b is None:
        return 1
    files = [archive_files(agent.folder / "archive") for agent in (a, b)]
    start: int = 1
    for (first, one), (_, other) in zip(*files, strict=False):
        start = first
        if not one.samefile(other):
            break
    shorter: int = min(a.memory.total, b.memory.total)
    for at in range(start, shorter + 1, _AT_ONCE):
        for one_lived, other_lived in zip(_lived(a, at), _lived(b, at), strict=False):
            if one_lived != other_lived:
                return one_lived[0]
    return shorter + 1


def _lived(agent: Agent, start: int) -> list[tuple[int, str, str]]:
    entries: list[Entry] = agent.memory.read(start, start + _AT_ONCE - 1)
    return [(one.seq, one.at, one.text) for one in entries]
