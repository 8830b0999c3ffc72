"""`compact`: fold an agent's memories now, as `@compact-memories` does in the world."""

from __future__ import annotations

import argparse
import asyncio

from mud.build import Parts, opened
from mud.tools._tool import agent_argument, emit, tool


@tool("compact", "fold an agent's memories into summaries now", agent_argument)
def compact(args: argparse.Namespace) -> int:
    """Print what the fold came to."""
    with opened(args.vault, writable=True) as parts:
        record = asyncio.run(_fold(parts, args.agent))
    if args.json:
        emit(record)
    else:
        print(_told(record))
    return 0


async def _fold(parts: Parts, name: str) -> dict[str, object]:
    try:
        return await parts.minds.compact(parts.minds.get(name))
    finally:
        await parts.queue.close(0)


def _told(record: dict[str, object]) -> str:
    if not record["summary"]:
        return f"There is nothing to fold: {record['reason']}."
    return "\n".join(f"{key}: {value}" for key, value in record.items() if value is not None)
