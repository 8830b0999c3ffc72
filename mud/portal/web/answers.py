"""Answers as JSON, for the scripts of pages."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from inspect import isawaitable
from typing import Any

import orjson
from starlette.datastructures import QueryParams
from starlette.responses import Response

from mud.errors import LociError, Refusal
from mud.portal.views import OwnerViews
from mud.portal.web.visit import Visit, WebRoute
from mud.world.roles import Role

HIGHEST = 10**12


class UrlQuery:
    """The query of an address; what it lacks is empty or 0."""

    def __init__(self, given: QueryParams) -> None:
        self._given = given

    def text(self, name: str) -> str:
        return self._given.get(name, "")

    def number(self, name: str) -> int:
        """Return a whole number. Raises Refusal for anything else."""
        text = self._given.get(name, "0")
        if not (text.isascii() and text.isdecimal()) or len(text) > len(str(HIGHEST)):
            raise Refusal(f"{name}: {text[:40]!r} is no number.")
        return int(text)


def json_response(value: object, status: int = 200) -> Response:
    return Response(orjson.dumps(value), status, media_type="application/json")


async def json_answer(asked: Awaitable[Any]) -> Response:
    """Return an answer as JSON, or as its `error` the sentence that says why there is none.

    That is no failure of the request: browsers write those into the console.
    """
    try:
        return json_response(await asked)
    except (LociError, OSError) as error:
        hint = error.hint if isinstance(error, Refusal) else ""
        why = str(error) if isinstance(error, LociError) else f"A file cannot be read: {error.strerror or error}."
        return json_response({"error": why, "hint": hint})


def for_owners(path: str, ask: Callable[[OwnerViews, UrlQuery], Any]) -> WebRoute:
    """Return the route of a question that only owners may ask; `ask` returns the answer or an awaitable of it."""

    async def asked(visit: Visit) -> Any:
        found = ask(visit.portal.views, UrlQuery(visit.request.query_params))
        return await found if isawaitable(found) else found

    return WebRoute("GET", f"/api/{path}", Role.OWNER, lambda visit: json_answer(asked(visit)))
