"""Coming in and going: the owner's address, login, new accounts, guests, leaving."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable

from starlette.responses import JSONResponse, Response

from mud.errors import LociError
from mud.portal.phrases import USED
from mud.portal.web.pages import body_of, page
from mud.portal.web.visit import Visit, WebRoute, fields, go_to, why_not
from mud.storage.accounts import Account
from mud.world.roles import Role

HOME = "/play"


async def _front(visit: Visit) -> Response:
    """Sign the owner in who brings the token of the start's address; lead everybody else on."""
    token = visit.request.query_params.get("token")
    if token and visit.site.is_owner_token(token):
        return _signed_in(visit, Role.OWNER, None)
    if visit.visitor is not None:
        return go_to(HOME)
    return _door(visit, visit.portal.say(USED)) if token else go_to("/login")


async def _login_page(visit: Visit) -> Response:
    return go_to(HOME) if visit.visitor else _door(visit)


def _door(visit: Visit, wrong: str = "", name: str = "", status: int = 200) -> Response:
    """Return the page for coming in. A browser without a cookie gets one, which the token of the form belongs to."""
    cookie = visit.site.cookie_of(visit.connection)
    if not cookie or visit.visitor:
        cookie = secrets.token_urlsafe(32)
        visit = visit.site.unknown(visit.connection, cookie)
    answer = page(visit, "Loci", body_of("login", wrong=wrong, name=name, token=visit.token), status=status)
    return visit.site.remember(answer, cookie)


async def _login(visit: Visit) -> Response:
    form = fields(await visit.body())
    name, password = form.get("name", ""), form.get("password", "")
    return await _come_in(visit, name, visit.portal.authenticator.login(visit.address, name, password))


async def _register(visit: Visit) -> Response:
    form = fields(await visit.body())
    name, password = form.get("name", ""), form.get("password", "")
    return await _come_in(visit, name, visit.portal.authenticator.register(visit.address, name, password))


async def _come_in(visit: Visit, name: str, found: Awaitable[Account]) -> Response:
    try:
        account = await found
    except (LociError, OSError) as error:
        return _door(visit, why_not(visit.portal.say, error), name, status=403)
    return _signed_in(visit, account.role, account)


async def _guest(visit: Visit) -> Response:
    try:
        visit.portal.authenticator.guest(visit.address)
    except LociError as error:
        return _door(visit, why_not(visit.portal.say, error), status=403)
    return _signed_in(visit, Role.GUEST, None)


def _signed_in(visit: Visit, role: Role, account: Account | None) -> Response:
    visit.site.visitors.sign_out(visit.site.cookie_of(visit.connection))
    return visit.site.remember(go_to(HOME), visit.site.visitors.sign_in(role, account))


async def _token(visit: Visit) -> Response:
    """Return the token to a page whose connection was lost, as it may have been signed in anew meanwhile."""
    return JSONResponse({"token": visit.token})


async def _logout(visit: Visit) -> Response:
    visit.site.visitors.sign_out(visit.site.cookie_of(visit.connection))
    return go_to("/login")


ROUTES = (
    WebRoute("GET", "/", None, _front),
    WebRoute("GET", "/login", None, _login_page),
    WebRoute("POST", "/login", None, _login),
    WebRoute("POST", "/register", None, _register),
    WebRoute("POST", "/guest", None, _guest),
    WebRoute("GET", "/token", Role.GUEST, _token),
    WebRoute("POST", "/logout", None, _logout),
)
