"""What the world is made of: locations, items and characters, all immutable values.

A change of the world replaces a value; nothing in here ever changes by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Kind(StrEnum):
    """What a thing is."""

    LOCATION = "location"
    ITEM = "item"
    CHARACTER = "character"


class Exit(NamedTuple):
    """One way out of a location.

    Args:
        name: what one types to take it ("south", "ladder").
        to: id of the location it leads to.
    """

    name: str
    to: str


@dataclass(frozen=True, slots=True)
class Thing:
    """A location, an item or a character.

    Args:
        id: `#` and a number, never reused.
        kind: what it is.
        name: shown as typed by its author.
        description: what one sees on looking closely.
        aliases: further names it answers to.
        exits: ways out, for a location, in the author's order.
        fixed: an item that cannot be carried away.
        thinks: a character that a brain plays; shown as `[AI]`.
    """

    id: str
    kind: Kind
    name: str
    description: str = ""
    aliases: tuple[str, ...] = ()
    exits: tuple[Exit, ...] = ()
    fixed: bool = False
    thinks: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The name and the aliases."""
        return (self.name, *self.aliases)
