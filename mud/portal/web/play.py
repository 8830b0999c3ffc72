"""The page Play, and the websocket that carries the story and what is typed."""

from __future__ import annotations

import asyncio

import orjson
from starlette.responses import Response
from starlette.websockets import WebSocketDisconnect

from mud.errors import LociError, Refusal
from mud.portal.web.pages import body_of, page
from mud.portal.web.screen import Screen
from mud.portal.web.seat import Seat
from mud.portal.web.visit import Visit, WebRoute
from mud.world.roles import Role

NOT_LET_IN = 4403


async def _page(visit: Visit) -> Response:
    return page(visit, "Loci", body_of("play"), script="play.js", styles=("play.css",))


async def _socket(visit: Visit) -> None:
    socket, visitor = visit.socket, visit.visitor
    assert visitor is not None
    try:
        with visit.portal.limits.connection(visit.address):
            await socket.accept()
            await _serve(visit, visitor.seat)
    except (LociError, OSError) as error:
        if isinstance(error, Refusal):
            await socket.close(NOT_LET_IN, error.text[:100])
    except WebSocketDisconnect:
        pass


async def _serve(visit: Visit, seat: Seat) -> None:
    asked = visit.socket.query_params
    since = asked.get("since", "")
    known = int(since) if asked.get("story") == seat.story.name and since.isdecimal() and len(since) < 12 else 0
    screen = Screen(visit.portal, visit.socket, seat, max(known, seat.story.first - 1))
    seat.sit(screen)
    visit.site.ticker.screens.add(screen)
    screen.put("hello", {"story": seat.story.name})
    screen.look()
    writing = asyncio.create_task(screen.write())
    try:
        reading = asyncio.create_task(_read(visit, seat, screen))
        done, rest = await asyncio.wait((writing, reading), return_when=asyncio.FIRST_COMPLETED)
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)
        for task in done:
            task.result()
    finally:
        visit.site.ticker.screens.discard(screen)
        seat.rise(screen)


async def _read(visit: Visit, seat: Seat, screen: Screen) -> None:
    account = visit.visitor.name if visit.visitor else ""
    async for text in visit.socket.iter_text():
        try:
            sent = orjson.loads(text)
        except orjson.JSONDecodeError:
            continue
        match sent:
            case {"line": str(line), "page": str(name), "number": int(number)}:
                pause = visit.portal.limits.line(visit.address, account)
                seat.type(line, name[:32], number)
                screen.look()
                if pause:
                    await visit.portal.clock.sleep(pause)


ROUTES = (
    WebRoute("GET", "/play", Role.GUEST, _page),
    WebRoute("WEBSOCKET", "/socket", Role.GUEST, _socket),
)
