"""Search one's own memory."""

from __future__ import annotations

from agents.commands._answer import answers
from agents.memory.entries import Hit
from agents.minds import Minds
from mud.commands._command import Context, Outcome, command
from mud.world.events import Request
from mud.world.narration import phrase, shortened

NOTHING = phrase("minds.recall.nothing", "query")
FOUND = phrase("minds.recall.found", "query")
MEMORY = phrase("minds.recall.memory", "seq", "at", "place", "text")
MEMORY_NOWHERE = phrase("minds.recall.memory_nowhere", "seq", "at", "text")
SUMMARY = phrase("minds.recall.summary", "first", "last", "text")
NOTE = phrase("minds.recall.note", "title", "text")
BEHIND = phrase("minds.recall.behind")
HITS = 5
"""How many hits are shown."""
LONGEST = 300
"""Characters of a hit that are shown."""


@command("recall", "<query>", aliases=("remember",), category="memory", keeps="skip", for_models=True)
def recall(ctx: Context, query: str) -> Outcome:
    """Search everything you ever lived through, and your notes, for what fits some words.

    Example: recall where is the key
    """
    args = {"query": query, "reason": ctx.reason or ""}
    return Outcome("", requests=(Request("recall", ctx.actor.id, ctx.step, args, keep="result"),))


@answers("recall")
async def search_memory(minds: Minds, request: Request) -> Outcome:
    """Return the best hits, a line each: which memory, when, where, what."""
    query = request.args["query"]
    hits, behind = await minds.search(minds.of(request), query, HITS)
    lines = [_line(minds, hit) for hit in hits]
    told = [minds.say(FOUND, query=query), *lines] if lines else [minds.say(NOTHING, query=query)]
    return Outcome("\n".join(told + ([minds.say(BEHIND)] if behind else [])), memory="\n".join(told))


def _line(minds: Minds, hit: Hit) -> str:
    # A note's headings are dates; what was written counts.
    told = "\n".join(line for line in hit.text.split("\n") if not line.startswith("## "))
    text = shortened(" ".join(told.split()), LONGEST)
    if hit.covers is not None:
        return minds.say(SUMMARY, first=hit.covers[0], last=hit.covers[1], text=text)
    if hit.title is not None:
        return minds.say(NOTE, title=hit.title, text=text)
    at = hit.entry.at[:16].replace("T", " ") if hit.entry else ""
    if hit.entry is not None and hit.entry.place:
        return minds.say(MEMORY, seq=hit.seq, at=at, place=hit.entry.place, text=text)
    return minds.say(MEMORY_NOWHERE, seq=hit.seq, at=at, text=text)
