"""A world whose disk fails at the n-th system call: nobody sees a traceback, and what was answered is kept."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.live.test_fold_kills import TINY
from tests.processes import Running, loci
from tests.settings import put
from tests.syscalls import FAULTS, Spec, calls, can_trace, tracer
from tests.vaults import copy_vault, without_vectors
from tests.wholeness import answered, check_ledger, check_whole, go_on, ledger

pytestmark = pytest.mark.skipif(not can_trace(), reason="this machine lets nobody trace system calls")

FIRST = (
    "say lantern {0}.0 hangs in the Lobby",
    "note Sundial -> The fin is missing, {0}.",
    "say lantern {0}.1 is for Moss",
    "@compact-memories Eliza",
    "say lantern {0}.2 is yours, Eliza",
)
LATER = ("go north", "@memory-status Eliza", "go south", "say lantern {0}.3 burns no more", "quit")
"""What is typed before and after Eliza is heard to speak."""
HEARD_WITHIN = 3.0
"""Seconds that nobody waits longer for her: she may have no memory, or no world to speak in."""
GIVEN = 40
"""Memories that `remember` gives."""

Life = Callable[[Path, Sequence[str], int, Path], list[str]]
"""Lives in a vault, under a command, the n-th time, with a file for errors; returns what was answered."""


def talk(vault: Path, under: Sequence[str], number: int, errors: Path) -> list[str]:
    """Have Ann talk to agents that live by instinct, fold memories, and leave."""
    world = Running(vault, "--as", "Ann", "--seed", "1", errors=errors, under=under)
    for line in FIRST:
        world.type(line.format(number))
    shown = world.read_as_far_as("Eliza says", HEARD_WITHIN)
    for line in LATER:
        world.type(line.format(number))
    shown += world.rest()
    world.wait()
    assert "Traceback" not in "\n".join(shown)
    return answered(shown)


def remember(vault: Path, under: Sequence[str], number: int, errors: Path) -> list[str]:
    """Give Eliza memories in bulk."""
    file = vault.parent / "given.jsonl"
    file.write_text(
        "".join(f"{json.dumps({'text': f'barrel {number}.{one} stands by the Cistern'})}\n" for one in range(GIVEN))
    )
    return _command(under, errors, "remember", "eliza", file, "--no-wait", "--vault", vault)


def compact(vault: Path, under: Sequence[str], number: int, errors: Path) -> list[str]:
    """Have Eliza's memories folded."""
    return _command(under, errors, "compact", "eliza", "--vault", vault)


def _command(under: Sequence[str], errors: Path, *args: object) -> list[str]:
    done = loci(*args, under=under)
    assert "Traceback" not in done.stdout
    with errors.open("a", encoding="utf-8") as file:
        file.write(done.stderr)
    return []


LIVES: tuple[Life, ...] = (talk, remember, compact)


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a vault in which somebody has lived already."""
    folder = tmp_path_factory.mktemp("lived")
    vault = without_vectors(copy_vault(folder))
    put(vault, "memory_compaction", **TINY)
    put(vault, "world", state_interval=0.5)
    put(vault, "thinking", think_interval=1)
    for life in (talk, remember):
        life(vault, (), 0, folder / "errors")
    return vault


def strike(lived: Path, folder: Path, life: Life, fault: str, at: int, lasting: bool) -> bool:
    """Live in a copy of a vault while its disk fails, hold it to what must hold, and return whether it did fail."""
    shutil.rmtree(folder, ignore_errors=True)
    vault, errors = folder / "vault", folder / "errors"
    shutil.copytree(lived, vault)
    before = [left["text"] for step in ledger(vault) for left in step["left"] if left["kind"] == "said"]
    before = [text for text in before if text.startswith("You say") and "lantern 0." in text]
    spec = Spec(str(vault), str(folder / "calls"), (".index",), fault, at, lasting)
    said = before + life(vault, tracer(spec), 1, errors)
    assert "Traceback" not in errors.read_text("utf-8")
    check_ledger(vault, said)
    go_on(vault, "the roof holds")
    check_whole(vault, said)
    return any(call.get("fault") for call in calls(spec))
