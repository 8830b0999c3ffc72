"""Settings of the inner life."""

from __future__ import annotations

from dataclasses import dataclass

from mud.storage.settings import setting


@dataclass(frozen=True, slots=True)
class ReflectionSettings:
    """`config/inner_life.md`."""

    dream_profile: str = setting(
        "dream",
        "The LLM profile that weighs memories, looks back on them and dreams, a file in config/llm; where it is not "
        "there, the one that writes summaries.",
    )
    reflection_threshold: int = setting(
        150,
        "How much must have been lived, as the sum of its importance (1 to 10 a memory), until an agent looks back at "
        "its next quiet moment, or at twice as much in any company, and comes to an insight or three; 0 for never.",
        low=0,
        high=100_000,
    )
    nightly_dream: bool = setting(True, "Whether an agent dreams once whenever it sleeps.")
    own_notes: bool = setting(
        True, "Whether an agent, asleep, notes by itself what it learned about people and locations."
    )
