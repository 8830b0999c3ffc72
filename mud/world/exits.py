"""Exits of a location: finding them by name, and the short forms of directions."""

from __future__ import annotations

from collections import deque

from mud.world.matching import match_names, plain
from mud.world.sight import is_locked
from mud.world.things import Exit, Thing
from mud.world.world import World

SHORT = {
    "n": "north", "s": "south", "e": "east", "w": "west", "u": "up", "d": "down",
    "ne": "northeast", "nw": "northwest", "se": "southeast", "sw": "southwest",
}  # fmt: skip


def is_direction(query: str) -> bool:
    """Return whether a typed name is a direction or its short form, and so never a location."""
    return plain(query) in SHORT or plain(query) in SHORT.values()


def find_exits(location: Thing, query: str) -> list[Exit]:
    """Return the exits that match a typed name best.

    A short form such as `n` means its direction unless an exit has that name.
    """
    wanted = plain(query)
    names = {plain(way.name) for way in location.exits}
    if wanted in SHORT and wanted not in names:
        return [way for way in location.exits if plain(way.name) == SHORT[wanted]]
    by_name = {way.name: way for way in location.exits}
    return [by_name[name] for name in match_names(query, ((name, (name,)) for name in by_name))]


def names_exit(query: str, way: Exit) -> bool:
    """Return whether a typed name is an exit's full name or its short form."""
    wanted = plain(query)
    return plain(way.name) in (wanted, SHORT.get(wanted))


def find_path(world: World, start: str, goal: str, *, unlocked: bool = True) -> list[Exit] | None:
    """Return the exits from `start` to `goal`, both ids, by a shortest path; ties follow the order of the exits.

    Empty when already there, None without a path. Locked doors are no way unless `unlocked` is
    False, closed ones are.
    """
    came: dict[str, tuple[str, Exit] | None] = {start: None}
    queue = deque([start])
    while queue:
        here = queue.popleft()
        if here == goal:
            return _walk_back(came, goal)
        location = world.location(here)
        for way in location.exits if location else ():
            if (
                way.to not in came
                and world.location(way.to) is not None
                and not (unlocked and way.door and is_locked(world, way))
            ):
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
