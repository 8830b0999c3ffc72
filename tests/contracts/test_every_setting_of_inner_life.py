"""Every setting of the inner life does what it says: when an agent reflects, whether it dreams and keeps notes."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.agent import Agent
from mud.world.events import Perception
from mud.world.roles import Role
from tests.houses import House, house
from tests.settings import proves, put, put_own
from tests.vaults import copy_vault, without_vectors

LINES = ("I mend clocks.", "I will bake a cake.", "I live in the mill.", "I have baked the cake, here is the cake.")


async def slept(home: House) -> Agent:
    """Have Eliza live a little and sleep."""
    eliza = home.agent("Eliza")
    told = [Perception(eliza.id, "heard", f'Moss says, "{words}"', "Moss", "The Garden") for words in LINES]
    eliza.memory.append(told, "2026-01-01T00:00:00.000Z", home.engine.number)
    home.type(eliza, "sleep", Role.AGENT)
    home.minds.inner.asleep(eliza, home.engine)
    await home.minds.inner.settle()
    return eliza


def kinds(who: Agent) -> set[str]:
    return {entry.kind for entry in who.memory.read(1, who.memory.total)}


@proves("inner_life.reflection_threshold")
@pytest.mark.parametrize(("threshold", "reflects"), [(10, True), (10_000, False), (0, False)])
async def test_an_agent_reflects_once_as_much_was_lived_as_is_set(
    tmp_path: Path, threshold: int, reflects: bool
) -> None:
    put(without_vectors(copy_vault(tmp_path)), "inner_life", reflection_threshold=threshold)
    async with house(tmp_path) as home:
        assert ("thought" in kinds(await slept(home))) is reflects


@proves("inner_life.nightly_dream")
@pytest.mark.parametrize("dreams", [True, False])
async def test_an_agent_dreams_when_it_is_set_for_itself_too(tmp_path: Path, dreams: bool) -> None:
    vault = without_vectors(copy_vault(tmp_path))
    put(vault, "inner_life", nightly_dream=not dreams)
    put_own(vault, "eliza", nightly_dream=dreams)
    async with house(tmp_path) as home:
        assert ("dream" in kinds(await slept(home))) is dreams


@proves("inner_life.own_notes")
@pytest.mark.parametrize("notes", [True, False])
async def test_an_agent_notes_what_it_learned_when_that_is_set(tmp_path: Path, notes: bool) -> None:
    put(without_vectors(copy_vault(tmp_path)), "inner_life", own_notes=notes)
    async with house(tmp_path) as home:
        assert ("Moss" in (await slept(home)).notes.titles()) is notes
