"""Run a simulation: open the vault or a copy of it, make up who is missing, take turn after turn, close in order.

One turn at a time: whoever is due first thinks and submits; what it asked for is answered and what is due is folded
before anybody else has a turn. That, the seed, and that nothing else has a say, make two runs the same.
"""

from __future__ import annotations

import asyncio
import gc
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from agents.agent import Agent
from agents.life.mind_page import MindPages
from agents.life.scheduler import Scheduler, SchedulerConfig
from agents.llm.backend import Backend
from agents.mind.thinker import FALLBACK, Thought
from mud.clock import Clock, VirtualClock, parse_iso
from mud.engine.chronicle import Chronicle
from mud.engine.engine import Step
from mud.errors import LociError
from mud.registry import Registry
from mud.server.brains import load_brains
from mud.server.requests import carry_out
from mud.server.state_hash import state_hash
from mud.server.wiring import ModelSource, Parts, opened, spare_what_stays, vault_in
from mud.signals import temporary_folder
from mud.simulation.figures import Figures, resident
from mud.simulation.people import make_up
from mud.storage.files import copy_folder
from mud.world.events import Request
from mud.world.narration import counted

COPIED = ("config", "text", "prompts", "world", "agents", "log")
"""What a copy of a vault has of it; the index is made anew."""
_LEFT_OUT_ANYWHERE = shutil.ignore_patterns(".*")
_LEFT_OUT_OF_LOG = shutil.ignore_patterns(".*", "chronicle*", "traces", "loci.log*", "history")
_LEFT_OUT_OF_NOTES = shutil.ignore_patterns(".*", "history")
"""What of these is of no use to a run; of the log only the ledger is, and of notes only their last versions. Elsewhere
such a name is somebody's or some place's."""
INDEX_EVERY = 4000
"""Steps after which what was lived is indexed at the latest; a question has it indexed of who asks, but for the newest
memories, which a brain has before its eyes."""
COLLECTED_EVERY = 200_000
"""Objects made after which Python looks for garbage that refers to itself; nobody waits for a turn meanwhile."""
STANDSTILL = 30 * 3600.0
"""World seconds without a line, longer than any night, after which nothing is to be expected any more."""
IN_MEMORY = Path("/dev/shm")
"""Where a copy is made if there is room: a disk takes longer to make a file than an agent to think of what is in it."""
BYTES_A_STEP = 16_000
"""What a step may take there, four times as much as it mostly does."""
PARTS_TOLD = 10
"""How often a run says how far it is."""

Say = Callable[[str], None]
"""Says how far a run is."""


@dataclass(frozen=True, slots=True)
class SimulationPlan:
    """What is to be simulated.

    Args:
        vault: the vault's folder.
        steps: lines to be submitted.
        agents: how many agents live in it; None for those that it has.
        seed: of all chance.
        keep: in the vault itself, not in a copy.
        backends: makes the ways to reach a language model, on the run's time; None when nobody asks any.
    """

    vault: Path
    steps: int
    agents: int | None
    seed: int
    keep: bool = False
    backends: Callable[[Clock], Registry[Backend]] | None = None


def simulate(plan: SimulationPlan, say: Say) -> dict[str, Any]:
    """Run a simulation and return what it came to (design, section 9).

    Args:
        plan: what is to be simulated.
        say: is told how far it is.

    Raises:
        LociError: when it cannot begin, or nothing happens in it any more.
    """
    plan = replace(plan, vault=vault_in(plan.vault))
    clock = VirtualClock()
    with (
        _stage(plan) as vault,
        opened(vault, writable=True, clock=clock, alone=True, asked=_asked(plan, clock)) as parts,
    ):
        for line in parts.told_at_start():
            say(f"loci: {line}")
        return asyncio.run(_Run(parts, clock, plan, say).go())


def _asked(plan: SimulationPlan, clock: Clock) -> ModelSource | None:
    return ModelSource(plan.backends(clock), Random(plan.seed)) if plan.backends is not None else None


