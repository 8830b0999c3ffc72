"""What a disk may hold after a power cut: made from the system calls that a run was seen to make.

A file's content is certain up to its last fsync, what came later may be there up to any byte; a name made, changed or
removed is certain from the next fsync of its folder on, and before that may be as it was, each for itself. That is less
than the usual file systems keep, which write names in order and a new file's name with it.
"""

from __future__ import annotations

import base64
import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from random import Random
from typing import Any

LEFT_OUT = (".index", ".lock")
"""What of a vault may be gone at any time, or says nothing."""


@dataclass(eq=False)
class File:
    """A file as it came to be: under which names is another matter.

    Args:
        changes: what was done to its content: a number in the order of all calls, where in the file, and the bytes;
            None for bytes cuts it off there.
        syncs: numbers of the calls by which it was synced.
    """

    changes: list[tuple[int, int, bytes | None]]
    syncs: list[int] = field(default_factory=list)

    def content(self, before: int, chance: Random | None = None, synced: int = -1) -> bytes:
        """Return what it holds before a call; after a power cut just then, where there is chance.

        Args:
            before: the call's number.
            chance: what is cut off.
            synced: number of the last call before it by which everything was synced.
        """
        certain = max([synced, *(one for one in self.syncs if one < before)])
        done = [one for one in self.changes if one[0] < before]
        sure = [one for one in done if one[0] < certain]
        if chance is None:
            return _written(done)
        loose = done[len(sure) :]
        kept = loose[: chance.choice((0, len(loose), chance.randint(0, len(loose))))]
        if len(kept) < len(loose) and (data := loose[len(kept)][2]):
            number, at, _ = loose[len(kept)]
            kept.append((number, at, data[: chance.randint(0, len(data))]))
        return _written(sure + kept)


def _written(changes: Iterable[tuple[int, int, bytes | None]]) -> bytes:
    content = bytearray()
    for _, at, data in changes:
        if data is None:
            del content[at:]
        content.extend(b"\0" * (at - len(content)))
        content[at : at + len(data or b"")] = data or b""
    return bytes(content)


Naming = tuple[int, str, Mapping[str, File | None]]
"""A change of names: its number, the folder that has to be synced, and what the names stand for from then on."""


class Recording:
    """All that a run did to the files of a folder.

    Args:
        folder: the folder as it was before, on the disk for good.
        calls: the calls of one command after the other, with contents; see `tests.syscalls.calls`.
    """

    def __init__(self, folder: Path, calls: Iterable[Mapping[str, Any]]) -> None:
        self.calls = list(calls)
        found = (path for path in folder.rglob("*") if path.relative_to(folder).parts[0] not in LEFT_OUT)
        self._first = {
            path.relative_to(folder).as_posix(): File([(-1, 0, path.read_bytes())], syncs=[0])
            for path in found
            if path.is_file()
        }
        self._names: dict[str, File] = dict(self._first)
        self._namings: list[Naming] = []
        self._folders: dict[str, list[int]] = {}
        self._all: list[int] = []
        """Numbers of the calls by which everything was synced."""
        for number, call in enumerate(self.calls, 1):
            if "call" in call and not call["path"].endswith(" (deleted)"):
                self._take(number, call)

    def _take(self, number: int, call: Mapping[str, Any]) -> None:
        path, file = call["path"], self._names.get(call["path"])
        match call["call"]:
            case "open":
                if file is None and call["flags"] & os.O_CREAT:
                    self._name(number, path, {path: File([])})
                elif file is not None and call["flags"] & os.O_TRUNC:
                    file.changes.append((number, 0, None))
            case "write" | "pwrite" if file is not None:
                file.changes.append((number, call["at"], base64.b64decode(call["data"])))
            case "ftruncate" if file is not None:
                file.changes.append((number, call["size"], None))
            case "sync":
                self._all.append(number)
            case "fsync" | "fdatasync":
                (file.syncs if file is not None else self._folders.setdefault(path, [])).append(number)
            case "rename" if file is not None:
                self._name(number, call["to"], {path: None, call["to"]: file})
            case "unlink" if file is not None:
                self._name(number, path, {path: None})

    def _name(self, number: int, path: str, names: Mapping[str, File | None]) -> None:
        self._namings.append((number, os.path.dirname(path), names))  # noqa: PTH120
        for name, file in names.items():
            if file is None:
                del self._names[name]
            else:
                self._names[name] = file

    def files(self, before: int, chance: Random | None = None) -> dict[str, bytes]:
        """Return what is on the disk before a call; after a power cut just then, where there is chance."""
        names = dict[str, File | None](self._first)
        undone = chance.choice((0.0, 0.5, 1.0)) if chance is not None else 0.0
        synced = max((number for number in self._all if number < before), default=-1)
        for number, folder, named in self._namings:
            certain = number < synced or any(number < one < before for one in self._folders.get(folder, ()))
            if number < before and (certain or chance is None or chance.random() >= undone):
                names.update(named)
        return {path: file.content(before, chance, synced) for path, file in names.items() if file is not None}

    def finished(self, path: str) -> list[str]:
        """Return every content that a file of such a path ever had when it was whole, removed ones too."""
        made = [*self._first.items(), *((name, file) for _, _, names in self._namings for name, file in names.items())]
        found = [file.content(len(self.calls) + 1) for name, file in made if file and fnmatch(name, path)]
        return [content.decode("utf-8") for content in found]

    def cut(self, before: int, chance: Random, folder: Path) -> None:
        """Leave in a folder what a power cut may leave before a call."""
        shutil.rmtree(folder, ignore_errors=True)
        for path, content in self.files(before, chance).items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)

    def said(self, before: int, synced: str) -> str:
        """Return what stood on stdout when files whose path begins so were synced last before a call."""
        syncs = (
            number
            for number, call in enumerate(self.calls[: before - 1], 1)
            if call.get("call") in ("fsync", "fdatasync") and call["path"].startswith(synced)
        )
        last = max(syncs, default=0)
        return "".join(base64.b64decode(one["said"]).decode("utf-8") for one in self.calls[:last] if "said" in one)
