"""A world whose minds live in a process of their own: whatever is killed, nothing is lost, nothing remembered twice."""

from __future__ import annotations

import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from tests.processes import PATIENCE, Running, loci_json, memories, texts
from tests.settings import put, put_own
from tests.vaults import copy_vault, without_vectors

Found = TypeVar("Found")


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    made = without_vectors(copy_vault(tmp_path))
    put(made, "hosts", minds="process")
    put_own(made, "eliza", think_interval=1)
    return made


@pytest.fixture
def world(vault: Path) -> Iterator[Running]:
    running = Running(vault, "--as", "Ann")
    yield running
    running.kill()


def _hosts(world: Running) -> list[int]:
    """Return the processes for minds that a world has started."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            parent = re.search(r"^PPid:\s*(\d+)", (path / "status").read_text(), re.M)
            if parent and int(parent[1]) == world.pid and b"agents.hosts.process" in (path / "cmdline").read_bytes():
                found.append(int(path.name))
        except OSError:  # it has ended
            continue
    return found


def _until(look: Callable[[], Found | None]) -> Found:
    """Look until something is there, and return it."""
    end, pause = time.monotonic() + PATIENCE, threading.Event()
    while time.monotonic() < end:
        if (found := look()) is not None:
            return found
        pause.wait(0.05)
    raise AssertionError("it never came")


def _host(world: Running, but: int = 0) -> int:
    """Return the process for minds that a world has started, or has started anew."""
    return _until(lambda: next((pid for pid in _hosts(world) if pid != but), None))


def _heard(vault: Path, count: int) -> list[str]:
    """Return what Eliza heard Ann say, once she has heard so much."""

    def heard() -> list[str] | None:
        found = [text for text in texts(memories(vault, "eliza")) if text.startswith("Ann says")]
        return found if len(found) >= count else None

    return _until(heard)


def _said(count: int) -> list[str]:
    return [f'Ann says, "line {number}"' for number in range(count)]


def test_minds_that_live_apart_answer_and_remember(vault: Path, world: Running) -> None:
    world.say("say Eliza, have you seen my key?", "You say")
    world.read_until("Eliza says, ")
    world.type("quit")
    assert world.wait() == 0
    records = memories(vault, "eliza")
    assert [record["seq"] for record in records] == list(range(1, len(records) + 1))
    assert 'Ann says, "Eliza, have you seen my key?"' in texts(records)
    assert texts(records)[-1] == "Ann goes away."
    (status,) = loci_json("status", "Eliza", "--vault", vault)
    assert (status["total"], status["gaps"], status["overlaps"]) == (len(records), [], [])


def test_when_the_process_of_the_minds_is_killed_nothing_is_lost(vault: Path, world: Running) -> None:
    host = 0
    for number in range(6):
        if number % 2 == 0:
            host = _host(world, but=host)
            _heard(vault, number)
            os.kill(host, signal.SIGKILL)
        world.say(f"say line {number}", "You say")
    assert _heard(vault, 6) == _said(6)
    world.say("say Eliza, are you there?", "You say")
    world.read_until("Eliza says, ")


def test_when_the_world_is_killed_the_ledger_gives_minds_what_they_lack(vault: Path) -> None:
    for number in range(3):
        world = Running(vault, "--as", "Ann")
        try:
            if number:
                _host(world)
            world.say(f"say line {number}", "You say")
        finally:
            world.kill()
    world = Running(vault, "--as", "Ann", "--minds", "local")
    world.type("quit")
    assert world.wait() == 0
    assert _heard(vault, 3) == _said(3)


def test_a_frozen_host_that_wakes_after_another_took_over_writes_nothing(vault: Path, world: Running) -> None:
    frozen = _host(world)
    world.say("say line 0", "You say")
    assert _heard(vault, 1) == _said(1)
    os.kill(frozen, signal.SIGSTOP)
    try:
        world.say("say line 1", "You say")
        world.kill()
        again = Running(vault, "--as", "Ann")
        try:
            again.say("say line 2", "You say")
            assert _heard(vault, 3) == _said(3)
            os.kill(frozen, signal.SIGCONT)
            again.say("say line 3", "You say")
            assert _heard(vault, 4) == _said(4)
        finally:
            again.kill()
    finally:
        os.kill(frozen, signal.SIGKILL)


def test_who_is_forgotten_takes_along_all_it_lived_and_comes_back_with_it(vault: Path, world: Running) -> None:
    _host(world)
    world.say("say line 0", "You say")
    world.say("@forget Eliza", ".trash")
    (trash,) = (vault / ".trash").glob("*/agent.md")
    away = vault / "agents" / "eliza"
    assert not away.exists()
    trash.parent.rename(away)
    world.read_until("Eliza arrives")
    assert _heard(vault, 1) == _said(1)
    world.say("say line 1", "You say")
    assert _heard(vault, 2) == _said(2)
    world.say("say Eliza, are you there?", "You say")
    world.read_until("Eliza says, ")
    world.type("quit")
    assert world.wait() == 0


def test_who_has_no_file_any_more_leaves_and_is_there_again_with_it(vault: Path, world: Running) -> None:
    world.say("say line 0", "You say")
    assert _heard(vault, 1) == _said(1)
    file = vault / "agents/eliza/agent.md"
    text = file.read_text(encoding="utf-8")
    file.unlink()
    world.read_until("Eliza has left the world")
    file.write_text(text, encoding="utf-8")
    world.read_until("Eliza arrives")
    world.say("say Eliza, are you there?", "You say")
    world.read_until("Eliza says, ")
    world.type("quit")
    assert world.wait() == 0
