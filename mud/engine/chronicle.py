"""The chronicle: a log of events for people, `log/chronicle.md`. It holds no whispers, channels and private reasons."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from mud.engine.engine import Step
from mud.storage.files import VaultLog
from mud.world.events import Event
from mud.world.world import World

SILENT = frozenset({"whisper", "channel"})

Show = Callable[[Mapping[str, str | None]], None]
"""Shows an event, given as `at place kind actor text`."""


class Chronicle:
    """Writes every public event, and passes it to `show` until that raises OSError, as its reader has gone."""

    def __init__(self, folder: Path, world: World, show: Show | None = None) -> None:
        self._world = world
        self._log = logging.Logger("chronicle")
        file = VaultLog(folder / "chronicle.md", kept=9)
        file.setFormatter(logging.Formatter("%(message)s"))
        self._log.addHandler(file)
        self._file = file
        self._show = show

    def close(self) -> None:
        self._file.close()

    def observe(self, step: Step) -> None:
        for event in step.events:
            if event.kind not in SILENT:
                self._write(step, event)

    def _write(self, step: Step, event: Event) -> None:
        location = self._world.get(event.location)
        place = location.name if location else "nowhere"
        self._log.info("- %s *%s* %s", step.at[:19].replace("T", " "), place, event.text)
        if self._show is None:
            return
        actor = self._world.get(event.actor)
        name = actor.name if actor else None
        try:
            self._show({"at": step.at, "place": place, "kind": event.kind, "actor": name, "text": event.text})
        except OSError:
            self._show = None


class ChronicleRecord(NamedTuple):
    """An event as the file has it; `at` is ISO 8601."""

    at: str
    place: str
    text: str


_LINE = re.compile(r"- (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) \*(.+?)\* (.*)")


def parse_chronicle(data: bytes) -> list[ChronicleRecord]:
    """Return the events of a part of a file, oldest first; a torn one at its beginning is left out."""
    found: list[ChronicleRecord] = []
    for line in data.decode("utf-8", "replace").split("\n"):
        if told := _LINE.fullmatch(line):
            found.append(ChronicleRecord(f"{told[1]}T{told[2]}.000Z", told[3], told[4]))
        elif found:
            found[-1] = found[-1]._replace(text=f"{found[-1].text}\n{line}")
    return [one._replace(text=one.text.rstrip()) for one in found]


def show_event(event: Mapping[str, str | None]) -> None:
    print(f"[{(event['at'] or '')[11:19]}] {event['place']}: {event['text']}", flush=True)


def show_event_json(event: Mapping[str, str | None]) -> None:
    print(json.dumps(event, ensure_ascii=False), flush=True)
