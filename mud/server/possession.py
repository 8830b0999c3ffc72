"""Carries out the owner's lines as their own character or as the agent that they possess.

A line has the owner's role in both cases. Lines carried out as a possessed agent get a trace like the agent's own.
"""

from __future__ import annotations

from agents.mind.traces import Trace
from agents.population import PauseState, Population, Possession
from mud.commands import Command, read_line, understand
from mud.engine.engine import WAKE, Engine, Step
from mud.errors import Refusal
from mud.portal.session import Session
from mud.world.roles import Role

RELEASE, QUIT = "@release", "quit"
STILL_ASLEEP = (WAKE, "sleep")
"""Commands that do not wake a sleeping agent: the one wakes it anyway, the other is refused to a sleeper."""


POSSESSED = "possessed"
"""Stands in a trace in place of a brain: the owner decided."""


def submit(engine: Engine, minds: Population, owner: str, line: str) -> Step:
    """Carry out a line of the owner, given by id; `quit` ends a possession first."""
    resting = minds.resting
    led = resting.leads(owner)
    command = _command(engine, led.who, line) if led is not None else None
    if led is not None and command is not None and command.name == QUIT:
        resting.possession = None
    if led is None or (command is not None and command.name in (RELEASE, QUIT)):
        return engine.step(owner, line, Role.OWNER)
    step = _as_possessed(engine, led, line, command)
    if command is not None and command.role <= Role.AGENT:  # commands that only the owner may use are not the agent's
        _trace(engine, minds, led, step)
    return step


def _as_possessed(engine: Engine, led: Possession, line: str, command: Command | None) -> Step:
    """Carry out a line as the possessed agent; like a player, it wakes up first."""
    asleep = led.who in engine.world.asleep
    woke = ""
    if asleep and command is not None and command.name not in STILL_ASLEEP:
        woke = engine.step(led.who, WAKE, Role.OWNER).reply
    step = engine.step(led.who, line, Role.OWNER)
    return step._replace(reply="\n".join(text for text in (woke, step.reply) if text))


def _trace(engine: Engine, minds: Population, led: Possession, step: Step) -> None:
    """Keep a trace of a possessed agent's line, unless the step was not written to the ledger."""
    agent, here = minds.by_id(led.who), engine.world.location_of(led.who)
    owner = engine.world.things.get(led.owner)
    if agent is None or step.number == 0 or step.line is None:
        return
    trace = Trace(
        step=step.number,
        at=step.at,
        who=led.who,
        line=step.line,
        name=led.name,
        place=here.name if here is not None else "",
        brain=POSSESSED,
        why=f"typed by {owner.name if owner is not None else 'the owner'}, who had taken over",
        refused=step.reply if step.failed else "",
    )
    agent.traces.keep(trace, int(agent.thinking().trace_megabytes * 1_000_000))


def _command(engine: Engine, who: str, line: str) -> Command | None:
    try:
        return understand(read_line(line, len(line)), engine.commands, engine.world, who)[1]
    except Refusal:
        return None


def look_through(session: Session, resting: PauseState) -> None:
    """Let a session show what the possessed agent perceives, or the owner's character when there is none."""
    led = resting.leads(session.own)
    session.who = led.who if led is not None else session.own
