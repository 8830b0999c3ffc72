"""Places of other running worlds, written `loci://HOST[:PORT]/PLACE` where an exit names what it leads to."""

from __future__ import annotations

import re
from typing import NamedTuple

SCHEME = "loci://"
_FORM = re.compile(r"loci://(?P<host>[^\s/@?#\"]{1,255})/(?P<place>[^\s/](?:[^/\n]{0,120}[^\s/])?)")


class Elsewhere(NamedTuple):
    """A place of another world; `host` is that world's address, with its port if it has one."""

    host: str
    place: str

    def __str__(self) -> str:
        return f"{SCHEME}{self.host}/{self.place}"


class Journey(NamedTuple):
    """Where a character went that is in this world no more.

    Args:
        to: the place, as `Elsewhere` writes it.
        ticket: names this one journey, in both worlds.
        settled: the other world has said that the character is there.
        home: it came from that world, and is no traveller any more once it is there.
    """

    to: str
    ticket: str
    settled: bool = False
    home: bool = False

    @property
    def goal(self) -> Elsewhere:
        return elsewhere(self.to) or Elsewhere("", self.to)


def leads_out(to: str) -> bool:
    """Return whether the target of an exit is meant to be in another world."""
    return to.startswith(SCHEME)


def elsewhere(to: str) -> Elsewhere | None:
    """Return the place of another world that a text names; None when it names none."""
    found = _FORM.fullmatch(to.strip())
    return Elsewhere(found["host"].lower(), found["place"]) if found else None
