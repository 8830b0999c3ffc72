"""The evening of twenty questions: a visitor tells four minds twenty facts and asks each for them, hours later.

`python -m tests.evening.twenty 1 2 3` plays evenings with these seeds and prints how each went.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from agents.mind.interpreter import shipped_interpreter
from tests.evening.facts import CHATTER, FACTS, MORE_FACTS, Fact
from tests.evening.stage import Stage, staged

is_ignorant = shipped_interpreter().words.is_ignorant
HOMES = {"Eliza": "The Garden", "Corvin": "The Garden", "Moss": "The Library", "Tamsin": "The Library"}
LINES = 400


@dataclass
class Outcome:
    """How an evening went.

    Args:
        counts: how many answers were `right`, `wrong` or `unknown`.
        said: for each question what was told, asked, and answered, and how it counts.
    """

    counts: Counter[str] = field(default_factory=Counter)
    said: list[tuple[str, str, str, list[str]]] = field(default_factory=list)


def judge(fact: Fact, teller: str, answers: list[str]) -> str:
    """Say whether what was answered is right, wrong or no answer: by what was said first, and whose word it is."""
    for answer in answers:
        words = answer.partition(": ")[2]
        if any(one.casefold() in words.casefold() for one in fact.answer):
            named = teller in words or any(f" {you}" in f" {words.casefold()}" for you in ("you ", "you,", "your "))
            return "right" if named else "wrong"
        if not is_ignorant(words):
            return "wrong"
    return "unknown"


async def evening(folder: Path, seed: int, pool: tuple[Fact, ...], lines: int = LINES) -> Outcome:
    """Play an evening.

    Args:
        folder: where its vault goes.
        seed: seed of all chance.
        pool: facts of which twenty are told.
        lines: lines that the visitor speaks before the questions.
    """
    chance = Random(seed)
    facts = chance.sample(pool, 20)
    told_to = [list(HOMES)[number % 4] for number in range(20)]
    outcome = Outcome()
    async with staged(folder, seed, walking=False) as stage:
        for name, home in HOMES.items():
            if name in ("Corvin", "Tamsin"):
                stage.place(name, home)
        stage.enter("Jonas")
        await _tell(stage, chance, list(zip(facts, told_to, strict=True)), lines)
        for fact, name in chance.sample(list(zip(facts, told_to, strict=True)), 20):
            await _go(stage, HOMES[name])
            await stage.live(70)
            heard = await stage.type("Jonas", f"say {name}, {fact.asked}", 4)
            answers = [one for one in heard if one.startswith(f"{name}: ")]
            verdict = judge(fact, "Jonas", answers)
            outcome.counts[verdict] += 1
            outcome.said.append((verdict, fact.told, fact.asked, heard))
    return outcome


async def _tell(stage: Stage, chance: Random, facts: list[tuple[Fact, str]], lines: int) -> None:
    """Tell the facts among much talk of nothing, the minds of one location after those of the other."""
    ordered = sorted(facts, key=lambda pair: HOMES[pair[1]])
    when = sorted(chance.sample(range(lines - 40), len(ordered)))
    telling = dict(zip(when, ordered, strict=True))
    for number in range(lines):
        if number in telling:
            fact, name = telling[number]
            await _go(stage, HOMES[name])
            told = fact.told.replace("The ", "the ", 1) if fact.told.startswith("The ") else fact.told
            await stage.type("Jonas", f"say {name}, {told}", 6)
        else:
            await stage.type("Jonas", f"say {chance.choice(CHATTER)}", 6)


async def _go(stage: Stage, place: str) -> None:
    here = stage.where("Jonas")
    if here != place:
        await stage.type("Jonas", f"go {place}", 8)


async def main(seeds: list[int]) -> None:
    """Play an evening with each seed and print how it went, and every answer that was not right."""
    total: Counter[str] = Counter()
    for seed in seeds:
        with tempfile.TemporaryDirectory() as folder:
            outcome = await evening(Path(folder), seed, FACTS + MORE_FACTS)
        total += outcome.counts
        print(seed, dict(outcome.counts))
        for verdict, told, asked, answers in outcome.said:
            if verdict != "right":
                print(f"  {verdict}: {told} {asked} {answers}")
    print(dict(total))


if __name__ == "__main__":
    asyncio.run(main([int(seed) for seed in sys.argv[1:]] or [1]))
