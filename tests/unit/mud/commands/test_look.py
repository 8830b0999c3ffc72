"""Looking around and closely."""

from __future__ import annotations

import pytest

from mud.world.changes import Define, Depart, Put, Settle
from mud.world.roles import Role
from mud.world.things import Kind, Thing
from tests.worlds import ANN, ELIZA, GARDEN, MOSS, do, left_with, make_engine, refused


def test_a_location_shows_what_and_who_is_there_and_the_exits_last() -> None:
    step = do(make_engine(), "look")
    assert step.reply.splitlines() == [
        "The Garden",
        "Four paths meet at a sundial. A pear tree leans on the wall.",
        "You see here: brass lamp, sundial.",
        "Margery and Eliza are here.",
        "Exits: north, gate",
    ]
    assert [one.kind for one in step.left] == ["result"]


def test_an_empty_location_without_exits_says_so() -> None:
    engine = make_engine()
    do(engine, "go cellar")
    assert do(engine, "look").reply.splitlines() == ["The Cellar", "Dark. There is no way back.", "Exits: none"]


def test_one_other_person_is_here() -> None:
    engine = make_engine()
    do(engine, "go library")
    assert "Moss the Slow is here." in do(engine, "look").reply


@pytest.mark.parametrize(
    "line", ["examine lamp", "x lamp", "look lamp", "look at the lamp", "LOOK At brass", "x #1101"]
)
def test_a_thing_is_looked_at_and_others_see_that(line: str) -> None:
    step = do(make_engine(), line)
    assert step.reply == "brass lamp: It smells of oil."
    assert left_with(step, ELIZA) == ["Ann looks closely at the brass lamp."]


def test_a_person_shows_what_they_carry() -> None:
    engine = make_engine()
    do(engine, "take lamp", ELIZA)
    assert do(engine, "x eliza").reply == "Eliza: She listens.\nEliza carries the brass lamp."


@pytest.mark.parametrize("line", ["x me", "examine myself", "look me"])
def test_looking_at_oneself_is_nobodys_business(line: str) -> None:
    step = do(make_engine(), line)
    assert step.reply == "Ann: nothing about it catches the eye."
    assert step.events == ()


@pytest.mark.parametrize("line", ["x here", "look around", "x garden", "look at sundial court"])
def test_the_place_itself_can_be_looked_at(line: str) -> None:
    assert do(make_engine(), line).reply.startswith("The Garden\n")


def test_what_only_the_description_speaks_of_shows_its_sentence() -> None:
    assert do(make_engine(), "x the pear tree").reply == "A pear tree leans on the wall."


@pytest.mark.parametrize("line", ["x moss", "x moon", "x green book", "x of", "x #1103", "x .*"])
def test_what_is_not_here_cannot_be_seen(line: str) -> None:
    assert "You do not see" in refused(make_engine(), line).reply


def test_what_one_carries_can_be_seen_and_what_others_carry_only_on_them() -> None:
    engine = make_engine()
    do(engine, "take lamp")
    assert "oil" in do(engine, "x lamp").reply
    refused(engine, "x lamp", ELIZA)


def test_a_name_that_several_share_is_asked_about() -> None:
    engine = make_engine()
    engine.world.apply([Define(Thing("#1199", Kind.ITEM, "brass bell")), Put("#1199", GARDEN)])
    assert refused(engine, "x brass").reply == '"brass" could be brass lamp and brass bell. Say which.'
    assert do(engine, "x brass bell").reply == "brass bell: nothing about it catches the eye."


@pytest.mark.parametrize("line", ["x #1001", "look #1001", "examine #1101", "x #2001", "x #3001", "look at #1101"])
def test_an_id_means_what_can_be_seen_here_the_place_included(line: str) -> None:
    engine = make_engine()
    name = engine.world.things[line.split()[-1]].name
    assert do(engine, line).reply.startswith(name)


@pytest.mark.parametrize("role", [Role.AGENT, Role.GUEST, Role.OWNER])
@pytest.mark.parametrize("line", ["examine #1003", "look at #1003", "take #1003", "wake #1003"])
def test_another_place_is_named_and_cannot_be_seen_from_here(line: str, role: Role) -> None:
    step = refused(make_engine(), line, role=role)
    assert step.reply == "You do not see The Library from here. (go The Library walks there)"


def test_an_id_of_what_is_elsewhere_or_nowhere_tells_nothing_of_it() -> None:
    for unseen in ("#1103", "#2002", "#9999", "#"):
        assert (
            refused(make_engine(), f"x {unseen}").reply == f'You do not see "{unseen}" here. (look tells what is here)'
        )


@pytest.mark.parametrize("line", ["take #1001", "whisper #1001 hm"])
def test_the_place_where_one_is_is_no_thing_in_it(line: str) -> None:
    assert refused(make_engine(), line).reply == "The Garden is the place where you are."


def test_who_is_a_line_each_and_minds_are_marked() -> None:
    assert do(make_engine(), "who").reply.splitlines() == [
        "Ann, in The Garden",
        "Eliza [AI], in The Garden",
        "Margery, in The Garden",
        "Moss the Slow [AI], in The Library",
    ]


def test_who_has_left_is_not_listed() -> None:
    engine = make_engine()
    engine.leave(engine.world.things[ANN])
    assert "Ann" not in do(engine, "who", "#2001").reply


def test_who_lists_last_who_went_to_another_world_but_not_who_is_home_there() -> None:
    engine, to = make_engine(), "loci://127.0.0.1:8001/The Bridge"
    engine.world.apply([Depart(MOSS, to, "t1"), Depart(ANN, to, "t2", home=True)])
    listed = do(engine, "who", ELIZA).reply.splitlines()
    assert listed[2:] == [
        "Ann, on the way to The Bridge, in another world",
        "Moss the Slow [AI], on the way to The Bridge, in another world",
    ]
    engine.world.apply([Settle(MOSS), Settle(ANN)])
    listed = do(engine, "who", ELIZA).reply.splitlines()
    assert listed[2:] == ["Moss the Slow [AI], in another world, gone to The Bridge"]


@pytest.mark.parametrize("line", ["look", "where", "go north"])
def test_who_went_to_another_world_is_told_where_they_are(line: str) -> None:
    engine = make_engine()
    engine.world.apply([Depart(ANN, "loci://127.0.0.1:8001/The Bridge", "t1")])
    nowhere = "in another world, and in no place here until you come back."
    assert refused(engine, line).reply == f"You are on the way to The Bridge, {nowhere}"
    engine.world.apply([Settle(ANN)])
    there = "You are in another world, where you went to The Bridge, and in no place here until you come back."
    assert refused(engine, line).reply == there


def test_where_gives_name_and_id() -> None:
    assert do(make_engine(), "where").reply == "The Garden (#1001)"


def test_locations_are_all_listed_with_who_is_there() -> None:
    reply = do(make_engine(), "rooms").reply
    assert reply == do(make_engine(), "locations").reply
    assert reply.splitlines() == [
        "The Cellar", "The Garden: Margery, Eliza and Ann", "The Library: Moss the Slow", "The Lobby", "The Loft",
    ]  # fmt: skip
