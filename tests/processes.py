"""Loci as a real process: started on a vault, typed into, read from, killed."""

from __future__ import annotations

import json
import os
import queue
import re
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from tests.fork_server import ForkedProgram, Streams
from tests.syscalls import Spec

PATIENCE = 60.0
"""Seconds after which a test gives up on a line that should have come; never waited for when it comes."""


def started(
    args: Sequence[object],
    streams: Streams,
    environment: Mapping[str, str] | None = None,
    traced: Spec | None = None,
    module: str = "mud",
) -> ForkedProgram:
    """Start the program with these arguments.

    Args:
        args: the arguments.
        streams: stdin, stdout and stderr.
        environment: environment variables besides those of the test.
        traced: what happens to its system calls; None for nothing.
        module: what is run instead of the program.
    """
    return ForkedProgram(module, [*map(str, args)], streams, {**os.environ, **(environment or {})}, traced)


def loci(
    *args: object,
    stdin: str = "",
    timeout: float = 120.0,
    environment: Mapping[str, str] | None = None,
    traced: Spec | None = None,
    module: str = "mud",
) -> subprocess.CompletedProcess[str]:
    """Run one command of the command line, or another module, to its end; see `started`."""
    reading, typing = os.pipe()
    with TemporaryFile("w+") as out, TemporaryFile("w+") as err:
        process = started(args, (reading, out.fileno(), err.fileno()), environment, traced, module)
        os.close(reading)
        typist = threading.Thread(target=_type, args=(typing, stdin), daemon=True)
        typist.start()
        try:
            code = process.wait(timeout)
        finally:
            process.kill()
            process.wait()
        typist.join()
        for file in (out, err):
            file.seek(0)
        return subprocess.CompletedProcess([*map(str, args)], code, out.read(), err.read())


def _type(pipe: int, text: str) -> None:
    with suppress(BrokenPipeError), open(pipe, "w") as typed:
        typed.write(text)


def loci_json(*args: object, stdin: str = "", traced: Spec | None = None) -> list[dict[str, Any]]:
    """Run one command with `--json`, hold it to exit code 0, and return its records."""
    done = loci(*args, "--json", stdin=stdin, traced=traced)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


class Running:
    """A world that runs, with a player on its pipe.

    Args:
        vault: the vault's folder.
        args: further options of `run`.
        errors: file that gets what it writes to stderr; None to throw that away.
        traced: what happens to its system calls; None for nothing.
    """

    def __init__(self, vault: Path, *args: str, errors: Path | None = None, traced: Spec | None = None) -> None:
        (reading, typing), (shown, showing) = os.pipe(), os.pipe()
        with (errors or Path(os.devnull)).open("ab") as stderr:
            streams = (reading, showing, stderr.fileno())
            self._process = started(["run", "--vault", vault, *args], streams, traced=traced)
        os.close(reading)
        os.close(showing)
        self._typed, self._shown = open(typing, "w"), open(shown)  # noqa: PTH123, SIM115  (no paths; _close)
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        for line in self._shown:
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def type(self, line: str) -> None:
        """Type a line; one that nobody reads any more is lost, as at a dead terminal."""
        try:
            self._typed.write(line + "\n")
            self._typed.flush()
        except (BrokenPipeError, ValueError):  # the latter when another thread killed it and closed the pipe
            return

    def read_as_far_as(self, text: str, seconds: float) -> list[str]:
        """Return the lines up to the first that holds a text, its end, or where nothing more comes for some seconds."""
        lines: list[str] = []
        while not (lines and text in lines[-1]):
            try:
                line = self._lines.get(timeout=seconds)
            except queue.Empty:
                break
            if line is None:
                self._lines.put(None)  # whoever reads the rest has to know too
                break
            lines.append(line)
        return lines

    def read_until(self, text: str) -> list[str]:
        """Return the lines up to the first that holds a text, that one included."""
        lines: list[str] = []
        while True:
            line = self._lines.get(timeout=PATIENCE)
            assert line is not None, f"the world ended before it said {text!r}; it said {lines}"
            lines.append(line)
            if text in line:
                return lines

    def say(self, line: str, until: str) -> list[str]:
        """Type a line and read until its reply."""
        self.type(line)
        return self.read_until(until)

    def rest(self) -> list[str]:
        """Return every line until the process ends."""
        lines: list[str] = []
        while (line := self._lines.get(timeout=PATIENCE)) is not None:
            lines.append(line)
        return lines

    def kill(self) -> None:
        """Kill it as a power cut would: no signal that it could catch."""
        self._process.kill()
        self._process.wait(PATIENCE)
        self._close()

    def ends_within(self, seconds: float) -> bool:
        """Wait so long for its end, and tell whether it came."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def terminate(self) -> int:
        """Ask it to end, and return its exit code."""
        self._process.terminate()
        return self.wait()

    def wait(self) -> int:
        """Return its exit code when it has ended."""
        try:
            return self._process.wait(PATIENCE)
        finally:
            self._process.kill()  # a world that hangs must not outlive its test
            self._process.wait()
            self._close()

    def _close(self) -> None:
        # The pipe is read to its end first: closed under the reader, it would leave whoever waits without an answer.
        self._reader.join(PATIENCE)
        for stream in (self._typed, self._shown):
            with suppress(BrokenPipeError):
                stream.close()


def memories(vault: Path, slug: str) -> list[dict[str, Any]]:
    """Return what an archive holds, read from its files and by nothing of ours."""
    records: list[dict[str, Any]] = []
    for path in sorted((vault / "agents" / slug / "archive").glob("*.jsonl")):
        for line in path.read_bytes().split(b"\n")[:-1]:
            record: Any = json.loads(line)
            if "seq" in record:
                records.append(record)
    return records


def texts(records: Sequence[dict[str, Any]]) -> list[str]:
    """Return the texts of memories."""
    return [str(record["text"]) for record in records]


class Headless:
    """A world that runs without a player, and is told to end when a test has seen enough.

    Args:
        vault: the vault's folder.
        environment: environment variables besides those of the test.
        options: further options of `run`.
    """

    def __init__(self, vault: Path, environment: Mapping[str, str] | None = None, options: Sequence[str] = ()) -> None:
        self.said = ""
        """All that it has said so far, errors too."""
        shown, showing = os.pipe()
        with open(os.devnull, "rb") as nothing:  # noqa: PTH123  (a stream)
            streams = (nothing.fileno(), showing, showing)
            self._process = started(["run", "--vault", vault, "--headless", *options], streams, environment)
        os.close(showing)
        self._shown = open(shown)  # noqa: PTH123, SIM115  (no path; __exit__)
        self._watchdog = threading.Timer(PATIENCE, self._process.kill)

    def __enter__(self) -> Headless:
        self._watchdog.start()
        return self

    def says(self, pattern: str) -> bool:
        """Read on until it has said something like this; return whether it has before its end."""
        while not re.search(pattern, self.said):
            if not (line := self._shown.readline()):
                return False
            self.said += line
        return True

    def __exit__(self, *failure: object) -> None:
        self._process.terminate()
        with self._shown:
            self.said += self._shown.read()
        self._process.wait()
        self._watchdog.cancel()
