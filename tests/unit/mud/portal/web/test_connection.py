from __future__ import annotations

import asyncio
import json
import socket
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from random import Random

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from mud.portal.web.connection import FRAMES_AT_ONCE
from mud.portal.web.play_session import GRACE, MOST_MESSAGES, Story
from mud.world.roles import Role
from tests.unit.agents.llm.stage import HandClock, settle
from tests.unit.mud.portal.web.stage import PASSWORD, Browser, Desk, Served, served, visiting
from tests.vaults import copy_vault

TOLD = 300  # messages of 60 kB, more than the system holds for a connection


async def test_a_line_is_answered_with_its_marks_and_the_panels_follow(tmp_path: Path) -> None:
    async with served(tmp_path) as world, visiting(world) as browser:
        await world.account("Ben")
        await browser.come_in("Ben")
        async with browser.desk() as desk:
            await desk.hears("Exits")
            (shown,) = desk.story
            letters = [*shown["text"]]
            marked = {("".join(letters[start:end]), kind) for start, end, kind in shown["marks"]}
            assert {("The Garden", "place"), ("Eliza", "person"), ("sundial", "item"), ("north", "exit")} <= marked
            await desk.type("north")
            await desk.until(lambda: desk.parts["place"]["name"] == "The Lobby")
            await desk.until(lambda: len(desk.parts["chart"][0]) == 2)
            assert ["south", world.home.place("The Garden"), "The Garden"] in desk.parts["place"]["ways"]
            assert desk.parts["memory"][2] > 0
            await desk.send(complete="go sou")
            await desk.until(lambda: "completed" in desk.parts)
            assert desk.parts["completed"] == {"line": "go sou", "start": 3, "choices": ["south"]}
            for garbage in ("", "{", "[]", '"x"', '{"line": 1}', '{"line": "look"}', '{"complete": null}', "\x00"):
                await desk.socket.send(garbage)
            await desk.type("say Still here.")
            await desk.hears("Still here.")


async def test_a_channel_is_heard_on_the_pages_of_its_members_alone(tmp_path: Path) -> None:
    async with served(tmp_path) as world, visiting(world) as one, visiting(world) as other, visiting(world) as third:
        for name, browser in (("Ben", one), ("Cleo", other), ("Dora", third)):
            await world.account(name)
            await browser.come_in(name)
        async with one.desk() as ben, other.desk() as cleo, third.desk() as dora:
            await ben.type("@channel-join town")
            await ben.hears("the first")
            await cleo.type("@channel-join town")
            await cleo.hears("with Ben")
            await ben.type("@channel town the plums are ripe")
            await cleo.hears("On town Ben says")
            assert [piece["kind"] for piece in cleo.story if "plums" in piece["text"]] == ["channel"]
            await dora.type("think of nothing")
            await dora.hears("of nothing")
            assert [piece["text"] for piece in dora.story if "town" in piece["text"]] == []


async def test_what_somebody_types_is_text_for_everybody_else(tmp_path: Path) -> None:
    async with served(tmp_path) as world, visiting(world) as one, visiting(world) as other:
        for name, browser in (("Ben", one), ("Cleo", other)):
            await world.account(name)
            await browser.come_in(name)
        async with one.desk() as ben, other.desk() as cleo:
            await cleo.hears("The Garden")
            await ben.type("say \x1b[31mred")
            await ben.hears("control characters")
            await ben.type("say <b>red</b> finis")
            await cleo.hears('<b>red</b> finis"')
            await ben.hears("You say")
            assert ben.typed == ["say red", "say <b>red</b> finis"]
            assert "\x1b" not in json.dumps([ben.story, cleo.story], ensure_ascii=False)


async def test_no_line_is_lost_or_doubled_when_the_connection_is(tmp_path: Path) -> None:
    async with served(tmp_path) as world, visiting(world) as browser, visiting(world) as other:
        await world.account("Ben")
        await world.account("Cleo")
        await browser.come_in("Ben")
        await other.come_in("Cleo")
        async with other.desk() as cleo, browser.desk() as desk:
            await desk.type("say one")
            await desk.hears("You say")
            seen, story = desk.numbers[-1], desk.parts["hello"]["story"]
            await desk.send(line="say two", page="a", number=2)
            await cleo.hears("two")
            desk.socket.transport.abort()
            await cleo.type("say while you were gone")
            await cleo.hears("while you were gone")
            async with browser.desk(since=seen, story=story, page="a") as again:
                await again.hears("while you were gone")
                assert again.parts["hello"]["taken"] == 2
                for number, line in ((1, "say one"), (2, "say two"), (3, "say three"), (3, "say three")):
                    await again.send(line=line, page="a", number=number)
                await again.hears('You say, "three"')
                await cleo.hears("three")
                assert again.numbers == list(range(seen + 1, again.numbers[-1] + 1))
                assert again.typed == ["say two", "say three"]
            assert [cleo.text.count(f'Ben says, "{word}"') for word in ("one", "two", "three")] == [1, 1, 1]
            async with browser.desk(since=seen, story="another") as anew:
                await anew.hears("three")
                assert anew.numbers[0] == 1


