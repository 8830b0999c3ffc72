"""Channels: talking with others wherever they are. What is said there, only members hear and can read back."""

from __future__ import annotations

import re

from mud.clock import iso, parse_iso
from mud.commands._command import LONGEST_SHOWN, Context, Outcome, command
from mud.errors import Refusal
from mud.world.channels import Channel, JoinChannel, LeaveChannel, Post
from mud.world.events import WHISPERED, Event
from mud.world.names import misleading
from mud.world.narration import Phrase, counted, listed, phrase, shortened
from mud.world.roles import Role
from mud.world.things import Kind, Thing

SAID = phrase("commands.channel.said", "channel", "words")
HEARD = phrase("commands.channel.heard", "channel", "actor", "words")
LINE = phrase("commands.channel.line", "when", "name", "words")
SILENT = phrase("commands.channel.silent", "channel")
NONE = phrase("commands.channel.none")
MINE = phrase("commands.channel.mine", "channel", "names")
OTHER = phrase("commands.channel.other", "channel", "people")
JOINED = phrase("commands.channel.joined", "channel", "names")
MADE = phrase("commands.channel.made", "channel")
JOINS = phrase("commands.channel.joins", "actor", "channel")
LET_IN = phrase("commands.channel.let_in", "actor", "channel")
LEFT = phrase("commands.channel.left", "channel")
LEAVES = phrase("commands.channel.leaves", "actor", "channel")
SENT_OUT = phrase("commands.channel.sent_out", "actor", "channel")
JOINED_OTHER = phrase("commands.channel.joined_other", "name", "channel")
LEFT_OTHER = phrase("commands.channel.left_other", "name", "channel")
NOT_IN = phrase("commands.channel.not_in", "name", "channel")
IN_ALREADY = phrase("commands.channel.in_already", "name", "channel")
YOU_IN_ALREADY = phrase("commands.channel.you_in_already", "channel")
YOU_NOT_IN = phrase("commands.channel.you_not_in", "channel")
NO_SUCH = phrase("commands.channel.no_such", "channel")
JOIN_HINT = phrase("commands.channel.join_hint", "channel")
MAKE_HINT = phrase("commands.channel.make_hint", "channel")
BAD_NAME = phrase("commands.channel.bad_name", "name")
COMMAND = phrase("commands.channel.command", "name")
MISLEADING = phrase("commands.channel.misleading", "why")
TOO_MANY = phrase("commands.channel.too_many", "most")
GUESTS_MAKE_NONE = phrase("commands.channel.guests_make_none")
NOT_YOURS = phrase("commands.channel.not_yours")
NOBODY = phrase("commands.channel.nobody", "name")

MOST = 32  # channels
_NAME = re.compile(r"[^\W_][\w-]{0,23}")


@command("@channel", "[words]", aliases=("channel",), role=Role.GUEST, category="social", keeps="short")
def channel(ctx: Context, words: str) -> Outcome:
    """Talk on a channel: its name, the words. With the name alone, read back its last lines; without one, see all.

    Its members hear it wherever they are, unless they sleep; nobody else hears it or can read it.

    Example: @channel
    Example: @channel town
    Example: @channel town is anybody awake?
    """
    name, _, said = words.partition(" ")
    if not name:
        return Outcome(_list(ctx), memory="")
    found = _joined(ctx, name)
    if not said.strip():
        return Outcome(_lines(ctx, found), memory="")
    return _post(ctx, found, said.strip())


def _joined(ctx: Context, name: str) -> Channel:
    """Return a channel of which the actor is a member; raises Refusal."""
    found = ctx.world.channels.find(name)
    if found is None:
        shown, verb = shortened(name, LONGEST_SHOWN), f"@channel-{name}"
        hint = verb if ctx.commands.find(verb) else ctx.say(MAKE_HINT, channel=shown)
        raise Refusal(ctx.say(NO_SUCH, channel=shown), hint)
    if ctx.actor.id not in found.members:
        raise Refusal(ctx.say(YOU_NOT_IN, channel=found.name), ctx.say(JOIN_HINT, channel=found.name))
    return found


def _post(ctx: Context, found: Channel, words: str) -> Outcome:
    said = ctx.say(SAID, channel=found.name, words=words)
    heard = ctx.say(HEARD, channel=found.name, actor=ctx.actor.name, words=words)
    post = Post(found.name, iso(ctx.now()), ctx.actor.name, words)
    event = _event(ctx, found.name, heard)._replace(words=words)
    return Outcome(said, kind="said", memory=said, changes=(post,), events=(event,), mark=WHISPERED)


def _event(ctx: Context, name: str, text: str) -> Event:
    return Event("channel", ctx.actor.id, ctx.here.id if ctx.here else "", text, channel=name)


def _lines(ctx: Context, found: Channel) -> str:
    zone = ctx.now().tzinfo
    lines = [(f"{parse_iso(one.at).astimezone(zone):%a %d %b %H:%M}", one) for one in found.lines]
    shown = [ctx.say(LINE, when=when, name=one.by, words=one.words) for when, one in lines]
    return "\n".join(shown) or ctx.say(SILENT, channel=found.name)


