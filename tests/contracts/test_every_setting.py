"""Every setting does what it says: a test for each key, and tests that hold for all of them.

Those of models and of recall are in files of their own beside this one.
"""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from agents.agent import Agent
from agents.compaction.due import next_at
from agents.compaction.strategies import Strategy
from agents.compaction.summarizer import Summarizer
from agents.life.prompting import Related
from agents.llm.tokens import estimate
from agents.memory.entries import Hit
from agents.text.english import sentences
from mud.clock import VirtualClock
from mud.commands import Outcome
from mud.registry import load
from mud.server.app import App, Options
from mud.server.checks import FAMILIES, SCHEMAS
from mud.server.reloading import Reloading
from mud.server.requests import carry_out
from mud.server.wiring import Parts, RealClock, opened
from mud.storage.settings import Scalar, Setting, describe, fill, write_typed
from mud.world.events import Perception, Request
from mud.world.roles import Role
from tests.processes import loci
from tests.settings import every_key, parse_settings, proves, put, put_own, render_settings
from tests.vaults import SHIPPED, copy_vault, without_vectors

AT = "2026-01-01T00:00:00.000Z"
ELIZA = "#2001"
TOLD = (
    "stands by the Cistern, and Tamsin promised to light it.",
    "was sold to a bargeman named Corvin for 12 plums.",
    "never burns when the heron Margery sleeps in the Boathouse.",
    "hides the brass key of the Clock Stair under its foot.",
)
"""What there is to hear."""


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return copy_vault(tmp_path)


def live(agent: Agent, count: int) -> None:
    """Have an agent remember so many things heard, one step each."""
    for number in range(agent.memory.total + 1, agent.memory.total + count + 1):
        words = f'Moss says, "Lamp {number} {TOLD[number % len(TOLD)]}"'
        agent.memory.append([Perception(agent.id, "heard", words, "Moss", "The Garden")], AT, number)


def folded(vault: Path, count: int = 20) -> tuple[list[int], Agent]:
    """Return at how many memories Eliza's were folded, and Eliza."""
    with opened(vault, writable=True, clock=VirtualClock()) as parts:
        agent = parts.minds.get("Eliza")
        at = []
        for _ in range(count):
            live(agent, 1)
            at += [agent.memory.total for _ in agent.compactor.fold_due_now()]
        return at, agent


async def written_by_model(vault: Path, count: int = 20) -> tuple[Agent, int]:
    """Return Eliza after folds in which a model could be asked, and how many replies it gave."""
    with opened(vault, writable=True) as parts:
        agent = parts.minds.get("Eliza")
        live(agent, count)
        await agent.compactor.fold_due()
        await parts.queue.close(0)
        return agent, parts.queue.overview(["summarizer"])[0].totals.answered


async def show_config(parts: Parts, key: str) -> list[str]:
    answer = await carry_out(parts, Request("show_config", ELIZA, 1, {"key": key}), list)
    assert isinstance(answer, Outcome)
    return answer.reply.splitlines()


# -- what holds for all of them ---------------------------------------------------------------------------------------


def test_every_setting_has_a_test_that_proves_it() -> None:
    proven: list[str] = []
    for path in Path(__file__).parent.glob("test_every_setting*.py"):
        for names in re.findall(r"^@proves\(([^)]*)\)", path.read_text("utf-8"), re.M):
            proven += re.findall(r'"([^"]+)"', names)
    assert sorted(proven) == sorted(every_key())


DIFFERENT = {f"llm/{name}": {"temperature", "max_tokens", "stop", "timeout"} for name in ("summarizer", "dream")}
DIFFERENT["llm/embed"] = {"num_ctx"}
"""Settings whose shipped value is not the default, on purpose: summaries and dreams are longer than a command, and what
embeds reads less at once."""

FILES = [*SCHEMAS, *(f"{name}/{path.stem}" for name in FAMILIES for path in (SHIPPED / "config" / name).glob("*.md"))]


