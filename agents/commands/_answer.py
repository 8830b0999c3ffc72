"""Answers to the requests of commands, and helpers that find the agent a request is about."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from agents.agent import Agent
from agents.commands._excerpt import excerpt
from agents.population.population import Population
from mud.commands import LONGEST_SHOWN, Context, Outcome
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

Answer = Callable[[Population, Request], Awaitable[Outcome]]


class Answerer(NamedTuple):
    """Answers the requests of one name; `run` raises Refusal when it cannot be done."""

    name: str
    run: Answer


def answers(name: str) -> Callable[[Answer], Answerer]:
    """Make a coroutine the answer to requests of this name."""
    return lambda run: Answerer(name, run)


def ask_about(ctx: Context, name: str, request: str, keep: str | None = None) -> Outcome:
    """Return a request about one's own mind or, for the owner, the named one; refuses other players."""
    if name and ctx.role < Role.OWNER:
        raise Refusal(ctx.say(OTHERS_MIND))
    return Outcome("", requests=(Request(request, ctx.actor.id, ctx.step, {"name": name}, keep),))


def asked_about(minds: Population, request: Request) -> Agent:
    """Return the agent that a request of `ask_about` means; refuses unknown names."""
    name = request.args.get("name", "")
    agent = minds.find(name) if name else minds.by_id(request.who)
    if agent is None:
        raise no_mind(minds, name)
    return agent


def no_mind(minds: Population, name: str) -> Refusal:
    found = minds.world.called(name) if minds.world is not None else None
    if found is not None:
        return Refusal(minds.say(MINDLESS, name=found.name))
    near = suggest(name, [one.name for one in minds.definitions.values()])
    agents = sorted(one.name for one in minds.definitions.values() if not one.person)
    hint = minds.say(NEAR, name=near) if near else minds.say(THERE, there=listed(agents)) if agents else ""
    return Refusal(minds.say(NO_MIND, name=excerpt(name, LONGEST_SHOWN)), hint)
