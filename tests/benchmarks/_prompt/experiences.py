"""How many prompts of grown lives show two past experiences: agents live by instinct, and their prompts are read.

No server is asked. Each prompt is built twice: with recall by words alone, and with vectors too.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any, NamedTuple

from agents.prompt.excerpts import GAP
from agents.prompt.prompt import Prompt
from agents.text.english import sentences
from mud.clock import parse_iso
from mud.errors import LociError
from mud.server.wiring import Parts, opened
from mud.simulation.run import SimulationPlan, simulate
from tests.benchmarks._bench import Say, Table
from tests.benchmarks._prompt.evening import BEGIN, newborn
from tests.benchmarks._scratch import LifeClock

AGENTS, STEPS = 6, 3000
MOMENTS = 4
"""How often prompts are read, from half of the steps on: before that, a prompt holds nearly the whole life."""
ENOUGH = 2
"""Experiences, and whole sentences of each, that a prompt should show."""
_EXPERIENCE = re.compile(r"^- (.*) \(memor(?:y \d+|ies \d+-\d+)\)$", re.M)
HEAD = ("seed", "recall by", "prompts", "two experiences", "one", "none", "tokens of them, mean", "of the prompt, mean")


class Seen(NamedTuple):
    """What one prompt shows: experiences of two sentences or more, their tokens, and all tokens of the prompt."""

    experiences: int
    tokens: int
    prompt: int


def seen_in(prompt: Prompt) -> Seen:
    sections = [one for one in prompt.sections if one.name == "experiences"]
    shown = [text for section in sections for text in _EXPERIENCE.findall(section.text)]
    whole = [text for text in shown if _sentences_in(text) >= ENOUGH]
    return Seen(len(whole), sum(section.tokens for section in sections), prompt.tokens)


def _sentences_in(text: str) -> int:
    return sum(any(map(str.isalnum, one)) for part in text.split(GAP) for one in sentences(part))


def measure(
    vault: Path, cache: Path, seeds: Sequence[int], steps: int, agents: int, vectors: bool, say: Say
) -> list[dict[str, Any]]:
    """Run one life with each seed and return the figures of its prompts, for each way to recall.

    `steps` are the lines that all agents submit; without `vectors` recall uses words alone.
    """
    rows = []
    for seed in seeds:
        found: dict[bool, list[Seen]] = {by: [] for by in (False, True)[: 1 + vectors]}
        with newborn(vault, cache) as folder:
            chance, lived = Random(seed), 0
            for moment in range(MOMENTS):
                until = steps // 2 + steps * moment // (2 * (MOMENTS - 1))
                simulate(
                    SimulationPlan(folder, until - lived, agents, chance.randrange(1 << 31), keep=True),
                    lambda words: None,
                )
                lived = until
                for by in found:
                    found[by] += asyncio.run(_prompts(folder, by))
                say(f"seed {seed}: step {until} of {steps}")
        rows += [_row(seed, by, seen) for by, seen in found.items()]
    return rows


async def _prompts(folder: Path, vectors: bool) -> list[Seen]:
    clock = LifeClock(BEGIN)
    with opened(folder, writable=True, clock=clock) as parts:
        agents = [one for one in parts.minds.opened() if not one.definition.person]
        clock.moment = max(parse_iso(entry.at) for one in agents for entry in one.memory.newest(1))
        await parts.recall.start(vectors=vectors)
        try:
            return [await _seen(parts, one.slug, vectors) for one in agents]
        finally:
            await parts.queue.close(0)
            await parts.recall.stop()


async def _seen(parts: Parts, slug: str, vectors: bool) -> Seen:
    agent = parts.minds.open(slug)
    await parts.minds.catch_up(agent)
    if vectors and not await parts.recall.complete():
        raise LociError(f"the vectors are missing: {parts.recall.trouble}")
    return seen_in(parts.prompting.build(agent, await parts.prompting.related(agent)))


def _row(seed: int, vectors: bool, seen: Sequence[Seen]) -> dict[str, Any]:
    return {
        "seed": seed,
        "by": "words and vectors" if vectors else "words",
        "prompts": len(seen),
        "two": sum(one.experiences >= ENOUGH for one in seen),
        "one": sum(one.experiences == 1 for one in seen),
        "none": sum(one.experiences == 0 for one in seen),
        "tokens": round(mean(one.tokens for one in seen)),
        "prompt_tokens": round(mean(one.prompt for one in seen)),
    }


def table(rows: Sequence[dict[str, Any]]) -> Table:
    return Table(
        HEAD,
        [
            [
                *(str(row[key]) for key in ("seed", "by", "prompts", "two", "one", "none", "tokens")),
                f"{row['prompt_tokens']:,}",
            ]
            for row in rows
        ],
    )


def told(agents: int, steps: int) -> str:
    return (
        f"Prompts of {agents} agents at {MOMENTS} moments, from half of {steps:,} simulated steps on to the end; an "
        "experience counts when it shows two whole sentences or more. Tokens are the prompt's own count."
    )
