"""An hour of a small world on virtual time in which one thing fails: each write, renaming, sync and model call in turn.

The search index is in the vault's `.index`, so its writes are among them. What a file says that cannot be read when the
world starts is not in the world then, so no read fails here.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mud.server.checks import check_vault
from mud.simulation.replay import replay
from tests.live.test_fold_kills import TINY
from tests.processes import loci
from tests.settings import put
from tests.syscalls import FAULTS, Spec, calls
from tests.vaults import copy_vault, without_vectors
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


class Hour(NamedTuple):
    """What came of an hour.

    Args:
        said: what was answered.
        calls: the system calls that could have failed.
        model_calls: how many calls the model had.
    """

    said: list[str]
    calls: Sequence[Mapping[str, Any]]
    model_calls: int

    @property
    def writes(self) -> list[int]:
        """The numbers of the calls that write; reading a file of the world is none."""
        return [n for n, one in enumerate(self.calls, 1) if one["call"] != "open" or one["flags"] & os.O_CREAT]


def hour(beginning: Path, folder: Path, call: int = 0, model_call: int = 0) -> Hour:
    """Live through the hour while one call fails, and see that all is whole afterwards and goes on.

    Args:
        beginning: the vault that it begins with.
        folder: where to live.
        call: number of the system call on the vault's files that fails; 0 for none.
        model_call: number of the model call that fails; 0 for none.
    """
    shutil.rmtree(folder, ignore_errors=True)
    vault = folder / "vault"
    shutil.copytree(beginning, vault)
    spec = Spec(str(vault), str(folder / "calls"), (), FAULT, call)
    done = loci(vault, model_call, traced=spec, module="tests.hour")
    assert "Traceback" not in done.stderr, done.stderr
    said, made = answered(done.stdout.splitlines()), [one for one in calls(spec) if one.get("call") in FAULTS[FAULT].of]
    assert any(one["fault"] for one in made) == bool(call)
    check_ledger(vault, said)
    go_on(vault, "the roof holds")
    check_whole(vault, said, "eliza")
    assert check_vault(vault) == []
    assert replay(vault, verify=True).difference is None
    counted = re.search(r"calls of the model: (\d+)", done.stderr)
    return Hour(said, made, int(counted[1]) if counted else 0)


@pytest.fixture(scope="module")
def whole(beginning: Path, tmp_path_factory: pytest.TempPathFactory) -> Hour:
    """Return what comes of an hour in which nothing fails."""
    return hour(beginning, tmp_path_factory.mktemp("whole"))


def test_an_hour_in_which_nothing_fails_is_the_same_each_time(beginning: Path, whole: Hour, tmp_path: Path) -> None:
    again = hour(beginning, tmp_path / "hour")
    assert [one["call"] for one in again.calls] == [one["call"] for one in whole.calls]
    assert again.said == whole.said
    assert again.model_calls == whole.model_calls
    assert len(whole.said) == 12
    assert {one["call"] for one in whole.calls} >= {"write", "pwrite", "rename", "fsync", "fdatasync", "unlink"}
    assert any(one["path"].startswith(".index/") for one in whole.calls)


@pytest.mark.parametrize("share", [0.02, 0.2, 0.45, 0.7, 0.99])
def test_whichever_call_fails_once_what_was_answered_is_there_once_and_the_world_goes_on(
    beginning: Path, whole: Hour, tmp_path: Path, share: float
) -> None:
    hour(beginning, tmp_path / "hour", whole.writes[int(share * len(whole.writes))])


@pytest.mark.parametrize("call", [1, 3])
def test_whichever_call_of_the_model_fails_nothing_is_lost(
    beginning: Path, whole: Hour, tmp_path: Path, call: int
) -> None:
    assert hour(beginning, tmp_path / "hour", model_call=call).said == whole.said


@pytest.mark.torture
@pytest.mark.parametrize("part", range(PARTS))
def test_every_call_of_the_hour_fails_once_in_turn(beginning: Path, whole: Hour, tmp_path: Path, part: int) -> None:
    for number in whole.writes[part::PARTS]:
        hour(beginning, tmp_path / "hour", number)


@pytest.mark.torture
def test_every_call_of_the_model_fails_once_in_turn(beginning: Path, whole: Hour, tmp_path: Path) -> None:
    for number in range(1, whole.model_calls + 1):
        assert hour(beginning, tmp_path / "hour", model_call=number).said == whole.said
