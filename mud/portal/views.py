"""What doors show owners of the minds and of the program's inside: questions that `mud.server` answers.

Every answer can be written as JSON and is bounded, however long a life is. A question about somebody or something that
there is not raises LociError with a sentence for people.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

Json = dict[str, Any]


class MindViews(Protocol):
    """Questions about the memories of agents and people; `agent` is a name, slug or id."""

    def everybody(self) -> list[Json]:
        """Return who has a memory."""

    async def life(self, agent: str) -> Json:
        """Return a life as figures: its tiers, folds, importance, sleep and thoughts."""

    async def fold(self, agent: str, tier: str, file: str) -> Json:
        """Return one version of a summary, with its receipt."""

    async def prompt(self, agent: str) -> Json:
        """Return the prompt of now by sections, and what was left out of it."""

    async def lines(self, agent: str, before: int) -> Json:
        """Return what an agent said and did, newest first, before a memory unless 0."""

    async def why(self, agent: str, seq: int) -> Json:
        """Return how the line behind a memory came about, and the memory's line in the archive."""

    async def archive(self, agent: str, first: int) -> Json:
        """Return some memories in full, from a number on."""

    async def search(self, agent: str, query: str, only: str | None) -> Json:
        """Return what recall finds, with all parts of the scores."""

    async def graph(self, agent: str) -> Json:
        """Return an agent's notes and the people it met, and how they are connected."""

    async def evening(self, one: str, other: str, since: str, until: str) -> Json:
        """Return what two agents remember of one time, side by side; an empty time is that of their last meeting."""


class WorldViews(Protocol):
    """Questions about the running program, and the change of a setting."""

    def chronicle(self) -> list[Json]:
        """Return the newest public events, oldest first."""

    def follow(self, show: Callable[[Json], None]) -> Callable[[], None]:
        """Have each public event shown from now on; return what ends that."""

    def models(self) -> Json:
        """Return how the language models are doing."""

    def cost(self) -> Json:
        """Return what was spent on models, by agent and by day, and the limits."""

    def settings(self) -> list[Json]:
        """Return every setting with its value, where that is set, its help and its bounds."""

    async def change(self, file: str, key: str, typed: str, was: str) -> Json:
        """Set a setting in its file and return it as it holds now.

        Raises LociError when the value would be a mistake, or when the setting is no longer `was`.
        """

    async def problems(self) -> list[Json]:
        """Return what is wrong in the files of the vault."""


class OwnerViews(NamedTuple):
    minds: MindViews
    world: WorldViews
