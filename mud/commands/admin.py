"""Leaving the world, and requests to the application: save, reload, settings, texts, models, the chronicle."""

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


@command("@branch", "<name>", role=Role.OWNER, category="admin", keeps="skip")
def branch(ctx: Context, name: str) -> Outcome:
    """Make a new vault beside this one, with everything as it is now; both live on without each other.

    It can be opened as any vault, and the command diff of the command line tells later where both differ.

    Example: @branch what if
    """
    return Outcome("", requests=(Request("branch", ctx.actor.id, ctx.step, {"name": name}),))


@command("@rewind", "<step>", role=Role.OWNER, category="admin", keeps="skip")
def rewind(ctx: Context, step: str) -> Outcome:
    """Make a new vault beside this one, with world and memories as they were after a step of the ledger.

    This world goes on. Settings, texts and who the agents are stay as they are now.

    Example: @rewind 1
    """
    return Outcome("", requests=(Request("rewind", ctx.actor.id, ctx.step, {"step": step}),))


@command("@show-config", "[key]", role=Role.OWNER, category="admin", keeps="skip")
def show_config(ctx: Context, key: str) -> Outcome:
    """See a setting, what it means and where its value comes from; without a key, all of them.

    Example: @show-config
    Example: @show-config immediate_window
    """
    return Outcome("", requests=(Request("show_config", ctx.actor.id, ctx.step, {"key": key}),))


@command("@show-text", "<key>", role=Role.BUILDER, category="admin", keeps="skip")
def show_text(ctx: Context, key: str) -> Outcome:
    """See a text as it is now, its places, and where it stands; with the beginning of a key, the keys below it.

    Example: @show-text commands.quit.goodbye
    Example: @show-text commands.take
    """
    return Outcome("", requests=(Request("show_text", ctx.actor.id, ctx.step, {"key": key}),))


@command("@llm-config", "[what]", role=Role.OWNER, category="admin", keeps="skip")
def llm_config(ctx: Context, what: str) -> Outcome:
    """See how each use of a model is set and where each value comes from; set one; or make one small call as a test.

    Keys are never shown. A changed value is written into its file in config/llm, and holds at once.

    Example: @llm-config
    Example: @llm-config think model llama3
    Example: @llm-config think test
    """
    return Outcome("", requests=(Request("llm_config", ctx.actor.id, ctx.step, {"what": what}),))


@command("@narrative", "[what]", category="query", keeps="skip")
def narrative(ctx: Context, what: str) -> Outcome:
    """Read the chronicle: what happened lately, here, in a place, or what somebody did; a number says how many lines.

    The owner reads all of it, everybody else what happened in public where they have been.

    Example: @narrative
    Example: @narrative here 20
    Example: @narrative Eliza
    """
    args = {"what": what, "may": "all" if ctx.role >= Role.OWNER else "visited"}
    return Outcome("", requests=(Request("narrative", ctx.actor.id, ctx.step, args),))


@command("quit", aliases=("exit", "bye"), role=Role.GUEST, category="admin", keeps="skip")
def leave(ctx: Context) -> Outcome:
    """Leave. You come back to where you were, and whoever met you remembers.

    Example: quit
    """
    return Outcome(ctx.say(GOODBYE), quit=True)
