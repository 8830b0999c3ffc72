"""The scheduler of agents: due agents think, their lines are submitted, and addressed agents become due soon.

Each agent has one thought at a time; the loop itself never waits for a model.
"""

from __future__ import annotations

import asyncio
import heapq
import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import datetime
from random import Random

from agents.agent import Agent
from agents.brains import Decision, Situation
from agents.definition import AgentDefinition
from agents.hosts import HostOfMinds, MindTurn
from agents.hosts.local import AT_HOME, LocalHost
from agents.life.animals import Animals
from agents.life.detail import Detail
from agents.life.thinking import PendingCalls as PendingCalls
from agents.life.thinking import SchedulerConfig as SchedulerConfig
from agents.life.thinking import Thinking
from agents.mind.actor import by_witness, situate
from agents.mind.settings import SELF_CHANGES, SleepSchedule, ThinkingSettings, fell_asleep, hours_of
from agents.mind.thinker import FALLBACK, Thought, trace_of
from agents.population import Population
from mud.clock import Clock, iso, parse_iso
from mud.engine.engine import Engine, Step
from mud.errors import LociError
from mud.supervise import timeout
from mud.world.narration import phrase

FULL = phrase("minds.sleep.full")

log = logging.getLogger(__name__)

FIRST_WITHIN = 5.0
"""Seconds within which every agent has its first thought, so that a visitor soon sees somebody act."""
JITTER = 0.3
"""Share by which the pause between two thoughts varies, so that agents do not act in step."""
BEGUN_AT_ONCE = 100
"""Agents that begin to live before other tasks of the event loop run."""
PASSES_A_TURN = 6
"""Passes of the event loop between the starts of two turns: in so many a line of a person is read and answered.

A turn takes some ms, and the first one of an agent, which opens its memory, 10.
"""
SLEEP_STEP = 5.0
QUIET = 300.0
"""Seconds without being addressed or woken before an agent falls asleep by the clock."""
LEFT_ALONE = 30.0
"""Seconds without being addressed before an agent reflects."""
SPOKEN = ("heard", "told")
HABIT = "habit"
"""Stands for a brain in traces of lines that follow fixed rules."""
AT_NIGHT = "it is time to sleep, by the clock"
LOOK_AGAIN = 30.0
"""Seconds between two checks of models that all answer."""
LOOK_SOONER = 5.0
"""The same while a model does not answer."""


