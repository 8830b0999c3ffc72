from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from mud.world.terrain import STEPS, Cell, Terrain, lay_out


@given(st.integers(1, 300), st.integers())
def test_every_exit_leads_to_the_neighbour_in_its_direction_and_back(count: int, seed: int) -> None:
    ways = lay_out(count, Random(seed)).ways
    assert len(ways) == count
    for (column, row), exits in ways.items():
        for name, other in exits.items():
            right, down = STEPS[name]
            assert other == (column + right, row + down)
            assert (column, row) in ways[other].values()


@given(st.integers(1, 300), st.integers())
def test_all_of_it_can_be_walked_to_and_each_district_is_in_one_piece(count: int, seed: int) -> None:
    terrain = lay_out(count, Random(seed))
    assert _reached(terrain, (0, 0), set(terrain.ways)) == set(terrain.ways)
    for number in set(terrain.districts.values()):
        district = {cell for cell, one in terrain.districts.items() if one == number}
        assert _reached(terrain, min(district), district) == district


def _reached(terrain: Terrain, start: Cell, allowed: set[Cell]) -> set[Cell]:
    reached, waiting = {start}, [start]
    while waiting:
        new = (set(terrain.ways[waiting.pop()].values()) & allowed) - reached
        reached |= new
        waiting += new
    return reached


def test_there_are_loops_and_dead_ends() -> None:
    ways = lay_out(400, Random(5)).ways
    degrees = [len(exits) for exits in ways.values()]
    assert sum(degrees) // 2 > 1.1 * len(ways)  # a tree has one way less than cells
    assert 0.05 < degrees.count(1) / len(ways) < 0.4
