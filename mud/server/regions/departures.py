"""Lets characters out to other worlds, and sends what they are and lived until the other world has answered.

From the step that lets it out a character is in no world. That step is on disk before anything is sent, and what is
sent is the same each time; the next start goes on with those who are on their way.
"""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

import orjson

from agents.definition import AgentDefinition
from agents.life.scheduler import Scheduler
from mud.commands import Outcome
from mud.engine.engine import Step
from mud.errors import LociError, Refusal, Unavailable
from mud.portal.letters import LONGEST
from mud.server.people import People, look_through
from mud.server.regions.arrivals import REFUSED, TAKEN, WELCOME, Arrivals
from mud.server.regions.luggage import new_mark, pack, read_passport
from mud.server.regions.neighbours import Neighbour, Post, find_neighbour, password_of, send
from mud.server.reloading import Reloading
from mud.server.wiring import Parts
from mud.world.changes import Arrive, Change, Depart, Put, Settle
from mud.world.elsewhere import Journey, elsewhere
from mud.world.events import Event, Request
from mud.world.narration import called, listed, phrase
from mud.world.roles import Role
from mud.world.things import Thing

log = logging.getLogger(__name__)

UNKNOWN = phrase("app.regions.unknown", "world")
SILENT = phrase("app.regions.silent", "world", "why")
NOT_WELCOME = phrase("app.regions.not_welcome", "world", "why")
NO_MIND = phrase("app.regions.no_mind")
APART = phrase("app.regions.apart")
ELSEWHERE_NOW = phrase("app.regions.elsewhere_now")
CROSSED = phrase("app.regions.crossed", "place", "world")
LAID_DOWN = phrase("app.regions.laid_down", "things")
COME_IN = phrase("app.regions.come_in", "address", "name", "password")
LEAVES = phrase("app.regions.leaves", "actor", "place")
TURNED_BACK = phrase("app.regions.turned_back", "place", "world", "why")
THERE_NOW = phrase("app.regions.there_now", "place", "world")
TOO_MUCH = phrase("app.regions.too_much")

FIRST, LONGEST_WAIT = 0.2, 30.0
"""Seconds until a letter is sent again; each pause is twice the one before."""
NOT_CLOSED = "its memory is not closed yet"
CLOSING = 0.1  # seconds until it is tried again to close a memory that has something to finish


