"""Sleeping and waking. A sleeper perceives only what wakes it, and can only wake."""

from __future__ import annotations

from mud.commands._command import Context, Outcome, command
from mud.commands._here import here_or_refuse, pick, present_or_refuse, waking
from mud.errors import Refusal
from mud.world.changes import FallAsleep, WakeUp
from mud.world.events import Event
from mud.world.narration import phrase

SLEPT = phrase("commands.sleep.slept")
ALREADY = phrase("commands.sleep.already")
SEEN = phrase("commands.sleep.seen", "actor")
WOKE = phrase("commands.wake.woke")
WOKE_OTHER = phrase("commands.wake.woke_other", "name")
SEEN_WAKING = phrase("commands.wake.seen", "actor", "name")
AWAKE = phrase("commands.wake.awake")
OTHER_AWAKE = phrase("commands.wake.other_awake", "name")


@command("sleep", category="memory", for_models=True)
def sleep(ctx: Context) -> Outcome:
    """Fall asleep where you are. You wake when you do something, and when somebody calls you by name.

    While you sleep you perceive nothing else. It is the time in which memories are put in order.

    Example: sleep
    """
    here = here_or_refuse(ctx)
    if ctx.actor.id in ctx.world.asleep:
        raise Refusal(ctx.say(ALREADY))
    seen = Event("action", ctx.actor.id, here.id, ctx.say(SEEN, actor=ctx.actor.name))
    return Outcome(ctx.say(SLEPT), changes=(FallAsleep(ctx.actor.id),), events=(seen,))


@command("wake", "[name]", category="memory", keeps="short", for_models=True)
def wake(ctx: Context, name: str) -> Outcome:
    """Wake up, or wake somebody who sleeps here.

    Example: wake Eliza
    """
    here = here_or_refuse(ctx)
    asleep = ctx.world.asleep
    target = pick(ctx, name.removeprefix("up ").strip(), ctx.world.people(here.id)) if name not in ("", "up") else None
    if target is None or target.id == ctx.actor.id:
        if ctx.actor.id not in asleep:
            return Outcome(ctx.say(AWAKE), memory="")
        change, event = waking(ctx.say, ctx.actor, here)
        return Outcome(ctx.say(WOKE), changes=(change,), events=(event,))
    if target.id not in asleep:
        return Outcome(ctx.say(OTHER_AWAKE, name=target.name), memory="")
    present_or_refuse(ctx, target)
    seen = Event("action", ctx.actor.id, here.id, ctx.say(SEEN_WAKING, actor=ctx.actor.name, name=target.name))
    return Outcome(ctx.say(WOKE_OTHER, name=target.name), changes=(WakeUp(target.id),), events=(seen,))
