"""Everything that was ever lived: `@archive` shows entries in full by number, `@memory-history` pages through all of
them with the events between, `@journal` shows the facts kept before memories were folded.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from agents.agent import Agent
from agents.commands._answer import answers, ask, ask_about, asked_about, excerpt, memories, mind_of, whose
from agents.memory.corrections import FORGOTTEN
from agents.memory.entries import Entry, Reference, missing, read_reference, reference
from agents.memory.history import events
from agents.memory.journal import JournalEntry
from agents.memory.memory import Memory
from agents.population import Population
from agents.text.daytime import clock_time, when
from mud.commands import LONGEST_SHOWN, Context, Outcome, command
from mud.errors import Refusal
from mud.sanitize import visible
from mud.world.events import Request
from mud.world.narration import phrase

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
FORGOTTEN_LINE = phrase("minds.archive.forgotten", "seq", "at")
CORRECTED = phrase("minds.archive.corrected", "at", "by", "wrong", "right")
LEFT_OUT = phrase("minds.archive.left_out", "at", "by", "seq")
FORGOTTEN_BY = phrase("minds.archive.forgotten_by", "at", "by")
ORIGINAL = phrase("minds.archive.original", "text")
MORE = phrase("minds.archive.more", "reference")
END = phrase("minds.archive.end", "total")
PAGE_TITLE_ONE = phrase("minds.history.title_one", "name", "last", "total", "page", "pages")
PAGE_TITLE = phrase("minds.history.title", "name", "first", "last", "total", "page", "pages")
NO_PAGE = phrase("minds.history.no_page", "name", "pages", "page")
WAITS = phrase("minds.history.waits", "line")
FOLDED = phrase("minds.history.folded", "at", "event", "reference", "into")
MASKED = phrase("minds.history.masked", "at", "n", "reference")
OTHER = phrase("minds.history.other", "at", "event")
OTHER_OF = phrase("minds.history.other_of", "at", "event", "reference")
EARLIER_PAGE = phrase("minds.history.earlier", "name", "page")
NO_JOURNAL = phrase("minds.journal.none")
NO_JOURNAL_OF = phrase("minds.journal.none_of", "name")
JOURNAL = phrase("minds.journal.list")
JOURNAL_OF = phrase("minds.journal.list_of", "name")
FACT = phrase("minds.journal.entry", "when", "text", "known")
FACT_UNDATED = phrase("minds.journal.entry_undated", "text", "known")
FROM = phrase("minds.journal.from", "name")
TRUST = phrase("minds.journal.trust", "type", "trust", "importance")
CONSOLIDATED = phrase("minds.journal.consolidated")
MORE_FACTS = phrase("minds.journal.more", "n")

SHOWN = 50
"""Lines shown at once; an entry of several lines is never cut."""
PAGE = 50
"""Entries of a page of the history."""
LONGEST = 300
"""Maximum characters of an entry in it; `@archive` shows it in full."""
SHOWN_FACTS = 40


@command("@archive", "<range>", category="memory", keeps="skip")
def archive(ctx: Context, range: str) -> Outcome:
    """Read memories word for word in your archive, by number: with when it was, where, and who, and what was put right.

    That is where masked results and summaries say they come from, such as eliza#120 or eliza#66-129. The owner may
    name anybody's.

    Example: @archive 1
    Example: @archive 1-3
    """
    return ask(ctx, "archive", range=range, may=whose(ctx))


@answers("archive")
async def show_archive(minds: Population, request: Request) -> Outcome:
    text = request.args["range"]
    found = read_reference(text)
    if found is None:
        raise Refusal(minds.say(WHAT, text=excerpt(text, LONGEST_SHOWN)), minds.say(WHAT_HINT))
    agent = mind_of(minds, request, found.owner)
    first, last = _bounds(minds, agent, found)
    try:
        return Outcome("\n".join(_told(minds, agent, first, last, owner=request.args["may"] == "all")))
    except OSError as error:
        raise Refusal(minds.say(UNREADABLE_ALL, name=agent.name, why=error.strerror or error)) from None


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


def _told(minds: Population, agent: Agent, first: int, last: int, *, owner: bool) -> list[str]:
    total = agent.memory.total + agent.memory.waiting
    end = min(last, total)
    entries = lived(agent.memory, first, min(end, first + SHOWN - 1))
    lines: list[str] = []
    through = first - 1
    for entry in entries:
        told = [*line_of(minds, entry).split("\n"), *_corrected(minds, agent, entry.seq, owner=owner)]
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


def _corrected(minds: Population, agent: Agent, seq: int, *, owner: bool) -> list[str]:
    """Return what was put right in a memory, when and by whom; for the owner also what it was."""
    say, found = minds.say, agent.memory.corrections.of(seq)
    lines = []
    for one in found:
        about = {"at": one.at, "by": one.by}
        if one.forgets:
            forgets = one.forgets == seq
            lines.append(say(FORGOTTEN_BY, **about) if forgets else say(LEFT_OUT, **about, seq=one.forgets))
        else:
            lines.append(say(CORRECTED, **about, wrong=one.wrong, right=one.right))
    if found and owner:
        was = [line_of(minds, entry).strip() for entry in agent.memory.original(seq, seq)]
        lines += [line for text in was for line in say(ORIGINAL, text=text).split("\n")]
    return [f"    {line}" for line in lines]


def line_of(minds: Population, entry: Entry, at: str = "") -> str:
    """Return an entry in full, with further lines indented; `at` replaces its stored time."""
    if entry.kind == FORGOTTEN:
        return f"  {minds.say(FORGOTTEN_LINE, seq=entry.seq, at=at or entry.at)}"
    kind = minds.say(FAILED, kind=entry.kind) if entry.failed else entry.kind
    text = "\n    ".join(entry.text.splitlines())
    if entry.reason:
        text = f"{text} {minds.say(BECAUSE, reason=entry.reason)}"
    place = entry.place or minds.say(NOWHERE)
    about = {"seq": entry.seq, "at": at or entry.at, "place": place, "kind": kind, "text": text}
    told = minds.say(LINE_BY, **about, actor=entry.actor) if entry.actor else minds.say(LINE, **about)
    return f"  {told}"


@command("@memory-history", "[name] [page]", category="memory", keeps="skip")
def memory_history(ctx: Context, name: str) -> Outcome:
    """Page through everything that was ever lived, in order, with the folds and masks in between.

    Fifty memories are a page; without a number it is the last. What the archive could not take yet is shown too. Times
    are those of this machine's clock. Without a name it is your own; the owner may name anybody.

    Example: @memory-history
    Example: @memory-history 1
    """
    return ask(ctx, "memory_history", name=name, may=whose(ctx))


@answers("memory_history")
async def show_history(minds: Population, request: Request) -> Outcome:
    name, page = request.args["name"], None
    who, _, number = name.rpartition(" ")
    if number.isdecimal() and len(number) < 10 and minds.find(name) is None:
        name, page = who.strip(), int(number)
    agent = mind_of(minds, request, name)
    total = agent.memory.total + agent.memory.waiting
    pages = -(-total // PAGE)
    if not pages:
        raise Refusal(minds.say(NONE, name=agent.name))
    page = page if page is not None else pages
    if not 1 <= page <= pages:
        raise Refusal(minds.say(NO_PAGE, name=agent.name, pages=pages, page=page))
    first, last = (page - 1) * PAGE + 1, min(page * PAGE, total)
    about = {"name": agent.name, "last": last, "total": total, "page": page, "pages": pages}
    title = minds.say(PAGE_TITLE, first=first, **about) if first < last else minds.say(PAGE_TITLE_ONE, **about)
    try:
        lines = await _lines(minds, agent, first, last)
    except OSError as error:
        raise Refusal(minds.say(UNREADABLE_ALL, name=agent.name, why=error.strerror or error)) from None
    earlier = [minds.say(EARLIER_PAGE, name=visible(agent.slug), page=page - 1)] if page > 1 else []
    return Outcome("\n".join([title, *lines, *earlier]))


async def _lines(minds: Population, agent: Agent, first: int, last: int) -> list[str]:
    memory, now = agent.memory, minds.means.clock.now().astimezone(minds.means.clock.zone)
    found = await asyncio.to_thread(events, agent.memory.archive, first, last)
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


@command("@journal", "[name]", category="memory", keeps="skip")
def journal(ctx: Context, name: str) -> Outcome:
    """Read the journal: facts kept before memories were folded, with where they come from and how far to trust them.

    Without a name it is your own; the owner may name anybody.

    Example: @journal
    """
    return ask_about(ctx, name, "journal")


@answers("journal")
async def show_journal(minds: Population, request: Request) -> Outcome:
    agent = asked_about(minds, request)
    own, now = agent.id == request.who, minds.means.clock.now()
    try:
        entries = [line.entry for line in agent.keeper.journal.lines()]
    except OSError as error:
        raise Refusal(f"The journal cannot be read ({error.strerror or error}).") from None
    if not entries:
        return Outcome(minds.say(NO_JOURNAL) if own else minds.say(NO_JOURNAL_OF, name=agent.name))
    lines = [minds.say(JOURNAL) if own else minds.say(JOURNAL_OF, name=agent.name)]
    if len(entries) > SHOWN_FACTS:
        lines.append(minds.say(MORE_FACTS, n=len(entries) - SHOWN_FACTS))
    return Outcome("\n".join([*lines, *(f"  {_fact(minds, entry, now)}" for entry in entries[-SHOWN_FACTS:])]))


def _fact(minds: Population, entry: JournalEntry, now: datetime) -> str:
    known = [
        *([minds.say(FROM, name=entry.source)] if entry.source else []),
        minds.say(TRUST, type=entry.type, trust=f"{entry.trust:g}", importance=entry.importance),
        *entry.references,
        *([minds.say(CONSOLIDATED)] if entry.consolidated else []),
    ]
    told = "; ".join(known)
    if entry.at:
        return minds.say(FACT, when=when(minds.say, entry.at, now), text=entry.text, known=told)
    return minds.say(FACT_UNDATED, text=entry.text, known=told)
