"""The world's files: locations, items and characters as people write them.

A thing is a markdown file with `id`, `type`, its `# Name` and its description; where it leads or stands is a link or an
id. Links are resolved over all files, and every mistake is told with file, line and key. Nothing in here knows the
world's rules. Of people's files only a missing `id` is ever written; the program's own is in `world_state`.
"""

from __future__ import annotations

import contextlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from mud.errors import Problem, VaultProblem
from mud.registry import hint
from mud.storage.documents import Document, examine_document, link_name, replace_key
from mud.storage.files import read_if_there, read_text, write_atomic
from mud.world.things import Exit, Kind, Thing

FOLDERS = {"locations": Kind.LOCATION, "items": Kind.ITEM, "characters": Kind.CHARACTER}
"""The folders under `world/` and what their files describe."""

_ID = re.compile(r"#[0-9]{1,15}")
_KEYS = {
    Kind.LOCATION: ("id", "type", "aliases", "exits"),
    Kind.ITEM: ("id", "type", "aliases", "location", "fixed"),
    Kind.CHARACTER: ("id", "type", "aliases", "location"),
}
_FREE = frozenset({"tags", "cssclasses"})
"""Keys that the editor of the vault adds by itself."""


class Definition(NamedTuple):
    """One thing as its file defines it.

    Args:
        thing: the thing; its id is empty when the file has none yet.
        place: id of what it is in at the start; None for a location, or when the file does not say.
        file: the file's path inside the vault.
    """

    thing: Thing
    place: str | None
    file: str


class _Draft(NamedTuple):
    """A file that has been read, its links not yet resolved: `links` holds key -> what was typed."""

    thing: Thing
    file: str
    document: Document
    links: dict[str, str]


def load_world_files(vault: Path) -> tuple[list[Definition], list[Problem]]:
    """Read every file of `world/locations`, `world/items` and `world/characters`.

    Args:
        vault: the vault's folder.

    Returns:
        What could be read, without the exits and places that lead nowhere, and everything that is wrong. Things that
        have no id yet are among it, for `assign_ids`; things with an id that is none are not.
    """
    drafts: list[_Draft] = []
    problems: list[Problem] = []
    for folder, kind in FOLDERS.items():
        for path in sorted((vault / "world" / folder).glob("*.md")):
            file = f"world/{folder}/{path.name}"
            try:
                text = "" if path.name.startswith(".") else read_if_there(path, file=file)
            except VaultProblem as error:
                problems += error.problems
                continue
            if text and text.strip():
                draft = _FileReader(text, file, kind, problems).read()
                drafts += [draft] if draft else []
    problems += _doubles(drafts)
    directory = _Directory(drafts)
    definitions = [_resolved(draft, directory, problems) for draft in drafts]
    told = {problem.file for problem in problems}
    problems += [_no_id_yet(draft) for draft in drafts if "id" not in draft.document.front and draft.file not in told]
    # A thing whose id was typed wrongly is left out, not given another: its writer meant one.
    usable = [
        one for one, draft in zip(definitions, drafts, strict=True) if one.thing.id or "id" not in draft.document.front
    ]
    return usable, sorted(problems, key=lambda problem: (problem.file, problem.line))


