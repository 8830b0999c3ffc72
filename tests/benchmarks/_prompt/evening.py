"""An evening of agents and one visitor in a copy of a vault, until enough thoughts are measured.

First the agents live by instinct until each has a past. Then the model is asked and its line submitted, while the
visitor talks and walks about. Chance is seeded and the time of day made up, so that only the seconds differ.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from agents.agent import Agent
from agents.brains.language import LANGUAGE
from agents.compaction.settings import CompactionSettings
from agents.definition import write_definition
from agents.life.scheduler import Scheduler, SchedulerConfig
from agents.llm.backend import Backend
from agents.llm.profiles import LLMProfile
from agents.llm.queue import ModelQueue
from agents.mind.settings import THINK, ThinkingSettings
from agents.recall.settings import RecallSettings
from mud.engine.engine import Step
from mud.errors import LociError
from mud.registry import Registry, load
from mud.server.requests import carry_out
from mud.server.wiring import Parts, load_brains, opened
from mud.storage.settings import Scalar, replace_setting
from mud.world.roles import Role
from tests.benchmarks import _samples as samples
from tests.benchmarks._prompt.watching import Call, PromptWatch, WatchedPrompting, watched
from tests.benchmarks._scratch import GRAPHS, NONE, LifeClock, scratch

BEGIN = datetime(2026, 3, 1, 18, tzinfo=UTC)
PAUSE = 3.0
"""Seconds between two turns; with four agents, each thinks every 12 s."""
VISITOR = "Wren"
TALKS = 0.25
"""Chance that the visitor speaks before a turn: a line every 12 s, as a person types."""
STAYS = 5
"""Turns after which the visitor goes to the agent whose turn it is."""
TIMEOUT = 600.0
"""Seconds allowed for a thought; on a busy machine a prompt takes minutes."""
WARM = 2
"""First thoughts of each agent that are not measured: nothing of them can be cached, and llama.cpp does not keep the
first prompt that it reads at all.
"""
MOST_IDLE = 9
"""Most rounds in a row without a question to the model before that is an error."""
MOST_TURNS = 4000
"""Most turns until every agent has a past; an agent that sleeps or is paused never gets one."""
SAYINGS = (samples.FOLDER / "sayings.txt").read_text(encoding="utf-8").splitlines()


@dataclass(frozen=True, slots=True)
class EveningPlan:
    """What to run.

    Args:
        vault: source of agents and settings; never written to.
        host: address of the model's server.
        order: the prompt order.
        agents: how many, the first by name.
        thoughts: how many are measured.
        past: memories that each agent has before.
        vectors: recall uses vectors too.
    """

    vault: Path
    host: str
    order: str
    agents: int
    thoughts: int
    past: int
    seed: int
    vectors: bool = True


@dataclass(frozen=True, slots=True)
class MeasuredThought:
    """One measured thought.

    Args:
        calls: what the model was asked, once or twice.
        volatile: for each prompt, the tokens that may change at any time.
        seconds: including recall, the model and the world.
        own: whether the model's line was carried out, not the instinct's.
        folds: folds of the agent's memory since its last thought.
    """

    name: str
    calls: Sequence[Call]
    volatile: Sequence[int]
    seconds: float
    own: bool
    folds: int


class EveningClock(LifeClock):
    """The evening's own time; waiting for a model uses real time."""

    def monotonic(self) -> float:
        return (self.moment - BEGIN).total_seconds()

    def advance(self, seconds: float) -> None:
        self.moment += timedelta(seconds=seconds)


async def live(
    plan: EveningPlan,
    parts: Parts,
    clock: EveningClock,
    tell: Callable[[int, MeasuredThought | None], None] = lambda *_: None,
) -> list[MeasuredThought]:
    """Run an evening and return its thoughts; `tell` is called when every agent has a past, and for each thought."""
    await parts.recall.start(vectors=plan.vectors)
    evening = Evening(plan, parts, clock)
    try:
        await evening.gather_a_past()
        tell(0, None)
        for _ in range(WARM * plan.agents):
            await evening.think()
        thoughts = []
        for number in range(1, plan.thoughts + 1):
            thoughts.append(await evening.think())
            tell(number, thoughts[-1])
        return thoughts
    finally:
        await evening.close()


