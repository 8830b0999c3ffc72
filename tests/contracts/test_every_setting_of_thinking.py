"""Which model thinks, summarizes and dreams, how often and in which words, for all and for one: each key acts."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from agents.agent import Agent
from agents.life.scheduler import Scheduler, SchedulerConfig
from agents.mind.settings import SELF_CHANGES
from mud.clock import VirtualClock
from mud.server.requests import carry_out
from mud.server.wiring import load_brains, load_commands, opened
from mud.world.events import Perception, Request
from mud.world.roles import Role
from tests.houses import House, house
from tests.settings import proves, put, put_own
from tests.unit.agents.llm.stage import HandClock, settle
from tests.unit.mud.server.stage import edited
from tests.vaults import SHIPPED, copy_vault, without_vectors

OTHER = "instead"
"""An LLM profile of one's own."""
AS_SHIPPED = {
    *(
        "take",
        "drop",
        "put",
        "give",
        "use",
        "open",
        "light",
        "read",
        "go",
        "help",
        "look",
        "examine",
        "sleep",
        "wake",
        "say",
        "whisper",
        "emote",
    ),
    *("think", "dream"),
    *("note", "@overwrite-note", "notes", "recall"),
}
"""The commands that an agent is offered as long as nobody sets anything else."""
OWN_WORDS = (
    "You are terse.\n" + (SHIPPED / "prompts/think.md").read_text("utf-8").partition("---\n")[2].partition("---\n")[2]
)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return without_vectors(copy_vault(tmp_path))


def scripted(vault: Path, name: str, text: str, **more: int) -> None:
    """Have a model that always says a text stand behind an LLM profile, made when there is none."""
    path = vault / "config/llm" / f"{name}.md"
    if not path.exists():
        path.write_text((vault / "config/llm/think.md").read_text("utf-8"), "utf-8")
    put(vault, f"llm/{name}", backend="scripted", model=text, **more)


def set_for(vault: Path, who: str, file: str, key: str, value: str | float) -> None:
    """Set a key for everybody, in its file, or for Eliza alone."""
    if who == "everybody":
        put(vault, file, **{key: value})
    else:
        put_own(vault, "eliza", **{key: value})


WHO = pytest.mark.parametrize("who", ["everybody", "Eliza"])


def living(home: House) -> Scheduler:
    """Return agents that ask the vault's own models."""
    parts = home.parts
    drives = SchedulerConfig(load_brains, parts.voice, parts.queue, parts.prompting, Random(1), parts.clock)
    return Scheduler(home.minds, home.engine, drives, lambda step: None)


async def said(home: House, *names: str) -> dict[str, str | None]:
    """Return what each of some agents does at its next turn, once it is known which models answer."""
    agents, drives = [home.agent(name) for name in names], living(home)
    watch = asyncio.ensure_future(drives.watch_models(lambda name, answers: None))
    await settle()
    watch.cancel()
    await asyncio.gather(watch, return_exceptions=True)
    found = {}
    for agent in agents:
        drives.begin(agent)
        step = await drives.act(agent, waiting=False)
        assert agent.thinker is not None
        assert agent.thinker.last is not None
        language = agent.thinker.last.brain == "language"
        found[agent.name] = step.line if step is not None and language else None
    return found


@proves("thinking.think_profile")
@WHO
async def test_the_profile_says_which_model_thinks(tmp_path: Path, vault: Path, who: str) -> None:
    scripted(vault, "think", "think of pears")
    scripted(vault, OTHER, "think of plums")
    set_for(vault, who, "thinking", "think_profile", OTHER)
    async with house(tmp_path, HandClock()) as home:
        moss = "think of plums" if who == "everybody" else "think of pears"
        assert await said(home, "Eliza", "Moss") == {"Eliza": "think of plums", "Moss": moss}


async def test_prompts_views_and_counts_go_by_the_window_of_the_agents_own_profile(tmp_path: Path, vault: Path) -> None:
    scripted(vault, OTHER, "think of plums", num_ctx=2048, max_tokens=64)
    put_own(vault, "eliza", think_profile=OTHER)
    async with house(tmp_path) as home:
        windows = {}
        for name in ("Eliza", "Moss"):
            agent = home.agent(name)
            prompt = await home.parts.prompting.next_prompt(agent)
            windows[name] = (prompt.window, prompt.reserve, agent.compactor.view.state().window)
        assert windows == {"Eliza": (2048, 64, 2048), "Moss": (8192, 96, 8192)}
        counted = {}
        for name in ("Eliza", "Moss"):  # there is no server behind the profile of the others
            agent = home.agent(name)
            agent.memory.append_raw([{"text": f"The {number}. pear fell."} for number in range(90)])
            await agent.measure()
            counted[name] = agent.counter.total(["The pears are ripe."])[1]
    assert counted["Eliza"].endswith("set right by the model's server")
    assert "server" not in counted["Moss"]


