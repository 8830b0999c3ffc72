"""Every setting of the telnet door, and the address of every door, does what it says."""

from __future__ import annotations

import asyncio
import ssl
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mud.portal.portal import Endpoint
from mud.portal.telnet_tls import MADE, make_certificate, telnet_tls
from mud.server.doors import serve_doors
from tests.settings import proves, put
from tests.telnet import DO, IAC, MSSP, NAWS, SB, SE, WILL, telnet_world
from tests.unit.mud.server.lobby import lobby
from tests.vaults import copy_vault

LOOPBACK = "127.0.0.2"  # all of 127.0.0.0/8 is this machine


@proves("doors.telnet_host", "doors.telnet_tls_host", "doors.web_host")
async def test_each_door_listens_at_its_address(tmp_path: Path) -> None:
    put(copy_vault(tmp_path), "doors", telnet_host=LOOPBACK, telnet_tls_host=LOOPBACK, web_host=LOOPBACK)
    async with lobby(tmp_path) as hall:
        told: asyncio.Queue[str] = asyncio.Queue()
        ports = {door: [0] for door in ("telnet", "telnet_tls", "web")}

        def tell(text: str, kind: str) -> None:
            told.put_nowait(text)

        doors = asyncio.create_task(serve_doors(hall.parts, hall.people, ports, tell, lambda: "Visitor"))
        try:
            lines = [await asyncio.wait_for(told.get(), 20.0) for _ in ports]
        finally:
            doors.cancel()
            await asyncio.gather(doors, return_exceptions=True)
        assert all(LOOPBACK in line for line in lines), lines


@proves("doors.world_name")
async def test_lists_of_muds_are_told_who_is_here_and_since_when(tmp_path: Path) -> None:
    async with telnet_world(tmp_path, world_name="The House") as world, world.guest(), world.client() as client:
        client.send(IAC, DO, MSSP)
        pairs = [one.split(b"\2") for one in (await client.payload(MSSP)).split(b"\1")[1:]]
        status = {name.decode(): [value.decode() for value in values] for name, *values in pairs}
        assert (status["NAME"], status["PLAYERS"]) == (["The House"], ["1"])
        assert abs(int(status["UPTIME"][0]) - world.parts.clock.now().timestamp()) < 60
        assert (status["PORT"], status["SSL"]) == ([str(world.port)], ["0"])


async def test_lists_of_muds_are_told_at_either_port_of_both(tmp_path: Path) -> None:
    async with telnet_world(tmp_path) as world:
        opened: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        second = asyncio.ensure_future(telnet_tls.serve(world.portal, Endpoint("127.0.0.1", 0), opened.set_result))
        plain, secure = world.port, int((await opened).rpartition(":")[2])
        for port, tls in ((plain, False), (secure, True)):
            world.port = port
            async with world.client(tls=tls) as client:
                client.send(IAC, DO, MSSP)
                told = await client.payload(MSSP)
            assert b"\1PORT\2%d\1SSL\2%d\1" % (plain, secure) in told
        second.cancel()
        await asyncio.gather(second, return_exceptions=True)


@proves("doors.telnet_tls_file")
async def test_one_s_own_certificate_is_used_and_a_wrong_file_is_told_in_a_sentence(tmp_path: Path) -> None:
    own = tmp_path / "own.pem"
    own.write_text(make_certificate(datetime.now(UTC)), encoding="utf-8")
    async with telnet_world(tmp_path, opening=telnet_tls, telnet_tls_file=str(own)) as world:
        async with world.player("Wren", tls=True) as wren:
            shown = wren.writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
            assert ssl.DER_cert_to_PEM_cert(shown) in own.read_text(encoding="utf-8")
        assert not (tmp_path / "vault" / "accounts" / MADE).exists()
    own.write_text("nothing of that kind", encoding="utf-8")
    with pytest.raises(OSError, match="No such file"):
        async with telnet_world(tmp_path, opening=telnet_tls, telnet_tls_file=str(tmp_path / "no.pem")):
            pass
    with pytest.raises(OSError, match="holds no certificate and key in PEM form that belong together"):
        async with telnet_world(tmp_path, opening=telnet_tls, telnet_tls_file=str(own)):
            pass


@proves("doors.pages")
async def test_long_answers_come_by_the_page_or_at_once(tmp_path: Path) -> None:
    for pages in (True, False):
        async with telnet_world(tmp_path, pages=pages) as world, world.player("Ann") as ann:
            ann.send(bytes([IAC, WILL, NAWS, IAC, SB, NAWS, 0, 80, 0, 12, IAC, SE]))
            ann.type("help all")
            ann.type("think of pears")
            assert ("-- more --" in await ann.read_until("of pears")) == pages
