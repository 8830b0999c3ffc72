"""Put the parts of a vault together: settings, texts, world, minds, engine. Used by `run` and by the tools alike."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from functools import cached_property
from pathlib import Path
from random import Random
from typing import NamedTuple

from agents.agent import Agent
from agents.commands import Answerer
from agents.compaction.strategies import Strategy
from agents.compaction.summarizer import Style, Summarizer, parse_style
from agents.definition import find_definition
from agents.life.prompting import Prompting
from agents.llm.backend import Backend, Completion
from agents.llm.budget import BudgetSettings, ModelBudget, read_spending, write_spending
from agents.llm.profiles import LLMProfile
from agents.llm.queue import ModelQueue, Task, Urgency
from agents.mind.services import Ask, Services
from agents.mind.settings import ThinkingSettings, offers
from agents.mind.templates import Templates
from agents.population.directory import AGENT, agent_file
from agents.population.population import Population
from agents.prompt.prompt import Prompt
from agents.prompt.template import Template
from agents.recall.recall import RecallService
from agents.recall.settings import RecallSettings
from agents.recall.vectors import EmbeddingBudget
from mud.clock import Clock
from mud.commands import Command
from mud.engine.engine import Engine
from mud.engine.ledger import Ledger
from mud.engine.recovery import state_of
from mud.errors import LociError, Problem, VaultLocked, VaultProblem
from mud.registry import Registry, collect, load
from mud.sanitize import visible
from mud.server.checks import EMBED, FAMILIES, SCHEMAS, check_files, thought_templates, unknown_in, voices_in
from mud.server.known_hosts import KnownHosts
from mud.server.opening import open_world, saved_state
from mud.server.phrases import load_phrases
from mud.storage.configuration import Configuration
from mud.storage.files import VaultLock, sweep_leftovers
from mud.storage.paths import SHIPPED, missing_in
from mud.storage.texts import TextStore
from mud.storage.world_files import WorldFiles
from mud.storage.world_state import STATE, SavedState, write_state
from mud.world.narration import listed

__all__ = [
    "FAMILIES",
    "SCHEMAS",
    "SHIPPED",
    "Parts",
    "RealClock",
    "load_commands",
    "must_have_words",
    "opened",
    "opened_for_recall",
]


class RealClock:
    """The machine's clock."""

    zone: tzinfo | None = None

    def now(self) -> datetime:
        """Return the time of day in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Return seconds that never go back."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


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
        world_files: the world's files.
        ledger, engine: the world's steps and its door.
        unread: what stays in the saved state of things whose files cannot be read.
        prompting: builds the prompts of thoughts.
        writable: this process holds the vault's lock.
        met_hosts: tells the owner of hosts of models that answer for the first time.
        met: what was found wrong while it was opened, and may be mended by that.
        reading: why a tool that would rather write only reads; empty when there is no such reason.
    """

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
    unread: SavedState
    prompting: Prompting
    writable: bool
    met_hosts: KnownHosts
    met: list[Problem] = field(default_factory=list)
    reading: str = ""

    @cached_property
    def problems(self) -> list[Problem]:
        """What is wrong in the vault's files, as they stood when this was first asked for."""
        return list(dict.fromkeys([*self.met, *check_files(self.vault)]))

    def told_at_start(self) -> list[str]:
        """Return every mistake in the vault's files, a line each, and after them what the world does meanwhile."""
        wrong = dict.fromkeys(problem.file for problem in self.problems)
        world, minds = self.engine.world, self.minds
        used = {file for one, file in self.world_files.homes.items() if one in world.things}
        used |= {one.file for one in minds.definitions.values()}
        lines = [str(problem) for problem in self.problems]
        if wrong:
            lines.append("until they are mended, the world goes by what can be read of these files")
        for file in wrong:
            folder, *_, name = Path(file).parts
            if file in used or not (self.vault / file).is_file() or file == STATE:
                continue
            if folder == "world":
                lines.append(f"what {visible(file)} describes is not in the world until then")
            elif folder == "agents" and name == AGENT:
                lines.append(f"{minds.roster.called(Path(file).parent.name)} is not in the world until then")
        return lines

    def save(self) -> str:
        """Write the state, once everything that it includes is in the archives and on the disk.

        Returns:
            Why it is not written, as something is not there yet; empty when it is.

        Raises:
            OSError: when it cannot be written.
        """
        if why := self.unwritten():
            return why
        if not self.sync():  # after a power cut only the ledger's steps after this state are applied
            return "the disk does not confirm an archive"
        world = self.engine.world
        names = {thing.id: thing.name for thing in world.things.values()}
        write_state(self.vault, state_of(world, self.engine.number, self._homes(), self.unread), names)
        return ""

    def unwritten(self) -> str:
        """Return whose archives lack what the ledger left with them, in words; empty when there is nobody."""
        names = [
            agent.memory.name
            for agent in self.minds.opened()
            if agent.memory.waiting or agent.memory.missing_from is not None
        ]
        names += ["somebody whose memory cannot be opened"] if self.minds.owed else []
        return f"no archive has all that the ledger left with {listed(names)}" if names else ""

    def _homes(self) -> dict[str, str]:
        """Return the file of each thing, by id; in order, so that the state does not change where nothing does."""
        agents = {one: agent_file(slug) for one, slug in self.minds.roster.homes.items()}
        return dict(sorted({**self.world_files.homes, **agents}.items()))

    def voice(self, voice: str, key: str) -> tuple[str, ...]:
        """Return what minds may say: the variants of a text in one voice, else in the voice `default`."""
        return self.texts.variants(f"instinct.{voice}.{key}") or self.texts.variants(f"instinct.default.{key}")

    def sync(self) -> bool:
        """Force ledger and archives onto the disk, and return whether it confirmed every archive.

        Raises:
            OSError: when it refuses the ledger.
        """
        self.ledger.sync()
        confirmed = [agent.memory.sync() for agent in self.minds.opened()]  # each, whatever another's answer
        return all(confirmed)


