"""`simulate` on a disk that fails its index at the n-th system call: nothing in the world is any different."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.live.test_failing_hosts import TOLD
from tests.processes import loci_json
from tests.syscalls import Spec, calls, tracer
from tests.vaults import copy_vault, without_vectors
from tests.wholeness import check_lives


def _with_a_broken_index(folder: Path, fault: str, at: int, steps: int, *, lasting: bool) -> dict[str, Any]:
    """Simulate on a disk that fails at the n-th call on the index, and return what it came to."""
    folder.mkdir()
    vault = without_vectors(copy_vault(folder))
    spec = Spec(str(vault / ".index"), str(folder / "calls"), (), fault, at, lasting)
    (record,) = loci_json(
        "simulate", "--vault", vault, "--steps", steps, "--seed", 7, "--keep", under=tracer(spec) if at else ()
    )
    assert not at or any(call["fault"] for call in calls(spec)), "it had no such call"
    check_lives(vault)
    return record


@pytest.mark.parametrize(
    ("places", "steps"), [((5,), 200), pytest.param(range(1, 200, 4), 2_000, marks=pytest.mark.torture)]
)
def test_an_index_whose_disk_fails_changes_nothing_in_the_world(
    tmp_path: Path, places: Iterable[int], steps: int
) -> None:
    whole = _with_a_broken_index(tmp_path / "whole", "broken", 0, steps, lasting=False)
    for fault, lasting in (("broken", False), ("broken", True), ("full", True)):
        for at in places:
            struck = _with_a_broken_index(tmp_path / f"{fault}-{lasting}-{at}", fault, at, steps, lasting=lasting)
            assert [struck[key] for key in TOLD] == [whole[key] for key in TOLD], (fault, lasting, at)
