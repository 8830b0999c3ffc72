"""A world with builders in it, and what its files say."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from mud.clock import VirtualClock
from mud.server.checks import check_files
from mud.world.roles import Role
from tests.unit.mud.server.lobby import Lobby, Seat, lobby

CONTENT = ("world/locations", "world/items", "world/characters", "config")


def content(vault: Path) -> dict[str, bytes]:
    """Return what the world's files, the settings and the agents' definitions hold."""
    paths = [path for folder in CONTENT for path in (vault / folder).rglob("*.md")]
    paths += [path for path in vault.glob("agents/*/agent.md") if not (path.parent / ".gitignore").exists()]
    return {path.relative_to(vault).as_posix(): path.read_bytes() for path in paths}


class Site:
    """A lobby in which Bert is a builder, in The Garden."""

    def __init__(self, hall: Lobby) -> None:
        self.hall, self.vault = hall, hall.parts.vault
        self.world = hall.home.engine.world
        self.bert = hall.enter("Bert", Role.BUILDER)

    async def type(self, *lines: str, seat: Seat | None = None) -> str:
        """Type lines, Bert's unless somebody else's seat is given; return what was shown last."""
        at = seat or self.bert
        begun = len(at.messages)
        for line in lines:
            at.session.type(line)
            while at.session.waiting:
                await asyncio.sleep(0)
        return at.last if len(at.messages) > begun else ""

    def text(self, file: str) -> str:
        return (self.vault / file).read_text("utf-8")

    def write(self, file: str, text: str) -> None:
        """Save a file as a person does in an editor, without its being noticed yet."""
        (self.vault / file).write_bytes(text.encode())

    def problems(self) -> list[str]:
        return list(map(str, check_files(self.vault)))


@asynccontextmanager
async def site(folder: Path) -> AsyncIterator[Site]:
    """Open a world for builders."""
    async with lobby(folder, VirtualClock()) as hall:
        yield Site(hall)
