"""A map of locations, laid out on a grid by the directions of their exits. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from itertools import count
from typing import NamedTuple

from mud.world.exits import SHORT
from mud.world.matching import plain
from mud.world.things import Exit
from mud.world.world import World

STEPS = {
    "north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0),
    "northeast": (1, -1), "northwest": (-1, -1), "southeast": (1, 1), "southwest": (-1, 1),
    "up": (1, -1), "down": (-1, 1),
}  # fmt: skip
"""Columns to the right and rows down that an exit of a direction leads."""
LONGEST = 4  # cells that an exit is drawn long at most, when the cells before are taken

Cell = tuple[int, int]


class Spot(NamedTuple):
    """A location on the map, `x` cells to the right and `y` down from the left upper corner."""

    id: str
    name: str
    x: int
    y: int


class Path(NamedTuple):
    """An exit between two locations on the map; `both` when another one leads back."""

    start: str
    end: str
    name: str
    both: bool


class Map(NamedTuple):
    spots: tuple[Spot, ...]
    paths: tuple[Path, ...]
    open: tuple[tuple[str, str], ...]
    """Exits to places that are not on the map: location and name of the exit."""


def draw_map(world: World, known: Collection[str] | None = None) -> Map:
    """Lay out the locations with these ids, or all; the same world gives the same map."""
    there = [one for one in world.locations() if known is None or one.id in known]
    ids = {one.id for one in there}
    cells: dict[str, Cell] = {}
    for location in sorted(there, key=lambda one: -len(one.exits)):
        if location.id not in cells:
            _lay_out(world, location.id, ids, cells)
    left, top = (min((cell[axis] for cell in cells.values()), default=0) for axis in (0, 1))
    spots = [Spot(one.id, one.name, cells[one.id][0] - left, cells[one.id][1] - top) for one in there]
    ways = [(one.id, way) for one in there for way in one.exits if way.to != one.id]
    leads = {(start, way.to) for start, way in ways}
    paths = {
        frozenset((start, way.to)): Path(start, way.to, way.name, (way.to, start) in leads)
        for start, way in reversed(ways)
        if way.to in ids
    }
    unknown = [(start, way.name) for start, way in ways if way.to not in ids and world.location(way.to) is not None]
    return Map(tuple(spots), tuple(reversed(paths.values())), tuple(unknown))


def _lay_out(world: World, first: str, ids: Collection[str], cells: dict[str, Cell]) -> None:
    """Give cells to a location and to all that can be reached from it, right of what is there already."""
    taken = set(cells.values())
    cells[first] = (max((x for x, _ in taken), default=-2) + 2, min((y for _, y in taken), default=0))
    taken.add(cells[first])
    queue = deque([first])
    while queue:
        here = queue.popleft()
        location = world.location(here)
        for way in sorted(location.exits if location else (), key=lambda one: _step(one) is None):
            if way.to in ids and way.to not in cells:
                cells[way.to] = _free_cell(cells[here], _step(way), taken)
                taken.add(cells[way.to])
                queue.append(way.to)


def _step(way: Exit) -> Cell | None:
    """Return where an exit leads on the map; None for one that is no direction, such as a gate."""
    name = plain(way.name)
    return STEPS.get(SHORT.get(name, name))


def _free_cell(start: Cell, step: Cell | None, taken: Collection[Cell]) -> Cell:
    """Return a free cell in a direction, or else the nearest one around."""
    x, y = start
    if step is not None:
        for far in range(1, LONGEST + 1):
            if (cell := (x + step[0] * far, y + step[1] * far)) not in taken:
                return cell
    for ring in count(1):
        around = [(x + dx, y + dy) for dx in range(-ring, ring + 1) for dy in range(-ring, ring + 1)]
        free = [cell for cell in around if cell not in taken]
        if free:
            return min(free, key=lambda cell: (abs(cell[0] - x) + abs(cell[1] - y), cell))
    raise AssertionError("count never ends")
