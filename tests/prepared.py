"""What stands at hand, and what is done before, so that each example of the help can be tried by itself."""

from __future__ import annotations

AT_HAND = (
    "wax tablet", "lamp glass", "row of lamps", "reading chair", "long table", "tool chest", "brass key", "brass lamp",
    "honey cake",
)  # fmt: skip
"""Items of the shipped world that are in The Garden for the examples."""
TAKEN = ("take lamp glass", "take reading chair", "take brass key", "take honey cake", "take brass lamp")
PUT_BACK = (
    "remove straw hat", "put straw hat in tool chest", "close tool chest", "lock tool chest", "extinguish brass lamp",
)  # fmt: skip
_UNLOCKED = ("unlock tool chest",)
_OPENED = (*_UNLOCKED, "open tool chest")
_HAT = (*_OPENED, "take straw hat")
_LIT = ("light brass lamp",)
_BEFORE = {
    "open tool chest": _UNLOCKED,
    "close tool chest": _OPENED,
    "lock tool chest with brass key": _UNLOCKED,
    "unlock tool chest with brass key": (),
    "use brass key on tool chest": (),
    "take straw hat from tool chest": _OPENED,
    "put straw hat in tool chest": _HAT,
    "wear straw hat": _HAT,
    "remove straw hat": (*_HAT, "wear straw hat"),
    "light brass lamp": (),
    "extinguish brass lamp": _LIT,
    "turn on brass lamp": (),
    "turn brass lamp off": _LIT,
}


def lines_before(example: str) -> tuple[str, ...]:
    """Return the lines to type before an example; some of them may be refused, as what they do is done already."""
    if example in _BEFORE:
        return (*TAKEN, *PUT_BACK, *_BEFORE[example])
    return TAKEN if "lamp glass" in example or "reading chair" in example else ()
