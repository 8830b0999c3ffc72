"""Building the world from inside it: what changes files is a request, which `mud.server.building` carries out."""

from __future__ import annotations

from collections.abc import Sequence

from mud.commands._command import LONGEST_SHOWN, Context, Outcome, command
from mud.commands._here import here_or_refuse, refuse_name
from mud.errors import Refusal
from mud.world.changes import Put
from mud.world.events import Event, Request
from mud.world.exits import find_exits
from mud.world.matching import match, plain
from mud.world.narration import listed, phrase, shortened
from mud.world.roles import Role
from mud.world.things import Exit, Kind, Thing

NO_SUCH = phrase("building.find.no_such", "name")
NO_SUCH_HINT = phrase("building.find.no_such_hint")
WHICH = phrase("building.find.which", "name", "names")
NO_WAY = phrase("building.find.no_way", "name")
WAYS = phrase("building.find.ways", "exits")
NO_WAYS = phrase("building.find.no_ways")
FOUND = phrase("building.find.found", "id", "name", "kind", "where")
FOUND_NOWHERE = phrase("building.find.found_nowhere", "id", "name", "kind")
MORE = phrase("building.find.more", "count")
NOTHING = phrase("building.find.nothing", "name")
TELEPORTED = phrase("building.teleport.done", "name", "location")
TELEPORTED_SELF = phrase("building.teleport.self", "location")
VANISHES = phrase("building.teleport.vanishes", "name")
APPEARS = phrase("building.teleport.appears", "name")
NO_PLACE = phrase("building.teleport.no_place", "name")
SAME_PLACE = phrase("building.teleport.same_place", "name", "location")
PLACES_STAY = phrase("building.teleport.places_stay", "name")
IS_OTHERS = phrase("building.teleport.others", "name")
IS_PERSON = phrase("building.teleport.person", "name")

HERE = "here"
MOST_FOUND = 30


def _ask(ctx: Context, request: str, **args: str) -> Outcome:
    """Return a request; what reaches files is carried out by the program, which looks at the role again."""
    here = {"here": ctx.here.id} if ctx.here is not None else {}
    return Outcome("", requests=(Request(request, ctx.actor.id, ctx.step, here | args),))


def _around(ctx: Context) -> list[Thing]:
    """Return what is near enough to be named by a part of its name, the place itself first."""
    here = here_or_refuse(ctx)
    return [here, *ctx.world.contents(here.id), *ctx.world.items(ctx.actor.id)]


def _meant(ctx: Context, name: str) -> Thing:
    """Return the thing that a builder means: here by any part of its name, elsewhere by a whole name or its id.

    A whole name here comes before one elsewhere, and that before a part of a name.
    """
    around = _around(ctx)
    if plain(name) == HERE:
        return around[0]
    there = [one for one in ctx.world.things.values() if one not in around and not _is_gone(ctx, one)]
    for found in (_exactly(name, around), _exactly(name, there), match(name, around)):
        if len(found) > 1:
            names = listed([f"{one.name} ({one.id})" for one in found])
            raise Refusal(ctx.say(WHICH, name=shortened(name, LONGEST_SHOWN), names=names))
        if found:
            return found[0]
    raise Refusal(ctx.say(NO_SUCH, name=shortened(name, LONGEST_SHOWN)), ctx.say(NO_SUCH_HINT))


def _exactly(name: str, things: Sequence[Thing]) -> list[Thing]:
    """Return the things with this id, or else with this name, or else with this alias."""
    wanted = plain(name)
    by_id = [one for one in things if one.id == name]
    by_name = [one for one in things if plain(one.name) == wanted]
    return by_id or by_name or [one for one in things if wanted in map(plain, one.names)]


def _is_gone(ctx: Context, thing: Thing) -> bool:
    """Return whether a character is nowhere: it was forgotten, or its person is away."""
    return thing.kind is Kind.CHARACTER and ctx.world.location_of(thing.id) is None


