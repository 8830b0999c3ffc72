"""`@brain`: choose an agent's brain."""

from __future__ import annotations

from agents.commands._answer import answers, asked_about
from agents.commands._edit import mind_only, set_key
from agents.population.population import Population
from mud.commands import Context, Outcome, command
from mud.errors import Refusal, UnknownName
from mud.registry import hint, plug_in_names, suggest
from mud.world.events import Request
from mud.world.narration import phrase
from mud.world.roles import Role

SET = phrase("minds.brain.set", "name", "kind", "file")
NO_SUCH = phrase("minds.brain.no_such", "kind", "there")
HINT = phrase("minds.brain.hint", "kind")
WHICH = phrase("minds.brain.which", "there")

KEY = "brain"
AUTO = "auto"


def kinds() -> list[str]:
    return [AUTO, *plug_in_names("agents.brains")]


def checked_kind(name: str) -> str:
    """Return a brain's name in lower case; raises UnknownName when there is none."""
    if (kind := name.casefold()) in kinds():
        return kind
    raise UnknownName(f"there is no brain {name!r}; there is: {', '.join(kinds())}{hint(name, kinds())}")


@command("@brain", "<name> <kind>", role=Role.OWNER, category="admin", keeps="skip")
def brain(ctx: Context, name: str) -> Outcome:
    """Choose what somebody thinks with; auto is a language model while one answers, else the instinct.

    It is written into their agent.md and counts from their next thought on.

    Example: @brain Eliza auto
    Example: @brain Eliza instinct
    """
    who, _, kind = name.rpartition(" ")
    if not who:
        raise Refusal(ctx.say(WHICH, there=", ".join(kinds())))
    args = {"name": who.strip(), "kind": kind.casefold()}
    return Outcome("", requests=(Request("brain", ctx.actor.id, ctx.step, args),))


@answers("brain")
async def choose(minds: Population, request: Request) -> Outcome:
    agent, kind = mind_only(minds, asked_about(minds, request)), request.args["kind"]
    if kind not in kinds():
        near = suggest(kind, kinds())
        told = minds.say(NO_SUCH, kind=kind, there=", ".join(kinds()))
        raise Refusal(told, minds.say(HINT, kind=near) if near else "")
    set_key(minds, agent, KEY, kind)
    return Outcome(minds.say(SET, name=agent.name, kind=kind, file=agent.definition.file))
