"""What a crowd said, counted in the archives of all who heard it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

MARK = re.compile(rb"my (\d+)th word as number (\d+)")


def sentence(number: int, said: int, words: str) -> str:
    """Return what somebody says, so that it is known again."""
    return f"{words} That was my {said}th word as number {number}."


class Remembered(NamedTuple):
    """How much of what was said is remembered by as many as heard it, how much of it is missing, and there twice."""

    memories: int
    missing: int
    twice: int


def count(vault: Path, said: Collection[tuple[int, int]], witnesses: int) -> Remembered:
    """Count what was said, as pairs of a number and a word's, in the fullest archives of a vault."""
    wanted: Counter[tuple[bytes, ...]] = Counter((b"%d" % word, b"%d" % number) for number, word in said)
    lives = [(0, wanted.total(), 0)] * witnesses
    for folder in vault.glob("agents/*/archive"):
        found: Counter[tuple[bytes, ...]] = Counter()
        for file in folder.glob("*.jsonl"):
            found.update(MARK.findall(file.read_bytes()))
        twice = sum(times - 1 for times in found.values())
        lives.append((found.total(), (wanted - found).total(), twice))
    fullest = sorted(lives, reverse=True)[:witnesses]
    return Remembered(*(sum(column) for column in zip(*fullest, strict=True)))
