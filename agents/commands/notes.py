"""Writing and reading one's notes, and the earlier texts of those that were overwritten."""

from __future__ import annotations

from datetime import datetime

from agents.agent import Agent
from agents.commands._answer import answers, ask, excerpt
from agents.memory.note_form import Note, NoteSection
from agents.population import Population
from agents.text.daytime import date_of, when
from mud.commands import LONGEST_SHOWN, Context, Outcome, command
from mud.errors import Refusal
from mud.registry import suggest
from mud.storage.documents import link_name
from mud.world.events import OWN_NOTES, Request
from mud.world.narration import listed, phrase
from mud.world.roles import Role

NOTED = phrase("minds.note.noted", "title", "text")
ANEW = phrase("minds.note.anew", "title", "text")
VERSION_KEPT = phrase("minds.note.kept", "title")
RESTORED = phrase("minds.note.restored", "title")
NOTHING_EARLIER = phrase("minds.note.no_earlier", "title")
TOO_LONG = phrase("minds.note.too_long", "most")
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

LONGEST_TITLE = 80
SHOWN = 50
SHOWN_KEPT = 20
LONGEST_KEPT = 600


@command("note", "<title> -> <text>", category="memory", keeps="skip", for_models=True, alters="notes")
def note(ctx: Context, title: str, text: str) -> Outcome:
    r"""Add to your notes, under a title; the newest entry stands on top. Nobody else perceives it.

    [[Another title]] in the text is a link to another note, and so is [[Another title\|other words]].

    Example: note Sundial -> The fin is missing; four screw holes are left.
    Example: note Boathouse -> The fin of the [[Sundial]] hangs here. | so that I find it again
    """
    return _asked(ctx, "note", title, text)


@command("@overwrite-note", "<title> -> <text>", category="memory", keeps="skip", for_models=True, alters="notes")
def overwrite_note(ctx: Context, title: str, text: str) -> Outcome:
    """Write a note anew: this text alone counts from now on. What it said before is kept, see @note-history.

    @restore-note takes it back. What a mind of the program types replaces nothing, and is put on top.

    Example: @overwrite-note Sundial -> The fin is back in its place.
    """
    return _asked(ctx, "overwrite_note", title, text)


def _asked(ctx: Context, request: str, title: str, text: str) -> Outcome:
    title = link_name(title) or title
    if len(title) > LONGEST_TITLE:
        raise Refusal(ctx.say(TOO_LONG, most=LONGEST_TITLE))
    person = "yes" if ctx.role > Role.AGENT else ""
    return ask(ctx, request, "note", title=title, text=text, reason=ctx.reason or "", person=person)


@answers("note")
async def write_note(minds: Population, request: Request) -> Outcome:
    title, text = request.args["title"], request.args["text"]
    written, _ = minds.add_note(minds.of(request), title, text, request.args["reason"] or None)
    return Outcome(minds.say(NOTED, title=written.title, text=text))


@command("@restore-note", "<title>", role=Role.GUEST, category="memory", keeps="skip")
def restore_note(ctx: Context, title: str) -> Outcome:
    """Give a note the text back that it had before it was overwritten last; typed again, the one it has now.

    Example: @restore-note Sundial
    """
    return ask(ctx, "restore_note", title=link_name(title) or title)


@answers("overwrite_note")
async def write_anew(minds: Population, request: Request) -> Outcome:
    """Overwrite a note. An agent's text is added on top instead, because it is unknown who wrote what in a note."""
    if not request.args.get("person"):  # without the mark of a person it counts as an agent
        return await write_note.run(minds, request)
    title, text = request.args["title"], request.args["text"]
    written, kept = minds.add_note(minds.of(request), title, text, request.args["reason"] or None, anew=True)
    if not kept:
        return Outcome(minds.say(NOTED, title=written.title, text=text))
    told = minds.say(ANEW, title=written.title, text=text)
    return Outcome(f"{told}\n{minds.say(VERSION_KEPT, title=written.title)}", memory=told)


@answers("restore_note")
async def restore(minds: Population, request: Request) -> Outcome:
    restored = minds.restore_note(minds.of(request), title := request.args["title"])
    if restored is None:
        raise Refusal(minds.say(NOTHING_EARLIER, title=title))
    return Outcome(minds.say(RESTORED, title=restored.title))


@command("notes", "[title]", category="memory", keeps="skip", for_models=True)
def notes(ctx: Context, title: str) -> Outcome:
    """See which notes you have, the newest first, or read one: its entries, what it links to and what links to it.

    Example: notes
    Example: notes Sundial
    """
    return ask(ctx, "notes", "result", title=link_name(title) or title, reason=ctx.reason or "")


@command("@note-history", "<title>", category="memory", keeps="skip")
def note_history(ctx: Context, title: str) -> Outcome:
    """See all that a note ever said: what it says now, and every text that was overwritten, with their times.

    Example: @note-history Sundial
    """
    return ask(ctx, "note_history", title=link_name(title) or title)


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
    kept = (
        f"{one.text} ({date_of(minds.say, one.at)})" if one.at else f"{one.heading} {one.text}" for one in note.sections
    )
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
