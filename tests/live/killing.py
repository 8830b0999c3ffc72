"""A world that is killed while somebody types as fast as answers come."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterable
from pathlib import Path

from tests.processes import Running


def opened(vault: Path) -> Running:
    """Start a world without agents, and wait until Ann is in it."""
    world = Running(vault, "--no-agents", "--as", "Ann")
    world.read_until("Exits:")
    return world


def answered_until_killed(
    world: Running, lines: Iterable[tuple[str, str]], longest: float, chance: random.Random
) -> int:
    """Type lines, each with a part of its answer, until another thread kills the world; return how many were answered.

    Args:
        longest: seconds within which the world is killed.
    """
    answered = 0
    killer = threading.Timer(chance.uniform(0.0, longest), world.kill)
    killer.start()
    try:
        for line, answer in lines:
            world.say(line, answer)
            answered += 1
    except AssertionError:  # the world is gone
        pass
    finally:
        killer.join()
    return answered