def _list(ctx: Context) -> str:
    lines = []
    for one in sorted(ctx.world.channels, key=lambda one: one.name.casefold()):
        if ctx.actor.id in one.members:
            lines.append(ctx.say(MINE, channel=one.name, names=listed(_names(ctx, one, ctx.actor.id))))
        else:
            people = counted(len(one.members), "member")
            lines.append(ctx.say(OTHER, channel=one.name, people=people))
    return "\n".join(lines) or ctx.say(NONE)


def _names(ctx: Context, found: Channel, but: str) -> list[str]:
    """Return the names of the members, the actor's as `you` last."""
    others = [one.name for who in found.members if who != but and (one := ctx.world.get(who)) is not None]
    return [*sorted(others, key=str.casefold), "you"]


@command("@channel-join", "<name>", role=Role.GUEST, category="social", keeps="short")
def join(ctx: Context, name: str) -> Outcome:
    """Join a channel, or make it when there is none of that name. Whoever joins can read back what was said.

    The owner can let an agent in: the channel, its name.

    Example: @channel-join market
    Example: @channel-join town Eliza
    """
    wanted, who = _who(ctx, name)
    found = ctx.world.channels.find(wanted)
    if found is None:
        _check_new(ctx, wanted)
        found = Channel(wanted)
    if who.id in found.members:
        raise Refusal(_said_of(ctx, who, found, IN_ALREADY, YOU_IN_ALREADY))
    event = _event(ctx, found.name, ctx.say(JOINS, actor=who.name, channel=found.name))
    if who.id != ctx.actor.id:
        event = event._replace(to=who.id, told=ctx.say(LET_IN, actor=ctx.actor.name, channel=found.name))
        reply = ctx.say(JOINED_OTHER, name=who.name, channel=found.name)
    elif found.members:
        reply = ctx.say(JOINED, channel=found.name, names=listed(_names(ctx, found, who.id)[:-1]))
    else:
        reply = ctx.say(MADE, channel=found.name)
    return Outcome(reply, memory=reply, changes=(JoinChannel(found.name, who.id),), events=(event,))


def _check_new(ctx: Context, name: str) -> None:
    """Refuse a channel that cannot be made."""
    if not _NAME.fullmatch(name):
        raise Refusal(ctx.say(BAD_NAME, name=shortened(name, LONGEST_SHOWN)))
    if ctx.commands.find(name) is not None or ctx.commands.find(f"@channel-{name}") is not None:
        raise Refusal(ctx.say(COMMAND, name=name))  # clients show `say` and `whisper` as channels
    if why := misleading(name, [one.name for one in ctx.world.channels]):
        raise Refusal(ctx.say(MISLEADING, why=why))
    if ctx.role < Role.PLAYER:
        raise Refusal(ctx.say(GUESTS_MAKE_NONE))
    if len(ctx.world.channels) >= MOST:
        raise Refusal(ctx.say(TOO_MANY, most=MOST))


@command("@channel-leave", "<name>", role=Role.GUEST, category="social", keeps="short")
def leave(ctx: Context, name: str) -> Outcome:
    """Leave a channel. When the last member leaves, the channel ends. The owner can take an agent out.

    Example: @channel-leave town
    """
    wanted, who = _who(ctx, name)
    found = ctx.world.channels.find(wanted)
    if found is None:
        raise Refusal(ctx.say(NO_SUCH, channel=shortened(wanted, LONGEST_SHOWN)))
    if who.id not in found.members:
        raise Refusal(_said_of(ctx, who, found, NOT_IN, YOU_NOT_IN))
    event = _event(ctx, found.name, ctx.say(LEAVES, actor=who.name, channel=found.name))
    reply = ctx.say(LEFT, channel=found.name)
    if who.id != ctx.actor.id:
        event = event._replace(to=who.id, told=ctx.say(SENT_OUT, actor=ctx.actor.name, channel=found.name))
        reply = ctx.say(LEFT_OTHER, name=who.name, channel=found.name)
    return Outcome(reply, memory=reply, changes=(LeaveChannel(found.name, who.id),), events=(event,))


def _who(ctx: Context, words: str) -> tuple[str, Thing]:
    """Split the name of a channel and, from the owner, that of a character; without one it is the actor."""
    name, _, other = words.partition(" ")
    if not other.strip():
        return name, ctx.actor
    if ctx.role < Role.OWNER:
        raise Refusal(ctx.say(NOT_YOURS))
    found = ctx.world.called(other.strip())
    if found is None or found.kind is not Kind.CHARACTER or found.id not in ctx.witnesses:
        raise Refusal(ctx.say(NOBODY, name=shortened(other.strip(), LONGEST_SHOWN)))
    return name, found


def _said_of(ctx: Context, who: Thing, found: Channel, other: Phrase, own: Phrase) -> str:
    if who.id == ctx.actor.id:
        return ctx.say(own, channel=found.name)
    return ctx.say(other, name=who.name, channel=found.name)
