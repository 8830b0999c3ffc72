"""The world's files: locations, items and characters, as people write them, and the program's own `world/state.md`.

Links are resolved over all files, and every mistake is reported with file, line and key. Only a missing `id` is ever
written into people's files.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from mud.errors import Problem, VaultProblem
from mud.registry import hint
from mud.sanitize import sanitize
from mud.storage.documents import (
    Document,
    examine_document,
    link_name,
    markdown_lines,
    parse_document,
    render_document,
    replace_key,
    salvage_document,
)
from mud.storage.files import read_if_there, read_text, slugify, write_atomic
from mud.storage.paths import make_folder, matching, move
from mud.storage.trait_files import TRAIT_KEYS, names_in, read_traits
from mud.world.channels import Channel, ChannelLine
from mud.world.elsewhere import elsewhere, leads_out
from mud.world.live_state import live_changes, live_states
from mud.world.matching import plain
from mud.world.names import Named, folded, misleading_names
from mud.world.things import Exit, Kind, Thing
from mud.world.traits import NO_TRAITS, Traits
from mud.world.world import number_of

STATE = "world/state.md"
FOLDERS = {"locations": Kind.LOCATION, "items": Kind.ITEM, "characters": Kind.CHARACTER}

_ID = re.compile(r"#[0-9]{1,12}")
NO_ID = "it has no id yet; one is written into the file when the world starts"
EMPTY = "there is nothing in it, and other files lead to it; expected a line '# Name'"
HIDDEN = "the name holds characters that nobody can see; expected one without"
_SHOWN = 40  # characters of an invalid id that are shown
_KEYS = {
    Kind.LOCATION: ("id", "type", "aliases", "exits", *TRAIT_KEYS[Kind.LOCATION]),
    Kind.ITEM: ("id", "type", "aliases", "location", "fixed", *TRAIT_KEYS[Kind.ITEM]),
    Kind.CHARACTER: ("id", "type", "aliases", "location", *TRAIT_KEYS[Kind.CHARACTER]),
}
_FREE = frozenset({"tags", "cssclasses"})
_SAVED_ID = re.compile(r"#[0-9]{1,15}")
_LONGEST = 1 << 28  # bytes; all of a large world is in its front matter
HIGHEST = 10**11  # highest step and next id; far above any real one, and with room to count on
_FILE = re.compile(r".+\.md", re.S)


class ThingDefinition(NamedTuple):
    """One thing as its file defines it, and the id of what it is in at the start. A new file has no id."""

    thing: Thing
    place: str | None
    file: str


class _Draft(NamedTuple):
    """A parsed file whose links are not resolved; a `broken` one does not parse, so missing keys are not reported."""

    thing: Thing
    file: str
    document: Document
    links: dict[str, str]
    problems: tuple[Problem, ...] = ()
    broken: bool = False

    @property
    def habits(self) -> tuple[tuple[str, int], ...]:
        """The items under `## Habits`, with their lines."""
        return self.document.items("Habits")

    @property
    def empty(self) -> bool:
        """The file has no content and never had any."""
        return self.broken and not self.problems

    @property
    def usable(self) -> bool:
        """It has an id or can get one. An invalid id is not replaced, and a file without a name gets none."""
        return bool(self.thing.id) or not (self.broken or "id" in self.document.front or not self.document.title)

    def line_of(self, source: str) -> int:
        """Return the line of a rule or a condition as it stands in the file; 1 when it is not found."""
        lines = markdown_lines(self.document.body, self.document.body_line)
        return next((one.number for one in lines if source in sanitize(one.text)), 1)

    def wrong(self, key: str, message: str, line: int = 0) -> Problem:
        return Problem(self.file, line or self.document.lines.get(key, 1), key, message)


class WorldFiles:
    """The files of the world, each as it last was without a mistake; `homes` is the saved file of each id.

    `instead` has texts that are read in place of files, to see what would be wrong with them; None for one that goes.
    """

    def __init__(
        self,
        vault: Path,
        homes: Mapping[str, str] = MappingProxyType({}),
        instead: Mapping[Path, str | None] = MappingProxyType({}),
    ) -> None:
        self.vault, self._instead = vault, instead
        self.homes = {one: file for one, file in homes.items() if file.startswith("world/")}
        self._good: dict[str, _Draft] = {}
        self.loaded: dict[str, str] = {}
        """The text of each file that could be read, as of the last `load`."""
        self.named: list[Thing] = []  # all things that links may name, including those without an id or a title
        self.names: list[Named] = []
        self.misleading: list[Problem] = []
        self.minds: Callable[[], Iterable[Thing]] = tuple
        """Returns the characters that have files elsewhere; rules may name them."""

    def habits(self) -> dict[str, tuple[tuple[str, int], ...]]:
        """Return the items under `## Habits` of each character that has any, by its id, with their lines."""
        return {
            draft.thing.id: items
            for draft in self._good.values()
            if draft.thing.kind is Kind.CHARACTER and draft.thing.id and (items := draft.habits)
        }

    def files(self) -> list[str]:
        """Return the names of all files."""
        folders = (self._paths(self.vault / "world" / folder) for folder in FOLDERS)
        return [path.relative_to(self.vault).as_posix() for paths in folders for path in paths]

    def ways_out(self) -> Iterator[tuple[str, Callable[[str], Problem]]]:
        """Yield the world that each exit out of this one leads to, and what makes a problem of that exit."""
        for draft in self._good.values():
            for key, typed in draft.links.items():
                if key.startswith("exits.") and (beyond := elsewhere(typed)) is not None:
                    yield beyond.host, partial(draft.wrong, key)

    def texts(self, files: Iterable[str]) -> dict[str, str]:
        """Return the texts of files, without those that cannot be read."""
        found = {}
        for file in files:
            with contextlib.suppress(VaultProblem):
                found[file] = read_text(self.vault / file, file=file)
        return found

    def load(self) -> tuple[list[ThingDefinition], list[Problem]]:
        """Read every file; one with a mistake keeps its last good reading. An empty one is an edit in progress.

        Returns the definitions, without exits and places that lead nowhere, and all problems. Things without an id are
        included, for `assign_ids`; those with an invalid or a duplicate id are not.
        """
        self.loaded = {}
        drafts = [
            self._read(f"world/{folder}/{path.name}", kind)
            for folder, kind in FOLDERS.items()
            for path in self._paths(self.vault / "world" / folder)
        ]
        # Files that had their id or name before come first, and copies last.
        copies = self._copies(drafts)
        in_turn = sorted(drafts, key=lambda draft: (draft != self._good.get(draft.file), draft.file in copies))
        doubles, owners = _doubles(in_turn, self.homes)
        own = [*(problem for draft in drafts for problem in draft.problems), *doubles]
        directory, dead = self._links(drafts, own)
        if dead:  # again: now it is known which files keep their last good name
            directory, dead = self._links(drafts, own + dead)
        problems = own + dead
        problems += [one.wrong("", EMPTY, 1) for one in drafts if one.empty and one.file in directory.meant]
        wrong = {problem.file for problem in problems}
        kept = {file: draft for file, draft in self._good.items() if file in wrong}
        now = {draft.file: draft for draft in drafts}
        self._good = {file: kept.get(file) or draft for file, draft in now.items() if file in kept or file not in wrong}
        used = [self._good.get(draft.file, draft) for draft in drafts]
        self.named = [one.thing for one in used if not one.empty or one.file in directory.meant]
        usable = (one for one in used if one.usable and owners.get(one.thing.id) in (None, one.file))
        found = [_resolved(one, directory)[0] for one in usable]
        known, self.names = self.homes, [name for draft in drafts for name in _names(draft)]
        self.homes = known | {one.thing.id: one.file for one in found if one.thing.id}
        problems += [one.wrong("name", HIDDEN, one.document.title_line) for one in drafts if one.document.title_hides]
        self.misleading = misleading_names(self.names, known)
        problems += self.misleading  # reported only; the name is used
        wrong = {problem.file for problem in problems}
        new = (one for one in drafts if one.usable and not one.thing.id and one.file not in wrong)
        problems += [one.wrong("id", NO_ID, 1) for one in new]
        return found, sorted(problems, key=lambda problem: (problem.file, problem.line))

    def _paths(self, folder: Path) -> list[Path]:
        paths = matching(folder, "[!.]*.md")
        if not self._instead:
            return paths
        made = {path for path, text in self._instead.items() if path.parent == folder and text is not None}
        return sorted(({*paths} - self._instead.keys()) | made)

    def _read(self, file: str, kind: Kind) -> _Draft:
        nothing = _Draft(Thing("", kind, _name_of(file)), file, Document(), {}, broken=True)
        path = self.vault / file
        try:
            text = self._instead[path] if path in self._instead else read_if_there(path, file=file)
        except VaultProblem as error:
            return nothing._replace(problems=error.problems)
        if text is not None:
            self.loaded[file] = text
        if not (text or "").strip():
            return self._good.get(file, nothing)
        return _understood(text or "", file, kind)

    def _copies(self, drafts: Iterable[_Draft]) -> set[str]:
        """Return the files whose id belongs to another file.

        The owner is the file that was read before, else the one in the saved state, the one named after its thing, the
        older one, the first one.
        """
        sharing: defaultdict[str, list[_Draft]] = defaultdict(list)
        for draft in drafts:
            if draft.thing.id:
                sharing[draft.thing.id].append(draft)

        def rank(draft: _Draft) -> tuple[bool, bool, bool, float]:
            away, stem = self.homes.get(draft.thing.id) != draft.file, Path(draft.file).stem
            other = slugify(draft.thing.name) != stem
            return draft.file not in self._good, away, other, _changed_at(self.vault / draft.file)

        return {one.file for group in sharing.values() if len(group) > 1 for one in sorted(group, key=rank)[1:]}

    def _links(self, drafts: Sequence[_Draft], problems: Iterable[Problem]) -> tuple[_Directory, list[Problem]]:
        """Return the directory of links, and the links that lead nowhere."""
        wrong = {problem.file for problem in problems}
        directory = _Directory([*(good for file, good in self._good.items() if file in wrong), *drafts], self.minds())
        dead = [problem for draft in drafts if not draft.broken for problem in _resolved(draft, directory)[1]]
        return directory, dead


def _changed_at(path: Path) -> float:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return math.inf


def _name_of(file: str) -> str:
    return sanitize(file.rsplit("/", 1)[1].removesuffix(".md").replace("-", " "))


@lru_cache(maxsize=1 << 15)
def _understood(text: str, file: str, kind: Kind) -> _Draft:
    """Cached: after an edit only the edited file is parsed again."""
    name = _name_of(file)
    document, problems = examine_document(text, file)
    if problems and not document.front:
        reader = _FileReader(salvage_document(text), file, kind)
        return reader.read(name)._replace(problems=tuple(problems), broken=True)
    reader = _FileReader(document, file, kind)
    draft = reader.read(name)
    told = {problem.key for problem in problems}
    return draft._replace(problems=(*problems, *(one for one in reader.problems if one.key not in told)))


class _FileReader:
    def __init__(self, document: Document, file: str, kind: Kind) -> None:
        self.document, self.file, self.kind = document, file, kind
        self.problems: list[Problem] = []

    def say(self, key: str, message: str) -> None:
        self.problems.append(Problem(self.file, self.document.lines.get(key, 1), key, message))

    def read(self, name: str) -> _Draft:
        """Return what the file defines; `name` is used when it has no title."""
        document = self.document
        self.check_keys()
        identity = self.identity()
        if not document.title:
            message = "it has no name; expected a line '# Name' under the front matter"
            self.problems.append(Problem(self.file, document.body_line, "", message))
        described = document.section("Description")
        text = document.intro if described is None else described
        traits, wrong = read_traits(document, self.file, self.kind)
        self.problems += wrong
        title = document.title or name
        thing = Thing(identity, self.kind, title, text, self.aliases(), fixed=self.fixed(), traits=traits)
        return _Draft(thing, self.file, document, self.links())

    def check_keys(self) -> None:
        for key in self.document.front:
            if key not in _KEYS[self.kind] and key not in _FREE:
                near = hint(key, _KEYS[self.kind])
                self.say(key, f"unknown key; expected one of {', '.join(_KEYS[self.kind])}{near}")
        kind = self.document.front.get("type", self.kind.value)
        if kind != self.kind.value:
            self.say("type", f"{kind!r} does not belong into this folder; expected {self.kind.value}")

    def identity(self) -> str:
        if "id" not in self.document.front:
            return ""
        value = self.document.front["id"]
        if isinstance(value, str) and _ID.fullmatch(value):
            return value
        wanted, such = "a number", 'in quotes, such as "#1003"'
        if value is None:
            self.say("id", f"it is empty; expected # and {wanted} {such} (without quotes # begins a comment)")
            return ""
        if isinstance(value, str):
            wanted = "a number of at most 12 digits" if value[:1] == "#" and value[1:].isdecimal() else wanted
            value = value if len(value) <= _SHOWN else f"{value[:_SHOWN]}..."
        self.say("id", f"{value!r} is no id; expected # and {wanted} {such}")
        return ""

    def aliases(self) -> tuple[str, ...]:
        value = self.document.front.get("aliases")
        if value is None:
            return ()
        given = value if isinstance(value, list) else [value]
        names = tuple(alias for alias in given if isinstance(alias, str) and alias.strip())
        if len(names) < len(given):
            wanted = "expected names, in quotes where they look like a number, true or null"
            self.say("aliases", f"an alias is no text; {wanted}")
        return names

    def fixed(self) -> bool:
        value = self.document.front.get("fixed", False)
        if not isinstance(value, bool):
            self.say("fixed", f"{value!r} is neither; expected true or false")
        return value is True

    def links(self) -> dict[str, str]:
        """Return the links as typed, by key: `location`, `key`, `exits.<name>` or `doors.<name>`."""
        front, given = self.document.front, dict[str, object]()
        if self.kind is Kind.LOCATION:
            given = {**self.by_exit("exits", "The Lobby"), **self.by_exit("doors", "oak door")}
        else:
            keys = ("location", "key") if self.kind is Kind.ITEM else ("location",)
            given = {key: front[key] for key in keys if front.get(key) is not None}
        for key, value in given.items():
            if not isinstance(value, str):
                such = 'such as "[[The Lobby]]" or "#1003"'
                self.say(key, f"it leads nowhere; expected a link or an id in quotes, {such}")
        return {key: value for key, value in given.items() if isinstance(value, str)}

    def by_exit(self, key: str, such: str) -> dict[str, object]:
        value = self.document.front.get(key)
        if value is not None and not isinstance(value, dict):
            self.say(key, f'these are no {key}; expected lines such as south: "[[{such}]]" below')
        return {f"{key}.{name}": to for name, to in value.items()} if isinstance(value, dict) else {}


def _names(draft: _Draft) -> Iterable[Named]:
    file, document, identity = draft.file, draft.document, draft.thing.id
    if document.title:
        yield Named(document.title, file, document.title_line, "name", identity)
    line = document.lines.get("aliases", 1)
    yield from (Named(one, file, line, "aliases", identity) for one in draft.thing.aliases)


def _doubles(drafts: Sequence[_Draft], homes: Mapping[str, str]) -> tuple[list[Problem], dict[str, str]]:
    """Find duplicate ids, duplicate names of a kind, and exits that differ only in case.

    Also return the file of each id. Of two files the first keeps its id or name; an unreadable one keeps the id that it
    has in `homes`.
    """
    problems = []
    unreadable = {draft.file for draft in drafts if draft.broken and not draft.thing.id}
    owners = {identity: file for identity, file in homes.items() if file in unreadable}
    named: dict[tuple[str, str], str] = {}
    for draft in drafts:
        thing = draft.thing
        if thing.id and (first := owners.setdefault(thing.id, draft.file)) != draft.file and not draft.broken:
            problems.append(draft.wrong("id", f"{thing.id} is the id of {first} too; expected an id of its own"))
        if draft.broken or not draft.document.title:
            continue
        if (first := named.setdefault((thing.kind, folded(thing.name)), draft.file)) != draft.file:
            message = f"{first} is called {thing.name!r} too; expected a name of its own"
            problems.append(draft.wrong("name", message, draft.document.body_line))
        seen: set[str] = set()
        for key in draft.links:
            if key.casefold() in seen:
                problems.append(draft.wrong(key, "set twice in different case; expected once"))
            seen.add(key.casefold())
    return problems, owners


class _Directory:
    """Finds things by id, then by name, then by file name, as the editor does."""

    def __init__(self, drafts: Sequence[_Draft], minds: Iterable[Thing] = ()) -> None:
        self.meant: set[str] = set()
        self._drafts = drafts
        self._minds = [_Draft(one, "", Document(), {}) for one in minds]
        self._named: dict[str, list[_Draft]] = defaultdict(list)
        for label in ("id", "name", "stem"):
            for draft in drafts:
                stem = draft.file.rsplit("/", 1)[1].removesuffix(".md")
                names = {"id": draft.thing.id, "name": draft.thing.name, "stem": stem}
                self._named[folded(names[label])].append(draft)
        self.names = {draft.thing.name.lower(): draft.thing.name for draft in reversed(drafts)}

    def find(self, typed: str, kinds: Iterable[Kind]) -> _Draft | None:
        """Return the thing with this name, of the first kind that has one; None without one."""
        name = link_name(typed) or typed.strip()
        named = [*self._named.get(folded(name), ()), *self._named.get(folded(name.rsplit("/", 1)[-1]), ())]
        found = next((draft for kind in kinds for draft in named if draft.thing.kind is kind), None)
        if found is not None:
            self.meant.add(found.file)
        return found

    def means(self, name: str) -> _Draft | None:
        """Return the thing that a rule names: by id, name or file name, else by an alias; articles do not count."""
        found = self.find(name, (Kind.ITEM, Kind.CHARACTER, Kind.LOCATION))
        if found is None and (found := self._by_any_name.get(plain(name))) is not None:
            self.meant.add(found.file)
        return found

    @cached_property
    def _by_any_name(self) -> dict[str, _Draft]:
        ranked = sorted(self._drafts, key=lambda draft: draft.thing.kind is Kind.LOCATION, reverse=True)
        minds = [(plain(name), draft) for draft in self._minds for name in (draft.thing.id, *draft.thing.names)]
        names = [(plain(alias), draft) for draft in ranked for alias in draft.thing.aliases]
        return dict([*minds, *names, *((plain(draft.thing.name), draft) for draft in ranked)])


def _resolved(draft: _Draft, directory: _Directory) -> tuple[ThingDefinition, list[Problem]]:
    thing, problems = draft.thing, []
    found: dict[str, str] = {}
    for key, typed in draft.links.items():
        if key.startswith("exits.") and leads_out(typed):
            if (beyond := elsewhere(typed)) is not None:
                found[key] = str(beyond)
            else:
                problems.append(draft.wrong(key, f"{typed!r} is no place of another world; {_OUT}"))
            continue
        kinds = _kinds_of(key, thing.kind)
        target = directory.find(typed, kinds)
        if target is None:
            near = hint(link_name(typed) or typed, directory.names, directory.names.__getitem__)
            wanted = f'expected a link to {_A[kinds[0]]}, "[[Name]]", or its id'
            problems.append(draft.wrong(key, f"{typed!r} is nothing there is; {wanted}{near}"))
        elif target.file == draft.file and thing.kind is not Kind.LOCATION:
            problems.append(draft.wrong(key, "a thing cannot be in itself; expected a link to a location"))
        elif key.startswith("doors.") and key.removeprefix("doors.") not in exits_of(draft.links):
            problems.append(draft.wrong(key, "there is no such exit; expected the name of one of the exits"))
        elif target.thing.id:
            found[key] = target.thing.id
    traits, unknown = _bound(draft, directory)
    problems += unknown
    if thing.kind is not Kind.LOCATION:
        traits = replace(traits, key=found["key"]) if "key" in found else traits
        return ThingDefinition(replace(thing, traits=traits), found.get("location"), draft.file), problems
    exits = tuple(Exit(name, found[f"exits.{name}"], found.get(f"doors.{name}", "")) for name in exits_of(found))
    return ThingDefinition(replace(thing, exits=exits, traits=traits), None, draft.file), problems


_OUT = 'expected "loci://HOST/PLACE" or "loci://HOST:PORT/PLACE"'
_A = {Kind.LOCATION: "a location", Kind.ITEM: "an item", Kind.CHARACTER: "a character"}


def exits_of(links: Iterable[str]) -> list[str]:
    """Return the names of the exits among keys of links."""
    return [key.removeprefix("exits.") for key in links if key.startswith("exits.")]


def _kinds_of(key: str, kind: Kind) -> tuple[Kind, ...]:
    """Return the kinds of things that a link may lead to, the likeliest first."""
    if key == "key" or key.startswith("doors."):
        return (Kind.ITEM,)
    return (Kind.LOCATION,) if kind is Kind.LOCATION else (Kind.LOCATION, Kind.CHARACTER, Kind.ITEM)


def _bound(draft: _Draft, directory: _Directory) -> tuple[Traits, list[Problem]]:
    """Return what a thing can do, with ids in place of the names in its rules, and the names that mean nothing."""
    traits, problems, ids = draft.thing.traits, [], {}
    if traits is NO_TRAITS:
        return traits, []
    for name, source in names_in(traits):
        target = directory.means(name)
        if target is not None and target.thing.id:
            ids[name] = target.thing.id
        elif target is None:
            near = hint(name, directory.names, directory.names.__getitem__)
            message = f"{name!r} is nothing there is; expected the name of a thing, a location or a character{near}"
            problems.append(draft.wrong("Rules", message, draft.line_of(source)))
    return (traits.bound(ids) if ids else traits), problems


def assign_ids(
    vault: Path,
    definitions: Iterable[ThingDefinition],
    next_id: int,
    wrote: Callable[[Path, str], None] = lambda path, text: None,
    homes: Mapping[str, str] = MappingProxyType({}),
) -> int:
    """Write an id into each file without one, from `next_id` on, and return the next free number.

    Nothing else changes. `wrote` is called before each write. Load the files again afterwards. `homes` is the file that
    each id had: an editor that was open before the id was written saves its file without it.
    """
    known = list(definitions)
    used = {one.thing.id for one in known}
    before = {file: id for id, file in homes.items() if id not in used}
    free = max([next_id, *(number_of(one.thing.id) + 1 for one in known)])
    for one in known:
        if one.thing.id:
            continue
        path = vault / one.file
        text = read_text(path, file=one.file)
        with contextlib.suppress(VaultProblem):  # reported already; it gets no id
            text = replace_key(text, "id", before.get(one.file, f"#{free}"), one.file)
            wrote(path, text)
            write_atomic(path, text)
            free += one.file not in before
    return free


class SavedState(NamedTuple):
    """`world/state.md`: where everything is and who sleeps, saved every few seconds; things are named by id."""

    step: int  # the last step of the ledger that is included
    next_id: int
    where: dict[str, str]  # what each thing is in
    away: dict[str, str]  # for each absent person, the location they left from
    asleep: tuple[str, ...] = ()  # sleeping characters, in the order of falling asleep
    files: Mapping[str, str] = MappingProxyType({})  # file of each thing; decides between two with one id
    absent: tuple[str, ...] = ()  # the sleepers whose persons left
    visited: Mapping[str, list[str]] = MappingProxyType({})  # the locations where each person has been
    channels: tuple[Channel, ...] = ()
    live: Mapping[str, Any] = MappingProxyType({})  # what `mud.world.live_state.LiveState.as_json` returned


def read_state(vault: Path) -> SavedState | None:
    """Return the saved state; None without one. Raises VaultProblem when the file is not as the program writes it."""
    text = read_if_there(vault / STATE, _LONGEST, STATE)
    if text is None or not text.strip():
        return None
    document = parse_document(text, STATE, _LONGEST)
    return state_from_json(document.front, STATE, document.lines)


def state_from_json(
    data: Mapping[str, Any], file: str, line_of: Mapping[str, int] = MappingProxyType({})
) -> SavedState:
    """Parse what `state_to_json` returned. Raises VaultProblem; `file` and `line_of` are for its problems."""
    problems: list[Problem] = []
    # Older states lack these.
    since: dict[str, Any] = {"asleep": [], "files": {}, "absent": [], "visited": {}, "channels": {}, "live": {}}
    front = {**since, **data}
    for key, (fits, expected) in _STATE_KEYS.items():
        if not fits(value := front.get(key)):
            expected += f" up to {HIGHEST}" if fits is _is_number and isinstance(value, int) else ""
            message = f"it is not in order; expected {expected}"
            problems.append(Problem(file, line_of.get(key, 1), key, message))
    if problems:
        raise VaultProblem(problems)
    return SavedState(
        front["step"], front["next_id"], front["where"], front["away"], tuple(front["asleep"]), front["files"],
        tuple(front["absent"]), front["visited"], tuple(_channels(front["channels"])), front["live"],
    )  # fmt: skip


def state_saved_at(vault: Path) -> float:
    """Return when the saved state was written, by the file system's clock; 0.0 without one."""
    try:
        return (vault / STATE).stat().st_mtime
    except OSError:
        return 0.0


