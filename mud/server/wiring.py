"""Connects the parts of a vault: settings, texts, world, agents, engine. Used by `run` and by all tools."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from functools import cache, cached_property, partial
from pathlib import Path
from random import Random
from typing import NamedTuple

from agents.agent import Ask, Services
from agents.brains import Brain
from agents.commands import Answerer, mind_commands
from agents.compaction.strategies import Strategy
from agents.compaction.summarizer import Style, Summarizer, parse_style
from agents.definition import find_definition, things_of
from agents.directory import AGENT, agent_file
from agents.life.prompting import Prompting
from agents.llm.backend import Backend, Completion
from agents.llm.profiles import LLMProfile
from agents.llm.queue import ModelQueue, Task, Urgency
from agents.llm.spending import BudgetSettings, ModelBudget, read_spending, write_spending
from agents.mind.interpreter import InterpreterFiles
from agents.mind.settings import ThinkingSettings, offers
from agents.mind.templates import Templates
from agents.population import Population
from agents.prompt.prompt import Template
from agents.recall.recall import RecallService
from agents.recall.settings import RecallSettings
from agents.recall.vectors import EmbeddingBudget
from mud.clock import Clock
from mud.commands import Command
from mud.engine.engine import Engine
from mud.engine.ledger import Ledger
from mud.errors import LociError, Problem, VaultLocked, VaultProblem
from mud.registry import Registry, collect, load
from mud.sanitize import visible
from mud.server.checks import (
    EMBED,
    FAMILIES,
    SCHEMAS,
    load_phrases,
    thought_templates,
    unknown_in,
    voices_in,
    with_met,
)
from mud.server.known_hosts import KnownHosts
from mud.server.opening import open_world, saved_state, state_of
from mud.storage.accounts import AccountFiles
from mud.storage.building_log import BuildingLog
from mud.storage.configuration import Configuration
from mud.storage.files import lock_vault, sweep_leftovers
from mud.storage.lease import held_here
from mud.storage.paths import OUTSIDE, SHIPPED, may_be_read, missing_in, unsafe
from mud.storage.texts import TextStore
from mud.storage.world_files import STATE, SavedState, WorldFiles, write_state
from mud.world.matching import plain
from mud.world.narration import listed

LARGE = 4000
"""Things and people of a vault whose files are checked while the world runs already."""
UNCONFIRMED = "it refuses an archive"
"""Why not everything is on disk; the warnings of the agents' memories say more."""


class RealClock:
    """The machine's clock."""

    zone: tzinfo | None = None

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


