"""A program plays a character over streamable HTTP, with both ages of the protocol, as a person at a keyboard does."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx2
import pytest
from mcp import MCPError

from mud.portal.mcp.serving import MOST_SESSIONS
from mud.world.roles import Role
from tests.houses import PATIENCE
from tests.settings import put
from tests.telnet import GENEROUS
from tests.unit.agents.llm.stage import HandClock, settle
from tests.unit.mud.portal.mcp.stage import MODES, connected, playing, token_of, told
from tests.unit.mud.portal.web.stage import Served, served
from tests.vaults import copy_vault

both = pytest.mark.parametrize("mode", MODES)


def act(world: Served, name: str, line: str) -> None:
    """Have an agent do something."""
    step = world.home.engine.step(world.character(name), line, Role.AGENT)
    assert not step.failed, step.reply


@both
async def test_a_program_looks_speaks_and_walks_as_its_character(tmp_path: Path, mode: str) -> None:
    async with served(tmp_path) as world, playing(world, mode=mode) as program:
        assert program.client.instructions
        assert (await program.do("look")).count("Exits: north") == 1, "what was seen on coming in is not told again"
        assert 'You say, "hello there"' in await program.do("say", words="hello\nthere", reason="to be kind")
        heard = [one.text for one in world.home.agent("Eliza").memory.tail]
        assert heard[-1] == 'Robin says, "hello there"'
        assert "The Library" in await program.do("go", way="The Library")
        place = world.home.engine.world.location_of(world.character("Robin"))
        assert place is not None
        assert place.name == "The Library"
        kept = world.home.agent("Robin").memory.tail
        assert [one.reason for one in kept if one.reason] == ["to be kind"]


@both
async def test_what_happens_meanwhile_comes_with_the_next_answer_and_once(tmp_path: Path, mode: str) -> None:
    async with served(tmp_path) as world, playing(world, mode=mode) as program:
        await program.do("look")
        act(world, "Eliza", "say the pears are ripe")
        answer = await program.call("think", words="pears")
        reply, meanwhile = (one.text for one in answer.content)  # type: ignore[union-attr]
        assert reply == 'You think, "pears"'
        assert meanwhile == 'Meanwhile:\nEliza says, "the pears are ripe"'
        assert told(await program.call("think", words="again")) == 'You think, "again"'


@both
async def test_waiting_ends_when_something_happens_or_the_time_is_over(tmp_path: Path, mode: str) -> None:
    async with served(tmp_path) as world, playing(world, mode=mode) as program:
        await program.do("look")
        waiting = asyncio.ensure_future(program.do("wait", seconds=600))
        robin = world.character("Robin")
        while not world.people.sessions.of(robin):
            await asyncio.sleep(0)
        await program.do("think", words="so it waits")  # others may be asked meanwhile
        act(world, "Eliza", "emote hums")
        assert "Eliza hums" in await asyncio.wait_for(waiting, PATIENCE)
        assert await program.do("wait", seconds=0) == "Nothing happened."


@both
async def test_tools_are_there_while_they_are_possible_and_a_change_is_told(tmp_path: Path, mode: str) -> None:
    async with served(tmp_path) as world, playing(world, mode=mode) as program:
        assert await program.examples("go", "way") == ["north", "east", "west", "gate"]
        assert await program.examples("whisper", "person") == ["Eliza"]
        assert not {"take", "drop", "give", "open"} & set(await program.tools())
        act(world, "Eliza", "go north")
        await program.told_of_change()
        assert "whisper" not in await program.tools()
        await program.do("go", way="The Library")
        await program.told_of_change()
        assert "reading chair" in await program.examples("take", "thing")
        assert "drop" not in await program.tools()
        await program.do("take", thing="reading chair")
        await program.told_of_change()
        assert await program.examples("drop", "thing") == ["reading chair"]
        assert "reading chair" not in await program.examples("take", "thing")
        assert await program.examples("give", "person") == ["Moss"]


@both
async def test_every_tool_that_is_listed_can_be_called(tmp_path: Path, mode: str) -> None:
    put(copy_vault(tmp_path), "doors", **GENEROUS)
    async with served(tmp_path) as world, playing(world, mode=mode) as program:
        await program.do("go", way="The Library")
        await program.do("take", thing="reading chair")
        called = 0
        for name in sorted({*await program.tools()} - {"wait"}):
            if (tool := (await program.tools()).get(name)) is None:  # the calls before have changed what is possible
                continue
            properties, needed = tool.input_schema["properties"], tool.input_schema["required"]
            await program.do(name, **{one: (properties[one].get("examples") or ["look"])[0] for one in needed})
            called += 1
        assert called > 20


@both
async def test_bad_arguments_are_refused_in_one_sentence_and_do_nothing(tmp_path: Path, mode: str) -> None:
    async with served(tmp_path) as world, playing(world, mode=mode) as program:
        await program.do("look")
        before = world.home.engine.number
        assert "takes no argument 'wrds'" in await program.refused("say", wrds="hello")
        assert "words has to be a text" in await program.refused("say", words=7)
        assert "say needs more: words" in await program.refused("say")
        assert "whisper needs more: person" in await program.refused("whisper", words="hello")
        assert "must not hold ->" in await program.refused("note", title="a -> b", text="c")
        assert "no tool 'fly'" in await program.refused("fly")
        for seconds in (-1, "long", True):
            assert "has to be a number" in await program.refused("wait", seconds=seconds)
        assert "line has to be a text" in await program.refused("command", line=" ")
        assert world.home.engine.number == before
        assert "no way called" in await program.refused("go", way="nowhere")
        assert "too long" in await program.refused("say", words="x" * 100_000)
        assert "control characters" in await program.refused("say", words="a\x1b[31mb")
        assert 'You say, "a | b"' in await program.do("say", words="a | b")


@both
async def test_a_program_reads_and_searches_its_own_memory(tmp_path: Path, mode: str) -> None:
    async with served(tmp_path) as world, playing(world, mode=mode) as program:
        await program.do("say", words="the brass key is under the ladder")
        await program.do("note", title="Key", text="under the ladder")
        assert "brass key" in await program.do("recall", query="where is the key")
        assert "the brass key is under the ladder" in await program.read("memory/1-9")
        assert "under the ladder" in await program.read("notes/Key")
        assert "Memory of Robin" in await program.read("memory")
        listed = await program.client.list_resources()
        for one in listed.resources:
            assert (await program.client.read_resource(one.uri)).contents
        templates = (await program.client.list_resource_templates()).resource_templates
        assert [one.uri_template for one in templates] == ["loci://memory/{range}", "loci://notes/{title}"]
        for path in ("memory/eliza%231-9", "memory/1-9 Eliza", "notes/Nothing", "agents/eliza", "../eliza", ""):
            with pytest.raises(MCPError):
                await program.read(path)


@both
async def test_even_an_owners_program_reads_no_other_memory_as_a_resource(tmp_path: Path, mode: str) -> None:
    async with served(tmp_path) as world, playing(world, "Olive", mode, Role.OWNER) as program:
        act(world, "Moss", "think the moss remembers")
        for path in ("memory/moss%231-9", "memory/Moss", "memory/newest/Moss", "journal/Moss", "notes/Moss%23"):
            with pytest.raises(MCPError):
                await program.read(path)
        everything = [await program.read(path) for path in ("memory/1-9", "memory/newest", "memory/summaries", "me")]
        assert not [text for text in everything if "the moss remembers" in text]


async def test_a_line_is_carried_out_with_the_role_of_the_account(tmp_path: Path) -> None:
    async with served(tmp_path) as world:
        async with playing(world, "Olive", role=Role.OWNER) as program:
            assert "owner" in (await program.tools())["command"].description  # type: ignore[operator]
            assert "Moss" in await program.do("command", line="@memory-status Moss")
        async with playing(world) as program:
            for line in ("@save", "@show-profile Moss", "@accounts", "@archive moss#1-9", "@dig Attic"):
                await program.refused("command", line=line)
            robin = world.people.accounts.find("Robin")
            assert robin is not None
            for session in world.people.sessions.of(robin.character):
                session.role = Role.GUEST
            assert "may use" in await program.refused("command", line="alias x = look")


async def test_a_program_answers_no_question_for_a_password_and_gets_no_token(tmp_path: Path) -> None:
    async with served(tmp_path) as world, playing(world, "Olive", role=Role.OWNER) as program:
        for line in ("@password", "@token", "@token Olive", "@accounts new Dora", "@web"):
            shown = await program.refused("command", line=line)
            assert line == "@web" or "type it at a terminal, in the web or over telnet" in shown
            assert "loci-" not in shown
            assert "http" not in shown


async def _status(world: Served, **headers: str) -> httpx2.Response:
    async with httpx2.AsyncClient(trust_env=False) as http:
        return await http.post(f"{world.address}/mcp", headers=headers, json={})


async def test_nobody_comes_in_without_the_token_of_an_account(tmp_path: Path) -> None:
    async with served(tmp_path) as world:
        good = await token_of(world, "Robin")
        for bad in ("", "Basic Um9iaW46", "Bearer", "Bearer loci-x", f"Bearer {good}x", f"Token {good}"):
            answer = await _status(world, authorization=bad)
            assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
            assert "token" in answer.json()["error"]["message"].lower()
        with pytest.raises(MCPError, match="not known"):
            async with connected(world.address, "loci-wrong"):
                pass
        assert (await _status(world, authorization=f"bearer {good}")).status_code != 401
        assert not list(world.people.sessions)


async def test_a_page_from_elsewhere_is_refused_even_with_a_token(tmp_path: Path) -> None:
    async with served(tmp_path) as world:
        given = {"authorization": f"Bearer {await token_of(world, 'Robin')}"}
        for foreign in ("https://evil.example", "null", "http://localhost:1", "http://["):
            answer = await _status(world, origin=foreign, **given)
            assert (answer.status_code, "Origin" in answer.json()["error"]["message"]) == (403, True)
        assert not list(world.people.sessions)
        assert (await _status(world, origin=world.address, **given)).status_code != 403


async def test_a_token_ends_with_a_new_one_a_new_password_or_a_ban(tmp_path: Path) -> None:
    async with served(tmp_path) as world:
        door = world.portal.authenticator
        for end in ("token", "password", "ban"):
            async with playing(world) as program:
                await program.do("look")
                if end == "token":
                    await token_of(world, "Robin")
                elif end == "password":
                    await door.set_password("Robin", "another long one")
                else:
                    world.people.accounts.ban_addresses(frozenset({"127.0.0.1"}))
                with pytest.raises(MCPError):
                    await program.call("look")


async def handshake(http: httpx2.AsyncClient, world: Served, token: str) -> dict[str, str]:
    """Begin a session of the older protocol by hand, and return the headers that its requests carry."""
    headers = {"accept": "application/json, text/event-stream", "authorization": f"Bearer {token}"}
    information = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": information}
    began = await http.post(f"{world.address}/mcp", headers=headers, json=asked)
    return headers | {"mcp-session-id": began.headers["mcp-session-id"]}


PING = {"jsonrpc": "2.0", "id": 2, "method": "ping"}


async def test_a_session_of_one_account_is_none_for_another(tmp_path: Path) -> None:
    async with served(tmp_path) as world, httpx2.AsyncClient(trust_env=False) as http:
        ann, ben = [await token_of(world, name) for name in ("Ann", "Ben")]
        headers = await handshake(http, world, ann)
        theirs = headers | {"authorization": f"Bearer {ben}"}
        answers = [await http.post(f"{world.address}/mcp", headers=one, json=PING) for one in (headers, theirs)]
        assert [one.status_code for one in answers] == [200, 404]


async def test_whoever_opens_as_many_sessions_as_there_may_be_keeps_nobody_else_out(tmp_path: Path) -> None:
    async with served(tmp_path) as world, httpx2.AsyncClient(trust_env=False, timeout=PATIENCE) as http:
        ann, ben = [await token_of(world, name) for name in ("Ann", "Ben")]
        for _ in range(MOST_SESSIONS):
            await handshake(http, world, ann)
        with pytest.raises(KeyError):
            await handshake(http, world, ann)
        assert await handshake(http, world, ben)


async def test_who_still_listens_with_an_old_token_is_cut_off_when_the_new_one_comes_in(tmp_path: Path) -> None:
    async with served(tmp_path) as world, httpx2.AsyncClient(trust_env=False, timeout=PATIENCE) as http:
        old = await handshake(http, world, await token_of(world, "Robin"))
        async with http.stream("GET", f"{world.address}/mcp", headers=old) as listening:
            assert listening.status_code == 200
            async with playing(world) as program:
                await program.do("look")
                async for line in listening.aiter_lines():
                    assert "message" not in line


async def test_what_a_program_that_is_gone_would_have_been_told_waits_for_the_next_one(tmp_path: Path) -> None:
    async with served(tmp_path) as world, httpx2.AsyncClient(trust_env=False) as http:
        token = await token_of(world, "Robin")
        headers = await handshake(http, world, token)
        for name, given in (("look", {}), ("wait", {"seconds": 30})):
            asked = {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": name, "arguments": given}}
            async with http.stream("POST", f"{world.address}/mcp", headers=headers, json=asked) as answer:
                if name == "look":
                    await answer.aread()
        await http.post(f"{world.address}/mcp", headers=headers, json=PING)  # by now its end has come there
        act(world, "Eliza", "say are you still there")
        async with connected(world.address, token) as program:
            assert "are you still there" in await program.do("wait", seconds=0)


@both
async def test_two_programs_are_two_people(tmp_path: Path, mode: str) -> None:
    async with served(tmp_path) as world, playing(world, "Ann", mode) as ann, playing(world, "Ben", mode) as ben:
        await ann.do("think", words="a secret")
        await ann.do("say", words="hello Ben")
        assert "hello Ben" not in await ben.do("think", words="alone")  # it was not there yet
        await ann.do("say", words="hello again")
        heard = await ben.do("wait", seconds=0)
        assert 'Ann says, "hello again"' in heard
        assert "a secret" not in heard + await ben.read("memory/1-9") + await ben.do("recall", query="that secret")


@both
async def test_a_program_that_is_gone_leaves_its_character_asleep(tmp_path: Path, mode: str) -> None:
    clock = HandClock()
    async with served(tmp_path, clock) as world:
        async with playing(world, mode=mode) as program:
            await program.do("look")
            robin = world.character("Robin")
            clock.advance(3600)
            await settle()
            assert len(world.people.sessions.of(robin)) == 1  # it is connected, and may think for long
            clock.advance(3700)
            await settle()
            assert world.people.sessions.of(robin) == []  # but not for ever
            assert "typed nothing for a long time" in await program.do("look")
        gone = clock.monotonic()
        async with asyncio.timeout(PATIENCE):
            while world.people.sessions.of(robin):
                clock.advance(10)
                await settle()
        assert clock.monotonic() - gone >= 10 * 60
        assert robin in world.home.engine.world.asleep


async def test_lines_that_are_too_fast_wait_and_none_is_lost(tmp_path: Path) -> None:
    put(copy_vault(tmp_path), "doors", line_burst=3, lines_per_second=1.0)
    clock = HandClock()
    async with served(tmp_path, clock) as world, playing(world) as program:
        begun = clock.monotonic()
        calls = [asyncio.ensure_future(program.do("think", words=f"thought {number}")) for number in range(6)]
        async with asyncio.timeout(PATIENCE):
            while not all(one.done() for one in calls):
                clock.advance(0.1)
                await settle()
        assert clock.monotonic() - begun >= 3
        thoughts = {one.text for one in world.home.agent("Robin").memory.tail}
        assert {f'You think, "thought {number}"' for number in range(6)} <= thoughts


async def test_an_address_has_only_so_many_connections(tmp_path: Path) -> None:
    put(copy_vault(tmp_path), "doors", connections_per_address=1)
    async with served(tmp_path) as world:
        with pytest.raises(MCPError, match="Too many connections"):  # it listens for changes, and calls a tool besides
            async with playing(world) as program:
                await program.call("look")


async def test_what_waits_for_a_program_is_bounded(tmp_path: Path) -> None:
    async with served(tmp_path) as world, playing(world) as program:
        await program.do("look")
        for number in range(600):
            act(world, "Eliza", f"say {number} and on")
        heard = await program.do("wait", seconds=0)
        assert heard.startswith("(200 earlier messages were left out.)\n")
        assert heard.count("\n") == 400