async def test_a_profile_that_is_not_there_is_told_and_its_agent_lives_by_instinct(tmp_path: Path, vault: Path) -> None:
    scripted(vault, "think", "think of pears")
    put_own(vault, "eliza", think_profile="thinc")
    async with house(tmp_path, HandClock()) as home:
        (problem,) = home.parts.problems
        assert re.match(r"agents/eliza/agent\.md:\d+: think_profile: there is no 'thinc'", str(problem))
        assert "lives by instinct" in problem.message
        assert problem.message.endswith("did you mean think?")
        assert await said(home, "Eliza", "Moss") == {"Eliza": None, "Moss": "think of pears"}
        assert (await home.parts.prompting.next_prompt(home.agent("Eliza"))).window == 8192


@WHO
@pytest.mark.parametrize("key", ["profile", "summarizer_profile"])
async def test_the_summarizers_profile_has_two_names_in_files_of_all_and_of_one(
    vault: Path, who: str, key: str
) -> None:
    path = vault / "config/memory_compaction.md"
    if who == "everybody":
        text = path.read_text("utf-8").replace("**profile**: summarizer", f"**{key}**: {OTHER}")
        path.write_text(text, "utf-8")
    else:
        put_own(vault, "eliza", **{key: OTHER})
    put(vault, "memory_compaction", immediate_window=2, recent_window=4)
    scripted(vault, "summarizer", "I heard of a lamp in the Library.")
    scripted(vault, OTHER, "I heard of a lamp in the Garden.")
    with opened(vault, writable=True) as parts:
        told = {}
        for name in ("Eliza", "Moss"):
            agent = parts.minds.get(name)
            for number in range(1, 9):
                words = f'Ann says, "Lamp {number} is in the Garden, not in the Library."'
                agent.memory.append([Perception(agent.id, "heard", words, "Ann", "The Garden")], "", number)
            await agent.compactor.fold_due()
            assert agent.memory.recent is not None
            told[name] = agent.memory.recent.text
        await parts.queue.close(0)
        shown = await carry_out(parts, Request("show_config", "#2001", 1, {"key": "summarizer_profile"}), list)
        file = "config/memory_compaction.md" if who == "everybody" else "agents/eliza/agent.md"
        assert re.search(rf"{OTHER} \(from {file}:\d+\)", str(shown))
    assert "Garden" in told["Eliza"]
    assert ("Garden" in told["Moss"]) is (who == "everybody")


def test_one_setting_under_both_its_names_is_set_twice(vault: Path) -> None:
    path = vault / "config/memory_compaction.md"
    path.write_text(path.read_text("utf-8") + f"\n**summarizer_profile**: {OTHER}\n", "utf-8")
    with opened(vault, writable=False) as parts:
        (problem,) = [one for one in parts.problems if one.key == "summarizer_profile"]
    assert problem.message.startswith("set twice; expected once (first in line ")


@WHO
@pytest.mark.parametrize("key", ["profile", "summarizer_profile"])
def test_a_profile_that_is_not_there_is_told_by_the_name_that_was_written(vault: Path, who: str, key: str) -> None:
    file = "config/memory_compaction.md" if who == "everybody" else "agents/eliza/agent.md"
    path = vault / file
    if who == "everybody":
        path.write_text(path.read_text("utf-8").replace("**profile**: summarizer", f"**{key}**: nobody"), "utf-8")
    else:
        put_own(vault, "eliza", **{key: "nobody"})
    line = next(number for number, one in enumerate(path.read_text("utf-8").splitlines(), 1) if "nobody" in one)
    with opened(vault, writable=False) as parts:
        (problem,) = [str(one) for one in parts.problems if "'nobody'" in one.message]
    assert problem.startswith(f"{file}:{line}: {key}: there is no 'nobody'")


@proves("inner_life.dream_profile")
@WHO
async def test_the_profile_says_which_model_dreams(tmp_path: Path, vault: Path, who: str) -> None:
    for name, dream in (("dream", "pears"), (OTHER, "plums")):
        scripted(vault, name, f"I was in the Garden, and Moss gave me {dream} until I woke.")
    set_for(vault, who, "inner_life", "dream_profile", OTHER)
    async with house(tmp_path) as home:
        dreamt = {}
        for agent in (home.agent("Eliza"), home.agent("Moss")):
            dreamt[agent.name] = await dream_of(home, agent)
    assert "plums" in dreamt["Eliza"]
    assert ("plums" in dreamt["Moss"]) is (who == "everybody")


