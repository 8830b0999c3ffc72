"""Settings of how agents think, for all or for one: model, interval, prompt templates, sleep."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from agents.llm.profiles import LLMProfile
from agents.prompt.prompt import TEMPLATES
from mud.commands import Command, offered
from mud.errors import UnknownName
from mud.registry import Registry
from mud.storage.configuration import Configuration
from mud.storage.settings import Value, setting

THINK = "think"
PROMPTS = "prompts"


SELF_CHANGES: Mapping[str, tuple[str, ...]] = {"off": (), "notes": ("notes",), "all": ("notes", "self")}
"""What an agent may change about itself by commands, for each value of `self_changes`."""


@dataclass(frozen=True, slots=True)
class ThinkingSettings:
    """`config/thinking.md`."""

    think_profile: str = setting(
        THINK,
        "The LLM profile that thinks, a file in config/llm; an agent whose profile there is not lives by instinct.",
    )
    think_interval: float = setting(
        8.0, "Seconds between two thoughts; whoever is spoken to thinks sooner.", low=1, high=86_400
    )
    prompt_order: str = setting(
        "stable",
        "Order of a prompt: stable keeps what changes at the end, so that the model server can reuse what it has read; "
        "classic puts related notes before the summaries.",
        choices=("stable", "classic"),
    )
    template: str = setting(
        "",
        "A template for the prompt of a thought instead of the one that prompt_order names, such as prompts/mine.md; "
        "empty for that one.",
    )
    related_tokens: int = setting(
        75,
        "How many tokens of a prompt related notes may take, as prompts are counted; the sentences that fit the "
        "present best are chosen. They are read anew at every thought; a quick model may be given more.",
        low=0,
        high=100_000,
    )
    experience_share: float = setting(
        0.05,
        "Which share of the model's window related past experiences may take, 410 tokens of 8192; of each at least two "
        "whole sentences are shown, or nothing; 0 for none. They are read anew at every thought.",
        low=0.0,
        high=1.0,
    )
    experience_least: int = setting(
        300,
        "How many tokens related past experiences may take in a small window too, though never over an eighth of it.",
        low=0,
        high=100_000,
    )
    sleep_at: str = setting(
        "", "When agents fall asleep, by the machine's time of day, such as 22:00; empty for not by the clock."
    )
    wake_at: str = setting("", "When a sleeping agent wakes by itself, such as 06:00; empty for not by the clock.")
    nap_hours: float = setting(
        1.0,
        "Hours after which an agent that sleeps at another time than its night wakes by itself; 0 for never.",
        low=0.0,
        high=24.0,
    )
    self_changes: str = setting(
        "notes",
        "What of itself an agent may write by a command: off nothing; notes its notes; all besides them what it says "
        "that it is, looks like and wants, in sections of its own of its agent.md beside what people wrote there. "
        "What it may not write its prompt does not offer, and its line is refused like an unknown one.",
        choices=tuple(SELF_CHANGES),
    )
    trace_megabytes: float = setting(
        16.0,
        "Megabytes that the traces of one agent may take, from which @why explains its lines, the oldest going first; "
        "a line of the instinct takes about 3 kB, one of a model 4 bytes for each token of its prompt; 0 keeps none.",
        low=0.0,
        high=10_000.0,
    )

    @property
    def own_template(self) -> str:
        return file_of(self.template)


def offers(commands: Registry[Command]) -> Mapping[str, Registry[Command]]:
    """Return the commands that agents are offered, for each value of `self_changes`."""
    return {value: offered(commands, alters) for value, alters in SELF_CHANGES.items()}


def file_of(template: str) -> str:
    """Return the file name in `vault/prompts` that a value of `template` means; empty when it is invalid."""
    path = PurePosixPath(template)
    named = len(path.parts) == 2 and path.parts[0] == PROMPTS and path.suffix == ".md" and not path.name.startswith(".")
    return path.name if named else ""


def think_profile(configuration: Configuration, overrides: Mapping[str, Value]) -> LLMProfile:
    """Return an agent's LLM profile for thoughts, else `think`, else the default values.

    A substitute only provides the window that prompts and views are measured by; no model is asked with it.
    """
    for name in (configuration.for_agent(ThinkingSettings, overrides).think_profile, THINK):
        with suppress(UnknownName):
            return configuration.get_named(LLMProfile, name)
    return LLMProfile()


def templates_in_use(configuration: Configuration, everybody: Iterable[Mapping[str, Value]], folder: Path) -> list[str]:
    """Return the names of the template files for thoughts; those named in settings only if they exist."""
    named = {configuration.for_agent(ThinkingSettings, overrides).own_template for overrides in ({}, *everybody)}
    own = (name for name in sorted(named - {"", *TEMPLATES.values()}) if (folder / name).is_file())
    return [*TEMPLATES.values(), *own]
