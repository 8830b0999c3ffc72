"""What waits for a model: jobs, their order, the room they have, and how they ended.

A job ends exactly once. One agent never has two thoughts waiting: a newer one takes the older one's place, and who
asked for the older is told so (`Superseded`) instead of getting the same reply, for acting on one reply twice would be
saying everything twice. Other tasks are about different memories each and never take each other's place. It starts
nothing.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum

from agents.llm.backend import Completion, Enough
from mud.errors import Unavailable

AGES_AFTER = 15.0
"""Seconds of waiting after which a job counts as one step more urgent, up to a thought: so that summaries come about
where thoughts alone could keep a slow model busy for ever. A waiting person still goes first."""


class Urgency(IntEnum):
    """How urgent a job is; the lowest number goes first, and among equals the one that came first. Waiting makes it
    more urgent, see `AGES_AFTER`."""

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


def usual_task(urgency: Urgency) -> Task:
    """Return what is mostly asked for so urgently."""
    if urgency is Urgency.EMBED:
        return Task.EMBEDDINGS
    return Task.SUMMARIES if urgency is Urgency.SUMMARIZE else Task.THINKING


class Cancelled(Unavailable):
    """The job was ended by closing the queue."""


class Superseded(Cancelled):
    """A newer thought of the same agent took this one's place."""


@dataclass(frozen=True, slots=True)
class JobTotals:
    """How jobs ended.

    Args:
        answered, failed, cancelled: how many ended so; whoever was refused at the door has failed.
        asked: how many there were at all; the others are still open.
        seconds: how long the answered ones' calls took together.
    """

    answered: int = 0
    failed: int = 0
    cancelled: int = 0
    asked: int = 0
    seconds: float = 0.0

    def __add__(self, other: JobTotals) -> JobTotals:
        return JobTotals(
            self.answered + other.answered,
            self.failed + other.failed,
            self.cancelled + other.cancelled,
            self.asked + other.asked,
            self.seconds + other.seconds,
        )

    @property
    def mean(self) -> float | None:
        """How many seconds an answer took on average; None while there is none."""
        return self.seconds / self.answered if self.answered else None


@dataclass(eq=False, slots=True)
class ModelJob:
    """One thing that is asked of a model.

    Args:
        build: makes the prompt.
        profile: name of the LLM profile.
        urgency: how soon it is wanted.
        owner: on whose behalf.
        task: what for.
        number: its place in the order of arrival.
        since: monotonic second of its arrival.
        answer: settled when it ends.
        count: counts how it ended, at once.
        enough: ends a reply early.
        tried: hosts that have failed it since it last rested.
        tries: calls that were made after a rest.
        began: monotonic second of its first call; None before.
        until: monotonic second at which the call under way is given up.
        not_before: monotonic second before which it rests.
        again: after how many seconds it is to be tried again; None when it is not.
        error: what went wrong at its last call; None when nothing did.
        call: the call under way, or its rest.
    """

    build: Callable[[], str]
    profile: str
    urgency: Urgency
    owner: str
    task: str
    number: int
    since: float
    answer: asyncio.Future[Completion]
    count: Callable[[JobTotals], None]
    enough: Enough | None = None
    tried: set[str] = field(default_factory=set)
    tries: int = 0
    began: float | None = None
    until: float = 0.0
    not_before: float = 0.0
    again: float | None = None
    error: Exception | None = None
    call: asyncio.Task[None] | None = None

    def fail(self, error: Exception) -> None:
        """End it with an error, unless it has ended already: a cancelled asker needs no answer."""
        if not self.answer.done():
            self.answer.set_exception(error)
            self.count(JobTotals(cancelled=1) if isinstance(error, Cancelled) else JobTotals(failed=1))

    def cancel(self) -> None:
        """End it, since nobody will answer any more."""
        self.fail(Cancelled("the world closed before the model answered"))

    def settle(self, completion: Completion) -> None:
        """End it with an answer, unless it has ended already."""
        if not self.answer.done():
            self.answer.set_result(completion)
            self.count(JobTotals(answered=1, seconds=completion.seconds))

    def turn(self, now: float) -> tuple[int, int]:
        """Return its place among those that wait, with its age counted in."""
        aged = self.urgency - int((now - self.since) / AGES_AFTER)
        return (max(aged, min(self.urgency, Urgency.THINK)), self.number)


class JobQueue:
    """The jobs that wait for their turn, those that rest between two tries among them.

    Args:
        room: how many may wait at once.
    """

    def __init__(self, room: int) -> None:
        self._room = room
        self._jobs: list[ModelJob] = []

    def __len__(self) -> int:
        return len(self._jobs)

    def __iter__(self) -> Iterator[ModelJob]:
        return iter(tuple(self._jobs))

    def let_in(self, job: ModelJob) -> None:
        """Add a new job: in the place of an older thought of its owner, else where there is room.

        When it is full, the least urgent is refused, be it the new one.

        Raises:
            Unavailable: there is no room for it.
        """
        twin = next((one for one in self._jobs if _same_thought(one, job)), None)
        if twin is not None:
            job.number, job.since, job.urgency = twin.number, twin.since, min(twin.urgency, job.urgency)
            self.drop(twin)
            twin.fail(Superseded(f"a newer thought of {job.owner} took the place of this one"))
        elif len(self._jobs) >= self._room:
            full = Unavailable(f"{self._room} jobs wait for the models already")
            last = max(self._jobs, key=lambda one: (one.urgency, one.number), default=None)
            if last is None or last.urgency <= job.urgency:
                raise full
            self.drop(last)
            last.fail(full)
        self._jobs.append(job)

    def put_back(self, job: ModelJob) -> None:
        """Add a job that is to be tried again; it had its place already.

        A newer thought of its owner that waits meanwhile has taken it.
        """
        twin = next((one for one in self._jobs if _same_thought(one, job)), None)
        if twin is None:
            self._jobs.append(job)
            return
        twin.number, twin.since, twin.urgency = job.number, job.since, min(twin.urgency, job.urgency)
        job.fail(Superseded(f"a newer thought of {job.owner} took the place of this one"))

    def drop(self, job: ModelJob) -> None:
        """Take a job out, if it is there."""
        if job in self._jobs:
            self._jobs.remove(job)

    def in_order(self, now: float) -> list[ModelJob]:
        """Return those whose turn may come now, the next first."""
        return sorted((one for one in self._jobs if one.not_before <= now), key=lambda one: one.turn(now))


class JobStatistics:
    """Counts how the jobs of each LLM profile ended."""

    def __init__(self) -> None:
        self._by_profile: defaultdict[str, JobTotals] = defaultdict(JobTotals)

    def add(self, profile: str, totals: JobTotals) -> None:
        """Count what happened to a job of a profile."""
        self._by_profile[profile] += totals

    def of(self, profile: str) -> JobTotals:
        """Return how the jobs of a profile ended."""
        return self._by_profile.get(profile, JobTotals())

    def all(self) -> JobTotals:
        """Return how all jobs ended."""
        return sum(self._by_profile.values(), JobTotals())


def _same_thought(one: ModelJob, other: ModelJob) -> bool:
    return one.owner == other.owner and one.task == other.task == Task.THINKING and not one.answer.done()
