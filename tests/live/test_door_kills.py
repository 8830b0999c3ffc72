"""The world killed while six people talk at three doors: what was answered is there, once, with all who heard it."""

from __future__ import annotations

import itertools
import json
import random
import re
import socket
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from mud.server.wiring import opened
from mud.storage.accounts import AccountFiles
from tests.benchmarks._doors.world import PASSWORD, free_port, furnish
from tests.processes import PATIENCE, Running, memories, texts
from tests.settings import put, put_own
from tests.vaults import copy_vault

OWNER, OVER_TELNET, OVER_WEB = "Ann", ("Ben", "Cleo", "Dora"), ("Emil", "Fay")
PEOPLE = (OWNER, *OVER_TELNET, *OVER_WEB)
AGENTS = ("corvin", "eliza", "moss", "tamsin")
"""They stay in the Lobby, into which the six go every second time."""
ROUND = 10_000
"""Numbers of sentences between two kills."""
WINDOWS = {"immediate_window": 6, "recent_window": 5}
"""Small ones, so that kills meet folds."""
MOST_ANSWERS = 150
"""Answers after which the world is killed at the latest, and a moment later."""
SENTENCE = re.compile(r'(You say|\w+ says), "Sentence (\d+) of (\w+)\."')
TOKEN = re.compile(r'name="token" (?:value|content)="(\w+)"')

Line = tuple[str, int]
"""Who said which sentence."""


class Keyboard(Protocol):
    """Somebody's place at a door."""

    def ask(self, line: str, mark: str) -> list[str]:
        """Type a line; return what is shown up to a line that holds the mark, or until the door is gone."""
        ...

    def close(self) -> None: ...


class Pipe:
    def __init__(self, world: Running) -> None:
        self._world = world

    def ask(self, line: str, mark: str) -> list[str]:
        self._world.type(line)
        return self._world.read_as_far_as(mark, PATIENCE)

    def close(self) -> None:
        """Leave it to whoever ends the world."""


class TelnetLine:
    def __init__(self, port: int, name: str) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), PATIENCE)
        self._lines = self._socket.makefile("rb")
        self.first = self.ask(f"{name}\r\n{PASSWORD}", "Exits:")

    def ask(self, line: str, mark: str) -> list[str]:
        shown: list[str] = []
        try:
            self._socket.sendall(f"{line}\r\n".encode())
            while not (shown and mark in shown[-1]) and (told := self._lines.readline()).endswith(b"\n"):
                shown.append(told.decode("utf-8", "replace"))
        except OSError:
            pass  # the world is gone: that is what this is about
        return shown

    def close(self) -> None:
        self._lines.close()
        self._socket.close()


class Page:
    def __init__(self, port: int, name: str) -> None:
        address = f"127.0.0.1:{port}"
        origin = {"origin": f"http://{address}"}
        with httpx.Client(base_url=f"http://{address}", trust_env=False, headers=origin) as browser:
            form = {"token": _token(browser.get("/login")), "name": name, "password": PASSWORD}
            browser.post("/login", data=form)
            own = _token(browser.get("/play"))
            cookies = "; ".join(f"{key}={value}" for key, value in browser.cookies.items())
        headers = {"cookie": cookies, **origin}
        page = connect(f"ws://{address}/socket?token={own}", additional_headers=headers, proxy=None)
        self._connected = ExitStack()
        self._socket = self._connected.enter_context(page)
        self._number = 0
        self.first = self.ask("", "Exits:")

    def ask(self, line: str, mark: str) -> list[str]:
        shown: list[str] = []
        try:
            if line:
                self._number += 1
                self._socket.send(json.dumps({"line": line, "page": "a", "number": self._number}))
            while not any(mark in one for one in shown):
                told = json.loads(self._socket.recv(PATIENCE))
                shown += [piece["text"] for piece in told.get("story", []) if piece["kind"] != "typed"]
        except ConnectionClosed:
            pass
        return shown

    def close(self) -> None:
        self._connected.close()


def _token(answer: httpx.Response) -> str:
    found = TOKEN.search(answer.text)
    assert found is not None, answer.text
    return found[1]