def test_a_story_keeps_its_newest_pieces_only() -> None:
    story = Story()
    for number in range(1, MOST_MESSAGES + 11):
        story.add(f"{number}")
    assert (story.first, story.last) == (11, MOST_MESSAGES + 10)
    assert story.after(story.last - 2) == [f"{story.last - 1}", f"{story.last}"]
    assert story.after(0)[0] == "11"
    assert story.after(story.last) == []
    story.add("x" * 1_000_000)
    assert len(story.after(0)) == 1


async def test_who_closes_the_page_falls_asleep_a_little_later_and_is_taken_up_again(tmp_path: Path) -> None:
    clock = HandClock()
    async with served(tmp_path, clock) as world, visiting(world) as browser:
        await world.account("Ben")
        await browser.come_in("Ben")
        async with browser.desk() as desk:
            await desk.hears("The Garden")
            ben = world.character("Ben")
        there = world.home.engine.world
        while ben not in there.asleep:
            clock.advance(GRACE / 2)
            await settle()
        assert ben in there.absent
        async with browser.desk() as desk:
            await desk.until(lambda: desk.text.count("The Garden") > 1)
            assert ben not in there.asleep
            assert len(world.people.sessions.of(ben)) == 1
            world.people.sessions.of(ben)[0].end("You were asked to go.")
            with pytest.raises(ConnectionClosed):
                await desk.until(lambda: False)
            assert "You were asked to go." in desk.text
            assert desk.socket.close_code == 4410


async def test_who_types_nothing_for_hours_is_let_go(tmp_path: Path) -> None:
    clock = HandClock()
    async with served(tmp_path, clock) as world, visiting(world) as browser:
        await world.account("Ben")
        await browser.come_in("Ben")
        async with browser.desk() as desk:
            await desk.hears("The Garden")
            clock.advance(3 * 3600)
            with pytest.raises(ConnectionClosed):
                await desk.until(lambda: False)
            assert "You typed nothing for a long time." in desk.text


async def test_a_private_line_is_neither_shown_nor_kept(tmp_path: Path) -> None:
    async with served(tmp_path) as world, visiting(world) as browser:
        await world.account("Ben")
        await browser.come_in("Ben")
        async with browser.desk() as desk:
            await desk.hears("The Garden")
            (session,) = world.people.sessions.of(world.character("Ben"))
            taken: list[str | None] = []
            session.ask("What is the secret?", taken.append)
            await desk.until(lambda: desk.parts.get("private"))
            await desk.type("pear tree")
            await desk.until(lambda: not desk.parts["private"])
            assert taken == ["pear tree"]
            await desk.type("look")
            await desk.until(lambda: desk.typed[-1] == "look")
        async with browser.desk() as again:
            await again.hears("look")
            assert "pear tree" not in json.dumps(again.story).replace("a pear tree has been trained", "")


async def test_a_private_line_for_which_nobody_asks_any_more_is_dropped(tmp_path: Path) -> None:
    async with served(tmp_path) as world, visiting(world) as browser:
        await world.account("Ben")
        await browser.come_in("Ben")
        async with browser.desk() as desk:
            await desk.hears("The Garden")
            await desk.send(line="plum tree 77", page="a", number=1, private=True)
            await desk.type("look", number=2)
            await desk.type("@password plum tree 77", number=3)
            await desk.until(lambda: len(desk.typed) == 3)
            assert desk.typed == ["", "look", ""]
            assert "plum" not in desk.text
        kept = [path.read_bytes() for path in world.home.parts.vault.rglob("*") if path.is_file()]
        assert not any(b"plum tree 77" in data for data in kept)


