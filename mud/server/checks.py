"""All checks of a vault's files.

`check_files` runs at the start and after an edit; `check_vault` is what `check` and `status` list. Both read the vault
anew, take no lock and write nothing. Add a check to `VaultReading.checked`, or to `archive_checks` for archives.
References between files are checked against everything readable, so that one mistake does not hide another.
"""

from __future__ import annotations

import importlib
import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path, PurePath

from agents.brains import says_name, wrong_in
from agents.commands import mind_commands
from agents.compaction.settings import CompactionSettings
from agents.compaction.status import beyond_reach
from agents.compaction.strategies import Strategy
from agents.compaction.summarizer import parse_style
from agents.definition import AgentDefinition, LocationIndex, misplaced, misplaced_habits, things_of
from agents.directory import AgentDirectory, at_other_places
from agents.hosts import HostSettings
from agents.llm.backend import Backend, named_host
from agents.llm.profiles import LLMProfile, why_no_address, why_not, why_not_to
from agents.llm.spending import BudgetSettings, wrong_spending
from agents.memory.history import Look, examine, unreadable
from agents.memory.seeds import FOLDER as SEEDS
from agents.memory.seeds import fresh
from agents.mind.interpreter import InterpreterFiles, shipped_interpreter
from agents.mind.settings import PROMPTS, ThinkingSettings, file_of, templates_in_use, think_profile, time_of
from agents.mind.templates import Templates
from agents.prompt.prompt import MINIMUM, Template, parse_template
from agents.recall.settings import RecallSettings
from agents.reflection import FILES, ReflectionSettings, parse_prompt
from agents.text.habits import read_habits
from mud.commands import Command
from mud.engine.engine import WorldSettings
from mud.engine.ledger import misnamed
from mud.errors import Problem, VaultProblem
from mud.portal.settings import DoorSettings
from mud.registry import hint, load, modules
from mud.server import archive_checks as lives
from mud.server.links import leads_elsewhere
from mud.server.regions.neighbours import RegionSettings, WrongNeighbourError, parse_neighbour
from mud.storage.accounts import AccountFiles
from mud.storage.aliases import FILE as ALIASES
from mud.storage.aliases import AliasFile
from mud.storage.configuration import Configuration
from mud.storage.paths import SHIPPED, WORLD, VaultSettings, matching
from mud.storage.settings import Value, one_of
from mud.storage.texts import GENERATE, Text, TextStore
from mud.storage.world_files import NO_ID, ThingDefinition, WorldFiles, read_state
from mud.world.almanac import PARTS_OF_DAY, kinds_of_weather
from mud.world.names import RESERVED, Named, misleading_names
from mud.world.narration import Phrase
from mud.world.rules import Begins
from mud.world.things import Kind, Thing

SCHEMAS: dict[str, type] = {
    "vault": VaultSettings,
    "world": WorldSettings,
    "thinking": ThinkingSettings,
    "inner_life": ReflectionSettings,
    "memory_compaction": CompactionSettings,
    "recall": RecallSettings,
    "budget": BudgetSettings,
    "doors": DoorSettings,
    "hosts": HostSettings,
    "regions": RegionSettings,
}
"""The settings class of each file in `vault/config`."""

FAMILIES: dict[str, type] = {"llm": LLMProfile}
"""The settings class of the files in each folder of `vault/config`."""

NOWHERE = Problem("world/locations", 0, "", "there is no location to be in")

MEANT = ("config", "prompts", "text", WORLD)
"""Folders with what other files name."""
EMBED = "embed"  # name of the LLM profile whose server makes embeddings
GENERATED = ("district", "home", "place", "trade")
"""What may stand in braces in the lists that a world is made up from."""
GENERATED_VOICES = f"{GENERATE}people.voices"  # key of the list of the voices that people made up may have
VOICES = "instinct."  # prefix of the keys of agents' texts; the name of a voice follows
DEFAULT_VOICE = "default"  # the voice that the others fall back on
WHO = "self.who"  # key of the voice text in which a speaker says its own name
TIMES = ("sleep_at", "wake_at")
PROFILES = (
    (ThinkingSettings, "think_profile", ", and whoever thinks with it lives by instinct"),
    (CompactionSettings, "profile", ", and summaries are written by rules"),
    (ReflectionSettings, "dream_profile", ", and the profile that writes summaries is asked"),
)
"""Settings that name an LLM profile, and what happens while that profile does not exist."""


