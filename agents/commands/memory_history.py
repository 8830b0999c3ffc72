"""`@memory-history`: page through all entries, written or waiting, with the events between them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from agents.agent import Agent
from agents.commands._answer import answers
from agents.commands._excerpt import excerpt
from agents.commands._when import clock_time
from agents.commands.archive import NONE, UNREADABLE_ALL, line_of, lived, mind_of, whose
from agents.memory.history import events
from agents.memory.ranges import reference
from agents.population.population import Population
from mud.commands import Context, Outcome, command
from mud.errors import Refusal
from mud.sanitize import visible
from mud.world.events import Request
from mud.world.narration import phrase

TITLE_ONE = phrase("minds.history.title_one", "name", "last", "total", "page", "pages")
TITLE = phrase("minds.history.title", "name", "first", "last", "total", "page", "pages")
NO_PAGE = phrase("minds.history.no_page", "name", "pages", "page")
WAITS = phrase("minds.history.waits", "line")
FOLDED = phrase("minds.history.folded", "at", "event", "reference", "into")
MASKED = phrase("minds.history.masked", "at", "n", "reference")
OTHER = phrase("minds.history.other", "at", "event")
OTHER_OF = phrase("minds.history.other_of", "at", "event", "reference")
EARLIER = phrase("minds.history.earlier", "name", "page")

PAGE = 50
LONGEST = 300
"""Maximum characters of an entry; `@archive` shows it in full."""


@command("@memory-history", "[name] [page]", category="memory", keeps="skip")
def memory_history(ctx: Context, name: str) -> Outcome:
    """Page through everything that was ever lived, in order, with the folds and masks in between.

    Fifty memories are a page; without a number it is the last. What the archive could not take yet is shown too. Times
    are those of this machine's clock. Without a name it is your own; the owner may name anybody.

    Example: @memory-history
    Example: @memory-history 1
    """
    return Outcome("", requests=(Request("memory_history", ctx.actor.id, ctx.step, {"name": name, "may": whose(ctx)}),))


@answers("memory_history")
async def show_history(minds: Population, request: Request) -> Outcome:
    agent, page = _asked(minds, request)
    total = agent.memory.total + agent.memory.waiting
    pages = -(-total // PAGE)
    if not pages:
        raise Refusal(minds.say(NONE, name=agent.name))
    page = page if page is not None else pages
    if not 1 <= page <= pages:
        raise Refusal(minds.say(NO_PAGE, name=agent.name, pages=pages, page=page))
    first, last = (page - 1) * PAGE + 1, min(page * PAGE, total)
    about = {"name": agent.name, "last": last, "total": total, "page": page, "pages": pages}
    title = minds.say(TITLE, first=first, **about) if first < last else minds.say(TITLE_ONE, **about)
    try:
        lines = await _lines(minds, agent, first, last)
    except OSError as error:
        raise Refusal(minds.say(UNREADABLE_ALL, name=agent.name, why=error.strerror or error)) from None
    earlier = [minds.say(EARLIER, name=visible(agent.slug), page=page - 1)] if page > 1 else []
    return Outcome("\n".join([title, *lines, *earlier]))


def _asked(minds: Population, request: Request) -> tuple[Agent, int | None]:
    name, page = request.args["name"], None
    head, _, tail = name.rpartition(" ")
    if tail.isdecimal() and len(tail) < 10 and minds.find(name) is None:
        name, page = head.strip(), int(tail)
    return mind_of(minds, request, name), page


async def _lines(minds: Population, agent: Agent, first: int, last: int) -> list[str]:
    memory, now = agent.memory, minds.means.clock.now().astimezone(minds.means.clock.zone)
    found = await asyncio.to_thread(events, agent.folder / "archive", first, last)
    behind: dict[int, list[str]] = {}
    for seq, event in found:
        at = clock_time(minds.say, str(event.get("at") or "?"), now)
        behind.setdefault(seq, []).append(f"  -- {_event(minds, agent, event, at)}")
    lines = behind.pop(0, [])
    for entry in lived(memory, first, last):
        line = "  " + excerpt(line_of(minds, entry, clock_time(minds.say, entry.at, now)), LONGEST)
        lines.append(minds.say(WAITS, line=line) if entry.seq > memory.total else line)
        lines += behind.pop(entry.seq, [])
    return [*lines, *(line for rest in behind.values() for line in rest)]


def _event(minds: Population, agent: Agent, event: Mapping[str, Any], at: str) -> str:
    name, say = str(event["event"]), minds.say
    where = _reference(agent, event.get("covers"))
    masked = event.get("masked")
    if isinstance(masked, list) and where:
        return say(MASKED, at=at, n=len(masked), reference=where)
    made = [(tier, event[tier]) for tier in ("longterm", "recent") if isinstance(event.get(tier), Mapping)]
    if made and where:
        into = ", ".join(f"{tier} {_reference(agent, one.get('covers'))}" for tier, one in made)
        return say(FOLDED, at=at, event=name, reference=where, into=into)
    return say(OTHER_OF, at=at, event=name, reference=where) if where else say(OTHER, at=at, event=name)


def _reference(agent: Agent, covers: object) -> str:
    if not isinstance(covers, Mapping):
        return ""
    first, last = covers.get("first"), covers.get("last")
    return reference(agent.slug, first, last) if isinstance(first, int) and isinstance(last, int) else ""