@dataclass
class Parts:
    """An opened vault and its parts."""

    vault: Path
    clock: Clock
    configuration: Configuration
    texts: TextStore
    templates: Templates[Template]
    summary_prompts: Templates[Style]
    commands: Registry[Command]
    answerers: Registry[Answerer]
    queue: ModelQueue
    recall: RecallService
    minds: Population
    world_files: WorldFiles
    ledger: Ledger
    engine: Engine
    unread: SavedState  # the saved state of things whose files cannot be read; kept when saving
    prompting: Prompting
    writable: bool  # this process holds the vault's lock
    met_hosts: KnownHosts
    interpreter: InterpreterFiles
    accounts: AccountFiles
    met: list[Problem] = field(default_factory=list)  # problems found while opening, which opening may have repaired
    reading: str = ""  # why a tool that wanted to write only reads; empty otherwise
    _homes: tuple[dict[str, str], dict[str, str]] = ({}, {})  # by id, the files and the agents' folders when last saved
    _files: dict[str, str] = field(default_factory=dict)  # of these, the file of each id, sorted

    @cached_property
    def problems(self) -> list[Problem]:
        """Problems in the vault's files, as of the first access."""
        return with_met(self.met, self.vault)

    @property
    def is_large(self) -> bool:
        """Whether checking all files takes seconds, so that the world does not wait for it."""
        return len(self.minds.definitions) + len(self.world_files.homes) > LARGE

    def told_at_start(self) -> list[str]:
        """Return every problem, one a line, and then what the world does until they are fixed."""
        wrong = dict.fromkeys(problem.file for problem in self.problems)
        world, minds = self.engine.world, self.minds
        used = {file for one, file in self.world_files.homes.items() if one in world.things}
        used |= {one.file for one in minds.definitions.values()}
        lines = [str(problem) for problem in self.problems]
        if wrong:
            lines.append("until they are mended, the world goes by what can be read of these files")
        for file in wrong:
            folder, name = Path(file).parts[0], Path(file).name
            if file in used or not (self.vault / file).is_file() or file == STATE:
                continue
            if folder == "world":
                lines.append(f"what {visible(file)} describes is not in the world until then")
            elif folder == "agents" and name == AGENT:
                called = minds.roster.called(Path(file).parent.name)
                there = any(plain(called) == plain(one.name) for one in world.things.values())
                who = f"who {visible(file)} describes" if there else called
                lines.append(f"{who} is not in the world until then")
        return lines

    def save(self) -> str:
        """Write the state once all that it includes is in the archives and on disk. Raises OSError.

        Returns why it was not written; empty when it was.
        """
        state = self.state()
        if why := self.unwritten() or self.sync():  # after a power cut only ledger steps after this state are applied
            return why
        self.write(state)
        return ""

    def state(self) -> SavedState:
        """Return the state as it is now, with all that it includes written to the archives, if they can be."""
        self.minds.held.write()
        self.ledger.begin()  # what is saved may be no step of the ledger: persons who were sent away at the start
        if (homes := (self.world_files.homes, self.minds.roster.homes)) != self._homes:  # seldom
            self._homes = dict(homes[0]), dict(homes[1])
            agents = {one: agent_file(slug) for one, slug in homes[1].items()}
            self._files = dict(sorted({**homes[0], **agents}.items()))  # an unchanged state is written unchanged
        return state_of(self.engine.world, self.engine.number, self._files, self.unread)

    def write(self, state: SavedState) -> None:
        """Write a state, all of which must be on disk; may run in a thread. Raises OSError."""
        things = tuple(self.engine.world.things.values())
        write_state(self.vault, state, {thing.id: thing.name for thing in things})

    def unwritten(self, through: float = math.inf) -> str:
        """Return a sentence on the archives that lack entries of the ledger, up to a step; empty when none does."""
        memories = [agent.memory for agent in self.minds.in_use()]
        names = [one.name for one in memories if one.waiting or one.missing_from is not None]
        names += ["somebody whose memory cannot be opened"] if self.minds.owed else []
        names += [self.minds.definitions[slug].name for slug in self.minds.unconfirmed(through)]
        return f"no archive has all that the ledger left with {listed(names)}" if names else ""

    def voice(self, voice: str, key: str) -> tuple[str, ...]:
        """Return the variants of a text in a voice, or in the voice `default` if it has none."""
        return voiced(self.texts, voice, key)

    def sync(self, *, archives: bool = True) -> str:
        """Sync ledger and archives to disk. Return why the disk did not confirm all of it; empty when it did.

        Without `archives` it is the ledger alone, which has all that they lack since the saved state.
        """
        why = ""
        try:
            self.ledger.sync()
        except OSError as error:
            why = error.strerror or str(error)
        return why or (UNCONFIRMED if archives and not self.minds.sync() else "")


def voiced(texts: TextStore, voice: str, key: str) -> tuple[str, ...]:
    """Return the variants of a text in a voice, or in the voice `default` if it has none."""
    return texts.variants(f"instinct.{voice}.{key}") or texts.variants(f"instinct.default.{key}")


class ModelSource(NamedTuple):
    """How language models are asked; `chance` makes the jitter of pauses between retries."""

    backends: Registry[Backend]
    chance: Random


Lends = Callable[[Configuration], bool]


def keeps(configuration: Configuration) -> bool:
    """Lend no minds; see `opened`."""
    return False


@contextmanager
def opened(
    vault: Path,
    *,
    writable: bool,
    clock: Clock | None = None,
    alone: bool = False,
    asked: ModelSource | None = None,
    lends: Lends = keeps,
) -> Iterator[Parts]:
    """Open a vault, connect its parts, and close it at the end.

    Args:
        writable: take the lock; without it nothing is written or repaired.
        clock: None for the machine's clock.
        alone: no world runs: summaries and token counts use no model, and indexing is not done in the background.
        asked: how models are asked, even with `alone`; None for the default.
        lends: returns, for the settings, whether agents' minds live apart from this process, which opens none then.

    Raises:
        LociError: there is no vault, another process holds its lock, or it cannot be opened.
    """
    vault = vault_in(vault)
    if not writable:
        yield _put_together(vault, clock or RealClock(), writable=False, alone=alone, asked=asked)
        return
    with lock_vault(vault), _opened_to_write(vault, clock or RealClock(), lends, alone=alone, asked=asked) as parts:
        yield parts


