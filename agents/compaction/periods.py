"""The periods of a life: days, weeks, months and years, each a line of a long-term summary (`hierarchical`). Pure.

A line is `2026-11-20: I was at ...`; names and weeks are those of ISO 8601. A week belongs to the month and the year of
its Thursday.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import NamedTuple

from agents.compaction.summarizer import SummarySource
from agents.llm.tokens import estimate

_NAME = r"\d{4}(?:-W\d\d|-\d\d(?:-\d\d)?)?"
_BEGINS = re.compile(rf"^(?:(?P<until>until )|(?P<first>{_NAME}) to )?(?P<last>{_NAME}): ", re.MULTILINE)
_YEAR, _MONTH, _WEEK, _DAY = 4, 7, 8, 10  # lengths of the names
_MIDDLE = {_YEAR: "-07-02", _MONTH: "-15", _WEEK: "-4", _DAY: ""}
"""What makes the name of a period the date of a day in the middle of it."""
_LONGEST_NAME = estimate("2026-11-19 to 2026-11-20: ")


class Period(NamedTuple):
    """A part of a life, by the names of what it begins and ends with; both are empty where that is unknown."""

    first: str
    last: str
    text: str

    def __str__(self) -> str:
        if not self.last:
            return self.text
        name = self.last if self.first == self.last else f"{self.first} to {self.last}"
        return f"{name if self.first else f'until {self.last}'}: {self.text}"


def periods_of(text: str) -> list[Period]:
    """Return the periods of a summary, oldest first; lines before the first name are one without a name."""
    found: list[Period] = []
    for line in filter(None, map(str.strip, text.split("\n"))):
        name = _BEGINS.match(line)
        if name is not None and all(map(_is_date, filter(None, (name["first"], name["last"])))):
            first = "" if name["until"] else name["first"] or name["last"]
            found.append(Period(first, name["last"], line[name.end() :]))
        elif found:
            found[-1] = found[-1]._replace(text=f"{found[-1].text}\n{line}")
        else:
            found.append(Period("", "", line))
    return found


def dated(text: str, days: tuple[str, str]) -> str:
    """Return a text as the period from the first to the last of two days."""
    return str(Period(*days, " ".join(text.split("\n")))) if all(days) else text


def undated(text: str) -> str:
    """Return a summary without the names of its periods."""
    return _BEGINS.sub("", text)


def parts_of(source: SummarySource) -> list[SummarySource]:
    """Return the sources of the periods that must be written: several that become one, or one that is too long."""
    return [
        replace(source, earlier=tuple(one.text for one in group), max_tokens=_most(source), period_tokens=0, sample=())
        for group in _groups(source)
        if _is_written(group, source)
    ]


def composed(source: SummarySource, written: Iterable[str]) -> str:
    """Return the long-term summary, with the texts of the parts of its source."""
    groups, texts = _groups(source), iter(written)
    today = _today(groups)
    return "\n".join(
        str(_joined(group, next(texts) if _is_written(group, source) else group[0].text, today)) for group in groups
    )


def _most(source: SummarySource) -> int:
    return min(source.period_tokens, source.max_tokens - _LONGEST_NAME)


def _is_written(group: Sequence[Period], source: SummarySource) -> bool:
    return len(group) > 1 or estimate(group[0].text) > _most(source)


def _groups(source: SummarySource) -> list[list[Period]]:
    """Return the periods of a source by what becomes one; the oldest too, until all fit into its tokens."""
    periods = [one for text in source.earlier for one in periods_of(text)]
    today = _today([periods])
    groups: list[list[Period]] = []
    for one in periods:
        if groups and _name(groups[-1][-1].last, today) == _name(one.last, today):
            groups[-1].append(one)
        else:
            groups.append([one])
    sizes = [_size(group, source) for group in groups]
    while len(groups) > 1 and sum(sizes) > source.max_tokens:
        groups[:2] = [groups[0] + groups[1]]
        sizes[:2] = [_size(groups[0], source)]
    return groups


def _size(group: Sequence[Period], source: SummarySource) -> int:
    """Return the tokens that a group takes at most, with its name."""
    return min(_most(source), sum(estimate(one.text) for one in group)) + _LONGEST_NAME


def _joined(group: Sequence[Period], text: str, today: date) -> Period:
    names = [name for one in group for name in (one.first, one.last) if name]
    first, last = (_name(name, today) for name in (names[0], names[-1])) if names else ("", "")
    return Period(first if group[0].first else "", last, text)


def _today(groups: Sequence[Sequence[Period]]) -> date:
    """Return the newest day."""
    return max((_day_of(one.last) for group in groups for one in group if one.last), default=date.min)


def _name(name: str, today: date) -> str:
    """Return the name of the period that one belongs to: a day of this week, a week of this month, a month, a year."""
    if not name:
        return ""
    thursday, now = _thursday_of(_day_of(name)), _thursday_of(today)
    if thursday == now:
        length = _DAY
    elif thursday.year != now.year:
        length = _YEAR
    else:
        length = _WEEK if thursday.month == now.month else _MONTH
    if len(name) <= length:
        return name
    return (
        f"{thursday.isoformat()[:_YEAR]}-W{thursday.isocalendar().week:02}"
        if length == _WEEK
        else thursday.isoformat()[:length]
    )


def _thursday_of(day: date) -> date:
    return day + timedelta(4 - day.isoweekday())


def _day_of(name: str) -> date:
    """Return a day in the middle of a period; ValueError if its name is no date."""
    return date.fromisoformat(name + _MIDDLE[len(name)])


def _is_date(name: str) -> bool:
    try:
        _day_of(name)
    except ValueError:
        return False
    return True
