"""As whom the owner's lines are carried out: as their own character, or as the agent that they possess.

The rank of a line belongs to the way in, so that it is the owner's either way; what the agent itself thinks of never
comes this way.
"""

from __future__ import annotations

from dataclasses import replace

from agents.resting import Possession, Resting
from mud.commands._command import Command
from mud.commands._line import find_command, read_line
from mud.engine import WAKE, Engine, Step
from mud.errors import Refusal
from mud.portal.session import Session
from mud.world.roles import Role

RELEASE, QUIT = "@release", "quit"
STILL_ASLEEP = (WAKE, "sleep")
"""Commands before which nobody is woken: the one wakes, the other is refused to who sleeps."""


def submit(engine: Engine, resting: Resting, owner: str, line: str) -> Step:
    """Carry out a line of the owner; to quit gives back whoever is possessed.

    Args:
        engine: the door into the world.
        resting: knows who is possessed.
        owner: id of the owner's own character.
        line: as typed.
    """
    led = resting.leads(owner)
    command = _command(engine, line) if led is not None else None
    if led is not None and command is not None and command.name == QUIT:
        resting.possession = None
    if led is None or (command is not None and command.name in (RELEASE, QUIT)):
        return engine.step(owner, line, Role.OWNER)
    return _as_possessed(engine, led, line, command)


def _as_possessed(engine: Engine, led: Possession, line: str, command: Command | None) -> Step:
    """Carry out a line as the possessed one; like a person, they wake for whatever they do."""
    asleep = led.who in engine.world.asleep
    woke = ""
    if asleep and command is not None and command.name not in STILL_ASLEEP:
        woke = engine.step(led.who, WAKE, Role.OWNER).reply
    step = engine.step(led.who, line, Role.OWNER)
    return replace(step, reply="\n".join(text for text in (woke, step.reply) if text))


def _command(engine: Engine, line: str) -> Command | None:
    """Return the command that a line names; None when it names none."""
    try:
        return find_command(read_line(line, len(line)).verb, engine.commands)
    except Refusal:
        return None


def look_through(session: Session, resting: Resting) -> None:
    """Have a session see what the possessed one perceives, or, when there is none, the person's own character."""
    led = resting.leads(session.own)
    session.who = led.who if led is not None else session.own
