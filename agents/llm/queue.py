"""The one queue in front of every language model: which job is asked when, on which host, and what if that fails.

Every job ends exactly once: answered, failed or cancelled. The prompt is built when the job's turn comes, so that it
holds the newest memories. Of several hosts the least busy goes first; one that fails hands its job on, to each of the
others once. A transient error is tried again after a pause; a refusal never is. A host that is down is left alone for a
while, and when no host is left its jobs fail at once: whoever asked decides what to do without the model.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from random import Random

from agents.llm.backend import Backend, Completion, Enough, Refused, TransientError, hold_to_window, tidy
from agents.llm.budget import BudgetExhausted, BudgetSettings, ModelBudget
from agents.llm.hosts import Host, HostHealth, Hosts, Route
from agents.llm.jobs import (
    USUAL_TASK,
    JobQueue,
    JobTotals,
    ModelJob,
    ProfileView,
    Superseded,
    Task,
    Urgency,
)
from agents.llm.profiles import LLMProfile
from agents.llm.tokens import AskServer, TokenRatios, estimate
from agents.text.unwrapping import past_thoughts
from mud.clock import Clock
from mud.errors import Unavailable
from mud.registry import Registry
from mud.supervise import done_within, timeout

__all__ = ["ModelQueue", "Superseded", "Task", "Urgency"]

log = logging.getLogger(__name__)

ROOM = 64
"""Jobs that may wait at once, over all hosts."""
COUNT_SECONDS = 1.0
"""Seconds within which a server must have counted tokens; a status is not kept waiting longer."""
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 8.0
"""Seconds before the first further try, doubled before each one after it up to the second number."""
JITTER = 0.5
"""Share by which a pause varies, so that everybody whom a host turned away does not come back at once."""
SHARE = 0.5
"""Share of the timeout within which a further try must begin, so that it gets a fair time itself."""
PERSON_PATIENCE = 1.5
"""Seconds after its first call within which a job that a person waits for is tried again; the instinct is quicker."""


class ModelQueue:
    """Asks models on behalf of everybody.

    Args:
        profiles: returns a profile as it is set now.
        backends: the ways to reach a model.
        clock: measures timeouts and pauses.
        room: jobs that may wait at once.
        chance: makes the jitter of pauses; None for always the same.
        budget: counts what is spent and says when it is enough; None for no limit.
    """

    def __init__(
        self,
        profiles: Callable[[str], LLMProfile],
        backends: Registry[Backend],
        clock: Clock,
        room: int = ROOM,
        chance: Random | None = None,
        budget: ModelBudget | None = None,
    ) -> None:
        self.hosts = Hosts(profiles, backends, clock)
        self._clock = clock
        self._waiting = JobQueue(room)
        self._totals: defaultdict[str, JobTotals] = defaultdict(JobTotals)
        self._chance = chance or Random(0)
        self._calls: set[asyncio.Task[None]] = set()
        self._others: set[asyncio.Task[None]] = set()  # pauses between two tries, and probes
        self._open: set[ModelJob] = set()  # jobs that have not ended, those that are under way among them
        self._prefixes = _ReplyPrefixes()
        self._number = 0
        self._closed = False
        self.ratios = TokenRatios()
        """How many tokens each model makes of a text, learned from what its server reports with its replies."""
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
            build: makes the prompt; called when the job's turn comes, and again for every further try.
            profile_name: name of a file in `config/llm`.
            owner: on whose behalf; who has a thought waiting already gives it up for this one.
            enough: ends a reply early, see `LanguageModel.complete`.
            task: what for, one of `Task`; by its urgency when None.

        Raises:
            Unavailable: every host is down, the queue is full or closed, the budget is used up, a newer thought took
                this one's place, or the model gave nothing of use in time.
        """
        self._number += 1
        answer: asyncio.Future[Completion] = asyncio.get_running_loop().create_future()
        now, what = self._clock.monotonic(), task or USUAL_TASK.get(urgency, Task.THINKING)
        totals = self._totals[profile_name]
        job = ModelJob(build, profile_name, urgency, owner, what, self._number, now, answer, totals, enough)
        totals.asked += 1
        self._open.add(job)
        try:
            self._refuse_when_closed()
            self.budget.admit(owner)
            self.hosts.open_to(self.hosts.profile(profile_name))
            self._waiting.add(job)
        except Unavailable as error:
            job.fail(error)
        self._pump()
        try:
            return await answer
        except asyncio.CancelledError:
            if answer.cancelled():  # else it had ended, and whoever asked was cancelled before they heard of it
                totals.cancelled += 1
            raise
        finally:
            self._open.discard(job)
            if job.call is not None and not job.call.done():
                job.call.cancel()
            self._waiting.drop(job)

    def hasten(self, owner: str) -> None:
        """Make the thoughts of an agent as urgent as a person is: one waits for them now.

        A call under way goes on as it is; should it have to be tried again, that is urgent, too.
        """
        for job in self._open:
            if job.owner == owner and job.task == Task.THINKING:
                job.urgency = Urgency.PERSON

    def prepare(self, profile_name: str) -> None:
        """Load what asking a profile's model takes, while nobody waits: the first call would stop everybody for it."""
        for route in self._routes(profile_name):
            with suppress(Unavailable):  # an address that is none is told of when it is asked
                self.hosts.model(route.profile)

    async def alive(self, profile_name: str) -> bool:
        """Say whether a host of a profile answers; one that is down is not asked before its pause is over."""
        if self._closed:
            return False
        try:
            return await self.hosts.probe_all(self.hosts.profile(profile_name))
        except Unavailable:
            return False

    def token_counter(self, profile_name: str = "think") -> AskServer:
        """Return what asks the server of a profile to count tokens; it answers None within a second if it cannot.

        Nothing follows for the health of the host: it may think well and not count.
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

    def health(self) -> list[HostHealth]:
        """Return what is known of every host that was asked for."""
        return [host.health for host in self.hosts]

    def silent(self, names: Iterable[str]) -> list[str]:
        """Return how the hosts of these profiles that do not answer are doing, as sentences for people."""
        hosts = {route.host.name: route.host for name in names for route in self._routes(name)}
        return [one.health.words(self._clock) for one in hosts.values() if one.is_down]

    def overview(self, names: Iterable[str]) -> list[ProfileView]:
        """Return how the LLM profiles of these names and their hosts are doing."""
        views = []
        for name in names:
            waiting = sum(job.profile.lower() == name.lower() for job in self._waiting)
            views.append(ProfileView(name, self._routes(name), waiting, replace(self._totals.get(name, JobTotals()))))
        return views

    @property
    def totals(self) -> JobTotals:
        """How the jobs ended."""
        return JobTotals.sum(self._totals.values())

    @property
    def waiting(self) -> int:
        """How many jobs wait for their turn."""
        return len(self._waiting)

    @property
    def running(self) -> int:
        """How many calls are under way."""
        return sum(host.running for host in self.hosts)

    async def close(self, grace: float) -> None:
        """Take no more jobs, end those that wait, give the calls under way `grace` seconds and cancel the rest."""
        self._closed = True
        for task in self._others:
            task.cancel()
        for job in self._waiting:
            self._waiting.drop(job)
            job.cancel()
        if self._calls and grace > 0:
            await done_within(grace, asyncio.gather(*self._calls, return_exceptions=True), self._clock)
        for task in self._calls:
            task.cancel()
        await asyncio.gather(*self._calls, *self._others, return_exceptions=True)
        await self.hosts.close()

    # ---- starting ----

    def _pump(self) -> None:
        """Start as many jobs as their hosts may be given at once, the most urgent first.

        A host that a job waits for is kept for it: nobody behind it in the queue slips in.
        """
        kept: set[str] = set()
        for job in self._waiting.in_order(self._clock.monotonic()):
            if self._closed:
                return
            if job.answer.done():  # its asker was cancelled and has not come round to saying so
                self._waiting.drop(job)
                continue
            try:
                route = self._route(job, kept)
            except Unavailable as error:
                self._waiting.drop(job)
                job.fail(job.error or error)
                continue
            if route is not None:
                self._waiting.drop(job)
                self._start(job, route)

    def _route(self, job: ModelJob, kept: set[str]) -> Route | None:
        """Return the least busy host for a job; None when all are busy, and are kept for it from now on.

        Among equals it is the one that was last asked for the same agent, whose prompt it may have read before, and
        then the one that was asked least.
        """
        profile = self.hosts.profile(job.profile)
        for one in self.hosts.back(profile):
            one.host.probed = True  # before the question is on its way, so that it is asked once
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
        """Ask a host that was down whether it is back, so that no job must be the one that tries it."""
        await self.hosts.probe(route)
        self._pump()

    def _spawn(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._others.add(task)
        task.add_done_callback(self._others.discard)
        return task

    # ---- running ----

    async def _run(self, job: ModelJob, route: Route) -> None:
        """Build one prompt, ask the model, and settle the job or say when it is to be tried again."""
        try:
            prompt = job.build()
            hold_to_window(prompt, route.profile, self.ratios.of(self.hosts.profile(job.profile).identity))
        except Exception as error:  # a failing build is the asker's own error and reaches nobody else
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
        """Ask once, within what is left of the job's time and of the budget, pay for it, and learn from the reply."""
        with self.budget.reserve(job.owner, job.task, estimate(prompt), profile.max_tokens) as reservation:
            seconds = max(0.0, job.until - self._clock.monotonic())
            completion = await self.hosts.call(route.host, seconds, self._complete(prompt, profile, enough))
            reservation.spend(completion)
        self.hosts.on_answer(route.host.name, completion.model)
        named = self.hosts.profile(job.profile)
        if completion.prompt_tokens is not None and self.hosts.backend(named).tells_whole:
            self.ratios.learn(named.identity, prompt, completion.prompt_tokens)
        return completion

    async def _complete(self, prompt: str, profile: LLMProfile, enough: Enough | None) -> Completion:
        return await self.hosts.model(profile).complete(prompt, profile, enough)

    def _retry_in(self, job: ModelJob, route: Route, error: Unavailable) -> float | None:
        """Return after how many seconds a job that failed is to be tried again; None for not at all.

        Another host gets it at once, with a timeout of its own; where a person waits, one timeout must do for all.
        What is transient is tried again on any host, within the first half of the timeout.
        """
        assert job.began is not None
        job.tried.add(route.host.name)
        if self._closed:
            return None
        now, person = self._clock.monotonic(), job.urgency is Urgency.PERSON
        limit, spent = route.profile.timeout, now - job.began
        routes = self._routes(job.profile)
        left = any(one.host.may_be_asked(self._clock) for one in routes if one.host.name not in job.tried)
        if left and (not person or spent <= SHARE * limit):
            job.until = job.until if person else now + limit
            return 0.0
        if not isinstance(error, TransientError) or job.tries >= route.profile.retries:
            return None
        pause = self._pause(job.tries, error)
        if spent + pause > min(SHARE * limit, PERSON_PATIENCE if person else limit):
            return None
        if all(one.host.health.wait(self._clock) > pause for one in routes):
            return None
        job.tries += 1
        job.tried.clear()
        job.until = max(job.until, job.began + limit)
        return pause

    def _pause(self, tries: int, error: TransientError) -> float:
        """Return the seconds before a further try: exponential backoff with jitter, but no less than the host asks."""
        backoff = min(LONGEST_PAUSE, FIRST_PAUSE * float(2 ** min(tries, 10)))
        return max(backoff * self._chance.uniform(1 - JITTER, 1 + JITTER), error.after or 0.0)

    # ---- ending ----

    def _ended(self, host: Host, job: ModelJob, call: asyncio.Task[None]) -> None:
        """Free a call's place; runs however the call ended, also when it was cancelled before it began."""
        self._calls.discard(call)
        host.running -= 1
        if not self._closed:
            self.hosts.close_unnamed()
        if self._closed or job.retry_in is None or job.answer.done():
            job.cancel()
        else:
            job.not_before = self._clock.monotonic() + job.retry_in if job.retry_in else 0.0
            self._waiting.put_back(job)
            if job.retry_in and not job.answer.done():
                job.call = self._spawn(self._pump_after(job, job.retry_in))
        self._pump()

    async def _pump_after(self, job: ModelJob, seconds: float) -> None:
        await self._clock.sleep(seconds)
        job.not_before = 0.0
        self._pump()

    def _routes(self, name: str) -> list[Route]:
        """Return the hosts of a profile; none when there is no such profile or backend."""
        try:
            return self.hosts.of(self.hosts.profile(name))
        except Unavailable:
            return []

    def _refuse_when_closed(self) -> None:
        if self._closed:
            raise Unavailable("the world is closing; no model is asked any more")


MUTE = 3
"""Times in a row that a model said nothing at all after which it is asked only once, until it says something."""


class _ReplyPrefixes:
    """Knows which models open their replies with an empty line or a thought, and would meet their line's stop there.

    A stop of nothing but blanks counts from the first word on that is no thought; but a server that keeps stops itself
    ends the reply there, and what would have come is not known. So such a reply is asked for once more without these
    stops, and cut here; a model that opens so is asked like that at once from then on.
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
        """Return a reply from its first word on; asks a second time when the first reply is no more than a thought."""
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
    """Return a reply from the first word on that is no thought; empty while there is none."""
    return (past_thoughts(text) or "").lstrip()