class Evening:
    def __init__(self, plan: EveningPlan, parts: Parts, clock: EveningClock) -> None:
        self._plan, self._parts, self._clock = plan, parts, clock
        self._chance = Random(plan.seed)
        self._watch = PromptWatch()
        self._steps: list[Step] = []
        self._round: list[Agent] = []
        self._sayings: list[str] = []
        self._turns = 0
        self._folds: dict[str, int] = {}
        minds = parts.minds
        thinking = (one for one in minds.opened() if not one.definition.person)
        self._agents = sorted(thinking, key=lambda one: one.slug)[: plan.agents]
        if len(self._agents) < plan.agents:
            raise LociError(f"{plan.agents} agents are to think, and {plan.vault} has {len(self._agents)}")
        self._queue = self._watched_queue()
        self._living = self._wake()
        self._visitor = self._let_in()

    def _profile(self, name: str = "think") -> LLMProfile:
        return self._parts.configuration.get_named(LLMProfile, name)

    def _watched_queue(self) -> ModelQueue:
        backends = [watched(one, self._watch) for one in load("agents.llm.backends", Backend, "backend")]
        return ModelQueue(self._profile, Registry("backend", backends), self._clock)

    def _wake(self) -> Scheduler:
        parts, chance = self._parts, Random(self._chance.random())
        prompting = WatchedPrompting(parts.minds, parts.templates, parts.commands)
        prompting.watch = self._watch
        drives = SchedulerConfig(load_brains, parts.voice, self._queue, prompting, chance, self._clock)
        living = Scheduler(parts.minds, parts.engine, drives, self._steps.append)
        parts.engine.observe(parts.minds.observe)
        parts.engine.observe(living.observe)
        for agent in self._agents:
            living.begin(agent)
        living.answers[THINK] = False
        return living

    def _let_in(self) -> Agent:
        minds, engine = self._parts.minds, self._parts.engine
        slug = write_definition(self._parts.vault / "agents", VISITOR, engine.world.new_id(), person=True)
        problems = minds.load_definition(slug)
        if problems:
            raise LociError(str(problems[0]))
        visitor = minds.open(slug)
        engine.witnesses.add(visitor.id)
        here = engine.world.location_of(self._agents[0].id) or engine.world.locations()[0]
        engine.enter(visitor.definition.thing(), here.id)
        return visitor

    async def gather_a_past(self) -> None:
        for _ in range(MOST_TURNS):
            if min(one.memory.total for one in self._agents) >= self._plan.past:
                break
            agent = self._next()
            await self._living.act(agent, waiting=False)
            await self._settle()
        else:
            raise LociError(f"after {MOST_TURNS} turns somebody has lived through less than {self._plan.past} memories")
        self._living.answers[THINK] = True

    def _next(self) -> Agent:
        """Advance time, let the visitor act, and return whose turn it is: each agent once a round."""
        self._turns += 1
        if not self._round:
            self._round = self._chance.sample(self._agents, len(self._agents))
        agent = self._round.pop()
        self._clock.advance(PAUSE)
        here = self._parts.engine.world.location_of(agent.id)
        if self._turns % STAYS == 0 and here is not None:
            self._type(f"go {here.name}")
        if self._chance.random() < TALKS:
            self._type(f"say {self._next_saying()}")
        return agent

    def _next_saying(self) -> str:
        if not self._sayings:
            self._sayings = self._chance.sample(SAYINGS, len(SAYINGS))
        return self._sayings.pop()

    def _type(self, line: str) -> None:
        self._steps.append(self._parts.engine.step(self._visitor.id, line, Role.GUEST))

    async def _settle(self) -> None:
        while self._steps:
            for request in self._steps.pop(0).requests:
                self._parts.engine.answer(request, await carry_out(self._parts, request, list))
        await self._parts.minds.folds.settle()

    async def think(self) -> MeasuredThought:
        """Run turns until an agent has asked the model, and measure that thought. Sleeping agents are woken."""
        for _ in range(MOST_IDLE * len(self._agents)):
            thought = await self._turn_of(self._next())
            if thought is not None:
                return thought
            if self._queue.silent(["think"]):
                break
        silent = "; ".join(self._queue.silent(["think"]))
        raise LociError(f"the model did not answer: {silent or 'it was never asked'}")

    async def _turn_of(self, agent: Agent) -> MeasuredThought | None:
        watch, minds = self._watch, self._parts.minds
        if minds.sleeps(agent.id):
            self._steps.append(self._parts.engine.step(agent.id, "wake", Role.AGENT))
        await self._settle()
        if self._plan.vectors and not await self._parts.recall.complete():
            raise LociError(f"the vectors are missing: {self._parts.recall.trouble}")
        watch.calls.clear()
        begun = time.perf_counter()
        await self._living.act(agent, waiting=False)
        seconds = time.perf_counter() - begun
        calls = tuple(watch.calls)
        volatile = [await watch.volatile(call.prompt) for call in calls]
        await self._settle()
        last = agent.thinker.last if agent.thinker is not None else None
        own = last is not None and last.brain == LANGUAGE.name
        folds = agent.memory.compactions - self._folds.get(agent.slug, agent.memory.compactions)
        self._folds[agent.slug] = agent.memory.compactions
        return MeasuredThought(agent.name, calls, volatile, seconds, own, folds) if calls else None

    async def close(self) -> None:
        await self._living.stop()
        await self._queue.close(0)
        await self._parts.queue.close(0)
        await self._parts.recall.stop()


@contextmanager
def newborn(vault: Path, cache: Path) -> Iterator[Path]:
    """Yield a copy of a vault with its settings, its world, and its agents without their memories."""
    with scratch(vault, cache, GRAPHS) as folder:
        for kind in ("items", "characters"):
            if (vault / "world" / kind).is_dir():
                shutil.copytree(vault / "world" / kind, folder / "world" / kind)
        for file in vault.glob("agents/*/agent.md"):
            (folder / "agents" / file.parent.name).mkdir()
            shutil.copyfile(file, folder / "agents" / file.parent.name / file.name)
        yield folder


@contextmanager
def household(plan: EveningPlan, cache: Path) -> Iterator[tuple[Parts, EveningClock]]:
    """Open a copy of a vault made by `newborn`, with the settings that the plan asks for."""
    with newborn(plan.vault, cache) as folder:
        _set(folder, "config/thinking.md", ThinkingSettings, prompt_order=plan.order)
        # By rules: a small model's summaries would differ from run to run and delay thoughts.
        _set(folder, "config/memory_compaction.md", CompactionSettings, summarizer="extractive")
        _set(folder, "config/recall.md", RecallSettings, **({} if plan.vectors else {"embedder": NONE}))
        _set(folder, "config/llm/think.md", LLMProfile, host=plan.host, timeout=TIMEOUT)
        clock = EveningClock(BEGIN)
        with opened(folder, writable=True, clock=clock) as parts:
            yield parts, clock


def _set(vault: Path, file: str, schema: type, **values: Scalar) -> None:
    path = vault / file
    text = path.read_text("utf-8") if path.is_file() else ""
    for key, value in values.items():
        text = replace_setting(text, schema, key, value, file)
    path.write_text(text, "utf-8")
