"""The one judge of mistakes: everything that is wrong in a vault, as its files stand.

`check_files` is what a running world says at its start and after an edit; `check_vault` is what `check`, `status` and
`@reload` list. Both read the vault anew, so that what they say does not depend on what a running world holds, and
neither takes a lock or writes. Whoever adds a check adds it to `CHECKS`, or to `mud.server.archive_checks` when it
reads whole lives.

What one file says of another is held against everything that could be read, also in files that another mistake keeps
out, so that one mistake hides no other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from agents.brains import says_name
from agents.compaction.settings import CompactionSettings
from agents.compaction.status import beyond_reach
from agents.compaction.strategies import Strategy
from agents.compaction.summarizer import parse_style
from agents.definition import AgentDefinition, find_location, misplaced
from agents.llm.backend import Backend, named_host
from agents.llm.budget import BudgetSettings
from agents.llm.keys import why_no_address, why_not, why_not_to
from agents.llm.profiles import LLMProfile
from agents.memory.examining import Look, examine
from agents.memory.seeds import fresh
from agents.memory.unreadable import unreadable
from agents.mind.settings import PROMPTS, ThinkingSettings, file_of, templates_in_use, think_profile
from agents.mind.sleep_schedule import time_of
from agents.mind.templates import Templates
from agents.population.directory import AgentDirectory, at_other_places
from agents.prompt.prompt import MINIMUM
from agents.prompt.template import Template, parse_template
from agents.recall.settings import RecallSettings
from agents.reflection.settings import ReflectionSettings
from agents.reflection.words import FILES, parse_words
from mud.engine.engine import WorldSettings
from mud.engine.ledger import misnamed
from mud.errors import Problem, VaultProblem
from mud.registry import Registry, hint, load
from mud.server import archive_checks as lives
from mud.server.links import leads_elsewhere
from mud.server.phrases import VOICES, check_texts
from mud.storage.configuration import Configuration
from mud.storage.paths import SHIPPED, VaultSettings
from mud.storage.settings import Value, one_of
from mud.storage.texts import TextStore
from mud.storage.world_files import NO_ID, WorldFiles
from mud.storage.world_state import SavedState, read_state
from mud.world.names import Named, misleading_names
from mud.world.things import Kind, Thing

SCHEMAS: dict[str, type] = {
    "vault": VaultSettings,
    "world": WorldSettings,
    "thinking": ThinkingSettings,
    "inner_life": ReflectionSettings,
    "memory_compaction": CompactionSettings,
    "recall": RecallSettings,
    "budget": BudgetSettings,
}
"""What each file in `vault/config` sets."""

FAMILIES: dict[str, type] = {"llm": LLMProfile}
"""What each file in a folder of `vault/config` sets."""

NOWHERE = Problem("world/locations", 0, "", "there is no location to be in")

EMBED = "embed"
"""The LLM profile that names the server which embeds."""
WHO = "self.who"
"""The text of a voice that says who one is."""
TIMES = ("sleep_at", "wake_at")
"""Settings that are times of day."""
PROFILES = (
    (ThinkingSettings, "think_profile", ", and whoever thinks with it lives by instinct"),
    (CompactionSettings, "profile", ", and summaries are written by rules"),
    (ReflectionSettings, "dream_profile", ", and the profile that writes summaries is asked"),
)
"""Settings that name an LLM profile, and what happens while there is none of that name."""


class VaultReading:
    """A vault as its files say: read for the first time, so that no last good form of a file is in it.

    Args:
        vault: its folder.
    """

    def __init__(self, vault: Path) -> None:
        self.vault = vault
        self.configuration = Configuration(vault, SCHEMAS, FAMILIES)
        self.texts = TextStore(vault / "text", SHIPPED / "text")
        self.roster = AgentDirectory(vault / "agents", SCHEMAS)
        self.state, self.problems = _state(vault)
        homes = self.state.files if self.state else {}
        self.roster.lived(homes)
        self.world_files = WorldFiles(vault, homes)
        self.styles = Templates(vault / "prompts/summaries", None, parse_style, "prompts/summaries")
        self.words = Templates(vault / PROMPTS, lambda: FILES, parse_words)
        self.templates = thought_templates(vault, self.configuration, lambda: self.roster.drafts.values())
        self.problems += [*self.configuration.load(), *self.texts.load(), *self.roster.load(None, ())]
        self.problems += [*self.styles.load(), *self.words.load(), *self.templates.load()]
        self.files, wrong = self.world_files.load()
        self.problems += [one for one in wrong if one not in self.world_files.misleading]  # `_misleading` knows more

    @property
    def drafts(self) -> list[AgentDefinition]:
        """Every `agent.md` as it was read, mistakes and all."""
        return list(self.roster.drafts.values())

    @property
    def locations(self) -> list[Thing]:
        """Every location that another file may name."""
        return [one for one in self.world_files.named if one.kind is Kind.LOCATION]


def check_vault(vault: Path, look: Look = examine) -> list[Problem]:
    """Return everything that is wrong in a vault, each mistake once; a life of a hundred thousand takes half a second.

    Args:
        vault: its folder.
        look: how an archive is looked at.
    """
    elsewhere = list(leads_elsewhere(vault))
    return list(dict.fromkeys([*check_files(vault, elsewhere), *_not_in(elsewhere, check_lives(vault, look=look))]))


def check_lives(vault: Path, between: Callable[[], None] = lambda: None, look: Look = examine) -> list[Problem]:
    """Return everything that is wrong with the memories that the program writes; see `mud.server.archive_checks`.

    Args:
        vault: its folder.
        between: called again and again meanwhile; what it raises ends the look.
        look: how an archive is looked at.
    """
    roster = AgentDirectory(vault / "agents", SCHEMAS)
    roster.load(None, ())
    world_files = WorldFiles(vault)
    world_files.load()
    return _in_order(lives.check_lives(vault, roster.drafts.values(), world_files.named, between, look))


def check_files(vault: Path, elsewhere: Sequence[Problem] | None = None) -> list[Problem]:
    """Return everything that is wrong in the files that people write, and in the world's state; each mistake once.

    Args:
        vault: its folder.
        elsewhere: what leads elsewhere in it; None to look.
    """
    reading = VaultReading(vault)
    if elsewhere is None:
        elsewhere = list(leads_elsewhere(vault))
    problems = [*reading.problems, *check_texts(reading.texts)]
    for check in CHECKS:
        problems += at_other_places(problems, check(reading))
    return _in_order([*elsewhere, *_not_in(elsewhere, problems)])


def _not_in(known: Iterable[Problem], problems: Iterable[Problem]) -> list[Problem]:
    """Return the problems of files of which none is known yet."""
    files = {one.file for one in known}
    return [one for one in problems if one.file not in files]


def _in_order(problems: Iterable[Problem]) -> list[Problem]:
    return sorted(dict.fromkeys(problems), key=lambda problem: (problem.file, problem.line))


def with_mistakes(problems: Iterable[Problem]) -> set[str]:
    """Return the files in which something is wrong beside that they have no id yet: none is written into these."""
    return {one.file for one in problems if one.message != NO_ID}


def thought_templates(
    vault: Path, configuration: Configuration, everybody: Callable[[], Iterable[AgentDefinition]]
) -> Templates[Template]:
    """Return the templates of thoughts: the shipped ones, and those that settings of all and of each agent name."""

    def files() -> list[str]:
        return templates_in_use(configuration, (one.overrides for one in everybody()), vault / PROMPTS)

    return Templates(vault / PROMPTS, files, parse_template)


def _names(reading: VaultReading) -> list[Problem]:
    return check_names(reading.configuration, reading.texts, reading.drafts, reading.locations)


def _ids(reading: VaultReading) -> list[Problem]:
    """Return who has the id of something in the world."""
    return reading.roster.give_way({one.thing.id: one.file for one in reading.files if one.thing.id})


def _prompts(reading: VaultReading) -> list[Problem]:
    """Return the settings that name a prompt which there is not, or wait for more than a window holds."""
    configuration, drafts = reading.configuration, reading.drafts
    return [
        *unknown_styles(configuration, [name.removesuffix(".md") for name in reading.styles.there()], drafts),
        *unknown_templates(configuration, reading.templates.there(), drafts),
        *beyond_windows(configuration, load("agents.compaction.strategies", Strategy, "strategy"), drafts),
    ]


def _memories(reading: VaultReading) -> list[Problem]:
    """Return what is wrong with memories that people wrote, whatever is wrong with whose they are."""
    folders = sorted(path.parent for path in reading.vault.glob("agents/[!.]*/agent.md"))
    return [problem for folder in folders for problem in fresh(folder)[1]]


def _world(reading: VaultReading) -> list[Problem]:
    """Return that there is no location."""
    return [] if any(one.thing.kind is Kind.LOCATION for one in reading.files) else [NOWHERE]


def _state(vault: Path) -> tuple[SavedState | None, list[Problem]]:
    """Return the saved state, and what is wrong with it."""
    try:
        return read_state(vault), []
    except VaultProblem as wrong:
        return None, list(wrong.problems)


def _misleading(reading: VaultReading) -> list[Problem]:
    """Return the names that mean something else or look like another's, agents and the world's files together."""
    agents = [name for one in reading.drafts for name in _named(one)]
    return misleading_names([*agents, *reading.world_files.names], reading.state.files if reading.state else {})


def _ledger(reading: VaultReading) -> list[Problem]:
    """Return the files of the ledger that nothing reads."""
    return misnamed(reading.vault)


def _unreadable(reading: VaultReading) -> list[Problem]:
    """Return the notes, summaries and journals that cannot be read."""
    folders = sorted(path.parent for path in reading.vault.glob("agents/[!.]*/agent.md"))
    return [problem for folder in folders for problem in unreadable(folder)]


CHECKS: tuple[Callable[[VaultReading], list[Problem]], ...] = (
    _ids, _names, _misleading, _prompts, _memories, _unreadable, _world, _ledger,
)  # fmt: skip
"""What is held against each other when every file was read; of two that are wrong at one place the first is told."""


def check_names(
    configuration: Configuration, texts: TextStore, definitions: Iterable[AgentDefinition], locations: Sequence[Thing]
) -> list[Problem]:
    """Return whatever names something there is not.

    Args:
        configuration: the settings.
        texts: the vault's texts.
        definitions: every `agent.md` as it was read, mistakes and all.
        locations: every location; where there is none, nothing is held against them.
    """
    problems = unknown_names(configuration, locations) + without_room(configuration)
    voices = voices_in(texts)
    for one in definitions:
        if locations and not one.person and find_location(one.location or "", locations) is None:
            problems.append(misplaced(one, locations))
        problems += unknown_in(one, configuration, voices)
    return problems + names_said(texts, definitions)


def voices_in(texts: TextStore) -> list[str]:
    """Return the names of the voices that there are texts for, in order."""
    return sorted({key.split(".")[1] for key in texts.keys("instinct.")})


def unknown_in(one: AgentDefinition, configuration: Configuration, voices: Sequence[str]) -> list[Problem]:
    """Return what an `agent.md` names that there is not, locations aside: a voice, an LLM profile, a time of day."""
    problems = []
    if one.voice not in voices:
        message = f"there are no texts for {one.voice!r}; {one_of(voices)}{hint(one.voice, voices)}"
        problems.append(Problem(one.file, one.lines.get("voice", 0), "voice", message))

    def own(schema: type, key: str) -> list[Value]:
        return [value] if (value := one.overrides.get(key)) is not None else []

    return problems + _unknown_values(configuration, own)


def names_said(texts: TextStore, definitions: Iterable[AgentDefinition]) -> list[Problem]:
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
        said = [
            (name, text) for name in sorted(names) for text in told if name in text and says_name(text, name, words)
        ]
        for name, text in said[:1]:
            message = (
                f"it says the name {name}, and whoever has this voice may be called otherwise; expected {{me}}: {text}"
            )
            problems.append(Problem(*texts.place(key), own, message))
    return problems


def _named(one: AgentDefinition) -> Iterator[Named]:
    """Yield the name and the aliases of an agent, as its file has them."""
    if one.name:
        yield Named(one.name, one.file, one.name_line, "", one.id)
    line = one.lines.get("aliases", 0)
    yield from (Named(alias, one.file, line, "aliases", one.id) for alias in one.aliases if alias)


def unknown_names(configuration: Configuration, locations: Sequence[Thing]) -> list[Problem]:
    """Return the settings of files in config that name a location, an LLM profile or a time of day there is not."""
    starts = configuration.given(WorldSettings, "start_location") if locations else []
    names = [one.name for one in locations]
    problems = [_unknown(one, names) for one in starts if find_location(str(one.value), locations) is None]
    problems += no_addresses(configuration) + keys_not_sent(configuration)
    return problems + _unknown_values(configuration, configuration.given)


def _unknown_values(configuration: Configuration, given: Callable[[type, str], Sequence[Value]]) -> list[Problem]:
    """Return the values that name an LLM profile or a time of day which there is not."""
    problems = [problem for key in TIMES for problem in _no_times(given(ThinkingSettings, key))]
    profiles = configuration.names(LLMProfile)
    known = {name.lower() for name in profiles}
    for schema, key, meanwhile in PROFILES:
        unknown = (one for one in given(schema, key) if str(one.value).lower() not in known)
        # A vault may do without the default of `dream_profile`, as many from before there was one do.
        problems += [
            _unknown(one, profiles, meanwhile) for one in unknown if one.line or schema is not ReflectionSettings
        ]
    return problems


def _set(configuration: Configuration, schema: type, key: str, definitions: Iterable[AgentDefinition]) -> list[Value]:
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


def no_addresses(configuration: Configuration) -> list[Problem]:
    """Return the hosts of LLM profiles that no server can have, where their backend asks one."""
    problems = []
    for name in configuration.names(LLMProfile):
        backend, host = (configuration.given(LLMProfile, one, name)[-1] for one in ("backend", "host"))
        made = load("agents.llm.backends", Backend, "backend", [str(backend.value)]).get(str(backend.value))
        if made.host is named_host:
            wrong = filter(None, map(why_no_address, configuration.get_named(LLMProfile, name).hosts))
            problems += [Problem(host.file, host.line, host.key, why) for why in wrong]
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
    configuration: Configuration, strategies: Registry[Strategy], definitions: Iterable[AgentDefinition]
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
    configuration: Configuration, styles: Sequence[str], definitions: Iterable[AgentDefinition]
) -> list[Problem]:
    """Return the settings that name a prompt style which there is not.

    Args:
        configuration: the settings.
        styles: names of the files in `prompts/summaries`, without endings; of one that is wrong that is told.
        definitions: every `agent.md` as it was read.
    """
    values = _set(configuration, CompactionSettings, "prompt_style", definitions)
    return [_unknown(one, styles) for one in values if one.value not in styles]


def unknown_templates(
    configuration: Configuration, files: Sequence[str], definitions: Iterable[AgentDefinition]
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
