"""Who is paused, by one name or all at once, and who is led by the owner."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agents.population import PauseState, Possession

NAMES = ("eliza", "moss", "corvin")


@given(st.lists(st.tuples(st.sampled_from([*NAMES, ""]), st.booleans()), max_size=12))
def test_whatever_was_said_last_of_one_or_of_all_holds(said: list[tuple[str, bool]]) -> None:
    resting = PauseState()
    wanted = dict.fromkeys(NAMES, False)
    for name, paused in said:
        if name:
            resting.pause(name, paused=paused)
            wanted[name] = paused
        else:
            resting.pause_all(paused=paused)
            wanted = dict.fromkeys(NAMES, paused)
    assert {name: resting.paused(name) for name in NAMES} == wanted
    assert {name: resting.rests(name) for name in NAMES} == wanted


def test_the_possessed_one_rests_and_is_led_by_nobody_but_its_owner() -> None:
    resting = PauseState()
    resting.possession = led = Possession("eliza", "#2001", "Eliza", "#9")
    assert (resting.rests("eliza"), resting.paused("eliza"), resting.rests("moss")) == (True, False, False)
    assert (resting.leads("#9"), resting.leads("#8")) == (led, None)
