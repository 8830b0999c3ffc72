"""Put the parts of a vault together: settings, texts, world, minds, engine. Used by `run` and by the tools alike."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import agents
from agents.agent import Agent
from agents.brains._brain import Brain
from agents.brains.language import LANGUAGE, language
from agents.commands._answer import Answerer
from agents.compaction.plan import CompactionSettings
from agents.compaction.strategies._strategy import Strategy
from agents.compaction.summarizers import model
from agents.compaction.summarizers._summarizer import Summarizer
from agents.definition import Definition
from agents.llm.backends._backend import Backend, Completion
from agents.llm.profiles import LLMProfile
from agents.llm.queue import ModelQueue, Urgency
from agents.minds import Ask, Means, Minds
from agents.prompt import Prompt
from agents.prompt_template import TEMPLATES, Template, parse_template
from agents.prompting import Prompting, ThinkingSettings
from agents.recall.recall import RecallService
from agents.recall.settings import RecallSettings
from agents.templates import Templates
from mud.clock import Clock
from mud.commands._command import Command
from mud.engine import Engine, WorldSettings
from mud.errors import LociError, Problem, VaultLocked, VaultProblem
from mud.ledger import Ledger
from mud.recovery import Placed, build_world, state_of
from mud.registry import Registry, collect, load
from mud.storage.configuration import Configuration
from mud.storage.documents import link_name
from mud.storage.files import VaultLock
from mud.storage.texts import TextStore
from mud.storage.world_files import Definition as WorldFile
from mud.storage.world_files import assign_ids, load_world_files, read_state, write_state
from mud.world.matching import plain
from mud.world.roles import Role
from mud.world.things import Kind, Thing
from mud.world.world import FIRST_ID

log = logging.getLogger(__name__)

SCHEMAS: dict[str, type] = {
    "world": WorldSettings,
    "thinking": ThinkingSettings,
    "memory_compaction": CompactionSettings,
    "recall": RecallSettings,
}
"""What each file in `vault/config` sets."""

FAMILIES: dict[str, type] = {"llm": LLMProfile}
"""What each file in a folder of `vault/config` sets."""


class RealClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """Return the time of day in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return seconds that never go back."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


def check_packages() -> None:
    """Make sure that `agents` is ours: a package of that name from the public index would shadow it.

    Raises:
        LociError: says which one Python found.
    """
    ours = Path(__file__).resolve().parent.parent / "agents"
    found = Path(agents.__file__ or "").resolve().parent
    if found != ours:
        raise LociError(
            f"Python found another package called agents, in {found}; Loci's own is {ours}. "
            "Start it with python -m mud from its own folder, without -P and PYTHONSAFEPATH."
        )


@dataclass
class Parts:
    """A vault, opened and put together."""

    vault: Path
    clock: Clock
    configuration: Configuration
    texts: TextStore
    templates: Templates[Template]
    commands: Registry[Command]
    answerers: Registry[Answerer]
    queue: ModelQueue
    recall: RecallService
    minds: Minds
    ledger: Ledger
    engine: Engine
    prompting: Prompting
    writable: bool
    problems: list[Problem] = field(default_factory=list)

    def save(self) -> None:
        """Write the state, once everything that it includes is in the archives.

        Raises:
            OSError: when it cannot be written.
        """
        if any(agent.memory.waiting for agent in self.minds.opened()):
            return
        world = self.engine.world
        names = {thing.id: thing.name for thing in world.things.values()}
        write_state(self.vault, state_of(world, self.engine.number), names)

    def sync(self) -> None:
        """Force ledger and archives onto the disk."""
        self.ledger.sync()
        for agent in self.minds.opened():
            agent.memory.sync()


@contextmanager
def opened(vault: Path, *, writable: bool, clock: Clock | None = None) -> Iterator[Parts]:
    """Open a vault, put its parts together, and let go of it at the end.

    Args:
        vault: its folder.
        writable: take the lock; without it nothing is written or repaired.
        clock: the time; the machine's when None.

    Raises:
        LociError: when there is no vault, another process writes to it, or nothing can be made of it.
    """
    if not vault.is_dir():
        raise LociError(f"there is no vault in {vault}; name one with --vault, or start in the folder that has it")
    if not writable:
        yield _put_together(vault, clock or RealClock(), writable=False)
        return
    with VaultLock(vault):
        parts = _put_together(vault, clock or RealClock(), writable=True)
        try:
            yield parts
        finally:
            for agent in parts.minds.opened():
                agent.memory.close()
            parts.ledger.close()


@contextmanager
def opened_for_recall(vault: Path) -> Iterator[Parts]:
    """Open a vault for a question: with its lock when that is free, so that the index can be completed, else to read.

    Args:
        vault: its folder.

    Raises:
        LociError: as `opened`.
    """
    try:
        with opened(vault, writable=True) as parts:
            yield parts
    except VaultLocked:
        with opened(vault, writable=False) as parts:
            yield parts


def load_commands() -> Registry[Command]:
    """Return everything that can be typed."""
    return load("mud.commands", Command, "command").joined(collect("agents.commands", Command))


def load_brains() -> Registry[Brain]:
    """Return the kinds of brain; the one that asks a model knows every verb that an agent may use."""
    verbs = {word for one in load_commands() if one.role <= Role.AGENT for word in (one.name, *one.aliases)}
    found = [one for one in collect("agents.brains", Brain) if one.name != LANGUAGE.name]
    return Registry("brain", [*found, language(verbs)])


