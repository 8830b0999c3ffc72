from __future__ import annotations

import asyncio
import socket
from contextlib import suppress
from pathlib import Path

from mud.server.doors import serve_doors
from tests.houses import PATIENCE
from tests.unit.mud.server.lobby import lobby


async def test_a_door_takes_the_first_free_port_and_one_that_finds_none_is_told_while_the_others_open(
    tmp_path: Path,
) -> None:
    async with lobby(tmp_path) as hall:
        told: asyncio.Queue[str] = asyncio.Queue()
        with socket.create_server(("127.0.0.1", 0)) as taken, socket.create_server(("127.0.0.1", 0)) as other:
            full, free = taken.getsockname()[1], other.getsockname()[1]
            other.close()
            ports = {"telnet": [full], "web": [full, free]}
            doors = asyncio.create_task(
                serve_doors(hall.parts, hall.people, ports, lambda text, *_: told.put_nowait(text), lambda: "Ann")
            )
            said = sorted([await asyncio.wait_for(told.get(), PATIENCE) for _ in range(2)])
            assert said[0].startswith(f"telnet cannot be opened at 127.0.0.1:{full} (")
            assert said[0].endswith("; the world goes on without it")
            assert said[1].startswith(f"web: http://127.0.0.1:{free}/?token=")
            doors.cancel()
            with suppress(asyncio.CancelledError):
                await doors
