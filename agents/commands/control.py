"""What the owner does with agents: choose their brain and pace, pause them, take them over, see their prompt, and
`@forget`.
"""

from __future__ import annotations

import math
from pathlib import Path

from agents.agent import Agent
from agents.commands._answer import Answerer, answers, ask, ask_about, asked_about, asked_about_agent, no_mind, set_key
from agents.definition import BRAINS, AgentDefinition, find_definition
from agents.memory.memory import Memory
from agents.population import Population
from agents.population.pausing import Possession
from mud.commands import Context, Outcome, Say, command
from mud.errors import LociError, Refusal, Unavailable, UnknownName
from mud.registry import hint, suggest
from mud.sanitize import visible
from mud.storage.paths import move
from mud.storage.trash import throw_away
from mud.world.events import Request
from mud.world.narration import phrase
from mud.world.roles import Role

BRAIN_SET = phrase("minds.brain.set", "name", "kind", "file")
NO_SUCH_BRAIN = phrase("minds.brain.no_such", "kind", "there")
BRAIN_HINT = phrase("minds.brain.hint", "kind")
WHICH_BRAIN = phrase("minds.brain.which", "there")
INTERVAL_SET = phrase("minds.interval.set", "name", "interval", "file")
INTERVAL_BOUNDS = phrase("minds.interval.bounds", "least", "most", "text")
WHICH_INTERVAL = phrase("minds.interval.which")
SECOND = phrase("minds.count.second")
SECONDS = phrase("minds.count.seconds", "n")
PAUSED = phrase("minds.pause.paused", "name")
PAUSED_ALL = phrase("minds.pause.paused_all")
RESUMED = phrase("minds.pause.resumed", "name")
RESUMED_ALL = phrase("minds.pause.resumed_all")
IS_PAUSED = phrase("minds.pause.is_paused", "name")
POSSESSED = phrase("minds.possess.possessed", "name")
ALREADY_POSSESSED = phrase("minds.possess.already", "name")
IS_ONESELF = phrase("minds.possess.oneself")
IS_PERSON = phrase("minds.possess.person", "name")
AWAY = phrase("minds.possess.away", "name")
RELEASED = phrase("minds.possess.released", "name")
NOBODY = phrase("minds.possess.nobody")
NO_PROMPT = phrase("minds.impersonate.no_world")
FORGOTTEN = phrase("minds.forget.done", "name", "trash", "folder")
NOT_ONESELF = phrase("minds.forget.oneself")
PRESENT = phrase("minds.forget.present", "name")
NO_WORLD = phrase("minds.forget.no_world")
CANNOT_FORGET = phrase("minds.forget.cannot", "name", "why")

LEAST, MOST = 1, 86_400
"""Bounds of the setting `think_interval`, in seconds."""


def checked_kind(name: str) -> str:
    """Return a brain's name in lower case; raises UnknownName when there is none."""
    if (kind := name.casefold()) in BRAINS:
        return kind
    raise UnknownName(f"there is no brain {name!r}; there is: {', '.join(BRAINS)}{hint(name, BRAINS)}")


@command("@brain", "<name> <kind>", role=Role.OWNER, category="admin", keeps="skip")
def brain(ctx: Context, name: str) -> Outcome:
    """Choose what somebody thinks with; auto is a language model while one answers, else the instinct.

    It is written into their agent.md and counts from their next thought on.

    Example: @brain Eliza auto
    Example: @brain Eliza instinct
    """
    who, _, kind = name.rpartition(" ")
    if not who:
        raise Refusal(ctx.say(WHICH_BRAIN, there=", ".join(BRAINS)))
    return ask(ctx, "brain", name=who.strip(), kind=kind.casefold())


@answers("brain")
async def set_brain(minds: Population, request: Request) -> Outcome:
    agent, kind = asked_about_agent(minds, request), request.args["kind"]
    if kind not in BRAINS:
        near = suggest(kind, BRAINS)
        told = minds.say(NO_SUCH_BRAIN, kind=kind, there=", ".join(BRAINS))
        raise Refusal(told, minds.say(BRAIN_HINT, kind=near) if near else "")
    set_key(minds, agent, "brain", kind)
    return Outcome(minds.say(BRAIN_SET, name=agent.name, kind=kind, file=agent.definition.file))


