"""Who a character is: `@my-...` and `@set-...` for oneself, `@show-profile` and `@edit-profile` for the owner, and
`@undo-change`.

A person's text about themselves replaces the one in agent.md. An agent's text goes into a section of its own.
"""

from __future__ import annotations

from typing import NamedTuple

from agents.commands._answer import (
    LONGEST,
    LONGEST_OWN,
    Answerer,
    answers,
    ask,
    ask_about,
    asked_about,
    asked_about_agent,
    checked_text,
    set_key,
    set_section,
    take_back,
)
from agents.commands.control import seconds_in_words
from agents.population import Population
from mud.commands import Context, Outcome, command
from mud.world.changes import Define
from mud.world.events import OWN_SELF, Event, Request
from mud.world.narration import Phrase, phrase
from mud.world.roles import Role

MY_PROFILE = phrase("minds.profile.mine", "text")
NO_PROFILE = phrase("minds.profile.mine_none")
PROFILE_SET = phrase("minds.profile.set", "text")
PROFILE_WAS = phrase("minds.profile.was", "text")
PROFILE_SEEN = phrase("minds.profile.seen", "actor")
MY_DESCRIPTION = phrase("minds.description.mine", "text")
NO_DESCRIPTION = phrase("minds.description.mine_none")
DESCRIPTION_SET = phrase("minds.description.set", "text")
DESCRIPTION_WAS = phrase("minds.description.was", "text")
DESCRIPTION_SEEN = phrase("minds.description.seen", "actor")
MY_GOAL = phrase("minds.goal.mine", "text")
NO_GOAL = phrase("minds.goal.mine_none")
GOAL_SET = phrase("minds.goal.set", "text")
GOAL_CLEARED = phrase("minds.goal.cleared")
GOAL_WAS = phrase("minds.goal.was", "text")
GOAL_SEEN = phrase("minds.goal.seen", "actor")
OWN_WORDS = phrase("minds.edit.own_words", "text")
SHOWN = phrase("minds.profile.shown", "name", "brain", "voice", "interval", "file")
SHOWN_PERSON = phrase("minds.profile.shown_person", "name", "file")
DESCRIPTION_OF = phrase("minds.profile.description", "text")
PROFILE_OF = phrase("minds.profile.profile", "text")
GOAL_OF = phrase("minds.profile.goal", "text")
NOTHING = phrase("minds.profile.nothing")
EDITED = phrase("minds.profile.edited", "name", "text", "file")
UNDONE = phrase("minds.undo.done", "name", "what", "file")


class Own(NamedTuple):
    """One field that characters may change about themselves.

    Args:
        mine, none: show it; say that it is empty.
        set, was: report a change; name the text before it.
        seen: what others see of a change.
        cleared: reports an empty text; None when it may not be empty.
    """

    field: str
    mine: Phrase
    none: Phrase
    set: Phrase
    was: Phrase
    seen: Phrase
    cleared: Phrase | None = None

    def answers(self) -> tuple[Answerer, Answerer]:
        return Answerer(f"my_{self.field}", self._show), Answerer(f"set_{self.field}", self._change)

    def ask_to_show(self, ctx: Context) -> Outcome:
        return ask(ctx, f"my_{self.field}", "result")

    def ask_to_change(self, ctx: Context, text: str) -> Outcome:
        person = "yes" if ctx.role > Role.AGENT else ""
        return ask(ctx, f"set_{self.field}", "did", text=text, reason=ctx.reason or "", person=person)

    async def _show(self, minds: Population, request: Request) -> Outcome:
        definition = minds.of(request).definition
        text, own = getattr(definition, self.field), getattr(definition, f"own_{self.field}")
        shown = minds.say(self.mine, text=text) if text else minds.say(self.none)
        return Outcome(f"{shown}\n{minds.say(OWN_WORDS, text=own)}" if own else shown, mark=OWN_SELF)

    async def _change(self, minds: Population, request: Request) -> Outcome:
        """Write the new text and report it with the one before; others perceive `seen`, but not what changed."""
        agent, may_be_empty = minds.of(request), self.cleared is not None
        person = bool(request.args.get("person"))  # without the mark of a person it counts as an agent
        before = getattr(agent.definition, self.field) if person else ""
        most = LONGEST if person else LONGEST_OWN
        text = checked_text(request.args["text"], minds, may_be_empty=may_be_empty, most=most)
        if person and self is GOAL:
            set_key(minds, agent, self.field, text)
        else:
            heading = self.field.capitalize() if person else f"Own {self.field}"
            set_section(minds, agent, heading, text, own=not person)
        told = minds.say(self.cleared) if self.cleared and not text else minds.say(self.set, text=text)
        here = minds.world.location_of(agent.id) if minds.world is not None else None
        events = (Event("action", agent.id, here.id, minds.say(self.seen, actor=agent.name)),) if here else ()
        reply = f"{told}\n{minds.say(self.was, text=before)}" if before else told
        return Outcome(reply, memory=told, changes=(Define(agent.definition.thing()),), events=events)


