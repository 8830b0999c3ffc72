"""Make the world again from what the vault holds: files, the last saved state, and the ledger's later steps.

Files say what things are; state and ledger say where they are and who sleeps. Nothing here writes.
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
"""A thing and the id of where its file puts it."""


def build_world(
    placed: Sequence[Placed], state: SavedState | None, records: Iterable[dict[str, Any]], *, begins: bool = True
) -> World:
    """Return the world as it was when it was last left or killed.

    Args:
        placed: every thing that files define, with where they put it.
        state: the last saved state; None for a new vault.
        records: the ledger's steps after that state, in order.
        begins: nobody plays a person yet; False for a reader, beside whom they may be in play.
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
    world.apply(define)  # a file edited while the world stood still is newer than what the ledger says of it
    if begins:
        _send_away(world, placed)
    _put_back(world, placed)
    return world


def _send_away(world: World, placed: Sequence[Placed]) -> None:
    """Send away the people whom nobody plays yet."""
    fixed = {thing.id for thing, place in placed if place is not None}
    for thing in list(world.things.values()):
        # A person is a character that comes and goes: no brain plays it, and no file gives it a place.
        if thing.kind is Kind.CHARACTER and not thing.thinks and thing.id not in fixed and thing.id in world.where:
            world.apply([Leave(thing.id)])


def _put_back(world: World, placed: Sequence[Placed]) -> None:
    """Put back what lost its place."""
    for thing, place in placed:
        lost = thing.kind is not Kind.LOCATION and thing.id not in world.where and thing.id not in world.away
        if lost and place is not None:
            world.apply([Put(thing.id, place)])


def not_in(world: World, state: SavedState | None) -> SavedState:
    """Return what a saved state says of things that the world has not: their files could not be read this time."""
    if state is None:
        return SavedState(0, 0, {}, {})
    where = {one: into for one, into in state.where.items() if one not in world.things}
    away = {one: location for one, location in state.away.items() if one not in world.things}
    return SavedState(state.step, state.next_id, where, away, tuple(one for one in state.asleep if one in where))


def state_of(
    world: World, step: int, files: Mapping[str, str] = MappingProxyType({}), kept: SavedState | None = None
) -> SavedState:
    """Return what is to be saved of the world after this step.

    Args:
        world: the world.
        step: the step's number.
        files: the file that describes each thing, by id.
        kept: what stays as it was saved, of things that the world still has not.
    """
    rest = not_in(world, kept)
    where, away = {**rest.where, **world.where}, {**rest.away, **world.away}
    return SavedState(step, world.next_id, where, away, (*world.asleep, *rest.asleep), files)
