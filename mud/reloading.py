"""Edits of the vault while the world runs: which part reads a changed file again, and who is told when it is wrong."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from pathlib import Path

from agents.memory.summaries import TIERS
from mud.build import Parts
from mud.clock import Clock
from mud.commands._command import Outcome
from mud.errors import Problem
from mud.storage.watch import Watcher
from mud.storage.world_files import load_world_files
from mud.world.changes import Change, Define, Put
from mud.world.narration import phrase

log = logging.getLogger(__name__)

CHANGED = phrase("app.reload.changed", "problems")

MISSING_FOR = 5.0
"""Seconds that a summary may be gone before it is written again: an editor may be replacing it."""


class Reloading:
    """Keeps a running world and its vault alike.

    Args:
        parts: the opened vault.
        tell: shows a text to every owner on line.
    """

    def __init__(self, parts: Parts, tell: Callable[[str], None]) -> None:
        self._parts = parts
        self._tell = tell
        self.watcher = Watcher(self.changed, parts.clock)
        self._restoring: set[asyncio.Task[None]] = set()
        for folder in ("config", "config/llm", "text", "text/instinct", "prompts", "agents"):
            self.watcher.watch(parts.vault / folder)
        for folder in ("locations", "items", "characters"):
            self.watcher.watch(parts.vault / "world" / folder)
        for agent in parts.minds.opened():
            self.watch_agent(agent.folder)

    def watch_agent(self, folder: Path) -> None:
        """Watch what people edit in an agent's folder."""
        for watched in (folder, folder / "summaries", folder / "notes"):
            self.watcher.watch(watched)

    def everything(self) -> list[Problem]:
        """Read all that people edit again; return what is wrong."""
        parts = self._parts
        problems = parts.configuration.load() + parts.texts.reload() + parts.templates.load()
        problems += parts.minds.load_definitions()
        return problems + self._world()

    def changed(self, paths: frozenset[Path]) -> None:
        """Take up changed files; what is wrong is logged and told."""
        problems: list[Problem] = []
        messages: list[str] = []
        by_top: dict[str, list[Path]] = {}
        for path in sorted(paths):
            by_top.setdefault(path.relative_to(self._parts.vault).parts[0], []).append(path)
        for path in by_top.get("config", ()):
            problems += self._parts.configuration.reload(path)
        if "text" in by_top:
            problems += self._parts.texts.reload()
        if "prompts" in by_top:
            problems += self._parts.templates.load()
        if "world" in by_top:
            problems += self._world()
        for path in by_top.get("agents", ()):
            wrong, told = self._agent_file(path)
            problems += wrong
            messages += told
        for agent in self._parts.minds.opened():  # a changed window may make a fold due
            self._parts.minds.remembered(agent.slug, ())
        self._report([*map(str, problems), *messages])

    def _report(self, lines: Iterable[str]) -> None:
        for line in lines:
            log.warning("%s", line)
            self._tell(self._parts.texts.render(CHANGED, problems=line))

    def _agent_file(self, path: Path) -> tuple[list[Problem], list[str]]:
        """Take up one file in an agent's folder."""
        inside = path.relative_to(self._parts.vault / "agents").parts
        minds = self._parts.minds
        if inside[-1] == "agent.md" and len(inside) == 2:
            return self._definition(inside[0]), []
        agent = next((one for one in minds.opened() if one.slug == inside[0]), None)
        if agent is None or len(inside) != 3:
            return [], []
        if inside[1] == "summaries":
            if not path.exists():
                self._restore_later(agent.slug)
            told = agent.memory.reload_summary(path)
            minds.index_documents(agent)
            return [], [f"{agent.name}: {message}" for message in told]
        if inside[1] == "notes":
            minds.index_documents(agent)
        return [], []

    def _definition(self, slug: str) -> list[Problem]:
        """Take up an edited `agent.md`: name, description and settings hold from now on."""
        problems = self._parts.minds.load_definition(slug)
        definition = self._parts.minds.definitions.get(slug)
        known = self._parts.engine.world.get(definition.id) if definition else None
        if definition is not None and known is not None and known != definition.thing():
            self._parts.engine.happen(known, Outcome("", changes=(Define(definition.thing()),)))
        return problems

    def _world(self) -> list[Problem]:
        """Take up the world's files: what is new or changed becomes a step of its own."""
        files, problems = load_world_files(self._parts.vault)
        world = self._parts.engine.world
        for one in files:
            known = world.get(one.thing.id)
            if not one.thing.id or known == one.thing:
                continue
            changes: list[Change] = [Define(one.thing)]
            if known is None and one.place is not None:
                changes.append(Put(one.thing.id, one.place))
            self._parts.engine.happen(one.thing, Outcome("", changes=tuple(changes)))
        return problems

    def _restore_later(self, slug: str) -> None:
        task = asyncio.get_running_loop().create_task(self._restore(slug, self._parts.clock))
        self._restoring.add(task)
        task.add_done_callback(self._restoring.discard)

    async def _restore(self, slug: str, clock: Clock) -> None:
        """Write a summary again that is still gone after a while."""
        await clock.sleep(MISSING_FOR)
        agent = self._parts.minds.open(slug)
        summaries = agent.folder / "summaries"
        gone = [f"{tier}.md" for tier in TIERS if not (summaries / f"{tier}.md").exists()]
        told = agent.memory.restore_missing()
        back = [f"{file} was gone and is written again" for file in gone if (summaries / file).exists()]
        self._report(f"{agent.name}: {message}" for message in [*told, *back])
