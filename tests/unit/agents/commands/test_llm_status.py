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
        title, columns, dream, _, *lines = await status(home)
        assert dream.split()[0] == "dream"
        assert title == "How the language models are doing (times are those of UTC):"
        assert [one.split()[0] for one in lines] == ["summarizer", "http://127.0.0.1:8080", "think", "the"]
        assert "never asked" in lines[1]
        assert "never asked" in lines[3]
        assert lines[0].split()[1:] == lines[2].split()[1:] == ["0", "0", "0", "0", "0", "0", "-"]
        assert len(columns) == len(lines[0]) == len(lines[2])
        for owner in ("Eliza", "Moss"):
            await home.parts.queue.ask(lambda: "~>", "think", Urgency.THINK, owner)
        await settle()
        *_, think, host = await status(home)
        assert think.split()[1:] == ["0", "0", "2", "2", "0", "0", "0.0", "s"]
        assert "answers since 00:00:00" in host


async def test_a_host_that_is_down_is_told_with_its_times_and_its_trouble(tmp_path: Path) -> None:
    put(copy_vault(tmp_path), "llm/think", host="http://127.0.0.1:9, http://127.0.0.1:10", model="small")
    async with house(tmp_path, HandClock()) as home:
        await asyncio.gather(
            home.parts.queue.ask(lambda: "~>", "think", Urgency.THINK, "Eliza"), return_exceptions=True
        )
        lines = (await status(home))[6:]
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
        for role in (Role.GUEST,):
            told = "\n".join(await status(home, role))
            assert "down since 00:00:00 until 00:00:05" in told
            assert "127.0.0.1" not in told
            assert "small" not in told


async def test_a_backend_that_does_not_exist_is_told(tmp_path: Path) -> None:
    async with house(tmp_path, HandClock()) as home:
        assert home.minds.means.models is not None
        (view,) = home.minds.means.models.overview(["nobody"])
        assert (view.hosts, view.totals.asked) == ([], 0)


async def test_the_server_that_embeds_is_told_of_when_there_is_one(tmp_path: Path) -> None:
    put(copy_vault(tmp_path), "recall", embedder="openai_compatible")
    put(tmp_path / "vault", "llm/embed", host="http://127.0.0.1:9")
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        told = (await home.ask(ann, "@llm-status")).reply
        assert "vectors for recall are made by the server of http://127.0.0.1:9" in told
        assert "127.0.0.1:9" not in (await home.ask(ann, "@llm-status", Role.GUEST)).reply
        await home.parts.recall.start()
        await home.parts.recall.complete()
        told = (await home.ask(ann, "@llm-status")).reply
        assert told.endswith("not made now; words go on\n      last trouble: nothing answers at http://127.0.0.1:9/v1")
        assert "nothing answers at http://127.0.0.1:9/v1" in home.minds.report(home.agent("Eliza"))
        guests = (await home.ask(ann, "@llm-status", Role.GUEST)).reply
        assert guests.endswith("not made now; words go on")
