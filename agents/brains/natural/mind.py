"""One agent's own state, which its ways to answer, talk and act share."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import lru_cache
from random import Random

from agents.brains import Decision, Situation, Voice
from agents.brains.natural.lore import Lore
from agents.brains.natural.meaning import Names
from agents.brains.natural.relations import Relations
from agents.brains.natural.topics import Errand, Topic
from agents.brains.natural.voice import Speaker
from agents.memory.perception import Utterance
from agents.text.addressing import without_address
from mud.world.sentences import sentences

COURTESIES = ("reply.bye", "reply.night", "reply.thanks", "greet.back")
"""The texts that answer a courtesy."""
_NOBODY = Names("")
SHORT = 110
"""How many characters a line has at most in which another mind's courtesy is looked for."""
ERRANDS = 8
"""How many errands an agent keeps; a ninth takes the place of the first."""


@lru_cache(maxsize=2)
def _of_courtesies(lore: Lore) -> Lore:
    """Return the lore of courtesies alone, which reads faster."""
    return Lore({name: one for name, one in lore.intents.items() if {*one.texts[:1]} & {*COURTESIES}}, lore.words)


@lru_cache(maxsize=1 << 11)
def courtesies(lore: Lore, line: str) -> tuple[tuple[str, ...], int]:
    """Return the texts that answer the courtesies among the sentences of a line, and how many words tell of more.

    Args:
        lore: what the vault says of language.
        line: the line, without the names it calls.
    """
    found, rest = [], 0
    for sentence in sentences(line) if len(line) < SHORT else ():
        meaning = _of_courtesies(lore).pattern(sentence, _NOBODY) if sentence.count(" ") < 6 else None
        if meaning and meaning.texts[:1] and meaning.texts[0] in COURTESIES:
            found.append(meaning.texts[0])
        else:
            rest += len(lore.words.content(sentence))
    return tuple(found), rest


class Mind:
    """What one agent bears in mind between its thoughts.

    Args:
        name: the agent's name.
        rng: its chance.
        voice: the texts it may speak with.
        lore: gives what the vault says of language, as it is now.
    """

    def __init__(self, name: str, rng: Random, voice: Voice, lore: Callable[[], Lore]) -> None:
        self.name, self.rng, self.lore = name, rng, lore
        self.speaker = Speaker(rng, voice, name)
        self.minds: set[str] = set()
        self.spoken_to: dict[str, float] = {}
        """When the agent and somebody last spoke to each other, by name."""
        self.animals: set[str] = set()
        """Names of those who were seen and do not speak."""
        self.known: dict[str, None] = {}
        self.topics: dict[str, Topic] = {}
        self.relations = Relations(name, lore)
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
        """Return the texts that answer the short sentences of a line that are courtesies, such as `reply.bye`."""
        return courtesies(self.lore(), without_address(words, (self.name, *self.known)))[0]

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
        """
        if all(person.name != to for person in situation.people):
            return None
        places = {"name": self.relations.called(to), "place": situation.location, **places}
        for key in keys:
            if text := self.speaker.line(key, **places):
                behind = self.speaker.plain(reason, **places) if reason and self.rng.random() < 0.6 else ""
                line = f"whisper {to} {text}" if private else f"say {text}{f' | {behind}' if behind else ''}"
                return Decision(line, why, key, cites=cites)
        nod = self.speaker.line("emote.nod", **places)
        return Decision(f"emote {nod}", f"{why}, and has no words for it that are new", "emote.nod") if nod else None
