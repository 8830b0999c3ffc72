"""The one queue in front of every language model: who waits for what, in which order, on which host.

Every job ends exactly once: answered, failed or cancelled. The prompt is built when the job's turn comes, so that it
holds the newest memories. A host that is down is left alone for a while, and its jobs fail at once. Nothing is asked
twice: whoever asked decides what to do without the model.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from functools import partial
from typing import Any, TypeVar

from agents.llm.backends._backend import Backend, Completion, Enough, LanguageModel, Refused, hold_to_window
from agents.llm.health import Health, State
from agents.llm.patience import done_within, within
from agents.llm.profiles import LLMProfile
from mud.clock import Clock
from mud.errors import Unavailable, UnknownName
from mud.registry import Registry

log = logging.getLogger(__name__)

T = TypeVar("T")

ROOM = 64
"""Jobs that may wait at once, over all hosts."""
AGES_AFTER = 15.0
"""Seconds of waiting after which a job counts as one step more urgent, up to a thought: so that summaries come about
where thoughts alone could keep a slow model busy for ever. A waiting person still goes first."""
PROBE_SECONDS = 3.0
"""Seconds within which a host must show that it is there."""


class Urgency(IntEnum):
    """How urgent a job is; the lowest number goes first, and among equals the one that came first. Waiting makes it
    more urgent, see `AGES_AFTER`."""

    PERSON = 0
    THINK = 1
    EMBED = 2
    SUMMARIZE = 3


@dataclass(frozen=True, slots=True)
class Totals:
    """How the jobs of a queue ended.

    Args:
        answered, failed, cancelled: how many ended so.
    """

    answered: int = 0
    failed: int = 0
    cancelled: int = 0


@dataclass(eq=False, slots=True)
class _Job:
    build: Callable[[], str]
    profile: str
    urgency: Urgency
    owner: str
    number: int
    since: float
    answer: asyncio.Future[Completion]
    enough: Enough | None = None
    task: asyncio.Task[None] | None = None


@dataclass(eq=False, slots=True)
class _Lane:
    """The jobs of one host."""

    health: Health
    waiting: list[_Job] = field(default_factory=list)
    running: int = 0


class ModelQueue:
    """Asks models on behalf of everybody.

    Args:
        profiles: returns a profile as it is set now.
        backends: the ways to reach a model.
        clock: measures timeouts and pauses.
        room: jobs that may wait at once.
    """

    def __init__(
        self, profiles: Callable[[str], LLMProfile], backends: Registry[Backend], clock: Clock, room: int = ROOM
    ) -> None:
        self._profiles = profiles
        self._backends = backends
        self._clock = clock
        self._room = room
        self._lanes: dict[str, _Lane] = {}
        self._models: dict[tuple[str, str], LanguageModel] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._number = 0
        self._closed = False
        self.totals = Totals()

    async def ask(
        self,
        build: Callable[[], str],
        profile_name: str,
        urgency: Urgency,
        owner: str,
        enough: Enough | None = None,
    ) -> Completion:
        """Ask a model and wait for its reply. Cancelling this call cancels the job.

        Args:
            build: makes the prompt; called when the job's turn comes.
            profile_name: name of a file in `config/llm`.
            urgency: how soon it is wanted.
            owner: on whose behalf, for the log.
            enough: ends a reply early, see `LanguageModel.complete`.

        Raises:
            Unavailable: the host is down, the queue is full or closed, or the model gave nothing of use in time.
        """
        if self._closed:
            raise Unavailable("the world is closing; no model is asked any more")
        lane = self._lane(self._profile(profile_name))
        self._refuse_when_down(lane)
        self._make_room(urgency)
        self._number += 1
        answer: asyncio.Future[Completion] = asyncio.get_running_loop().create_future()
        answer.add_done_callback(self._count)
        job = _Job(build, profile_name, urgency, owner, self._number, self._clock.monotonic(), answer, enough)
        lane.waiting.append(job)
        self._pump(lane)
        try:
            return await answer
        finally:
            self._forget(job)

    async def alive(self, profile_name: str) -> bool:
        """Say whether a profile's host answers; one that is down is not asked before its pause is over."""
        if self._closed:
            return False
        try:
            profile = self._profile(profile_name)
            lane = self._lane(profile)
            self._refuse_when_down(lane)
            await self._heard(lane, PROBE_SECONDS, self._check(profile))
        except Unavailable:
            return False
        return True

    def reach(self, profile_name: str) -> tuple[LanguageModel, LLMProfile]:
        """Return the model of a profile and the profile, for what is no job, such as counting tokens.

        Raises:
            Unavailable: there is no such profile, or its host is down.
        """
        if self._closed:
            raise Unavailable("the world is closing; no model is asked any more")
        profile = self._profile(profile_name)
        self._refuse_when_down(self._lane(profile))
        return self._model(profile), profile

    def health(self) -> list[Health]:
        """Return what is known of every host that was asked for."""
        return [lane.health for lane in self._lanes.values()]

    def silent(self, names: Iterable[str]) -> list[str]:
        """Return how the hosts of these profiles that do not answer are doing, as sentences for people.

        Hosts that no profile names any more are nobody's business.
        """
        hosts: dict[str, Health] = {}
        for name in names:
            try:
                health = self._lane(self._profile(name)).health
            except Unavailable:
                continue
            if health.state is State.DOWN:
                hosts[health.host] = health
        return [health.words(self._clock) for health in hosts.values()]

    def words(self) -> list[str]:
        """Return how every host is doing, and what waits for it, as lines for people."""
        lines = []
        for lane in self._lanes.values():
            waits = f" {len(lane.waiting)} waiting, {lane.running} under way." if lane.waiting or lane.running else ""
            lines.append(lane.health.words(self._clock) + waits)
        return lines

    @property
    def waiting(self) -> int:
        """How many jobs wait for their turn."""
        return sum(len(lane.waiting) for lane in self._lanes.values())

    @property
    def running(self) -> int:
        """How many calls are under way."""
        return sum(lane.running for lane in self._lanes.values())

    async def close(self, grace: float) -> None:
        """Take no more jobs, end those that wait, give the calls under way a while and cancel the rest.

        Args:
            grace: seconds that calls under way are given.
        """
        self._closed = True
        for lane in self._lanes.values():
            for job in lane.waiting:
                self._cancel(job)
            lane.waiting.clear()
        if self._tasks and grace > 0:
            await done_within(grace, asyncio.gather(*self._tasks, return_exceptions=True), self._clock)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        models, self._models = list(self._models.values()), {}
        for model in models:
            await model.close()

    # ---- waiting ----

    def _make_room(self, urgency: Urgency) -> None:
        """Let a job in: when the queue is full, the least urgent is refused, be it the new one."""
        if self.waiting < self._room:
            return
        full = Unavailable(f"{self._room} jobs wait for the models already")
        last = max((job for lane in self._lanes.values() for job in lane.waiting), key=_turn, default=None)
        if last is None or last.urgency <= urgency:
            raise full
        self._remove(last)
        _fail(last, full)

    def _turn_now(self, job: _Job) -> tuple[int, int]:
        """Return a job's turn with its age counted in."""
        aged = job.urgency - int((self._clock.monotonic() - job.since) / AGES_AFTER)
        return (max(aged, min(job.urgency, Urgency.THINK)), job.number)

    def _pump(self, lane: _Lane) -> None:
        """Start as many of a host's jobs as it may be given at once."""
        while lane.waiting and not self._closed:
            job = min(lane.waiting, key=self._turn_now)
            if job.answer.done():  # its asker was cancelled and has not come round to saying so
                lane.waiting.remove(job)
                continue
            try:
                profile = self._profile(job.profile)
                own = self._lane(profile)
                self._refuse_when_down(own)
            except Unavailable as error:
                lane.waiting.remove(job)
                _fail(job, error)
                continue
            if own is not lane:  # the profile names another host by now
                lane.waiting.remove(job)
                own.waiting.append(job)
                self._pump(own)
                continue
            if lane.running >= profile.concurrency:
                return
            lane.waiting.remove(job)
            lane.running += 1
            job.task = asyncio.create_task(self._run(lane, job, profile), name=f"model call for {job.owner}")
            self._tasks.add(job.task)
            job.task.add_done_callback(partial(self._ended, lane, job))

    def _remove(self, job: _Job) -> None:
        for lane in self._lanes.values():
            if job in lane.waiting:
                lane.waiting.remove(job)

    # ---- running ----

    async def _run(self, lane: _Lane, job: _Job, profile: LLMProfile) -> None:
        """Build one prompt, ask the model and settle the job."""
        try:
            prompt = job.build()
            hold_to_window(prompt, profile)
            completion = await self._heard(lane, profile.timeout, self._complete(prompt, profile, job.enough))
        except Exception as error:  # a failing build is the asker's own error and reaches nobody else
            _fail(job, error)
        else:
            log.debug("%s: %s answered in %.1f s", job.owner, lane.health.host, completion.seconds)
            if not job.answer.done():
                job.answer.set_result(completion)

    async def _complete(self, prompt: str, profile: LLMProfile, enough: Enough | None) -> Completion:
        return await self._model(profile).complete(prompt, profile, enough)

    async def _check(self, profile: LLMProfile) -> None:
        await self._model(profile).check(profile)

    async def _heard(self, lane: _Lane, seconds: float, call: Coroutine[Any, Any, T]) -> T:
        """Await a call to a host for so many seconds and note in its health what came of it.

        Raises:
            Unavailable: whatever went wrong, a backend's own bugs included.
        """
        before = lane.health
        try:
            answer = await within(seconds, call, self._clock)
        except TimeoutError as error:
            late = Unavailable(f"{lane.health.host} did not answer within {seconds:g} s")
            lane.health = lane.health.failed(str(late), self._clock)
            raise late from error
        except Refused as error:
            lane.health = lane.health.refused(str(error), self._clock)
            raise
        except Unavailable as error:
            lane.health = lane.health.failed(str(error), self._clock)
            raise
        except Exception as error:
            log.exception("the backend for %s broke", lane.health.host)
            broken = Unavailable(f"the backend for {lane.health.host} broke: {type(error).__name__}")
            lane.health = lane.health.failed(str(broken), self._clock)
            raise broken from error
        else:
            lane.health = lane.health.answered(self._clock)
            return answer
        finally:
            if lane.health.state is not before.state:
                log.info("model host %s", lane.health.words(self._clock))

    # ---- ending ----

    def _forget(self, job: _Job) -> None:
        """End whatever is left of a job whose asker has gone."""
        if job.task is not None and not job.task.done():
            job.task.cancel()
        self._remove(job)

    def _ended(self, lane: _Lane, job: _Job, task: asyncio.Task[None]) -> None:
        """Free a call's place; runs however the call ended, also when it was cancelled before it began."""
        self._tasks.discard(task)
        lane.running -= 1
        self._cancel(job)
        self._pump(lane)

    def _cancel(self, job: _Job) -> None:
        """Settle a job that nobody will answer."""
        _fail(job, _Cancelled("the world closed before the model answered"))

    def _count(self, answer: asyncio.Future[Completion]) -> None:
        now = self.totals
        if answer.cancelled() or isinstance(answer.exception(), _Cancelled):
            self.totals = Totals(now.answered, now.failed, now.cancelled + 1)
        elif answer.exception() is not None:
            self.totals = Totals(now.answered, now.failed + 1, now.cancelled)
        else:
            self.totals = Totals(now.answered + 1, now.failed, now.cancelled)

    # ---- hosts ----

    def _profile(self, name: str) -> LLMProfile:
        try:
            return self._profiles(name)
        except (KeyError, UnknownName) as error:
            raise Unavailable(f"there is no LLM profile {name!r}; a file config/llm/{name}.md makes one") from error

    def _backend(self, profile: LLMProfile) -> Backend:
        try:
            return self._backends.get(profile.backend)
        except UnknownName as error:
            raise Unavailable(str(error)) from error

    def _lane(self, profile: LLMProfile) -> _Lane:
        host = self._backend(profile).host(profile)
        return self._lanes.setdefault(host, _Lane(Health(host)))

    def _model(self, profile: LLMProfile) -> LanguageModel:
        backend = self._backend(profile)
        key = (backend.name, backend.host(profile))
        if key not in self._models:
            self._models[key] = backend.make(profile)
        return self._models[key]

    def _refuse_when_down(self, lane: _Lane) -> None:
        wait = lane.health.wait(self._clock)
        if wait > 0:
            raise Unavailable(f"{lane.health.host} is down ({lane.health.last_error}); asked again in {wait:.0f} s")
        if lane.health.state is State.DOWN and lane.running:
            # One call tries a host that was down; if it hangs, nobody else is held up.
            raise Unavailable(f"{lane.health.host} is down ({lane.health.last_error}); it is being tried again")


class _Cancelled(Unavailable):
    """The job was ended by closing the queue."""


def _fail(job: _Job, error: Exception) -> None:
    """End a job with an error, unless it has ended already: a cancelled asker needs no answer."""
    if not job.answer.done():
        job.answer.set_exception(error)


def _turn(job: _Job) -> tuple[int, int]:
    return (job.urgency, job.number)