async def test_passwords_that_are_typed_ahead_are_taken_by_their_questions_and_never_carried_out(
    tmp_path: Path,
) -> None:
    async with served(tmp_path) as world, visiting(world) as browser:
        await world.account("Ben")
        await browser.come_in("Ben")
        async with browser.desk() as desk:
            await desk.hears("The Garden")
            for line in ("@password", PASSWORD, "plum tree 77", "plum tree 77", "say done"):
                await desk.type(line)
            await desk.hears('You say, "done"')
            assert desk.typed == ["@password", "", "", "", "say done"]
            await world.portal.authenticator.login("192.0.2.9", "Ben", "plum tree 77")
            for line in ("@password", "a wrong one", "plum tree 88", "plum tree 88", ""):
                await desk.type(line)
            await desk.hears("Nothing was changed.")
            await desk.type("say still here")
            await desk.hears('here"')
            assert "plum" not in json.dumps(desk.story)
        kept = [path.read_bytes() for path in world.home.parts.vault.rglob("*") if path.is_file()]
        assert not any(b"plum tree" in data for data in kept)


async def test_a_text_of_many_lines_is_typed_at_a_page_which_is_told_when_lines_are_asked_for(tmp_path: Path) -> None:
    async with served(tmp_path) as world, visiting(world) as browser:
        await world.account("Ben", Role.BUILDER)
        await browser.come_in("Ben")
        async with browser.desk() as desk:
            await desk.hears("The Garden")
            for line in ("@edit sundial", "Slate.", "", "Four holes.", ".", "say done"):
                await desk.type(line)
            await desk.hears('You say, "done"')
        text = (world.home.parts.vault / "world/items/sundial.md").read_text("utf-8")
        assert "\n\nSlate.\n\nFour holes.\n" in text


async def test_a_page_that_does_not_read_is_cut_off_and_nobody_waits_for_it(tmp_path: Path) -> None:
    async with served(tmp_path) as world, visiting(world) as lazy, visiting(world) as owner:
        await world.account("Ben")
        await lazy.come_in("Ben")
        await owner.come_as_owner()
        host, _, port = world.host.partition(":")
        deaf = socket.socket()
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.setblocking(False)
        await asyncio.get_running_loop().sock_connect(deaf, (host, int(port)))
        cookies = "; ".join(f"{name}={value}" for name, value in lazy.client.cookies.items())
        asked = {"cookie": cookies, "origin": world.address}
        address = f"ws://{world.host}/socket?token={lazy.token}"
        async with owner.desk() as desk:
            await desk.hears("The Garden")
            socket_of_ben = await connect(
                address, sock=deaf, additional_headers=asked, proxy=None, compression=None, max_queue=1
            )
            await Desk(socket_of_ben).next()
            socket_of_ben.transport.pause_reading()
            (session,) = world.people.sessions.of(world.character("Ben"))
            for _ in range(TOLD):
                session.tell("words " * 10_000)
                await asyncio.sleep(0)
            await desk.type("say Nobody waited.")
            await desk.hears("Nobody waited.")
            socket_of_ben.transport.resume_reading()
            late = Desk(socket_of_ben)
            with pytest.raises(ConnectionClosed):
                await late.until(lambda: False)
            assert len(late.story) < TOLD


