"""The table of all pages and answers. What does not stand here does not exist."""

from __future__ import annotations

from mud.portal.web import connection, entrance, minds, monitoring, play, world
from mud.portal.web.visit import WebRoute

ROUTES: tuple[WebRoute, ...] = (
    *entrance.ROUTES,
    *play.ROUTES,
    *connection.ROUTES,
    *minds.ROUTES,
    *world.ROUTES,
    *monitoring.ROUTES,
)
