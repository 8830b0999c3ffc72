"""Jobs for language models: their order while they wait, and how they end.

A job ends exactly once. A newer thought replaces a waiting one of the same agent, and the older asker gets `Superseded`
instead of the same reply, since acting on one reply twice would repeat everything.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields
from enum import IntEnum, StrEnum
from typing import NamedTuple

from agents.llm.backend import Completion, Enough
from agents.llm.hosts import Route
from mud.errors import Unavailable

AGES_AFTER = 15.0
"""Seconds of waiting that make a job one step more urgent, up to `THINK`, so that summaries are not starved."""


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


USUAL_TASK = {Urgency.EMBED: Task.EMBEDDINGS, Urgency.SUMMARIZE: Task.SUMMARIES}


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

    @classmethod
    def sum(cls, totals: Iterable[JobTotals]) -> JobTotals:
        rows = list(totals)
        return cls(*(sum(getattr(row, one.name) for row in rows) for one in fields(cls)))

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
    number: int
    since: float
    answer: asyncio.Future[Completion]
    totals: JobTotals
    enough: Enough | None = None
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

    def superseded(self) -> None:
        self.fail(Superseded(f"a newer thought of {self.owner} took the place of this one"))

    def take_place_of(self, other: ModelJob) -> None:
        self.number, self.since = other.number, other.since
        self.urgency = min(self.urgency, other.urgency)


class JobQueue:
    """The waiting jobs, those that pause between two tries included; at most `room` of them."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._jobs: list[ModelJob] = []

    def __len__(self) -> int:
        return len(self._jobs)

    def __iter__(self) -> Iterator[ModelJob]:
        return iter(tuple(self._jobs))

    def add(self, job: ModelJob) -> None:
        """Add a new job, replacing an older thought of its owner; when full, the least urgent is refused.

        Raises:
            Unavailable: there is no room for this job.
        """
        if older := self._same_thought(job):
            job.take_place_of(older)
            self.drop(older)
            older.superseded()
        elif len(self._jobs) >= self._room:
            full = Unavailable(f"{self._room} jobs wait for the models already")
            last = max(self._jobs, key=lambda one: (one.urgency, one.number), default=None)
            if last is None or last.urgency <= job.urgency:
                raise full
            self.drop(last)
            last.fail(full)
        self._jobs.append(job)

    def put_back(self, job: ModelJob) -> None:
        """Add a job that is to be tried again in its old place, unless a newer thought of its owner waits."""
        if newer := self._same_thought(job):
            newer.take_place_of(job)
            job.superseded()
        else:
            self._jobs.append(job)

    def drop(self, job: ModelJob) -> None:
        if job in self._jobs:
            self._jobs.remove(job)

    def in_order(self, now: float) -> list[ModelJob]:
        return sorted((one for one in self._jobs if one.not_before <= now), key=lambda one: one.turn(now))

    def _same_thought(self, job: ModelJob) -> ModelJob | None:
        if job.task != Task.THINKING:
            return None
        thoughts = (one for one in self._jobs if one.owner == job.owner and one.task == Task.THINKING)
        return next((one for one in thoughts if not one.answer.done()), None)
