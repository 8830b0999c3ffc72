from __future__ import annotations

from agents.life.scheduler import PendingCalls


def test_a_turn_is_about_all_that_there_was_before_it() -> None:
    summons = PendingCalls()
    assert not summons.begin("eliza")
    summons.call("eliza", 7, person=True)
    summons.call("eliza", 5, person=False)
    assert summons.person_waits("eliza")
    assert summons.begin("eliza")
    assert not summons.begin("eliza")
    assert summons.end("eliza") is None


def test_what_a_thought_knew_calls_for_no_other_once_it_came_to_something() -> None:
    summons = PendingCalls()
    summons.call("eliza", 5, person=True)
    summons.see("eliza")
    assert summons.person_waits("eliza")
    summons.call("eliza", 9, person=False)
    assert summons.answer("eliza")
    assert not summons.person_waits("eliza")
    assert summons.end("eliza") == 9, "what came later was not known"
    assert not summons.begin("eliza")


def test_what_a_thought_knew_still_calls_when_it_came_to_nothing() -> None:
    summons = PendingCalls()
    summons.call("eliza", 5, person=True)
    summons.see("eliza")
    summons.call("eliza", 9, person=False)
    summons.see("eliza")
    assert summons.end("eliza") == 5
    assert summons.begin("eliza")


def test_whom_nobody_turned_to_was_not_waited_for() -> None:
    summons = PendingCalls()
    summons.see("eliza")
    assert not summons.answer("eliza")
    summons.call("moss", 5, person=True)
    summons.drop("moss")
    assert not summons.person_waits("moss")
