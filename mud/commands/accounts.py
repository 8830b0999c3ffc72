"""Who may come in over the network and as what: accounts, roles, passwords, bans. Each is a request to the program."""

from __future__ import annotations

from mud.commands._command import Context, Outcome, command
from mud.world.events import Request
from mud.world.roles import Role


def _ask(ctx: Context, request: str, **args: str) -> Outcome:
    return Outcome("", requests=(Request(request, ctx.actor.id, ctx.step, args),))


@command("@accounts", "[what]", role=Role.OWNER, category="admin", keeps="skip")
def accounts(ctx: Context, what: str) -> Outcome:
    """See all accounts: who is on line, through which door, and when the others were here last. New makes one.

    For a new account you are asked for a first password, which nobody sees.

    Example: @accounts
    Example: @accounts new Dora
    """
    return _ask(ctx, "accounts", what=what)


@command("@role", "<name> <role>", role=Role.OWNER, category="admin", keeps="skip")
def role(ctx: Context, name: str) -> Outcome:
    """Choose what an account may do: player, builder or owner. It holds at once, also for who is on line.

    Example: @role Ann builder
    """
    return _ask(ctx, "role", name=name)


@command("@kick", "<name>", role=Role.OWNER, category="admin", keeps="skip")
def kick(ctx: Context, name: str) -> Outcome:
    """End the sessions of somebody who came in over the network. They may come back.

    Example: @kick Ann
    """
    return _ask(ctx, "kick", name=name)


@command("@ban", "<who>", role=Role.OWNER, category="admin", keeps="skip")
def ban(ctx: Context, who: str) -> Outcome:
    """Let an account, or everybody from an address or a network, come in no more; who is here is sent away.

    Example: @ban Ann
    Example: @ban 203.0.113.7
    Example: @ban 203.0.113.0/24
    """
    return _ask(ctx, "ban", who=who)


@command("@unban", "<who>", role=Role.OWNER, category="admin", keeps="skip")
def unban(ctx: Context, who: str) -> Outcome:
    """Let a banned account or address come in again.

    Example: @unban Ann
    """
    return _ask(ctx, "unban", who=who)


@command(
    "@password", "[name]", aliases=("@passwd", "password", "passwd"), role=Role.PLAYER, category="admin", keeps="skip"
)
def password(ctx: Context, name: str) -> Outcome:
    """Change your password, or for the owner somebody else's. You are asked for it; what is typed here is not kept.

    The owner who started this world gets an account that way, and can come in with it over the network.

    Example: @password
    """
    return _ask(ctx, "password", name=name)


@command("@token", "[what]", role=Role.PLAYER, category="admin", keeps="skip")
def token(ctx: Context, what: str) -> Outcome:
    """Get a token with which a program, such as a language model, comes in over MCP as you. Nothing keeps it.

    It is shown once, and one that you had before is good no more; so does a new password end it, and @token off. An
    owner names another account, and then perhaps off. See docs/mcp.md.

    Example: @token
    Example: @token off
    """
    return _ask(ctx, "token", what=what)


@command("@web", "", role=Role.OWNER, category="admin", keeps="skip")
def web(ctx: Context) -> Outcome:
    """Get a fresh address that signs one browser in as the owner who started this world, once. Nothing keeps it.

    Example: @web
    """
    return _ask(ctx, "web")
