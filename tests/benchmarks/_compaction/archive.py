"""Time and bytes of appends and fold commits, by the length of memories.

Appends are written one at a time, as in the world, and many at once, as by `remember`; a commit syncs to disk.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from agents.compaction.strategies import AUTOMATIC
from agents.memory.memory import Memory
from agents.memory.summaries import Summary
from mud.clock import iso
from mud.process import temporary_folder
from mud.server.bulk import BATCH
from mud.server.wiring import RealClock
from tests.benchmarks._bench import Say, Table
from tests.benchmarks._compaction.living import size_of

LENGTHS = (50, 200, 1000, 5000)
"""Characters of a memory."""
ENTRIES = 2048
"""Memories of each length and each way of writing."""
FOLD = 64
"""Memories in a fold."""
SUMMARY = 400
"""Characters of each of its two summaries."""


def measure(say: Say, lengths: Sequence[int] = LENGTHS, entries: int = ENTRIES) -> list[dict[str, Any]]:
    rows = []
    for chars in lengths:
        say(f"archive: memories of {chars:,} characters")
        with temporary_folder("loci-bench-") as folder:
            rows.append(_row(folder, chars, entries))
    return rows


def _row(folder: Path, chars: int, entries: int) -> dict[str, Any]:
    one, memory = _appended(folder / "one", chars, entries, 1)
    try:
        archive = size_of(memory.folder / "archive")
        commits = [_commit(memory, last) for last in range(FOLD, entries + 1, FOLD)]
        lines = size_of(memory.folder / "archive") - archive
        files = size_of(memory.folder / "summaries")
    finally:
        memory.close()
    many, bulk = _appended(folder / "many", chars, entries, BATCH)
    bulk.close()
    folds = len(commits)
    return {
        "chars": chars,
        "entries": entries,
        "append_us": round(one, 1),
        "append_many_us": round(many, 1),
        "append_bytes": round(archive / entries, 1),
        "commits": folds,
        "commit_ms": round(1000 * median(commits), 2) if folds else None,
        "commit_line_bytes": round(lines / folds) if folds else None,
        "commit_file_bytes": round(files / folds) if folds else None,
    }


def _appended(folder: Path, chars: int, entries: int, batch: int) -> tuple[float, Memory]:
    memory = Memory("Listener", folder, RealClock())
    memory.open(True)
    taken = []
    for some in _batches(chars, entries, batch):
        begun = time.perf_counter()
        memory.append_raw(some)
        taken.append(1e6 * (time.perf_counter() - begun) / len(some))
    return median(taken), memory


def _batches(chars: int, entries: int, batch: int) -> Iterator[list[dict[str, Any]]]:
    record = {"kind": "heard", "actor": "Egbert", "place": "the Yard", "text": "x" * chars}
    for first in range(0, entries, batch):
        yield [record] * min(batch, entries - first)


def _commit(memory: Memory, last: int) -> float:
    first, at = memory.watermark + 1, iso(RealClock().now())
    longterm = Summary("longterm", (1, first - 1), "y" * SUMMARY, at) if first > 1 else None
    recent = Summary("recent", (first, last), "z" * SUMMARY, at)
    event = {
        "event": "auto_compact", "at": at, "covers": {"first": first, "last": last}, "longterm": None, "recent": None,
        "tokens": {}, "reason": AUTOMATIC, "number": last // FOLD,
    }  # fmt: skip
    entries = memory.read(first, last)
    begun = time.perf_counter()
    memory.commit(longterm, recent, entries, event)
    return time.perf_counter() - begun


def table(rows: Sequence[dict[str, Any]]) -> Table:
    head = ["characters of a memory", "an append, us", f"one of {BATCH} at once, us", "bytes", "a commit, ms"]
    return Table(
        [*head, "its line, bytes", "its files, bytes"],
        [
            [
                f"{row['chars']:,}",
                f"{row['append_us']:.1f}",
                f"{row['append_many_us']:.1f}",
                f"{row['append_bytes']:,.0f}",
                *(
                    "-" if row[key] is None else f"{row[key]:,}"
                    for key in ("commit_ms", "commit_line_bytes", "commit_file_bytes")
                ),
            ]
            for row in rows
        ],
    )