class _FileReader:
    """Reads one file, noting what is wrong in a list shared with the others."""

    def __init__(self, text: str, file: str, kind: Kind, problems: list[Problem]) -> None:
        self.file, self.kind, self.problems = file, kind, problems
        self.document, wrong = examine_document(text, file)
        problems += wrong

    def say(self, key: str, message: str) -> None:
        """Note a problem at a key."""
        self.problems.append(Problem(self.file, self.document.lines.get(key, 1), key, message))

    def read(self) -> _Draft | None:
        """Return what the file defines; None when it has no name."""
        document = self.document
        self.check_keys()
        identity = self.identity()
        if not document.title:
            line = document.body_line
            self.problems.append(
                Problem(self.file, line, "", "it has no name; expected a line '# Name' under the front matter")
            )
            return None
        described = document.section("Description")
        thing = Thing(
            id=identity,
            kind=self.kind,
            name=document.title,
            description=document.intro if described is None else described,
            aliases=self.aliases(),
            fixed=self.fixed(),
        )
        return _Draft(thing, self.file, document, self.links())

    def check_keys(self) -> None:
        """Note keys that nothing reads, and a type that is not the folder's."""
        for key in self.document.front:
            if key not in _KEYS[self.kind] and key not in _FREE:
                near = hint(key, _KEYS[self.kind])
                self.say(key, f"unknown key; expected one of {', '.join(_KEYS[self.kind])}{near}")
        kind = self.document.front.get("type", self.kind.value)
        if kind != self.kind.value:
            self.say("type", f"{kind!r} does not belong into this folder; expected {self.kind.value}")

    def identity(self) -> str:
        """Return the id, empty when there is none that can be used."""
        if "id" not in self.document.front:
            return ""
        value = self.document.front["id"]
        if isinstance(value, str) and _ID.fullmatch(value):
            return value
        if value is None:
            self.say(
                "id",
                'it is empty; expected # and a number in quotes, such as "#1003" (without quotes # begins a comment)',
            )
        else:
            self.say("id", f'{value!r} is no id; expected # and a number in quotes, such as "#1003"')
        return ""

    def aliases(self) -> tuple[str, ...]:
        """Return the aliases that are text."""
        value = self.document.front.get("aliases")
        if value is None:
            return ()
        given = value if isinstance(value, list) else [value]
        if not all(isinstance(alias, str) and alias.strip() for alias in given):
            self.say(
                "aliases", "an alias is no text; expected names, in quotes where they look like a number, true or null"
            )
        return tuple(alias for alias in given if isinstance(alias, str) and alias.strip())

    def fixed(self) -> bool:
        """Return whether the thing stays where it is."""
        value = self.document.front.get("fixed", False)
        if not isinstance(value, bool):
            self.say("fixed", f"{value!r} is neither; expected true or false")
        return value is True

    def links(self) -> dict[str, str]:
        """Return what is typed as a link: `location`, or `exits.south` for each exit."""
        if self.kind is not Kind.LOCATION:
            given = (
                {"location": self.document.front["location"]} if self.document.front.get("location") is not None else {}
            )
        else:
            exits = self.document.front.get("exits")
            if exits is not None and not isinstance(exits, dict):
                self.say("exits", 'these are no exits; expected lines such as south: "[[The Lobby]]" below')
            given = {f"exits.{name}": to for name, to in exits.items()} if isinstance(exits, dict) else {}
        for key, value in given.items():
            if not isinstance(value, str):
                self.say(
                    key, 'it leads nowhere; expected a link or an id in quotes, such as "[[The Lobby]]" or "#1003"'
                )
        return {key: value for key, value in given.items() if isinstance(value, str)}


def _no_id_yet(draft: _Draft) -> Problem:
    """Return the problem of a new file, told where nothing else is wrong in it: an id is given by itself."""
    return Problem(draft.file, 1, "id", "it has no id yet; one is written into the file when the world starts")


def _doubles(drafts: Sequence[_Draft]) -> list[Problem]:
    """Return ids that two things have, names that two things of a kind have, and exits that differ in case alone."""
    problems = []
    firsts: dict[tuple[str, str], _Draft] = {}
    for draft in drafts:
        thing = draft.thing
        if thing.id and (first := firsts.setdefault(("id", thing.id), draft)) is not draft:
            message = f"{thing.id} is the id of {first.file} too; expected an id of its own"
            problems.append(Problem(draft.file, draft.document.lines.get("id", 1), "id", message))
        if (first := firsts.setdefault((thing.kind, thing.name.casefold()), draft)) is not draft:
            message = f"{first.file} is called {thing.name!r} too; expected a name of its own"
            problems.append(Problem(draft.file, draft.document.body_line, "name", message))
        seen: set[str] = set()
        for key in draft.links:
            if key.casefold() in seen:
                message = "set twice in different case; expected once"
                problems.append(Problem(draft.file, draft.document.lines.get(key, 1), key, message))
            seen.add(key.casefold())
    return problems


