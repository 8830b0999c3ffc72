"""What was read of each `agent.md`, kept in `.index` so that a start need not parse very many files again.

The file may be removed at any time. A definition is taken from it while its file has the modification time, size and
inode that it had, and the program is the same; one that changed just before the cache was written is read anew.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import orjson

import agents
import mud
from agents.definition import AgentDefinition
from agents.text.habits import Habit
from mud.errors import VaultProblem
from mud.storage.files import sha256_text, write_unsynced
from mud.storage.paths import make_folder, read_bytes
from mud.storage.settings import Value

FILE = ".index/definitions.json"
WORTH = 500
"""Agents from which on the cache is written; fewer are read as quickly."""
_LONGEST = 1 << 30  # bytes
_SETTLED = 2_000_000_000  # nanoseconds within which two writes may have the same modification time

_Stamp = tuple[int, int, int]


class DefinitionCache:
    """The definitions of the agents in `folder` (`vault/agents`) as they were read last."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._path = folder, folder.parent / FILE
        self._stamps: dict[str, _Stamp] = {}
        """The stamp of each file before it was read."""
        self._written = 0
        self._known: dict[str, Any] | None = None
        self._missed = False

    def find(self, slug: str) -> AgentDefinition | None:
        """Return the definition in a folder if its file is unchanged. Call it before the file is read."""
        stamp = _stamp_of(f"{self._folder}/{slug}")
        if stamp is None:
            return None
        self._stamps[slug] = stamp
        known = self._read().get(slug)
        with suppress(TypeError, ValueError, AttributeError):
            if known and tuple(known[0]) == stamp and stamp[0] < self._written - _SETTLED:
                return _decoded(slug, known[1])
        self._missed = True
        return None

    def keep(self, definitions: Iterable[AgentDefinition]) -> None:
        """Write the definitions, which were read without a mistake, if that is worth it; failures change nothing."""
        stamps, missed = self._stamps, self._missed
        self._known, self._stamps, self._missed = {}, {}, False  # who comes later is new
        if not missed:
            return
        whole = {one.slug: [stamps[one.slug], _encoded(one)] for one in definitions if one.slug in stamps}
        if len(whole) < WORTH:
            return
        with suppress(OSError, VaultProblem, TypeError):
            make_folder(self._path.parent)
            write_unsynced(self._path, orjson.dumps({"program": _program(), "agents": whole}).decode())

    def _read(self) -> dict[str, Any]:
        if self._known is None:
            self._known = {}
            with suppress(OSError, VaultProblem, ValueError, TypeError, KeyError):
                self._written = self._path.stat().st_mtime_ns
                found = orjson.loads(read_bytes(self._path, _LONGEST, own=True))
                self._known = dict(found["agents"]) if found["program"] == _program() else {}
        return self._known


def _stamp_of(folder: str) -> _Stamp | None:
    """Return the stamp of an ordinary `agent.md` in an ordinary folder."""
    try:
        above, seen = os.lstat(folder), os.lstat(f"{folder}/agent.md")
    except OSError:
        return None
    plain = stat.S_ISDIR(above.st_mode) and stat.S_ISREG(seen.st_mode)
    return (seen.st_mtime_ns, seen.st_size, seen.st_ino) if plain else None


def _encoded(one: AgentDefinition) -> list[object]:
    habits, overrides = (
        [list(habit) for habit in one.habits],
        {key: list(value) for key, value in one.overrides.items()},
    )
    return [
        one.id, one.name, one.aliases, one.location, one.person, one.brain, one.voice, one.goal, habits,
        one.description, one.profile, one.own_goal, one.own_description, one.own_profile, overrides, dict(one.lines),
        one.name_line,
    ]  # fmt: skip


def _decoded(slug: str, saved: list[Any]) -> AgentDefinition:
    saved[2], saved[8] = tuple(saved[2]), tuple(Habit(*habit) for habit in saved[8])
    saved[14] = {key: Value(*value) for key, value in saved[14].items()}
    return AgentDefinition(slug, *saved)


@cache
def _program() -> str:
    """Return a digest of this program's files, by which another version is told."""
    found = sorted(path for package in (agents, mud) for path in Path(str(package.__file__)).parent.rglob("*.py"))
    return sha256_text("\n".join(f"{path} {(seen := path.stat()).st_mtime_ns} {seen.st_size}" for path in found))