def vault_in(folder: Path) -> Path:
    """Return the resolved path of a vault; raise a LociError if there is none."""
    vault = folder.resolve()
    if lacking := missing_in(vault):
        why = f" (it lacks {lacking})" if vault.is_dir() else ""
        end = "name one with --vault, or start in the folder that has it"
        raise LociError(f"there is no vault in {folder}{why}; {end}")
    return vault


@contextmanager
def _opened_to_write(
    vault: Path, clock: Clock, lends: Lends = keeps, *, alone: bool = False, asked: ModelSource | None = None
) -> Iterator[Parts]:
    for folder in (vault / "world", *vault.glob("world/*/")):  # each agent's is swept when it is opened
        sweep_leftovers(folder)
    BuildingLog(vault).complete(clock.now())
    parts = _put_together(vault, clock, lends, writable=True, alone=alone, asked=asked)
    with ExitStack() as closing:  # runs every callback even if one fails
        closing.callback(write_spending, vault, parts.queue.budget)
        closing.callback(lambda: parts.ledger.close())
        closing.callback(_close_memories, parts)
        yield parts


def _close_memories(parts: Parts) -> None:
    for agent in parts.minds.in_use():
        agent.memory.close()
        if (lease := held_here(agent.folder)) is not None:
            lease.give_back()


@contextmanager
def opened_for_recall(vault: Path) -> Iterator[Parts]:
    """Open a vault to write if possible, so that the index can be completed, else to read. Raises as `opened` does."""
    vault = vault_in(vault)
    with ExitStack() as stack:
        try:
            stack.enter_context(lock_vault(vault))
            parts = stack.enter_context(_opened_to_write(vault, RealClock()))
        except (VaultLocked, VaultProblem, OSError) as error:
            stack.close()
            parts = _put_together(vault, RealClock(), writable=False)
            used = isinstance(error, VaultLocked)
            parts.reading = "the vault is in use" if used else f"the vault cannot be written to ({error})"
        yield parts


def load_commands() -> Registry[Command]:
    """Return every command."""
    return load("mud.commands", Command, "command").joined(mind_commands())


@cache
def load_brains() -> Registry[Brain]:
    """Return the brains; the language brain gets every verb, to tell commands from prose.

    The engine decides which of them an agent may use, so that a refused command is a failure the agent remembers.
    """
    # Imported here because it is a fifth of all imports, and the player need not wait for it.
    from agents.brains.language import LANGUAGE, language

    found = [one for one in collect("agents.brains", Brain) if one.name != LANGUAGE.name]
    return Registry("brain", [*found, language(load_commands().words())])


def _put_together(
    vault: Path,
    clock: Clock,
    lends: Lends = keeps,
    *,
    writable: bool,
    alone: bool = False,
    asked: ModelSource | None = None,
) -> Parts:
    configuration, texts = Configuration(vault, SCHEMAS, FAMILIES), TextStore(vault / "text", SHIPPED / "text")
    summaries = Templates(vault / "prompts/summaries", None, parse_style, "prompts/summaries")
    for part in (configuration, texts, summaries):
        part.load()  # problems are reported by `check_files`
    commands, met_hosts = load_commands(), KnownHosts(vault, texts.render, writable=writable)
    queue = model_queue(vault, configuration, commands, clock, asked, met_hosts if writable else None, lambda: minds)
    recall = _recall(vault, configuration, clock, queue, met_hosts, lambda: minds, writable=writable, alone=alone)
    asks = queue if not alone or asked is not None else None
    minds = population(vault, configuration, texts, summaries, recall, clock, queue, asks, writable=writable)
    minds.lends = lends(configuration)
    minds.inner.load()
    accounts = AccountFiles(vault)
    met = accounts.load()
    state = saved_state(vault, met, writable=writable)
    world_files = WorldFiles(vault, state.files if state else {})
    minds.roster.lived(state.files if state else {})
    minds.load_definitions()
    if writable:
        minds.roster.keep()
    world_files.minds = lambda: things_of(minds.definitions.values())
    templates = thought_templates(vault, configuration, lambda: minds.definitions.values())
    templates.load()
    ledger, engine, unread = open_world(
        world_files, state, clock, configuration, texts, commands, minds, met, accounts, writable=writable
    )
    prompting = Prompting(minds, templates, commands)
    minds.live_in(engine.world, prompting)
    for agent in minds.in_use():
        minds.import_written(agent.slug)
    return Parts(
        vault, clock, configuration, texts, templates, summaries, commands,
        load("agents.commands", Answerer, "request"),
        queue, recall, minds, world_files, ledger, engine, unread, prompting, writable, met_hosts,
        InterpreterFiles(vault), accounts, met,
    )  # fmt: skip


