"""Aliases of one's own, `alias` and `unalias`: short words for lines that are typed often."""

from __future__ import annotations

from agents.commands._answer import answers, ask
from agents.population import Population
from mud.commands import LONGEST_SHOWN, Context, Outcome, command
from mud.errors import Refusal, VaultProblem
from mud.storage.aliases import LONGEST, MOST, NAME, AliasFile
from mud.world.events import Request
from mud.world.exits import is_direction
from mud.world.narration import phrase, shortened
from mud.world.roles import Role

SET = phrase("minds.alias.set", "name", "text")
REMOVED = phrase("minds.alias.removed", "name")
ONE = phrase("minds.alias.one", "name", "text")
NONE = phrase("minds.alias.none")
HOW = phrase("minds.alias.how")
NO_SUCH = phrase("minds.alias.no_such", "name")
BAD_NAME = phrase("minds.alias.bad_name", "name")
COMMAND = phrase("minds.alias.command", "name")
SECRET = phrase("minds.alias.secret")
EMPTY = phrase("minds.alias.empty", "name")
TOO_LONG = phrase("minds.alias.too_long", "most")
TOO_MANY = phrase("minds.alias.too_many", "most")
NOT_WRITTEN = phrase("minds.alias.not_written", "why")
PASSWORD = "@password"


@command("alias", "[words]", role=Role.PLAYER, category="admin", keeps="skip")
def alias(ctx: Context, words: str) -> Outcome:
    """See your aliases, or make one: a word of your own that stands for a whole line.

    $1 to $9 are the words typed after it, $* is all of them; without any, they are put behind it. They stand in
    aliases.md in your folder. No alias takes the name of a command.

    Example: alias
    Example: alias gs = go south
    Example: alias hi = say Hello, $*!
    """
    name, equals, text = (part.strip() for part in words.partition("="))
    if equals:
        _check(ctx, name, text)
    return ask(ctx, "own_alias", name=name, text=text)


def _check(ctx: Context, name: str, text: str) -> None:
    """Refuse an alias that cannot be called so, or stand for that."""
    if not NAME.fullmatch(name):
        raise Refusal(ctx.say(BAD_NAME, name=shortened(name, LONGEST_SHOWN)), ctx.say(HOW))
    if ctx.commands.find(name) is not None or is_direction(name):
        raise Refusal(ctx.say(COMMAND, name=name))
    if not text:
        raise Refusal(ctx.say(EMPTY, name=name), f"unalias {name}")
    if len(text) > LONGEST:
        raise Refusal(ctx.say(TOO_LONG, most=LONGEST))
    meant = ctx.commands.find(text.split()[0])
    if meant is not None and meant.name == PASSWORD:
        raise Refusal(ctx.say(SECRET))


@command("unalias", "<name>", role=Role.PLAYER, category="admin", keeps="skip")
def unalias(ctx: Context, name: str) -> Outcome:
    """Remove an alias of yours.

    Example: unalias gs
    """
    return ask(ctx, "remove_own_alias", name=name)


@answers("own_alias")
async def set_or_show(minds: Population, request: Request) -> Outcome:
    aliases, say = minds.of(request).aliases, minds.say
    name, text = request.args["name"], request.args["text"]
    known = aliases()
    if text:
        if name.casefold() not in known and len(known) >= MOST:
            raise Refusal(say(TOO_MANY, most=MOST))
        _put(minds, aliases, name, text)
        return Outcome(say(SET, name=name, text=text))
    if name and name.casefold() not in known:
        raise Refusal(say(NO_SUCH, name=shortened(name, LONGEST_SHOWN)), say(HOW))
    shown = {name.casefold(): known[name.casefold()]} if name else dict(sorted(known.items()))
    lines = [say(ONE, name=one, text=text) for one, text in shown.items()] or [say(NONE)]
    return Outcome("\n".join([*lines, *_wrong(minds, aliases)]))


@answers("remove_own_alias")
async def remove(minds: Population, request: Request) -> Outcome:
    aliases, name = minds.of(request).aliases, request.args["name"]
    if name.casefold() not in aliases():
        raise Refusal(minds.say(NO_SUCH, name=shortened(name, LONGEST_SHOWN)), minds.say(HOW))
    _put(minds, aliases, name, None)
    return Outcome(minds.say(REMOVED, name=name))


def _put(minds: Population, aliases: AliasFile, name: str, text: str | None) -> None:
    try:
        aliases.put(name, text)
    except OSError as error:
        raise Refusal(minds.say(NOT_WRITTEN, why=error.strerror or error)) from None
    except VaultProblem as wrong:
        raise Refusal(minds.say(NOT_WRITTEN, why="; ".join(map(str, wrong.problems)))) from None


def _wrong(minds: Population, aliases: AliasFile) -> list[str]:
    """Return a line for each mistake in the file."""
    try:
        return [str(problem) for problem in aliases.problems()]
    except VaultProblem as wrong:
        return [str(problem) for problem in wrong.problems]
