"""What builders changed in files of the vault: carried out whole or not at all, and kept to be taken back.

A change stands in `log/building/BUILDER/NUMBER-begun.json`, with the texts of all its files before and after, before
any of the files is written. When they are written it loses its `-begun`; a change that a kill left begun is completed
at the next start. Files that go are moved into the trash.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from mud.errors import LociError
from mud.storage.files import read_if_there, read_text, write_atomic
from mud.storage.paths import make_folder, matching, move, remove
from mud.storage.trash import bring_back, throw_away

log = logging.getLogger(__name__)

FOLDER = "log/building"
MOST = 50
"""Changes of one builder that are kept; the oldest go first."""
_LIMIT = 64 * 1024 * 1024  # bytes of a kept change
_FILE = re.compile(r"world/(?:locations|items|characters)/[^/]+\.md|agents/[^/.][^/]*/agent\.md|config/world\.md")
"""Files that builders change; the log of a vault from a stranger may name others."""
_BUILDER = re.compile(r"#[0-9]{1,15}")
_NAME = re.compile(r"(\d{10})(-begun|-undone)?\.json")


class FileChange(NamedTuple):
    """A file's texts; None while it is not there."""

    file: str
    before: str | None
    after: str | None


class BuildingChange(NamedTuple):
    """Something that a builder did.

    Args:
        builder: id of their character.
        number: counts the builder's changes.
        what: the words to name it by.
        where: what each thing was in whose file goes, by id.
        undoes: number of the change that this one takes back; 0 for none.
        states: what held of each thing whose file goes, by id.
    """

    builder: str
    number: int
    what: str
    files: tuple[FileChange, ...]
    where: Mapping[str, str] = MappingProxyType({})
    undoes: int = 0
    states: Mapping[str, tuple[str, ...]] = MappingProxyType({})


class BuildingLog:
    """The changes of all builders of a vault."""

    def __init__(self, vault: Path) -> None:
        self._vault = vault

    def carry_out(self, change: BuildingChange, now: datetime) -> None:
        """Write the files of a change and keep it; what does not fit in any more is forgotten.

        Raises OSError or VaultProblem; then no file has changed, unless the disk did not allow that either.
        """
        begun = self._path(change, "-begun")
        make_folder(begun.parent, above=True)
        write_atomic(begun, _to_json(change))
        try:
            _write(self._vault, change.files, now)
        except (OSError, LociError):
            remove(begun)
            raise
        self._finish(change)

    def complete(self, now: datetime) -> None:
        """Carry out what a kill left begun; a file that has another text since then stays as it is."""
        for path in matching(self._vault / FOLDER, "*/*-begun.json"):
            try:
                change = _from_json(read_text(path, _LIMIT, path.name))
                _write(self._vault, change.files, now)
                self._finish(change)
            except (OSError, LociError, ValueError) as error:
                log.warning("%s cannot be completed: %s", path.name, error)

    def last(self, builder: str) -> BuildingChange | None:
        """Return a builder's last change that was not taken back."""
        for number, state, path in reversed(self._kept(builder)):
            if not state:
                try:
                    return _from_json(read_text(path, _LIMIT, path.name))
                except (LociError, ValueError):
                    log.warning("the change of a builder in %s cannot be read; number %d is passed over", path, number)
        return None

    def pass_over(self, change: BuildingChange) -> None:
        """Have `last` return the change before."""
        with suppress(FileNotFoundError):
            move(self._path(change), self._path(change, "-undone"))

    def next_number(self, builder: str) -> int:
        return max((number for number, _, _ in self._kept(builder)), default=0) + 1

    def _finish(self, change: BuildingChange) -> None:
        if change.undoes:
            self.pass_over(change._replace(number=change.undoes))
        move(self._path(change, "-begun"), self._path(change, "-undone" if change.undoes else ""))
        kept = self._kept(change.builder)
        for _, _, path in kept[: max(0, len(kept) - MOST)]:
            remove(path)

    def _kept(self, builder: str) -> list[tuple[int, str, Path]]:
        """Return number, state and path of a builder's changes, oldest first."""
        paths = matching(self._vault / FOLDER / _folder(builder), "*.json")
        found = ((_NAME.fullmatch(path.name), path) for path in paths)
        return sorted((int(name[1]), name[2] or "", path) for name, path in found if name)

    def _path(self, change: BuildingChange, state: str = "") -> Path:
        return self._vault / FOLDER / _folder(change.builder) / f"{change.number:010}{state}.json"


def _folder(builder: str) -> str:
    return builder.removeprefix("#")


def _write(vault: Path, files: Iterable[FileChange], now: datetime) -> None:
    """Write the files of a change: new ones first, and those that go last. After an error all are as before."""
    ordered = sorted(files, key=lambda one: (one.after is None, one.before is not None))
    for at, one in enumerate(ordered):
        try:
            _write_one(vault, one, now)
        except (OSError, LociError):
            for done in reversed(ordered[:at]):
                _write_one(vault, FileChange(done.file, done.after, done.before), now)
            raise


def _write_one(vault: Path, one: FileChange, now: datetime) -> None:
    """Give a file its text from after a change, if it has the one from before."""
    path = vault / one.file
    if one.before == one.after or read_if_there(path, file=one.file) != one.before:
        return
    if one.after is None:
        throw_away(vault, path, now)
    elif one.before is not None or not bring_back(vault, path, one.after):
        write_atomic(path, one.after)


def _to_json(change: BuildingChange) -> str:
    files = [one._asdict() for one in change.files]
    given = {"files": files, "where": dict(change.where), "states": dict(change.states)}
    return json.dumps({**change._asdict(), **given}) + "\n"


def _from_json(text: str) -> BuildingChange:
    """Parse a kept change. Raises ValueError for other data."""
    match json.loads(text):
        case {"builder": str(who), "number": int(number), "what": str(what), "files": list(files), **rest}:
            where, undoes, held = rest.get("where"), rest.get("undoes"), rest.get("states", {})
            if (
                _BUILDER.fullmatch(who)
                and isinstance(where, dict)
                and isinstance(undoes, int)
                and isinstance(held, dict)
            ):
                states = {id: tuple(map(str, of)) for id, of in held.items()}
                return BuildingChange(who, number, what, tuple(map(_file_from, files)), where, undoes, states)
    raise ValueError("no change of a builder")


def _file_from(data: object) -> FileChange:
    match data:
        case {"file": str(file), "before": str() | None as before, "after": str() | None as after}:
            if _FILE.fullmatch(file):
                return FileChange(file, before, after)
    raise ValueError("no change of a file")
