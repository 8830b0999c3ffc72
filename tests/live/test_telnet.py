"""A MUD client that people use plays in a world that runs: Debian's tintin++, plain and by TLS."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import socket
import struct
import subprocess
import termios
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.processes import PATIENCE, Running
from tests.programs import program
from tests.vaults import copy_vault, without_vectors

PASSWORD = "correct horse"
CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
ROOM = "{num}{%d}{name}{%s}"


def free_ports(count: int) -> list[int]:
    """Return ports at which nobody listens just now."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


class Tintin:
    """The client, in a terminal of 200 columns; it tells what is negotiated."""

    def __init__(self, home: Path) -> None:
        self._terminal, its = pty.openpty()
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
        environment = {**os.environ, "TERM": "xterm-256color", "LANG": "C.UTF-8", "HOME": str(home)}
        command = [str(program("tt++")), "-G"]
        self._process = subprocess.Popen(
            command, stdin=its, stdout=its, stderr=its, env=environment, cwd=home, start_new_session=True
        )
        os.close(its)
        self._shown = ""
        self._taken = 0
        self.type("#config {debug telnet} on", "HAS BEEN SET TO {ON}")
        self.type(r"#event {IAC WILL GMCP} {#send {\xFF\xFD\xC9\}}", "HAS BEEN SET TO")
        self.type("#event {IAC SB GMCP} {#showme {GMCP %0 %1}}", "HAS BEEN SET TO")

    def type(self, line: str, *until: str) -> str:
        """Type a line, and return all that is shown until each of these has been, in any order."""
        os.write(self._terminal, f"{line}\r".encode())
        return self.shows(*until)

    def shows(self, *until: str) -> str:
        end = time.monotonic() + PATIENCE
        while not all(one in self._shown[self._taken :] for one in until):
            ready, _, _ = select.select([self._terminal], [], [], max(0.0, end - time.monotonic()))
            assert ready, f"{until} was not shown: {self._shown[self._taken :]}"
            data = os.read(self._terminal, 65_536).decode("utf-8", "replace")
            self._shown = CODES.sub("", self._shown + data)
        taken, self._taken = self._shown[self._taken :], len(self._shown)
        return taken

    def end(self) -> None:
        os.write(self._terminal, b"#end\r")
        try:
            while os.read(self._terminal, 65_536):
                pass
        except OSError:  # the terminal is gone with its last process
            pass
        self._process.wait(PATIENCE)
        os.close(self._terminal)


@contextmanager
def tintin(home: Path) -> Iterator[Tintin]:
    client = Tintin(home)
    try:
        yield client
    finally:
        client.end()


@pytest.mark.program("tt++")
def test_a_mud_client_comes_in_walks_talks_and_comes_back_by_tls(tmp_path: Path) -> None:
    plain, tls = map(str, free_ports(2))
    world = Running(
        without_vectors(copy_vault(tmp_path)), "--as", "Ann", "--no-agents", "--telnet", plain, "--telnet-tls", tls
    )
    told = [world.read_until("telnet")[-1] for _ in range(2)]
    assert sorted(told) == [f"telnet: 127.0.0.1:{plain}", f"telnet_tls: 127.0.0.1:{tls}"]
    with tintin(tmp_path) as client:
        negotiated = ("SB NAWS 0 200", "SENT IAC DO EOR", "TTYPE MTTS", "CHARSET ACCEPTED UTF-8", "MCCP2 INITIALIZED")
        client.type(f"#session one 127.0.0.1 {plain}", *negotiated, "VAR PLAYERS              VAL 1", "Name:")
        client.type("new", "be?")
        client.type("Wren", "WILL ECHO", "characters:")
        client.type(PASSWORD, "again:")
        entered = client.type(PASSWORD, ROOM % (1001, "The Garden"), "Exits:")
        assert "Char.Vitals" in entered
        assert PASSWORD not in entered
        world.read_until("Wren arrives")
        client.type("say good evening, Ann", 'You say, "good evening, Ann"', "RCVD IAC EOR")
        assert world.read_until("good evening")[-1] == 'Wren says, "good evening, Ann"'
        world.type("say good evening, Wren")
        client.shows('Ann says, "good evening, Wren"', "Comm.Channel.Text")
        client.type("north", ROOM % (1002, "The Lobby"), "The Lobby", "Exits:")
        client.type("quit", "SESSION 'one' DIED")
        client.type(f"#ssl two 127.0.0.1 {tls}", "Name:")
        client.type("Wren", "Password:")
        again = client.type(PASSWORD, ROOM % (1002, "The Lobby"), "Exits:")
        assert "MCCP2" not in again
        client.type("south", ROOM % (1001, "The Garden"), "Ann")
        world.read_until("Wren arrives")
        client.type("quit", "SESSION 'two' DIED")
    world.read_until("Wren falls asleep")
    assert world.terminate() == 0
