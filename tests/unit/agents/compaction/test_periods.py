"""Periods of a life: what becomes a week, a month, a year, in how many tokens; and the strategy that lives by them."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.compaction.periods import composed, dated, parts_of, periods_of, undated
from agents.compaction.settings import CompactionSettings
from agents.compaction.status import coverage, holes
from agents.compaction.strategies import DueFold, MemoryState
from agents.compaction.summarizer import SummarySource
from agents.compaction.summarizers.extractive import extract
from agents.compaction.view import StrategyContext
from agents.llm.backend import Completion
from agents.llm.tokens import estimate
from tests.lives import STRATEGIES, Life, reply
from tests.rebuilds import rebuilt

STRATEGY = STRATEGIES.get("hierarchical")
TOLD = 'Moss says, "On {} I saw lamp {}, and Tamsin owes me {} plums for it."'
SMALL = CompactionSettings(strategy="hierarchical", immediate_window=4, recent_window=8)


def source(*texts: str, each: int = 250, most: int = 2500) -> SummarySource:
    return SummarySource("Wren", "longterm", earlier=texts, max_tokens=most, period_tokens=each)


def written(told: SummarySource) -> str:
    """Return the summary of a source, its parts written by rules."""
    return composed(told, map(extract, parts_of(told)))


def names(text: str) -> list[str]:
    return [str(one._replace(text="")).strip(": ") for one in periods_of(text)]


def lines(*days: str) -> str:
    return "\n".join(f"{day}: I lit the lamp of day {at} with Tamsin." for at, day in enumerate(days))


@pytest.mark.parametrize(
    ("days", "found"),
    [
        (["2026-11-16", "2026-11-17"], ["2026-11-16", "2026-11-17"]),
        (["2026-11-16", "2026-11-16", "2026-11-17"], ["2026-11-16", "2026-11-17"]),
        (["2026-11-14", "2026-11-15", "2026-11-16"], ["2026-W46", "2026-11-16"]),
        (["2026-W43", "2026-W44", "2026-W45", "2026-11-16"], ["2026-10", "2026-W45", "2026-11-16"]),
        (["2025-11", "2025-12", "2026-W01", "2026-02-10"], ["2025", "2026-01", "2026-02-10"]),
        (["2026-12-31", "2027-01-01", "2027-01-05"], ["2026", "2027-01-05"]),  # Friday of the week of New Year's Eve
        (["2024-05", "2026-11-20"], ["2024", "2026-11-20"]),
        (["2026-11-14 to 2026-11-16", "2026-11-16"], ["2026-W46 to 2026-11-16"]),
        (["2026-11-14 to 2026-11-16", "2026-11-25"], ["2026-W46 to 2026-W47", "2026-11-25"]),
        (["until 2026-10", "2026-10", "2026-11-25"], ["until 2026-10", "2026-11-25"]),
    ],
)
def test_days_become_weeks_and_weeks_months_and_months_years(days: list[str], found: list[str]) -> None:
    assert names(written(source(lines(*days)))) == found


def test_only_what_becomes_one_or_is_too_long_is_written() -> None:
    told = source(lines("2026-11-14", "2026-11-15", "2026-11-16"), dated("I saw Moss.", ("2026-11-17", "2026-11-17")))
    (week,) = parts_of(told)
    assert week.earlier == ("I lit the lamp of day 0 with Tamsin.", "I lit the lamp of day 1 with Tamsin.")
    assert composed(told, ["I lit lamps."]).splitlines() == [
        "2026-W46: I lit lamps.",
        "2026-11-16: I lit the lamp of day 2 with Tamsin.",
        "2026-11-17: I saw Moss.",
    ]
    long = source(f"2026-11-16: {'I lit the lamp with Tamsin. ' * 99}", each=40)
    assert estimate(undated(written(long))) <= 40


def test_a_summary_that_another_strategy_or_a_person_wrote_is_the_beginning() -> None:
    text = written(source("I came here by boat.\nI never left.", dated("I saw Moss.", ("2026-11-17", "2026-11-17"))))
    assert text == "I came here by boat.\nI never left.\n2026-11-17: I saw Moss."
    assert names(text) == ["", "2026-11-17"]
    assert undated(text) == "I came here by boat.\nI never left.\nI saw Moss."
    assert names("2026-13: I counted.\n2026-W60: I ran.\n1999: I danced.\nAnd sang.") == ["", "1999"]


days = st.lists(st.integers(0, 4000), min_size=1, max_size=60).map(sorted)


@given(days, st.integers(40, 300), st.integers(80, 3000))
def test_however_long_a_life_its_periods_are_in_order_and_within_their_tokens(
    numbers: list[int], each: int, most: int
) -> None:
    text = ""
    for number in numbers:
        day = (date(2020, 1, 1) + timedelta(number)).isoformat()
        new = dated(f"I lit lamp {number} with Tamsin, who gave me {number + 7} plums.", (day, day))
        text = written(source(*filter(None, (text, new)), each=each, most=most))
        found = periods_of(text)
        assert "\n".join(map(str, found)) == text
        assert all(estimate(one.text) <= max(each, estimate(new)) for one in found)
        assert sum(estimate(str(one)) for one in found) <= max(most, estimate(new)) + len(found)
    ends = [one.last for one in periods_of(text)]
    assert len(set(ends)) == len(ends)
    assert [end[:4] for end in ends] == sorted(end[:4] for end in ends)
    years, months, weeks = (sum(len(one) == length for one in ends) for length in (4, 7, 8))
    assert months <= 11
    assert weeks <= 4
    assert len(ends) - years - months - weeks <= 7


def state(total: int, watermark: int = 0, day_ends: int = 0, asleep: bool = False) -> MemoryState:
    """Return a state in which the first unfolded day ends with a memory; 0 for never."""
    ends = day_ends or total
    return MemoryState(total, watermark, asleep=asleep, whole_days=lambda last, least: min(last, ends))


@pytest.mark.parametrize(
    ("standing", "fold"),
    [
        (state(128), None),
        (state(129), DueFold(1, 65)),
        (state(129, day_ends=30), DueFold(1, 30)),
        (state(100, day_ends=30), DueFold(1, 30)),
        (state(94, day_ends=30), None),  # nothing of the next day is out of the immediate window yet
        (state(95, day_ends=30), DueFold(1, 30)),
        (state(79, asleep=True), None),
        (state(80, asleep=True), DueFold(1, 16)),
        (state(300, 236), None),
    ],
)
def test_a_fold_is_due_when_a_day_is_over_or_long_and_asleep_for_less(
    standing: MemoryState, fold: DueFold | None
) -> None:
    assert STRATEGY.due(standing, CompactionSettings()) == fold


def remember(life: Life, day: date, count: int) -> None:
    """Live a day: remember so many things, and fold what is due after each."""
    for number in range(count):
        at = f"{day.isoformat()}T{8 + number * 10 // count:02}:00:00.000Z"
        text = TOLD.format(f"{day:%A}", number, day.toordinal() % 97 + 2)
        life.memory.append_raw([{"text": text, "kind": "heard", "actor": "Moss", "at": at}])
        life.compactor.fold_due_now()


def lived(folder: Path, days: int, each: int, settings: CompactionSettings = SMALL) -> Life:
    life = Life(folder, settings=settings)
    for number in range(days):
        remember(life, date(2026, 1, 1) + timedelta(number), each)
    return life


def test_a_life_is_told_by_months_weeks_days_and_word_for_word(tmp_path: Path) -> None:
    life = lived(tmp_path, 76, 12)  # until Tuesday, 17 March
    assert names(life.longterm.text)[:2] == ["2026-01", "2026-02"]
    assert names(life.longterm.text)[2:] == ["2026-W10", "2026-W11", "2026-03-16"]
    assert life.recent.strategy == life.longterm.strategy == "hierarchical"
    assert life.memory.read(*life.recent.covers)[0].at.startswith("2026-03-17")
    assert holes(coverage(life.compactor.view.shown()), life.memory.total) == ([], [])
    assert {entry.at[:10] for commit in life.commits for entry in life.memory.read(commit.first, commit.first)} == {
        entry.at[:10] for entry in life.memory.read(1, life.memory.watermark)
    }, "no day is without a fold that begins with it"
    text = life.longterm.text
    life.start()
    assert life.longterm.text == text


def test_days_with_few_memories_are_folded_together_and_named_so(tmp_path: Path) -> None:
    life = lived(tmp_path, 9, 1)
    assert life.covered() == [(1, 2), (3, 4)]
    assert names(life.longterm.text) == ["2026-01-01 to 2026-01-02"]


def test_asleep_what_is_left_of_the_day_is_folded(tmp_path: Path) -> None:
    asleep = False
    life = Life(tmp_path, settings=SMALL, context=StrategyContext(asleep=lambda: asleep))
    remember(life, date(2026, 1, 1), 7)
    assert life.memory.watermark == 0
    asleep = True
    remember(life, date(2026, 1, 1), 1)
    assert life.memory.watermark == 4


def test_other_strategies_take_the_life_up_without_the_names_of_periods(tmp_path: Path) -> None:
    life = lived(tmp_path, 20, 12)
    assert "2026-W0" in life.longterm.text
    life.set(strategy="waterfall")
    remember(life, date(2026, 1, 21), 40)
    assert "2026-" not in life.longterm.text
    life.set(strategy="hierarchical")
    remember(life, date(2026, 1, 22), 40)
    assert periods_of(life.longterm.text)[0].last == ""


def test_summaries_made_anew_are_periods_too(tmp_path: Path) -> None:
    life = lived(tmp_path, 20, 12)
    before = names(life.longterm.text)
    rebuilt(life)
    assert names(life.longterm.text) == before
    assert holes(coverage(life.compactor.view.shown()), life.memory.total) == ([], [])


async def test_a_model_is_asked_for_the_periods_that_change_and_rules_write_what_it_makes_up(tmp_path: Path) -> None:
    life = lived(tmp_path, 11, 12)  # until Sunday, 11 January
    life.set(auto_enabled=False)
    remember(life, date(2026, 1, 12), 30)
    life.set(auto_enabled=True)
    asked: list[str] = []

    async def model(prompt: str, profile: str) -> Completion:
        asked.append(prompt)
        return reply("I was with Zebulon, who gave me 7000 coins.")

    life.model = model
    life.start()
    commits = await life.compactor.fold_due()
    assert len(commits) > 2
    assert names(life.longterm.text)[-2:] == ["2026-W02", "2026-01-12"]
    assert any("On Monday I saw lamp" in prompt for prompt in asked)
    assert "Zebulon" not in life.longterm.text + life.recent.text
    assert life.recent.tokens["prompt"] > 0