async def test_who_may_not_come_in_is_told_why(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        world = await stack.enter_async_context(served(tmp_path))
        await world.account("Ben")
        for place in range(world.portal.settings().sessions_per_account + 1):
            browser = await stack.enter_async_context(visiting(world))
            await browser.come_in("Ben")
            desk = await stack.enter_async_context(browser.desk())
            await desk.next()
            assert ("sorry" in desk.parts) == (place == world.portal.settings().sessions_per_account)
        assert "too many places" in desk.parts["sorry"]
        with pytest.raises(ConnectionClosed):
            await desk.next()
        assert desk.socket.close_code == 4403


async def test_a_guest_comes_in_where_guests_may_and_is_signed_out_with_the_session(tmp_path: Path) -> None:
    doors = copy_vault(tmp_path) / "config" / "doors.md"
    doors.write_text(doors.read_text("utf-8").replace("**guests**: false", "**guests**: true"), "utf-8")
    async with served(tmp_path) as world, visiting(world) as browser:
        await browser.get("/login")
        assert (await browser.post("/guest")).headers["location"] == "/play"
        assert (await browser.get("/play")).status_code == 200
        async with browser.desk() as desk:
            await desk.hears("The Garden")
            assert desk.parts["hello"]["name"] == "Guest 1"
            await desk.type("quit")
            with pytest.raises(ConnectionClosed):
                await desk.until(lambda: False)
        assert (await browser.get("/play")).headers["location"] == "/login"


async def test_what_happens_in_one_moment_comes_as_one_message(tmp_path: Path) -> None:
    async with served(tmp_path) as world, visiting(world) as browser:
        await world.account("Ben")
        await browser.come_in("Ben")
        async with browser.desk() as desk:
            await desk.hears("The Garden")
            eliza = world.home.agent("Eliza")
            for number in range(20):
                world.home.type(eliza, f"say number {number}", Role.AGENT)
            messages = 0
            while "number 19" not in desk.text:
                messages += "story" in await desk.next()
            assert messages <= 2  # the first one may go at once


async def test_a_page_that_asks_too_much_is_slowed_and_only_its_newest_line_is_completed(tmp_path: Path) -> None:
    clock = HandClock()
    async with served(tmp_path, clock) as world, visiting(world) as browser, visiting(world) as other:
        for name, one in (("Ben", browser), ("Cleo", other)):
            await world.account(name)
            await one.come_in(name)
        async with browser.desk() as ben, other.desk() as cleo:
            for number in range(1, FRAMES_AT_ONCE - 9):
                await ben.send(complete=f"go {number}")
            for number in range(200):
                await ben.send(ping=number)
            done = list[str]()
            while ben.parts.get("pong") != 9 or done[-1:] != [f"go {FRAMES_AT_ONCE - 10}"]:
                message = await ben.next()
                done += [message["completed"]["line"]] if "completed" in message else []
            assert len(done) < FRAMES_AT_ONCE // 4
            await cleo.type("say I am not held up")
            await cleo.hears('You say, "I am not held up"')
            await ben.hears("I am not held up")
            assert ben.parts["pong"] == 9
            for _ in range(200):
                clock.advance(0.1)
                await settle()
            await ben.until(lambda: ben.parts["pong"] == 199)


async def test_garbage_and_half_requests_harm_nobody(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    chance = Random(19)

    def garbage(world: Served, browser: Browser) -> bytes:
        noise = chance.randbytes(chance.randrange(1, 400))
        cookies = "; ".join(f"{name}={value}" for name, value in browser.client.cookies.items())
        own = f"host: {world.host}\r\norigin: {world.address}\r\ncookie: {cookies}\r\n".encode()
        upgrade = b"connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n"
        key = b"sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        ask = f"GET /socket?token={browser.token} HTTP/1.1\r\n".encode() + own
        return chance.choice(
            [
                noise,
                b"GET /play HTTP/1.1\r\n" + own + noise,
                b"GET /" + noise.replace(b"\n", b"") + b" HTTP/1.1\r\n" + own + b"\r\n",
                b"GET /play HTTP/1.1\r\nx: " + b"y" * 200_000,
                b"POST /login HTTP/1.1\r\n" + own + b"content-length: 99999999999\r\n\r\n" + noise,
                b"POST /login HTTP/1.1\r\n" + own + b"content-length: 5\r\n\r\n" + noise * 3,
                b"POST /logout HTTP/1.1\r\n" + own + b"transfer-encoding: chunked\r\n\r\nffffffff\r\n" + noise,
                ask + upgrade + b"\r\n" + noise,
                ask + upgrade + key + b"\r\n" + noise,
                ask + upgrade + key + b"\r\n\x81\xfe\xff\xff" + noise,
            ]
        )

    async def visit(world: Served, browser: Browser) -> None:
        host, _, port = world.host.partition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        with suppress(OSError):
            writer.write(garbage(world, browser))
            await writer.drain()
            await asyncio.wait([asyncio.ensure_future(reader.read(1000))], timeout=chance.random() / 20)
        writer.transport.abort()

    async with served(tmp_path) as world, visiting(world) as browser:
        await world.account("Ben")
        await browser.come_in("Ben")
        async with browser.desk() as desk:
            await desk.hears("The Garden")
            for number in range(25):
                await asyncio.gather(*(visit(world, browser) for _ in range(8)))
                await desk.type(f"say number {number}.")
            await desk.hears('You say, "number 24."')
            assert [desk.text.count(f'You say, "number {number}."') for number in range(25)] == [1] * 25
        assert (await browser.get("/play")).status_code == 200
    assert [record.getMessage() for record in caplog.records if record.levelname in ("ERROR", "CRITICAL")] == []
