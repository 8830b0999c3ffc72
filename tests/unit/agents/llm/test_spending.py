"""What was spent adds up exactly, hour by hour and day by day, and its file costs nothing when it is broken."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.llm.spending import (
    FILE,
    Amount,
    BudgetSettings,
    ModelBudget,
    Row,
    Spending,
    keep_spending,
    read_spending,
    write_spending,
)
from mud.clock import VirtualClock
from tests.unit.agents.llm.stage import HandClock, settle

amounts = st.builds(Amount, st.integers(0, 9), st.integers(0, 9999), st.integers(0, 999))
events = st.lists(
    st.tuples(
        st.sampled_from(("Eliza", "Moss", "Ж")),
        st.sampled_from(("thinking", "summaries", "dreams")),
        amounts,
        st.sampled_from((0.0, 60.0, 1800.0, 7200.0, 90_000.0)),
    ),
    max_size=40,
)


def spent(program: list[tuple[str, str, Amount, float]], restart: bool) -> tuple[Spending, VirtualClock]:
    """Spend all that, going on from a file after each when told so."""
    clock = VirtualClock()
    one = Spending(clock.now)
    for owner, task, amount, seconds in program:
        one.add(owner, task, amount)
        clock.advance(seconds)
        if restart:
            text, one = one.dump(), Spending(clock.now)
            assert one.load(text)
    return one, clock


def summed(all_of: Iterable[Amount]) -> Amount:
    return sum(all_of, Amount())


@given(events, st.booleans())
def test_sums_add_up_exactly_whatever_is_spent_when_and_through_restarts(
    program: list[tuple[str, str, Amount, float]], restart: bool
) -> None:
    one, clock = spent(program, restart)
    at, now = VirtualClock().now(), clock.now()
    hour, day = [], []
    for _, _, amount, seconds in program:
        if (at.date(), at.hour) == (now.date(), now.hour):
            hour.append(amount)
        if at.date() == now.date():
            day.append(amount)
        at += timedelta(seconds=seconds)
    whole = one.sum()
    assert (whole.hour, whole.day) == (summed(hour), summed(day))
    assert whole.total == summed(amount for _, _, amount, _ in program)
    assert sum(one.rows(), Row("", "")) == whole
    for owner in ("Eliza", "Moss", "Ж"):
        assert one.sum(owner).total == summed(amount for who, _, amount, _ in program if who == owner)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(st.sampled_from(("hour", "day", "spent", "owner", "task", "total")), inner)
        ),
        max_leaves=20,
    )
)
def test_a_file_that_says_anything_costs_nothing(junk: object) -> None:
    one = Spending(VirtualClock().now)
    one.load(json.dumps(junk))
    one.add("Eliza", "thinking", Amount(1, 2, 3))
    assert one.sum("Eliza").hour.calls >= 1
    assert Spending(VirtualClock().now).load(one.dump())


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '{"spent": 3}', "null"])
def test_a_file_that_cannot_be_read_counts_as_nothing_spent(text: str) -> None:
    one = Spending(VirtualClock().now)
    assert not one.load(text)
    assert one.rows() == []


def test_a_record_that_was_edited_into_nonsense_is_left_out_and_the_others_stay() -> None:
    clock = VirtualClock()
    one = Spending(clock.now)
    one.add("Eliza", "thinking", Amount(1, 20, 3))
    one.add("Moss", "thinking", Amount(1, 20, 3))
    found = json.loads(one.dump())
    for wrong in ([1, 2], [1, 2, -3], [1, 2, "3"], [1, True, 3], [1, 2, 10**16], None):
        found["spent"][0]["hour"] = wrong
        other = Spending(clock.now)
        assert not other.load(json.dumps(found))
        assert [row.owner for row in other.rows()] == ["Moss"]


def budget() -> ModelBudget:
    return ModelBudget(BudgetSettings, VirtualClock())


def test_it_is_written_when_something_was_spent_and_read_at_the_next_start(tmp_path: Path) -> None:
    first, second = budget(), budget()
    write_spending(tmp_path, first)
    assert not (tmp_path / FILE).exists()
    first.spending.add("Eliza", "thinking", Amount(1, 20, 3))
    write_spending(tmp_path, first)
    read_spending(tmp_path, second)
    assert second.spending.sum("Eliza").hour == Amount(1, 20, 3)


def test_a_broken_file_and_a_folder_in_its_place_are_told_and_change_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "log").mkdir()
    (tmp_path / FILE).write_bytes(b"\xff{{")
    one = budget()
    read_spending(tmp_path, one)
    assert "cannot be read" in caplog.text
    (tmp_path / FILE).unlink()
    (tmp_path / FILE).mkdir()
    read_spending(tmp_path, one)
    one.spending.add("Eliza", "thinking", Amount(1, 20, 3))
    write_spending(tmp_path, one)
    assert "cannot be written" in caplog.text
    assert one.spending.sum().hour.calls == 1


async def test_a_running_world_writes_it_within_a_second(tmp_path: Path) -> None:
    clock = HandClock()
    one = ModelBudget(BudgetSettings, clock)
    keeping = asyncio.create_task(keep_spending(tmp_path, one, clock))
    await settle()
    one.spending.add("Eliza", "thinking", Amount(1, 20, 3))
    clock.advance(1)
    while one.spending.changed or not (tmp_path / FILE).exists():
        await settle()
    keeping.cancel()
    await asyncio.gather(keeping, return_exceptions=True)
    assert json.loads((tmp_path / FILE).read_text("utf-8"))["spent"][0]["hour"] == [1, 20, 3]
