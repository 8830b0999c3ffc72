from __future__ import annotations

import asyncio
from pathlib import Path

from agents.commands.models import describe_notice
from agents.llm.budget import Amount, Limit, Notice, Scope
from agents.llm.queue import Task, Urgency
from mud.world.roles import Role
from tests.houses import House, house
from tests.settings import put, put_own
from tests.vaults import copy_vault


async def spend(home: House, owner: str, prompt: str, task: str = Task.THINKING) -> None:
    await home.parts.queue.ask(lambda: prompt, "think", Urgency.THINK, owner, task=task)


async def test_it_shows_who_spent_what_on_what_and_the_columns_add_up(tmp_path: Path) -> None:
    put(copy_vault(tmp_path), "llm/think", backend="scripted", model="look")
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        assert "Nothing was spent on language models yet." in (await home.ask(ann, "@cost")).reply
        for owner, task in (("Eliza", Task.THINKING), ("Eliza", Task.THINKING), ("Moss", Task.DREAMS)):
            await spend(home, owner, "a prompt of some words", task)
        head, columns, *rows, whole, limits = (await home.ask(ann, "@cost")).reply.splitlines()
        assert head == "What the language models cost, in calls and tokens (hours and days are those of UTC):"
        assert [row.split()[:2] for row in rows] == [["Eliza", "thinking"], ["Moss", "dreams"]]
        numbers = [[int(cell.replace(",", "")) for cell in row.split()[2:]] for row in rows]
        assert [sum(column) for column in zip(*numbers, strict=True)] == [
            int(cell.replace(",", "")) for cell in whole.split()[2:]
        ]
        assert numbers[0][::2] == [2, 2, 2]
        assert len({len(line) for line in (columns, *rows, whole)}) == 1
        assert limits == "There is no limit; config/budget.md sets one."


async def test_it_shows_the_limits_and_which_are_used_up(tmp_path: Path) -> None:
    put(copy_vault(tmp_path), "llm/think", backend="scripted", model="look")
    put(tmp_path / "vault", "budget", agent_calls_per_hour=1, world_tokens_per_day=50_000)
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        for _ in range(2):
            await asyncio.gather(spend(home, "Eliza", "a prompt"), return_exceptions=True)
        reply = (await home.ask(ann, "@cost")).reply
        assert "  agent_calls_per_hour: 1\n  world_tokens_per_day: 50,000" in reply
        assert reply.endswith(
            "Eliza has used up its budget for this hour (1 of 1 calls) and lives by instinct until the hour is over."
        )


async def test_only_the_owner_may_see_it(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        for role in (Role.AGENT, Role.GUEST):
            step = home.type(home.enter("Ann"), "@cost", role)
            assert step.failed
            assert step.requests == ()


async def test_what_the_owner_is_told_is_in_plain_words(tmp_path: Path) -> None:
    async with house(tmp_path) as home:
        say = home.parts.texts.render
        eliza = Limit(Scope.AGENT_HOUR, "Eliza", "tokens", 20_000, 19_800)
        world = Limit(Scope.WORLD_HOUR, "", "calls", 100, 100)
        assert describe_notice(say, Notice(eliza, over=True)) == (
            "Eliza has used up its budget for this hour (19,800 of 20,000 tokens) and lives by instinct until the hour "
            "is over."
        )
        assert describe_notice(say, Notice(eliza, over=False)).startswith("Eliza may ask a language model again")
        assert describe_notice(say, Notice(world, over=True)).startswith(
            "The agents have used up their budget for this hour (100"
        )
        assert describe_notice(say, Notice(world, over=False)).startswith("The agents may ask language models again")
        assert describe_notice(say, Notice(eliza._replace(most=1_000, need=3_096), over=True)) == (
            "Eliza may spend 1,000 tokens an hour, and one call takes about 3,096: it lives by instinct until the "
            "limit is raised."
        )
        for scope, words in ((Scope.WORLD_HOUR, "100 calls an hour"), (Scope.WORLD_DAY, "100 calls a day")):
            assert words in describe_notice(say, Notice(world._replace(scope=scope, need=200), over=True))


async def test_it_shows_the_limits_of_single_agents_and_what_nobody_in_particular_spent(tmp_path: Path) -> None:
    put_own(copy_vault(tmp_path), "eliza", agent_calls_per_hour=7)
    async with house(tmp_path) as home:
        home.parts.queue.budget.spending.add("", Task.EMBEDDINGS, Amount(1, 12))
        reply = (await home.ask(home.enter("Ann"), "@cost")).reply
        assert "  agent_calls_per_hour (Eliza): 7" in reply
        assert [line.split()[:4] for line in reply.splitlines()][2] == ["-", "embeddings", "1", "12"]
