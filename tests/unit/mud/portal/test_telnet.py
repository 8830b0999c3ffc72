"""The way in for telnet and MUD clients, over real sockets."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from mud.world.roles import Role
from tests.telnet import (
    CHARSET,
    DO,
    DONT,
    ECHO,
    EOR,
    EOR_MARK,
    GA,
    GMCP,
    IAC,
    MCCP2,
    NAWS,
    PASSWORD,
    SB,
    SE,
    TTYPE,
    WILL,
    WONT,
    TelnetClient,
    telnet_world,
)
from tests.unit.agents.llm.stage import HandClock

LOOK = "Four gravel paths"


def size(columns: int) -> bytes:
    """Return the command with which a client tells its width."""
    return bytes([IAC, WILL, NAWS, IAC, SB, NAWS, 0, columns, 0, 24, IAC, SE])


async def answer_terminal(client: TelnetClient, *names: str) -> None:
    """Tell the door what the terminal is, as often as it asks."""
    client.send(IAC, WILL, TTYPE)
    for name in names:
        await client.payload(TTYPE)
        client.send(IAC, SB, TTYPE, 0, name.encode(), IAC, SE)


async def test_a_client_that_says_nothing_is_greeted_at_once_and_marked_no_prompts(tmp_path: Path) -> None:
    async with telnet_world(tmp_path) as world, world.client() as client:
        assert "Welcome" in await client.read_until("Name: ")
        assert all(len(one) == 2 for one in client.commands)


async def test_a_guest_walks_and_talks_and_is_gone_after_quitting(tmp_path: Path) -> None:
    async with telnet_world(tmp_path) as world, world.guest() as client:
        assert 'You say, "hello"' in await client.say("say hello", 'hello"')
        assert "The Lobby" in await client.say("north", "Exits:")
        assert world.names() == ["Guest 1"]
        client.type("quit")
        assert "You close your eyes" in await client.rest()
        assert world.names() == []
        assert all(one.name != "Guest 1" for one in world.engine.world.present())


async def test_guests_come_in_only_where_they_may(tmp_path: Path) -> None:
    async with telnet_world(tmp_path, guests=False) as world, world.client() as client:
        assert "guest" not in await client.read_until("Name: ")
        assert "takes no guests" in await client.say("guest", "Name: ")


async def test_an_account_is_made_and_its_password_is_never_shown(tmp_path: Path) -> None:
    async with telnet_world(tmp_path) as world:
        async with world.client() as client:
            await client.read_until("Name: ")
            client.send(IAC, DO, EOR)
            await client.say("new", "be? ")
            await client.say("Wren", "characters: ")
            await client.command(WILL, ECHO)
            await client.say(PASSWORD, "again: ")
            await client.command(WONT, ECHO)
            await client.say("something else", "not the same")
            await client.read_until("characters: ")
            await client.say(PASSWORD, "again: ")
            assert "The Garden" in await client.say(PASSWORD, "Exits:")
            assert PASSWORD not in client.text
        assert world.people.accounts.find("wren") is not None
        async with world.player("Wren") as client:
            assert PASSWORD not in client.text


@pytest.mark.parametrize("unfit", ["short", "", "long" * 33])
async def test_an_unfit_password_is_refused_before_it_is_asked_for_again(tmp_path: Path, unfit: str) -> None:
    async with telnet_world(tmp_path) as world, world.client() as client:
        await client.read_until("Name: ")
        await client.say("new", "be? ")
        await client.say("Wren", "characters: ")
        answer = await client.say(unfit, "characters: ")
        assert "A password has 8 to 128 characters." in answer
        assert "again" not in answer
        await client.say(PASSWORD, "again: ")
        assert "The Garden" in await client.say(PASSWORD, "Exits:")


async def test_who_types_two_passwords_too_often_is_never_asked_for_what_would_show(tmp_path: Path) -> None:
    async with telnet_world(tmp_path) as world, world.client() as client:
        await client.read_until("Name: ")
        await client.say("new", "be? ")
        await client.say("Wren", "characters: ")
        for number in range(20):
            client.type(f"{PASSWORD} {number}")
        told = await client.rest()
        assert told.count("not the same") == 10
        assert "too often" in told
        assert "Name: " not in told
        assert world.people.accounts.find("Wren") is None


async def test_a_wrong_password_a_name_that_nobody_has_and_names_that_mean_something(tmp_path: Path) -> None:
    async with telnet_world(tmp_path) as world, world.client() as client:
        world.account("Wren", password=PASSWORD)
        await client.read_until("Name: ")
        answers = []
        for name in ("Wren", "Nobody at all"):
            await client.say(name, "Password: ")
            answers.append(await client.say("a wrong one", "Name: "))
        assert answers[0] == answers[1]
        for name, told in (("guest", "Nobody can be called"), ("Eliza", "taken"), ("wren", "taken")):
            await client.say("new", "be? ")
            assert told in await client.say(name, "Name: ")
        assert "Goodbye" in await client.say("quit", "bye")
        assert await client.rest() == ".\r\n"


async def test_who_tries_too_often_has_to_come_back(tmp_path: Path) -> None:
    async with telnet_world(tmp_path, new_accounts=False) as world, world.client() as client:
        await client.read_until("Name: ")
        for _ in range(10):
            client.type("new")
            client.type("somebody")
        assert "too often" in await client.rest()


async def test_who_lost_the_connection_takes_up_the_sleeping_character(tmp_path: Path) -> None:
    async with telnet_world(tmp_path) as world, world.player("Ann") as ann:
        async with world.player("Wren") as client:
            await ann.read_until("Wren arrives")
            await client.say("say I hold the lamp", "lamp")
            client.writer.transport.abort()
            await ann.read_until("Wren falls asleep")
        async with world.player("Wren") as client:
            await ann.read_until("Wren")
            wren = world.home.agent("Wren")
            assert wren.id not in world.engine.world.absent
            assert len([one for one in world.engine.world.present() if one.name == "Wren"]) == 1
        assert world.names() == ["Ann"] or await ann.read_until("falls asleep")


async def test_control_characters_reach_nobody(tmp_path: Path) -> None:
    async with telnet_world(tmp_path) as world, world.player("Ann") as ann, world.player("Wren") as wren:
        for sign in (b"\x1b[2J", b"\x07", b"\x9b1A", b"\xc2\x9b31m", b"\0", b"\x08", b"\xe2\x80\xae"):
            wren.send(b"say one" + sign + b" two\r\n")
        await wren.say("say three", 'three"')
        heard = await ann.read_until('three"')
        assert not [letter for letter in heard if not letter.isprintable() and letter not in "\r\n"]
        async with world.client() as client:
            await client.read_until("Name: ")
            await client.say("new", "be? ")
            assert "\x1b" not in await client.say("W\x1b[2Jren", "Name: ")


async def test_a_password_is_changed_without_being_shown(tmp_path: Path) -> None:
    async with telnet_world(tmp_path) as world, world.player("Wren") as wren:
        for _ in range(3):
            wren.type("@password" if not wren.commands.count((WONT, ECHO)) else PASSWORD)
        await wren.say("say done", 'done"')
        assert PASSWORD not in wren.text


async def test_passwords_that_are_typed_ahead_are_taken_by_their_questions_and_never_carried_out(
    tmp_path: Path,
) -> None:
    async with telnet_world(tmp_path) as world, world.player("Wren") as wren:
        wren.send(f"@password\r\n{PASSWORD}\r\nplum tree 77\r\nplum tree 77\r\nsay done\r\n".encode())
        assert "new password" in await wren.read_until('You say, "done"')
        await world.people.authenticator.login("192.0.2.9", "Wren", "plum tree 77")
        wren.send(b"@password\r\na wrong one\r\nplum tree 88\r\nplum tree 88\r\nsay no\r\n\r\nsay no\r\n")
        assert "do not belong together" in await wren.read_until("What you typed after that was not carried out.")
        await wren.say("say still here", 'here"')
        assert "plum" not in wren.text
        assert '"no"' not in wren.text
        kept = [path.read_bytes() for path in world.parts.vault.rglob("*") if path.is_file()]
        assert not any(b"plum tree" in data for data in kept)


async def test_a_text_of_many_lines_that_comes_in_one_packet_is_written(tmp_path: Path) -> None:
    async with telnet_world(tmp_path) as world:
        world.account("Wren", Role.BUILDER, PASSWORD)
        async with world.player("Wren") as wren:
            wren.send(b"@edit sundial\r\nSlate.\r\n\r\nFour holes.\r\n.\r\nsay done\r\n")
            await wren.read_until('You say, "done"')
        text = (world.parts.vault / "world/items/sundial.md").read_text("utf-8")
        assert "\n\nSlate.\n\nFour holes.\n" in text


async def test_what_was_typed_before_a_client_closed_its_side_waits_for_answers(tmp_path: Path) -> None:
    async with telnet_world(tmp_path) as world, world.player("Wren") as wren:
        wren.send(b"recall sundial\r\nsay one\r\nquit\r\n")
        wren.writer.write_eof()
        assert 'You say, "one"' in await wren.rest()


async def test_lines_of_one_packet_are_carried_out_in_order_whatever_ends_them(tmp_path: Path) -> None:
    async with telnet_world(tmp_path) as world, world.guest() as client:
        client.send(b"say 1\rsay 2\nsay 3\r\nsay 4\r\0\n\r\n\rsay 5\r", b"\nsay", b" 6\r\n")
        told = await client.read_until('"6"')
        assert [f'"{number}"' in told for number in range(1, 7)] == [True] * 6
        assert sorted(told.index(f'"{number}"') for number in range(1, 7)) == [
            told.index(f'"{number}"') for number in range(1, 7)
        ]


async def test_a_client_that_closed_its_side_is_answered_to_the_end(tmp_path: Path) -> None:
    async with telnet_world(tmp_path) as world, world.client() as client:
        client.send(b"guest\nsay one\nsay two\nsay half a li")
        client.writer.write_eof()
        told = await client.rest()
        assert '"one"' in told
        assert '"two"' in told
        assert "half a li" not in told


async def test_text_is_wrapped_at_the_client_s_width_as_often_as_that_changes(tmp_path: Path) -> None:
    async with telnet_world(tmp_path) as world, world.client() as client:
        client.send(size(40))
        await client.read_until("Name: ")
        client.type("guest")
        narrow = await client.read_until("Exits:")
        assert 30 < max(map(len, narrow.split("\r\n"))) <= 40
        client.send(size(72))
        wide = await client.say("look", "Exits:")
        assert 60 < max(map(len, wide.split("\r\n"))) <= 72


@pytest.mark.parametrize(
    ("names", "codes"),
    [
        (("TINTIN++", "xterm-256color", "MTTS 271"), "\x1b[1;38;5;"),
        (("Mudlet", "ANSI-TRUECOLOR", "MTTS 1"), "\x1b[1;38;5;"),
        (("XTERM", "XTERM"), "\x1b[1;32m"),
        (("DUMB", "DUMB"), ""),
        (("MUDLET", "ANSI", "MTTS 77"), ""),
    ],
)
async def test_colours_are_those_that_the_terminal_has(tmp_path: Path, names: tuple[str, ...], codes: str) -> None:
    async with telnet_world(tmp_path) as world, world.client() as client:
        await client.read_until("Name: ")
        await answer_terminal(client, *names)
        client.send(size(40))
        client.type("guest")
        told = await client.read_until("Exits:")
        assert (codes in told) if codes else "\x1b" not in told
        if names[-1] == "MTTS 77":  # a screen reader: no prompt, and no line is broken
            assert max(map(len, told.split("\r\n"))) > 100
            assert "> " not in await client.say("say hello", 'hello"')


async def test_a_terminal_without_unicode_is_sent_none(tmp_path: Path) -> None:
    async with telnet_world(tmp_path) as world, world.player("Ann") as ann, world.player("Wren") as wren:
        wren.send(IAC, DO, CHARSET)
        assert b"UTF-8" in await wren.payload(CHARSET)
        wren.send(IAC, SB, CHARSET, 2, b"US-ASCII", IAC, SE)
        await wren.say("look", "Exits:")
        await ann.say("say naïve", "naïve")
        assert "na?ve" in await wren.read_until("ve")


async def test_prompts_end_with_what_the_client_knows(tmp_path: Path) -> None:
    async with telnet_world(tmp_path) as world, world.guest() as client:
        client.send(IAC, DONT, EOR)
        await client.say("say one", "> ")
        await client.command(GA)
        client.send(IAC, DO, EOR)
        await client.say("say two", "> ")
        await client.command(EOR_MARK)


async def test_what_is_compressed_can_be_read_and_compression_ends_when_asked(tmp_path: Path) -> None:
    async with telnet_world(tmp_path) as world, world.client() as client:
        await client.command(WILL, MCCP2)
        client.send(IAC, DO, MCCP2)
        await client.payload(MCCP2)
        assert client._inflate is not None
        client.type("guest")
        await client.read_until(LOOK)
        client.send(IAC, DONT, MCCP2)
        await client.say("say plain again", "again")
        assert client._inflate is None
        client.type("quit")
        assert "You close your eyes" in await client.rest()


async def test_mud_clients_are_told_of_character_place_memory_and_what_is_said(tmp_path: Path) -> None:
    async with telnet_world(tmp_path) as world, world.player("Ann") as ann, world.client() as client:
        await client.command(WILL, GMCP)
        client.send(IAC, DO, GMCP)
        client.send(IAC, SB, GMCP, b'Core.Supports.Set ["Room 1","Char 1","Comm 1"]', IAC, SE)
        client.send(IAC, SB, GMCP, b"Core.Ping", IAC, SE)
        world.account("Wren", password=PASSWORD)
        await client.login("Wren")
        await client.payload(GMCP, b"Core.Ping")
        assert json.loads((await client.payload(GMCP, b"Char.Name"))[10:])["name"] == "Wren"
        room = json.loads((await client.payload(GMCP, b"Room.Info"))[10:])
        assert room["num"] == 1001
        assert room["exits"]["n"] == 1002
        assert room["exits"]["gate"] == 1013
        await ann.say("say hello, Wren", "Wren")
        text = json.loads((await client.payload(GMCP, b"Comm.Channel.Text"))[18:])
        assert (text["channel"], text["talker"]) == ("say", "Ann")
        vitals = json.loads((await client.payload(GMCP, b"Char.Vitals"))[12:])
        assert vitals["verbatim"] < json.loads((await client.payload(GMCP, b"Char.Vitals"))[12:])["verbatim"]
        client.type("north")
        assert json.loads((await client.payload(GMCP, b"Room.Info"))[10:])["num"] == 1002
        client.send(IAC, SB, GMCP, b'Core.Supports.Remove ["Room"]', IAC, SE)
        await client.say("south", "Exits:")
        await client.say("say that is all", "all")
        assert not [one for one in client.payloads if one[1].startswith(b"Room")]


async def test_a_channel_is_heard_by_its_members_alone_and_known_by_name_to_mud_clients(tmp_path: Path) -> None:
    async with telnet_world(tmp_path) as world, world.player("Ann") as ann, world.client() as client:
        await client.command(WILL, GMCP)
        client.send(IAC, DO, GMCP)
        world.account("Wren", password=PASSWORD)
        await client.login("Wren")
        await ann.say("@channel-join town", "the first")
        await client.say("@channel-join town", "with Ann")
        await client.say("north", "Exits:")
        async with world.player("Cid") as cid:
            await ann.say("@channel town the pears are ripe", "ripe")
            assert "On town Ann says" in await client.read_until("ripe")
            text = json.loads((await client.payload(GMCP, b'Comm.Channel.Text {"channel":"town"'))[18:])
            assert (text["talker"], "pears" in text["text"]) == ("Ann", True)
            await cid.say("think of nothing", "nothing")
            assert "town" not in cid.text


async def test_a_long_answer_stops_after_a_screenful_and_goes_on_as_one_likes(tmp_path: Path) -> None:
    async with telnet_world(tmp_path) as world, world.player("Ann") as ann, world.player("Wren") as wren:
        ann.send(bytes([IAC, WILL, NAWS, IAC, SB, NAWS, 0, 80, 0, 12, IAC, SE]))
        await ann.read_until("Wren arrives.\r\n> ")
        first = await ann.say("help all", "-- more --")
        assert len(first.strip().split("\r\n")) == 12
        await wren.say("say hello", "hello")
        assert "Wren says" in await ann.read_until("-- more --"), "what happens is shown at once"
        second = await ann.say("", "-- more --")
        assert len(second.strip().split("\r\n")) == 12
        await ann.say("q", "> ")
        await ann.say("help all", "-- more --")
        assert "Ann says" not in await ann.say("say hello back", "> ")


@pytest.mark.parametrize("kind", ["screen reader", "client", "stranger"])
async def test_nobody_gets_pages_who_scrolls_back_or_has_no_window(kind: str, tmp_path: Path) -> None:
    async with telnet_world(tmp_path) as world, world.client() as client:
        if kind != "stranger":
            client.send(bytes([IAC, WILL, NAWS, IAC, SB, NAWS, 0, 80, 0, 12, IAC, SE]))
        if kind == "screen reader":
            await answer_terminal(client, "reader", "xterm", "MTTS 69")
        if kind == "client":
            await client.command(WILL, GMCP)
            client.send(IAC, DO, GMCP)
        client.type("guest")
        await client.read_until("Exits:")
        client.type("help all")
        client.type("think of pears")
        assert "-- more --" not in await client.read_until("of pears")


async def test_options_that_this_door_does_not_know_are_refused(tmp_path: Path) -> None:
    async with telnet_world(tmp_path) as world, world.client() as client:
        for option in (0, 3, 5, 6, 18, 33, 34, 39, 87, 254):
            client.send(IAC, DO, option, IAC, WILL, option)
            await client.command(WONT, option)
            await client.command(DONT, option)


async def test_who_reads_nothing_is_cut_off_and_nobody_waits_for_them(tmp_path: Path) -> None:
    async with (
        telnet_world(tmp_path, waiting_kilobytes=16) as world,
        world.player("Ann") as ann,
        world.player("Wren", window=4096) as wren,
    ):
        await ann.read_until("Wren arrives")
        transport = wren.writer.transport
        assert isinstance(transport, asyncio.ReadTransport)
        transport.pause_reading()
        while len(world.names()) == 2:
            await ann.say(f"say {'x' * 8000}", 'x"')
        assert world.names() == ["Ann"]
        await ann.read_until("Wren falls asleep")
        transport.resume_reading()
        assert "You were cut off" in (await wren.rest())[-200:]


RUBBISH = (
    bytes([IAC, SB, GMCP]) + b"x" * 100,
    bytes([IAC, SB, TTYPE, 0, 200, 201, IAC, SE]),
    bytes([IAC, SB, NAWS, 1, IAC, SE, IAC, SB, IAC, SE, IAC, SB, CHARSET, IAC, SE]),
    bytes([IAC, SB, CHARSET, 1, 59]) + b"UTF-8;KOI8-R" + bytes([IAC, SE]),
    bytes([IAC, WILL]),
    bytes([IAC, DO, ECHO, IAC, DONT, ECHO, IAC, WONT, NAWS, IAC, WILL, ECHO, IAC, WONT, 6, IAC, SB, 0, 1, IAC, SE]),
    bytes([IAC, DO, GMCP, IAC, SB, GMCP]) + b"Core.Supports.Set " + b"[" * 3000 + bytes([IAC, SE]),
    bytes([IAC, DO, GMCP, IAC, SB, GMCP]) + b'Core.Supports.Set {"a":1}' + bytes([IAC, SE]),
    bytes([0x16, 3, 1, 2, 0, 1, 0, 1]) + bytes(range(200)),
    bytes(range(256)) * 3,
)


async def test_half_a_negotiation_and_nonsense_harm_nobody(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with telnet_world(tmp_path) as world, world.player("Ann") as ann:
        for number, rubbish in enumerate(RUBBISH):
            async with world.client() as client, world.player("Wren") as wren:
                for one in (client, wren):
                    one.send(rubbish)
                await ann.say(f"say {number}", f'{number}"')
                await client.read()
                await wren.read_until(f'{number}"')
    assert [record for record in caplog.records if record.levelname in ("WARNING", "ERROR", "CRITICAL")] == []


async def test_a_flood_of_commands_is_cut_off(tmp_path: Path) -> None:
    async with telnet_world(tmp_path) as world, world.guest() as guest, world.client() as client:
        client.send(bytes([IAC, DO, 5]) * 50_000)
        await client.rest()
        await guest.say("say still here", "here")


async def test_a_client_that_comes_in_too_late_or_falls_silent_is_let_go(tmp_path: Path) -> None:
    clock = HandClock()
    async with telnet_world(tmp_path, clock) as world, world.player("Ann") as ann, world.client() as client:
        await client.read_until("Name: ")
        clock.advance(119)
        await client.say("new", "be? ")
        await ann.say("say still here", "here")
        clock.advance(2)
        assert "Nobody came in" in await client.rest()
        clock.advance(7190)
        await ann.say("say yes", "yes")
        clock.advance(7201)
        assert "Come back" in await ann.rest()
        assert world.names() == []


async def test_who_types_too_fast_is_slowed_and_loses_nothing(tmp_path: Path) -> None:
    clock = HandClock()
    async with (
        telnet_world(tmp_path, clock, line_burst=6, address_lines_per_second=1.0) as world,
        world.player("Ann") as ann,
    ):
        ann.send(b"".join(b"say %d\r\n" % number for number in range(6)))
        told = await ann.read_until('"3"')
        assert '"4"' not in told
        for number in (4, 5):
            clock.advance(1)
            await ann.read_until(f'"{number}"')


async def test_one_connection_too_many_is_told_so_and_who_is_sent_away_is_told_why(tmp_path: Path) -> None:
    async with telnet_world(tmp_path, connections_per_address=1) as world, world.player("Ann") as ann:
        async with world.client() as client:
            assert "Too many connections" in await client.rest()
        for session in world.people.sessions:
            session.end("Out you go.")
        assert "Out you go." in await ann.rest()
        assert world.names() == []


async def test_everybody_is_told_when_the_world_closes(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        async with telnet_world(tmp_path) as world:
            ann = await stack.enter_async_context(world.player("Ann"))
        assert "The world closes" in await ann.rest()
