"""Every limit of the budget does what it says in a vault: refused at the limit, told, and kept through a restart."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from agents.llm.queue import Urgency
from agents.llm.spending import FILE, BudgetExhausted, Notice
from agents.llm.tokens import estimate
from mud.errors import Unavailable
from mud.server.wiring import Parts, opened
from mud.world.roles import Role
from tests.settings import proves, put, put_own
from tests.unit.agents.llm.stage import HandClock
from tests.vaults import copy_vault, without_vectors

PROMPT = "You are Eliza in The Garden.\n~Eliza>"
COST = estimate(PROMPT) + estimate("look")
MOST = estimate(PROMPT) + 20
"""What one call may take at most, as `max_tokens` is 20."""


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    vault = without_vectors(copy_vault(tmp_path))
    put(vault, "llm/think", backend="scripted", model="look", max_tokens=20)
    put(vault, "llm/summarizer", backend="scripted", model="look", max_tokens=20)
    return vault


@contextmanager
def asking(vault: Path, clock: HandClock) -> Iterator[tuple[Parts, list[Notice]]]:
    told: list[Notice] = []
    with opened(vault, writable=True, clock=clock) as parts:
        parts.queue.budget.tell = told.append
        yield parts, told


async def ask(parts: Parts, owner: str = "Eliza") -> str:
    return (await parts.queue.ask(lambda: PROMPT, "think", Urgency.THINK, owner)).text


@proves(
    "budget.agent_tokens_per_hour",
    "budget.agent_calls_per_hour",
    "budget.world_tokens_per_hour",
    "budget.world_calls_per_hour",
    "budget.world_tokens_per_day",
    "budget.world_calls_per_day",
)
@pytest.mark.parametrize("unit", ["tokens", "calls"])
@pytest.mark.parametrize(("scope", "shared", "seconds"), [
    ("agent_{}_per_hour", False, 3600),
    ("world_{}_per_hour", True, 3600),
    ("world_{}_per_day", True, 24 * 3600),
])  # fmt: skip
async def test_a_limit_ends_the_asking_of_whom_it_is_about_until_its_time_is_over(
    vault: Path, scope: str, shared: bool, seconds: int, unit: str
) -> None:
    clock = HandClock()
    put(vault, "budget", **{scope.format(unit): 2 if unit == "calls" else COST + MOST})
    with asking(vault, clock) as (parts, told):
        assert [await ask(parts), await ask(parts)] == ["look", "look"]
        with pytest.raises(BudgetExhausted):
            await ask(parts)
        if shared:
            with pytest.raises(BudgetExhausted):
                await ask(parts, "Moss")
        else:
            assert await ask(parts, "Moss") == "look"
        clock.advance(seconds - 1)
        with pytest.raises(BudgetExhausted):
            await ask(parts)
        clock.advance(1)
        assert await ask(parts) == "look"
        assert [one.over for one in told] == [True, False]
        await parts.queue.close(0)


@pytest.mark.parametrize(("unit", "own"), [("tokens", COST + MOST), ("calls", 2)])
async def test_an_agents_own_limit_holds_for_it_instead_of_the_one_for_everybody(
    vault: Path, unit: str, own: int
) -> None:
    key = f"agent_{unit}_per_hour"
    put(vault, "budget", **{key: 1})
    put_own(vault, "eliza", **{key: own})
    put_own(vault, "moss", **{key: 0})
    with asking(vault, HandClock()) as (parts, told):
        assert [await ask(parts), await ask(parts)] == ["look", "look"]
        with pytest.raises(BudgetExhausted, match="Eliza has used up the budget for this hour"):
            await ask(parts)
        assert [await ask(parts, "Moss") for _ in range(4)] == ["look"] * 4
        with pytest.raises(BudgetExhausted):
            await asyncio.gather(*(ask(parts, "Tamsin") for _ in range(2)))
        assert sorted(one.limit.owner for one in told if one.over)[0] == "Eliza"
        await parts.queue.close(0)


async def test_what_was_spent_counts_after_a_restart_within_the_hour(vault: Path) -> None:
    clock = HandClock()
    put(vault, "budget", agent_calls_per_hour=2)
    for end in ("look", "look", "refused"):
        with asking(vault, clock) as (parts, _):
            if end == "look":
                assert await ask(parts) == "look"
            else:
                with pytest.raises(BudgetExhausted, match="2 of 2 calls"):
                    await ask(parts)
            await parts.queue.close(0)
    (vault / FILE).write_text("{ edited into nonsense", "utf-8")
    with asking(vault, clock) as (parts, _):
        assert await ask(parts) == "look"
        await parts.queue.close(0)


async def test_at_the_limit_summaries_are_made_by_rules(vault: Path) -> None:
    put(vault, "budget", world_calls_per_hour=1)
    with asking(vault, HandClock()) as (parts, told):
        await ask(parts)
        with pytest.raises(Unavailable):
            await ask(parts)
        agent = parts.minds.get("Eliza")
        lines = [f"think of pear number {number}" for number in range(70)]
        for line in lines:
            parts.minds.observe(parts.engine.step(agent.id, line, Role.AGENT))
        commit = await parts.minds.fold(agent)
        assert commit is not None
        assert agent.memory.recent is not None
        assert agent.memory.recent.method == "extractive"
        assert len(told) == 1
        await parts.queue.close(0)
        await asyncio.sleep(0)
