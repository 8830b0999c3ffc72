"""The library's eight settings, and the seed's tunings of them."""

from __future__ import annotations

from typing import Any

import pytest

from agents.compaction import CompactionConfig
from mud.errors import UnknownName


def test_the_defaults_are_those_of_the_seed() -> None:
    assert CompactionConfig() == CompactionConfig(
        min_entries_for_compaction=5,
        max_entries_before_compaction=10,
        max_chars_before_compaction=8000,
        summary_max_sentences=3,
        preserve_last_n_entries=2,
        include_key_findings=True,
        use_llm_for_summary=True,
        fallback_to_deterministic=True,
    )


AGGRESSIVE = CompactionConfig(
    min_entries_for_compaction=3,
    max_entries_before_compaction=6,
    max_chars_before_compaction=4000,
    summary_max_sentences=2,
    preserve_last_n_entries=1,
    include_key_findings=True,
    use_llm_for_summary=True,
    fallback_to_deterministic=True,
)
HIGH_THROUGHPUT = CompactionConfig(
    min_entries_for_compaction=3,
    max_entries_before_compaction=5,
    max_chars_before_compaction=3000,
    use_llm_for_summary=False,
    preserve_last_n_entries=1,
    summary_max_sentences=2,
)
LONG_RESEARCH = CompactionConfig(
    min_entries_for_compaction=8,
    max_entries_before_compaction=15,
    max_chars_before_compaction=15000,
    use_llm_for_summary=True,
    fallback_to_deterministic=True,
    preserve_last_n_entries=3,
    summary_max_sentences=4,
    include_key_findings=True,
)
SMALL_CONTEXT = CompactionConfig(
    min_entries_for_compaction=2,
    max_entries_before_compaction=4,
    max_chars_before_compaction=2000,
    use_llm_for_summary=False,
    preserve_last_n_entries=1,
    summary_max_sentences=1,
)
CONTEXT_8K = CompactionConfig(max_entries_before_compaction=5, max_chars_before_compaction=3000)
OFF = CompactionConfig(
    min_entries_for_compaction=999,
    max_entries_before_compaction=999,
    max_chars_before_compaction=999999,
)


@pytest.mark.parametrize(
    ("name", "recipe"),
    [
        ("aggressive", AGGRESSIVE),
        ("high_throughput", HIGH_THROUGHPUT),
        ("long_research", LONG_RESEARCH),
        ("small_context", SMALL_CONTEXT),
        ("context_8k", CONTEXT_8K),
        ("off", OFF),
    ],
)
def test_a_preset_is_the_recipe_that_the_seed_gives(name: str, recipe: CompactionConfig) -> None:
    assert CompactionConfig.preset(name) == recipe


def test_a_preset_that_is_none_is_answered_with_those_there_are() -> None:
    with pytest.raises(UnknownName, match=r"there is no preset 'turbo'; there is: aggressive, .*, off"):
        CompactionConfig.preset("turbo")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"summary_max_sentences": 0}, "summary_max_sentences is 0; the least is 1"),
        ({"preserve_last_n_entries": -1}, "preserve_last_n_entries is -1; the least is 0"),
        ({"max_chars_before_compaction": "8000"}, "max_chars_before_compaction is '8000'; expected a whole number"),
        ({"max_entries_before_compaction": True}, "max_entries_before_compaction is True; expected a whole number"),
        ({"use_llm_for_summary": 1}, "use_llm_for_summary is 1; expected True or False"),
    ],
)
def test_a_setting_that_cannot_be_is_refused_with_a_sentence(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises((TypeError, ValueError), match=said):
        CompactionConfig(**wrong)
