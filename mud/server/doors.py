"""Opens the doors of the network, and hands them what they show of the world and its minds."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from agents.compaction.due import next_at
from mud.portal.portal import Door, Enter, MemoryBar, Place, Portal
from mud.portal.session import Message, Session
from mud.portal.settings import DoorSettings
from mud.registry import load
from mud.server.monitor import Monitor
from mud.server.people import People
from mud.server.wiring import Parts
from mud.storage.accounts import Account

log = logging.getLogger(__name__)


def make_portal(parts: Parts, people: People, monitor: Monitor) -> Portal:
    """Return what doors are given. Raises VaultProblem when an account cannot be read."""
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
        leave=people.leave,
        memory=partial(_memory, parts),
        words=lambda role: sorted(
            word for one in parts.commands if one.role <= role for word in (one.name, *one.aliases)
        ),
        troubles=monitor.troubles,
        metrics=monitor.metrics,
    )


def _memory(parts: Parts, who: str) -> MemoryBar | None:
    agent = parts.minds.by_id(who)
    if agent is None:
        return None
    memory = agent.memory
    longterm, recent = (one.covers if one else None for one in (memory.longterm, memory.recent))
    counts = [covers[1] - covers[0] + 1 if covers else 0 for covers in (longterm, recent)]
    return MemoryBar(counts[0], counts[1], memory.total - memory.watermark, next_at(agent.compactor.view))


async def serve_doors(
    parts: Parts, people: People, monitor: Monitor, ports: Mapping[str, int], tell: Callable[[str], None]
) -> None:
    """Serve the doors with these names at their ports until cancelled; `tell` is called with what owners should know.

    A door that cannot listen is told, and the others are served.
    """
    portal = make_portal(parts, people, monitor)
    for problem in people.accounts.load():
        tell(str(problem))
    await asyncio.gather(*(_serve(name, portal, port, tell) for name, port in ports.items()))


async def _serve(name: str, portal: Portal, port: int, tell: Callable[[str], None]) -> None:
    found = await asyncio.to_thread(load("mud.portal", Door, "door", [name]).get, name)
    host = getattr(portal.settings(), f"{name}_host")
    portal = replace(portal, enter=_by_door(name, portal.enter))
    try:
        await found.serve(portal, Place(host, port), lambda address: tell(f"{name}: {address}"))
    except OSError as error:
        log.error("%s cannot be opened at %s:%d: %s", name, host, port, error)
        tell(f"{name} cannot be opened at {host}:{port} ({error.strerror or error}); the world goes on without it")


def _by_door(name: str, enter: Enter) -> Enter:
    def by_door(account: Account | None, show: Callable[[Message], None]) -> Session:
        session = enter(account, show)
        session.door = name
        return session

    return by_door
