"""What one file of the vault says of another: settings, agents and voices that name something there is not.

Held against everything that could be read, also in files that another mistake keeps out, so that one mistake hides no
other. Nothing here writes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from agents.brains._texts import says_name
from agents.compaction.integrity import beyond_reach
from agents.compaction.settings import CompactionSettings
from agents.compaction.strategies._strategy import Strategy
from agents.definition import Definition, find_location, misplaced
from agents.inner.settings import InnerSettings
from agents.inner.words import FILES
from agents.llm.keys import why_not, why_not_to
from agents.llm.profiles import LLMProfile
from agents.nights import time_of
from agents.prompt import MINIMUM
from agents.thinking import PROMPTS, ThinkingSettings, file_of, think_profile
from mud.engine import WorldSettings
from mud.errors import Problem
from mud.registry import Registry, hint
from mud.storage.configuration import Configuration
from mud.storage.settings import Value, one_of
from mud.storage.texts import TextStore
from mud.world.names import misleading
from mud.world.things import Thing

EMBED = "embed"
"""The LLM profile that names the server which embeds."""
VOICES, WHO = "instinct.", "self.who"
"""Where the texts that minds speak with stand, below the name of a voice, and which of them says who one is."""
TIMES = ("sleep_at", "wake_at")
"""Settings that are times of day."""
PROFILES = (
    (ThinkingSettings, "think_profile", ", and whoever thinks with it lives by instinct"),
    (CompactionSettings, "profile", ", and summaries are written by rules"),
    (InnerSettings, "dream_profile", ", and the profile that writes summaries is asked"),
)
"""Settings that name an LLM profile, and what happens while there is none of that name."""


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

    def own(schema: type, key: str) -> list[Value]:
        return [value] if (value := one.overrides.get(key)) is not None else []

    return problems + _unknown_values(configuration, own)


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


def misleading_names(definitions: Iterable[Definition], things: Iterable[Thing]) -> list[Problem]:
    """Return the names and aliases of agents that mean something else, or look like the name of another.

    Args:
        definitions: every `agent.md` as it was read.
        things: everything that files of the world describe.
    """
    names = [name for one in things for name in one.names]
    problems = []
    for one in definitions:
        for name in filter(None, one.names):
            if why := misleading(name, names):
                line, key = (one.name_line, "") if name == one.name else (one.lines.get("aliases", 0), "aliases")
                problems.append(Problem(one.file, line, key, f"{why}; expected another name"))
        names += filter(None, one.names)
    return problems


def unknown_names(configuration: Configuration, locations: Sequence[Thing]) -> list[Problem]:
    """Return the settings of files in config that name a location, an LLM profile or a time of day there is not."""
    starts = configuration.given(WorldSettings, "start_location") if locations else []
    names = [one.name for one in locations]
    problems = [_unknown(one, names) for one in starts if find_location(str(one.value), locations) is None]
    problems += keys_not_sent(configuration)
    return problems + _unknown_values(configuration, configuration.given)


def _unknown_values(configuration: Configuration, given: Callable[[type, str], Sequence[Value]]) -> list[Problem]:
    """Return the values that name an LLM profile or a time of day which there is not."""
    problems = [problem for key in TIMES for problem in _no_times(given(ThinkingSettings, key))]
    profiles = configuration.names(LLMProfile)
    known = {name.lower() for name in profiles}
    for schema, key, meanwhile in PROFILES:
        unknown = (one for one in given(schema, key) if str(one.value).lower() not in known)
        # A vault may do without the default of `dream_profile`, as many from before there was one do.
        problems += [_unknown(one, profiles, meanwhile) for one in unknown if one.line or schema is not InnerSettings]
    return problems


def _set(configuration: Configuration, schema: type, key: str, definitions: Iterable[Definition]) -> list[Value]:
    """Return what a file in config says of a key, and what agents set for themselves."""
    own = (one.overrides.get(key) for one in definitions)
    return [*configuration.given(schema, key), *(value for value in own if value is not None)]


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


def keys_not_sent(configuration: Configuration) -> list[Problem]:
    """Return the LLM profiles that name a key which is not theirs to name, or a server that no key is sent to."""
    problems = []
    for name in configuration.names(LLMProfile):
        key, host = (configuration.given(LLMProfile, one, name)[-1] for one in ("api_key_env", "host"))
        if not key.value:
            continue
        if why := why_not(str(key.value)):
            problems.append(Problem(key.file, key.line, key.key, why))
        found = [why for one in configuration.get_named(LLMProfile, name).hosts if (why := why_not_to(one))]
        problems += [Problem(host.file, host.line or key.line, host.key, why) for why in found]
    return problems


def beyond_windows(
    configuration: Configuration, strategies: Registry[Strategy], definitions: Iterable[Definition]
) -> list[Problem]:
    """Return the settings with which a strategy waits for more than the window holds in which an agent thinks.

    Args:
        configuration: the settings.
        strategies: ways to fold.
        definitions: every `agent.md` as it was read.
    """
    problems = []
    everybody: list[Mapping[str, Value]] = [{}, *(one.overrides for one in definitions)]
    for own in everybody:
        settings = configuration.for_agent(CompactionSettings, own)
        strategy, profile = strategies.find(settings.strategy), think_profile(configuration, own)
        reach = strategy.reach(settings, profile.num_ctx) if strategy is not None else None
        if strategy is None or reach is None or reach[1] <= profile.num_ctx - profile.max_tokens:
            continue
        key, tokens = reach
        value = own.get(key) or configuration.given(CompactionSettings, key)[-1]
        message = beyond_reach(strategy.name, tokens, profile.num_ctx)
        problems.append(Problem(value.file, value.line, key, message))
    return list(dict.fromkeys(problems))


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
    values = _set(configuration, CompactionSettings, "prompt_style", definitions)
    return [_unknown(one, styles) for one in values if one.value not in styles]


def unknown_templates(
    configuration: Configuration, files: Sequence[str], definitions: Iterable[Definition]
) -> list[Problem]:
    """Return the settings that name a template of thoughts which there is not.

    Args:
        configuration: the settings.
        files: names of the files in `vault/prompts`.
        definitions: every `agent.md` as it was read.
    """
    known = [f"{PROMPTS}/{file}" for file in files if file not in FILES]
    named = (one for one in _set(configuration, ThinkingSettings, "template", definitions) if one.value)
    return [_unknown(one, known) for one in named if file_of(str(one.value)) not in files]


def _unknown(value: Value, known: Sequence[str], meanwhile: str = "") -> Problem:
    """Return the problem that a setting names nothing there is, and what happens meanwhile."""
    message = f"there is no {value.value!r}{meanwhile}; {one_of(known)}{hint(str(value.value), known)}"
    return Problem(value.file, value.line, value.written, message)
