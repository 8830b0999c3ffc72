"""Everybody there is, by folder: every `agent.md` as it was last read without a mistake.

No two have one id or one name; whoever comes later gives way, and a copy of a folder to the folder it was made from. Of
the files only a missing id is ever written.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from agents.definition import (
    AgentDefinition,
    find_definition,
    find_location,
    misplaced,
    parse_definition,
    read_definition,
    salvage_definition,
)
from mud.errors import Problem, VaultProblem
from mud.sanitize import visible
from mud.storage.documents import replace_key
from mud.storage.files import read_if_there, read_text, slugify, write_atomic
from mud.world.matching import plain
from mud.world.things import Kind
from mud.world.world import World

AGENT = "agent.md"
"""The file in an agent's folder that says who it is."""


class AgentDirectory:
    """The definitions of one vault.

    Args:
        folder: `vault/agents`.
        schemas: the settings that an agent may override.
    """

    def __init__(self, folder: Path, schemas: Mapping[str, type]) -> None:
        self.definitions: dict[str, AgentDefinition] = {}
        self.drafts: dict[str, AgentDefinition] = {}
        """Everybody as last read, mistakes and all: what is held against other files, so that no mistake hides one."""
        self.homes: dict[str, str] = {}
        """The folder of each id, as the saved state has it and as they were read since."""
        self.wrong: dict[str, list[Problem]] = {}
        """What is wrong with each `agent.md` as it was last read, by folder."""
        self._unwritten: set[str] = set()
        """The folders whose id is known and does not stand in their file."""
        self.unknown_in: Callable[[AgentDefinition], list[Problem]] = lambda definition: []
        """Returns what a definition names that there is not, locations aside."""
        self._folder = folder
        self._schemas = schemas

    def lived(self, files: Mapping[str, str]) -> None:
        """Know whose each folder was when the world was left: of two with one id it stays theirs.

        Args:
            files: the file of everything, by id, as the saved state has it.
        """
        inside = ((one, Path(file).parts) for one, file in files.items())
        self.homes = {one: parts[1] for one, parts in inside if parts[:1] == ("agents",) and len(parts) == 3}

    def load(self, world: World | None, keep: Collection[str]) -> list[Problem]:
        """Read every `agent.md`; one that is wrong keeps its last good reading, one that was never right stays out.

        At the start there is no last good reading yet, and what can be read of a wrong one is gone by.

        Args:
            world: the running world; None at the start.
            keep: folders that stay although their file is gone.

        Returns:
            What is wrong, all of it.
        """
        problems: list[Problem] = []
        found = {path.parent.name for path in self._folder.glob("[!.]*/agent.md")} if self._folder.is_dir() else set()
        read = {slug: self._read(slug) for slug in found}
        copies = self._copies([one for one, _ in read.values() if one is not None])
        homes = set(self.homes.values())
        order = sorted(found, key=lambda slug: (slug not in self.definitions, slug in copies, slug not in homes, slug))
        for slug in order:
            problems += self._take(slug, *read[slug], world)
        for known in (self.definitions, self.drafts):
            for slug in set(known) - found - set(keep):
                del known[slug]
        return problems + at_other_places(problems, self._clashes_of_drafts())

    def load_one(self, slug: str, world: World | None) -> list[Problem]:
        """Read one `agent.md`; return what is wrong with it. One that is empty or has vanished is an edit in progress.

        Args:
            slug: name of its folder.
            world: the running world; None at the start.
        """
        return self._take(slug, *self._read(slug), world)

    def _read(self, slug: str) -> tuple[AgentDefinition | None, list[Problem]]:
        """Return what an `agent.md` says and what is wrong with it by itself; neither of one that is being edited."""
        folder = self._folder / slug
        try:
            text = read_if_there(folder / "agent.md", file=agent_file(slug))
            if slug in self.definitions and not (text or "").strip():
                return None, []
            return read_definition(folder, self._schemas)
        except VaultProblem as wrong:
            return None, list(wrong.problems)

    def _take(
        self, slug: str, definition: AgentDefinition | None, problems: list[Problem], world: World | None
    ) -> list[Problem]:
        """Take up an `agent.md` as it was read, when nothing is wrong with it or the world starts; return what is."""
        starts = world is None and slug not in self.definitions
        self.wrong[slug] = problems
        if definition is None:
            if problems:
                self.drafts.pop(slug, None)
                if starts and (salvaged := salvage_definition(self._folder / slug, self._schemas)) is not None:
                    self._begin_with(salvaged)
            return problems
        if not definition.id and "id" not in definition.lines:
            definition = replace(definition, id=self._own_id(slug))
            self._unwritten |= {slug} if definition.id else set()
        self.drafts[slug] = definition
        problems += at_other_places(problems, self._held_against_others(definition, world))
        if not problems:
            self._use(definition)
        elif starts:
            self._begin_with(definition)
        return problems

    def _held_against_others(self, definition: AgentDefinition, world: World | None) -> list[Problem]:
        """Return what is wrong with a definition beside what is wrong in its file by itself."""
        found = [*self._clashes(definition), *(_taken(definition, world) or self._moved_nowhere(definition, world))]
        return found + (self._names_nothing(definition) if world is not None else [])

    def would_be_wrong(self, slug: str, text: str, world: World | None) -> list[Problem]:
        """Return what would be wrong with the `agent.md` of somebody who is here, were this its text.

        Args:
            slug: name of its folder.
            text: the whole file; its id and its type are to stay as they are.
            world: the running world; None at the start.
        """
        definition, problems = parse_definition(text, slug, self._schemas)
        if definition is None:
            return problems
        now = self.definitions[slug]
        fixed = ((now.id, definition.id, "id"), (now.person, definition.person, "type"))
        problems += [_wrong(definition, key, "no command may change it") for was, new, key in fixed if was != new]
        return problems + at_other_places(problems, self._held_against_others(definition, world))

    def _begin_with(self, definition: AgentDefinition) -> None:
        """Go by what could be read of a wrong file, unless it does not say who that is or takes what is another's."""
        slug = definition.slug
        own = self._own_id(slug) or definition.id
        name = definition.name or self.called(slug)
        one = definition if (own, name) == (definition.id, definition.name) else replace(definition, id=own, name=name)
        if own and not any(_alike(one, other) for other in self.definitions.values()) and not self._is_copy(one):
            self._use(one)

    def called(self, slug: str) -> str:
        """Return the name in a file, as far as one can be read; else one made of its folder's."""
        draft = self.drafts.get(slug)
        return (draft.name if draft is not None else "") or visible(slug.replace("-", " ").title())

    def _use(self, definition: AgentDefinition) -> None:
        self.definitions[definition.slug] = definition
        if definition.id:
            self.homes[definition.id] = definition.slug

    def _own_id(self, slug: str) -> str:
        """Return the id that a folder is known by: in the running world, or when it was left; empty for none."""
        known = self.definitions.get(slug)
        if known is not None:
            return known.id
        if not (self._folder / slug / "archive").exists():  # somebody else may have left the world from there
            return ""
        return next((one for one, home in self.homes.items() if home == slug), "")

    def assign_ids(self, number: int, write: Callable[[Path, str], None] | None = write_atomic) -> None:
        """Give an id to everybody who has none, and write it into their file; also one that was taken out of it.

        Args:
            number: the first that is free.
            write: writes a file; None for a reader, who writes nothing.

        Raises:
            OSError, VaultProblem: when a file cannot be changed.
        """
        for slug, definition in self.definitions.items():
            if definition.id and (slug not in self._unwritten or self.wrong.get(slug)):
                continue
            own = definition.id or f"#{number}"
            if write is not None:
                path, file = self._folder / slug / "agent.md", agent_file(slug)
                write(path, replace_key(read_text(path, file=file), "id", own, file))
            self._unwritten.discard(slug)
            if not definition.id:
                self.definitions[slug] = self.drafts[slug] = replace(definition, id=own)
                self.homes[own] = slug
                number += 1

    def leave_out_new(self, wrong: Collection[str]) -> None:
        """Leave out whoever has no id yet and a mistake in their file: nothing is written into it until it is right.

        Args:
            wrong: the files with a mistake.
        """
        for slug in [slug for slug, one in self.definitions.items() if not one.id and one.file in wrong]:
            del self.definitions[slug]

    def give_way(self, files: Mapping[str, str]) -> list[Problem]:
        """Leave out whoever has the id of something in the world, and return what is wrong.

        Args:
            files: the file of everything in the world, by id.
        """
        for slug in [slug for slug, one in self.definitions.items() if one.id in files]:
            del self.definitions[slug]
        drafts = [draft for draft in self.drafts.values() if draft.id in files]
        problems = [_wrong(draft, "id", f"{draft.id!r} is taken by {files[draft.id]}") for draft in drafts]
        for draft, problem in zip(drafts, problems, strict=True):
            self.wrong[draft.slug] = at_other_places((), [*self.wrong[draft.slug], problem])
        return problems

    def unusable(self, name: str) -> str:
        """Return the file of whoever is called so, or has such a folder, and is kept out; empty for nobody."""
        out = {slug: draft for slug, draft in self.drafts.items() if slug not in self.definitions}
        found = find_definition(name, out)
        slug = found.slug if found is not None else slugify(name)
        there = slug not in self.definitions and (self._folder / slug / "agent.md").exists()
        return agent_file(slug) if there else ""

    def copies_of(self, definition: AgentDefinition) -> list[Problem]:
        """Return the problem of each folder that has somebody's id, and is not theirs."""
        return [
            _taken_by(draft, definition.file)
            for draft in self.drafts.values()
            if draft.slug != definition.slug and draft.id == definition.id
        ]

    def _copies(self, read: Iterable[AgentDefinition]) -> set[str]:
        """Return the folders that have an id which is another's.

        It is that of whoever is in the world already, of the folder that the saved state names, of the one that is
        called as they are, of the one whose archive was written first, or of the first, in this order.
        """
        sharing: defaultdict[str, list[AgentDefinition]] = defaultdict(list)
        for one in read:
            if one.id:
                sharing[one.id].append(one)

        def rank(one: AgentDefinition) -> tuple[bool, bool, bool, float, str]:
            slug, away, other = one.slug, self.homes.get(one.id) != one.slug, slugify(one.name) != one.slug
            return slug not in self.definitions, away, other, self._begun(slug), slug

        return {one.slug for group in sharing.values() if len(group) > 1 for one in sorted(group, key=rank)[1:]}

    def _unreadable(self, slug: str) -> bool:
        """Return whether somebody's file is there, and whose it is cannot be read in it."""
        draft = self.drafts.get(slug)
        return (draft is None or not draft.id) and (self._folder / slug / "agent.md").exists()

    def _begun(self, slug: str) -> float:
        """Return when the oldest file of an archive was last written, to compare."""
        with suppress(OSError):
            files = (self._folder / slug / "archive").glob("*.jsonl")
            return min((path.stat().st_mtime_ns for path in files), default=math.inf)
        return math.inf

    def _clashes(self, definition: AgentDefinition) -> list[Problem]:
        known, own = self.definitions.get(definition.slug), self._own_id(definition.slug)
        # An id that another folder had came with it: that one was renamed.
        if own and definition.id != own and (known is not None or definition.id not in self.homes):
            return [_wrong(definition, "id", f"{definition.id!r} is wrong: an id never changes; expected {own!r}")]
        if known is None and self._is_copy(definition):
            return [_taken_by(definition, agent_file(self.homes[definition.id]))]
        return [problem for other in self.definitions.values() for problem in _alike(definition, other)]

    def _is_copy(self, definition: AgentDefinition) -> bool:
        """Return whether an id is that of another folder, in whose file it cannot be read now."""
        home = self.homes.get(definition.id, definition.slug)
        return home != definition.slug and self._unreadable(home)

    def _moved_nowhere(self, definition: AgentDefinition, world: World | None) -> list[Problem]:
        """Return the problem that an edit names a location which the running world has not.

        One that was wrong before is no news, and must not hold up the edit of something else.
        """
        known = self.definitions.get(definition.slug)
        if world is None or known is None or definition.person or known.location == definition.location:
            return []
        found = find_location(definition.location or "", world.locations())
        return [] if found is not None else [misplaced(definition, world.locations())]

    def _names_nothing(self, definition: AgentDefinition) -> list[Problem]:
        """Return what an edit names that there is not; what was so before is no news."""
        known = self.definitions.get(definition.slug)
        before = {(one.key, one.message) for one in self.unknown_in(known)} if known is not None else ()
        return [one for one in self.unknown_in(definition) if (one.key, one.message) not in before]

    def _clashes_of_drafts(self) -> list[Problem]:
        """Return what would be wrong besides, were the mistakes mended that keep somebody out."""
        problems: list[Problem] = []
        out = [draft for slug, draft in self.drafts.items() if self.definitions.get(slug) is not draft]
        for at, draft in enumerate(out):
            for other in (*self.definitions.values(), *out[:at]):
                problems += _alike(draft, other)
        return problems


