"""A model server that can be told how to misbehave in the middle of a thought, as a process of its own to be killed.

`python -m tests.live.dying_model PORT` serves OpenAI's protocol on the loopback and prints `ready`. `POST /be/MANNER`
sets what it does from now on, to calls under way too: each is decided when it has been thought about for a moment.
`GET /under-way` tells how many completions it is thinking about.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Awaitable, Callable
from contextlib import suppress

from tests.vaults import ROOT

MOMENT = 0.15
"""Seconds for which a completion is thought about before it is answered, one way or another."""
LONG = 600.0
"""Seconds for which it hangs."""
FLOOD = 20_000_000
"""Bytes of the longest answer."""

Reply = Callable[["Model", asyncio.StreamWriter, bool], Awaitable[None]]


class Model:
    """The server's state."""

    def __init__(self) -> None:
        self.manner = "well"
        self.under_way = 0
        self.numbers = itertools.count(1)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection's only request."""
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            method, path, *_ = head.split()
            length = next((line.split(":")[1] for line in head.lower().split("\r\n") if "content-length" in line), "0")
            body = await reader.readexactly(int(length))
            await self._answer(method, path, body, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            return  # whoever asked has given up
        finally:
            writer.close()

    async def _answer(self, method: str, path: str, body: bytes, writer: asyncio.StreamWriter) -> None:
        if path.startswith("/be/"):
            self.manner = path.removeprefix("/be/")
            await send(writer, b"{}")
        elif path == "/under-way":
            await send(writer, json.dumps(self.under_way).encode())
        elif method == "GET":
            await MANNERS[self.manner](self, writer, True)
        else:
            self.under_way += 1
            try:
                await passing(MOMENT)
                await MANNERS[self.manner](self, writer, False)
            finally:
                self.under_way -= 1


async def passing(seconds: float) -> None:
    """Let time pass; this is no test that waits, but a server that takes its time."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await asyncio.Event().wait()


async def send(writer: asyncio.StreamWriter, body: bytes, status: str = "200 OK", more: int = 0) -> None:
    """Send a whole answer, or, when it promises more bytes than it has, the beginning of one."""
    head = f"HTTP/1.1 {status}\r\nConnection: close\r\nContent-Type: application/json\r\n"
    writer.write(f"{head}Content-Length: {len(body) + more}\r\n\r\n".encode())
    writer.write(body)
    await writer.drain()


async def well(model: Model, writer: asyncio.StreamWriter, listing: bool) -> None:
    """Answer with a new command line each time."""
    number = next(model.numbers)
    text = f" emote draws figure{number}, figure{number}a and figure{number}b in the dust."
    choice = {"text": text, "message": {"content": text}}
    await send(writer, json.dumps({"data": [{"id": "mortal"}], "choices": [choice], "model": "mortal"}).encode())


async def hangs(model: Model, writer: asyncio.StreamWriter, listing: bool) -> None:
    """Never answer."""
    await passing(LONG)


async def drips(model: Model, writer: asyncio.StreamWriter, listing: bool) -> None:
    """Answer a byte at a time, so that no single read takes long."""
    await send(writer, b"", more=100_000)
    for _ in range(int(LONG / 0.1)):
        await passing(0.1)
        writer.write(b" ")
        await writer.drain()


async def resets(model: Model, writer: asyncio.StreamWriter, listing: bool) -> None:
    """Break the connection off without a word."""
    opened = writer.get_extra_info("socket")
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def breaks(model: Model, writer: asyncio.StreamWriter, listing: bool) -> None:
    """Break the connection off in the middle of an answer."""
    await send(writer, b'{"choices": [{"text": "say he', more=1000)


async def babbles(model: Model, writer: asyncio.StreamWriter, listing: bool) -> None:
    """Answer with bytes that are no JSON."""
    await send(writer, bytes(range(256)) * 40)


async def fails(model: Model, writer: asyncio.StreamWriter, listing: bool) -> None:
    """Say that something went wrong, as a page for people."""
    await send(writer, b"<html>Internal Server Error</html>", "500 Internal Server Error")


async def shrugs(model: Model, writer: asyncio.StreamWriter, listing: bool) -> None:
    """Answer with nothing at all."""
    await send(writer, b"")


async def loads(model: Model, writer: asyncio.StreamWriter, listing: bool) -> None:
    """Say that the model is still being loaded."""
    await send(writer, b'{"error": {"message": "Loading model"}}', "503 Service Unavailable")


async def floods(model: Model, writer: asyncio.StreamWriter, listing: bool) -> None:
    """Answer with 20 MB."""
    await send(writer, b'{"choices": [{"text": "say ' + b"flood " * (FLOOD // 6) + b'"}]}')


MANNERS: dict[str, Reply] = {
    one.__name__: one for one in (well, hangs, drips, resets, breaks, babbles, fails, shrugs, loads, floods)
}


async def _serve(port: int) -> None:
    server = await asyncio.start_server(Model().serve, "127.0.0.1", port)
    print("ready", flush=True)
    async with server:
        await server.serve_forever()


class Mortal:
    """That server, from the outside: started, told what to be like, killed and started again at the same address."""

    def __init__(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._process = self._started()

    @property
    def address(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.port}"

    def _started(self) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "tests.live.dying_model", str(self.port)]
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        return process

    def be(self, manner: str) -> None:
        """Have it behave so from now on; `killed` kills it, and anything else after that starts it again."""
        if manner == "killed":
            self.kill()
            return
        if self._process.poll() is not None:
            self._process = self._started()
        self._ask(f"/be/{manner}", b"")

    def wait_for_a_thought(self, patience: float) -> None:
        """Return while it is in the middle of a completion."""
        pause = threading.Event()
        for _ in range(int(patience / 0.02)):
            if self._ask("/under-way") != "0":
                return
            pause.wait(0.02)
        raise AssertionError("the model was never asked")

    def kill(self) -> None:
        """Kill it as a power cut would."""
        if self._process.poll() is None:
            os.kill(self._process.pid, signal.SIGKILL)
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def _ask(self, path: str, body: bytes | None = None) -> str:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(self.address + path, data=body, timeout=30) as answer:
            return str(answer.read().decode())


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1])))
