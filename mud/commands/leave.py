"""Leave the world."""

from __future__ import annotations

from mud.commands._command import Context, Outcome, command
from mud.world.narration import phrase
from mud.world.roles import Role

GOODBYE = phrase("commands.quit.goodbye")


@command("quit", aliases=("exit", "bye"), role=Role.GUEST, category="admin", keeps="skip")
def leave(ctx: Context) -> Outcome:
    """Leave. You come back to where you were, and whoever met you remembers.

    Example: quit
    """
    return Outcome(ctx.say(GOODBYE), quit=True)
