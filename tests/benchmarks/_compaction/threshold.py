"""The sweep of seed 004: `layered` with various thresholds and least savings over one life.

Summaries are written by rules. Their price is counted as if a model had written them: a request as long as the source,
an answer as long as the summary.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.benchmarks._bench import Say, Table
from tests.benchmarks._compaction.living import LivingMode, live
from tests.benchmarks._recall.lives import BenchmarkLife

THRESHOLDS = (3000, 6000, 12_000, 24_000)
SAVINGS = (2000, 8000)
"""A summary has 600 tokens at most, so less than the default 2,000 changes nothing over any of these thresholds."""
STRATEGY = "layered"
WINDOW = 65_536
"""Context window in tokens: a smaller one would force folds."""


def measure(
    life: BenchmarkLife,
    way: LivingMode,
    say: Say,
    thresholds: Sequence[int] = THRESHOLDS,
    savings: Sequence[int] = SAVINGS,
) -> list[dict[str, Any]]:
    """Return a row for each value of `threshold_tokens` and of `min_saving_tokens`."""
    rows = []
    for threshold in thresholds:
        say(f"threshold: {threshold:,} tokens")
        rows += [_row(life, way, threshold, saving) for saving in savings]
    return rows


def _row(life: BenchmarkLife, way: LivingMode, threshold: int, saving: int) -> dict[str, Any]:
    wanted: dict[str, str | int] = {"strategy": STRATEGY, "threshold_tokens": threshold, "min_saving_tokens": saving}
    lived = live(life, way, wanted, ask=False, window=WINDOW)
    totals = lived.totals
    rounds = totals.break_even(totals.price)
    return {
        "threshold_tokens": threshold,
        "min_saving_tokens": saving,
        "folds": totals.folds,
        "skipped": lived.skipped,
        "view_mean": round(totals.mean),
        "view_peak": totals.peak,
        "would_spend": totals.price,
        "saved_per_prompt": None if totals.saved_per_prompt is None else round(totals.saved_per_prompt),
        "break_even_rounds": None if rounds is None else round(rounds, 2),
    }


def table(rows: Sequence[dict[str, Any]]) -> Table:
    head = ["threshold", "least saving", "folds", "skipped", "view, mean", "peak", "would spend", "saved a prompt"]
    return Table(
        [*head, "break-even, rounds"],
        [
            [
                f"{row['threshold_tokens']:,}",
                f"{row['min_saving_tokens']:,}",
                str(row["folds"]),
                str(row["skipped"]),
                f"{row['view_mean']:,}",
                f"{row['view_peak']:,}",
                f"{row['would_spend']:,}",
                "-" if row["saved_per_prompt"] is None else f"{row['saved_per_prompt']:,}",
                "-" if row["break_even_rounds"] is None else f"{row['break_even_rounds']:.2f}",
            ]
            for row in rows
        ],
    )
