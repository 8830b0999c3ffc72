"""`mind.md`: a page for people that shows the state of an agent's mind. Edits to it are overwritten."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from agents.agent import Agent
from agents.compaction.status import told_inner
from agents.population import Population
from mud.engine.engine import Step
from mud.errors import LociError
from mud.sanitize import visible
from mud.storage.documents import render_document
from mud.storage.files import write_unsynced

log = logging.getLogger(__name__)

EVERY = 5.0
AT_ONCE = 50
"""Pages that are written each time; in a large world the rest waits."""
AT_THE_END = 500
"""Pages that are written when the world closes."""
NEWEST = 12


def render_page(agent: Agent, inner: Mapping[str, Any] | None = None) -> str:
    """Return an agent's page as Markdown; `inner` is the result of `Reflection.told`."""
    memory = agent.memory
    parts = [f"# {agent.name}", "What is in this mind now. Made by the program; edits here are overwritten."]
    one = agent.definition
    said = "\n\n".join(text for text in (one.profile or one.description, one.own_profile) if text)
    parts.append(f"## Profile\n\n{said or '-'}")
    for title, summary in (("Older memories", memory.longterm), ("Recent past", memory.recent)):
        if summary is not None:
            parts.append(f"## {title} ({summary.covers[0]}-{summary.covers[1]})\n\n{summary.text}")
    newest = "\n".join(
        f"- {entry.seq}. {' '.join(entry.text.split())}" for entry in memory.newest(NEWEST) if entry.text
    )
    parts.append(f"## Newest memories\n\n{newest or '-'}")
    notes = "\n".join(f"- [[{visible(note.slug)}|{note.title}]]" for note in agent.notes.all())
    parts.append(f"## Notes\n\n{notes or '-'}")
    if inner is not None:
        parts.append(f"## Inner life\n\n{told_inner(inner)}")
    parts.append(f"## Last thought\n\n{_last_thought(agent)}")
    front = {"type": "mind", "agent": agent.name, "memories": memory.total}
    return render_document(front, "\n\n".join(parts) + "\n")


def _last_thought(agent: Agent) -> str:
    thought = agent.thinker.last if agent.thinker is not None else None
    if thought is None:
        return "-"
    why = f" ({thought.decision.why})" if thought.decision.why else ""
    return f"`{thought.decision.line or 'nothing'}` by {thought.brain}{why}"


class MindPages:
    """Writes the pages of changed minds every few seconds.

    `wrote` is called before each write, so that the file watcher does not take it for an edit.
    """

    def __init__(self, minds: Population, wrote: Callable[[Path, str], None]) -> None:
        self._minds, self._wrote = minds, wrote
        self._stale: dict[str, None] = {}
        """The ids of those whose pages are outdated, the longest first."""

    def observe(self, step: Step) -> None:
        self._stale.update(dict.fromkeys(perceived.who for perceived in step.left))

    def changed(self, agent: Agent) -> None:
        """Have the page of an agent written again."""
        self._stale[agent.id] = None

    async def run(self) -> None:
        while True:
            await self._minds.means.clock.sleep(EVERY)
            for who in list(self._stale)[:AT_ONCE]:
                self._write_of(who)
                await asyncio.sleep(0)  # each takes some milliseconds

    def write_all(self) -> None:
        """Write every outdated page. Failures are only logged, since nothing depends on these pages."""
        for who in list(self._stale)[:AT_THE_END]:
            self._write_of(who)

    def write(self, agent: Agent) -> None:
        """Write the page of an agent if it is outdated."""
        if agent.id in self._stale:
            self._write_of(agent.id)

    def _write_of(self, who: str) -> None:
        self._stale.pop(who, None)
        if (agent := self._minds.by_id(who)) is not None:
            self._write(agent)

    def _write(self, agent: Agent) -> None:
        path = agent.folder / "mind.md"
        if not agent.folder.is_dir():
            return  # the folder was removed; writing would create it again
        try:
            text = render_page(agent, self._minds.inner.told(agent, known=True))
            self._wrote(path, text)
            write_unsynced(path, text)
        except (OSError, LociError) as error:
            log.warning("the page %s cannot be written: %s", path.name, error)
