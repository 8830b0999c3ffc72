"""Snapshots: the whole world before a step, from which the ledger can be played again.

One is kept before the first step after a vault was opened, as its files may have been edited while no program ran. It
is `log/worlds/NUMBER.json`, named by the last step before it, and never changed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from mud.errors import Problem, VaultProblem
from mud.storage.files import read_text, write_atomic
from mud.storage.paths import matching, remove
from mud.storage.world_files import SavedState, state_from_json, state_to_json
from mud.world.changes import thing_from_json, thing_to_json
from mud.world.things import Thing

FOLDER = "log/worlds"
LIMIT = 1 << 28  # bytes of a snapshot
_NAME = re.compile(r"(\d{10,16})\.json")
_BROKEN = "this is no snapshot of a world; expected one as the program wrote it"


class Snapshot(NamedTuple):
    """The world before a step.

    Args:
        state: where everything was after the step that it names, and all that no file of a thing holds.
        things: all things but copies, as their files had them.
        witnesses: ids of the characters whose perceptions were kept.
        files: the texts of the world's files.
        utc: the hours of the world were those of UTC, else those of the machine.
    """

    state: SavedState
    things: tuple[Thing, ...]
    witnesses: tuple[str, ...]
    files: Mapping[str, str]
    utc: bool


def follow_files(record: Mapping[str, Any], files: dict[str, str], homes: dict[str, str]) -> None:
    """Change the texts of the world's files, and the file of each thing, as a step of the ledger did."""
    for file, text in record.get("files", {}).items():
        files.pop(homes.get(record["who"], ""), None)  # it may have been renamed
        files[file], homes[record["who"]] = text, file


def write_snapshot(vault: Path, snapshot: Snapshot) -> None:
    """Write a snapshot, and remove those of later steps, which a power cut took. Raises OSError."""
    for lost in snapshot_steps(vault):
        if lost > snapshot.state.step:
            remove(_path(vault, lost))
    data = {
        "state": state_to_json(snapshot.state),
        "witnesses": snapshot.witnesses,
        "files": dict(snapshot.files),
        "utc": snapshot.utc,
        "things": [thing_to_json(thing) for thing in snapshot.things],
    }
    write_atomic(_path(vault, snapshot.state.step), json.dumps(data, separators=(",", ":")))


def _path(vault: Path, step: int) -> Path:
    return vault / FOLDER / f"{step:010d}.json"


def snapshot_steps(vault: Path) -> list[int]:
    """Return the steps after which there is a snapshot, in order."""
    found = (_NAME.fullmatch(path.name) for path in matching(vault / FOLDER, "*.json"))
    return sorted(int(name[1]) for name in found if name)


def read_snapshot(vault: Path, step: int) -> Snapshot:
    """Raises VaultProblem when it is missing or not as it was written."""
    file = _path(vault, step).relative_to(vault).as_posix()
    text = read_text(vault / file, LIMIT, file)
    try:
        return _parsed(json.loads(text), file)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise VaultProblem([Problem(file, 1, "", _BROKEN)]) from error


def _parsed(data: dict[str, Any], file: str) -> Snapshot:
    things = tuple(map(thing_from_json, data["things"]))
    texts = {str(name): str(text) for name, text in data["files"].items()}
    return Snapshot(state_from_json(data["state"], file), things, tuple(data["witnesses"]), texts, bool(data["utc"]))
