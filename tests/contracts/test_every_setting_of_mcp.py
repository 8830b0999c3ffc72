"""The settings for programs that come in over MCP."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from mcp import MCPError

from tests.houses import PATIENCE
from tests.settings import proves, put
from tests.unit.agents.llm.stage import HandClock, settle
from tests.unit.mud.portal.mcp.stage import playing
from tests.unit.mud.portal.web.stage import served
from tests.vaults import copy_vault


@proves("doors.mcp")
async def test_programs_come_in_only_where_they_may(tmp_path: Path) -> None:
    put(copy_vault(tmp_path), "doors", mcp=False)
    async with served(tmp_path) as world:
        with pytest.raises(MCPError, match="Nobody comes in over MCP here"):
            async with playing(world):
                pass


@proves("doors.mcp_wait_seconds")
async def test_a_program_waits_no_longer_than_is_set(tmp_path: Path) -> None:
    put(copy_vault(tmp_path), "doors", mcp_wait_seconds=5.0)
    clock = HandClock()
    async with served(tmp_path, clock) as world, playing(world) as program:
        tool = (await program.tools())["wait"]
        assert tool.input_schema["properties"]["seconds"]["maximum"] == 5.0
        await program.do("look")
        waited = clock.monotonic()
        waiting = asyncio.ensure_future(program.do("wait", seconds=500))
        async with asyncio.timeout(PATIENCE):
            while not waiting.done():
                clock.advance(0.5)
                await settle()
        assert await waiting == "Nothing happened."
        assert clock.monotonic() - waited >= 5


@proves("doors.mcp_stay_minutes")
async def test_a_character_stays_awake_for_so_long_after_its_programs_last_request(tmp_path: Path) -> None:
    put(copy_vault(tmp_path), "doors", mcp_stay_minutes=1.0)
    clock = HandClock()
    async with served(tmp_path, clock) as world:
        async with playing(world) as program:
            await program.do("look")
        gone = clock.monotonic()
        async with asyncio.timeout(PATIENCE):
            while world.people.sessions.of(world.character("Robin")):
                clock.advance(5)
                await settle()
        assert clock.monotonic() - gone >= 60
