"""Opens the world of a vault: files define what things are, saved state and ledger where they are and who sleeps.

What is broken is left out and reported; only a vault without a location cannot be opened. A reader writes nothing.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from datetime import UTC
from pathlib import Path
from types import MappingProxyType
from typing import Any

from agents.definition import AgentDefinition, LocationIndex
from agents.mind.actor import left_by
from agents.mind.settings import offers
from agents.population import Population
from mud.clock import Clock
from mud.commands import Command
from mud.engine.engine import Engine, WorldSettings, changes_of
from mud.engine.ledger import Ledger
from mud.engine.snapshots import Snapshot, read_snapshot, snapshot_steps, write_snapshot
from mud.errors import Problem, VaultProblem
from mud.registry import Registry
from mud.server.archive_checks import stays_asleep
from mud.server.checks import NOWHERE, check_files, with_met, with_mistakes
from mud.storage.accounts import Account
from mud.storage.configuration import Configuration
from mud.storage.texts import TextStore
from mud.storage.world_files import (
    STATE,
    SavedState,
    WorldFiles,
    assign_ids,
    read_state,
    set_state_aside,
    state_saved_at,
)
from mud.storage.world_files import ThingDefinition as WorldFile
from mud.world.changes import Copy, Define, FallAsleep, Leave, Put
from mud.world.live_state import live_changes, live_states
from mud.world.things import Kind, Thing
from mud.world.world import FIRST_ID, World, number_of

log = logging.getLogger(__name__)

KEPT = ("states", "journeys", "arrivals")
"""What the saved state says of things beyond their files, and that is kept for those whose files cannot be read."""


def open_world(
    world_files: WorldFiles,
    state: SavedState | None,
    clock: Clock,
    configuration: Configuration,
    texts: TextStore,
    commands: Registry[Command],
    minds: Population,
    met: list[Problem],
    accounts: Iterable[Account] = (),
    *,
    writable: bool,
) -> tuple[Ledger, Engine, SavedState]:
    """Build the world from files, state and ledger, and give each memory the entries that only the ledger has.

    The files are not loaded yet, the agents defined and not opened. `met` receives problems found here, such as a
    memory that cannot be opened. The characters of `accounts` that were awake sleep on where they were. Returns the
    ledger, the engine, and the saved state of things whose files cannot be read. Raises VaultProblem with all problems
    when there is no location.
    """
    vault = world_files.vault
    ledger = Ledger(vault / "log")
    if writable:
        ledger.open()  # a torn line is what a kill leaves, and no mistake
        met += ledger.wrong
    files, wrong = world_files.load()  # reported by `check_files`
    records = list(ledger.after(state.step if state else 0))
    next_id = _next_id(state, records)
    files, free = _with_ids(world_files, files, with_mistakes(wrong), minds, next_id, writable=writable)
    minds.roster.give_way({one.thing.id: one.file for one in files})
    if not any(one.thing.kind is Kind.LOCATION for one in files):
        raise VaultProblem(with_met([NOWHERE, *met], vault))
    sleepers = {one.character for one in accounts}
    placed = place_minds(files, minds.definitions.values())
    begun = state if writable else _begun_in(vault, state, records)
    since = [record for record in records if begun is None or record["step"] > begun.step]
    world = build_world(placed, begun, since, begins=writable, sleepers=sleepers)
    world.reserve(free)
    settings, offered = lambda: configuration.get(WorldSettings), offered_to(commands, minds)
    engine = Engine(world, commands, texts.render, ledger, clock, settings, offered)
    engine.witnesses |= _witnesses(minds, world, state_saved_at(vault) if state is not None else 0.0, writable=writable)
    for record in records:
        minds.recover(record)
    met += _left_with_nobody(records, world, minds)
    met += [stays_asleep(minds.definitions[slug], why) for slug, why in minds.asleep.items()]
    engine.number = _last_step(ledger, state, records, minds)
    if writable:
        ledger.keep_world = lambda: write_snapshot(vault, _snapshot_of(engine, world_files, utc=clock.zone is UTC))
    return ledger, engine, not_in(world, state)


def _next_id(state: SavedState | None, records: Iterable[dict[str, Any]]) -> int:
    """Return a number above every id that the saved state and later steps have given."""
    used = [number_of(one.thing) for record in records for one in changes_of(record) if isinstance(one, Copy)]
    return max(state.next_id if state else FIRST_ID, *(number + 1 for number in used), 0)


def _with_ids(
    world_files: WorldFiles, files: list[WorldFile], wrong: Container[str], minds: Population, next_id: int, *,
    writable: bool,
) -> tuple[list[WorldFile], int]:  # fmt: skip
    """Give ids to files and agents that have none; return the files that have one, and a number above every id.

    A reader gives none, and files that are `wrong` get none.
    """
    new = [one for one in files if one.thing.id or one.file not in wrong]
    new_minds = [one for one in minds.definitions.values() if not one.id]  # that rules may name
    free = _assign_ids(world_files.vault, minds, new, next_id, writable=writable)
    if new_minds or any(not one.thing.id for one in files):
        files, _ = world_files.load()
    return [one for one in files if one.thing.id], free


def _witnesses(minds: Population, world: World, saved: float, *, writable: bool) -> set[str]:
    """Open the memories that are needed, and return the ids of the agents that perceive.

    Args:
        saved: when the state was saved, in seconds since 1970; 0 for never.
        writable: the memory of who is in another world stays closed; a reader may look into it, and a replay asks what
            it could do.
    """
    return {
        one.id
        for slug, one in minds.definitions.items()
        if not (one.person or (writable and one.id in world.elsewhere))
        and (minds.lends or minds.leave_closed(slug, saved) or minds.opens(slug))
    }


def _last_step(
    ledger: Ledger, state: SavedState | None, records: Sequence[Mapping[str, Any]], minds: Population
) -> int:
    """Return the last step that ledger, state or a memory knows."""
    known = [agent.memory.last_source for agent in minds.in_use()]
    read: list[int] = [record["step"] for record in records[-1:]]  # a reader has not opened the ledger
    return max([ledger.last, state.step if state else 0, *known, *read])


def _begun_in(vault: Path, saved: SavedState | None, records: Sequence[Mapping[str, Any]]) -> SavedState | None:
    """Return the state in which a world began that has saved none since, else the saved one.

    Who was awake when the world before it was killed has left or sleeps in it, by no step of the ledger.
    """
    last = records[-1]["step"] if records else 0
    kept = [step for step in snapshot_steps(vault) if (saved.step if saved else 0) <= step < last]
    try:
        return read_snapshot(vault, kept[-1]).state if kept else saved
    except VaultProblem as wrong:
        log.warning("%s", wrong)
        return saved


def _snapshot_of(engine: Engine, files: WorldFiles, *, utc: bool) -> Snapshot:
    """Return the world as it is after the engine's last step."""
    world = engine.world
    state, copies = state_of(world, engine.number, files.homes), world.live.made
    live = {**state.live, "states": {one: list(held) for one, held in world.live.states.items()}}
    things = tuple(world.as_filed(one) for one in world.things if one not in copies)
    return Snapshot(state._replace(live=live), things, tuple(sorted(engine.witnesses)), dict(files.loaded), utc)


