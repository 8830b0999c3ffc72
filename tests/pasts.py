"""A past of many plain talks, no two alike, of which no summary can hold everything."""

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