PROFILE = Own("profile", MY_PROFILE, NO_PROFILE, PROFILE_SET, PROFILE_WAS, PROFILE_SEEN)
DESCRIPTION = Own("description", MY_DESCRIPTION, NO_DESCRIPTION, DESCRIPTION_SET, DESCRIPTION_WAS, DESCRIPTION_SEEN)
GOAL = Own("goal", MY_GOAL, NO_GOAL, GOAL_SET, GOAL_WAS, GOAL_SEEN, GOAL_CLEARED)
SHOW_PROFILE, CHANGE_PROFILE = PROFILE.answers()
SHOW_DESCRIPTION, CHANGE_DESCRIPTION = DESCRIPTION.answers()
SHOW_GOAL, CHANGE_GOAL = GOAL.answers()


@command("@my-profile", category="memory", keeps="skip")
def my_profile(ctx: Context) -> Outcome:
    """See who you are: your profile, as it stands in your agent.md. Nobody else learns that you looked.

    Example: @my-profile
    """
    return PROFILE.ask_to_show(ctx)


@command("@set-profile", "<text>", category="memory", keeps="skip", for_models=True, alters="self")
def set_profile(ctx: Context, text: str) -> Outcome:
    """Change who you are. It is written into your agent.md and counts from your next thought on.

    Others see only that you are thinking of something. The arrow may be left out.

    Example: @set-profile -> You mend boats, and you ask before you mend.
    """
    return PROFILE.ask_to_change(ctx, text)


@command("@my-description", category="memory", keeps="skip")
def my_description(ctx: Context) -> Outcome:
    """See what others see who look at you.

    Example: @my-description
    """
    return DESCRIPTION.ask_to_show(ctx)


@command("@set-description", "<text>", category="memory", keeps="skip", for_models=True, alters="self")
def set_description(ctx: Context, text: str) -> Outcome:
    """Change what others see who look at you. It is written into your agent.md; the arrow may be left out.

    Others see that something about you changes; what, they see when they look.

    Example: @set-description -> A tall visitor in a wet coat.
    """
    return DESCRIPTION.ask_to_change(ctx, text)


@command("@my-goal", category="memory", keeps="skip")
def my_goal(ctx: Context) -> Outcome:
    """See what you want. Nobody else learns that you looked; agents say what they want when they are asked.

    Example: @my-goal
    """
    return GOAL.ask_to_show(ctx)


@command("@set-goal", "[text]", category="memory", keeps="skip", for_models=True, alters="self")
def set_goal(ctx: Context, text: str) -> Outcome:
    """Change what you want; with nothing after the arrow you want nothing in particular. The arrow may be left out.

    It is written into your agent.md and counts from your next thought on. Others see only that you made up your mind.

    Example: @set-goal -> Find the fin of the sundial.
    Example: @set-goal ->
    """
    return GOAL.ask_to_change(ctx, text)


@command("@undo-change", "[name]", role=Role.GUEST, category="memory", keeps="skip")
def undo_change(ctx: Context, name: str) -> Outcome:
    """Take back the last change that a command made to your agent.md; typed again, the one before.

    Only what that command changed becomes what it was. What people wrote is kept for good beside the
    agent.md, in versions/, and the last fifty texts that commands wrote. The owner may name anybody.

    Example: @undo-change
    """
    return ask_about(ctx, name, "undo_change")


@answers("undo_change")
async def undo(minds: Population, request: Request) -> Outcome:
    agent = asked_about(minds, request)
    field = take_back(minds, agent)
    told = minds.say(UNDONE, name=agent.name, what=field.replace("_", " "), file=agent.definition.file)
    return Outcome(told, changes=(Define(agent.definition.thing()),))


@command("@show-profile", "<name>", role=Role.OWNER, category="admin", keeps="skip")
def show_profile(ctx: Context, name: str) -> Outcome:
    """See who somebody is: profile, description, goal, brain, and how often they think.

    Example: @show-profile Eliza
    """
    return ask_about(ctx, name, "show_profile")


@answers("show_profile")
async def show(minds: Population, request: Request) -> Outcome:
    agent, say = asked_about(minds, request), minds.say
    one = agent.definition
    if one.person:
        lines = [say(SHOWN_PERSON, name=one.name, file=one.file)]
    else:
        interval = seconds_in_words(say, agent.thinking().think_interval)
        lines = [say(SHOWN, name=one.name, brain=one.brain, voice=one.voice, interval=interval, file=one.file)]
    for how, text, own in (
        (DESCRIPTION_OF, one.description, one.own_description),
        (PROFILE_OF, one.profile, one.own_profile),
        (GOAL_OF, one.goal, one.own_goal),
    ):
        lines += [say(how, text=text or say(NOTHING)), *([say(OWN_WORDS, text=own)] if own else [])]
    return Outcome("\n".join(lines))


@command("@edit-profile", "<name> -> <text>", role=Role.OWNER, category="admin", keeps="skip")
def edit_profile(ctx: Context, name: str, text: str) -> Outcome:
    """Change who somebody is. It is written into their agent.md and counts from their next thought on.

    Nothing else in the file changes, and they are not told.

    Example: @edit-profile Eliza -> You keep the garden, and you never hurry.
    """
    return ask(ctx, "edit_profile", name=name, text=text)


@answers("edit_profile")
async def edit(minds: Population, request: Request) -> Outcome:
    agent = asked_about_agent(minds, request)
    text = checked_text(request.args["text"], minds)
    set_section(minds, agent, "Profile", text)
    return Outcome(minds.say(EDITED, name=agent.name, text=text, file=agent.definition.file))
