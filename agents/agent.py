"""One agent, put together: who it is, what it remembers, and, while it lives, how it perceives and thinks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from agents.actor import Actor
from agents.compaction.compactor import Compactor
from agents.compaction.settings import CompactionSettings
from agents.definition import Definition
from agents.memory.memory import Memory
from agents.memory.notes import Notes
from agents.recall.documents import IndexedDocument, documents_of
from agents.thinker import Thinker


@dataclass
class Agent:
    """One agent or person.

    Args:
        definition: who it is; replaced when its file is edited.
        folder: `vault/agents/<slug>`.
        memory: what it lived through.
        notes: its notes.
        compactor: folds its memories.
        settings: its compaction settings of the moment.
        actor: its senses and hands.
        thinker: decides for it; None for a person, and while nobody thinks.
    """

    definition: Definition
    folder: Path
    memory: Memory
    notes: Notes
    compactor: Compactor
    settings: Callable[[], CompactionSettings]
    actor: Actor
    thinker: Thinker | None = None

    @property
    def name(self) -> str:
        """Its name as shown."""
        return self.definition.name

    @property
    def id(self) -> str:
        """Id of its character."""
        return self.definition.id

    @property
    def slug(self) -> str:
        """Name of its folder."""
        return self.definition.slug

    def documents(self) -> list[IndexedDocument]:
        """Return what is to be found by meaning: every summary ever made, as it now reads, and every note."""
        memory = self.memory
        in_use = [summary for summary in (memory.longterm, memory.recent) if summary is not None]
        return documents_of([*memory.versions(), *in_use], self.notes.all())