@pytest.mark.parametrize("name", FILES)
def test_a_shipped_config_file_shows_every_key_as_its_schema_says(name: str) -> None:
    schema = SCHEMAS.get(name) or FAMILIES[name.partition("/")[0]]
    text = (SHIPPED / "config" / f"{name}.md").read_text("utf-8")
    values, problems = parse_settings(text, schema, name)
    assert problems == []
    head = re.match(r"# (.+)\n\n((?:.|\n)*?)\n\n(?=\*\*)", text)
    assert head is not None
    assert text.rstrip() == render_settings(head[1], head[2], fill(schema, values)).rstrip()
    differs = {one.key for one in describe(schema) if values[one.key].value != one.default}
    assert differs == DIFFERENT.get(name, set())


PER_AGENT = [(name, one) for name, schema in SCHEMAS.items() for one in describe(schema) if one.per_agent]


def others(setting: Setting) -> tuple[Scalar, Scalar]:
    """Return two values of a setting that differ from its default and each other, as far as it has as many."""
    if setting.choices:
        found = [choice for choice in setting.choices if choice != setting.default]
        return (found or [setting.default])[0], setting.default
    match setting.default:
        case bool(value):
            return not value, value
        case int(value):
            return value + 1, value + 2
        case float(value):
            return value / 2, value / 4
        case tuple():
            return ("one",), ("two",)
    return "think" if setting.default != "think" else "dream", "other"


@pytest.mark.parametrize(("name", "setting"), PER_AGENT, ids=[one.key for _, one in PER_AGENT])
async def test_an_agent_overrides_the_file_and_the_file_the_default(vault: Path, name: str, setting: Setting) -> None:
    theirs, own = others(setting)
    for path in vault.glob("agents/*/agent.md"):  # shipped agents have some of their own
        path.write_text(re.sub(rf"^{setting.key}: .*\n", "", path.read_text("utf-8"), flags=re.M), "utf-8")
    put(vault, name, **{setting.key: theirs})
    put_own(vault, "eliza", **{setting.key: own})
    with opened(vault, writable=False, clock=VirtualClock()) as parts:
        eliza, moss = (parts.minds.definitions[slug] for slug in ("eliza", "moss"))
        for definition, value in ((eliza, own), (moss, theirs)):
            settings: object = parts.configuration.for_agent(SCHEMAS[name], definition.overrides)
            assert getattr(settings, setting.key) == value
        explained = parts.configuration.explain(setting.key, eliza.overrides)
        assert [value for value, _ in explained] == [own, theirs, setting.default]
        shown = await show_config(parts, setting.key)
    assert [origin.rpartition(":")[0] for _, origin in explained[:2]] == ["agents/eliza/agent.md", f"config/{name}.md"]
    assert shown[0].startswith(f"{name}.{setting.key}: ")
    assert shown[0].endswith(f"(from {explained[1][1]})")
    assert shown[1].startswith(setting.help.rstrip("."))
    assert shown[2] == f"instead of {write_typed(setting.default)} (from default)"
    assert shown[3:] == [f"Eliza has {write_typed(own)} (from {explained[0][1]})"]


async def test_the_owner_sees_a_models_settings_explained_too(vault: Path) -> None:
    with opened(vault, writable=False, clock=VirtualClock()) as parts:
        shown = await show_config(parts, "llm/summarizer.max_tokens")
        every = await show_config(parts, "")
    assert shown[0].startswith("llm/summarizer.max_tokens: 600 (from config/llm/summarizer.md:")
    assert shown[1:] == [
        "How long a reply may become, in tokens: a whole number from 1 to 65536.",
        "instead of 96 (from default)",
    ]
    files = len(list((vault / "config/llm").glob("*.md")))
    own = [line for line in every if " has " in line]
    assert [line.partition(" ")[0] for line in own] == ["Corvin", "Eliza", "Moss", "Tamsin"]  # think_interval
    assert len(every) - len(own) == sum(len(describe(schema)) for schema in SCHEMAS.values()) + files * len(
        describe(FAMILIES["llm"])
    )


def test_a_setting_that_holds_for_everybody_is_refused_in_an_agents_file(vault: Path) -> None:
    put_own(vault, "eliza", line_limit=100)
    with opened(vault, writable=False, clock=VirtualClock()) as parts:
        (problem,) = parts.problems
    assert (problem.file, problem.key) == ("agents/eliza/agent.md", "line_limit")
    assert "config/world.md only" in problem.message


