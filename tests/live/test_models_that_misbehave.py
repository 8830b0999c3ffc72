"""A model server that does everything wrong, over real sockets: the world goes on, says what is wrong, and recovers."""

from __future__ import annotations

import itertools
import re
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.model_server import Server
from tests.processes import PATIENCE, Running, loci_json
from tests.vaults import copy_vault, without_vectors

PROMPTLY = 5.0
"""Seconds within which a person's line is answered, on a machine that is busy with other things."""
BETWEEN = 0.1
"""Seconds between two looks at a status."""
CLOSING = 20.0
"""Seconds within which the world ends while a call of a model hangs; it gives a fold five of them."""


TOLD = {
    "hangs": "/hangs did not answer within 1 s",
    "drips": "/drips did not answer within 1 s",
    "fails": "/fails answered 500",
    "babbles": "/babbles answers, but not as a server of language models does",
    "mumbles": "the model gave nothing that could be done: the reply holds no command: 'The Quick Brown Fox",
    "shrugs": "the model gave nothing that could be done: the reply holds no command: nothing",
    "floods": "/floods sent more than 2,000,000 bytes for one reply",
    "breaks": "/breaks broke off",
}
"""What the owner is told of each, in plain words."""


@pytest.fixture
def server() -> Iterator[Server]:
    one = Server()
    yield one
    one.close()


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    copy = without_vectors(copy_vault(tmp_path))
    for path in copy.glob("agents/*/agent.md"):
        _write(path, r"(think_interval): .*", r"\1: 1")
    for profile in ("think", "summarizer"):
        _write(copy / f"config/llm/{profile}.md", r"(\*\*timeout\*\*): .*", r"\1: 1")
    for path in copy.glob("world/locations/*.md"):  # nobody walks off before they were spoken to
        _write(path, r"(?m)^exits:\n(?:  .*\n)+", "exits: {}\n")
    return copy


def _write(path: Path, old: str, new: str) -> None:
    text, count = re.subn(old, new, path.read_text(encoding="utf-8"))
    assert count == 1, f"{path.name} has no {old}"
    path.write_text(text, encoding="utf-8")


def _connect(vault: Path, address: str, *profiles: str) -> None:
    for profile in profiles or ("think", "summarizer"):
        _write(vault / f"config/llm/{profile}.md", r"(\*\*host\*\*): .*", rf"\1: {address}")


def _entered(vault: Path, *args: str) -> Running:
    world = Running(vault, "--as", "Ann", "--seed", "1", *args)
    world.read_until("Exits:")
    return world


MARKS = itertools.count(1)


def _status(world: Running) -> str:
    """Return what @memory-status says of Eliza, once a line typed after it was answered promptly."""
    mark = f"mark {next(MARKS)} here"
    world.type("@memory-status Eliza")
    started = time.monotonic()
    lines = world.say(f"think {mark}", mark)
    assert time.monotonic() - started < PROMPTLY, "a person waited for the model"
    return "\n".join(lines)


def _until(world: Running, wanted: Callable[[str], bool]) -> str:
    """Ask for Eliza's status until it is as wanted, within bounds."""
    status = ""
    end = time.monotonic() + PATIENCE
    pause = threading.Event()
    while time.monotonic() < end:
        status = _status(world)
        if wanted(status):
            return status
        pause.wait(BETWEEN)
    raise AssertionError(f"it never came; the last status was {status}")


def test_the_world_goes_on_whatever_the_model_does_and_says_what_is_wrong(vault: Path, server: Server) -> None:
    _connect(vault, server.address("behaves"))
    world = _entered(vault)
    world.read_until("in the dust")
    for manner, told in TOLD.items():
        _connect(vault, server.address(manner), "think")
        _until(world, lambda status, told=told: told in _warnings(status))  # type: ignore[misc]
        assert manner in server.asked
        assert _turns_of_instinct(vault, told)
    world.say("say Eliza, how are you?", "Eliza says, ")
    _connect(vault, server.address("behaves"), "think")
    _until(world, lambda status: not any(told in _warnings(status) for told in TOLD.values()))
    assert "No warnings." in _status(world)
    world.type("quit")
    assert world.wait() == 0
    assert "Traceback" not in (vault / "log/loci.log").read_text(encoding="utf-8")
    (record,) = loci_json("status", "Eliza", "--vault", vault)
    assert (record["gaps"], record["overlaps"]) == ([], [])


def _warnings(status: str) -> str:
    """Return the part of a status that is about now."""
    return status.partition("Warnings:")[2].partition("Last error:")[0]


def _turns_of_instinct(vault: Path, told: str) -> list[str]:
    """Return the turns that were taken without the model for a reason."""
    log = (vault / "log/loci.log").read_text(encoding="utf-8")
    return [line for line in log.splitlines() if told in line and "instinct takes this turn" in line]


def test_a_model_that_goes_away_is_told_of_and_forgotten_when_it_is_back(vault: Path, server: Server) -> None:
    _connect(vault, server.address("behaves"))
    world = _entered(vault)
    world.read_until("in the dust")
    port = server.server_port
    server.close()
    gone = _until(world, lambda status: "nothing answers at" in _warnings(status))
    assert f"127.0.0.1:{port}" in gone
    assert "down since" in gone
    back = Server(port)
    try:
        _until(world, lambda status: "No warnings." in status)
        # By what the server is asked: whoever thinks may have walked away meanwhile, and be heard by nobody here.
        _until(world, lambda status: "behaves" in back.asked)
        world.type("quit")
        assert world.wait() == 0
    finally:
        back.close()


def test_a_fold_and_the_end_wait_for_no_model_that_hangs(vault: Path, server: Server) -> None:
    _connect(vault, server.address("hangs"))
    _write(vault / "config/llm/summarizer.md", r"(\*\*timeout\*\*): .*", r"\1: 300")
    for window in ("immediate_window", "recent_window"):
        _write(vault / "config/memory_compaction.md", rf"(\*\*{window}\*\*): .*", r"\1: 4")
    world = _entered(vault, "--no-agents")
    for number in range(9):
        world.say(f"think of number {number}", f"of number {number}")
    end = time.monotonic() + PATIENCE
    pause = threading.Event()
    while "hangs" not in server.asked and time.monotonic() < end:
        pause.wait(BETWEEN)
    assert "hangs" in server.asked
    started = time.monotonic()
    world.type("quit")
    assert world.wait() == 0
    assert time.monotonic() - started < CLOSING
    (status,) = loci_json("status", "ann", "--vault", vault)
    assert (status["gaps"], status["overlaps"]) == ([], [])
