"""No prompt leaves out a memory that no summary holds: every strategy and preset, any window, any line, any script."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from agents.agent import Agent
from agents.compaction.settings import PRESETS, CompactionSettings
from agents.life.prompting import Related
from agents.llm.profiles import LLMProfile
from agents.prompt.prompt import Prompt
from mud.clock import VirtualClock
from mud.server.wiring import Parts, opened
from tests.examples import examples
from tests.live_server import LiveServer, live_server
from tests.lives import STRATEGIES, begin_anew
from tests.scripts import SCRIPTS
from tests.settings import put, put_own
from tests.vaults import copy_vault

__all__ = ["live_server"]

HIDES = "sliding_window"
"""The strategy that shows nothing but the newest memories, on purpose, and marks the others."""


class Way(NamedTuple):
    """How memories are folded, and in what window they must fit."""

    strategy: str
    preset: str
    window: int


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Parts]:
    vault = copy_vault(tmp_path_factory.mktemp("prompts"))
    put(vault, "memory_compaction", summarizer="extractive")
    with opened(vault, writable=True, clock=VirtualClock()) as made:
        yield made


def agent_of(parts: Parts, way: Way) -> Agent:
    """Return Eliza with nothing remembered, whose memories are folded in some way."""
    put(parts.vault, "llm/think", num_ctx=way.window)
    assert parts.configuration.load() == []
    put_own(parts.vault, "eliza", strategy=way.strategy, preset=way.preset, auto_enabled=True)
    assert parts.minds.load_definition("eliza") == []
    agent = parts.minds.get("Eliza")
    begin_anew(agent)
    return agent


def line(script: str, length: int, number: int) -> str:
    """Return a line of so many characters in a script."""
    text = " ".join([f"{number}.", *[SCRIPTS[script]] * (1 + length // len(SCRIPTS[script]))])
    return text[:length].strip() or "."


def unheld(agent: Agent, prompt: Prompt) -> list[int]:
    """Return the memories that are neither in a prompt nor in a summary of its view."""
    view = agent.compactor.view.shown()
    held = [one.covers for one in (view.longterm, view.recent) if one is not None]
    held += [covers for covers in (prompt.shown, view.hidden) if covers is not None]
    missed = set(range(1, agent.memory.total + 1))
    for first, last in held:
        missed -= set(range(first, last + 1))
    return sorted(missed)


lengths = st.lists(st.integers(5, 4000), min_size=1, max_size=5)
ways = st.tuples(st.sampled_from(STRATEGIES.names()), st.sampled_from(["own", *PRESETS]), st.integers(1024, 32_768))


@settings(max_examples=examples(40), deadline=None, suppress_health_check=list(HealthCheck))
@given(ways, lengths, st.sampled_from(sorted(SCRIPTS)), st.integers(1, 250), st.booleans())
@example(("waterfall", "own", 8192), [300], "English", 128, False)
@example(("layered", "own", 8192), [300], "English", 128, True)
@example(("entry_summary", "off", 8192), [300], "English", 300, False)
@example(("none", "own", 1024), [4000], "Armenian", 20, True)
@example(("none", "own", 32_768), [5], "single", 250, False)
@example(("layered", "own", 1024), [5, 4000], "English", 2, True)
@example(("layered", "own", 4096), [5, 4000, 4000, 4000, 4000], "English", 6, False)
def test_no_prompt_leaves_out_a_memory_that_no_summary_holds(
    parts: Parts, way: tuple[str, str, int], sizes: list[int], script: str, count: int, at_once: bool
) -> None:
    count = min(count, 1 + 600_000 // max(sizes))
    agent = agent_of(parts, Way(*way))
    lines = [line(script, sizes[number % len(sizes)], number) for number in range(count)]
    kinds = ({"kind": "heard", "actor": "Moss"}, {"kind": "result"})
    records = [{"text": text, **kinds[number % 3 == 2]} for number, text in enumerate(lines)]
    for batch in [records] if at_once else [[one] for one in records]:
        agent.memory.append_raw(batch)
        agent.compactor.fold_due_now()
    told = parts.minds.status(agent)["warnings"]
    prompt = parts.prompting.build(agent, Related(), thinks=True)
    assert unheld(agent, prompt) == []
    assert prompt.unheld is None
    assert not any("no summary holds" in warning for warning in told)


@pytest.mark.parametrize("strategy", STRATEGIES.names())
def test_what_is_counted_is_never_under_what_the_model_reads(
    parts: Parts, live_server: LiveServer, strategy: str
) -> None:
    agent = agent_of(parts, Way(strategy, "own", 8192))
    scripts = sorted(SCRIPTS)
    texts = [line(scripts[seq % len(scripts)], 5 + 37 * seq % 600, seq) for seq in range(120)]
    for text in texts:
        agent.memory.append_raw([{"text": text, "kind": "heard", "actor": "Moss"}])
        agent.compactor.fold_due_now()
    prompt = parts.prompting.build(agent, Related(), thinks=True)
    assert sum(section.tokens for section in prompt.sections) >= live_server.tokens(prompt.text)
    assert prompt.tokens >= live_server.tokens(prompt.text)


def test_lines_of_ordinary_length_fold_at_the_golden_numbers(parts: Parts) -> None:
    agent = agent_of(parts, Way("waterfall", "own", 8192))
    folds = []
    for number in range(260):
        text = f'Moss says, "The moss grows slowly on stone number {number}, and nobody asks it why."'
        agent.memory.append_raw([{"text": text, "kind": "heard", "actor": "Moss"}])
        folds += [agent.memory.total for _ in agent.compactor.fold_due_now()]
    assert folds == [129, 193, 257]
    assert agent.memory.recent is not None
    assert agent.memory.recent.reason == "automatic"


def test_no_strategy_or_preset_waits_for_more_than_the_shipped_window_holds(parts: Parts) -> None:
    put(parts.vault, "llm/think", num_ctx=LLMProfile().num_ctx)
    parts.configuration.load()
    room = parts.prompting.room(parts.minds.get("Eliza"))
    for strategy in parts.minds.means.strategies:
        for preset in ("own", *PRESETS):
            reach = strategy.reach(CompactionSettings(strategy=strategy.name, preset=preset), LLMProfile().num_ctx)
            assert reach is None or reach[1] <= room, (strategy.name, preset)


def test_folds_that_are_switched_off_leave_out_what_the_status_warns_of(parts: Parts) -> None:
    agent = agent_of(parts, Way("waterfall", "own", 2048))
    put_own(parts.vault, "eliza", auto_enabled=False)
    parts.minds.load_definition("eliza")
    agent.memory.append_raw([{"text": line("English", 200, number)} for number in range(100)])
    agent.compactor.fold_due_now()
    prompt = parts.prompting.build(agent, Related(), thinks=True)
    assert prompt.unheld is not None
    status = parts.minds.status(agent)
    assert status["shed"] == list(prompt.shed)
    assert any(f"{prompt.unheld[0]}-{prompt.unheld[1]}" in warning for warning in status["warnings"])
