"""At the limit of the budget the instinct takes over, and the model has its turn again when the hour is over."""

from __future__ import annotations

from pathlib import Path

from agents.agent import Agent
from agents.life.scheduler import Scheduler
from agents.llm.backends.scripted import ScriptedModel
from agents.llm.spending import BudgetSettings, ModelBudget, Notice
from tests.houses import House, house
from tests.unit.agents.llm.stage import HandClock
from tests.vaults import copy_vault, without_vectors


def spending(home: House, clock: HandClock, told: list[Notice]) -> tuple[Scheduler, Agent]:
    """Return the drives of Eliza, who may ask the model twice an hour."""
    lines = (f"emote draws figure{number}, figure{number}a and figure{number}b." for number in range(99))
    living = home.living(ScriptedModel(lines))
    living.answers["think"] = True
    home.queue.budget = ModelBudget(lambda: BudgetSettings(agent_calls_per_hour=2), clock)
    home.queue.budget.tell = told.append
    living.begin(home.agent("Eliza"))
    return living, home.agent("Eliza")


async def brain(living: Scheduler, agent: Agent) -> str:
    """Have an agent think once, and return the brain that did it."""
    await living.act(agent, waiting=False)
    assert agent.thinker is not None
    assert agent.thinker.last is not None
    return agent.thinker.last.brain


async def test_the_instinct_takes_over_at_the_limit_until_the_hour_is_over(tmp_path: Path) -> None:
    without_vectors(copy_vault(tmp_path))
    clock, told = HandClock(), list[Notice]()
    async with house(tmp_path, clock) as home:
        living, eliza = spending(home, clock, told)
        used = [await brain(living, eliza) for _ in range(6)]
        assert used == ["language", "language", *["instinct"] * 4]
        assert [one.over for one in told] == [True]
        assert eliza.thinker is not None
        assert eliza.thinker.last_error is None  # it is no trouble of the model's
        clock.advance(3600)
        assert await brain(living, eliza) == "language"
        assert [one.over for one in told] == [True, False]