class VaultReading:
    """A vault read from scratch, without the last good versions that a running world keeps."""

    def __init__(self, vault: Path, instead: Mapping[Path, str | None] | None = None) -> None:
        self.vault, instead = vault, instead or {}
        config = {
            one: text for one, text in instead.items() if one.is_relative_to(vault / "config") and text is not None
        }
        self.configuration = Configuration(vault, SCHEMAS, FAMILIES, config)
        self.texts = TextStore(vault / "text", SHIPPED / "text")
        self.roster = AgentDirectory(vault / "agents", SCHEMAS, instead=instead)
        self.state, self.problems = None, list[Problem]()
        try:
            self.state = read_state(vault)
        except VaultProblem as wrong_state:
            self.problems += wrong_state.problems
        homes = self.state.files if self.state else {}
        self.roster.lived(homes)
        self.world_files = WorldFiles(vault, homes, instead)
        self.world_files.minds = lambda: things_of(self.roster.drafts.values())
        self.styles = Templates(vault / "prompts/summaries", None, parse_style, "prompts/summaries")
        self.words = Templates(vault / PROMPTS, lambda: FILES, parse_prompt)
        self.templates = thought_templates(vault, self.configuration, lambda: self.roster.drafts.values())
        self.problems += [*self.configuration.load(), *self.texts.load(), *self.roster.load(None, ())]
        self.problems += [*self.styles.load(), *self.words.load(), *self.templates.load()]
        self.problems += InterpreterFiles(vault).load()
        self.files, wrong = self.world_files.load()
        self.problems += [one for one in wrong if one not in self.world_files.misleading]  # see `checked`
        self.problems += wrong_habits(self.world_files)

    def checked(self) -> Iterator[Iterable[Problem]]:
        """Yield what each check finds in all files together. Of two problems at one place only the first counts."""
        configuration, drafts = self.configuration, list(self.roster.drafts.values())  # invalid ones included
        locations = [one for one in self.world_files.named if one.kind is Kind.LOCATION]
        yield self.roster.give_way({one.thing.id: one.file for one in self.files if one.thing.id})
        yield check_names(configuration, self.texts, drafts, locations)
        named = [name for one in drafts for name in _named(one)]
        yield misleading_names([*named, *self.world_files.names], self.state.files if self.state else {})
        yield unknown_styles(configuration, [name.removesuffix(".md") for name in self.styles.there()], drafts)
        yield _unknown_templates(configuration, self.templates.there(), drafts)
        yield _beyond_windows(configuration, drafts)
        folders = [path.parent for path in matching(self.vault / "agents", "[!.]*/agent.md")]
        inside = {folder: _listed(folder) for folder in folders}  # most hold nothing else
        yield [problem for folder in folders if SEEDS in inside[folder] for problem in fresh(folder)[1]]
        yield [problem for folder in folders for problem in unreadable(folder, inside[folder])]
        yield [problem for folder in folders if ALIASES in inside[folder] for problem in wrong_aliases(folder)]
        yield [] if any(one.thing.kind is Kind.LOCATION for one in self.files) else [NOWHERE]
        yield never_begins(self.vault, self.files, configuration.get(WorldSettings).weather)
        yield check_neighbours(configuration, self.world_files)
        yield misnamed(self.vault)
        yield wrong_spending(self.vault)


def check_vault(vault: Path, look: Look = examine) -> list[Problem]:
    """Return everything that is wrong in a vault, each problem once. 100,000 entries take half a second."""
    elsewhere = list(leads_elsewhere(vault))
    return list(dict.fromkeys([*check_files(vault, elsewhere), *check_lives(vault, look=look, elsewhere=elsewhere)]))


