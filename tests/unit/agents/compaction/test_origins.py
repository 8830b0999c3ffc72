"""Where settings come from: agent.md over config, a preset over both, the model's window over all."""

from __future__ import annotations

from pathlib import Path

from agents.compaction.settings import CompactionSettings
from agents.compaction.status import origins
from mud.storage.configuration import Configuration
from mud.storage.settings import Value, describe
from tests.settings import parse_settings

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
    assert found["max_source_tokens"] == (
        1700,
        "config/memory_compaction.md:1, cut to the window of the LLM profile",
    )


def test_the_settings_are_in_order_and_read_the_seed() -> None:
    assert next(one.key for one in describe(CompactionSettings)) == "strategy"
    text = "# Windows\n\n**immediate_window**: 64\n_Number_\n\n**recent_window**: 64\n\n**profile**: summarizer\n"
    values, problems = parse_settings(text, CompactionSettings, "config/memory_compaction.md")
    assert problems == []
    found = {key: value.value for key, value in values.items()}
    assert found == {"immediate_window": 64, "recent_window": 64, "profile": "summarizer"}
