"""What every test can ask for."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

from tests.examples import examples
from tests.programs import program
from tests.syscalls import TRACED, can_trace

# A busy machine is no bug: an example may take as long as it takes. The check is free of luck: the same examples each
# time, so what it says depends on the change alone, and few of them, as none is new; `make torture` draws others, and
# more of them (LOCI_EXAMPLES=new).
settings.register_profile("same", deadline=None, derandomize=True, max_examples=examples(100))
settings.register_profile("new", deadline=None)
EXAMPLES = os.environ.get("LOCI_EXAMPLES", "same")
settings.load_profile(EXAMPLES)
if EXAMPLES == "same":
    # Else it would draw constants out of whatever modules of ours are loaded, which depends on what runs together.
    vars(providers)["is_local_module_file"] = lambda path: False


LACKING = pytest.StashKey[list[str]]()
"""Tests whose program is not on this machine."""

TESTS = Path(__file__).parent
LIVE = TESTS / "live"
SLOW = [TESTS / line for line in (TESTS / "slow.txt").read_text(encoding="utf-8").splitlines() if line[:1] != "#"]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests of the files and folders in slow.txt, and begin with them, in the order they have there.

    Who runs several files at once would wait for a long one that came last. Left out are tests of missing programs.
    """
    needs = [(item, mark.args[0]) for item in items if (mark := item.get_closest_marker("program"))]
    lacking = {item: name for item, name in needs if not program(name)}
    config.stash[LACKING] = [f"{item.nodeid} (needs {name})" for item, name in lacking.items()]
    items[:] = [item for item in items if item not in lacking]
    if gone := [path.name for path in SLOW if not path.exists()]:
        raise pytest.UsageError(f"tests/slow.txt names what is not there: {', '.join(gone)}")
    place = {path: at for at, path in reversed([*enumerate(SLOW)])}
    turn = {path: min(place.get(one, len(SLOW)) for one in (path, *path.parents)) for path in {i.path for i in items}}
    items.sort(key=lambda item: turn[item.path])
    for item in items:
        if turn[item.path] < len(SLOW):
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """Take over what a worker process left out; each collects all tests."""
    node.config.stash[LACKING] = node.workeroutput.get("lacking", [])


def pytest_sessionfinish(session: pytest.Session) -> None:
    if (output := getattr(session.config, "workeroutput", None)) is not None:
        output["lacking"] = session.config.stash.get(LACKING, [])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say which tests that were asked for cannot be run on this machine."""
    for test in config.stash.get(LACKING, []):
        terminalreporter.write_line(f"not run here: {test}", yellow=True)
    asked = [config.invocation_params.dir / argument.partition("::")[0] for argument in config.args]
    if any(path == LIVE or path in LIVE.parents for path in asked) and not can_trace():
        files = ", ".join(f"tests/live/{file}" for file in TRACED)
        terminalreporter.write_line(
            f"not run here: {files}; what fails or kills system calls needs ptrace", yellow=True
        )


@pytest.fixture
def anyio_backend() -> str:
    """Run async tests on asyncio, the only loop this program uses."""
    return "asyncio"
