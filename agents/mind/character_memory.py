"""A life: one character's memory as a whole, behind the six things that can be done with it (seed 004).

It keeps, shows, ends a turn, folds when asked, is put away, and tells whether there is anything. What is kept and how
it is folded is decided below; nothing here deletes anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from agents.compaction.due import changes_nothing
from agents.compaction.engine import Compactor
from agents.compaction.folds import Commit
from agents.compaction.masking import MaskLog
from agents.memory.entries import Entry
from agents.memory.memory import Memory, View
from mud.clock import Clock
from mud.errors import Unavailable
from mud.storage.paths import make_folder, move
from mud.world.events import Perception

TRASH = ".trash"
"""The vault's folder of what was put away."""
PARTS = ("archive", "summaries", "notes", "journal.md", "journal-history.md", "mind.md")
"""What a life is made of in its folder; who somebody is, `agent.md`, is no part of it."""


class CharacterMemory:
    """One character's life.

    Args:
        memory: what it is kept in.
        compactor: what folds it.
        masks: what takes note of masked results.
        clock: the time.
        fold_soon: begins what is due, where there is an event loop to do it in; None to fold at once, by rules.
        forget: is told when the life is put away and another begins.
    """

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
        """Masked results could not be written down last time."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is remembered."""
        return self._memory.total + self._memory.waiting == 0

    def append(self, perceived: Sequence[Perception], at: str, source: int) -> list[Entry]:
        """Keep what one step left; see `Memory.append`."""
        return self._memory.append(perceived, at, source)

    def context(self, most: int | None = None) -> View:
        """Return the life as it is shown now; see `StrategyView.shown`."""
        return self._compactor.view.shown(most)

    def next_turn(self) -> None:
        """End a turn: what is masked from now on is written down, then what is due is folded. Never raises."""
        if not self._troubled and changes_nothing(self._compactor.view):
            return  # as after nearly every memory
        try:
            self._masks.turn()
        except Exception as error:  # masks are a saving; whoever lives on must not be kept from it
            self._troubled = True
            self._memory.note_trouble("micro", f"masked results could not be written down ({error})")
        else:
            self._troubled = False
            self._memory.note_trouble("micro", None)
        if self._compactor.due():
            self._fold_soon()

    async def compact(self, reason: str) -> Commit | None:
        """Fold everything that may be folded; None when that is nothing, and the compactor's `notice` says why.

        Args:
            reason: who asked, such as `manual`.
        """
        return await self._compactor.fold_now(reason)

    def clear(self) -> Path | None:
        """Put the whole life away, as `@forget` does with its character, and begin anew with nothing remembered.

        The index finds out by itself that another life begins, when it next catches up with it.

        Returns:
            The folder in the trash where it lies now; None when there was nothing.

        Raises:
            Unavailable: when it cannot be put away; then it is as it was.
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
        """Take the life up as its folder holds it now; what waits to be written is forgotten.

        Raises:
            Unavailable: when its files cannot be read, or not be written.
        """
        self._memory.open(writable=True)
        self._compactor.forget()
        self._masks.forget()
        self._forget()


def must_be_written(memory: Memory) -> None:
    """Make sure that everything remembered stands in the archive, before its folder is moved.

    Raises:
        Unavailable: when the archive cannot be written; it would be lost.
    """
    memory.retry()
    if memory.waiting or memory.missing_from is not None:
        raise Unavailable(f"the archive of {memory.name} cannot be written, so something would be lost")
    memory.sync()


def trash_of(folder: Path, now: datetime) -> Path:
    """Return where in the vault's trash a character's folder goes; nothing is there yet.

    Args:
        folder: `vault/agents/<slug>`.
        now: the moment, which becomes part of the name.
    """
    stem = f"{folder.name}-{now:%Y%m%d-%H%M%S}"
    trash, number = folder.parent.parent / TRASH, 1
    while (found := trash / (stem if number == 1 else f"{stem}-{number}")).exists():
        number += 1
    return found


def _move(folder: Path, parts: Sequence[str], target: Path) -> Path:
    """Move parts of a folder, all or none.

    Raises:
        OSError: when one cannot be moved; those before it are back.
    """
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