@pytest.mark.parametrize(
    ("name", "key", "value", "near"),
    [("world", "start_location", "The Gardn", "The Garden"), ("memory_compaction", "profile", "thinc", "think")],
)
def test_a_setting_that_names_what_there_is_not_is_told(
    vault: Path, name: str, key: str, value: str, near: str
) -> None:
    put(vault, name, **{key: value})
    with opened(vault, writable=False, clock=VirtualClock()) as parts:
        (problem,) = parts.problems
    assert str(problem).startswith(f"config/{name}.md:")
    assert problem.key == key
    assert problem.message.endswith(f"did you mean {near}?")


@pytest.mark.parametrize(("key", "value", "near"), [("brain", "langauge", "language"), ("type", "persom", "person")])
def test_an_agent_has_a_brain_and_a_type_that_there_is(vault: Path, key: str, value: str, near: str) -> None:
    put_own(vault, "eliza", **{key: value})
    with opened(vault, writable=False, clock=VirtualClock()) as parts:
        (problem,) = parts.problems
    assert (problem.file, problem.key) == ("agents/eliza/agent.md", key)
    assert problem.message.endswith(f"did you mean {near}?")


# -- world ------------------------------------------------------------------------------------------------------------


@proves("world.start_location")
def test_a_new_person_arrives_at_the_start_location(vault: Path) -> None:
    put(vault, "world", start_location="The Library")
    done = loci("run", "--vault", without_vectors(vault), "--no-agents", stdin="quit\n")
    assert done.stdout.startswith("The Library\n")


@proves("world.line_limit")
def test_a_line_longer_than_the_limit_is_refused(vault: Path) -> None:
    line = "say " + "a" * 100
    with opened(vault, writable=True, clock=VirtualClock()) as parts:
        assert not parts.engine.step(ELIZA, line, Role.OWNER).failed
    put(vault, "world", line_limit=80)
    with opened(vault, writable=True, clock=VirtualClock()) as parts:
        assert parts.engine.step(ELIZA, line, Role.OWNER).failed


class ListeningClock(RealClock):
    """The machine's clock, which keeps what it was asked to wait, and stops a world at a given wait."""

    def __init__(self, until: float) -> None:
        self.until = until
        self.heard = asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        if seconds == self.until:
            self.heard.set()
        await super().sleep(seconds)


@proves("world.state_interval")
async def test_the_state_is_saved_at_the_interval(vault: Path) -> None:
    put(vault, "world", state_interval=77.5)
    put(vault, "recall", embedder="none")
    clock = ListeningClock(77.5)
    with opened(vault, writable=True, clock=clock) as parts:
        options = Options(vault, headless=True, agents=False)
        world = asyncio.create_task(App(parts, options, "Ann").live())
        await asyncio.wait_for(clock.heard.wait(), 30)
        world.cancel()
        await asyncio.gather(world, return_exceptions=True)


@proves("world.day_hours")
def test_a_day_of_the_world_has_its_own_length(vault: Path) -> None:
    put(vault, "world", day_hours=2.0)
    clock = VirtualClock()
    with opened(vault, writable=True, clock=clock) as parts:
        seen = []
        for _ in range(24):
            parts.engine.elapse()
            seen.append(parts.engine.world.live.now["time"])
            clock.advance(300)
    assert set(seen) == {"night", "morning", "afternoon", "evening"}
    assert seen.count("morning") == 6


@proves("world.weather", "world.weather_hours")
def test_the_weather_is_one_of_the_kinds_and_changes_after_its_hours(vault: Path) -> None:
    put(vault, "world", weather="clear 2, rainy", weather_hours=1.0)
    clock = VirtualClock()
    with opened(vault, writable=True, clock=clock) as parts:
        seen = []
        for _ in range(96):
            parts.engine.elapse()
            seen.append(parts.engine.world.live.now["weather"])
            clock.advance(1800)
        told = parts.engine.step(ELIZA, "look", Role.OWNER).reply
    assert set(seen) == {"clear", "rainy"}
    assert all(one == other for one, other in zip(seen[::2], seen[1::2], strict=True))
    assert f"It is {seen[-1]}." in told


