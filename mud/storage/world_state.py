"""`world/state.md`: where everything is and who sleeps, saved every few seconds.

Only the program writes it. A file that it cannot read is moved away, not repaired.
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
"""Bytes; all of a large world is in its front matter."""
HIGHEST = 10**11
"""Highest step and next id; far above any real one, and with room to count on."""
_FILE = re.compile(r".+\.md", re.S)


class SavedState(NamedTuple):
    """Where everything is; things are named by id.

    Args:
        step: the last step of the ledger that is included.
        where: what each thing is in.
        away: for each absent person, the location they left from.
        asleep: sleeping characters, in the order of falling asleep.
        files: path of the file that describes a thing; decides between two files with the same id.
    """

    step: int
    next_id: int
    where: dict[str, str]
    away: dict[str, str]
    asleep: tuple[str, ...] = ()
    files: Mapping[str, str] = MappingProxyType({})


def read_state(vault: Path) -> SavedState | None:
    """Return the saved state; None without one. Raises VaultProblem when the file is not as the program writes it."""
    text = read_if_there(vault / STATE, _LONGEST, STATE)
    if text is None or not text.strip():
        return None
    reader = _StateReader(parse_document(text, STATE, _LONGEST))
    step, next_id = reader.number("step"), reader.number("next_id")
    where, away = (reader.texts(key, _ID, "an id behind each id") for key in ("where", "away"))
    files = reader.texts("files", _FILE, "a file behind each id", {})  # older states have no such key
    state = SavedState(step, next_id, where, away, reader.sleepers(), files)
    if reader.problems:
        raise VaultProblem(reader.problems)
    return state


class _StateReader:
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
    def shown(identity: str) -> str:
        return names.get(identity, identity).replace("|", "\\|")

    asleep = dict.fromkeys(state.asleep, ", asleep")
    rows = [f"| {shown(thing)} | {shown(place)}{asleep.get(thing, '')} |" for thing, place in state.where.items()]
    rows += [f"| {shown(thing)} | away, last in {shown(place)} |" for thing, place in state.away.items()]
    intro = "The program writes this file every few seconds; what is edited here while it runs is overwritten."
    return "\n".join(["# World State", "", intro, "", "| who or what | where |", "|---|---|", *rows, ""])
