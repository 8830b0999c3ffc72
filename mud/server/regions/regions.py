"""A world among others: lets characters out and in, and answers what is asked about that."""

from __future__ import annotations

import asyncio

import orjson

from agents.life.scheduler import Scheduler
from mud.commands import Outcome
from mud.errors import Unavailable
from mud.portal.letters import TakeLetter
from mud.server.people import People
from mud.server.regions.arrivals import Answer, Arrivals
from mud.server.regions.departures import Departures
from mud.server.regions.neighbours import Neighbour, Post, neighbours_in, post, send, sender_of, sign_answer
from mud.server.reloading import Reloading
from mud.server.wiring import Parts
from mud.world.events import Request
from mud.world.narration import phrase

NONE = phrase("app.regions.none")
ANSWERS = phrase("app.regions.answers", "world")
DOES_NOT = phrase("app.regions.does_not", "world", "why")
ON_THE_WAY = phrase("app.regions.on_the_way", "name", "to")
WAITS = phrase("app.regions.waits", "name", "to", "why")
WENT_HOME = phrase("app.regions.went_home", "name", "to")
THERE = phrase("app.regions.there", "name", "to")

HELLO, ASK, TAKE = "hello", "ask", "take"
"""The kinds of letters."""


class Regions:
    """The roads between a running world and its neighbours.

    Args:
        living: lets the agents think; None when none does.
        post: takes letters to other worlds.
    """

    def __init__(
        self, parts: Parts, people: People, reloading: Reloading, living: Scheduler | None, post: Post = post
    ) -> None:
        self._parts, self._post = parts, post
        self.arrivals = Arrivals(parts, people, reloading)
        self.departures = Departures(parts, people, reloading, self.arrivals, living, post)
        people.open_letter, people.travel = self.open_letter, self.answer

    def open_letter(self, what: str, sent: str, signature: str) -> TakeLetter | None:
        """Return what takes a letter; None when no neighbour signed it, or for no known kind."""
        neighbour = sender_of(self._parts.configuration, what, sent, signature)
        if neighbour is None or what not in (HELLO, ASK, TAKE):
            return None

        async def take(body: bytes) -> tuple[bytes, str]:
            said = orjson.dumps(await self._read(what, body, neighbour))
            return said, sign_answer(neighbour.key, signature, said)

        return take

    async def _read(self, what: str, body: bytes, neighbour: Neighbour) -> Answer:
        if what == TAKE:
            return await self.arrivals.take(body, neighbour)
        return self.arrivals.ask(body) if what == ASK else {"answer": HELLO}

    async def answer(self, request: Request) -> Outcome:
        """Answer a request about other worlds. Raises Refusal."""
        return await (self.departures.travel(request) if request.name == "travel" else self._overview())

    async def _overview(self) -> Outcome:
        neighbours = list(neighbours_in(self._parts.configuration))
        lines = await asyncio.gather(*map(self._tried, neighbours))
        world, say = self._parts.engine.world, self._parts.texts.render
        for who, journey in world.elsewhere.items():
            told = {"name": world.things[who].name, "to": journey.to}
            why = self.departures.troubles.get(journey.ticket)
            if journey.settled:
                lines.append(say(WENT_HOME if journey.home else THERE, **told))
            else:
                lines.append(say(WAITS, **told, why=why) if why else say(ON_THE_WAY, **told))
        return Outcome("\n".join(lines) or say(NONE))

    async def _tried(self, neighbour: Neighbour) -> str:
        try:
            await send(neighbour, HELLO, b"", self._post)
        except Unavailable as error:
            return self._parts.texts.render(DOES_NOT, world=neighbour.host, why=str(error))
        return self._parts.texts.render(ANSWERS, world=neighbour.host)
