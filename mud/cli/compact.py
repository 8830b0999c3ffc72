"""`compact`: folds an agent's memories now, as `@compact-memories` does in the world."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Mapping
from typing import Any

from agents.memory.entries import spoken
from mud.cli import agent_argument, emit, tool
from mud.server.wiring import Parts, must_have_words, opened


@tool("compact", "fold an agent's memories into summaries now", agent_argument)
def compact(args: argparse.Namespace) -> int:
    with opened(args.vault, writable=True) as parts:
        must_have_words(parts.texts)
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


def _told(record: Mapping[str, Any]) -> str:
    if not record["summary"]:
        return f"There is nothing to fold: {record['reason']}."
    tokens, spread, saved = record["tokens"], record["range"], record["saved_tokens"]
    spent, rounds, kept = tokens["prompt"] + tokens["completion"], record["break_even_rounds"], record["retention"]
    pays = "it saves nothing" if rounds is None else f"pays off after {rounds}" if rounds else "no model was paid"
    stay = f"{record['preserved_entries']:,} stay{'s' if record['preserved_entries'] == 1 else ''}"
    rows = {
        "Folded": f"{spoken(spread['first'], spread['last'])}, {stay} word for word",
        "Written by": record["method"],
        "Characters": f"{record['original_chars']:,} became {record['compacted_chars']:,}, "
        f"{record['compression_ratio']:.0%} less",
        "Tokens": f"every later prompt {saved:,} shorter; {spent:,} spent, {pays}",
        "Kept": f"{kept:.0%} of names, numbers, places and promises" if kept is not None else "nothing had to be",
        "Took": f"{record['seconds']:.2f} s",
        "Rejected": "; ".join(record["rejected"]),
    }
    width = max(map(len, rows))
    lines = [f"{name:<{width}}  {text}" for name, text in rows.items() if text]
    return "\n".join([*lines, "", str(record["summary"])])
