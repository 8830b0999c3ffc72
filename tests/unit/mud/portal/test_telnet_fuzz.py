"""Whatever strangers send by telnet: no error of the program, and nobody else loses a line."""

from __future__ import annotations

import asyncio
import tracemalloc
from pathlib import Path
from random import Random

import pytest

from tests.telnet import CHARSET, DO, DONT, GMCP, IAC, MCCP2, NAWS, SB, SE, TTYPE, WILL, WONT, TelnetWorld, telnet_world

LENGTH = 100  # bytes of a connection
AT_ONCE = 10
_OPTIONS = (1, TTYPE, NAWS, CHARSET, MCCP2, GMCP)
_PIECES = [
    bytes([IAC]), bytes([IAC, SB]), bytes([IAC, SE]), bytes([IAC, IAC]), b"\r\n", b"\n", b"\0", b"say ", b"quit\r\n",
    b"Core.Supports.Set [", b"{}", b"\x1b[",
    *(bytes([IAC, verb, option]) for verb in (DO, DONT, WILL, WONT, SB) for option in _OPTIONS),
]  # fmt: skip


def nonsense(chance: Random) -> bytes:
    """Return bytes that look like telnet here and there."""
    data = b""
    while len(data) < LENGTH:
        data += chance.choice(_PIECES) if chance.random() < 0.5 else chance.randbytes(chance.randint(1, 8))
    return data[:LENGTH]


async def send_nonsense(world: TelnetWorld, chance: Random) -> None:
    """Connect, come in perhaps, send nonsense in one piece or two, and leave in one of several ways."""
    async with world.client() as client:
        if chance.random() < 0.3:
            client.type("guest")
        data, cut = nonsense(chance), chance.randint(0, LENGTH)
        client.send(data[:cut])
        await client.writer.drain()
        client.send(data[cut:])
        match chance.randint(0, 3):
            case 0:
                client.writer.transport.abort()
            case 1:
                client.writer.write_eof()
                await client.rest()
            case 2:
                await client.read()


async def many(world: TelnetWorld, connections: int, chance: Random) -> None:
    for _ in range(connections // AT_ONCE):
        results = await asyncio.gather(*(send_nonsense(world, chance) for _ in range(AT_ONCE)), return_exceptions=True)
        assert all(one is None or isinstance(one, ConnectionError) for one in results), results


@pytest.mark.parametrize("connections", [100, pytest.param(1000, marks=pytest.mark.torture)])
async def test_nonsense_in_many_connections_leaves_no_error_and_no_line_of_another_player_is_lost(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, connections: int
) -> None:
    async with telnet_world(tmp_path) as world, world.player("Ann") as ann, world.player("Wren") as wren:
        fuzzing = asyncio.create_task(many(world, connections, Random(connections)))
        said = 0
        while not fuzzing.done():
            said += 1
            await ann.say(f"whisper Wren number {said}.", f"number {said}.")
            await wren.read_until(f"number {said}.")
        fuzzing.result()
        assert said > 10
    assert [record for record in caplog.records if record.levelname in ("WARNING", "ERROR", "CRITICAL")] == []


async def test_ten_megabytes_without_a_newline_are_refused_and_take_no_memory(tmp_path: Path) -> None:
    async with telnet_world(tmp_path) as world, world.player("Ann") as ann, world.player("Wren") as wren:
        tracemalloc.start()
        begun, _ = tracemalloc.get_traced_memory()
        for _ in range(160):
            ann.send(b"x" * 65_536)
            await ann.writer.drain()
            await wren.say("say on", 'on"')
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert most - begun < 3_000_000  # buffers of the client that sends it too
        assert "too long" in await ann.say("", "done.")
        assert 'You say, "hello"' in await ann.say("say hello", 'hello"')
