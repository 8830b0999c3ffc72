"""Rebuilding the world from its files, the last saved state and the later steps of the ledger.

Files define what things are; state and ledger say where they are and who sleeps. Nothing is written here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from mud.engine.engine import changes_of
from mud.storage.world_state import SavedState
from mud.world.changes import Define, FallAsleep, Leave, Put
from mud.world.things import Kind, Thing
from mud.world.world import World

Placed = tuple[Thing, str | None]
"""A thing and the id of the place that its file names."""


def build_world(
    placed: Sequence[Placed], state: SavedState | None, records: Iterable[dict[str, Any]], *, begins: bool = True
) -> World:
    """Return the world as it was when it was left or killed; `records` are the ledger's steps after the state.

    Args:
        begins: nobody plays yet, so persons are sent away; False for a reader while the world may be in use.
    """
    world = World()
    define = [Define(thing) for thing, _ in placed]
    world.apply(define)
    if state is not None:
        world.reserve(state.next_id)
    known = set(state.where) | set(state.away) if state else set()
    world.apply(Put(thing.id, place) for thing, place in placed if place is not None and thing.id not in known)
    if state is not None:
        world.apply(Put(thing, into) for thing, into in state.where.items())
        for thing, location in state.away.items():
            world.set_away(thing, location)
        world.apply(FallAsleep(who) for who in state.asleep)
    for record in records:
        world.apply(changes_of(record))
    world.apply(define)  # files may have been edited while the world was not running
    if begins:
        _send_away(world, placed)
    _put_back(world, placed)
    return world


def _send_away(world: World, placed: Sequence[Placed]) -> None:
    fixed = {thing.id for thing, place in placed if place is not None}
    for thing in list(world.things.values()):
        # A person has no brain, and no file gives it a place.
        if thing.kind is Kind.CHARACTER and not thing.thinks and thing.id not in fixed and thing.id in world.where:
            world.apply([Leave(thing.id)])


def _put_back(world: World, placed: Sequence[Placed]) -> None:
    for thing, place in placed:
        lost = thing.kind is not Kind.LOCATION and thing.id not in world.where and thing.id not in world.away
        if lost and place is not None:
            world.apply([Put(thing.id, place)])


def not_in(world: World, state: SavedState | None) -> SavedState:
    """Return the part of a saved state about things that are missing now because their files could not be read."""
    if state is None:
        return SavedState(0, 0, {}, {})
    where = {one: into for one, into in state.where.items() if one not in world.things}
    away = {one: location for one, location in state.away.items() if one not in world.things}
    return SavedState(state.step, state.next_id, where, away, tuple(one for one in state.asleep if one in where))


def state_of(
    world: World, step: int, files: Mapping[str, str] = MappingProxyType({}), kept: SavedState | None = None
) -> SavedState:
    """Return the state to save after this step; about things that are missing now it says what `kept` says."""
    rest = not_in(world, kept)
    where, away = {**rest.where, **world.where}, {**rest.away, **world.away}
    return SavedState(step, world.next_id, where, away, (*world.asleep, *rest.asleep), files)
