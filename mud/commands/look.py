"""Looking around, and examining things."""

from __future__ import annotations

import re

from mud.commands._command import Context, Outcome, command
from mud.commands._find import here_or_refuse, refuse_name
from mud.commands._view import describe_location
from mud.world.events import Event
from mud.world.matching import match, plain
from mud.world.narration import called, listed, phrase
from mud.world.sentences import sentences
from mud.world.things import Kind, Thing

PLAIN = phrase("commands.examine.plain", "name")
EXAMINED = phrase("commands.examine.examined", "name", "description")
ASLEEP = phrase("commands.examine.asleep", "name")
CARRIES = phrase("commands.examine.carries", "name", "items")
SEEN = phrase("commands.examine.seen", "actor", "name")
_SHORTEST_DETAIL = 3
"""Characters that a word needs to be searched in the description of a location."""


@command("look", "[name]", aliases=("l",), category="query", for_models=True)
def look(ctx: Context, name: str) -> Outcome:
    """See where you are: what it looks like, what lies there, who is there, and the exits.

    With a name it is the same as examine.

    Example: look
    """
    here = here_or_refuse(ctx)
    if name:
        return _examined(ctx, name[3:].strip() if name.casefold().startswith("at ") else name)
    return Outcome(describe_location(ctx.world, ctx.say, here, ctx.actor.id), kind="result")


@command("examine", "<name>", aliases=("ex", "x"), category="query", for_models=True)
def examine(ctx: Context, name: str) -> Outcome:
    """Look closely at a thing or a person that is here, at what you carry, at yourself (me) or at the place (here).

    An id, such as #1101, means what it is the id of, here and wherever a name is typed.

    Example: examine me
    Example: x here
    """
    return _examined(ctx, name)


def _examined(ctx: Context, name: str) -> Outcome:
    here = here_or_refuse(ctx)
    target = _target(ctx, here, name)
    if target is None:
        return Outcome(_detail(here, name), kind="result")
    if target.id == here.id:
        return Outcome(describe_location(ctx.world, ctx.say, here, ctx.actor.id), kind="result")
    text = _described(ctx, target)
    seen = ctx.say(SEEN, actor=ctx.actor.name, name=called(target))
    others_see = Event("action", ctx.actor.id, here.id, seen, thing=target.name)
    return Outcome(text, kind="result", events=(others_see,) if target.id != ctx.actor.id else ())


def _target(ctx: Context, here: Thing, name: str) -> Thing | None:
    """Return the thing that is meant; None when only the location's description mentions it."""
    word = name.casefold()
    if word in ("me", "self", "myself"):
        return ctx.actor
    if word in ("here", "around"):
        return here
    reach = [*ctx.world.contents(here.id), *ctx.world.contents(ctx.actor.id)]
    found = match(name, reach)
    if len(found) == 1:
        return found[0]
    if not found:
        if match(name, [here]):
            return here
        if _detail(here, name):
            return None
    raise refuse_name(ctx, name, found)


def _detail(here: Thing, name: str) -> str:
    """Return the sentences of a location's description that mention a name."""
    wanted = plain(name)
    if len(wanted) < _SHORTEST_DETAIL:
        return ""
    word = re.compile(rf"\b{re.escape(wanted)}", re.I)
    return " ".join(sentence for sentence in sentences(here.description) if word.search(sentence))


def _described(ctx: Context, target: Thing) -> str:
    if target.description:
        lines = [ctx.say(EXAMINED, name=target.name, description=target.description)]
    else:
        lines = [ctx.say(PLAIN, name=target.name)]
    if target.id in ctx.world.asleep:
        lines.append(ctx.say(ASLEEP, name=target.name))
    if target.kind is Kind.CHARACTER and (carried := ctx.world.items(target.id)):
        lines.append(ctx.say(CARRIES, name=target.name, items=listed([called(item) for item in carried])))
    return "\n".join(lines)
