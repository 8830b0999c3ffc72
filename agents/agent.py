"""One agent, put together: who it is, what it remembers, and, while it lives, how it perceives and thinks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from agents.actor import Actor
from agents.compaction.compactor import Compactor
from agents.compaction.plan import CompactionSettings
from agents.definition import Definition
from agents.memory.memory import Memory
from agents.memory.notes import Notes
from agents.memory.summaries import Summary
from agents.recall.documents import IndexedDocument
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

    def documents(self) -> Iterator[IndexedDocument]:
        """Yield what is to be found by meaning: every summary ever made, as it now reads, and every note."""
        now = self.memory.recent
        for version in self.memory.versions():
            summary = now if now is not None and now.covers == version.covers else version
            yield _summary_document(f"recent-{version.covers[0]}-{version.covers[1]}", summary)
        if self.memory.longterm is not None:
            yield _summary_document("longterm", self.memory.longterm)
        for note in self.notes.all():
            yield IndexedDocument(f"notes/{note.slug}", "note", note.text, note.title, None, note.updated)


def _summary_document(key: str, summary: Summary) -> IndexedDocument:
    return IndexedDocument(f"summaries/{key}", "summary", summary.text, "", summary.covers, summary.updated)
