"""Looking at the roads to other worlds."""

from __future__ import annotations

from mud.commands._command import Context, Outcome, command
from mud.world.events import Request
from mud.world.roles import Role


@command("@regions", role=Role.OWNER, category="admin", keeps="skip")
def regions(ctx: Context) -> Outcome:
    """See which neighbouring worlds answer, who is on the way to one, and who is in one.

    An exit leads to a neighbour where its target is written such as "loci://127.0.0.1:8001/The Bridge".

    Example: @regions
    """
    return Outcome("", requests=(Request("regions", ctx.actor.id, ctx.step),))
