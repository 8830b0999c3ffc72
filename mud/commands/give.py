"""Giving what one carries to somebody else."""

from __future__ import annotations

from mud.commands._command import LONGEST_SHOWN, Context, Outcome, command
from mud.commands._here import here_or_refuse, pick
from mud.commands._things import act, handles, held, moved
from mud.errors import Refusal
from mud.world.events import Event
from mud.world.matching import match, split_name
from mud.world.narration import called, phrase, shortened
from mud.world.reactions import Action
from mud.world.sight import reach
from mud.world.things import Kind, Thing

GIVEN = phrase("commands.give.given", "name", "thing")
SEEN = phrase("commands.give.seen", "actor", "name", "thing")
RECEIVED = phrase("commands.give.received", "actor", "thing")
TO_WHOM = phrase("commands.give.to_whom", "thing")
TO_WHOM_HINT = phrase("commands.give.to_whom_hint")
WHAT = phrase("commands.give.what", "name")
ASLEEP = phrase("commands.give.asleep", "name")
UNWILLING = phrase("commands.give.unwilling", "name")
TO_YOURSELF = phrase("commands.give.to_yourself")


@command("give", "<thing> <person>", aliases=("hand",), category="things", for_models=True)
def give(ctx: Context, thing: str) -> Outcome:
    """Give a thing that you carry to somebody here who is awake: the thing, then to whom, or the other way round.

    Example: give lamp glass to Eliza
    """
    here = here_or_refuse(ctx)
    others = [one for one in reach(ctx.world, ctx.actor.id) if one.kind is Kind.ITEM and handles(one, "give")]
    what, whom = _parts(ctx, thing, [*ctx.world.people(here.id), *others])
    item = held(ctx, what)
    if whom.kind is Kind.ITEM:
        into = whom.id if whom.traits.holds else here.id
        return act(ctx, "give", item, "to", whom, changes=moved(ctx, item, into))
    if whom.id == ctx.actor.id:
        raise Refusal(ctx.say(TO_YOURSELF))
    if whom.id in ctx.world.asleep:
        raise Refusal(ctx.say(ASLEEP, name=whom.name))
    takes = whom.id in ctx.witnesses or handles(whom, "give") or handles(item, "give")
    if not takes:  # what an animal has, nobody gets back
        raise Refusal(ctx.say(UNWILLING, name=whom.name))
    places = {"actor": ctx.actor.name, "thing": called(item)}
    seen = Event(
        "gift", ctx.actor.id, here.id, ctx.say(SEEN, name=whom.name, **places),
        to=whom.id, told=ctx.say(RECEIVED, **places), thing=item.name,
    )  # fmt: skip
    given = ctx.say(GIVEN, name=whom.name, thing=called(item))
    action = Action("give", here.id, item.id, "to", whom.id)
    return Outcome(given, changes=moved(ctx, item, whom.id), events=(seen,), actions=(action,))


def _parts(ctx: Context, text: str, people: list[Thing]) -> tuple[str, Thing]:
    """Split `the lamp to Eliza`, `Eliza the lamp` or `lamp Eliza` into the thing and the person; refuses others."""
    what, to, name = (part.strip() for part in text.rpartition(" to "))
    if to and what:
        return what, pick(ctx, name, people)
    whom, rest = split_name(text, people)
    if whom is not None and rest:
        return rest, whom
    item, name = split_name(text, ctx.world.items(ctx.actor.id))
    if item is not None and name:
        return item.name, pick(ctx, name, people)
    if whom is not None and not match(text, ctx.world.items(ctx.actor.id)):
        raise Refusal(ctx.say(WHAT, name=whom.name), ctx.say(TO_WHOM_HINT))
    raise Refusal(ctx.say(TO_WHOM, thing=shortened(text, LONGEST_SHOWN)), ctx.say(TO_WHOM_HINT))