# -- thinking ---------------------------------------------------------------------------------------------------------


@proves("thinking.prompt_order")
@pytest.mark.parametrize(("order", "notes_come_last"), [("stable", True), ("classic", False)])
def test_the_prompt_has_the_order_that_is_set(vault: Path, order: str, notes_come_last: bool) -> None:
    put(vault, "thinking", prompt_order=order)
    with opened(vault, writable=True, clock=VirtualClock()) as parts:
        agent = parts.minds.get("Eliza")
        live(agent, 1)
        related = Related(notes=(Hit("note", "The kettle is cracked.", 1.0, title="Kettle"),))
        text = parts.prompting.build(agent, related).text
    assert (text.index("kettle is cracked") > text.index("Lamp 1 was sold")) is notes_come_last


# -- memory compaction ------------------------------------------------------------------------------------------------


def windows(vault: Path, immediate: int, recent: int) -> None:
    put(vault, "memory_compaction", immediate_window=immediate, recent_window=recent)


def scripted(vault: Path, name: str, text: str) -> None:
    """Have a model that always says a text stand behind an LLM profile."""
    put(vault, f"llm/{name}", backend="scripted", model=text)


SAID = "I heard Moss tell me of a lamp by the Cistern, and of one sold to a bargeman named Corvin for 12 plums."


@proves("memory_compaction.immediate_window")
@pytest.mark.parametrize(("window", "at"), [(2, [7, 11, 15, 19]), (6, [11, 15, 19])])
def test_the_immediate_window_stays_word_for_word(vault: Path, window: int, at: list[int]) -> None:
    windows(vault, window, 4)
    folds, agent = folded(vault)
    assert folds == at
    assert len(agent.memory.tail) >= window


@proves("memory_compaction.recent_window")
@pytest.mark.parametrize(("window", "covers"), [(4, (14, 17)), (8, (10, 17))])
def test_a_fold_takes_the_recent_window(vault: Path, window: int, covers: tuple[int, int]) -> None:
    windows(vault, 2, window)
    _, agent = folded(vault)
    assert agent.memory.recent is not None
    assert agent.memory.recent.covers == covers


@proves("memory_compaction.auto_enabled")
def test_without_auto_nothing_is_folded_by_itself(vault: Path) -> None:
    windows(vault, 2, 4)
    put(vault, "memory_compaction", auto_enabled=False)
    folds, agent = folded(vault)
    assert folds == []
    assert next_at(agent.compactor.view) is None


@proves("memory_compaction.strategy")
def test_the_strategy_is_one_that_there_is(vault: Path) -> None:
    (setting,) = [one for _, one in PER_AGENT if one.key == "strategy"]
    assert list(setting.choices) == load("agents.compaction.strategies", Strategy, "strategy").names()
    windows(vault, 2, 4)
    for name in setting.choices:
        put(vault, "memory_compaction", strategy=name)
        folds, agent = folded(vault)
        assert not folds or name in {one.strategy for one in (agent.memory.longterm, agent.memory.recent) if one}
        assert agent.memory.warnings == []
    put(vault, "memory_compaction", strategy="waterfal")
    with opened(vault, writable=False, clock=VirtualClock()) as parts:
        assert [(one.file, one.key) for one in parts.problems] == [("config/memory_compaction.md", "strategy")]


@proves("memory_compaction.summarizer")
@pytest.mark.parametrize("name", ["model", "extractive"])
async def test_who_writes_summaries_is_chosen(vault: Path, name: str) -> None:
    (setting,) = [one for _, one in PER_AGENT if one.key == "summarizer"]
    assert list(setting.choices) == load("agents.compaction.summarizers", Summarizer, "summarizer").names()
    windows(vault, 2, 4)
    scripted(vault, "summarizer", SAID)
    put(vault, "memory_compaction", summarizer=name)
    agent, _ = await written_by_model(vault, 8)
    assert agent.memory.recent is not None
    assert agent.memory.recent.method == name


