"""Every setting of the strategies does what it says, tried on the vault's own parts.

The settings that all strategies share are in `test_every_setting`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agents.agent import Agent
from agents.compaction.settings import PRESETS
from agents.llm.tokens import estimate
from agents.text.english import sentences
from mud.clock import VirtualClock
from mud.server.wiring import opened
from mud.storage.settings import Scalar
from tests.settings import proves, put
from tests.vaults import copy_vault

TOLD = (
    "Lamp {} stands by the Cistern, and Tamsin promised to light it.",
    "Lamp {} was sold to a bargeman named Corvin for 12 plums.",
    "Lamp {} never burns when the heron Margery sleeps in the Boathouse.",
    "Lamp {} hides the brass key of the Clock Stair under its foot.",
)
LOOK = "The Library\nShelf {} is long. " + "Dust lies on all of it. " * 20
SAID = "I heard of a lamp by the Cistern, and of one sold to Corvin for 12 plums."


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return copy_vault(tmp_path)


def remember(agent: Agent, count: int, length: int = 0, *, looks: bool = False) -> None:
    """Have an agent remember so many things, of at least so many characters, or look so many times."""
    first = agent.memory.total
    texts = [LOOK if looks else TOLD[number % len(TOLD)] for number in range(first, first + count)]
    lines = [text.format(number) for number, text in enumerate(texts, first)]
    lines = [line + (" and so on" * length)[: max(0, length - len(line))] for line in lines]
    agent.memory.append_raw([{"text": line, "kind": "result" if looks else "heard", "actor": "Moss"} for line in lines])


def lived(vault: Path, count: int, length: int = 0, /, **values: Scalar) -> tuple[list[int], Agent]:
    """Return at how many memories Eliza's are folded under some settings, and Eliza."""
    put(vault, "memory_compaction", **values)
    with opened(vault, writable=True, clock=VirtualClock()) as parts:
        agent = parts.minds.get("Eliza")
        at = []
        for _ in range(count):
            remember(agent, 1, length)
            at += [agent.memory.total for _ in agent.compactor.fold_due_now()]
        return at, agent


def masked(agent: Agent) -> int:
    """Return how many memories are shown masked."""
    return sum("whole in eliza#" in entry.text for entry in agent.compactor.view.shown().tail)


# -- all strategies ---------------------------------------------------------------------------------------------------


@proves("memory_compaction.runtime_cap")
@pytest.mark.parametrize(("cap", "held"), [(64, 64), (100, 100), (1024, 150)])
def test_so_many_memories_are_held_in_ram_and_none_is_lost(vault: Path, cap: int, held: int) -> None:
    _, agent = lived(vault, 150, strategy="none", runtime_cap=cap)
    assert len(agent.memory._ram) == held
    assert [entry.seq for entry in agent.memory.read(1, 150)] == list(range(1, 151))


