"""A clock and a set of profiles that tests of the queue move by hand."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from random import Random

from agents.llm.backend import Backend, Completion
from agents.llm.backends.scripted import ScriptedModel
from agents.llm.hosts import Host, HostState
from agents.llm.profiles import LLMProfile
from agents.llm.queue import JobTotals, ModelQueue, Urgency
from mud.clock import Clock
from mud.registry import Registry

A = LLMProfile(backend="scripted", host="a", timeout=60)


class HandClock:
    """A clock that stands still until it is advanced; whoever sleeps wakes when their time has come."""

    zone = UTC

    def __init__(self) -> None:
        self._elapsed = 0.0
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []

    def now(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=self._elapsed)

    def monotonic(self) -> float:
        return self._elapsed

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        wake: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sleepers.append((self._elapsed + seconds, wake))
        await wake

    def advance(self, seconds: float) -> None:
        self._elapsed += seconds
        for at, wake in self._sleepers:
            if at <= self._elapsed and not wake.done():
                wake.set_result(None)
        self._sleepers = [(at, wake) for at, wake in self._sleepers if not wake.done()]


async def settle() -> None:
    """Let every task go on as far as it can."""
    for _ in range(50):
        await asyncio.sleep(0)


def waiting(queue: ModelQueue) -> int:
    return sum(view.waiting for view in queue.overview(["think", "summarizer"]))


def running(queue: ModelQueue) -> int:
    return sum(host.running for host in queue.hosts)


class Stage:
    """A queue over scripted models, one for each host; `profiles` may be changed while it runs."""

    def __init__(
        self,
        models: Mapping[str, ScriptedModel],
        profiles: Mapping[str, LLMProfile] | None = None,
        clock: Clock | None = None,
        chance: Random | None = None,
    ) -> None:
        self.models = models
        self.profiles = dict(profiles or {"think": A})
        self.clock = HandClock()
        self.elapsed = (clock or self.clock).monotonic
        backend = Backend("scripted", "Scripted.", lambda profile: models[profile.host])
        backends = Registry("backend", [backend])
        self.queue = ModelQueue(self.profiles.__getitem__, backends, clock or self.clock, chance=chance)

    @property
    def host(self) -> Host:
        (host,) = self.queue.hosts
        return host

    @property
    def states(self) -> dict[str, HostState]:
        return {one.name: one.state for one in self.queue.hosts}

    @property
    def totals(self) -> JobTotals:
        return self.queue.overview(["think"])[0].totals

    def ask(
        self, prompt: str, urgency: Urgency = Urgency.THINK, profile: str = "think", owner: str = ""
    ) -> asyncio.Task[Completion]:
        """Ask a model in the background; for an owner of the prompt's name unless told otherwise."""
        return asyncio.create_task(self.queue.ask(lambda: prompt, profile, urgency, owner or prompt))


class Gate:
    """A turn of a script that waits until it is opened, then says a text."""

    def __init__(self, text: str = "look") -> None:
        self._text = text
        self._open = asyncio.Event()

    async def __call__(self, prompt: str) -> str:
        await self._open.wait()
        return self._text

    def open(self) -> None:
        self._open.set()
