"""New vaults out of a vault: a branch, as it is now, and a rewind, as it was after a step.

Files that are never changed in place are shared by hard links, where the file system has them: full files of archives
and ledger, kept worlds, versions of summaries. All others are copied, so that neither vault writes into the other. A
branch is made in the order of `mud.server.exporting`, also while a world runs.

In a rewind, world, archives, summaries, notes, journals and ledger are those of the step. What has no step is as it is
now: settings, texts, prompts, who agents are, accounts; chronicle, logs and traces are left out.
"""

from __future__ import annotations

import glob
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from agents.memory.archive import archive_files, decode, numbered, read_lines
from agents.memory.summaries import TIERS, CommitLine, SummaryFiles, parse_commit, parse_summary, render_summary
from mud.engine.engine import changes_of
from mud.engine.ledger import Ledger
from mud.engine.snapshots import FOLDER as WORLDS
from mud.engine.snapshots import follow_files, read_snapshot, snapshot_steps
from mud.errors import LociError, VaultProblem
from mud.server.exporting import members
from mud.server.new_vaults import new_vault
from mud.server.opening import state_of, world_of
from mud.server.wiring import Parts
from mud.storage.files import OWN_LIMIT, encode, free_stem, link_or_copy, read_if_there, write_new
from mud.storage.jsonl import read_jsonl
from mud.storage.paths import below, make_folder, matching
from mud.storage.world_files import FOLDERS, STATE, read_state, write_state
from mud.storage.zip_files import Member
from mud.world.world import World

_LEDGER = "ledger-*.jsonl"
_VERSION = re.compile(rf"(?:{'|'.join(TIERS)})-.+\.md")
_NOT_REWOUND = re.compile(r"log/(?!ledger-).*|agents/[^/]+/mind\.md")
"""Files that are no part of a rewind."""
_OF_THE_WORLD = re.compile(rf"world/(?:{'|'.join(FOLDERS)})/[^/\0]+\.md")
_DATED = re.compile(r"(?m)^## (\d{4}-\d\d-\d\dT[\d:.]+Z)")
_REPLACED = re.compile(r"(.+)-(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)(?:-\d+)?")
"""Name of an earlier text of a note: that of the note, and the second when it was replaced."""
_TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")


class Branched(NamedTuple):
    """A vault that was made of another one.

    Args:
        step: the last step that it has.
        files: how many files are in it.
        shared: how many of them are hard links to those of the first vault.
    """

    vault: Path
    step: int
    files: int
    shared: int


def free_path(folder: Path, name: str) -> Path:
    """Return a path in a folder with this name, or with the first of `name-2`, `name-3` ... that is not taken."""
    return folder / free_stem({path.name for path in folder.iterdir()}, name)


def branch(vault: Path, target: Path) -> Branched:
    """Make a new vault that is as this one is now. Raises LociError when it cannot be made."""
    with new_vault(target) as made:
        finished = finished_files(vault)
        shared = sum(link_or_copy(vault / file, made / file) for file in finished)
        count = sum(1 for _ in _written(made, members(vault, lambda file: None, accounts=True, without=finished)))
    return Branched(target, _last_step(target), len(finished) + count, shared)


def _written(made: Path, files: Iterable[Member]) -> Iterator[str]:
    """Write files, and yield their names. Raises LociError for a name that leads out of the vault."""
    for file in files:
        if file.name.startswith("/") or ".." in file.name.split("/"):
            raise LociError(f"{file.name!r} is no name of a file in a vault")
        make_folder((made / file.name).parent, above=True)
        write_new(made / file.name, file.data, 0o600 if file.private else None, synced=False)
        yield file.name


def finished_files(vault: Path) -> list[str]:
    """Return the files that the program only reads from now on; the last one of a ledger or an archive is none."""
    found = [*matching(vault / "log", _LEDGER)[:-1], *matching(vault / WORLDS, "*.json")]
    for folder in matching(vault / "agents", "[!.]*"):
        with suppress(OSError):
            found += [path for _, path in archive_files(folder / "archive")][:-1]
        found += [path for path in matching(folder / "summaries", "*.md") if _VERSION.fullmatch(path.name)]
    return [path.relative_to(vault).as_posix() for path in found if path.is_file() and not path.is_symlink()]


def _last_step(vault: Path) -> int:
    return max((int(one["step"]) for one in Ledger(vault / "log").newest(OWN_LIMIT)), default=0)


def first_step(parts: Parts) -> int:
    """Return the first step to which there is a way back."""
    return next(iter(snapshot_steps(parts.vault)), parts.engine.number - 1) + 1


