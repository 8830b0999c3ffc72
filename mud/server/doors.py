"""Opens the doors of the network, and hands them what they show of the world and its minds."""

from __future__ import annotations

import asyncio
import errno
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import ParamSpec

from agents.compaction.due import next_at
from mud.portal.completion import Completions, complete, known_to
from mud.portal.portal import Door, Endpoint, MemoryBar, Portal
from mud.portal.session import Session
from mud.portal.settings import DoorSettings
from mud.registry import load
from mud.server.monitor import Monitor
from mud.server.people import People
from mud.server.wiring import Parts

log = logging.getLogger(__name__)

P = ParamSpec("P")


def make_portal(parts: Parts, people: People, monitor: Monitor, name: str) -> Portal:
    """Return what doors are given; `name` is that of the person who started the program."""
    # Imported here because a world without a network needs no password hashes.
    from mud.portal.authentication import Authenticator
    from mud.portal.limits import Limits

    settings = partial(parts.configuration.get, DoorSettings)
    limits = Limits(settings, parts.clock)
    return Portal(
        engine=parts.engine,
        clock=parts.clock,
        settings=settings,
        sessions=people.sessions,
        authenticator=Authenticator(people.accounts, limits, settings, parts.clock, people.free_name),
        limits=limits,
        enter=people.enter,
        enter_owner=partial(people.enter_local, name),
        leave=people.leave,
        memory=partial(_memory, parts),
        complete=partial(complete_line, parts),
        say=parts.texts.render,
        troubles=monitor.troubles,
        metrics=monitor.metrics,
    )


def complete_line(parts: Parts, session: Session, line: str) -> Completions:
    """Return what the end of a line may become that is typed in a session."""
    agent = parts.minds.by_id(session.who)
    known = known_to(parts.engine.world, session.who, agent.notes.titles() if agent else ())
    return complete(line, parts.commands, session.role, known)


def _memory(parts: Parts, who: str) -> MemoryBar | None:
    agent = parts.minds.by_id(who)
    if agent is None:
        return None
    memory = agent.memory
    longterm, recent = (one.covers if one else None for one in (memory.longterm, memory.recent))
    counts = [covers[1] - covers[0] + 1 if covers else 0 for covers in (longterm, recent)]
    return MemoryBar(counts[0], counts[1], memory.total - memory.watermark, next_at(agent.compactor.view))


async def serve_doors(
    parts: Parts,
    people: People,
    monitor: Monitor,
    name: str,
    ports: Mapping[str, Sequence[int]],
    tell: Callable[[str], None],
) -> None:
    """Serve the doors with these names until cancelled, each at the first of its ports that is free.

    `tell` is called with what owners should know: the address of each door, or why it cannot listen.
    """
    portal = make_portal(parts, people, monitor, name)
    for problem in people.accounts.load():
        tell(str(problem))
    await asyncio.gather(*(_serve(door, portal, some, tell) for door, some in ports.items()))


async def _serve(name: str, portal: Portal, ports: Sequence[int], tell: Callable[[str], None]) -> None:
    found = await asyncio.to_thread(load("mud.portal", Door, "door", [name]).get, name)
    host = getattr(portal.settings(), f"{name}_host")
    portal = replace(portal, enter=_noting(name, portal.enter), enter_owner=_noting(name, portal.enter_owner))
    for port in ports:
        try:
            await found.serve(portal, Endpoint(host, port), lambda address: tell(f"{name}: {address}"))
        except OSError as error:
            if error.errno == errno.EADDRINUSE and port != ports[-1]:
                continue
            log.error("%s cannot be opened at %s:%d: %s", name, host, port, error)
            why = error.strerror or error
            tell(f"{name} cannot be opened at {host}:{port} ({why}); the world goes on without it")
            return


def _noting(door: str, enter: Callable[P, Session]) -> Callable[P, Session]:
    """Return a function that lets somebody in as `enter` does, and notes by which door."""

    def entered(*args: P.args, **named: P.kwargs) -> Session:
        session = enter(*args, **named)
        session.door = door
        return session

    return entered
