"""The way in for telnet and MUD clients."""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
from collections.abc import Callable
from typing import Any

from mud.errors import Refusal
from mud.portal.ansi import draw
from mud.portal.gmcp import MODULES, channel_text, read_gmcp, room_info, supported, vitals, write_gmcp
from mud.portal.login import Login
from mud.portal.pages import Pages
from mud.portal.phrases import CLOSING, IDLE, LONG, MORE, SLOW, UNNAMED
from mud.portal.portal import Endpoint, Portal, door
from mud.portal.scene import scene_of
from mud.portal.session import Message, Session
from mud.portal.telnet_options import COMMANDS_A_SECOND, MOST_COMMANDS, TelnetOptions
from mud.portal.telnet_stream import CollectedOutput, LineBuffer
from mud.world.things import Kind

log = logging.getLogger(__name__)


SECURE = "telnet_tls"  # the name of the door that encrypts
PROMPT = "> "
TICK = 1.0  # seconds between two looks at what changes by itself
LAST_WORDS = 5.0  # seconds that a client which was let go has for reading the rest
SYSTEM_BUFFER = 64 * 1024  # bytes that the system keeps for a client, which else would be megabytes for a slow one
BACKLOG = 1000  # connections that the system holds until they are taken
HANDSHAKE, SHUTDOWN = 10.0, 2.0  # seconds of TLS


