"""A line whose answer takes longer than a program waits, and the one after it."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.houses import PATIENCE
from tests.settings import put
from tests.telnet import GENEROUS
from tests.unit.agents.llm.stage import HandClock, settle
from tests.unit.mud.portal.mcp.stage import playing
from tests.unit.mud.portal.web.stage import served
from tests.vaults import copy_vault


async def test_a_late_answer_comes_with_that_to_the_next_line_which_is_whole(tmp_path: Path) -> None:
    put(copy_vault(tmp_path), "doors", mcp_wait_seconds=5.0, **GENEROUS)
    clock = HandClock()
    async with served(tmp_path, clock) as world, playing(world) as program:
        await program.do("say", words="the pears are ripe")
        await program.do("say", words="the plums are blue")
        index = world.home.parts.recall.lives[world.character("Robin")]
        async with index.correcting:
            asked = asyncio.ensure_future(program.do("recall", query="pears"))
            async with asyncio.timeout(PATIENCE):
                while not asked.done():
                    clock.advance(0.5)
                    await settle()
            assert await asked == "That takes a while; its answer comes with a later one."
            asked = asyncio.ensure_future(program.do("recall", query="plums"))
            for _ in range(20):  # it has come there by then
                await program.tools()
                await settle()
        told = await asyncio.wait_for(asked, PATIENCE)
        assert told.index('for "pears"') < told.index('for "plums"')
