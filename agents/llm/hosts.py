"""The hosts behind the LLM profiles: the health of each, and which may be asked now.

Health is a circuit breaker: a host that does not answer is left alone, longer each time, and then one call tries it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Coroutine, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar

from agents.llm.backend import Backend, LanguageModel, Refused, TransientError
from agents.llm.profiles import LLMProfile
from mud.clock import Clock, iso, parse_iso
from mud.errors import Unavailable, UnknownName
from mud.registry import Registry
from mud.supervise import timeout

log = logging.getLogger(__name__)

T = TypeVar("T")
AskModel = Callable[[LanguageModel], Coroutine[Any, Any, T]]

FIRST_PAUSE = 5.0
"""Seconds for which a host is left alone after its first failure; doubled at each further one."""
LONGEST_PAUSE = 60.0
"""Upper limit of that pause, so that agents notice within a minute that a host is back."""
SHAKY_UNTIL = 3
"""Transient failures in a row at which a host counts as down; fewer make it shaky."""
SUGGESTION = "Start that server, or set another host in config/llm; until then the agents live by instinct."
PROBE_SECONDS = 3.0
REMEMBERED = 64
"""Profiles whose hosts are cached, since every waiting job asks for them."""


class HostState(StrEnum):
    UNKNOWN = "unknown"
    UP = "up"
    SHAKY = "shaky"
    DOWN = "down"


@dataclass(eq=False, slots=True)
class Host:
    """One host and its health.

    Args:
        since: when it came into this state.
        failures: failures in a row.
        retry_at, failed_at: monotonic seconds of the next try, and of the last failure that counted.
        probed: it is being asked whether it is back.
        owner: the agent it was last asked for; its cache may still hold that prompt.
    """

    name: str
    clock: Clock
    state: HostState = HostState.UNKNOWN
    since: str = ""
    last_error: str = ""
    failures: int = 0
    retry_at: float = 0.0
    failed_at: float = 0.0
    running: int = 0
    calls: int = 0
    probed: bool = False
    owner: str = ""

    @property
    def is_down(self) -> bool:
        return self.state is HostState.DOWN

    @property
    def wait(self) -> float:
        return max(0.0, self.retry_at - self.clock.monotonic()) if self.is_down else 0.0

    @property
    def may_be_asked(self) -> bool:
        """Whether a job may go there; after a pause one call alone tries a host that was down."""
        return self.wait <= 0 and not (self.is_down and (self.running or self.probed))

    def answered(self) -> None:
        self.failures, self.retry_at = 0, 0.0
        self._enter(HostState.UP)

    def failed(self, error: str, began: float, *, transient: bool) -> None:
        """Take note of a failed call; parallel calls that fail together count once."""
        self.last_error = error
        if (self.is_down or (transient and self.state is HostState.SHAKY)) and began < self.failed_at:
            return
        self.failed_at = self.clock.monotonic()
        if transient and not self.is_down and self.failures + 1 < SHAKY_UNTIL:
            self.failures += 1
            self._enter(HostState.SHAKY)
            return
        before = 0 if self.state is HostState.SHAKY else self.failures
        self.failures = before + 1
        self.retry_at = self.failed_at + min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(before, 10))
        self._enter(HostState.DOWN)

    def _enter(self, state: HostState) -> None:
        if state is not self.state:
            self.state, self.since = state, iso(self.clock.now())
            log.info("model host %s", self.words())

    def words(self) -> str:
        trouble = self.last_error.rstrip(".")
        match self.state:
            case HostState.UNKNOWN:
                return f"{self.name}: never asked."
            case HostState.UP:
                earlier = f" The last trouble was: {trouble}." if trouble else ""
                return f"{self.name}: answers since {self.since}.{earlier}"
            case HostState.SHAKY:
                return f"{self.name}: shaky since {self.since}: {trouble}. It is still asked."
        again = f"It is asked again in {self.wait:.0f} s" if self.wait else "It is asked again at the next thought"
        return f"{self.name}: down since {self.since}: {trouble}. {again}. {SUGGESTION}"

    def state_words(self) -> str:
        match self.state:
            case HostState.UNKNOWN:
                return "never asked"
            case HostState.UP:
                return f"answers since {self._time_of_day(self.since)}"
            case HostState.SHAKY:
                return f"shaky since {self._time_of_day(self.since)}"
        retry = iso(self.clock.now() + timedelta(seconds=self.wait))
        until = self._time_of_day(retry) if self.wait else "the next thought"
        return f"down since {self._time_of_day(self.since)} until {until}"

    def _time_of_day(self, moment: str) -> str:
        at = parse_iso(moment)
        today = at.date() == parse_iso(iso(self.clock.now())).date()
        return f"{at:%H:%M:%S}" if today else f"{at:%Y-%m-%d %H:%M:%S}"

    def why_not(self) -> str:
        again = f"asked again in {self.wait:.0f} s" if self.wait > 0 else "it is being tried again"
        return f"{self.name} is down ({self.last_error}); {again}"


class Route(NamedTuple):
    """A host, and the profile to ask it with, which names this host alone."""

    host: Host
    profile: LLMProfile


class Hosts:
    """The hosts of all profiles; `profiles` returns a profile with its current settings.

    `on_answer` is called for every answer with the host and the model's name.
    """

    def __init__(
        self,
        profiles: Callable[[str], LLMProfile],
        backends: Registry[Backend],
        clock: Clock,
        on_answer: Callable[[str, str], None],
    ) -> None:
        self._profiles, self._backends, self._clock, self.on_answer = profiles, backends, clock, on_answer
        self._hosts: dict[str, Host] = {}
        self._models: dict[tuple[str, str], LanguageModel] = {}  # by backend and host name
        self._routes: dict[LLMProfile, list[Route]] = {}
        self._named: set[tuple[str, str]] | None = None
        """Backend and host names in all profiles; None until the profiles were first reloaded."""
        self._closing: set[asyncio.Task[None]] = set()

    def __iter__(self) -> Iterator[Host]:
        return iter(tuple(self._hosts.values()))

    def profile(self, name: str) -> LLMProfile:
        try:
            return self._profiles(name)
        except (KeyError, UnknownName) as error:
            raise Unavailable(f"there is no LLM profile {name!r}; a file config/llm/{name}.md makes one") from error

    def backend(self, profile: LLMProfile) -> Backend:
        try:
            return self._backends.get(profile.backend)
        except UnknownName as error:
            raise Unavailable(str(error)) from error

    def of(self, profile: LLMProfile) -> list[Route]:
        """Return a profile's hosts in order, without duplicates."""
        if profile not in self._routes:
            backend = self.backend(profile)
            routes: dict[str, Route] = {}
            for one in (replace(profile, host=address) for address in profile.hosts):
                name = backend.host(one)
                routes.setdefault(name, Route(self._hosts.setdefault(name, Host(name, self._clock)), one))
            if len(self._routes) >= REMEMBERED:
                self._routes.clear()
            self._routes[profile] = list(routes.values())
        return self._routes[profile]

    def open_to(self, profile: LLMProfile, tried: Collection[str] = ()) -> list[Route]:
        """Return the hosts that answer, else those that may be tried again; raises `Unavailable` when all are down."""
        routes = self.of(profile)
        left = [one for one in routes if one.host.name not in tried]
        found = [one for one in left if not one.host.is_down] or [one for one in left if one.host.may_be_asked]
        if not found:
            raise Unavailable("; ".join(one.host.why_not() for one in left or routes))
        return found

    def back(self, profile: LLMProfile) -> list[Route]:
        """Return the hosts that were down and may be back, while other hosts of the profile answer."""
        routes = self.of(profile)
        if all(one.host.is_down for one in routes):
            return []  # the next job tries one itself
        return [one for one in routes if one.host.is_down and one.host.may_be_asked]

    async def probe(self, route: Route) -> bool:
        """Check a host and return whether it is up; a job's call that began meanwhile counts as up."""
        host = route.host
        host.probed, calls = True, host.calls
        try:
            model = await self.call(route, PROBE_SECONDS, lambda model: model.check(route.profile), probe=True)
        except Unavailable:
            return (host.running > 0 or host.calls > calls) and not host.is_down
        finally:
            host.probed = False
        self.on_answer(host.name, model)
        return True

    async def probe_all(self, profile: LLMProfile) -> bool:
        """Return whether any host of a profile is up; hosts with a call under way are not probed."""
        routes = self.of(profile)
        if any(one.host.running and not one.host.is_down for one in routes):
            return True
        return any(await asyncio.gather(*(self.probe(one) for one in routes if one.host.may_be_asked)))

    def model(self, profile: LLMProfile) -> LanguageModel:
        backend = self.backend(profile)
        key = (backend.name, backend.host(profile))
        if key not in self._models:
            self._models[key] = backend.make(profile)
        return self._models[key]

    async def call(self, route: Route, seconds: float, ask: AskModel[T], *, probe: bool = False) -> T:
        """Ask a host's model for at most `seconds` and update the host's health.

        A failed probe says nothing about a host that is busy with a job. Raises Refused, also when a backend broke,
        since this one text may be the cause, and Unavailable for any other failure.
        """
        host, began, calls = route.host, self._clock.monotonic(), route.host.calls

        def failed(error: Unavailable) -> Unavailable:
            if not (probe and (host.running > 0 or host.calls > calls)):
                host.failed(str(error), began, transient=isinstance(error, TransientError))
            return error

        try:
            answer = await timeout(seconds, ask(self.model(route.profile)), self._clock)
        except TimeoutError as error:
            raise failed(Unavailable(f"{host.name} did not answer within {round(seconds, 1):g} s")) from error
        except Refused as error:
            host.last_error = str(error)
            host.answered()
            raise
        except Unavailable as error:
            failed(error)
            raise
        except Exception as error:
            log.exception("the backend for %s broke", host.name)
            broken = Refused(f"the backend for {host.name} broke: {type(error).__name__}")
            raise (failed(broken) if probe else broken) from error
        host.answered()
        return answer

    def keep_only(self, names: Iterable[str]) -> None:
        """Take the names of all profiles after a reload, and close idle hosts that none of them names."""
        self._named = set()
        for name in names:
            with suppress(Unavailable):
                profile = self.profile(name)
                backend = self.backend(profile)
                self._named |= {(backend.name, backend.host(replace(profile, host=one))) for one in profile.hosts}
        self.close_unnamed()

    def close_unnamed(self) -> None:
        """Close the idle hosts that no profile names; an embedded model takes hundreds of megabytes."""
        if self._named is None:
            return
        busy = {host.name for host in self if host.running or host.probed}
        for key in [key for key in self._models if key not in self._named and key[1] not in busy]:
            task = asyncio.create_task(self._models.pop(key).close(), name=f"closing {key[1]}")
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)
        kept = {name for _, name in self._named} | busy
        if not kept.issuperset(self._hosts):
            self._hosts = {name: host for name, host in self._hosts.items() if name in kept}
            self._routes.clear()  # they may hold removed hosts

    async def close(self) -> None:
        models, self._models = list(self._models.values()), {}
        await asyncio.gather(*self._closing, return_exceptions=True)
        for model in models:
            await model.close()
