"""Numbers of memories and seconds in words."""

from __future__ import annotations

from collections.abc import Callable

from mud.world.narration import phrase

MEMORY = phrase("minds.count.memory")
MEMORIES = phrase("minds.count.memories", "n")
SECOND = phrase("minds.count.second")
SECONDS = phrase("minds.count.seconds", "n")


def memories(say: Callable[..., str], count: int) -> str:
    return say(MEMORY) if count == 1 else say(MEMORIES, n=f"{count:,}")


def seconds(say: Callable[..., str], count: float) -> str:
    """Word an interval, to follow `every`."""
    return say(SECOND) if count == 1 else say(SECONDS, n=f"{count:g}")
