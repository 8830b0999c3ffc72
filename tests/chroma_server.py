"""A real chroma server as a process of its own: started on a folder and a free port, killed, started again."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from agents.recall.indexes import Index

PATIENCE = 60.0
"""Seconds after which a test gives up on a server that should have come up."""
STEP = 0.05
"""Seconds between two looks at whether it answers, spent waiting for its end."""


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


class ChromaServer:
    """The server; a context that ends it.

    Args:
        folder: where it keeps what it is given.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port = free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        """Where it listens; the same after it was started again."""
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        """Start it, and return when it answers."""
        command = [str(Path(sys.executable).with_name("chroma")), "run", "--host", "127.0.0.1"]
        self._process = subprocess.Popen(
            [*command, "--path", str(self._folder), "--port", str(self._port)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self._folder.parent,
        )
        deadline = time.monotonic() + PATIENCE
        while not self._answers():
            assert time.monotonic() < deadline, "the chroma server does not answer"
            try:
                self._process.wait(STEP)
            except subprocess.TimeoutExpired:
                continue
            raise AssertionError("the chroma server ended at once")

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self._port), timeout=PATIENCE):
                return True
        except ConnectionRefusedError:
            return False

    def kill(self) -> None:
        """End it as a power cut would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(PATIENCE)
            self._process = None

    def __enter__(self) -> ChromaServer:
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.kill()


def counts(index: Index, agents: Iterable[str] = ("#0", "#1", "#2", "#3")) -> dict[str, int]:
    """Return how many memories' vectors an index has of each of these agents that has any."""
    return {agent: count for agent in agents if (count := index.count(agent))}
