"""Where the settings of one memory come from: its agent's own agent.md, a config file, a preset, or the default."""

from __future__ import annotations

from collections.abc import Mapping

from agents.compaction.presets import PRESETS
from agents.compaction.settings import CompactionSettings
from mud.storage.configuration import Configuration
from mud.storage.settings import Scalar, Value, describe

FILE = "memory_compaction"
"""The config file that has them, without its ending."""


def origins(
    configuration: Configuration, overrides: Mapping[str, Value], settings: CompactionSettings
) -> dict[str, tuple[Scalar, str]]:
    """Return every setting's value as it acts, and what set it.

    Args:
        configuration: the config files in force.
        overrides: what the agent sets for itself.
        settings: the settings as they act.
    """
    preset = PRESETS.get(settings.preset, {})
    found: dict[str, tuple[Scalar, str]] = {}
    for one in describe(CompactionSettings):
        set_to, origin = configuration.explain(f"{FILE}.{one.key}", overrides)[0]
        value: Scalar = getattr(settings, one.key)
        if one.key in preset:
            value, origin = preset[one.key], f"the preset {settings.preset}"
        elif value != set_to:
            origin = f"{origin}, cut to the window of the LLM profile"
        found[one.key] = value, origin
    return found
