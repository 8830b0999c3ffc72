"""The seal on the vectors' index: what proves that it was closed cleanly and that nobody has touched it since."""

from __future__ import annotations

import shutil
from pathlib import Path


class CleanShutdown:
    """What proves that an index was closed cleanly and is as it was then: opening any other may crash the process.

    Args:
        index: the index's folder; the seal lies beside it.
    """

    def __init__(self, index: Path) -> None:
        self._index = index
        self._path = index.with_suffix(".closed")

    def open(self) -> None:
        """Break the seal; delete the index when it is not as the seal says."""
        sealed = self._path.read_text("utf-8", "replace") if self._path.is_file() else ""
        if self._index.is_file():
            self._index.unlink()
        elif self._index.exists() and sealed != self._listing():
            shutil.rmtree(self._index)
        self._path.unlink(missing_ok=True)

    def close(self) -> None:
        """Seal the index, which nothing writes to any more."""
        self._path.write_text(self._listing(), "utf-8")

    def _listing(self) -> str:
        """Return every file with its size and time; a copy that keeps its times is as good as the original."""
        files = sorted(path for path in self._index.rglob("*") if path.is_file())
        told = ((path.relative_to(self._index), path.stat()) for path in files)
        return "".join(f"{path} {stat.st_size} {stat.st_mtime_ns}\n" for path, stat in told)
