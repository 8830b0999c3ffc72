"""One character's memory behind one interface: append, show, end a turn, compact, put away (seed 004).

Storage and compaction are implemented by the classes below it. Nothing here deletes anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from agents.compaction.due import changes_nothing
from agents.compaction.engine import Compactor
from agents.compaction.folds import Commit
from agents.compaction.view import MaskLog
from agents.memory.entries import Entry
from agents.memory.memory import Memory, View
from mud.clock import Clock
from mud.errors import Unavailable
from mud.storage.paths import make_folder, move
from mud.world.events import Perception

TRASH = ".trash"
PARTS = ("archive", "summaries", "notes", "journal.md", "journal-history.md", "mind.md")
"""The files and folders of a memory; `agent.md`, the definition of the character, is not one of them."""


class CharacterMemory:
    """One character's memory. `fold_soon` starts due folds on the event loop; without it they run at once, by rules."""

    def __init__(
        self,
        memory: Memory,
        compactor: Compactor,
        masks: MaskLog,
        clock: Clock,
        fold_soon: Callable[[], None] | None = None,
        forget: Callable[[], None] = lambda: None,
    ) -> None:
        self._memory, self._compactor, self._masks, self._clock = memory, compactor, masks, clock
        self._fold_soon, self._forget = fold_soon or compactor.fold_due_now, forget
        self._troubled = False

    @property
    def is_empty(self) -> bool:
        return self._memory.total + self._memory.waiting == 0

    def append(self, perceived: Sequence[Perception], at: str, source: int) -> list[Entry]:
        return self._memory.append(perceived, at, source)

    def context(self, most: int | None = None) -> View:
        return self._compactor.view.shown(most)

    def next_turn(self) -> None:
        """End a turn: record newly masked results, then fold what is due. Never raises."""
        if not self._troubled and changes_nothing(self._compactor.view):
            return  # the case after nearly every memory
        try:
            self._masks.turn()
        except Exception as error:  # masking only saves tokens; its failure must not stop the agent
            self._troubled = True
            self._memory.note_trouble("micro", f"masked results could not be written down ({error})")
        else:
            self._troubled = False
            self._memory.note_trouble("micro", None)
        if self._compactor.due():
            self._fold_soon()

    async def compact(self, reason: str) -> Commit | None:
        """Fold everything that may be folded; return None when that is nothing (the compactor's `notice` says why)."""
        return await self._compactor.fold_now(reason)

    def clear(self) -> Path | None:
        """Move the whole memory to the trash and start an empty one; return the folder there, None for nothing.

        Raises:
            Unavailable: when it cannot be moved; nothing has changed then.
        """
        memory = self._memory
        if self._compactor.busy:
            raise Unavailable(f"the memories of {memory.name} are being folded; nothing was put away")
        must_be_written(memory)
        folder = memory.folder
        there = [part for part in PARTS if (folder / part).exists()]
        if not there:
            return None
        memory.close()
        try:
            return _move(folder, there, trash_of(folder, self._clock.now()))
        except OSError as error:
            raise Unavailable(f"the memories of {memory.name} cannot be put away ({error})") from error
        finally:
            self.reopen()

    def reopen(self) -> None:
        """Read the memory anew from its folder; entries not yet written are dropped."""
        self._memory.open(writable=True)
        self._compactor.forget()
        self._masks.forget()
        self._forget()


def must_be_written(memory: Memory) -> None:
    """Write all pending entries to the archive before its folder is moved; raises Unavailable when it cannot."""
    memory.retry()
    if memory.waiting or memory.missing_from is not None:
        raise Unavailable(f"the archive of {memory.name} cannot be written, so something would be lost")
    memory.sync()


def trash_of(folder: Path, now: datetime) -> Path:
    """Return an unused path in the vault's trash for a character's folder, named by folder and time."""
    stem = f"{folder.name}-{now:%Y%m%d-%H%M%S}"
    trash, number = folder.parent.parent / TRASH, 1
    while (found := trash / (stem if number == 1 else f"{stem}-{number}")).exists():
        number += 1
    return found


def _move(folder: Path, parts: Sequence[str], target: Path) -> Path:
    """Move parts of a folder, all or none."""
    make_folder(target, above=True)
    moved: list[str] = []
    try:
        for part in parts:
            move(folder / part, target / part)
            moved.append(part)
    except OSError:
        for part in moved:
            move(target / part, folder / part)
        target.rmdir()
        raise
    return target
