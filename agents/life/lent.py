"""The scheduler of minds that live apart from the world: when they think, and what their characters do meanwhile.

Their memory is at a host, lent by `Lending`; the world and the time of their turns are here. While a mind is at no host
its character stays in the world, acts by reflexes alone, and loses nothing.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from random import Random

from agents.brains import Situation
from agents.brains.instinct.reflexes import Reflexes
from agents.definition import AgentDefinition
from agents.hosts import Answer, HostOfMinds, Line, Lived, MindTurn, Wish
from agents.life.detail import Detail
from agents.life.lending import Lending
from agents.life.scheduler import FIRST_WITHIN, JITTER, SLEEP_STEP, DueQueue, let_others_run
from agents.life.thinking import SchedulerConfig
from agents.mind.actor import by_witness, situate
from agents.mind.settings import SleepSchedule, ThinkingSettings, hours_of
from agents.mind.thinker import Thought
from agents.population import Population
from mud.engine.engine import Engine, Step
from mud.errors import LociError
from mud.supervise import timeout
from mud.world.roles import Role

log = logging.getLogger(__name__)

REFLEX = "reflex"
"""Stands for a brain where a character acts without its mind."""


class LentMinds:
    """The agents of a running world whose minds are at a host.

    Arguments as those of `Scheduler`; without `thinks` they only remember.
    """

    def __init__(
        self,
        minds: Population,
        engine: Engine,
        drives: SchedulerConfig,
        host: HostOfMinds,
        submitted: Callable[[Step], None],
        *,
        thinks: bool = True,
    ) -> None:
        self._minds, self._engine, self._drives, self._submitted = minds, engine, drives, submitted
        self._chance = Random(drives.chance.random())
        self.lending = Lending(host, minds.means.vault / "agents", self._by_reflex, drives.clock, self._wished)
        self._reflexes: dict[str, Reflexes] = {}
        self._slugs: dict[str, str] = {}
        self._due = DueQueue()
        self._woken = asyncio.Event()
        self._turns: set[asyncio.Task[None]] = set()
        self._thinks = thinks
        self._running: list[asyncio.Task[None]] = []
        self._slept: dict[str, datetime] = {}
        """Since when a mind sleeps, by id, as far as that was seen here."""
        self._bedtime_asked: dict[str, datetime] = {}
        self._detail = Detail(engine, lambda: "")  # nobody's character can be led whose mind lives apart
        self._met: set[str] = set()
        """The minds that perceived what a person did, since their last turn."""
        self._turning: set[str] = set()
        """Those who have a turn now."""
        self._wishes: dict[str, float] = {}
        """When those would like to think again, as they perceived something meanwhile."""
        self._begin_with_new()
        for who, step, at, perceptions in minds.unsent:
            if who in self.lending.minds:
                self.lending.perceive(who, Lived(step, at, tuple(perceptions)))
            else:
                minds.owed = True  # its folder cannot be read
        minds.unsent.clear()
        minds.unconfirmed, minds.bring_home, minds.on_leaving = self.lending.unsafe, self.lending.bring_home, self._drop

    def _begin_with_new(self) -> None:
        """Begin to lend the minds of all agents there are, so far as that was not begun."""
        for one in self._minds.definitions.values():
            if one.person or not one.id or one.id in self.lending.minds or one.id in self._engine.world.elsewhere:
                continue
            try:
                self.lending.add(one.id, one.slug)
            except OSError as error:
                log.warning("the mind of %s cannot be lent: %s", one.name, error)
                continue
            self._engine.witness(one.id)
            self._slugs[one.id] = one.slug
            self._reflexes[one.id] = Reflexes(self._drives.interpreter)
            soon = min(FIRST_WITHIN, self._settings(one).think_interval)
            self._due.set(one.id, self._drives.clock.monotonic() + self._chance.uniform(0.5, soon))

    def _drop(self, who: str) -> None:
        """Let go of a mind whose character has left the world."""
        self.lending.drop(who)
        self._due.drop(who)
        self._met.discard(who)
        for known in (self._slugs, self._reflexes, self._wishes, self._slept, self._bedtime_asked):
            known.pop(who, None)

    def observe(self, step: Step) -> None:
        person = self._detail.is_person(step.who)
        for who, perceptions in by_witness(step.left).items():
            if who not in self.lending.minds and self._minds.by_id(who) is None:
                self._begin_with_new()
            if who in self.lending.minds:
                self.lending.perceive(who, Lived(step.number, step.at, tuple(perceptions)))
                self._met |= {who} if person else set()
                for perceived in perceptions:
                    self._reflexes[who].notice(perceived)

    def _wished(self, wish: Wish) -> None:
        at = self._drives.clock.monotonic() + wish.seconds
        if wish.who in self._turning:
            self._wishes[wish.who] = min(at, self._wishes.get(wish.who, math.inf))
        self._due.hasten(wish.who, at)
        self._woken.set()

    async def _by_reflex(self, turn: MindTurn) -> Answer:
        assert turn.scene is not None
        thought = Thought(REFLEX, self._reflexes[turn.who].act(turn.scene), 0.0)
        return Answer((Line(turn.who, turn.epoch, thought),))

    async def run(self) -> None:
        """Hand minds what they perceive, and let them think, until `stop`."""
        async with asyncio.TaskGroup() as tasks:
            self._running = [tasks.create_task(self.lending.run())]
            if self._thinks:
                self._running.append(tasks.create_task(self._run()))

    async def _run(self) -> None:
        clock = self._drives.clock
        begins_at = clock.monotonic()
        while True:
            self._woken.clear()
            if clock.monotonic() >= begins_at:
                begins_at = clock.monotonic() + SLEEP_STEP
                self._begin_with_new()
            for who in self._due.take(clock.monotonic(), 1):
                turn = asyncio.create_task(self._turn(who))
                self._turns.add(turn)
                turn.add_done_callback(self._turns.discard)
            due = self._due.next()
            if (wait := SLEEP_STEP if due is None else due - clock.monotonic()) > 0:
                with suppress(TimeoutError):
                    await timeout(min(wait, SLEEP_STEP), self._woken.wait(), clock)
            else:
                await let_others_run(clock)

    async def _turn(self, who: str) -> None:
        definition = self._minds.definitions.get(self._slugs.get(who, ""))
        if definition is None:
            return  # it has left the world
        pause = 1.0
        self._turning.add(who)
        try:
            if who in self._engine.world.asleep:
                self._sleep(definition)
            elif not self._minds.resting.rests(definition.slug) and not self._goes_to_bed(definition):
                pause = await self._act(definition)
        except LociError as error:
            log.warning("%s could not act: %s", definition.name, error)
        except Exception:
            log.exception("%s could not act", definition.name)
        finally:
            self._turning.discard(who)
        if who not in self._slugs:
            return
        asleep = who in self._engine.world.asleep
        wanted = SLEEP_STEP if asleep else pause * self._settings(definition).think_interval
        again = wanted * self._chance.uniform(1 - JITTER, 1 + JITTER)
        self._due.set(who, min(self._drives.clock.monotonic() + again, self._wishes.pop(who, math.inf)))
        self._woken.set()

    async def _act(self, definition: AgentDefinition) -> float:
        """Let one mind think and submit its line; return how many think intervals it pauses."""
        scene = self._scene(definition)
        if scene is None:
            return 1.0
        waiting = definition.id in self._met
        self._met.discard(definition.id)
        answer = await self.lending.act(MindTurn(definition.id, 0, scene=scene, waiting=waiting))
        for line in answer.lines:
            held = definition.id in self._engine.world.asleep or self._minds.resting.rests(definition.slug)
            if line.thought.decision.line is not None and not held:
                self._submit(definition.id, line.thought.decision.line)
            return line.thought.decision.pause
        return 1.0

    def _scene(self, definition: AgentDefinition) -> Situation | None:
        hours, now = self._hours(definition), self._local()
        bedtime = hours.bedtime(now) if hours.sleep_at else None
        seconds, hour = self._drives.clock.monotonic(), self._engine.hour()
        return situate(definition, self._engine.world, seconds, bedtime, takes_notes=False, hour=hour)

    def _submit(self, who: str, line: str) -> Step:
        step = self._engine.step(who, line, Role.AGENT)
        self._submitted(step)
        return step

    def _settings(self, definition: AgentDefinition) -> ThinkingSettings:
        return self._minds.means.configuration.for_agent(ThinkingSettings, definition.overrides)

    def _hours(self, definition: AgentDefinition) -> SleepSchedule:
        known = self._settings(definition)
        return hours_of(known.sleep_at, known.wake_at, known.nap_hours)

    def _local(self) -> datetime:
        return self._drives.clock.now().astimezone(self._drives.clock.zone)

    def _sleep(self, definition: AgentDefinition) -> None:
        since = self._slept.setdefault(definition.id, self._local())
        if self._hours(definition).wakes(since, self._local()):
            self._submit(definition.id, "wake")

    def _goes_to_bed(self, definition: AgentDefinition) -> bool:
        now, who = self._local(), definition.id
        self._slept.pop(who, None)
        since, self._bedtime_asked[who] = self._bedtime_asked.get(who, now), now
        return self._hours(definition).falls_asleep(since, now) and not self._submit(who, "sleep").failed

    async def stop(self) -> None:
        """End `run`, hand over the rest, and call all minds back."""
        under_way = [*self._running, *self._turns]
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
        try:
            await self.lending.end()
        except LociError as error:
            log.warning("minds cannot be called back: %s; the ledger has what they lack", error)
