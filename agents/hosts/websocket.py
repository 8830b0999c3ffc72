"""Minds of this process for which a brain written elsewhere thinks, connected by websocket.

Memory stays here. A turn of an agent whose brain is `remote` goes to the connection that thinks for it; where none
does, or none answers in time, the instinct takes the turn. docs/brains.md has the messages.
"""

from __future__ import annotations

import asyncio
import hmac
import itertools
import logging
import secrets
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from agents.agent import Agent
from agents.brains import Decision
from agents.brains.remote import REMOTE
from agents.definition import AgentDefinition
from agents.hosts import HostKind, HostPlace, HostSettings, Kept, Lease, Line, MindTurn, Status
from agents.hosts._wire import (
    ALL,
    LONGEST_MESSAGE,
    VERSION,
    Given,
    Hello,
    Wrong,
    memories_of,
    read_hello,
    read_lines,
    situation_of,
    written,
)
from agents.hosts.local import LocalHost
from agents.mind.actor import bearing_in_mind
from agents.mind.thinker import Thought
from mud.errors import LociError, Unavailable

log = logging.getLogger(__name__)

GREETING = 5.0
"""Seconds that a connection has for its first message."""
FORBIDDEN = 1008
"""The websocket's code for a connection that is closed because of what it said."""


class Connection:
    """One brain, and the turns that wait for its lines."""

    def __init__(self, socket: ServerConnection, hello: Hello) -> None:
        self.name, self.prompts = hello.name, hello.prompts
        self.epochs: dict[str, int] = {}
        """By id, the epoch of each mind that it thinks for."""
        self.seen: dict[str, int] = {}
        """By id, the newest memory that it was told."""
        self._socket = socket
        self._turns: dict[tuple[str, int], tuple[dict[str, object], int]] = {}
        """Turns to be sent, by id and number, and the newest memory in each."""
        self._waiting: dict[tuple[str, int], asyncio.Future[Given | None]] = {}
        self._news = asyncio.Event()

    async def ask(
        self, who: str, number: int, turn: dict[str, object], patience: float, newest: int = 0
    ) -> Given | None:
        """Return the line for a turn; None when it has not come in so many seconds.

        None comes at once for a mind for which it does not think any more. `newest`: the last memory in the turn.
        """
        if self.epochs.get(who) != turn["epoch"]:
            return None
        key = who, number
        waiting: asyncio.Future[Given | None] = asyncio.get_running_loop().create_future()
        self._waiting[key] = waiting
        self._turns[key] = turn, newest
        self._news.set()
        try:
            async with asyncio.timeout(patience):
                return await waiting
        except TimeoutError:
            return None
        finally:
            self._waiting.pop(key, None)
            self._turns.pop(key, None)

    async def send_turns(self) -> None:
        """Send turns as they come, all that wait in one message; those of a slow reader expire meanwhile."""
        while True:
            await self._news.wait()
            self._news.clear()
            turns, self._turns = self._turns, {}
            if turns:
                # A turn that expired before has told nothing: its memories come with the next one.
                for (who, _), (_, newest) in turns.items():
                    self.seen[who] = max(newest, self.seen.get(who, 0))
                await self.tell(written("tick", turns=[turn for turn, _ in turns.values()]))

    async def take(self, given: Given) -> None:
        """Give a line to the turn that it answers; one that nobody waits for is reported back."""
        waiting = self._waiting.get((given.who, given.turn))
        if waiting is None or waiting.done() or self.epochs.get(given.who) != given.epoch:
            await self.tell(written("late", id=given.who, epoch=given.epoch, turn=given.turn))
        else:
            waiting.set_result(given)

    async def tell(self, message: str) -> None:
        with suppress(ConnectionClosed):
            await self._socket.send(message)

    def drop(self, who: str) -> None:
        """Think for a mind no more; the turns that wait go to the instinct."""
        self.epochs.pop(who, None)
        for (one, _), waiting in self._waiting.items():
            if one == who and not waiting.done():
                waiting.set_result(None)


