"""A stage for whole conversations: the shipped vault, the real engine, memory and recall, a clock moved by hand.

The minds are those of the program, with chance from a seed and without a model; only their turns are called from here,
so that an evening of hours is played in seconds. Recall goes by words alone.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

from agents.agent import Agent
from agents.definition import find_location, write_definition
from agents.life.scheduler import Scheduler, SchedulerConfig
from agents.mind.actor import by_witness
from mud.clock import VirtualClock
from mud.engine.engine import Step
from mud.server.wiring import Parts, load_brains, opened
from mud.world.roles import Role
from tests.settings import put
from tests.vaults import copy_vault

QUOTED = re.compile(r'"(.*)"', re.S)


def home_loving(vault: Path) -> None:
    """Have every mind of a vault stay where it is, as a person would set it: in the texts of its voice."""
    for path in (vault / "text" / "instinct").glob("*.md"):
        text = path.read_text("utf-8")
        path.write_text(re.sub(r"^\*\*explore\*\*:.*$", "**explore**: never", text, flags=re.M), "utf-8")


class Stage:
    """A world with minds and people in it.

    Args:
        parts: the opened vault.
        clock: its clock.
        seed: seed of all chance.
    """

    def __init__(self, parts: Parts, clock: VirtualClock, seed: int) -> None:
        self.parts = parts
        self.clock = clock
        self.chance = Random(seed)
        self.script: list[str] = []
        """All that happened, a line each."""
        self.spoken: list[tuple[str, str, str]] = []
        """Every command line of a mind: seconds, name, line."""
        self._people: dict[str, Agent] = {}
        self._due: dict[str, float] = {}
        self._steps: list[Step] = []
        texts = parts.texts
        drives = SchedulerConfig(
            load_brains,
            lambda voice, key: texts.variants(f"instinct.{voice}.{key}") or texts.variants(f"instinct.default.{key}"),
            parts.queue,
            parts.prompting,
            self.chance,
            clock,
            "instinct",
        )
        self.living = Scheduler(parts.minds, parts.engine, drives, self._steps.append)
        parts.engine.observe(parts.minds.observe)
        parts.engine.observe(self._observe)
        for agent in parts.minds.opened():
            self.living.begin(agent)
            self._due[agent.slug] = clock.monotonic() + self.chance.uniform(0.5, 5)

    def mind(self, name: str) -> Agent:
        """Return a mind."""
        return self.parts.minds.get(name)

    def place(self, name: str, location: str) -> None:
        """Have a mind walk to a location now."""
        self.parts.engine.step(self.mind(name).id, f"go {location}", Role.AGENT)

    def want(self, name: str, goal: str) -> None:
        """Give a mind a goal, as a person would set it: in its file."""
        agent, minds = self.mind(name), self.parts.minds
        path = self.parts.vault / "agents" / agent.slug / "agent.md"
        path.write_text(path.read_text("utf-8").replace("brain: auto\n", f"brain: auto\ngoal: {goal}\n"), "utf-8")
        assert minds.load_definition(agent.slug) == []

    def enter(self, name: str, location: str = "The Garden") -> None:
        """Let a person come in."""
        minds, engine = self.parts.minds, self.parts.engine
        if name not in self._people:
            slug = write_definition(self.parts.vault / "agents", name, engine.world.new_id(), person=True)
            assert minds.load_definition(slug) == []
            self._people[name] = minds.open(slug)
        agent = self._people[name]
        engine.witnesses.add(agent.id)
        place = find_location(location, engine.world.locations())
        assert place is not None
        engine.enter(agent.definition.thing(), place.id)

    def where(self, name: str) -> str:
        """Return the name of the location where a person is."""
        here = self.parts.engine.world.location_of(self._people[name].id)
        assert here is not None
        return here.name

    def leave(self, name: str) -> None:
        """Let a person go away."""
        self.parts.engine.leave(self._people[name].definition.thing())

    async def type(self, name: str, line: str, wait: float = 5.0) -> list[str]:
        """Let a person type a line; return what minds then say to be heard by them, each as `Name: words`.

        Args:
            name: who types.
            line: the line.
            wait: seconds for which the minds may answer.
        """
        before = len(self.script)
        step = self.parts.engine.step(self._people[name].id, line, Role.OWNER)
        assert not step.failed, (line, step.reply)
        await self.live(wait)
        return self._heard_by(name, self.script[before:])

    def _heard_by(self, name: str, lines: list[str]) -> list[str]:
        minds = {agent.name for agent in self.parts.minds.opened() if not agent.definition.person}
        found = []
        for line in lines:
            who, mark, words = line.partition(f" -> {name}: ")
            said = QUOTED.search(words)
            if mark and who in minds and said:
                found.append(f"{who}: {said[1]}")
        return found

    async def live(self, seconds: float) -> None:
        """Let time pass, every mind thinking when it is due."""
        end = self.clock.monotonic() + seconds
        while self._due:
            slug = min(self._due, key=lambda one: (self._due[one], one))
            if self._due[slug] > end:
                break
            agent = self.parts.minds.open(slug)
            self.clock.advance(max(0.0, self._due[slug] - self.clock.monotonic()))
            self.parts.engine.elapse()
            pause = agent.thinking().think_interval * self.chance.uniform(0.7, 1.3)
            self._due[slug] = self.clock.monotonic() + pause
            await self.living.act(agent, waiting=False)
            await self._carry_out()
        self.clock.advance(max(0.0, end - self.clock.monotonic()))
        self.parts.engine.elapse()

    async def _carry_out(self) -> None:
        """Answer what the minds' own lines asked for."""
        for step in self._steps:
            for request in step.requests:
                outcome = await self.parts.answerers.get(request.name).run(self.parts.minds, request)
                self.parts.engine.answer(request, outcome)
        self._steps.clear()

    def _observe(self, step: Step) -> None:
        """Take note of a step, and have minds take note that perceived it."""
        actor = self.parts.engine.world.get(step.who)
        if step.line and actor is not None and actor.thinks:
            self.spoken.append((f"{self.clock.monotonic():.1f}", actor.name, step.line))
        for who, perceptions in by_witness(step.left).items():
            agent = self.parts.minds.by_id(who)
            if agent is None:
                continue
            for perceived in perceptions:
                if agent.definition.person:
                    by = perceived.actor or "self"
                    self.script.append(f"{by} -> {agent.name}: {perceived.text}")
                elif agent.thinker is not None:
                    wish = agent.thinker.notice(perceived)
                    if wish is not None and who != step.who:
                        self._due[agent.slug] = min(self._due[agent.slug], self.clock.monotonic() + wish)


@asynccontextmanager
async def staged(folder: Path, seed: int = 1, *, walking: bool = True) -> AsyncIterator[Stage]:
    """Open a fresh copy of the shipped vault as a stage.

    Args:
        folder: where the copy goes.
        seed: seed of all chance.
        walking: minds walk about; else each stays where it is.
    """
    vault = copy_vault(folder)
    put(vault, "memory_compaction", summarizer="extractive")
    if not walking:
        home_loving(vault)
    clock = VirtualClock()
    with opened(vault, writable=True, clock=clock) as parts:
        try:
            yield Stage(parts, clock, seed)
        finally:
            await parts.minds.finish_folds(0)
            await parts.queue.close(0)
            await parts.recall.stop()
