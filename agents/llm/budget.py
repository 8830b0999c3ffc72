"""The budget: how many calls and tokens agents and the world may spend on models, and what was spent.

Before a call begins, what it may take at most is set aside, so that calls side by side do not go over a limit together.
When a call does not fit any more, the limit counts as used up until its hour or day is over, or somebody raises it: the
owner is told once, and once more when it is over. Calls that brought nothing cost nothing here; what the server did for
them nobody tells us.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from types import TracebackType
from typing import NamedTuple

from agents.llm.backend import Completion
from agents.llm.spending import Amount, Row, Spending
from agents.llm.tokens import estimate
from mud.clock import Clock
from mud.errors import Unavailable
from mud.storage.settings import setting

_setting = functools.partial(setting, low=0, high=1_000_000_000)


@dataclass(frozen=True, slots=True)
class BudgetSettings:
    """How much may be spent on models; 0 is no limit."""

    agent_tokens_per_hour: int = _setting(
        0, "Tokens that one agent may spend in an hour, prompts and replies; 0 for any."
    )
    agent_calls_per_hour: int = _setting(0, "Calls that one agent may make in an hour; 0 for any.")
    world_tokens_per_hour: int = _setting(
        0, "Tokens that all agents together may spend in an hour; 0 for any.", per_agent=False
    )
    world_calls_per_hour: int = _setting(
        0, "Calls that all agents together may make in an hour; 0 for any.", per_agent=False
    )
    world_tokens_per_day: int = _setting(
        0, "Tokens that all agents together may spend in a day; 0 for any.", per_agent=False
    )
    world_calls_per_day: int = _setting(
        0, "Calls that all agents together may make in a day; 0 for any.", per_agent=False
    )


class Scope(StrEnum):
    """Whose spending a limit is about, and for how long."""

    AGENT_HOUR = "agent_hour"
    WORLD_HOUR = "world_hour"
    WORLD_DAY = "world_day"


class BudgetExhausted(Unavailable):
    """A limit of the budget leaves no room for a call."""


class Limit(NamedTuple):
    """One limit, as it stands.

    Args:
        scope: what it is about.
        owner: the agent's name; empty for the world.
        unit: `tokens` or `calls`.
        most: what may be spent.
        used: what was spent.
        need: what one call would take, where that alone is more than the limit; else 0.
    """

    scope: Scope
    owner: str
    unit: str
    most: int
    used: int
    need: int = 0

    @property
    def sentence(self) -> str:
        """What is said of it when it is used up."""
        whose = f"{self.owner} has" if self.owner else "the agents have"
        long = "today" if self.scope is Scope.WORLD_DAY else "this hour"
        if self.need:
            whose = f"{self.owner}'s" if self.owner else "the agents'"
            return f"one call takes about {self.need:,} {self.unit}, and {whose} limit for {long} is {self.most:,}"
        return f"{whose} used up the budget for {long}: {self.used:,} of {self.most:,} {self.unit}"


class Notice(NamedTuple):
    """What the owner is told.

    Args:
        limit: the limit.
        over: it is used up; False when it is not any more.
    """

    limit: Limit
    over: bool


class _Mark(NamedTuple):
    """A limit that left no room for a call.

    Args:
        limit: as it stood.
        period: the hour or the day.
        need: what the call would have taken.
    """

    limit: Limit
    period: str
    need: int


_Key = tuple[Scope, str, str]
"""A limit's scope, owner and unit."""