class WebsocketHost(LocalHost):
    """The minds of this process, and the server to which brains connect. `open` starts it, also for no minds."""

    def __init__(self, place: HostPlace) -> None:
        super().__init__(*place.here.made_of)
        self._settings: Callable[[], HostSettings] = place.settings
        self._server: Server | None = None
        self._token = ""
        self._brains: dict[str, Connection] = {}
        """Who thinks for a mind, by its id."""
        self._epochs: Counter[str] = Counter()
        self._numbers = itertools.count(1)

    @property
    def address(self) -> str:
        """Where it listens; empty before the first `open`."""
        if self._server is None:
            return ""
        host, port = next(iter(self._server.sockets)).getsockname()[:2]
        return f"ws://[{host}]:{port}" if ":" in host else f"ws://{host}:{port}"

    @property
    def token(self) -> str:
        """What a brain must know to come in: that of the settings, else one made at the start."""
        return self._settings().brains_token or self._token

    async def open(self, minds: Sequence[Lease]) -> list[Kept]:
        if self._server is None:
            settings, self._token = self._settings(), secrets.token_urlsafe(24)
            where = f"{settings.brains_host}:{settings.brains_port}"
            try:
                self._server = await serve(
                    self._met, settings.brains_host, settings.brains_port, max_size=LONGEST_MESSAGE, compression=None
                )
            except OSError as error:
                raise Unavailable(f"brains cannot connect, as {where} cannot be opened: {error}") from error
        return await super().open(minds)

    async def status(self) -> Status:
        token = "" if self._settings().brains_token else f", token {self._token}"
        return (await super().status())._replace(name=f"brains may connect to {self.address}{token}")

    async def end(self) -> None:
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()
            self._server = None
        await super().end()

    # ---- turns ----

    async def _thought(self, turn: MindTurn, agent: Agent) -> Line | None:
        brain = self._brains.get(agent.id)
        if brain is None or turn.scene is None or agent.thinker is None or agent.thinker.chosen != REMOTE:
            return await super()._thought(turn, agent)
        seconds = turn.scene.seconds
        number = next(self._numbers)
        given = await self._asked(brain, number, turn, agent)
        if given is None or agent.thinker is None:
            return await super()._thought(turn, agent)
        decision = Decision(given.line, given.why or f"{brain.name} decided so", pause=given.pause)
        agent.thinker.last = Thought(REMOTE, decision, agent.thinker.seconds() - seconds, turn.waiting)
        return Line(turn.who, turn.epoch, agent.thinker.last)

    async def _asked(self, brain: Connection, number: int, turn: MindTurn, agent: Agent) -> Given | None:
        assert turn.scene is not None
        here = bearing_in_mind(turn.scene, agent.memory, agent.notes)
        new = [entry for entry in here.recent if entry.seq > brain.seen.get(agent.id, 0)]
        patience = self._settings().brains_patience
        told: dict[str, object] = {
            "id": agent.id, "epoch": brain.epochs[agent.id], "turn": number, "seconds": patience,
            "waiting": turn.waiting, "memories": memories_of(new), "situation": situation_of(here),
        }  # fmt: skip
        if brain.prompts and self._minds.prompting is not None:
            try:
                told["prompt"] = (await self._minds.prompting.next_prompt(agent)).text
            except LociError as error:
                log.info("%s: no prompt for its brain: %s", agent.name, error)
        return await brain.ask(agent.id, number, told, patience, new[-1].seq if new else 0)

    # ---- connections ----

    async def _met(self, socket: ServerConnection) -> None:
        """Let one connection think until it ends."""
        try:
            async with asyncio.timeout(GREETING):
                hello = read_hello(await socket.recv())
            agents = self._wanted(hello)
        except (Wrong, TimeoutError, ConnectionClosed) as error:
            wrong = error if isinstance(error, Wrong) else Wrong("late", "no hello came in time")
            with suppress(ConnectionClosed):
                await socket.send(wrong.message())
                await socket.close(FORBIDDEN, wrong.code)
            return
        brain = Connection(socket, hello)
        sending = asyncio.create_task(brain.send_turns())
        try:
            await self._take_over(brain, agents)
            async for message in socket:
                await self._heard(brain, message)
        except ConnectionClosed:
            pass
        finally:
            sending.cancel()
            for who in list(brain.epochs):
                self._leave(brain, who)

    def _wanted(self, hello: Hello) -> list[AgentDefinition]:
        """Return the agents that a brain may think for. Raises Wrong."""
        if not hmac.compare_digest(hello.token.encode("utf-8", "surrogatepass"), self.token.encode()):
            raise Wrong("token", "the token is wrong")
        remote = [one for one in self._minds.definitions.values() if self._is_remote(one)]
        if ALL in hello.agents:
            return remote
        found = {name: agent for agent in remote for name in (agent.name.lower(), agent.slug, agent.id)}
        if missing := [name for name in hello.agents if name.lower() not in found]:
            there = ", ".join(sorted(agent.name for agent in remote)) or "nobody"
            raise Wrong("agents", f"{missing[0]} is no agent with brain: {REMOTE}; there is: {there}")
        return list({found[name.lower()].id: found[name.lower()] for name in hello.agents}.values())

    def _is_remote(self, agent: AgentDefinition) -> bool:
        """Return whether a program is to think for an agent, also when its memory is not opened yet."""
        brain = self._brain(agent)
        return not agent.person and self._minds.lives(agent.slug) and brain is not None and brain.name == REMOTE

    async def _take_over(self, brain: Connection, agents: list[AgentDefinition]) -> None:
        # All minds are swapped before anything is awaited, as another brain may take over meanwhile.
        gone = []
        for agent in agents:
            if (before := self._brains.get(agent.id)) is not None:
                gone.append((before, agent.id, before.epochs.get(agent.id)))
                self._leave(before, agent.id)
            self._epochs[agent.id] += 1
            brain.epochs[agent.id] = self._epochs[agent.id]
            self._brains[agent.id] = brain
        told = [{"id": agent.id, "epoch": brain.epochs[agent.id], **self._who(agent)} for agent in agents]
        await brain.tell(written("welcome", version=VERSION, agents=told))
        log.info("%s thinks for %s", brain.name, ", ".join(agent.name for agent in agents) or "nobody")
        for before, who, epoch in gone:
            message = "another brain thinks for this agent now"
            await before.tell(written("gone", id=who, epoch=epoch, message=message))

    def _who(self, agent: AgentDefinition) -> dict[str, object]:
        """Return what a brain is told of an agent when it begins to think for it."""
        return {
            "name": agent.name,
            "profile": agent.profile or agent.description,
            "goal": agent.goal or agent.own_goal,
            "think_interval": self._minds.thinking_of(agent).think_interval,
        }

    def _leave(self, brain: Connection, who: str) -> None:
        brain.drop(who)
        if self._brains.get(who) is brain:
            del self._brains[who]

    async def _heard(self, brain: Connection, message: str | bytes) -> None:
        try:
            for given in read_lines(message):
                await brain.take(given)
        except Wrong as wrong:
            await brain.tell(wrong.message())


WEBSOCKET = HostKind("websocket", "In the world's process; brains written elsewhere may think for them.", WebsocketHost)
