"""The hosts behind the LLM profiles: which may be asked now, which of several is the least busy, how each is doing.

A profile may name several hosts. Calls to one host share a health and a count, whichever profile they are made for. It
knows nothing of jobs and keeps nobody waiting.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Coroutine, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

from agents.llm.backend import Backend, LanguageModel, Refused
from agents.llm.health import HostHealth, HostState
from agents.llm.profiles import LLMProfile
from agents.llm.retries import TransientError
from agents.llm.timeouts import timeout
from mud.clock import Clock
from mud.errors import Unavailable, UnknownName
from mud.registry import Registry

log = logging.getLogger(__name__)

T = TypeVar("T")

PROBE_SECONDS = 3.0
"""Seconds within which a host must show that it is there."""

REMEMBERED = 64
"""Profiles, and earlier readings of them, whose hosts are remembered, as every job that waits is asked for them."""


@dataclass(eq=False, slots=True)
class Host:
    """One host.

    Args:
        health: how it is doing.
        running: jobs' calls under way.
        calls: calls that were ever begun.
        probed: it is being asked whether it is back.
        owner: on whose behalf it was asked last; it may still hold the beginning of that prompt.
    """

    health: HostHealth
    running: int = 0
    calls: int = 0
    probed: bool = False
    owner: str = ""

    @property
    def host(self) -> str:
        """Its address, as people are told of it."""
        return self.health.host

    def busy_since(self, calls: int) -> bool:
        """Whether a job's call is under way, or one began since there were so many."""
        return self.running > 0 or self.calls > calls

    def may_be_asked(self, clock: Clock) -> bool:
        """Whether a job may go there: a host that was down is tried by one call, so that nobody else is held up."""
        return self.health.wait(clock) <= 0 and not (
            self.health.state is HostState.DOWN and (self.running or self.probed)
        )

    def why_not(self, clock: Clock) -> str:
        """Return why a job may not go there."""
        wait = self.health.wait(clock)
        again = f"asked again in {wait:.0f} s" if wait > 0 else "it is being tried again"
        return f"{self.host} is down ({self.health.last_error}); {again}"


_Key = tuple[str, str]
"""Names of a backend and a host."""


class Route(NamedTuple):
    """A host and the profile to ask it with, which names this host alone."""

    lane: Host
    profile: LLMProfile


