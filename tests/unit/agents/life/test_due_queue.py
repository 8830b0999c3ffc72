"""Who thinks next, and when."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agents.life.scheduler import DueQueue


def test_those_who_are_due_come_earliest_first_and_only_once() -> None:
    scheduler = DueQueue()
    scheduler.set("b", 2)
    scheduler.set("a", 1)
    scheduler.set("c", 3)
    assert scheduler.next() == 1
    assert scheduler.take(2, 99) == ["a", "b"]
    assert scheduler.take(2, 99) == []
    assert scheduler.next() == 3
    assert scheduler.take(10, 99) == ["c"]
    assert scheduler.next() is None


def test_the_newest_time_counts() -> None:
    scheduler = DueQueue()
    scheduler.set("a", 1)
    scheduler.set("a", 5)
    assert scheduler.take(4, 99) == []
    scheduler.set("a", 2)
    assert scheduler.take(4, 99) == ["a"]
    assert scheduler.take(10, 99) == []


def test_hastening_never_delays() -> None:
    scheduler = DueQueue()
    scheduler.set("a", 5)
    scheduler.hasten("a", 9)
    assert scheduler.next() == 5
    scheduler.hasten("a", 2)
    assert scheduler.next() == 2


def test_who_was_dropped_or_is_at_it_already_is_not_hastened() -> None:
    scheduler = DueQueue()
    scheduler.set("a", 5)
    scheduler.drop("a")
    scheduler.drop("nobody")
    scheduler.hasten("a", 1)
    scheduler.hasten("nobody", 1)
    assert scheduler.next() is None
    assert scheduler.take(100, 99) == []


TIMES = st.integers(0, 50).map(float)
NAMES = st.sampled_from("abcde")
ACTS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["set", "hasten"]), NAMES, TIMES),
        st.tuples(st.just("drop"), NAMES, st.just(0.0)),
        st.tuples(st.just("take"), st.just(""), TIMES),
    ),
    max_size=60,
)


@given(ACTS)
def test_it_is_a_table_of_times_whatever_is_done(acts: list[tuple[str, str, float]]) -> None:
    scheduler, table = DueQueue(), dict[str, float]()
    for act, name, at in acts:
        if act == "set":
            scheduler.set(name, at)
            table[name] = at
        elif act == "hasten":
            scheduler.hasten(name, at)
            table.update({name: min(at, table[name])} if name in table else {})
        elif act == "drop":
            scheduler.drop(name)
            table.pop(name, None)
        else:
            due = sorted((time, one) for one, time in table.items() if time <= at)
            assert scheduler.take(at, 99) == [one for _, one in due]
            table = {one: time for one, time in table.items() if time > at}
        assert scheduler.next() == min(table.values(), default=None)


def test_setting_far_times_again_and_again_takes_no_memory() -> None:
    scheduler = DueQueue()
    for number in range(10_000):
        scheduler.set("a", 1_000_000.0 + number)
        scheduler.set("b", 1.0)
    assert len(scheduler._heap) < 200
    assert scheduler.take(2_000_000, 99) == ["b", "a"]
