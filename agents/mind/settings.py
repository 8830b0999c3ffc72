"""Settings of how agents think, for all or for one: model, interval, prompt templates, sleep."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from agents.llm.profiles import LLMProfile
from agents.memory.memory import Memory
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
        8.0,
        "Seconds between two thoughts; whoever is spoken to thinks sooner, and by instinct some are let pass.",
        low=1,
        high=86_400,
    )
    coarse_interval: float = setting(
        400.0,
        "Seconds between two thoughts by instinct of an agent whom no person can perceive, if that is longer: it walks "
        "all the way in one step and talks briefly. As soon as somebody is near it lives as ever; 0 for always.",
        low=0,
        high=86_400,
    )
    coarse_from: int = setting(
        200,
        "How many agents and people a world must have for coarse_interval to hold; with fewer everybody lives turn by "
        "turn, also unseen.",
        low=0,
        high=1_000_000,
        per_agent=False,
    )
    hot_minds: int = setting(
        1000,
        "How many minds keep their newest memories in RAM, some 100 kB each; of more, those that were used longest ago "
        "go cold and read them again when they next need them, in less than a millisecond.",
        low=1,
        high=1_000_000,
        per_agent=False,
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


@lru_cache(maxsize=1 << 8)
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


# ---- when agents sleep by the clock ----

BY_ITSELF = ("dream", "thought")
ASLEEP = 16
"""How many of the newest entries are searched for the moment of falling asleep."""

_TIME = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")


def time_of(text: str) -> time | None:
    """Parse a time of day such as `22:00`; return None for an empty text. Raises ValueError for other texts."""
    if not text.strip():
        return None
    found = _TIME.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"{text!r} is no time of day; expected one such as 22:00, or nothing")
    return time(int(found[1]), int(found[2]))


class SleepSchedule(NamedTuple):
    """When one agent sleeps. All datetimes are aware, in the local zone; None means not by the clock.

    `nap` is the maximum hours of sleep outside the night, 0 for no limit. With `sleep_at` but no `wake_at` an agent
    sleeps until it is woken.
    """

    sleep_at: time | None = None
    wake_at: time | None = None
    nap: float = 1.0

    def night(self, now: datetime) -> bool:
        if self.sleep_at is None or self.wake_at is None:
            return False
        return _last(self.wake_at, now) < _last(self.sleep_at, now)

    def falls_asleep(self, since: datetime, now: datetime) -> bool:
        """Return whether to fall asleep; without `wake_at` only if `sleep_at` passed since the last call (`since`)."""
        if self.sleep_at is None:
            return False
        return self.night(now) if self.wake_at is not None else since < _last(self.sleep_at, now)

    def bedtime(self, now: datetime) -> float | None:
        """Return the seconds until the next bedtime, 0 during the night; None without `sleep_at`."""
        if self.sleep_at is None:
            return None
        return 0.0 if self.night(now) else 86400.0 - (now - _last(self.sleep_at, now)).total_seconds()

    def wakes(self, since: datetime, now: datetime) -> bool:
        """Return whether an agent that fell asleep at `since` should wake."""
        if self.wake_at is not None and since < _last(self.wake_at, now):
            return True
        endless = self.nap <= 0 or (self.sleep_at is not None and self.wake_at is None)
        return not endless and now - since >= timedelta(hours=self.nap) and not self.night(now)


@lru_cache(maxsize=256)
def hours_of(sleep_at: str, wake_at: str, nap: float) -> SleepSchedule:
    """Return the schedule of these settings; an unreadable time counts as unset, since loading has reported it."""
    return SleepSchedule(_time(sleep_at), _time(wake_at), nap)


def _time(text: str) -> time | None:
    try:
        return time_of(text)
    except ValueError:
        return None


def fell_asleep(memory: Memory) -> str | None:
    """Return the ISO time of falling asleep; None without memories.

    It is that of the newest entry that did not arise during sleep, since sleepers perceive nothing.
    """
    for newest in (memory.newest(ASLEEP), memory.read(memory.total - ASLEEP + 1, memory.total)):
        for entry in reversed(newest):
            if entry.kind not in BY_ITSELF:
                return entry.at
    return None


def _last(at: time, now: datetime) -> datetime:
    today = now.replace(hour=at.hour, minute=at.minute, second=0, microsecond=0)
    return today if today <= now else today - timedelta(days=1)
