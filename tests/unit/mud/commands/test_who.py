"""Who is where."""

from __future__ import annotations

from tests.worlds import ANN, do, make_engine


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


def test_where_gives_name_and_id() -> None:
    assert do(make_engine(), "where").reply == "The Garden (#1001)"


def test_locations_are_all_listed_with_who_is_there() -> None:
    reply = do(make_engine(), "rooms").reply
    assert reply == do(make_engine(), "locations").reply
    assert reply.splitlines() == [
        "The Cellar", "The Garden: Margery, Eliza and Ann", "The Library: Moss the Slow", "The Lobby", "The Loft",
    ]  # fmt: skip