async def dream_of(home: House, agent: Agent) -> str:
    """Have an agent live a little and sleep; return its dream."""
    lines = ("I mend clocks in the Garden.", "I will bake a cake.", "I live in the mill.", "Plums and pears are ripe.")
    told = [Perception(agent.id, "heard", f'Ann says, "{words}"', "Ann", "The Garden") for words in lines]
    agent.memory.append(told, "2026-01-01T00:00:00.000Z", home.engine.number)
    home.type(agent, "sleep", Role.AGENT)
    home.minds.inner.asleep(agent, home.engine)
    await home.minds.inner.settle()
    return next(one.text for one in agent.memory.read(1, agent.memory.total) if one.kind == "dream")


@proves("thinking.think_interval")
@WHO
async def test_an_agent_thinks_as_often_as_is_set(tmp_path: Path, vault: Path, who: str) -> None:
    for path in vault.glob("agents/*/agent.md"):
        path.write_text(re.sub(r"^think_interval: .*\n", "", path.read_text("utf-8"), flags=re.M), "utf-8")
    put(vault, "thinking", coarse_interval=0.0)  # nobody watches
    set_for(vault, who, "thinking", "think_interval", 100)
    clock = HandClock()
    async with house(tmp_path, clock) as home:
        drives, pauses = home.living(override="instinct"), {}
        for name in ("Eliza", "Moss"):
            agent = home.agent(name)
            drives.begin(agent)
            while drives.due is not None and drives.due - clock.monotonic() < 60:
                clock.advance(max(0.0, drives.due - clock.monotonic()))
                await drives.take_turn()
                pauses[name] = (drives.due or 0.0) - clock.monotonic()
                if pauses[name] < 60:
                    break
            drives.drop(agent)
    assert 70 <= pauses["Eliza"] <= 800  # of its own accord it lets some intervals pass
    assert (pauses["Moss"] > 60) is (who == "everybody")


@proves("thinking.coarse_interval")
@WHO
async def test_whom_nobody_perceives_takes_as_few_turns_as_is_set(tmp_path: Path, vault: Path, who: str) -> None:
    put(vault, "thinking", coarse_interval=0.0, coarse_from=0)
    set_for(vault, who, "thinking", "coarse_interval", 600.0)
    coarse, exact = await turns_of(tmp_path, exact=False), await turns_of(tmp_path, exact=True)
    assert 3 * coarse["Eliza"] < exact["Eliza"]
    assert (3 * coarse["Moss"] < exact["Moss"]) is (who == "everybody")


@proves("thinking.coarse_from")
async def test_in_a_small_world_everybody_lives_turn_by_turn(tmp_path: Path, vault: Path) -> None:
    put(vault, "thinking", coarse_interval=600.0, coarse_from=len(list(vault.glob("agents/*/agent.md"))))
    coarse = await turns_of(tmp_path, exact=False)
    put(vault, "thinking", coarse_from=1_000)
    assert 3 * coarse["Moss"] < (await turns_of(tmp_path, exact=False))["Moss"]


async def turns_of(folder: Path, *, exact: bool) -> Counter[str]:
    """Return how many lines each agent submits in an hour without a person."""
    clock = VirtualClock()
    async with house(folder, clock) as home:
        drives = home.living(override="instinct", exact=exact)
        end = clock.monotonic() + 3600.0
        for name in ("Eliza", "Moss"):
            drives.begin(home.agent(name))
        while drives.due is not None and drives.due < end:
            clock.advance(max(0.0, drives.due - clock.monotonic()))
            await drives.take_turn()
        return Counter(home.engine.world.things[step.who].name for step in home.submitted)


async def test_an_interval_for_all_is_taken_up_while_the_world_runs_and_a_wrong_one_is_not(
    tmp_path: Path,
) -> None:
    async with edited(tmp_path) as on:
        eliza = on.home.agent("Eliza")
        on.replace("agents/eliza/agent.md", "think_interval: 8\n", "")
        on.replace("config/thinking.md", "**think_interval**: 8.0", "**think_interval**: 90")
        assert eliza.thinking().think_interval == 90
        on.replace("config/thinking.md", "**think_interval**: 90", "**think_interval**: 0")
        assert eliza.thinking().think_interval == 90
        assert any("think_interval" in one for one in on.told)