class ModelSource(NamedTuple):
    """How language models are asked.

    Args:
        backends: the ways to reach one.
        chance: makes the jitter of pauses before a further try.
    """

    backends: Registry[Backend]
    chance: Random


@contextmanager
def opened(
    vault: Path, *, writable: bool, clock: Clock | None = None, alone: bool = False, asked: ModelSource | None = None
) -> Iterator[Parts]:
    """Open a vault, put its parts together, and let go of it at the end.

    Args:
        vault: its folder.
        writable: take the lock; without it nothing is written or repaired.
        clock: the time; the machine's when None.
        alone: nobody is served meanwhile and all goes by rules: no language model is asked for summaries and counts,
            and the index works at once instead of in the background.
        asked: how models are asked, also where nobody is served; None for as the program does.

    Raises:
        LociError: when there is no vault, another process writes to it, or nothing can be made of it.
    """
    vault = vault_in(vault)
    if not writable:
        yield _put_together(vault, clock or RealClock(), writable=False, alone=alone, asked=asked)
        return
    with VaultLock(vault), _opened_to_write(vault, clock or RealClock(), alone=alone, asked=asked) as parts:
        yield parts


def vault_in(folder: Path) -> Path:
    """Return a vault's folder by its own path, without a link; from there on no link is followed unasked.

    Args:
        folder: as somebody named it.

    Raises:
        LociError: no vault is there.
    """
    vault = folder.resolve()
    if lacking := missing_in(vault):
        why = f" (it lacks {lacking})" if vault.is_dir() else ""
        end = "name one with --vault, or start in the folder that has it"
        raise LociError(f"there is no vault in {folder}{why}; {end}")
    return vault


@contextmanager
def _opened_to_write(
    vault: Path, clock: Clock, *, alone: bool = False, asked: ModelSource | None = None
) -> Iterator[Parts]:
    """Open a vault whose lock is held."""
    for folder in (vault / "world", *vault.glob("world/*/"), *vault.glob("agents/*/")):
        sweep_leftovers(folder)
    parts = _put_together(vault, clock, writable=True, alone=alone, asked=asked)
    with ExitStack() as closing:  # each of these, whatever becomes of the others
        closing.callback(write_spending, vault, parts.queue.budget)
        closing.callback(lambda: parts.ledger.close())
        closing.callback(_close_memories, parts)
        yield parts


def _close_memories(parts: Parts) -> None:
    for agent in parts.minds.opened():
        agent.memory.close()


@contextmanager
def opened_for_recall(vault: Path) -> Iterator[Parts]:
    """Open a vault for a question: to write when that can be, so that the index can be completed, else to read.

    Args:
        vault: its folder.

    Raises:
        LociError: as `opened`.
    """
    vault = vault_in(vault)
    with ExitStack() as stack:
        try:
            stack.enter_context(VaultLock(vault))
            parts = stack.enter_context(_opened_to_write(vault, RealClock()))
        except (VaultLocked, VaultProblem, OSError) as error:
            stack.close()
            parts = _put_together(vault, RealClock(), writable=False)
            used = isinstance(error, VaultLocked)
            parts.reading = "the vault is in use" if used else f"the vault cannot be written to ({error})"
        yield parts


def load_commands() -> Registry[Command]:
    """Return everything that can be typed."""
    return load("mud.commands", Command, "command").joined(collect("agents.commands", Command))


