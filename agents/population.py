"""All agents of a vault: finding, opening, perceiving, searching, noting and folding; for thinking see `agents.life`.

Also works without a running world, for the tools of the command line.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from agents.agent import Agent, Services
from agents.compaction.due import fold_due
from agents.compaction.folds import Commit, no_fold
from agents.compaction.status import Facts, Shed, origins, status
from agents.compaction.strategies import SLEEP
from agents.compaction.turns import FoldPace, FoldTurns
from agents.compaction.view import UNLIMITED
from agents.definition import AgentDefinition, find_definition
from agents.definition_cache import DefinitionCache
from agents.directory import AGENT, AgentDirectory, UnknownNames
from agents.memory.archive import OpenArchives
from agents.memory.corrections import Correction
from agents.memory.entries import Entry
from agents.memory.history import corrected_since, last_values, read_weighed
from agents.memory.memory import Memory
from agents.memory.note_form import Note
from agents.memory.resting import lived_before
from agents.memory.seeds import fresh
from agents.mind.actor import by_witness, left_by
from agents.mind.settings import ThinkingSettings
from agents.prompt.prompt import Prompt
from agents.reflection import Reflection
from mud.clock import Clock, iso
from mud.engine.engine import Step
from mud.errors import LociError, Problem, Refusal, Unavailable, UnknownName
from mud.storage.files import sync_file_system, write_atomic
from mud.storage.lease import held_here, holder_of, take
from mud.supervise import done_within
from mud.world.events import Perception, Request
from mud.world.world import World

log = logging.getLogger(__name__)

CROWD = 8
"""Witnesses of one step up to which each one's archive is written at once."""
SYNCED_SINGLY = 64
"""Archives that are synced one by one at most."""
OPEN_FILES = 64
"""Archives whose files are open at once."""
WRITTEN_AT_ONCE = 8
"""Archives written between two looks at other tasks; each may wait for the disk."""

T = TypeVar("T")


class Prompter(Protocol):
    """Builds the next prompts of agents."""

    async def next_prompt(self, agent: Agent) -> Prompt: ...

    def room(self, agent: Agent) -> int:
        """Return the tokens for summaries and memories in an agent's next prompt."""

    def shed(self, agent: Agent) -> Shed | None:
        """Return what an agent's next prompt leaves out; None without a prompt."""


