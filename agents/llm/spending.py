"""The budget: how many calls and tokens agents and the world may spend on models, and what was spent.

Before a call its maximum cost is reserved, so that parallel calls do not exceed a limit together. A limit that leaves
no room counts as used up until its hour or day (UTC) is over or it is raised. Failed calls cost nothing here.
"""

from __future__ import annotations

import asyncio
import functools
import json
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

from agents.llm.backend import Completion
from agents.llm.tokens import estimate
from mud.clock import Clock, VirtualClock, iso
from mud.errors import Problem, Unavailable, VaultProblem
from mud.storage.files import read_if_there, write_atomic
from mud.storage.paths import make_folder
from mud.storage.settings import setting

log = logging.getLogger(__name__)

_setting = functools.partial(setting, low=0, high=1_000_000_000)


@dataclass(frozen=True, slots=True)
class BudgetSettings:
    """Limits on what may be spent on models; 0 is no limit."""

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


# ---- what was spent ----


@dataclass(frozen=True, slots=True)
class Amount:
    calls: int = 0
    prompt: int = 0
    reply: int = 0

    @property
    def tokens(self) -> int:
        return self.prompt + self.reply

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.calls + other.calls, self.prompt + other.prompt, self.reply + other.reply)


@dataclass(frozen=True, slots=True)
class Row:
    owner: str
    task: str
    hour: Amount = Amount()
    day: Amount = Amount()
    total: Amount = Amount()

    def __add__(self, other: Row) -> Row:
        return Row(self.owner, self.task, self.hour + other.hour, self.day + other.day, self.total + other.total)


DAYS = 31
"""Days whose spending is kept apart, those without any not counted."""


class Spending:
    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._rows: dict[tuple[str, str], Row] = {}
        self._days: dict[str, dict[str, Amount]] = {}
        self._hour = self._day = ""
        self.changed = False

    def add(self, owner: str, task: str, amount: Amount) -> None:
        self._roll()
        self._add(Row(owner, task, amount, amount, amount))
        self._add_to_day(self._day, owner, amount)

    def _add_to_day(self, day: str, owner: str, amount: Amount) -> None:
        owners = self._days.setdefault(day, {})
        owners[owner] = owners.get(owner, Amount()) + amount
        for old in sorted(self._days)[:-DAYS]:
            del self._days[old]

    def days(self) -> list[tuple[str, dict[str, Amount]]]:
        """Return what was spent on each of the last `DAYS` days (UTC) with any spending, by owner, oldest first."""
        return sorted((day, dict(owners)) for day, owners in self._days.items())

    def _add(self, row: Row) -> None:
        key = (row.owner, row.task)
        self._rows[key] = self._rows.get(key, Row(*key)) + row
        self.changed = True

    def rename(self, old: str, new: str) -> None:
        for key in [key for key in self._rows if key[0] == old]:
            self._add(replace(self._rows.pop(key), owner=new))
        for day, owners in list(self._days.items()):
            if old in owners:
                self._add_to_day(day, new, owners.pop(old))

    def rows(self) -> list[Row]:
        self._roll()
        return [self._rows[key] for key in sorted(self._rows)]

    def sum(self, owner: str | None = None) -> Row:
        self._roll()
        return sum((row for row in self._rows.values() if owner in (None, row.owner)), Row(owner or "", ""))

    @property
    def hour(self) -> str:
        self._roll()
        return self._hour

    def _roll(self) -> None:
        hour = iso(self._now())[:13]
        if hour == self._hour:
            return
        same = hour[:10] == self._day
        for key, row in self._rows.items():
            self._rows[key] = Row(*key, Amount(), row.day if same else Amount(), row.total)
        self._hour, self._day = hour, hour[:10]

    def dump(self) -> str:
        rows = self.rows()
        self.changed = False
        spent = [dict(zip(Row.__slots__, astuple(row), strict=True)) for row in rows]
        days = {day: {owner: astuple(one) for owner, one in owners.items()} for day, owners in self.days()}
        told = {"hour": self._hour, "day": self._day, "spent": spent, "days": days}
        return json.dumps(told, ensure_ascii=False, indent=1) + "\n"

    def load(self, text: str) -> bool:
        """Read what `dump` returned, or as much as can be read, and return whether that was everything."""
        try:
            found = json.loads(text)
            records = found["spent"]
        except (ValueError, RecursionError, TypeError, KeyError):
            return False
        if not isinstance(records, list):
            return False
        rows = [row for record in records if (row := _row(record))]
        self._rows = {(row.owner, row.task): row for row in reversed(rows)}
        self._hour, self._day = str(found.get("hour", "")), str(found.get("day", ""))
        whole = self._load_days(found.get("days", {}))
        self._roll()
        return whole and len(self._rows) == len(records)

    def _load_days(self, days: Any) -> bool:
        """Take up what `dump` wrote of the days, as far as it can be read; return whether that was everything."""
        self._days, whole = {}, isinstance(days, dict)
        for day, owners in (days if whole else {}).items():
            for owner, amount in (owners if isinstance(owners, dict) else {"": owners}).items():
                row = _row({"owner": owner, "task": day, "hour": amount, "day": amount, "total": amount})
                if row is not None:
                    self._add_to_day(day, owner, row.day)
                whole = whole and row is not None
        return whole


