"""Notes that people write with an editor of their own while the world runs: recall finds them as they are now.

Real files, the real watcher on the machine's clock, and an index of words alone.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from agents.agent import Agent
from mud.server.reloading import Reloading
from mud.server.wiring import RealClock
from tests.houses import House, house
from tests.vaults import copy_vault, without_vectors

LONGEST = 20.0
"""Seconds that a loaded machine gets for what takes one."""


class Desk:
    """Ann in a world that is watched, and an editor open on the folder of her notes."""

    def __init__(self, home: House, ann: Agent) -> None:
        self.home, self.ann = home, ann
        self.notes = ann.folder / "notes"

    async def found(self, question: str) -> list[str]:
        """Return the titles of the notes that a question finds."""
        hits, _ = await self.home.parts.recall.search(self.ann.id, question, 5, "notes")
        return [hit.title or "" for hit in hits]

    async def until(self, question: str, titles: list[str]) -> None:
        """Ask again and again until a question finds these notes."""
        end = time.monotonic() + LONGEST
        while (found := await self.found(question)) != titles:
            assert time.monotonic() < end, found
            await asyncio.sleep(0)

    async def recalled(self, question: str) -> list[str]:
        """Return the lines of the notes among what is recalled in the world."""
        reply = (await self.home.ask(self.ann, f"recall {question}")).reply
        return [line.strip() for line in reply.split("\n") if line.startswith("  your note ")]


@asynccontextmanager
async def desk(folder: Path) -> AsyncIterator[Desk]:
    """Open a world with Ann in it, watched as `run` watches it."""
    without_vectors(copy_vault(folder))
    async with house(folder, RealClock()) as home:
        ann = home.enter("Ann")
        await home.minds.catch_up(ann)
        reloading = Reloading(home.parts, lambda text: None)
        watching = asyncio.create_task(reloading.watcher.run())
        await asyncio.sleep(0)
        try:
            yield Desk(home, ann)
        finally:
            watching.cancel()
            with pytest.raises(asyncio.CancelledError):
                await watching
            await reloading.stop()


async def test_a_note_made_edited_renamed_and_deleted_by_hand_is_recalled_as_it_is(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        at.notes.mkdir()  # an editor may make the folder too
        raw = "---\r\naliases: [Airship]\r\n---\r\n# Zeppelin\r\n\r\nIt lands on Tuesdays.\r\n"
        path = at.notes / "My zeppelin.md"
        path.write_bytes(raw.encode())
        await at.until("zeppelin tuesdays", ["Zeppelin"])
        assert await at.recalled("zeppelin") == ['your note "Zeppelin", undated: It lands on Tuesdays.']

        path.write_bytes(raw.replace("Tuesdays", "Fridays").encode())
        await at.until("tuesdays", [])
        assert await at.found("fridays") == ["Zeppelin"]

        path.rename(at.notes / "airships.md").write_bytes(raw.replace("# Zeppelin", "# Big Balloon").encode())
        await at.until("balloon", ["Big Balloon"])
        assert await at.found("zeppelin") == []
        assert (await at.home.ask(at.ann, "notes airship")).reply == "Big Balloon\n  It lands on Tuesdays."

        (at.notes / "airships.md").unlink()
        await at.until("balloon", [])


async def test_a_hand_edit_stands_beside_what_is_noted_and_survives_an_overwrite(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        await at.home.ask(at.ann, "note Pier -> The ferry goes at noon.")
        path = at.notes / "pier.md"
        edited = path.read_text(encoding="utf-8").replace("# Pier\n", "# Pier\n\nMine: mind the *third* plank.\n")
        path.write_text(edited, encoding="utf-8")
        await at.until("third plank", ["Pier"])
        assert await at.recalled("third plank") == ['your note "Pier", just now: Mine: mind the *third* plank.']

        await at.home.ask(at.ann, "@overwrite-note Pier -> There is no ferry.")
        assert await at.found("third plank") == []
        (kept,) = (at.notes / "history").iterdir()
        assert kept.read_text(encoding="utf-8") == edited
        kept.write_text(edited + "Mine too: a zeppelin.\n", encoding="utf-8")
        (at.notes / "last.md").write_text("This one comes last.\n", encoding="utf-8")
        await at.until("last", ["last"])
        assert await at.found("zeppelin third") == []
        assert "a zeppelin" in (await at.home.ask(at.ann, "@note-history Pier")).reply
