"""Real terminals: one of tmux in which people type, and bare ones that stop reading, or go."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.processes import PATIENCE, loci, memories, texts
from tests.programs import program
from tests.vaults import ROOT, copy_vault

SIZE = (80, 24)
MAP = "\x1bOQ"  # F2, which opens or closes a page


class Tmux:
    """A terminal in which one command runs; what it says at its end stays on the screen."""

    def __init__(self, folder: Path, size: tuple[int, int], command: str) -> None:
        self._server = [str(program("tmux")), "-S", str(folder / "tmux"), "-f", "/dev/null"]
        self._environment = {**os.environ, "TERM": "xterm-256color", "LANG": "C.UTF-8"}
        for name in ("NO_COLOR", "COLORTERM", "TMUX"):
            self._environment.pop(name, None)
        columns, rows = map(str, size)
        self._tmux("new-session", "-d", "-x", columns, "-y", rows, f"cd {ROOT}; {command}; echo code $?; cat")

    def _tmux(self, *arguments: str) -> str:
        command = [*self._server, *arguments]
        done = subprocess.run(
            command, capture_output=True, text=True, env=self._environment, timeout=PATIENCE, check=True
        )
        return done.stdout

    def press(self, *keys: str) -> None:
        self._tmux("send-keys", *keys)

    def screen(self, *options: str) -> str:
        return self._tmux("capture-pane", "-p", *options)

    def shows(self, *parts: str) -> str:
        """Wait until the screen shows all of these, and return it."""
        end = time.monotonic() + PATIENCE
        while True:
            screen = self.screen()
            if all(part in screen for part in parts):
                return screen
            assert time.monotonic() < end, screen

    def end(self) -> None:
        self._tmux("kill-server")


@contextmanager
def tmux(folder: Path, size: tuple[int, int], *arguments: object, setting: str = "") -> Iterator[Tmux]:
    """Run the program in a terminal of tmux."""
    terminal = Tmux(
        folder, size, " ".join(map(str, [setting, sys.executable, "-m", "mud", "run", "--web", "off", *arguments]))
    )
    try:
        yield terminal
    finally:
        terminal.end()


@pytest.mark.program("tmux")
def test_a_first_evening_in_a_terminal(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    with (vault / "config" / "budget.md").open("a", encoding="utf-8") as config:
        config.write("\n**generosity**: 7\n")
    with tmux(tmp_path, SIZE, "--vault", vault, "--no-agents") as terminal:
        terminal.shows("What is your name?")
        terminal.press("Jonas", "Enter")
        first = terminal.shows("Try: look, say hello", "─Map─", "─Memory─", "F1 Help")
        assert len(first.rstrip("\n").split("\n")) == SIZE[1]
        assert "\x1b[" in terminal.screen("-e")
        terminal.press("say the bees are late", "Enter")
        terminal.shows('You say, "the bees are late"')
        terminal.press("nor", "Tab", "Enter")
        terminal.shows("[@ Lobby]", "[Garden]")
        terminal.press("F2")
        terminal.shows("Esc: back")
        terminal.press("F3")
        terminal.shows("The mind of Jonas")
        terminal.press("F5")
        terminal.shows("generosity")  # what was wrong at the start is told on the screen too
        terminal.press("Escape")
        terminal.press("C-d")
        last = terminal.shows("code 0")
        assert "F1 Help" not in last
    assert 'You say, "the bees are late"' in texts(memories(vault, "jonas"))


@pytest.mark.program("tmux")
@pytest.mark.parametrize(
    ("setting", "options", "drawn"),
    [
        ("NO_COLOR=1", ["--no-plain"], "F1 Help"),
        ("NO_COLOR=1", [], "Exits: "),
        ("", ["--plain"], "Exits: "),
    ],
)
def test_who_wants_no_colour_gets_none_and_who_wants_lines_gets_lines(
    tmp_path: Path, setting: str, options: list[str], drawn: str
) -> None:
    vault = copy_vault(tmp_path)
    with tmux(tmp_path, SIZE, "--vault", vault, "--no-agents", *options, setting=setting) as terminal:
        terminal.shows("What is your name?")
        terminal.press("Jonas", "Enter")
        screen = terminal.shows(drawn)
        assert ("F1 Help" in screen) is ("--no-plain" in options)
        coloured = re.search(r"\x1b\[[\d;]*\b[34][0-7]m", terminal.screen("-e"))
        assert (coloured is None) is ("NO_COLOR" in setting)
        terminal.press("quit", "Enter")
        terminal.shows("code 0")


class Bare:
    """A terminal without anybody who draws it."""

    def __init__(self, vault: Path) -> None:
        self._vault = vault
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "mud", "run", "--vault", str(vault), "--as", "Jonas", "--no-agents", "--web", "off"],
            stdin=theirs, stdout=theirs, stderr=theirs, cwd=ROOT, start_new_session=True,
            env={**os.environ, "TERM": "xterm-256color", "LANG": "C.UTF-8"},
        )  # fmt: skip
        os.close(theirs)
        self.seen = b""

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def stop(self) -> None:
        """Have far more drawn than a terminal takes that nobody reads; a line typed behind it is still carried out."""
        for _ in range(100):
            self.type(MAP * 2)
        self.type("say enough\r")
        ledger, end = next((self._vault / "log").glob("ledger-*")), time.monotonic() + PATIENCE
        while b"say enough" not in ledger.read_bytes():
            assert time.monotonic() < end
            assert self.process.poll() is None

    def read_until(self, seen: Callable[[bytes], bool]) -> None:
        end = time.monotonic() + PATIENCE
        while not seen(self.seen):
            assert select.select([self._ours], [], [], max(0.0, end - time.monotonic()))[0], self.seen
            self.seen += os.read(self._ours, 65_536)

    def hang_up(self) -> None:
        if self._ours >= 0:
            os.close(self._ours)
            self._ours = -1


@contextmanager
def bare(vault: Path) -> Iterator[Bare]:
    terminal = Bare(vault)
    try:
        terminal.read_until(lambda seen: b"Help" in seen)
        yield terminal
    finally:
        terminal.process.kill()
        terminal.process.wait()
        terminal.hang_up()


def test_a_terminal_that_is_stopped_stops_nobody_else_and_is_drawn_anew_when_it_goes_on(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    with bare(vault) as terminal:
        terminal.stop()
        terminal.read_until(lambda seen: b"enough" in seen)
        terminal.type("\x04")
        terminal.read_until(lambda seen: b"\x1b[?1049l" in seen)  # the screen is given back
        assert terminal.process.wait(PATIENCE) == 0


def test_a_world_whose_terminal_is_stopped_still_ends_when_it_is_told_to(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    with bare(vault) as terminal:
        terminal.stop()
        terminal.process.send_signal(signal.SIGTERM)
        assert terminal.process.wait(PATIENCE) == 0


def test_a_terminal_that_is_gone_ends_the_world_in_order(tmp_path: Path) -> None:
    vault = copy_vault(tmp_path)
    with bare(vault) as terminal:
        terminal.type("say one more thing\r")
        terminal.read_until(lambda seen: b"You say" in seen)
        terminal.hang_up()
        assert terminal.process.wait(PATIENCE) == 0
    status = loci("status", "jonas", "--vault", vault)
    assert status.returncode == 0
    assert 'You say, "one more thing"' in texts(memories(vault, "jonas"))
