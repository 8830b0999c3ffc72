"""Exits of a location: finding them by name, and the short forms of directions."""

from __future__ import annotations

from mud.world.matching import match_names, plain
from mud.world.things import Exit, Thing

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