def at_other_places(told: Iterable[Problem], more: Iterable[Problem]) -> list[Problem]:
    """Return the further problems at whose place nothing is told yet: a wrong value is told once."""
    places = {(problem.file, problem.line, problem.key) for problem in told}
    found: dict[tuple[str, int, str], Problem] = {}
    for problem in more:
        found.setdefault((problem.file, problem.line, problem.key), problem)
    return [problem for place, problem in found.items() if place not in places]


def _alike(definition: AgentDefinition, other: AgentDefinition) -> list[Problem]:
    """Return what two have of which there may be one."""
    problems: list[Problem] = []
    if definition.slug == other.slug:
        return problems
    if definition.id and definition.id == other.id:
        problems.append(_taken_by(definition, other.file))
    if definition.name and plain(definition.name) == plain(other.name):
        problems.append(_wrong(definition, "name", f"{other.name!r} is taken by {other.file}"))
    return problems


def _taken_by(definition: AgentDefinition, file: str) -> Problem:
    """Return the problem that an id is another folder's."""
    message = f"{definition.id!r} is taken by {file}; expected an id of its own: until then this folder is left alone"
    return _wrong(definition, "id", message)


def _taken(definition: AgentDefinition, world: World | None) -> list[Problem]:
    """Return the problem that the running world has something else under this id."""
    thing = world.get(definition.id) if world is not None else None
    if thing is None or (thing.kind is Kind.CHARACTER and thing.thinks != definition.person):
        return []
    return [_wrong(definition, "id", f"{definition.id!r} is taken by {thing.name}")]


def agent_file(slug: str) -> str:
    """Return the path inside the vault of the file that says who lives in a folder."""
    return f"agents/{slug}/{AGENT}"


def _wrong(definition: AgentDefinition, key: str, message: str) -> Problem:
    return Problem(definition.file, definition.lines.get(key, 0), key, message)
