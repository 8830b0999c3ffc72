"""`prompt`: prints exactly what an agent's model would be asked now."""

from __future__ import annotations

import argparse
import asyncio
from dataclasses import asdict

from agents.prompt.prompt import Prompt
from mud.cli import agent_argument, emit, progress, tool
from mud.server.wiring import Parts, must_have_words, opened_for_recall


@tool("prompt", "the exact prompt an agent would get now", agent_argument)
def prompt(args: argparse.Namespace) -> int:
    with opened_for_recall(args.vault) as parts:
        must_have_words(parts.texts)
        agent = parts.minds.get(args.agent)
        built = asyncio.run(_build(parts, agent.name))
        if args.json:
            emit(_record(agent.name, built))
        else:
            print(built.text)
    return 0


async def _build(parts: Parts, name: str) -> Prompt:
    agent = parts.minds.get(name)
    if not parts.writable:
        progress(f"{parts.reading}: related notes and experiences are found by words alone")
    await parts.recall.start(vectors=parts.writable)
    try:
        await parts.minds.catch_up(agent)
        await parts.recall.complete()
        return await parts.prompting.next_prompt(agent)
    finally:
        await parts.recall.stop()


def _record(name: str, built: Prompt) -> dict[str, object]:
    return {
        "agent": name,
        "window": built.window,
        "reply_reserve": built.reserve,
        "tokens": built.tokens,
        "text": built.text,
        "sections": [asdict(section) for section in built.sections],
        "shed": list(built.shed),
    }
