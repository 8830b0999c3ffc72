"""Loci as a real process: started on a vault, typed into, read from, killed."""

from __future__ import annotations

import json
import os
import queue
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from tests.vaults import ROOT

PATIENCE = 60.0
"""Seconds after which a test gives up on a line that should have come; never waited for when it comes."""


def loci(
    *args: object, stdin: str = "", timeout: float = 120.0, home: Path | None = None, under: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    """Run one command of the command line to its end, in another home folder if one is given, under another command."""
    command = [*under, sys.executable, "-m", "mud", *map(str, args)]
    environment = {**os.environ, "HOME": str(home)} if home is not None else None
    return subprocess.run(
        command, input=stdin, capture_output=True, text=True, cwd=ROOT, timeout=timeout, check=False, env=environment
    )


def loci_json(*args: object, stdin: str = "", under: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Run one command with `--json`, hold it to exit code 0, and return its records."""
    done = loci(*args, "--json", stdin=stdin, under=under)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


class Running:
    """A world that runs, with a player on its pipe.

    Args:
        vault: the vault's folder.
        args: further options of `run`.
        errors: file that gets what it writes to stderr; None to throw that away.
        under: the command that runs it as its child, such as a tracer; none when empty.
    """

    def __init__(self, vault: Path, *args: str, errors: Path | None = None, under: Sequence[str] = ()) -> None:
        with (errors or Path(os.devnull)).open("ab") as stderr:
            self._process = self._started(vault, args, stderr, under)
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @staticmethod
    def _started(vault: Path, args: Sequence[str], stderr: IO[bytes], under: Sequence[str]) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*under, sys.executable, "-u", "-m", "mud", "run", "--vault", str(vault), *args],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            cwd=ROOT,
        )

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def type(self, line: str) -> None:
        """Type a line; one that nobody reads any more is lost, as at a dead terminal."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
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
        os.kill(self._process.pid, signal.SIGKILL)
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
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except BrokenPipeError:
                    continue


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
        self._process = subprocess.Popen(
            [sys.executable, "-u", "-m", "mud", "run", "--vault", str(vault), "--headless", *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=ROOT,
            env={**os.environ, **(environment or {})},
        )
        self._watchdog = threading.Timer(PATIENCE, self._process.kill)

    def __enter__(self) -> Headless:
        self._watchdog.start()
        return self

    def says(self, pattern: str) -> bool:
        """Read on until it has said something like this; return whether it has before its end."""
        assert self._process.stdout is not None
        while not re.search(pattern, self.said):
            if not (line := self._process.stdout.readline()):
                return False
            self.said += line
        return True

    def __exit__(self, *failure: object) -> None:
        self._process.terminate()
        self.said += self._process.communicate()[0]
        self._watchdog.cancel()