def _place(ctx: Context, name: str) -> Thing:
    """Return the place with this name or id, or of which this is the only beginning."""
    places = ctx.world.locations()
    if plain(name) == HERE:
        return here_or_refuse(ctx)
    found = _exactly(name, places) or match(name, places)
    if not found:
        raise Refusal(ctx.say(NO_PLACE, name=shortened(name, LONGEST_SHOWN)), ctx.say(NO_SUCH_HINT))
    if len(found) > 1:
        raise refuse_name(ctx, name, found)
    return found[0]


def _way(ctx: Context, name: str) -> Exit:
    """Return the exit of this place that is meant."""
    here = here_or_refuse(ctx)
    found = find_exits(here, name)
    if len(found) != 1:
        ways = ", ".join(way.name for way in here.exits)
        told = ctx.say(WAYS, exits=ways) if ways else ctx.say(NO_WAYS)
        raise Refusal(ctx.say(NO_WAY, name=shortened(name, LONGEST_SHOWN)), told)
    return found[0]


@command("@dig", "<name> = [ways]", role=Role.BUILDER, category="building", keeps="skip")
def dig(ctx: Context, name: str, ways: str) -> Outcome:
    """Make a new place, and a way to it from here; with a second way, after a comma, one back.

    Without ways nobody can come there yet; @open makes them later.

    Example: @dig The Cold Frame = frame, out
    """
    here_or_refuse(ctx)
    return _ask(ctx, "dig", name=name, ways=ways)


@command("@open", "<way> = <place>", role=Role.BUILDER, category="building", keeps="skip")
def open_way(ctx: Context, way: str, place: str) -> Outcome:
    """Make a way from here to a place that is there; with a second way, after a comma, one back.

    Example: @open grating = The Cistern
    Example: @open down = The Cistern, grating
    """
    here_or_refuse(ctx)
    known = _exactly(place, ctx.world.locations())
    name, comma, back = (place, "", "") if known else place.rpartition(",")
    found = _place(ctx, name.strip() if comma else place)
    return _ask(ctx, "open_way", way=way, place=found.id, back=back.strip() if comma else "")


@command("@unlink", "<way>", role=Role.BUILDER, category="building", keeps="skip")
def unlink(ctx: Context, way: str) -> Outcome:
    """Close a way for good. A way back is not closed with it.

    Example: @unlink gate
    """
    return _ask(ctx, "unlink", way=_way(ctx, way).name)


@command("@undo", role=Role.BUILDER, category="building", keeps="skip")
def undo(ctx: Context) -> Outcome:
    """Take back the last change that you built; typed again, the one before. What others changed since then stays.

    Example: @undo
    """
    return _ask(ctx, "undo")


@command("@create", "<name>", role=Role.BUILDER, category="building", keeps="skip")
def create(ctx: Context, name: str) -> Outcome:
    """Make a thing, which lies here then.

    Example: @create stone statue
    """
    here_or_refuse(ctx)
    return _ask(ctx, "create", name=name)


@command("@describe", "<thing> = [text]", aliases=("@desc",), role=Role.BUILDER, category="building", keeps="skip")
def describe(ctx: Context, thing: str, text: str) -> Outcome:
    """Say what something looks like; here is the place where you are. @edit takes several lines.

    Example: @describe gilt hand = A left hand, plaster under the gold.
    """
    return _ask(ctx, "describe", thing=_meant(ctx, thing).id, text=text)


@command("@rename", "<thing> = <name>", role=Role.BUILDER, category="building", keeps="skip")
def rename(ctx: Context, thing: str, name: str) -> Outcome:
    """Give something another name. Whatever leads to it in other files leads to the new name then.

    Example: @rename long table = refectory table
    """
    return _ask(ctx, "rename", thing=_meant(ctx, thing).id, name=name)


@command("@alias", "<thing> = [names]", role=Role.BUILDER, category="building", keeps="skip")
def alias(ctx: Context, thing: str, names: str) -> Outcome:
    """Say what else something may be called, with commas between; without names, nothing else.

    Example: @alias sundial = dial, slate
    """
    return _ask(ctx, "alias", thing=_meant(ctx, thing).id, names=names)


