"""A map of locations drawn with characters. Pure."""

from __future__ import annotations

from itertools import groupby
from typing import NamedTuple

from mud.world.exits import SHORT
from mud.world.map import STEPS, Map
from mud.world.matching import plain
from mud.world.narration import Mark

HERE, PLACE, WAY = "here", "place", "exit"
"""Marks of a drawing: the location where one is, other locations, and what leads from one to another."""
LONGEST_NAME = 14  # characters of a name on the map; the rest is left out
APART = 3  # columns between the longest names of two locations
APART_SMALL = 2  # between boxes
ROWS = 2  # from one location to the next
_CORNERS = {(True, True): "┐", (True, False): "┘", (False, True): "┌", (False, False): "└"}
"""Where a line along a row turns, by whether it came from the left and whether it goes down."""

Cell = tuple[int, int]
Canvas = dict[Cell, tuple[str, str]]
"""The character and the mark at each column and row."""


class Drawing(NamedTuple):
    """Lines of the same length, the marks in their joined text, and the column and row of where one is."""

    text: str
    marks: tuple[Mark, ...]
    here: Cell

    @property
    def size(self) -> Cell:
        """How many columns and rows it has."""
        lines = self.text.split("\n")
        return len(lines[0]), len(lines)


def sketch(map: Map, here: str, *, names: bool, window: Cell | None = None) -> Drawing:
    """Draw a map.

    Args:
        here: id of the location that is marked, and in the middle of the window.
        names: write the name into each location; otherwise they are small boxes.
        window: columns and rows of the part that is drawn; None to draw all of it.
    """
    labels = {spot.id: _label(spot.name, spot.id == here, names) for spot in map.spots}
    step = max((len(label) for label in labels.values()), default=0) + (APART if names else APART_SMALL)
    middles = {spot.id: (spot.x * step, spot.y * ROWS) for spot in map.spots}
    canvas: Canvas = {}
    for start, name in map.open:
        _draw_open(canvas, middles[start], name, len(labels[start]))
    for path in map.paths:
        _draw_path(canvas, middles[path.start], middles[path.end])
    for id, label in labels.items():
        column, row = middles[id]
        for at, letter in enumerate(label, column - len(label) // 2):
            canvas[at, row] = (letter, HERE if id == here else PLACE)
    return _cut(canvas, middles.get(here, (0, 0)), window)


def _label(name: str, here: bool, names: bool) -> str:
    if not names:
        return "[@]" if here else "[ ]"
    bare = name.removeprefix("The ")
    short = bare if len(bare) <= LONGEST_NAME else bare[: LONGEST_NAME - 1] + "…"
    return f"[@ {short}]" if here else f"[{short}]"


def _draw_open(canvas: Canvas, middle: Cell, name: str, length: int) -> None:
    """Draw the beginning of an exit to a place where one has not been, when it leads in a direction."""
    step = STEPS.get(SHORT.get(plain(name), plain(name)))
    if step is not None:
        far = (length // 2 + 1) * step[0]
        canvas[middle[0] + far, middle[1] + step[1]] = ("?", WAY)


def _draw_path(canvas: Canvas, start: Cell, end: Cell) -> None:
    """Draw a line from the middle of a location to that of another: a slope between neighbours, else along row and
    column.
    """
    (x, y), (to_x, to_y) = start, end
    if x != to_x and abs(y - to_y) == ROWS:
        canvas[(x + to_x) // 2, (y + to_y) // 2] = ("╲" if (to_x > x) == (to_y > y) else "╱", WAY)
        return
    for column in range(min(x, to_x), max(x, to_x) + 1):
        _put(canvas, (column, y), "─")
    for row in range(min(y, to_y), max(y, to_y) + 1):
        _put(canvas, (to_x, row), "│")
    if x != to_x and y != to_y:
        canvas[to_x, y] = (_CORNERS[to_x > x, to_y > y], WAY)


def _put(canvas: Canvas, at: Cell, line: str) -> None:
    before = canvas.get(at, (line, WAY))[0]
    canvas[at] = (line if before in (line, "?") else "┼", WAY)


def _cut(canvas: Canvas, here: Cell, window: Cell | None) -> Drawing:
    """Return the part of a canvas that a window shows, or all of it; the window moves no further than the drawing."""
    begin, size = [0, 0], [0, 0]
    for axis in (0, 1):
        low = min((at[axis] for at in canvas), default=0)
        size[axis] = max((at[axis] for at in canvas), default=0) - low + 1
        begin[axis] = low
        if window is not None and size[axis] > window[axis]:
            begin[axis] = max(low, min(here[axis] - window[axis] // 2, low + size[axis] - window[axis]))
            size[axis] = window[axis]
    blank = (" ", "")
    cells = [
        [canvas.get((begin[0] + column, begin[1] + row), blank) for column in range(size[0])] for row in range(size[1])
    ]
    return _drawing(cells, (here[0] - begin[0], here[1] - begin[1]))


def _drawing(cells: list[list[tuple[str, str]]], here: Cell) -> Drawing:
    text, marks = "", []
    for row in cells:
        for kind, run in groupby(row, key=lambda cell: cell[1]):
            letters = "".join(letter for letter, _ in run)
            if kind:
                marks.append(Mark(len(text), len(text) + len(letters), kind))
            text += letters
        text += "\n"
    return Drawing(text.removesuffix("\n"), tuple(marks), here)
