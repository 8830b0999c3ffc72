"""The library's eight settings, and the seed's tunings of them."""

from __future__ import annotations

from typing import Any

import pytest

from agents.compaction import CompactionConfig
from mud.errors import UnknownName


def test_the_defaults_are_those_of_the_seed() -> None:
    assert CompactionConfig() == CompactionConfig(5, 10, 8000, 3, 2, True, True, True)


@pytest.mark.parametrize(
    ("name", "least", "entries", "chars", "keep", "sentences", "model"),
    [
        ("aggressive", 3, 6, 4000, 1, 2, True),
        ("high_throughput", 3, 5, 3000, 1, 2, False),
        ("long_research", 8, 15, 15_000, 3, 4, True),
        ("small_context", 2, 4, 2000, 1, 1, False),
        ("context_8k", 5, 5, 3000, 2, 3, True),
        ("off", 999, 999, 999_999, 2, 3, True),
    ],
)
def test_a_preset_is_the_recipe_that_the_seed_gives(
    name: str, least: int, entries: int, chars: int, keep: int, sentences: int, model: bool
) -> None:
    assert CompactionConfig.preset(name) == CompactionConfig(
        least, entries, chars, sentences, keep, use_llm_for_summary=model
    )


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
