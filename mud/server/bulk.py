"""Memories in bulk: what `remember` and the benches give somebody to live through, by one and the same path.

It starts and ends no index: whoever calls does.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from itertools import islice
from types import MappingProxyType
from typing import Any

from agents.agent import Agent
from agents.definition import check_free, check_name, check_unread, write_definition
from mud.errors import LociError, VaultProblem
from mud.server.wiring import Parts

BATCH = 512
"""Memories written at once; they and what is not folded yet must fit into what a memory keeps in RAM."""


def newcomer(
    parts: Parts,
    name: str,
    location: str | None = None,
    *,
    description: str = "",
    profile: str = "",
    more: Mapping[str, object] = MappingProxyType({}),
) -> Agent:
    """Make an agent that the vault did not have, and return it.

    Args:
        parts: the vault, opened to write.
        name: its name.
        location: name of where it starts; None for nowhere.
        description, profile: what others see, and who it is.
        more: further keys of the front matter of its `agent.md`.

    Raises:
        LociError: the name cannot be one, or is that of a location, a thing or somebody in the world.
        VaultProblem: its file came out wrong.
    """
    clean = check_name(name)
    check_free(clean, parts.engine.world)
    check_unread(clean, parts.vault / "agents", parts.minds.drafts)
    folder = parts.vault / "agents"
    slug = write_definition(
        folder,
        clean,
        parts.engine.world.new_id(),
        person=False,
        location=location,
        description=description,
        profile=profile,
        more=more,
    )
    problems = parts.minds.load_definition(slug)
    if problems:
        raise VaultProblem(problems)
    return parts.minds.open(slug)


async def by_rules(agent: Agent) -> None:
    """Fold what is due by rules, at once."""
    agent.compactor.fold_due_now()


async def live_through(
    parts: Parts,
    agent: Agent,
    records: Iterable[Mapping[str, Any]],
    *,
    batch: int = BATCH,
    fold: Callable[[Agent], Awaitable[None]] = by_rules,
) -> None:
    """Have an agent remember everything in order, fold whatever falls due, and hand it all to the index.

    Args:
        parts: the vault, opened to write; its recall has been started.
        agent: who.
        records: see `agents.memory.entries.entry_from_record`.
        batch: memories written at once, `BATCH` at most.
        fold: folds what is due, after each batch.

    Raises:
        LociError: the archive cannot be written.
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
