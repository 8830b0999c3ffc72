"""A world made up: places in districts, things in them, and people who live and work there, as files to be edited.

All words are lists in `text/generate/` of the vault whose settings and texts the new one gets. The same words, numbers
and seed make the same files, byte for byte.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import NamedTuple

from agents.definition_cache import DefinitionCache
from agents.directory import AgentDirectory
from mud.engine.engine import WorldSettings
from mud.errors import LociError, VaultProblem
from mud.server.checks import SCHEMAS, check_texts
from mud.server.new_vaults import new_vault
from mud.storage.documents import render_document
from mud.storage.files import copy_folder, free_stem, read_text, slugify, write_unsynced
from mud.storage.paths import make_folder
from mud.storage.settings import replace_setting
from mud.storage.texts import GENERATE, TextStore, fill_places
from mud.world.matching import plain
from mud.world.terrain import Cell, lay_out

COPIED = ("config", "text", "prompts", "instinct")
"""The parts of a vault that the new one gets."""
WORKS, HOMES, WAYS = KINDS = ("works", "homes", "ways")
"""Where people work, where they live, and what leads there: files of words with a section for each kind of place."""
_CROSSING = 3  # a place with so many exits is a way more often than not
_SHARES = {True: (30, 10, 60), False: (55, 40, 5)}
"""Percentages of works, homes and ways, at a crossing and elsewhere."""
_MADE = 0.3  # share of the places that are called after somebody
_FURNISHED = 0.6  # share of the places with a thing that stays, and of those with a thing that can be taken
_INTERVALS = (6, 14)  # least and most seconds between two thoughts
_DRAWS, _SHORT = 200, 20  # how many names are tried until one is free, and how many of these are short ones


@dataclass(frozen=True, slots=True)
class WorldPlan:
    """What to make up: how many places and people, from 1 and 0 on, and the seed of all chance."""

    places: int
    people: int
    seed: int


class _Place(NamedTuple):
    name: str
    kind: str  # the key of its words, such as `works.mill`
    district: int


class WordLists:
    """The lists of `text/generate/`, and those of people in `text/newcomers.md`. Raises VaultProblem for mistakes."""

    def __init__(self, folder: Path) -> None:
        self._texts = TextStore(folder)
        problems = [*self._texts.load(), *check_texts(self._texts)]
        if wrong := [one for one in problems if one.file.startswith("text/generate/")]:
            raise VaultProblem(wrong)

    def kinds(self, family: str) -> list[str]:
        """Return the kinds of places of a family, such as `works.mill`, sorted."""
        keys = self._texts.keys(f"{GENERATE}{family}.")
        if not keys:
            raise LociError(f"text/generate/{family}.md has no kind of place; expected a section for each")
        return sorted({".".join(key.split(".")[1:3]) for key in keys})

    def some(self, key: str) -> tuple[str, ...]:
        """Return a list that may be missing."""
        return self._texts.variants(GENERATE + key)

    def all(self, key: str) -> tuple[str, ...]:
        """Return a list of `text/generate/`. Raises LociError when it is missing."""
        if not (found := self.some(key)):
            file, name = key.split(".")[0], key.partition(".")[2]
            raise LociError(f"text/generate/{file}.md has no list {name}; a world is made up from it")
        return found

    def people(self, key: str) -> tuple[str, ...]:
        """Return a list of `text/newcomers.md`. Raises LociError when it is missing."""
        if not (found := self._texts.variants(f"newcomers.{key}")):
            raise LociError(f"text/newcomers.md has no list {key}; people are made up from it")
        return found


def generate(source: Path, target: Path, plan: WorldPlan) -> dict[str, int]:
    """Make a new vault with a world made up; return the numbers of its places, ways, things and people.

    `source` is the vault whose settings and texts are copied. Nothing is left of a world that could not be finished.
    Raises LociError when there is something at `target` already, or when the words do not suffice.
    """
    with new_vault(target) as made:
        for name in COPIED:
            copy_folder(source / name, made / name)
        world = _World(made, WordLists(made / "text"), plan)
        world.write()
        people = AgentDirectory(made / "agents", SCHEMAS, cache=DefinitionCache(made / "agents"))
        people.load(None, ())
        people.keep()  # so that the first start need not parse very many files
        return world.counts


class _World:
    def __init__(self, vault: Path, words: WordLists, plan: WorldPlan) -> None:
        self._vault, self._words, self._plan, self._chance = vault, words, plan, Random(plan.seed)
        self._next_id = 1001
        self._names: set[str] = set()
        self._stems: defaultdict[str, set[str]] = defaultdict(set)
        terrain = lay_out(plan.places, self._chance)
        self._ways = terrain.ways
        self._districts = [self._free_name(lambda long: self._made()) for _ in set(terrain.districts.values())]
        self._air = [self._chance.choice(words.all("names.districts")) for _ in self._districts]
        self._places = self._named_places(terrain.districts)
        self.counts = {"locations": plan.places, "ways": sum(map(len, self._ways.values())) // 2}

    def _named_places(self, districts: dict[Cell, int]) -> dict[Cell, _Place]:
        kinds = {family: self._words.kinds(family) for family in KINDS}
        places: dict[Cell, _Place] = {}
        for cell, exits in self._ways.items():
            shares = _SHARES[len(exits) >= _CROSSING]
            family = self._chance.choices(KINDS, shares)[0] if places else WORKS
            kind = self._chance.choice(kinds[family])
            places[cell] = _Place(self._place_named(kind), kind, districts[cell])
        return places

    def write(self) -> None:
        for folder in ("world/locations", "world/items", "world/characters", "agents"):
            make_folder(self._vault / folder, above=True)
        for cell, place in self._places.items():
            self._write_place(cell, place)
        things = sum(self._furnish(place) for place in self._places.values())
        people = self._write_people()
        self.counts |= {"items": things, "agents": people, "districts": len(self._districts)}
        config = self._vault / "config/world.md"
        start = next(iter(self._places.values())).name
        write_unsynced(config, replace_setting(read_text(config), WorldSettings, "start_location", start, config.name))

    def _write_place(self, cell: Cell, place: _Place) -> None:
        exits = {name: f"[[{self._places[to].name}]]" for name, to in self._ways[cell].items()}
        front = {"type": "location", "tags": [slugify(self._districts[place.district])], "exits": exits}
        text = self._filled(self._words.all(f"{place.kind}.looks"), place)
        air = fill_places(self._air[place.district], {"district": self._districts[place.district]})
        self._write("world/locations", place.name, front, f"{text} {air}\n")

    def _furnish(self, place: _Place) -> int:
        """Write what is in a place, and return how many things."""
        things = 0
        for key, front in (("fixtures", {"fixed": True}), ("things", {})):
            words = self._words.some(f"{place.kind}.{key}")
            if words and self._chance.random() < _FURNISHED:
                noun, _, text = self._chance.choice(words).partition(": ")
                name = self._thing_named(noun)
                where = {"type": "item", "location": f"[[{place.name}]]"}
                self._write("world/items", name, {**where, "aliases": [noun], **front}, f"{text}\n")
                things += 1
        return things

    def _write_people(self) -> int:
        works, homes, walks = (self._of(family) for family in KINDS)
        near: defaultdict[int, list[_Place]] = defaultdict(list)
        for home in homes:
            near[home.district].append(home)
        for number in range(self._plan.people):
            work = works[number % len(works)]
            home = self._chance.choice(near[work.district] or homes or works)
            self._write_person(home, work, self._chance.choice(walks or works))
        return self._plan.people

    def _of(self, family: str) -> list[_Place]:
        found = [place for place in self._places.values() if place.kind.startswith(f"{family}.")]
        self._chance.shuffle(found)
        return found

    def _write_person(self, home: _Place, work: _Place, walk: _Place) -> None:
        chance, words = self._chance, self._words
        name = self._person_named()
        about = [words.all("people.profiles"), words.all(f"{work.kind}.work")]
        about += [words.people(f"person.{key}") for key in ("manner", "wish")]
        profile = " ".join(self._filled(texts, work, home) for texts in about)
        look = f"{chance.choice(words.people('person.look'))} {self._one(f'{work.kind}.marks')}"
        habits = chance.sample(words.all(f"{work.kind}.habits"), min(2, len(words.all(f"{work.kind}.habits"))))
        told = [self._filled([habit], work) for habit in habits]
        told += [self._filled(words.all(f"{place.kind}.habits"), place) for place in (home, walk) if place != work]
        living = {"voice": chance.choice(words.all("people.voices")), "think_interval": chance.randint(*_INTERVALS)}
        now = chance.choice((home, work, walk))  # where it begins; all at home would be a crowd
        front = {"type": "agent", "location": f"[[{now.name}]]", "brain": "auto", **living}
        lines = "".join(f"- {habit}\n" for habit in told)
        text = f"## Description\n{look}\n\n## Profile\n{profile}\n\n## Habits\n{lines}"
        self._write("agents", name, front, text)

    def _write(self, folder: str, name: str, front: Mapping[str, object], text: str) -> None:
        stem = free_stem(self._stems[folder], slugify(name))
        self._stems[folder].add(stem)
        path = self._vault / folder / (f"{stem}/agent.md" if folder == "agents" else f"{stem}.md")
        write_unsynced(path, render_document({"id": f"#{self._next_id}", **front}, f"# {name}\n\n{text}"))
        self._next_id += 1

    def _filled(self, texts: Sequence[str], place: _Place, home: _Place | None = None) -> str:
        """Return one of the texts, with links in habits and names elsewhere."""
        link = "[[{}]]" if home is None else "{}"
        trade = self._words.some(f"{place.kind}.trade")
        return fill_places(
            self._chance.choice(texts),
            {
                "place": link.format(place.name),
                "home": home.name if home is not None else "",
                "district": self._districts[place.district],
                "trade": trade[0] if trade else "",
            },
        )

    def _one(self, key: str) -> str:
        return self._chance.choice(self._words.all(key))

    def _made(self) -> str:
        """Return a name as of a village or a family, such as Ashcombe."""
        return self._one("names.beginnings") + self._one("names.ends")

    def _place_named(self, kind: str) -> str:
        def draw(long: bool) -> str:
            noun = self._one(f"{kind}.names")
            if self._chance.random() < _MADE:
                return f"{self._made()} {noun}"
            return f"The {self._one('names.adjectives')} {noun}" + (f" of {self._made()}" if long else "")

        return self._free_name(draw)

    def _thing_named(self, noun: str) -> str:
        def draw(long: bool) -> str:
            return f"{self._one('names.qualities')} {noun}" + (f" from {self._made()}" if long else "")

        return self._free_name(draw)

    def _person_named(self) -> str:
        def draw(long: bool) -> str:
            first = self._words.people("names.first")
            given = self._chance.sample(first, 2 if long else 1)
            return f"{' '.join(given)} {self._made()}"

        return self._free_name(draw)

    def _free_name(self, draw: Callable[[bool], str]) -> str:
        """Return the first name drawn that nothing has yet; `draw` is told whether short ones were tried enough."""
        for tried in range(_DRAWS):
            name = draw(tried >= _SHORT)
            words = name.casefold().split()
            if plain(name) not in self._names and len({*words}) == len(words):  # no Old Old House
                self._names.add(plain(name))
                return name
        raise LociError("text/generate has too few words for so large a world; add some to its lists")
