"""What others see who look at one: read it, and change it."""

from __future__ import annotations

from agents.commands._answer import answers
from agents.commands._edit import seen, set_section, words_of
from agents.minds import Minds
from mud.commands._command import Context, Outcome, command
from mud.world.events import Request
from mud.world.narration import phrase

MINE = phrase("minds.description.mine", "text")
MINE_NONE = phrase("minds.description.mine_none")
SET = phrase("minds.description.set", "text")
WAS = phrase("minds.description.was", "text")
SEEN = phrase("minds.description.seen", "actor")

SECTION = "Description"


@command("@my-description", category="memory", keeps="skip")
def my_description(ctx: Context) -> Outcome:
    """See what others see who look at you.

    Example: @my-description
    """
    return Outcome("", requests=(Request("my_description", ctx.actor.id, ctx.step, keep="result"),))


@command("@set-description", "<text>", category="memory", keeps="skip")
def set_description(ctx: Context, text: str) -> Outcome:
    """Change what others see who look at you. It is written into your agent.md; the arrow may be left out.

    Others see that something about you changes; what, they see when they look.

    Example: @set-description -> A tall visitor in a wet coat.
    """
    args = {"text": text, "reason": ctx.reason or ""}
    return Outcome("", requests=(Request("set_description", ctx.actor.id, ctx.step, args, keep="did"),))


@answers("my_description")
async def tell_mine(minds: Minds, request: Request) -> Outcome:
    """Return the description of whoever asks."""
    description = minds.of(request).definition.description
    return Outcome(minds.say(MINE, text=description) if description else minds.say(MINE_NONE))


@answers("set_description")
async def set_mine(minds: Minds, request: Request) -> Outcome:
    """Write the new description, and say what it was before."""
    agent = minds.of(request)
    before, words = agent.definition.description, words_of(request.args["text"], minds)
    set_section(minds, agent, SECTION, words)
    told = minds.say(SET, text=words)
    return seen(minds, agent, f"{told}\n{minds.say(WAS, text=before)}" if before else told, told, SEEN)
