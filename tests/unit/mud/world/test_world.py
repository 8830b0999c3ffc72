"""Things and where they are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mud.world.changes import Change, Define, FallAsleep, Leave, Put, Remove, WakeUp
from mud.world.matching import plain
from mud.world.roles import Role
from mud.world.things import Exit, Kind, Thing
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
    MOSS,
    SUNDIAL,
    check_places,
    small_world,
    snapshot,
)

IDS = ("#1", "#2", "#3", "#4", "#5")
"""Two locations, two characters and an item."""
KINDS = dict(zip(IDS, (*[Kind.LOCATION] * 2, *[Kind.CHARACTER] * 2, Kind.ITEM), strict=True))


def holders(thing: str) -> list[str]:
    return {Kind.CHARACTER: ["#1", "#2"], Kind.ITEM: ["#1", "#2", "#3", "#4"], Kind.LOCATION: []}[KINDS[thing]]


CHANGES: st.SearchStrategy[Change] = st.one_of(
    st.sampled_from(IDS).map(lambda id: Define(Thing(id, KINDS[id], f"thing {id}"))),
    st.sampled_from(IDS[2:]).flatmap(lambda id: st.sampled_from(holders(id)).map(lambda into: Put(id, into))),
    st.sampled_from(IDS[2:4]).map(Leave),
    st.sampled_from(IDS).map(FallAsleep),
    st.sampled_from(IDS).map(WakeUp),
    st.sampled_from(IDS).map(Remove),
)


@given(st.lists(CHANGES, max_size=40))
def test_under_any_changes_everything_is_in_one_place(changes: list[Change]) -> None:
    world = World()
    for change in changes:
        world.apply([change])
        check_places(world)
        for thing in world.things:
            world.location_of(thing)


@given(st.lists(CHANGES.filter(lambda change: not isinstance(change, Remove)), max_size=40), st.integers(0, 40))
def test_changes_applied_again_from_a_few_steps_before_change_nothing(changes: list[Change], again: int) -> None:
    world = World()
    world.apply(Define(Thing(id, KINDS[id], "as it was")) for id in IDS)
    world.apply(changes)
    before = snapshot(world)
    world.apply(changes[again:])
    assert snapshot(world) == before


NAMED_KINDS = {"#1": Kind.LOCATION, "#2": Kind.LOCATION, "#3": Kind.ITEM, "#4": Kind.CHARACTER}
NAMED = st.builds(
    lambda thing, name, aliases: Define(Thing(thing, NAMED_KINDS[thing], name, aliases=tuple(aliases))),
    st.sampled_from(sorted(NAMED_KINDS)),
    st.sampled_from(("Oak", "the oak", "Ash", "Old Ash")),
    st.lists(st.sampled_from(("oak", "an ash", "elm")), max_size=2),
)


@given(st.lists(NAMED | st.builds(Remove, st.sampled_from(sorted(NAMED_KINDS))), max_size=20))
def test_whatever_is_made_renamed_or_removed_is_found_by_the_names_it_has_now(changes: list[Change]) -> None:
    world = World()
    world.apply(changes)
    for name in ("oak", "ash", "old ash", "elm"):
        found = {one.id for one in world.named(name)}
        assert found == {one.id for one in world.things.values() if name in map(plain, one.names)}
    places = [one for one in world.things.values() if one.kind is Kind.LOCATION]
    assert list(world.locations()) == sorted(places, key=lambda one: one.name.lower())


def test_things_in_a_place_come_in_the_order_in_which_they_came() -> None:
    world = small_world()
    assert [thing.id for thing in world.contents(GARDEN)] == [LAMP, SUNDIAL, HERON, ELIZA, ANN]
    world.apply([Put(LAMP, LOBBY), Put(LAMP, GARDEN)])
    assert [thing.id for thing in world.items(GARDEN)] == [SUNDIAL, LAMP]
    assert [thing.id for thing in world.people(GARDEN)] == [HERON, ELIZA, ANN]


def test_what_is_carried_is_where_its_carrier_is() -> None:
    world = small_world()
    world.apply([Put(BOOK, MOSS)])
    assert world.location_of(BOOK) == world.things[LIBRARY]
    world.apply([Leave(MOSS)])
    assert world.location_of(BOOK) is None


def test_a_loop_of_holders_does_not_hang_the_world() -> None:
    world = small_world()
    world.apply([Put(BOOK, MOSS), Put(MOSS, BOOK)])
    assert world.location_of(BOOK) is None


def test_leaving_twice_remembers_the_first_place_and_entering_forgets_it() -> None:
    world = small_world()
    world.apply([Leave(ANN), Leave(ANN)])
    assert dict(world.away) == {ANN: GARDEN}
    world.apply([Put(ANN, LOBBY)])
    assert not world.away


def test_what_somebody_held_falls_to_where_they_were_when_they_are_removed() -> None:
    world = small_world()
    world.apply([Put(LAMP, ANN), Remove(ANN)])
    assert world.where[LAMP] == GARDEN
    check_places(world)


def test_what_was_in_a_location_is_nowhere_when_it_is_removed_and_nobody_comes_back_to_it() -> None:
    world = small_world()
    world.apply([Leave(ANN), Remove(GARDEN)])
    assert world.location_of(ELIZA) is None
    assert LAMP not in world.where
    assert not world.away
    check_places(world)


def test_changes_that_name_what_is_not_there_are_passed_over() -> None:
    world = small_world()
    before = snapshot(world)
    world.apply([Put("#9", GARDEN), Put(LAMP, "#9"), Leave("#9"), Remove("#9")])
    world.set_away("#9", GARDEN)
    world.set_away(ANN, "#9")
    assert snapshot(world) == before


def test_an_id_is_higher_than_any_ever_used_and_never_given_twice() -> None:
    world = World()
    assert world.new_id() == "#1000"
    world.apply([Define(Thing("#2500", Kind.ITEM, "x")), Remove("#2500")])
    assert world.new_id() == "#2501"
    world.reserve(7)
    assert world.new_id() == "#2501"
    world.reserve(9000)
    assert world.new_id() == "#9000"


def test_a_thing_is_found_by_its_whole_name_unless_it_is_somebody_who_is_nowhere() -> None:
    world = small_world()
    for typed, thing in (("the LAMP", LAMP), ("garden", GARDEN), ("Ann", ANN)):
        found = world.called(typed)
        assert found is not None
        assert found.id == thing
    assert world.called("lam") is None
    world.apply([Leave(ANN)])
    assert world.called("Ann") is None


def test_odd_ids_of_hand_made_files_do_no_harm() -> None:
    world = World()
    for odd in ("#", "lamp", "#x1", "#" + "9" * 5000, "", "#²", "#٣"):
        world.apply([Define(Thing(odd, Kind.ITEM, "x"))])
    assert world.new_id() == "#1000"


def test_a_location_is_only_found_under_a_locations_id() -> None:
    world = small_world()
    assert world.location(GARDEN) == world.things[GARDEN]
    assert world.location(ANN) is None
    assert world.location("#9") is None


def test_lists_for_people_are_sorted_by_name() -> None:
    world = small_world()
    world.apply([Leave(ANN), Define(Thing("#7000", Kind.LOCATION, "an attic", exits=(Exit("out", GARDEN),)))])
    assert [one.name for one in world.locations()][:2] == ["an attic", "The Cellar"]
    assert [one.name for one in world.present()] == ["Eliza", "Margery", "Moss the Slow"]


def test_an_owner_ranks_above_a_guest_and_a_guest_above_a_mind_of_the_program() -> None:
    assert sorted(Role) == [Role.AGENT, Role.GUEST, Role.PLAYER, Role.BUILDER, Role.OWNER]
