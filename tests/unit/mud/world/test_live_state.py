"""What is true of things beyond their files: saved and brought back, over any number of changes."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mud.server.opening import build_world, state_of
from mud.storage.documents import parse_document, render_document
from mud.world.changes import (
    Alter,
    Change,
    Copy,
    Define,
    Put,
    Remove,
    SetState,
    StartTimer,
    StopTimer,
    Turn,
    Vanish,
    change_from_json,
    change_to_json,
)
from mud.world.live_state import live_changes, live_states
from mud.world.things import Kind
from tests.worlds import (
    BOOK,
    CELLAR,
    GARDEN,
    KEY,
    LAMP,
    LOBBY,
    LOCATIONS,
    LOFT,
    PLACED,
    SUNDIAL,
    check_places,
    ruled,
    small_world,
    snapshot,
)

COPIES = ("#5001", "#5002", "#5003")
ITEMS = st.sampled_from([LAMP, SUNDIAL, BOOK, KEY, *COPIES])
PLACES = st.sampled_from([GARDEN, LOBBY, LOFT, CELLAR])
TEXT = st.text(st.characters(exclude_categories=["C", "Z"]), max_size=12)
STATES = st.sampled_from(["lit", "open", "half full"])
WAITS = st.builds(StartTimer, st.sampled_from(["1.a", "2.b"]), st.floats(0, 1e10), ITEMS, TEXT, TEXT)
CHANGES = st.one_of(
    st.builds(Put, ITEMS, PLACES),
    st.builds(SetState, st.one_of(ITEMS, PLACES), STATES, st.booleans()),
    st.builds(Alter, ITEMS, st.just("description"), TEXT, st.sampled_from(["It smells of oil.", "", "Cold."])),
    st.builds(Alter, PLACES, st.sampled_from(["exits.north", "exits.down"]), PLACES, st.sampled_from(["", LOBBY])),
    st.builds(Copy, st.sampled_from(COPIES), ITEMS),
    st.builds(Vanish, ITEMS),
    st.builds(Remove, st.sampled_from(COPIES)),
    WAITS,
    st.builds(StopTimer, st.sampled_from(["1.a", "2.b"])),
    st.builds(Turn, st.sampled_from(["time", "weather"]), st.sampled_from(["night", "rain"])),
)


@given(st.one_of(CHANGES))
def test_any_change_by_rules_reads_back_from_its_ledger_form(change: Change) -> None:
    assert change_from_json(json.loads(json.dumps(change_to_json(change)))) == change


@given(st.lists(CHANGES, max_size=30))
def test_whatever_happened_a_saved_world_is_the_same_world_again(changes: list[Change]) -> None:
    world = small_world()
    lamp = ruled(LAMP, "when wind: it becomes lit", states=("open",))
    world.apply([Define(lamp), *changes])
    check_places(world)
    state = state_of(world, 7)
    front = parse_document(render_document({"live": dict(state.live)}, ""), "state.md").front
    assert front["live"] == state.live
    placed = [(lamp if one.id == LAMP else one, place) for one, place in PLACED]
    files = [*((one, None) for one in LOCATIONS), *placed]
    again = build_world(files, state, [], begins=False)
    assert dict(again.things) == dict(world.things)
    assert dict(again.where) == dict(world.where)
    assert again.next_id == world.next_id
    assert again.live.as_json(again.things) == world.live.as_json(world.things)
    assert {key: set(found) for key, found in again.live.listeners.items() if found} == {
        key: set(found) for key, found in world.live.listeners.items() if found
    }


@given(st.lists(CHANGES, max_size=12))
def test_a_step_applied_twice_is_harmless(changes: list[Change]) -> None:
    once = small_world()
    once.apply(changes)
    now, live = snapshot(once), once.live.as_json(once.things)
    for change in changes[-1:]:
        once.apply([change])
    assert (snapshot(once), once.live.as_json(once.things)) == (now, live)


def test_only_states_that_are_others_than_in_the_file_are_saved() -> None:
    world = small_world()
    world.apply([Define(ruled(LAMP, states=("lit",))), SetState(SUNDIAL, "warm"), SetState(SUNDIAL, "warm", on=False)])
    assert world.live.as_json(world.things)["states"] == {}
    world.apply([SetState(LAMP, "lit", on=False)])
    assert live_states(world.live.as_json(world.things)) == {LAMP: []}


def test_states_outlive_an_edit_of_the_file() -> None:
    world = small_world()
    world.apply([Define(ruled(LAMP, states=("lit",))), SetState(LAMP, "open")])
    world.apply([Define(replace(ruled(LAMP, states=("closed",)), description="New."))])
    assert list(world.live.of(LAMP)) == ["lit", "open"]


def test_the_copies_of_a_removed_thing_go_with_it() -> None:
    world = small_world()
    world.apply([Copy("#5001", LAMP), Copy("#5002", "#5001"), Put("#5002", GARDEN), Remove(LAMP)])
    assert {LAMP, "#5001", "#5002"}.isdisjoint(world.things)
    assert not world.live.made


def test_what_a_vanished_thing_held_stays_where_it_was() -> None:
    world = small_world()
    world.apply([Put(KEY, LAMP), Vanish(LAMP)])
    assert (world.where[KEY], LAMP in world.where) == (GARDEN, False)
    world.apply([Put(LAMP, LOBBY)])
    assert not world.live.gone
    assert world.things[LAMP].kind is Kind.ITEM


@pytest.mark.parametrize(
    "data",
    [{"made": {"#1": 2}}, {"made": 3}, {"altered": {"#1": {"description": ["a"]}}}, {"gone": [1]},
     {"timers": {"a": ["soon", "#1", "#2", "remove it"]}}, {"timers": {"a": [1.0]}}, {"now": {"time": 3}}],
)  # fmt: skip
def test_what_the_program_did_not_save_is_told(data: dict[str, object]) -> None:
    with pytest.raises((TypeError, ValueError)):
        live_changes(data)


def test_what_is_in_a_thing_that_is_nowhere_is_gone_with_it() -> None:
    world = small_world()
    world.apply([Vanish(LAMP), Put(KEY, LAMP), Vanish(LAMP)])
    assert list(world.live.gone) == [LAMP, KEY]