def check_lives(
    vault: Path,
    between: Callable[[], None] = lambda: None,
    look: Look = examine,
    elsewhere: Sequence[Problem] | None = None,
) -> list[Problem]:
    """Return everything that is wrong with archives, ledger and accounts; see `mud.server.archive_checks`.

    `between` is called repeatedly; an exception it raises ends the check. `elsewhere` as in `check_files`.
    """
    roster = AgentDirectory(vault / "agents", SCHEMAS)
    with suppress(VaultProblem):
        roster.lived(state.files if (state := read_state(vault)) else {})
    roster.load(None, ())
    owners = {one.id: slug for slug, one in roster.definitions.items()}
    own = [one for one in roster.drafts.values() if owners.get(one.id, one.slug) == one.slug]
    world_files = WorldFiles(vault)
    world_files.load()
    found = [*lives.check_lives(vault, own, world_files.named, between, look), *AccountFiles(vault).load()]
    return _in_order(_not_in(list(leads_elsewhere(vault)) if elsewhere is None else elsewhere, found))


def check_files(
    vault: Path, elsewhere: Sequence[Problem] | None = None, instead: Mapping[Path, str | None] | None = None
) -> list[Problem]:
    """Return everything that is wrong in the files that people edit and in the saved state, each problem once.

    A folder that is a link and is not followed comes first. While one of `MEANT` is such a link, references between
    files are not checked, as they would all be wrong for this one reason.

    Args:
        elsewhere: known problems with links; None to look for them.
        instead: texts that are checked in place of config files, `agent.md` files and files of the world; None for one
            that goes.
    """
    reading = VaultReading(vault, instead)
    if elsewhere is None:
        elsewhere = list(leads_elsewhere(vault))
    refused = [one for one in elsewhere if (vault / one.file).is_dir()]
    tops = {PurePath(one.file).parts[0] for one in refused}
    if not tops.isdisjoint(MEANT):
        problems = [one for one in reading.problems if WORLD not in tops or not one.file.startswith(f"{WORLD}/")]
    else:
        problems = [*reading.problems, *check_texts(reading.texts)]
        for found in reading.checked():
            problems += at_other_places(problems, found)
    return list(dict.fromkeys([*_in_order(refused), *_in_order([*elsewhere, *_not_in(elsewhere, problems)])]))


def with_met(met: Iterable[Problem], vault: Path) -> list[Problem]:
    """Return what is wrong in the files, and what was met when they were opened."""
    found = check_files(vault)
    refused = [one for one in found if (vault / one.file).is_symlink()]
    return list(dict.fromkeys([*(one for one in found if one in refused), *_not_in(refused, [*met, *found])]))


def _not_in(known: Iterable[Problem], problems: Sequence[Problem]) -> list[Problem]:
    """Return the problems that are neither of these files nor of what is below them."""
    files = {one.file for one in known}
    above = ({one.file, *map(str, PurePath(one.file).parents)} for one in problems)
    return [one for one, places in zip(problems, above, strict=True) if files.isdisjoint(places)]


def _in_order(problems: Iterable[Problem]) -> list[Problem]:
    return sorted(dict.fromkeys(problems), key=lambda problem: (problem.file, problem.line))


def with_mistakes(problems: Iterable[Problem]) -> set[str]:
    """Return the files with a problem other than a missing id; no id is written to these."""
    return {one.file for one in problems if one.message != NO_ID}


def thought_templates(
    vault: Path, configuration: Configuration, everybody: Callable[[], Iterable[AgentDefinition]]
) -> Templates[Template]:
    """Return the prompt templates: the shipped ones, and those named in any settings."""

    def files() -> list[str]:
        return templates_in_use(configuration, (one.overrides for one in everybody()), vault / PROMPTS)

    return Templates(vault / PROMPTS, files, parse_template)


def check_neighbours(configuration: Configuration, world_files: WorldFiles) -> Iterator[Problem]:
    """Yield which neighbours are none, and which exits lead to worlds that are none of them."""
    hosts = set()
    for value in configuration.given(RegionSettings, "neighbours"):
        for text in value.value if isinstance(value.value, tuple) else ():
            try:
                hosts.add(parse_neighbour(text).host)
            except WrongNeighbourError as error:
                yield Problem(value.file, value.line, "neighbours", str(error))
    for host, wrong in world_files.ways_out():
        if host not in hosts:
            yield wrong(f"it leads to {host}, which is no neighbour; name that world in config/regions.md")


