"""Habits and reflexes, as they stand in the file of an agent: what they say, and what is wrong with one.

A habit is `mornings: tends the straw hives in The Bee Yard`, a reflex `when somebody leaves the gate open: closes it |
bees`; what stands behind the mark is its private reason.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from mud.registry import hint

TIMES = {
    "mornings": (5, 11),
    "noons": (11, 14),
    "afternoons": (12, 18),
    "evenings": (18, 22),
    "nights": (22, 29),
    "days": (6, 20),
    "always": (0, 24),
}
"""When a habit is kept, by the word that says so: from which hour to which."""
WHEN = "when "


class Habit(NamedTuple):
    """Something done as a habit or a reflex.

    Args:
        when: one of `TIMES`, or what must happen, such as `it rains`.
        does: what is done, in the third person: `tends the straw hives in The Bee Yard`.
        reason: the private reason; empty for none.
        reflex: it is done at once when something happens.
        place: the location where it is done, from a link; empty for none.
        line: the line of its file.
    """

    when: str
    does: str
    reason: str = ""
    reflex: bool = False
    place: str = ""
    line: int = 0

    @property
    def timed(self) -> bool:
        """Whether the time of day decides."""
        return self.when in TIMES

    def done_in(self, place: str) -> str:
        """Return what is done, without saying that it is done where one is."""
        does = self.does
        for article in ("in", "at", "by", "on", "to"):
            does = does.replace(f" {article} {place}", "")
        return does

    def is_time(self, hour: float | None) -> bool:
        """Return whether an hour of the day, 0 to 24, is one of its time; None counts as any."""
        first, last = TIMES.get(self.when, (0, 0))
        return hour is None or first <= hour < last or first <= hour + 24 < last


def read_habits(items: Iterable[tuple[str, int]], *, reflex: bool) -> tuple[tuple[Habit, ...], list[tuple[int, str]]]:
    """Read the items of a list of habits, each with the number of its line; return them, and what is wrong by line."""
    found, wrong = [], []
    for text, line in items:
        when, mark, rest = text.partition(":")
        does, _, reason = rest.partition("|")
        when, does = " ".join(when.split()).casefold(), " ".join(does.split()).rstrip(".")
        event = when.removeprefix(WHEN) if when.startswith(WHEN) else ""
        if not mark or not does:
            wrong.append((line, f"{text!r} has no colon with a deed behind it; expected such as 'mornings: sweeps'"))
        elif not event and (reflex or when not in TIMES):
            times = "" if reflex else f"{', '.join(TIMES)} or "
            wrong.append((line, f"{when!r} is no time of it; expected {times}when and what happens{hint(when, TIMES)}"))
        else:
            place = does.partition("[[")[2].partition("]]")[0]
            plain = does.replace("[[", "").replace("]]", "")
            found.append(Habit(event or when, plain, " ".join(reason.split()), reflex, place, line))
    return tuple(found), wrong
