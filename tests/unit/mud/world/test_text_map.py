"""Maps drawn with characters."""

from __future__ import annotations

from mud.world.map import draw_map
from mud.world.text_map import HERE, PLACE, Drawing, sketch
from mud.world.world import World
from tests.worlds import GARDEN, LIBRARY, LOBBY, LOFT, small_world


def marked(drawing: Drawing, kind: str) -> list[str]:
    return [drawing.text[mark.start : mark.end] for mark in drawing.marks if mark.kind == kind]


def test_a_map_shows_where_one_is_what_one_has_seen_and_what_leads_further() -> None:
    drawing = sketch(draw_map(small_world(), [GARDEN, LOBBY]), GARDEN, names=True)
    assert drawing.text.split("\n") == [
        "     ?    ",
        "  [Lobby] ",
        "     │    ",
        "[@ Garden]",
    ]
    assert marked(drawing, HERE) == ["[@ Garden]"]
    assert marked(drawing, PLACE) == ["[Lobby]"]


def test_without_room_for_names_a_window_shows_the_surroundings_of_where_one_is() -> None:
    map = draw_map(small_world(), [GARDEN, LOBBY, LIBRARY, LOFT])
    whole = sketch(map, LIBRARY, names=False)
    assert whole.text.count("[@]") == 1
    assert whole.text.count("[ ]") == 3
    part = sketch(map, LIBRARY, names=False, window=(5, 3))
    assert part.size == (5, 3)
    assert "[@]" in part.text
    assert part.text.split("\n")[part.here[1]][part.here[0]] == "@"


def test_a_map_of_nothing_is_empty() -> None:
    assert sketch(draw_map(World()), "", names=True).text.strip() == ""
