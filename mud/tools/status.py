"""`status`: how a memory stands, and what is wrong in the vault. A reader: it takes no lock and repairs nothing."""

from __future__ import annotations

import argparse
import asyncio
from contextlib import suppress

from agents.agent import Agent
from mud.build import Parts, must_have_words, opened
from mud.checks import check_vault
from mud.tools._tool import agent_argument, emit, shown, tool


@tool("status", "how an agent's memory stands: totals, tiers, gaps, what is due next", agent_argument)
def status(args: argparse.Namespace) -> int:
    """Print the status, as text or as one JSON object."""
    with opened(args.vault, writable=False) as parts:
        must_have_words(parts.texts)
        agent = parts.minds.get(args.agent)
        asyncio.run(_measure(parts, agent))
        problems = check_vault(args.vault)
        if args.json:
            emit({**parts.minds.status(agent), "problems": list(map(shown, problems))})
        else:
            print(parts.minds.report(agent))
            if problems:
                print("", "Mistakes in the vault:", *(f"  {problem}" for problem in problems), sep="\n")
    return 0


async def _measure(parts: Parts, agent: Agent) -> None:
    try:
        await agent.measure()
        with suppress(OSError):  # then the status says nothing of it
            await parts.minds.look_through(agent)
            await parts.minds.inner.look(agent)
    finally:
        await parts.queue.close(0)
