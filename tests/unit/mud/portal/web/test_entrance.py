from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import InvalidStatus

from mud.portal.web.pages import LINKS
from mud.portal.web.routes import ROUTES
from mud.portal.web.visit import LONGEST_BODY
from mud.portal.web.visitors import LASTS, MOST, Visitors
from mud.world.roles import Role
from tests.unit.agents.llm.stage import HandClock
from tests.unit.mud.portal.web.stage import PASSWORD, Browser, served, visiting


async def test_the_owners_address_signs_one_browser_in_and_no_second_one(tmp_path: Path) -> None:
    async with served(tmp_path) as world, visiting(world) as owner, visiting(world) as late:
        answer = await owner.come_as_owner()
        assert (answer.status_code, answer.headers["location"]) == (303, "/play")
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        async with owner.desk() as desk:
            await desk.type("@save")
            await desk.hears("Saved")
        assert "has been used already" in (await late.get(f"/?token={world.token}")).text
        assert (await late.get("/play")).headers["location"] == "/login"
        assert (await late.get("/?token=guessed")).status_code == 200
        assert (await late.get("/play")).headers["location"] == "/login"


async def test_an_owner_gets_a_fresh_address_that_no_file_keeps(tmp_path: Path) -> None:
    async with served(tmp_path) as world, visiting(world) as owner, visiting(world) as second:
        await owner.come_as_owner()
        async with owner.desk() as desk:
            await desk.type("@web")
            await desk.hears("?token=")
            token = desk.text.rpartition("?token=")[2]
        assert (await second.get(f"/?token={token}")).headers["location"] == "/play"
        kept = [path.read_bytes() for path in world.home.parts.vault.rglob("*") if path.is_file()]
        assert not any(token.encode() in data for data in kept)


async def test_an_account_is_made_and_comes_in_again_and_a_wrong_password_tells_nothing(tmp_path: Path) -> None:
    async with served(tmp_path) as world, visiting(world) as first, visiting(world) as second:
        assert (await first.come_in("Ben", path="/register")).headers["location"] == "/play"
        async with first.desk() as desk:
            await desk.hears("The Garden")
            await desk.type("@save")
            await desk.hears("Only the owner")
        wrong = await second.come_in("Ben", "not the password")
        unknown = await second.come_in("Nobody", "not the password")
        assert wrong.status_code == unknown.status_code == 403
        assert wrong.text.replace("Ben", "") == unknown.text.replace("Nobody", "")
        assert (await second.come_in("Ben")).headers["location"] == "/play"


async def test_a_name_is_shown_again_as_text_and_guests_come_only_when_they_may(tmp_path: Path) -> None:
    async with served(tmp_path) as world, visiting(world) as browser:
        answer = await browser.come_in('"><script>alert(1)</script>', "whatever it is")
        assert "<script>alert" not in answer.text
        assert "&lt;script&gt;alert" in answer.text
        answer = await browser.post("/guest")
        assert "This world takes no guests." in answer.text


async def test_only_our_own_pages_can_post_or_connect(tmp_path: Path) -> None:
    async with served(tmp_path) as world, visiting(world) as browser, visiting(world) as other:
        await world.account("Ben")
        await browser.get("/login")
        form = {"name": "Ben", "password": PASSWORD, "token": browser.token}
        own = {"origin": world.address}
        await other.get("/login")
        forged: list[tuple[dict[str, str], dict[str, str]]] = [
            (form, {}),
            (form, {"origin": "http://evil.example"}),
            (form, {"origin": "null"}),
            (form, {"origin": "http://[x"}),
            (form, {"origin": world.address.replace("127.0.0.1", "localhost")}),
            (form | {"token": ""}, own),
            (form | {"token": other.token}, own),
            ({"name": "Ben", "password": PASSWORD}, own),
        ]
        for fields, headers in forged:
            answer = await browser.client.post("/login", data=fields, headers=headers)
            assert answer.status_code == 403, headers
        assert (await browser.client.post("/login", json=form, headers=own)).status_code == 403
        assert (await browser.client.post("/login", data=form, headers=own)).status_code == 303
        await browser.get("/play")
        await other.come_in("Ben")
        for origin, token in [("http://evil.example", None), ("null", None), (None, "guessed"), (None, other.token)]:
            with pytest.raises(InvalidStatus) as refused:
                async with browser.desk(origin=origin, token=token):
                    pass
            assert refused.value.response.status_code == 403
        async with browser.desk() as desk:
            await desk.hears("The Garden")
        assert (await browser.client.post("/logout", data={"token": other.token}, headers=own)).status_code == 403
        assert (await browser.get("/play")).status_code == 200


