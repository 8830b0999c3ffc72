"""The page Minds, for owners: what agents remember, and why they said what they said."""

from __future__ import annotations

from starlette.responses import Response

from mud.portal.web.answers import for_owners
from mud.portal.web.pages import body_of, page
from mud.portal.web.visit import Visit, WebRoute
from mud.world.roles import Role


async def _page(visit: Visit) -> Response:
    return page(
        visit, "Minds", body_of("minds"), script="owner/minds.js", styles=("vendor/uplot.css", "owner/owner.css")
    )


ROUTES = (
    WebRoute("GET", "/minds", Role.OWNER, _page),
    for_owners("minds", lambda views, query: views.minds.everybody()),
    for_owners("minds/life", lambda views, query: views.minds.life(query.text("agent"))),
    for_owners(
        "minds/fold", lambda views, query: views.minds.fold(query.text("agent"), query.text("tier"), query.text("file"))
    ),
    for_owners("minds/prompt", lambda views, query: views.minds.prompt(query.text("agent"))),
    for_owners("minds/lines", lambda views, query: views.minds.lines(query.text("agent"), query.number("before"))),
    for_owners("minds/why", lambda views, query: views.minds.why(query.text("agent"), query.number("seq"))),
    for_owners("minds/archive", lambda views, query: views.minds.archive(query.text("agent"), query.number("first"))),
    for_owners(
        "minds/search",
        lambda views, query: views.minds.search(query.text("agent"), query.text("query"), query.text("only") or None),
    ),
    for_owners("minds/graph", lambda views, query: views.minds.graph(query.text("agent"))),
    for_owners(
        "minds/evening",
        lambda views, query: views.minds.evening(
            query.text("one"), query.text("other"), query.text("since"), query.text("until")
        ),
    ),
)