class Population:
    """The agents of one vault; `world` and `prompting` are None until `live_in`."""

    def __init__(self, means: Services, unknown_in: UnknownNames) -> None:
        self.means = means
        self.say = means.say
        self.inner = Reflection(means)
        self.roster = AgentDirectory(
            means.vault / "agents",
            means.configuration.schemas,
            unknown_in,
            cache=DefinitionCache(means.vault / "agents"),
        )
        self.definitions: dict[str, AgentDefinition] = self.roster.definitions
        self.drafts: Mapping[str, AgentDefinition] = self.roster.drafts
        self.world: World | None = None
        self.prompting: Prompter | None = None
        self.send_away: Callable[[AgentDefinition], None] | None = None
        """Removes a character from the world for good; set once the vault is watched."""
        self.resting = PauseState()
        self._agents: dict[str, Agent] = {}
        self._by_id: dict[str, Agent] = {}
        self.archives = OpenArchives(OPEN_FILES)
        self._hot: dict[str, Agent] = {}
        """By folder, those whose tail is in RAM, the one that was used longest ago first."""
        self._unopened: dict[str, str] = {}
        """The folders, by id, of agents in the world whose memory nobody needed so far."""
        self.on_open: Callable[[Agent], None] = lambda agent: None
        """Called after an agent of `_unopened` was opened."""
        self.turns = FoldTurns(means.clock)
        self.folds = FoldTasks(means.clock, self._fold_due, self.by_slug)
        self.asleep: dict[str, str] = {}
        """Folders of agents whose memory could not be opened, with the reason."""
        self.owed = False
        """Whether the ledger has steps that are missing in an archive."""
        self.lends = False
        """Whether the minds of agents live apart from the world, so that none is opened here."""
        self.unsent: list[tuple[str, int, str, list[Perception]]] = []
        """What the ledger left with minds that live apart, before they are lent: id, step, time, perceptions."""
        self.unconfirmed: Callable[[float], list[str]] = lambda through: []
        """Returns the folders of the minds that live apart and lack something on disk of the ledger, up to a step."""
        self.holds_for = 0.0
        """Seconds for which what a crowd perceived may be held, to be written in groups; with 0 it never is."""
        self._holding: dict[str, Agent] = {}
        """By folder, the agents with held entries of a crowd."""
        self._cold_holding: dict[str, Agent] = {}
        """By folder, the cold minds with held entries, which are written with the next saved state."""
        self._crowded = False
        self._indexing: Counter[str] = Counter()
        """By folder, how many tasks bring an agent's index up to date."""
        self.folded = 0
        """How many folds were committed since the start."""
        self.on_close: Callable[[Agent], None] = lambda agent: None
        """Called before an agent is closed."""
        self.on_correction: Callable[[Agent], None] = lambda agent: None
        """Called when memories of an agent were corrected, after which it must not speak of what it bore in mind."""

    def live_in(self, world: World, prompting: Prompter) -> None:
        self.world, self.prompting = world, prompting

    def room_of(self, agent: Agent) -> int:
        """Return the tokens for summaries and memories in an agent's next prompt."""
        return self.prompting.room(agent) if self.prompting is not None else UNLIMITED

    def load_definitions(self) -> list[Problem]:
        """Read every `agent.md` and return all problems. A wrong file keeps its last good reading."""
        problems = self.roster.load(self.world, {*self._agents, *self._unopened.values()})
        for slug in self._agents:
            self._redefine(slug)
        return problems

    def load_definition(self, slug: str) -> list[Problem]:
        problems = self.roster.load_one(slug, self.world)
        self._redefine(slug)
        return problems

    def _redefine(self, slug: str) -> None:
        agent, definition = self._agents.get(slug), self.definitions.get(slug)
        if agent is not None and definition is not None:
            agent.definition = definition
            agent.memory.name, agent.memory.names = definition.name, definition.names

    def assign_ids(self, number: int, wrote: Callable[[Path, str], None] = lambda path, text: None) -> None:
        """Assign ids from `number` on to agents without one. A writer stores them and calls `wrote` for each file."""

        def write(path: Path, text: str) -> None:
            wrote(path, text)
            write_atomic(path, text)

        self.roster.assign_ids(number, write if self.means.writable else None)

    def open(self, slug: str, *, returns: bool = False) -> Agent:
        """Return the agent in a folder; the first call opens its memory. Raises OSError or LociError.

        The memory of a character that is in another world stays closed, unless it `returns`.
        """
        if slug in self._agents:
            return self._agents[slug]
        journey = self.world.elsewhere.get(self.definitions[slug].id) if self.world is not None else None
        if journey is not None and self.means.writable and not returns:
            raise Unavailable(f"{self.definitions[slug].name} is in another world: {journey.to}")
        if self.is_lent(self.definitions[slug]):
            raise Unavailable(f"the mind of {self.definitions[slug].name} lives apart from the world")
        self._unopened.pop(self.definitions[slug].id, None)
        agent = Agent(self.means, self.definitions[slug], self)
        try:
            if self.means.writable and held_here(agent.folder) is None and holder_of(agent.folder).epoch:
                take(agent.folder)  # it was lent once, and whoever had it may be cut off only
            messages = agent.memory.open(self.means.writable)
            agent.seeds.finish()
        except (LociError, OSError) as error:
            self.asleep[slug] = str(error)
            raise
        self.asleep.pop(slug, None)
        if agent.memory.corrections.last:
            self._finish_corrections(agent)
        self._agents[slug] = self._by_id[agent.id] = agent
        self.used(agent)
        wrong = (
            self.import_written(slug) if self.world is not None else []
        )  # at the start the ledger's entries come first
        for message in (*messages, *wrong):
            log.warning("%s: %s", agent.name, message)
        return agent

    def _finish_corrections(self, agent: Agent) -> None:
        """Bring up to the last correction what a kill may have left behind."""
        if self.means.writable:
            agent.correct_summaries()
        self.means.recall.correct_later(agent.id, partial(corrected_since, agent.memory))

    async def correct(self, agent: Agent, correction: Correction) -> int:
        """Honour a correction from now on, in whatever is shown or found; return how many notes changed.

        Raises OSError or LociError when it cannot be written; then it does not hold.
        """
        notes = agent.correct(correction)
        self.inner.forget(agent)
        self.on_correction(agent)
        await self.means.recall.correct(agent.id, partial(corrected_since, agent.memory), agent.documents)
        return notes

    def import_written(self, slug: str) -> list[Problem]:
        """Import an agent's new hand-written memories; return their problems."""
        agent = self._agents.get(slug)
        if agent is None:
            return fresh(self.means.vault / "agents" / slug)[1]
        entries, problems = agent.seeds.take_up()
        if entries:
            self.remembered(agent, entries)
        return problems

    def opens(self, slug: str) -> bool:
        """Open the agent in a folder and return whether it is open; a failure is not retried."""
        if slug not in self.asleep:
            with suppress(LociError, OSError):  # the reason is kept and reported as a problem
                self.open(slug)
        return slug in self._agents

    def is_lent(self, definition: AgentDefinition) -> bool:
        """Return whether a mind lives apart from the world."""
        return self.lends and not definition.person

    def leave_closed(self, slug: str, saved: float) -> bool:
        """Let the agent in a folder live without opening its memory until that is needed; return whether it may.

        Nothing may be left to do for it: no temporary file, no hand-written memory, and no memory that is newer than
        the saved state, which was written at `saved` by the file system's clock.
        """
        if slug not in self._agents and lived_before(self.means.vault / "agents" / slug, saved):
            self._unopened[self.definitions[slug].id] = slug
            return True
        return False

    def _open_now(self, who: str) -> Agent | None:
        """Open an agent that was left closed; None when it cannot be opened, or is about to leave the world."""
        slug = self._unopened.pop(who)
        if slug not in self.definitions or not (self.means.vault / "agents" / slug / AGENT).exists():
            self._unopened[who] = slug
            return None
        if not self.opens(slug):
            log.warning("%s: %s", self.definitions[slug].name, self.asleep[slug])
            self.owed = True
            return None
        agent = self._agents[slug]
        self.on_open(agent)
        return agent

    def used(self, agent: Agent) -> None:
        """Count an agent among the hot minds, and let the ones used longest ago go cold (`hot_minds`)."""
        slug, hot = agent.slug, self._hot
        if hot.pop(slug, None) is None:
            most = self.means.configuration.get(ThinkingSettings).hot_minds
            for other in list(islice(hot.values(), max(0, len(hot) + 1 - most))):
                if other.memory.rest():
                    del hot[other.slug]
        hot[slug] = agent

    def sleeps(self, who: str) -> bool:
        """Return whether the character with this id sleeps in the world."""
        return self.world is not None and who in self.world.asleep

    def opened(self) -> list[Agent]:
        """Return all agents and the people who are there, opening those that were left closed."""
        for who in list(self._unopened):
            self._open_now(who)
        return self.in_use()

    def in_use(self) -> list[Agent]:
        """Return those whose memory was needed since the start."""
        return list(self._agents.values())

    def thinking_of(self, definition: AgentDefinition) -> ThinkingSettings:
        return self.means.configuration.for_agent(ThinkingSettings, definition.overrides)

    def in_use_by_slug(self, slug: str) -> Agent | None:
        return self._agents.get(slug)

    def lives(self, slug: str) -> bool:
        """Return whether an agent is in the world, or a person there, without opening it."""
        definition = self.definitions.get(slug)
        return slug in self._agents or (definition is not None and definition.id in self._unopened)

    def by_slug(self, slug: str) -> Agent | None:
        """Return the agent in a folder, opening it if it was left closed; None when it is not in the world."""
        agent = self._agents.get(slug)
        if agent is None and self.lives(slug):
            return self._open_now(self.definitions[slug].id)
        return agent

    def let_go(self, agent: Agent) -> None:
        """Close an agent whose `agent.md` was removed; its memories stay on disk."""
        del self._agents[agent.slug], self._by_id[agent.id]
        self._hot.pop(agent.slug, None)
        self.strike(agent.slug)
        agent.memory.close()

    def lose(self, agent: Agent) -> None:
        """Close an agent without writing anything more, as its mind goes on elsewhere."""
        for known in (self._holding, self._cold_holding, self._hot, self._indexing):
            known.pop(agent.slug, None)
        del self._agents[agent.slug], self._by_id[agent.id]
        agent.memory.abandon()

    def close(self, agent: Agent) -> bool:
        """Close an agent until somebody opens it again.

        Returns:
            False, with the agent still open, while some of its memories are not on disk or not in the index, or while
            they are being folded. A fold that is due and has not begun is made after the agent is opened again.
        """
        memory = agent.memory
        if self.folds_soon(agent) or agent.compactor.busy or self._indexing[agent.slug]:
            return False
        memory.write_held()
        if memory.waiting or memory.missing_from is not None or not memory.sync():
            return False
        if not self.means.recall.let_go(agent.id):
            return False
        self.on_close(agent)
        for known in (self._holding, self._hot, self._indexing):
            known.pop(agent.slug, None)
        del self._agents[agent.slug], self._by_id[agent.id]
        memory.close()
        return True

    def strike(self, slug: str) -> None:
        """Forget the definition in a folder that is not opened."""
        definition = self.definitions.pop(slug, None)
        if definition is not None:
            self._unopened.pop(definition.id, None)
        self.roster.drafts.pop(slug, None)
        self.asleep.pop(slug, None)

    def by_id(self, who: str) -> Agent | None:
        """Return the agent of a character, opening it if it was left closed; None when it has none."""
        agent = self._by_id.get(who)
        return self._open_now(who) if agent is None and who in self._unopened else agent

    def of(self, request: Request) -> Agent:
        """Return the agent of the requesting character. Raises Refusal when it has none."""
        agent = self.by_id(request.who)
        if agent is None:
            raise Refusal("This character has no memory of its own.")
        return agent

    def find(self, name: str) -> Agent | None:
        """Return the agent with this name, slug or id, in any case, opening it if needed."""
        definition = find_definition(name, self.definitions)
        return self.open(definition.slug) if definition else None

    def get(self, name: str) -> Agent:
        """Return the agent with this name, slug or id; raises UnknownName, or LociError when its file is unusable."""
        if (agent := self.find(name)) is not None:
            return agent
        if file := self.roster.unusable(name):
            why = "; ".join(map(str, self.roster.wrong.get(Path(file).parent.name, ()))) or "check says why"
            raise LociError(f"{name} is not in the world, as {file} cannot be used: {why}")
        names = ", ".join(sorted(definition.name for definition in self.definitions.values())) or "nobody"
        raise UnknownName(f"there is no agent {name!r}; there is: {names}")

    def observe(self, step: Step) -> None:
        witnesses = by_witness(step.left)
        if self.holds_for > 0:
            self.turns.count(len(step.left))
            self._crowded = len(witnesses) > CROWD
        try:
            for who, perceptions in witnesses.items():
                if (agent := self.by_id(who)) is not None:
                    held = self._crowded or (self.holds_for > 0 and agent.memory.cold)
                    agent.actor.perceive(step.number, step.at, perceptions, hold=held)
                    if held and not self._crowded:
                        self._cold_holding[agent.slug] = agent
        finally:
            self._crowded = False

    def write_held(self) -> None:
        """Write what was held of a crowd's perceptions."""
        while self._holding:
            self._write_some()
        while self._cold_holding:
            self._write_some_cold()

    async def write_out(self) -> None:
        """Write most of what is held, letting other tasks run in between, so that `write_held` has little left."""
        for _ in range((len(self._holding) + len(self._cold_holding)) // WRITTEN_AT_ONCE):
            self._write_some()
            self._write_some_cold()
            await asyncio.sleep(0)

    def _write_some_cold(self) -> None:
        for slug in list(islice(self._cold_holding, WRITTEN_AT_ONCE)):
            self._cold_holding.pop(slug).memory.write_held()

    def _write_some(self) -> None:
        for slug in list(self._holding)[:WRITTEN_AT_ONCE]:
            agent = self._holding.pop(slug)
            agent.memory.write_held()
            if self._agents.get(slug) is agent:
                agent.life.next_turn()

    def _write_in_turns(self) -> None:
        self._write_some()
        if self._holding:
            asyncio.get_running_loop().call_soon(self._write_in_turns)

    def recover(self, record: Mapping[str, Any]) -> None:
        """Append what a ledger record left with characters and their archives lack.

        One step is one write, so an archive holds all of it, nothing, or, after a power cut, the first few entries.
        """
        number, at = record["step"], record.get("at")
        if not isinstance(at, str):
            return  # reported by `mud.server.archive_checks`
        for who, perceptions in by_witness(left_by(record)).items():
            slug = self._slug_of(who)
            if slug is None:
                continue
            if self.is_lent(self.definitions[slug]):
                self.unsent.append((who, number, at, perceptions))
                continue
            if not self.opens(slug):
                self.owed = True
                continue
            memory = self._agents[slug].memory
            if memory.last_source <= number:
                held = memory.last_source_count if memory.last_source == number else 0
                memory.append(perceptions[held:], at, number)

    def _slug_of(self, who: str) -> str | None:
        slug = self.roster.homes.get(who, "")
        if slug in self.definitions and self.definitions[slug].id == who:
            return slug
        return next((slug for slug, one in self.definitions.items() if one.id == who), None)

    def remembered(self, agent: Agent, entries: Sequence[Entry]) -> None:
        """Index new entries, and fold when that is due; with entries of a crowd, after they are written."""
        if entries and self.means.writable:
            self.means.recall.remember(agent.id, entries)
        if not self._crowded:
            agent.life.next_turn()
            return
        if not self._holding:
            asyncio.get_running_loop().call_later(self.holds_for, self._write_in_turns)
        self._holding[agent.slug] = agent

    async def _fold_due(self, agent: Agent) -> None:
        if agent.compactor.view.strategy.by_tokens:
            await agent.measure()  # whether it is due depends on the model's own count
        plan = fold_due(agent.compactor.view)
        if plan is not None and plan.reason == SLEEP:
            agent.keeper.keep(agent.memory.read(plan.first, plan.last))
            self.put_in_order(agent)
        pace = FoldPace(agent.memory, self.turns, lambda: agent.thinker is None)
        await agent.compactor.fold_due(pace)
        pace.end()

    def put_in_order(self, agent: Agent) -> None:
        """Consolidate a sleeping agent's journal."""
        agent.keeper.consolidate(agent.notes, lambda title, text: self.add_note(agent, title, text, None))

    async def fold(self, agent: Agent) -> Commit | None:
        """Fold everything outside the immediate window now; None when there is nothing to fold."""
        return await self.folds.tracked(agent, agent.compactor.fold_now("manual"))

    async def compact(self, agent: Agent) -> dict[str, Any]:
        """Fold as `fold` does and return the record; with nothing to fold, one with an empty summary."""
        commit = await self.fold(agent)
        if commit is not None:
            return commit.record()
        return no_fold(agent.memory.view(), iso(self.means.clock.now()), agent.compactor.notice)

    async def drop_folds(self, slug: str) -> None:
        """Cancel the folds and the reflection of one folder; the watermark stays."""
        self.inner.interrupt(slug)
        await self.folds.drop(slug)

    async def finish_folds(self, grace: float) -> None:
        """Give running folds `grace` seconds, cancel the rest, and fold what is due by rules alone.

        A cancelled fold leaves the watermark and is due again at the next start.
        """
        late = await self.folds.finish(grace)
        await self.turns.stop()
        for agent in self.in_use():
            if agent.slug not in late:
                agent.compactor.fold_due_now()

    def sync(self) -> bool:
        """Wait until the disk has every archive, and return whether it confirmed that; may run in a thread.

        Of very many, the whole file system is synced at once.
        """
        memories = [agent.memory for agent in self.in_use()]
        unsynced = [memory for memory in memories if memory.unsynced]
        if len(unsynced) <= SYNCED_SINGLY or not self._synced_at_once(unsynced):
            confirmed = [memory.sync() for memory in memories]  # a list: each is synced even if one fails
            return all(confirmed)
        return True

    def _synced_at_once(self, memories: Sequence[Memory]) -> bool:
        with suppress(OSError), ExitStack() as stack:
            for memory in memories:
                stack.enter_context(memory.synced_elsewhere())
            sync_file_system(self.means.vault)
            return True
        return False

    @property
    def many_unsynced(self) -> bool:
        """Whether so many archives are not synced that this is left to the next saved state; the ledger has it all."""
        return sum(agent.memory.unsynced for agent in self.in_use()) > SYNCED_SINGLY

    def fold_soon(self, agent: Agent) -> None:
        self.folds.begin(agent)

    def folds_soon(self, agent: Agent) -> bool:
        """Return whether a fold of an agent has begun or waits for its turn."""
        return self.folds.has(agent)

    def committed(self, agent: Agent, commit: Commit) -> None:
        self.folded += 1
        if agent.compactor.view.strategy.journals:
            agent.keeper.folded(commit)
        self.index_documents(agent)

    async def catch_up(self, agent: Agent) -> None:
        """Index what the index lacks of an agent's memory."""
        memory, recall = agent.memory, self.means.recall
        self._indexing[agent.slug] += 1
        try:
            read, corrected = partial(read_weighed, memory), partial(corrected_since, memory)
            await recall.catch_up(agent.id, memory.total, read, agent.documents, corrected)
            # A kill may have come between archive and index.
            await recall.reweigh(agent.id, last_values(memory))
        finally:
            self._indexing[agent.slug] -= 1

    def index_documents(self, agent: Agent) -> None:
        if self.means.writable:
            self.means.recall.sync_documents(agent.id, agent.documents)

    def add_note(
        self, agent: Agent, title: str, text: str, reason: str | None, *, anew: bool = False
    ) -> tuple[Note, bool]:
        """Add an entry to a note; return the note, and whether an earlier text was put into its history.

        `anew` replaces the note's text. Raises Refusal when the note cannot be written.
        """
        here = self.world.location_of(agent.id) if self.world else None
        said = (title, text, iso(self.means.clock.now()), reason, here.name if here else None)
        try:
            written = agent.notes.overwrite(*said) if anew else (agent.notes.add(*said), False)
        except OSError as error:
            raise Refusal(f"The note cannot be written ({error.strerror or error}).") from None
        self.index_documents(agent)
        return written

    def restore_note(self, agent: Agent, title: str) -> Note | None:
        """Restore a note's text before its last overwrite; None when there is none. Raises Refusal."""
        try:
            restored = agent.notes.restore(title, iso(self.means.clock.now()))
        except OSError as error:
            raise Refusal(f"The note cannot be written ({error.strerror or error}).") from None
        self.index_documents(agent)
        return restored

    def status(self, agent: Agent) -> dict[str, Any]:
        """Return the data of the command line's `status`."""
        means, silent = self.means, self.means.silent()
        copies = self.roster.copies_of(agent.definition)
        failed = agent.thinker.last_error if agent.thinker is not None and not silent else None
        facts = Facts(
            now=means.clock.now(),
            index=means.recall.status(agent.id),
            counter=agent.counter,
            settings=origins(means.configuration, agent.definition.overrides, agent.settings()),
            errors=[*silent, *(error for error in (failed, means.recall.trouble) if error), *map(str, copies)],
            skipped=agent.compactor.skipped,
            notice=agent.compactor.notice,
            room=room if (room := self.room_of(agent)) != UNLIMITED else None,
            shed=self.prompting.shed(agent) if self.prompting is not None else None,
            inner=self.inner.told(agent, known=True),
            unreadable=agent.unreadable,
        )
        return status(agent.compactor.view, facts)


class Possession(NamedTuple):
    """A character that the owner controls. `who` and `owner` are ids of characters."""

    slug: str
    who: str
    name: str
    owner: str


class PauseState:
    def __init__(self) -> None:
        self.possession: Possession | None = None
        """One character at a time."""
        self._everybody = False
        self._otherwise: set[str] = set()
        """Folders for which the opposite of `_everybody` holds."""

    def rests(self, slug: str) -> bool:
        """Return whether an agent does not think now, being paused or controlled by the owner."""
        return self.paused(slug) or (self.possession is not None and self.possession.slug == slug)

    def paused(self, slug: str) -> bool:
        return (slug in self._otherwise) != self._everybody

    def pause(self, slug: str, *, paused: bool) -> None:
        if self.paused(slug) != paused:
            self._otherwise ^= {slug}

    def pause_all(self, *, paused: bool) -> None:
        """Pause or resume all agents, also those added later."""
        self._everybody = paused
        self._otherwise.clear()

    def leads(self, owner: str) -> Possession | None:
        """Return what the owner with this character id controls."""
        return self.possession if self.possession is not None and self.possession.owner == owner else None


class FoldTasks:
    """Starts, tracks and ends folds.

    `fold` folds what is due; `there` returns the opened agent of a folder, as closed ones are not checked again.
    """

    def __init__(
        self, clock: Clock, fold: Callable[[Agent], Coroutine[Any, Any, None]], there: Callable[[str], Agent | None]
    ) -> None:
        self._clock, self._fold, self._there = clock, fold, there
        self._tasks: dict[asyncio.Task[Any], str] = {}
        self._running: Counter[str] = Counter()
        """The number of tasks by folder."""
        self._pauses: dict[asyncio.Task[None], str] = {}
        """Waits before a failed fold is retried, at most one per folder."""
        self._ending = False

    def begin(self, agent: Agent) -> None:
        """Start what is due unless a fold is running. Without an event loop it does nothing: tools fold by rules."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return
        if not agent.relieve() and not self._ending and not self.has(agent):
            self._track(agent, loop.create_task(self._by_itself(agent)))

    def has(self, agent: Agent) -> bool:
        return self._running[agent.slug] > 0

    async def tracked(self, agent: Agent, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine that folds; at shutdown it gets a grace period and is then cancelled."""
        task = asyncio.ensure_future(work)
        self._track(agent, task)
        return await task

    async def _by_itself(self, agent: Agent) -> bool:
        """Fold what is due; return whether it finished without an error."""
        try:
            await self._fold(agent)
        except Exception:  # nobody awaits it; the next entry checks again
            log.exception("[Memory] %s: what is due could not be folded", agent.name)
            return False
        return True

    def _track(self, agent: Agent, task: asyncio.Task[Any]) -> None:
        self._tasks[task] = agent.slug
        self._running[agent.slug] += 1
        task.add_done_callback(lambda done: self._ended(agent, done))

    def _ended(self, agent: Agent, task: asyncio.Task[Any]) -> None:
        self._tasks.pop(task, None)
        self._running[agent.slug] -= 1
        if not task.cancelled() and (task.exception() is not None or task.result() is not False):
            self._ask_again(agent)

    def _ask_again(self, agent: Agent) -> None:
        """Start what is due now, or wait until it may be retried."""
        if self._ending or self._there(agent.slug) is not agent:
            return
        if agent.compactor.due():
            self.begin(agent)
        elif (pause := agent.compactor.pause) > 0 and agent.slug not in self._pauses.values():
            waiting = asyncio.ensure_future(self._clock.sleep(pause))
            self._pauses[waiting] = agent.slug
            waiting.add_done_callback(lambda done: self._paused(agent, done))

    def _paused(self, agent: Agent, waiting: asyncio.Task[None]) -> None:
        self._pauses.pop(waiting, None)
        if not waiting.cancelled():
            self._ask_again(agent)

    async def settle(self) -> None:
        """Wait until no fold is running, however long that takes."""
        while self._tasks:
            await asyncio.wait(tuple(self._tasks))

    async def drop(self, slug: str) -> None:
        """Cancel the folds of one folder; the watermark stays."""
        await _cancelled([task for task, owner in (*self._tasks.items(), *self._pauses.items()) if owner == slug])

    async def finish(self, grace: float) -> set[str]:
        """Give running folds `grace` seconds, cancel the rest and return their folders; none starts meanwhile."""
        self._ending = True
        try:
            await _cancelled(list(self._pauses))
            folding = dict(self._tasks)
            if folding:
                await done_within(grace, asyncio.gather(*folding, return_exceptions=True), self._clock)
            late = {slug for task, slug in folding.items() if not task.done()}
            await _cancelled(list(folding))
            return late
        finally:
            self._ending = False


async def _cancelled(tasks: list[asyncio.Task[Any]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
