"""An hour of a small world on virtual time in which one thing fails: each write, renaming, sync and model call in turn.

The search index is in the vault's `.index`, so each of its calls that writes is among them.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mud.server.checks import check_vault
from mud.simulation.replay import replay
from tests.live.test_fold_kills import TINY
from tests.settings import put
from tests.syscalls import FAULTS, Spec, calls, tracer
from tests.vaults import ROOT, copy_vault, without_vectors
from tests.wholeness import answered, check_ledger, check_whole, go_on

FAULT = "broken"
"""A call that fails with EIO, once."""
PARTS = 8
"""Tests over which the sweep is spread."""


@pytest.fixture(scope="module")
def beginning(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the vault in which each hour begins; it has a saved state, so nobody's place hangs on a file alone."""
    vault = without_vectors(copy_vault(tmp_path_factory.mktemp("hour")))
    put(vault, "memory_compaction", **{**TINY, "summarizer": "model"})
    for profile in ("think", "summarizer"):
        put(vault, f"llm/{profile}", backend="scripted")
    go_on(vault, "the roof is new")
    return vault


def hour(beginning: Path, folder: Path, call: int = 0, model_call: int = 0) -> tuple[list[str], int, int]:
    """Live through the hour while one call fails, and see that all is whole afterwards and goes on.

    Args:
        beginning: the vault that it begins with.
        folder: where to live.
        call: number of the system call on the vault's files that fails; 0 for none.
        model_call: number of the model call that fails; 0 for none.

    Returns:
        What was answered, how many system calls could have failed, and how many calls the model had.
    """
    shutil.rmtree(folder, ignore_errors=True)
    vault = folder / "vault"
    shutil.copytree(beginning, vault)
    spec = Spec(str(vault), str(folder / "calls"), (), FAULT, call)
    command = [*tracer(spec), sys.executable, "-m", "tests.hour", str(vault), str(model_call)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=ROOT, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    said, made = answered(done.stdout.splitlines()), [one for one in calls(spec) if one.get("call") in FAULTS[FAULT].of]
    assert any(one["fault"] for one in made) == (0 < call <= len(made))
    check_ledger(vault, said)
    go_on(vault, "the roof holds")
    check_whole(vault, said, "eliza")
    assert check_vault(vault) == []
    assert replay(vault, verify=True).difference is None
    counted = re.search(r"calls of the model: (\d+)", done.stderr)
    return said, len(made), int(counted[1]) if counted else 0


def test_an_hour_in_which_nothing_fails_is_the_same_each_time(beginning: Path, tmp_path: Path) -> None:
    whole, again = hour(beginning, tmp_path / "hour"), hour(beginning, tmp_path / "hour")
    assert whole == again
    assert len(whole[0]) == 12
    assert whole[1] > 200
    assert whole[2] > 3


@pytest.mark.parametrize("call", [3, 40, 77, 130, 201])
def test_whichever_call_fails_once_what_was_answered_is_there_once_and_the_world_goes_on(
    beginning: Path, tmp_path: Path, call: int
) -> None:
    assert hour(beginning, tmp_path / "hour", call)[1] >= call


@pytest.mark.parametrize("call", [1, 3])
def test_whichever_call_of_the_model_fails_nothing_is_lost(beginning: Path, tmp_path: Path, call: int) -> None:
    said, _, calls_made = hour(beginning, tmp_path / "hour", model_call=call)
    assert len(said) == 12
    assert calls_made >= call


@pytest.mark.torture
@pytest.mark.parametrize("part", range(PARTS))
def test_every_call_of_the_hour_fails_once_in_turn(beginning: Path, tmp_path: Path, part: int) -> None:
    number = part + 1
    while hour(beginning, tmp_path / "hour", number)[1] >= number:
        number += PARTS
    assert number > 200


@pytest.mark.torture
def test_every_call_of_the_model_fails_once_in_turn(beginning: Path, tmp_path: Path) -> None:
    number = 1
    while hour(beginning, tmp_path / "hour", model_call=number)[2] >= number:
        number += 1
    assert number > 3
