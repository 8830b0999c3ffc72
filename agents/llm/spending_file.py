"""What was spent, kept through restarts in `log/spending.json` of a vault.

It is what the program counted, so it is neither the owner's (config) nor made anew from anything (`.index`). A broken
file costs the counts and nothing else: a world must not fail to start because of it.
"""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

from agents.llm.budget import ModelBudget
from mud.clock import Clock
from mud.errors import VaultProblem
from mud.storage.files import read_if_there, write_atomic
from mud.storage.paths import make_folder

log = logging.getLogger(__name__)

FILE = "log/spending.json"
SAVE_EVERY = 1.0
"""Seconds between two looks whether something was spent: what a kill makes forgotten at most."""


def read_spending(vault: Path, budget: ModelBudget) -> None:
    """Take over what was spent before, as far as the file can be read."""
    try:
        text = read_if_there(vault / FILE, file=FILE)
    except (VaultProblem, OSError) as error:
        log.warning("what was spent on models before cannot be read: %s", error)
        return
    if text is not None and not budget.spending.load(text):
        log.warning("%s cannot be read in full; what it does not say counts as not spent", FILE)


def write_spending(vault: Path, budget: ModelBudget) -> None:
    """Write what was spent, if anything was since it was last written."""
    if budget.spending.changed:
        _write(vault, budget.spending.dump())


async def keep_spending(vault: Path, budget: ModelBudget, clock: Clock) -> None:
    """Write what was spent, and tell when a limit is over, for ever."""
    while True:
        await clock.sleep(SAVE_EVERY)
        budget.review()
        if budget.spending.changed:
            await asyncio.to_thread(_write, vault, budget.spending.dump())


def _write(vault: Path, text: str) -> None:
    try:
        make_folder((vault / FILE).parent)
        write_atomic(vault / FILE, text)
    except OSError as error:  # a full disk; the next spending is written with this one
        log.warning("what was spent on models cannot be written: %s", error)
