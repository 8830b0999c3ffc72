"""`@memory-status`: the state of a memory, in five lines or in full."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from agents.commands._answer import answers, ask_about, asked_about, memories
from agents.commands.control import pause_of
from agents.compaction.status import ago, next_fold, warnings_of
from agents.population.population import Population
from agents.text.daytime import UNDATED
from mud.commands import Context, Outcome, Say, command
from mud.world.events import Request
from mud.world.narration import phrase

MEMORY = phrase("minds.status.memory", "name", "memories", "n")
VERBATIM = phrase("minds.status.verbatim", "covers", "memories")
VERBATIM_HIDDEN = phrase("minds.status.verbatim_hidden", "covers", "memories")
NO_VERBATIM = phrase("minds.status.no_verbatim")
SUMMARIES = phrase("minds.status.summaries", "what")
SUMMARY = phrase("minds.status.summary", "covers", "tier", "method", "when")
NO_SUMMARIES = phrase("minds.status.no_summaries")
LONGTERM = phrase("minds.status.longterm")
RECENT = phrase("minds.status.recent")
NEXT = phrase("minds.status.next", "what")
WARNINGS = phrase("minds.status.warnings", "what")
FINE = phrase("minds.status.fine")

FULL = "full"


@command("@memory-status", "[name] [full]", category="memory", keeps="skip")
def memory_status(ctx: Context, name: str) -> Outcome:
    """See what is remembered word for word, what in summaries, what is due next, and what is wrong, if anything.

    With full behind it come settings, sizes, costs and the summaries' own words. Without a name it is your own memory;
    the owner may name anybody.

    Example: @memory-status
    Example: @memory-status full
    """
    who, _, last = name.rpartition(" ")
    if last.casefold() == FULL:
        return ask_about(ctx, who.strip(), "memory_status_full")
    return ask_about(ctx, name, "memory_status")


@answers("memory_status")
async def report_briefly(minds: Population, request: Request) -> Outcome:
    agent = asked_about(minds, request)
    await agent.measure()
    with suppress(OSError):  # reported as a problem of the archive
        await minds.look_through(agent)
    return Outcome("\n".join(filter(None, [pause_of(minds, agent), *_lines(minds.say, minds.status(agent))])))


@answers("memory_status_full")
async def report_fully(minds: Population, request: Request) -> Outcome:
    agent = asked_about(minds, request)
    await agent.measure()
    with suppress(OSError):  # left out of the report then
        await minds.look_through(agent)
        await minds.inner.look(agent)
    return Outcome("\n".join(filter(None, [pause_of(minds, agent), minds.report(agent)])))


def _lines(say: Say, status: Mapping[str, Any]) -> Iterator[str]:
    tiers = {tier["tier"]: tier for tier in status["tiers"]}
    yield say(MEMORY, name=status["agent"], memories=memories(say, status["total"]), n=f"{status['covered_through']:,}")
    verbatim = tiers.pop("immediate", None)
    if verbatim is None:
        yield say(NO_VERBATIM)
    else:
        known = VERBATIM_HIDDEN if status["hidden"] else VERBATIM
        yield say(known, covers=_span(verbatim), memories=memories(say, verbatim["memories"]))
    told = [_summary(say, tier) for tier in tiers.values()]
    yield say(SUMMARIES, what="; ".join(told)) if told else say(NO_SUMMARIES)
    yield say(NEXT, what=next_fold(status))
    wrong = [" ".join(one.split()) for one in warnings_of(status)]
    yield say(WARNINGS, what=" ".join(one if one.endswith(".") else f"{one}." for one in wrong)) if wrong else say(FINE)


def _summary(say: Say, tier: Mapping[str, Any]) -> str:
    method = f"{tier['method']} ({tier['model']})" if tier["model"] else tier["method"]
    when = ago(tier["age_seconds"]) or say(UNDATED)
    return say(
        SUMMARY,
        covers=_span(tier),
        tier=say(LONGTERM if tier["tier"] == "longterm" else RECENT),
        method=method,
        when=when,
    )


def _span(tier: Mapping[str, Any]) -> str:
    return f"{tier['first']}-{tier['last']}" if tier["first"] != tier["last"] else str(tier["first"])
