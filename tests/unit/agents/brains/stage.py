"""A small world to try minds in: locations, people, minds, a clock that is moved, and a real search over memories.

Everything a mind is shown here has the form the program gives it; the words are those of the shipped vault.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random

from agents.brains import Decision, Person, Recall, Situation
from agents.brains.instinct.brain import Instinct
from agents.memory.entries import Entry, Hit, importance_of
from agents.mind.interpreter import shipped_interpreter
from mud.clock import iso
from mud.storage.texts import TextStore
from mud.world.events import Event, Perception
from tests.vaults import SHIPPED

START = datetime(2026, 5, 1, 9, 0, tzinfo=UTC)

TEXTS = TextStore(SHIPPED / "text")
TEXTS.load()
VOICES = tuple(dict.fromkeys(key.split(".")[1] for key in TEXTS.keys("instinct.")))
"""The names of the shipped voices."""


def voice(name: str, key: str) -> tuple[str, ...]:
    """Give the shipped texts, as the program does."""
    return TEXTS.variants(f"instinct.{name}.{key}") or TEXTS.variants(f"instinct.default.{key}")


def search(entries: list[Entry], query: str, k: int) -> tuple[Hit, ...]:
    """Rank memories by the words they share with a query, rare words counting for more."""
    words = {entry.seq: set(re.findall(r"\w+", entry.text.lower())) for entry in entries}
    spread = Counter(word for found in words.values() for word in found)
    wanted = set(re.findall(r"\w+", query.lower()))
    hits = []
    for entry in entries:
        score = sum(math.log(1 + len(entries) / spread[word]) for word in wanted & words[entry.seq])
        if score > 0:
            hits.append(Hit(entry.kind, entry.text, score, lexical=score, seq=entry.seq, entry=entry))
    return tuple(sorted(hits, key=lambda hit: hit.score, reverse=True)[:k])


@dataclass
class Mind:
    """A mind on the stage."""

    run: Instinct
    voice: str
    memory: list[Entry] = field(default_factory=list)
    notes: dict[str, str] = field(default_factory=dict)
    due: float = 0.0
    tail: int = 64


@dataclass(frozen=True)
class Done:
    """A line that somebody submitted."""

    at: float
    who: str
    line: str
    company: tuple[str, ...]
    text: str = ""

    @property
    def verb(self) -> str:
        """Its first word."""
        return self.line.split(" ", 1)[0]

    @property
    def words(self) -> str:
        """What it says or does, without the private reason."""
        return self.line.split(" ", 1)[1].split(" | ")[0] if " " in self.line else ""


class Stage:
    """The world of a test."""

    def __init__(self, seed: int = 1, exits: dict[str, dict[str, str]] | None = None) -> None:
        self.exits = exits or {"The Garden": {"east": "The Lobby"}, "The Lobby": {"west": "The Garden"}}
        self.where: dict[str, str] = {}
        self.minds: dict[str, Mind] = {}
        self.items: dict[str, tuple[str, ...]] = {}
        self.carried: dict[str, tuple[str, ...]] = {}
        self.looks: dict[str, str] = {}
        """What a location looks like; it is quiet where nothing is set."""
        self.goals: dict[str, str] = {}
        self.profiles: dict[str, str] = {}
        self.bedtime: float | None = None
        """When, by the stage's clock, everybody falls asleep."""
        self.woken: set[str] = set()
        """Names of those who have just woken."""
        self.seconds = 0.0
        self.done: list[Done] = []
        self.queries: list[str] = []
        self._chance = Random(seed)

    def mind(self, name: str, place: str = "The Garden", voice_name: str = "default") -> Mind:
        """Put a mind on the stage."""
        made = Mind(
            Instinct(name, Random(self._chance.random()), voice, shipped_interpreter), voice_name, due=self.seconds
        )
        self.minds[name] = made
        self.where[name] = place
        return made

    def restart(self, name: str) -> None:
        """Give a mind a new brain over its old memory."""
        self.minds[name].run = Instinct(name, Random(self._chance.random()), voice, shipped_interpreter)

    def enter(self, name: str, place: str = "The Garden") -> None:
        """Let a person arrive."""
        self.where[name] = place
        self._tell(place, name, "arrival", "saw", f"{name} arrives from The Towpath.")

    def leave(self, name: str) -> None:
        """Let a person leave the stage."""
        place = self.where.pop(name)
        self._tell(place, name, "departure", "saw", f"{name} leaves.", destination="The Towpath")

    def walk(self, name: str, to: str) -> None:
        """Let a person go to another location."""
        place, self.where[name] = self.where[name], to
        self._tell(place, name, "departure", "saw", f"{name} leaves.", destination=to)
        self._tell(to, name, "arrival", "saw", f"{name} arrives from {place}.")

    def say(self, name: str, words: str) -> None:
        """Let anybody say something."""
        self._tell(self.where[name], name, "speech", "heard", f'{name} says, "{words}"', words)

    def whisper(self, name: str, to: str, words: str) -> None:
        """Let anybody whisper to a mind."""
        if to in self.minds:
            self._perceive(
                to, "told", f'{name} whispers to you, "{words}"', name, Event("whisper", name, "", "", words)
            )

    def act(self, name: str, text: str) -> None:
        """Let a person do something that is seen."""
        self._tell(self.where[name], name, "emote", "saw", text)

    def give(self, name: str, to: str, thing: str) -> None:
        """Let anybody give something to a mind."""
        event = Event("gift", name, "", f"{name} gives {to} the {thing}.", to=to, thing=thing)
        self.carried[to] = (*self.carried.get(to, ()), thing)
        self._perceive(to, "saw", f"{name} gives you the {thing}.", name, event)

    def wait(self, seconds: float) -> None:
        """Let time pass with nobody thinking."""
        self.seconds += seconds

    def situation(self, name: str) -> Situation:
        """Return what a mind is shown."""
        mind, place = self.minds[name], self.where[name]
        others = [one for one, where in self.where.items() if where == place and one != name]
        return Situation(
            name=name,
            profile=self.profiles.get(name, ""),
            voice=mind.voice,
            location=place,
            description=self.looks.get(place, f"This is {place}. It is quiet."),
            exits=tuple(self.exits.get(place, {})),
            people=tuple(Person(one, one in self.minds) for one in others),
            items=self.items.get(place, ()),
            carrying=self.carried.get(name, ()),
            recent=tuple(mind.memory[-mind.tail :]),
            notes=tuple(mind.notes),
            goal=self.goals.get(name, ""),
            seconds=self.seconds,
            bedtime=None if self.bedtime is None else max(0.0, self.bedtime - self.seconds),
            woke=name in self.woken,
        )

    def think(self, name: str) -> Decision:
        """Run one thought of a mind to its end and carry its line out."""
        mind = self.minds[name]
        situation = self.situation(name)
        self.woken.discard(name)
        thought = mind.run.decide(situation)
        try:
            need = next(thought)
            while True:
                if not isinstance(need, Recall):
                    need = thought.send(())  # nothing here tells which intents are near
                    continue
                self.queries.append(need.query)
                memory = [entry for entry in mind.memory if need.own or entry.kind != "said"]
                need = thought.send(search(memory, need.query, need.k))
        except StopIteration as end:
            decision: Decision = end.value
        if decision.line:
            people = tuple(person.name for person in situation.people)
            self.done.append(Done(self.seconds, name, decision.line, people, decision.text))
            self._carry_out(name, self.done[-1])
        return decision

    def run(self, seconds: float, interval: float = 8.0) -> None:
        """Let the minds live for a while, each thinking when it is due."""
        end = self.seconds + seconds
        while self.minds:
            name = min(self.minds, key=lambda one: self.minds[one].due)
            if self.minds[name].due > end:
                break
            self.seconds = max(self.seconds, self.minds[name].due)
            self.minds[name].due = self.seconds + interval
            self.think(name)
        self.seconds = end

    def lines(self, name: str | None = None, since: float = 0.0) -> list[Done]:
        """Return what was spoken aloud or whispered, by one or by all."""
        return [
            one
            for one in self.done
            if one.verb in ("say", "whisper") and one.at >= since and (name is None or one.who == name)
        ]

    def _carry_out(self, name: str, done: Done) -> None:
        place, words = self.where[name], done.words
        match done.verb:
            case "say":
                self._perceive(name, "said", f'You say, "{words}"')
                self.say(name, words)
            case "whisper":
                to = next(one for one in done.company if words.startswith(one))
                self._perceive(name, "said", f'You whisper to {to}, "{words.removeprefix(to).strip()}"')
                self.whisper(name, to, words.removeprefix(to).strip())
            case "emote":
                self._perceive(name, "did", f"{name} {words}")
                self._tell(place, name, "emote", "saw", f"{name} {words}")
            case "go":
                self._go(name, words)
            case "take":
                self.items[place] = tuple(one for one in self.items[place] if one != words)
                self.carried[name] = (*self.carried.get(name, ()), words)
                self._perceive(name, "did", f"You take the {words}.")
            case "give":
                self._hand_over(name, *words.split(" to "))
            case "examine":
                self._perceive(name, "result", f"{words}: there is more to it than one thinks.")
            case "note":
                title, _, text = words.partition(" -> ")
                self.minds[name].notes[title] = text
                self._perceive(name, "note", f"You note under {title}: {text}")
            case "think":
                self._perceive(name, "thought", words)

    def _go(self, name: str, words: str) -> None:
        place = self.where[name]
        to = self.exits[place].get(words) or next((one for one in self.exits[place].values() if one == words), "")
        if not to:
            self._perceive(name, "did", f'You tried "go {words}", but it did not work.', failed=True)
            return
        self._tell(place, name, "departure", "saw", f"{name} leaves.", destination=to)
        self.where[name] = to
        self._perceive(name, "moved", f"You walk from {place} to {to} ({words}).")
        self._tell(to, name, "arrival", "saw", f"{name} arrives from {place}.")

    def _hand_over(self, name: str, thing: str, to: str) -> None:
        self.carried[name] = tuple(one for one in self.carried[name] if one != thing)
        self._perceive(name, "did", f"You give {to} the {thing}.")
        if to in self.minds:
            self.give(name, to, thing)

    def _tell(
        self,
        place: str,
        actor: str,
        kind: str,
        memory: str,
        text: str,
        words: str | None = None,
        destination: str | None = None,
    ) -> None:
        for name in self.minds:
            if name != actor and self.where.get(name) == place:
                self._perceive(
                    name, memory, text, actor, Event(kind, actor, place, text, words, destination=destination)
                )

    def _perceive(
        self,
        name: str,
        kind: str,
        text: str,
        actor: str | None = None,
        event: Event | None = None,
        *,
        failed: bool = False,
    ) -> None:
        mind, place = self.minds[name], self.where[name]
        at = iso(START + timedelta(seconds=self.seconds))
        seq, weight = len(mind.memory) + 1, importance_of(kind, text, (name,))
        mind.memory.append(Entry(seq, at, kind, actor, place, text, importance=weight, failed=failed))
        wish = mind.run.notice(Perception(name, kind, text, actor, place, event=event, failed=failed), self.seconds)
        if wish is not None:
            mind.due = min(mind.due, self.seconds + wish)
