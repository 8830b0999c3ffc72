"""What a builder asks, and what all answers need: names, ways, texts, links, and what others see."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from agents.definition import check_name
from mud.commands import LONGEST_SHOWN, Outcome
from mud.errors import Refusal
from mud.portal.session import Session
from mud.server.building.files import Draft
from mud.server.people import People
from mud.server.questions import ask_line
from mud.storage.document_edits import kept_from_marking
from mud.storage.documents import Document, link_name
from mud.storage.texts import TextStore
from mud.world.changes import Change
from mud.world.events import Event, Request
from mud.world.exits import SHORT
from mud.world.matching import plain
from mud.world.names import folded
from mud.world.narration import Phrase, phrase, shortened
from mud.world.things import Kind, Thing

GONE = phrase("building.ask.gone")
BAD_NAME = phrase("building.ask.bad_name")
NAME_TAKEN = phrase("building.ask.name_taken", "name", "file")
BAD_WAY = phrase("building.ask.bad_way", "name")
WAY_TAKEN = phrase("building.ask.way_taken", "name", "location")
TOO_LONG = phrase("building.ask.too_long", "most", "count")
MARKS = phrase("building.ask.marks")
PERSON = phrase("building.ask.person", "name")
NO_WAY_IN = phrase("building.notes.no_way_in", "name")
NO_WAY_OUT = phrase("building.notes.no_way_out", "name")


LONGEST_WAY = 40
LONGEST_TEXT = 20_000
"""Characters of one section."""
PLACES = ("exits", "doors")
"""Keys of a place that hold links by the names of its exits."""
_FORBIDDEN = re.compile(r"[=,\[\]]")
_FORBIDDEN_WAY = re.compile(r'["=,:|\[\]{}/\\]')


class BuildingRequest:
    """What a builder asks.

    Args:
        asker: the session where it was typed; its role was checked, and is checked again after each question.
    """

    def __init__(self, people: People, texts: TextStore, asker: Session, request: Request) -> None:
        self.people, self.asker, self.who, self.args = people, asker, request.who, request.args
        self.building = people.building
        self.world = people.world
        self._texts = texts

    def say(self, phrase: Phrase, /, **places: object) -> str:
        return self._texts.render(phrase, **places)

    async def line(self, question: Phrase, **places: object) -> str:
        """Ask the builder for a line. Raises Refusal when they give up."""
        return await ask_line(self.asker, self.say, self.say(question, **places))

    def thing(self, key: str = "thing") -> Thing:
        """Return the thing that an argument names by its id. Raises Refusal when it has gone meanwhile."""
        found = self.world.get(self.args.get(key, ""))
        if found is None:
            raise Refusal(self.say(GONE))
        return found

    @property
    def here(self) -> Thing:
        """The place where it was asked."""
        return self.thing("here")

    def file(self, thing: Thing) -> str:
        """Return the file of a thing that builders may change. Raises Refusal for a person's."""
        if thing.kind is Kind.CHARACTER and not thing.thinks and self.is_mind(thing):
            raise Refusal(self.say(PERSON, name=thing.name))
        return self.building.file_of(thing)

    def is_mind(self, thing: Thing) -> bool:
        """Return whether a character has a memory: it is an agent, or a person's."""
        return any(one.id == thing.id for one in self.building.minds.definitions.values())

    def is_agent(self, thing: Thing) -> bool:
        return thing.thinks and self.is_mind(thing)

    def name(self, typed: str) -> str:
        """Return a name for something new. Raises Refusal when it cannot be typed or linked to."""
        return self.typable(check_name(typed))

    def free_name(self, kind: Kind, typed: str, but: Thing | None = None) -> str:
        """Return a name for something new. Raises Refusal when a file has a thing of this kind with it."""
        name = self.name(typed)
        for identity, file in self.building.homes.items():
            one = self.world.get(identity)
            if one is not None and one.kind is kind and one is not but and folded(one.name) == folded(name):
                raise Refusal(self.say(NAME_TAKEN, name=one.name, file=file))
        return name

    def typable(self, name: str) -> str:
        """Return a name. Raises Refusal when commands or links would take it for something else."""
        if _FORBIDDEN.search(name):
            raise Refusal(self.say(BAD_NAME))
        return name

    def way(self, typed: str) -> str:
        """Return the name of an exit, with directions in full. Raises Refusal when it cannot be typed."""
        clean = " ".join(typed.split())
        fits = any(map(str.isalnum, clean)) and len(clean) <= LONGEST_WAY and not _FORBIDDEN_WAY.search(clean)
        if not fits:
            raise Refusal(self.say(BAD_WAY, name=shortened(clean, LONGEST_SHOWN)))
        return SHORT.get(plain(clean), clean)

    def free_way(self, place: Thing, typed: str) -> str:
        """Return the name of a new exit of a place."""
        name = self.way(typed)
        if any(plain(one.name) == plain(name) for one in place.exits):
            raise Refusal(self.say(WAY_TAKEN, name=name, location=place.name))
        return name

    def text(self, typed: str, most: int = LONGEST_TEXT) -> str:
        """Return a text for a section. Raises Refusal when it is too long, or would begin a section of its own."""
        text = typed.strip()
        if len(text) > most:
            raise Refusal(self.say(TOO_LONG, most=f"{most:,}", count=f"{len(text):,}"))
        if kept_from_marking(text) != text:
            raise Refusal(self.say(MARKS))
        return text

    def carry_out(self, what: str, draft: Draft) -> list[Change]:
        return self.building.carry_out(self.asker.own, what, draft)

    def seen(self, how: Phrase, name: str) -> tuple[Event, ...]:
        """Return what those here see of it."""
        actor, here = self.world.get(self.who), self.world.get(self.args.get("here", ""))
        if actor is None or here is None:
            return ()
        return (Event("action", actor.id, here.id, self.say(how, actor=actor.name, name=name), thing=name),)

    def notes(self, *places: str) -> list[str]:
        """Return which of some places, by name, nobody can reach or leave."""
        told = []
        for place in (one for one in self.world.locations() if one.name in places):
            ways_in = (way.to for one in self.world.locations() if one.id != place.id for way in one.exits)
            if place.id not in ways_in:
                told.append(self.say(NO_WAY_IN, name=place.name))
            if all(way.to == place.id for way in place.exits):
                told.append(self.say(NO_WAY_OUT, name=place.name))
        return told

    def outcome(self, lines: Sequence[str], changes: Sequence[Change] = (), events: Sequence[Event] = ()) -> Outcome:
        return Outcome("\n".join(lines), changes=tuple(changes), events=tuple(events))


def link(name: str) -> str:
    return f"[[{name}]]"


def entries(document: Document) -> Iterator[tuple[str, str, str]]:
    """Yield the links under exits and doors: key, name, value."""
    for key in PLACES:
        held = document.front.get(key)
        if isinstance(held, Mapping):
            yield from ((key, str(name), to) for name, to in held.items() if isinstance(to, str))


def leads_to(value: str, thing: Thing, file: str) -> bool:
    name = (link_name(value) or value.strip()).rsplit("/", 1)[-1]
    return folded(name) in {folded(one) for one in (thing.id, thing.name, Path(file).stem)}
