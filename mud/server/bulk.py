"""Appends many entries to one agent's memory; used by `remember` and the benchmarks.

The caller starts and stops the index.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from itertools import islice
from typing import Any

from agents.agent import Agent
from agents.definition import check_free, check_name, check_unread, write_definition
from mud.errors import LociError, VaultProblem
from mud.server.wiring import Parts

BATCH = 512
"""Entries written at once. A batch and the entries not folded yet must fit into a memory's tail in RAM."""


def newcomer(parts: Parts, name: str, *, person: bool = False, **written: Any) -> Agent:
    """Create somebody who is not in the vault yet, open it and return it; `written` goes to `write_definition`.

    Raises LociError when the name is invalid or already used in the world, VaultProblem when the written file is wrong.
    """
    clean, folder = check_name(name), parts.vault / "agents"
    check_free(clean, parts.engine.world)
    check_unread(clean, folder, parts.minds.drafts)
    slug = write_definition(folder, clean, parts.engine.world.new_id(), person=person, **written)
    if problems := parts.minds.load_definition(slug):
        raise VaultProblem(problems)
    return parts.minds.open(slug)


async def by_rules(agent: Agent) -> None:
    """Fold what is due at once, by rules."""
    agent.compactor.fold_due_now()


async def live_through(
    parts: Parts,
    agent: Agent,
    records: Iterable[Mapping[str, Any]],
    *,
    batch: int = BATCH,
    fold: Callable[[Agent], Awaitable[None]] = by_rules,
) -> None:
    """Append entries in order, fold what becomes due, and index it all. The recall service must be running.

    `fold` is called after each batch of at most `BATCH` entries. Raises LociError when the archive cannot be written.
    """
    memory = agent.memory
    await parts.minds.catch_up(agent)
    source = max(parts.engine.number, memory.last_source)
    rest = iter(records)
    async with parts.recall.in_bulk(agent.id) as indexed:
        with memory.in_bulk():
            while some := list(islice(rest, batch)):
                written = memory.append_raw(some, source)
                if memory.waiting:
                    raise LociError(memory.last_error or "the archive cannot be written")
                parts.recall.remember(agent.id, written)
                await fold(agent)
                await indexed()
    parts.minds.index_documents(agent)
