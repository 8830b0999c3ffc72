"""An evening with one mind: lines put to it one after another, with a recall that counts the words in common."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from random import Random

from agents.brains import Decision, Person, Recall, Situation
from agents.brains.instinct.answers import acknowledge, answer
from agents.brains.instinct.interpreter import Interpreter, foremost
from agents.brains.instinct.meaning import Meaning
from agents.brains.instinct.mind import Mind
from agents.memory.entries import Entry, Hit
from agents.memory.perception import Utterance
from agents.text.addressing import without_address
from mud.clock import iso, parse_iso
from mud.world.sentences import sentences
from tests.unit.agents.brains.instinct.shipped import INTERPRETER

START = "2026-06-01T09:00:00.000Z"
TEXTS = Path(__file__).parents[5] / "vault" / "text" / "instinct"
Near = Callable[[str, list[str]], list[float]]


def voice_of(file: str) -> dict[str, tuple[str, ...]]:
    """Read the texts of a voice: sections, keys in bold, variants as a list."""
    found: dict[str, tuple[str, ...]] = {}
    section = key = ""
    for line in (TEXTS / f"{file}.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            section = line[3:]
        elif line.startswith("**") and "**:" in line:
            key, _, rest = line[2:].partition("**:")
            found[f"{section}.{key}"] = (rest.strip(),) if rest.strip() else ()
        elif line.startswith("- ") and section:
            found[f"{section}.{key}"] += (line[2:],)
    return found


class Evening:
    """A mind, what it lived through, and who is with it.

    Args:
        seed: of its chance.
        people: who is here.
        interpreter: what the vault says of language.
        near: gives the similarity of a question to each of some texts; none without vectors.
        voice: the voice it speaks with.
    """

    def __init__(
        self,
        *,
        seed: int = 1,
        people: tuple[str, ...] = ("Ann", "Bob"),
        interpreter: Interpreter = INTERPRETER,
        near: Near | None = None,
        voice: str = "default",
    ) -> None:
        self.texts = voice_of("default") | voice_of(voice)
        self.mind = Mind("Eliza", Random(seed), lambda _, key: self.texts.get(key, ()), lambda: interpreter)
        self.mind.known.update(dict.fromkeys(people))
        self.people, self.near = people, near
        self.entries: list[Entry] = []
        self.now, self.place, self.text = START, "The Garden", ""
        self.situation = Situation(
            name="Eliza",
            profile="You keep the garden and grow pears. You love the smell of rain. You are afraid of geese.",
            voice="default",
            location=self.place,
            description="Low walls keep the wind out. An old pear tree leans over a bed of thyme.",
            exits=("north", "gate"),
            people=(),
            items=("sundial", "brass lamp"),
            carrying=(),
            recent=(),
            notes=(),
            goal="",
            seconds=0.0,
        )

    def later(self, hours: float) -> None:
        """Let time pass."""
        self.now = iso(parse_iso(self.now) + timedelta(hours=hours))

    def live(self, kind: str, text: str, actor: str | None = None, place: str = "") -> Entry:
        """Let the mind perceive something."""
        self.later(0.01)
        entry = Entry(len(self.entries) + 1, self.now, kind, actor, place or self.place, text)
        self.entries.append(entry)
        return entry

    def say(self, words: str, speaker: str = "Ann", *, whisper: bool = False) -> str:
        """Say something to the mind; return what it says or does."""
        text = f'{speaker} whispers to you, "{words}"' if whisper else f'{speaker} says, "{words}"'
        self.live("told" if whisper else "heard", text, speaker)
        decision = self.decided(Utterance(speaker, words, whisper))
        self.text = decision.text if decision else ""
        if decision is None or decision.line is None:
            return ""
        said = decision.line.partition(" | ")[0]
        verb, _, rest = said.partition(" ")
        if verb == "say":
            self.live("said", f'You say, "{rest}"')
        return rest if verb == "say" else said

    def decided_on(self, words: str, speaker: str = "Ann") -> str:
        """Say something to the mind; return the key of the text it answers with."""
        self.say(words, speaker)
        return self.text

    def seen(self) -> Situation:
        """Return the situation as it is now."""
        people = tuple(Person(name, name in self.mind.minds) for name in self.people)
        return self.situation._replace(people=people, recent=tuple(self.entries[-40:]), location=self.place)

    def read(self, line: str) -> Meaning:
        """Return what a line means, by the foremost of its sentences."""
        interpreter, names = self.mind.interpreter(), self.mind.names(self.seen())
        bare = without_address(line, ("Eliza",)) or line
        read = [interpreter.read(one, names) for one in sentences(bare)]
        return foremost(read)

    def decided(self, said: Utterance) -> Decision | None:
        """Return what the mind decides on a line."""
        meaning = self.read(said.words)
        asks = meaning.wants != "nothing"
        thought = (answer if asks else acknowledge)(self.mind, meaning, said, self.seen())
        try:
            need = next(thought)
            while True:
                need = thought.send(self.recall(need))
        except StopIteration as end:
            decision: Decision | None = end.value
            return decision

    def recall(self, need: Recall) -> tuple[Hit, ...]:
        """Find memories: by the words in common, and by the similarity that was given."""
        words = self.mind.interpreter().words
        wanted = words.content(need.query)
        kinds = ("heard", "told", "saw", "result", "said") if need.own else ("heard", "told", "saw", "result")
        entries = [one for one in self.entries[:-1] if one.kind in kinds]
        near = self.near(need.query, [one.text for one in entries]) if self.near else [0.0] * len(entries)
        found = [
            Hit(one.kind, one.text, score + vector, vector=vector if self.near else None, seq=one.seq, entry=one)
            for one, vector in zip(entries, near, strict=True)
            if (score := words.coverage(wanted, f"{one.text} {one.actor}")) + vector > 0.1
        ]
        return tuple(sorted(found, key=lambda hit: (-hit.score, -(hit.seq or 0)))[: need.k])
