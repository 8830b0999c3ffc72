"""Puts words to what an agent means: picks among the variants of its voice, fills their places, repeats nothing.

The words stand in `vault/text/instinct/`; which there are stands in `_texts.py`.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Mapping
from functools import lru_cache
from random import Random

from agents.brains import Voice
from agents.brains._texts import ME, PLACE, SHARES
from agents.text.english import repeats
from mud.sanitize import sanitize

WINDOW = 26
"""Within how many of its own lines nothing is said twice."""
LONGEST = 600
"""How many characters a line has at most."""

_BEGINS = re.compile(r"(?:^|[.!?]\s+|(?<!\w)')$")
"""Finds the end of what a sentence or a quotation follows."""


def clean(text: str) -> str:
    """Make a text fit for one line: no line ends, no control characters, no mark that would begin a private reason."""
    plain = " ".join(sanitize(text).replace("|", " ").split())
    return plain if len(plain) <= LONGEST else plain[: LONGEST - 1].rsplit(" ", 1)[0] + "…"


def fill(template: str, places: Mapping[str, str]) -> str | None:
    """Fill the places of a template, capitals where a sentence begins; None when a place has nothing to hold."""

    parts: list[str] = []
    for before, name, begins in _parsed(template):
        value = places.get(name) if name else ""
        if name and not value:
            return None
        parts += before, value[:1].upper() + value[1:] if value and begins else value or ""
    return clean("".join(parts))


@lru_cache(maxsize=1 << 12)
def _parsed(template: str) -> tuple[tuple[str, str, bool], ...]:
    """Return the places of a template: the text before each, its name, whether a sentence begins there; then the rest.

    The rest has an empty name.
    """
    found, start = [], 0
    for place in PLACE.finditer(template):
        found.append((template[start : place.start()], place[1], bool(_BEGINS.search(template[: place.start()]))))
        start = place.end()
    return (*found, (template[start:], "", False))


class Speaker:
    """One agent's way with words.

    Args:
        rng: its chance.
        voice: gives the variants of a text.
        me: the agent's name, for the place `{me}` that every text has.
    """

    def __init__(self, rng: Random, voice: Voice, me: str = "") -> None:
        self._rng = rng
        self._variants = voice
        self._me = {ME: me}
        self.name = "default"
        self._lines: deque[str] = deque(maxlen=WINDOW)
        self._silent: deque[str] = deque(maxlen=WINDOW)
        self._used: dict[str, int] = {}
        """The how manyth of its lines a text was last used for."""
        self._count = 0

    def remember(self, lines: Iterable[str]) -> None:
        """Count lines as said that the agent's character said, whoever thought of them."""
        self._lines.extend(line for line in lines if line not in self._lines)

    def said_lately(self, words: str) -> bool:
        """Return whether these words stood in a line said lately."""
        wanted = words.casefold().rstrip(".!?… ")
        return any(wanted in line.casefold() for line in self._lines)

    def line(self, key: str, /, **places: str) -> str | None:
        """Return a line to speak and count it as said; None when every variant would repeat something.

        Args:
            key: which text.
            places: what its places hold; a variant with an empty place is passed over.
        """
        silent = key.startswith(("emote.", "think."))
        for template in self._shuffled(key):
            text = fill(template, self._me | places)
            if text and not (text in self._silent if silent else repeats(text, self._lines)):
                self._count += 1
                self._used[template] = self._count
                (self._silent if silent else self._lines).append(text)
                return text if key.startswith("emote.") else text[0].upper() + text[1:]
        return None

    def plain(self, key: str, /, **places: str) -> str:
        """Return a text that is not spoken, such as a reason or a point in time; empty when there is none."""
        return next((text for each in self._shuffled(key) if (text := fill(each, self._me | places))), "")

    def share(self, key: str) -> float:
        """Return how readily the voice does something, 0 to 1, from its `manner`."""
        word = next(iter(self._variants(self.name, key)), "sometimes")
        return SHARES.get(word.strip().casefold(), SHARES["sometimes"])

    def _shuffled(self, key: str) -> list[str]:
        """Return the variants of a text by chance, those not used lately first."""
        variants = list(self._variants(self.name, key))
        self._rng.shuffle(variants)
        used, oldest = self._used, self._count - 3 * WINDOW
        return sorted(variants, key=lambda template: number if (number := used.get(template, 0)) > oldest else 0)
