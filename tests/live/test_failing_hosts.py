"""`simulate` with a model whose host fails in every way: the same world for the same seed, and every life whole."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from agents.llm.backend import Backend, Refused, TransientError
from agents.llm.backends.scripted import ScriptedModel, Turn
from mud.clock import Clock
from mud.errors import Unavailable
from mud.registry import Registry
from mud.simulation.run import SimulationPlan, simulate
from tests.processes import memories, texts
from tests.settings import put
from tests.vaults import copy_vault, without_vectors
from tests.wholeness import check_lives

TIMEOUT = 8.0
"""Seconds after which a call is given up."""
GARBAGE = (
    "",
    "\x00\x1b[2J\x07",
    "{" * 400,
    "```json\n",
    "say",
    "Hello! I am a language model.",
    "🜁 " * 300,
    "go nowhere",
)


def _turns(clock: Clock, chance: Random, met: set[str]) -> Iterator[Turn]:
    """Yield what a host does that fails in every way there is, and now and then answers."""

    async def hangs(prompt: str) -> str:
        await asyncio.Event().wait()  # on a virtual clock, who waits for a time is there at once
        return "say nobody waits that long"

    async def late(prompt: str) -> str:
        await clock.sleep(chance.uniform(0.5, 0.95) * TIMEOUT)
        return f"say it took me a while to think of {chance.randrange(10**6)}"

    async def hangs_up(prompt: str) -> str:
        await clock.sleep(chance.uniform(0.0, 0.5 * TIMEOUT))
        raise TransientError("the host broke off")

    number = 0
    while True:
        number += 1
        ways: dict[str, Turn] = {
            "answers": f"say lantern {number} hangs by door {chance.randrange(10**6)}",
            "answers garbage": chance.choice(GARBAGE),
            "is down": Unavailable("nothing answers there"),
            "stumbles": TransientError("the host answered 500"),
            "is busy": TransientError("the host answered 429", after=chance.uniform(0.0, 2 * TIMEOUT)),
            "refuses": Refused("the host answered 400"),
            "hangs": hangs,
            "is late": late,
            "hangs up": hangs_up,
        }
        way = chance.choice(["answers", "answers", *ways])
        met.add(way)
        yield ways[way]


def _simulated(vault: Path, seed: int, steps: int, *, keep: bool = False) -> dict[str, Any]:
    """Live with such a model in every profile, and return what it came to."""
    met = set[str]()

    def backends(clock: Clock) -> Registry[Backend]:
        model = ScriptedModel(_turns(clock, Random(seed), met))
        return Registry("backend", [Backend("scripted", "Fails by seed.", lambda profile: model)])

    record = simulate(SimulationPlan(vault, steps, None, seed, keep, backends), lambda text: None)
    assert len(met) == 9
    return record


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """Return a vault whose thoughts, summaries and dreams all go to one model."""
    vault = without_vectors(copy_vault(tmp_path))
    for profile in ("think", "summarizer", "dream"):
        put(vault, f"llm/{profile}", backend="scripted", timeout=TIMEOUT)
    put(vault, "memory_compaction", summarizer="model", immediate_window=8, recent_window=8)
    return vault


TOLD = ("state_hash", "world_seconds", "events", "memories", "thoughts", "compactions", "repetition_rate")


def test_a_model_that_fails_by_seed_makes_the_same_world_twice_and_no_life_is_harmed(
    vault: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        first, second = _simulated(vault, 7, 300), _simulated(vault, 7, 300, keep=True)
    assert [first[key] for key in TOLD] == [second[key] for key in TOLD]
    assert first["compactions"] > 0
    assert any("lantern" in text for text in texts(memories(vault, "eliza")))
    assert caplog.records == []
    check_lives(vault)


@pytest.mark.torture
@pytest.mark.parametrize("seed", range(10))
def test_a_model_that_fails_by_any_seed_harms_no_life(vault: Path, seed: int) -> None:
    first, second = _simulated(vault, seed, 3_000), _simulated(vault, seed, 3_000, keep=True)
    assert [first[key] for key in TOLD] == [second[key] for key in TOLD]
    check_lives(vault)
