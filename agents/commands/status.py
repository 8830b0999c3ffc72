"""See how a memory stands."""

from __future__ import annotations

from contextlib import suppress

from agents.commands._answer import answers, ask_about, asked_about
from agents.commands.pause import pause_of
from agents.minds import Minds
from mud.commands._command import Context, Outcome, command
from mud.world.events import Request


@command("@memory-status", "[name]", category="memory", keeps="skip")
def memory_status(ctx: Context, name: str) -> Outcome:
    """See what is remembered word for word, what in summaries, what is due next, and what is wrong, if anything.

    Without a name it is your own memory; the owner may name anybody.

    Example: @memory-status
    """
    return ask_about(ctx, name, "memory_status")


@answers("memory_status")
async def report_status(minds: Minds, request: Request) -> Outcome:
    """Return the report."""
    agent = asked_about(minds, request)
    await agent.measure()
    with suppress(OSError):  # the report says nothing of it then
        await minds.inner.look(agent)
    told = pause_of(minds, agent)
    return Outcome("\n".join([told, minds.report(agent)] if told else [minds.report(agent)]))