class Scheduler:
    """The agents of a running world. `submitted` is called with every step of an agent, to carry out its requests."""

    def __init__(
        self, minds: Population, engine: Engine, drives: SchedulerConfig, submitted: Callable[[Step], None]
    ) -> None:
        self._minds, self._engine, self._drives, self._submitted = minds, engine, drives, submitted
        self._animals = Animals(engine, drives.habits, drives.chance, drives.clock)
        self._detail = Detail(engine, lambda: led.who if (led := minds.resting.possession) is not None else "")
        self._due = DueQueue()
        self._woken = asyncio.Event()
        self._unbegun: dict[str, Random] = {}
        """The chance of each agent that gets brains when it is opened."""
        self._turns: set[asyncio.Task[None]] = set()
        self._calls = PendingCalls()
        self._sleepers: set[str] = set()
        """Slugs of the agents that were asleep at their last turn."""
        self._woke: set[str] = set()
        """Slugs of the agents that have not thought since they woke."""
        self._disturbed: dict[str, float] = {}
        """When an agent was last addressed or woken."""
        self._unwatched: set[str] = set()
        """Slugs of the agents whose next turn may come late, as no person can perceive them."""
        self._met: dict[str, float] = {}
        """When a person last spoke to an agent."""
        self._bedtime_asked: dict[str, datetime] = {}
        self._pauses: dict[str, float] = {}
        """How many think intervals an agent's last decision asks for."""
        self._told_full: dict[str, int] = {}
        """Number of folds at the last message that the head is getting full."""
        self._stopped = False
        self._thinking = Thinking(minds, drives, self._calls)
        self.here = LocalHost(minds, self._thinking.begin, brain=self._thinking.wanted)
        self.host: HostOfMinds = self.here
        """Lets the agents think; may be replaced by one that asks others first."""
        self.answers = self._thinking.answers

    def prepare(self) -> None:
        """Load all that brains need before the first one thinks. Takes some tenths of a second; may run in a thread."""
        self._thinking.prepare()

    async def begin_all(self) -> None:
        """Let the first thought of everybody without brains come soon; they get brains when they are opened."""
        for number, (slug, definition) in enumerate([*self._minds.definitions.items()]):
            if number % BEGUN_AT_ONCE == 0:
                await self._drives.clock.sleep(0)
            agent = self._minds.in_use_by_slug(slug)
            if definition.person or not self._minds.lives(slug) or (agent is not None and agent.thinker is not None):
                continue
            chance = Random(self._drives.chance.random())
            self._come_soon(definition, self._minds.thinking_of(definition), chance)
            self._unbegun[slug] = chance
        self._woken.set()

    def _begun(self, agent: Agent | None) -> Agent | None:
        """Return an agent with its brains; None when it is none, or is to have none."""
        if agent is not None and agent.thinker is None and agent.slug in self._unbegun:
            agent.thinker = self._thinking.thinker(agent, self._unbegun.pop(agent.slug))
        return agent

    def begin(self, agent: Agent) -> None:
        """Give an agent brains; its first thought comes soon."""
        self._unbegun.pop(agent.slug, None)
        chance = Random(self._drives.chance.random())
        agent.thinker = self._thinking.thinker(agent, chance)
        self._come_soon(agent.definition, agent.thinking(), chance)
        self._woken.set()

    def _come_soon(self, agent: AgentDefinition, thinking: ThinkingSettings, chance: Random) -> None:
        soon = self._pause_of(agent, thinking, min(FIRST_WITHIN, thinking.think_interval))
        self._due.set(agent.slug, self._drives.clock.monotonic() + chance.uniform(0.5, soon))

    def redefined(self, agent: Agent) -> None:
        """Apply an edited `agent.md`: new brains for a new name, an earlier turn for a shorter interval."""
        if agent.thinker is None:
            return
        if agent.thinker.name != agent.name:
            self.begin(agent)
        self._due.hasten(agent.slug, self._drives.clock.monotonic() + agent.thinking().think_interval)
        self._woken.set()

    def corrected(self, agent: Agent) -> None:
        """Give an agent new brains, which know what it remembers only, as its memories were corrected."""
        if agent.thinker is not None:
            self.begin(agent)

    def drop_unopened(self, slug: str) -> None:
        self._due.drop(slug)
        self._calls.drop(slug)
        self._unbegun.pop(slug, None)

    def drop(self, agent: Agent) -> None:
        self.drop_unopened(agent.slug)
        self._minds.inner.interrupt(agent.slug)
        agent.thinker = None

    def observe(self, step: Step) -> None:
        person = self._detail.is_person(step.who)
        if person:
            near = (self._minds.by_id(who) for who in self._detail.in_sight_of(step.who))
            self._enliven(agent.slug for agent in near if agent is not None)
        for who, perceptions in by_witness(step.left).items():
            agent = self._begun(self._minds.by_id(who))
            if agent is None or agent.thinker is None:
                continue
            begun = agent.thinker.last is not None  # before its first turn it does not know for whom a line is
            for perceived in perceptions:
                wish, spoken = agent.thinker.notice(perceived), perceived.kind in SPOKEN
                if wish is None or who == step.who or (agent.slug in self._unwatched and not (spoken and begun)):
                    continue
                now = self._drives.clock.monotonic()
                self._minds.inner.interrupt(agent.slug)
                if spoken:
                    self._disturbed[agent.slug] = now
                    self._met |= {agent.slug: now} if person else {}
                self._hasten(agent, now + wish, person=person)

    def _enliven(self, who: Iterable[str]) -> None:
        """Hasten the turns of those who lived on unwatched and no longer do; `who` are their folders."""
        for slug in who:
            definition = self._minds.definitions.get(slug)
            if definition is None or slug not in self._unwatched:
                continue
            thinking, now = self._minds.thinking_of(definition), self._drives.clock.monotonic()
            if not self._is_unwatched(definition, thinking):
                self._unwatched.discard(slug)
                soon = min(FIRST_WITHIN, thinking.think_interval)
                self._due.hasten(slug, now + self._drives.chance.uniform(0.5, soon))
                self._woken.set()

    def _is_unwatched(self, agent: AgentDefinition, thinking: ThinkingSettings) -> bool:
        """Return whether no person perceives an agent, nor has lately spoken to it, and no model is asked for it."""
        few = len(self._minds.definitions) < thinking.coarse_from
        if self._drives.exact or few or not thinking.coarse_interval:
            return False
        brain, now = self._thinking.wanted(agent), self._drives.clock.monotonic()
        by_model = brain is not None and brain.name != FALLBACK and not self._thinking.gave_way(agent, thinking, brain)
        met = self._calls.person_waits(agent.slug) or now - self._met.get(agent.slug, float("-inf")) < LEFT_ALONE
        return not (by_model or met or self._detail.is_watched(agent.id))

    def _pause_of(self, agent: AgentDefinition, thinking: ThinkingSettings, wanted: float) -> float:
        """Return the seconds until an agent's next turn, which come to more than it wants while it is unwatched."""
        if not self._is_unwatched(agent, thinking):
            self._unwatched.discard(agent.slug)
            return wanted
        self._unwatched.add(agent.slug)
        return max(wanted, thinking.coarse_interval)

    def _hasten(self, agent: Agent, at: float, *, person: bool) -> None:
        self._calls.call(agent.slug, at, person=person)
        self._due.hasten(agent.slug, at)
        self._woken.set()
        if person:  # a waiting model call for its thought will cover this, as its prompt is built when its turn comes
            self._drives.queue.hasten(agent.name)

    async def run(self) -> None:
        clock = self._drives.clock
        while not self._stopped:
            self._woken.clear()
            self._animals.act()
            for slug in self._due.take(clock.monotonic(), 1):
                turn = asyncio.create_task(self._turn(slug))
                self._turns.add(turn)
                turn.add_done_callback(self._turns.discard)
            due = self._due.next()
            if due is None:
                await self._woken.wait()
            elif (wait := due - clock.monotonic()) > 0:
                with suppress(TimeoutError):
                    await timeout(wait, self._woken.wait(), clock)
            else:
                await let_others_run(clock)

    @property
    def due(self) -> float | None:
        return self._due.next()

    async def take_turn(self) -> Agent | None:
        """Run the turn of the agent due longest and return it; None when none is due."""
        self._animals.act()
        for slug in self._due.take(self._drives.clock.monotonic(), 1):
            await self._turn(slug)
            await self._minds.inner.settle()
            return self._minds.by_slug(slug)
        return None

    async def _turn(self, slug: str) -> None:
        agent = self._begun(self._minds.by_slug(slug))
        if agent is None:
            return
        waiting = self._calls.begin(slug)
        try:
            if self._minds.sleeps(agent.id):
                self.sleep(agent)
            elif not self._minds.resting.rests(slug) and not self._goes_to_bed(agent):
                await self.act(agent, waiting=waiting)
                self._look_inward(agent)
        except LociError as error:
            log.warning("%s could not act: %s", agent.name, error)
        except Exception:
            log.exception("%s could not act", agent.name)
        finally:
            self._due_again(agent)

    def _look_inward(self, agent: Agent) -> None:
        quiet = self._drives.clock.monotonic() - self._disturbed.get(agent.slug, float("-inf")) >= LEFT_ALONE
        if not (self._stopped or self._minds.sleeps(agent.id)):
            left_alone = quiet and not self._calls.person_waits(agent.slug)
            self._minds.inner.idle(agent, self._engine, left_alone=left_alone)

    async def act(self, agent: Agent, *, waiting: bool) -> Step | None:
        """Let one agent think and submit its line; return None when it submits none."""
        if self._minds.sleeps(agent.id):
            return None
        self._tell_when_full(agent)
        hours = self._hours(agent)
        bedtime = hours.bedtime(self._local()) if hours.sleep_at else None
        unwatched = self._is_unwatched(agent.definition, agent.thinking())
        situation = self._situation(agent, bedtime, woke=agent.slug in self._woke, unwatched=unwatched)
        thinker = agent.thinker
        if situation is None or thinker is None:
            return None
        self._woke.discard(agent.slug)
        answer = await self.host.tick((MindTurn(agent.id, AT_HOME, scene=situation, waiting=waiting),))
        if not answer.lines:
            return None
        thought = answer.lines[0].thought
        self._pauses[agent.slug] = thought.decision.pause
        if thought.brain != FALLBACK and self._calls.answer(agent.slug):
            thought = thought._replace(waiting=True)
        if unwatched and thought.decision.line is not None:
            walk = self._detail.walk(agent.id, thought.decision.line)
            thought = thought._replace(decision=thought.decision._replace(line=walk))
        step, line = None, thought.decision.line
        held = self._minds.sleeps(agent.id) or self._minds.resting.rests(agent.slug)
        if line is not None and agent.thinker is thinker and not held:
            step = agent.actor.submit(self._engine, agent.id, line)
        self._trace(agent, thought, situation, step)
        if step is not None:
            self._submitted(step)
        return step

    def _submit(self, agent: Agent, line: str, why: str) -> Step:
        step = agent.actor.submit(self._engine, agent.id, line)
        if (situation := self._situation(agent)) is not None:
            self._trace(agent, Thought(HABIT, Decision(line, why), 0.0), situation, step)
        self._submitted(step)
        return step

    def _situation(
        self, agent: Agent, bedtime: float | None = None, *, woke: bool = False, unwatched: bool = False
    ) -> Situation | None:
        world, seconds = self._engine.world, self._drives.clock.monotonic()
        notes = "notes" in SELF_CHANGES[agent.thinking().self_changes]
        known = (agent.definition, world, seconds, bedtime)
        situation = situate(*known, woke=woke, takes_notes=notes, hour=self._engine.hour(), unwatched=unwatched)
        if situation is None or all(person.thinks for person in situation.people):
            return situation
        speaking = {one.name for one in self._minds.in_use() if one.definition.person}
        people = [one if one.thinks or one.name in speaking else one._replace(speaks=False) for one in situation.people]
        return situation._replace(people=tuple(people))

    def _trace(self, agent: Agent, thought: Thought, situation: Situation, step: Step | None) -> None:
        """Keep the trace of a line, or of model calls without a line; a turn that passed without either has none."""
        if not self._drives.traced or (step is None and not thought.asked):
            return
        now, brain = iso(self._drives.clock.now()), self._thinking.wanted(agent.definition)
        if thought.brain == FALLBACK and not thought.instead and brain is not None:
            thought = thought._replace(instead=self._thinking.gave_way(agent.definition, agent.thinking(), brain))
        trace = trace_of(thought, situation, agent.id, now, self._engine.number, step)
        agent.traces.keep(trace, int(agent.thinking().trace_megabytes * 1_000_000))

    def sleep(self, agent: Agent) -> None:
        """Run a sleeper's turn: wake it, or consolidate its journal and start what is due during sleep."""
        hours, now, at = self._hours(agent), self._local(), fell_asleep(agent.memory)
        since = parse_iso(at).astimezone(now.tzinfo) if at else now
        if hours.wakes(since, now) and not self._minds.resting.rests(agent.slug):
            self._sleepers.discard(agent.slug)
            self._submit(agent, "wake", "it is time to wake, by the clock or after a nap")
            return
        self._sleepers.add(agent.slug)
        self._woke.add(agent.slug)
        self._minds.put_in_order(agent)
        self._minds.inner.asleep(agent, self._engine)
        self._minds.remembered(agent, ())

    def _goes_to_bed(self, agent: Agent) -> bool:
        slug, seconds, hours = agent.slug, self._drives.clock.monotonic(), self._hours(agent)
        if slug in self._sleepers:
            self._sleepers.discard(slug)
            self._disturbed[slug] = seconds  # it was woken by somebody
        if not hours.sleep_at or (slug in self._disturbed and seconds - self._disturbed[slug] < QUIET):
            return False
        now = self._local()
        since, self._bedtime_asked[slug] = self._bedtime_asked.get(slug, now), now
        return hours.falls_asleep(since, now) and not self._submit(agent, "sleep", AT_NIGHT).failed

    def _hours(self, agent: Agent) -> SleepSchedule:
        known = agent.thinking()
        return hours_of(known.sleep_at, known.wake_at, known.nap_hours)

    def _local(self) -> datetime:
        now, zone = self._drives.clock.now(), self._drives.clock.zone
        return now if now.tzinfo is zone else now.astimezone(zone)

    def _tell_when_full(self, agent: Agent) -> None:
        """Let an agent think that its head is getting full, once until the next fold."""
        folds = agent.memory.compactions
        if not agent.head_is_full or self._told_full.get(agent.slug) == folds:
            return
        words = self._minds.say(FULL)
        before = agent.slug not in self._told_full and any(words in entry.text for entry in agent.memory.tail)
        self._told_full[agent.slug] = folds
        if not before:
            self._submit(agent, f"think {words}", "as much is remembered word for word as sleep would fold")

    def _due_again(self, agent: Agent) -> None:
        wish = self._calls.end(agent.slug)
        if self._stopped or agent.thinker is None:
            return
        wanted = self._pauses.pop(agent.slug, 1.0) * agent.thinking().think_interval
        wanted = SLEEP_STEP if self._minds.sleeps(agent.id) else wanted
        pause = self._pause_of(agent.definition, agent.thinking(), wanted)
        if agent.slug in self._unwatched:
            self._minds.let_rest(agent)
        at = self._drives.clock.monotonic() + pause * self._drives.chance.uniform(1 - JITTER, 1 + JITTER)
        self._due.set(agent.slug, at if wish is None else min(at, wish))
        self._woken.set()

    def profiles(self) -> set[str]:
        minds = [one for one in self._minds.definitions.values() if not one.person and self._minds.lives(one.slug)]
        own = [one for one in minds if "think_profile" in one.overrides]
        of_all = self._minds.means.configuration.get(ThinkingSettings).think_profile
        return {*(self._minds.thinking_of(one).think_profile for one in own), *[of_all][: len(minds) - len(own)]}

    async def watch_models(self, tell: Callable[[str, bool], None]) -> None:
        """Check forever which models answer; call `tell` with profile name and state at every change."""
        while True:
            for name in (names := sorted(self.profiles())):
                answers = await self._drives.queue.alive(name)
                if answers != self.answers.get(name):
                    self.answers[name] = answers
                    tell(name, answers)
                    self._enliven(tuple(self._unwatched) if answers else ())
            await self._drives.clock.sleep(LOOK_AGAIN if all(map(self.answers.get, names)) else LOOK_SOONER)

    async def stop(self) -> None:
        self._stopped = True
        self._woken.set()
        self._due = DueQueue()
        for turn in tuple(self._turns):
            turn.cancel()
        await asyncio.gather(*self._turns, return_exceptions=True)
        await self._minds.inner.stop()