def wrong_habits(world_files: WorldFiles) -> list[Problem]:
    """Return what is wrong with the habits of the world's own characters."""
    locations = LocationIndex(one for one in world_files.named if one.kind is Kind.LOCATION)
    problems: list[Problem] = []
    for who, items in world_files.habits().items():
        file = world_files.homes.get(who, "world/characters")
        habits, wrong = read_habits(items, reflex=False)
        problems += [Problem(file, line, "Habits", why) for line, why in wrong]
        problems += misplaced_habits(habits, file, locations)
    return problems


def _listed(folder: Path) -> set[str]:
    try:
        with os.scandir(folder) as found:
            return {entry.name for entry in found}
    except OSError:
        return set()


def never_begins(vault: Path, files: Iterable[ThingDefinition], weather: Sequence[str]) -> list[Problem]:
    """Return the rules that wait for a weather that this world never has; none while it has no weather at all."""
    kinds = kinds_of_weather(weather)
    known = [*PARTS_OF_DAY, *map(str.casefold, kinds)]
    problems = []
    for one in files if kinds else ():
        for rule in one.thing.traits.rules:
            if isinstance(rule.trigger, Begins) and (what := rule.trigger.what) not in known:
                message = f"{what!r} never begins; {one_of(known)} (see weather in config/world.md){hint(what, known)}"
                problems.append(Problem(one.file, _line_of(vault / one.file, rule.source), "Rules", message))
    return problems


def _line_of(path: Path, text: str) -> int:
    lines = enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1)
    return next((number for number, line in lines if text in line), 1)


def wrong_aliases(folder: Path) -> list[Problem]:
    """Return what is wrong in a person's aliases, such as one that is called like a command."""
    aliases = AliasFile(folder)
    if not aliases.path.exists():
        return []
    try:
        return aliases.problems(load("mud.commands", Command, "command").joined(mind_commands()))
    except VaultProblem as wrong:
        return list(wrong.problems)


def check_names(
    configuration: Configuration, texts: TextStore, definitions: Iterable[AgentDefinition], locations: Sequence[Thing]
) -> list[Problem]:
    """Return all references to names that do not exist. Locations are not checked when there are none."""
    starts = configuration.given(WorldSettings, "start_location") if locations else []
    index, voices = LocationIndex(locations), voices_in(texts)
    problems = [_unknown(one, index.names) for one in starts if index.find(str(one.value)) is None]
    problems += [*check_profiles(configuration), *_unknown_values(configuration, configuration.given)]
    for one in definitions:
        if locations and not one.person and index.find(one.location or "") is None:
            problems.append(misplaced(one, locations))
        problems += misplaced_habits(one.habits, one.file, index) if locations else []
        problems += unknown_in(one, configuration, voices)
    return problems + names_said(texts, definitions)


def voices_in(texts: TextStore) -> list[str]:
    return _voices_of(texts.keys(VOICES))


def _voices_of(keys: Iterable[str]) -> list[str]:
    return sorted({key.split(".")[1] for key in keys if key.startswith(VOICES)})


def _no_voice(name: str, voices: Sequence[str]) -> str:
    return f"there are no texts for {name!r}; {one_of(voices)}{hint(name, voices)}"


def unknown_in(one: AgentDefinition, configuration: Configuration, voices: Sequence[str]) -> list[Problem]:
    """Return which voice, LLM profiles and times of day in an `agent.md` do not exist; locations are not checked."""
    problems = []
    if one.voice not in voices:
        problems.append(Problem(one.file, one.lines.get("voice", 0), "voice", _no_voice(one.voice, voices)))

    def own(schema: type, key: str) -> list[Value]:
        return [value] if (value := one.overrides.get(key)) is not None else []

    return problems + _unknown_values(configuration, own)


def names_said(texts: TextStore, definitions: Iterable[AgentDefinition]) -> list[Problem]:
    """Return voice texts that contain a name, since any agent with another name may speak them.

    Searched are the name of the voice and of every agent that uses it; in `WHO` texts the names of all agents.
    """
    keys = {key: texts.variants(key) for key in texts.keys(VOICES)}
    words = {word for told in keys.values() for word in _words_in(told) if word.islower()}
    speakers = [(one.voice, one.name) for one in definitions if one.name]
    by_word: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for speaker in speakers:
        by_word[_first_word(speaker[1])].append(speaker)
    problems = []
    for key, told in keys.items():
        voice, _, own = key.removeprefix(VOICES).partition(".")
        found = (one for word in (_words_in(told) | {""}) & by_word.keys() for one in by_word[word])
        names = {voice.replace("_", " ").title(), *(name for whose, name in found if whose == voice or own == WHO)}
        names = {name for name in names if name.casefold() not in RESERVED}  # refused, and words of any text
        for name, text in ((name, text) for name in sorted(names) for text in told if name in text):
            if says_name(text, name, words):
                why = f"it says the name {name}, and whoever has this voice may be called otherwise"
                problems.append(Problem(*texts.place(key), own, f"{why}; expected {{me}}: {text}"))
                break
    return problems


