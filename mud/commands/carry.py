"""Taking, putting and dropping things, and the inventory."""

from __future__ import annotations

from collections.abc import Sequence

from mud.commands import use
from mud.commands._command import Context, Outcome, command
from mud.commands._here import here_or_refuse, pick, refuse_name, shown_item
from mud.commands._things import held, moved, split_relation
from mud.errors import Refusal
from mud.world.events import Event
from mud.world.matching import match
from mud.world.narration import Phrase, called, listed, phrase
from mud.world.reactions import Action
from mud.world.sight import is_closed, reach, shows_content
from mud.world.things import Kind, Thing

TAKEN = phrase("commands.take.taken", "name")
TAKEN_SEEN = phrase("commands.take.seen", "actor", "name")
TAKEN_FROM = phrase("commands.take.taken_from", "name", "holder")
TAKEN_FROM_SEEN = phrase("commands.take.seen_from", "actor", "name", "holder")
FIXED = phrase("commands.take.fixed", "name")
NOT_A_THING = phrase("commands.take.not_a_thing", "name")
HAVE = phrase("commands.take.have", "name")
SHUT = phrase("commands.take.shut", "name")
DROPPED = phrase("commands.drop.dropped", "name")
DROPPED_SEEN = phrase("commands.drop.seen", "actor", "name")
PUT = phrase("commands.put.put", "name", "relation", "holder")
PUT_SEEN = phrase("commands.put.seen", "actor", "name", "relation", "holder")
NO_HOLDER = phrase("commands.put.no_holder", "name", "relation")
NO_HOLDER_HINT = phrase("commands.put.no_holder_hint", "relation", "name")
FULL = phrase("commands.put.full", "name")
ITSELF = phrase("commands.put.itself", "name")
EMPTY_HANDED = phrase("commands.inventory.empty")
NOTHING_THERE = phrase("commands.take.nothing_there")
CARRIED = phrase("commands.inventory.carried", "items")


ALL = ("all", "everything")


@command("take", "<thing>", aliases=("get", "pick"), category="things", for_models=True)
def take(ctx: Context, thing: str) -> Outcome:
    """Pick up a thing, or take it from another; take all picks up whatever lies here.

    Example: take wax tablet
    Example: take straw hat from tool chest
    """
    here, world = here_or_refuse(ctx), ctx.world
    wanted = thing[3:].strip() if thing.casefold().startswith("up ") else thing
    within = reach(world, ctx.actor.id)
    name, relation, from_what = split_relation(wanted, ("from",), within)
    if relation and name:
        source = pick(ctx, from_what, within)
        if is_closed(world, source):
            raise Refusal(ctx.say(SHUT, name=called(source)))
        within = world.items(source.id) if source.kind is Kind.ITEM else []
    if name.casefold() in ALL and not match(name, within):
        lying = within if relation else [one for one in within if world.holder(one.id) == here.id]
        loose = [one for one in lying if one.kind is Kind.ITEM and not one.fixed]
        taking = [_taking(one, world.things[world.holder(one.id)], here) for one in loose]
        return _with_each(ctx, taking, ctx.actor.id, (TAKEN, TAKEN_SEEN, NOTHING_THERE))
    found = _takeable(ctx, name or wanted, within)
    holder = world.get(world.where.get(found.id, ""))
    if found.kind is not Kind.ITEM:
        raise Refusal(ctx.say(NOT_A_THING, name=called(found)))
    if holder is not None and holder.id == ctx.actor.id:
        raise Refusal(ctx.say(HAVE, name=called(found)))
    if found.fixed or holder is None:
        raise Refusal(ctx.say(FIXED, name=called(found)))
    if holder.kind is Kind.ITEM:
        words = {"name": called(found), "holder": called(holder)}
        reply, text = ctx.say(TAKEN_FROM, **words), ctx.say(TAKEN_FROM_SEEN, actor=ctx.actor.name, **words)
    else:
        reply = ctx.say(TAKEN, name=called(found))
        text = ctx.say(TAKEN_SEEN, actor=ctx.actor.name, name=called(found))
    seen = Event("action", ctx.actor.id, here.id, text, thing=found.name)
    action = _taking(found, holder, here)
    return Outcome(reply, changes=moved(ctx, found, ctx.actor.id), events=(seen,), actions=(action,))


def _taking(thing: Thing, holder: Thing, here: Thing) -> Action:
    return Action("take", here.id, thing.id, "from" if holder.kind is Kind.ITEM else "", holder.id)


