"""Who does not think now: agents that were paused, and the one character that the owner controls."""

from __future__ import annotations

from typing import NamedTuple


class Possession(NamedTuple):
    """A character that the owner controls. `who` and `owner` are ids of characters."""

    slug: str
    who: str
    name: str
    owner: str


class PauseState:
    def __init__(self) -> None:
        self.possession: Possession | None = None
        """One character at a time."""
        self._everybody = False
        self._otherwise: set[str] = set()
        """Folders for which the opposite of `_everybody` holds."""

    def rests(self, slug: str) -> bool:
        """Return whether an agent does not think now, being paused or controlled by the owner."""
        return self.paused(slug) or (self.possession is not None and self.possession.slug == slug)

    def paused(self, slug: str) -> bool:
        return (slug in self._otherwise) != self._everybody

    def pause(self, slug: str, *, paused: bool) -> None:
        if self.paused(slug) != paused:
            self._otherwise ^= {slug}

    def pause_all(self, *, paused: bool) -> None:
        """Pause or resume all agents, also those added later."""
        self._everybody = paused
        self._otherwise.clear()

    def leads(self, owner: str) -> Possession | None:
        """Return what the owner with this character id controls."""
        return self.possession if self.possession is not None and self.possession.owner == owner else None
