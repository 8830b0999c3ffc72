"""`@rebuild-summaries`: make the summaries anew from the archive, in parts."""

from __future__ import annotations

from agents.agent import Agent
from agents.commands._answer import answers, ask_about, asked_about
from agents.commands._count import memories
from agents.compaction.rebuild import BUSY, FITS, NO_SUMMARIES, NOTHING, REBUILD, RUNNING, THERE, Declined, Rebuilt
from agents.population.population import Population
from mud.commands import Context, Outcome, command
from mud.errors import LociError, Refusal
from mud.world.events import Request
from mud.world.narration import phrase
from mud.world.roles import Role

DONE = phrase("minds.rebuild.done", "name", "last", "parts", "method", "n")
RESUMED = phrase("minds.rebuild.resumed", "n")
TIER = phrase("minds.rebuild.tier", "first", "last", "text")
KEPT = phrase("minds.rebuild.kept", "kept")
BY_RULES = phrase("minds.rebuild.by_rules", "why")
FAILED = phrase("minds.rebuild.failed", "name", "why")
IS_RUNNING = phrase("minds.rebuild.running", "name", "done", "of")
IS_BUSY = phrase("minds.rebuild.busy", "name")
MAKES_NONE = phrase("minds.rebuild.no_summaries", "strategy")
NO_SUCH = phrase("minds.rebuild.nothing", "name")
ARE_THERE = phrase("minds.rebuild.there", "name", "last")
ALL_FITS = phrase("minds.rebuild.fits", "name", "memories")
DECLINED = {
    RUNNING: IS_RUNNING,
    BUSY: IS_BUSY,
    NO_SUMMARIES: MAKES_NONE,
    NOTHING: NO_SUCH,
    THERE: ARE_THERE,
    FITS: ALL_FITS,
}


@command("@rebuild-summaries", "[name]", role=Role.GUEST, category="memory", keeps="skip")
def rebuild_summaries(ctx: Context, name: str) -> Outcome:
    """Make your summaries anew from everything you ever lived through, as if they had never been summed up before.

    It takes its time and stops nobody meanwhile; should it be cut short, asking again goes on where it was. Earlier
    summaries are kept. The owner may name anybody.

    Example: @rebuild-summaries
    """
    return ask_about(ctx, name, REBUILD)


@answers(REBUILD)
async def rebuild(minds: Population, request: Request) -> Outcome:
    return await made(minds, asked_about(minds, request), REBUILD)


async def made(minds: Population, agent: Agent, reason: str) -> Outcome:
    """Rebuild an agent's summaries and report the result; refuses when nothing was made."""
    try:
        rebuilt = await minds.tracked(agent, agent.rebuild.run(reason))
    except Declined as declined:
        named = DECLINED[declined.why]
        known = {"name": agent.name, "memories": memories(minds.say, agent.memory.total), **declined.places}
        raise Refusal(minds.say(named, **{place: known[place] for place in named.places})) from None
    except LociError as error:
        raise Refusal(minds.say(FAILED, name=agent.name, why=error)) from None
    minds.index_documents(agent)
    return Outcome(_told(minds, agent, rebuilt))


def _told(minds: Population, agent: Agent, rebuilt: Rebuilt) -> str:
    say, last = minds.say, rebuilt.made[-1]
    about = {"last": last.covers[1], "parts": rebuilt.parts, "method": last.method, "n": rebuilt.kept_word_for_word}
    lines = [say(DONE, name=agent.name, **about)]
    if rebuilt.kept:
        lines.append(say(RESUMED, n=rebuilt.kept))
    lines += [say(TIER, first=one.covers[0], last=one.covers[1], text=one.text) for one in rebuilt.made]
    shares = [one.retention for one in rebuilt.made if one.retention is not None]
    if shares:
        lines.append(say(KEPT, kept=f"{min(shares):.0%}"))
    if rebuilt.rejected:
        lines.append(say(BY_RULES, why="; ".join(rebuilt.rejected[:3])))
    return "\n".join(lines)
