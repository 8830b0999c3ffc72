"""However a command begins and ends: streams that are closed, full or gone, signals, and too little of everything."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest

from mud.cli import Tool
from mud.engine.ledger import Ledger
from mud.process import SAME, Signals
from mud.registry import load
from tests.miniworlds import make_miniworld
from tests.processes import Running, memories, texts
from tests.vaults import ROOT, copy_vault, without_vectors

BOUND = 60.0
"""Seconds after which a process counts as hanging."""
ARGUMENTS = {
    "branch": "NEW",
    "run": "--no-agents",
    "compact": "eliza",
    "diff": "VAULT VAULT",
    "export": "NEW",
    "generate": "--locations 3 NEW",
    "import-miniworld": "OLD --no-wait",
    "init": "NEW",
    "prompt": "eliza",
    "recall": "eliza key",
    "remember": "eliza FILE",
    "simulate": "--steps 20 --seed 1",
    "status": "eliza",
}
TOOLS = load("mud.cli", Tool, "command")
COMMANDS = sorted(["run", *TOOLS.names()])
TORTURE = pytest.mark.torture


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return without_vectors(copy_vault(tmp_path))


@pytest.fixture(autouse=True)
def heard_hang_up() -> Iterator[None]:
    """Have what a test starts hear a hang-up, also where the tests run under nohup: an ignored signal is handed on to
    whatever is started, one that is caught is not."""
    before = signal.signal(signal.SIGHUP, lambda number, frame: None)
    yield
    signal.signal(signal.SIGHUP, before)


def shell(vault: Path, command: str, streams: str = "", limit: str = "") -> tuple[int, str, str]:
    """Run a command in a shell, which closes and redirects streams; return its exit code, stdout and stderr."""
    file = vault.parent / "file.jsonl"
    file.write_text('{"text": "Ulric sold the mill."}\n')
    old, new = vault.parent / "old", vault.parent / f"new-{len(list(vault.parent.iterdir()))}"
    if command == "import-miniworld" and not old.exists():
        make_miniworld(old, locations=3, memories=80, facts=1)
    tool = TOOLS.find(command)
    words = ARGUMENTS.get(command, "") + (" --vault VAULT" if tool is None or tool.of_a_vault else "")
    for name, path in (("FILE", file), ("NEW", new), ("OLD", old), ("VAULT", vault)):
        words = words.replace(name, str(path))
    line = f"{limit}\n{sys.executable} -m mud {command} {words} {streams}"
    done = subprocess.run(
        ["bash", "-c", line], input="look\nquit\n", capture_output=True, text=True, cwd=ROOT, timeout=BOUND, check=False
    )
    return done.returncode, done.stdout, done.stderr


def whole(vault: Path) -> None:
    """Hold a vault to what must be true after any end: nobody has the lock, and no line of the ledger is torn."""
    if (vault / ".lock").exists():
        with (vault / ".lock").open("r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    for path in vault.glob("log/ledger-*.jsonl"):
        data = path.read_bytes()
        assert data.endswith(b"\n")
        for line in data.splitlines():
            json.loads(line)
    steps = [record["step"] for record in Ledger(vault / "log").after(0)]
    assert steps == list(range(1, len(steps) + 1))


EVERY = [pytest.param(name, marks=() if name in ("run", "status") else TORTURE) for name in COMMANDS]
ABLE = [one for one in EVERY if one.values[0] not in ("mcp", "replay")]
"""Without those that find nothing to do in a vault in which no world runs or ran."""


@pytest.mark.parametrize("command", ABLE)
@pytest.mark.parametrize("streams", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-", "2>/dev/full"])
def test_a_stream_that_is_closed_or_an_error_that_nobody_reads_ends_nothing(
    vault: Path, command: str, streams: str
) -> None:
    code, shown, told = shell(vault, command, streams)
    assert (code, "Traceback" in told) == (0, False)
    assert bool(shown) == (">&-" not in streams.split() and command != "check")
    whole(vault)


@pytest.mark.parametrize("command", ABLE)
def test_a_full_stdout_is_told_in_one_sentence(vault: Path, command: str) -> None:
    code, _, told = shell(vault, command, ">/dev/full")
    if command != "check":  # which has nothing to say of this vault
        assert code == 1
        assert told.splitlines()[-1] == "loci: stdout does not take what is shown: No space left on device"
    assert "Traceback" not in told
    whole(vault)


@pytest.mark.parametrize("words", ["--help", "run --help", "status --help"])
def test_help_that_a_full_stdout_does_not_take_is_told_in_one_sentence(vault: Path, words: str) -> None:
    told = "loci: stdout does not take what is shown: No space left on device\n"
    assert shell(vault, words, ">/dev/full") == (1, "", told)
    assert shell(vault, words, "| true; exit ${PIPESTATUS[0]}") == (0, "", "")


@pytest.mark.parametrize("command", ABLE)
def test_a_reader_that_goes_away_ends_it_quietly(vault: Path, command: str) -> None:
    code, _, told = shell(vault, command, "| true; exit ${PIPESTATUS[0]}")
    assert (code, "Traceback" in told) == (0, False)
    whole(vault)


def test_a_world_ends_when_its_reader_goes_although_no_more_is_typed(vault: Path) -> None:
    with started(vault, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        process.stdout.readline()
        process.stdout.close()
        process.stdin.write(b"say one\n")
        assert process.wait(BOUND) == 0
    assert "say one" in [record["line"] for record in Ledger(vault / "log").after(0)]
    whole(vault)


@contextmanager
def started(vault: Path, *words: str, **how: Any) -> Iterator[subprocess.Popen[bytes]]:
    """Start a command, whose stderr goes into the file `told`; whatever becomes of it, it ends with the block."""
    command = [sys.executable, "-m", "mud", *(words or ("run", "--no-agents")), "--vault", str(vault)]
    with (vault.parent / "told").open("wb") as told:
        process = subprocess.Popen(command, cwd=ROOT, stderr=told, **how)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None and not stream.closed:
                stream.close()


def test_a_terminal_that_is_closed_ends_the_world_in_order(vault: Path) -> None:
    master, slave = pty.openpty()
    words = ("run", "--no-agents", "--as", "Visitor")  # else the terminal is asked for a name
    with started(vault, *words, stdin=slave, stdout=slave, start_new_session=True) as process:
        os.close(slave)
        seen = b""
        while b"Exits" not in seen:
            seen += os.read(master, 4096)
        os.write(master, b"say farewell\r")
        while b"You say" not in seen:
            seen += os.read(master, 4096)
        os.close(master)
        assert process.wait(BOUND) == 0
    assert "Traceback" not in (vault.parent / "told").read_text()
    assert any("farewell" in text for text in texts(memories(vault, "visitor")))
    whole(vault)


def test_a_dumb_terminal_gets_plain_lines_and_no_codes(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    master, slave = pty.openpty()
    with started(vault, "run", "--no-agents", stdin=slave, stdout=slave, start_new_session=True) as process:
        os.close(slave)
        os.write(master, b"say farewell\nquit\n")
        seen = b""
        while b"You say" not in seen:
            seen += os.read(master, 4096)
        assert process.wait(BOUND) == 0
        os.close(master)
    assert b"\x1b" not in seen


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_world_in_order_and_three_in_a_row_do_too(vault: Path, number: signal.Signals) -> None:
    told = vault.parent / "told"
    world = Running(vault, "--no-agents", "--as", "Ann", errors=told)
    world.say("say farewell", "You say")
    for one in (number, number, signal.SIGHUP):
        os.kill(world.pid, one)
    assert world.wait() == 0
    assert told.read_text() == ""
    assert any("farewell" in text for text in texts(memories(vault, "ann")))
    assert [record["line"] for record in Ledger(vault / "log").after(0)][-1] is None  # Ann's leaving
    whole(vault)


def test_a_hang_up_is_ignored_where_it_was_when_the_world_was_started(vault: Path) -> None:
    command = f"exec {sys.executable} -m mud run --no-agents --vault {vault}"
    with subprocess.Popen(
        ["bash", "-c", f"trap '' HUP; {command}"], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        while "Exits" not in process.stdout.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGHUP)
        shown, _ = process.communicate("say still here\n", timeout=BOUND)
    assert 'You say, "still here"' in shown


def test_a_second_signal_after_a_while_does_not_wait_for_the_end() -> None:
    now = [0.0]
    ended: list[str] = []
    program = Signals(lambda: now[0])
    program.end = lambda: not ended.append("ending")  # type: ignore[func-returns-value]
    program.hear(signal.SIGURG)  # whose default is that nothing happens
    now[0] = SAME
    program.hear(signal.SIGURG)
    assert (ended, signal.getsignal(signal.SIGURG)) == (["ending"], signal.SIG_DFL)
    before = signal.signal(signal.SIGURG, signal.SIG_IGN)
    try:
        now[0] = SAME + 0.1
        program.hear(signal.SIGURG)
        assert (ended, signal.getsignal(signal.SIGURG)) == (["ending"], signal.SIG_DFL)
    finally:
        signal.signal(signal.SIGURG, before)


def test_a_simulation_that_is_ended_leaves_no_copy_behind(vault: Path, tmp_path: Path) -> None:
    (tmp_path / "temporary").mkdir()
    environment = {**os.environ, "TMPDIR": str(tmp_path / "temporary")}
    with started(vault, "simulate", "--steps", "100000", env=environment, stdout=subprocess.DEVNULL) as process:
        while not list(tmp_path.glob("temporary/*/log/ledger-*")):
            assert process.poll() is None
        process.terminate()
        assert process.wait(BOUND) == 128 + signal.SIGTERM
    assert list((tmp_path / "temporary").iterdir()) == []
    assert (vault.parent / "told").read_text().count("Traceback") == 0


@pytest.mark.parametrize("command", EVERY)
@pytest.mark.parametrize(
    "limit", ["-n 20", pytest.param("-n 12", marks=TORTURE), pytest.param("-v 700000", marks=TORTURE), "-v 60000"]
)
def test_too_few_files_and_too_little_memory_end_in_a_sentence_or_not_at_all(
    vault: Path, command: str, limit: str
) -> None:
    code, _, told = shell(vault, command, limit=f"ulimit {limit}")
    aborted = code == -signal.SIGABRT and "memory allocation of" in told  # so does a library in Rust end a process
    assert code in (0, 1) or aborted
    assert "Traceback" not in told
    assert code == 0 or aborted or told.splitlines()[-1].startswith("loci: ")
    assert "Warning" not in told
    assert "there is: \n" not in told  # that a folder cannot be listed does not make it empty
    whole(vault)


@TORTURE
def test_a_world_with_too_little_memory_for_its_child_process_ends(vault: Path) -> None:
    for _ in range(6):  # a process without its pool's thread was waited for at one end in three
        code, _, _ = shell(vault, "run", limit="ulimit -v 204800")
        assert code in (0, 1)
    whole(vault)


def test_nothing_is_written_where_it_is_started(vault: Path, tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir(mode=0o555)
    done = subprocess.run(
        [sys.executable, "-m", "mud", "run", "--vault", str(vault), "--no-agents"],
        input="look\nquit\n", capture_output=True, text=True, timeout=BOUND, check=False, cwd=here,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert (done.returncode, done.stderr, list(here.iterdir())) == (0, "", [])


@TORTURE
def test_signals_at_any_moment_leave_a_whole_vault_and_no_traceback(vault: Path) -> None:
    chance = Random(1)
    file = vault.parent / "many.jsonl"
    file.write_text("".join(json.dumps({"text": f"Thing {at} lay near the mill."}) + "\n" for at in range(3000)))
    commands = (["run", "--as", "Ann"], ["remember", "eliza", str(file)], ["status", "eliza"], ["recall", "eliza", "x"])
    for _ in range(100):
        number = chance.choice([signal.SIGHUP, signal.SIGINT, signal.SIGTERM])
        command = chance.choice(commands)
        with started(vault, *command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
            try:
                process.wait(chance.uniform(0.1, 1.5))
            except subprocess.TimeoutExpired:
                for _ in range(chance.choice([1, 2, 3])):
                    process.send_signal(number)
            assert process.stdin is not None
            process.stdin.close()
            assert process.wait(BOUND) in (0, 128 + number, -number)
        assert "Traceback" not in (vault.parent / "told").read_text()
        whole(vault)
