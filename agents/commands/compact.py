"""`@compact-memories`: fold memories into summaries now."""

from __future__ import annotations

from agents.commands._answer import answers, ask_about, asked_about
from agents.compaction.folds import Commit
from agents.population.population import Population
from mud.commands import Context, Outcome, command
from mud.world.events import Request
from mud.world.narration import phrase

FOLDED_ONE = phrase("minds.compact.folded_one", "last", "method", "chars", "text")
FOLDED = phrase("minds.compact.folded", "first", "last", "method", "chars", "text")
WORTH = phrase("minds.compact.worth", "share", "saved")
PAID = phrase("minds.compact.paid", "share", "saved", "rounds", "spent")
PROMPT = phrase("minds.compact.prompt")
PROMPTS = phrase("minds.compact.prompts", "n")
KEPT = phrase("minds.compact.kept", "kept")
NOTHING = phrase("minds.compact.nothing", "why")


@command("@compact-memories", "[name]", aliases=("@compact",), category="memory", keeps="skip")
def compact_memories(ctx: Context, name: str) -> Outcome:
    """Fold everything older than the newest memories into the summary now, without waiting until it is due.

    A little joins the recent summary, or waits until there is more. Nothing is lost by it: the archive keeps every
    word. Without a name it is your own memory; the owner may name anybody.

    Example: @compact-memories
    """
    return ask_about(ctx, name, "compact")


@answers("compact")
async def compact(minds: Population, request: Request) -> Outcome:
    agent = asked_about(minds, request)
    commit = await minds.fold(agent, "manual")
    if commit is None:
        return Outcome(minds.say(NOTHING, why=agent.compactor.notice))
    return Outcome(_told(minds, commit))


def _told(minds: Population, commit: Commit) -> str:
    told, say = commit.newest, minds.say
    about = {"last": commit.last, "method": told.method, "chars": len(told.text), "text": told.text}
    parts = [say(FOLDED, first=commit.first, **about) if commit.last > commit.first else say(FOLDED_ONE, **about)]
    share = f"{1 - sum(len(summary.text) for summary in commit.made) / commit.chars:.0%}" if commit.chars else "0%"
    rounds = commit.break_even
    if rounds:
        many = say(PROMPT) if rounds == 1 else say(PROMPTS, n=rounds)
        parts.append(say(PAID, share=share, saved=f"{commit.saved:,}", rounds=many, spent=f"{commit.spent:,}"))
    elif commit.saved > 0:
        parts.append(say(WORTH, share=share, saved=f"{commit.saved:,}"))
    if told.retention is not None:
        parts.append(say(KEPT, kept=f"{told.retention:.0%}"))
    return "\n".join(parts)
