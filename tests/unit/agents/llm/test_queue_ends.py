"""Every job ends exactly once, whatever happens: random programs of asks, failures, delays, cancellings, hosts that go
and come back, and profiles changed in mid-flight."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from hypothesis import given, settings
from hypothesis import strategies as st

from agents.llm.backend import Completion, Refused, TransientError
from agents.llm.backends.scripted import ScriptedModel
from agents.llm.profiles import LLMProfile
from agents.llm.queue import Urgency
from mud.errors import Unavailable
from tests.unit.agents.llm.stage import Gate, Stage, running, settle, waiting

PROFILES = ("think", "summarizer")
HOSTS = ("a", "b", "c")
NAMED = ("a", "b", "a, b", "b, a, c", "c, c")
KINDS = ("gate", "gate", "gate", "gate", "answer", "answer", "refused", "unbuildable", "unavailable", "bug", "busy")
OWNERS = ("Eliza", "Moss", "Fenwick")
MODES = ("well", "gone", "busy", "hangs")

asks = st.tuples(
    st.just("ask"),
    st.sampled_from(KINDS),
    st.sampled_from(PROFILES),
    st.sampled_from(list(Urgency)),
    st.sampled_from(OWNERS),
)
cancels = st.tuples(st.just("cancel"), st.integers(0, 30))
opens = st.tuples(st.just("open"), st.integers(0, 30))
moves = st.tuples(st.just("advance"), st.sampled_from((0.3, 1.0, 6.0, 61.0)))
changes = st.tuples(
    st.just("change"),
    st.sampled_from(PROFILES),
    st.sampled_from(NAMED),
    st.sampled_from(("small", "large")),
    st.integers(1, 3),
    st.integers(0, 3),
)
hosts = st.tuples(st.just("host"), st.sampled_from(HOSTS), st.sampled_from(MODES))
probes = st.tuples(st.just("probe"), st.sampled_from(PROFILES))
pauses = st.tuples(st.just("settle"))
ops = st.one_of(asks, asks, asks, cancels, opens, moves, changes, hosts, probes, pauses, pauses)
programs = st.integers(0, 40).flatmap(lambda size: st.lists(ops, min_size=size, max_size=size))


@dataclass
class Run:
    """One run of a program."""

    stage: Stage
    gates: list[Gate] = field(default_factory=list)
    askers: list[asyncio.Task[Completion]] = field(default_factory=list)
    probes: list[asyncio.Task[bool]] = field(default_factory=list)
    modes: dict[str, str] = field(default_factory=dict)
    at_once: Counter[str] = field(default_factory=Counter)
    most: Counter[str] = field(default_factory=Counter)
    ends: Counter[int] = field(default_factory=Counter)
    unended: int = 0

    def turn(self, host: str) -> Callable[[str], Awaitable[str]]:
        """Return what a host does at every call: what its mode or the prompt says, counting how many at once."""

        async def act(prompt: str) -> str:
            self.at_once[host] += 1
            self.most[host] = max(self.most[host], self.at_once[host])
            try:
                mode = {"gone": "unavailable", "busy": "busy", "hangs": "gate"}.get(self.modes.get(host, "well"), "")
                return await self.acted(mode or prompt)
            finally:
                self.at_once[host] -= 1

        return act

    async def acted(self, what: str) -> str:
        match what:
            case "unavailable":
                raise Unavailable("nobody there")
            case "busy":
                raise TransientError("too busy")
            case "refused":
                raise Refused("too long")
            case "bug":
                raise ZeroDivisionError("a bug in the backend")
            case "gate":
                gate = Gate()
                self.gates.append(gate)
                return await gate(what)
        return "look"

    def ask(self, kind: str, profile: str, urgency: Urgency, owner: str) -> None:
        def build() -> str:
            if kind == "unbuildable":
                raise LookupError("no such place")
            return kind

        asker = asyncio.create_task(self.stage.queue.ask(build, profile, urgency, owner))
        number = len(self.askers)
        asker.add_done_callback(lambda _: self.ends.update([number]))
        self.askers.append(asker)

    async def step(self, op: tuple[object, ...]) -> None:
        match op:
            case ("ask", str(kind), str(profile), Urgency() as urgency, str(owner)):
                self.ask(kind, profile, urgency, owner)
            case ("cancel", int(number)) if self.askers:
                self.askers[number % len(self.askers)].cancel()
            case ("open", int(number)) if self.gates:
                self.gates[number % len(self.gates)].open()
            case ("advance", float(seconds)):
                self.stage.clock.advance(seconds)
            case ("change", str(profile), str(host), str(model), int(concurrency), int(retries)):
                old = self.stage.profiles[profile]
                new = replace(old, host=host, model=model, concurrency=concurrency, retries=retries)
                self.stage.profiles[profile] = new
            case ("host", str(host), str(mode)):
                self.modes[host] = mode
            case ("probe", str(profile)):
                self.probes.append(asyncio.create_task(self.stage.queue.alive(profile)))
            case ("settle",):
                await settle()

    async def drain(self) -> None:
        """Let every host answer and the time go by, until all is over by itself."""
        self.modes.clear()
        for _ in range(30):
            for gate in self.gates:
                gate.open()
            await settle()
            self.stage.clock.advance(61)
            await settle()
        assert all(asker.done() for asker in self.askers), "somebody waits for ever"
        assert (waiting(self.stage.queue), running(self.stage.queue)) == (0, 0)


async def play(program: list[tuple[object, ...]], end: str) -> Run:
    base = LLMProfile(backend="scripted", host="a", timeout=60)
    models: dict[str, ScriptedModel] = {}
    run = Run(Stage(models, dict.fromkeys(PROFILES, base)))
    for host in HOSTS:
        models[host] = ScriptedModel([run.turn(host)] * 1000)
    for op in program:
        await run.step(op)
    if end == "drained":
        await run.drain()
    if end == "graceful":
        await settle()
        for gate in run.gates:
            gate.open()
    closing = asyncio.create_task(run.stage.queue.close(grace=0 if end == "at once" else 5))
    await settle()
    run.stage.clock.advance(5)
    await closing
    await settle()
    run.unended = sum(not asker.done() for asker in run.askers)
    await asyncio.gather(*run.probes)
    return run


@settings(max_examples=400, deadline=None)
@given(programs, st.sampled_from(("drained", "graceful", "hanging", "at once")))
def test_every_job_ends_exactly_once_and_nothing_is_left_behind(program: list[tuple[object, ...]], end: str) -> None:
    run = asyncio.run(play(program, end))
    queue = run.stage.queue
    assert run.unended == 0
    assert all(count == 1 for count in run.ends.values())
    for asker in run.askers:
        if not asker.cancelled():
            error = asker.exception()
            assert error is None or isinstance(error, (Unavailable, LookupError)), error
    assert (waiting(queue), running(queue)) == (0, 0)
    assert run.at_once.total() == 0
    allowed = max([1, *(op[4] for op in program if op[0] == "change" and isinstance(op[4], int))])
    assert max(run.most.values(), default=0) <= allowed
    totals = [view.totals for view in queue.overview(PROFILES)]
    assert all(one.answered + one.failed + one.cancelled == one.asked for one in totals)
    answered = sum(not asker.cancelled() and asker.exception() is None for asker in run.askers)
    told = sum(one.answered for one in totals)
    assert answered <= told <= answered + sum(asker.cancelled() for asker in run.askers)
    assert sum(one.asked for one in totals) <= len(run.askers)
