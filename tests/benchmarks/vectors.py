"""`bench vectors`: what each way to keep vectors takes, and how long a search in one life lasts.

Vectors are made up. Each index is in a process of its own, as recall's child.
"""

from __future__ import annotations

import argparse
import re
import time
from pathlib import Path
from typing import Any

from mud.process import temporary_folder
from tests.benchmarks._bench import Report, Say, Table, bench, require_block, some_of, whole_numbers
from tests.benchmarks._recall.apart import Apart
from tests.benchmarks._recall.scores import percentile

INDEXES = ("matrix", "chroma")
DIMENSION = 384
AT_ONCE = 256
SEARCHES = 60
NEAREST = 100
"""Hits of a search, as recall asks for."""
MEMORIES = 100
"""Of each of many lives."""
Record = dict[str, Any]


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--indexes", type=some_of(INDEXES), default=list(INDEXES), metavar=",".join(INDEXES))
    parser.add_argument("--sizes", type=whole_numbers, default=[100, 1000, 10_000], metavar="100,1000,10000",
                        help="vectors of the one life that is searched")  # fmt: skip
    parser.add_argument("--lives", type=whole_numbers, default=[100], metavar="100",
                        help=f"how many lives of {MEMORIES} memories are kept")  # fmt: skip


@bench("vectors", "what do the vectors of many lives take, and how long is a search", _arguments)
def vectors(args: argparse.Namespace, say: Say) -> Report:
    require_block(args.table, "vectors")
    rows: list[Record] = []
    for name in args.indexes:
        for lives, each in [(1, size) for size in args.sizes] + [(lives, MEMORIES) for lives in args.lives]:
            with Apart() as apart, temporary_folder("loci-bench-") as folder:
                found = apart.run(_kept, folder, name, lives, each)
            rows.append({"index": name, "lives": lives, "each": each, **found})
            say(f"{name}, {lives:,} x {each:,}: {rows[-1]['p50_ms']:.2f} ms a search")
    head = ("index", "lives x vectors", "search p50, ms", "p95", "put, ms a vector", "RAM, MB", "open files", "threads")
    cells = [
        (row["index"], f"{row['lives']:,} x {row['each']:,}", f"{row['p50_ms']:.2f}", f"{row['p95_ms']:.2f}",
         f"{row['put_ms']:.2f}", str(row["rss_mb"]), str(row["files"]), str(row["threads"]))
        for row in rows
    ]  # fmt: skip
    told = (
        f"Made-up vectors of {DIMENSION} numbers, put {AT_ONCE} at a time; {SEARCHES} searches for the nearest "
        f"{NEAREST} in one life after another. The process holds the libraries and nothing else."
    )
    return Report("vectors", {"bench": "vectors", "rows": rows}, [Table(head, cells)], told)


def _kept(folder: Path, name: str, lives: int, each: int) -> Record:
    """Fill an index and search it; runs in the child."""
    import numpy as np

    from agents.recall.documents import MEMORY, memory_id
    from agents.recall.indexes import IndexKind, Place
    from mud.registry import load

    kind = load("agents.recall.indexes", IndexKind, "index").get(name)
    index = kind.open(Place(folder, exact=1 << 40), "made up", DIMENSION)
    chance, put, times = np.random.default_rng(1), 0.0, list[float]()
    for life in range(lives):
        for start in range(0, each, AT_ONCE):
            rows = chance.normal(size=(min(AT_ONCE, each - start), DIMENSION)).astype(np.float32)
            rows /= np.linalg.norm(rows, axis=1, keepdims=True)
            ids = [memory_id(f"#{life}", start + row + 1) for row in range(len(rows))]
            begun = time.perf_counter()
            index.put(ids, rows, [{"agent": f"#{life}", "type": MEMORY}] * len(rows))
            put += time.perf_counter() - begun
    for number in range(SEARCHES):
        begun = time.perf_counter()
        index.nearest(rows[number % len(rows)], f"#{number * lives // SEARCHES}", (MEMORY,), NEAREST)
        times.append(1000 * (time.perf_counter() - begun))
    told = Path("/proc/self/status").read_text(encoding="ascii")
    rss, threads = (int(re.search(rf"{key}:\s+(\d+)", told)[1]) for key in ("VmRSS", "Threads"))  # type: ignore[index]
    files = len(list(Path("/proc/self/fd").iterdir()))
    index.close()
    p50, p95 = (round(percentile(times, part) or 0.0, 3) for part in (0.5, 0.95))
    put_ms = round(1000 * put / (lives * each), 4)
    return {"p50_ms": p50, "p95_ms": p95, "put_ms": put_ms, "rss_mb": rss // 1024, "files": files, "threads": threads}