def population(
    vault: Path,
    configuration: Configuration,
    texts: TextStore,
    summaries: Templates[Style],
    recall: RecallService,
    clock: Clock,
    queue: ModelQueue,
    asks: ModelQueue | None,
    *,
    writable: bool,
) -> Population:
    """Return the minds of a vault, none of them opened; `asks` is the queue when models may be asked, else None."""
    return Population(
        Services(
            vault, configuration, texts.render,
            load("agents.compaction.strategies", Strategy, "strategy"),
            load("agents.compaction.summarizers", Summarizer, "summarizer"),
            recall, clock, _asker(asks) if asks is not None else None, summaries.named,
            lambda: queue.silent(configuration.names(LLMProfile)),
            writable, asks.token_counter if asks is not None else None, queue,
        ),
        lambda definition: unknown_in(definition, configuration, voices_in(texts)),
    )  # fmt: skip


def model_queue(
    vault: Path,
    configuration: Configuration,
    commands: Registry[Command],
    clock: Clock,
    asked: ModelSource | None,
    on_answer: KnownHosts | None,
    minds: Callable[[], Population],
) -> ModelQueue:
    backends, chance = asked or ModelSource(load("agents.llm.backends", Backend, "backend"), Random())
    offered = offers(commands)

    def own_limits(owner: str) -> BudgetSettings:
        definition = find_definition(owner, minds().definitions)
        return configuration.for_agent(BudgetSettings, definition.overrides if definition is not None else {})

    def profile(name: str) -> LLMProfile:
        found = configuration.get_named(LLMProfile, name)
        if not found.commands_only:
            return found
        known = offered[configuration.get(ThinkingSettings).self_changes]
        return replace(found, commands=tuple(one.usage for one in known))

    budget = ModelBudget(lambda: configuration.get(BudgetSettings), clock, own_limits)
    read_spending(vault, budget)
    told = on_answer or (lambda host, model: None)
    return ModelQueue(profile, backends, clock, chance=chance, budget=budget, on_answer=told)


def _recall(
    vault: Path,
    configuration: Configuration,
    clock: Clock,
    queue: ModelQueue,
    met_hosts: KnownHosts,
    minds: Callable[[], Population],
    *,
    writable: bool,
    alone: bool,
) -> RecallService:
    def embedder() -> LLMProfile | None:
        return configuration.get_named(LLMProfile, EMBED) if EMBED in configuration.names(LLMProfile) else None

    def embedded() -> None:
        if (profile := embedder()) is not None:
            met_hosts(profile.host, profile.model)

    def name_of(who: str) -> str:
        return next((one.name for one in minds().definitions.values() if one.id == who), who)

    settings, budget = (
        partial(configuration.get, RecallSettings),
        EmbeddingBudget(queue.budget, name_of, clock, embedded),
    )
    return RecallService(vault, settings, clock, private=not writable, at_once=alone, by=embedder, budget=budget)


def _asker(queue: ModelQueue) -> Ask:
    async def ask(owner: str, prompt: str, profile: str) -> Completion:
        return await queue.ask(lambda: prompt, profile, Urgency.SUMMARIZE, owner, task=Task.SUMMARIES)

    return ask


def must_have_words(texts: TextStore) -> None:
    """Raise a LociError if a phrase has no text in the vault or in the shipped texts."""
    missing = [one.key for one in load_phrases() if not texts.variants(one.key)]
    if missing:
        if not may_be_read(texts.folder):
            raise unsafe(texts.folder, OUTSIDE)
        source = f"copy them from {SHIPPED / 'text'}"
        raise LociError(f"the vault's text/ has no words for {missing[0]} and {len(missing) - 1} more; {source}")
