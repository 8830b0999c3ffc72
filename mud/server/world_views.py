"""What owners see of the running program, and how they set its settings: answers for `mud.portal.views.WorldViews`."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from agents.commands.models import EMBED, describe_notice
from agents.llm.backend import named_host
from agents.llm.hosts import Route
from agents.llm.profiles import LLMProfile
from agents.llm.queue import ProfileView
from agents.llm.spending import BudgetSettings, Notice
from agents.recall.settings import SERVED, RecallSettings
from mud.engine.chronicle import SILENT, parse_chronicle
from mud.engine.engine import Step
from mud.portal.views import Json
from mud.server.checks import check_files, check_lives
from mud.server.settings_editor import SettingsEditor
from mud.server.wiring import Parts
from mud.storage.paths import read_end
from mud.supervise import in_thread

EVENTS = 500
"""Events of the chronicle that are shown at most."""
TAIL = 64 * 1024  # bytes of the file that are read for what happened before the start


class WorldReader:
    """Answers questions about a running world.

    Args:
        take_up: has a file read again that was given a text.
    """

    def __init__(self, parts: Parts, take_up: Callable[[Path, str], None]) -> None:
        self._parts, self._editor = parts, SettingsEditor(parts, take_up)
        self._events: deque[Json] = deque(maxlen=EVENTS)
        self._events.extend(_earlier(parts.vault / "log/chronicle.md", self._names()))
        self._followers: set[Callable[[Json], None]] = set()
        self._checking = asyncio.Lock()
        parts.engine.observe(self._observe)

    # ---- the chronicle ----

    def _names(self) -> list[str]:
        return [one.name for one in self._parts.engine.world.things.values()]

    def _observe(self, step: Step) -> None:
        for event in step.events:
            if event.kind in SILENT:
                continue
            place, actor = map(self._parts.engine.world.get, (event.location, event.actor))
            told = {
                "at": step.at,
                "place": place.name if place is not None else None,
                "kind": event.kind,
                "actor": actor.name if actor is not None else None,
                "text": event.text,
            }
            self._events.append(told)
            for show in tuple(self._followers):
                show(told)

    def chronicle(self) -> list[Json]:
        """Return the newest public events, oldest first; of those before the start the kind is not known."""
        return list(self._events)

    def follow(self, show: Callable[[Json], None]) -> Callable[[], None]:
        """Have each public event shown from now on; return what ends that."""
        self._followers.add(show)
        return lambda: self._followers.discard(show)

    # ---- models and their cost ----

    def models(self) -> Json:
        """Return how the language models are doing, and why there are no embeddings."""
        parts = self._parts
        names = [name for name in parts.configuration.names(LLMProfile) if name.lower() != EMBED]
        served = parts.configuration.get(RecallSettings).embedder in SERVED
        return {
            "profiles": [_profile(view) for view in parts.queue.overview(names)],
            "embeds": {"by": EMBED if served else None, "trouble": parts.recall.trouble or None},
        }

    def cost(self) -> Json:
        """Return what was spent on models, by agent and task and by day, and the limits that hold."""
        budget, say = self._parts.queue.budget, self._parts.texts.render
        spans = ("hour", "day", "total")
        rows = [
            {"owner": row.owner, "task": row.task, **{span: asdict(getattr(row, span)) for span in spans}}
            for row in budget.spending.rows()
        ]
        days = [
            {"day": day, "owners": {owner: asdict(amount) for owner, amount in owners.items()}}
            for day, owners in budget.spending.days()
        ]
        gone = [describe_notice(say, Notice(limit, over=True)) for limit in budget.all_used_up()]
        return {"rows": rows, "days": days, "limits": list(self._limits()), "used_up": gone}

    def _limits(self) -> Iterator[Json]:
        configuration = self._parts.configuration
        known = configuration.get(BudgetSettings)
        yield from ({"key": key, "most": most, "whose": None} for key, most in asdict(known).items() if most)
        for one in self._parts.minds.definitions.values():
            own = configuration.for_agent(BudgetSettings, one.overrides)
            yield from (
                {"key": key, "most": most, "whose": one.name}
                for key, most in asdict(own).items()
                if key in one.overrides
            )

    # ---- settings ----

    def settings(self) -> list[Json]:
        """Return every setting, file by file."""
        return self._editor.settings()

    async def change(self, file: str, key: str, typed: str, was: str) -> Json:
        """Set a setting in its file; see `SettingsEditor.change`."""
        return await self._editor.change(file, key, typed, was)

    # ---- problems ----

    async def problems(self) -> list[Json]:
        """Return what is wrong in the files of the vault, archives and ledger included."""
        vault = self._parts.vault
        async with self._checking:
            found = [*await asyncio.to_thread(check_files, vault), *await in_thread(partial(check_lives, vault))]
        return [
            {"file": one.file, "line": one.line, "key": one.key, "message": one.message, "text": str(one)}
            for one in dict.fromkeys(found)
        ]


def _profile(view: ProfileView) -> Json:
    totals = view.totals
    ends: Mapping[str, Any] = {name: getattr(totals, name) for name in ("asked", "answered", "failed", "cancelled")}
    hosts = [_host(route) for route in view.hosts]
    return {"name": view.name, "waiting": view.waiting, **ends, "mean": totals.mean, "hosts": hosts}


def _host(route: Route) -> Json:
    host = route.host
    return {
        "host": named_host(route.profile),
        "model": route.profile.model or None,
        "backend": route.profile.backend,
        "state": host.state.value,
        "words": host.state_words(),
        "running": host.running,
        "error": host.last_error or None,
    }


def _earlier(path: Path, names: list[str]) -> list[Json]:
    """Return the events at the end of the chronicle's file, oldest first; none when it cannot be read."""
    try:
        data = read_end(path, TAIL)
    except OSError:
        return []
    known = set(filter(None, names))
    lengths = sorted(set(map(len, known)), reverse=True)
    found: list[Json] = []
    for at, place, text in parse_chronicle(data):
        who = next((text[:length] for length in lengths if text[:length] in known), None)
        found.append({"at": at, "place": place, "kind": None, "actor": who, "text": text})
    return found
