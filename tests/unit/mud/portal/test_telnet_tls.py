"""The way in for telnet clients that encrypt."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from mud.portal.telnet_tls import MADE, telnet_tls
from tests.telnet import MCCP2, WILL, telnet_world


async def test_a_certificate_is_made_once_and_only_its_owner_may_read_the_key(tmp_path: Path) -> None:
    made = tmp_path / "vault" / "accounts" / MADE
    certificates = []
    for _ in range(2):
        async with telnet_world(tmp_path, opening=telnet_tls) as world, world.player("Wren", tls=True) as wren:
            assert 'You say, "hello"' in await wren.say("say hello", 'hello"')
            assert (WILL, MCCP2) not in wren.commands  # compression would give away what is encrypted
            wren.type("quit")
            await wren.rest()
            certificates.append(made.read_text())
    assert certificates[0] == certificates[1]
    assert stat.S_IMODE(made.stat().st_mode) == 0o600


async def test_a_client_that_does_not_encrypt_harms_nobody(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with telnet_world(tmp_path, opening=telnet_tls) as world, world.player("Wren", tls=True) as wren:
        async with world.client() as client:
            client.send(b"hello, is this telnet?\r\n" * 100)
            await client.rest()
        async with world.client() as client:
            client.send(b"\x16\x03\x01\x02")
        assert 'You say, "hello"' in await wren.say("say hello", 'hello"')
    assert [record for record in caplog.records if record.levelname in ("WARNING", "ERROR", "CRITICAL")] == []
