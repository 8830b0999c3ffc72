"""Fold memories into summaries at once."""

from __future__ import annotations

from agents.commands._answer import answers, ask_about, asked_about
from agents.minds import Minds
from mud.commands._command import Context, Outcome, command
from mud.world.events import Request
from mud.world.narration import phrase

FOLDED = phrase("minds.compact.folded", "first", "last", "method", "chars", "text")
NOTHING = phrase("minds.compact.nothing", "why")


@command("@compact-memories", "[name]", aliases=("@compact",), category="memory", keeps="skip")
def compact_memories(ctx: Context, name: str) -> Outcome:
    """Fold everything older than the newest memories into the summary now, without waiting until it is due.

    Nothing is lost by it: the archive keeps every word. Without a name it is your own memory; the owner may name
    anybody.

    Example: @compact-memories
    """
    return ask_about(ctx, name, "compact")


@answers("compact")
async def compact(minds: Minds, request: Request) -> Outcome:
    """Fold, and tell what came of it."""
    agent = asked_about(minds, request)
    commit = await minds.fold(agent, "manual")
    if commit is None:
        return Outcome(minds.say(NOTHING, why=agent.compactor.notice))
    told = commit.told
    shown = minds.say(
        FOLDED, first=commit.first, last=commit.last, method=told.method, chars=len(told.text), text=told.text
    )
    return Outcome(shown)
