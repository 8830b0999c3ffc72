"""`recall`: searches an agent's memory for a question, or for every line of stdin."""

from __future__ import annotations

import argparse
import asyncio
import io
import sys
from collections.abc import Iterator

from agents.agent import Agent
from agents.memory.entries import Hit
from mud.cli import VectorProgress, agent_argument, emit, progress, tool
from mud.errors import LociError
from mud.sanitize import sanitize
from mud.server.wiring import Parts, opened_for_recall


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 1000:
        raise argparse.ArgumentTypeError(f"{text!r} is wrong; expected a number from 1 to 1000")
    return int(text)


def _arguments(parser: argparse.ArgumentParser) -> None:
    agent_argument(parser)
    parser.add_argument("query", metavar="QUERY", nargs="?", help="the question; without one, each line of stdin")
    parser.add_argument("--k", type=_count, default=10, metavar="10", help="hits at most")
    parser.add_argument("--only", choices=("memories", "summaries", "notes"), help="look in these alone")
    parser.add_argument("--lexical", action="store_true", help="by words alone, without the vectors")
    parser.add_argument("--parts", action="store_true", help="show what each score is made of")


@tool("recall", "search everything an agent ever lived through", _arguments)
def recall(args: argparse.Namespace) -> int:
    with opened_for_recall(args.vault) as parts:
        asyncio.run(_answer(parts, parts.minds.get(args.agent), args))
    return 0


def _queries(query: str | None) -> Iterator[str]:
    if query is not None:
        yield sanitize(query)
        return
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    for line in sys.stdin:
        if line.strip():
            yield sanitize(line.strip())


async def _answer(parts: Parts, agent: Agent, args: argparse.Namespace) -> None:
    vectors = parts.writable and not args.lexical
    if not parts.writable and not args.lexical:
        progress(f"{parts.reading}: answering by words alone")
    await parts.recall.start(vectors=vectors)
    try:
        await parts.minds.catch_up(agent)
        if vectors and not await parts.recall.complete(VectorProgress()):
            progress(f"answering by words alone: {parts.recall.trouble or 'vectors are switched off'}")
        for query in _queries(args.query):
            if not query.strip():
                raise LociError("the question is empty")
            hits: list[Hit] = []
            if any(map(str.isalnum, query)):
                hits, _ = await parts.recall.search(
                    agent.id, query, args.k, args.only, by="both" if vectors else "words"
                )
                if not hits:
                    progress(f"nothing that was lived through goes with {query}")
            else:
                progress(f"there are no words to look for in {query}")
            _print(query, hits, args)
    finally:
        await parts.recall.stop()


def _print(query: str, hits: list[Hit], args: argparse.Namespace) -> None:
    if args.json:
        emit({"query": query, "hits": [hit.record() for hit in hits]})
        return
    print(query)
    for hit in hits:
        named = f"{hit.covers[0]}-{hit.covers[1]}" if hit.covers else (hit.seq or hit.title)
        print(f"  {hit.score:.3f}  [{named}] {' '.join(hit.text.split())}")
        if args.parts:
            parts = (f"{name} {value:.3f}" for name, value in hit.parts.items() if value)
            print(f"         {', '.join(parts)}")
