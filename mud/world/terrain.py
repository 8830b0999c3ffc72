"""The ground plan of a made-up world: cells of a grid, the ways between neighbours, and districts. Pure."""

from __future__ import annotations

from collections import deque
from random import Random
from typing import NamedTuple

Cell = tuple[int, int]

STEPS: dict[str, Cell] = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}
"""Where the exit of each name leads, in columns to the right and rows down."""
_BACK = {"north": "south", "east": "west", "south": "north", "west": "east"}
_LOOPS = 0.3  # share of the neighbours without a way between them that get one; each closes a loop
_DISTRICT = 24  # cells in a district, about


class Terrain(NamedTuple):
    """A connected ground plan.

    Args:
        ways: the exits of each cell, each with its way back, in the order in which the cells were laid.
        districts: the number of each cell's district, from 0; a district is connected too.
    """

    ways: dict[Cell, dict[str, Cell]]
    districts: dict[Cell, int]


def lay_out(count: int, chance: Random) -> Terrain:
    """Return a plan of `count` cells, from 1 on: a tree of ways, with some loops, and dead ends that are left of it."""
    ways = _grown(count, chance)
    for cell, exits in ways.items():
        for name in ("east", "south"):  # each pair of neighbours once
            other = _beyond(cell, name)
            if other in ways and name not in exits and chance.random() < _LOOPS:
                _join(ways, cell, name)
    return Terrain(ways, _districts(ways, chance))


def _grown(count: int, chance: Random) -> dict[Cell, dict[str, Cell]]:
    ways: dict[Cell, dict[str, Cell]] = {(0, 0): {}}
    open_cells: list[Cell] = [(0, 0)]
    while len(ways) < count:
        at = chance.randrange(len(open_cells))
        cell = open_cells[at]
        free = [name for name in STEPS if _beyond(cell, name) not in ways]
        if not free:
            open_cells[at] = open_cells[-1]
            open_cells.pop()
            continue
        name = chance.choice(free)
        ways[_beyond(cell, name)] = {}
        open_cells.append(_beyond(cell, name))
        _join(ways, cell, name)
    return ways


def _join(ways: dict[Cell, dict[str, Cell]], cell: Cell, name: str) -> None:
    other = _beyond(cell, name)
    ways[cell][name] = other
    ways[other][_BACK[name]] = cell


def _beyond(cell: Cell, name: str) -> Cell:
    column, row = STEPS[name]
    return cell[0] + column, cell[1] + row


def _districts(ways: dict[Cell, dict[str, Cell]], chance: Random) -> dict[Cell, int]:
    """Return the district of each cell: that of the centre, drawn by chance, which is nearest along the ways."""
    centres = chance.sample(list(ways), -(-len(ways) // _DISTRICT))
    districts = {cell: number for number, cell in enumerate(centres)}
    waiting = deque(centres)
    while waiting:
        cell = waiting.popleft()
        for other in ways[cell].values():
            if other not in districts:
                districts[other] = districts[cell]
                waiting.append(other)
    return districts