def _with_each(ctx: Context, actions: Sequence[Action], into: str, told: tuple[Phrase, Phrase, Phrase]) -> Outcome:
    """Return what comes of taking or dropping several things in one go.

    Args:
        into: id of what then holds them.
        told: what the actor is told, what others see, and why not when there is nothing; then Refusal is raised.
    """
    if not actions:
        raise Refusal(ctx.say(told[2]))
    things = [ctx.world.things[one.thing] for one in actions]
    names = listed([called(one) for one in things])
    seen = ctx.say(told[1], actor=ctx.actor.name, name=names)
    thing = things[0].name if len(things) == 1 else None
    return Outcome(
        ctx.say(told[0], name=names),
        changes=tuple(change for one in things for change in moved(ctx, one, into)),
        events=(Event("action", ctx.actor.id, actions[0].place, seen, thing=thing),),
        actions=tuple(actions),
    )


def _takeable(ctx: Context, name: str, within: list[Thing]) -> Thing:
    """Return what a name means: what one carries oneself only when nothing else is called so."""
    own = ctx.world.inside(ctx.actor.id)
    found = (match(name, [one for one in within if one.id not in own]) if own else []) or match(name, within)
    if len(found) != 1:
        raise refuse_name(ctx, name, found)
    return found[0]


@command("drop", "<thing>", category="things", for_models=True)
def drop(ctx: Context, thing: str) -> Outcome:
    """Put down a thing you carry, or with all everything.

    Example: drop lamp glass
    """
    here = here_or_refuse(ctx)
    wanted = thing[5:].strip() if thing.casefold().startswith("down ") else thing
    if wanted.casefold() in ALL and not match(wanted, own := ctx.world.items(ctx.actor.id)):
        dropping = [Action("drop", here.id, one.id) for one in own]
        return _with_each(ctx, dropping, here.id, (DROPPED, DROPPED_SEEN, EMPTY_HANDED))
    found = held(ctx, wanted)
    text = ctx.say(DROPPED_SEEN, actor=ctx.actor.name, name=called(found))
    seen = Event("action", ctx.actor.id, here.id, text, thing=found.name)
    reply, action = ctx.say(DROPPED, name=called(found)), Action("drop", here.id, found.id)
    return Outcome(reply, changes=moved(ctx, found, here.id), events=(seen,), actions=(action,))


@command("put", "<thing>", aliases=("place",), category="things", for_models=True)
def put(ctx: Context, thing: str) -> Outcome:
    """Put a thing you carry in, on or at another.

    Example: put straw hat in tool chest
    Example: put lamp glass on row of lamps
    Example: put reading chair at long table
    """
    here, world = here_or_refuse(ctx), ctx.world
    name, relation, onto = split_relation(thing, ("in", "on", "at"), world.items(ctx.actor.id))
    if not relation or not name:
        return use.wear.run(ctx, onto) if relation == "on" else drop.run(ctx, thing)
    found, holder = held(ctx, name), pick(ctx, onto, reach(world, ctx.actor.id))
    if found.id == holder.id or found.id in world.within(holder.id):
        raise Refusal(ctx.say(ITSELF, name=called(found)))
    beside = relation == "at" and holder.kind is Kind.ITEM
    if not beside:
        _room_or_refuse(ctx, relation, holder)
    words = {"name": called(found), "relation": relation, "holder": called(holder)}
    seen = Event("action", ctx.actor.id, here.id, ctx.say(PUT_SEEN, actor=ctx.actor.name, **words), thing=found.name)
    changes = moved(ctx, found, here.id if beside else holder.id)
    action = Action("put", here.id, found.id, relation, holder.id)
    return Outcome(ctx.say(PUT, **words), changes=changes, events=(seen,), actions=(action,))


def _room_or_refuse(ctx: Context, relation: str, holder: Thing) -> None:
    """Raise Refusal when nothing more can be put in or on a thing."""
    world = ctx.world
    if holder.traits.holds != relation:
        hint = ctx.say(NO_HOLDER_HINT, relation=holder.traits.holds, name=called(holder)) if holder.traits.holds else ""
        raise Refusal(ctx.say(NO_HOLDER, name=called(holder), relation=relation), hint)
    if not shows_content(world, holder):
        raise Refusal(ctx.say(SHUT, name=called(holder)))
    if 0 < holder.traits.capacity <= len(world.items(holder.id)):
        raise Refusal(ctx.say(FULL, name=called(holder)))


@command("inventory", aliases=("inv", "i"), category="things", keeps="skip")
def inventory(ctx: Context) -> Outcome:
    """See what you carry.

    Example: inventory
    """
    items = ctx.world.items(ctx.actor.id)
    if not items:
        return Outcome(ctx.say(EMPTY_HANDED))
    return Outcome(ctx.say(CARRIED, items=listed([f"the {shown_item(ctx.world, ctx.say, item)}" for item in items])))
