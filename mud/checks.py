"""What one file of the vault says of another: settings, agents and voices that name something there is not.

Held against everything that could be read, also in files that another mistake keeps out, so that one mistake hides no
other. Nothing here writes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from agents.brains._texts import says_name
from agents.compaction.settings import CompactionSettings
from agents.definition import Definition, find_location, misplaced
from agents.llm.profiles import LLMProfile
from agents.nights import time_of
from agents.prompt import MINIMUM
from agents.prompting import ThinkingSettings
from mud.engine import WorldSettings
from mud.errors import Problem
from mud.registry import hint
from mud.storage.configuration import Configuration
from mud.storage.settings import Value, one_of
from mud.storage.texts import TextStore
from mud.world.things import Thing

EMBED = "embed"
"""The LLM profile that names the server which embeds."""
VOICES, WHO = "instinct.", "self.who"
"""Where the texts that minds speak with stand, below the name of a voice, and which of them says who one is."""
TIMES = ("sleep_at", "wake_at")
"""Settings that are times of day."""


def check_names(
    configuration: Configuration, texts: TextStore, definitions: Iterable[Definition], locations: Sequence[Thing]
) -> list[Problem]:
    """Return whatever names something there is not.

    Args:
        configuration: the settings.
        texts: the vault's texts.
        definitions: every `agent.md` as it was read, mistakes and all.
        locations: every location; where there is none, nothing is held against them.
    """
    problems = unknown_names(configuration, locations) + without_room(configuration)
    for one in definitions:
        if locations and not one.person and find_location(one.location or "", locations) is None:
            problems.append(misplaced(one, locations))
        problems += unknown_in(one, configuration, texts)
    return problems + names_said(texts, definitions)


def unknown_in(one: Definition, configuration: Configuration, texts: TextStore) -> list[Problem]:
    """Return what an `agent.md` names that there is not, locations aside: a voice, an LLM profile, a time of day."""
    problems = []
    voices = sorted({key.split(".")[1] for key in texts.keys("instinct.")})
    if one.voice not in voices:
        message = f"there are no texts for {one.voice!r}; {one_of(voices)}{hint(one.voice, voices)}"
        problems.append(Problem(one.file, one.lines.get("voice", 0), "voice", message))
    if (own := one.overrides.get("profile")) is not None:
        problems += _unknown_profiles([own], configuration.names(LLMProfile))
    return problems + _no_times(value for key in TIMES if (value := one.overrides.get(key)) is not None)


def names_said(texts: TextStore, definitions: Iterable[Definition]) -> list[Problem]:
    """Return the texts of voices that say a name of their own, so that whoever speaks with them may be called wrongly.

    That is the name of the voice's file and of everybody who speaks with it, and of anybody where it says who it is.
    """
    keys = {key: texts.variants(key) for key in texts.keys(VOICES)}
    words = {word for told in keys.values() for text in told for word in re.findall(r"\w+", text) if word.islower()}
    speakers = [(one.voice, one.name) for one in definitions if one.name]
    problems = []
    for key, told in keys.items():
        voice, _, own = key.removeprefix(VOICES).partition(".")
        names = {voice.replace("_", " ").title(), *(name for whose, name in speakers if whose == voice or own == WHO)}
        said = [(name, text) for name in sorted(names) for text in told if says_name(text, name, words)]
        for name, text in said[:1]:
            message = (
                f"it says the name {name}, and whoever has this voice may be called otherwise; expected {{me}}: {text}"
            )
            problems.append(Problem(*texts.place(key), own, message))
    return problems


def unknown_names(configuration: Configuration, locations: Sequence[Thing]) -> list[Problem]:
    """Return the settings that name a location or an LLM profile which there is not."""
    starts = configuration.given(WorldSettings, "start_location") if locations else []
    names = [one.name for one in locations]
    problems = [_unknown(one, names) for one in starts if find_location(str(one.value), locations) is None]
    for key in TIMES:
        problems += _no_times(configuration.given(ThinkingSettings, key))
    return problems + _unknown_profiles(
        configuration.given(CompactionSettings, "profile"), configuration.names(LLMProfile)
    )


def without_room(configuration: Configuration) -> list[Problem]:
    """Return the LLM profiles whose window their replies fill: no prompt would fit."""
    problems = []
    for name in configuration.names(LLMProfile):
        window, reply = (configuration.given(LLMProfile, key, name)[-1] for key in ("num_ctx", "max_tokens"))
        if name.lower() != EMBED and int(str(window.value)) - int(str(reply.value)) < MINIMUM:
            message = (
                f"{reply.value} of the {window.value} tokens of num_ctx leave less than the {MINIMUM} that a prompt "
                "takes; lower max_tokens or raise num_ctx"
            )
            problems.append(Problem(reply.file, reply.line or window.line, reply.key, message))
    return problems


def _no_times(values: Iterable[Value]) -> list[Problem]:
    """Return the times of day that are none."""
    problems = []
    for value in values:
        try:
            time_of(str(value.value))
        except ValueError as error:
            problems.append(Problem(value.file, value.line, value.key, str(error)))
    return problems


def unknown_styles(
    configuration: Configuration, styles: Sequence[str], definitions: Iterable[Definition]
) -> list[Problem]:
    """Return the settings that name a prompt style which there is not.

    Args:
        configuration: the settings.
        styles: names of the files in `prompts/summaries` that can be used.
        definitions: every `agent.md` as it was read.
    """
    own = (one.overrides.get("prompt_style") for one in definitions)
    values = [*configuration.given(CompactionSettings, "prompt_style"), *(value for value in own if value is not None)]
    return [_unknown(one, styles) for one in values if one.value not in styles]


def _unknown_profiles(values: Iterable[Value], profiles: Sequence[str]) -> list[Problem]:
    known = {name.lower() for name in profiles}
    return [_unknown(one, profiles) for one in values if str(one.value).lower() not in known]


def _unknown(value: Value, known: Sequence[str]) -> Problem:
    """Return the problem that a setting names nothing there is."""
    message = f"there is no {value.value!r}; {one_of(known)}{hint(str(value.value), known)}"
    return Problem(value.file, value.line, value.key, message)
