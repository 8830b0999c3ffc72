"""Opens the world of a vault: files, saved state, later ledger steps and agents.

What is broken is left out and reported; only a vault without a location cannot be opened. A reader writes nothing.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from agents.definition import AgentDefinition, find_location
from agents.mind.actor import left_by
from agents.mind.settings import offers
from agents.population import Population
from mud.clock import Clock
from mud.commands import Command
from mud.engine.engine import Engine, WorldSettings
from mud.engine.ledger import Ledger
from mud.engine.recovery import Placed, build_world, not_in
from mud.errors import Problem, VaultProblem
from mud.registry import Registry
from mud.server.archive_checks import stays_asleep
from mud.server.checks import NOWHERE, check_files, with_mistakes
from mud.storage.configuration import Configuration
from mud.storage.texts import TextStore
from mud.storage.world_files import ThingDefinition as WorldFile
from mud.storage.world_files import WorldFiles, assign_ids
from mud.storage.world_state import STATE, SavedState, read_state, set_state_aside
from mud.world.things import Kind
from mud.world.world import FIRST_ID, World, number_of

log = logging.getLogger(__name__)


def open_world(
    world_files: WorldFiles,
    state: SavedState | None,
    clock: Clock,
    configuration: Configuration,
    texts: TextStore,
    commands: Registry[Command],
    minds: Population,
    met: list[Problem],
    *,
    writable: bool,
) -> tuple[Ledger, Engine, SavedState]:
    """Build the world from files, state and ledger, and give each memory the entries that only the ledger has.

    Args:
        world_files: not loaded yet.
        state: the saved state; None if there is none.
        minds: all agents, defined and not opened yet.
        met: receives problems found here: an unusable state, a memory that cannot be opened.
        writable: this process holds the vault's lock.

    Returns:
        The ledger, the engine, and the saved state of things whose files cannot be read.

    Raises:
        VaultProblem: there is no location; lists all other problems too.
    """
    vault = world_files.vault
    ledger = Ledger(vault / "log")
    messages = ledger.open() if writable else []
    for message in messages:
        log.warning("ledger: %s", message)
    files, wrong = world_files.load()  # reported by `check_files`
    new = [one for one in files if one.thing.id or one.file not in with_mistakes(wrong)]
    free = _assign_ids(vault, minds, new, state.next_id if state else FIRST_ID, writable=writable)
    if any(not one.thing.id for one in files):
        files, _ = world_files.load()
    files = [one for one in files if one.thing.id]  # a reader and files with mistakes get none
    minds.roster.give_way({one.thing.id: one.file for one in files})
    if not any(one.thing.kind is Kind.LOCATION for one in files):
        raise VaultProblem(dict.fromkeys([NOWHERE, *met, *check_files(vault)]))
    records = list(ledger.after(state.step if state else 0))
    world = build_world(place_minds(files, minds.definitions.values()), state, records, begins=writable)
    world.reserve(free)
    settings, offered = lambda: configuration.get(WorldSettings), _offered(commands, minds)
    engine = Engine(world, commands, texts.render, ledger, clock, settings, offered)
    for slug, definition in minds.definitions.items():
        if not definition.person and minds.opens(slug):
            engine.witnesses.add(definition.id)
    for record in records:
        minds.recover(record)
    met += _left_with_nobody(records, world, minds)
    for slug, why in minds.asleep.items():
        met.append(stays_asleep(minds.definitions[slug], why))
    known = [agent.memory.last_source for agent in minds.opened()]
    engine.number = max([ledger.last, state.step if state else 0, *known])
    return ledger, engine, not_in(world, state)


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


def _offered(commands: Registry[Command], minds: Population) -> Callable[[str], Registry[Command]]:
    by_setting = offers(commands)

    def offered(who: str) -> Registry[Command]:
        agent = minds.by_id(who)
        return by_setting[agent.thinking().self_changes if agent is not None else "off"]

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
    for definition in definitions:
        place = find_location(definition.location or "", locations) or locations[0]
        placed.append((definition.thing(), None if definition.person else place.id))
    return placed
