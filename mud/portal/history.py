"""The lines that were typed at a terminal, kept in a file for the arrow keys."""

from __future__ import annotations

import logging
import os
from pathlib import Path

from mud.clock import Clock, iso
from mud.storage.paths import make_folder, open_own

log = logging.getLogger(__name__)

LONGEST = 256 * 1024  # bytes of the file that are read, from its end


class InputHistory:
    """Typed lines in a file, in the form of prompt_toolkit's `FileHistory`. Errors of the disk cost nothing else."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path, self._clock = path, clock

    def read(self) -> list[str]:
        """Return the kept lines, oldest first; none when the file cannot be read."""
        try:
            with os.fdopen(open_own(self._path, os.O_RDONLY), "rb") as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - LONGEST))
                kept = file.read().decode("utf-8", "replace")
        except OSError:
            return []
        return [line[1:] for line in kept.split("\n") if line.startswith("+")]

    def add(self, line: str) -> None:
        """Append a line to the file."""
        text = f"\n# {iso(self._clock.now())}\n+{line}\n"
        try:
            make_folder(self._path.parent, above=True)
            with os.fdopen(open_own(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), "ab") as file:
                file.write(text.encode("utf-8", "replace"))
        except OSError as error:
            log.warning("what was typed cannot be kept for the arrow keys: %s", error)
