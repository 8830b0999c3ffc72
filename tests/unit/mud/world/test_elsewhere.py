"""Places of other worlds, as exits name them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mud.world.changes import Arrive, Change, Depart, Put, Settle, change_from_json, change_to_json
from mud.world.elsewhere import Elsewhere, Journey, elsewhere, leads_out
from mud.world.live_state import live_changes
from tests.worlds import ANN, GARDEN, LOBBY, check_places, small_world

TO = "loci://127.0.0.1:8001/The Bridge"


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        (TO, Elsewhere("127.0.0.1:8001", "The Bridge")),
        ("loci://East.Example.org/The Bridge", Elsewhere("east.example.org", "The Bridge")),
        ("loci://east.example.org/B", Elsewhere("east.example.org", "B")),
    ],
)
def test_a_place_of_another_world_is_read(text: str, meant: Elsewhere) -> None:
    assert elsewhere(text) == meant
    assert elsewhere(str(meant)) == meant


@pytest.mark.parametrize(
    "text", ["loci://", "loci://east", "loci://east/", "loci:///B", "loci://a@b/B", "loci://a/b/c", "loci://a b/c"]
)
def test_what_names_no_place_of_another_world_is_none(text: str) -> None:
    assert leads_out(text)
    assert elsewhere(text) is None


@given(st.text())
def test_any_text_is_read_without_an_error(text: str) -> None:
    found = elsewhere(f"loci://{text}")
    assert found is None or elsewhere(str(found)) == found


def test_who_departed_is_nowhere_and_nothing_but_an_arrival_lets_it_be_put_anywhere() -> None:
    world = small_world()
    world.apply([Depart(ANN, TO, "t1"), Put(ANN, LOBBY)])
    assert world.location_of(ANN) is None
    assert world.elsewhere[ANN] == Journey(TO, "t1")
    assert world.away[ANN] == GARDEN
    world.apply([Settle(ANN)])
    assert world.elsewhere[ANN].settled
    world.apply([Arrive(ANN, "t2"), Put(ANN, LOBBY)])
    assert (world.holder(ANN), dict(world.elsewhere), world.live.arrivals[ANN]) == (LOBBY, {}, "t2")
    check_places(world)


@pytest.mark.parametrize("home", [False, True])
@pytest.mark.parametrize("settled", [False, True])
def test_journeys_are_in_the_saved_state(settled: bool, home: bool) -> None:
    world, again = small_world(), small_world()
    changes: list[Change] = [Arrive(ANN, "t0"), Depart(ANN, TO, "t1", home), *([Settle(ANN)] if settled else [])]
    world.apply([change_from_json(change_to_json(one)) for one in changes])
    again.apply(live_changes(world.live.as_json(world.things)))
    assert dict(again.elsewhere) == {ANN: Journey(TO, "t1", settled, home)}
    assert again.live.arrivals == {ANN: "t0"}


def test_a_state_that_was_saved_before_journeys_home_were_known_is_read() -> None:
    world = small_world()
    world.apply(live_changes({"journeys": {ANN: [TO, "t1", True]}}))
    assert dict(world.elsewhere) == {ANN: Journey(TO, "t1", settled=True)}
