"""The table of all pages and answers. What does not stand here does not exist."""

from __future__ import annotations

from mud.portal.web import connection, entrance, monitoring, play
from mud.portal.web.visit import WebRoute

ROUTES: tuple[WebRoute, ...] = (*entrance.ROUTES, *play.ROUTES, *connection.ROUTES, *monitoring.ROUTES)