def _row(record: Any) -> Row | None:
    most = 10**15  # a larger number was not counted by this program
    try:
        owner, task, amounts = record["owner"], record["task"], [record[name] for name in ("hour", "day", "total")]
        numbers = [number for calls, prompt, reply in amounts for number in (calls, prompt, reply)]
    except (TypeError, KeyError, ValueError):
        return None
    named = isinstance(owner, str) and isinstance(task, str)
    sound = named and all(type(one) is int and 0 <= one <= most for one in numbers)
    return Row(owner, task, *(Amount(*one) for one in amounts)) if sound else None


# ---- what may be spent ----


class Scope(StrEnum):
    AGENT_HOUR = "agent_hour"
    WORLD_HOUR = "world_hour"
    WORLD_DAY = "world_day"


class BudgetExhausted(Unavailable):
    """A limit of the budget leaves no room for a call."""


class Limit(NamedTuple):
    """One limit and its current use; `owner` is empty for the world, `unit` is `tokens` or `calls`.

    `need` is the cost of one call when that alone exceeds the limit; else 0.
    """

    scope: Scope
    owner: str
    unit: str
    most: int
    used: int
    need: int = 0

    @property
    def key(self) -> tuple[Scope, str, str]:
        return self[:3]

    @property
    def sentence(self) -> str:
        long = "today" if self.scope is Scope.WORLD_DAY else "this hour"
        if self.need:
            whose = f"{self.owner}'s" if self.owner else "the agents'"
            return f"one call takes about {self.need:,} {self.unit}, and {whose} limit for {long} is {self.most:,}"
        whose = f"{self.owner} has" if self.owner else "the agents have"
        return f"{whose} used up the budget for {long}: {self.used:,} of {self.most:,} {self.unit}"


class Notice(NamedTuple):
    limit: Limit
    over: bool


class _UsedUp(NamedTuple):
    limit: Limit
    period: str
    need: int


@dataclass(eq=False, slots=True)
class Reservation:
    """The maximum cost of one call under way. See `ModelBudget.reserve`."""

    owner: str
    task: str
    most: Amount
    spending: Spending

    def spend(self, completion: Completion) -> None:
        prompt, reply = completion.prompt_tokens, completion.completion_tokens
        prompt = self.most.prompt if prompt is None else max(0, prompt)
        reply = estimate(completion.text) if reply is None else max(0, reply)
        self.spending.add(self.owner, self.task, Amount(1, prompt, reply))


