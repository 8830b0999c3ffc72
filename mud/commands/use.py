"""Doing something with things: using, opening, locking, lighting, reading, wearing, eating."""

from __future__ import annotations

from mud.commands._command import Context, Outcome, command
from mud.commands._here import here_or_refuse, pick
from mud.commands._things import act, handles, split_relation
from mud.commands.look import examine
from mud.errors import Refusal
from mud.world.changes import Change, Remove, SetState, Vanish
from mud.world.events import Event
from mud.world.exits import find_exits
from mud.world.matching import match
from mud.world.narration import called, phrase, sentence
from mud.world.sight import has_state, is_closed, looks, reach
from mud.world.things import Thing
from mud.world.traits import LIT, LOCKED, ON, OPEN, WORN

WHAT = phrase("commands.use.what", "verb")
CANNOT = phrase("commands.use.cannot", "verb", "name")
ALREADY = phrase("commands.use.already", "name", "state")
NOT_NOW = phrase("commands.use.not_now", "name", "state")
NOT_CARRIED = phrase("commands.use.not_carried", "name")
IS_LOCKED = phrase("commands.use.is_locked", "name")
NO_KEY = phrase("commands.use.no_key", "verb", "name")
WRONG_KEY = phrase("commands.use.wrong_key", "key", "name")
NOT_CLOSED = phrase("commands.use.not_closed", "name")
BEYOND = phrase("commands.use.beyond", "name", "state")
CLOSED = phrase("commands.examine.closed")
WRITTEN = phrase("commands.read.written", "name", "text")
NOTHING_WRITTEN = phrase("commands.read.nothing", "name")


@command(
    "use", "[thing]",
    aliases=("push", "pull", "sit", "pet", "touch", "ring", "knock", "climb", "wind", "shake", "play", "kick"),
    category="things", for_models=True,
)  # fmt: skip
def use(ctx: Context, thing: str) -> Outcome:
    """Use a thing, such as a key on a door; push, pull, pet or ring it, sit on it.

    Example: use brass key on tool chest
    Example: sit on reading chair
    """
    verb, here = ctx.verb.casefold(), here_or_refuse(ctx)
    if not thing:
        if not handles(here, verb):
            raise Refusal(ctx.say(WHAT, verb=verb))
        return act(ctx, verb, None)
    within = reach(ctx.world, ctx.actor.id)
    name, relation, onto = split_relation(thing, known=within)
    if not relation:
        return act(ctx, verb, pick(ctx, name, within))
    first, other = pick(ctx, name, within) if name else None, pick(ctx, onto, within)
    if first is not None and _is_key(ctx, first, other) and not handles(other, verb):
        return (unlock if has_state(ctx.world, other.id, LOCKED) else lock).run(ctx, onto)
    return act(ctx, verb, first, relation, other)


@command("open", "<thing>", category="things", for_models=True)
def open_(ctx: Context, thing: str) -> Outcome:
    """Open a door or a container.

    Example: open tool chest
    """
    found = _meant(ctx, thing)
    if is_closed(ctx.world, found) and has_state(ctx.world, found.id, LOCKED):
        raise Refusal(ctx.say(IS_LOCKED, name=called(found)))
    return _turned(ctx, "open", found, OPEN, on=True, able=found.traits.opens)


@command("close", "<thing>", aliases=("shut",), category="things")
def close(ctx: Context, thing: str) -> Outcome:
    """Close a door or a container.

    Example: close tool chest
    """
    found = _meant(ctx, thing)
    return _turned(ctx, "close", found, OPEN, on=False, able=found.traits.opens)


@command("lock", "<thing>", category="things")
def lock(ctx: Context, thing: str) -> Outcome:
    """Lock what is closed, with its key.

    Example: lock tool chest with brass key
    """
    found = _with_key(ctx, "lock", thing)
    if found.traits.opens and not is_closed(ctx.world, found):
        raise Refusal(ctx.say(NOT_CLOSED, name=called(found)))
    return _turned(ctx, "lock", found, LOCKED, on=True, able=bool(found.traits.key))


@command("unlock", "<thing>", category="things")
def unlock(ctx: Context, thing: str) -> Outcome:
    """Unlock a door or a container, with its key.

    Example: unlock tool chest with brass key
    """
    found = _with_key(ctx, "unlock", thing)
    return _turned(ctx, "unlock", found, LOCKED, on=False, able=bool(found.traits.key))


@command("light", "<thing>", category="things", for_models=True)
def light(ctx: Context, thing: str) -> Outcome:
    """Light a lamp or a fire.

    Example: light brass lamp
    """
    found = _meant(ctx, split_relation(thing, ("with",))[0])
    return _turned(ctx, "light", found, LIT, on=True, able=found.traits.light)


@command("extinguish", "<thing>", aliases=("douse", "snuff"), category="things")
def extinguish(ctx: Context, thing: str) -> Outcome:
    """Put out a lamp or a fire.

    Example: extinguish brass lamp
    """
    found = _meant(ctx, thing)
    return _turned(ctx, "extinguish", found, LIT, on=False, able=found.traits.light)


