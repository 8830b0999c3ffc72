"""How the world speaks: phrases whose words stand in the vault, and the few forms that need grammar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mud.world.things import Kind, Thing


class Phrase(NamedTuple):
    """A text that the code uses and the vault words.

    Args:
        key: where it stands, such as `commands.say.said`.
        places: the `{places}` its words may use.
    """

    key: str
    places: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The key; what a registry of phrases finds it by."""
        return self.key


def phrase(key: str, *places: str) -> Phrase:
    """Declare a phrase; at start every declared one is checked against the vault."""
    return Phrase(key, places)


def called(thing: Thing) -> str:
    """Return what a thing is called in a sentence: an item takes the article, whoever has a name needs none."""
    return f"the {thing.name}" if thing.kind is Kind.ITEM else thing.name


def counted(count: int, one: str, many: str = "") -> str:
    """Say how many of something there are: `1 memory`, `2 memories`.

    Args:
        count: how many.
        one: the word for one of them.
        many: the word for several; the same with an s when empty.
    """
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def shortened(text: str, most: int) -> str:
    """Return a text of at most `most` characters, with three dots behind when it was longer."""
    return text if len(text) <= most else text[:most] + "..."


def listed(names: Sequence[str]) -> str:
    """Join names as one says them: `a`, `a and b`, `a, b and c`; empty for none."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
