"""Requests of commands, their answers, and what several answers share: whom they are about, short texts, counts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from agents.agent import Agent
from agents.population.population import Population
from mud.commands import LONGEST_SHOWN, Context, Outcome, Say
from mud.errors import Refusal
from mud.registry import suggest
from mud.world.events import Request
from mud.world.narration import listed, phrase
from mud.world.roles import Role

OTHERS_MIND = phrase("minds.refusals.others_mind")
NO_MIND = phrase("minds.refusals.no_mind", "name")
MINDLESS = phrase("minds.refusals.mindless", "name")
NEAR = phrase("minds.refusals.near", "name")
THERE = phrase("minds.refusals.there", "there")
PERSON = phrase("minds.edit.person", "name")
MEMORY = phrase("minds.count.memory")
MEMORIES = phrase("minds.count.memories", "n")

Answer = Callable[[Population, Request], Awaitable[Outcome]]


class Answerer(NamedTuple):
    """Answers the requests of one name; `run` raises Refusal when it cannot be done."""

    name: str
    run: Answer


def answers(name: str) -> Callable[[Answer], Answerer]:
    """Make a coroutine the answer to requests of this name."""
    return lambda run: Answerer(name, run)


def ask(ctx: Context, request: str, keep: str | None = None, **args: str) -> Outcome:
    return Outcome("", requests=(Request(request, ctx.actor.id, ctx.step, args, keep),))


def ask_about(ctx: Context, name: str, request: str, **args: str) -> Outcome:
    """Return a request about one's own mind or, for the owner, the named one; refuses other players."""
    if name and ctx.role < Role.OWNER:
        raise Refusal(ctx.say(OTHERS_MIND))
    return ask(ctx, request, name=name, **args)


def whose(ctx: Context) -> str:
    """Return whose minds a player may look into: `all` for the owner, else their `own`."""
    return "all" if ctx.role >= Role.OWNER else "own"


def asked_about(minds: Population, request: Request) -> Agent:
    """Return the agent that a request of `ask_about` means; refuses unknown names."""
    return mind_of(minds, request, request.args.get("name", ""))


def asked_about_agent(minds: Population, request: Request) -> Agent:
    """Return the same; refuses a person too, because people think for themselves."""
    agent = asked_about(minds, request)
    if agent.definition.person:
        raise Refusal(minds.say(PERSON, name=agent.name))
    return agent


def mind_of(minds: Population, request: Request, name: str) -> Agent:
    """Return the named agent, or one's own without a name; refuses others' minds when the request may not see `all`."""
    agent = minds.find(name) if name else minds.by_id(request.who)
    if request.args.get("may", "all") != "all" and (agent is None or agent.id != request.who):
        raise Refusal(minds.say(OTHERS_MIND))
    if agent is None:
        raise no_mind(minds, name)
    return agent


def no_mind(minds: Population, name: str) -> Refusal:
    found = minds.world.called(name) if minds.world is not None else None
    if found is not None:
        return Refusal(minds.say(MINDLESS, name=found.name))
    near = suggest(name, [one.name for one in minds.definitions.values()])
    agents = agents_listed(minds)
    hint = minds.say(NEAR, name=near) if near else minds.say(THERE, there=agents) if agents else ""
    return Refusal(minds.say(NO_MIND, name=excerpt(name, LONGEST_SHOWN)), hint)


def agents_listed(minds: Population) -> str:
    return listed(sorted(one.name for one in minds.definitions.values() if not one.person))


def memories(say: Say, count: int) -> str:
    return say(MEMORY) if count == 1 else say(MEMORIES, n=f"{count:,}")


def excerpt(text: str, most: int) -> str:
    """Return a text on one line of at most `most` characters, cut between words where possible and marked with dots."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    space = line.rfind(" ", most // 2, most + 1)
    return f"{line[: space if space > 0 else most].rstrip(' ,;:-')}..."
