"""`simulate` on a disk that fails its index, by seed: nothing in the world is any different."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.live.test_failing_hosts import TOLD
from tests.processes import loci_json
from tests.syscalls import FAULTS, Spec, calls
from tests.vaults import copy_vault, without_vectors
from tests.wholeness import check_lives

WAYS = (("broken", False), ("broken", True), ("full", True))
"""What happens to the disk, and whether it stays so."""


def _simulated(folder: Path, seed: int, steps: int, fault: str, at: int, *, lasting: bool) -> tuple[Any, int]:
    """Simulate on a disk that fails at the n-th call on the index; 0 for never.

    Returns what it came to, and how many calls the fault could have happened to.
    """
    folder.mkdir()
    vault = without_vectors(copy_vault(folder))
    spec = Spec(str(vault / ".index"), str(folder / "calls"), (), fault, at, lasting)
    (record,) = loci_json("simulate", "--vault", vault, "--steps", steps, "--seed", seed, "--keep", traced=spec)
    made = [call for call in calls(spec) if call.get("call") in FAULTS[fault].of]
    assert any(call["fault"] for call in made) == bool(at)
    check_lives(vault)
    return [record[key] for key in TOLD], len(made)


@pytest.mark.parametrize(("seeds", "steps"), [((7,), 100), pytest.param(range(50), 2_000, marks=pytest.mark.torture)])
def test_an_index_whose_disk_fails_changes_nothing_in_the_world(
    tmp_path: Path, seeds: Iterable[int], steps: int
) -> None:
    for seed in seeds:
        chance = Random(seed)
        whole, number = _simulated(tmp_path / f"{seed}", seed, steps, "broken", 0, lasting=False)
        for fault, lasting in WAYS:
            # Calls that grow a file are about half of them; a late fault may come after the last of those.
            at = chance.randint(1, number // 4)
            struck, _ = _simulated(tmp_path / f"{seed}-{fault}-{lasting}", seed, steps, fault, at, lasting=lasting)
            assert struck == whole, (seed, fault, lasting, at)
