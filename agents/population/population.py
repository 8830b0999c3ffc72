"""All minds of a vault: finding, opening, perceiving, searching, noting, folding. Nobody thinks in here; see `living`.

Works without a running world too: the command line's tools open a vault and use the same object.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from agents.agent import Agent, put_together
from agents.compaction.due import fold_due
from agents.compaction.folds import Commit, no_fold
from agents.compaction.plan import SLEEP
from agents.compaction.report import report
from agents.compaction.status import Facts, Shed, origins, status
from agents.compaction.view import UNLIMITED
from agents.definition import AgentDefinition, find_definition
from agents.memory.entries import Entry, Hit
from agents.memory.examining import examine
from agents.memory.notes import Note
from agents.memory.seeds import fresh
from agents.memory.weights import last_values, read_weighed
from agents.mind.services import Services
from agents.mind.witnesses import by_witness, left_by
from agents.population.directory import AgentDirectory
from agents.population.fold_tasks import FoldTasks
from agents.population.pause import PauseState
from agents.prompt.prompt import Prompt
from agents.reflection.reflection import Reflection
from mud.clock import iso
from mud.engine.engine import Step
from mud.errors import LociError, Problem, Refusal, UnknownName
from mud.storage.files import write_atomic
from mud.world.events import Request
from mud.world.world import World

log = logging.getLogger(__name__)

T = TypeVar("T")


class Population:
    """The minds of one vault.

    Args:
        means: what they need from outside.
    """

    def __init__(self, means: Services) -> None:
        self.means = means
        self.say = means.say
        self.inner = Reflection(means)
        self.roster = AgentDirectory(means.vault / "agents", means.configuration.schemas)
        self.definitions: dict[str, AgentDefinition] = self.roster.definitions
        self.drafts: Mapping[str, AgentDefinition] = self.roster.drafts
        self.world: World | None = None
        self.prompt_of: Callable[[Agent], Awaitable[Prompt]] | None = None
        """Builds the prompt an agent would get now; there is one as soon as there is a world."""
        self.room_of: Callable[[Agent], int] = lambda agent: UNLIMITED
        """Tells how many tokens summaries and memories may take in an agent's next prompt."""
        self.shed_of: Callable[[Agent], Shed | None] = lambda agent: None
        """Tells what an agent's next prompt leaves out; None when there is no prompt."""
        self.send_away: Callable[[AgentDefinition], None] | None = None
        """Has a character leave the world for good; there is one as soon as the vault is watched."""
        self.resting = PauseState()
        self._agents: dict[str, Agent] = {}
        self._by_id: dict[str, Agent] = {}
        self._folding = FoldTasks(means.clock, self._fold_due, self.by_slug)
        self.asleep: dict[str, str] = {}
        """Folders of those whose memory could not be opened, and why."""
        self.owed = False
        """Steps of the ledger left something with one of them that is in no archive yet."""

    # finding and opening

    def load_definitions(self) -> list[Problem]:
        """Read every `agent.md`; return what is wrong, all of it. One that is wrong keeps its last good reading."""
        problems = self.roster.load(self.world, self._agents)
        for slug in self._agents:
            self._redefine(slug)
        return problems

    def load_definition(self, slug: str) -> list[Problem]:
        """Read one `agent.md`; return what is wrong with it."""
        problems = self.roster.load_one(slug, self.world)
        self._redefine(slug)
        return problems

    def _redefine(self, slug: str) -> None:
        agent, definition = self._agents.get(slug), self.definitions.get(slug)
        if agent is not None and definition is not None:
            agent.definition = definition
            agent.memory.name, agent.memory.names = definition.name, definition.names

    def assign_ids(self, number: int, wrote: Callable[[Path, str], None] = lambda path, text: None) -> None:
        """Give an id to everybody who has none, in their file; a reader gives it for this once.

        Args:
            number: the first that is free.
            wrote: is told of every file that is written.

        Raises:
            OSError, VaultProblem: when a file cannot be changed.
        """

        def write(path: Path, text: str) -> None:
            wrote(path, text)
            write_atomic(path, text)

        self.roster.assign_ids(number, write if self.means.writable else None)

    def open(self, slug: str) -> Agent:
        """Return the agent in a folder, its memory opened at the first call.

        Raises:
            OSError, VaultProblem: when its memory cannot be opened.
        """
        if slug in self._agents:
            return self._agents[slug]
        agent = self._make(self.definitions[slug])
        try:
            messages = agent.memory.open(self.means.writable)
            agent.seeds.finish()
        except (LociError, OSError) as error:
            self.asleep[slug] = str(error)
            raise
        self.asleep.pop(slug, None)
        self._agents[slug] = self._by_id[agent.id] = agent
        wrong = self.seed(slug) if self.world is not None else []  # at the start the ledger's memories come first
        for message in (*messages, *wrong):
            log.warning("%s: %s", agent.name, message)
        return agent

    def seed(self, slug: str) -> list[Problem]:
        """Import what people wrote into an agent's `memories` and is new; return what is wrong there."""
        agent = self._agents.get(slug)
        if agent is None:
            return fresh(self.means.vault / "agents" / slug)[1]
        entries, problems = agent.seeds.take_up()
        if entries:
            self.remembered(slug, entries)
        return problems

    def wake(self, slug: str) -> bool:
        """Open the agent in a folder and return whether that could be done; who failed once is not tried again."""
        if slug not in self.asleep:
            with suppress(LociError, OSError):  # the reason is kept, and told as a problem
                self.open(slug)
        return slug in self._agents

    def _make(self, definition: AgentDefinition) -> Agent:
        slug = definition.slug
        return put_together(
            self.means,
            definition,
            lambda: self.definitions.get(slug, definition),
            self.sleeps,
            lambda entries: self.remembered(slug, entries),
            lambda commit: self._committed(slug, commit),
            lambda: self._folding.begin(self._agents[slug]),
            lambda: self.room_of(self._agents[slug]) if slug in self._agents else UNLIMITED,
        )

    def sleeps(self, who: str) -> bool:
        """Whether the character with this id is asleep."""
        return self.world is not None and who in self.world.asleep

    def opened(self) -> list[Agent]:
        """Return every agent opened so far."""
        return list(self._agents.values())

    def by_slug(self, slug: str) -> Agent | None:
        """Return the opened agent in a folder, or None."""
        return self._agents.get(slug)

    def let_go(self, agent: Agent) -> None:
        """Forget an agent whose `agent.md` was taken away; its memories stay where they are."""
        del self._agents[agent.slug], self._by_id[agent.id]
        self.strike(agent.slug)
        agent.memory.close()

    def strike(self, slug: str) -> None:
        """Know nothing more of who was in a folder, and is not opened."""
        self.definitions.pop(slug, None)
        self.roster.drafts.pop(slug, None)
        self.asleep.pop(slug, None)

    def by_id(self, who: str) -> Agent | None:
        """Return the opened agent whose character has this id, or None."""
        return self._by_id.get(who)

    def of(self, request: Request) -> Agent:
        """Return the agent that asked.

        Raises:
            Refusal: when its character has no mind.
        """
        agent = self._by_id.get(request.who)
        if agent is None:
            raise Refusal("This character has no memory of its own.")
        return agent

    def find(self, name: str) -> Agent | None:
        """Return the agent that a name, slug or id means in any case, opening it; None when none does."""
        definition = find_definition(name, self.definitions)
        return self.open(definition.slug) if definition else None

    def get(self, name: str) -> Agent:
        """Return the agent that a name, slug or id means.

        Raises:
            UnknownName: says who there is.
            LociError: its file is there and cannot be used; with the mistakes in it.
        """
        agent = self.find(name)
        if agent is None and (file := self.roster.unusable(name)):
            why = "; ".join(map(str, self.roster.wrong.get(Path(file).parent.name, ()))) or "check says why"
            raise LociError(f"{name} is not in the world, as {file} cannot be used: {why}")
        if agent is None:
            names = ", ".join(sorted(definition.name for definition in self.definitions.values())) or "nobody"
            raise UnknownName(f"there is no agent {name!r}; there is: {names}")
        return agent

    # perceiving

    def observe(self, step: Step) -> None:
        """Let everybody remember what a step left with them."""
        for who, perceptions in by_witness(step.left).items():
            agent = self._by_id.get(who)
            if agent is not None:
                agent.actor.perceive(step.number, step.at, perceptions)

    def recover(self, record: Mapping[str, Any]) -> None:
        """Give everybody what a ledger record left with them and their archive does not hold yet.

        One step's memories are one write, so an archive holds all, none, or, after a power cut, the first few of them.
        """
        number, at = record["step"], record.get("at")
        if not isinstance(at, str):
            return  # as `mud.server.archive_checks` tells
        for who, perceptions in by_witness(left_by(record)).items():
            slug = next((slug for slug, one in self.definitions.items() if one.id == who), None)
            if slug is None:
                continue
            if not self.wake(slug):
                self.owed = True
                continue
            memory = self._agents[slug].memory
            if memory.last_source <= number:
                held = memory.last_source_count if memory.last_source == number else 0
                memory.append(perceptions[held:], at, number)

    def remembered(self, slug: str, entries: Sequence[Entry]) -> None:
        """Index new memories and fold when that is due."""
        agent = self._agents[slug]
        if entries and self.means.writable:
            self.means.recall.remember(agent.id, entries)
        agent.life.next_turn()

    # folding

    async def _fold_due(self, agent: Agent) -> None:
        if agent.compactor.view.strategy.by_tokens:
            await agent.measure()  # whether it is due is decided by the model's own count
        plan = fold_due(agent.compactor.view)
        if plan is not None and plan.reason == SLEEP:
            agent.keeper.keep(agent.memory.read(plan.first, plan.last))
            self.put_in_order(agent)
        await agent.compactor.fold_due()

    def put_in_order(self, agent: Agent) -> None:
        """Consolidate an agent's journal; asked while it sleeps."""
        agent.keeper.consolidate(agent.notes, lambda title, text: self.add_note(agent, title, text, None))

    async def fold(self, agent: Agent, reason: str) -> Commit | None:
        """Fold everything outside the immediate window now; None when there is nothing to fold."""
        return await self.tracked(agent, agent.life.compact(reason))

    async def tracked(self, agent: Agent, work: Coroutine[Any, Any, T]) -> T:
        """Do what folds an agent's memories; it gets a while at the end, and is cancelled then."""
        return await self._folding.tracked(agent, work)

    async def compact(self, agent: Agent) -> dict[str, Any]:
        """Fold everything outside the immediate window now and return the record of it.

        When there is nothing to fold the record says so: an empty summary, everything preserved.
        """
        commit = await self.fold(agent, "manual")
        if commit is not None:
            return commit.record()
        return no_fold(agent.memory.view(), iso(self.means.clock.now()), agent.compactor.notice)

    async def drop_folds(self, slug: str) -> None:
        """Give up the folds of one folder that are under way, and its inner life; the watermark stays where it was."""
        self.inner.interrupt(slug)
        await self._folding.drop(slug)

    async def settle_folds(self) -> None:
        """Wait until no fold is under way; next to nothing when none is."""
        await self._folding.settle()

    async def finish_folds(self, grace: float) -> None:
        """Give the folds under way a while, cancel the rest, and do what is due by rules alone.

        A fold that a model did not finish in time leaves the watermark where it was; it is due again at the next start.

        Args:
            grace: seconds.
        """
        late = await self._folding.finish(grace)
        for agent in self.opened():
            if agent.slug not in late:
                agent.compactor.fold_due_now()

    def _committed(self, slug: str, commit: Commit) -> None:
        agent = self._agents[slug]
        if agent.compactor.view.strategy.journals:
            agent.keeper.folded(commit)
        self.index_documents(agent)

    async def catch_up(self, agent: Agent) -> None:
        """Have the index take in what it misses of a life."""
        memory, recall = agent.memory, self.means.recall
        await recall.catch_up(agent.id, memory.total, partial(read_weighed, memory), agent.documents)
        # A kill may have come between the archive and the index.
        await recall.reweigh(agent.id, last_values(memory))

    def index_documents(self, agent: Agent) -> None:
        """Tell the index which summaries and notes there are."""
        if self.means.writable:
            self.means.recall.sync_documents(agent.id, agent.documents)

    # asking

    async def search(
        self,
        agent: Agent,
        query: str,
        k: int,
        only: str | None = None,
        *,
        by: str = "both",
        before: int | None = None,
        own: bool = True,
    ) -> tuple[list[Hit], bool]:
        """Recall: return the best hits and whether the vectors are behind.

        Args:
            agent: whose memory.
            query: what is looked for, in words.
            k: hits at most.
            only: `memories`, `summaries` or `notes`; None for all.
            by: `words` or `vectors` alone, or both.
            before: see `RecallService.search`.
            own: whether one's own spoken words may be hits.
        """
        return await self.means.recall.search(agent.id, query, k, only, by, before, () if own else ("said",))

    def add_note(
        self, agent: Agent, title: str, text: str, reason: str | None, *, anew: bool = False
    ) -> tuple[Note, bool]:
        """Write into an agent's notes and return the note as it is now, and whether an earlier text was put away.

        Args:
            agent: whose notes.
            title: the note's title.
            text: what is noted.
            reason: the private reason for it.
            anew: instead of what the note says now, which is kept in its history.

        Raises:
            Refusal: when the note cannot be written.
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
        """Give a note back what it said before it was overwritten last; return it, None when it never was.

        Raises:
            Refusal: when the note cannot be written.
        """
        try:
            restored = agent.notes.restore(title, iso(self.means.clock.now()))
        except OSError as error:
            raise Refusal(f"The note cannot be written ({error.strerror or error}).") from None
        self.index_documents(agent)
        return restored

    async def look_through(self, agent: Agent) -> None:
        """Find out which memories of an agent cannot be read; the world goes on meanwhile.

        Raises:
            OSError: when the archive cannot be read.
        """
        found = await asyncio.to_thread(examine, agent.folder / "archive")
        agent.unreadable = found.unreadable

    def status(self, agent: Agent) -> dict[str, Any]:
        """Return how a memory stands, as the command line's `status` prints it; of models and recall what is wrong."""
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
            shed=self.shed_of(agent),
            inner=self.inner.told(agent, known=True),
            unreadable=agent.unreadable,
        )
        return status(agent.compactor.view, facts)

    def report(self, agent: Agent) -> str:
        """Return the status as text for people, with the summaries' words."""
        return report(self.status(agent))
