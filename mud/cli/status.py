"""`status`: shows the state of an agent's memory and the vault's mistakes. It takes no lock and repairs nothing."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from agents.agent import Agent
from agents.compaction.status import report
from agents.memory.history import Examined, examine
from mud.cli import agent_argument, emit, shown, tell_links, tool
from mud.errors import LociError, UnknownName
from mud.server.checks import check_vault
from mud.server.wiring import Parts, must_have_words, opened

UNASKED = "Whether models answer was not asked; in the running world @llm-status says it."

HELP = "how an agent's memory stands: totals, tiers, gaps, what is due next; asks no model's server whether it answers"


@tool("status", HELP, agent_argument)
def status(args: argparse.Namespace) -> int:
    with opened(args.vault, writable=False) as parts:
        must_have_words(parts.texts)
        try:
            agent = parts.minds.get(args.agent)
        except UnknownName:
            raise
        except (LociError, OSError):  # the caller prints that the memory cannot be opened; the problems may say why
            _show(args, parts, None)
            raise
        asyncio.run(_measure(parts, agent))
        _show(args, parts, agent)
    return 0


def _show(args: argparse.Namespace, parts: Parts, agent: Agent | None) -> None:
    def look(archive: Path, between: Callable[[], None]) -> Examined:
        found = examine(archive, between)
        if agent is not None and archive == agent.folder / "archive":
            agent.unreadable = found.unreadable
        return found

    problems = check_vault(parts.vault, look)
    tell_links(parts.vault)
    if args.json:
        record = parts.minds.status(agent) if agent is not None else {}
        emit({**record, "problems": list(map(shown, problems))})
        return
    told = [f"{report(parts.minds.status(agent))}\n{UNASKED}"] if agent is not None else []
    if problems:
        told.append("\n".join(["Mistakes in the vault:", *(f"  {problem}" for problem in problems)]))
    print("\n\n".join(told))


async def _measure(parts: Parts, agent: Agent) -> None:
    try:
        await agent.measure()
        with suppress(OSError):  # then the status leaves it out
            await parts.minds.inner.look(agent)
    finally:
        await parts.queue.close(0)