def _channels(front: Mapping[str, Mapping[str, list[str]]]) -> Iterator[Channel]:
    """Yield saved channels; each of their lines is one text: time, name and words, with tabs between."""
    for name, saved in front.items():
        lines = tuple(ChannelLine(*one.split("\t", 2)) for one in saved["lines"])
        yield Channel(name, tuple(saved["members"]), lines)


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= HIGHEST


def _are_ids(values: object) -> bool:
    return isinstance(values, list) and all(isinstance(one, str) and _SAVED_ID.fullmatch(one) for one in values)


def _lead_to_ids(value: object) -> bool:
    return isinstance(value, dict) and _are_ids(list(value.values()))


def _lead_to_lists(value: object) -> bool:
    return isinstance(value, dict) and _are_ids(list(value)) and all(map(_are_ids, value.values()))


def _lead_to_files(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(to, str) and _FILE.fullmatch(to) for to in value.values())


def _are_channels(value: object) -> bool:
    return isinstance(value, dict) and all(map(_is_channel, value.values()))


def _is_channel(value: object) -> bool:
    if not isinstance(value, dict) or not _are_ids(value.get("members")):
        return False
    lines = value.get("lines")
    return isinstance(lines, list) and all(isinstance(one, str) and one.count("\t") >= 2 for one in lines)