@command("@edit-interval", "<name> <seconds>", role=Role.OWNER, category="admin", keeps="skip")
def edit_interval(ctx: Context, name: str) -> Outcome:
    """Choose after how many seconds somebody thinks again, from 1 to 86400. It is written into their agent.md.

    Whoever is spoken to thinks sooner.

    Example: @edit-interval Eliza 8
    """
    who, _, seconds = name.rpartition(" ")
    if not who:
        raise Refusal(ctx.say(WHICH_INTERVAL))
    return ask(ctx, "edit_interval", name=who.strip(), seconds=seconds)


@answers("edit_interval")
async def set_interval(minds: Population, request: Request) -> Outcome:
    agent, text = asked_about_agent(minds, request), request.args["seconds"]
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not LEAST <= seconds <= MOST:
        raise Refusal(minds.say(INTERVAL_BOUNDS, least=LEAST, most=MOST, text=text))
    seconds = round(seconds, 3)
    set_key(minds, agent, "think_interval", int(seconds) if seconds.is_integer() else seconds)
    interval = seconds_in_words(minds.say, seconds)
    return Outcome(minds.say(INTERVAL_SET, name=agent.name, interval=interval, file=agent.definition.file))


def seconds_in_words(say: Say, count: float) -> str:
    """Word an interval, to follow `every`."""
    return say(SECOND) if count == 1 else say(SECONDS, n=f"{count:g}")


@command("@pause", "[name]", role=Role.OWNER, category="admin", keeps="skip")
def pause(ctx: Context, name: str) -> Outcome:
    """Let somebody, or without a name everybody, not think until @resume. What happens around them they remember.

    A thought that is under way comes to nothing. When the world is opened again, everybody thinks.

    Example: @pause Eliza
    Example: @pause
    """
    return ask(ctx, "pause", name=name)


@command("@resume", "[name]", role=Role.OWNER, category="admin", keeps="skip")
def resume(ctx: Context, name: str) -> Outcome:
    """Let somebody, or without a name everybody, think again after @pause.

    Example: @resume
    """
    return ask(ctx, "resume", name=name)


async def _pause(minds: Population, request: Request) -> Outcome:
    paused = request.name == "pause"
    if not request.args["name"]:
        minds.resting.pause_all(paused=paused)
        return Outcome(minds.say(PAUSED_ALL if paused else RESUMED_ALL))
    agent = asked_about_agent(minds, request)
    minds.resting.pause(agent.slug, paused=paused)
    return Outcome(minds.say(PAUSED if paused else RESUMED, name=agent.name))


PAUSES, RESUMES = Answerer("pause", _pause), Answerer("resume", _pause)


def pause_of(minds: Population, agent: Agent) -> str:
    """Return a message when an agent is paused; else empty."""
    paused = not agent.definition.person and minds.resting.paused(agent.slug)
    return minds.say(IS_PAUSED, name=agent.name) if paused else ""


@command("@possess", "<name>", role=Role.OWNER, category="admin", keeps="skip")
def possess(ctx: Context, name: str) -> Outcome:
    """Take over an agent: what you type it does, what it perceives you see, and its own thinking rests.

    It remembers all that as its own. @release gives it back, and so does quit, which ends your visit as ever. Whoever
    sleeps wakes when you have them do something.

    Example: @possess Eliza
    """
    return ask(ctx, "possess", name=name)


@answers("possess")
async def take_over(minds: Population, request: Request) -> Outcome:
    held, say = minds.resting.possession, minds.say
    if held is not None:
        raise Refusal(say(ALREADY_POSSESSED, name=held.name))
    agent = asked_about(minds, request)
    if agent.id == request.who:
        raise Refusal(say(IS_ONESELF))
    if agent.definition.person:
        raise Refusal(say(IS_PERSON, name=agent.name))
    if minds.world is None or minds.world.location_of(agent.id) is None:
        raise Refusal(say(AWAY, name=agent.name))
    minds.resting.possession = Possession(agent.slug, agent.id, agent.name, request.who)
    return Outcome(say(POSSESSED, name=agent.name))