class Hosts:
    """The hosts of all profiles.

    Args:
        profiles: returns a profile as it is set now.
        backends: the ways to reach a model.
        clock: measures timeouts and pauses.
    """

    def __init__(self, profiles: Callable[[str], LLMProfile], backends: Registry[Backend], clock: Clock) -> None:
        self._profiles = profiles
        self._backends = backends
        self._clock = clock
        self._lanes: dict[str, Host] = {}
        self._models: dict[_Key, LanguageModel] = {}
        self._ways: dict[LLMProfile, list[Route]] = {}
        self._named: set[_Key] | None = None
        """What the profiles name; None until they were first read anew."""
        self._closing: set[asyncio.Task[None]] = set()
        self.met: Callable[[str, str], None] = lambda host, model: None
        """Is told of every host that answered, and what it says that its model is called."""

    def __iter__(self) -> Iterator[Host]:
        return iter(tuple(self._lanes.values()))

    def profile(self, name: str) -> LLMProfile:
        """Return a profile as it is set now.

        Raises:
            Unavailable: there is none of that name.
        """
        try:
            return self._profiles(name)
        except (KeyError, UnknownName) as error:
            raise Unavailable(f"there is no LLM profile {name!r}; a file config/llm/{name}.md makes one") from error

    def of(self, profile: LLMProfile) -> list[Route]:
        """Return the hosts of a profile, each once, in their order.

        Raises:
            Unavailable: the profile names no backend that there is.
        """
        if profile in self._ways:
            return self._ways[profile]
        backend = self.backend(profile)
        ways: dict[str, Route] = {}
        for one in (replace(profile, host=host) for host in profile.hosts):
            host = backend.host(one)
            ways.setdefault(host, Route(self._lanes.setdefault(host, Host(HostHealth(host))), one))
        if len(self._ways) >= REMEMBERED:
            self._ways.clear()
        self._ways[profile] = list(ways.values())
        return self._ways[profile]

    def open_to(self, profile: LLMProfile, tried: Collection[str] = ()) -> list[Route]:
        """Return the hosts of a profile that a job may go to: those that answer, else those that may be tried again.

        Args:
            profile: the profile.
            tried: hosts to leave out.

        Raises:
            Unavailable: every one of them is down.
        """
        ways = self.of(profile)
        left = [way for way in ways if way.lane.host not in tried]
        found = [way for way in left if way.lane.health.state is not HostState.DOWN]
        found = found or [way for way in left if way.lane.may_be_asked(self._clock)]
        if not found:
            raise Unavailable("; ".join(way.lane.why_not(self._clock) for way in left or ways))
        return found

    def least_busy(self, ways: Iterable[Route], owner: str) -> Route | None:
        """Return the host with the fewest calls under way that takes one more; None when all are busy.

        Among equals it is the one that was last asked for the same agent, whose prompt it may have read before, and
        then the one that was asked least.

        Args:
            ways: hosts that may be asked.
            owner: on whose behalf.
        """
        free = [way for way in ways if way.lane.running < way.profile.concurrency]
        return min(free, key=lambda way: (way.lane.running, way.lane.owner != owner, way.lane.calls), default=None)

    def back(self, profile: LLMProfile) -> list[Route]:
        """Return the hosts of a profile that were down and may be back, while others of it answer."""
        ways = self.of(profile)
        if all(way.lane.health.state is HostState.DOWN for way in ways):
            return []  # the next job tries one of them itself
        down = (way for way in ways if way.lane.health.state is HostState.DOWN)
        return [way for way in down if way.lane.may_be_asked(self._clock)]

    async def probe(self, way: Route) -> bool:
        """Ask a host whether it is there, and say whether it is: a job's call that began meanwhile speaks for it."""
        way.lane.probed, calls = True, way.lane.calls
        try:
            model = await self.heard(way.lane, PROBE_SECONDS, self._check(way.profile), probe=True)
        except Unavailable:
            return way.lane.busy_since(calls) and way.lane.health.state is not HostState.DOWN
        finally:
            way.lane.probed = False
        self.met(way.lane.host, model)
        return True

    async def probe_all(self, profile: LLMProfile) -> bool:
        """Ask every host of a profile that may be asked whether it is there, and say whether any is.

        One that a job's call is under way to is there, as far as anybody knows, and is not disturbed.
        """
        ways = self.of(profile)
        if any(way.lane.running and way.lane.health.state is not HostState.DOWN for way in ways):
            return True
        asked = [way for way in ways if way.lane.may_be_asked(self._clock)]
        return any(await asyncio.gather(*map(self.probe, asked)))

    async def _check(self, profile: LLMProfile) -> str:
        return await self.model(profile).check(profile)

    def model(self, profile: LLMProfile) -> LanguageModel:
        """Return the model behind a profile that names one host.

        Raises:
            Unavailable: the profile names no backend that there is, or no address.
        """
        backend = self.backend(profile)
        key = (backend.name, backend.host(profile))
        if key not in self._models:
            self._models[key] = backend.make(profile)
        return self._models[key]

    async def heard(self, lane: Host, seconds: float, call: Coroutine[Any, Any, T], *, probe: bool = False) -> T:
        """Await a call to a host for so many seconds and note in its health what came of it.

        Args:
            lane: the host.
            seconds: how long.
            call: the call.
            probe: it is no job's call. A host that does one thing at a time answers none while it has a job's, so its
                silence says nothing then.

        Raises:
            Refused: also when a backend broke: that is no doing of the host, and may come of this one text alone.
            Unavailable: whatever else went wrong.
        """
        began, calls = self._clock.monotonic(), lane.calls

        def failed(error: Unavailable) -> Unavailable:
            if not (probe and lane.busy_since(calls)):
                passing = isinstance(error, TransientError)
                self._note(lane, lane.health.failed(str(error), self._clock, passing=passing, began=began))
            return error

        try:
            answer = await timeout(seconds, call, self._clock)
        except TimeoutError as error:
            raise failed(Unavailable(f"{lane.host} did not answer within {round(seconds, 1):g} s")) from error
        except Refused as error:
            self._note(lane, lane.health.refused(str(error), self._clock))
            raise
        except Unavailable as error:
            failed(error)
            raise
        except Exception as error:
            log.exception("the backend for %s broke", lane.host)
            broken = Refused(f"the backend for {lane.host} broke: {type(error).__name__}")
            raise (failed(broken) if probe else broken) from error
        else:
            self._note(lane, lane.health.answered(self._clock))
            return answer

    def _note(self, lane: Host, health: HostHealth) -> None:
        """Take over how a host is doing, and log it when that is news."""
        news = health.state is not lane.health.state
        lane.health = health
        if news:
            log.info("model host %s", health.words(self._clock))

    def hold_to(self, names: Iterable[str]) -> None:
        """Take over that the profiles were read anew: what none of them names is let go of when it is idle.

        Args:
            names: of all profiles that there are.
        """
        self._named = set()
        for name in names:
            with suppress(Unavailable):
                profile = self.profile(name)
                backend = self.backend(profile)
                self._named |= {(backend.name, backend.host(replace(profile, host=host))) for host in profile.hosts}
        self.let_go()

    def let_go(self) -> None:
        """Forget the hosts that no profile names and nobody asks just now, and close the models there: an embedded one
        takes hundreds of megabytes."""
        if self._named is None:
            return
        busy = {lane.host for lane in self if lane.running or lane.probed}
        for key in [key for key in self._models if key not in self._named and key[1] not in busy]:
            task = asyncio.create_task(self._models.pop(key).close(), name=f"closing {key[1]}")
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)
        kept = {host for _, host in self._named} | busy
        if not kept.issuperset(self._lanes):
            self._lanes = {host: lane for host, lane in self._lanes.items() if host in kept}
            self._ways.clear()  # they lead to lanes that are no more

    async def close(self) -> None:
        """Let go of every connection."""
        models, self._models = list(self._models.values()), {}
        await asyncio.gather(*self._closing, return_exceptions=True)
        for model in models:
            await model.close()

    def backend(self, profile: LLMProfile) -> Backend:
        """Return the backend of a profile.

        Raises:
            Unavailable: there is no such backend.
        """
        try:
            return self._backends.get(profile.backend)
        except UnknownName as error:
            raise Unavailable(str(error)) from error
