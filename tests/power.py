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

    def content(self, before: int, chance: Random | None = None) -> bytes:
        """Return what it holds before a call; after a power cut just then, where there is chance."""
        certain = max((synced for synced in self.syncs if synced < before), default=-1)
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
        for number, folder, named in self._namings:
            certain = any(number < synced < before for synced in self._folders.get(folder, ()))
            if number < before and (certain or chance is None or chance.random() >= undone):
                names.update(named)
        return {path: file.content(before, chance) for path, file in names.items() if file is not None}

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
