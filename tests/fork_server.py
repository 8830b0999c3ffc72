"""Starts the program without its imports: a process that has done them forks itself for every start.

What is started is a process like any other, with a number, streams, environment and limits of its own, and can be
killed. It only has not begun with a fresh interpreter, so all that one server starts hash strings alike; tests of the
start itself, and of what must not depend on hashes, run `python -m mud`.
"""

from __future__ import annotations

import atexit
import functools
import gc
import json
import os
import resource
import runpy
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from mud.registry import plug_in_names
from tests.syscalls import MACHINE, Spec, Tracer

_ROOT = Path(__file__).resolve().parent.parent
_PLUG_INS = (
    "agents.brains",
    "agents.commands",
    "agents.compaction.strategies",
    "agents.compaction.summarizers",
    "agents.llm.backends",
    "mud.cli",
    "mud.commands",
)
_MORE = ("agents.reply", "mud.command_line", "mud.server.app", "mud.simulation.run", "tokenizers")
"""With the plug-ins, what the program imports sooner or later; none of it starts a thread or opens a file."""
_LIMITS = (resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE)
_LARGEST = 1 << 18  # bytes of an order, most of which is the environment
_NUMBER = struct.Struct("i")
_ORDERING = threading.Lock()  # one order at a time, so that each comes with its files

Streams = tuple[int, int, int]
"""Open files for stdin, stdout and stderr."""


class ForkedProgram:
    """`python -m mud` as a process that is forked from one that has imported it; has what tests need of a `Popen`.

    Args:
        module: what `-m` names.
        words: the arguments.
        streams: its standard streams.
        environment: its environment.
        traced: what happens to its system calls; None for nothing.
    """

    def __init__(
        self,
        module: str,
        words: Sequence[str],
        streams: Streams,
        environment: Mapping[str, str],
        traced: Spec | None = None,
    ) -> None:
        limits = [(limit, resource.getrlimit(limit)) for limit in _LIMITS]
        trace = asdict(traced) if traced else None
        program = {"module": module, "words": list(words), "environment": dict(environment)}
        order = {**program, "limits": limits, "trace": trace}
        self._told, tell = os.pipe()
        with _ORDERING:
            socket.send_fds(_server(), [json.dumps(order).encode() + b"\n"], [*streams, tell])
            os.close(tell)
            self.pid = self._number()
        self._code = 0
        self._ended = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def _number(self) -> int:
        (number,) = _NUMBER.unpack(os.read(self._told, _NUMBER.size))
        return int(number)

    def _watch(self) -> None:
        self._code = self._number()
        os.close(self._told)
        self._ended.set()

    def wait(self, timeout: float | None = None) -> int:
        """Return its exit code when it has ended; raises `subprocess.TimeoutExpired`."""
        if not self._ended.wait(timeout):
            raise subprocess.TimeoutExpired("mud", timeout or 0)
        return self._code

    def terminate(self) -> None:
        """Ask it to end, unless it has."""
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it at once, unless it has ended."""
        self._signal(signal.SIGKILL)

    def _signal(self, number: int) -> None:
        if not self._ended.is_set():
            with suppress(ProcessLookupError):  # it has ended, and we are about to be told
                os.kill(self.pid, number)


@functools.cache
def _server() -> socket.socket:
    """Return the way to this process's server, which ends when this process does."""
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-m", "tests.fork_server", str(theirs.fileno())]
    with theirs:
        null = subprocess.DEVNULL
        server = subprocess.Popen(command, stdin=null, stdout=null, cwd=_ROOT, pass_fds=[theirs.fileno()])

    @atexit.register
    def end() -> None:
        ours.close()
        server.wait()

    return ours


# -- the server --------------------------------------------------------------------------------------------------------


def _ordered(door: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """Fork for every order; return it, with its files, in the child, and None when nobody is left to give one."""
    while True:
        packet, files, _, _ = socket.recv_fds(door, _LARGEST, 4)
        while packet and not packet.endswith(b"\n"):
            packet += door.recv(_LARGEST)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG if packet else 0)[0]:
                continue
        if not packet:
            return None
        if os.fork() == 0:
            return json.loads(packet), files
        for file in files:
            os.close(file)


def _watch(order: dict[str, Any], files: list[int]) -> None:
    """Fork once more, to become the program; tell its number and how it ended."""
    become = partial(_become, order, files)
    if order["trace"] and MACHINE:
        ended = Tracer(Spec(**order["trace"]), MACHINE).run(become)
    elif pid := os.fork():
        ended = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    else:
        become()
    os.write(files[-1], _NUMBER.pack(ended))
    os._exit(0)


def _become(order: dict[str, Any], files: list[int]) -> None:
    """Be the program that an order asks for, to its end."""
    os.write(files[-1], _NUMBER.pack(os.getpid()))
    for number, file in enumerate(files[:3]):
        os.dup2(file, number)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    os.environ.clear()
    os.environ.update(order["environment"])
    time.tzset()
    for limit, values in order["limits"]:
        resource.setrlimit(limit, values)
    sys.argv = [order["module"], *order["words"]]
    runpy.run_module(order["module"], run_name="__main__", alter_sys=True)  # ends with SystemExit


def _serve(door: socket.socket) -> None:
    for package in _PLUG_INS:
        for name in plug_in_names(package):
            import_module(f"{package}.{name}")
    for name in _MORE:
        import_module(name)
    gc.freeze()  # what is shared stays shared
    if ordered := _ordered(door):
        _watch(*ordered)


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
