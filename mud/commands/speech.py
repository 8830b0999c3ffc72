"""Saying, whispering, emotes, and shouting, which is heard through the exits."""

from __future__ import annotations

import re
from itertools import islice

from mud.commands._command import Context, Outcome, Say, command
from mud.commands._here import called_by_name, here_or_refuse, present_or_refuse, refuse_name, waking
from mud.errors import Refusal
from mud.world.events import WHISPERED as MARK
from mud.world.events import Event
from mud.world.exits import SHORT
from mud.world.matching import match, plain, split_name
from mud.world.narration import phrase
from mud.world.reactions import Action
from mud.world.things import Kind, Thing

SAID = phrase("commands.say.said", "words")
NOBODY = phrase("commands.say.nobody")
ABSENT = phrase("commands.say.absent", "name")
HEARD = phrase("commands.say.heard", "actor", "words")
WHISPERED = phrase("commands.whisper.whispered", "name", "words")
TOLD = phrase("commands.whisper.told", "actor", "words")
NOTHING_WHISPERED = phrase("commands.whisper.nothing", "name")
TO_YOURSELF = phrase("commands.whisper.to_yourself")
EMOTED = phrase("commands.emote.emoted", "actor", "words")
EMOTED_OWN = phrase("commands.emote.own", "actor", "words")
SHOUTED = phrase("commands.shout.shouted", "words")
SHOUT_HEARD = phrase("commands.shout.heard", "actor", "words")
FAR = phrase("commands.shout.far", "actor", "words", "way")
SOMEWHERE = phrase("commands.shout.somewhere", "actor", "words")
THE = phrase("commands.shout.the", "exit")
ABOVE = phrase("commands.shout.above")
BELOW = phrase("commands.shout.below")
VERTICAL = {"up": ABOVE, "down": BELOW}

_CALL = re.compile("[,:!?]")
_GREETING = re.compile(
    r"(?:h(?:i|ey|ello|ail|iya)|greetings|welcome|good(?:bye| (?:morning|day|afternoon|evening|night)))"
    r"(?:[ ,!]+there)?[ ,!]+\b",
    re.I,
)
"""Greetings that may stand before a name."""
_NAME_ENDS = re.compile(r"(?<=.)(?![\w'’-])")
_MOST_ENDS = 32
"""Ends of words at which a greeted name may end; longer names are not noticed."""
_OWN = re.compile(r"['’]s?\s")
_ENDED = re.compile(r"[.!?…,;:~*—–-][\"”'’)]*$")


@command("say", "<words>", category="social", keeps="short", for_models=True)
def say(ctx: Context, words: str) -> Outcome:
    """Say something aloud; everybody here hears it, sleepers only their name. Shorthands: ' and ".

    Name somebody, and it is said to them: they answer, if they can.

    Example: say Eliza, where is the key?
    Example: say good morning
    Example: 'good morning
    """
    here = here_or_refuse(ctx)
    heard = ctx.say(HEARD, actor=ctx.actor.name, words=words)
    event = Event("speech", ctx.actor.id, here.id, heard, words=words)
    said = ctx.say(SAID, words=words)
    woken = [waking(ctx.say, one, here) for one in called_by_name(ctx.world, here, words) if one.id != ctx.actor.id]
    reply = "\n".join([said, *(seen.text for _, seen in woken), *_unheard(ctx, here, words)])
    events = (event, *(seen for _, seen in woken))
    return Outcome(
        reply,
        kind="said",
        memory=said,
        changes=tuple(change for change, _ in woken),
        events=events,
        actions=(Action("say", here.id, words=words),),
    )


def _unheard(ctx: Context, here: Thing, words: str) -> list[str]:
    """Return a note when nobody is here, or when somebody absent is called."""
    world = ctx.world
    if not any(one.id != ctx.actor.id for one in world.people(here.id)):
        return [ctx.say(NOBODY)]
    where = world.where
    named = [one for name in _names_called(words) for one in world.named(name)]
    called = [one for one in named if one.kind is Kind.CHARACTER and one.id in where]
    if not called or any(where[one.id] == here.id for one in called):
        return []
    return [ctx.say(ABSENT, name=min(called, key=lambda one: one.name.lower()).name)]


def _names_called(words: str) -> list[str]:
    """Return the plain names that words may call somebody by.

    A name must stand alone before a mark or the end, or after a greeting; then words may follow: `hello Moss how are
    you`.
    """
    greeting = _GREETING.match(words)
    if greeting:
        greeted = plain(words[greeting.end() :])
        return [greeted[: end.start()] for end in islice(_NAME_ENDS.finditer(greeted), _MOST_ENDS)]
    mark = _CALL.search(words)
    return [plain(words[: mark.start()] if mark else words.rstrip(".…"))]


