"""`@my-goal` and `@set-goal`."""

from __future__ import annotations

from agents.commands._answer import answers
from agents.commands._edit import set_key
from agents.commands._own import Own
from agents.population.population import Population
from mud.commands import Context, Outcome, command
from mud.world.events import Request
from mud.world.narration import phrase

MINE = phrase("minds.goal.mine", "text")
MINE_NONE = phrase("minds.goal.mine_none")
SET = phrase("minds.goal.set", "text")
CLEARED = phrase("minds.goal.cleared")
WAS = phrase("minds.goal.was", "text")
SEEN = phrase("minds.goal.seen", "actor")

OWN = Own(
    "goal",
    lambda minds, agent, words: set_key(minds, agent, "goal", words),
    MINE,
    MINE_NONE,
    SET,
    WAS,
    SEEN,
    CLEARED,
)


@command("@my-goal", category="memory", keeps="skip")
def my_goal(ctx: Context) -> Outcome:
    """See what you want. Nobody else learns that you looked; agents say what they want when they are asked.

    Example: @my-goal
    """
    return OWN.see(ctx)


@command("@set-goal", "[text]", category="memory", keeps="skip", for_models=True, alters="self")
def set_goal(ctx: Context, text: str) -> Outcome:
    """Change what you want; with nothing after the arrow you want nothing in particular. The arrow may be left out.

    It is written into your agent.md and counts from your next thought on. Others see only that you made up your mind.

    Example: @set-goal -> Find the fin of the sundial.
    Example: @set-goal ->
    """
    return OWN.change(ctx, text)


@answers("my_goal")
async def tell_mine(minds: Population, request: Request) -> Outcome:
    return OWN.told(minds, request)


@answers("set_goal")
async def set_mine(minds: Population, request: Request) -> Outcome:
    return OWN.changed(minds, request)
