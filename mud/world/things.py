"""Locations, items and characters, as immutable values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from mud.world.traits import NO_TRAITS, Traits


class Kind(StrEnum):
    LOCATION = "location"
    ITEM = "item"
    CHARACTER = "character"


class Exit(NamedTuple):
    """A way out of a location: the name that is typed ("south", "ladder"), and the ids of its target and its door."""

    name: str
    to: str
    door: str = ""


@dataclass(frozen=True, slots=True)
class Thing:
    """A location, an item or a character; its id is `#` and a number, never reused.

    Args:
        exits: of a location, in the order of its file.
        fixed: the item cannot be carried away.
        thinks: the character is played by a brain and shown as `[AI]`.
    """

    id: str
    kind: Kind
    name: str
    description: str = ""
    aliases: tuple[str, ...] = ()
    exits: tuple[Exit, ...] = ()
    fixed: bool = False
    thinks: bool = False
    traits: Traits = NO_TRAITS

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.aliases)
