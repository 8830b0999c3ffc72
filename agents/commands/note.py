"""`note`, `@overwrite-note` and `@restore-note`: write into one's notes."""

from __future__ import annotations

from agents.commands._answer import answers
from agents.population.population import Population
from mud.commands import Context, Outcome, command
from mud.errors import Refusal
from mud.storage.documents import link_name
from mud.world.events import Request
from mud.world.narration import phrase
from mud.world.roles import Role

NOTED = phrase("minds.note.noted", "title", "text")
ANEW = phrase("minds.note.anew", "title", "text")
KEPT = phrase("minds.note.kept", "title")
RESTORED = phrase("minds.note.restored", "title")
NO_EARLIER = phrase("minds.note.no_earlier", "title")
TOO_LONG = phrase("minds.note.too_long", "most")
LONGEST_TITLE = 80


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
    args = {"title": title, "text": text, "reason": ctx.reason or "", "person": "yes" if ctx.role > Role.AGENT else ""}
    return Outcome("", requests=(Request(request, ctx.actor.id, ctx.step, args, keep="note"),))


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
    args = {"title": link_name(title) or title}
    return Outcome("", requests=(Request("restore_note", ctx.actor.id, ctx.step, args),))


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
    return Outcome(f"{told}\n{minds.say(KEPT, title=written.title)}", memory=told)


@answers("restore_note")
async def restore(minds: Population, request: Request) -> Outcome:
    restored = minds.restore_note(minds.of(request), title := request.args["title"])
    if restored is None:
        raise Refusal(minds.say(NO_EARLIER, title=title))
    return Outcome(minds.say(RESTORED, title=restored.title))
