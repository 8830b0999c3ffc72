"""Scratch vaults for benches: settings of another vault, which is never written to, in a temporary folder.

Their clock stands at the end of a life, so that scores do not depend on the day of the run.
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
from mud.process import temporary_folder
from mud.server.wiring import RealClock

NEEDED = ("config", "text", "prompts", "world/locations")
"""The parts of a vault that are copied."""
GRAPHS = ("*.onnx",)
KEPT = ("embeddings.sqlite3", *GRAPHS)
"""Files kept from one life to the next, so that vectors and the model's graph are not computed twice."""
NAME = "Listener"
NONE = "none"
"""The setting for no embedder."""


class LifeClock(RealClock):
    """The machine's clock with a fixed time of day."""

    def __init__(self, moment: datetime) -> None:
        self.moment = moment

    def now(self) -> datetime:
        return self.moment


def clock_of(records: Sequence[Mapping[str, Any]]) -> Clock:
    """Return a clock fixed at the time of the last memory; the machine's clock when none has a time."""
    end = max((parse_iso(str(one["at"])) for one in records if one.get("at")), default=None)
    return LifeClock(end) if end else RealClock()


@contextmanager
def cached(folder: Path | None) -> Iterator[Path]:
    """Yield the given folder for files that need not be computed twice, or a temporary one."""
    if folder is not None:
        yield folder
        return
    with temporary_folder("loci-bench-") as own:
        yield own


@contextmanager
def scratch(vault: Path, cache: Path, kept: Sequence[str] = KEPT) -> Iterator[Path]:
    """Make a vault in a temporary folder; files that match `kept` come from `cache` and go back there."""
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
