"""`@archive`: read entries in full by number, such as those behind a mask or a summary."""

from __future__ import annotations

from agents.agent import Agent
from agents.commands._answer import OTHERS_MIND, answers, no_mind
from agents.commands._count import memories
from agents.commands._excerpt import excerpt
from agents.memory.entries import Entry
from agents.memory.memory import Memory
from agents.memory.ranges import Reference, missing, read_reference, reference
from agents.population.population import Population
from mud.commands import LONGEST_SHOWN, Context, Outcome, command
from mud.errors import Refusal
from mud.world.events import Request
from mud.world.narration import phrase
from mud.world.roles import Role

WHAT = phrase("minds.archive.what", "text")
WHAT_HINT = phrase("minds.archive.what_hint")
BACKWARDS = phrase("minds.archive.backwards", "first", "last")
BACKWARDS_HINT = phrase("minds.archive.backwards_hint", "reference")
FROM_ONE = phrase("minds.archive.from_one")
BEYOND = phrase("minds.archive.beyond", "name", "memories", "first")
NONE = phrase("minds.archive.none", "name")
UNREADABLE_ALL = phrase("minds.archive.cannot", "name", "why")
TITLE = phrase("minds.archive.title", "reference", "name", "memories")
LINE = phrase("minds.archive.line", "seq", "at", "place", "kind", "text")
LINE_BY = phrase("minds.archive.line_by", "seq", "at", "place", "kind", "actor", "text")
NOWHERE = phrase("minds.archive.nowhere")
FAILED = phrase("minds.archive.failed", "kind")
BECAUSE = phrase("minds.archive.because", "reason")
UNREADABLE = phrase("minds.archive.unreadable", "reference")
MORE = phrase("minds.archive.more", "reference")
END = phrase("minds.archive.end", "total")

SHOWN = 50
"""Lines shown at once; an entry of several lines is never cut."""


@command("@archive", "<range>", category="memory", keeps="skip")
def archive(ctx: Context, range: str) -> Outcome:
    """Read memories word for word in your archive, by number: with when it was, where, and who.

    That is where masked results and summaries say they come from, such as eliza#120 or eliza#66-129. The owner may
    name anybody's.

    Example: @archive 1
    Example: @archive 1-3
    """
    return Outcome("", requests=(Request("archive", ctx.actor.id, ctx.step, {"range": range, "may": whose(ctx)}),))


def whose(ctx: Context) -> str:
    """Return whose minds a player may look into: `all` for the owner, else their `own`."""
    return "all" if ctx.role >= Role.OWNER else "own"


@answers("archive")
async def show_archive(minds: Population, request: Request) -> Outcome:
    text = request.args["range"]
    found = read_reference(text)
    if found is None:
        raise Refusal(minds.say(WHAT, text=excerpt(text, LONGEST_SHOWN)), minds.say(WHAT_HINT))
    agent = mind_of(minds, request, found.owner)
    first, last = _bounds(minds, agent, found)
    try:
        return Outcome("\n".join(_told(minds, agent, first, last)))
    except OSError as error:
        raise Refusal(minds.say(UNREADABLE_ALL, name=agent.name, why=error.strerror or error)) from None


def mind_of(minds: Population, request: Request, name: str) -> Agent:
    """Return the agent asked about: one's own or, for the owner, the named one; refuses others."""
    agent = minds.find(name) if name else minds.by_id(request.who)
    if request.args["may"] != "all" and (agent is None or agent.id != request.who):
        raise Refusal(minds.say(OTHERS_MIND))
    if agent is None:
        raise no_mind(minds, name)
    return agent


def lived(memory: Memory, first: int, last: int) -> list[Entry]:
    """Return entries by number, including those not yet written."""
    waiting = memory.newest(memory.waiting) if memory.waiting else []
    return [*memory.read(first, last), *(entry for entry in waiting if first <= entry.seq <= last)]


def _bounds(minds: Population, agent: Agent, wanted: Reference) -> tuple[int, int]:
    total = agent.memory.total + agent.memory.waiting
    if not total:
        raise Refusal(minds.say(NONE, name=agent.name))
    if wanted.first < 1:
        raise Refusal(minds.say(FROM_ONE))
    if wanted.last < wanted.first:
        turned = reference(wanted.owner, wanted.last, wanted.first).removeprefix("#")
        told = minds.say(BACKWARDS, first=wanted.first, last=wanted.last)
        raise Refusal(told, minds.say(BACKWARDS_HINT, reference=turned))
    if wanted.first > total:
        raise Refusal(minds.say(BEYOND, name=agent.name, memories=memories(minds.say, total), first=wanted.first))
    return wanted.first, wanted.last


def _told(minds: Population, agent: Agent, first: int, last: int) -> list[str]:
    total = agent.memory.total + agent.memory.waiting
    end = min(last, total)
    entries = lived(agent.memory, first, min(end, first + SHOWN - 1))
    lines: list[str] = []
    through = first - 1
    for entry in entries:
        told = line_of(minds, entry).split("\n")
        if lines and len(lines) + len(told) > SHOWN:
            break
        lines += _gap(minds, agent, through, entry.seq) + told
        through = entry.seq
    else:
        through = min(end, first + SHOWN - 1)
        lines += _gap(minds, agent, entries[-1].seq if entries else first - 1, through + 1)
    of, all_of_them = reference(agent.slug, first, through), memories(minds.say, total)
    title = minds.say(TITLE, reference=of, name=agent.name, memories=all_of_them)
    if through < end:
        lines.append(minds.say(MORE, reference=reference(agent.slug, through + 1, end)))
    elif last > total:
        lines.append(minds.say(END, total=total))
    return [title, *lines]


def _gap(minds: Population, agent: Agent, before: int, after: int) -> list[str]:
    gaps = missing((), before + 1, after - 1)
    return [f"  {minds.say(UNREADABLE, reference=reference(agent.slug, *gap))}" for gap in gaps]


def line_of(minds: Population, entry: Entry, at: str = "") -> str:
    """Return an entry in full, with further lines indented; `at` replaces its stored time."""
    kind = minds.say(FAILED, kind=entry.kind) if entry.failed else entry.kind
    text = "\n    ".join(entry.text.splitlines())
    if entry.reason:
        text = f"{text} {minds.say(BECAUSE, reason=entry.reason)}"
    about = {
        "seq": entry.seq,
        "at": at or entry.at,
        "place": entry.place or minds.say(NOWHERE),
        "kind": kind,
        "text": text,
    }
    told = minds.say(LINE_BY, **about, actor=entry.actor) if entry.actor else minds.say(LINE, **about)
    return f"  {told}"
