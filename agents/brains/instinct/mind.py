"""One agent's own state, which its ways to answer, talk and act share."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import lru_cache
from random import Random

from agents.brains import Decision, Situation, Voice
from agents.brains.instinct.interpreter import Interpreter
from agents.brains.instinct.meaning import Names
from agents.brains.instinct.relations import Relations
from agents.brains.instinct.topics import Errand, Topic
from agents.brains.instinct.voice import Speaker
from agents.brains.instinct.words import Words, tokens
from agents.memory.perception import Utterance
from mud.world.sentences import sentences

COURTESIES = {"bye": "reply.bye", "night": "reply.night", "thanks": "reply.thanks", "hello": "greet.back"}
"""The texts that answer a courtesy, by the list of its turns of phrase."""
LITTLE = 2
"""How many telling words a courtesy may hold beside itself: `Goodbye, and sleep well under the willow` holds two."""
ERRANDS = 8
"""How many errands an agent keeps; a ninth takes the place of the first."""


@lru_cache(maxsize=1 << 11)
def courtesies(words: Words, line: str, names: Sequence[str] = ()) -> tuple[tuple[str, ...], int]:
    """Return the texts that answer the courtesies in a line, and how many words tell of more.

    Args:
        words: the word lists.
        line: the line.
        names: names that tell nothing.
    """
    found = tuple([text for name, text in COURTESIES.items() if words.says(name, line)])
    if not found:
        return (), LITTLE + 1
    said = _polite(words).union(tokens(" ".join(names)))
    return found, sum(word not in said for word in words.content(line))


@lru_cache(maxsize=4)
def _polite(words: Words) -> frozenset[str]:
    """Return the words of all courtesies."""
    return frozenset(tokens(" ".join([item for name in COURTESIES for item in words.of(name)])))


class Mind:
    """What one agent bears in mind between its thoughts.

    Args:
        name: the agent's name.
        rng: its chance.
        voice: the texts it may speak with.
        interpreter: gives what the vault says of language, as it is now.
    """

    def __init__(self, name: str, rng: Random, voice: Voice, interpreter: Callable[[], Interpreter]) -> None:
        self.name, self.rng, self.interpreter = name, rng, interpreter
        self.speaker = Speaker(rng, voice, name)
        self.minds: set[str] = set()
        self.spoken_to: dict[str, float] = {}
        """When the agent and somebody last spoke to each other, by name; without those of whom leave was taken."""
        self.animals: set[str] = set()
        """Names of those who were seen and do not speak."""
        self.known: dict[str, None] = {}
        self.topics: dict[str, Topic] = {}
        self.corrected: dict[int, int] = {}
        """The newest memories that put an answer right, and the memory that it came from."""
        self.relations = Relations(name, interpreter)
        self.ways: dict[str, dict[str, str]] = {}
        """Where each way out of a place led, by place and exit, as walked."""
        self.errands: deque[Errand] = deque(maxlen=ERRANDS)
        self.told: deque[Errand] = deque(maxlen=ERRANDS)
        """Errands that were done."""
        self.following = ""
        """Who asked it to come along; empty for nobody."""
        self.looking: Utterance | None = None
        """The line that it answers once it has looked at what it asks of."""
        self.looked_at: set[str] = set()

    def names(self, situation: Situation) -> Names:
        """Return the names known here and now."""
        here = {person.name: None for person in situation.people}
        places = dict.fromkeys(
            (situation.location, *self.ways, *(to for by in self.ways.values() for to in by.values()))
        )
        return Names(self.name, tuple({**self.known, **here}), tuple(places), (*situation.items, *situation.carrying))

    def courtesies(self, words: str) -> tuple[str, ...]:
        """Return the texts that answer the sentences of a line that are courtesies, such as `reply.bye`."""
        lists, names = self.interpreter().words, (self.name, *self.known)
        if not courtesies(lists, words)[0]:  # as most lines are none
            return ()
        read = [courtesies(lists, one, names) for one in sentences(words) if not one.endswith("?")]
        return tuple(text for found, rest in read for text in found if rest <= LITTLE)

    def say(
        self,
        situation: Situation,
        to: str,
        keys: Sequence[str],
        places: dict[str, str],
        why: str,
        *,
        private: bool = False,
        reason: str = "",
        cites: tuple[str, ...] = (),
        nods: bool = True,
    ) -> Decision | None:
        """Speak to somebody, in the first text that repeats nothing; None where they are not.

        Args:
            situation: the situation.
            to: who is spoken to.
            keys: the texts that say it, the best first.
            places: what their places hold.
            why: for traces.
            private: nobody else may hear it: a whisper.
            reason: text of the private reason; empty for none.
            cites: what it rests on, see `Decision`.
            nods: nods when every text would repeat something; else None.
        """
        if all(person.name != to for person in situation.people):
            return None
        places = {"name": self.relations.called(to), "place": situation.location, **places}
        for key in keys:
            if text := self.speaker.line(key, **places):
                behind = self.behind(reason, **places) if reason else ""
                line = f"whisper {to} {text}" if private else f"say {text}{behind}"
                return Decision(line, why, key, cites=cites, to=to)
        return self.shows("emote.nod", f"{why}, and has no words for it that are new", **places) if nods else None

    def shows(self, key: str, why: str, **places: str) -> Decision | None:
        """Make a gesture, or think something to oneself; None when every text would repeat something."""
        text = self.speaker.line(key, **places)
        return Decision(f"{key.partition('.')[0]} {text}", why, key) if text else None

    def behind(self, key: str, **places: str) -> str:
        """Return the private reason behind a line, which it gives more often than not, with its mark."""
        text = self.speaker.plain(key, **places) if self.rng.random() < 0.6 else ""
        return f" | {text}" if text else ""