@command("turn", "<thing>", aliases=("switch",), category="things")
def turn(ctx: Context, thing: str) -> Outcome:
    """Turn a thing on or off, or around.

    Example: turn on brass lamp
    Example: turn brass lamp off
    """
    first, *rest = thing.split()
    *before, last = thing.split()
    for way, name in ((first, rest), (last, before)):
        if way.casefold() in ("on", "off") and name:
            found, on = _meant(ctx, " ".join(name)), way.casefold() == "on"
            if found.traits.light and not found.traits.switch:
                return _turned(ctx, f"turn {way.casefold()}", found, LIT, on=on, able=True)
            return _turned(ctx, f"turn {way.casefold()}", found, ON, on=on, able=found.traits.switch)
    return use.run(ctx._replace(verb="turn"), thing)


@command("read", "<thing>", category="things", for_models=True)
def read(ctx: Context, thing: str) -> Outcome:
    """Read what is written on a thing.

    Example: read wax tablet
    """
    found = _meant(ctx, thing)
    if not found.traits.writing and not handles(found, "read"):
        if looks(ctx.world, found, ctx.actor.id):  # its letters may stand in its description
            return examine.run(ctx, thing)
        raise Refusal(ctx.say(NOTHING_WRITTEN, name=called(found)))
    reply = ctx.say(WRITTEN, name=called(found), text=found.traits.writing) if found.traits.writing else ""
    return act(ctx, "read", found, reply=reply)._replace(kind="result")


@command("wear", "<thing>", aliases=("don",), category="things")
def wear(ctx: Context, thing: str) -> Outcome:
    """Put on a thing that you carry.

    Example: wear straw hat
    """
    found = _meant(ctx, thing)
    if found.traits.wearable and ctx.world.where.get(found.id) != ctx.actor.id:
        raise Refusal(ctx.say(NOT_CARRIED, name=called(found)))
    return _turned(ctx, "wear", found, WORN, on=True, able=found.traits.wearable)


@command("remove", "<thing>", aliases=("doff",), category="things")
def remove(ctx: Context, thing: str) -> Outcome:
    """Take off a thing that you wear.

    Example: remove straw hat
    """
    found = _meant(ctx, thing)
    return _turned(ctx, "remove", found, WORN, on=False, able=found.traits.wearable)


@command("eat", "<thing>", aliases=("drink", "taste"), category="things")
def eat(ctx: Context, thing: str) -> Outcome:
    """Eat or drink a thing.

    Example: eat honey cake
    """
    found, verb = _meant(ctx, thing), ctx.verb.casefold()
    if not found.traits.food:
        return act(ctx, verb, _able(ctx, verb, found, able=False))
    gone: Change = Remove(found.id) if found.id in ctx.world.live.made else Vanish(found.id)
    return act(ctx, verb, found, changes=(gone,))


def _meant(ctx: Context, name: str) -> Thing:
    """Return the thing that a name means within reach, or the door of the exit that it names."""
    within, here = reach(ctx.world, ctx.actor.id), ctx.here
    doors = [way.door for way in find_exits(here, name) if way.door] if here is not None else []
    if len(doors) == 1 and not match(name, within):
        return ctx.world.things[doors[0]]
    return pick(ctx, name, within)


def _able(ctx: Context, verb: str, thing: Thing, *, able: bool) -> Thing:
    """Return the thing; raises Refusal when it neither can be treated so nor says anything about the verb."""
    if not able and not handles(thing, verb):
        raise Refusal(ctx.say(CANNOT, verb=verb, name=called(thing)))
    return thing


def _turned(ctx: Context, verb: str, thing: Thing, state: str, *, on: bool, able: bool) -> Outcome:
    """Return the outcome of bringing about a state, or ending it."""
    _able(ctx, verb, thing, able=able)
    if not able:
        return act(ctx, verb, thing)
    if has_state(ctx.world, thing.id, state) == on:
        word = state if on or state != OPEN else ctx.say(CLOSED)
        raise Refusal(ctx.say(ALREADY if on or state == OPEN else NOT_NOW, name=called(thing), state=word))
    return act(ctx, verb, thing, changes=(SetState(thing.id, state, on),), events=_beyond(ctx, thing, state, on=on))


def _beyond(ctx: Context, door: Thing, state: str, *, on: bool) -> tuple[Event, ...]:
    """Return what is seen of a door from its other side, when it opens or closes."""
    here = ctx.here
    if state != OPEN or here is None:
        return ()
    text = ctx.say(BEYOND, name=called(door), state=OPEN if on else ctx.say(CLOSED))
    sides = [way.to for way in here.exits if way.door == door.id and ctx.world.location(way.to) is not None]
    return tuple(Event("action", ctx.actor.id, side, sentence(text), thing=door.name) for side in sides)


def _is_key(ctx: Context, thing: Thing, lock_of: Thing) -> bool:
    """Return whether a thing, or the original of a copy, locks and unlocks another."""
    key = lock_of.traits.key
    return bool(key) and key in (thing.id, ctx.world.live.made.get(thing.id))


def _with_key(ctx: Context, verb: str, text: str) -> Thing:
    """Return the thing to lock or unlock, whose key the actor carries or has named; raises Refusal without."""
    name, relation, key_name = split_relation(text, ("with",))
    found = _meant(ctx, name)
    if not found.traits.key:
        return _able(ctx, verb, found, able=False)
    own = ctx.world.items(ctx.actor.id)
    fitting = [one for one in own if _is_key(ctx, one, found)]
    if relation:
        key = pick(ctx, key_name, own)
        if key not in fitting:
            raise Refusal(sentence(ctx.say(WRONG_KEY, key=called(key), name=called(found))))
    elif not fitting:
        raise Refusal(ctx.say(NO_KEY, verb=verb, name=called(found)))
    return found
