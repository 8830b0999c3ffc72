"""The chronicle: what happened in the world, for people to read, without anything that was private.

A whisper and a private reason never stand in it. On disk it is `log/chronicle.md`, in files of a megabyte.
"""

from __future__ import annotations

import logging
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TextIO

from mud.engine import Step
from mud.world.events import Event
from mud.world.world import World

SILENT = frozenset({"whisper"})
"""Kinds of event that are nobody else's business."""


class Chronicle:
    """Writes down every event.

    Args:
        folder: `vault/log`.
        world: names the locations.
        shown: is shown every line too; None for nothing.
    """

    def __init__(self, folder: Path, world: World, shown: TextIO | None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._world = world
        self._log = logging.Logger("chronicle")
        file = RotatingFileHandler(folder / "chronicle.md", maxBytes=1_000_000, backupCount=9, encoding="utf-8")
        file.setFormatter(logging.Formatter("%(message)s"))
        self._log.addHandler(file)
        self._file = file
        self._shown = shown

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def observe(self, step: Step) -> None:
        """Write down what a step let others perceive."""
        for event in step.events:
            if event.kind not in SILENT:
                self._write(step, event)

    def _write(self, step: Step, event: Event) -> None:
        location = self._world.get(event.location)
        place = location.name if location else "nowhere"
        self._log.info("- %s *%s* %s", step.at[:19].replace("T", " "), place, event.text)
        if self._shown is not None:
            print(f"[{step.at[11:19]}] {place}: {event.text}", file=self._shown, flush=True)
