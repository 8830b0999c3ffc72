"""What one wants: read it, and change it."""

from __future__ import annotations

from agents.commands._answer import answers
from agents.commands._edit import seen, set_key, words_of
from agents.minds import Minds
from mud.commands._command import Context, Outcome, command
from mud.world.events import Request
from mud.world.narration import phrase

MINE = phrase("minds.goal.mine", "text")
MINE_NONE = phrase("minds.goal.mine_none")
SET = phrase("minds.goal.set", "text")
CLEARED = phrase("minds.goal.cleared")
WAS = phrase("minds.goal.was", "text")
SEEN = phrase("minds.goal.seen", "actor")

KEY = "goal"


@command("@my-goal", category="memory", keeps="skip")
def my_goal(ctx: Context) -> Outcome:
    """See what you want. Nobody else is told of it.

    Example: @my-goal
    """
    return Outcome("", requests=(Request("my_goal", ctx.actor.id, ctx.step, keep="result"),))


@command("@set-goal", "[text]", category="memory", keeps="skip")
def set_goal(ctx: Context, text: str) -> Outcome:
    """Change what you want; with nothing after the arrow you want nothing in particular. The arrow may be left out.

    It is written into your agent.md and counts from your next thought on. Others see only that you made up your mind.

    Example: @set-goal -> Find the fin of the sundial.
    Example: @set-goal ->
    """
    args = {"text": text, "reason": ctx.reason or ""}
    return Outcome("", requests=(Request("set_goal", ctx.actor.id, ctx.step, args, keep="did"),))


@answers("my_goal")
async def tell_mine(minds: Minds, request: Request) -> Outcome:
    """Return the goal of whoever asks."""
    goal = minds.of(request).definition.goal
    return Outcome(minds.say(MINE, text=goal) if goal else minds.say(MINE_NONE))


@answers("set_goal")
async def set_mine(minds: Minds, request: Request) -> Outcome:
    """Write the new goal, and say what it was before."""
    agent = minds.of(request)
    before, words = agent.definition.goal, words_of(request.args["text"], minds, may_be_empty=True)
    set_key(minds, agent, KEY, words)
    told = minds.say(SET, text=words) if words else minds.say(CLEARED)
    return seen(minds, agent, f"{told}\n{minds.say(WAS, text=before)}" if before else told, told, SEEN)
