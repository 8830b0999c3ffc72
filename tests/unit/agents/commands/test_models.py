from __future__ import annotations

import asyncio
from pathlib import Path

from agents.commands.models import describe_notice
from agents.compaction.status import report
from agents.llm.queue import Task, Urgency
from agents.llm.spending import Amount, Limit, Notice, Scope
from mud.world.roles import Role
from tests.houses import House, house
from tests.settings import put, put_own
from tests.unit.agents.llm.stage import HandClock, settle
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


async def status(home: House, role: Role = Role.OWNER) -> list[str]:
    ann = home.minds.find("Ann") or home.enter("Ann")
    return (await home.ask(ann, "@llm-status", role)).reply.splitlines()


async def test_it_shows_profiles_hosts_models_and_how_their_calls_ended(tmp_path: Path) -> None:
    put(copy_vault(tmp_path), "llm/think", backend="scripted", model="look")
    async with house(tmp_path, HandClock()) as home:
        title, columns, dream, _, *lines = await status(home)
        assert dream.split()[0] == "dream"
        assert title == "How the language models are doing (times are those of UTC):"
        assert [one.split()[0] for one in lines] == ["summarizer", "http://127.0.0.1:8080", "think", "the"]
        assert "never asked" in lines[1]
        assert "never asked" in lines[3]
        assert lines[0].split()[1:] == lines[2].split()[1:] == ["0", "0", "0", "0", "0", "0", "-"]
        assert len(columns) == len(lines[0]) == len(lines[2])
        for owner in ("Eliza", "Moss"):
            await home.parts.queue.ask(lambda: "~>", "think", Urgency.THINK, owner)
        await settle()
        *_, think, host = await status(home)
        assert think.split()[1:] == ["0", "0", "2", "2", "0", "0", "0.0", "s"]
        assert "answers since 00:00:00" in host


async def test_a_host_that_is_down_is_told_with_its_times_and_its_trouble(tmp_path: Path) -> None:
    put(copy_vault(tmp_path), "llm/think", host="http://127.0.0.1:9, http://127.0.0.1:10", model="small")
    async with house(tmp_path, HandClock()) as home:
        await asyncio.gather(
            home.parts.queue.ask(lambda: "~>", "think", Urgency.THINK, "Eliza"), return_exceptions=True
        )
        lines = (await status(home))[6:]
        assert lines[0].split()[3:7] == ["1", "0", "1", "0"]
        assert lines[1] == "    http://127.0.0.1:9   small  down since 00:00:00 until 00:00:05  (0 under way)"
        assert lines[2] == "      last trouble: nothing answers at http://127.0.0.1:9/v1"
        assert lines[3].startswith("    http://127.0.0.1:10  small  down since")


async def test_others_than_the_owner_see_states_but_neither_addresses_nor_errors(tmp_path: Path) -> None:
    put(copy_vault(tmp_path), "llm/think", host="http://127.0.0.1:9", model="small")
    async with house(tmp_path, HandClock()) as home:
        await asyncio.gather(
            home.parts.queue.ask(lambda: "~>", "think", Urgency.THINK, "Eliza"), return_exceptions=True
        )
        for role in (Role.GUEST,):
            told = "\n".join(await status(home, role))
            assert "down since 00:00:00 until 00:00:05" in told
            assert "127.0.0.1" not in told
            assert "small" not in told


async def test_a_backend_that_does_not_exist_is_told(tmp_path: Path) -> None:
    async with house(tmp_path, HandClock()) as home:
        assert home.minds.means.models is not None
        (view,) = home.minds.means.models.overview(["nobody"])
        assert (view.hosts, view.totals.asked) == ([], 0)


async def test_the_server_that_embeds_is_told_of_when_there_is_one(tmp_path: Path) -> None:
    put(copy_vault(tmp_path), "recall", embedder="openai_compatible")
    put(tmp_path / "vault", "llm/embed", host="http://127.0.0.1:9")
    async with house(tmp_path) as home:
        ann = home.enter("Ann")
        told = (await home.ask(ann, "@llm-status")).reply
        assert "vectors for recall are made by the server of http://127.0.0.1:9" in told
        assert "127.0.0.1:9" not in (await home.ask(ann, "@llm-status", Role.GUEST)).reply
        await home.parts.recall.start()
        await home.parts.recall.complete()
        told = (await home.ask(ann, "@llm-status")).reply
        assert told.endswith("not made now; words go on\n      last trouble: nothing answers at http://127.0.0.1:9/v1")
        assert "nothing answers at http://127.0.0.1:9/v1" in report(home.minds.status(home.agent("Eliza")))
        guests = (await home.ask(ann, "@llm-status", Role.GUEST)).reply
        assert guests.endswith("not made now; words go on")
