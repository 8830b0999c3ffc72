"""Rotating log files in the vault."""

from __future__ import annotations

import os
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from mud.storage.paths import make_folder, open_own, own_folder


class VaultLog(RotatingFileHandler):
    """Writes log records to a file of the vault and makes its folder; keeps `kept` old files of one megabyte."""

    def __init__(self, path: Path, kept: int) -> None:
        make_folder(path.parent, above=True)
        super().__init__(path, maxBytes=1_000_000, backupCount=kept, encoding="utf-8")

    def _open(self) -> TextIOWrapper:
        descriptor = open_own(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        return os.fdopen(descriptor, "a", encoding=self.encoding, errors=self.errors)

    def doRollover(self) -> None:
        with own_folder(Path(self.baseFilename).parent):
            super().doRollover()
