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
from mud.registry import Registry, collect, load, suggest
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
    """A vault, opened and put together.

    Args:
        vault: its folder.
        clock: the time.
        configuration, texts, templates, summary_prompts: what people wrote: settings, words, models' prompts.
        commands: all that can be typed.
        answerers: what carries out their requests to minds.
        queue: asks language models.
        recall: the search index.
        minds: everybody's memory.
        ledger, engine: the world's steps and its door.
        prompting: builds the prompts of thoughts.
        writable: this process holds the vault's lock.
        problems: what is wrong in the vault.
    """

    vault: Path
    clock: Clock
    configuration: Configuration
    texts: TextStore
    templates: Templates[Template]
    summary_prompts: Templates[str]
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
        """Write the state, once everything that it includes is in the archives and on the disk.

        Raises:
            OSError: when it cannot be written.
        """
        if any(agent.memory.waiting for agent in self.minds.opened()):
            return
        self.sync()  # after a power cut only the ledger's steps after this state are applied
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
            lambda: queue.silent(configuration.names(LLMProfile)),
            writable,
        )
    )
    problems += minds.load_definitions()
    ledger, engine, wrong = _open_world(vault, clock, configuration, texts, commands, minds, writable=writable)
    wrong += unknown_names(configuration, engine) + unknown_voices(texts, minds.definitions.values())
    prompting = Prompting(
        minds, templates, lambda: configuration.get_named(LLMProfile, "think"), commands, clock.monotonic
    )
    minds.world = engine.world
    minds.prompt_of = _prompter(prompting)
    return Parts(
        vault, clock, configuration, texts, templates, summaries, commands,
        load("agents.commands", Answerer, "request"),
        queue, recall, minds, ledger, engine, prompting, writable, problems + wrong,
    )  # fmt: skip


def unknown_names(configuration: Configuration, engine: Engine) -> list[Problem]:
    """Return the settings that name a location or an LLM profile which there is not."""
    problems: list[Problem] = []
    start, locations = configuration.get(WorldSettings).start_location, engine.world.locations()
    if find_location(start, locations) is None:
        problems.append(_unknown(configuration, "start_location", start, [one.name for one in locations]))
    profile, profiles = configuration.get(CompactionSettings).profile, configuration.names(LLMProfile)
    if profile.lower() not in (name.lower() for name in profiles):
        problems.append(_unknown(configuration, "profile", profile, profiles))
    return problems


def unknown_voices(texts: TextStore, definitions: Iterable[Definition]) -> list[Problem]:
    """Return the agents that speak with a set of texts which there is not."""
    voices = sorted({key.split(".")[1] for key in texts.keys("instinct.")})
    problems: list[Problem] = []
    for one in definitions:
        if one.voice not in voices:
            near = suggest(one.voice, voices)
            hint = f"; did you mean {near}?" if near else ""
            message = f"there are no texts for {one.voice!r}; expected one of {', '.join(voices)}{hint}"
            problems.append(Problem(f"agents/{one.slug}/agent.md", one.lines.get("voice", 0), "voice", message))
    return problems


def _unknown(configuration: Configuration, key: str, value: str, known: list[str]) -> Problem:
    """Return the problem that a setting names nothing there is, with the line that sets it."""
    _, origin = configuration.explain(key)[0]
    file, _, line = origin.rpartition(":")
    near = suggest(value, known)
    message = f"there is no {value!r}; expected one of {', '.join(known)}" + (f"; did you mean {near}?" if near else "")
    return Problem(file or f"config/{configuration.find(key)[0]}.md", int(line) if file else 0, key, message)


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
    _assign_ids(vault, minds, state.next_id if state else FIRST_ID, writable=writable)
    files, problems = load_world_files(vault)
    files = [one for one in files if one.thing.id]  # a reader writes no id
    problems += minds.give_way({one.thing.id: one.file for one in files})
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


def _assign_ids(vault: Path, minds: Minds, next_id: int, *, writable: bool) -> None:
    """Give an id to whatever a person added without one."""
    files, _ = load_world_files(vault)
    ids = [one.id for one in minds.definitions.values()] + [one.thing.id for one in files]
    free = max([next_id, *(int(id[1:]) + 1 for id in ids if id)])
    minds.assign_ids(assign_ids(vault, files, free) if writable else free)


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
            problems.append(misplaced(definition, locations))
            place = locations[0]
        placed.append((definition.thing(), None if definition.person or place is None else place.id))
    return placed, problems


def misplaced(definition: Definition, locations: Iterable[Thing]) -> Problem:
    """Return the problem that an agent's file puts it nowhere."""
    names = [one.name for one in locations]
    wanted = definition.location or ""
    near = suggest(link_name(wanted) or wanted, names)
    message = f"there is no location {wanted!r}; expected one of {', '.join(names)}"
    file, line = f"agents/{definition.slug}/agent.md", definition.lines.get("location", 0)
    return Problem(file, line, "location", message + (f"; did you mean {near}?" if near else ""))


def find_location(wanted: str, locations: Iterable[Thing]) -> Thing | None:
    """Return the location that a link, a name or an id means exactly; None when none does."""
    target = link_name(wanted) or wanted.strip()
    name = plain(target)
    for one in locations:
        if target == one.id or name in {plain(own) for own in one.names}:
            return one
    return None
