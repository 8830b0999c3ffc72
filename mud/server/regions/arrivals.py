"""Takes in who comes from another world: once for each ticket, and answers only when all of it is on disk.

Files come first, `agent.md` last, then the step of the ledger that lets the character in. Whatever a kill leaves of
that is completed by the next letter with the same ticket, which comes until it is answered. Tickets that were taken
stand in passports, and those that were refused in a file of the log, so that a letter that comes late or twice changes
nothing.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterator
from pathlib import Path

import orjson

from agents.definition import (
    AgentDefinition,
    LocationIndex,
    find_location,
    free_slug,
    misplaced_habits,
    parse_definition,
)
from agents.directory import AGENT
from mud.commands import Outcome
from mud.errors import LociError, Refusal
from mud.portal.session import Message, names_around
from mud.server.checks import SCHEMAS, voices_in
from mud.server.people import People
from mud.server.regions.luggage import PASSPORT, Luggage, Passport, continued, read_passport, unpack, write_passport
from mud.server.regions.neighbours import Neighbour, neighbours_in, password_of
from mud.server.reloading import Reloading
from mud.server.wiring import Parts
from mud.storage.document_edits import replace_section
from mud.storage.documents import body_of, parse_document, render_document
from mud.storage.files import sync_file_system, write_unsynced
from mud.storage.jsonl import JsonlWriter, read_jsonl
from mud.storage.paths import make_folder, matching, read_bytes
from mud.world.changes import Arrive, Change, FallAsleep
from mud.world.narration import phrase
from mud.world.roles import Role
from mud.world.things import Thing

log = logging.getLogger(__name__)

NO_PLACE = phrase("app.regions.no_place", "place")
NAME_TAKEN = phrase("app.regions.name_taken", "name")
HERE_ALREADY = phrase("app.regions.here_already", "name")
OTHER_LIFE = phrase("app.regions.other_life", "name")
NO_TRAVELLER = phrase("app.regions.no_traveller")
ARRIVED = phrase("app.regions.arrived", "place", "world")

TAKEN, REFUSED, LATER, WELCOME = "taken", "refused", "later", "welcome"
"""What a letter is answered."""
REFUSALS = "log/refused-travellers.jsonl"
_HABITS = ("Habits", "Reflexes")

Answer = dict[str, str]


class RefusedTickets:
    """The tickets of those who were not let in, each with why; a letter that comes late is answered the same way."""

    def __init__(self, path: Path) -> None:
        self._path = path
        lines = [line.data for line in read_jsonl(path)] if path.exists() else []
        self._why = {str(data.get("ticket")): str(data.get("why")) for data in lines if data is not None}

    def why(self, ticket: str) -> str | None:
        return self._why.get(ticket)

    def add(self, ticket: str, why: str) -> None:
        """Raises OSError."""
        writer = JsonlWriter(self._path)
        try:
            writer.append([orjson.dumps({"ticket": ticket, "why": why}).decode()])
            writer.sync()
        finally:
            writer.close()
        self._why[ticket] = why


class Arrivals:
    """The characters that come into a running world from others."""

    def __init__(self, parts: Parts, people: People, reloading: Reloading) -> None:
        self._parts, self._people, self._reloading = parts, people, reloading
        self._agents = parts.vault / "agents"
        self._refused = RefusedTickets(parts.vault / REFUSALS)
        self._one_at_a_time = asyncio.Lock()
        self._say = parts.texts.render

    def complete(self) -> None:
        """Note by which tickets those came whom the start let in, as a kill had come between their files and a step."""
        engine, minds = self._parts.engine, self._parts.minds
        # A world without neighbours has no need to look into all folders.
        for slug, passport in self._passports() if any(neighbours_in(self._parts.configuration)) else ():
            definition, tickets = minds.definitions.get(slug), passport.tickets[-1:]
            if definition is None or not tickets or definition.id not in engine.world.where:
                continue
            if engine.world.live.arrivals.get(definition.id) != tickets[0]:
                arrived = Outcome("", changes=(Arrive(definition.id, tickets[0]),))
                engine.happen(engine.world.things[definition.id], arrived)

    def _passports(self) -> Iterator[tuple[str, Passport]]:
        """Yield the folder and the passport of everybody who ever travelled."""
        for path in matching(self._agents, f"*/{PASSPORT}"):
            try:
                passport = read_passport(path.parent)
            except LociError as error:
                log.warning("%s", error)
                continue
            if passport is not None:
                yield path.parent.name, passport

    def ask(self, body: bytes) -> Answer:
        """Return whether somebody would be welcome; nothing comes of it."""
        try:
            said = json.loads(body)
            being, name, place = (str(said[key]) for key in ("being", "name", "place"))
        except (ValueError, KeyError, TypeError, RecursionError):
            return {"answer": REFUSED, "why": self._say(NO_TRAVELLER)}
        try:
            self._place(place)
            slug = self._folder_of(being)
            if slug is None or slug not in self._parts.minds.definitions:
                self._free_name(name)
            elif self._parts.minds.definitions[slug].id not in self._parts.engine.world.elsewhere:
                raise Refusal(self._say(HERE_ALREADY, name=name))
        except Refusal as no:
            return {"answer": REFUSED, "why": no.text}
        return {"answer": WELCOME}

    async def take(self, letter: bytes, neighbour: Neighbour) -> Answer:
        """Take in who comes with a letter, and return what the other world is answered."""
        async with self._one_at_a_time:
            try:
                luggage = await asyncio.to_thread(unpack, letter)
            except LociError as wrong:
                return {"answer": REFUSED, "why": str(wrong)}
            if (why := self._refused.why(luggage.ticket)) is not None:
                return {"answer": REFUSED, "why": why}
            try:
                return await self._take(luggage, neighbour)
            except (LociError, OSError) as error:
                log.warning("somebody from %s cannot come in yet: %s", neighbour.host, error)
                return {"answer": LATER, "why": str(error)}

    async def _take(self, luggage: Luggage, neighbour: Neighbour) -> Answer:
        slug = self._folder_of(luggage.passport.being)
        if slug is None or not self._has_arrived(slug, luggage.ticket):
            try:
                place = self._place(luggage.place)
                new = slug is None or not (self._agents / slug / AGENT).exists()
                slug = (
                    self._newcomer(luggage, slug, place, neighbour)
                    if new or slug is None
                    else self._come_back(luggage, slug, neighbour)
                )
            except Refusal as no:
                self._refused.add(luggage.ticket, no.text)
                return {"answer": REFUSED, "why": no.text}
            arrived = Arrive(self._parts.minds.definitions[slug].id, luggage.ticket)
            self.bring_in(slug, place, self._say(ARRIVED, place=place.name, world=neighbour.host), arrived)
        await self._make_account(slug, password_of(neighbour.key, luggage.ticket))
        await asyncio.to_thread(self._sync)
        return {"answer": TAKEN}

    def _sync(self) -> None:
        self._parts.ledger.sync()
        sync_file_system(self._parts.vault)

    def _place(self, wanted: str) -> Thing:
        place = find_location(wanted, self._parts.engine.world.locations())
        if place is None:
            raise Refusal(self._say(NO_PLACE, place=wanted[:60]))
        return place

    def _free_name(self, name: str) -> str:
        try:
            return self._people.free_name(name)
        except LociError:
            raise Refusal(self._say(NAME_TAKEN, name=name[:60])) from None

    def _is_free(self, name: str) -> bool:
        try:
            return self._people.free_name(name) == name
        except LociError:
            return False

    def _folder_of(self, being: str) -> str | None:
        return next((slug for slug, passport in self._passports() if passport.being == being), None)

    def _has_arrived(self, slug: str, ticket: str) -> bool:
        """Return whether somebody came by a ticket, who may have left again since. Raises LociError."""
        minds, world, passport = self._parts.minds, self._parts.engine.world, read_passport(self._agents / slug)
        if passport is None or ticket not in passport.tickets or not (self._agents / slug / AGENT).exists():
            return False
        if slug not in minds.definitions and (problems := minds.load_definition(slug)):
            raise LociError(str(problems[0]))
        who = minds.definitions[slug].id
        # With the last ticket, a kill may have come after the files and before the step.
        return ticket != passport.tickets[-1] or world.live.arrivals.get(who) == ticket or who in world.where

    def _newcomer(self, luggage: Luggage, slug: str | None, place: Thing, neighbour: Neighbour) -> str:
        """Write the folder of somebody who was never here, or complete it; return its name. Raises Refusal."""
        parts, minds = self._parts, self._parts.minds
        definition, _ = parse_definition(luggage.text(AGENT), "traveller", SCHEMAS)
        if definition is None or not definition.name or definition.person is not luggage.person:
            raise Refusal(self._say(NO_TRAVELLER))
        name = self._free_name(definition.name)
        slug = slug or free_slug(self._agents, name, person=True)
        text = self._definition_of(luggage, definition, parts.engine.world.new_id(), place)
        if parse_definition(text, slug, SCHEMAS)[1]:
            raise Refusal(self._say(NO_TRAVELLER))
        self._write(self._agents / slug, luggage, neighbour)
        for file, written in ((".gitignore", "*\n"), (AGENT, text)):
            write_unsynced(self._agents / slug / file, written)
        self._reloading.watcher.wrote(self._agents / slug / AGENT, text)
        if problems := minds.load_definition(slug):
            raise LociError(str(problems[0]))
        return slug

    def _definition_of(self, luggage: Luggage, definition: AgentDefinition, id: str, place: Thing) -> str:
        """Return the text of an `agent.md`: who somebody is, with the settings of this world alone."""
        front = {
            "id": id,
            "type": "person" if definition.person else "agent",
            "location": "" if definition.person else f"[[{place.name}]]",
            "aliases": [alias for alias in definition.aliases if self._is_free(alias)],
            "goal": definition.goal,
            "voice": definition.voice if definition.voice in voices_in(self._parts.texts) else "",
        }
        text = render_document({key: value for key, value in front.items() if value}, body_of(luggage.text(AGENT)))
        if misplaced_habits(definition.habits, AGENT, LocationIndex(self._parts.engine.world.locations())):
            for heading in _HABITS:  # they are of places that are not here
                if parse_document(text, AGENT).section(heading) is not None:
                    text = replace_section(text, heading, "", AGENT)
        return text

    def _come_back(self, luggage: Luggage, slug: str, neighbour: Neighbour) -> str:
        """Add to the folder of somebody who left here what was lived since; return its name. Raises Refusal.

        Of somebody new whose step could not be written all is there already.
        """
        definition = self._parts.minds.definitions.get(slug)
        if definition is None and (problems := self._parts.minds.load_definition(slug)):
            raise LociError(str(problems[0]))
        definition = self._parts.minds.definitions[slug]
        world, passport = self._parts.engine.world, read_passport(self._agents / slug)
        if definition.id not in world.things and passport is not None and passport.tickets[-1:] == (luggage.ticket,):
            return slug
        journey = world.elsewhere.get(definition.id)
        if journey is None:
            raise Refusal(self._say(HERE_ALREADY, name=definition.name))
        # Whoever comes home left there by a later ticket; with its own alone, a letter of this world was sent back.
        if journey.ticket not in luggage.passport.tickets[:-1]:
            raise Refusal(self._say(OTHER_LIFE, name=definition.name))
        if self._parts.minds.in_use_by_slug(slug) is not None:
            raise LociError(f"what {definition.name} lived here before is not closed yet")
        self._write(self._agents / slug, luggage, neighbour)
        return slug

    def _write(self, folder: Path, luggage: Luggage, neighbour: Neighbour) -> None:
        """Write what somebody lived. Versions of summaries are only added. Raises Refusal and OSError."""
        there = {f"archive/{path.name}": read_bytes(path, own=True) for path in matching(folder / "archive", "*.jsonl")}
        archive = continued(there, luggage.archive, self._parts.engine.number)
        make_folder(folder, above=True)
        known = read_passport(folder)
        passport = luggage.passport._replace(home=known.home if known is not None else neighbour.host)
        write_passport(folder, passport)  # first: whatever follows is found by it and completed
        others = {name: luggage.text(name) for name in luggage.files if name not in (*luggage.archive, AGENT)}
        versions = {name: text for name, text in others.items() if name.startswith("summaries/") and "-" in name}
        for name, text in versions.items():
            if not (folder / name).exists():
                _put(folder / name, text)
        for name, data in archive.items():
            _put(folder / name, data)
        for name in others.keys() - versions.keys():
            _put(folder / name, others[name])

    def bring_in(self, slug: str, place: Thing, memory: str, arrive: Arrive) -> None:
        """Let in who came, or came back, and what it remembers of that. A person whom nobody leads sleeps.

        Raises LociError and OSError.
        """
        who = self._parts.minds.definitions[slug].id
        sessions = self._people.sessions.of(who)
        changes: list[Change] = [arrive]
        if self._parts.minds.definitions[slug].person and not sessions:
            changes.append(FallAsleep(who, absent=True))
        step = self._reloading.bring_in(slug, place, changes, memory)
        for session in sessions:
            if session.role < Role.OWNER:  # to owners all is shown that happens to their character
                session.show(Message(step.reply, names=names_around(self._parts.engine.world, who)))

    async def _make_account(self, slug: str, password: str) -> None:
        """Let a person who came in with a password, unless it can already. Raises LociError and OSError."""
        definition, accounts = self._parts.minds.definitions[slug], self._people.accounts
        if definition.person and accounts.of(definition.id) is None:
            create = self._people.authenticator.create
            await create(definition.name, Role.PLAYER, password, character=definition.id)


def _put(path: Path, content: str | bytes) -> None:
    make_folder(path.parent, above=True)
    write_unsynced(path, content)
