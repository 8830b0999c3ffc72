"""`@my-profile`, `@set-profile`, and for the owner `@show-profile` and `@edit-profile`."""

from __future__ import annotations

from agents.commands._answer import answers, ask_about, asked_about
from agents.commands._count import seconds
from agents.commands._edit import mind_only, set_section, words_of
from agents.commands._own import OWN_WORDS, Own
from agents.population.population import Population
from mud.commands import Context, Outcome, command
from mud.world.events import Request
from mud.world.narration import phrase
from mud.world.roles import Role

MINE = phrase("minds.profile.mine", "text")
MINE_NONE = phrase("minds.profile.mine_none")
SET = phrase("minds.profile.set", "text")
WAS = phrase("minds.profile.was", "text")
SEEN = phrase("minds.profile.seen", "actor")
SHOWN = phrase("minds.profile.shown", "name", "brain", "voice", "interval", "file")
SHOWN_PERSON = phrase("minds.profile.shown_person", "name", "file")
GOAL = phrase("minds.profile.goal", "text")
DESCRIPTION = phrase("minds.profile.description", "text")
PROFILE = phrase("minds.profile.profile", "text")
NOTHING = phrase("minds.profile.nothing")
EDITED = phrase("minds.profile.edited", "name", "text", "file")

SECTION = "Profile"
OWN = Own(
    "profile",
    lambda minds, agent, words: set_section(minds, agent, SECTION, words),
    MINE,
    MINE_NONE,
    SET,
    WAS,
    SEEN,
)


@command("@my-profile", category="memory", keeps="skip")
def my_profile(ctx: Context) -> Outcome:
    """See who you are: your profile, as it stands in your agent.md. Nobody else learns that you looked.

    Example: @my-profile
    """
    return OWN.see(ctx)


@command("@set-profile", "<text>", category="memory", keeps="skip", for_models=True, alters="self")
def set_profile(ctx: Context, text: str) -> Outcome:
    """Change who you are. It is written into your agent.md and counts from your next thought on.

    Others see only that you are thinking of something. The arrow may be left out.

    Example: @set-profile -> You mend boats, and you ask before you mend.
    """
    return OWN.change(ctx, text)


@command("@show-profile", "<name>", role=Role.OWNER, category="admin", keeps="skip")
def show_profile(ctx: Context, name: str) -> Outcome:
    """See who somebody is: profile, description, goal, brain, and how often they think.

    Example: @show-profile Eliza
    """
    return ask_about(ctx, name, "show_profile")


@command("@edit-profile", "<name> -> <text>", role=Role.OWNER, category="admin", keeps="skip")
def edit_profile(ctx: Context, name: str, text: str) -> Outcome:
    """Change who somebody is. It is written into their agent.md and counts from their next thought on.

    Nothing else in the file changes, and they are not told.

    Example: @edit-profile Eliza -> You keep the garden, and you never hurry.
    """
    args = {"name": name, "text": text}
    return Outcome("", requests=(Request("edit_profile", ctx.actor.id, ctx.step, args),))


@answers("my_profile")
async def tell_mine(minds: Population, request: Request) -> Outcome:
    return OWN.told(minds, request)


@answers("set_profile")
async def set_mine(minds: Population, request: Request) -> Outcome:
    return OWN.changed(minds, request)


@answers("show_profile")
async def tell(minds: Population, request: Request) -> Outcome:
    agent, say = asked_about(minds, request), minds.say
    one = agent.definition
    if one.person:
        head = say(SHOWN_PERSON, name=one.name, file=one.file)
    else:
        interval = seconds(say, agent.thinking().think_interval)
        head = say(SHOWN, name=one.name, brain=one.brain, voice=one.voice, interval=interval, file=one.file)
    parts = (
        (DESCRIPTION, one.description, one.own_description),
        (PROFILE, one.profile, one.own_profile),
        (GOAL, one.goal, one.own_goal),
    )
    lines = [head]
    for how, text, own in parts:
        lines += [say(how, text=text or say(NOTHING)), *([say(OWN_WORDS, text=own)] if own else [])]
    return Outcome("\n".join(lines))


@answers("edit_profile")
async def edit(minds: Population, request: Request) -> Outcome:
    agent = mind_only(minds, asked_about(minds, request))
    words = words_of(request.args["text"], minds)
    set_section(minds, agent, SECTION, words)
    return Outcome(minds.say(EDITED, name=agent.name, text=words, file=agent.definition.file))
