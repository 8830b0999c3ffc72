"""Pasts of many plain talks, no two alike, of which no summary can hold everything."""

from __future__ import annotations

from typing import Any

WHO = ("Ann", "Moss", "Corvin", "Petra", "Silas")
THINGS = ("lamp", "ladder", "kettle", "bell", "rope", "oar", "lantern")
PLACES = ("boathouse", "mill", "chapel", "quarry", "orchard", "ferry", "garden", "weir")


def talks(count: int) -> list[dict[str, Any]]:
    """Return so many memories, as an archive takes them."""
    return [
        {
            "kind": "heard",
            "actor": (who := WHO[number % len(WHO)]),
            "text": f'{who} says, "The {THINGS[number % len(THINGS)]} of the {PLACES[number % len(PLACES)]} is worth '
            f'{number + 20} crowns, and {WHO[number // 3 % len(WHO)]} wants it."',
        }
        for number in range(count)
    ]


def speeches(count: int) -> list[dict[str, Any]]:
    """Return so many memories of lines as long as people write them, three sentences each."""
    return [
        {
            "kind": "heard",
            "actor": (who := WHO[number % len(WHO)]),
            "text": f'{who} says, "When I was {number + 8} my uncle took me to the {PLACES[number % len(PLACES)]} '
            f"behind the ropewalk, and we spent the afternoon mending the {THINGS[number % len(THINGS)]} that had "
            f"come down in the storm. {WHO[number // 3 % len(WHO)]} still owes me {number + 20} crowns for the timber, "
            f"and I would rather have it before the frost. Do you remember how proud my mother was of the "
            f'{THINGS[number // 2 % len(THINGS)]} that stood by the {PLACES[number // 3 % len(PLACES)]} that year?"',
        }
        for number in range(count)
    ]
