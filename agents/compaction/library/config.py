"""The eight settings of the library, with the seed's defaults and its tunings by name."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from agents.compaction.settings import PRESETS
from mud.errors import UnknownName


@dataclass(frozen=True, slots=True)
class CompactionConfig:
    """When a history is compacted, and how.

    Args:
        min_entries_for_compaction: with fewer entries nothing is ever due, however long they are.
        max_entries_before_compaction: due at so many entries.
        max_chars_before_compaction: due at so many characters.
        summary_max_sentences: sentences of a summary at most, whoever writes it.
        preserve_last_n_entries: how many of the newest entries stay as they are.
        include_key_findings: summaries by rules name numbers and values.
        use_llm_for_summary: ask the model, if one is connected.
        fallback_to_deterministic: write by rules when the model fails; else its error is raised.

    Raises:
        TypeError: for a number that is none, or a switch that is neither True nor False.
        ValueError: for a number that is too small.
    """

    min_entries_for_compaction: int = 5
    max_entries_before_compaction: int = 10
    max_chars_before_compaction: int = 8000
    summary_max_sentences: int = 3
    preserve_last_n_entries: int = 2
    include_key_findings: bool = True
    use_llm_for_summary: bool = True
    fallback_to_deterministic: bool = True

    def __post_init__(self) -> None:
        for one in fields(self):
            value: Any = getattr(self, one.name)
            whole = type(one.default) is int
            if type(value) is not (int if whole else bool):
                raise TypeError(f"{one.name} is {value!r}; expected {'a whole number' if whole else 'True or False'}")
            least = int(one.name == "summary_max_sentences")
            if value < least:
                raise ValueError(f"{one.name} is {value}; the least is {least}")

    @classmethod
    def preset(cls, name: str) -> CompactionConfig:
        """Return one of the seed's tunings: aggressive, high_throughput, long_research, small_context, context_8k, off.

        `off` is what the seed calls so: thresholds that no usual history comes to, of 999 entries.

        Raises:
            UnknownName: when there is no such tuning; the message says which there are.
        """
        if name not in PRESETS:
            raise UnknownName(f"there is no preset {name!r}; there is: {', '.join(PRESETS)}")
        return cls(**PRESETS[name])
