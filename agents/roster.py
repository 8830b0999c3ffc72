"""Everybody there is, by folder: every `agent.md` as it was last read without a mistake.

No two have one id or one name; whoever comes later gives way. Of the files only a missing id is ever written.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from agents.definition import Definition, find_location, misplaced, read_definition
from mud.errors import Problem, VaultProblem
from mud.storage.documents import replace_key
from mud.storage.files import read_if_there, read_text, write_atomic
from mud.world.matching import plain
from mud.world.things import Kind
from mud.world.world import World


class Roster:
    """The definitions of one vault.

    Args:
        folder: `vault/agents`.
        schemas: the settings that an agent may override.
    """

    def __init__(self, folder: Path, schemas: Mapping[str, type]) -> None:
        self.definitions: dict[str, Definition] = {}
        self.drafts: dict[str, Definition] = {}
        """Everybody as last read, mistakes and all: what is held against other files, so that no mistake hides one."""
        self.unknown_in: Callable[[Definition], list[Problem]] = lambda definition: []
        """Returns what a definition names that there is not, locations aside."""
        self._folder = folder
        self._schemas = schemas

    def load(self, world: World | None, keep: Collection[str]) -> list[Problem]:
        """Read every `agent.md`; one that is wrong keeps its last good reading, one that was never right stays out.

        Args:
            world: the running world; None at the start.
            keep: folders that stay although their file is gone.

        Returns:
            What is wrong, all of it.
        """
        problems: list[Problem] = []
        found = {path.parent.name for path in self._folder.glob("[!.]*/agent.md")} if self._folder.is_dir() else set()
        for slug in sorted(found, key=lambda slug: (slug not in self.definitions, slug)):
            problems += self.load_one(slug, world)
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
        folder = self._folder / slug
        try:
            text = read_if_there(folder / "agent.md", file=_file(slug))
            if slug in self.definitions and not (text or "").strip():
                return []
            definition, problems = read_definition(folder, self._schemas)
        except VaultProblem as wrong:
            definition, problems = None, list(wrong.problems)
        if definition is None:
            self.drafts.pop(slug, None)
            return problems
        self.drafts[slug] = definition
        found = [*self._clashes(definition), *(_taken(definition, world) or self._moved_nowhere(definition, world))]
        found += self._names_nothing(definition) if world is not None else []
        problems += at_other_places(problems, found)
        if not problems:
            self.definitions[slug] = definition
        return problems

    def assign_ids(self, number: int, write: Callable[[Path, str], None] | None = write_atomic) -> None:
        """Give an id to everybody who has none, and write it into their file.

        Args:
            number: the first that is free.
            write: writes a file; None for a reader, who writes nothing.

        Raises:
            OSError, VaultProblem: when a file cannot be changed.
        """
        for slug, definition in self.definitions.items():
            if definition.id:
                continue
            if write is not None:
                path, file = self._folder / slug / "agent.md", _file(slug)
                write(path, replace_key(read_text(path, file=file), "id", f"#{number}", file))
            self.definitions[slug] = self.drafts[slug] = replace(definition, id=f"#{number}")
            number += 1

    def give_way(self, files: Mapping[str, str]) -> list[Problem]:
        """Leave out whoever has the id of something in the world, and return what is wrong.

        Args:
            files: the file of everything in the world, by id.
        """
        for slug in [slug for slug, one in self.definitions.items() if one.id in files]:
            del self.definitions[slug]
        drafts = [draft for draft in self.drafts.values() if draft.id in files]
        return [_wrong(draft, "id", f"{draft.id!r} is taken by {files[draft.id]}") for draft in drafts]

    def _clashes(self, definition: Definition) -> list[Problem]:
        known = self.definitions.get(definition.slug)
        if known is not None and known.id and definition.id != known.id:
            return [_wrong(definition, "id", f"an id never changes while the world runs; expected {known.id!r}")]
        return [problem for other in self.definitions.values() for problem in _alike(definition, other)]

    def _moved_nowhere(self, definition: Definition, world: World | None) -> list[Problem]:
        """Return the problem that an edit names a location which the running world has not.

        One that was wrong before is no news, and must not hold up the edit of something else.
        """
        known = self.definitions.get(definition.slug)
        if world is None or known is None or definition.person or known.location == definition.location:
            return []
        found = find_location(definition.location or "", world.locations())
        return [] if found is not None else [misplaced(definition, world.locations())]

    def _names_nothing(self, definition: Definition) -> list[Problem]:
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


def _alike(definition: Definition, other: Definition) -> list[Problem]:
    """Return what two have of which there may be one."""
    problems: list[Problem] = []
    if definition.slug == other.slug:
        return problems
    if definition.id and definition.id == other.id:
        problems.append(_wrong(definition, "id", f"{other.id!r} is taken by {other.file}"))
    if definition.name and plain(definition.name) == plain(other.name):
        problems.append(_wrong(definition, "name", f"{other.name!r} is taken by {other.file}"))
    return problems


def _taken(definition: Definition, world: World | None) -> list[Problem]:
    """Return the problem that the running world has something else under this id."""
    thing = world.get(definition.id) if world is not None else None
    if thing is None or (thing.kind is Kind.CHARACTER and thing.thinks != definition.person):
        return []
    return [_wrong(definition, "id", f"{definition.id!r} is taken by {thing.name}")]


def _file(slug: str) -> str:
    return f"agents/{slug}/agent.md"


def _wrong(definition: Definition, key: str, message: str) -> Problem:
    return Problem(definition.file, definition.lines.get(key, 0), key, message)