class Departures:
    """The characters that go from a running world into others.

    Args:
        living: lets the agents think; None when none does.
        post: takes letters to other worlds.
    """

    def __init__(
        self,
        parts: Parts,
        people: People,
        reloading: Reloading,
        arrivals: Arrivals,
        living: Scheduler | None,
        post: Post,
    ) -> None:
        self._parts, self._people, self._reloading, self._living = parts, people, reloading, living
        self._post = post
        self._arrivals, self._say = arrivals, parts.texts.render
        self._tasks: dict[str, asyncio.Task[None]] = {}
        """By ticket, those who send a character or close its memory; it may have come back and left again since."""
        self._woken = asyncio.Event()
        self.troubles: dict[str, str] = {}
        """Why somebody is on the way still, by ticket."""

    async def travel(self, request: Request) -> Outcome:
        """Return what it means that somebody goes through an exit into another world. Raises Refusal."""
        beyond, who = elsewhere(request.args["to"]), request.who
        host = beyond.host if beyond is not None else request.args["to"]
        neighbour = find_neighbour(self._parts.configuration, host)
        if beyond is None or neighbour is None:
            raise Refusal(self._say(UNKNOWN, world=host))
        definition = self._who_may_go(who)
        passport = read_passport(self._folder(definition))
        being = passport.being if passport is not None else ""
        asked = {"being": being, "name": definition.name, "place": beyond.place}
        try:
            said = await send(neighbour, "ask", orjson.dumps(asked), self._post)
        except Unavailable as error:
            raise Refusal(self._say(SILENT, world=host, why=str(error))) from None
        if said["answer"] != WELCOME:
            raise Refusal(self._say(NOT_WELCOME, world=host, why=str(said.get("why", ""))))
        here = self._parts.engine.world.location_of(who)
        if here is None or here.id != request.args["from"] or who in self._parts.engine.world.asleep:
            raise Refusal(self._say(ELSEWHERE_NOW))
        came = passport.tickets[-1] if passport is not None and passport.tickets else ""
        departs = Depart(who, str(beyond), new_mark(), home=passport is not None and passport.home == neighbour.host)
        return self._departed(definition, here, departs, neighbour, Arrive(who, came))

    def _folder(self, definition: AgentDefinition) -> Path:
        return self._parts.vault / "agents" / definition.slug

    def _who_may_go(self, who: str) -> AgentDefinition:
        minds = self._parts.minds
        definition = next((one for one in minds.definitions.values() if one.id == who), None)
        if definition is None or any(one.role is Role.GUEST for one in self._people.sessions.of(who)):
            raise Refusal(self._say(NO_MIND))
        if minds.is_lent(definition):
            raise Refusal(self._say(APART))
        return definition

    def _departed(
        self, one: AgentDefinition, here: Thing, departs: Depart, neighbour: Neighbour, came: Arrive
    ) -> Outcome:
        held, beyond = self._parts.engine.world.contents(one.id), Journey(departs.to, departs.ticket).goal
        told = [self._say(CROSSED, place=beyond.place, world=beyond.host)]
        if held:
            told.insert(0, self._say(LAID_DOWN, things=listed([called(thing) for thing in held])))
        reply, password = list(told), password_of(neighbour.key, departs.ticket)
        if one.person:
            reply.append(self._say(COME_IN, address=neighbour.address, name=one.name, password=password))
        leaves = self._say(LEAVES, actor=one.name, place=beyond.place)
        # That it came is said again, as it may have been let in by a start, which is no step.
        changes: list[Change] = [*(Put(thing.id, here.id) for thing in held), came, departs]
        return Outcome(
            "\n".join(reply),
            memory=" ".join(told),
            changes=tuple(changes),
            events=(Event("departure", one.id, here.id, leaves, destination=beyond.place),),
        )

    def observe(self, step: Step) -> None:
        """Notice that somebody has departed."""
        asked = step.answers
        if (
            asked is None
            or asked.name != "travel"
            or step.failed
            or asked.who not in self._parts.engine.world.elsewhere
        ):
            return
        minds, resting = self._parts.minds, self._parts.minds.resting
        self._parts.engine.witness(asked.who, keeps=False)
        if resting.possession is not None and resting.possession.who == asked.who:
            resting.possession = None
            look_through(self._people.sessions, resting)
        agent = minds.by_id(asked.who)
        if agent is not None and self._living is not None:
            self._living.drop(agent)
        self._woken.set()

    async def run(self) -> None:
        """Send everybody who is on the way, until cancelled."""
        world, minds = self._parts.engine.world, self._parts.minds
        try:
            while True:
                self._woken.clear()
                self._tasks = {ticket: task for ticket, task in self._tasks.items() if not task.done()}
                for who, journey in list(world.elsewhere.items()):
                    to_do = not journey.settled or minds.by_id(who) is not None
                    if to_do and journey.ticket not in self._tasks:
                        self._tasks[journey.ticket] = asyncio.create_task(self._send(who, journey))
                await self._woken.wait()
        finally:
            for task in self._tasks.values():
                task.cancel()
            await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _send(self, who: str, journey: Journey) -> None:
        """Close the memory of one character, and send it until the other world has answered."""
        world, wait, letter = self._parts.engine.world, FIRST, b""
        while world.elsewhere.get(who) == journey:
            try:
                await self._close(who, journey)
                if journey.settled:
                    break
                letter = letter or await self._packed(who, journey)
                if world.elsewhere.get(who) != journey:
                    break  # it has come back meanwhile
                if len(letter) > LONGEST:
                    self._turn_back(who, journey, self._say(TOO_MUCH))
                else:
                    self._answered(who, journey, await self._delivered(letter, journey))
            except Exception as error:  # whatever it is, nobody is forgotten on the way
                if self.troubles.get(journey.ticket) != str(error):
                    self.troubles[journey.ticket] = str(error)
                    unforeseen = None if isinstance(error, LociError | OSError) else error
                    log.warning("%s is on the way to %s: %s", self._name(who), journey.to, error, exc_info=unforeseen)
                await self._parts.clock.sleep(wait)
                wait = min(2 * wait, LONGEST_WAIT)
        self.troubles.pop(journey.ticket, None)

    def _name(self, who: str) -> str:
        thing = self._parts.engine.world.get(who)
        return thing.name if thing is not None else who

    def _definition(self, who: str) -> AgentDefinition:
        found = next((one for one in self._parts.minds.definitions.values() if one.id == who), None)
        if found is None:
            raise Unavailable(f"the folder of {self._name(who)} cannot be read")
        return found

    async def _close(self, who: str, journey: Journey) -> None:
        """Close a memory, as soon as all of it is on disk. Raises LociError when its folder cannot be read."""
        minds, definition, world = self._parts.minds, self._definition(who), self._parts.engine.world
        await minds.drop_folds(definition.slug)
        while world.elsewhere.get(who) == journey:  # else it is back, and lives
            agent = minds.in_use_by_slug(definition.slug)
            if agent is None or minds.close(agent):
                self._reloading.unwatch_agent(self._folder(definition))
                if self.troubles.get(journey.ticket) == NOT_CLOSED:
                    del self.troubles[journey.ticket]
                return
            self.troubles[journey.ticket] = NOT_CLOSED
            await self._parts.clock.sleep(CLOSING)

    async def _packed(self, who: str, journey: Journey) -> bytes:
        """Return the letter, once its step is on disk. Raises LociError and OSError."""
        definition, place = self._definition(who), journey.goal.place
        await asyncio.to_thread(self._parts.ledger.sync)
        return await asyncio.to_thread(pack, self._folder(definition), journey.ticket, place, person=definition.person)

    async def _delivered(self, letter: bytes, journey: Journey) -> dict[str, object]:
        neighbour = find_neighbour(self._parts.configuration, journey.goal.host)
        if neighbour is None:
            raise Unavailable("config/regions.md does not name that world any more")
        return await send(neighbour, "take", letter, self._post)

    def _answered(self, who: str, journey: Journey, said: dict[str, object]) -> None:
        """Close a journey. Raises LociError when it cannot be closed yet."""
        if self._parts.engine.world.elsewhere.get(who) != journey:
            return  # it has come back meanwhile, so it had arrived
        if said["answer"] == REFUSED:
            self._turn_back(who, journey, str(said.get("why", "")))
        elif said["answer"] != TAKEN:
            raise Unavailable(str(said.get("why", "it has to wait")))
        else:
            step = self._parts.engine.happen(self._parts.engine.world.things[who], Outcome("", changes=(Settle(who),)))
            if step.failed:
                raise Unavailable(step.reply)
            place, world = journey.goal.place, journey.goal.host
            for session in self._people.sessions.of(who):
                session.tell(self._say(THERE_NOW, place=place, world=world))

    def _turn_back(self, who: str, journey: Journey, why: str) -> None:
        """Put somebody back who was not let in, where they left. Raises LociError and OSError."""
        world, beyond = self._parts.engine.world, journey.goal
        place = world.location(world.away.get(who, "")) or world.locations()[0]
        memory = self._say(TURNED_BACK, place=beyond.place, world=beyond.host, why=why)
        self._arrivals.bring_in(self._definition(who).slug, place, memory, Arrive(who, ""))
