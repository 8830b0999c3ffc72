"""All agent definitions of a vault, by folder: each `agent.md` as last read without a mistake.

Ids and names are unique: a later one is rejected, and a copied folder gives way to its original. The only thing
written to the files is a missing id.
"""

from __future__ import annotations

import math
import os
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from agents.definition import (
    AgentDefinition,
    find_definition,
    find_location,
    misplaced,
    parse_definition,
    read_definition,
    salvage_definition,
)
from agents.definition_cache import DefinitionCache
from mud.errors import Problem, VaultProblem
from mud.sanitize import visible
from mud.storage.documents import replace_key
from mud.storage.files import read_if_there, read_text, slugify, write_atomic
from mud.storage.paths import may_be_read
from mud.world.matching import plain
from mud.world.things import Kind
from mud.world.world import World

AGENT = "agent.md"


UnknownNames = Callable[[AgentDefinition], list[Problem]]
"""Returns the unknown names in a definition, except locations."""


class AgentDirectory:
    """The definitions in `folder` (`vault/agents`).

    Args:
        schemas: the settings that an agent may override.
        instead: texts that are read in place of files, to see what would be wrong with them; None for one that goes.
        cache: what was read at an earlier start, of which nothing may be in `instead`.
    """

    def __init__(
        self,
        folder: Path,
        schemas: Mapping[str, type],
        unknown_in: UnknownNames = lambda definition: [],
        instead: Mapping[Path, str | None] = MappingProxyType({}),
        cache: DefinitionCache | None = None,
    ) -> None:
        self._instead, self._cache = instead, cache
        self.definitions: dict[str, AgentDefinition] = {}
        self.drafts: dict[str, AgentDefinition] = {}
        """Every file as last read, mistakes included; other files are checked against these."""
        self.homes: dict[str, str] = {}
        """The folder of each id, from the saved state and from files read since."""
        self._ids: dict[str, str] = {}
        """The id of each folder, as in `homes`; the first of several."""
        self.wrong: dict[str, list[Problem]] = {}
        """The problems of each `agent.md`, by folder."""
        self._unwritten: set[str] = set()
        """Folders whose id is known but not in their file."""
        self._named: defaultdict[str, set[str]] = defaultdict(set)
        """Folders by the ids and names that their definitions ever had."""
        self._folder, self._schemas, self._unknown_in = folder, schemas, unknown_in

    def lived(self, files: Mapping[str, str]) -> None:
        """Set the folder of each id from the saved state (files by id); it wins when another folder has the same id."""
        inside = ((one, Path(file).parts) for one, file in files.items())
        self.homes, self._ids = {}, {}
        for one, parts in inside:
            if parts[:1] == ("agents",) and len(parts) == 3:
                self._settle(one, parts[1])

    def _settle(self, id: str, slug: str) -> None:
        """Note that an id belongs to a folder."""
        before = self.homes.get(id)
        if before is not None and before != slug and self._ids.get(before) == id:
            del self._ids[before]
        self.homes[id] = slug
        self._ids.setdefault(slug, id)

    def load(self, world: World | None, keep: Collection[str]) -> list[Problem]:
        """Read every `agent.md` and return all problems. A wrong file keeps its last good reading, or stays out.

        At the start (`world` is None) what can be read of a wrong file is used. Folders in `keep` stay without a file.
        """
        problems: list[Problem] = []
        found = self._slugs()
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

    def keep(self) -> None:
        """Have the next start read only the files that changed since."""
        if self._cache is not None:
            drafts = self.drafts.items()
            self._cache.keep(one for slug, one in drafts if not self.wrong.get(slug) and slug not in self._unwritten)

    def load_one(self, slug: str, world: World | None) -> list[Problem]:
        """Read one `agent.md`; return its problems. An empty or missing file is being edited."""
        return self._take(slug, *self._read(slug), world)

    def _slugs(self) -> set[str]:
        """Return the folders that have an `agent.md`."""
        found = set[str]()
        with suppress(OSError):  # there are no agents
            if may_be_read(self._folder):
                with os.scandir(self._folder) as entries:  # as path objects take four times as long
                    inside = (entry for entry in entries if not entry.name.startswith("."))
                    found = {entry.name for entry in inside if os.path.exists(f"{entry.path}/{AGENT}")}  # noqa: PTH110
        instead = {one.parent.name: text for one, text in self._instead.items() if one.match(f"agents/*/{AGENT}")}
        return found - instead.keys() | {slug for slug, text in instead.items() if text is not None}

    def _read(self, slug: str) -> tuple[AgentDefinition | None, list[Problem]]:
        """Return a definition and the problems of its file alone; neither while it is being edited."""
        if self._cache is not None and slug not in self.definitions and (known := self._cache.find(slug)):
            return known, []
        folder = self._folder / slug
        path = folder / AGENT
        try:
            if path in self._instead:
                return parse_definition(self._instead[path] or "", slug, self._schemas)
            text = read_if_there(path, file=agent_file(slug))
            if slug in self.definitions and not (text or "").strip():
                return None, []
            return (
                read_definition(folder, self._schemas) if text is None else parse_definition(text, slug, self._schemas)
            )
        except VaultProblem as wrong:
            return None, list(wrong.problems)

    def _take(
        self, slug: str, definition: AgentDefinition | None, problems: list[Problem], world: World | None
    ) -> list[Problem]:
        """Use a definition if it has no problems, or at the start; return the problems."""
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
        found = [*self._clashes(definition), *(_taken(definition, world) or self._moved_nowhere(definition, world))]
        return found + (self._names_nothing(definition) if world is not None else [])

    def would_be_wrong(self, slug: str, text: str, world: World | None) -> list[Problem]:
        """Return the problems that an agent's `agent.md` would have with this text; id and type must not change."""
        definition, problems = parse_definition(text, slug, self._schemas)
        if definition is None:
            return problems
        now = self.definitions[slug]
        fixed = ((now.id, definition.id, "id"), (now.person, definition.person, "type"))
        problems += [_wrong(definition, key, "no command may change it") for was, new, key in fixed if was != new]
        return problems + at_other_places(problems, self._held_against_others(definition, world))

    def _begin_with(self, definition: AgentDefinition) -> None:
        """Use what could be read of a wrong file, unless its id or name is missing or belongs to another."""
        slug = definition.slug
        own = self._own_id(slug) or definition.id
        name = definition.name or self.called(slug)
        one = definition if (own, name) == (definition.id, definition.name) else replace(definition, id=own, name=name)
        if own and not self._alike(one) and not self._is_copy(one):
            self._use(one)

    def called(self, slug: str) -> str:
        """Return the name in a file if it can be read, else one made from its folder's."""
        draft = self.drafts.get(slug)
        return (draft.name if draft is not None else "") or visible(slug.replace("-", " ").title())

    def _use(self, definition: AgentDefinition) -> None:
        self.definitions[definition.slug] = definition
        for key in _keys(definition):
            self._named[key].add(definition.slug)
        if definition.id:
            self._settle(definition.id, definition.slug)

    def _alike(self, definition: AgentDefinition) -> list[Problem]:
        """Return the problems of an id or a name that another definition in use has."""
        slugs = set().union(*(self._named.get(key, ()) for key in _keys(definition)))
        others = (self.definitions[slug] for slug in sorted(slugs) if slug in self.definitions)
        return [problem for other in others for problem in _alike(definition, other)]

    def _own_id(self, slug: str) -> str:
        """Return the known id of a folder, from the running world or the saved state; may be empty."""
        known = self.definitions.get(slug)
        if known is not None:
            return known.id
        own = self._ids.get(slug, "")  # another agent may have left the world from there
        return own if own and (self._folder / slug / "archive").exists() else ""

    def assign_ids(self, number: int, write: Callable[[Path, str], None] | None = write_atomic) -> None:
        """Assign ids from `number` on and write them, also ones removed from a file; `write` is None for a reader."""
        for slug, definition in self.definitions.items():
            if definition.id and (slug not in self._unwritten or self.wrong.get(slug)):
                continue
            own = definition.id or f"#{number}"
            if write is not None:
                path, file = self._folder / slug / "agent.md", agent_file(slug)
                write(path, replace_key(read_text(path, file=file), "id", own, file))
            self._unwritten.discard(slug)
            if not definition.id:
                self.drafts[slug] = replace(definition, id=own)
                self._use(self.drafts[slug])
                number += 1

    def leave_out_new(self, wrong: Collection[str]) -> None:
        """Leave out new agents (without an id) whose files are in `wrong`: these are not written to yet."""
        for slug in [slug for slug, one in self.definitions.items() if not one.id and one.file in wrong]:
            del self.definitions[slug]

    def give_way(self, files: Mapping[str, str]) -> list[Problem]:
        """Leave out agents with the id of something in the world (files by id); return the problems."""
        for slug in [slug for slug, one in self.definitions.items() if one.id in files]:
            del self.definitions[slug]
        drafts = [draft for draft in self.drafts.values() if draft.id in files]
        problems = [_wrong(draft, "id", f"{draft.id!r} is taken by {files[draft.id]}") for draft in drafts]
        for draft, problem in zip(drafts, problems, strict=True):
            self.wrong[draft.slug] = at_other_places((), [*self.wrong[draft.slug], problem])
        return problems

    def unusable(self, name: str) -> str:
        """Return the file with this name or folder that cannot be used; may be empty."""
        out = {slug: draft for slug, draft in self.drafts.items() if slug not in self.definitions}
        found = find_definition(name, out)
        slug = found.slug if found is not None else slugify(name)
        there = slug not in self.definitions and (self._folder / slug / "agent.md").exists()
        return agent_file(slug) if there else ""

    def copies_of(self, definition: AgentDefinition) -> list[Problem]:
        """Return a problem for each other folder with the same id."""
        others = (draft for draft in self.drafts.values() if draft.slug != definition.slug)
        return [_taken_by(draft, definition.file) for draft in others if draft.id == definition.id]

    def _copies(self, read: Iterable[AgentDefinition]) -> set[str]:
        """Return the folders whose id belongs to another folder.

        The owner is, in this order: the one in the world, in the saved state, the one named as its agent, the one with
        the oldest archive, the first.
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
        """Return whether a file exists whose id cannot be read."""
        draft = self.drafts.get(slug)
        return (draft is None or not draft.id) and (self._folder / slug / "agent.md").exists()

    def _begun(self, slug: str) -> float:
        """Return the mtime of an archive's oldest file; infinity when there is none."""
        with suppress(OSError):
            files = (self._folder / slug / "archive").glob("*.jsonl")
            return min((path.stat().st_mtime_ns for path in files), default=math.inf)
        return math.inf

    def _clashes(self, definition: AgentDefinition) -> list[Problem]:
        known, own = self.definitions.get(definition.slug), self._own_id(definition.slug)
        # An id of another folder came with it: that one was renamed.
        if own and definition.id != own and (known is not None or definition.id not in self.homes):
            return [_wrong(definition, "id", f"{definition.id!r} is wrong: an id never changes; expected {own!r}")]
        if known is None and self._is_copy(definition):
            return [_taken_by(definition, agent_file(self.homes[definition.id]))]
        return self._alike(definition)

    def _is_copy(self, definition: AgentDefinition) -> bool:
        """Return whether an id belongs to another folder whose file cannot be read now."""
        home = self.homes.get(definition.id, definition.slug)
        return home != definition.slug and self._unreadable(home)

    def _moved_nowhere(self, definition: AgentDefinition, world: World | None) -> list[Problem]:
        """Return the problem of an edit to an unknown location; an old mistake does not block other edits."""
        known = self.definitions.get(definition.slug)
        if world is None or known is None or definition.person or known.location == definition.location:
            return []
        found = find_location(definition.location or "", world.locations())
        return [] if found is not None else [misplaced(definition, world.locations())]

    def _names_nothing(self, definition: AgentDefinition) -> list[Problem]:
        """Return the problems of unknown names that an edit adds."""
        known = self.definitions.get(definition.slug)
        before = {(one.key, one.message) for one in self._unknown_in(known)} if known is not None else ()
        return [one for one in self._unknown_in(definition) if (one.key, one.message) not in before]

    def _clashes_of_drafts(self) -> list[Problem]:
        """Return further conflicts of the files that are left out because of mistakes."""
        problems: list[Problem] = []
        earlier: defaultdict[str, list[AgentDefinition]] = defaultdict(list)
        for slug, draft in self.drafts.items():
            if self.definitions.get(slug) is draft:
                continue
            problems += self._alike(draft)
            for key in _keys(draft):
                problems += [problem for other in earlier[key] for problem in _alike(draft, other)]
                earlier[key].append(draft)
        return problems