class _Directory:
    """Finds things by what a link or an id says: id first, then name, then the file's name, as the editor links."""

    def __init__(self, drafts: Sequence[_Draft]) -> None:
        self._named: dict[str, list[Thing]] = defaultdict(list)
        for label in ("id", "name", "stem"):
            for draft in drafts:
                stem = draft.file.rsplit("/", 1)[1].removesuffix(".md")
                self._named[{"id": draft.thing.id, "name": draft.thing.name, "stem": stem}[label].casefold()].append(
                    draft.thing
                )
        self.names = {draft.thing.name.lower(): draft.thing.name for draft in reversed(drafts)}

    def find(self, typed: str, kinds: Iterable[Kind]) -> Thing | None:
        """Return the thing of these kinds, the first kind first, that is meant; None when there is none."""
        name = link_name(typed) or typed.strip()
        named = [*self._named.get(name.casefold(), ()), *self._named.get(name.rsplit("/", 1)[-1].casefold(), ())]
        return next((thing for kind in kinds for thing in named if thing.kind is kind), None)


def _resolved(draft: _Draft, directory: _Directory, problems: list[Problem]) -> Definition:
    """Return the definition of a draft, noting links that lead nowhere."""
    thing = draft.thing
    kinds = (Kind.LOCATION,) if thing.kind is Kind.LOCATION else (Kind.LOCATION, Kind.CHARACTER, Kind.ITEM)
    found: dict[str, str] = {}
    for key, typed in draft.links.items():
        target = directory.find(typed, kinds)
        if target is thing and thing.kind is not Kind.LOCATION:
            message = "a thing cannot be in itself; expected a link to a location"
            problems.append(Problem(draft.file, draft.document.lines.get(key, 1), key, message))
        elif target is None:
            near = hint(link_name(typed) or typed, directory.names, directory.names.__getitem__)
            wanted = f'expected a link to a {kinds[0].value}, "[[Name]]", or its id'
            message = f"{typed!r} is nothing there is; {wanted}{near}"
            problems.append(Problem(draft.file, draft.document.lines.get(key, 1), key, message))
        elif target.id:
            found[key] = target.id
    if thing.kind is not Kind.LOCATION:
        return Definition(thing, found.get("location"), draft.file)
    exits = tuple(Exit(key.removeprefix("exits."), to) for key, to in found.items())
    return Definition(replace(thing, exits=exits), None, draft.file)


def assign_ids(
    vault: Path,
    definitions: Iterable[Definition],
    next_id: int,
    wrote: Callable[[Path, str], None] = lambda path, text: None,
) -> int:
    """Write an id into each file that has none, and touch nothing else of it; load the files again afterwards.

    Args:
        vault: the vault's folder.
        definitions: as `load_world_files` returned them.
        next_id: the first number that was never an id, as the saved state and the agents know it.
        wrote: is told of every file that is written.

    Returns:
        The first number that is still free.

    Raises:
        OSError: when a file cannot be written.
        VaultProblem: when a file cannot be read any more.
    """
    known = list(definitions)
    free = max([next_id, *(int(one.thing.id[1:]) + 1 for one in known if one.thing.id)])
    for one in known:
        if one.thing.id:
            continue
        path = vault / one.file
        text = read_text(path, file=one.file)
        with contextlib.suppress(VaultProblem):  # its front matter is not in order, which is told; it stays out
            text = replace_key(text, "id", f"#{free}", one.file)
            wrote(path, text)
            write_atomic(path, text)
            free += 1
    return free
