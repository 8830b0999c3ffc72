"""Who an agent is, as its `agent.md` says: read from the file, and written once for somebody new.

The file belongs to people; after its first writing the program changes only single keys and sections in it, when a
command asks for that: see `definition_edits`.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from agents.definition_edits import as_meant
from mud.errors import LociError, Problem, Refusal, VaultProblem
from mud.registry import hint, plug_in_names
from mud.sanitize import sanitize, visible
from mud.storage.documents import Document, examine_document, link_name, render_document, salvage_document
from mud.storage.files import free_stem, read_if_there, read_text, slugify, write_atomic
from mud.storage.paths import make_folder
from mud.storage.settings import Value, one_of, parse_overrides
from mud.world.matching import plain
from mud.world.names import misleading
from mud.world.things import Kind, Thing
from mud.world.world import World

LONGEST_NAME = 60
"""Characters of a character's name."""

BRAINS = ("auto", *plug_in_names("agents.brains"))
"""What a file may name as its brain."""

_OWN_KEYS = ("id", "type", "aliases", "location", "brain", "voice", "goal")
_ID = re.compile(r"#[0-9]{1,12}")


@dataclass(frozen=True, slots=True)
class AgentDefinition:
    """One `agent.md`.

    Args:
        slug: name of its folder.
        id: id of its character; empty when the file has none yet.
        name: the name as shown.
        aliases: further names.
        location: name or id of where it starts; None for a person.
        person: somebody plays it; it has no Thinker.
        brain: name of a brain, or `auto`.
        voice: the set of texts it speaks with.
        goal: what it wants.
        description: what others see.
        profile: who it is.
        own_goal, own_description, own_profile: the same as the agent itself says, where it may (`self_changes`); they
            stand beside what people wrote, in sections of their own.
        overrides: settings of its own, over those in `config/`.
        lines: line of each key of its front matter, for what is found wrong with it later.
        name_line: the line of its name.
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
        """Its file's path inside the vault, as it is told."""
        return visible(f"agents/{self.slug}/agent.md")

    @property
    def names(self) -> tuple[str, ...]:
        """The name and the aliases."""
        return (self.name, *self.aliases)

    def thing(self) -> Thing:
        """Return its character as the world has it."""
        looks = " ".join(text for text in (self.description, self.own_description) if text)
        return Thing(self.id, Kind.CHARACTER, self.name, looks, self.aliases, thinks=not self.person)


def read_definition(folder: Path, schemas: Mapping[str, type]) -> tuple[AgentDefinition | None, list[Problem]]:
    """Read `agent.md` in an agent's folder.

    Args:
        folder: `vault/agents/<slug>`.
        schemas: the settings that an agent may override.

    Returns:
        What could be read, with defaults for what is wrong, and everything that is wrong; None instead of a definition
        when nothing of the front matter can be read.

    Raises:
        VaultProblem: when the file is no text.
    """
    return parse_definition(read_text(folder / "agent.md", file=f"agents/{folder.name}/agent.md"), folder.name, schemas)


def parse_definition(text: str, slug: str, schemas: Mapping[str, type]) -> tuple[AgentDefinition | None, list[Problem]]:
    """Return what the text of an `agent.md` says, and what is wrong with it, as `read_definition` does.

    Args:
        text: the whole file.
        slug: name of its folder.
        schemas: the settings that an agent may override.
    """
    file = f"agents/{slug}/agent.md"
    document, problems = examine_document(text, file)
    if problems and not document.front:
        return None, problems
    return _definition(slug, document, schemas, problems), problems


def salvage_definition(folder: Path, schemas: Mapping[str, type]) -> AgentDefinition | None:
    """Return what can be read, key by key, of an `agent.md` that is not in order; None of one that is no text.

    Args:
        folder, schemas: as for `read_definition`, which says what is wrong.
    """
    with suppress(VaultProblem):
        document = salvage_document(read_if_there(folder / "agent.md", file=f"agents/{folder.name}/agent.md") or "")
        return _definition(folder.name, document, schemas, [])
    return None


def _definition(slug: str, document: Document, schemas: Mapping[str, type], problems: list[Problem]) -> AgentDefinition:
    """Return what a document says of somebody, with defaults for what is wrong, which is added to the problems."""
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
    """Reads the front matter field by field, noting what is wrong."""

    def __init__(self, document: Document, file: str, problems: list[Problem]) -> None:
        self._document = document
        self._file = file
        self._problems = problems

    def _wrong(self, key: str, expected: str) -> None:
        value = self._document.front.get(key)
        self._problems.append(
            Problem(self._file, self._document.lines.get(key, 1), key, f"{value!r} is wrong; expected {expected}")
        )

    def name(self) -> str:
        title = (self._document.title or "").strip()
        why = "there is no name" if not title else ""
        if self._document.title_hides:
            why = "the name holds characters that nobody can see"
        try:
            title = check_name(title) if title and not why else title
        except Refusal as refusal:
            why = refusal.text.rstrip(".")
        if why:
            self._problems.append(
                Problem(self._file, self._document.body_line, "", f"{why}; expected a line '# Name' that can be typed")
            )
        return "" if why else title

    def id(self) -> str:
        if "id" not in self._document.front:
            return ""
        value = self._document.front["id"]
        if isinstance(value, str) and _ID.fullmatch(value):
            return value
        self._wrong("id", '# and at most 12 digits in quotes, such as "#2001" (without quotes # begins a comment)')
        return ""

    def text(self, key: str, default: str) -> str:
        value = self._document.front.get(key, default)
        if value is None:  # a key without a value is one not yet filled in
            return default
        if not isinstance(value, str):
            self._wrong(key, "a text; put it in quotation marks")
            return default
        return value

    def choice(self, key: str, default: str, choices: tuple[str, ...]) -> str:
        value = self._document.front.get(key, default)
        if value not in choices:
            self._wrong(key, f"one of {', '.join(choices)}{hint(str(value), choices)}")
            return default
        return str(value)

    def texts(self, key: str) -> tuple[str, ...]:
        value = self._document.front.get(key) or ()
        if not isinstance(value, (list, tuple)) or not all(isinstance(one, str) for one in value):
            self._wrong(key, "a list of texts, such as [boatwright]")
            return ()
        return tuple(value)


