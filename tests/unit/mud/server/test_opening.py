"""The world made again from files, state and ledger."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mud.server.opening import build_world, not_in, state_of
from mud.storage.world_files import SavedState
from mud.world.things import Kind, Thing
from mud.world.world import World
from tests.worlds import (
    ANN,
    BOOK,
    ELIZA,
    GARDEN,
    HERON,
    LAMP,
    LIBRARY,
    LOBBY,
    LOCATIONS,
    MOSS,
    PLACED,
    MemoryLedger,
    check_places,
    do,
    make_engine,
    snapshot,
)

FILES = [
    *((location, None) for location in LOCATIONS),
    *((thing, None if thing.id == ANN else place) for thing, place in PLACED),
]
"""What the files of the small world say: Ann is a person, so no file gives her a place."""


def arrived(ledger: MemoryLedger, world: World) -> World:
    """Let Ann enter and live a little; return the world."""
    engine = make_engine(world, ledger)
    engine.enter(world.things[ANN], GARDEN)
    do(engine, "take lamp")
    do(engine, "go library")
    do(engine, "drop lamp")
    do(engine, "take green book")
    do(engine, "go ladder", MOSS)
    return world


def test_a_new_vault_puts_everything_where_its_file_says_and_persons_nowhere() -> None:
    world = build_world(FILES, None, [])
    check_places(world)
    assert world.where[ELIZA] == GARDEN
    assert ANN in world.things
    assert ANN not in world.where
    assert world.new_id() == "#3002"


def test_the_ledger_alone_brings_the_world_back() -> None:
    ledger = MemoryLedger()
    lived = arrived(ledger, build_world(FILES, None, []))
    again = build_world(FILES, None, ledger.after(0))
    check_places(again)
    assert again.where[LAMP] == LIBRARY
    assert again.where[BOOK] == ANN
    assert dict(again.away) == {ANN: LIBRARY}, "a person whom nobody plays yet has left from where they were"
    assert again.next_id == lived.next_id


@given(saved=st.integers(0, 6), included=st.integers(0, 6))
@settings(deadline=None)  # the disk may be slow
def test_state_and_later_steps_bring_the_world_back_even_when_they_overlap(saved: int, included: int) -> None:
    ledger = MemoryLedger()
    arrived(ledger, build_world(FILES, None, []))
    records = list(ledger.after(0))
    whole = build_world(FILES, None, records)
    part = build_world(FILES, None, records[:saved])
    again = build_world(FILES, state_of(part, saved), records[min(saved, included) :])
    assert snapshot(again)[0] == snapshot(whole)[0]
    assert dict(again.where) == dict(whole.where)
    assert dict(again.away) == dict(whole.away)
    check_places(again)


@pytest.mark.parametrize("saved", range(6))
def test_channels_come_back_from_a_state_of_any_age_and_the_later_steps(saved: int) -> None:
    ledger = MemoryLedger()
    engine = make_engine(build_world(FILES, None, []), ledger)
    engine.enter(engine.world.things[ANN], GARDEN)
    for line in ("@channel-join town", "@channel town hello", "@channel-join town Eliza", "@channel town welcome"):
        do(engine, line)
    records = list(ledger.after(0))
    part = build_world(FILES, None, records[:saved])
    again = build_world(FILES, state_of(part, saved), records[saved:])
    assert list(again.channels) == list(engine.world.channels)
    assert [line.words for line in next(iter(again.channels)).lines] == ["hello", "welcome"]


def test_a_state_that_names_what_is_no_longer_there_is_no_error() -> None:
    gone = SavedState(
        step=9, next_id=4000, where={"#999": GARDEN, LAMP: "#998", ELIZA: LOBBY}, away={ANN: "#997", "#996": LOBBY}
    )
    world = build_world(FILES, gone, [])
    check_places(world)
    assert world.where[ELIZA] == LOBBY
    assert world.where[LAMP] == GARDEN, "what lost its place is back where its file puts it"
    assert not world.away
    assert world.new_id() == "#4000"


def test_a_state_edited_by_hand_to_have_somebody_here_and_away_puts_nobody_in_two_places() -> None:
    world = build_world(FILES, SavedState(1, 1, {ANN: GARDEN}, {ANN: LOBBY}), [])
    check_places(world)


def test_what_a_person_without_a_file_carried_is_back_where_its_file_puts_it() -> None:
    ledger = MemoryLedger()
    engine = make_engine(build_world(FILES, None, []), ledger)
    engine.enter(engine.world.things[ANN], GARDEN)
    do(engine, "take lamp")
    without = [(thing, place) for thing, place in FILES if thing.id != ANN]
    world = build_world(without, state_of(engine.world, engine.number), [])
    assert world.where[LAMP] == GARDEN


def test_whose_file_cannot_be_read_at_one_start_is_at_the_next_one_where_they_were() -> None:
    state = SavedState(1, 4000, {ANN: GARDEN, MOSS: LOBBY}, {}, (MOSS,))
    without = [(thing, place) for thing, place in FILES if thing.id != MOSS]
    world = build_world(without, state, [])
    saved = state_of(world, 2, kept=not_in(world, state))
    again = build_world(FILES, saved, [])
    assert again.where[MOSS] == LOBBY
    assert MOSS in again.asleep


def test_a_file_edited_meanwhile_is_newer_than_what_the_ledger_says() -> None:
    ledger = MemoryLedger()
    engine = make_engine(build_world(FILES, None, []), ledger)
    engine.enter(engine.world.things[ANN], GARDEN)
    edited = [(replace(thing, description="new") if thing.id == ANN else thing, place) for thing, place in FILES]
    assert build_world(edited, None, ledger.after(0)).things[ANN].description == "new"


def test_a_character_of_the_world_files_that_nobody_thinks_for_stays_where_it_is() -> None:
    assert build_world(FILES, None, []).where[HERON] == GARDEN


def test_somebody_who_only_stands_in_the_ledger_is_remembered_to_be_away() -> None:
    ledger = MemoryLedger()
    engine = make_engine(build_world(FILES, None, []), ledger)
    newcomer = Thing(engine.world.new_id(), Kind.CHARACTER, "Bo")
    engine.enter(newcomer, GARDEN)
    world = build_world(FILES, None, ledger.after(0))
    assert dict(world.away) == {newcomer.id: GARDEN}
    assert world.new_id() == "#3003", "an id is never given twice"


def test_ids_stay_used_up_when_what_had_them_is_gone() -> None:
    made = {"step": 1, "changes": [{"define": {"id": "#5000", "kind": "item", "name": "x"}}]}
    removed = {"step": 2, "changes": [{"remove": "#5000"}]}
    world = build_world(FILES, None, [made, removed])
    assert "#5000" not in world.things
    assert build_world(FILES, state_of(world, 2), []).new_id() == "#5001"
