"""All agents of a vault: finding, opening, perceiving, searching, noting and folding; for thinking see `agents.life`.

Also works without a running world, for the tools of the command line.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

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
from agents.memory.note_form import Note
from agents.memory.resting import lived_before
from agents.memory.seeds import fresh
from agents.mind.actor import by_witness, left_by
from agents.mind.settings import ThinkingSettings
from agents.population.fold_tasks import FoldTasks
from agents.population.held import HeldPerceptions
from agents.population.pausing import PauseState
from agents.population.syncing import SYNCED_SINGLY, sync_archives
from agents.prompt.prompt import Prompt
from agents.reflection import Reflection
from mud.clock import iso
from mud.engine.engine import Step
from mud.errors import LociError, Problem, Refusal, Unavailable, UnknownName
from mud.storage.files import write_atomic
from mud.world.events import Perception, Request
from mud.world.world import World

log = logging.getLogger(__name__)

CROWD = 8
"""Witnesses of one step up to which each one's archive is written at once."""
OPEN_FILES = 64
"""Archives whose files are open at once."""


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
        self._folder = means.vault / "agents"
        self.roster = AgentDirectory(
            self._folder, means.configuration.schemas, unknown_in, cache=DefinitionCache(self._folder)
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
        self.bring_home: Callable[[str], Awaitable[None]] | None = None
        """Has a mind that lives apart closed there, by id, so that its folder may be moved before the next await.

        Raises LociError when it is not given back.
        """
        self.on_leaving: Callable[[str], None] = lambda who: None
        """Called with the id of who has left the world."""
        self.held = HeldPerceptions(self.in_use_by_slug)
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
            one, what = self.definitions[slug], ", with its memory; both are here again when it comes back"
            if one.person:
                back = "has to come back from there through an exit"
                what = f" and {back}; meanwhile come in here as somebody else (who starts the world: run --as NAME)"
            raise Unavailable(f"{one.name} is in another world ({journey.to}){what}")
        if self.is_lent(self.definitions[slug]):
            name, how = self.definitions[slug].name, "in a world that is started with --minds local it can be"
            raise Unavailable(f"The mind of {name} lives apart from the world, so this cannot be done; {how}.")
        closed = self._unopened.pop(self.definitions[slug].id, None) is not None
        agent = Agent(self.means, self.definitions[slug], self)
        try:
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
        if closed:
            self.on_open(agent)
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
            return fresh(self._folder / slug)[1]
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
        if slug not in self._agents and lived_before(self._folder / slug, saved):
            self._unopened[self.definitions[slug].id] = slug
            return True
        return False

    def _open_now(self, who: str) -> Agent | None:
        """Open an agent that was left closed; None when it cannot be opened, or is about to leave the world."""
        slug = self._unopened[who]
        if slug not in self.definitions or not (self._folder / slug / AGENT).exists():
            return None
        opened = self.opens(slug)
        self._unopened.pop(who, None)
        if not opened:
            log.warning("%s: %s", self.definitions[slug].name, self.asleep[slug])
            self.owed = True
            return None
        agent = self._agents[slug]
        if self.held.of_cold_minds and len(self.definitions) > self._most_hot:
            agent.life.next_turn()  # most are opened because they perceive something, and that can wait
            self.let_rest(agent)
        return agent

    def let_rest(self, agent: Agent) -> None:
        """Let a mind go cold until it is used again."""
        if agent.memory.rest():
            self._hot.pop(agent.slug, None)

    def used(self, agent: Agent) -> None:
        """Count an agent among the hot minds, and let the ones used longest ago go cold (`hot_minds`)."""
        slug, hot = agent.slug, self._hot
        if hot.pop(slug, None) is None:
            for other in list(islice(hot.values(), max(0, len(hot) + 1 - self._most_hot))):
                self.let_rest(other)
        hot[slug] = agent

    @property
    def _most_hot(self) -> int:
        return self.means.configuration.get(ThinkingSettings).hot_minds

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
        self.held.forget(agent)
        for known in (self._hot, self._indexing):
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
        self.held.forget(agent)
        for known in (self._hot, self._indexing):
            known.pop(agent.slug, None)
        del self._agents[agent.slug], self._by_id[agent.id]
        memory.close()
        return True

    def strike(self, slug: str) -> None:
        """Forget the definition in a folder that is not opened."""
        definition = self.definitions.pop(slug, None)
        if definition is not None:
            self._unopened.pop(definition.id, None)
            self.on_leaving(definition.id)
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
        if self.held.seconds > 0:
            self.turns.count(len(step.left))
            self._crowded = len(witnesses) > CROWD
        try:
            for who, perceptions in witnesses.items():
                if (agent := self.by_id(who)) is not None:
                    held = self._crowded or (self.held.of_cold_minds and agent.memory.cold)
                    agent.actor.perceive(step.number, step.at, perceptions, hold=held)
                    if held and not self._crowded:
                        self.held.of_cold(agent)
        finally:
            self._crowded = False

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
            elsewhere = self.world is not None and who in self.world.elsewhere
            if self.is_lent(self.definitions[slug]) and not elsewhere:
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
        self.held.of_crowd(agent)

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
        """Wait until the disk has every archive, and return whether it confirmed that; may run in a thread."""
        return all(sync_archives([agent.memory for agent in self.in_use()], self.means.vault))

    @property
    def many_unsynced(self) -> bool:
        """Whether so many archives are not synced that this is left to the next saved state; the ledger has it all."""
        unsynced = (agent for agent in self.in_use() if agent.memory.unsynced)
        return next(islice(unsynced, SYNCED_SINGLY, None), None) is not None

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

    def status(self, agent: Agent, *, servers: bool = True) -> dict[str, Any]:
        """Return the data of the command line's `status`.

        Args:
            servers: include what is wrong with the servers of models and vectors, which only the owner can mend.
        """
        means, silent = self.means, self.means.silent()
        copies = self.roster.copies_of(agent.definition)
        failed = agent.thinker.last_error if agent.thinker is not None and not silent else None
        facts = Facts(
            now=means.clock.now(),
            index=means.recall.status(agent.id),
            counter=agent.counter,
            settings=origins(means.configuration, agent.definition.overrides, agent.settings()),
            errors=[*(one for one in (*silent, failed, means.recall.trouble) if one and servers), *map(str, copies)],
            servers=servers,
            skipped=agent.compactor.skipped,
            notice=agent.compactor.notice,
            room=room if (room := self.room_of(agent)) != UNLIMITED else None,
            shed=self.prompting.shed(agent) if self.prompting is not None else None,
            inner=self.inner.told(agent, known=True),
            unreadable=agent.unreadable,
        )
        return status(agent.compactor.view, facts)