@command("@set", "<thing> <key> = [value]", role=Role.BUILDER, category="building", keeps="skip")
def set_key(ctx: Context, thing: str, value: str) -> Outcome:
    """Set a key in the front matter of a file; without a value the key is taken out. A wrong key tells which there are.

    Example: @set card catalogue fixed = true
    """
    name, _, key = thing.rpartition(" ")
    return _ask(ctx, "set_key", thing=_meant(ctx, name or thing).id, key=key if name else "", value=value)


@command("@lock", "<thing> = [key]", role=Role.BUILDER, category="building", keeps="skip")
def lock(ctx: Context, thing: str, key: str) -> Outcome:
    """Give a door or a chest a key, and lock it; without a key it can no longer be locked.

    It begins so each time the world begins anew, and is locked at once.

    Example: @lock tall clock = lamp glass
    """
    return _ask(ctx, "lock", thing=_meant(ctx, thing).id, key=_meant(ctx, key).id if key else "")


@command("@door", "<name> = <way>", role=Role.BUILDER, category="building", keeps="skip")
def door(ctx: Context, name: str, way: str) -> Outcome:
    """Hang a door into a way, seen from both sides; a new one is made when nothing has that name.

    Example: @door garden gate = gate
    """
    here = here_or_refuse(ctx)
    if not find_exits(here, way) and len(find_exits(here, name)) == 1:
        name, way = way, name  # the other way round
    return _ask(ctx, "door", name=name, way=_way(ctx, way).name)


@command("@clone", "<thing> = [name]", role=Role.BUILDER, category="building", keeps="skip")
def clone(ctx: Context, thing: str, name: str) -> Outcome:
    """Make another one of something, which lies here then; a place is made without its ways.

    Example: @clone lamp glass
    Example: @clone lamp glass = green glass
    """
    return _ask(ctx, "clone", thing=_meant(ctx, thing).id, name=name)


@command("@rule", "<thing> = <rule>", role=Role.BUILDER, category="building", keeps="skip")
def rule(ctx: Context, thing: str, rule: str) -> Outcome:
    """Add a rule to something: what happens when something else does. @edit THING/Rules changes those that are there.

    docs/things.md has all that rules can say.

    Example: @rule sundial = when examine: say "For a moment {it} looks back."
    Example: @rule tall clock = when wind if not wound: it becomes wound; after 1 hour: it becomes not wound
    """
    return _ask(ctx, "rule", thing=_meant(ctx, thing).id, rule=rule)


@command("@verb", "<thing> <verb> = <text>", role=Role.BUILDER, category="building", keeps="skip")
def verb(ctx: Context, thing: str, text: str) -> Outcome:
    """Let people do one more thing with something, and say what they read then.

    Example: @verb tall clock wind = You wind the clock. It says nothing.
    """
    name, _, own = thing.rpartition(" ")
    verb, colon, told = text.partition(":")
    if (
        colon and verb.isalpha() and match(thing, _around(ctx))
    ):  # as it stands in the file: @verb clock = wind: You wind it.
        name, own, text = thing, verb, told.strip()
    return _ask(ctx, "verb", thing=_meant(ctx, name or thing).id, verb=own if name else "", text=text)


@command("@edit", "<thing>", role=Role.BUILDER, category="building", keeps="skip")
def edit(ctx: Context, thing: str) -> Outcome:
    """Write the description of something anew, or after a / another section of its file, in as many lines as you like.

    What you type then is the text. A line . ends it, ..old puts in the text as it is, ..abort leaves all as it was.

    Example: @edit sundial
    Example: @edit here/When dark
    """
    name, _, section = thing.partition("/")
    return _ask(ctx, "edit", thing=_meant(ctx, name.strip()).id, section=section.strip())


@command("@agent", "<name> = [profile]", role=Role.BUILDER, category="building", keeps="skip")
def agent(ctx: Context, name: str, profile: str) -> Outcome:
    """Make somebody who thinks and remembers. Without a profile you are asked for everything, step by step.

    Example: @agent Bram = You mend clocks, and you ask everybody what time it is where they come from.
    """
    here_or_refuse(ctx)
    return _ask(ctx, "agent", name=name, profile=profile)


