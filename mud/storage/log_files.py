"""Log files in the vault, which grow to a size and then make room for the next one."""

from __future__ import annotations

import os
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from mud.storage.paths import make_folder, open_own, own_folder


class VaultLog(RotatingFileHandler):
    """Writes log records into a file of the vault; its folder is made.

    Args:
        path: the file.
        kept: files of a megabyte that are kept beside it.

    Raises:
        UnsafePath: it, or its folder, is a link.
        OSError: it cannot be written.
    """

    def __init__(self, path: Path, kept: int) -> None:
        make_folder(path.parent, above=True)
        super().__init__(path, maxBytes=1_000_000, backupCount=kept, encoding="utf-8")

    def _open(self) -> TextIOWrapper:
        descriptor = open_own(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        return os.fdopen(descriptor, "a", encoding=self.encoding, errors=self.errors)

    def doRollover(self) -> None:
        """Begin a new file, in the folder where the old one is."""
        with own_folder(Path(self.baseFilename).parent):
            super().doRollover()
