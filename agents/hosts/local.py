"""Minds in this process.

In the world's own process they are those of its population, which perceive within the step, and a tick is of one mind:
waiting for it costs the others nothing. In another process the same class holds the minds that were lent to it.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Sequence
from contextlib import suppress

from agents.agent import Agent
from agents.brains import Brain, Decision
from agents.definition import AgentDefinition
from agents.hosts import Answer, HostKind, Kept, Lease, Line, Lived, MindTurn, Status, Wish
from agents.memory.entries import Hit
from agents.memory.memory import Memory
from agents.mind.actor import bearing_in_mind
from agents.mind.thinker import Thinker, Thought
from agents.population import Population
from agents.population.syncing import sync_archives
from mud.errors import LociError, Refusal, Unavailable
from mud.storage.lease import FolderLease, take
from mud.world.events import Perception

log = logging.getLogger(__name__)

AT_HOME = 0
"""The epoch of a mind of the world's own population, which was lent to nobody."""
NO_THOUGHT = Thought("", Decision(None, "no thought came"), 0.0)


class LocalHost:
    """The minds of a population.

    Args:
        thinker: makes the thinker of a mind that was lent to this host.
        name: of this process, for leases.
        brain: returns the brain that an agent is to have, also for one that is not opened; None for none.
    """

    def __init__(
        self,
        minds: Population,
        thinker: Callable[[Agent], Thinker],
        name: str = "",
        brain: Callable[[AgentDefinition], Brain | None] = lambda definition: None,
    ) -> None:
        self._minds, self._thinker, self._name, self._brain = minds, thinker, name, brain
        self._leases: dict[str, FolderLease] = {}
        self._late: dict[str, asyncio.Task[Line | None]] = {}
        """Thoughts whose lines come with the next tick that ends after them, by id."""
        self._indexing: dict[str, asyncio.Task[None]] = {}
        """By id, what brings the index up to a mind that was opened."""

    @property
    def made_of(self) -> tuple[Population, Callable[[Agent], Thinker], str, Callable[[AgentDefinition], Brain | None]]:
        """The arguments that it was made with, for a host that adds to it."""
        return self._minds, self._thinker, self._name, self._brain

    async def open(self, minds: Sequence[Lease]) -> list[Kept]:
        return [self._open(lease) for lease in minds]

    def _open(self, lease: Lease) -> Kept:
        try:
            self._minds.load_definition(lease.slug)
            if (definition := self._minds.definitions.get(lease.slug)) is None:
                raise Unavailable(f"there is no agent in agents/{lease.slug}")
            if definition.id != lease.who:
                raise Unavailable(f"agents/{lease.slug}/agent.md has the id {definition.id!r} instead of {lease.who!r}")
            folder = self._minds.means.vault / "agents" / lease.slug
            taken, before = take(folder, lease.epoch, self._name), self._leases.get(lease.who)
            if before is not None and taken.before != before.holder:
                self._lose(lease.who)  # another host had it in between
            agent = self._minds.open(lease.slug)
        except (LociError, OSError) as error:
            return Kept(lease.who, lease.epoch, 0, 0, str(error))
        self._leases[agent.id] = taken
        if (late := self._late.pop(agent.id, None)) is not None:
            late.cancel()  # its line would be of the epoch before, and the turn that waits for it is over
        if agent.thinker is None:
            agent.thinker = self._thinker(agent)
            self._indexing[agent.id] = asyncio.create_task(self._minds.catch_up(agent))
        return kept_of(agent, lease.epoch)

    async def tick(self, turns: Sequence[MindTurn], patience: float = math.inf) -> Answer:
        kept: list[Kept] = []
        wishes: list[Wish] = []
        refused: list[tuple[str, int]] = []
        thinking: list[tuple[MindTurn, Agent]] = []
        for turn in turns:
            agent = self._found(turn.who, turn.epoch)
            if agent is None:
                refused.append((turn.who, turn.epoch))
                continue
            if turn.lived:
                kept.append(self._live(agent, turn, wishes))
            if turn.scene is not None and turn.who not in self._late:
                thinking.append((turn, agent))
        lines = await self._think(thinking, patience)
        return Answer((*lines, *self._ended()), tuple(kept), tuple(wishes), tuple(refused))

    def _found(self, who: str, epoch: int) -> Agent | None:
        """Return a mind that is here under an epoch; None also when another host has taken it over."""
        if epoch != self._epoch(who):
            return None
        if (lease := self._leases.get(who)) is not None and not lease.holds():
            self._lose(who)
            return None
        return self._minds.by_id(who)

    def _lose(self, who: str) -> None:
        """Let go of a mind that another host has; nothing more is written for it."""
        self._leases.pop(who, None)
        self._interrupt(who)
        if (agent := self._minds.by_id(who)) is not None:
            agent.thinker = None
            self._minds.lose(agent)

    def _interrupt(self, who: str) -> None:
        for tasks in (self._late, self._indexing):
            if (task := tasks.pop(who, None)) is not None:
                task.cancel()

    def _live(self, agent: Agent, turn: MindTurn, wishes: list[Wish]) -> Kept:
        """Have a mind remember what it lacks of what it lived, and notice it; add its soonest wish."""
        wished: list[float] = []
        for lived in turn.lived:
            if new := _lacking(agent, lived):
                agent.actor.perceive(lived.step, lived.at, new)
                noticed = (agent.thinker.notice(one) for one in new) if agent.thinker is not None else ()
                wished += [seconds for seconds in noticed if seconds is not None]
        if wished:
            wishes.append(Wish(turn.who, turn.epoch, min(wished)))
        return kept_of(agent, turn.epoch)

    async def _think(self, turns: Sequence[tuple[MindTurn, Agent]], patience: float) -> list[Line]:
        """Return the lines of thoughts that end in time; the others go on."""
        if patience == math.inf:  # as is, so that a thought is cancelled with who waits for it
            thoughts = [self._thought(turn, agent) for turn, agent in turns]
            lines = [await thoughts[0]] if len(thoughts) == 1 else await asyncio.gather(*thoughts)
            return [line for line in lines if line is not None]
        tasks = {turn.who: asyncio.create_task(self._thought(turn, agent)) for turn, agent in turns}
        self._late |= tasks  # before waiting, so that who opens or closes a mind meanwhile finds its thought
        if tasks:
            await asyncio.wait(tasks.values(), timeout=patience)
        return []

    async def _thought(self, turn: MindTurn, agent: Agent) -> Line | None:
        if agent.thinker is None or turn.scene is None:
            return None
        here = bearing_in_mind(turn.scene, agent.memory, agent.notes)
        thought = await agent.thinker.think(here, waiting=turn.waiting)
        return Line(turn.who, turn.epoch, thought) if thought is not None else None

    def _ended(self) -> list[Line]:
        """Return the lines of thoughts that ended meanwhile; one that failed ends without a line to submit."""
        ended = {who: self._late.pop(who) for who, task in list(self._late.items()) if task.done()}
        lines = {who: task.result() for who, task in ended.items() if not task.cancelled() and _succeeded(task)}
        return [lines.get(who) or Line(who, self._epoch(who), NO_THOUGHT) for who in ended]

    def _epoch(self, who: str) -> int:
        lease = self._leases.get(who)
        return lease.epoch if lease is not None else AT_HOME

    async def recall(self, who: str, epoch: int, query: str, k: int = 5) -> Sequence[Hit]:
        agent = self._found(who, epoch)
        if agent is None:
            raise Refusal("This mind lives elsewhere now.")
        if (indexing := self._indexing.get(who)) is not None:
            await asyncio.wait([indexing])
        return (await self._minds.means.recall.search(agent.id, query, k))[0]

    async def status(self) -> Status:
        lent = [(lease, agent) for who, lease in self._leases.items() if (agent := self._minds.by_id(who))]
        reached = [kept_of(agent, lease.epoch) for lease, agent in lent]  # what comes during the sync is not confirmed
        confirmed = await self._sync([agent.memory for _, agent in lent])
        kept = [one for one, done in zip(reached, confirmed, strict=True) if done]
        trouble = "" if all(confirmed) else "the disk does not confirm every archive"
        return Status(self._name, tuple(kept), len(self._late), trouble)

    async def _sync(self, memories: Sequence[Memory]) -> list[bool]:
        return await asyncio.to_thread(sync_archives, memories, self._minds.means.vault)

    async def close(self, minds: Sequence[Lease]) -> list[Kept]:
        found = [self._found(lease.who, lease.epoch) for lease in minds]
        await self._sync([agent.memory for agent in found if agent is not None])  # all at once
        return [kept for lease in minds if (kept := await self._close(lease)) is not None]

    async def _close(self, lease: Lease) -> Kept | None:
        agent = self._found(lease.who, lease.epoch)
        if agent is None or lease.who not in self._leases:
            return None
        self._interrupt(lease.who)
        agent.thinker = None
        await self._minds.drop_folds(agent.slug)
        agent.memory.write_held()
        synced, kept = agent.memory.sync(), kept_of(agent, lease.epoch)
        if not synced:
            kept = kept._replace(trouble="the disk does not confirm the archive")
        self._minds.lose(agent)
        with suppress(OSError):  # the next one takes it all the same
            self._leases.pop(lease.who).give_back()
        return kept

    async def end(self) -> None:
        lent = [(who, lease.epoch) for who, lease in self._leases.items()]
        await self.close([Lease(who, "", epoch) for who, epoch in lent])


def kept_of(agent: Agent, epoch: int) -> Kept:
    """Return how far a mind's archive goes."""
    memory = agent.memory
    whole = not memory.waiting and memory.missing_from is None
    trouble = "" if whole else "the archive cannot be written"
    return Kept(agent.id, epoch, memory.last_source, memory.last_source_count, trouble)


def _lacking(agent: Agent, lived: Lived) -> Sequence[Perception]:
    """Return what of a step's perceptions a mind has not remembered yet; of one that waits it has all."""
    memory = agent.memory
    if memory.waiting or memory.missing_from is not None:
        memory.retry()
        if memory.waiting or memory.missing_from is not None:
            return ()
    if lived.step != memory.last_source:
        return lived.perceptions if lived.step > memory.last_source else ()
    return lived.perceptions[memory.last_source_count :]


def _succeeded(task: asyncio.Task[Line | None]) -> bool:
    if (error := task.exception()) is not None:
        log.error("a thought failed", exc_info=error)
    return error is None


LOCAL = HostKind("local", "In the process of the world.", lambda place: place.here)