def check_name(name: str) -> str:
    """Return a character's name without spaces around it.

    Raises:
        Refusal: when it cannot be one.
    """
    clean = " ".join(name.split())
    if not clean or not any(letter.isalnum() for letter in clean):
        raise Refusal("A name needs at least one letter or digit.")
    if len(clean) > LONGEST_NAME or sanitize(clean) != clean or len(name.strip().splitlines()) > 1:
        raise Refusal(f"A name has at most {LONGEST_NAME} characters, all of them visible.")
    if clean.startswith(("#", "-")) or any(mark in clean for mark in '"|[]{}/\\'):
        raise Refusal('A name may not begin with # or - nor hold any of " | [ ] { } / \\')
    return clean


def check_free(name: str, world: World) -> None:
    """Make sure that nothing in the world has a name that somebody new is to have, nor one that looks like it.

    Raises:
        LociError: says what has it, or what the name would be taken for.
    """
    why = misleading(name, (own for one in world.things.values() for own in one.names))
    if why:
        raise LociError(f"{why}; take another name")
    found = world.called(name)
    if found is not None and found.kind is Kind.CHARACTER:
        raise LociError(f"somebody is called {name} already, and has no memory: {name} is one of the world's own")
    if found is not None:
        raise LociError(f"the {found.kind.value} {found.name} has the name {name} already; take another name")


def check_unread(name: str, agents: Path, read: Container[str]) -> None:
    """Make sure that somebody new is not somebody whose file could not be read.

    Args:
        name: what the new one is to be called.
        agents: `vault/agents`.
        read: the slugs of those whose file was read, whatever was wrong with it.

    Raises:
        LociError: names the file.
    """
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
    """Write the `agent.md` of somebody new.

    A person's folder gets a `.gitignore` of its own, so that visiting does not dirty the checkout.

    Args:
        agents: `vault/agents`.
        name: its name, already checked.
        id: id of its character.
        person: somebody plays it.
        location: name of where it starts, for an agent.
        description, profile: what others see, and who it is; a person has no profile.
        more: further keys of its front matter.
        slug: name of its folder; a free one like its name when None.

    Returns:
        The slug of the new folder; an agent's may be one in which people wrote memories for it.
    """
    if slug is None:
        folders = agents.iterdir() if agents.is_dir() else ()
        slug = free_stem({folder.name for folder in folders if person or not _awaits(folder)}, slugify(name))
    front: dict[str, object] = {"id": id, "type": "person" if person else "agent"}
    if location is not None:
        front["location"] = f"[[{location}]]"
    sections = {"Description": description} if person else {"Description": description, "Profile": profile}
    told = [f"## {title}\n" + (f"{text}\n" if text else "") for title, text in sections.items()]
    body = "\n".join([f"# {name}\n", *told])
    make_folder(agents)  # a vault may have had nobody yet
    write_atomic(agents / slug / "agent.md", render_document({**front, **more}, body))
    if person:
        write_atomic(agents / slug / ".gitignore", "*\n")
    return slug


def _awaits(folder: Path) -> bool:
    """Return whether nothing lies in a folder but memories that people wrote for somebody who is still to come."""
    return folder.is_dir() and [path.name for path in folder.iterdir()] == ["memories"]


def find_definition(wanted: str, definitions: Mapping[str, AgentDefinition]) -> AgentDefinition | None:
    """Return the definition that a name, slug or id means, in any case; None when none does."""
    key = wanted.strip().casefold()
    if not key:
        return None
    for definition in definitions.values():
        if key in (definition.slug.casefold(), definition.id.casefold(), definition.name.casefold()):
            return definition
    for definition in definitions.values():
        if plain(key) in (plain(name) for name in definition.names):
            return definition
    return None


def find_location(wanted: str, locations: Iterable[Thing]) -> Thing | None:
    """Return the location that a link, a name or an id means exactly; None when none does."""
    target = link_name(wanted) or wanted.strip()
    name = plain(target)
    for one in locations:
        if target == one.id or name in {plain(own) for own in one.names}:
            return one
    return None


def misplaced(definition: AgentDefinition, locations: Iterable[Thing]) -> Problem:
    """Return the problem that an agent's file puts it nowhere."""
    names = [one.name for one in locations]
    wanted = definition.location or ""
    message = f"there is no location {wanted!r}; {one_of(names)}{hint(link_name(wanted) or wanted, names)}"
    return Problem(definition.file, definition.lines.get("location", 0), "location", message)
