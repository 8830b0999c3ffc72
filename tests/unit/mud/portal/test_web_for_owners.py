from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx

from mud.portal.web.minds import ROUTES as MINDS
from mud.portal.web.site import Site
from mud.portal.web.world import ROUTES as WORLD
from mud.server.doors import make_portal
from mud.server.people import People
from mud.storage.accounts import Account
from mud.world.roles import Role
from tests.settings import put
from tests.unit.mud.server.stage import Edited, edited

OURS = (*MINDS, *WORLD)
ORIGIN = "http://127.0.0.1:8000"


class Visits:
    """A site with browsers that are signed in at it, one for each role."""

    def __init__(self, on: Edited, site: Site) -> None:
        self.on, self.site = on, site

    def browser(self, role: Role | None) -> httpx.AsyncClient:
        client = httpx.AsyncClient(transport=httpx.ASGITransport(self.site.app), base_url=ORIGIN)
        if role is not None:
            account = Account(role.name.title(), role, "") if role is not Role.GUEST else None
            if account is not None:
                self.site.portal.authenticator.accounts.write(account)
            cookie = self.site.visitors.sign_in(role, account)
            client.cookies.set("loci-8000", cookie, "127.0.0.1")
            client.headers.update({"x-token": self.site.visitors.token(cookie), "origin": ORIGIN})
        return client


@asynccontextmanager
async def visited(folder: Path) -> AsyncIterator[Visits]:
    async with edited(folder) as on:
        submit = on.home.engine.step
        people = People(on.home.parts, on.reloading, submit, lambda agent: None)
        with Site(make_portal(on.home.parts, people, "Visitor"), "127.0.0.1", 8000) as site:
            yield Visits(on, site)


async def test_who_is_no_owner_gets_no_mind_and_no_setting(tmp_path: Path) -> None:
    assert all(route.role is Role.OWNER for route in OURS)
    async with visited(tmp_path) as at:
        for role in (None, Role.GUEST, Role.PLAYER, Role.BUILDER):
            async with at.browser(role) as browser:
                for route in (one for one in OURS if one.method != "WEBSOCKET"):
                    answer = await browser.request(route.method, route.path, params={"agent": "eliza"}, json={})
                    assert (answer.status_code, "liza" in answer.text) == (403, False), (role, route.path)


async def test_an_account_that_is_no_owner_any_more_sees_no_more(tmp_path: Path) -> None:
    async with visited(tmp_path) as at, at.browser(Role.OWNER) as browser:
        assert (await browser.get("/api/minds")).status_code == 200
        at.site.portal.authenticator.accounts.write(Account("Owner", Role.PLAYER, ""))
        assert (await browser.get("/api/minds")).status_code == 403


async def test_an_owner_asks_by_name_and_is_answered_with_json_or_a_sentence(tmp_path: Path) -> None:
    async with visited(tmp_path) as at, at.browser(Role.OWNER) as browser:
        at.on.home.type(at.on.home.agent("Eliza"), "say Good morning.")
        named = {"agent": "eliza", "seq": "1", "first": "1", "query": "morning", "one": "eliza", "other": "moss"}
        for route in (one for one in OURS if one.method == "GET" and one.path != "/api/minds/fold"):
            answer = await browser.get(route.path, params=named)
            assert answer.status_code == 200, (route.path, answer.text)
            if route.path.startswith("/api/"):
                assert isinstance(json.loads(answer.text), dict | list)
        for path, query, said in (
            ("minds/life", {"agent": "nobody"}, "there is no agent 'nobody'"),
            ("minds/life", {}, "there is no agent"),
            ("minds/why", {"agent": "eliza", "seq": "one"}, "'one' is no number"),
            ("minds/why", {"agent": "eliza", "seq": "9" * 40}, "is no number"),
            ("minds/search", {"agent": "eliza", "query": " "}, "no words"),
            ("minds/fold", {"agent": "eliza", "tier": "recent", "file": "../agent.md"}, "no such summary"),
        ):
            answer = await browser.get(f"/api/{path}", params=query)
            assert (answer.status_code, said in answer.json()["error"]) == (400, True), answer.text


async def test_an_owner_changes_a_setting_by_a_post_of_our_own_pages_alone(tmp_path: Path) -> None:
    async with visited(tmp_path) as at, at.browser(Role.OWNER) as browser:
        change = {"file": "memory_compaction", "key": "immediate_window", "typed": "8", "was": "64"}
        for headers in ({"x-token": "guessed"}, {"origin": "http://elsewhere.test"}):
            assert (await browser.post("/api/world/settings", json=change, headers=headers)).status_code == 403
        for body in (b"", b"[]", b"{}", json.dumps(change | {"typed": 8}).encode()):
            assert (await browser.post("/api/world/settings", content=body)).status_code == 400
        assert at.on.home.agent("Eliza").settings().immediate_window == 64
        told = (await browser.post("/api/world/settings", json=change)).json()
        assert told["typed"] == "8"
        assert at.on.home.agent("Eliza").settings().immediate_window == 8
        refused = await browser.post("/api/world/settings", json=change | {"typed": "0", "was": "8"})
        assert (refused.status_code, "at least 1" in refused.text or "from 1" in refused.text) == (400, True)
        put(at.on.vault, "memory_compaction", immediate_window=9)  # an editor was quicker
        at.on.noticed("config/memory_compaction.md")
        late = await browser.post("/api/world/settings", json=change | {"was": "8"})
        assert "changed meanwhile" in late.json()["error"]
