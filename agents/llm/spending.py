"""What was spent on models: by whom, on what, this hour, today and in all. It limits nothing; see `budget`.

Hours and days are those of UTC. The file is the program's own; one that is broken or was edited costs nothing but what
cannot be read in it. Where a server counts no tokens they are estimated.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from mud.clock import iso

MOST = 10**15
"""A number that is larger was not counted by this program."""

Key = tuple[str, str]
"""Who, and on what."""


@dataclass(frozen=True, slots=True)
class Amount:
    """Something spent.

    Args:
        calls: calls that were answered.
        prompt: tokens of their prompts.
        reply: tokens of their replies.
    """

    calls: int = 0
    prompt: int = 0
    reply: int = 0

    @property
    def tokens(self) -> int:
        """Tokens of prompts and replies together."""
        return self.prompt + self.reply

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.calls + other.calls, self.prompt + other.prompt, self.reply + other.reply)


@dataclass(frozen=True, slots=True)
class Row:
    """What one spent on one thing.

    Args:
        owner: who.
        task: on what.
        hour, day, total: this hour, today and in all.
    """

    owner: str
    task: str
    hour: Amount = Amount()
    day: Amount = Amount()
    total: Amount = Amount()

    def __add__(self, other: Row) -> Row:
        return Row(self.owner, self.task, self.hour + other.hour, self.day + other.day, self.total + other.total)


class Spending:
    """All that was spent.

    Args:
        now: returns the time.
    """

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._rows: dict[Key, Row] = {}
        self._hour = self._day = ""
        self.changed = False
        """Something was spent since `dump` was last called."""

    def add(self, owner: str, task: str, amount: Amount) -> None:
        """Count something spent just now."""
        self._roll()
        before = self._rows.get((owner, task), Row(owner, task))
        self._rows[owner, task] = before + Row(owner, task, amount, amount, amount)
        self.changed = True

    def rename(self, old: str, new: str) -> None:
        """Count what one spent as another's: somebody was given another name."""
        for owner, task in [key for key in self._rows if key[0] == old]:
            row = self._rows.pop((owner, task))
            self._rows[new, task] = self._rows.get((new, task), Row(new, task)) + row
            self.changed = True

    def rows(self) -> list[Row]:
        """Return what everybody spent on everything, by name."""
        self._roll()
        return [self._rows[key] for key in sorted(self._rows)]

    def sum(self, owner: str | None = None) -> Row:
        """Return what one spent, or all together when None."""
        self._roll()
        return sum((row for row in self._rows.values() if owner in (None, row.owner)), Row(owner or "", ""))

    @property
    def hour(self) -> str:
        """The hour that is counted now, such as `2026-11-20T07`."""
        self._roll()
        return self._hour

    @property
    def day(self) -> str:
        """The day that is counted now."""
        self._roll()
        return self._day

    def _roll(self) -> None:
        """Begin to count anew when an hour or a day is over."""
        hour = iso(self._now())[:13]
        day = hour[:10]
        if hour == self._hour:
            return
        same = day == self._day
        none = Amount()
        self._rows = {
            key: Row(row.owner, row.task, none, row.day if same else none, row.total) for key, row in self._rows.items()
        }
        self._hour, self._day = hour, day

    def dump(self) -> str:
        """Return it as text for a file."""
        self._roll()
        self.changed = False
        spent = [
            {"owner": row.owner, "task": row.task}
            | {name: [one.calls, one.prompt, one.reply] for name, one in _amounts(row).items()}
            for row in self.rows()
        ]
        return json.dumps({"hour": self._hour, "day": self._day, "spent": spent}, ensure_ascii=False, indent=1) + "\n"

    def load(self, text: str) -> bool:
        """Take over what stands in a file, as far as it can be read.

        Args:
            text: what `dump` returned, or anything else.

        Returns:
            Whether all of it could be read.
        """
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            return False
        records = found.get("spent") if isinstance(found, dict) else None
        if not isinstance(records, list):
            return False
        rows = [_row(one) for one in records]
        self._rows = {}
        for row in rows:
            if row is not None:
                self._rows.setdefault((row.owner, row.task), row)
        self._hour, self._day = str(found.get("hour", "")), str(found.get("day", ""))
        self._roll()
        return None not in rows and len(self._rows) == len(rows)


def _amounts(row: Row) -> dict[str, Amount]:
    return {"hour": row.hour, "day": row.day, "total": row.total}


def _row(record: Any) -> Row | None:
    """Return what a record of the file says; None when it cannot be read."""
    if not isinstance(record, dict):
        return None
    owner, task = record.get("owner"), record.get("task")
    amounts = [_amount(record.get(name)) for name in ("hour", "day", "total")]
    if not isinstance(owner, str) or not isinstance(task, str) or None in amounts:
        return None
    hour, day, total = (one or Amount() for one in amounts)
    return Row(owner, task, hour, day, total)


def _amount(numbers: Any) -> Amount | None:
    sound = isinstance(numbers, list) and len(numbers) == 3
    if not sound or not all(type(one) is int and 0 <= one <= MOST for one in numbers):
        return None
    return Amount(*numbers)
