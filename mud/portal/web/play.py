"""The pages Play and Map."""

from __future__ import annotations

from starlette.responses import Response

from mud.portal.web.pages import body_of, page
from mud.portal.web.visit import Visit, WebRoute
from mud.world.roles import Role


async def _play(visit: Visit) -> Response:
    return page(visit, "Play", body_of("play"), script="play.js", styles=("play.css",))


async def _map(visit: Visit) -> Response:
    return page(visit, "Map", body_of("map"), script="map.js", styles=("map.css",))


ROUTES = (WebRoute("GET", "/play", Role.GUEST, _play), WebRoute("GET", "/map", Role.GUEST, _map))
