"""An hour of a small world on virtual time in which one thing fails: each write, renaming, sync, call of the model and
answer of the index's child process in turn.

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
UNANSWERED = "unanswered"
"""What the child process of the index did, and cannot tell; it ends of that."""
COUNTED = re.compile(r"(memories|with vectors|calls of the model): (\d+)")
"""What an hour counts on stderr."""
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


@pytest.fixture(scope="module")
def indexed(beginning: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return that vault with vectors."""
    vault = tmp_path_factory.mktemp("indexed") / "vault"
    shutil.copytree(beginning, vault)
    put(vault, "recall", embedder="hashing")
    return vault


class Hour(NamedTuple):
    """What came of an hour.

    Args:
        said: what was answered.
        calls: the system calls that could have failed.
        model_calls: how many calls the model had.
        memories: how many Eliza has at its end, and how many of these have vectors.
    """

    said: list[str]
    calls: Sequence[Mapping[str, Any]]
    model_calls: int
    memories: tuple[int, int]

    @property
    def writes(self) -> list[int]:
        """The numbers of the calls that write; reading a file of the world is none."""
        return [n for n, one in enumerate(self.calls, 1) if one["call"] != "open" or one["flags"] & os.O_CREAT]


def hour(beginning: Path, folder: Path, call: int = 0, model_call: int = 0, fault: str = FAULT) -> Hour:
    """Live through the hour while one call fails, and see that all is whole afterwards and goes on.

    Args:
        beginning: the vault that it begins with.
        folder: where to live.
        call: number of the system call that fails, among those that the fault may happen to; 0 for none.
        model_call: number of the model call that fails; 0 for none.
        fault: name of what happens to the system call.
    """
    shutil.rmtree(folder, ignore_errors=True)
    vault = folder / "vault"
    shutil.copytree(beginning, vault)
    spec = Spec(str(vault), str(folder / "calls"), (), fault, call)
    done = loci(vault, model_call, traced=spec, module="tests.hour")
    assert "Traceback" not in done.stderr, done.stderr
    said, made = answered(done.stdout.splitlines()), [one for one in calls(spec) if one.get("call") in FAULTS[fault].of]
    assert any(one["fault"] for one in made) == bool(call)
    check_ledger(vault, said)
    go_on(vault, "the roof holds")
    check_whole(vault, said, "eliza")
    assert check_vault(vault) == []
    assert replay(vault, verify=True).difference is None
    counted = {what: int(count) for what, count in COUNTED.findall(done.stderr)}
    memories = counted.get("memories", 0), counted.get("with vectors", 0)
    return Hour(said, made, counted.get("calls of the model", 0), memories)


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


def unanswered(indexed: Path, folder: Path, answer: int) -> int:
    """Live through the hour while the n-th answer of the index fails; return how many there were."""
    lived = hour(indexed, folder, answer, fault=UNANSWERED)
    assert len(lived.said) == 12
    assert lived.memories[0] == lived.memories[1] > 50
    return len(lived.calls)


@pytest.mark.parametrize("answer", [0, 1, 80])
def test_whichever_answer_of_the_index_fails_nothing_is_lost_and_all_vectors_are_there_soon(
    indexed: Path, tmp_path: Path, answer: int
) -> None:
    assert unanswered(indexed, tmp_path / "hour", answer) > 100


@pytest.mark.torture
def test_every_answer_of_the_index_fails_once_in_turn(indexed: Path, tmp_path: Path) -> None:
    number = unanswered(indexed, tmp_path / "hour", 0)
    for answer in range(1, number - 1):  # one or two questions may come in time or not
        unanswered(indexed, tmp_path / "hour", answer)


@pytest.mark.torture
@pytest.mark.parametrize("part", range(PARTS))
def test_every_call_of_the_hour_fails_once_in_turn(beginning: Path, whole: Hour, tmp_path: Path, part: int) -> None:
    for number in whole.writes[part::PARTS]:
        hour(beginning, tmp_path / "hour", number)


@pytest.mark.torture
def test_every_call_of_the_model_fails_once_in_turn(beginning: Path, whole: Hour, tmp_path: Path) -> None:
    for number in range(1, whole.model_calls + 1):
        assert hour(beginning, tmp_path / "hour", model_call=number).said == whole.said
