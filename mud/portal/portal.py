"""What every door is given of the world, and how a door is written."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

from mud.clock import Clock
from mud.commands import Say
from mud.engine.engine import Engine
from mud.portal.completion import Completions
from mud.portal.letters import OpenLetter
from mud.portal.limits import Limits
from mud.portal.session import Message, Session, Sessions
from mud.portal.settings import DoorSettings
from mud.portal.views import OwnerViews
from mud.storage.accounts import Account

if TYPE_CHECKING:
    from mud.portal.authentication import Authenticator


class Enter(Protocol):
    def __call__(
        self, account: Account | None, show: Callable[[Message], None], door: str = "", address: str = ""
    ) -> Session:
        """Let a person in, or a guest for None, and return their session. Raises Refusal, LociError and OSError.

        Args:
            account: as login or register returned it; refused when it was banned since or has another password.
            door, address: the name of the door and where the person comes from, for the owner and for bans.
        """


class MemoryBar(NamedTuple):
    """How much of a memory is in which form: counts of memories, and the number at which the next fold is due."""

    longterm: int
    recent: int
    verbatim: int
    next_fold: int | None


class OpenMind(NamedTuple):
    """A memory in words: its summaries, empty when there is none, and the newest memories, oldest first."""

    name: str
    bar: MemoryBar
    longterm: str
    recent: str
    newest: tuple[str, ...]


@dataclass
class OpenDoors:
    """What doors tell of themselves while they are open.

    Args:
        ports: the port of each, by the door's name.
        owner_address: returns an address that signs a browser in as the owner, once; None while there are no pages.
    """

    ports: dict[str, int] = field(default_factory=dict)
    owner_address: Callable[[], str] | None = None


@dataclass(frozen=True)
class Portal:
    """The world as doors see it. What concerns minds is handed in by `mud.server` as callables.

    Args:
        enter: lets a person with an account, or a guest, in.
        enter_owner: lets the person in who started the program.
        leave: ends a session whose connection is gone; may be called twice.
        away: returns what happened while a character's person was away the last time, in at most three lines; who
            comes in is told it anyway.
        memory: returns the state of a character's memory; None without one.
        complete: returns what the end of a line may become that somebody is typing.
        views: what owners may see of minds and of the running program.
        troubles: returns why the world does not work as it should; empty while it does. For `/healthz`.
        metrics: returns the world's figures in Prometheus' text format. For `/metrics`.
        doors: what doors tell of themselves.
        region: takes letters of other worlds.
    """

    engine: Engine
    clock: Clock
    settings: Callable[[], DoorSettings]
    sessions: Sessions
    authenticator: Authenticator
    limits: Limits
    enter: Enter
    enter_owner: Callable[[Callable[[Message], None]], Session]
    leave: Callable[[Session], None]
    away: Callable[[str], list[str]]
    memory: Callable[[str], MemoryBar | None]
    complete: Callable[[Session, str], Completions]
    say: Say
    views: OwnerViews
    troubles: Callable[[], list[str]]
    metrics: Callable[[], Awaitable[bytes]]
    doors: OpenDoors
    region: OpenLetter


class Endpoint(NamedTuple):
    """Where a door listens."""

    host: str
    port: int


class Door(NamedTuple):
    """A way in over the network, as a plug-in.

    Args:
        serve: listens at a place until it is cancelled; calls its last argument with the address once people can come.
    """

    name: str
    serve: Callable[[Portal, Endpoint, Callable[[str], None]], Awaitable[None]]


def door(name: str) -> Callable[[Callable[[Portal, Endpoint, Callable[[str], None]], Awaitable[None]]], Door]:
    """Make a coroutine function a door."""
    return lambda serve: Door(name, serve)
