"""Phrases, whose words stand in the vault, and the few forms that need grammar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mud.world.things import Kind, Thing


class Phrase(NamedTuple):
    """A text that the code uses and the vault words, under a key such as `commands.say.said`, with its `{places}`."""

    key: str
    places: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.key


def phrase(key: str, *places: str) -> Phrase:
    """Declare a phrase; all phrases are checked against the vault at the start."""
    return Phrase(key, places)


def called(thing: Thing) -> str:
    """Return the name as used in a sentence; items take an article."""
    return f"the {thing.name}" if thing.kind is Kind.ITEM else thing.name


def sentence(text: str) -> str:
    """Begin a text with a capital letter, as it may begin with the name of a thing."""
    return text[:1].upper() + text[1:]


def counted(count: int, one: str, many: str = "") -> str:
    """Format a count: `1 memory`, `2 memories`; `many` is `one` with an s when empty."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def shortened(text: str, most: int) -> str:
    """Cut a text to `most` characters and append three dots if it was longer."""
    return text if len(text) <= most else text[:most] + "..."


def listed(names: Sequence[str]) -> str:
    """Join names: `a`, `a and b`, `a, b and c`; empty for none."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def third_person(verb: str) -> str:
    """Return a verb as somebody else does it: `push`, `pushes`; `turn on`, `turns on`."""
    first, space, rest = verb.partition(" ")
    if first.endswith("y") and first[-2:-1] not in tuple("aeiou"):
        return f"{first[:-1]}ies{space}{rest}"
    return f"{first}{'es' if first.endswith(('s', 'x', 'z', 'sh', 'ch', 'o')) else 's'}{space}{rest}"