def world_of(snapshot: Snapshot) -> World:
    return build_world([(thing, None) for thing in snapshot.things], snapshot.state, (), begins=False)


def _left_with_nobody(records: Iterable[dict[str, Any]], world: World, minds: Population) -> list[Problem]:
    """Return the missing agent folders whose entries from steps after the saved state have no archive."""
    known = {one.id for one in (*minds.definitions.values(), *minds.drafts.values())}
    left = Counter(one.who for record in records for one in left_by(record) if one.who not in known)
    told = []
    for who, count in left.items():
        thing, slug = world.get(who), minds.roster.homes.get(who)
        if slug is None or not (minds.means.vault / "agents" / slug).exists():
            folder, name = f"agents/{slug}" if slug else "agents", thing.name if thing is not None else slug or who
            memories = "a memory that the ledger" if count == 1 else f"{count:,} memories that the ledger"
            message = f"{memories} left with {name} ({who}) can be in no archive: the folder is gone; expected it here"
            told.append(Problem(folder, 0, "", message))
    return told


def offered_to(
    commands: Registry[Command], minds: Population, unknown: str = "off"
) -> Callable[[str], Registry[Command]]:
    """Return a function that finds the commands that an agent may type, by its character's id.

    `unknown` is `self_changes` of a character whose mind is not here.
    """
    by_setting = offers(commands)

    def offered(who: str) -> Registry[Command]:
        agent = minds.by_id(who)
        return by_setting[agent.thinking().self_changes if agent is not None else unknown]

    return offered


def saved_state(vault: Path, met: list[Problem], *, writable: bool) -> SavedState | None:
    """Return the saved state. An unusable one is reported and set aside, since the ledger has everything."""
    try:
        return read_state(vault)
    except VaultProblem as wrong:
        met += wrong.problems
    if writable:
        try:
            aside = set_state_aside(vault)
            log.warning("%s cannot be used and is now %s; the world is made again from the ledger", STATE, aside)
        except OSError as error:
            log.warning("%s cannot be used, nor set aside (%s); %s", STATE, error, _what_comes_of_it(vault / STATE))
    return None


def _what_comes_of_it(path: Path) -> str:
    if path.is_file() and not path.is_symlink():
        return "the world is made again from the ledger, and saving it replaces this file"
    return "the world is made again from the ledger at every start, and saved there only when this is taken away"


def _assign_ids(vault: Path, minds: Population, files: list[WorldFile], next_id: int, *, writable: bool) -> int:
    """Give ids to new files that have none, and return a number above every existing id.

    Agents whose file has a mistake are left out here; the caller must do so for the world's files.
    """
    if any(not one.id for one in minds.definitions.values()):
        minds.roster.leave_out_new(with_mistakes(check_files(vault)))
    minds_too = {**minds.definitions, **minds.drafts}.values()
    ids = [one.id for one in minds_too] + [one.thing.id for one in files]
    free = max([next_id, *(number_of(id) + 1 for id in ids)])
    while f"#{free}" in ids:
        free += 1
    minds.assign_ids(assign_ids(vault, files, free) if writable else free)
    return free