class ModelBudget:
    """The limits and what was spent; `own` returns the limits of an agent, by its name, if agents have their own."""

    def __init__(
        self,
        settings: Callable[[], BudgetSettings],
        clock: Clock,
        own: Callable[[str], BudgetSettings] | None = None,
    ) -> None:
        self._settings, self._own = settings, own or (lambda owner: settings())
        self.spending = Spending(clock.now)
        self.tell: Callable[[Notice], None] = lambda notice: None
        """Called once when a limit is used up, and once when it is free again."""
        self._reserved: set[Reservation] = set()
        self._used_up: dict[tuple[Scope, str, str], _UsedUp] = {}
        self._too_small: dict[tuple[Scope, str, str], int] = {}
        """Limits, at their value then, that the owner knows to be too small for a call."""

    def used_up(self, owner: str) -> Limit | None:
        """Return the limit that keeps an agent from asking models, or None."""
        return next((limit for limit in self.all_used_up() if limit.owner in ("", owner)), None)

    def all_used_up(self) -> list[Limit]:
        self.review()
        return [one.limit for one in self._used_up.values()]

    def admit(self, owner: str) -> None:
        """Raise `BudgetExhausted` when the budget of an agent or of the world is used up."""
        if limit := self.used_up(owner):
            raise BudgetExhausted(limit.sentence)

    @contextmanager
    def reserve(self, owner: str, task: str, prompt: int, reply: int, calls: int = 1) -> Iterator[Reservation]:
        """Set aside what a call may cost while it is under way, or raise BudgetExhausted.

        An empty `owner` is held by the world's limits only.
        """
        self.admit(owner)
        most = Amount(calls, prompt, reply)
        for limit, reserved in self._limits(owner):
            need = getattr(most, limit.unit)
            if limit.used + need > limit.most:
                raise BudgetExhausted(self._mark(limit, need).sentence)
            if limit.used + reserved + need > limit.most:  # calls under way may take less, so the limit is not used up
                raise BudgetExhausted(f"calls under way leave no room in the budget: {limit.most:,} {limit.unit}")
        reservation = Reservation(owner, task, most, self.spending)
        self._reserved.add(reservation)
        try:
            yield reservation
        finally:
            self._reserved.discard(reservation)

    def rename(self, old: str, new: str) -> None:
        self.spending.rename(old, new)
        for reservation in self._reserved:
            if reservation.owner == old:
                reservation.owner = new
        for key in [key for key in self._used_up if key[1] == old]:
            known = self._used_up.pop(key)
            limit = known.limit._replace(owner=new)
            self._used_up[limit.key] = known._replace(limit=limit)
        for key in [key for key in self._too_small if key[1] == old]:
            self._too_small[key[0], new, key[2]] = self._too_small.pop(key)

    def review(self) -> None:
        """Report every limit that is free again; one too small for a call stays so, and nobody is told."""
        for key, known in list(self._used_up.items()):
            now = next((one for one, _ in self._limits(known.limit.owner) if one.key == key), None)
            if now is None or self._period(now.scope) != known.period or now.used + known.need <= now.most:
                del self._used_up[key]
                if now is None or not known.limit.need or known.need <= now.most:
                    self._too_small.pop(key, None)
                    self.tell(Notice(now or known.limit, over=False))

    def _mark(self, limit: Limit, need: int) -> Limit:
        limit = limit._replace(need=need if need > limit.most else 0)
        self._used_up[limit.key] = _UsedUp(limit, self._period(limit.scope), need)
        if not limit.need or self._too_small.get(limit.key) != limit.most:
            self.tell(Notice(limit, over=True))
        if limit.need:
            self._too_small[limit.key] = limit.most
        return limit

    def _period(self, scope: Scope) -> str:
        return self.spending.hour[: 10 if scope is Scope.WORLD_DAY else None]

    def _limits(self, owner: str) -> Iterator[tuple[Limit, int]]:
        world, own = self._settings(), self._own(owner) if owner else BudgetSettings()
        limits = (
            (Scope.AGENT_HOUR, owner, "tokens", own.agent_tokens_per_hour),
            (Scope.AGENT_HOUR, owner, "calls", own.agent_calls_per_hour),
            (Scope.WORLD_HOUR, "", "tokens", world.world_tokens_per_hour),
            (Scope.WORLD_HOUR, "", "calls", world.world_calls_per_hour),
            (Scope.WORLD_DAY, "", "tokens", world.world_tokens_per_day),
            (Scope.WORLD_DAY, "", "calls", world.world_calls_per_day),
        )
        spent = functools.cache(self.spending.sum)
        for scope, whose, unit, most in limits:
            if most:
                row = spent(whose or None)
                used = getattr(row.day if scope is Scope.WORLD_DAY else row.hour, unit)
                reserved = sum(getattr(one.most, unit) for one in self._reserved if whose in ("", one.owner))
                yield Limit(scope, whose, unit, most, used), reserved


# ---- the file ----

FILE = "log/spending.json"
SAVE_EVERY = 1.0
"""Seconds between two saves; a kill loses at most so much."""


def read_spending(vault: Path, budget: ModelBudget) -> None:
    """Take up what was spent before, as far as it can be read; `wrong_spending` says what cannot."""
    _load(vault, budget.spending)


def wrong_spending(vault: Path) -> list[Problem]:
    return _load(vault, Spending(VirtualClock().now))


def _load(vault: Path, spending: Spending) -> list[Problem]:
    try:
        text = read_if_there(vault / FILE, file=FILE)
    except VaultProblem as wrong:
        return list(wrong.problems)
    except OSError as error:
        return [Problem(FILE, 0, "", f"it cannot be read: {error.strerror or error}")]
    if text is None or spending.load(text):
        return []
    return [Problem(FILE, 0, "", "it cannot be read in full; what it does not say counts as not spent")]


def write_spending(vault: Path, budget: ModelBudget) -> None:
    if budget.spending.changed:
        _write(vault, budget.spending.dump())


async def keep_spending(vault: Path, budget: ModelBudget, clock: Clock) -> None:
    while True:
        await clock.sleep(SAVE_EVERY)
        budget.review()
        if budget.spending.changed:
            await asyncio.to_thread(_write, vault, budget.spending.dump())


def _write(vault: Path, text: str) -> None:
    try:
        make_folder((vault / FILE).parent)
        write_atomic(vault / FILE, text)
    except OSError as error:  # such as a full disk; it is written with the next spending
        log.warning("what was spent on models cannot be written: %s", error)
