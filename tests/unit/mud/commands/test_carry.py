"""Taking and dropping."""

from __future__ import annotations

import pytest

from mud.world.narration import called, listed
from tests.worlds import ANN, ELIZA, GARDEN, LAMP, LOBBY, do, left_with, make_engine, refused


@pytest.mark.parametrize("line", ["take lamp", "get the brass lamp", "pick up lamp", "take #1101", "TAKE LAMP"])
def test_what_lies_here_can_be_taken(line: str) -> None:
    engine = make_engine()
    step = do(engine, line)
    assert engine.world.where[LAMP] == ANN
    assert step.reply == "You take the brass lamp."
    assert left_with(step, ELIZA) == ["Ann takes the brass lamp."]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("take sundial", "You cannot carry the sundial away."),
        ("take eliza", "Eliza would object to being carried."),
        ("take green book", 'You do not see "green book" here.'),
        ("take me", 'You do not see "me" here.'),
        ("drop lamp", "You do not have the brass lamp in your hands."),
        ("take garden", 'You do not see "garden" here.'),
    ],
)
def test_what_cannot_be_carried_stays(line: str, told: str) -> None:
    assert told in refused(make_engine(), line).reply


def test_what_is_taken_goes_along_and_is_put_down_elsewhere() -> None:
    engine = make_engine()
    assert do(engine, "inventory").reply == "You carry nothing."
    do(engine, "take lamp")
    assert do(engine, "i").reply == "You carry the brass lamp."
    do(engine, "go lobby")
    do(engine, "take key")
    assert do(engine, "inv").reply == "You carry the brass lamp and the rusty key."
    assert do(engine, "put down lamp").reply == "You put down the brass lamp."
    assert engine.world.where[LAMP] == LOBBY
    assert do(engine, "i").reply == "You carry the rusty key."


def test_what_somebody_holds_cannot_be_taken_from_them() -> None:
    engine = make_engine()
    do(engine, "take lamp")
    refused(engine, "take lamp", ELIZA)
    assert engine.world.location_of(LAMP) == engine.world.things[GARDEN]


def test_all_is_whatever_lies_here_and_can_be_carried() -> None:
    engine = make_engine()
    do(engine, "go lobby")
    loose = [one for one in engine.world.items(LOBBY) if not one.fixed]
    step = do(engine, "take all")
    assert step.reply == f"You take {listed([called(one) for one in loose])}."
    assert engine.world.items(ANN) == loose
    assert "nothing that you could take" in refused(engine, "get everything").reply
    assert do(engine, "drop all").reply.startswith("You put down ")
    assert not engine.world.items(ANN)
    assert refused(engine, "drop all").reply == "You carry nothing."


def test_all_is_seen_by_others_as_one_happening() -> None:
    engine = make_engine()
    left = left_with(do(engine, "take all"), ELIZA)
    assert left == ["Ann takes the brass lamp."]