class Evening:
    """A life of six people that is killed again and again.

    Args:
        shown: the sentences that each of them was shown, in order.
        answered: the sentences that whoever said them saw answered.
    """

    def __init__(self, vault: Path, seed: int) -> None:
        self.shown: dict[str, list[Line]] = {name: [] for name in PEOPLE}
        self.answered: set[Line] = set()
        self._vault, self._chance = vault, random.Random(seed)
        self._place = "The Garden"
        self._one_by_one = threading.Lock()

    def start(self) -> tuple[Running, dict[str, Keyboard]]:
        """Start the world and let everybody in; they are found where they were, asleep until they come."""
        telnet, web = free_port(), free_port()
        world = Running(self._vault, "--no-agents", "--as", OWNER, "--telnet", str(telnet), "--web", str(web))
        pipe = Pipe(world)
        first = world.read_until("Exits:")
        assert any(self._place in line for line in first), first
        if any(self.shown.values()):  # they were here before
            around = "\n".join(pipe.ask("look", "Exits:"))
            assert [name for name in PEOPLE[1:] if not re.search(rf"{name}\W+asleep", around)] == []
        doors = {"telnet: ", "web: "}
        while doors:  # which one opens first is chance
            line = world.read_until(": ")[-1]
            doors = {one for one in doors if not line.startswith(one)}
        keyboards: dict[str, Keyboard] = {OWNER: pipe}
        for name in PEOPLE[1:]:
            keyboards[name] = one = TelnetLine(telnet, name) if name in OVER_TELNET else Page(web, name)
            assert self._place in "\n".join(one.first), one.first
        return world, keyboards

    def walk(self, keyboards: dict[str, Keyboard]) -> None:
        """Have everybody walk on together."""
        way, self._place = ("north", "The Lobby") if self._place == "The Garden" else ("south", "The Garden")
        for keyboard in keyboards.values():
            assert self._place in "\n".join(keyboard.ask(f"go {way}", "Exits:"))

    def talk_until_killed(self, world: Running, keyboards: dict[str, Keyboard], start: int) -> None:
        """Have all talk at once, as fast as they are answered, until a moment that nobody knows."""
        enough = len(self.answered) + self._chance.randint(1, MOST_ANSWERS)
        killer = threading.Timer(self._chance.uniform(0.0, 0.02), world.kill)

        def answered(line: Line) -> None:
            self.answered.add(line)
            if len(self.answered) == enough:
                killer.start()

        with ThreadPoolExecutor(len(PEOPLE)) as pool:
            talks = [pool.submit(self._talk, name, one, start, answered) for name, one in keyboards.items()]
            for talk in talks:
                talk.result()
        killer.join()
        for keyboard in keyboards.values():
            keyboard.close()

    def _talk(self, name: str, keyboard: Keyboard, start: int, answered: Callable[[Line], None]) -> None:
        for number in itertools.count(start):
            own = f'You say, "Sentence {number} of {name}."'
            shown = keyboard.ask(f"say Sentence {number} of {name}.", own)
            self.shown[name] += _sentences(shown)
            if not any(own in line for line in shown):
                return
            with self._one_by_one:
                answered((name, number))

    def check(self) -> None:
        """Check that everybody remembers the same evening, in order, and all of what was shown and answered."""
        evenings: list[list[Line]] = []
        with opened(self._vault, writable=False) as parts:
            states = {name: parts.minds.status(parts.minds.get(name)) for name in PEOPLE}
        for name, state in states.items():
            kept = memories(self._vault, name.lower())
            assert [one["seq"] for one in kept] == list(range(1, len(kept) + 1))
            assert (state["total"], state["gaps"], state["overlaps"]) == (len(kept), [], [])
            assert state["compactions"] > 0
            evening = _sentences(texts(kept))
            assert len(evening) == len(set(evening)), "something was remembered twice"
            remembered = iter(evening)
            assert [one for one in self.shown[name] if one not in remembered] == [], "shown, and not remembered so"
            evenings.append(evening)
        assert self.answered <= set(evenings[0])
        assert all(evening == evenings[0] for evening in evenings)
        in_the_lobby = [line for line in evenings[0] if line[1] // ROUND % 2 == 0]
        for slug in AGENTS:
            assert _sentences(texts(memories(self._vault, slug))) == in_the_lobby


def _sentences(lines: list[str]) -> list[Line]:
    return [(found[3], int(found[2])) for found in SENTENCE.finditer("\n".join(lines))]


def _evening_of_kills(tmp_path: Path, kills: int, seed: int) -> None:
    vault = copy_vault(tmp_path)
    furnish(vault, PEOPLE[1:])
    put(vault, "memory_compaction", **WINDOWS)
    for slug in AGENTS:  # with them there is a crowd, whose archives are written in groups
        put_own(vault, slug, location="[[The Lobby]]")
    evening = Evening(vault, seed)
    for kill in range(kills):
        world, keyboards = evening.start()
        evening.walk(keyboards)
        evening.talk_until_killed(world, keyboards, ROUND * kill)
    world, keyboards = evening.start()
    for keyboard in keyboards.values():
        keyboard.close()
    world.type("quit")
    assert world.wait() == 0
    evening.check()
    accounts = AccountFiles(vault)
    assert accounts.load() == []
    assert sorted(one.name for one in accounts) == sorted(PEOPLE[1:])
    characters = {one.character for one in accounts}
    assert len(characters) == len(OVER_TELNET + OVER_WEB)
    folders = {path.parent.name for path in vault.glob("agents/*/agent.md")}
    assert {name.lower() for name in PEOPLE} <= folders
    assert len(folders) == len(AGENTS) + len(PEOPLE)


def test_four_kills_among_six_people_at_three_doors_lose_and_double_nothing(tmp_path: Path) -> None:
    _evening_of_kills(tmp_path, kills=4, seed=4)


@pytest.mark.torture
def test_forty_kills_among_six_people_at_three_doors_lose_and_double_nothing(tmp_path: Path) -> None:
    _evening_of_kills(tmp_path, kills=40, seed=40)