@command("@teleport", "<thing> = [place]", aliases=("@tel",), role=Role.BUILDER, category="building", keeps="skip")
def teleport(ctx: Context, thing: str, place: str) -> Outcome:
    """Go to a place at once, or put something or somebody there. No file changes: where things begin is @set's.

    Example: @teleport The Loft
    Example: @teleport gilt hand = The Garden
    """
    goal = _place(ctx, place or thing)
    moved = _meant(ctx, thing) if place else ctx.actor
    _may_be_moved(ctx, moved)
    before = ctx.world.location_of(moved.id)
    if before == goal and ctx.world.where.get(moved.id) == goal.id:
        raise Refusal(ctx.say(SAME_PLACE, name=moved.name, location=goal.name))
    gone = (Event("departure", moved.id, before.id, ctx.say(VANISHES, name=moved.name)),) if before else ()
    come = Event("arrival", moved.id, goal.id, ctx.say(APPEARS, name=moved.name))
    own = moved.id == ctx.actor.id
    told = {"location": goal.name} if own else {"name": moved.name, "location": goal.name}
    reply = ctx.say(TELEPORTED_SELF if own else TELEPORTED, **told)
    return Outcome(reply, changes=(Put(moved.id, goal.id),), events=(*gone, come))


def _may_be_moved(ctx: Context, thing: Thing) -> None:
    """Refuse to move places, and for all but an owner other people and what they carry."""
    if thing.kind is Kind.LOCATION:
        raise Refusal(ctx.say(PLACES_STAY, name=thing.name))
    if ctx.role >= Role.OWNER or thing.id == ctx.actor.id:
        return
    if thing.kind is Kind.CHARACTER and not thing.thinks:
        raise Refusal(ctx.say(IS_PERSON, name=thing.name))
    holder = ctx.world.get(ctx.world.where.get(thing.id, ""))
    if holder is not None and holder.kind is Kind.CHARACTER and holder.id != ctx.actor.id:
        raise Refusal(ctx.say(IS_OTHERS, name=thing.name))


@command("@find", "<name>", role=Role.BUILDER, category="building", keeps="skip")
def find(ctx: Context, name: str) -> Outcome:
    """Find everything in the world with a name, a part of one, or an id, and where it is.

    Example: @find lamp
    """
    wanted = plain(name)
    there = [one for one in ctx.world.things.values() if not _is_gone(ctx, one)]
    found = [one for one in there if one.id == name or any(wanted in plain(own) for own in one.names)]
    if not found:
        raise Refusal(ctx.say(NOTHING, name=shortened(name, LONGEST_SHOWN)))
    lines = [_line_of(ctx, one) for one in found[:MOST_FOUND]]
    return Outcome("\n".join([*lines, *([ctx.say(MORE, count=len(found) - MOST_FOUND)] if found[MOST_FOUND:] else [])]))


def _line_of(ctx: Context, thing: Thing) -> str:
    holder = ctx.world.get(ctx.world.where.get(thing.id, ""))
    told = {"id": thing.id, "name": thing.name, "kind": thing.kind.value}
    return ctx.say(FOUND, **told, where=holder.name) if holder else ctx.say(FOUND_NOWHERE, **told)


@command("@examine", "<thing>", role=Role.BUILDER, category="building", keeps="skip")
def examine_file(ctx: Context, thing: str) -> Outcome:
    """Read the file of something as it is, with its path in the vault.

    Example: @examine sundial
    """
    return _ask(ctx, "examine_file", thing=_meant(ctx, thing).id)


@command("@destroy", "<thing>", role=Role.BUILDER, category="building", keeps="skip")
def destroy(ctx: Context, thing: str) -> Outcome:
    """Take something out of the world, with the ways that lead to it. Its file goes into .trash; @undo brings it back.

    Example: @destroy paper tags
    """
    return _ask(ctx, "destroy", thing=_meant(ctx, thing).id)
