"""Whose own thinking rests: who is paused, and the one whose body the owner has taken over.

It holds for as long as the world runs; whoever opens it again finds everybody thinking.
"""

from __future__ import annotations


class Resting:
    """Knows whose thinking rests."""

    def __init__(self) -> None:
        self.possessed: str | None = None
        """Folder of the one whose body the owner has taken over."""
        self.possessor: str | None = None
        """Id of the owner's own character, while there is one possessed."""
        self._everybody = False
        self._otherwise: set[str] = set()
        """Folders of those for whom the opposite holds."""

    def rests(self, slug: str) -> bool:
        """Return whether the agent in a folder does not think now."""
        return slug == self.possessed or self.paused(slug)

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

    def possess(self, slug: str, owner: str) -> None:
        """Let the one in a folder be led by the owner, whose own character has this id."""
        self.possessed, self.possessor = slug, owner

    def release(self) -> None:
        """Give back whoever is possessed."""
        self.possessed = self.possessor = None
