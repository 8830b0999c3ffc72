"""Jobs for language models: what they are, how they are ordered while they wait, and how they ended. Starts nothing.

A job ends exactly once. One agent never has two thoughts waiting: a newer one takes the older one's place, and who
asked for the older is told so (`Superseded`) instead of getting the same reply, for acting on one reply twice would be
saying everything twice. Other tasks are about different memories each and never take each other's place.
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
"""Seconds of waiting after which a job counts as one step more urgent, up to a thought: so that summaries come about
where thoughts alone could keep a slow model busy for ever. A waiting person still goes first."""


class Urgency(IntEnum):
    """How urgent a job is; the lowest number goes first, and among equals the one that came first."""

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
"""What is mostly asked for so urgently; else it is thinking."""


class Cancelled(Unavailable):
    """The job was ended by closing the queue."""


class Superseded(Cancelled):
    """A newer thought of the same agent took this one's place."""


@dataclass(slots=True)
class JobTotals:
    """How jobs ended; those that were asked for and have not ended are still open.

    Args:
        seconds: how long the answered ones' calls took together.
    """

    answered: int = 0
    failed: int = 0
    cancelled: int = 0
    asked: int = 0
    seconds: float = 0.0

    @classmethod
    def sum(cls, totals: Iterable[JobTotals]) -> JobTotals:
        """Return these added up."""
        rows = list(totals)
        return cls(*(sum(getattr(row, one.name) for row in rows) for one in fields(cls)))

    @property
    def mean(self) -> float | None:
        """How many seconds an answer took on average; None while there is none."""
        return self.seconds / self.answered if self.answered else None


class ProfileView(NamedTuple):
    """One LLM profile, as `@llm-status` shows it; it has no hosts when its backend does not exist."""

    name: str
    hosts: list[Route]
    waiting: int
    totals: JobTotals

    @property
    def servers(self) -> str:
        """Its hosts' addresses in words; empty when it has none."""
        return " or ".join(one.host.name for one in self.hosts)


@dataclass(eq=False, slots=True)
class ModelJob:
    """One thing that is asked of a model.

    Args:
        number, since: its place in the order of arrival, and the monotonic second of it.
        answer: settled when it ends.
        totals: where its end is counted, at once.
        tried: hosts that have failed it since its last pause.
        tries: calls that were made after a pause.
        began: monotonic second of its first call; None before.
        until: monotonic second at which the call under way is given up.
        not_before: monotonic second at which its pause ends.
        retry_in: after how many seconds it is to be tried again; None when it is not.
        error: what went wrong at its last call.
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
        """End it with an error, unless it has ended already: a cancelled asker needs no answer."""
        if self.answer.done():
            return
        self.answer.set_exception(error)
        if isinstance(error, Cancelled):
            self.totals.cancelled += 1
        else:
            self.totals.failed += 1

    def cancel(self) -> None:
        """End it, since nobody will answer any more."""
        self.fail(Cancelled("the world closed before the model answered"))

    def settle(self, completion: Completion) -> None:
        """End it with an answer, unless it has ended already."""
        if not self.answer.done():
            self.answer.set_result(completion)
            self.totals.answered += 1
            self.totals.seconds += completion.seconds

    def turn(self, now: float) -> tuple[int, int]:
        """Return its place among those that wait, with its age counted in."""
        aged = self.urgency - int((now - self.since) / AGES_AFTER)
        return (max(aged, min(self.urgency, Urgency.THINK)), self.number)

    def superseded(self) -> None:
        """End it, since a newer thought of its owner is asked for instead."""
        self.fail(Superseded(f"a newer thought of {self.owner} took the place of this one"))

    def take_place_of(self, other: ModelJob) -> None:
        """Take another's place in the order of arrival, and its urgency if that is higher."""
        self.number, self.since = other.number, other.since
        self.urgency = min(self.urgency, other.urgency)


class JobQueue:
    """The jobs that wait for their turn, those that pause between two tries among them.

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

    def add(self, job: ModelJob) -> None:
        """Add a new job: in the place of an older thought of its owner, else where there is room.

        When it is full, the least urgent is refused, be it the new one.

        Raises:
            Unavailable: there is no room for it.
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
        """Add a job that is to be tried again in its old place, unless a newer thought of its owner waits by now."""
        if newer := self._same_thought(job):
            newer.take_place_of(job)
            job.superseded()
        else:
            self._jobs.append(job)

    def drop(self, job: ModelJob) -> None:
        """Take a job out, if it is there."""
        if job in self._jobs:
            self._jobs.remove(job)

    def in_order(self, now: float) -> list[ModelJob]:
        """Return those whose turn may come now, the next first."""
        return sorted((one for one in self._jobs if one.not_before <= now), key=lambda one: one.turn(now))

    def _same_thought(self, job: ModelJob) -> ModelJob | None:
        """Return the thought of the same owner that waits, for a job that is a thought."""
        if job.task != Task.THINKING:
            return None
        thoughts = (one for one in self._jobs if one.owner == job.owner and one.task == Task.THINKING)
        return next((one for one in thoughts if not one.answer.done()), None)
