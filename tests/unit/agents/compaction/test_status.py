"""A status in words: two whole reports as they are to read, and what each line says when it matters."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from agents.compaction.settings import CompactionSettings
from agents.compaction.status import Facts, ago, origins, report, status
from agents.compaction.view import StrategyContext
from agents.llm.tokens import TokenCounter
from mud.clock import iso
from mud.storage.configuration import Configuration
from mud.storage.settings import Value, describe
from tests.lives import Life, heard
from tests.settings import parse_settings

GOLDEN = Path(__file__).parents[3] / "golden"
CONFIG = "**strategy**: {strategy}\n**preset**: {preset}\n**max_summary_tokens**: {max_summary_tokens}\n"
SAID = (
    ("Moss", "The Library", "I carried 12 copper feathers to the old mill."),
    ("Tamsin", "The Garden", "Meet me by the sundial at half past seven."),
    ("Moss", "The Library", "Mrs Abel has the key of the Loft."),
    ("Tamsin", "The Boathouse", "The boat leaks at 3 planks, and I promise to mend it."),
    ("Corvin", "The Garden", "Nobody has seen the clock's gilt hand since the storm."),
)


def told(life: Life, count: int) -> None:
    """Live so many memories, a minute each, and fold what becomes due."""
    for number in range(life.memory.total + 1, life.memory.total + count + 1):
        life.clock.advance(60)
        who, place, words = SAID[number % len(SAID)]
        life.memory.append([heard(words, who, place)], iso(life.clock.now()), number)
        life.compactor.fold_due_now()


def of(life: Life, **facts: Any) -> dict[str, Any]:
    values = asdict(life.settings)
    config = life.folder / "config" / "memory_compaction.md"
    config.parent.mkdir(exist_ok=True)
    config.write_text(CONFIG.format(**values))
    configuration = Configuration(life.folder, {"memory_compaction": CompactionSettings})
    assert configuration.load() == []
    known = {
        "counter": TokenCounter(lambda: "characters"),
        "now": life.clock.now(),
        "settings": origins(configuration, {}, life.settings),
    }
    return status(life.compactor.view, Facts(**{**known, **facts}))


def row(life: Life, name: str, **facts: Any) -> str:
    """Return what a report says in one of its lines; empty when it has no such line."""
    found = re.search(rf"^  {name}  +(.*)$", report(of(life, **facts)), re.M)
    return found[1] if found else ""


@pytest.mark.parametrize("name", ["status_waterfall", "status_entry_summary"])
def test_a_report_is_to_be_read_with_pleasure(name: str) -> None:
    status = json.loads((GOLDEN / f"{name}.json").read_text("utf-8"))
    assert report(status) == (GOLDEN / f"{name}.txt").read_text("utf-8").rstrip("\n")


@pytest.mark.parametrize("name", ["status_waterfall", "status_entry_summary"])
def test_the_statuses_that_are_read_so_have_the_keys_of_a_real_one(name: str, tmp_path: Path) -> None:
    life = Life(tmp_path)
    told(life, 300)
    real, made = of(life), json.loads((GOLDEN / f"{name}.json").read_text("utf-8"))
    assert list(made) == list(real)
    assert list(made["settings"]) == [key for key in real["settings"] if key in made["settings"]]
    assert [list(tier) for tier in made["tiers"]] == [list(tier) for tier in real["tiers"]][-len(made["tiers"]) :]


def test_a_fold_that_waits_for_its_number_says_how_many_are_missing(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(10)
    assert row(life, "Next fold") == "at 129 memories, in 119"
    life.set(strategy="entry_summary")
    assert row(life, "Next fold").startswith("due since 10 memories")
    life.compactor.fold_due_now()
    assert row(life, "Next fold").startswith("at 17 memories, in 7, or 8,000 characters (now ")


@pytest.mark.parametrize(
    ("strategy", "without"),
    [("waterfall", "at 129 memories"), ("layered", "over 6,000 tokens (now "), ("hybrid", "at ")],
)
def test_where_the_prompt_has_room_for_little_that_is_what_the_next_fold_waits_for(
    tmp_path: Path, strategy: str, without: str
) -> None:
    room = 200
    life = Life(tmp_path, context=StrategyContext(room=lambda: room))
    life.set(strategy=strategy)
    told(life, 3)
    waits = row(life, "Next fold")
    found = re.fullmatch(r"over 198 tokens \(now (\d+)\), for want of room in the prompt; otherwise (.*)", waits)
    assert found, waits
    assert found[2].startswith(without)
    assert row(life, "Budget") == f"{found[1]} of 198 tokens"
    while not life.memory.compactions:
        taken = of(life)["budgets"][0]["taken"]
        assert taken <= 198
        told(life, 1)
    assert life.memory.total < 16, "it did come that early"
    assert taken > 150


def test_where_the_prompt_has_room_the_strategy_says_what_it_waits_for(tmp_path: Path) -> None:
    life = Life(tmp_path, context=StrategyContext(room=lambda: 6000))
    told(life, 10)
    assert row(life, "Next fold") == "at 129 memories, in 119"
    assert row(life, "Budget") == "10 of 128 memories"


def test_a_strategy_shows_its_own_settings_and_of_the_others_what_is_not_as_by_default(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.set(strategy="layered", max_summary_tokens=500)
    text = report(of(life))
    assert "threshold_tokens 6000" in text
    assert "mask_keep 10" in text
    assert "max_summary_tokens 500" in text
    assert "hybrid_entries" not in text
    assert "immediate_window" not in text


def test_what_is_hidden_says_where_it_is(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.set(strategy="sliding_window")
    life.live(20)
    assert row(life, "Hidden") == "1-15; the archive has them, and recall finds them"
    assert row(life, "Strategy").endswith("it folds only what a prompt has no room for")


def test_a_gap_stands_where_the_coverage_is(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(20)
    path = tmp_path / "archive" / "0000000001.jsonl"
    path.write_text("".join(f"{line}\n" for line in path.read_text().splitlines() if '"seq":7,' not in line))
    life.start()
    assert row(life, "Coverage") == "gap 7"


def test_an_error_that_is_over_is_told_as_such(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.live(1)
    life.disk.full = True
    life.live(1)
    life.disk.full = False
    life.live(1)
    assert "No warnings.\nLast error, over now: the archive cannot be written" in report(of(life))


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(None, ""), (0, "just now"), (1, "1 second ago"), (3599, "59 minutes ago"), (90_000, "1 day ago")],
)
def test_ages_are_in_words(seconds: int | None, words: str) -> None:
    assert ago(seconds) == words


OWN = "agents/moss/agent.md"


def configuration(folder: Path, text: str) -> Configuration:
    (folder / "config").mkdir()
    (folder / "config" / "memory_compaction.md").write_text(text)
    made = Configuration(folder, {"memory_compaction": CompactionSettings})
    assert made.load() == []
    return made


def test_the_strongest_that_sets_a_value_is_named(tmp_path: Path) -> None:
    config = configuration(tmp_path, "# Mine\n\n**strategy**: none\n**recent_window**: 32\n")
    own = {"strategy": Value("strategy", "sleep", OWN, 4)}
    found = origins(config, own, config.for_agent(CompactionSettings, own))
    assert found["strategy"] == ("sleep", f"{OWN}:4")
    assert found["recent_window"] == (32, "config/memory_compaction.md:4")
    assert found["immediate_window"] == (64, "default")


def test_what_a_preset_sets_comes_from_the_preset(tmp_path: Path) -> None:
    config = configuration(tmp_path, "**preset**: aggressive\n**max_entries_before_compaction**: 20\n")
    found = origins(config, {}, config.get(CompactionSettings))
    assert found["max_entries_before_compaction"] == (6, "the preset aggressive")
    assert found["include_key_findings"] == (True, "default")


def test_what_the_models_window_cuts_short_says_so(tmp_path: Path) -> None:
    config = configuration(tmp_path, "**max_source_tokens**: 5000\n")
    found = origins(config, {}, config.get(CompactionSettings).within(2000))
    assert found["max_source_tokens"] == (1700, "config/memory_compaction.md:1, cut to the window of the LLM profile")


def test_the_settings_are_in_order_and_read_the_seed() -> None:
    assert next(one.key for one in describe(CompactionSettings)) == "strategy"
    text = "# Windows\n\n**immediate_window**: 64\n_Number_\n\n**recent_window**: 64\n\n**profile**: summarizer\n"
    values, problems = parse_settings(text, CompactionSettings, "config/memory_compaction.md")
    assert problems == []
    found = {key: value.value for key, value in values.items()}
    assert found == {"immediate_window": 64, "recent_window": 64, "profile": "summarizer"}
