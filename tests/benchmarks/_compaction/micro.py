"""What masking saves: made-up lives of three lengths with small, many or huge results, whole and masked."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from agents.compaction.settings import CompactionSettings
from agents.compaction.view import KIND, StrategyContext, StrategyView
from agents.llm.tokens import at_most
from agents.memory.memory import View
from mud.server.bulk import live_through, newcomer
from mud.server.wiring import Parts, opened
from tests.benchmarks._bench import Say, Table
from tests.benchmarks._scratch import GRAPHS, scratch

LENGTHS = (100, 1000, 5000)
"""Memories in a life."""
VIEWS = 5
"""How often a view is built to take its time."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The command results in a life: one memory in `every` is one, and the memory before it is the look."""

    name: str
    every: int
    chars: int


SHAPES = (Shape("small", 4, 150), Shape("many", 2, 600), Shape("huge", 20, 12_000))


def records(shape: Shape, memories: int) -> Iterator[dict[str, Any]]:
    for number in range(1, memories + 1):
        if number % shape.every == 0:
            yield {"kind": KIND, "place": "the Yard", "text": f"the Yard\n{_filled(shape.chars - 9)}"}
        elif number % shape.every == shape.every - 1:
            yield {"kind": "did", "place": "the Yard", "text": f"You look around for the {number}. time."}
        else:
            yield {"kind": "heard", "place": "the Yard", "text": f'Egbert says, "This is number {number}."'}


def _filled(chars: int) -> str:
    words = "A stone wall, a water butt and a cart without wheels. "
    return (words * (chars // len(words) + 1))[:chars]


def measure(
    vault: Path, cache: Path, say: Say, shapes: Sequence[Shape] = SHAPES, lengths: Sequence[int] = LENGTHS
) -> list[dict[str, Any]]:
    """Return a row for each shape and length; for `cache` see `scratch`."""
    rows = []
    for shape in shapes:
        say(f"micro: {shape.name} results")
        for memories in lengths:
            with scratch(vault, cache, GRAPHS) as folder, opened(folder, writable=True) as parts:
                rows.append(asyncio.run(_row(parts, shape, memories)))
    return rows


async def _unfolded(agent: object) -> None:
    """Fold nothing: only masking is measured."""


async def _row(parts: Parts, shape: Shape, memories: int) -> dict[str, Any]:
    agent = newcomer(parts, "Listener")
    await parts.recall.start(vectors=False)
    try:
        await live_through(parts, agent, records(shape, memories), fold=_unfolded)
    finally:
        await parts.recall.stop()
    settings, count = parts.configuration.get(CompactionSettings), at_most

    def view(strategy: str) -> StrategyView:
        chosen = replace(settings, strategy=strategy)
        context = StrategyContext(owner=agent.slug, counting=lambda: count)
        return StrategyView(agent.memory, lambda: chosen, parts.minds.means.strategies, context)

    whole, masked = view("none"), view("masking")
    before, after = whole.tokens(), masked.tokens()
    pairs = zip(whole.shown().tail, masked.shown().tail, strict=True)
    return {
        "results": shape.name,
        "memories": memories,
        "looks": memories // shape.every,
        "chars": shape.chars,
        "masked": sum(one.text != other.text for one, other in pairs),
        "whole_tokens": before,
        "masked_tokens": after,
        "saved_tokens": before - after,
        "view_ms": round(_milliseconds(masked.shown), 2),
    }


def _milliseconds(make: Callable[[], View]) -> float:
    taken = []
    for _ in range(VIEWS):
        begun = time.perf_counter()
        make()
        taken.append(1000 * (time.perf_counter() - begun))
    return median(taken)


def table(rows: Sequence[dict[str, Any]]) -> Table:
    head = ["results", "of characters", "memories", "results among them", "masked", "tokens whole", "masked", "saved"]
    return Table(
        [*head, "a view, ms"],
        [
            [
                row["results"],
                f"{row['chars']:,}",
                f"{row['memories']:,}",
                f"{row['looks']:,}",
                f"{row['masked']:,}",
                f"{row['whole_tokens']:,}",
                f"{row['masked_tokens']:,}",
                f"{row['saved_tokens'] / max(1, row['whole_tokens']):.1%}",
                f"{row['view_ms']:.2f}",
            ]
            for row in rows
        ],
    )