def at_other_places(told: Iterable[Problem], more: Iterable[Problem]) -> list[Problem]:
    """Return the problems in `more`, one for each place (file, line, key) that is not in `told`."""
    places = {(problem.file, problem.line, problem.key) for problem in told}
    found: dict[tuple[str, int, str], Problem] = {}
    for problem in more:
        found.setdefault((problem.file, problem.line, problem.key), problem)
    return [problem for place, problem in found.items() if place not in places]


def _keys(definition: AgentDefinition) -> set[str]:
    return {definition.id, plain(definition.name)} - {""}


def _alike(definition: AgentDefinition, other: AgentDefinition) -> list[Problem]:
    """Return the problems of two definitions with the same id or name."""
    if definition.slug == other.slug:
        return []
    problems = [_taken_by(definition, other.file)] if definition.id and definition.id == other.id else []
    if definition.name and plain(definition.name) == plain(other.name):
        problems.append(_wrong(definition, "name", f"{other.name!r} is taken by {other.file}"))
    return problems


def _taken_by(definition: AgentDefinition, file: str) -> Problem:
    message = f"{definition.id!r} is taken by {file}; expected an id of its own: until then this folder is left alone"
    return _wrong(definition, "id", message)


def _taken(definition: AgentDefinition, world: World | None) -> list[Problem]:
    """Return the problem of an id that something else in the world has."""
    thing = world.get(definition.id) if world is not None else None
    if thing is None or (thing.kind is Kind.CHARACTER and thing.thinks != definition.person):
        return []
    return [_wrong(definition, "id", f"{definition.id!r} is taken by {thing.name}")]


def agent_file(slug: str) -> str:
    """Return the path of an `agent.md` inside the vault."""
    return f"agents/{slug}/{AGENT}"


def _wrong(definition: AgentDefinition, key: str, message: str) -> Problem:
    return Problem(definition.file, definition.lines.get(key, 0), key, message)
