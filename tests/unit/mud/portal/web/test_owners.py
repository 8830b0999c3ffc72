from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed, InvalidStatus

from mud.portal.web.minds import ROUTES as MINDS
from mud.portal.web.world import ROUTES as WORLD
from mud.world.roles import Role
from tests.houses import PATIENCE
from tests.settings import put
from tests.unit.mud.portal.web.stage import Browser, Served, served, visiting

OURS = (*MINDS, *WORLD)


async def change(browser: Browser, content: object, **headers: str) -> httpx.Response:
    """Post a change of a setting as our page does."""
    sent = {"x-token": browser.token, "origin": browser.world.address, **headers}
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    return await browser.client.post("/api/world/settings", content=body, headers=sent)


CHRONICLE = "/api/world/chronicle"


async def heard(socket: ClientConnection, words: str) -> list[str]:
    """Return the texts of events up to one with some words."""
    texts: list[str] = []
    while not any(words in text for text in texts):
        batch = json.loads(await asyncio.wait_for(socket.recv(), PATIENCE))
        texts += [event["text"] for event in batch]
    return texts


def promote(world: Served, name: str, role: Role) -> None:
    accounts = world.people.accounts
    account = accounts.find(name)
    assert account is not None
    accounts.write(replace(account, role=role))


async def test_who_is_no_owner_gets_no_mind_no_setting_and_no_chronicle(tmp_path: Path) -> None:
    assert all(route.role is Role.OWNER for route in OURS)
    async with served(tmp_path) as world:
        put(world.home.parts.vault, "doors", guests=True)
        world.home.parts.configuration.load()
        await world.account("Ben")
        await world.account("Bea", Role.BUILDER)
        for name in ("", "guest", "Ben", "Bea"):
            async with visiting(world) as browser:
                await browser.get("/login")
                if name == "guest":
                    await browser.post("/guest")
                elif name:
                    await browser.come_in(name)
                await browser.get("/play")
                for route in (one for one in OURS if one.method == "GET"):
                    answer = await browser.get(f"{route.path}?agent=eliza&seq=1&query=sundial")
                    assert answer.status_code in (303, 403), (name, route.path)
                    assert "Eliza" not in answer.text
                assert (await change(browser, {})).status_code == 403
                with pytest.raises(InvalidStatus):
                    async with browser.desk(path=CHRONICLE):
                        pass


async def test_an_account_that_is_no_owner_any_more_sees_no_more(tmp_path: Path) -> None:
    async with served(tmp_path) as world, visiting(world) as browser:
        await world.account("Olga", Role.OWNER)
        await browser.come_in("Olga")
        assert (await browser.get("/api/minds")).status_code == 200
        async with browser.desk(path=CHRONICLE) as desk:
            ann = world.home.enter("Ann")
            await heard(desk.socket, "Ann arrives")
            promote(world, "Olga", Role.PLAYER)
            world.home.type(ann, "say This is not for Olga.")
            with pytest.raises(ConnectionClosed):
                assert "Olga" not in str(await asyncio.wait_for(desk.socket.recv(), PATIENCE))
        assert (await browser.get("/api/minds")).status_code == 403


async def test_an_owner_asks_by_name_and_is_answered_with_json_or_a_sentence(tmp_path: Path) -> None:
    async with served(tmp_path) as world, visiting(world) as browser:
        await browser.come_as_owner()
        world.home.type(world.home.agent("Eliza"), "say Good morning.")
        named = "agent=eliza&seq=1&first=1&query=morning&one=eliza&other=moss"
        for route in (one for one in OURS if one.method == "GET" and one.path != "/api/minds/fold"):
            answer = await browser.get(f"{route.path}?{named}")
            assert answer.status_code == 200, (route.path, answer.text)
            if route.path.startswith("/api/"):
                assert "error" not in json.loads(answer.text)
        for asked, said in (
            ("minds/life?agent=nobody", "there is no agent 'nobody'"),
            ("minds/life", "there is no agent"),
            ("minds/why?agent=eliza&seq=one", "'one' is no number"),
            (f"minds/why?agent=eliza&seq={'9' * 40}", "is no number"),
            ("minds/search?agent=eliza&query=%20", "no words"),
            ("minds/fold?agent=eliza&tier=recent&file=../agent.md", "no such summary"),
        ):
            answer = await browser.get(f"/api/{asked}")
            assert said in answer.json()["error"]


async def test_an_owner_changes_a_setting_by_a_post_of_our_own_pages_alone(tmp_path: Path) -> None:
    async with served(tmp_path) as world, visiting(world) as browser:
        await browser.come_as_owner()
        eliza = world.home.agent("Eliza")
        wanted = {"file": "memory_compaction", "key": "immediate_window", "typed": "8", "was": "64"}
        assert (await change(browser, wanted, **{"x-token": "guessed"})).status_code == 403
        assert (await change(browser, wanted, origin="http://elsewhere.example")).status_code == 403
        for content in (b"", b"[]", {}, wanted | {"typed": 8}, wanted | {"file": None}):
            assert (await change(browser, content)).status_code == 400
        assert eliza.settings().immediate_window == 64
        assert (await change(browser, wanted)).json()["typed"] == "8"
        assert eliza.settings().immediate_window == 8
        refused = await change(browser, wanted | {"typed": "0", "was": "8"})
        assert "from 1 to 100000" in refused.json()["error"]
        late = await change(browser, wanted)
        assert "changed meanwhile" in late.json()["error"]


async def test_the_chronicle_is_told_as_it_happens_without_what_is_whispered(tmp_path: Path) -> None:
    async with served(tmp_path) as world, visiting(world) as browser:
        await browser.come_as_owner()
        ann, _ = world.home.enter("Ann"), world.home.enter("Bob")
        async with browser.desk(path=CHRONICLE) as desk:
            world.home.type(ann, "whisper Bob The key is under the step.")
            world.home.type(ann, "say The lamp is lit.")
            texts = await heard(desk.socket, "lamp")
            assert texts == ["Ann arrives.", "Bob arrives.", 'Ann says, "The lamp is lit."']
