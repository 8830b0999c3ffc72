"""Finds out which lines of a file are memories already, for `remember`.

Each bulk-imported memory carries the digest of its file up to its own line, so that the archive alone tells where an
interrupted import has to go on. A line may also have an `id`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Container, Iterable, Iterator
from pathlib import Path

from agents.memory.lines import decode, whole_lines
from agents.memory.scan import archive_files
from mud.storage.paths import read_bytes

_FROM = re.compile(rb'"from":"([0-9a-f]{16})"')
_ID = b'"id":'


def with_digests(lines: Iterable[bytes]) -> Iterator[tuple[str, bytes]]:
    """Yield each of the non-blank lines with the digest of all lines up to it. Line ends do not count."""
    known = hashlib.sha256()
    for line in lines:
        known.update(line.strip() + b"\n")
        yield known.copy().hexdigest()[:16], line


def newest_of(archive: Path, wanted: Container[str] | None = None) -> tuple[str, int] | None:
    """Return the newest memory with one of these digests (None: any), as digest and number. Raises OSError."""
    for _, path in reversed(archive_files(archive)):
        data = whole_lines(read_bytes(path, own=True))
        found = [one for one in _FROM.finditer(data) if wanted is None or one[1].decode() in wanted]
        for one in reversed(found):
            line = decode(data[data.rfind(b"\n", 0, one.start()) + 1 : data.find(b"\n", one.start())])
            if line is not None and isinstance(line.get("seq"), int) and line.get("from") == one[1].decode():
                return one[1].decode(), line["seq"]
    return None


def known_ids(archive: Path) -> set[str]:
    """Return all ids of memories, read from the whole archive. Raises OSError."""
    found: set[str] = set()
    for _, path in archive_files(archive):
        data = whole_lines(read_bytes(path, own=True))
        at = data.find(_ID)
        while at >= 0:
            end = data.find(b"\n", at)
            line = decode(data[data.rfind(b"\n", 0, at) + 1 : end])
            if line is not None and "seq" in line and isinstance(line.get("id"), str):
                found.add(line["id"])
            at = data.find(_ID, end)
    return found
