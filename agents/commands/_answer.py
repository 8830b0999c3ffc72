"""How a request of a command is answered: a coroutine made a plug-in value."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from agents.agent import Agent
from agents.minds import Minds
from mud.commands._command import Context, Outcome
from mud.errors import Refusal
from mud.world.events import Request
from mud.world.narration import phrase
from mud.world.roles import Role

OTHERS_MIND = phrase("minds.refusals.others_mind")
NO_MIND = phrase("minds.refusals.no_mind", "name")

Answer = Callable[[Minds, Request], Awaitable[Outcome]]


class Answerer(NamedTuple):
    """Answers the requests of one name.

    Args:
        name: the request's name.
        run: does what was asked; raises Refusal when it cannot be done.
    """

    name: str
    run: Answer


def answers(name: str) -> Callable[[Answer], Answerer]:
    """Make a coroutine the answer to requests of this name."""
    return lambda run: Answerer(name, run)


def ask_about(ctx: Context, name: str, request: str, keep: str | None = None) -> Outcome:
    """Return an outcome that asks about a mind: one's own, or, for the owner, that of whoever is named.

    Raises:
        Refusal: when somebody else asks about another's mind.
    """
    if name and ctx.role < Role.OWNER:
        raise Refusal(ctx.say(OTHERS_MIND))
    return Outcome("", requests=(Request(request, ctx.actor.id, ctx.step, {"name": name}, keep),))


def asked_about(minds: Minds, request: Request) -> Agent:
    """Return the agent that a request of `ask_about` means.

    Raises:
        Refusal: when nobody of that name has a mind.
    """
    name = request.args.get("name", "")
    agent = minds.find(name) if name else minds.by_id(request.who)
    if agent is None:
        raise Refusal(minds.say(NO_MIND, name=name))
    return agent