@proves("memory_compaction.profile")
@pytest.mark.parametrize("profile", ["summarizer", "think"])
async def test_the_profile_says_which_model_writes(vault: Path, profile: str) -> None:
    windows(vault, 2, 4)
    scripted(vault, "summarizer", SAID)
    scripted(vault, "think", f"{SAID} Tamsin promised to light it.")
    put(vault, "memory_compaction", profile=profile)
    agent, _ = await written_by_model(vault, 8)
    assert agent.memory.recent is not None
    assert ("Tamsin" in agent.memory.recent.text) is (profile == "think")


@proves("memory_compaction.max_recent_sentences")
@pytest.mark.parametrize("most", [1, 3])
def test_a_recent_summary_has_no_more_sentences_than_set(vault: Path, most: int) -> None:
    put(vault, "memory_compaction", max_recent_sentences=most)
    _, agent = folded(vault, 129)
    assert agent.memory.recent is not None
    assert len(sentences(agent.memory.recent.text)) == most


@proves("memory_compaction.max_summary_tokens")
def test_a_summary_takes_no_more_tokens_than_set(vault: Path) -> None:
    put(vault, "memory_compaction", max_summary_tokens=40)
    _, agent = folded(vault, 129)
    assert agent.memory.recent is not None
    short = agent.memory.recent.text
    assert estimate(short) <= 40
    with opened(copy_vault(vault.parent / "other"), writable=True, clock=VirtualClock()) as parts:
        other = parts.minds.get("Eliza")
        live(other, 129)
        other.compactor.fold_due_now()
    assert other.memory.recent is not None
    assert estimate(other.memory.recent.text) > 40


@proves("memory_compaction.least_retention")
@pytest.mark.parametrize(("least", "method"), [(1.0, "extractive"), (0.0, "model")])
async def test_a_reply_that_keeps_less_than_is_set_is_not_taken(vault: Path, least: float, method: str) -> None:
    windows(vault, 2, 4)
    scripted(vault, "summarizer", "I heard Moss tell me of a lamp by the Cistern.")
    put(vault, "memory_compaction", least_retention=least)
    agent, _ = await written_by_model(vault, 8)
    assert agent.memory.recent is not None
    assert agent.memory.recent.method == method


@proves("memory_compaction.max_source_tokens")
@pytest.mark.parametrize(("most", "calls"), [(200, 2), (5000, 1)])
async def test_more_memories_than_fit_are_summarized_in_parts(vault: Path, most: int, calls: int) -> None:
    windows(vault, 2, 8)
    scripted(vault, "summarizer", SAID)
    put(vault, "memory_compaction", max_source_tokens=most)
    agent, answered = await written_by_model(vault, 12)
    assert agent.memory.recent is not None
    assert agent.memory.recent.method == "model"
    assert (answered > 1) is (calls > 1)


@proves("vault.follow_links")
async def test_links_out_of_the_vault_are_followed_from_the_moment_that_it_is_set(tmp_path: Path, vault: Path) -> None:
    (tmp_path / "wiki").mkdir()
    (tmp_path / "wiki/lamp.md").write_text("# Lamp\n\nThe lamp burns plum oil.\n")
    bell = '---\nid: "#1999"\ntype: item\nlocation: "[[The Garden]]"\n---\n# Bell\n\nIt rings.\n'
    (tmp_path / "wiki/bell.md").write_text(bell)
    notes = vault / "agents/eliza/notes"
    notes.mkdir()
    (notes / "lamp.md").symlink_to(tmp_path / "wiki/lamp.md")
    (vault / "world/items/bell.md").symlink_to(tmp_path / "wiki/bell.md")
    with opened(vault, writable=True, clock=VirtualClock()) as parts:
        eliza, reloading = parts.minds.get("Eliza"), Reloading(parts, lambda text: None)
        assert (eliza.notes.all(), parts.engine.world.get("#1999")) == ([], None)
        for follow in (True, False):
            put(vault, "vault", follow_links=follow)
            reloading.changed(frozenset({vault / "config/vault.md"}))
            assert [note.title for note in eliza.notes.all()] == (["Lamp"] if follow else [])
        assert parts.engine.world.get("#1999") is not None  # what is in the world stays there
