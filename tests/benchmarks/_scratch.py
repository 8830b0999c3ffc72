"""Vaults for benches: made of another one's settings in a temporary folder, where the time of day is that of a life.

A bench that counted from today would give other scores tomorrow. The vault that lends its settings is never written to.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from agents.recall.recall import FOLDER
from mud.clock import Clock, parse_iso
from mud.errors import LociError
from mud.server.wiring import RealClock
from mud.signals import temporary_folder

NEEDED = ("config", "text", "prompts", "world/locations")
"""What a vault for a bench has of the one that it is made from."""
GRAPHS = ("*.onnx",)
KEPT = ("embeddings.sqlite3", *GRAPHS)
"""What is carried from one life to the next: vectors are not computed twice, the model's graph is not built twice."""
NAME = "Listener"
NONE = "none"
"""The embedder of those who want no vectors."""


class LifeClock(RealClock):
    """The machine's clock, but that the time of day is what it is told.

    Args:
        moment: that time.
    """

    def __init__(self, moment: datetime) -> None:
        self.moment = moment

    def now(self) -> datetime:
        """Return the time of day it was told last."""
        return self.moment


def clock_of(records: Sequence[Mapping[str, Any]]) -> Clock:
    """Return a clock that stays when the last of some memories was; the machine's when none of them says when."""
    end = max((parse_iso(str(one["at"])) for one in records if one.get("at")), default=None)
    return LifeClock(end) if end else RealClock()


@contextmanager
def cached(folder: Path | None) -> Iterator[Path]:
    """Give a folder for what need not be computed twice: the one that is asked for, or one for this run."""
    if folder is not None:
        yield folder
        return
    with temporary_folder("loci-bench-") as own:
        yield own


@contextmanager
def scratch(vault: Path, cache: Path, kept: Sequence[str] = KEPT) -> Iterator[Path]:
    """Make a vault for a bench in a temporary folder, and take back what is worth keeping of its index.

    Args:
        vault: whose settings and texts are used.
        cache: what is kept is in this folder.
        kept: what that is, as patterns.

    Raises:
        LociError: there is no vault.
    """
    if not (vault / "config").is_dir():
        raise LociError(f"there is no vault in {vault}; name one with --vault, or start in the folder that has it")
    with temporary_folder("loci-bench-") as copy:
        for name in NEEDED:
            if (vault / name).is_dir():
                shutil.copytree(vault / name, copy / name)
        (copy / "agents").mkdir()
        (copy / FOLDER).mkdir()
        _carry(cache, copy / FOLDER, kept)
        yield copy
        _carry(copy / FOLDER, cache, kept)


def _carry(source: Path, target: Path, kept: Sequence[str]) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for pattern in kept:
        for file in source.glob(pattern):
            beside = target / f"{file.name}.new"
            shutil.copyfile(file, beside)
            beside.replace(target / file.name)
