"""Memories that people wrote: the files of `memories/`, imported once each, in the order of their names.

What was imported stands in the archive's `import` lines, written before the memories themselves, so that a kill in
between imports the rest at the next opening and nothing twice. The files stay as they are; one that is changed later
changes no memory. A folder of Miniworld's works as it is. One that is wrong is named, and left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from agents.memory.entries import Entry, check_record
from agents.memory.history import events
from agents.memory.memory import Memory
from mud.clock import Clock, iso
from mud.errors import Problem, VaultProblem
from mud.storage.documents import Document, link_name, parse_document
from mud.storage.files import read_text, sha256_text

FOLDER = "memories"
IMPORT = "import"
"""The event of an import's line."""

BATCH = 512
"""Memories that one line of the archive names at most."""

_ENDLESS = 1 << 62
_HEADING = re.compile(r"\A# [^\n]*(?:\n|\Z)")
_ECHO = re.compile(r"\A>[^\n]*\n+(?:[❌✗✘×][ \t]*)?")
"""The command line, and the cross of one that failed, with which old memories of Miniworld begin."""
_OTHERWISE = {"at": "timestamp", "place": "location"}
"""What Miniworld calls two of the keys."""
_KEYS = ("at", "kind", "actor", "place", "reason", "failed", "importance")


class Seed(NamedTuple):
    """One file, read.

    Args:
        name: its name in the folder.
        digest: SHA-256 of its text.
        record: the memory, as `entry_from_record` takes it.
    """

    name: str
    digest: str
    record: dict[str, object]


class _Import(NamedTuple):
    """One `import` line: the numbers it gives out, and to which files, by name with the SHA-256 of each."""

    first: int
    last: int
    files: Sequence[tuple[str, str]]


def fresh(folder: Path, total: int = _ENDLESS) -> tuple[list[Seed], list[Problem]]:
    """Return the files that are still to be imported, in order, and what is wrong with those that cannot be.

    Args:
        folder: the character's folder.
        total: memories in its archive.
    """
    names = _names(folder)
    try:
        known = _known(_imports(folder, total), total) if names else {}
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
            if seed.digest not in gone:  # else it only has another name now
                seeds.append(seed)
    return seeds, problems


def read_seed(folder: Path, name: str) -> Seed:
    """Read one file.

    Args:
        folder: the character's folder.
        name: the file's name.

    Raises:
        VaultProblem: what is wrong with it.
    """
    file = f"agents/{folder.name}/{FOLDER}/{name}"
    text = read_text(folder / FOLDER / name, file=file, inside=True)
    document = parse_document(text, file)
    front = document.front
    record = {key: front.get(key, front.get(_OTHERWISE.get(key, key))) for key in _KEYS}
    if isinstance(place := record["place"], str):
        record["place"] = link_name(place) or place
    record["text"] = _told(document)
    try:
        check_record(record)
    except ValueError as error:
        key, _, why = str(error).partition(": ")
        raise VaultProblem([_wrong(document, file, key, why)]) from None
    return Seed(name, sha256_text(text), record)


def _told(document: Document) -> str:
    """Return what a file says is remembered: its body without a heading and, of Miniworld's, without the command."""
    body = document.body.replace("\r\n", "\n").strip()
    told = _HEADING.sub("", body).strip() or body.removeprefix("# ").strip()
    if document.front.get("type") == "memory":
        told = _ECHO.sub("", told).strip() or told
    return told


def _wrong(document: Document, file: str, key: str, why: str) -> Problem:
    named = _OTHERWISE.get(key, key)
    key = key if key in document.front or named not in document.front else named
    return Problem(file, document.lines.get(key, document.body_line), "" if key == "text" else key, why)


def _names(folder: Path) -> list[str]:
    """Return the names of the files, in order; hidden ones are no memories."""
    try:
        return sorted(path.name for path in (folder / FOLDER).iterdir() if _is_seed(path))
    except (FileNotFoundError, NotADirectoryError):
        return []


def _is_seed(path: Path) -> bool:
    return path.suffix == ".md" and not path.name.startswith(".") and path.is_file()


def _imports(folder: Path, total: int) -> list[_Import]:
    """Return the `import` lines of an archive, as far as they can be understood, in order."""
    return [one for _, event in events(folder / "archive", 1, max(1, total)) if (one := _import(event)) is not None]


def _import(event: dict[str, Any]) -> _Import | None:
    covers, files = event.get("covers"), event.get("files")
    if event["event"] != IMPORT or not isinstance(covers, dict) or not isinstance(files, list):
        return None
    named = [(one.get("file"), one.get("sha256")) for one in files if isinstance(one, dict)]
    first, last = covers.get("first"), covers.get("last")
    if not (isinstance(first, int) and isinstance(last, int) and last - first + 1 == len(named) == len(files)):
        return None
    return _Import(first, last, [(str(name), str(digest)) for name, digest in named])


def _known(imports: Sequence[_Import], total: int) -> dict[str, str]:
    """Return the files whose memories are in the archive, by name, with the SHA-256 of their text then.

    Of an import that was cut short those count whose number was reached before the next import took up the rest.
    """
    ends = [*(after.first - 1 for after in imports[1:]), total]
    return {
        name: digest
        for one, end in zip(imports, ends, strict=False)
        for name, digest in one.files[: max(0, min(one.last, end, total) - one.first + 1)]
    }


class Seeds:
    """The hand-written memories of one life.

    Args:
        memory: the life.
        clock: tells when they are imported.
        writable: this process may write; a reader imports nothing.
    """

    def __init__(self, memory: Memory, clock: Clock, *, writable: bool = True) -> None:
        self._memory, self._clock, self._writable = memory, clock, writable

    def finish(self) -> list[Entry]:
        """Import the rest of what a kill cut short; asked right after opening, before anything else is remembered.

        Raises:
            OSError: when the archive cannot be read.
        """
        memory = self._memory
        imports = _imports(memory.folder, memory.total) if _names(memory.folder) else []
        return self.take_up()[0] if imports and imports[-1].last > memory.total else []

    def take_up(self) -> tuple[list[Entry], list[Problem]]:
        """Import every file that is new; return the memories and what is wrong with files that were left out.

        What cannot be written yet is imported later: nothing is, while other memories wait for the disk.
        """
        memory = self._memory
        seeds, problems = fresh(memory.folder, memory.total)
        taken: list[Entry] = []
        for batch in _batches(seeds) if self._writable else ():
            if memory.waiting or memory.missing_from is not None or not self._announce(batch):
                break
            taken += memory.append_raw([seed.record for seed in batch])
        return taken, problems

    def _announce(self, batch: Sequence[Seed]) -> bool:
        """Write the line that says which file becomes which memory; return whether it stands in the archive."""
        memory = self._memory
        first, last = memory.total + 1, memory.total + len(batch)
        before = len(_imports(memory.folder, memory.total))
        memory.record(
            {
                "event": IMPORT,
                "at": iso(self._clock.now()),
                "covers": {"first": first, "last": last},
                "files": [{"file": seed.name, "sha256": seed.digest} for seed in batch],
            }
        )
        return len(_imports(memory.folder, memory.total)) > before


def _batches(seeds: Sequence[Seed]) -> Iterator[Sequence[Seed]]:
    for start in range(0, len(seeds), BATCH):
        yield seeds[start : start + BATCH]
