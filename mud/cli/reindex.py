"""`reindex`: rebuilds the index of a vault from its archives, summaries and notes."""

from __future__ import annotations

import argparse
import asyncio
import time
from typing import Any

from agents.recall.recall import discard_index
from mud.cli import VectorProgress, emit, progress, tool
from mud.server.wiring import Parts, opened
from mud.world.narration import counted


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--embed", action="store_true", help="embed every text again, too, instead of using the cache")


@tool("reindex", "make the index anew; nothing but the index is touched", _arguments)
def reindex(args: argparse.Namespace) -> int:
    with opened(args.vault, writable=True) as parts:
        started = time.perf_counter()
        discard_index(parts.vault, embeddings=args.embed)
        record = asyncio.run(_fill(parts))
        record["seconds"] = round(time.perf_counter() - started, 3)
    if args.json:
        emit(record)
    else:
        lived, lives = counted(record["memories"], "memory", "memories"), counted(record["agents"], "life", "lives")
        print(f"{lived} of {lives} indexed, {record['seconds']} s")
    return 0


async def _fill(parts: Parts) -> dict[str, Any]:
    for slug in list(parts.minds.definitions):
        parts.minds.opens(slug)
    agents = parts.minds.opened()
    await parts.recall.start()
    try:
        for agent in agents:
            await parts.minds.catch_up(agent)
        complete = await parts.recall.complete(VectorProgress())
        if not complete:
            progress(f"the vectors are missing: {parts.recall.trouble or 'they are switched off'}")
    finally:
        await parts.recall.stop()
    return {"agents": len(agents), "memories": sum(agent.memory.total for agent in agents), "vectors": complete}
