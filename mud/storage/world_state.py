"""`world/state.md`: where everything is and who sleeps, as the program saves it every few seconds.

The program's own file; people may read it. One that is not as the program writes it is set aside, never repaired.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from mud.errors import Problem, VaultProblem
from mud.storage.documents import Document, parse_document, render_document
from mud.storage.files import read_if_there, write_atomic
from mud.storage.paths import make_folder, move

STATE = "world/state.md"

_ID = re.compile(r"#[0-9]{1,15}")
_LONGEST = 1 << 28
"""Bytes that the file may have; all of a great world is in its front matter."""
HIGHEST = 10**11
"""The highest number of a step or a next id; far beyond what a world comes to, with room to count on from there."""
_FILE = re.compile(r".+\.md", re.S)


class SavedState(NamedTuple):
    """Where everything is, as last saved.

    Args:
        step: number of the ledger's last step that it includes.
        next_id: number of the next id to be given; ids are never given twice.
        where: for each thing that is somewhere, by id, the id of what it is in.
        away: for each person who has left, by id, the id of the location they left from.
        asleep: ids of the characters that sleep, whoever fell asleep first before the others.
        files: for each thing that a file describes, by id, that file's path inside the vault: of two files with one
            id, as copying makes them, it says whose the id is.
    """

    step: int
    next_id: int
    where: dict[str, str]
    away: dict[str, str]
    asleep: tuple[str, ...] = ()
    files: Mapping[str, str] = MappingProxyType({})


def read_state(vault: Path) -> SavedState | None:
    """Return the saved state; None when nothing was ever saved.

    Raises:
        VaultProblem: when the file is not as the program writes it.
    """
    text = read_if_there(vault / STATE, _LONGEST, STATE)
    if text is None or not text.strip():
        return None
    reader = _StateReader(parse_document(text, STATE, _LONGEST))
    step, next_id = reader.number("step"), reader.number("next_id")
    where, away = (reader.texts(key, _ID, "an id behind each id") for key in ("where", "away"))
    files = reader.texts("files", _FILE, "a file behind each id", {})  # there were none before copies were told
    state = SavedState(step, next_id, where, away, reader.sleepers(), files)
    if reader.problems:
        raise VaultProblem(reader.problems)
    return state


class _StateReader:
    """Takes the state's keys one by one, noting what is wrong."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self.problems: list[Problem] = []

    def _wrong(self, key: str, expected: str) -> None:
        line = self._document.lines.get(key, 1)
        self.problems.append(Problem(STATE, line, key, f"it is not in order; expected {expected}"))

    def number(self, key: str) -> int:
        value = self._document.front.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= HIGHEST:
            return value
        self._wrong(key, f"a whole number up to {HIGHEST}" if isinstance(value, int) else "a whole number")
        return 0

    def texts(self, key: str, pattern: re.Pattern[str], expected: str, default: object = None) -> dict[str, str]:
        value = self._document.front.get(key, default)
        if isinstance(value, dict) and all(isinstance(to, str) and pattern.fullmatch(to) for to in value.values()):
            return dict(value)
        self._wrong(key, expected)
        return {}

    def sleepers(self) -> tuple[str, ...]:
        value = self._document.front.get("asleep", [])
        if isinstance(value, list) and all(isinstance(who, str) and _ID.fullmatch(who) for who in value):
            return tuple(value)
        self._wrong("asleep", "a list of ids")
        return ()


def set_state_aside(vault: Path) -> str:
    """Rename a saved state that cannot be used, into the log, and return its new path inside the vault.

    Raises:
        OSError: when it cannot be renamed.
    """
    folder = vault / "log"
    make_folder(folder)
    number = next(n for n in itertools.count(1) if not (folder / f"state-broken-{n}.md").exists())
    aside = folder / f"state-broken-{number}.md"
    move(vault / STATE, aside)
    return aside.relative_to(vault).as_posix()


def write_state(vault: Path, state: SavedState, names: Mapping[str, str] | None = None) -> str:
    """Write the state, with a table for people below.

    Args:
        vault: the vault's folder.
        state: what to write.
        names: names of things by id, for the table.

    Returns:
        The text as written, for the watcher that must know it.

    Raises:
        OSError: when it cannot be written; the old state stays.
    """
    front = {
        "type": "world_state",
        "step": state.step,
        "next_id": state.next_id,
        "where": state.where,
        "away": state.away,
        "asleep": list(state.asleep),
        "files": state.files,
    }
    text = render_document(front, _table(state, names or {}))
    write_atomic(vault / STATE, text)
    return text


def _table(state: SavedState, names: Mapping[str, str]) -> str:
    """Return the body of the state's file, which only people read."""

    def shown(identity: str) -> str:
        return names.get(identity, identity).replace("|", "\\|")

    asleep = dict.fromkeys(state.asleep, ", asleep")
    rows = [f"| {shown(thing)} | {shown(place)}{asleep.get(thing, '')} |" for thing, place in state.where.items()]
    rows += [f"| {shown(thing)} | away, last in {shown(place)} |" for thing, place in state.away.items()]
    intro = "The program writes this file every few seconds; what is edited here while it runs is overwritten."
    return "\n".join(["# World State", "", intro, "", "| who or what | where |", "|---|---|", *rows, ""])
