"""The one queue in front of every language model: who waits for what, in which order, on which host.

Every job ends exactly once: answered, failed or cancelled. The prompt is built when the job's turn comes, so that it
holds the newest memories. Of several hosts the least busy goes first; one that fails hands its job on, to each of the
others once. What may pass is tried again after a pause, see `retries`; a refusal never is. A host that is down is left
alone for a while, and when no host is left its jobs fail at once: whoever asked decides what to do without the model.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from random import Random

from agents.llm.backend import Backend, Completion, Enough, LanguageModel, Refused, hold_to_window
from agents.llm.budget import BudgetExhausted, BudgetSettings, ModelBudget
from agents.llm.health import HostHealth, HostState
from agents.llm.hosts import Host, Hosts, Route
from agents.llm.jobs import (
    AGES_AFTER,
    JobQueue,
    JobStatistics,
    JobTotals,
    ModelJob,
    Superseded,
    Task,
    Urgency,
    usual_task,
)
from agents.llm.overview import HostView, ProfileView
from agents.llm.profiles import LLMProfile
from agents.llm.ratios import TokenRatios
from agents.llm.reply_prefix import ReplyPrefixes
from agents.llm.retries import PERSON_PATIENCE, TransientError, in_time, pause
from agents.llm.timeouts import done_within
from agents.llm.tokens import estimate
from mud.clock import Clock
from mud.errors import Unavailable
from mud.registry import Registry

__all__ = ["AGES_AFTER", "ROOM", "JobTotals", "ModelQueue", "Superseded", "Task", "Urgency"]

log = logging.getLogger(__name__)

ROOM = 64
"""Jobs that may wait at once, over all hosts."""


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
        self._lanes = Hosts(profiles, backends, clock)
        self._clock = clock
        self._waiting = JobQueue(room)
        self._tally = JobStatistics()
        self._chance = chance or Random(0)
        self._tasks: set[asyncio.Task[None]] = set()
        """Calls under way."""
        self._errands: set[asyncio.Task[None]] = set()
        """Rests between two tries, and questions whether a host is back."""
        self._open: set[ModelJob] = set()
        """Jobs that have not ended, those that are under way among them."""
        self._openings = ReplyPrefixes()
        self._number = 0
        self._closed = False
        self.ratios = TokenRatios()
        """How many tokens each model makes of a text, learned from what its server tells with its replies."""
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
            urgency: how soon it is wanted.
            owner: on whose behalf; who has a thought waiting already gives it up for this one.
            enough: ends a reply early, see `LanguageModel.complete`.
            task: what for, one of `Task`; by its urgency when None.

        Raises:
            Unavailable: every host is down, the queue is full or closed, the budget is used up, a newer thought took
                this one's place, or the model gave nothing of use in time.
        """
        self._number += 1
        answer: asyncio.Future[Completion] = asyncio.get_running_loop().create_future()
        now, what = self._clock.monotonic(), task or usual_task(urgency)
        count = partial(self._tally.add, profile_name)
        job = ModelJob(build, profile_name, urgency, owner, what, self._number, now, answer, count, enough)
        count(JobTotals(asked=1))
        self._open.add(job)
        try:
            self._refuse_when_closed()
            self.budget.admit(owner)
            self._lanes.open_to(self._lanes.profile(profile_name))
            self._waiting.let_in(job)
        except Unavailable as error:
            job.fail(error)
        self._pump()
        try:
            return await answer
        except asyncio.CancelledError:
            if answer.cancelled():  # else it had ended, and whoever asked was cancelled before they heard of it
                count(JobTotals(cancelled=1))
            raise
        finally:
            self._forget(job)

    def hasten(self, owner: str) -> None:
        """Make the thoughts of an agent as urgent as a person is: one waits for them now.

        A call under way goes on as it is; should it have to be tried again, that is urgent, too.

        Args:
            owner: on whose behalf they were asked for.
        """
        for job in self._open:
            if job.owner == owner and job.task == Task.THINKING:
                job.urgency = Urgency.PERSON

    def prepare(self, profile_name: str) -> None:
        """Load what asking a profile's model takes, while nobody waits: the first call would stop everybody for it."""
        for way in self._ways(profile_name):
            with suppress(Unavailable):  # an address that is none is told of when it is asked
                self._lanes.model(way.profile)

    def tell_met(self, met: Callable[[str, str], None]) -> None:
        """Have something told of every host that answers, and what it says that its model is called."""
        self._lanes.met = met

    def hold_to(self, names: Iterable[str]) -> None:
        """Take over that the LLM profiles were read anew, and let go of models that none of them names.

        Args:
            names: of all LLM profiles that there are.
        """
        self._lanes.hold_to(names)

    async def alive(self, profile_name: str) -> bool:
        """Say whether a host of a profile answers; one that is down is not asked before its pause is over."""
        if self._closed:
            return False
        try:
            return await self._lanes.probe_all(self._lanes.profile(profile_name))
        except Unavailable:
            return False

    def reach(self, profile_name: str) -> tuple[LanguageModel, LLMProfile]:
        """Return the model of a profile and the profile, for what is no job, such as counting tokens.

        Raises:
            Unavailable: there is no such profile, or all its hosts are down.
        """
        self._refuse_when_closed()
        way = self._lanes.open_to(self._lanes.profile(profile_name))[0]
        return self._lanes.model(way.profile), way.profile

    # ---- telling ----

    def health(self) -> list[HostHealth]:
        """Return what is known of every host that was asked for."""
        return [lane.health for lane in self._lanes]

    def silent(self, names: Iterable[str]) -> list[str]:
        """Return how the hosts of these profiles that do not answer are doing, as sentences for people.

        Hosts that no profile names any more are nobody's business.
        """
        hosts = {way.lane.host: way.lane.health for name in names for way in self._ways(name)}
        return [one.words(self._clock) for one in hosts.values() if one.state is HostState.DOWN]

    def overview(self, names: Iterable[str]) -> list[ProfileView]:
        """Return how these profiles and their hosts are doing.

        Args:
            names: of LLM profiles.
        """
        views = []
        for name in names:
            hosts = tuple(HostView(way.lane.health, way.profile.model, way.lane.running) for way in self._ways(name))
            waiting = sum(job.profile.lower() == name.lower() for job in self._waiting)
            views.append(ProfileView(name, hosts, waiting, self._tally.of(name)))
        return views

    @property
    def totals(self) -> JobTotals:
        """How the jobs ended."""
        return self._tally.all()

    @property
    def waiting(self) -> int:
        """How many jobs wait for their turn."""
        return len(self._waiting)

    @property
    def running(self) -> int:
        """How many calls are under way."""
        return sum(lane.running for lane in self._lanes)

    async def close(self, grace: float) -> None:
        """Take no more jobs, end those that wait, give the calls under way a while and cancel the rest.

        Args:
            grace: seconds that calls under way are given.
        """
        self._closed = True
        for errand in self._errands:
            errand.cancel()
        for job in self._waiting:
            self._waiting.drop(job)
            job.cancel()
        if self._tasks and grace > 0:
            await done_within(grace, asyncio.gather(*self._tasks, return_exceptions=True), self._clock)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, *self._errands, return_exceptions=True)
        await self._lanes.close()

    # ---- waiting ----

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
                way = self._way(job, kept)
            except Unavailable as error:
                self._waiting.drop(job)
                job.fail(job.error or error)
                continue
            if way is not None:
                self._waiting.drop(job)
                self._start(job, way)

    def _way(self, job: ModelJob, kept: set[str]) -> Route | None:
        """Return the host for a job; None when all that it may go to are busy, and are kept for it from now on."""
        profile = self._lanes.profile(job.profile)
        for one in self._lanes.back(profile):
            one.lane.probed = True  # before the question is on its way, so that it is asked once
            self._send(self._ask_back(one))
        ways = self._lanes.open_to(profile, job.tried)
        way = self._lanes.least_busy((one for one in ways if one.lane.host not in kept), job.owner)
        if way is None:
            kept.update(one.lane.host for one in ways)
        return way

    def _start(self, job: ModelJob, way: Route) -> None:
        lane, now = way.lane, self._clock.monotonic()
        lane.running, lane.calls, lane.owner = lane.running + 1, lane.calls + 1, job.owner
        if job.began is None:
            job.began, job.until = now, now + way.profile.timeout
        job.again = job.error = None
        job.call = asyncio.create_task(self._run(job, way), name=f"model call for {job.owner}")
        self._tasks.add(job.call)
        job.call.add_done_callback(partial(self._ended, lane, job))

    # ---- running ----

    async def _run(self, job: ModelJob, way: Route) -> None:
        """Build one prompt, ask the model, and settle the job or say when it is to be tried again."""
        try:
            prompt = job.build()
            hold_to_window(prompt, way.profile, self.ratios.of(self._lanes.profile(job.profile).identity))
        except Exception as error:  # a failing build is the asker's own error and reaches nobody else
            job.fail(error)
            return
        try:
            completion = await self._openings.reply(partial(self._heard, job, way, prompt), way.profile, job.enough)
        except (Refused, BudgetExhausted) as error:
            job.fail(error)
        except Unavailable as error:
            job.error = error
            job.again = self._again(job, way, error)
            if job.again is None:
                job.fail(error)
        else:
            log.debug("%s: %s answered in %.1f s", job.owner, way.lane.host, completion.seconds)
            job.settle(replace(completion, host=way.lane.host))

    async def _heard(
        self, job: ModelJob, way: Route, prompt: str, profile: LLMProfile, enough: Enough | None
    ) -> Completion:
        """Ask once, within what is left of the job's time and of the budget, and pay for it."""
        with self.budget.stake(job.owner, job.task, estimate(prompt), profile.max_tokens) as stake:
            seconds = max(0.0, job.until - self._clock.monotonic())
            completion = await self._lanes.heard(way.lane, seconds, self._complete(prompt, profile, enough))
            stake.spend(completion)
        self._lanes.met(way.lane.host, completion.model)
        self._learn(job, prompt, completion)
        return completion

    def _learn(self, job: ModelJob, prompt: str, completion: Completion) -> None:
        """Learn from a reply how many tokens its model makes of a text."""
        profile = self._lanes.profile(job.profile)
        if completion.prompt_tokens is not None and self._lanes.backend(profile).tells_whole:
            self.ratios.learn(profile.identity, prompt, completion.prompt_tokens)

    async def _complete(self, prompt: str, profile: LLMProfile, enough: Enough | None) -> Completion:
        return await self._lanes.model(profile).complete(prompt, profile, enough)

    def _again(self, job: ModelJob, way: Route, error: Unavailable) -> float | None:
        """Return after how many seconds a job that failed is to be tried again; None for not at all.

        Another host gets it at once, with a timeout of its own; where a person waits, one timeout must do for all.
        What may pass is tried again on any host, within the first half of the timeout.
        """
        now, person = self._clock.monotonic(), job.urgency is Urgency.PERSON
        assert job.began is not None
        job.tried.add(way.lane.host)
        if self._closed:
            return None
        timeout, spent = way.profile.timeout, now - job.began
        if self._others(job) and (not person or in_time(spent, timeout)):
            job.until = job.until if person else now + timeout
            return 0.0
        if not isinstance(error, TransientError) or job.tries >= way.profile.retries:
            return None
        rest = pause(job.tries, error, self._chance)
        patience = PERSON_PATIENCE if person else timeout
        if not in_time(spent + rest, timeout, patience) or not self._rests(job, rest):
            return None
        job.tries += 1
        job.tried.clear()
        job.until = max(job.until, job.began + timeout)
        return rest

    def _others(self, job: ModelJob) -> bool:
        """Whether a host is left that has not failed a job yet and may be asked."""
        ways = self._ways(job.profile)
        return any(way.lane.may_be_asked(self._clock) for way in ways if way.lane.host not in job.tried)

    def _rests(self, job: ModelJob, seconds: float) -> bool:
        """Whether a host of a job may be asked again after so many seconds."""
        return any(way.lane.health.wait(self._clock) <= seconds for way in self._ways(job.profile))

    async def _rest(self, job: ModelJob, seconds: float) -> None:
        """Have a job's turn asked for again when its rest is over."""
        await self._clock.sleep(seconds)
        job.not_before = 0.0
        self._pump()

    async def _ask_back(self, way: Route) -> None:
        """Ask a host that was down whether it is back, so that no job must be the one that tries it."""
        await self._lanes.probe(way)
        self._pump()

    def _send(self, errand: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(errand)
        self._errands.add(task)
        task.add_done_callback(self._errands.discard)
        return task

    # ---- ending ----

    def _forget(self, job: ModelJob) -> None:
        """End whatever is left of a job whose asker has gone."""
        self._open.discard(job)
        if job.call is not None and not job.call.done():
            job.call.cancel()
        self._waiting.drop(job)

    def _ended(self, lane: Host, job: ModelJob, task: asyncio.Task[None]) -> None:
        """Free a call's place; runs however the call ended, also when it was cancelled before it began."""
        self._tasks.discard(task)
        lane.running -= 1
        if not self._closed:
            self._lanes.let_go()
        if self._closed or job.again is None or job.answer.done():
            job.cancel()
        else:
            job.not_before = self._clock.monotonic() + job.again if job.again else 0.0
            self._waiting.put_back(job)
            if job.again and not job.answer.done():
                job.call = self._send(self._rest(job, job.again))
        self._pump()

    def _ways(self, name: str) -> list[Route]:
        """Return the hosts of a profile; none when there is no such profile or backend."""
        try:
            return self._lanes.of(self._lanes.profile(name))
        except Unavailable:
            return []

    def _refuse_when_closed(self) -> None:
        if self._closed:
            raise Unavailable("the world is closing; no model is asked any more")
