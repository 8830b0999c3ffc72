"""The definition of an agent, as in its `agent.md`: reading it, and writing a new one.

The file belongs to people. Later the program changes only single keys and sections; see `definition_edits`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from agents.text.habits import Habit, read_habits
from mud.errors import LociError, Problem, Refusal, VaultProblem
from mud.registry import hint, plug_in_names
from mud.sanitize import sanitize, visible
from mud.storage.document_edits import as_meant, replace_section
from mud.storage.documents import (
    Document,
    examine_document,
    link_name,
    parse_document,
    render_document,
    replace_key,
    salvage_document,
)
from mud.storage.files import free_stem, read_if_there, read_text, slugify, write_atomic
from mud.storage.paths import make_folder
from mud.storage.settings import Value, one_of, parse_overrides
from mud.world.matching import plain
from mud.world.names import misleading
from mud.world.things import Kind, Thing
from mud.world.world import World

HABITS = ("Habits", "Reflexes")
LONGEST_NAME = 60
"""In characters."""

BRAINS = ("auto", *plug_in_names("agents.brains"))

_OWN_KEYS = ("id", "type", "aliases", "location", "brain", "voice", "goal")
_ID = re.compile(r"#[0-9]{1,12}")


@dataclass(frozen=True, slots=True)
class AgentDefinition:
    """One `agent.md`.

    Args:
        slug: name of its folder.
        id: id of its character; empty when the file has none yet.
        location: name or id of where it starts; None for a person.
        brain: name of a brain, or `auto`.
        voice: name of a set of texts.
        habits: what it does by habit, and at once when something happens.
        description: what others see.
        own_goal, own_description, own_profile: written by the agent itself (`self_changes`), in sections of their own.
        overrides: own settings over those in `config/`.
        lines: line of each key of the front matter, for later problems.
    """

    slug: str
    id: str
    name: str
    aliases: tuple[str, ...] = ()
    location: str | None = None
    person: bool = False
    brain: str = "auto"
    voice: str = "default"
    goal: str = ""
    habits: tuple[Habit, ...] = ()
    description: str = ""
    profile: str = ""
    own_goal: str = ""
    own_description: str = ""
    own_profile: str = ""
    overrides: Mapping[str, Value] = field(default_factory=dict)
    lines: Mapping[str, int] = field(default_factory=dict)
    name_line: int = 1

    @property
    def file(self) -> str:
        """Path inside the vault, as shown to people."""
        return visible(f"agents/{self.slug}/agent.md")

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.aliases)

    def thing(self) -> Thing:
        looks = " ".join(text for text in (self.description, self.own_description) if text)
        return Thing(self.id, Kind.CHARACTER, self.name, looks, self.aliases, thinks=not self.person)


def things_of(definitions: Iterable[AgentDefinition]) -> list[Thing]:
    """Return the characters of agents; persons come and go, and are left out."""
    return [one.thing() for one in definitions if not one.person]


def read_definition(folder: Path, schemas: Mapping[str, type]) -> tuple[AgentDefinition | None, list[Problem]]:
    """Read an agent's file; return the definition, with defaults for what is wrong, and all problems.

    The definition is None when nothing of the front matter can be read. Raises VaultProblem when the file is no text.
    """
    return parse_definition(read_text(folder / "agent.md", file=f"agents/{folder.name}/agent.md"), folder.name, schemas)


def parse_definition(text: str, slug: str, schemas: Mapping[str, type]) -> tuple[AgentDefinition | None, list[Problem]]:
    """Parse the text of an `agent.md`; returns what `read_definition` does."""
    definition, problems = _parsed(text, slug, tuple(schemas.items()))
    return definition, list(problems)


@lru_cache(maxsize=1 << 15)
def _parsed(
    text: str, slug: str, schemas: tuple[tuple[str, type], ...]
) -> tuple[AgentDefinition | None, tuple[Problem, ...]]:
    """Cached: the checks read the same files again, and after an edit only one is another."""
    document, problems = examine_document(text, f"agents/{slug}/agent.md")
    if problems and not document.front:
        return None, tuple(problems)
    definition = _definition(slug, document, dict(schemas), problems)
    return definition, tuple(problems)


def salvage_definition(folder: Path, schemas: Mapping[str, type]) -> AgentDefinition | None:
    """Return what can be read, key by key, of a malformed `agent.md`; None when it is no text."""
    with suppress(VaultProblem):
        document = salvage_document(read_if_there(folder / "agent.md", file=f"agents/{folder.name}/agent.md") or "")
        return _definition(folder.name, document, schemas, [])
    return None


def _definition(slug: str, document: Document, schemas: Mapping[str, type], problems: list[Problem]) -> AgentDefinition:
    """Build a definition with defaults for what is wrong; add the problems found to `problems`."""
    file = f"agents/{slug}/agent.md"
    overrides, wrong = parse_overrides(document.front, document.lines, schemas, file, _OWN_KEYS)
    problems += wrong
    reader = _Front(document, file, problems)
    return AgentDefinition(
        slug=slug,
        id=reader.id(),
        name=reader.name(),
        aliases=reader.texts("aliases"),
        location=reader.text("location", "") or None,
        person=reader.choice("type", "agent", ("agent", "person")) == "person",
        brain=reader.choice("brain", "auto", BRAINS),
        voice=reader.text("voice", "default"),
        goal=reader.text("goal", ""),
        habits=reader.habits(),
        description=_section(document, "Description"),
        profile=_section(document, "Profile"),
        own_goal=_section(document, "Own goal"),
        own_description=_section(document, "Own description"),
        own_profile=_section(document, "Own profile"),
        overrides=overrides,
        lines=document.lines,
        name_line=document.title_line,
    )


def _section(document: Document, heading: str) -> str:
    return as_meant((document.section(heading) or "").strip())


class _Front:
    """Reads the front matter field by field and collects the problems."""

    def __init__(self, document: Document, file: str, problems: list[Problem]) -> None:
        self._document, self._front, self._file, self._problems = document, document.front, file, problems

    def _wrong(self, key: str, expected: str) -> None:
        why = f"{self._front.get(key)!r} is wrong; expected {expected}"
        self._problems.append(Problem(self._file, self._document.lines.get(key, 1), key, why))

    def name(self) -> str:
        title = (self._document.title or "").strip()
        why = "" if title else "there is no name"
        if self._document.title_hides:
            why = "the name holds characters that nobody can see"
        if not why:
            try:
                return check_name(title)
            except Refusal as refusal:
                why = refusal.text.rstrip(".")
        told = f"{why}; expected a line '# Name' that can be typed"
        self._problems.append(Problem(self._file, self._document.body_line, "", told))
        return ""

    def id(self) -> str:
        value = self._front.get("id", "")
        if "id" not in self._front or (isinstance(value, str) and _ID.fullmatch(value)):
            return str(value)
        self._wrong("id", '# and at most 12 digits in quotes, such as "#2001" (without quotes # begins a comment)')
        return ""

    def text(self, key: str, default: str) -> str:
        value = self._front.get(key, default)
        if value is None:  # a key without a value is not filled in yet
            return default
        if not isinstance(value, str):
            self._wrong(key, "a text; put it in quotation marks")
            return default
        return value

    def choice(self, key: str, default: str, choices: tuple[str, ...]) -> str:
        value = self._front.get(key, default)
        if value not in choices:
            self._wrong(key, f"one of {', '.join(choices)}{hint(str(value), choices)}")
            return default
        return str(value)

    def habits(self) -> tuple[Habit, ...]:
        found: list[Habit] = []
        for heading in HABITS:
            habits, wrong = read_habits(self._document.items(heading), reflex=heading == "Reflexes")
            found += habits
            self._problems += [Problem(self._file, line, heading, why) for line, why in wrong]
        return tuple(found)

    def texts(self, key: str) -> tuple[str, ...]:
        value = self._front.get(key) or ()
        if isinstance(value, (list, tuple)) and all(isinstance(one, str) for one in value):
            return tuple(value)
        self._wrong(key, "a list of texts, such as [boatwright]")
        return ()


def check_name(name: str) -> str:
    """Return a name with single spaces. Raises Refusal when it is not allowed."""
    clean = " ".join(name.split())
    if not clean or not any(letter.isalnum() for letter in clean):
        raise Refusal("A name needs at least one letter or digit.")
    if len(clean) > LONGEST_NAME or sanitize(clean) != clean or len(name.strip().splitlines()) > 1:
        raise Refusal(f"A name has at most {LONGEST_NAME} characters, all of them visible.")
    if clean.startswith(("#", "-")) or any(mark in clean for mark in '"|[]{}/\\'):
        raise Refusal('A name may not begin with # or - nor hold any of " | [ ] { } / \\')
    return clean


def check_free(name: str, world: World) -> None:
    """Raise LociError when a new name is taken in the world, or looks like one that is."""
    why = misleading(name, (own for one in world.things.values() for own in one.names))
    if why:
        raise LociError(f"{why}; take another name")
    found = world.called(name)
    if found is not None and found.kind is Kind.CHARACTER:
        raise LociError(f"somebody is called {name} already, and has no memory: {name} is one of the world's own")
    if found is not None:
        raise LociError(f"the {found.kind.value} {found.name} has the name {name} already; take another name")


def check_unread(name: str, agents: Path, read: Container[str]) -> None:
    """Raise LociError when a new name may be that of an unreadable file. `read`: slugs of the files that were read."""
    slug = slugify(name)
    if slug not in read and (agents / slug / "agent.md").exists():
        raise LociError(f"agents/{slug}/agent.md could not be read, and may be {name}'s; mend it, or take another name")


def write_definition(
    agents: Path,
    name: str,
    id: str,
    *,
    person: bool,
    location: str | None = None,
    description: str = "",
    profile: str = "",
    more: Mapping[str, object] = MappingProxyType({}),
    slug: str | None = None,
) -> str:
    """Write a new `agent.md`; return the slug of its folder.

    A person's folder gets a `.gitignore`, so that visits do not dirty the checkout. An agent may get a folder in which
    there are only hand-written memories.

    Args:
        name: already checked.
        description, profile: a person has no profile.
        more: further keys of the front matter.
        slug: None for a free one made from the name.
    """
    slug = slug or free_slug(agents, name, person=person)
    text = render_definition(
        name, id, person=person, location=location, description=description, profile=profile, more=more
    )
    make_folder(agents)  # a vault may have had no agents yet
    write_atomic(agents / slug / "agent.md", text)
    if person:
        write_atomic(agents / slug / ".gitignore", "*\n")
    return slug


def free_slug(agents: Path, name: str, *, person: bool) -> str:
    """Return the name of the folder for somebody new."""
    folders = agents.iterdir() if agents.is_dir() else ()
    return free_stem({folder.name for folder in folders if person or not _awaits(folder)}, slugify(name))


def render_definition(
    name: str,
    id: str,
    *,
    person: bool,
    location: str | None = None,
    description: str = "",
    profile: str = "",
    more: Mapping[str, object] = MappingProxyType({}),
    habits: Sequence[str] = (),
) -> str:
    """Return the text of a new `agent.md`; arguments as of `write_definition`, and the items under `## Habits`."""
    front: dict[str, object] = {"id": id, "type": "person" if person else "agent"}
    if location is not None:
        front["location"] = f"[[{location}]]"
    sections = {"Description": description} if person else {"Description": description, "Profile": profile}
    if habits:
        sections["Habits"] = "\n".join(f"- {habit}" for habit in habits)
    told = [f"## {title}\n" + (f"{text}\n" if text else "") for title, text in sections.items()]
    return render_document({**front, **more}, "\n".join([f"# {name}\n", *told]))


def _awaits(folder: Path) -> bool:
    """Return whether a folder holds only memories written for a future agent."""
    return folder.is_dir() and [path.name for path in folder.iterdir()] == ["memories"]


def find_definition(wanted: str, definitions: Mapping[str, AgentDefinition]) -> AgentDefinition | None:
    """Return the definition with this name, slug, id or alias, in any case."""
    key = wanted.strip().casefold()
    exact = (one for one in definitions.values() if key in map(str.casefold, (one.slug, one.id, one.name)))
    alike = (one for one in definitions.values() if plain(key) in map(plain, one.names))
    return next(chain(exact, alike), None) if key else None


class LocationIndex:
    """Locations by their ids and names, so that a lookup takes the same time for any number of them."""

    def __init__(self, locations: Iterable[Thing]) -> None:
        self.all = list(locations)
        self.names = [one.name for one in self.all]
        self._by_id: dict[str, int] = {}
        self._by_name: dict[str, int] = {}
        for place, one in enumerate(self.all):
            self._by_id.setdefault(one.id, place)
            for name in one.names:
                self._by_name.setdefault(plain(name), place)

    def find(self, wanted: str) -> Thing | None:
        """Return the first location that a link, a name or an id means exactly."""
        target = link_name(wanted) or wanted.strip()
        found = [place for place in (self._by_id.get(target), self._by_name.get(plain(target))) if place is not None]
        return self.all[min(found)] if found else None


def find_location(wanted: str, locations: Iterable[Thing]) -> Thing | None:
    """Return what `LocationIndex.find` does, for a single lookup."""
    return LocationIndex(locations).find(wanted)


def misplaced(definition: AgentDefinition, locations: Iterable[Thing]) -> Problem:
    """Return the problem of a definition with an unknown location."""
    names = [one.name for one in locations]
    wanted = definition.location or ""
    message = f"there is no location {wanted!r}; {one_of(names)}{hint(link_name(wanted) or wanted, names)}"
    return Problem(definition.file, definition.lines.get("location", 0), "location", message)


def misplaced_habits(habits: Iterable[Habit], file: str, locations: LocationIndex) -> list[Problem]:
    """Return the problems of habits in unknown locations, of a file as shown to people."""
    return [
        Problem(file, one.line, "Habits", f"there is no location {one.place!r}{hint(one.place, locations.names)}")
        for one in habits
        if one.place and locations.find(one.place) is None
    ]


# ---- changes of one key or section ----

FOLDER = "versions"
WRITTEN = "written"
"""File with the digest of the text that a command wrote last; any other text was written by people."""
MOST = 50
"""Texts of commands kept per file, undone ones included; the oldest goes first."""
SECTIONS = {"profile": "Profile", "description": "Description"}
"""Fields that are sections, with their headings; others are front matter keys."""
_UNSET = {"goal": "", "brain": "auto"}
"""The values of keys that are missing."""
FIELDS = (*SECTIONS, "goal", "brain", "think_interval", "strategy", "preset", "auto_enabled")
"""Fields that commands may change; files named after anything else are ignored."""
AGENT = "agent"
_NAME = re.compile(rf"\w+-(\d{{8}}-\d{{6}})(?:-(\d+))?-({'|'.join(FIELDS)})(-command)?(-undone)?\.md")


class DefinitionVersion(NamedTuple):
    """An earlier text.

    Args:
        field: the changed key, or a section's name in lower case.
        command: whether a command had written this text.
        undone: whether the change that made this text was undone.
    """

    path: Path
    field: str
    order: tuple[str, int]
    command: bool
    undone: bool


def versions(folder: Path, file: str = AGENT) -> list[DefinitionVersion]:
    """Return the earlier texts of a file in a folder, oldest first."""
    found = [
        DefinitionVersion(path, name[3], (name[1], int(name[2] or 1)), bool(name[4]), bool(name[5]))
        for path in (folder / FOLDER).glob(f"{file}-*.md")
        if (name := _NAME.fullmatch(path.name))
    ]
    return sorted(found, key=lambda one: one.order)


def keep(folder: Path, text: str, changed: str, field: str, now: datetime, file: str = AGENT) -> None:
    """Keep a text before a command replaces it by `changed`, and delete the oldest texts of commands."""
    stamp, known = now.astimezone(UTC).strftime("%Y%m%d-%H%M%S"), versions(folder, file)
    number = max((one.order[1] for one in known if one.order[0] == stamp), default=0) + 1
    by = "-command" if _by_command(folder, text) else ""
    write_atomic(folder / FOLDER / f"{file}-{stamp}{f'-{number}' if number > 1 else ''}-{field}{by}.md", text)
    _wrote(folder, changed)
    own = [one for one in versions(folder, file) if one.command]
    for one in own[: max(0, len(own) - MOST)]:
        one.path.unlink(missing_ok=True)


def follow(folder: Path, text: str, changed: str) -> None:
    """Record a change without keeping the text: a command's text stays one, a person's stays theirs."""
    if _by_command(folder, text):
        _wrote(folder, changed)


def _by_command(folder: Path, text: str) -> bool:
    """Return whether a command wrote this text last; False when unknown."""
    try:
        return read_if_there(folder / FOLDER / WRITTEN) == _digest(text)
    except VaultProblem:
        return False


def _wrote(folder: Path, text: str | None) -> None:
    write_atomic(folder / FOLDER / WRITTEN, _digest(text) if text is not None else "")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def last_change(folder: Path) -> DefinitionVersion | None:
    """Return the text before the last change that was not undone."""
    return next((one for one in reversed(versions(folder)) if not one.undone), None)


def put_aside(version: DefinitionVersion, undone: str, back: str) -> None:
    """Keep the text of a change that is being undone. `undone`: the current file; `back`: the file afterwards."""
    folder = version.path.parent.parent
    by = "-command" if _by_command(folder, undone) else ""
    write_atomic(version.path.with_name(f"{version.path.stem.removesuffix('-command')}{by}-undone.md"), undone)
    again = version.command and back == read_text(version.path, file=version.path.name)
    _wrote(folder, back if again else None)


def taken_back(text: str, version: DefinitionVersion, file: str) -> str:
    """Return a file's text with one change undone; byte for byte as before when nothing else changed.

    Raises OSError or VaultProblem, also when the key was missing before and has no default.
    """
    field, before = version.field, read_text(version.path, file=version.path.name)
    then, now = parse_document(before, version.path.name), parse_document(text, file)
    heading = SECTIONS.get(field)
    if heading is not None:
        old, new = (as_meant((one.section(heading) or "").strip()) for one in (then, now))
        if replace_section(before, heading, new, file) == text:
            return before
        return replace_section(text, heading, old, file)
    if replace_key(before, field, now.front.get(field), file) == text:
        return before
    if field not in then.front and field not in _UNSET:
        raise VaultProblem([Problem(file, now.lines.get(field, 0), field, "it was not set before; take its line out")])
    return replace_key(text, field, then.front.get(field, _UNSET.get(field)), file)
