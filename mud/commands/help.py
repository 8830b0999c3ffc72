"""Help, generated from the commands."""

from __future__ import annotations

from collections.abc import Iterable

from mud.commands._command import CATEGORIES, LONGEST_SHOWN, WHO, Command, Context, Outcome, command
from mud.errors import Refusal
from mud.registry import suggest
from mud.world.narration import phrase, shortened
from mud.world.roles import Role

FIRST = phrase("commands.help.first")
FIRST_INTRO = phrase("commands.help.first_intro")
REST = phrase("commands.help.rest")
INTRO = phrase("commands.help.intro")
NO_SUCH = phrase("commands.help.no_such", "name")
NO_SUCH_HINT = phrase("commands.help.no_such_hint", "name")
ALL = phrase("commands.help.all")
ONLY = phrase("commands.help.only", "who")
ALSO = phrase("commands.help.also", "aliases")


@command("help", "[topic]", aliases=("?",), category="query", keeps="skip", for_models=True)
def help_page(ctx: Context, topic: str) -> Outcome:
    """See what one can do: some or all of it, a section, or one command.

    Example: help
    Example: help all
    Example: help say
    """
    if not topic:
        rows = _rows(one for name in ctx.say(FIRST).split(",") for one in _usable(ctx, ctx.commands.find(name.strip())))
        return Outcome("\n".join([ctx.say(FIRST_INTRO), *rows, ctx.say(REST)]))
    if topic.casefold() == "all":
        sections = [_section(ctx, category) for category in CATEGORIES]
        return Outcome("\n\n".join([ctx.say(INTRO), *filter(None, sections)]))
    if topic.casefold() in CATEGORIES and (section := _section(ctx, topic.casefold())):
        return Outcome(section)
    first = topic.split()[0]
    found = ctx.commands.find(first) or ctx.commands.find(f"@{first}")
    if found is None:
        near = suggest(topic, [*ctx.commands.words(), *CATEGORIES])
        raise Refusal(
            ctx.say(NO_SUCH, name=shortened(topic, LONGEST_SHOWN)),
            ctx.say(NO_SUCH_HINT, name=near) if near else ctx.say(ALL),
        )
    return Outcome(_page(ctx, found))


@command("commands", category="query", keeps="skip")
def commands(ctx: Context) -> Outcome:
    """See the names of all commands, a line for each section.

    Example: commands
    """
    sections = [(category, ", ".join(one.name for one in _in(ctx, category))) for category in CATEGORIES]
    return Outcome("\n".join(f"{category}: {names}" for category, names in sections if names))


def _usable(ctx: Context, *commands: Command | None) -> list[Command]:
    return [one for one in commands if one is not None and ctx.role >= one.role]


def _in(ctx: Context, category: str) -> list[Command]:
    return [one for one in _usable(ctx, *ctx.commands) if one.category == category]


def _rows(commands: Iterable[Command]) -> list[str]:
    """Return a line for each command, in columns."""
    rows = [(one.usage, one.summary) for one in commands]
    width = max((len(usage) for usage, _ in rows), default=0)
    return [f"  {usage:<{width}}  {summary}" for usage, summary in rows]


def _section(ctx: Context, category: str) -> str:
    found = _in(ctx, category)
    return "\n".join([category, *_rows(found)]) if found else ""


def _page(ctx: Context, found: Command) -> str:
    lines = [found.usage, found.summary]
    if found.details:
        lines.append(found.details)
    if found.aliases:
        lines.append(ctx.say(ALSO, aliases=", ".join(found.aliases)))
    if found.role > Role.GUEST:
        lines.append(ctx.say(ONLY, who=ctx.say(WHO[found.role])))
    lines.extend(f"Example: {example}" for example in found.examples)
    return "\n".join(lines)
