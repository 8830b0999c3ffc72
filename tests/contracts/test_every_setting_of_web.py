"""The setting for web pages behind a proxy; that of their address is tried with the other doors."""

from __future__ import annotations

from pathlib import Path

from tests.settings import proves, put
from tests.unit.mud.portal.web.stage import TOKEN, served, visiting
from tests.vaults import copy_vault


@proves("doors.web_names")
async def test_behind_a_proxy_the_pages_have_their_own_name_and_each_browser_its_own_address(tmp_path: Path) -> None:
    put(copy_vault(tmp_path), "doors", web_names=("loci.example",), free_logins=1)
    async with served(tmp_path) as world, visiting(world) as browser:
        asked = {"host": "loci.example", "x-forwarded-proto": "https", "origin": "https://loci.example"}
        page = await browser.client.get("/login", headers=asked)
        assert page.status_code == 200
        assert "; secure" in page.headers["set-cookie"].lower()
        browser.client.headers["cookie"] = page.headers["set-cookie"].partition(";")[0]
        found = TOKEN.search(page.text)
        assert found is not None
        wrong = {"name": "Nobody", "password": "not this one", "token": found[1]}
        told = []
        for address in ("192.0.2.1", "192.0.2.1", "198.51.100.7"):
            form = wrong | {"name": f"Nobody of {address}"}
            headers = asked | {"x-forwarded-for": address}
            told.append("too many tries" in (await browser.client.post("/login", data=form, headers=headers)).text)
        assert told == [False, True, False]
        assert (await browser.client.get("/login", headers={"host": "evil.example"})).status_code == 421
