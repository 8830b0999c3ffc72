"""`notes` and `@note-history`: list one's notes, read one with its links, and its earlier versions."""

from __future__ import annotations

from datetime import datetime

from agents.agent import Agent
from agents.commands._answer import answers
from agents.commands._excerpt import excerpt
from agents.commands._when import date, when
from agents.commands.note import LONGEST_TITLE
from agents.memory.note_form import Note, NoteSection
from agents.population.population import Population
from mud.commands import LONGEST_SHOWN, Context, Outcome, command
from mud.errors import Refusal
from mud.registry import suggest
from mud.storage.documents import link_name
from mud.world.events import OWN_NOTES, Request
from mud.world.narration import listed, phrase

NONE = phrase("minds.notes.none")
LIST = phrase("minds.notes.list")
ENTRY = phrase("minds.notes.entry")
ENTRIES = phrase("minds.notes.entries", "n")
MORE = phrase("minds.notes.more", "n")
KEPT_LIST = phrase("minds.notes.kept_list", "titles")
KEPT = phrase("minds.notes.kept", "title", "text")
WRITTEN = phrase("minds.notes.written", "when")
WRITTEN_AT = phrase("minds.notes.written_at", "when", "place")
BECAUSE = phrase("minds.notes.because", "reason")
EMPTY = phrase("minds.notes.empty")
LINKS = phrase("minds.notes.links", "titles")
UNWRITTEN = phrase("minds.notes.unwritten", "titles")
LINKED_FROM = phrase("minds.notes.linked_from", "titles")
NO_SUCH = phrase("minds.notes.no_such", "name")
NO_SUCH_HINT = phrase("minds.notes.no_such_hint", "name")
SEVERAL = phrase("minds.notes.several", "name", "titles")
CURRENT = phrase("minds.notes.current", "title")
EARLIER = phrase("minds.notes.earlier", "when", "file")
NO_EARLIER = phrase("minds.notes.no_earlier")

SHOWN = 50
SHOWN_KEPT = 20
LONGEST_KEPT = 600


@command("notes", "[title]", category="memory", keeps="skip", for_models=True)
def notes(ctx: Context, title: str) -> Outcome:
    """See which notes you have, the newest first, or read one: its entries, what it links to and what links to it.

    Example: notes
    Example: notes Sundial
    """
    args = {"title": link_name(title) or title, "reason": ctx.reason or ""}
    return Outcome("", requests=(Request("notes", ctx.actor.id, ctx.step, args, keep="result"),))


@command("@note-history", "<title>", category="memory", keeps="skip")
def note_history(ctx: Context, title: str) -> Outcome:
    """See all that a note ever said: what it says now, and every text that was overwritten, with their times.

    Example: @note-history Sundial
    """
    return Outcome(
        "", requests=(Request("note_history", ctx.actor.id, ctx.step, {"title": link_name(title) or title}),)
    )


@answers("notes")
async def show_notes(minds: Population, request: Request) -> Outcome:
    agent, title = minds.of(request), request.args["title"]
    return _one(minds, agent, _found(minds, agent, title)) if title else _all(minds, agent)


@answers("note_history")
async def show_history(minds: Population, request: Request) -> Outcome:
    agent, title = minds.of(request), request.args["title"]
    notes = agent.notes
    gone = notes.read(title) is None and bool(notes.versions(title))  # a deleted note still has versions
    note = None if gone else _found(minds, agent, title)
    versions = notes.versions(note.title if note else title)
    now = minds.means.clock.now()
    lines = [minds.say(CURRENT, title=note.title), *_body(minds, note, now)] if note else []
    for version in versions:
        lines.append(minds.say(EARLIER, when=when(minds.say, version.at, now), file=version.file))
        lines += _body(minds, version.note, now)
    return Outcome("\n".join(lines if versions else [*lines, minds.say(NO_EARLIER)]))


def _found(minds: Population, agent: Agent, title: str) -> Note:
    found = agent.notes.meant(title)
    shown = excerpt(title, LONGEST_SHOWN)
    if len(found) > 1:
        raise Refusal(minds.say(SEVERAL, name=shown, titles=listed([note.title for note in found])))
    if not found:
        near = suggest(title, agent.notes.titles())
        raise Refusal(minds.say(NO_SUCH, name=shown), minds.say(NO_SUCH_HINT, name=near) if near else "")
    return found[0]


def _all(minds: Population, agent: Agent) -> Outcome:
    notes, now = agent.notes.all(), minds.means.clock.now()
    if not notes:
        return Outcome(minds.say(NONE), mark=OWN_NOTES)
    told = [(excerpt(note.title, LONGEST_TITLE), when(minds.say, note.updated, now), note) for note in notes[:SHOWN]]
    rows = [(title, written, _count(minds, note)) for title, written, note in told]
    wide = [max(len(row[column]) for row in rows) for column in (0, 1)]
    lines = [f"  {title:<{wide[0]}}  {written:<{wide[1]}}  {count}" for title, written, count in rows]
    if len(notes) > SHOWN:
        lines.append(f"  {minds.say(MORE, n=len(notes) - SHOWN)}")
    titles = [title for title, _, _ in rows[:SHOWN_KEPT]]
    if len(notes) > SHOWN_KEPT:
        titles.append(minds.say(MORE, n=len(notes) - SHOWN_KEPT))
    kept = minds.say(KEPT_LIST, titles=listed(titles))
    return Outcome("\n".join([minds.say(LIST), *lines]), memory=kept, mark=OWN_NOTES)


def _count(minds: Population, note: Note) -> str:
    entries = sum(1 for section in note.sections if section.at)
    return minds.say(ENTRIES, n=entries) if entries > 1 else minds.say(ENTRY)


def _one(minds: Population, agent: Agent, note: Note) -> Outcome:
    now = minds.means.clock.now()
    lines = [note.title, *_body(minds, note, now), *_links(minds, agent, note)]
    kept = [
        f"{one.text} ({date(minds.say, one.at)})" if one.at else f"{one.heading} {one.text}" for one in note.sections
    ]
    text = excerpt(" ".join(kept), LONGEST_KEPT)
    told = minds.say(KEPT, title=note.title, text=text)
    return Outcome("\n".join(lines), memory=told, mark=OWN_NOTES)


def _body(minds: Population, note: Note, now: datetime) -> list[str]:
    lines = [f"  {line}" for section in note.sections for line in _section(minds, section, now)]
    return lines or [f"  {minds.say(EMPTY)}"]


def _section(minds: Population, section: NoteSection, now: datetime) -> list[str]:
    text = section.text.split("\n")
    if section.at:
        ago = when(minds.say, section.at, now)
        head = minds.say(WRITTEN_AT, when=ago, place=section.place) if section.place else minds.say(WRITTEN, when=ago)
    elif section.heading:
        head = section.heading
    else:
        return text
    reason = [minds.say(BECAUSE, reason=section.reason)] if section.reason else []
    if section.at and len(text) == 1:
        return [" ".join([head, *text, *reason])]
    return [head, *(f"  {line}".rstrip() for line in [*text, *reason])]


def _links(minds: Population, agent: Agent, note: Note) -> list[str]:
    links = agent.notes.links(note)
    told = ((LINKS, links.to), (UNWRITTEN, links.unwritten), (LINKED_FROM, links.back))
    return [minds.say(how, titles=listed(titles)) for how, titles in told if titles]
