from __future__ import annotations

from agents.llm.hosts import HostHealth, HostState
from mud.clock import VirtualClock


def test_failures_that_may_pass_make_it_shaky_and_three_in_a_row_take_it_down() -> None:
    clock = VirtualClock()
    first = HostHealth("a").failed("a is too busy", clock, transient=True)
    assert first.words(clock) == "a: shaky since 2026-01-01T00:00:00.000Z: a is too busy. It is still asked."
    second = first.failed("a is too busy", clock, transient=True)
    assert (second.state, second.wait(clock)) == (HostState.SHAKY, 0)
    third = second.failed("a is too busy", clock, transient=True)
    assert (third.state, third.wait(clock)) == (HostState.DOWN, 5)
    assert third.failed("a is too busy", clock, transient=True).wait(clock) == 10


def test_an_answer_in_between_makes_it_steady_again() -> None:
    clock = VirtualClock()
    health = HostHealth("a")
    for _ in range(9):
        health = health.failed("busy", clock, transient=True).failed("busy", clock, transient=True).answered(clock)
    assert health.state is HostState.UP


def test_its_state_is_told_in_a_few_words_with_times_of_day() -> None:
    clock = VirtualClock()
    health = HostHealth("a")
    assert health.state_words(clock) == "never asked"
    clock.advance(61)
    assert health.answered(clock).state_words(clock) == "answers since 00:01:01"
    assert health.failed("busy", clock, transient=True).state_words(clock) == "shaky since 00:01:01"
    down = health.failed("gone", clock)
    assert down.state_words(clock) == "down since 00:01:01 until 00:01:06"
    clock.advance(5)
    assert down.state_words(clock) == "down since 00:01:01 until the next thought"
    clock.advance(86_400)
    assert down.state_words(clock) == "down since 2026-01-01 00:01:01 until the next thought"


def test_calls_side_by_side_that_fail_together_count_once() -> None:
    clock = VirtualClock()
    clock.advance(60)
    down = HostHealth("a").failed("silence", clock, began=0.0)
    clock.advance(0.1)
    again = down.failed("silence again", clock, began=1.0)
    assert (again.failures, again.retry_at, again.last_error) == (1, 65.0, "silence again")
    clock.advance(5)
    assert again.failed("silence", clock, began=65.0).wait(clock) == 10
    shaky = HostHealth("a").failed("busy", clock, transient=True, began=60.0)
    clock.advance(0.1)
    for _ in range(9):
        shaky = shaky.failed("busy", clock, transient=True, began=61.0)
    assert shaky.state is HostState.SHAKY
    assert shaky.failed("gone", clock, began=61.0).state is HostState.DOWN
