"""Waiting until the disk has the archives: singly, or of very many with the whole file system at once."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from agents.memory.memory import Memory
from mud.storage.files import sync_file_system

SYNCED_SINGLY = 64
"""Archives that are synced one by one at most."""


def sync_archives(memories: Sequence[Memory], vault: Path) -> list[bool]:
    """Wait until the disk has every archive; return of each whether the disk confirmed it. May run in a thread."""
    unsynced = [memory for memory in memories if memory.unsynced]
    if len(unsynced) > SYNCED_SINGLY and _synced_at_once(unsynced, vault):
        return [True] * len(memories)
    return [memory.sync() for memory in memories]


def _synced_at_once(memories: Sequence[Memory], vault: Path) -> bool:
    with suppress(OSError), ExitStack() as stack:
        for memory in memories:
            stack.enter_context(memory.synced_elsewhere())
        sync_file_system(vault)
        return True
    return False
