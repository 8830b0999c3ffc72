"""What an agent can bring up by itself: things here, places it was in, what people told it in the open.

Every topic is something it really perceived; what was whispered or told in confidence is never one.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from random import Random

from agents.brains import Person, Situation
from agents.brains._words import is_secret, is_weak, telling, with_article
from agents.brains.instinct.evidence import statements
from agents.memory.entries import Entry

COMING_AND_GOING = re.compile(r"\b(?:arriv|leav|depart|go(?:es)? |com(?:es?|ing) |look(?:s|ed)? around|head)", re.I)
"""What is seen of everybody and tells nothing of anybody."""

GOING = re.compile(r"\b(?:leaves|goes away|departs)\b", re.I)
"""What is seen of who goes."""


@dataclass(frozen=True, slots=True)
class Topic:
    """Something to bring up.

    Args:
        key: the text that words it.
        subject: what it is about, so that it is not brought up again soon.
        weight: how much the agent cares to bring it up.
        places: what the text's places hold.
        cites: the memory it is, see `Decision`; none for what is here.
    """

    key: str
    subject: str
    weight: float
    places: dict[str, str] = field(default_factory=dict)
    cites: tuple[str, ...] = ()


class Talk:
    """What one agent brought up lately, and what it could bring up next.

    Args:
        rng: its chance.
        minds: names of those a brain plays, as they become known.
    """

    def __init__(self, rng: Random, minds: Collection[str]) -> None:
        self._rng = rng
        self._minds = minds
        self._lately: deque[str] = deque(maxlen=12)

    def topics(
        self, situation: Situation, listener: Person | None, been: tuple[str, ...], ask: float, wish: str = ""
    ) -> list[Topic]:
        """Return what could be brought up, in the order chance gives it.

        Args:
            situation: the situation.
            listener: who will hear it; None for nobody in particular.
            been: locations the agent has seen.
            ask: how readily it asks people something, 0 to 1.
            wish: what the agent wants and has not come to; empty for nothing.
        """
        pool = [
            topic
            for topic in [*self._all(situation, listener, been, ask), *_of(wish, listener)]
            if topic.subject.casefold() not in self._lately
        ]
        keyed = [(self._rng.random() ** (1 / topic.weight), topic) for topic in pool if topic.weight > 0]
        return [topic for _, topic in sorted(keyed, key=lambda pair: pair[0], reverse=True)]

    def brought_up(self, topic: Topic) -> None:
        """Remember that this was talked of."""
        self._lately.append(topic.subject.casefold())

    def _all(self, situation: Situation, listener: Person | None, been: tuple[str, ...], ask: float) -> Iterator[Topic]:
        name = listener.name if listener else ""
        for item in situation.items:
            yield Topic("talk.thing", item, 1.0, {"name": name, "thing": with_article(item)})
        yield Topic("talk.here", situation.location, 1.0, {"name": name, "place": situation.location})
        for place in been[-4:]:
            if place != situation.location:
                yield Topic("talk.been", place, 0.7, {"name": name, "place": place})
        for words, entry in self.heard(situation, name):
            person = entry.actor or ""
            places = {"name": name, "person": person, "words": words}
            yield Topic("talk.news", words, 1.0, places, (str(entry.seq),))
        for entry in self._sights(situation, name):
            yield Topic("talk.saw", entry.text, 0.5, {"name": name, "words": entry.text}, (str(entry.seq),))
        if name:
            yield Topic("talk.ask", f"{name}?", ask, {"name": name})

    def heard(self, situation: Situation, listener: str) -> Iterator[tuple[str, Entry]]:
        """Yield what people who are not minds said in the open, for somebody who was not the one to say it.

        What minds say is left out: passed on and on it would be all that anybody talks of.
        """
        here = {person.name for person in situation.people}
        for entry in situation.recent[-60:]:
            if (
                entry.kind != "heard"
                or entry.actor in (None, listener)
                or entry.actor in self._minds
                or is_secret(entry)
            ):
                continue
            if entry.actor in here and entry.place == situation.location:
                continue
            for words in statements(entry, situation.name, tuple(here)):
                if 12 <= len(words) <= 160 and sum(not is_weak(word) for word in telling(words)) >= 2:
                    yield words, entry

    def _sights(self, situation: Situation, listener: str) -> Iterator[Entry]:
        """Yield what the agent saw others do, but for their comings and goings."""
        here = {person.name for person in situation.people} | {listener, *self._minds}
        for entry in situation.recent[-40:]:
            if entry.kind == "saw" and entry.actor and entry.actor not in here and len(entry.text) <= 120:
                if COMING_AND_GOING.search(entry.text) or "\n" in entry.text:
                    continue
                yield entry


def _of(wish: str, listener: Person | None) -> Iterator[Topic]:
    """Yield what the agent wants, for somebody to hear."""
    if wish and listener:
        yield Topic("goal.topic", wish, 0.8, {"name": listener.name, "words": wish})
