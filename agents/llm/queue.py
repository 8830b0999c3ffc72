"""The queue in front of every language model: which job is sent when, to which host, and what happens when it fails.

The prompt is built when the job's turn comes, so that it holds the newest memories. A failed job goes to each other
host once. A transient error is retried after a pause, a refusal never. When no host is left, jobs fail at once.

A job ends exactly once. A newer thought replaces a waiting one of the same agent, and the older asker gets `Superseded`
instead of the same reply, since acting on one reply twice would repeat everything.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import IntEnum, StrEnum
from functools import partial
from random import Random
from typing import NamedTuple

from agents.llm.backend import Backend, Completion, Enough, Refused, TransientError, hold_to_window, tidy
from agents.llm.hosts import Host, Hosts, Route
from agents.llm.profiles import LLMProfile
from agents.llm.spending import BudgetExhausted, BudgetSettings, ModelBudget
from agents.llm.tokens import AskServer, TokenRatios, estimate
from agents.text.unwrapping import past_thoughts
from mud.clock import Clock
from mud.errors import Unavailable
from mud.registry import Registry
from mud.supervise import done_within, timeout
from mud.tracing import span

log = logging.getLogger(__name__)

ROOM = 64
"""Jobs that may wait."""
AGES_AFTER = 15.0
"""Seconds of waiting that make a job one step more urgent, up to `THINK`, so that summaries are not starved."""
COUNT_SECONDS = 1.0
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 8.0
"""Seconds before the first retry, and the limit up to which they double."""
JITTER = 0.5
"""Share by which a pause varies, so that rejected jobs do not all come back at once."""
SHARE = 0.5
"""Share of the timeout within which a retry must begin, so that it has time itself."""
PERSON_PATIENCE = 1.5
"""Seconds after the first call within which a job that a person waits for is retried."""


class Urgency(IntEnum):
    """How urgent a job is; the lowest number goes first, then the oldest."""

    PERSON = 0
    THINK = 1
    EMBED = 2
    SUMMARIZE = 3


class Task(StrEnum):
    """What a model is asked for; the rows of `@cost`."""

    THINKING = "thinking"
    SUMMARIES = "summaries"
    DREAMS = "dreams"
    REFLECTIONS = "reflections"
    EMBEDDINGS = "embeddings"


_USUAL_TASK = {Urgency.EMBED: Task.EMBEDDINGS, Urgency.SUMMARIZE: Task.SUMMARIES}


class Cancelled(Unavailable):
    """The queue was closed before the job ended."""


class Superseded(Cancelled):
    """A newer thought of the same agent replaced this one."""


@dataclass(slots=True)
class JobTotals:
    """How jobs ended; asked but not ended ones are still open. `seconds` is the duration of all answered calls."""

    answered: int = 0
    failed: int = 0
    cancelled: int = 0
    asked: int = 0
    seconds: float = 0.0

    @property
    def mean(self) -> float | None:
        return self.seconds / self.answered if self.answered else None


class ProfileView(NamedTuple):
    """One LLM profile, as `@llm-status` shows it; without hosts when its backend does not exist."""

    name: str
    hosts: list[Route]
    waiting: int
    totals: JobTotals

    @property
    def servers(self) -> str:
        return " or ".join(one.host.name for one in self.hosts)


@dataclass(eq=False, slots=True)
class ModelJob:
    """One request to a model. All times are monotonic seconds.

    Args:
        tried: hosts that failed it since its last pause.
        tries: calls that were made after a pause.
        until: when the call under way times out.
        retry_in: seconds until it is tried again, or None.
        call: the call under way, or its pause.
    """

    build: Callable[[], str]
    profile: str
    urgency: Urgency
    owner: str
    task: str
    enough: Enough | None
    number: int
    since: float
    answer: asyncio.Future[Completion]
    totals: JobTotals
    tried: set[str] = field(default_factory=set)
    tries: int = 0
    began: float | None = None
    until: float = 0.0
    not_before: float = 0.0
    retry_in: float | None = None
    error: Exception | None = None
    call: asyncio.Task[None] | None = None

    def fail(self, error: Exception) -> None:
        if self.answer.done():
            return
        self.answer.set_exception(error)
        if isinstance(error, Cancelled):
            self.totals.cancelled += 1
        else:
            self.totals.failed += 1

    def cancel(self) -> None:
        self.fail(Cancelled("the world closed before the model answered"))

    def settle(self, completion: Completion) -> None:
        if not self.answer.done():
            self.answer.set_result(completion)
            self.totals.answered += 1
            self.totals.seconds += completion.seconds

    def turn(self, now: float) -> tuple[int, int]:
        aged = self.urgency - int((now - self.since) / AGES_AFTER)
        return (max(aged, min(self.urgency, Urgency.THINK)), self.number)

    def replaces(self, other: ModelJob) -> None:
        self.number, self.since = other.number, other.since
        self.urgency = min(self.urgency, other.urgency)
        other.fail(Superseded(f"a newer thought of {self.owner} took the place of this one"))


class ModelQueue:
    """The queue of all models; `on_answer` is called for every answer with the host and the model's name."""

    def __init__(
        self,
        profiles: Callable[[str], LLMProfile],
        backends: Registry[Backend],
        clock: Clock,
        *,
        chance: Random | None = None,
        budget: ModelBudget | None = None,
        on_answer: Callable[[str, str], None] = lambda host, model: None,
    ) -> None:
        self.hosts = Hosts(profiles, backends, clock, on_answer)
        self._clock = clock
        self._waiting: list[ModelJob] = []  # those that pause between two tries included
        self._totals: defaultdict[str, JobTotals] = defaultdict(JobTotals)
        self._chance = chance or Random(0)
        self._calls: set[asyncio.Task[None]] = set()
        self._others: set[asyncio.Task[None]] = set()  # pauses and probes
        self._open: set[ModelJob] = set()  # jobs that have not ended, also those under way
        self._prefixes = _ReplyPrefixes()
        self._number = 0
        self._closed = False
        self.ratios = TokenRatios()
        self.budget = budget or ModelBudget(BudgetSettings, clock)

    async def ask(
        self,
        build: Callable[[], str],
        profile_name: str,
        urgency: Urgency,
        owner: str,
        enough: Enough | None = None,
        *,
        task: str | None = None,
    ) -> Completion:
        """Ask a model and wait for its reply. Cancelling this call cancels the job.

        Args:
            build: makes the prompt when the job's turn comes, and again for every retry.
            owner: the agent; a thought of it that waits already is superseded by a new one.
            task: one of `Task`; by the urgency when None.

        Raises Unavailable: hosts down, queue full or closed, budget used up, job superseded, or the call failed.
        """
        self._number += 1
        answer: asyncio.Future[Completion] = asyncio.get_running_loop().create_future()
        now, what = self._clock.monotonic(), task or _USUAL_TASK.get(urgency, Task.THINKING)
        totals = self._totals[profile_name]
        job = ModelJob(build, profile_name, urgency, owner, what, enough, self._number, now, answer, totals)
        totals.asked += 1
        self._open.add(job)
        try:
            self._refuse_when_closed()
            self.budget.admit(owner)
            self.hosts.open_to(self.hosts.profile(profile_name))
            self._enqueue(job)
        except Unavailable as error:
            job.fail(error)
        self._pump()
        try:
            with span("model call", agent=owner, task=what, profile=profile_name) as note:
                completion = await answer
                note(host=completion.host, model=completion.model, seconds=completion.seconds)
            return completion
        except asyncio.CancelledError:
            if answer.cancelled():  # else the job had ended before the caller was cancelled
                totals.cancelled += 1
            raise
        finally:
            self._open.discard(job)
            if job.call is not None and not job.call.done():
                job.call.cancel()
            self._drop(job)

    def hasten(self, owner: str) -> None:
        """Raise an agent's thoughts to the urgency of a person, including retries of a call under way."""
        for job in self._open:
            if job.owner == owner and job.task == Task.THINKING:
                job.urgency = Urgency.PERSON

    def prepare(self, profile_name: str) -> None:
        """Make the models of a profile in advance; the first call would otherwise block the event loop."""
        for route in self._routes(profile_name):
            with suppress(Unavailable):  # a bad address is reported when it is asked
                self.hosts.model(route.profile)

    async def alive(self, profile_name: str) -> bool:
        """Return whether a host of a profile answers; a host in its pause is not asked."""
        if self._closed:
            return False
        try:
            return await self.hosts.probe_all(self.hosts.profile(profile_name))
        except Unavailable:
            return False

    def token_counter(self, profile_name: str = "think") -> AskServer:
        """Return a function that has the profile's server count tokens; None after a second or on failure.

        It does not change the host's health, since a host may work and be unable to count.
        """

        async def ask(text: str) -> int | None:
            try:
                self._refuse_when_closed()
                profile = self.hosts.open_to(self.hosts.profile(profile_name))[0].profile
                model = self.hosts.model(profile)
                return await timeout(COUNT_SECONDS, model.tokens(text, profile), self._clock)
            except (Unavailable, TimeoutError):
                return None

        return ask

    # ---- telling ----

    def silent(self, names: Iterable[str]) -> list[str]:
        hosts = {route.host.name: route.host for name in names for route in self._routes(name)}
        return [one.words() for one in hosts.values() if one.is_down]

    def overview(self, names: Iterable[str]) -> list[ProfileView]:
        waiting = Counter(job.profile.lower() for job in self._waiting)
        totals = {name: replace(self._totals.get(name, JobTotals())) for name in names}
        return [ProfileView(name, self._routes(name), waiting[name.lower()], told) for name, told in totals.items()]

    async def close(self, grace: float) -> None:
        """Take no more jobs, cancel those that wait, and cancel calls still under way after `grace` seconds."""
        self._closed = True
        for task in self._others:
            task.cancel()
        for job in self._waiting:
            job.cancel()
        self._waiting.clear()
        if self._calls and grace > 0:
            await done_within(grace, asyncio.gather(*self._calls, return_exceptions=True), self._clock)
        for task in self._calls:
            task.cancel()
        await asyncio.gather(*self._calls, *self._others, return_exceptions=True)
        await self.hosts.close()

    # ---- waiting ----

    def _enqueue(self, job: ModelJob) -> None:
        """Add a new job, replacing an older thought of its owner; when full, the least urgent is refused."""
        if older := self._same_thought(job):
            self._drop(older)
            job.replaces(older)
        elif len(self._waiting) >= ROOM:
            full = Unavailable(f"{ROOM} jobs wait for the models already")
            last = max(self._waiting, key=lambda one: (one.urgency, one.number))
            if last.urgency <= job.urgency:
                raise full
            self._drop(last)
            last.fail(full)
        self._waiting.append(job)

    def _drop(self, job: ModelJob) -> None:
        if job in self._waiting:
            self._waiting.remove(job)

    def _same_thought(self, job: ModelJob) -> ModelJob | None:
        """Return the waiting thought of the agent whose thought this is, if any."""
        thoughts = (one for one in self._waiting if one.task == job.task == Task.THINKING and one.owner == job.owner)
        return next((one for one in thoughts if not one.answer.done()), None)

    # ---- starting ----

    def _pump(self) -> None:
        """Start as many jobs as the hosts' concurrency allows; a busy host is kept for the first job waiting for it."""
        kept, now = set[str](), self._clock.monotonic()
        due = [one for one in self._waiting if one.not_before <= now]
        for job in sorted(due, key=lambda one: one.turn(now)):
            if self._closed:
                return
            route = None
            try:
                if not job.answer.done():  # else its asker was cancelled
                    route = self._route(job, kept)
                    if route is None:
                        continue
            except Unavailable as error:
                job.fail(job.error or error)
            self._drop(job)
            if route is not None:
                self._start(job, route)

    def _route(self, job: ModelJob, kept: set[str]) -> Route | None:
        """Return the least busy host for a job, or None when all are busy; those are added to `kept`.

        Ties go to the host last asked for the same agent, which may have cached its prompt.
        """
        profile = self.hosts.profile(job.profile)
        for one in self.hosts.back(profile):
            one.host.probed = True  # set before the task runs, so that it is probed once
            self._spawn(self._probe(one))
        routes = self.hosts.open_to(profile, job.tried)
        free = [one for one in routes if one.host.name not in kept and one.host.running < one.profile.concurrency]
        if not free:
            kept.update(one.host.name for one in routes)
            return None
        return min(free, key=lambda one: (one.host.running, one.host.owner != job.owner, one.host.calls))

    def _start(self, job: ModelJob, route: Route) -> None:
        host, now = route.host, self._clock.monotonic()
        host.running, host.calls, host.owner = host.running + 1, host.calls + 1, job.owner
        if job.began is None:
            job.began, job.until = now, now + route.profile.timeout
        job.retry_in = job.error = None
        job.call = asyncio.create_task(self._run(job, route), name=f"model call for {job.owner}")
        self._calls.add(job.call)
        job.call.add_done_callback(partial(self._ended, host, job))

    async def _probe(self, route: Route) -> None:
        await self.hosts.probe(route)
        self._pump()

    def _spawn(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._others.add(task)
        task.add_done_callback(self._others.discard)
        return task

    # ---- running ----

    async def _run(self, job: ModelJob, route: Route) -> None:
        try:
            prompt = job.build()
            hold_to_window(prompt, route.profile, self.ratios.of(self.hosts.profile(job.profile).identity))
        except Exception as error:  # an error in `build` belongs to the asker
            job.fail(error)
            return
        try:
            completion = await self._prefixes.reply(partial(self._ask, job, route, prompt), route.profile, job.enough)
        except (Refused, BudgetExhausted) as error:
            job.fail(error)
        except Unavailable as error:
            job.error = error
            job.retry_in = self._retry_in(job, route, error)
            if job.retry_in is None:
                job.fail(error)
        else:
            log.debug("%s: %s answered in %.1f s", job.owner, route.host.name, completion.seconds)
            job.settle(replace(completion, host=route.host.name))

    async def _ask(
        self, job: ModelJob, route: Route, prompt: str, profile: LLMProfile, enough: Enough | None
    ) -> Completion:
        """Ask once within the job's time and budget, record the cost, and learn from the reported counts."""
        with self.budget.reserve(job.owner, job.task, estimate(prompt), profile.max_tokens) as reservation:
            seconds = max(0.0, job.until - self._clock.monotonic())
            asked = Route(route.host, profile)
            completion = await self.hosts.call(asked, seconds, lambda model: model.complete(prompt, profile, enough))
            reservation.spend(completion)
        self.hosts.on_answer(route.host.name, completion.model)
        named = self.hosts.profile(job.profile)
        if completion.prompt_tokens is not None and self.hosts.backend(named).tells_whole:
            self.ratios.learn(named.identity, prompt, completion.prompt_tokens)
        return completion

    def _retry_in(self, job: ModelJob, route: Route, error: Unavailable) -> float | None:
        """Return the seconds after which a failed job is tried again, or None.

        Another host is asked at once, with a new timeout unless a person waits. Transient errors are retried on any
        host within the first half of the timeout.
        """
        assert job.began is not None
        job.tried.add(route.host.name)
        if self._closed:
            return None
        now, person = self._clock.monotonic(), job.urgency is Urgency.PERSON
        limit, spent = route.profile.timeout, now - job.began
        routes = self._routes(job.profile)
        left = any(one.host.may_be_asked for one in routes if one.host.name not in job.tried)
        if left and (not person or spent <= SHARE * limit):
            job.until = job.until if person else now + limit
            return 0.0
        if not isinstance(error, TransientError) or job.tries >= route.profile.retries:
            return None
        backoff = min(LONGEST_PAUSE, FIRST_PAUSE * float(2 ** min(job.tries, 10)))
        pause = max(backoff * self._chance.uniform(1 - JITTER, 1 + JITTER), error.after or 0.0)
        if spent + pause > min(SHARE * limit, PERSON_PATIENCE if person else limit):
            return None
        if all(one.host.wait > pause for one in routes):
            return None
        job.tries += 1
        job.tried.clear()
        job.until = max(job.until, job.began + limit)
        return pause

    # ---- ending ----

    def _ended(self, host: Host, job: ModelJob, call: asyncio.Task[None]) -> None:
        """Free the place of a call; a done callback, so it runs even for a call cancelled before it began."""
        self._calls.discard(call)
        host.running -= 1
        if not self._closed:
            self.hosts.close_unnamed()
        if self._closed or job.retry_in is None or job.answer.done():
            job.cancel()
        else:
            job.not_before = self._clock.monotonic() + job.retry_in if job.retry_in else 0.0
            if newer := self._same_thought(job):
                newer.replaces(job)
            else:
                self._waiting.append(job)
            if job.retry_in and not job.answer.done():
                job.call = self._spawn(self._pump_after(job, job.retry_in))
        self._pump()

    async def _pump_after(self, job: ModelJob, seconds: float) -> None:
        await self._clock.sleep(seconds)
        job.not_before = 0.0
        self._pump()

    def _routes(self, name: str) -> list[Route]:
        try:
            return self.hosts.of(self.hosts.profile(name))
        except Unavailable:
            return []

    def _refuse_when_closed(self) -> None:
        if self._closed:
            raise Unavailable("the world is closing; no model is asked any more")


MUTE = 3
"""Empty replies in a row after which a model is asked only once."""


class _ReplyPrefixes:
    r"""Remembers models whose replies open with a blank line or a thought, where a stop such as "\n" would end them.

    Their replies are asked for without blank stops and cut here.
    """

    def __init__(self) -> None:
        self._blank: set[tuple[str, ...]] = set()
        self._mute: Counter[tuple[str, ...]] = Counter()

    async def reply(
        self,
        ask: Callable[[LLMProfile, Enough | None], Awaitable[Completion]],
        profile: LLMProfile,
        enough: Enough | None,
    ) -> Completion:
        model = (profile.backend, profile.host, profile.model, profile.api)
        blank = tuple(stop for stop in profile.stop if not stop.strip())
        if model not in self._blank:
            reply = await ask(profile, enough)
            if reply.text.strip():
                del self._mute[model]
            if _spoken(reply.text) or not blank or self._mute[model] >= MUTE:
                return reply

        def ended(so_far: str) -> bool:
            begun = _spoken(so_far)
            return bool(begun) and (any(stop in begun for stop in blank) or (enough is not None and enough(so_far)))

        reply = await ask(replace(profile, stop=tuple(stop for stop in profile.stop if stop not in blank)), ended)
        text = reply.text.lstrip()
        spoken = _spoken(text)
        reply = replace(reply, text=text.removesuffix(spoken) + tidy(spoken, profile.stop))
        if reply.text:
            self._blank.add(model)
        else:
            self._mute[model] += 1
        return reply


def _spoken(text: str) -> str:
    return (past_thoughts(text) or "").lstrip()
