"""`@forget`: move a character with all its memories to the vault's trash; nothing is deleted."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from agents.commands._answer import answers, no_mind
from agents.definition import AgentDefinition, find_definition
from agents.memory.memory import Memory
from agents.mind.character_memory import TRASH
from agents.population.population import Population
from mud.commands import Context, Outcome, command
from mud.errors import LociError, Refusal, Unavailable
from mud.sanitize import visible
from mud.storage.paths import make_folder, move
from mud.world.events import Request
from mud.world.narration import phrase
from mud.world.roles import Role

DONE = phrase("minds.forget.done", "name", "trash", "folder")
ONESELF = phrase("minds.forget.oneself")
PRESENT = phrase("minds.forget.present", "name")
NO_WORLD = phrase("minds.forget.no_world")
CANNOT = phrase("minds.forget.cannot", "name", "why")


@command("@forget", "<name>", role=Role.OWNER, category="admin", keeps="skip")
def forget(ctx: Context, name: str) -> Outcome:
    """Take an agent, or a person who is not here, out of the world, with every memory; nothing asks you twice.

    Nothing is deleted: its whole folder moves into .trash of the vault, and moving it back to agents brings back
    whoever it was, with everything that was remembered.

    Example: @forget Corvin
    """
    return Outcome("", requests=(Request("forget", ctx.actor.id, ctx.step, {"name": name}),))


@answers("forget")
async def put_away(minds: Population, request: Request) -> Outcome:
    definition = _asked(minds, request)
    await minds.drop_folds(definition.slug)
    definition = _asked(minds, request)  # the world may have changed during the await
    trash = _put_away(minds, definition)
    await minds.means.recall.forget(definition.id)
    told = {"trash": visible(str(trash.relative_to(minds.means.vault))), "folder": visible(f"agents/{definition.slug}")}
    return Outcome(minds.say(DONE, name=definition.name, **told))


def _asked(minds: Population, request: Request) -> AgentDefinition:
    name = request.args["name"]
    definition = find_definition(name, minds.definitions)
    if definition is None:
        raise no_mind(minds, name)
    if definition.id == request.who:
        raise Refusal(minds.say(ONESELF))
    if minds.world is None or minds.send_away is None:
        raise Refusal(minds.say(NO_WORLD))
    if definition.person and minds.world.location_of(definition.id) is not None:
        raise Refusal(minds.say(PRESENT, name=definition.name))
    return definition


def _put_away(minds: Population, definition: AgentDefinition) -> Path:
    """Move a character's folder to the trash and remove it from the world, or refuse and change nothing.

    It never awaits, so nobody writes in between.
    """
    folder, agent = minds.means.vault / "agents" / definition.slug, minds.by_slug(definition.slug)
    try:
        if agent is not None:
            _must_be_written(agent.memory)
        trash = _trash_of(folder, minds.means.clock.now())
        make_folder(trash.parent)
        move(folder, trash)
    except (LociError, OSError) as error:
        raise Refusal(minds.say(CANNOT, name=definition.name, why=error)) from None
    assert minds.send_away is not None
    try:
        minds.send_away(definition)
    except LociError as error:
        move(trash, folder)
        raise Refusal(minds.say(CANNOT, name=definition.name, why=error)) from None
    return trash


def _must_be_written(memory: Memory) -> None:
    """Write all pending entries to the archive before its folder is moved; raises Unavailable when it cannot."""
    memory.retry()
    if memory.waiting or memory.missing_from is not None:
        raise Unavailable(f"the archive of {memory.name} cannot be written, so something would be lost")
    memory.sync()


def _trash_of(folder: Path, now: datetime) -> Path:
    """Return an unused path in the vault's trash for a character's folder, named by folder and time."""
    stem = f"{folder.name}-{now:%Y%m%d-%H%M%S}"
    trash, number = folder.parent.parent / TRASH, 1
    while (found := trash / (stem if number == 1 else f"{stem}-{number}")).exists():
        number += 1
    return found
