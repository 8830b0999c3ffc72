"""`@my-description` and `@set-description`."""

from __future__ import annotations

from agents.commands._answer import answers
from agents.commands._edit import set_section
from agents.commands._own import Own
from agents.population.population import Population
from mud.commands import Context, Outcome, command
from mud.world.events import Request
from mud.world.narration import phrase

MINE = phrase("minds.description.mine", "text")
MINE_NONE = phrase("minds.description.mine_none")
SET = phrase("minds.description.set", "text")
WAS = phrase("minds.description.was", "text")
SEEN = phrase("minds.description.seen", "actor")

SECTION = "Description"
OWN = Own(
    "description",
    lambda minds, agent, words: set_section(minds, agent, SECTION, words),
    MINE,
    MINE_NONE,
    SET,
    WAS,
    SEEN,
)


@command("@my-description", category="memory", keeps="skip")
def my_description(ctx: Context) -> Outcome:
    """See what others see who look at you.

    Example: @my-description
    """
    return OWN.see(ctx)


@command("@set-description", "<text>", category="memory", keeps="skip", for_models=True, alters="self")
def set_description(ctx: Context, text: str) -> Outcome:
    """Change what others see who look at you. It is written into your agent.md; the arrow may be left out.

    Others see that something about you changes; what, they see when they look.

    Example: @set-description -> A tall visitor in a wet coat.
    """
    return OWN.change(ctx, text)


@answers("my_description")
async def tell_mine(minds: Population, request: Request) -> Outcome:
    return OWN.told(minds, request)


@answers("set_description")
async def set_mine(minds: Population, request: Request) -> Outcome:
    return OWN.changed(minds, request)