async def test_a_name_that_somebody_else_points_at_this_machine_is_none_of_ours(tmp_path: Path) -> None:
    async with served(tmp_path) as world, visiting(world) as browser:
        port = world.host.rpartition(":")[2]
        for name in (f"evil.example:{port}", "evil.example", "localhost.evil.example", "", "[x", "x]"):
            assert (await browser.client.get("/login", headers={"host": name})).status_code == 421, name
        for name in (f"localhost:{port}", f"127.0.0.1:{port}", f"[::1]:{port}"):
            assert (await browser.client.get("/login", headers={"host": name})).status_code == 200, name


async def test_what_stands_in_the_table_for_a_role_is_closed_to_all_below_it(tmp_path: Path) -> None:
    async with served(tmp_path) as world, visiting(world) as stranger, visiting(world) as player:
        await world.account("Ben")
        await player.come_in("Ben")
        for route in ROUTES:
            path = route.path.replace("{", "").replace("}", "")
            for browser, role in ((stranger, None), (player, Role.PLAYER)):
                if route.role is None or (role is not None and role >= route.role):
                    continue
                headers = {"origin": world.address, "x-token": browser.token, "accept": "*/*"}
                if route.method == "WEBSOCKET":
                    with pytest.raises(InvalidStatus):
                        async with browser.desk(path=path):
                            pass
                else:
                    answer = await browser.client.request(route.method, path, headers=headers)
                    assert answer.status_code == 403, (path, role)
        shown = (await player.get("/play")).text
        for link in LINKS:
            assert (f'href="{link.path}"' in shown) == (link.role <= Role.PLAYER)


async def test_every_answer_forbids_what_is_not_ours(tmp_path: Path) -> None:
    async with served(tmp_path) as world, visiting(world) as browser:
        await world.account("Ben")
        answers = [await browser.get(path) for path in ("/login", "/nothing", "/static/play.js", "/static/nothing")]
        answers += [await browser.come_in("Ben"), await browser.get("/play"), await browser.get("/map")]
        answers += [await browser.client.post("/play"), await browser.client.get("/login", headers={"host": "a.b"})]
        for answer in answers:
            policy = answer.headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "frame-ancestors 'none'" in policy
            assert "unsafe" not in policy
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["referrer-policy"] == "same-origin"
            assert "server" not in answer.headers
        assert (await browser.get("/nothing")).status_code == 404
        assert (await browser.get("/static/..%2f__init__.py")).status_code == 404


async def test_who_changes_a_password_or_is_banned_or_leaves_is_signed_out_everywhere(tmp_path: Path) -> None:
    async with served(tmp_path) as world, visiting(world) as one, visiting(world) as other:
        accounts = world.people.accounts

        async def signed_in(browser: Browser) -> bool:
            return (await browser.get("/play")).status_code == 200

        await world.account("Ben")
        await one.come_in("Ben")
        await other.come_in("Ben")
        await one.post("/logout")
        assert (await signed_in(one), await signed_in(other)) == (False, True)
        await world.portal.authenticator.set_password("Ben", PASSWORD * 2)
        assert not await signed_in(other)
        await one.come_in("Ben", PASSWORD * 2)
        assert await signed_in(one)
        found = accounts.find("Ben")
        assert found is not None
        accounts.write(replace(found, banned=True))
        assert not await signed_in(one)
        accounts.ban_addresses(frozenset({"127.0.0.1"}))
        assert (await one.get("/login")).status_code == 403


async def test_too_long_a_form_is_refused_and_the_world_goes_on(tmp_path: Path) -> None:
    async with served(tmp_path) as world, visiting(world) as browser:
        await browser.get("/login")
        answer = await browser.post("/login", name="x" * LONGEST_BODY, password="y")
        assert answer.status_code == 413
        assert (await browser.get("/login")).status_code == 200


async def test_sign_ins_end_after_a_time_and_are_bounded(tmp_path: Path) -> None:
    clock = HandClock()
    async with served(tmp_path, clock) as world:
        visitors = Visitors(world.portal)
        first = visitors.sign_in(Role.GUEST, None)
        for _ in range(MOST):
            clock.advance(0.001)
            visitors.sign_in(Role.GUEST, None)
        assert visitors.find(first) is None
        last = visitors.sign_in(Role.GUEST, None)
        clock.advance(LASTS - 1)
        assert visitors.find(last) is not None
        clock.advance(LASTS + 1)
        assert visitors.find(last) is None


async def test_wrong_passwords_make_the_next_one_wait(tmp_path: Path) -> None:
    clock = HandClock()
    async with served(tmp_path, clock) as world, visiting(world) as browser:
        await world.account("Ben")
        answers: list[httpx.Response] = [await browser.come_in("Ben", f"wrong {n} password") for n in range(6)]
        assert "wait" in answers[-1].text
        assert "wait" in (await browser.come_in("Ben")).text
        clock.advance(3600)
        assert (await browser.come_in("Ben")).status_code == 303