@contextmanager
def _stage(plan: SimulationPlan) -> Iterator[Path]:
    """Give the vault itself, or a copy of it in a temporary folder."""
    if plan.keep:
        yield plan.vault
        return
    with temporary_folder("loci-simulate-", place_for(_needed(plan))) as folder:
        copy = folder.resolve()
        for name in COPIED:
            copy_folder(plan.vault / name, copy / name, partial(_left_out, plan.vault))
        yield copy


def _left_out(vault: Path, folder: str, names: list[str]) -> set[str]:
    """Return which names in a folder of the vault are not copied."""
    match Path(folder).relative_to(vault).parts:
        case ("log",):
            left_out = _LEFT_OUT_OF_LOG
        case ("agents", _, "notes"):
            left_out = _LEFT_OUT_OF_NOTES
        case _:
            left_out = _LEFT_OUT_ANYWHERE
    return left_out(folder, names)


def _needed(plan: SimulationPlan) -> int:
    """Return how many bytes a run may take: as many as it copies, and what is lived in it."""
    copied = (path for name in COPIED for path in (plan.vault / name).rglob("*"))
    return sum(path.lstat().st_size for path in copied) + plan.steps * BYTES_A_STEP


def place_for(needed: int, memory: Path = IN_MEMORY) -> Path | None:
    """Return where a copy is made: in memory where that has room; None for where temporary files go.

    Args:
        needed: bytes that it may take.
        memory: the folder of files that are kept in memory. It is passed over when `TMPDIR` says where to go.
    """
    try:
        roomy = os.access(memory, os.W_OK) and shutil.disk_usage(memory).free >= needed
    except OSError:
        return None
    return memory if roomy and "TMPDIR" not in os.environ else None


