"""Leaving the world, and commands of the owner, each a request to the application: save, reload, show settings."""

from __future__ import annotations

from mud.commands._command import Context, Outcome, command
from mud.world.events import Request
from mud.world.narration import phrase
from mud.world.roles import Role

GOODBYE = phrase("commands.quit.goodbye")


@command("@save", role=Role.OWNER, category="admin", keeps="skip")
def save(ctx: Context) -> Outcome:
    """Write at once what is otherwise written every few seconds: who and what is where.

    Everything that was answered is safe without it.

    Example: @save
    """
    return Outcome("", requests=(Request("save", ctx.actor.id, ctx.step),))


@command("@reload", role=Role.OWNER, category="admin", keeps="skip")
def reload(ctx: Context) -> Outcome:
    """Read config, texts, prompts, world and agents from the vault again, and say what is wrong in them.

    Changed files are read within a second anyway.

    Example: @reload
    """
    return Outcome("", requests=(Request("reload", ctx.actor.id, ctx.step),))


@command("@show-config", "[key]", role=Role.OWNER, category="admin", keeps="skip")
def show_config(ctx: Context, key: str) -> Outcome:
    """See a setting, what it means and where its value comes from; without a key, all of them.

    Example: @show-config
    Example: @show-config immediate_window
    """
    return Outcome("", requests=(Request("show_config", ctx.actor.id, ctx.step, {"key": key}),))


@command("quit", aliases=("exit", "bye"), role=Role.GUEST, category="admin", keeps="skip")
def leave(ctx: Context) -> Outcome:
    """Leave. You come back to where you were, and whoever met you remembers.

    Example: quit
    """
    return Outcome(ctx.say(GOODBYE), quit=True)
