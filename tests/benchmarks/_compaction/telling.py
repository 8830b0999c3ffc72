"""The results of lives under each strategy, as records and as two tables: view lengths, and facts kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.benchmarks._bench import Table
from tests.benchmarks._compaction.keeping import QUARTERS, counted
from tests.benchmarks._compaction.living import LivedLife
from tests.benchmarks._recall.lives import BenchmarkLife
from tests.benchmarks._recall.telling import AMONG

CONTROL = "none"
"""The strategy that folds and masks nothing."""
WHERE = ("view", "recall", "either")
"""Where a fact may be kept: in the view, among recall's hits, in either."""
Row = Mapping[str, Any]


def row_of(life: BenchmarkLife, strategy: str, lived: LivedLife) -> dict[str, Any]:
    totals = lived.totals
    paid, priced = totals.break_even(totals.spent), totals.break_even(totals.price)
    either = [seen or found for seen, found in zip(lived.in_view, lived.recalled, strict=True)]
    return {
        "strategy": strategy,
        "view_mean": round(totals.mean),
        "view_peak": totals.peak,
        "peak_of_window": round(totals.peak / lived.window, 4),
        "peak_of_budget": _rounded(totals.budget, 4),
        "over_budget": totals.over,
        "folds": totals.folds,
        "skipped": lived.skipped,
        "calls": lived.calls,
        "spent_tokens": totals.spent,
        "saved_per_prompt": _rounded(totals.saved_per_prompt, 1),
        "break_even_rounds": _rounded(paid, 2),
        "would_spend_tokens": totals.price,
        "break_even_if_paid": _rounded(priced, 2),
        "kept": {
            "view": counted(life, lived.in_view),
            "recall": counted(life, lived.recalled),
            "either": counted(life, either),
        },
        "seconds": round(lived.seconds, 2),
        "us_per_entry": round(1e6 * lived.seconds / len(life.records), 1),
        "archive_bytes": lived.archive,
        "summary_bytes": lived.summaries,
    }


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)


def verdict(rows: Sequence[Row]) -> dict[str, bool | None]:
    """Return what must hold: recall finds as much with each strategy as with none, and no view exceeds its budget.

    The first is None if the strategy `none` was not measured.
    """
    found = {row["strategy"]: row["kept"]["recall"]["found"] for row in rows}
    control = found.get(CONTROL)
    return {
        "recall_as_without": None if control is None else all(one == control for one in found.values()),
        "within_budget": not any(row["over_budget"] for row in rows),
    }


def sizes(rows: Sequence[Row]) -> Table:
    head = ["strategy", "view, mean", "peak", "of the window", "of its budget", "folds", "calls", "spent"]
    head += ["saved a prompt", "break-even, rounds", "if paid for", "us an entry", "archive, kB", "summaries, kB"]
    return Table(
        head,
        [
            [
                row["strategy"],
                f"{row['view_mean']:,}",
                f"{row['view_peak']:,}",
                f"{row['peak_of_window']:.0%}",
                _told(row["peak_of_budget"], ".0%"),
                f"{row['folds']:,}",
                f"{row['calls']:,}",
                f"{row['spent_tokens']:,}",
                _told(row["saved_per_prompt"], ",.0f"),
                _told(row["break_even_rounds"] if row["spent_tokens"] else None, ".2f"),
                _told(row["break_even_if_paid"], ".2f"),
                f"{row['us_per_entry']:.0f}",
                f"{row['archive_bytes'] / 1000:,.0f}",
                f"{row['summary_bytes'] / 1000:,.0f}",
            ]
            for row in rows
        ],
    )


def _told(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def facts(life: BenchmarkLife, rows: Sequence[Row]) -> Table:
    asked = counted(life, [True] * len(life.questions))
    ages = (f"quarter {age}" for age in QUARTERS)
    named = zip(("all", *asked["by_kind"], *ages), _counts(asked), strict=True)
    body = []
    for row in rows:
        kept = [_counts(row["kept"][where]) for where in WHERE]
        body.append([row["strategy"], *(" / ".join(map(str, counts)) for counts in zip(*kept, strict=True))])
    return Table(["strategy", *(f"{name}, of {count}" for name, count in named)], body)


def _counts(kept: Row) -> list[int]:
    return [kept["found"], *kept["by_kind"].values(), *kept["by_age"].values()]


def told(record: Row) -> str:
    as_without = {None: "", True: "as much", False: "not as much"}[record["recall_as_without"]]
    rows: Sequence[Row] = record["strategies"]
    over = [row["strategy"] for row in rows if row["over_budget"]]
    life = "A made-up life" if record["data"] == "made-up" else "A life"
    text = (
        f"{life} of {record['entries']:,} memories, lived once under each strategy, one memory at a time, the view "
        f"measured after every one in tokens of {record['counted_by']}; the window has {record['window']:,}. Saved a "
        f"prompt is what one fold takes off every later one, if paid for after how many prompts that is what a model "
        f"would have read and written for it. Facts: in as much of the last view as fits into the window / among the "
        f"first {AMONG} hits of recall ({record['by']}) / in either; a fact is kept where all strings of its answer "
        f"stand, common names by chance too. Quarter 1 is the oldest."
    )
    text += f" Over its budget: {', '.join(over)}." if over else " No view took more than its strategy's budget."
    text += f" Recall found {as_without} with every strategy as with {CONTROL}." if as_without else ""
    return text
