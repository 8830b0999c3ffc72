"""Runs a simulation in the vault or a copy of it.

One turn at a time: the agent that is due first thinks and submits a line; requests are answered and due folds finished
before the next turn. This and the seed make two runs the same.
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
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

from agents.agent import Agent
from agents.life.mind_page import MindPages
from agents.life.scheduler import Scheduler, SchedulerConfig
from agents.llm.backend import Backend
from agents.mind.thinker import FALLBACK, Thought
from mud.clock import Clock, VirtualClock, parse_iso
from mud.commands import Outcome
from mud.engine.chronicle import Chronicle
from mud.engine.engine import Step
from mud.errors import LociError
from mud.process import temporary_folder
from mud.registry import Registry
from mud.server.bulk import newcomer
from mud.server.checks import GENERATED_VOICES, voices_in
from mud.server.garbage import spare_what_stays
from mud.server.requests import carry_out
from mud.server.wiring import ModelSource, Parts, load_brains, opened, vault_in
from mud.simulation.figures import Figures, resident, state_hash
from mud.storage.files import copy_folder
from mud.storage.texts import TextStore
from mud.world.changes import Define, Put
from mud.world.events import Request
from mud.world.matching import plain
from mud.world.narration import counted

COPIED = ("config", "text", "prompts", "instinct", "world", "agents", "log")
"""The parts of a vault that are copied; the index is built anew."""
_LEFT_OUT_ANYWHERE = shutil.ignore_patterns(".*")
_LEFT_OUT_OF_LOG = shutil.ignore_patterns(".*", "chronicle*", "worlds", "traces", "loci.log*", "history")
_LEFT_OUT_OF_NOTES = shutil.ignore_patterns(".*", "history")
"""What a run does not need: of the log only the ledger is copied, of notes only the last versions. Elsewhere such a
name may be that of an agent or a location.
"""
INDEX_EVERY = 40_000
"""Most memories between two rounds of writing and indexing, so that not all waits in RAM. A question indexes the asking
agent's memories, except the newest, which its prompt shows anyway.
"""
COLLECTED_EVERY = 200_000  # allocations between two garbage collections; a long pause does not matter here
STANDSTILL = 30 * 3600.0  # world seconds without a line, longer than any night, after which the run is given up
IN_MEMORY = Path("/dev/shm")
"""Folder for the copy if it has room: a disk takes longer to create a file than an agent to think."""
BYTES_A_STEP = 16_000  # bytes reserved per step, four times the usual amount
PARTS_TOLD = 10  # how often a run reports progress

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class SimulationPlan:
    """What to simulate."""

    vault: Path
    steps: int  # lines to be submitted
    agents: int | None  # number of agents, made-up ones included; None for those of the vault
    seed: int
    keep: bool = False  # run in the vault itself, not in a copy
    backends: Callable[[Clock], Registry[Backend]] | None = None  # on the run's clock; None: no model
    exact: bool = False  # agents live turn by turn, although nobody watches
    minutes: float = float("inf")  # of the world's time, after which the run ends before it has all steps


def simulate(plan: SimulationPlan, say: Say) -> dict[str, Any]:
    """Run a simulation and return its figures (design, section 9); if nothing happens any more, raise a LociError."""
    plan = replace(plan, vault=vault_in(plan.vault))
    clock = VirtualClock()
    asked = ModelSource(plan.backends(clock), Random(plan.seed)) if plan.backends is not None else None
    with (
        _stage(plan) as vault,
        opened(vault, writable=True, clock=clock, alone=True, asked=asked) as parts,
    ):
        for line in parts.told_at_start():
            say(f"loci: {line}")
        return asyncio.run(_Run(parts, clock, plan, say).go())


@contextmanager
def _stage(plan: SimulationPlan) -> Iterator[Path]:
    if plan.keep:
        yield plan.vault
        return
    copied = (path for name in COPIED for path in (plan.vault / name).rglob("*"))
    needed = sum(path.lstat().st_size for path in copied) + plan.steps * BYTES_A_STEP  # the copy and what is added
    with temporary_folder("loci-simulate-", place_for(needed)) as folder:
        copy = folder.resolve()
        for name in COPIED:
            copy_folder(plan.vault / name, copy / name, partial(_left_out, plan.vault))
        yield copy


def _left_out(vault: Path, folder: str, names: list[str]) -> set[str]:
    match Path(folder).relative_to(vault).parts:
        case ("log",):
            left_out = _LEFT_OUT_OF_LOG
        case ("agents", _, "notes"):
            left_out = _LEFT_OUT_OF_NOTES
        case _:
            left_out = _LEFT_OUT_ANYWHERE
    return left_out(folder, names)


def place_for(needed: int, memory: Path = IN_MEMORY) -> Path | None:
    """Return `memory` if it has room and `TMPDIR` is not set; None for the usual folder of temporary files."""
    try:
        roomy = os.access(memory, os.W_OK) and shutil.disk_usage(memory).free >= needed
    except OSError:
        return None
    return memory if roomy and "TMPDIR" not in os.environ else None


class _Run:
    def __init__(self, parts: Parts, clock: VirtualClock, plan: SimulationPlan, say: Say) -> None:
        self._parts, self._clock, self._plan, self._say = parts, clock, plan, say
        chance = Random(plan.seed)
        self._agents = self._people(chance)
        clock.advance(self._lived())
        # In a copy, nobody reads traces, pages or the chronicle.
        brain = FALLBACK if plan.backends is None else None
        habits = parts.world_files.habits()

        def world_habits() -> dict[str, tuple[tuple[str, int], ...]]:
            return habits

        drives = SchedulerConfig(
            load_brains, parts.voice, parts.queue, parts.prompting, chance, clock, brain, plan.keep,
            parts.interpreter.get, world_habits, plan.exact,
        )  # fmt: skip
        self._living = Scheduler(parts.minds, parts.engine, drives, self._submitted)
        self._pages = MindPages(parts.minds, lambda path, text: None) if plan.keep else None
        self._chronicle = Chronicle(parts.vault / "log", parts.engine.world) if plan.keep else None
        locations = [location.id for location in parts.engine.world.locations()]
        self._figures = Figures([agent.id for agent in self._agents], locations, clock, plan.steps)
        self._requests: list[Request] = []
        self._unwritten: str | None = None
        """Why a line could not be written to the ledger; None if all were."""
        self._last: dict[str, Thought | None] = {}
        self._half: float | None = None

    def _people(self, chance: Random) -> list[Agent]:
        """Return all agents by id, made-up ones included."""
        own = [agent for agent in self._parts.minds.opened() if not agent.definition.person]
        wanted = self._plan.agents if self._plan.agents is not None else len(own)
        if wanted < len(own):
            there = f"the vault has {counted(len(own), 'agent')} of its own"
            raise LociError(f"{there}; expected --agents {len(own)} or more")
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
        parts, figures = self._parts, self._figures
        for agent in self._agents:
            await parts.minds.catch_up(agent)
            self._living.begin(agent)
        if self._plan.backends is not None:  # nothing watches the models here: each counts as answering until it fails
            self._living.answers.update(dict.fromkeys(self._living.profiles(), True))
        for observer in (parts.minds, self._living, figures, self._pages, self._chronicle):
            if observer is not None:
                parts.engine.observe(observer.observe)
        memories = [agent.memory for agent in self._agents]
        total, folds = sum(one.total for one in memories), sum(one.compactions for one in memories)
        spare_what_stays()
        usual = gc.get_threshold()
        gc.set_threshold(COLLECTED_EVERY, *usual[1:])
        parts.minds.held.of_cold_minds = True
        started, worked, world = time.perf_counter(), time.process_time(), self._clock.monotonic()
        try:
            with ExitStack() as bulk:
                for agent in self._agents:
                    bulk.enter_context(agent.in_bulk())
                await self._live()
                await self._settle()
            if self._plan.keep:  # of a copy, nobody asks the index any more
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
            "memories": sum(one.total for one in memories) - total,
            "thoughts": figures.thoughts,
            "compactions": sum(one.compactions for one in memories) - folds,
            "repetition_rate": round(figures.repetition_rate, 4),
            "rss_mb": resident(),
            "state_hash": state_hash(parts.engine.world, self._agents),
            "commands_per_second": round(figures.commands / seconds, 1),
            "cpu_seconds": round(work, 3),
            "rss_mb_at_half": self._half,
            **figures.record(),
        }

    async def _live(self) -> None:
        figures, wanted = self._figures, self._plan.steps
        indexed = told = 0
        end = self._clock.monotonic() + 60 * self._plan.minutes
        while figures.steps < wanted and self._clock.monotonic() < end:
            if figures.perceived - indexed >= INDEX_EVERY:
                indexed = figures.perceived
                self._parts.minds.held.write()
                await self._parts.recall.complete()
            await self._turn()
            if self._half is None and 2 * figures.steps >= wanted:
                self._half = resident()
            if (part := PARTS_TOLD * figures.steps // wanted) > told:
                told = part
                self._say(f"steps: {figures.steps} of {wanted}")

    async def _turn(self) -> None:
        due = self._living.due
        assert due is not None  # every agent is due again after a turn
        self._clock.advance(max(0.0, due - self._clock.monotonic()))
        self._parts.engine.elapse()
        agent = await self._living.take_turn()
        if agent is not None and agent.thinker is not None and agent.thinker.last is not self._last.get(agent.slug):
            self._last[agent.slug] = agent.thinker.last
            self._figures.thoughts += 1
        if self._unwritten is not None:
            raise LociError(self._unwritten)
        if self._clock.monotonic() - self._figures.last > STANDSTILL:
            hours = f"{STANDSTILL / 3600:.0f} hours"
            raise LociError(f"nobody has done anything for {hours}; do all of them sleep for good?")
        await self._settle()

    async def _settle(self) -> None:
        while self._requests:
            request = self._requests.pop(0)
            self._parts.engine.answer(request, await carry_out(self._parts, request, list))
        await self._parts.minds.folds.settle()

    def _submitted(self, step: Step) -> None:
        if step.number == 0:
            self._unwritten = step.reply
            return
        self._figures.submitted(step)
        self._requests += step.requests

    async def _close(self) -> None:
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


LISTS = "newcomers."  # prefix of the keys of these lists in the vault's texts
INTERVALS = (6, 14)  # least and most seconds between two thoughts


def make_up(parts: Parts, count: int, chance: Random) -> list[Agent]:
    """Make up `count` agents and bring each into the world."""
    names = _names(parts, chance)
    if len(names) < count:
        raise LociError(f"text/newcomers.md has names for {counted(len(names), 'newcomer')}; expected {count} at least")
    voices = parts.texts.variants(GENERATED_VOICES) or voices_in(parts.texts)
    return [_come_in(parts, name, chance.choice(voices), chance) for name in names[:count]]


def _names(parts: Parts, chance: Random) -> list[str]:
    """Return unused names in random order: plain ones first, then those with a second name."""
    first, second = (list(_list(parts.texts, f"names.{key}")) for key in ("first", "second"))
    chance.shuffle(first)
    chance.shuffle(second)
    taken = {plain(name) for thing in parts.engine.world.things.values() for name in thing.names}
    taken |= {plain(name) for definition in parts.minds.drafts.values() for name in definition.names}
    both = [f"{one} {other}" for other, one in product(second, first)]
    return [name for name in dict.fromkeys([*first, *both]) if plain(name) not in taken]


def _list(texts: TextStore, key: str) -> tuple[str, ...]:
    found = texts.variants(LISTS + key)
    if not found:
        raise LociError(f"the vault's text/newcomers.md has no list {key}; newcomers are made up from it")
    return found


def _come_in(parts: Parts, name: str, voice: str, chance: Random) -> Agent:
    engine = parts.engine
    home = chance.choice(engine.world.locations())
    profile = [chance.choice(_list(parts.texts, f"person.{key}")) for key in ("trade", "manner", "wish")]
    agent = newcomer(
        parts,
        name,
        location=home.name,
        description=chance.choice(_list(parts.texts, "person.look")),
        profile=" ".join(profile),
        more={"voice": voice, "think_interval": chance.randint(*INTERVALS)},
    )
    character = agent.definition.thing()
    # Not `enter`: others would perceive an arrival, and newcomers are to have lived here all along.
    step = engine.happen(character, Outcome("", changes=(Define(character), Put(character.id, home.id))))
    if step.failed:
        raise LociError(step.reply)
    engine.witness(agent.id)
    return agent