@lru_cache(maxsize=1 << 13)
def _words_in(told: tuple[str, ...]) -> frozenset[str]:
    return frozenset(word for text in told for word in _WORD.findall(text))


_WORD = re.compile(r"\w+")


def _first_word(name: str) -> str:
    """Return the word that a text with this name has; empty when it may have any."""
    found = _WORD.match(name)
    return found[0] if found else ""


def _named(one: AgentDefinition) -> Iterator[Named]:
    if one.name:
        yield Named(one.name, one.file, one.name_line, "", one.id)
    line = one.lines.get("aliases", 0)
    yield from (Named(alias, one.file, line, "aliases", one.id) for alias in one.aliases if alias)


def _unknown_values(configuration: Configuration, given: Callable[[type, str], Sequence[Value]]) -> list[Problem]:
    problems = []
    for value in (value for key in TIMES for value in given(ThinkingSettings, key)):
        try:
            time_of(str(value.value))
        except ValueError as error:
            problems.append(Problem(value.file, value.line, value.key, str(error)))
    profiles = configuration.names(LLMProfile)
    known = {name.lower() for name in profiles}
    for schema, key, meanwhile in PROFILES:
        unknown = (one for one in given(schema, key) if str(one.value).lower() not in known)
        # Vaults from before `dream_profile` existed may lack its default.
        problems += [
            _unknown(one, profiles, meanwhile) for one in unknown if one.line or schema is not ReflectionSettings
        ]
    return problems


def _set(configuration: Configuration, schema: type, key: str, definitions: Iterable[AgentDefinition]) -> list[Value]:
    """Return the values of a key in config and in the agents' own settings."""
    own = (one.overrides.get(key) for one in definitions)
    return [*configuration.given(schema, key), *(value for value in own if value is not None)]


def check_profiles(configuration: Configuration) -> Iterator[Problem]:
    """Yield LLM profiles without room for a prompt, with an invalid address, or with a key that must not be sent."""
    keys = ("backend", "host", "api_key_env", "num_ctx", "max_tokens")
    for name in configuration.names(LLMProfile):
        backend, host, key, window, reply = (configuration.given(LLMProfile, one, name)[-1] for one in keys)
        hosts = configuration.get_named(LLMProfile, name).hosts
        made = load("agents.llm.backends", Backend, "backend", [str(backend.value)]).get(str(backend.value))
        if made.host is named_host:
            wrong = filter(None, map(why_no_address, hosts))
            yield from (Problem(host.file, host.line, host.key, why) for why in wrong)
        if key.value:
            if why := why_not(str(key.value)):
                yield Problem(key.file, key.line, key.key, why)
            unsent = filter(None, map(why_not_to, hosts))
            yield from (Problem(host.file, host.line or key.line, host.key, why) for why in unsent)
        if name.lower() != EMBED and int(str(window.value)) - int(str(reply.value)) < MINIMUM:
            message = (
                f"{reply.value} of the {window.value} tokens of num_ctx leave less than the {MINIMUM} that a prompt "
                "takes; lower max_tokens or raise num_ctx"
            )
            yield Problem(reply.file, reply.line or window.line, reply.key, message)


def _beyond_windows(configuration: Configuration, definitions: Iterable[AgentDefinition]) -> list[Problem]:
    """Return fold thresholds larger than the context window of the LLM profile that the agent thinks with."""
    strategies, problems = load("agents.compaction.strategies", Strategy, "strategy"), []
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


