"""Opens the doors of the network, and hands them what they show of the world and its minds."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from agents.compaction.due import next_at
from mud.errors import LociError
from mud.portal.completion import Completions, complete, known_to
from mud.portal.portal import Door, Endpoint, MemoryBar, OpenMind, Portal
from mud.portal.session import Message, Session
from mud.portal.views import OwnerViews
from mud.registry import load
from mud.server.mind_views import MindReader
from mud.server.monitor import Monitor
from mud.server.people import People
from mud.server.wiring import Parts
from mud.server.world_views import WorldReader
from mud.storage.files import note_address
from mud.world.roles import Role

if TYPE_CHECKING:
    from mud.portal.terminal import TerminalView

WEB = "web"
NEWEST = 20  # memories that an opened mind shows word for word

log = logging.getLogger(__name__)


def make_portal(parts: Parts, people: People, name: Callable[[], str], monitor: Monitor | None = None) -> Portal:
    """Return what doors are given; `name` returns that of the person who started the program."""
    monitor = monitor or Monitor(parts, people.sessions)
    return Portal(
        engine=parts.engine,
        clock=parts.clock,
        settings=people.settings,
        sessions=people.sessions,
        authenticator=people.authenticator,
        limits=people.limits,
        enter=people.enter,
        enter_owner=lambda show: people.enter_local(name(), show),
        leave=people.leave,
        away=people.news.lines,
        memory=partial(_memory, parts),
        complete=partial(complete_line, parts),
        say=parts.texts.render,
        views=OwnerViews(MindReader(parts), WorldReader(parts, people.wrote)),
        troubles=monitor.troubles,
        metrics=monitor.metrics,
        doors=people.doors,
        region=lambda what, sent, signature: people.open_letter(what, sent, signature),
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


def terminal_view(parts: Parts, enter: Callable[[str, Callable[[Message], None]], Session]) -> TerminalView:
    """Return the world as the terminal sees it; `enter` lets the person in."""
    from mud.portal.terminal import TerminalView

    return TerminalView(
        parts.engine.world, parts.clock, parts.texts.render, enter, partial(complete_line, parts),
        partial(_memory, parts), partial(_open_to, parts), partial(_mind, parts),
    )  # fmt: skip


def _open_to(parts: Parts, session: Session) -> list[str]:
    """Return the ids of those whose minds a session may open: its own, and for an owner every agent's."""
    if session.role < Role.OWNER:
        return [session.own]
    minds = parts.minds
    agents = [one for one in minds.definitions.values() if not one.person and minds.lives(one.slug)]
    return list(dict.fromkeys([session.who, *(one.id for one in sorted(agents, key=lambda one: one.name.lower()))]))


def _mind(parts: Parts, who: str) -> OpenMind | None:
    agent, bar = parts.minds.by_id(who), _memory(parts, who)
    if agent is None or bar is None:
        return None
    summaries = [one.text if one else "" for one in (agent.memory.longterm, agent.memory.recent)]
    newest = tuple(f"{entry.seq}. {entry.text}" for entry in agent.memory.newest(NEWEST) if entry.text)
    return OpenMind(agent.name, bar, summaries[0], summaries[1], newest)


async def serve_doors(
    parts: Parts,
    people: People,
    ports: Mapping[str, Sequence[int]],
    tell: Callable[[str, str], None],
    name: Callable[[], str],
    monitor: Monitor | None = None,
) -> None:
    """Serve the doors with these names until cancelled, each at the first of its ports that is free.

    Args:
        tell: called with what owners should know, and its kind of message: the address of each door, or why it cannot
            listen.
        name: returns the name of the person who started the program.
    """
    portal = make_portal(parts, people, name, monitor)

    def opened(door: str, address: str) -> None:
        tell(f"{door}: {address}", "news")
        if door == WEB:
            _note(parts.vault, address.partition("/?")[0])

    await asyncio.gather(*(_serve(door, portal, some, tell, opened) for door, some in ports.items()))


def _note(vault: Path, address: str) -> None:
    try:
        note_address(vault, address)
    except (LociError, OSError) as error:
        log.warning("python -m mud mcp needs --url: the address %s cannot be written down: %s", address, error)


async def _serve(
    name: str,
    portal: Portal,
    ports: Sequence[int],
    tell: Callable[[str, str], None],
    opened: Callable[[str, str], None],
) -> None:
    found = await asyncio.to_thread(load("mud.portal", Door, "door", [name]).get, name)
    host = getattr(portal.settings(), f"{name}_host")
    for port in ports:
        try:
            await found.serve(portal, Endpoint(host, port), partial(opened, name))
        except OSError as error:
            if error.errno == errno.EADDRINUSE and port != ports[-1]:
                continue
            log.error("%s cannot be opened at %s:%d: %s", name, host, port, error)
            why = os.strerror(error.errno) if error.errno else error  # asyncio's own sentence repeats the address
            tell(f"{name} cannot be opened at {host}:{port} ({why}); the world goes on without it", "notice")
            return