@proves("memory_compaction.token_counter")
def test_the_tokens_of_the_view_are_counted_as_set(vault: Path) -> None:
    _, agent = lived(vault, 20, strategy="layered", token_counter="characters")
    by_characters = agent.compactor.view.tokens()
    assert by_characters == sum(-(-len(entry.text) // 4) for entry in agent.memory.tail)
    put(vault, "memory_compaction", token_counter="auto")
    with opened(vault, writable=True, clock=VirtualClock()) as parts:
        assert parts.minds.get("Eliza").compactor.view.tokens() != by_characters


@proves("memory_compaction.prompt_style")
@pytest.mark.parametrize(("style", "begins"), [("base_v1", False), ("base_v2", True)])
async def test_the_model_is_asked_in_the_style_that_is_set(vault: Path, style: str, begins: bool) -> None:
    put(vault, "memory_compaction", immediate_window=2, recent_window=4, prompt_style=style)
    put(vault, "llm/summarizer", backend="scripted", model=SAID)
    with opened(vault, writable=True) as parts:
        asked: list[str] = []
        agent = parts.minds.get("Eliza")
        asking = agent.compactor._writer.model
        assert asking is not None

        async def listening(prompt: str, profile: str) -> object:
            asked.append(prompt)
            return await asking(prompt, profile)

        agent.compactor._writer.model = listening  # type: ignore[assignment]
        remember(agent, 8)
        await agent.compactor.fold_due()
        await parts.queue.close(0)
    assert asked[0].startswith("# Memories:") is begins
    assert asked[0].rstrip().endswith(">") is begins


# -- entry_summary ----------------------------------------------------------------------------------------------------

ENTRY = {"strategy": "entry_summary"}


@proves("memory_compaction.preset")
@pytest.mark.parametrize(
    ("preset", "at"),
    [("own", 10), ("aggressive", 6), ("high_throughput", 5), ("long_research", 15), ("small_context", 4), ("off", 0)],
)
def test_a_preset_tunes_entry_summary(vault: Path, preset: str, at: int) -> None:
    folds, agent = lived(vault, 16, **ENTRY, preset=preset)
    assert folds[:1] == ([at] if at else [])
    if preset in PRESETS and at:
        assert agent.memory.longterm is not None
        assert len(sentences(agent.memory.longterm.text)) <= PRESETS[preset]["summary_max_sentences"]
    assert len(agent.memory.tail) >= agent.settings().tuned().preserve_last_n_entries


@proves("memory_compaction.min_entries_for_compaction", "memory_compaction.max_chars_before_compaction")
@pytest.mark.parametrize(
    ("least", "chars", "at"), [(5, 8000, 5), (7, 8000, 7), (3, 8000, 4), (3, 4000, 3), (3, 50_000, 10)]
)
def test_characters_fold_from_so_many_entries_on(vault: Path, least: int, chars: int, at: int) -> None:
    put(vault, "llm/think", num_ctx=131_072)  # in a smaller one the longest would be folded for want of room
    folds, _ = lived(vault, 10, 2000, **ENTRY, min_entries_for_compaction=least, max_chars_before_compaction=chars)
    assert folds[0] == at


@proves("memory_compaction.max_entries_before_compaction", "memory_compaction.preserve_last_n_entries")
@pytest.mark.parametrize(("most", "keep", "at"), [(10, 2, [10, 17]), (6, 2, [6, 9, 12, 15, 18]), (10, 5, [10, 14, 18])])
def test_entries_fold_at_so_many_and_leave_so_many(vault: Path, most: int, keep: int, at: list[int]) -> None:
    folds, agent = lived(vault, 18, **ENTRY, max_entries_before_compaction=most, preserve_last_n_entries=keep)
    assert folds == at
    assert agent.memory.watermark == at[-1] - keep


@proves("memory_compaction.summary_max_sentences")
@pytest.mark.parametrize("most", [1, 3])
def test_the_summary_has_no_more_sentences_than_set(vault: Path, most: int) -> None:
    _, agent = lived(vault, 30, **ENTRY, summary_max_sentences=most, max_entries_before_compaction=30)
    assert agent.memory.longterm is not None
    assert len(sentences(agent.memory.longterm.text)) <= most
    assert most == 1 or len(sentences(agent.memory.longterm.text)) > 1


@proves("memory_compaction.include_key_findings")
@pytest.mark.parametrize("wanted", [True, False])
def test_summaries_by_rules_name_findings_if_set(vault: Path, wanted: bool) -> None:
    put(vault, "memory_compaction", **ENTRY, include_key_findings=wanted)
    with opened(vault, writable=True, clock=VirtualClock()) as parts:
        agent = parts.minds.get("Eliza")
        said = ["The tea is fine.", "I like the garden.", "Corvin promised to row 47 casks to the mill.", "It rains."]
        texts = [f'Moss says, "{said[number % 4] if number < 4 else "Well, well."}"' for number in range(10)]
        agent.memory.append_raw([{"text": text, "kind": "heard", "actor": "Moss"} for text in texts])
        agent.compactor.fold_due_now()
        assert agent.memory.longterm is not None
        assert ("47" in agent.memory.longterm.text) is wanted


@proves("memory_compaction.use_llm_for_summary", "memory_compaction.fallback_to_deterministic")
@pytest.mark.parametrize(
    ("llm", "fallback", "model", "method"),
    [
        (True, True, SAID, "model"),
        (False, True, SAID, "extractive"),
        (True, True, "I met Zebulon.", "extractive"),
        (True, False, "I met Zebulon.", None),
        (True, False, SAID, "model"),
    ],
)
async def test_a_model_writes_if_it_may_and_rules_if_they_may(
    vault: Path, llm: bool, fallback: bool, model: str, method: str | None
) -> None:
    put(vault, "memory_compaction", **ENTRY, use_llm_for_summary=llm, fallback_to_deterministic=fallback)
    put(vault, "llm/summarizer", backend="scripted", model=model)
    with opened(vault, writable=True) as parts:
        agent = parts.minds.get("Eliza")
        remember(agent, 10)
        await agent.compactor.fold_due()
        await parts.queue.close(0)
        found = agent.memory.longterm
        assert (found.method if found is not None else None) == method
        assert any("could not be folded" in text for text in agent.memory.warnings) is (method is None)


# -- sleep ------------------------------------------------------------------------------------------------------------

SLEEP = {"strategy": "sleep", "token_counter": "characters"}
"""Memories of a hundred characters are 25 tokens each; config/llm/think has a window of 8,192."""


@proves("memory_compaction.emergency_threshold")
@pytest.mark.parametrize(("share", "at"), [(0.8, 263), (0.4, 132)])
def test_awake_memories_fold_over_a_share_of_the_window(vault: Path, share: float, at: int) -> None:
    folds, _ = lived(vault, at + 2, 100, **SLEEP, emergency_threshold=share)
    assert folds == [at]


@proves("memory_compaction.sleep_threshold")
@pytest.mark.parametrize(("share", "due"), [(0.1, True), (0.4, False)])
def test_asleep_they_fold_over_another(vault: Path, share: float, due: bool) -> None:
    put(vault, "memory_compaction", **SLEEP, sleep_threshold=share)
    with opened(vault, writable=True, clock=VirtualClock()) as parts:
        agent = parts.minds.get("Eliza")
        remember(agent, 100, 100)
        standing = agent.compactor.view.state()
        strategy = agent.compactor.view.strategy
        assert strategy.due(standing, agent.settings()) is None
        assert (strategy.due(replace(standing, asleep=True), agent.settings()) is not None) is due


@proves("memory_compaction.preserve_entries", "memory_compaction.preserve_fraction")
@pytest.mark.parametrize(("entries", "fraction", "kept"), [(20, 0.2, 65), (20, 0.0, 20), (90, 0.2, 90), (7, 0.1, 32)])
def test_so_many_entries_or_so_much_of_the_window_stay(vault: Path, entries: int, fraction: float, kept: int) -> None:
    _, agent = lived(vault, 263, 100, **SLEEP, preserve_entries=entries, preserve_fraction=fraction)
    assert len(agent.memory.tail) == kept


# -- hierarchical -----------------------------------------------------------------------------------------------------


@proves("memory_compaction.period_tokens", "memory_compaction.periods_tokens")
@pytest.mark.parametrize(("each", "every", "periods"), [(250, 2500, 4), (60, 2500, 4), (250, 320, 3)])
def test_periods_take_so_many_tokens_each_and_together(vault: Path, each: int, every: int, periods: int) -> None:
    put(vault, "memory_compaction", strategy="hierarchical", period_tokens=each, periods_tokens=every)
    with opened(vault, writable=True, clock=VirtualClock()) as parts:
        agent = parts.minds.get("Eliza")
        for number in range(600):
            text, at = TOLD[number % len(TOLD)].format(number), f"2026-11-{16 + number // 120}T08:00:00.000Z"
            agent.memory.append_raw([{"text": text, "kind": "heard", "actor": "Moss", "at": at}])
            agent.compactor.fold_due_now()
        assert agent.memory.longterm is not None
        lines = agent.memory.longterm.text.splitlines()
    assert len(lines) == periods
    assert all(estimate(line.partition(": ")[2]) <= each for line in lines)
    assert (max(map(estimate, lines)) > 80) is (each > 80)
    assert sum(map(estimate, lines)) <= every


# -- layered, hybrid, masks, the sliding window -----------------------------------------------------------------------


@proves("memory_compaction.threshold_tokens", "memory_compaction.min_saving_tokens")
@pytest.mark.parametrize(("most", "saving", "at"), [(3000, 0, 121), (2000, 0, 81), (2000, 2000, 104)])
def test_layered_folds_over_so_many_tokens_if_it_saves_so_many(vault: Path, most: int, saving: int, at: int) -> None:
    values: dict[str, Scalar] = {"threshold_tokens": most, "min_saving_tokens": saving, "token_counter": "characters"}
    folds, agent = lived(vault, at, 100, strategy="layered", **values)
    assert folds == [at]
    assert agent.memory.tail == []


@proves("memory_compaction.hybrid_entries", "memory_compaction.hybrid_keep")
@pytest.mark.parametrize(("entries", "keep", "at"), [(43, 10, [43]), (20, 10, [20, 30, 40]), (24, 14, [24, 34])])
def test_hybrid_folds_at_so_many_memories_and_leaves_so_many(
    vault: Path, entries: int, keep: int, at: list[int]
) -> None:
    folds, agent = lived(vault, 43, strategy="hybrid", hybrid_entries=entries, hybrid_keep=keep)
    assert folds == at
    assert agent.memory.watermark == at[-1] - keep


@proves("memory_compaction.mask_keep", "memory_compaction.mask_block", "memory_compaction.mask_chars")
@pytest.mark.parametrize(
    ("keep", "block", "chars", "count"),
    [(10, 5, 200, 10), (4, 5, 200, 15), (10, 1, 200, 13), (10, 20, 200, 0), (10, 5, 5000, 0)],
)
def test_old_results_are_masked_as_set(vault: Path, keep: int, block: int, chars: int, count: int) -> None:
    values = {"mask_keep": keep, "mask_block": block, "mask_chars": chars}
    put(vault, "memory_compaction", strategy="masking", **values)
    with opened(vault, writable=True, clock=VirtualClock()) as parts:
        agent = parts.minds.get("Eliza")
        remember(agent, 23, looks=True)
        agent.memory.append_raw([{"text": "I walk on.", "kind": "did"}])
        assert masked(agent) == count


@proves("memory_compaction.sliding_entries")
@pytest.mark.parametrize("shown", [5, 12])
def test_the_sliding_window_shows_so_many(vault: Path, shown: int) -> None:
    _, agent = lived(vault, 20, strategy="sliding_window", sliding_entries=shown)
    view = agent.compactor.view.shown()
    assert (len(view.tail), view.hidden) == (shown, (1, 20 - shown))
