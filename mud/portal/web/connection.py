"""The websocket of a page: the story and what is around goes out, what is typed comes in."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import orjson
from starlette.websockets import WebSocketDisconnect

from mud.clock import iso
from mud.errors import LociError
from mud.portal.limits import RateTable
from mud.portal.portal import Portal
from mud.portal.session import Session
from mud.portal.web.play_session import SentLine, to_json
from mud.portal.web.screen import TOO_SLOW, Screen
from mud.portal.web.visit import Visit, WebRoute, why_not
from mud.world.roles import Role

NOT_LET_IN = 4403  # code that closes a websocket
LONGEST_NUMBER = 12  # digits
LONGEST_PAGE = 32  # characters of the name that a page gives itself
LONGEST_COMPLETED = 400  # characters of a line that is completed
MOST_CHOICES = 12
FRAMES_A_SECOND, FRAMES_AT_ONCE, FRAMES_A_LINE = 20, 60, 2
"""What one page may send, whatever it is, or so many for each line that may be typed; what is too fast waits."""
COMPLETED_EVERY = 0.05  # seconds between two lines that are completed for a page


async def _connected(visit: Visit) -> None:
    socket = visit.socket
    await socket.accept()
    try:
        with visit.portal.limits.connection(visit.address):
            await _serve(visit)
    except (LociError, OSError) as error:
        with suppress(WebSocketDisconnect):
            await socket.send_text(to_json({"sorry": why_not(visit.portal.say, error)}))
            await socket.close(NOT_LET_IN)
    except WebSocketDisconnect:
        pass  # the browser is gone


async def _serve(visit: Visit) -> None:
    """Attach to the visitor's play session, and carry what is said both ways until the page or the session is gone."""
    assert visit.visitor is not None
    asked, play, ticker = visit.socket.query_params, visit.visitor.play, visit.site.ticker
    shown = _number(asked.get("since", "")) if asked.get("story") == play.story.name else 0
    is_map = asked.get("view") == "map"
    screen = Screen(visit.portal, visit.socket, play, ticker.views.map if is_map else ticker.views.play, shown)
    session = play.attach(screen, visit.address)
    ticker.add(screen, is_map=is_map)
    try:
        screen.put("hello", _hello(visit, session, asked.get("page", "")))
        screen.put("private", session.private)
        screen.put("asked", session.asks and not session.private)
        screen.look()
        screen.wake(at_once=True)
        await _first_of(screen.write(), _read(visit, screen), screen.until_cut_off())
        if screen.cut_off:
            await asyncio.wait_for(visit.socket.close(TOO_SLOW), 1)
    except TimeoutError:
        pass  # it does not even take the farewell; the server lets it fall
    finally:
        ticker.discard(screen)
        play.detach(screen)


async def _first_of(*work: Any) -> None:
    """Run coroutines until one of them ends, and end the others. Raises what the first one raised."""
    tasks = [asyncio.ensure_future(one) for one in work]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _hello(visit: Visit, session: Session, page: str) -> dict[str, object]:
    assert visit.visitor is not None
    world, play = visit.portal.engine.world, visit.visitor.play
    character = world.get(session.own)
    now = visit.portal.clock.now()
    there = now.astimezone(visit.portal.clock.zone)
    offset = there.utcoffset()
    return {
        "story": play.story.name,
        "taken": play.taken_of(page[:LONGEST_PAGE]),
        "who": session.own,
        "name": character.name if character else "",
        "now": iso(now),
        "offset": offset.total_seconds() / 60 if offset else 0,
    }


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= LONGEST_NUMBER else 0


async def _read(visit: Visit, screen: Screen) -> None:
    """Carry out what the page sends; what is not as our pages send it is ignored."""
    clock, frames, completed = visit.portal.clock, RateTable(), _Completed(visit.portal, screen)
    async for text in visit.socket.iter_text():
        now = clock.monotonic()
        every = 1 / max(FRAMES_A_SECOND, FRAMES_A_LINE * visit.portal.settings().lines_per_second)
        if pause := frames.wait("", now, every, FRAMES_AT_ONCE):
            await clock.sleep(pause)
        frames.count("", now, every)
        try:
            sent = orjson.loads(text)
        except orjson.JSONDecodeError:
            continue
        match sent:
            case {"line": str(line), "page": str(page), "number": int(number)}:
                await _type(visit, screen, SentLine(line, page[:LONGEST_PAGE], number, sent.get("private") is True))
            case {"ping": int(number)}:
                screen.answer("pong", number)
            case {"complete": str(line)} if len(line) <= LONGEST_COMPLETED:
                completed.ask(line)
        await asyncio.sleep(0)  # lets others have their turn between two frames of one read


class _Completed:
    """Completes the line that a page asked for last."""

    def __init__(self, portal: Portal, screen: Screen) -> None:
        self._portal, self._screen, self._line = portal, screen, ""
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._next = 0.0  # when the next one may be completed

    def ask(self, line: str) -> None:
        self._line = line
        if self._timer is None:
            self._timer = self._loop.call_at(max(self._next, self._loop.time()), self._answer)

    def _answer(self) -> None:
        self._timer, self._next = None, self._loop.time() + COMPLETED_EVERY
        if self._screen.session is not None:
            found = self._portal.complete(self._screen.session, self._line)
            choices = found.choices[:MOST_CHOICES]
            self._screen.answer("completed", {"line": self._line, "start": found.start, "choices": choices})


async def _type(visit: Visit, screen: Screen, typed: SentLine) -> None:
    assert visit.visitor is not None
    pause = visit.portal.limits.line(visit.address, visit.visitor.name)
    if pause:
        await visit.portal.clock.sleep(pause)
    visit.visitor.play.type(typed)
    screen.look()


ROUTES = (WebRoute("WEBSOCKET", "/socket", Role.GUEST, _connected),)
