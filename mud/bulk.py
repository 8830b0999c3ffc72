"""Memories in bulk: what `remember` and the benches give somebody to live through, by one and the same path.

It starts and ends no index: whoever calls does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from agents.agent import Agent
from agents.definition import check_name, write_definition
from mud.build import Parts
from mud.errors import LociError, VaultProblem

BATCH = 256
"""Memories written at once."""


def newcomer(parts: Parts, name: str, location: str | None = None) -> Agent:
    """Make an agent that the vault did not have, and return it.

    Args:
        parts: the vault, opened to write.
        name: its name.
        location: name of where it starts; None for nowhere.

    Raises:
        LociError: the name cannot be one.
        VaultProblem: its file came out wrong.
    """
    clean = check_name(name)
    folder = parts.vault / "agents"
    slug = write_definition(folder, clean, parts.engine.world.new_id(), person=False, location=location)
    problems = parts.minds.load_definition(slug)
    if problems:
        raise VaultProblem(problems)
    return parts.minds.open(slug)


async def live_through(parts: Parts, agent: Agent, records: Iterable[Mapping[str, Any]]) -> None:
    """Have an agent remember everything in order, fold whatever falls due, and hand it all to the index.

    Args:
        parts: the vault, opened to write; its recall has been started.
        agent: who.
        records: see `agents.memory.entries.entry_from_record`.

    Raises:
        LociError: the archive cannot be written.
    """
    memory = agent.memory
    await parts.minds.catch_up(agent)
    source = max(parts.engine.number, memory.last_source)
    rest = iter(records)
    while batch := list(islice(rest, BATCH)):
        written = memory.append_raw(batch, source)
        if memory.waiting:
            raise LociError(memory.last_error or "the archive cannot be written")
        parts.recall.remember(agent.id, written)
        agent.compactor.fold_due_now()
        await asyncio.sleep(0)
    parts.minds.index_documents(agent)
