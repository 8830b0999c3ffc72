"""The frame around every page: its head, the way to the others, and the token for what it sends."""

from __future__ import annotations

from html import escape
from pathlib import Path
from string import Template
from typing import NamedTuple

from starlette.responses import HTMLResponse, PlainTextResponse, Response

from mud.portal.phrases import NOTHING
from mud.portal.web.visit import Visit
from mud.world.roles import Role

FOLDER = Path(__file__).parent / "pages"
CURRENT = ' aria-current="page"'


class Link(NamedTuple):
    """A page that the frame leads to, for those with its role."""

    path: str
    name: str
    role: Role


LINKS = (
    Link("/play", "Play", Role.GUEST),
    Link("/map", "Map", Role.GUEST),
    Link("/minds", "Minds", Role.OWNER),
    Link("/world", "World", Role.OWNER),
)


def page(
    visit: Visit, title: str, body: str, script: str = "", styles: tuple[str, ...] = (), status: int = 200
) -> Response:
    """Return a page in the frame.

    Args:
        body: the inside of `<main>`, as HTML.
        script: name of its module in `static/`.
        styles: names of its style sheets in `static/`, besides the one of all pages.
    """
    here = visit.connection.url.path
    links = [
        f'<a href="{one.path}"{CURRENT if one.path == here else ""}>{one.name}</a>'
        for one in LINKS
        if visit.role is not None and visit.role >= one.role
    ]
    sheets = "".join(f'<link rel="stylesheet" href="/static/{name}">' for name in styles)
    return HTMLResponse(
        _template("frame").substitute(
            title=escape(title),
            token=escape(visit.token),
            styles=sheets,
            script=f'<script type="module" src="/static/{script}"></script>' if script else "",
            links="".join(links),
            out=_template("out").substitute(token=escape(visit.token)) if visit.visitor else "",
            body=body,
        ),
        status,
    )


def body_of(file: str, **values: str) -> str:
    """Return the HTML of a file in `pages/`, with values that are texts, not HTML; `$line` is where one types."""
    texts = {key: escape(value) for key, value in values.items()}
    return _template(file).substitute(texts, line=_template("line").template)


def _template(name: str) -> Template:
    return Template((FOLDER / f"{name}.html").read_text("utf-8"))


def sorry(visit: Visit, status: int, why: str) -> Response:
    """Return the answer to what cannot be answered: a page for people, a text for programs."""
    why = visit.portal.say(NOTHING) if status == 404 else why
    if "text/html" not in visit.connection.headers.get("accept", ""):
        return PlainTextResponse(why, status)
    return page(visit, "Loci", body_of("sorry", title=str(status), why=why), status=status)