def _is_live(value: object) -> bool:
    try:
        return isinstance(value, dict) and (live_changes(value), live_states(value)) is not None
    except (TypeError, ValueError):
        return False


_STATE_KEYS: dict[str, tuple[Callable[[object], bool], str]] = {
    "step": (_is_number, "a whole number"),
    "next_id": (_is_number, "a whole number"),
    "where": (_lead_to_ids, "an id behind each id"),
    "away": (_lead_to_ids, "an id behind each id"),
    "files": (_lead_to_files, "a file behind each id"),
    "asleep": (_are_ids, "a list of ids"),
    "absent": (_are_ids, "a list of ids"),
    "visited": (_lead_to_lists, "a list of ids behind each id"),
    "channels": (_are_channels, "members and lines behind each name"),
    "live": (_is_live, "what the program wrote"),
}


def set_state_aside(vault: Path) -> str:
    """Move a saved state that cannot be used into the log; return its new path inside the vault."""
    folder = vault / "log"
    make_folder(folder)
    number = next(n for n in itertools.count(1) if not (folder / f"state-broken-{n}.md").exists())
    aside = folder / f"state-broken-{number}.md"
    move(vault / STATE, aside)
    return aside.relative_to(vault).as_posix()


def write_state(vault: Path, state: SavedState, names: Mapping[str, str] | None = None) -> str:
    """Write the state, with a table for people below; `names` are the names of things by id.

    Returns the text as written, for the watcher. After an OSError the old state is unchanged.
    """
    front = {"type": "world_state", **state_to_json(state)}
    text = render_document(front, _table(state, names or {}))
    write_atomic(vault / STATE, text)
    return text


def state_to_json(state: SavedState) -> dict[str, Any]:
    return {
        "step": state.step,
        "next_id": state.next_id,
        "where": state.where,
        "away": state.away,
        "asleep": list(state.asleep),
        "absent": list(state.absent),
        "visited": dict(state.visited),
        "channels": {
            one.name: {"members": list(one.members), "lines": ["\t".join(line) for line in one.lines]}
            for one in state.channels
        },
        "live": dict(state.live),
        "files": dict(state.files),
    }


def _table(state: SavedState, names: Mapping[str, str]) -> str:
    def shown(identity: str) -> str:
        return names.get(identity, identity).replace("|", "\\|")

    asleep = dict.fromkeys(state.asleep, ", asleep")
    rows = [f"| {shown(thing)} | {shown(place)}{asleep.get(thing, '')} |" for thing, place in state.where.items()]
    rows += [f"| {shown(thing)} | away, last in {shown(place)} |" for thing, place in state.away.items()]
    intro = "The program writes this file every few seconds; what is edited here while it runs is overwritten."
    return "\n".join(["# World State", "", intro, "", "| who or what | where |", "|---|---|", *rows, ""])