async def let_others_run(clock: Clock) -> None:
    """Wait between two turns, so that a crowd of due agents does not keep other tasks waiting."""
    for _ in range(PASSES_A_TURN):
        await clock.sleep(0)


_SLACK = 64
"""Outdated entries that the heap may hold beyond as many as are current."""


class DueQueue:
    def __init__(self) -> None:
        self._due: dict[str, float] = {}
        self._heap: list[tuple[float, str]] = []

    def set(self, name: str, at: float) -> None:
        self._due[name] = at
        heapq.heappush(self._heap, (at, name))
        if len(self._heap) > 2 * len(self._due) + _SLACK:
            self._heap = [(due, one) for one, due in self._due.items()]
            heapq.heapify(self._heap)

    def hasten(self, name: str, at: float) -> None:
        """Make an agent due at this time unless it is due earlier or was dropped."""
        if name in self._due and at < self._due[name]:
            self.set(name, at)

    def drop(self, name: str) -> None:
        self._due.pop(name, None)

    def next(self) -> float | None:
        """Return the earliest due time; None when nobody is due."""
        while self._heap and self._due.get(self._heap[0][1]) != self._heap[0][0]:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def take(self, now: float, most: int) -> list[str]:
        """Remove and return at most `most` agents due by `now`, earliest first."""
        taken: list[str] = []
        while len(taken) < most and (at := self.next()) is not None and at <= now:
            name = heapq.heappop(self._heap)[1]
            del self._due[name]
            taken.append(name)
        return taken
