"""The shortest path between two locations."""

from __future__ import annotations

from collections import deque

from mud.world.things import Exit
from mud.world.world import World


def find_path(world: World, start: str, goal: str) -> list[Exit] | None:
    """Return the exits from `start` to `goal`, both ids, by a shortest path; ties follow the order of the exits.

    Empty when already there, None without a path.
    """
    came: dict[str, tuple[str, Exit] | None] = {start: None}
    queue = deque([start])
    while queue:
        here = queue.popleft()
        if here == goal:
            return _walk_back(came, goal)
        location = world.location(here)
        for way in location.exits if location else ():
            if way.to not in came and world.location(way.to) is not None:
                came[way.to] = (here, way)
                queue.append(way.to)
    return None


def _walk_back(came: dict[str, tuple[str, Exit] | None], goal: str) -> list[Exit]:
    steps: list[Exit] = []
    at = came[goal]
    while at is not None:
        before, way = at
        steps.append(way)
        at = came[before]
    return steps[::-1]