class TelnetConnection(asyncio.Protocol):
    """One client, from its connection to its end."""

    def __init__(self, server: TelnetServer) -> None:
        self._server, self._portal = server, server.portal
        self.lost = asyncio.get_running_loop().create_future()
        """Done when the connection is gone."""
        self.session: Session | None = None
        self._lines = LineBuffer()
        self._arrived = asyncio.Event()
        self._ended = False  # nothing more will be read
        self._closing = False
        self._last_words: asyncio.TimerHandle | None = None
        self._paused = False
        self._since = self._portal.clock.monotonic()  # when it came; of who is in, when they typed last
        self._prompt, self._prompt_due, self._at_prompt = "", False, False
        self._marked = b""  # what marks the end of the prompt that is shown
        self._pages = Pages(self._write, self._rows)
        self._modules = frozenset(MODULES)
        self._room: str | None = None
        self._vitals: dict[str, int | None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport  # with TCP_NODELAY, as asyncio sets it
        connected = transport.get_extra_info("socket")
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SYSTEM_BUFFER)
        connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)  # finds out about machines that are gone
        self._secure = transport.get_extra_info("ssl_object") is not None
        self.address = str((transport.get_extra_info("peername") or ("",))[0])
        self._output = CollectedOutput(transport, lambda: self._server.flush_soon(self))
        self._options = TelnetOptions(
            self._output, self._server.status, self._options_changed, self._gmcp_received, compresses=not self._secure
        )
        self._options.offer()
        self._server.connections.add(self)
        self.task = asyncio.get_running_loop().create_task(self._live())

    def data_received(self, data: bytes) -> None:
        if self._ended:
            return
        try:
            self._lines.feed(self._options.feed(data), self._portal.limits.line_bytes)
        except ConnectionAbortedError as error:
            log.info("a telnet client at %s was cut off: %s", self.address, error)
            self._transport.abort()
            return
        if self._lines.full and not self._paused:
            self._paused = True
            self._transport.pause_reading()
        self._arrived.set()

    def eof_received(self) -> bool:
        self._ended = True
        self._arrived.set()
        return not self._secure  # what it typed is still answered; TLS knows no half-closed connections

    def connection_lost(self, exc: Exception | None) -> None:
        self._server.connections.discard(self)
        self._ended = self._closing = True
        self._arrived.set()
        if self._last_words is not None:
            self._last_words.cancel()
        self.lost.set_result(None)

    async def _live(self) -> None:
        try:
            with self._portal.limits.connection(self.address):
                login = Login(self._portal, self._server.door, self.address, self._ask, self._tell)
                self.session = await login.run(self.show)
                if self.session is not None:
                    await self._play(self.session)
        except Refusal as no:
            self._tell(no.text)
        except EOFError:
            log.debug("the client at %s has gone", self.address)
        except Exception:
            log.exception("a telnet connection from %s failed", self.address)
        finally:
            if self.session is not None:
                self._portal.leave(self.session)
            self.close()

    async def _play(self, session: Session) -> None:
        session.on_end, session.on_private = self.close, self._hide
        session.on_ready, session.forget = self._arrived.set, self._lines.clear
        self._since = self._portal.clock.monotonic()
        self._prompt = PROMPT
        self._send_character(session)
        while not session.over:
            line = await self._line()
            if not self._pages.take(line):
                session.type(line)
            self._prompt_soon()

    async def _ask(self, prompt: str, *, hidden: bool = False) -> str:
        if hidden:
            self._hide(True)
        self._prompt = f"{prompt} "
        self._prompt_soon()
        try:
            return await self._line()
        finally:
            if hidden:
                self._hide(False)

    def _hide(self, hidden: bool) -> None:
        self._pages.finish()  # the question is to be seen
        self._options.hide(hidden)
        if not hidden:
            self._output.write(b"\r\n")  # the client did not show the end of the line

    async def _line(self) -> str:
        """Return the next line that is not too long, when its turn has come. Raises EOFError at the end."""
        limits = self._portal.limits
        while True:
            while self._waits or self._closing or (line := self._lines.next(limits.line_bytes)) is None:
                if self._closing or (self._ended and not self._waits):
                    raise EOFError
                self._arrived.clear()
                await self._arrived.wait()
            if self._paused and not self._lines.full:
                self._paused = False
                self._transport.resume_reading()
            if wait := limits.line(self.address, self.session.account if self.session else ""):
                await self._portal.clock.sleep(wait)
            else:
                await asyncio.sleep(0)  # lets others have their turn between two lines of a fast client
            if self.session is not None:
                self._since = self._portal.clock.monotonic()
            self._at_prompt = False
            if not line.cut:
                return line.text
            self._tell(self._portal.say(LONG))

    @property
    def _waits(self) -> bool:
        """Whether what was typed last has no answer yet, which may be a question for a password."""
        return self.session is not None and self.session.waiting

    def _tell(self, text: str) -> None:
        self.show(Message(text, "notice"))

    def show(self, message: Message) -> None:
        """Send a message with the next flush."""
        data = draw(message, self._options.style)
        if self.session is not None and message.kind == "reply":
            self._pages.show(data)
        else:
            self._write(data)
        if self._options.gmcp and "comm.channel" in self._modules:
            text = channel_text(message, self._portal.engine.world)
            if text is not None:
                self._options.send_gmcp_bytes(text)

    def _rows(self) -> int | None:
        """Return the rows of a window whose person reads by the page, as screen readers and MUD clients do not."""
        session, options = self.session, self._options
        over = session is None or session.over or self._ended
        if over or options.plain or options.gmcp or not self._portal.settings().pages:
            return None
        return options.rows

    def _write(self, data: bytes) -> None:
        if self._at_prompt:
            self._at_prompt = False
            data = b"\r\n" + data
        self._prompt_due = True
        self._output.write(data)

    def _prompt_soon(self) -> None:
        self._prompt_due = True
        self._output.write(b"")

    def flush(self) -> None:
        """Write all that was collected, and a prompt; a client that reads too slowly is cut off."""
        if self.session is not None and self._options.gmcp and not self.session.over:
            self._send_room(self.session)
        if self._prompt_due and not self._closing:
            prompt = "" if self._options.plain and self.session is not None else self._prompt
            if self._pages.held:
                prompt = self._portal.say(MORE) + " "
            self._marked = self._options.prompt_end
            self._output.write(prompt.encode(self._options.style.encoding, "replace") + self._marked)
            self._prompt_due, self._at_prompt = False, prompt != ""
        waiting = self._output.waiting
        self._output.flush()
        if waiting and not self._closing and self._portal.limits.too_slow(waiting):
            log.info("a telnet client at %s reads too slowly and was cut off", self.address)
            self.end(self._portal.say(SLOW))

    def end(self, why: str) -> None:
        """Tell why, and close the connection."""
        if self.session is not None and not self.session.over:
            self.session.end(why)  # closes
        else:
            self._tell(why)
            self.close()

    def close(self) -> None:
        """Close the connection once what was written has been read, or has not been for a while."""
        if self._closing:
            return
        self._output.stop_compressing()
        self._closing = self._ended = True
        self._arrived.set()
        waiting = self._output.waiting
        self._transport.close()
        if waiting:
            self._last_words = asyncio.get_running_loop().call_later(LAST_WORDS, self._transport.abort)

    def abort(self) -> None:
        self._transport.abort()

    def tick(self) -> None:
        """Do what is due once a second."""
        self._options.allowed = min(MOST_COMMANDS, self._options.allowed + COMMANDS_A_SECOND)
        limits = self._portal.limits
        if self._closing:
            return
        if self.session is None:
            if limits.unnamed(self._since):
                self.end(self._portal.say(UNNAMED))
        elif limits.idle(self._since):
            self.end(self._portal.say(IDLE))
        elif self._options.gmcp and "char" in self._modules:
            self._send_vitals(self.session)

    def _options_changed(self) -> None:
        if self._at_prompt and self._marked != self._options.prompt_end:
            self._marked = self._options.prompt_end
            self._output.write(self._marked)
        if self._options.gmcp and self._vitals is None and self.session is not None:
            self._send_character(self.session)

    def _gmcp_received(self, data: bytes) -> None:
        package, value = read_gmcp(data)
        match package:
            case "core.ping":
                self._options.send_gmcp_bytes(b"Core.Ping")
            case "core.supports.set":
                self._support(supported(value))
            case "core.supports.add":
                self._support(self._modules | supported(value))
            case "core.supports.remove":
                self._modules -= supported(value)

    def _support(self, modules: frozenset[str]) -> None:
        self._modules, self._room, self._vitals = modules, None, None
        if self.session is not None:
            self._send_character(self.session)

    def _send_character(self, session: Session) -> None:
        thing = self._portal.engine.world.get(session.own)
        if thing is not None:
            self._send_gmcp("Char.Name", {"name": thing.name, "fullname": thing.name})
            self._send_vitals(session)
            self._send_room(session)

    def _send_vitals(self, session: Session) -> None:
        memory = self._portal.memory(session.who)
        found = vitals(memory) if memory is not None else None
        if found is not None and found != self._vitals:
            self._vitals = found
            self._send_gmcp("Char.Vitals", found)

    def _send_room(self, session: Session) -> None:
        world = self._portal.engine.world
        here = world.where.get(session.who)
        if here == self._room or "room" not in self._modules:
            return
        self._room = here
        scene = scene_of(world, session.who)
        if scene is not None:
            self._send_gmcp("Room.Info", room_info(scene))

    def _send_gmcp(self, package: str, value: Any) -> None:
        module = package.rpartition(".")[0].lower()
        if self._options.gmcp and module in self._modules:
            self._options.send_gmcp_bytes(write_gmcp(package, value))


