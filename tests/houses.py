"""A vault put together for a test: its minds in its world, led by hand; nothing runs unless a test runs it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

from agents.agent import Agent
from agents.brains import Brain, Decision, InterpreterSource, Situation, Thought, Voice
from agents.definition import write_definition
from agents.life.scheduler import Scheduler, SchedulerConfig
from agents.llm.backend import Backend
from agents.llm.backends.scripted import ScriptedModel
from agents.llm.profiles import LLMProfile
from agents.llm.queue import ModelQueue
from mud.clock import Clock, VirtualClock
from mud.engine.engine import Step
from mud.registry import Registry
from mud.server.requests import carry_out
from mud.server.wiring import Parts, load_brains, opened
from mud.world.events import Perception
from mud.world.roles import Role
from tests.vaults import copy_vault

PATIENCE = 60.0
"""Seconds after which a test gives up on what should have happened; never waited for when it happens."""


class House:
    """An opened vault with a person in it when one is let in.

    Args:
        parts: the opened vault.
    """

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.minds = parts.minds
        self.engine = parts.engine
        self.submitted: list[Step] = []
        self.acted = asyncio.Event()
        self.engine.observe(self.minds.observe)

    def agent(self, name: str) -> Agent:
        """Return an agent."""
        return self.minds.get(name)

    def enter(self, name: str, place: str = "The Garden") -> Agent:
        """Let a person in, as `run` does."""
        parts = self.parts
        found = self.minds.find(name)
        if found is None:
            slug = write_definition(parts.vault / "agents", name, self.engine.world.new_id(), person=True)
            assert self.minds.load_definition(slug) == []
            found = self.minds.open(slug)
        parts.engine.witnesses.add(found.id)
        step = self.engine.enter(found.definition.thing(), self.place(place))
        assert not step.failed
        return found

    def place(self, name: str) -> str:
        """Return the id of a location."""
        return next(one.id for one in self.engine.world.locations() if one.name == name)

    def type(self, who: Agent, line: str, role: Role = Role.OWNER) -> Step:
        """Have somebody type a line."""
        return self.engine.step(who.id, line, role)

    async def ask(self, who: Agent, line: str, role: Role = Role.OWNER) -> Step:
        """Have somebody type a line, carry out what it asks for, and return the step of the answer."""
        (request,) = self.type(who, line, role).requests
        outcome = await carry_out(self.parts, request, list)
        return self.engine.answer(request, outcome)

    def drives(
        self,
        model: ScriptedModel | None = None,
        brains: Iterable[Brain] = (),
        override: str | None = None,
        *,
        exact: bool = False,
    ) -> SchedulerConfig:
        """Return what a scheduler of agents needs, over a scripted model."""
        parts, script = self.parts, model or ScriptedModel()
        backend = Backend("scripted", "Scripted.", lambda profile: script)
        profile = LLMProfile(backend="scripted", host="a", timeout=60)
        self.queue = ModelQueue(lambda name: profile, Registry("backend", [backend]), parts.clock)
        kinds = load_brains().joined(brains)
        return SchedulerConfig(
            lambda: kinds, self.voice, self.queue, parts.prompting, Random(1), parts.clock, override, exact=exact
        )

    def living(
        self,
        model: ScriptedModel | None = None,
        brains: Iterable[Brain] = (),
        override: str | None = None,
        *,
        exact: bool = False,
    ) -> Scheduler:
        """Return the agents' drives over a scripted model; they notice what happens from now on."""
        drives = self.drives(model, brains, override, exact=exact)
        living = Scheduler(self.minds, self.engine, drives, self._submitted)
        self.engine.observe(living.observe)
        return living

    def voice(self, voice: str, key: str) -> tuple[str, ...]:
        """Give the vault's texts, as the program does."""
        texts = self.parts.texts
        return texts.variants(f"instinct.{voice}.{key}") or texts.variants(f"instinct.default.{key}")

    def _submitted(self, step: Step) -> None:
        self.submitted.append(step)
        self.acted.set()

    async def next_act(self) -> Step:
        """Wait until an agent has submitted something, and return it."""
        await asyncio.wait_for(self.acted.wait(), PATIENCE)
        self.acted.clear()
        return self.submitted[-1]


@asynccontextmanager
async def house(folder: Path, clock: Clock | None = None) -> AsyncIterator[House]:
    """Open a fresh copy of the shipped vault, or the one that is in the folder already, and close it at the end."""
    vault = folder / "vault" if (folder / "vault").is_dir() else copy_vault(folder)
    with opened(vault, writable=True, clock=clock or VirtualClock()) as parts:
        try:
            yield House(parts)
        finally:
            await parts.queue.close(0)
            await parts.recall.stop()


def texts_of(agent: Agent) -> list[str]:
    """Return everything that an agent remembers."""
    return [entry.text for entry in agent.memory.read(1, agent.memory.total)]


class Puppet:
    """A brain that does what a test tells it.

    Args:
        act: takes the situation and returns the line, or raises.
        wish: what it wishes when it notices something.
    """

    def __init__(self, act: Callable[[Situation], str | None], wish: float | None = None) -> None:
        self._act = act
        self._wish = wish
        self.noticed: list[Perception] = []

    def notice(self, perceived: Perception, seconds: float) -> float | None:
        self.noticed.append(perceived)
        return self._wish

    def decide(self, situation: Situation) -> Thought:
        return Decision(self._act(situation), "as told")
        yield  # a generator that needs nothing


def puppet(act: Callable[[Situation], str | None], wish: float | None = None, *, needs_model: bool = False) -> Brain:
    """Return a kind of brain called `puppet`."""

    def start(name: str, chance: Random, voice: Voice, interpreter: InterpreterSource) -> Puppet:
        return Puppet(act, wish)

    return Brain("puppet", "Does what a test tells it.", start, needs_model)


async def soon(done: Callable[[], bool], turn: Callable[[], Awaitable[None]]) -> None:
    """Let others have their turn until something is so; a test that waits in vain fails by its patience."""

    async def wait() -> None:
        while not done():
            await turn()

    await asyncio.wait_for(wait(), PATIENCE)
