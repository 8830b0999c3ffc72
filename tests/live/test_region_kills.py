"""Two worlds between which an agent and a person go to and fro while either is killed: one has them, whole, once."""

from __future__ import annotations

import random
import re
import socket
import threading
from contextlib import closing
from pathlib import Path

import pytest

from mud.server.wiring import opened
from tests.chroma_server import free_port
from tests.processes import PATIENCE, Running, loci, memories, texts
from tests.settings import put
from tests.unit.mud.server.regions.stage import KEY, SECRET
from tests.vaults import copy_vault, without_vectors

NAMES = ("east", "west")
OWNERS = {"east": "Ann", "west": "Bea"}
MOMENT = 0.4
"""Seconds within which a world is killed once somebody goes; on a quiet machine they are there by then."""
ANSWERED = re.compile("You are Moss now|You lead Moss already|Nobody called|Moss is (in another world|nowhere)")
A_LOOK, LOOKS = 0.05, 1200
"""Seconds between two looks where Moss is, and looks after which a test gives up."""


class Country:
    """Two worlds that run, each with an exit to the other in The Garden.

    Args:
        said: what Moss said and saw answered, in order.
    """

    def __init__(self, folder: Path, seed: int) -> None:
        self.said: list[str] = []
        self._chance = random.Random(seed)
        self._ports = {name: free_port() for name in NAMES}
        self.telnet = free_port()
        self.vaults = {name: self._vault(folder, name) for name in NAMES}
        self.worlds = {name: self._started(name) for name in NAMES}

    def _vault(self, folder: Path, name: str) -> Path:
        (folder / name).mkdir()
        vault = without_vectors(copy_vault(folder / name))
        other = f"127.0.0.1:{self._ports[other_than(name)]}"
        put(vault, "regions", neighbours=(f"http://{other} {KEY}",))
        garden = vault / "world/locations/the-garden.md"
        way = f'exits:\n  bridge: "loci://{other}/The Garden"\n'
        garden.write_text(garden.read_text("utf-8").replace("exits:\n", way, 1), "utf-8")
        for agent in vault.glob("agents/*"):
            if name == "west" or agent.name != "moss":
                (agent / "agent.md").unlink()
                agent.rmdir()
        return vault

    def _started(self, name: str) -> Running:
        doors = ["--web", str(self._ports[name]), *(["--telnet", str(self.telnet)] if name == "west" else [])]
        world = Running(self.vaults[name], "--no-agents", "--as", OWNERS[name], *doors)
        world.read_until("Exits:")
        world.read_until("web: ")
        return world

    def ask(self, name: str, line: str, mark: str) -> list[str]:
        return self.worlds[name].say(line, mark)

    def lead_moss(self) -> str:
        """Wait until Moss is in a world, have its owner lead him, and return which it is."""
        for _ in range(LOOKS):
            for name in NAMES:
                if self._leads(name):
                    assert not self._leads(other_than(name)), "Moss is in both worlds"
                    return name
            self.worlds["west"].read_as_far_as("Moss arrives", A_LOOK)
        raise AssertionError("Moss is in neither world")

    def _leads(self, name: str) -> bool:
        """Have the owner of a world lead Moss; return whether he is there."""
        self.worlds[name].type("@possess Moss")
        while not (told := ANSWERED.match(self.worlds[name].read_until("Moss")[-1])):
            pass
        return told[0].startswith("You")

    def journey(self, number: int) -> None:
        """Have Moss say something and cross, while one of the worlds may be killed, which then starts again."""
        at = self.lead_moss()
        self.ask(at, f"say this is number {number}", f"this is number {number}")
        self.said.append(f'You say, "this is number {number}"')
        self.ask(at, "go garden", "")
        victim = self._chance.choice(NAMES)
        killer = threading.Timer(self._chance.uniform(0.0, MOMENT), self.worlds[victim].kill)
        killer.start()
        self.worlds[at].type("go bridge")
        killer.join()
        self.worlds[victim] = self._started(victim)
        self.worlds[other_than(victim)].type("@release")

    def end(self) -> None:
        for world in self.worlds.values():
            world.type("quit")
            world.rest()
            world.wait()

    def close(self) -> None:
        """Leave no world behind, whatever has happened."""
        for world in self.worlds.values():
            world.kill()

    def check(self) -> None:
        """See that one world has Moss, with all that he said, and that both ledgers play again."""
        at = self.lead_moss()
        self.end()
        lives = {name: memories(self.vaults[name], "moss") for name in NAMES}
        for name, life in lives.items():
            assert [one["seq"] for one in life] == list(range(1, len(life) + 1))
            with opened(self.vaults[name], writable=False) as parts:
                present = {one.name for one in parts.engine.world.present()}
            assert ("Moss" in present) == (name == at)
        here, there = texts(lives[at]), texts(lives[other_than(at)])
        assert [text.partition(" (")[0] for text in here if text.startswith("You say")] == self.said
        assert here[: len(there)] == there
        for vault in self.vaults.values():
            for command in (("replay", "--verify"), ("check",)):
                done = loci(*command, "--vault", vault)
                assert (done.returncode, done.stderr) == (0, ""), done.stderr + done.stdout


def other_than(name: str) -> str:
    return NAMES[1 - NAMES.index(name)]


def _kills(folder: Path, kills: int, seed: int) -> None:
    with closing(Country(folder, seed)) as country:
        for number in range(kills):
            country.journey(number)
        country.check()


@pytest.fixture(autouse=True)
def _secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, SECRET)


def test_five_kills_leave_a_traveller_in_one_world_with_all_that_was_lived(tmp_path: Path) -> None:
    _kills(tmp_path, kills=5, seed=21)


@pytest.mark.torture
def test_fifty_kills_leave_a_traveller_in_one_world_with_all_that_was_lived(tmp_path: Path) -> None:
    _kills(tmp_path, kills=50, seed=50)


def test_a_person_goes_to_the_other_world_and_comes_in_there_with_what_they_lived(tmp_path: Path) -> None:
    with closing(Country(tmp_path, 1)) as country:
        country.ask("east", "say the lantern is in the well", "the lantern")
        told = "\n".join(country.ask("east", "go bridge", "until you come back"))
        password = re.search(r"it is ([a-z2-7-]{19})\.", told)
        assert password is not None, told
        country.worlds["east"].read_until("has let you in")
        with socket.create_connection(("127.0.0.1", country.telnet), PATIENCE) as line, line.makefile("rb") as shown:
            line.sendall(f"Ann\r\n{password[1]}\r\nrecall lantern\r\ngo bridge\r\n".encode())
            seen = b""
            while b"until you come back" not in seen:
                seen += (more := shown.readline())
                assert more, seen
        assert b"the lantern is in the well" in seen
        country.worlds["east"].read_until("You come to The Garden")
        country.ask("east", "recall lantern", "the lantern is in the well")
        country.end()
        assert texts(memories(country.vaults["east"], "ann"))[-1].startswith("You search")
