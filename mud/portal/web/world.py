"""The page World, for owners: the chronicle as it is written, models and their cost, settings, problems."""

from __future__ import annotations

import asyncio
from collections import deque

import orjson
from starlette.responses import Response
from starlette.websockets import WebSocketDisconnect

from mud.errors import LociError
from mud.portal.views import Json
from mud.portal.web.answers import for_owners, json_answer, json_response
from mud.portal.web.pages import body_of, page
from mud.portal.web.visit import Visit, WebRoute
from mud.world.roles import Role

MOST_BEHIND = 500  # events that a slow page may be behind; of more it gets the newest
PAUSE = 0.2  # seconds in which events are gathered for one message
NOT_FOR_YOU = 4403  # code that closes a websocket


async def _page(visit: Visit) -> Response:
    return page(
        visit, "World", body_of("world"), script="owner/world.js", styles=("vendor/uplot.css", "owner/owner.css")
    )


async def _change(visit: Visit) -> Response:
    """Set one setting."""
    try:
        asked = orjson.loads(await visit.body())
    except orjson.JSONDecodeError:
        asked = None
    match asked:
        case {"file": str(file), "key": str(key), "typed": str(typed), "was": str(was)}:
            return await json_answer(visit.portal.views.world.change(file, key, typed, was))
    return json_response({"error": "That is no change of a setting.", "hint": ""}, 400)


async def _chronicle(visit: Visit) -> None:
    """Send the newest events, and then every one as it happens, as long as the visitor may see them."""
    socket = visit.socket
    try:
        with visit.portal.limits.connection(visit.address):
            await socket.accept()
            await _follow(visit)
    except (LociError, OSError, WebSocketDisconnect):
        pass  # the page is gone, or there are too many; it tries again


async def _follow(visit: Visit) -> None:
    world, socket = visit.portal.views.world, visit.socket
    news: deque[Json] = deque(world.chronicle(), maxlen=MOST_BEHIND)
    fresh = asyncio.Event()
    fresh.set()

    def show(event: Json) -> None:
        news.append(event)
        fresh.set()

    end = world.follow(show)
    gone = asyncio.create_task(_until_gone(visit))
    try:
        while not gone.done():
            batch = [*news]
            news.clear()
            fresh.clear()
            if not _may_see(visit):
                await socket.close(NOT_FOR_YOU)
                return
            await socket.send_text(orjson.dumps(batch).decode())
            waiting = asyncio.create_task(fresh.wait())
            await asyncio.wait((waiting, gone), return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
            await visit.portal.clock.sleep(PAUSE)
    finally:
        end()
        gone.cancel()


def _may_see(visit: Visit) -> bool:
    """Return whether the visitor is still signed in with the role of today."""
    role = visit.site.visit(visit.connection).role
    return role is not None and role >= Role.OWNER


async def _until_gone(visit: Visit) -> None:
    while (await visit.socket.receive())["type"] != "websocket.disconnect":
        pass  # this page has nothing to say


ROUTES = (
    WebRoute("GET", "/world", Role.OWNER, _page),
    for_owners("world/models", lambda views, query: views.world.models()),
    for_owners("world/cost", lambda views, query: views.world.cost()),
    for_owners("world/settings", lambda views, query: views.world.settings()),
    for_owners("world/problems", lambda views, query: views.world.problems()),
    WebRoute("POST", "/api/world/settings", Role.OWNER, _change),
    WebRoute("WEBSOCKET", "/api/world/chronicle", Role.OWNER, _chronicle),
)