class TelnetServer:
    """All clients of one port."""

    def __init__(self, portal: Portal, door: str) -> None:
        self.portal, self.door = portal, door
        self.connections: set[TelnetConnection] = set()
        self._started = portal.clock.now()
        self._port = 0
        self._due: list[TelnetConnection] = []

    async def serve(self, place: Endpoint, opened: Callable[[str], None], tls: ssl.SSLContext | None) -> None:
        """Listen until cancelled."""
        server = await asyncio.get_running_loop().create_server(
            lambda: TelnetConnection(self),
            place.host,
            place.port,
            ssl=tls,
            backlog=BACKLOG,
            ssl_handshake_timeout=HANDSHAKE if tls else None,
            ssl_shutdown_timeout=SHUTDOWN if tls else None,
        )
        try:
            host, self._port = server.sockets[0].getsockname()[:2]
            self.portal.doors.ports[self.door] = self._port
            opened(f"[{host}]:{self._port}" if ":" in host else f"{host}:{self._port}")
            while True:
                await self.portal.clock.sleep(TICK)
                for one in tuple(self.connections):
                    one.tick()
        finally:
            self.portal.doors.ports.pop(self.door, None)
            server.close()
            await self._close_all()

    async def _close_all(self) -> None:
        leaving = tuple(self.connections)
        for one in leaving:
            one.end(self.portal.say(CLOSING))
            one.task.cancel()
        if leaving:
            await asyncio.wait([one.task for one in leaving])
        for one in leaving:
            one.abort()
        await asyncio.gather(*(one.lost for one in leaving))

    def flush_soon(self, connection: TelnetConnection) -> None:
        """Have a client's output written when all that happens now has happened, with that of all others."""
        if not self._due:
            asyncio.get_running_loop().call_soon(self._flush)
        self._due.append(connection)

    def _flush(self) -> None:
        due, self._due = self._due, []
        for one in due:
            one.flush()

    def status(self) -> dict[str, str | list[str]]:
        """Return what is told to lists of MUDs (MSSP)."""
        world, settings = self.portal.engine.world, self.portal.settings()
        kinds, ports = [one.kind for one in world.things.values()], self.portal.doors.ports
        return {
            "NAME": settings.world_name,
            "PLAYERS": str(len({one.own for one in self.portal.sessions})),
            "UPTIME": str(int(self._started.timestamp())),
            "CODEBASE": "Loci",
            "PORT": str(ports.get("telnet", self._port)),
            "SSL": str(ports.get(SECURE, 0)),
            "CHARSET": ["UTF-8", "US-ASCII"],
            "LANGUAGE": "English",
            "ROOMS": str(kinds.count(Kind.LOCATION)),
            "OBJECTS": str(kinds.count(Kind.ITEM)),
            "MOBILES": str(sum(one.thinks for one in world.things.values())),
            **dict.fromkeys(("ANSI", "UTF-8", "XTERM 256 COLORS", "GMCP", "MCCP", "VT100"), "1"),
        }


@door("telnet")
async def telnet(portal: Portal, place: Endpoint, opened: Callable[[str], None]) -> None:
    """Serve telnet without encryption."""
    await TelnetServer(portal, "telnet").serve(place, opened, None)
