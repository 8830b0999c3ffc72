"""What commands that do something to things share."""

from __future__ import annotations

from collections.abc import Sequence

from mud.commands._command import Context, Outcome
from mud.commands._here import here_or_refuse, pick
from mud.errors import Refusal
from mud.world.changes import Change, Put, SetState
from mud.world.events import Event
from mud.world.matching import match, plain
from mud.world.narration import called, phrase, third_person
from mud.world.reactions import Action
from mud.world.rules import RELATIONS, relation_of
from mud.world.sight import reach
from mud.world.things import Kind, Thing
from mud.world.traits import WORN

NOT_HELD = phrase("commands.use.not_held", "name")
NOT_HELD_HINT = phrase("commands.use.not_held_hint", "name")
DONE = phrase("commands.use.done", "verb", "what")
DONE_SEEN = phrase("commands.use.seen", "actor", "verbs", "what")


def split_relation(
    text: str, relations: Sequence[str] = RELATIONS, known: Sequence[Thing] = ()
) -> tuple[str, str, str]:
    """Split `bronze fin on the sundial` into the first thing, `on`, and the second; `into` and `onto` are `in`, `on`.

    Without such a word, or when one of the `known` things is called so as a whole, the last two are empty.
    """
    words = text.split()
    for at, word in enumerate(words):
        relation = relation_of(word.casefold())
        if relation in relations and at + 1 < len(words):
            if any(plain(text) in map(plain, one.names) for one in known):
                break
            return " ".join(words[:at]), relation, " ".join(words[at + 1 :])
    return text.strip(), "", ""


def held(ctx: Context, name: str) -> Thing:
    """Return the thing that the actor carries and means; raises Refusal, which says when it only lies within reach."""
    own = ctx.world.items(ctx.actor.id)
    found = match(name, own)
    if not found and len(near := match(name, reach(ctx.world, ctx.actor.id))) == 1 and near[0].kind is Kind.ITEM:
        raise Refusal(ctx.say(NOT_HELD, name=called(near[0])), ctx.say(NOT_HELD_HINT, name=near[0].name))
    return found[0] if len(found) == 1 else pick(ctx, name, own)


def moved(ctx: Context, thing: Thing, into: str) -> tuple[Change, ...]:
    """Return the changes by which a thing comes to be in another; nobody wears it any longer."""
    worn = WORN in ctx.world.live.of(thing.id)
    return (*((SetState(thing.id, WORN, on=False),) if worn else ()), Put(thing.id, into))


def handles(thing: Thing, verb: str) -> bool:
    """Return whether the file of a thing says something about a verb."""
    return verb in thing.traits.triggers or any(verb == one for one, _ in thing.traits.verbs)


def act(
    ctx: Context, verb: str, thing: Thing | None, relation: str = "", other: Thing | None = None, *,
    changes: tuple[Change, ...] = (), reply: str = "", events: tuple[Event, ...] = (),
) -> Outcome:  # fmt: skip
    """Return what somebody does to a thing: in its own words, where its file has some for the verb."""
    here = here_or_refuse(ctx)
    meant = [one for one in (thing, other) if one is not None]
    what = " ".join(text for text in (called(thing) if thing else "", relation, called(other) if other else "") if text)
    own = next((text for one in (*meant, here) for known, text in one.traits.verbs if known == verb), "")
    seen = ctx.say(DONE_SEEN, actor=ctx.actor.name, verbs=third_person(verb), what=what).replace(" .", ".")
    event = Event("action", ctx.actor.id, here.id, seen, thing=meant[0].name if meant else None)
    action = Action(verb, here.id, thing.id if thing else "", relation, other.id if other else "")
    told = own or reply or ctx.say(DONE, verb=verb, what=what).replace(" .", ".")
    return Outcome(told, changes=changes, events=(event, *events), actions=(action,))