def _put_together(
    vault: Path, clock: Clock, *, writable: bool, alone: bool = False, asked: ModelSource | None = None
) -> Parts:
    configuration = Configuration(vault, SCHEMAS, FAMILIES)
    texts = TextStore(vault / "text", SHIPPED / "text")
    templates = thought_templates(vault, configuration, lambda: minds.definitions.values())
    summaries = Templates(vault / "prompts/summaries", None, parse_style, "prompts/summaries")
    for part in (configuration, texts, summaries):
        part.load()  # what is wrong is said by `check_files`
    budget = ModelBudget(lambda: configuration.get(BudgetSettings), clock)
    read_spending(vault, budget)
    commands = load_commands()
    backends, chance = asked or ModelSource(load("agents.llm.backends", Backend, "backend"), Random())
    queue = ModelQueue(_profiles(configuration, commands), backends, clock, chance=chance, budget=budget)
    by_model = not alone or asked is not None
    met_hosts = KnownHosts(vault, texts.render, writable=writable)
    if writable:
        queue.hosts.on_answer = met_hosts

    def embedder() -> LLMProfile | None:
        return configuration.get_named(LLMProfile, EMBED) if EMBED in configuration.names(LLMProfile) else None

    def embedded() -> None:
        if (profile := embedder()) is not None:
            met_hosts(profile.host, profile.model)

    embedding_budget = EmbeddingBudget(budget, lambda who: _name_of(minds, who), clock, embedded)
    recall = RecallService(
        vault,
        lambda: configuration.get(RecallSettings),
        clock,
        private=not writable,
        at_once=alone,
        by=embedder,
        budget=embedding_budget,
    )
    minds = Population(
        Services(
            vault,
            configuration,
            texts.render,
            load("agents.compaction.strategies", Strategy, "strategy"),
            load("agents.compaction.summarizers", Summarizer, "summarizer"),
            recall,
            clock,
            _asker(queue) if by_model else None,
            summaries.named,
            lambda: queue.silent(configuration.names(LLMProfile)),
            writable,
            queue.token_counter if by_model else None,
            queue,
        )
    )
    minds.roster.unknown_in = lambda definition: unknown_in(definition, configuration, voices_in(texts))
    budget.own = _own_limits(configuration, minds)
    minds.inner.load()
    met: list[Problem] = []
    state = saved_state(vault, met, writable=writable)
    world_files = WorldFiles(vault, state.files if state else {})
    minds.roster.lived(state.files if state else {})
    minds.load_definitions()
    templates.load()
    ledger, engine, unread = open_world(
        world_files, state, clock, configuration, texts, commands, minds, met, writable=writable
    )
    prompting = Prompting(minds, templates, commands)
    minds.world = engine.world
    for slug in minds.definitions:
        minds.seed(slug)
    minds.prompt_of, minds.room_of, minds.shed_of = _prompter(prompting), prompting.room, prompting.shed
    return Parts(
        vault, clock, configuration, texts, templates, summaries, commands,
        load("agents.commands", Answerer, "request"),
        queue, recall, minds, world_files, ledger, engine, unread, prompting, writable, met_hosts, met,
    )  # fmt: skip


def _profiles(configuration: Configuration, commands: Registry[Command]) -> Callable[[str], LLMProfile]:
    """Return what gives an LLM profile by its name; whose replies are commands knows those that all are offered."""
    offered = offers(commands)

    def profile(name: str) -> LLMProfile:
        found = configuration.get_named(LLMProfile, name)
        if not found.commands_only:
            return found
        known = offered[configuration.get(ThinkingSettings).self_changes]
        return replace(found, commands=tuple(one.usage for one in known))

    return profile


def _own_limits(configuration: Configuration, minds: Population) -> Callable[[str], BudgetSettings]:
    """Return what gives the limits of the budget as they hold for an agent, by its name."""

    def limits(owner: str) -> BudgetSettings:
        definition = find_definition(owner, minds.definitions)
        return configuration.for_agent(BudgetSettings, definition.overrides if definition is not None else {})

    return limits


def must_have_words(texts: TextStore) -> None:
    """Make sure that the vault has words for all that the program says, be they lent; without them it cannot run.

    Raises:
        LociError: names what is missing.
    """
    missing = [one.key for one in load_phrases() if not texts.variants(one.key)]
    if missing:
        source = f"copy them from {SHIPPED / 'text'}"
        raise LociError(f"the vault's text/ has no words for {missing[0]} and {len(missing) - 1} more; {source}")


def _name_of(minds: Population, who: str) -> str:
    """Return the name of whose id this is; the id when there is nobody."""
    return next((one.name for one in minds.definitions.values() if one.id == who), who)


def _asker(queue: ModelQueue) -> Ask:
    """Return what asks the model of an agent's summaries."""

    async def ask(owner: str, prompt: str, profile: str) -> Completion:
        return await queue.ask(lambda: prompt, profile, Urgency.SUMMARIZE, owner, task=Task.SUMMARIES)

    return ask


def _prompter(prompting: Prompting) -> Callable[[Agent], Awaitable[Prompt]]:
    async def prompt_of(agent: Agent) -> Prompt:
        return prompting.build(agent, await prompting.related(agent), thinks=True)

    return prompt_of


def spare_what_stays() -> None:
    """Have Python's collector pass over what is there now.

    Modules, world and minds stay; walking all of them stopped the event loop for 20 to 40 ms once in a while.
    """
    gc.collect()
    gc.freeze()