def unknown_styles(
    configuration: Configuration, styles: Sequence[str], definitions: Iterable[AgentDefinition]
) -> list[Problem]:
    """Return settings with an unknown prompt style; `styles` are file names in `prompts/summaries` without endings."""
    values = _set(configuration, CompactionSettings, "prompt_style", definitions)
    return [_unknown(one, styles) for one in values if one.value not in styles]


def _unknown_templates(
    configuration: Configuration, files: Sequence[str], definitions: Iterable[AgentDefinition]
) -> list[Problem]:
    """Return settings that name an unknown prompt template; `files` are the names of the files in `vault/prompts`."""
    known = [f"{PROMPTS}/{file}" for file in files if file not in FILES]
    named = (one for one in _set(configuration, ThinkingSettings, "template", definitions) if one.value)
    return [_unknown(one, known) for one in named if file_of(str(one.value)) not in files]


def _unknown(value: Value, known: Sequence[str], meanwhile: str = "") -> Problem:
    message = f"there is no {value.value!r}{meanwhile}; {one_of(known)}{hint(str(value.value), known)}"
    return Problem(value.file, value.line, value.written, message)


_OTHERS = (
    "mud.engine.engine", "mud.server.known_hosts", "mud.server.requests", "mud.server.text_lookup",
    "mud.server.narrative", "mud.server.model_settings", "mud.server.reloading", "mud.commands._here",
    "mud.commands._things",
    "mud.commands._command", "mud.server.accounts", "mud.server.away", "mud.server.questions",
    "mud.server.building.answers", "mud.server.building.files", "mud.server.building.minds",
    "mud.server.building.places", "mud.server.building.request", "mud.server.building.texts",
    "mud.server.building.things", "mud.server.regions.arrivals", "mud.server.regions.departures",
    "mud.server.regions.regions",
    "mud.portal.phrases", "mud.portal.terminal_words",
    "agents.text.daytime", "agents.life.scheduler",
    "agents.life.prompting", "agents.commands._answer", "agents.commands._answer", "agents.reflection.dreams",
    "agents.reflection", "agents.reflection.insights", "agents.reflection.note_taking",
)  # fmt: skip
"""Modules with phrases that are no plug-ins; given as names because some of them import this module."""


def check_texts(texts: TextStore) -> list[Problem]:
    """Return what is wrong with the vault's texts: the program's phrases and the voices."""
    return texts.check(load_phrases(), check_voices, check_word_lists)


def check_voices(texts: Mapping[str, Text]) -> list[Problem]:
    below: dict[str, dict[str, Text]] = {DEFAULT_VOICE: {}}
    for key, text in sorted(texts.items()):
        if key.startswith(VOICES):
            voice, _, own = key.removeprefix(VOICES).partition(".")
            below.setdefault(voice, {})[own] = text
    problems: list[Problem] = []
    told = {voice: {own: text.variants for own, text in found.items()} for voice, found in below.items()}
    for voice, found in below.items():
        default = None if voice == DEFAULT_VOICE else told[DEFAULT_VOICE]
        for own, message in wrong_in(told[voice], _is_ignorant, default):
            file, line = (found[own].file, found[own].line) if own in found else (f"text/instinct/{voice}.md", 0)
            problems.append(Problem(file, line, own, message))
    return problems


@lru_cache(maxsize=1 << 12)
def _is_ignorant(text: str) -> bool:
    return shipped_interpreter().words.is_ignorant(text)


def check_word_lists(texts: Mapping[str, Text]) -> list[Problem]:
    """Return the places of texts under `text/generate/` that nothing fills, and the voices there without texts."""
    problems = [
        Problem(text.file, text.line, key, f"{{{place}}} is no place of this text; {one_of(GENERATED)}")
        for key, text in texts.items()
        if key.startswith(GENERATE)
        for place in sorted(text.places - set(GENERATED))
    ]
    if listed := texts.get(GENERATED_VOICES):
        known = _voices_of(texts)
        problems += [
            Problem(listed.file, listed.line, listed.key, _no_voice(name, known))
            for name in listed.variants
            if name not in known
        ]
    return problems


def load_phrases() -> list[Phrase]:
    others = map(importlib.import_module, _OTHERS)
    homes = (*others, *modules("mud.commands"), *modules("agents.commands"))
    found = (value for module in homes for value in vars(module).values() if isinstance(value, Phrase))
    return list({value.key: value for value in found}.values())
