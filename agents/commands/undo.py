"""`@undo-change`: revert the last change of an `agent.md` by a command."""

from __future__ import annotations

from agents.commands._answer import answers, ask_about, asked_about
from agents.commands._edit import take_back
from agents.population.population import Population
from mud.commands import Context, Outcome, command
from mud.world.changes import Define
from mud.world.events import Request
from mud.world.narration import phrase
from mud.world.roles import Role

DONE = phrase("minds.undo.done", "name", "what", "file")


@command("@undo-change", "[name]", role=Role.GUEST, category="memory", keeps="skip")
def undo_change(ctx: Context, name: str) -> Outcome:
    """Take back the last change that a command made to your agent.md; typed again, the one before.

    Only what that command changed becomes what it was. What people wrote is kept for good beside the
    agent.md, in versions/, and the last fifty texts that commands wrote. The owner may name anybody.

    Example: @undo-change
    """
    return ask_about(ctx, name, "undo_change")


@answers("undo_change")
async def undo(minds: Population, request: Request) -> Outcome:
    agent = asked_about(minds, request)
    field = take_back(minds, agent)
    told = minds.say(DONE, name=agent.name, what=field.replace("_", " "), file=agent.definition.file)
    return Outcome(told, changes=(Define(agent.definition.thing()),))
