from __future__ import annotations

import asyncio
from pathlib import Path

from agents.llm.queue import Urgency
from mud.world.roles import Role
from tests.houses import House, house
from tests.settings import put
from tests.unit.agents.llm.stage import HandClock, settle
from tests.vaults import copy_vault


async def status(home: House, role: Role = Role.OWNER) -> list[str]:
    ann = home.minds.find("Ann") or home.enter("Ann")
    return (await home.ask(ann, "@llm-status", role)).reply.splitlines()


async def test_it_shows_profiles_hosts_models_and_how_their_calls_ended(tmp_path: Path) -> None:
    put(copy_vault(tmp_path), "llm/think", backend="scripted", model="look")
    async with house(tmp_path, HandClock()) as home:
        title, columns, *lines = await status(home)
        assert title == "How the language models are doing (times are those of UTC):"
        assert [one.split()[0] for one in lines] == ["summarizer", "http://127.0.0.1:8080", "think", "the"]
        assert "never asked" in lines[1]
        assert "never asked" in lines[3]
        assert lines[0].split()[1:] == lines[2].split()[1:] == ["0", "0", "0", "0", "0", "0", "-"]
        assert len(columns) == len(lines[0]) == len(lines[2])
        for owner in ("Eliza", "Moss"):
            await home.parts.queue.ask(lambda: "~>", "think", Urgency.THINK, owner)
        await settle()
        _, _, _, _, think, host = await status(home)
        assert think.split()[1:] == ["0", "0", "2", "2", "0", "0", "0.0", "s"]
        assert "answers since 00:00:00" in host


async def test_a_host_that_is_down_is_told_with_its_times_and_its_trouble(tmp_path: Path) -> None:
    put(copy_vault(tmp_path), "llm/think", host="http://127.0.0.1:9, http://127.0.0.1:10", model="small")
    async with house(tmp_path, HandClock()) as home:
        await asyncio.gather(
            home.parts.queue.ask(lambda: "~>", "think", Urgency.THINK, "Eliza"), return_exceptions=True
        )
        lines = (await status(home))[4:]
        assert lines[0].split()[3:7] == ["1", "0", "1", "0"]
        assert lines[1] == "    http://127.0.0.1:9   small  down since 00:00:00 until 00:00:05  (0 under way)"
        assert lines[2] == "      last trouble: nothing answers at http://127.0.0.1:9/v1"
        assert lines[3].startswith("    http://127.0.0.1:10  small  down since")


async def test_others_than_the_owner_see_states_but_neither_addresses_nor_errors(tmp_path: Path) -> None:
    put(copy_vault(tmp_path), "llm/think", host="http://127.0.0.1:9", model="small")
    async with house(tmp_path, HandClock()) as home:
        await asyncio.gather(
            home.parts.queue.ask(lambda: "~>", "think", Urgency.THINK, "Eliza"), return_exceptions=True
        )
        for role in (Role.AGENT, Role.GUEST):
            told = "\n".join(await status(home, role))
            assert "down since 00:00:00 until 00:00:05" in told
            assert "127.0.0.1" not in told
            assert "small" not in told


async def test_a_backend_that_does_not_exist_is_told(tmp_path: Path) -> None:
    async with house(tmp_path, HandClock()) as home:
        assert home.minds.means.models is not None
        (view,) = home.minds.means.models.overview(["nobody"])
        assert (view.hosts, view.totals.asked) == ((), 0)
