"""The numbers of the five seeds from the command line: when each strategy folds, and what stays word for word."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.processes import loci, loci_json
from tests.settings import put_own
from tests.vaults import copy_vault, without_vectors

LAMPS = "I saw lamp {} by the Cistern in the evening. "
Folds = list[tuple[int, int]]


def covered(vault: Path) -> Folds:
    """Return which memories each fold took, as the archive tells it."""
    lines = [
        line for path in sorted((vault / "agents/moss/archive").iterdir()) for line in path.read_text().splitlines()
    ]
    events = [event for line in lines if (event := json.loads(line)).get("event") == "auto_compact"]
    return [(event["covers"]["first"], event["covers"]["last"]) for event in events]


def lives(vault: Path, lengths: Sequence[int]) -> dict[str, Any]:
    """Have Moss remember at once memories of so many characters, and return his status."""
    file = vault.parent / "life.jsonl"
    records = [{"text": LAMPS.format(at).ljust(length, "-"), "kind": "saw"} for at, length in enumerate(lengths)]
    file.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    done = loci("remember", "Moss", file, "--no-wait", "--vault", vault)
    assert done.returncode == 0, done.stderr
    (status,) = loci_json("status", "Moss", "--vault", vault)
    assert (status["total"], status["gaps"], status["overlaps"]) == (len(lengths), [], [])
    assert all("the window holds" in warning for warning in status["warnings"])  # seed 004's 12,000 tokens do not fit
    return status


GOLDEN: dict[str, tuple[list[int], Folds, int | None]] = {
    "waterfall": ([60] * 257, [(1, 65), (66, 129), (130, 193)], 321),
    "entry_summary": ([50_000] * 4 + [60] * 17, [(1, 3), (4, 5), (6, 12), (13, 19)], 28),
    "sleep": ([100] * 263, [(1, 198)], None),
    "layered": ([400] * 130, [(1, 121)], None),
    "hybrid": ([60] * 76, [(1, 33), (34, 66)], 109),
}
"""Memories by their characters; the folds that come by themselves, and at how many memories the next one is due.

The waterfall folds at 129, 193 and 257. Seed 001: the gate of five, with 8,000 characters long passed, at 5 and 7, then
ten entries at 14 and 21, the summary counted as one. Seed 003: at 263 memories of 25 tokens, over 80 % of 8,192; the
newest fifth of those stays. Seed 004: at 121 of 100 tokens, over 12,000; nothing stays. The hybrid: at 43 and 76.
"""


@pytest.mark.parametrize("strategy", GOLDEN)
def test_a_strategy_folds_when_its_seed_says(strategy: str, tmp_path: Path) -> None:
    lengths, folds, next_at = GOLDEN[strategy]
    vault = without_vectors(copy_vault(tmp_path))
    put_own(vault, "moss", strategy=strategy, token_counter="characters", threshold_tokens=12_000)
    status = lives(vault, lengths)
    assert covered(vault) == folds
    assert (status["strategy"], status["compactions"]) == (strategy, len(folds))
    assert (status["covered_through"], status["next_compaction_at"]) == (folds[-1][1], next_at)


@pytest.mark.parametrize(("memories", "folds"), [(229, 0), (230, 1)])
def test_a_sleeper_folds_from_seventy_percent_of_the_window_on_and_nobody_awake_does(
    memories: int, folds: int, tmp_path: Path
) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    assert loci("run", "--as", "Ann", "--no-agents", "--vault", vault, stdin="quit\n").returncode == 0
    put_own(vault, "ann", strategy="sleep", token_counter="characters")
    file = tmp_path / "life.jsonl"
    text = LAMPS.format(1).ljust(100, "-")
    file.write_text(f"{json.dumps({'text': text, 'kind': 'saw'})}\n" * memories)
    (lived,) = loci_json("remember", "Ann", file, "--no-wait", "--vault", vault)
    assert lived["compactions"] == 0
    assert loci("run", "--as", "Ann", "--no-agents", "--vault", vault, stdin="sleep\nquit\n").returncode == 0
    (status,) = loci_json("status", "Ann", "--vault", vault)
    assert status["compactions"] == folds
