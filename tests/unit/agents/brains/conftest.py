"""What the scenes of agents have in common: each is played by two different chances."""

from __future__ import annotations

import pytest

SEEDS = range(2)


@pytest.fixture(params=SEEDS)
def seed(request: pytest.FixtureRequest) -> int:
    """The chance of a scene."""
    chance: int = request.param
    return chance
