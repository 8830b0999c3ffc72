"""Imports hand-written memories: each file of `memories/` once, in the order of the names.

An `import` line in the archive names the files before their entries are written, so that an interrupted import is
continued at the next opening and nothing is imported twice. Later changes to a file change no memory. Miniworld's
folders work as they are. Files with mistakes are reported and left out.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from agents.memory.entries import Entry, read_record
from agents.memory.history import Event, events, events_by_file, last_event
from agents.memory.memory import Memory
from mud.clock import Clock, iso
from mud.errors import Problem, VaultProblem
from mud.storage.documents import link_name, parse_document
from mud.storage.files import read_text, sha256_text
from mud.storage.paths import may_be_read

FOLDER = "memories"
IMPORT = "import"

BATCH = 512  # files per `import` line

_ENDLESS = 1 << 62
_HEADING = re.compile(r"\A# [^\n]*(?:\n|\Z)")
_ECHO = re.compile(r"\A>[^\n]*\n+(?:[❌✗✘×][ \t]*)?")
"""The command line, and the cross of a failed one, at the start of old Miniworld memories."""
_MINIWORLD = {"at": "timestamp", "place": "location"}  # Miniworld's names for two of the keys
_KEYS = ("at", "kind", "actor", "place", "reason", "failed", "importance")


class Seed(NamedTuple):
    """One file. `digest`: SHA-256 of its text; `record`: the memory, as `entry_from_record` takes it."""

    name: str
    digest: str
    record: dict[str, object]


class _Import(NamedTuple):
    """One `import` line: the numbers it assigns, and the names and SHA-256 of their files, in order."""

    first: int
    last: int
    files: Sequence[tuple[str, str]]


def fresh(folder: Path, total: int = _ENDLESS) -> tuple[list[Seed], list[Problem]]:
    """Return the files not imported yet, in order, and the problems of those that cannot be. `total`: entries."""
    names = _names(folder)
    try:
        known = _imported(folder, names, total) if names else {}
    except OSError as error:
        file = f"agents/{folder.name}/{FOLDER}"
        return [], [Problem(file, 0, "", f"nothing is imported while the archive cannot be read ({error})")]
    gone = {digest for name, digest in known.items() if name not in names}
    seeds: list[Seed] = []
    problems: list[Problem] = []
    for name in names:
        if name in known:
            continue
        try:
            seed = read_seed(folder, name)
        except VaultProblem as wrong:
            problems += wrong.problems
        else:
            if seed.digest not in gone:  # else the file was only renamed
                seeds.append(seed)
    return seeds, problems


def read_seed(folder: Path, name: str) -> Seed:
    """Read one file. Raises VaultProblem when something is wrong with it."""
    file = f"agents/{folder.name}/{FOLDER}/{name}"
    raw = read_text(folder / FOLDER / name, file=file, inside=True)
    document = parse_document(raw, file)
    front, body = document.front, document.body.replace("\r\n", "\n").strip()
    text = _HEADING.sub("", body).strip() or body.removeprefix("# ").strip()
    if front.get("type") == "memory":
        text = _ECHO.sub("", text).strip() or text
    record = {key: front.get(key, front.get(_MINIWORLD.get(key, key))) for key in _KEYS}
    if isinstance(place := record["place"], str):
        record["place"] = link_name(place) or place
    record["text"] = text
    try:
        read_record(record)
    except ValueError as error:
        key, _, why = str(error).partition(": ")
        key = _MINIWORLD[key] if key not in front and _MINIWORLD.get(key) in front else key
        line = document.lines.get(key, document.body_line)
        raise VaultProblem([Problem(file, line, "" if key == "text" else key, why)]) from None
    return Seed(name, sha256_text(raw), record)


def _names(folder: Path) -> list[str]:
    if not os.path.lexists(folder / FOLDER):  # most have none
        return []
    try:
        here = (folder / FOLDER).iterdir() if may_be_read(folder / FOLDER, inside=True) else ()
        files = [path for path in here if path.suffix == ".md" and path.is_file()]
    except (FileNotFoundError, NotADirectoryError):
        return []
    return sorted(path.name for path in files if not path.name.startswith("."))


def _imported(folder: Path, names: Sequence[str], total: int) -> dict[str, str]:
    """Return imported files by name with their SHA-256 then; of an interrupted import, those whose entry exists.

    The archive is read only until all `names` are among them.
    """
    imports: list[_Import] = []
    known: dict[str, str] = {}
    for end, found in events_by_file(folder / "archive", 1, max(1, total), IMPORT):
        imports += _imports(found)
        ends = [*(after.first - 1 for after in imports[1:]), min(end, total)]
        for one, last in zip(imports, ends, strict=False):
            known.update(one.files[: max(0, min(one.last, last, end, total) - one.first + 1)])
        if known.keys() >= set(names):
            break
    return known


def _imports(found: Iterable[Event]) -> Iterator[_Import]:
    """Yield the valid `import` lines; people may have written anything."""
    for _, event in found:
        covers, files = event.get("covers"), event.get("files")
        if not isinstance(covers, dict) or not isinstance(files, list):
            continue
        first, last = covers.get("first"), covers.get("last")
        named = [(str(one.get("file")), str(one.get("sha256"))) for one in files if isinstance(one, dict)]
        if isinstance(first, int) and isinstance(last, int) and last - first + 1 == len(named) == len(files):
            yield _Import(first, last, named)


class Seeds:
    """The hand-written memories of one agent. A reader (not `writable`) imports nothing."""

    def __init__(self, memory: Memory, clock: Clock, *, writable: bool = True) -> None:
        self._memory, self._clock, self._writable = memory, clock, writable
        self._archive = memory.folder / "archive"

    def finish(self) -> list[Entry]:
        """Finish an interrupted import; call it right after opening, before other entries. Raises OSError."""
        total = self._memory.total
        if not _names(self._memory.folder):
            return []
        near = events(self._archive, max(1, total - BATCH), max(1, total), IMPORT)
        *_, last = 0, *(one.last for one in _imports(near))
        return self.take_up()[0] if last > total else []

    def take_up(self) -> tuple[list[Entry], list[Problem]]:
        """Import new files, unless other entries wait for the disk; return the entries and the problems of the rest."""
        memory = self._memory
        memory.write_held()
        seeds, problems = fresh(memory.folder, memory.total)
        taken: list[Entry] = []
        for start in range(0, len(seeds) if self._writable else 0, BATCH):
            batch = seeds[start : start + BATCH]
            if memory.waiting or memory.missing_from is not None or not self._announce(batch):
                break
            taken += memory.append_raw([seed.record for seed in batch])
        return taken, problems

    def _announce(self, batch: Sequence[Seed]) -> bool:
        """Write the `import` line; return whether it is in the archive."""
        event = {
            "event": IMPORT,
            "at": iso(self._clock.now()),
            "covers": {"first": self._memory.total + 1, "last": self._memory.total + len(batch)},
            "files": [{"file": seed.name, "sha256": seed.digest} for seed in batch],
        }
        # Read back, as a line that is there in spite of an error would claim the next memories.
        return self._memory.record(event) or last_event(self._archive, IMPORT) == event
