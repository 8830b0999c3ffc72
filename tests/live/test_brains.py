"""The brains of the examples think for an agent of a running world, and lose nothing of it when they are killed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.processes import Running, memories, texts
from tests.programs import program
from tests.settings import put, put_own
from tests.vaults import ROOT, copy_vault, without_vectors

NODE = program("node") or "node"
BRAINS = {
    "python": [sys.executable, ROOT / "examples/brain.py"],
    "node": [NODE, "--experimental-websocket", "--no-warnings", ROOT / "examples/brain.mjs"],
}


KINDS = ["python", pytest.param("node", marks=pytest.mark.program("node"))]


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    made = without_vectors(copy_vault(tmp_path))
    put(made, "hosts", minds="websocket", brains_port=0, brains_token="sesame")
    put_own(made, "eliza", brain="remote", think_interval=1)
    return made


@pytest.fixture
def world(vault: Path) -> Iterator[Running]:
    running = Running(vault, "--as", "Ann")
    yield running
    running.kill()


@pytest.mark.parametrize("kind", KINDS)
def test_the_brain_of_the_example_greets_answers_and_may_be_killed(kind: str, vault: Path, world: Running) -> None:
    address = world.read_until("ws://")[-1].rpartition(" ")[2]
    command = [*map(str, BRAINS[kind]), address, "sesame", "Eliza"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as brain:
        try:
            assert brain.stdout is not None
            assert brain.stdout.readline() == "thinks for Eliza\n"
            world.type("say Eliza, have you seen my key?")
            world.read_until("Ann, you said that to me at ")
        finally:
            brain.kill()
    world.say("say Eliza, are you still there?", "You say")
    while "instinct" not in world.say("@why Eliza", "Decided by")[-1]:  # a line may have been under way
        world.read_until("Eliza ")
    told = texts(memories(vault, "eliza"))
    assert [text for text in told if text.startswith("Ann says")] == [
        'Ann says, "Eliza, have you seen my key?"',
        'Ann says, "Eliza, are you still there?"',
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_the_brain_of_the_example_says_in_a_line_why_it_does_not_think(kind: str, world: Running) -> None:
    address = world.read_until("ws://")[-1].rpartition(" ")[2]
    command, closed = list(map(str, BRAINS[kind])), f"no connection to {address}\n"

    def refused(*arguments: str) -> str:
        done = subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=60, check=False)
        assert (done.returncode, done.stdout) == (1, "")
        return done.stderr

    assert refused(address, "open", "Eliza") == f"the world: the token is wrong\n{closed}"
    assert refused(address, "sesame", "Moss").startswith("the world: Moss is no agent with brain: remote; there is: ")
    assert refused("ws://127.0.0.1:9", "sesame") == "no connection to ws://127.0.0.1:9\n"
    with subprocess.Popen(
        [*command, address, "sesame"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as first:
        assert first.stdout is not None
        assert first.stderr is not None
        assert first.stdout.readline() == "thinks for Eliza\n"
        with subprocess.Popen([*command, address, "sesame"], stdout=subprocess.PIPE, text=True) as second:
            assert first.stderr.readline() == "Eliza: another brain thinks for this agent now\n"
            second.kill()
        world.kill()
        assert first.stderr.read() == closed