@proves("thinking.hot_minds")
async def test_only_so_many_minds_keep_their_memories_in_ram(tmp_path: Path, vault: Path) -> None:
    put(vault, "thinking", hot_minds=2)
    async with house(tmp_path) as home:

        def hot() -> set[str]:
            return {agent.name for agent in home.minds.in_use() if not agent.memory.cold}

        for name in ("Eliza", "Moss", "Corvin", "Tamsin"):
            home.agent(name).memory.newest(5)
        assert hot() == {"Corvin", "Tamsin"}
        home.agent("Eliza").memory.newest(5)
        assert hot() == {"Eliza", "Tamsin"}


@proves("thinking.template")
@WHO
async def test_the_template_that_is_set_words_the_prompt(tmp_path: Path, vault: Path, who: str) -> None:
    (vault / "prompts/terse.md").write_text(OWN_WORDS, "utf-8")
    set_for(vault, who, "thinking", "template", "prompts/terse.md")
    async with house(tmp_path) as home:
        assert home.parts.problems == []
        texts = {name: (await home.parts.prompting.next_prompt(home.agent(name))).text for name in ("Eliza", "Moss")}
    assert texts["Eliza"].startswith("You are terse.\n")
    assert texts["Moss"].startswith("You are terse.\n") is (who == "everybody")


async def test_an_agents_template_is_edited_while_the_world_runs_and_broken_it_costs_nobody_else_anything(
    tmp_path: Path,
) -> None:
    async with edited(tmp_path) as on:

        async def beginning(name: str) -> str:
            return (await on.home.parts.prompting.next_prompt(on.home.agent(name))).text.partition("\n")[0]

        usual = await beginning("Eliza")
        on.write("prompts/terse.md", OWN_WORDS)
        on.replace("agents/eliza/agent.md", "type: agent", "type: agent\ntemplate: prompts/terse.md")
        assert (await beginning("Eliza"), on.told) == ("You are terse.", [])
        on.write("prompts/terse.md", OWN_WORDS.replace("terse", "brief"))
        assert await beginning("Eliza") == "You are brief."
        on.write("prompts/terse.md", OWN_WORDS.replace("{transcript}", "{transkript}"))
        assert await beginning("Eliza") == "You are brief."
        assert any("prompts/terse.md:" in one and "did you mean transcript?" in one for one in on.told)
        on.replace("agents/eliza/agent.md", "prompts/terse.md", "prompts/ters.md")
        assert any(
            "there is no 'prompts/ters.md'" in one and "did you mean prompts/terse.md?" in one for one in on.told
        )
        assert await beginning("Eliza") == usual
        assert (await beginning("Moss")).startswith("You are Moss.")


@pytest.mark.parametrize("value", ["terse", "prompts/../config/world.md", "config/world.md", "prompts/.hidden.md"])
async def test_a_template_that_is_none_of_the_vaults_is_told_with_its_line_and_is_not_used(
    tmp_path: Path, vault: Path, value: str
) -> None:
    put(vault, "thinking", template=value)
    async with house(tmp_path) as home:
        (problem,) = home.parts.problems
        assert (problem.file, problem.key) == ("config/thinking.md", "template")
        assert problem.line > 0
        assert problem.message.startswith(f"there is no {value!r}; expected one of prompts/think.md, prompts/think_cl")
        assert (await home.parts.prompting.next_prompt(home.agent("Eliza"))).text.startswith("You are Eliza.")


@proves("thinking.self_changes")
@WHO
@pytest.mark.parametrize("may", SELF_CHANGES)
async def test_the_prompt_offers_exactly_what_may_be_typed(tmp_path: Path, vault: Path, may: str, who: str) -> None:
    set_for(vault, who, "thinking", "self_changes", may)
    own = {"@set-profile", "@set-description", "@set-goal"} if may == "all" else set()
    wanted = (AS_SHIPPED - ({"note", "@overwrite-note"} if may == "off" else set())) | own
    async with house(tmp_path) as home:
        assert await offered_to(home, "Eliza") == wanted
        assert await offered_to(home, "Moss") == (wanted if who == "everybody" else AS_SHIPPED)
        for one in load_commands():
            failed = home.type(home.agent("Eliza"), one.name, Role.AGENT).reply.startswith("There is no command")
            assert failed == (one.name not in wanted), one.name


async def offered_to(home: House, name: str) -> set[str]:
    """Return the names of the commands that stand in an agent's prompt."""
    prompt = await home.parts.prompting.next_prompt(home.agent(name))
    listed = prompt.text.partition("BASIC COMMANDS:\n")[2].partition("\n\n")[0]
    return {line.removeprefix("- ").split()[0].rstrip(":") for line in listed.splitlines()}