@command("whisper", "<person> <words>", aliases=("tell",), category="social", for_models=True)
def whisper(ctx: Context, person: str) -> Outcome:
    """Say something to one person here that nobody else hears: whisper, their name, the words.

    Example: whisper Eliza the key is under the mat
    """
    here = here_or_refuse(ctx)
    text = person[3:].strip() if person.casefold().startswith("to ") else person
    others = [one for one in ctx.world.people(here.id) if one.id != ctx.actor.id]
    if split_name(text, [ctx.actor])[0] is not None and split_name(text, others)[0] is None:
        raise Refusal(ctx.say(TO_YOURSELF))
    listener, words = split_name(text, others)
    if listener is None:
        name = text.split()[0]
        raise refuse_name(ctx, name, match(name, others))
    if not words:
        raise Refusal(ctx.say(NOTHING_WHISPERED, name=listener.name))
    present_or_refuse(ctx, listener)
    told = ctx.say(TOLD, actor=ctx.actor.name, words=words)
    event = Event("whisper", ctx.actor.id, here.id, told, words=words, to=listener.id)
    whispered = ctx.say(WHISPERED, name=listener.name, words=words)
    if listener.id not in ctx.world.asleep:
        return Outcome(whispered, kind="said", events=(event,), mark=MARK)
    change, seen = waking(ctx.say, listener, here)
    return Outcome(f"{whispered}\n{seen.text}", kind="said", changes=(change,), events=(event, seen), mark=MARK)


@command("emote", "<words>", aliases=("me",), category="social", for_models=True)
def emote(ctx: Context, words: str) -> Outcome:
    """Do something that everybody here sees, told with your name in front. Shorthand: a colon.

    What is yours does something after 's.

    Example: emote waves
    Example: :waves
    Example: emote 's eyes glitter
    """
    here = here_or_refuse(ctx)
    how = EMOTED_OWN if _OWN.match(words) else EMOTED
    text = ctx.say(how, actor=ctx.actor.name, words=words if _ENDED.search(words) else f"{words}.")
    event = Event("emote", ctx.actor.id, here.id, text)
    return Outcome(text, kind="did", events=(event,), actions=(Action("emote", here.id, words=words),))


@command("shout", "<words>", aliases=("yell",), category="social", keeps="short")
def shout(ctx: Context, words: str) -> Outcome:
    """Say something so loudly that it is heard in the neighbouring locations too, and from which way it comes.

    Example: shout come to the gate
    """
    here = here_or_refuse(ctx)
    heard = ctx.say(SHOUT_HEARD, actor=ctx.actor.name, words=words)
    events = [Event("shout", ctx.actor.id, here.id, heard, words=words)]
    for place in _neighbours(ctx, here):
        text = _from_afar(ctx, here, place, words)
        events.append(Event("shout", ctx.actor.id, place.id, text, words=words, origin=here.name))
    woken = [waking(ctx.say, one, here) for one in called_by_name(ctx.world, here, words) if one.id != ctx.actor.id]
    said = ctx.say(SHOUTED, words=words)
    reply = "\n".join([said, *(seen.text for _, seen in woken)])
    changes, seen = tuple(change for change, _ in woken), (seen for _, seen in woken)
    action = Action("shout", here.id, words=words)
    return Outcome(reply, kind="said", memory=said, changes=changes, events=(*events, *seen), actions=(action,))


def _neighbours(ctx: Context, here: Thing) -> list[Thing]:
    """Return the locations to which the exits lead, each once."""
    ids = dict.fromkeys(way.to for way in here.exits if way.to != here.id)
    return [place for one in ids if (place := ctx.world.location(one)) is not None]


def _from_afar(ctx: Context, here: Thing, place: Thing, words: str) -> str:
    """Return what is heard in another place, with the way that leads from there to here."""
    way = next((way.name for way in place.exits if way.to == here.id), None)
    if way is None:
        return ctx.say(SOMEWHERE, actor=ctx.actor.name, words=words)
    return ctx.say(FAR, actor=ctx.actor.name, words=words, way=_called(ctx.say, way))


def _called(say: Say, way: str) -> str:
    name = plain(way)
    direction = SHORT.get(name, name)
    return say(VERTICAL[direction]) if direction in VERTICAL else say(THE, exit=direction)
