"""A running world whose vault is edited by a test's hand."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from agents.life.scheduler import Scheduler
from mud.server.checks import check_texts
from mud.server.reloading import Reloading
from mud.storage.files import write_atomic
from tests.houses import House, house, puppet
from tests.unit.agents.llm.stage import HandClock


class Edited:
    """A vault that is edited under a running world."""

    def __init__(self, home: House, living: Scheduler, clock: HandClock) -> None:
        self.home, self.living, self.clock = home, living, clock
        self.vault = home.parts.vault
        self.told: list[str] = []
        self.reloading = Reloading(home.parts, self.told.append, living)

    def write(self, file: str, text: str) -> None:
        """Save a file as an editor does, and have the change noticed."""
        write_atomic(self.vault / file, text)
        self.noticed(file)

    def replace(self, file: str, old: str, new: str) -> None:
        """Change some words of a file, and have the change noticed."""
        text = (self.vault / file).read_text(encoding="utf-8")
        assert old in text
        self.write(file, text.replace(old, new))

    def noticed(self, *files: str) -> None:
        """Report files as the watcher does."""
        self.reloading.changed(frozenset(self.vault / file for file in files))


@asynccontextmanager
async def edited(tmp_path: Path) -> AsyncIterator[Edited]:
    """Open a copy of the shipped vault, with agents that hum, to be edited."""
    clock = HandClock()
    async with house(tmp_path, clock) as home:
        # As `run` does, so that edits are held to what the program says.
        assert all("came with the program" in one.message for one in check_texts(home.parts.texts))
        living = home.living(brains=[puppet(lambda here: "emote hums")], override="puppet")
        for agent in home.minds.opened():
            living.begin(agent)
        edited = Edited(home, living, clock)
        try:
            yield edited
        finally:
            await living.stop()
            await edited.reloading.stop()
