"""`mcp` carries the protocol between a program and a world that runs: real processes, and the official client."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from tests.chroma_server import free_port
from tests.processes import Running, loci
from tests.unit.mud.portal.mcp.stage import MODES, alone, told
from tests.vaults import ROOT, copy_vault, without_vectors

COMMAND = [sys.executable, "-m", "mud", "mcp"]
PASSWORD = "wisteria on the wall"
ASKED: dict[str, Any] = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}  # fmt: skip


class OpenWorld:
    """A world that runs with its pages open, and Ann at its pipe, who makes an account and a token for Robin."""

    def __init__(self, vault: Path) -> None:
        self.vault = vault
        self.world = Running(vault, "--no-agents", "--as", "Ann", "--web", str(free_port()))
        self.world.read_until("web: http://")
        for line in ("@accounts new Robin", PASSWORD, PASSWORD):
            self.world.type(line)
        (shown,) = self.world.say("@token Robin", "acts as Robin: ")[-1:]
        self.token = shown.rpartition(" ")[2]

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "LOCI_TOKEN": self.token}

    def bridge(self) -> subprocess.Popen[str]:
        """Start the command itself, which a test feeds line by line."""
        pipe = subprocess.PIPE
        command = [*COMMAND, "--vault", str(self.vault)]
        return subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, cwd=ROOT, env=self.environment
        )


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[OpenWorld]:
    world = OpenWorld(without_vectors(copy_vault(tmp_path)))
    try:
        yield world
    finally:
        world.world.kill()


@asynccontextmanager
async def playing(world: OpenWorld, mode: str) -> AsyncIterator[Client]:
    """Have the official client start the command and connect to it."""
    arguments = [*COMMAND[1:], "--vault", str(world.vault)]
    environment = world.environment | {"PYTHONPATH": str(ROOT)}  # as docs/mcp.md says: clients choose the folder
    server = StdioServerParameters(command=COMMAND[0], args=arguments, env=environment, cwd=world.vault.parent)
    async with alone(), Client(server, mode=mode) as client:
        yield client


@contextmanager
def fed(world: OpenWorld) -> Iterator[subprocess.Popen[str]]:
    process = world.bridge()
    with process:
        try:
            yield process
        finally:
            process.kill()


def send(process: subprocess.Popen[str], message: dict[str, Any]) -> dict[str, Any]:
    """Send a request, and return the next message that comes back."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(message) + "\n")
    process.stdin.flush()
    answer: dict[str, Any] = json.loads(process.stdout.readline())
    return answer


def call(number: int, name: str, **given: object) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": name, "arguments": given}}


@pytest.mark.parametrize("mode", MODES)
async def test_a_program_plays_in_the_running_world_over_its_own_pipes(opened: OpenWorld, mode: str) -> None:
    async with playing(opened, mode) as client:
        assert "go" in {one.name for one in (await client.list_tools()).tools}
        await client.call_tool("say", {"words": "hello Ann"})
        opened.world.read_until('Robin says, "hello Ann"')
        opened.world.say("say hello Robin", "You say")
        heard = told(await client.call_tool("wait", {"seconds": 30}))
        assert 'Ann says, "hello Robin"' in heard
        (found,) = (await client.read_resource("loci://memory/1-9")).contents
        assert "hello Ann" in found.text  # type: ignore[union-attr]
        refused = await client.call_tool("command", {"line": "@save"})
        assert refused.is_error


def test_a_program_that_is_killed_takes_nothing_with_it_and_the_next_one_goes_on(opened: OpenWorld) -> None:
    with fed(opened) as first:
        assert send(first, ASKED)["result"]["serverInfo"]["name"] == "loci"
        send(first, call(2, "say", words="I am here"))
        opened.world.read_until("I am here")
        first.kill()
        first.wait()
    opened.world.say("say are you still there", "You say")
    with fed(opened) as second:
        send(second, ASKED)
        answer = json.dumps(send(second, call(2, "think", words="yes")))
        assert "are you still there" in answer
    opened.world.type("quit")
    opened.world.rest()


def test_when_the_world_ends_its_program_is_told_in_one_sentence(opened: OpenWorld) -> None:
    with fed(opened) as program:
        send(program, ASKED)
        opened.world.type("quit")
        opened.world.rest()
        assert program.stdin is not None
        assert program.stderr is not None
        program.stdin.write(json.dumps(call(2, "look")) + "\n")
        program.stdin.flush()
        assert program.wait(60) == 1
        (line,) = program.stderr.read().splitlines()
        assert re.fullmatch(r"loci: the world at http://127.0.0.1:\d+/mcp does not answer; .*", line)


def test_a_line_that_is_no_message_is_answered_and_the_next_one_works(opened: OpenWorld) -> None:
    with fed(opened) as program:
        assert program.stdin is not None
        program.stdin.write("hello?\n\n")
        assert send(program, ASKED)["error"]["code"] == -32700


def test_what_is_sent_at_once_is_answered_although_nothing_more_comes(opened: OpenWorld) -> None:
    begun = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    with fed(opened) as program:
        shown, _ = program.communicate("".join(f"{json.dumps(one)}\n" for one in (ASKED, begun, call(2, "look"))), 60)
    assert [json.loads(line)["id"] for line in shown.splitlines()] == [1, 2]


def test_without_a_world_or_a_token_one_sentence_says_what_to_do(tmp_path: Path) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    cases = [
        (("--vault", vault), {"LOCI_TOKEN": ""}, "LOCI_TOKEN in the environment has to hold a token"),
        (("--vault", vault), {"LOCI_TOKEN": "loci-x"}, "no world with web pages runs on"),
        (("--url", f"http://127.0.0.1:{free_port()}"), {"LOCI_TOKEN": "loci-x"}, "does not answer"),
        (("--url", "nonsense"), {"LOCI_TOKEN": "loci-x"}, "does not answer"),
    ]
    for arguments, environment, why in cases:
        done = loci("mcp", *arguments, environment=environment)
        assert (done.returncode, done.stdout) == (1, "")
        assert why in done.stderr
        assert done.stderr.count("\n") == 1


def test_a_wrong_token_is_said_to_be_wrong_and_shows_nothing(opened: OpenWorld) -> None:
    done = loci("mcp", "--vault", opened.vault, environment={"LOCI_TOKEN": "loci-wrong"})
    assert (done.returncode, done.stdout) == (1, "")
    assert "That token is not known here" in done.stderr
    assert "loci-wrong" not in done.stderr