def _put_together(vault: Path, clock: Clock, *, writable: bool) -> Parts:
    configuration = Configuration(vault, SCHEMAS, FAMILIES)
    problems = configuration.load()
    texts = TextStore(vault / "text")
    problems += texts.load()
    templates = Templates(vault / "prompts", TEMPLATES.values(), parse_template)
    summaries = Templates(vault / "prompts", model.PLACES, model.parse_prompt)
    problems += templates.load() + summaries.load()
    queue = ModelQueue(
        lambda name: configuration.get_named(LLMProfile, name), load("agents.llm.backends", Backend, "backend"), clock
    )
    recall = RecallService(vault, lambda: configuration.get(RecallSettings), clock, private=not writable)
    commands = load_commands()
    minds = Minds(
        Means(
            vault,
            configuration,
            texts.render,
            load("agents.compaction.strategies", Strategy, "strategy"),
            load("agents.compaction.summarizers", Summarizer, "summarizer"),
            recall,
            clock,
            _asker(queue),
            summaries.get,
            writable,
        )
    )
    problems += minds.load_definitions()
    ledger, engine, wrong = _open_world(vault, clock, configuration, texts, commands, minds, writable=writable)
    prompting = Prompting(
        minds, templates, lambda: configuration.get_named(LLMProfile, "think"), commands, clock.monotonic
    )
    minds.world = engine.world
    minds.prompt_of = _prompter(prompting)
    return Parts(
        vault, clock, configuration, texts, templates, commands,
        load("agents.commands", Answerer, "request"),
        queue, recall, minds, ledger, engine, prompting, writable, problems + wrong,
    )  # fmt: skip


def _asker(queue: ModelQueue) -> Ask:
    """Return what asks the model of an agent's summaries."""

    async def ask(owner: str, prompt: str, profile: str) -> Completion:
        return await queue.ask(lambda: prompt, profile, Urgency.SUMMARIZE, owner)

    return ask


def _prompter(prompting: Prompting) -> Callable[[Agent], Awaitable[Prompt]]:
    async def prompt_of(agent: Agent) -> Prompt:
        return prompting.build(agent, await prompting.related(agent))

    return prompt_of


def _open_world(
    vault: Path,
    clock: Clock,
    configuration: Configuration,
    texts: TextStore,
    commands: Registry[Command],
    minds: Minds,
    *,
    writable: bool,
) -> tuple[Ledger, Engine, list[Problem]]:
    """Make the world from files, state and ledger, and give every memory what the ledger has and it has not."""
    ledger = Ledger(vault / "log")
    messages = ledger.open() if writable else []
    for message in messages:
        log.warning("ledger: %s", message)
    state = read_state(vault)
    if writable:
        _assign_ids(vault, minds, state.next_id if state else FIRST_ID)
    files, problems = load_world_files(vault)
    if not any(one.thing.kind is Kind.LOCATION for one in files):
        raise VaultProblem([Problem("world/locations", 0, "", "there is no location to be in"), *problems])
    placed, wrong = place_minds(files, minds.definitions.values())
    records = list(ledger.after(state.step if state else 0))
    world = build_world(placed, state, records)
    engine = Engine(world, commands, texts.render, ledger, clock, lambda: configuration.get(WorldSettings))
    for slug, definition in minds.definitions.items():
        if not definition.person:
            minds.open(slug)
            engine.witnesses.add(definition.id)
    for record in records:
        minds.recover(record)
    known = [agent.memory.last_source for agent in minds.opened()]
    engine.number = max([ledger.last, state.step if state else 0, *known])
    return ledger, engine, problems + wrong


def _assign_ids(vault: Path, minds: Minds, next_id: int) -> None:
    """Give an id to whatever a person added without one."""
    files, _ = load_world_files(vault)
    taken = [int(one.id[1:]) + 1 for one in minds.definitions.values() if one.id[1:].isdecimal()]
    free = assign_ids(vault, files, max([next_id, *taken]))
    minds.assign_ids(free)


def place_minds(files: list[WorldFile], definitions: Iterable[Definition]) -> tuple[list[Placed], list[Problem]]:
    """Return every thing with where its file puts it, agents and people included.

    Args:
        files: the world's files.
        definitions: the agents' files.
    """
    placed: list[Placed] = [(one.thing, one.place) for one in files]
    locations = [one.thing for one in files if one.thing.kind is Kind.LOCATION]
    problems: list[Problem] = []
    for definition in definitions:
        place = find_location(definition.location or "", locations)
        if place is None and not definition.person:
            file = f"agents/{definition.slug}/agent.md"
            names = ", ".join(one.name for one in locations)
            message = f"there is no location {definition.location!r}; expected one of {names}"
            problems.append(Problem(file, 0, "location", message))
            place = locations[0]
        placed.append((definition.thing(), None if definition.person or place is None else place.id))
    return placed, problems


def find_location(wanted: str, locations: Iterable[Thing]) -> Thing | None:
    """Return the location that a link, a name or an id means exactly; None when none does."""
    name = plain(link_name(wanted) or wanted)
    for one in locations:
        if wanted == one.id or name in {plain(own) for own in one.names}:
            return one
    return None
