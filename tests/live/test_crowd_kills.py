"""Fifty people who all talk and all remember, killed at random moments: nothing is lost, nothing is there twice."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from mud.server.wiring import opened
from tests.crowd import names
from tests.processes import memories, texts
from tests.settings import put
from tests.vaults import ROOT, copy_vault, without_vectors

PEOPLE = 50
_SENTENCE = re.compile(r"sentence (\d+) of a long evening")


def _talk_until_killed(vault: Path, first: int, lines: int) -> set[int]:
    """Start the crowd, kill it after so many answered lines, and return the numbers of the sentences."""
    command = [sys.executable, "-m", "tests.crowd", str(vault), str(PEOPLE), str(first)]
    said: set[int] = set()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.endswith("\n") and line.strip().isdigit():  # the rest is the chronicle
                said.add(int(line))
            if len(said) == lines:
                process.kill()
        process.wait()
    assert len(said) >= lines
    return said


def _check(vault: Path, said: set[int]) -> None:
    with opened(vault, writable=True) as parts:  # what only the ledger has is given back
        for name in names(PEOPLE):
            found = parts.minds.find(name)
            assert found is not None
            assert found.memory.waiting == 0
        told = [parts.minds.status(parts.minds.get(name)) for name in names(PEOPLE)]
    for one in told:
        assert (one["gaps"], one["overlaps"]) == ([], [])
    for name in names(PEOPLE):
        slug = name.lower().replace(" ", "-")
        records = memories(vault, slug)
        assert [one["seq"] for one in records] == list(range(1, len(records) + 1))
        sources = [one["source"] for one in records]
        assert sources == sorted(sources)
        heard = Counter(int(sentence[1]) for text in texts(records) if (sentence := _SENTENCE.search(text)))
        assert set(heard.values()) <= {1}, "something is remembered twice"
        assert said <= heard.keys()


def _life_of_kills(vault: Path, kills: int, most: int, seed: int) -> None:
    chance, said = random.Random(seed), set[int]()
    for kill in range(kills):
        said |= _talk_until_killed(vault, kill * 100_000, chance.randint(1, most))
    _check(vault, said)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    found = without_vectors(copy_vault(tmp_path))
    put(found, "memory_compaction", immediate_window=6, recent_window=5, summarizer="extractive")
    return found


def test_a_crowd_killed_thrice_has_all_that_was_answered_once(vault: Path) -> None:
    _life_of_kills(vault, kills=3, most=900, seed=19)


@pytest.mark.torture
def test_a_crowd_killed_forty_times_has_all_that_was_answered_once(vault: Path) -> None:
    _life_of_kills(vault, kills=40, most=1500, seed=1900)
