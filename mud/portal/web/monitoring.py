"""For programs that watch the world: whether it works, and its figures. See docs/monitoring.md."""

from __future__ import annotations

import ipaddress

from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from mud.portal.web.visit import Visit, WebRoute
from mud.world.roles import Role

FORMAT = "text/plain; version=0.0.4; charset=utf-8"
PROXIED = ("forwarded", "x-forwarded-for", "x-real-ip")
"""Headers of a request that somebody else sends through a program of this machine."""


async def _health(visit: Visit) -> Response:
    troubles = visit.portal.troubles()
    return JSONResponse({"status": "unavailable" if troubles else "ok", "reasons": troubles}, 503 if troubles else 200)


async def _metrics(visit: Visit) -> Response:
    if visit.role is not Role.OWNER and not _comes_from_here(visit):
        raise HTTPException(403, "The figures are for this machine and for signed-in owners.")
    return Response(await visit.portal.metrics(), headers={"content-type": FORMAT})


def _comes_from_here(visit: Visit) -> bool:
    """Return whether a program of this machine asks, and for itself."""
    if any(name in visit.request.headers for name in PROXIED):
        return False
    try:
        return ipaddress.ip_address(visit.address).is_loopback
    except ValueError:  # no address of the internet
        return False


ROUTES = (
    WebRoute("GET", "/healthz", None, _health),
    WebRoute("GET", "/metrics", None, _metrics),
)
