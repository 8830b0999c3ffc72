"""Write into one's own notes."""

from __future__ import annotations

from agents.commands._answer import answers
from agents.minds import Minds
from mud.commands._command import Context, Outcome, command
from mud.errors import Refusal
from mud.world.events import Request
from mud.world.narration import phrase

NOTED = phrase("minds.note.noted", "title", "text")
TOO_LONG = phrase("minds.note.too_long", "most")
LONGEST_TITLE = 80
"""Characters of a note's title."""


@command("note", "<title> -> <text>", category="memory", keeps="skip", for_models=True)
def note(ctx: Context, title: str, text: str) -> Outcome:
    """Add to your notes, under a title; the newest entry stands on top. Nobody else perceives it.

    Example: note Sundial -> The fin is missing; four screw holes are left.
    """
    if len(title) > LONGEST_TITLE:
        raise Refusal(ctx.say(TOO_LONG, most=LONGEST_TITLE))
    args = {"title": title, "text": text, "reason": ctx.reason or ""}
    return Outcome("", requests=(Request("note", ctx.actor.id, ctx.step, args, keep="note"),))


@answers("note")
async def write_note(minds: Minds, request: Request) -> Outcome:
    """Write the note and say so."""
    agent = minds.of(request)
    title, text = request.args["title"], request.args["text"]
    minds.add_note(agent, title, text, request.args["reason"] or None)
    return Outcome(minds.say(NOTED, title=title, text=text))
