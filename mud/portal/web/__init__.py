"""The web door: pages served to browsers on the world's own event loop.

A page or an answer is a `WebRoute` in the table of `mud.portal.web.routes`: its path and the least role that may ask
for it. What stands in no table does not exist.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from importlib import import_module

from mud.portal.portal import Endpoint, Portal, door


async def serve(portal: Portal, place: Endpoint, opened: Callable[[str], None]) -> None:
    """Serve web pages at a place until cancelled; `opened` is called with the address for the owner.

    That address signs the first browser in as owner that visits it.

    Raises:
        OSError: the place cannot be listened at.
    """
    # Imported here because listing the doors needs no web server, and in a thread because it takes a quarter second.
    server = await asyncio.to_thread(import_module, "mud.portal.web.server")
    await server.listen(portal, place, opened)


web = door("web")(serve)
