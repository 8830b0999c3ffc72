from __future__ import annotations

from agents.llm.health import Health, State
from mud.clock import VirtualClock


def test_a_host_is_unknown_until_it_was_asked() -> None:
    assert Health("http://a").words(VirtualClock()) == "http://a: not asked yet."


def test_the_moment_it_went_down_stays_through_further_failures() -> None:
    clock = VirtualClock()
    first = Health("a").failed("no", clock)
    clock.advance(100)
    second = first.failed("still no", clock)
    assert (second.since, second.last_error, second.failures) == (first.since, "still no", 2)


def test_one_that_is_down_is_left_alone_for_a_while_and_then_asked_again() -> None:
    clock = VirtualClock()
    down = Health("a").failed("no", clock)
    assert down.wait(clock) == 5
    clock.advance(5)
    assert down.wait(clock) == 0
    assert "asked again at the next thought" in down.words(clock)


def test_one_that_answers_is_up_at_once_and_remembers_its_last_trouble() -> None:
    clock = VirtualClock()
    up = Health("a").failed("no", clock).answered(clock)
    assert (up.state, up.failures, up.wait(clock)) == (State.UP, 0, 0)
    assert up.words(clock) == "a: up since 2026-01-01T00:00:00.000Z. The last trouble was: no."


def test_many_failures_make_no_endless_pause() -> None:
    clock = VirtualClock()
    health = Health("a")
    for _ in range(5000):
        health = health.failed("no", clock)
    assert health.wait(clock) == 60
