"""The figures of an evening's thoughts, as a record and a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import mean, median
from typing import Any

from tests.benchmarks._bench import Table
from tests.benchmarks._prompt.evening import MeasuredThought
from tests.benchmarks._prompt.experiences import ENOUGH, seen_in

HEAD = (
    "order",
    "cached share",
    "prompt, mean",
    "read anew, mean",
    "volatile, mean",
    "s a thought, p50",
    "mean",
    "calls",
    "own line",
    "folds",
    "two experiences",
)


def row_of(order: str, thoughts: Sequence[MeasuredThought]) -> dict[str, Any]:
    """Return the figures of an evening with at least one thought; None for what the server does not report."""
    replies = [call.completion for one in thoughts for call in one.calls]
    told = [
        (one.cached_tokens, one.prompt_tokens)
        for one in replies
        if one.cached_tokens is not None and one.prompt_tokens is not None
    ]
    cached, read = sum(one for one, _ in told), sum(one for _, one in told)
    return {
        "order": order,
        "thoughts": len(thoughts),
        "calls": len(replies),
        "cached_share": round(cached / read, 3) if read else None,
        "prompt_tokens": round(read / len(told)) if told else None,
        "read_anew_tokens": round((read - cached) / len(told)) if told else None,
        "volatile_tokens": round(mean(tokens for one in thoughts for tokens in one.volatile)),
        "seconds_p50": round(median(one.seconds for one in thoughts), 2),
        "seconds_mean": round(mean(one.seconds for one in thoughts), 2),
        "own_lines": sum(one.own for one in thoughts),
        "folds": sum(one.folds for one in thoughts),
        "two_experiences": sum(seen_in(call.prompt).experiences >= ENOUGH for one in thoughts for call in one.calls),
        "model": replies[-1].model.replace("\\", "/").rpartition("/")[2],  # llama.cpp reports the path of its file
    }


def table(rows: Sequence[Mapping[str, Any]]) -> Table:
    return Table(HEAD, [_cells(row) for row in rows])


def _cells(row: Mapping[str, Any]) -> list[str]:
    share = row["cached_share"]
    return [
        row["order"],
        "not told" if share is None else f"{share:.2f}",
        _number(row["prompt_tokens"]),
        _number(row["read_anew_tokens"]),
        f"{row['volatile_tokens']}",
        f"{row['seconds_p50']:.1f}",
        f"{row['seconds_mean']:.1f}",
        f"{row['calls']}",
        f"{row['own_lines']} of {row['thoughts']}",
        f"{row['folds']}",
        f"{row['two_experiences']} of {row['calls']}",
    ]


def _number(value: int | None) -> str:
    return "not told" if value is None else f"{value:,}"


def told(rows: Sequence[Mapping[str, Any]], agents: int, past: int) -> str:
    row = rows[0]
    return (
        f"{row['thoughts']} thoughts of {agents} agents with a past of {past} memories or more, in each order, asked "
        f"of {row['model']}; each agent's first two, of which no server can know much, are left out. Tokens "
        "are the server's. Cached share: of all tokens of the prompts, those it had read before; volatile: what "
        "stands after the transcript in the stable order, wherever it stands in the other. A thought takes "
        "everything: looking up what is related, the model, the world. Own line: what the model's reply came to was "
        "done; else the instinct took the turn. Folds: of the agents' memories meanwhile, after each of which a "
        "prompt is read anew. Two experiences: prompts that show two of two whole sentences or more."
    )
