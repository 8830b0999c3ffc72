"""Every job ends exactly once, whatever happens: random programs of asks, failures, delays, cancellings and changes."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from hypothesis import given, settings
from hypothesis import strategies as st

from agents.llm.backends._backend import Completion, Refused
from agents.llm.backends.scripted import ScriptedModel
from agents.llm.profiles import LLMProfile
from agents.llm.queue import Urgency
from mud.errors import Unavailable
from tests.unit.agents.llm.stage import Gate, Stage, settle

PROFILES = ("think", "summarizer")
HOSTS = ("a", "b")
KINDS = ("gate", "gate", "gate", "gate", "gate", "answer", "answer", "refused", "unbuildable", "unavailable", "bug")

asks = st.tuples(st.just("ask"), st.sampled_from(KINDS), st.sampled_from(PROFILES), st.sampled_from(list(Urgency)))
cancels = st.tuples(st.just("cancel"), st.integers(0, 30))
opens = st.tuples(st.just("open"), st.integers(0, 30))
moves = st.tuples(st.just("advance"), st.sampled_from((1.0, 6.0, 61.0)))
changes = st.tuples(st.just("change"), st.sampled_from(PROFILES), st.sampled_from(HOSTS), st.integers(1, 3))
pauses = st.tuples(st.just("settle"))
ops = st.one_of(asks, asks, asks, cancels, opens, moves, changes, pauses, pauses)
programs = st.integers(0, 40).flatmap(lambda size: st.lists(ops, min_size=size, max_size=size))


@dataclass
class Run:
    """One run of a program."""

    stage: Stage
    gates: list[Gate] = field(default_factory=list)
    askers: list[asyncio.Task[Completion]] = field(default_factory=list)
    at_once: Counter[str] = field(default_factory=Counter)
    most: Counter[str] = field(default_factory=Counter)
    unended: int = 0

    def turn(self, host: str) -> Callable[[str], Awaitable[str]]:
        """Return what a host does at every call: what the prompt says, counting how many it does at once."""

        async def act(prompt: str) -> str:
            self.at_once[host] += 1
            self.most[host] = max(self.most[host], self.at_once[host])
            try:
                return await self.acted(prompt)
            finally:
                self.at_once[host] -= 1

        return act

    async def acted(self, prompt: str) -> str:
        match prompt:
            case "unavailable":
                raise Unavailable("nobody there")
            case "refused":
                raise Refused("too long")
            case "bug":
                raise ZeroDivisionError("a bug in the backend")
            case "gate":
                gate = Gate()
                self.gates.append(gate)
                return await gate(prompt)
        return "look"

    def ask(self, kind: str, profile: str, urgency: Urgency) -> None:
        def build() -> str:
            if kind == "unbuildable":
                raise LookupError("no such place")
            return kind

        self.askers.append(asyncio.create_task(self.stage.queue.ask(build, profile, urgency, "Eliza")))

    async def step(self, op: tuple[object, ...]) -> None:
        match op:
            case ("ask", str(kind), str(profile), Urgency() as urgency):
                self.ask(kind, profile, urgency)
            case ("cancel", int(number)) if self.askers:
                self.askers[number % len(self.askers)].cancel()
            case ("open", int(number)) if self.gates:
                self.gates[number % len(self.gates)].open()
            case ("advance", float(seconds)):
                self.stage.clock.advance(seconds)
            case ("change", str(profile), str(host), int(concurrency)):
                old = self.stage.profiles[profile]
                self.stage.profiles[profile] = replace(old, host=host, concurrency=concurrency)
            case ("settle",):
                await settle()


async def play(program: list[tuple[object, ...]], graceful: bool) -> Run:
    base = LLMProfile(backend="scripted", host="a", timeout=60)
    models: dict[str, ScriptedModel] = {}
    run = Run(Stage(models, dict.fromkeys(PROFILES, base), room=5))
    for host in HOSTS:
        models[host] = ScriptedModel([run.turn(host)] * 100)
    for op in program:
        await run.step(op)
    await settle()
    if graceful:
        for gate in run.gates:
            gate.open()
    closing = asyncio.create_task(run.stage.queue.close(grace=5))
    await settle()
    run.stage.clock.advance(5)
    await closing
    await settle()
    run.unended = sum(not asker.done() for asker in run.askers)
    return run


@settings(max_examples=250, deadline=None)
@given(programs, st.booleans())
def test_every_job_ends_exactly_once_and_nothing_is_left_behind(
    program: list[tuple[object, ...]], graceful: bool
) -> None:
    run = asyncio.run(play(program, graceful))
    queue = run.stage.queue
    assert run.unended == 0
    for asker in run.askers:
        if not asker.cancelled():
            error = asker.exception()
            assert error is None or isinstance(error, (Unavailable, LookupError)), error
    assert (queue.waiting, queue.running) == (0, 0)
    assert run.at_once.total() == 0
    allowed = max([1, *(op[3] for op in program if op[0] == "change" and isinstance(op[3], int))])
    assert max(run.most.values(), default=0) <= allowed
    ended = queue.totals.answered + queue.totals.failed + queue.totals.cancelled
    assert ended <= len(run.askers)
    answered = sum(not asker.cancelled() and asker.exception() is None for asker in run.askers)
    assert answered <= queue.totals.answered <= answered + sum(asker.cancelled() for asker in run.askers)