def place_minds(files: list[WorldFile], definitions: Iterable[AgentDefinition]) -> list[Placed]:
    """Return every thing with its start place, agents and players included.

    `files` must contain a location; an agent whose file names none starts in the first one.
    """
    placed: list[Placed] = [(one.thing, one.place) for one in files]
    locations = [one.thing for one in files if one.thing.kind is Kind.LOCATION]
    index = LocationIndex(locations)
    for definition in definitions:
        place = index.find(definition.location or "") or locations[0]
        placed.append((definition.thing(), None if definition.person else place.id))
    return placed


Placed = tuple[Thing, str | None]  # a thing and the id of the place that its file names


def build_world(
    placed: Sequence[Placed],
    state: SavedState | None,
    records: Iterable[dict[str, Any]],
    *,
    begins: bool = True,
    sleepers: Container[str] = (),
) -> World:
    """Return the world as it was when it was left or killed; `records` are the ledger's steps after the state.

    Args:
        begins: nobody plays yet, so persons are sent away; False for a reader while the world may be in use.
        sleepers: ids of the persons who fall asleep where they are instead, until they come back.
    """
    world = World()
    define = [Define(thing) for thing, _ in placed]
    world.apply(define)
    if state is not None:
        world.reserve(state.next_id)
        world.apply(live_changes(state.live))
    known = {*state.where, *state.away, *world.live.gone, *world.elsewhere} if state else set()
    world.apply(Put(thing.id, place) for thing, place in placed if place is not None and thing.id not in known)
    if state is not None:
        world.apply(Put(thing, into) for thing, into in state.where.items())
        for thing, location in state.away.items():
            world.set_away(thing, location)
        world.apply(FallAsleep(who, who in state.absent) for who in state.asleep)
        for who, places in state.visited.items():
            for place in places:
                world.remember_visit(who, place)
        world.channels.load(state.channels)
        world.live.states.update({one: dict.fromkeys(held) for one, held in live_states(state.live).items()})
    for record in records:
        world.apply(changes_of(record))
    world.apply(define)  # files may have been edited while the world was not running
    if begins:
        _send_away(world, placed, sleepers)
    _put_back(world, placed)
    return world


def _send_away(world: World, placed: Sequence[Placed], sleepers: Container[str]) -> None:
    fixed = {thing.id for thing, place in placed if place is not None}
    for thing in list(world.things.values()):
        # A person has no brain, and no file gives it a place. Whose person left sleeps on where it is.
        person = thing.kind is Kind.CHARACTER and not thing.thinks and thing.id not in fixed
        if person and thing.id in world.where and thing.id not in world.absent:
            world.apply([FallAsleep(thing.id, absent=True) if thing.id in sleepers else Leave(thing.id)])


def _put_back(world: World, placed: Sequence[Placed]) -> None:
    for thing, place in placed:
        somewhere = any(thing.id in known for known in (world.where, world.away, world.live.gone, world.elsewhere))
        lost = thing.kind is not Kind.LOCATION and not somewhere
        if lost and place is not None:
            world.apply([Put(thing.id, place)])


def not_in(world: World, state: SavedState | None) -> SavedState:
    """Return the part of a saved state about things that are missing now because their files could not be read."""
    if state is None:
        return SavedState(0, 0, {}, {})
    where = {one: into for one, into in state.where.items() if one not in world.things}
    away = {one: location for one, location in state.away.items() if one not in world.things}
    asleep, absent = (tuple(one for one in some if one in where) for some in (state.asleep, state.absent))
    visited = {one: places for one, places in state.visited.items() if one not in world.things}
    live = {
        kind: {one: kept for one, kept in state.live.get(kind, {}).items() if one not in world.things} for kind in KEPT
    }
    return SavedState(
        state.step, state.next_id, where, away, asleep, absent=absent, visited=visited,
        live={kind: kept for kind, kept in live.items() if kept},
    )  # fmt: skip


def state_of(
    world: World, step: int, files: Mapping[str, str] = MappingProxyType({}), kept: SavedState | None = None
) -> SavedState:
    """Return the state to save after this step; about things that are missing now it says what `kept` says."""
    rest = not_in(world, kept)
    where, away = {**rest.where, **world.where}, {**rest.away, **world.away}
    visited = {one: list(world.visited(one)) for one in world.things if world.visited(one)}
    live = world.live.as_json(world.things)
    live |= {kind: {**rest.live.get(kind, {}), **live[kind]} for kind in KEPT}
    live = {key: value for key, value in live.items() if value}
    return SavedState(
        step, world.next_id, where, away, (*world.asleep, *rest.asleep), files,
        (*world.absent, *rest.absent), {**rest.visited, **visited}, tuple(world.channels), live,
    )  # fmt: skip
