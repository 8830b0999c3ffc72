"""Whose own thinking rests: who is paused, and the one whose body the owner has taken over.

It holds for as long as the world runs; whoever opens it again finds everybody thinking.
"""

from __future__ import annotations

from typing import NamedTuple


class Possession(NamedTuple):
    """Somebody who is led by the owner.

    Args:
        slug: their folder.
        who: id of their character.
        name: their name.
        owner: id of the owner's own character.
    """

    slug: str
    who: str
    name: str
    owner: str


class PauseState:
    """Knows whose thinking rests."""

    def __init__(self) -> None:
        self.possession: Possession | None = None
        """The one whom the owner leads; one at a time."""
        self._everybody = False
        self._otherwise: set[str] = set()
        """Folders of those for whom the opposite holds."""

    def rests(self, slug: str) -> bool:
        """Return whether the agent in a folder does not think now."""
        return self.paused(slug) or (self.possession is not None and self.possession.slug == slug)

    def paused(self, slug: str) -> bool:
        """Return whether the agent in a folder is paused."""
        return (slug in self._otherwise) != self._everybody

    def pause(self, slug: str, *, paused: bool) -> None:
        """Pause the agent in a folder, or let it go on."""
        if self.paused(slug) != paused:
            self._otherwise ^= {slug}

    def pause_all(self, *, paused: bool) -> None:
        """Pause everybody there is and who is still to come, or let everybody go on."""
        self._everybody = paused
        self._otherwise.clear()

    def leads(self, owner: str) -> Possession | None:
        """Return whom the owner with this character leads; None for nobody."""
        return self.possession if self.possession is not None and self.possession.owner == owner else None
