"""One character's memory as a whole: what happens at the end of a turn, and when its files were changed by hand."""

from __future__ import annotations

from collections.abc import Callable

from agents.compaction.due import changes_nothing
from agents.compaction.engine import Compactor
from agents.compaction.view import MaskLog
from agents.memory.memory import Memory

TRASH = ".trash"
PARTS = ("archive", "summaries", "notes", "journal.md", "journal-history.md", "mind.md")
"""The files and folders of a memory; `agent.md`, the definition of the character, is not one of them."""


class CharacterMemory:
    """One character's memory. `fold_soon` starts due folds; `forget` drops what was computed from the old files."""

    def __init__(
        self,
        memory: Memory,
        compactor: Compactor,
        masks: MaskLog,
        fold_soon: Callable[[], object],
        forget: Callable[[], None] = lambda: None,
    ) -> None:
        self._memory, self._compactor, self._masks = memory, compactor, masks
        self._fold_soon, self._forget = fold_soon, forget
        self._troubled = False

    def next_turn(self) -> None:
        """End a turn: record newly masked results, then fold what is due. Never raises."""
        if not self._troubled and changes_nothing(self._compactor.view):
            return  # the case after nearly every memory
        trouble = None
        try:
            self._masks.turn()
        except Exception as error:  # masking only saves tokens; its failure must not stop the agent
            trouble = f"masked results could not be written down ({error})"
        self._troubled = trouble is not None
        self._memory.note_trouble("micro", trouble)
        if self._compactor.due():
            self._fold_soon()

    def reopen(self) -> None:
        """Read the memory anew from its folder; entries not yet written are dropped."""
        self._memory.open(writable=True)
        self._compactor.forget()
        self._masks.forget()
        self._forget()