def rewind(parts: Parts, target: Path, step: int) -> Branched:
    """Make a new vault that is as this one was after a step.

    Raises LociError when it cannot be made, or when that step or the world then is not known.
    """
    with new_vault(target) as made:
        past = _Past(parts, step)
        past.fill(made)
        files = [path for path in made.rglob("*") if path.is_file()]
        shared = sum(path.stat().st_nlink > 1 for path in files)
    return Branched(target, step, len(files), shared)


class _Past:
    """A vault after an earlier step."""

    def __init__(self, parts: Parts, step: int) -> None:
        self._vault, self._step = parts.vault, step
        self._ledger = Ledger(parts.vault / "log")
        self._at, self._saved = self._time_of(step), read_state(parts.vault)
        self._world, self._files, self._homes = self._world_then()
        ids = {one.slug: one.id for one in parts.minds.definitions.values()}
        self._unborn = {slug for slug, one in ids.items() if not self._has_lived(slug, one)}

    def _time_of(self, step: int) -> str:
        record = next(self._ledger.after(step - 1), None)
        if record is None or record["step"] != step:
            raise LociError(f"the ledger has no step {step}; its last one is {_last_step(self._vault)}")
        return str(record.get("at"))

    def _world_then(self) -> tuple[World | None, Mapping[str, str], Mapping[str, str]]:
        """Return the world after the step, the texts of its files, and the file of each thing.

        None stands for the world of the saved state with the ledger's steps after it, and the files of now.
        """
        kept = [one for one in snapshot_steps(self._vault) if one < self._step]
        saved = self._saved
        if not kept:
            if saved is None or saved.step > self._step:
                raise LociError(f"the world before step {self._step} was not kept; expected a later step")
            return None, {}, {}
        snapshot = read_snapshot(self._vault, kept[-1])
        world, files = world_of(snapshot), dict(snapshot.files)
        homes = {**(saved.files if saved is not None else {}), **snapshot.state.files}
        records = list(takewhile(lambda one: one["step"] <= self._step, self._ledger.after(kept[-1])))
        if len(records) != self._step - kept[-1]:
            raise LociError(f"the ledger lacks a step between {kept[-1]} and {self._step}")
        for record in records:
            world.apply(changes_of(record))
            follow_files(record, files, homes)
        for one in homes.keys() - world.things.keys():
            files.pop(homes.pop(one), None)
        return world, files, homes

    def _has_lived(self, slug: str, who: str) -> bool:
        """Return whether somebody was in the world by then; a guest may have left it for good."""
        files = archive_files(self._vault / "agents" / slug / "archive")
        return (
            self._world is None
            or who in self._world.things
            or any(_last_memory(self._lines_then(read_lines(path))) for _, path in files[:1])
        )

    def fill(self, made: Path) -> None:
        """Write the vault into an empty folder."""
        instead = self._instead()
        finished = [file for file in finished_files(self._vault) if file not in instead]
        for file in finished:
            link_or_copy(self._vault / file, made / file)
        kept = members(self._vault, lambda file: None, accounts=True, without={*instead, *finished})
        list(_written(made, (one for file in kept if (one := self._until(file)) is not None)))
        list(_written(made, (Member(file, data) for file, data in instead.items() if data is not None)))
        if self._world is not None and STATE in instead:
            names = {thing.id: thing.name for thing in self._world.things.values()}
            write_state(made, state_of(self._world, self._step, self._homes), names)

    def _instead(self) -> dict[str, bytes | None]:
        """Return what files hold that are other ones than now; None for those that were not there."""
        worlds = {f"{WORLDS}/{one:010d}.json" for one in snapshot_steps(self._vault) if one < self._step}
        found: dict[str, bytes | None] = {}
        if self._world is not None and self._saved is not None and self._saved.step > self._step:
            found[STATE] = None  # else it is an earlier one, and the start adds what the ledger has after it
        for entry in below(self._vault):
            if isinstance(entry, OSError):
                raise entry
            file = Path(entry.path).relative_to(self._vault).as_posix()
            unborn = file.startswith(tuple(f"agents/{slug}/" for slug in self._unborn))
            remade = self._world is not None and _OF_THE_WORLD.fullmatch(file)
            if unborn or remade or (_NOT_REWOUND.fullmatch(file) and file not in worlds):
                found[file] = None
        # Names in ledgers and kept worlds may be a stranger's, and lead anywhere.
        found |= {file: encode(text) for file, text in self._files.items() if _OF_THE_WORLD.fullmatch(file)}
        found |= self._steps()
        for folder in matching(self._vault / "agents", "[!.]*"):
            if folder.name not in self._unborn:
                found |= self._life(folder)
        return found

    def _steps(self) -> Iterator[tuple[str, bytes | None]]:
        """Yield the last file of the ledger then, and None for later ones."""
        for path in reversed(matching(self._vault / "log", _LEDGER)):
            data = read_lines(path)
            later = (line.offset for line in read_jsonl(path) if line.data and line.data.get("step", 0) > self._step)
            yield f"log/{path.name}", (known := data[: next(later, len(data))]) or None
            if known:
                return

    def _life(self, folder: Path) -> Iterator[tuple[str, bytes | None]]:
        """Yield the last file of an agent's archive then, its summaries, and None for what came later."""
        name, total, commit = f"agents/{folder.name}", 0, None
        for first, path in reversed(archive_files(folder / "archive")):
            data = self._lines_then(read_lines(path))
            total, commit = _last_memory(data), _last_commit(data)
            if total or (data and first == 1):
                yield f"{name}/archive/{path.name}", data
                break
            yield f"{name}/archive/{path.name}", None
        yield from self._summaries(folder, commit, total)

    def _lines_then(self, data: bytes) -> bytes:
        end = 0
        for raw in data.splitlines(keepends=True):
            line = decode(raw)
            source = line.get("source") if line is not None and "seq" in line else None
            if isinstance(source, int) and source > self._step:
                break
            end += len(raw)
        return data[:end]

    def _summaries(self, folder: Path, commit: CommitLine | None, total: int) -> Iterator[tuple[str, bytes | None]]:
        files, name = SummaryFiles(folder / "summaries"), f"agents/{folder.name}/summaries"
        for tier in TIERS:
            named = commit.named.get(tier) if commit is not None else None
            if named is None:
                yield f"{name}/{tier}.md", None
            elif _covered(files.current(tier), tier) != named.covers and (known := files.version(tier, named.file)):
                yield f"{name}/{tier}.md", encode(render_summary(known, (), folder.name))
        for path in matching(folder / "summaries", "*.md"):
            if _VERSION.fullmatch(path.name) and _covered(path, path.stem.partition("-")[0])[1] > total:
                yield f"{name}/{path.name}", None

    def _until(self, file: Member) -> Member | None:
        """Return a file without what notes and journals say of later; None when nothing is left."""
        match file.name.split("/"):
            case ["agents", _, "notes", note] if note.endswith(".md"):
                text = self._sections_then(self._note_then(file))
                return file._replace(data=encode(text)) if text else None
            case ["agents", _, "notes", "history", note] if note.endswith(".md"):
                if _replaced(Path(note).stem)[1] > self._at[:19]:
                    return None  # it was the text of the note then, and is that again
            case ["agents", _, "journal.md" | "journal-history.md"]:
                lines = file.data.decode("utf-8", "replace").splitlines(keepends=True)
                known = (line for line in lines if all(at <= self._at for at in _TIME.findall(line)))
                return file._replace(data=encode("".join(known)))
        return file

    def _note_then(self, file: Member) -> str:
        """Return the text of a note then: that of its history that was replaced first after the step, if any."""
        path = self._vault / file.name
        earlier = matching(path.parent / "history", f"{glob.escape(path.stem)}-*.md")
        names = {one: _replaced(one.stem) for one in earlier}
        later = [one for one, (name, at) in names.items() if name == path.stem and at > self._at[:19]]
        first = min(later, key=lambda one: (names[one][1], len(one.stem), one.stem), default=None)
        return file.data.decode("utf-8", "replace") if first is None else read_if_there(first, own=True) or ""

    def _sections_then(self, text: str) -> str:
        """Return a note without its later entries; empty when it has no others."""
        heads = [*_DATED.finditer(text)]
        ends = [*(one.start() for one in heads), len(text)][1:]
        later = [(one.start(), end) for one, end in zip(heads, ends, strict=True) if one[1] > self._at]
        if heads and len(later) == len(heads):
            return ""
        for start, end in reversed(later):
            text = text[:start] + text[end:]
        return text


def _replaced(name: str) -> tuple[str, str]:
    """Return of which note an earlier text is, and when it was replaced, to the second; empty when it is none."""
    found = _REPLACED.fullmatch(name)
    return (found[1], "{}-{}-{}T{}:{}:{}".format(*found.groups()[1:])) if found else ("", "")


def _last_memory(data: bytes) -> int:
    return max((line["seq"] for _, line in numbered(data) if line is not None and "seq" in line), default=0)


def _last_commit(data: bytes) -> CommitLine | None:
    found = (parse_commit(line) for _, line in numbered(data) if line is not None)
    return next(reversed([one for one in found if one is not None]), None)


def _covered(path: Path, tier: str) -> tuple[int, int]:
    """Return what a summary covers; nothing when it cannot be read."""
    try:
        raw = read_if_there(path, OWN_LIMIT, own=True)
        return parse_summary(raw or "", tier, path.name).covers
    except VaultProblem:
        return (0, 0)
