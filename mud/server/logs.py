"""Where the lines go that a running world logs: all into its vault, and to stderr what the owner must know."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from mud.sanitize import VisibleFormatter, visible
from mud.storage.files import VaultLog


@contextmanager
def logging_into(folder: Path) -> Iterator[None]:
    """Log into the vault, and what the owner must know to stderr; in the end all is as it was before."""
    file = VaultLog(folder / "loci.log", kept=3)
    file.setFormatter(VisibleFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    shown = logging.StreamHandler()
    shown.setLevel(logging.WARNING)
    shown.setFormatter(_Plain())
    shown.addFilter(_is_ours)
    root, library = logging.getLogger(), logging.getLogger("httpx")
    before = root.handlers[:], root.level, library.level, logging.raiseExceptions
    root.setLevel(logging.INFO)
    library.setLevel(logging.WARNING)  # it logs a line for every call
    logging.raiseExceptions = False  # a full disk must not print a traceback for every line of the log
    root.handlers[:] = [file, shown]
    try:
        yield
    finally:
        root.handlers[:], root.level, library.level, logging.raiseExceptions = before
        with suppress(OSError):
            file.close()


def _is_ours(record: logging.LogRecord) -> bool:
    """Return whether a line is for the owner; what a library logs stands in the log file only."""
    return record.name.partition(".")[0] in {"root", "mud", "agents", "asyncio"}


class _Plain(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return f"loci: {visible(record.getMessage())}"