@command("@release", role=Role.OWNER, category="admin", keeps="skip")
def release(ctx: Context) -> Outcome:
    """Give back the agent that you took over with @possess; from now on it thinks for itself again.

    Example: @release
    """
    return ask(ctx, "release")


@answers("release")
async def give_back(minds: Population, request: Request) -> Outcome:
    held = minds.resting.leads(request.who)
    if held is None:
        raise Refusal(minds.say(NOBODY))
    minds.resting.possession = None
    return Outcome(minds.say(RELEASED, name=held.name))


@command("@impersonate", "<name>", aliases=("@imp",), role=Role.OWNER, category="admin", keeps="skip")
def impersonate(ctx: Context, name: str) -> Outcome:
    """See the exact prompt an agent would get now: who it is, its summaries, what it remembers, where it stands.

    Example: @impersonate Eliza
    """
    return ask_about(ctx, name, "impersonate")


@answers("impersonate")
async def show_prompt(minds: Population, request: Request) -> Outcome:
    agent = asked_about(minds, request)
    if minds.prompting is None:
        raise Refusal(minds.say(NO_PROMPT))
    return Outcome((await minds.prompting.next_prompt(agent)).text)


@command("@forget", "<name>", role=Role.OWNER, category="admin", keeps="skip")
def forget(ctx: Context, name: str) -> Outcome:
    """Take an agent, or a person who is not here, out of the world, with every memory; nothing asks you twice.

    Nothing is deleted: its whole folder moves into .trash of the vault, and moving it back to agents brings back
    whoever it was, with everything that was remembered.

    Example: @forget Corvin
    """
    return ask(ctx, "forget", name=name)


@answers("forget")
async def put_away(minds: Population, request: Request) -> Outcome:
    definition = _may_be_forgotten(minds, request)
    await minds.drop_folds(definition.slug)
    if minds.bring_home is not None and minds.is_lent(definition):
        try:
            await minds.bring_home(definition.id)
        except LociError as error:
            raise Refusal(minds.say(CANNOT_FORGET, name=definition.name, why=error)) from None
    definition = _may_be_forgotten(minds, request)  # the world may have changed during the await
    trash = put_away_folder(minds, definition)
    await minds.means.recall.forget(definition.id)
    told = {"trash": visible(str(trash.relative_to(minds.means.vault))), "folder": visible(f"agents/{definition.slug}")}
    return Outcome(minds.say(FORGOTTEN, name=definition.name, **told))


def _may_be_forgotten(minds: Population, request: Request) -> AgentDefinition:
    name = request.args["name"]
    definition = find_definition(name, minds.definitions)
    if definition is None:
        raise no_mind(minds, name)
    if definition.id == request.who:
        raise Refusal(minds.say(NOT_ONESELF))
    if minds.world is None or minds.send_away is None:
        raise Refusal(minds.say(NO_WORLD))
    here = minds.world.location_of(definition.id) is not None and definition.id not in minds.world.absent
    if definition.person and here:
        raise Refusal(minds.say(PRESENT, name=definition.name))
    return definition


def put_away_folder(minds: Population, definition: AgentDefinition) -> Path:
    """Move a character's folder to the trash and remove it from the world, or refuse and change nothing.

    It never awaits, so nobody writes in between. Returns the folder in the trash.
    """
    folder, agent = minds.means.vault / "agents" / definition.slug, minds.by_slug(definition.slug)
    try:
        if agent is not None:
            _must_be_written(agent.memory)
        trash = throw_away(minds.means.vault, folder, minds.means.clock.now())
    except (LociError, OSError) as error:
        raise Refusal(minds.say(CANNOT_FORGET, name=definition.name, why=error)) from None
    assert minds.send_away is not None
    try:
        minds.send_away(definition)
    except LociError as error:
        move(trash, folder)
        raise Refusal(minds.say(CANNOT_FORGET, name=definition.name, why=error)) from None
    return trash


def _must_be_written(memory: Memory) -> None:
    """Write all pending entries to the archive before its folder is moved; raises Unavailable when it cannot."""
    memory.retry()
    if memory.waiting or memory.missing_from is not None:
        raise Unavailable(f"the archive of {memory.name} cannot be written, so something would be lost")
    memory.sync()