class _Run:
    """One run.

    Args:
        parts: the opened vault, without models.
        clock: its time, which only the run moves.
        plan: what is to be simulated.
        say: is told how far it is.
    """

    def __init__(self, parts: Parts, clock: VirtualClock, plan: SimulationPlan, say: Say) -> None:
        self._parts, self._clock, self._plan, self._say = parts, clock, plan, say
        chance = Random(plan.seed)
        self._agents = self._people(chance)
        clock.advance(self._lived())
        # Nobody can ever read in a copy how a line came about, nor the pages and the chronicle below.
        brain = FALLBACK if plan.backends is None else None
        drives = SchedulerConfig(
            load_brains, parts.voice, parts.queue, parts.prompting, chance, clock, brain, plan.keep
        )
        self._living = Scheduler(parts.minds, parts.engine, drives, self._submitted)
        self._pages = MindPages(parts.minds, lambda path, text: None) if plan.keep else None
        self._chronicle = Chronicle(parts.vault / "log", parts.engine.world) if plan.keep else None
        locations = [location.id for location in parts.engine.world.locations()]
        self._figures = Figures([agent.id for agent in self._agents], locations, clock, plan.steps)
        self._requests: list[Request] = []
        self._unwritten: str | None = None
        """Why a line could not be written down; None while all could."""
        self._last: dict[str, Thought | None] = {}
        self._half: float | None = None

    def _people(self, chance: Random) -> list[Agent]:
        """Return everybody who is to live here, by id, those included who are made up.

        Raises:
            LociError: there are more already, or nobody at all.
        """
        own = [agent for agent in self._parts.minds.opened() if not agent.definition.person]
        wanted = self._plan.agents if self._plan.agents is not None else len(own)
        if wanted < len(own):
            raise LociError(
                f"the vault has {counted(len(own), 'agent')} of its own; expected --agents {len(own)} or more"
            )
        if wanted == 0:
            raise LociError("the vault has no agents; say with --agents how many to make up")
        own += make_up(self._parts, wanted - len(own), chance)
        return sorted(own, key=lambda agent: int(agent.id[1:]))

    def _lived(self) -> float:
        """Return the seconds by which the newest memory of all is later than the clock; 0 when none is."""
        memories = [agent.memory for agent in self._agents]
        newest = [entry.at for one in memories for entry in one.read(one.total, one.total)]
        moments = [(parse_iso(at) - self._clock.now()).total_seconds() for at in newest]
        return max([0.0, *moments])

    async def go(self) -> dict[str, Any]:
        """Live through all steps, put everything in its place, and return the record."""
        parts, figures = self._parts, self._figures
        for agent in self._agents:
            await parts.minds.catch_up(agent)
            self._living.wake(agent)
        if self._plan.backends is not None:  # nobody watches the models: each is asked, and found out about
            self._living.answers.update(dict.fromkeys(self._living.profiles(), True))
        for observer in (parts.minds, self._living, figures, self._pages, self._chronicle):
            if observer is not None:
                parts.engine.observe(observer.observe)
        before = sum(agent.memory.total for agent in self._agents), sum(a.memory.compactions for a in self._agents)
        spare_what_stays()
        usual = gc.get_threshold()
        gc.set_threshold(COLLECTED_EVERY, *usual[1:])
        started, worked, world = time.perf_counter(), time.process_time(), self._clock.monotonic()
        try:
            with ExitStack() as bulk:
                for agent in self._agents:
                    bulk.enter_context(agent.in_bulk())
                await self._live()
                await self._settle()
            await parts.recall.complete()
        finally:
            gc.set_threshold(*usual)
            await self._close()
        seconds, work = time.perf_counter() - started, time.process_time() - worked
        return {
            "seed": self._plan.seed,
            "agents": len(self._agents),
            "steps": figures.steps,
            "world_seconds": round(self._clock.monotonic() - world, 1),
            "wall_seconds": round(seconds, 3),
            "commands": figures.commands,
            "events": figures.events,
            "memories": sum(agent.memory.total for agent in self._agents) - before[0],
            "thoughts": figures.thoughts,
            "compactions": sum(agent.memory.compactions for agent in self._agents) - before[1],
            "repetition_rate": round(figures.repetition_rate, 4),
            "rss_mb": resident(),
            "state_hash": state_hash(parts.engine.world, self._agents),
            "commands_per_second": round(figures.commands / seconds, 1),
            "cpu_seconds": round(work, 3),
            "rss_mb_at_half": self._half,
            **figures.record(),
        }

    async def _live(self) -> None:
        """Take turn after turn until as many lines were submitted as are wanted."""
        figures, wanted = self._figures, self._plan.steps
        indexed = told = 0
        while figures.steps < wanted:
            await self._turn()
            if figures.steps - indexed >= INDEX_EVERY:
                indexed = figures.steps
                await self._parts.recall.complete()
            if self._half is None and 2 * figures.steps >= wanted:
                self._half = resident()
            if (part := PARTS_TOLD * figures.steps // wanted) > told:
                told = part
                self._say(f"steps: {figures.steps} of {wanted}")

    async def _turn(self) -> None:
        """Let whoever is due next have a turn, and everything that it brings about come to its end."""
        due = self._living.due
        assert due is not None  # everybody is due again after a turn
        self._clock.advance(max(0.0, due - self._clock.monotonic()))
        agent = await self._living.take_turn()
        if agent is not None and agent.thinker is not None and agent.thinker.last is not self._last.get(agent.slug):
            self._last[agent.slug] = agent.thinker.last
            self._figures.thoughts += 1
        if self._unwritten is not None:
            raise LociError(self._unwritten)
        if self._clock.monotonic() - self._figures.last > STANDSTILL:
            raise LociError(
                f"nobody has done anything for {STANDSTILL / 3600:.0f} hours; do all of them sleep for good?"
            )
        await self._settle()

    async def _settle(self) -> None:
        """Answer every request and finish every fold."""
        while self._requests:
            request = self._requests.pop(0)
            self._parts.engine.answer(request, await carry_out(self._parts, request, list))
        await self._parts.minds.settle_folds()

    def _submitted(self, step: Step) -> None:
        if step.number == 0:
            self._unwritten = step.reply
            return
        self._figures.submitted(step)
        self._requests += step.requests

    async def _close(self) -> None:
        """Close in order, as a real run does."""
        parts = self._parts
        await self._living.stop()
        await parts.minds.finish_folds(0)
        await parts.queue.close(0)
        parts.save()
        if self._pages is not None:
            self._pages.write_all()
        if self._chronicle is not None:
            self._chronicle.close()
        await parts.recall.stop()
