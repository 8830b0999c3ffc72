"""Garbage collection that never stops the event loop for long.

A full collection goes through every object; of modules, a world and agents that is 20 to 40 ms, and more with every
person. So what was there is left out from then on, until there is time to look at everything again.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

OLDEST = 2
"""The generation of a full collection."""
OFTEN = (700, 3, 3)
"""Thresholds with which a full collection goes through some ten thousand new objects. With Python's own it is eighty
thousand, which among ten thousand agents stopped the event loop for 60 to 130 ms every ten seconds."""


def spare_what_stays() -> None:
    """Collect what is garbage now, and leave everything else out of later collections."""
    gc.collect()
    gc.freeze()
    gc.collect()  # of nothing: the next one by itself waits for a quarter as many new objects as this one leaves


def collect_all() -> None:
    """Collect all garbage, also of what was left out so far. It takes some tenths of a second."""
    gc.unfreeze()
    spare_what_stays()


@contextmanager
def no_collections() -> Iterator[None]:
    """Collect nothing within the block, and leave out of later collections the very many objects that it makes."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


@contextmanager
def short_collections() -> Iterator[None]:
    """Within the block collect often, and also leave out what each full collection found to be in use.

    What becomes garbage of that, and is part of a cycle, is collected by `collect_all` only.
    """
    spare_what_stays()
    usual = gc.get_threshold()
    gc.set_threshold(*OFTEN)
    gc.callbacks.append(_spare_survivors)
    try:
        yield
    finally:
        gc.callbacks.remove(_spare_survivors)
        gc.set_threshold(*usual)


def _spare_survivors(phase: str, info: dict[str, int]) -> None:
    if phase == "stop" and info["generation"] == OLDEST:
        gc.freeze()