class Reservation:
    """What one call may take at most, set aside until it has ended.

    Args:
        owner, task: who calls, and what for.
        most: the most it can be.
        stakes: where it stands while the call is under way.
        spending: counts what it really was.
    """

    def __init__(self, owner: str, task: str, most: Amount, stakes: set[Reservation], spending: Spending) -> None:
        self.owner, self.task, self.most = owner, task, most
        self._stakes, self._spending = stakes, spending

    def spend(self, completion: Completion) -> None:
        """Count what the call took: as the server says, else as estimated."""
        prompt, reply = completion.prompt_tokens, completion.completion_tokens
        took = Amount(
            1,
            self.most.prompt if prompt is None else max(0, prompt),
            estimate(completion.text) if reply is None else max(0, reply),
        )
        self._spending.add(self.owner, self.task, took)

    def __enter__(self) -> Reservation:
        self._stakes.add(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stakes.discard(self)


class ModelBudget:
    """What may be spent, and what was.

    Args:
        settings: the limits of the moment.
        clock: the time.
    """

    def __init__(self, settings: Callable[[], BudgetSettings], clock: Clock) -> None:
        self._settings = settings
        self.own: Callable[[str], BudgetSettings] = lambda owner: settings()
        """Returns the limits as they hold for one agent, by name."""
        self.spending = Spending(clock.now)
        self.tell: Callable[[Notice], None] = lambda notice: None
        """Is told when a limit is used up and when it is not any more, once each."""
        self._stakes: set[Reservation] = set()
        self._marks: dict[_Key, _Mark] = {}
        self._too_small: dict[_Key, int] = {}
        """Limits of which the owner was told that no call fits into them, as they stood then."""

    def used_up(self, owner: str) -> Limit | None:
        """Return the limit that keeps an agent from asking models; None when none does."""
        if not self._marks:
            return None
        self.review()
        return next((mark.limit for mark in self._marks.values() if mark.limit.owner in ("", owner)), None)

    def all_used_up(self) -> list[Limit]:
        """Return every limit that is used up now."""
        self.review()
        return [mark.limit for mark in self._marks.values()]

    def admit(self, owner: str) -> None:
        """Let an agent ask a model.

        Raises:
            Spent: its budget, or the world's, is used up.
        """
        limit = self.used_up(owner)
        if limit is not None:
            raise BudgetExhausted(limit.sentence)

    def stake(self, owner: str, task: str, prompt: int, reply: int, calls: int = 1) -> Reservation:
        """Set aside what a call may take, from when the stake is entered until it is left.

        Args:
            owner: who calls; empty for nobody in particular, whom only the world's limits hold.
            task: what for.
            prompt: tokens of its prompt, rather too many than too few.
            reply: tokens that its reply may have.
            calls: how many calls it is.

        Raises:
            Spent: there is not so much left.
        """
        self.admit(owner)
        most = Amount(calls, prompt, reply)
        for limit, held in self._limits(owner):
            need = most.tokens if limit.unit == "tokens" else most.calls
            if limit.used + need > limit.most:
                raise BudgetExhausted(self._mark(limit, need).sentence)
            if limit.used + held + need > limit.most:  # what is under way may turn out to take less
                raise BudgetExhausted(f"calls under way leave no room in the budget: {limit.most:,} {limit.unit}")
        return Reservation(owner, task, most, self._stakes, self.spending)

    def rename(self, old: str, new: str) -> None:
        """Have an agent that was given another name go on with the budget it had."""
        self.spending.rename(old, new)
        for stake in self._stakes:
            stake.owner = new if stake.owner == old else stake.owner
        for key in [key for key in self._marks if key[1] == old]:
            mark = self._marks.pop(key)
            limit = mark.limit._replace(owner=new)
            self._marks[_key(limit)] = mark._replace(limit=limit)
        for key in [key for key in self._too_small if key[1] == old]:
            self._too_small[key[0], new, key[2]] = self._too_small.pop(key)

    def review(self) -> None:
        """Tell of every limit that is not used up any more.

        One that was too small for a call is so in the next hour too; a smaller call may try then, and nobody is told.
        """
        for key, mark in list(self._marks.items()):
            now = next((one for one, _ in self._limits(mark.limit.owner) if _key(one) == key), None)
            if now is None or self._period(now.scope) != mark.period or now.used + mark.need <= now.most:
                del self._marks[key]
                if now is None or not mark.limit.need or mark.need <= now.most:
                    self._too_small.pop(key, None)
                    self.tell(Notice(now or mark.limit, over=False))

    def _mark(self, limit: Limit, need: int) -> Limit:
        """Note that a limit leaves no room for a call, tell of it, and return it as it is told of."""
        limit = limit._replace(need=need if need > limit.most else 0)
        key = _key(limit)
        self._marks[key] = _Mark(limit, self._period(limit.scope), need)
        if not limit.need or self._too_small.get(key) != limit.most:
            self.tell(Notice(limit, over=True))
        if limit.need:
            self._too_small[key] = limit.most
        return limit

    def _period(self, scope: Scope) -> str:
        return self.spending.day if scope is Scope.WORLD_DAY else self.spending.hour

    def _limits(self, owner: str) -> Iterator[tuple[Limit, int]]:
        """Yield every limit that holds for an agent, with what is set aside under it."""
        known = self._settings()
        mine = self.own(owner) if owner else known
        own, world = functools.cache(lambda: self.spending.sum(owner)), functools.cache(self.spending.sum)
        for scope, tokens, calls in (
            (Scope.AGENT_HOUR, mine.agent_tokens_per_hour, mine.agent_calls_per_hour),
            (Scope.WORLD_HOUR, known.world_tokens_per_hour, known.world_calls_per_hour),
            (Scope.WORLD_DAY, known.world_tokens_per_day, known.world_calls_per_day),
        ):
            if scope is Scope.AGENT_HOUR and not owner:
                continue
            whose = owner if scope is Scope.AGENT_HOUR else ""
            held = [one.most for one in self._stakes if whose in ("", one.owner)]
            for unit, most in (("tokens", tokens), ("calls", calls)):
                if most:
                    used = _used(own() if whose else world(), scope)
                    yield (
                        Limit(scope, whose, unit, most, getattr(used, unit)),
                        sum(getattr(one, unit) for one in held),
                    )


def _used(row: Row, scope: Scope) -> Amount:
    return row.day if scope is Scope.WORLD_DAY else row.hour


def _key(limit: Limit) -> _Key:
    return limit.scope, limit.owner, limit.unit
