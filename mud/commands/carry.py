"""Taking and dropping things, and the inventory."""

from __future__ import annotations

from mud.commands._command import Context, Outcome, command
from mud.commands._here import here_or_refuse, pick
from mud.errors import Refusal
from mud.world.changes import Put
from mud.world.events import Event
from mud.world.narration import called, listed, phrase
from mud.world.things import Kind

TAKEN = phrase("commands.take.taken", "name")
TAKEN_SEEN = phrase("commands.take.seen", "actor", "name")
FIXED = phrase("commands.take.fixed", "name")
NOT_A_THING = phrase("commands.take.not_a_thing", "name")
DROPPED = phrase("commands.drop.dropped", "name")
DROPPED_SEEN = phrase("commands.drop.seen", "actor", "name")
EMPTY_HANDED = phrase("commands.inventory.empty")
CARRIED = phrase("commands.inventory.carried", "items")


@command("take", "<thing>", aliases=("get", "pick"), category="things", for_models=True)
def take(ctx: Context, thing: str) -> Outcome:
    """Pick up a thing that lies here.

    Example: take wax tablet
    """
    here = here_or_refuse(ctx)
    wanted = thing[3:].strip() if thing.casefold().startswith("up ") else thing
    found = pick(ctx, wanted, [one for one in ctx.world.contents(here.id) if one.id != ctx.actor.id])
    if found.kind is not Kind.ITEM:
        raise Refusal(ctx.say(NOT_A_THING, name=called(found)))
    if found.fixed:
        raise Refusal(ctx.say(FIXED, name=called(found)))
    text = ctx.say(TAKEN_SEEN, actor=ctx.actor.name, name=called(found))
    seen = Event("action", ctx.actor.id, here.id, text, thing=found.name)
    return Outcome(ctx.say(TAKEN, name=called(found)), changes=(Put(found.id, ctx.actor.id),), events=(seen,))


@command("drop", "<thing>", aliases=("put",), category="things", for_models=True)
def drop(ctx: Context, thing: str) -> Outcome:
    """Put down a thing you carry.

    Example: drop lamp glass
    """
    here = here_or_refuse(ctx)
    wanted = thing[5:].strip() if thing.casefold().startswith("down ") else thing
    found = pick(ctx, wanted, ctx.world.items(ctx.actor.id))
    text = ctx.say(DROPPED_SEEN, actor=ctx.actor.name, name=called(found))
    seen = Event("action", ctx.actor.id, here.id, text, thing=found.name)
    return Outcome(ctx.say(DROPPED, name=called(found)), changes=(Put(found.id, here.id),), events=(seen,))


@command("inventory", aliases=("inv", "i"), category="things", keeps="skip")
def inventory(ctx: Context) -> Outcome:
    """See what you carry.

    Example: inventory
    """
    items = ctx.world.items(ctx.actor.id)
    if not items:
        return Outcome(ctx.say(EMPTY_HANDED))
    return Outcome(ctx.say(CARRIED, items=listed([called(item) for item in items])))
