"""A conversation as a thing: who takes part, what it is about, whose turn it is, and how it ends.

What is said in one is made of what the agent knows: of things, places and people, what people told it in the open, what
it wants, does by habit, and how it likes a thing. News is told once, and never to its teller.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from agents.brains import Decision, Person, Situation
from agents.brains.instinct.attention import Attention
from agents.brains.instinct.confidence import is_private
from agents.brains.instinct.explorer import Explorer, named_in, with_article
from agents.brains.instinct.facts import statements
from agents.brains.instinct.mind import Mind
from agents.brains.instinct.retell import own_words, retell
from agents.brains.instinct.words import tokens
from agents.memory.entries import Entry
from agents.memory.perception import Utterance
from agents.text.addressing import without_address
from agents.text.grammar import second_person
from mud.world.events import CHANGED

STAY = 45.0
"""Seconds for which who was spoken to stays, or takes leave, and for which a conversation goes on without a word."""
LINES = (5, 9)
"""Own lines in a conversation with another mind, at least and at most."""
FEW = 1
"""The same while no person can perceive it; then neither takes leave."""
REST, ALONE = (300.0, 480.0), (120.0, 300.0)
"""Seconds until the same two minds talk again, and until it begins a conversation with any, at least and at most."""
QUIET = 18.0
"""Seconds of silence after which a person is spoken to, doubled each time nobody takes it up."""
LATE = 900.0
"""Seconds before its bedtime from which on it takes leave for the night."""
SHORTEST, LONGEST = 12, 160
"""How many characters of what somebody told are news, at least and at most."""
NEWS = "news"
"""The subject of what people told."""
_TALK = {
    "thing": "topic.look topic.ask_view talk.thing",
    "thing elsewhere": "topic.look topic.far topic.ask_view topic.where",
    "place": "topic.look topic.ask_view talk.here",
    "place elsewhere": "topic.look topic.ask_view talk.been",
    "person": "topic.did",
    "person elsewhere": "topic.did topic.seen topic.person topic.ask_person",
    "animal": "topic.did",
    "animal elsewhere": "topic.did topic.seen",
    "partner": "talk.ask",
    "mind": "topic.ask_self",
}
"""The texts that say something of a subject, by what it is; those whose places have nothing to hold are passed over."""
_ASKS = ("topic.ask_view", "topic.ask_person", "topic.ask_self", "talk.thing", "talk.here", "talk.been", "talk.ask")


class Move(NamedTuple):
    """Something to say: the text, what it is about, what its places hold, its source."""

    key: str
    subject: str
    words: str = ""
    place: str = ""
    person: str = ""
    when: str = ""
    cites: tuple[str, ...] = ()


@dataclass(slots=True)
class Conversation:
    """What two talk of.

    Args:
        partner: name of the other.
        limit: own lines after which the agent takes leave.
        at: when either spoke last.
        said: what the partner said, when it is the agent's turn.
        lines: own lines so far.
        unheeded: own lines since the partner spoke last.
        subject: what it is about; empty for nothing yet.
    """

    partner: str
    limit: int
    at: float
    said: Utterance | None = None
    lines: int = 0
    unheeded: int = 0
    subject: str = ""


class Conversations:
    """One agent's conversations, one at a time.

    Args:
        mind: its mind.
        explorer: what it knows of the world.
        attention: who is busy with another.
    """

    def __init__(self, mind: Mind, explorer: Explorer, attention: Attention) -> None:
        self._mind, self._explorer, self._attention = mind, explorer, attention
        self.current: Conversation | None = None
        self.sights: dict[str, str] = {}
        """What others were seen to do last."""
        self.quiet_until = 0.0
        """Until when it begins no conversation."""
        self._rests: dict[str, float] = {}
        """Until when it has nothing to say to somebody: a mind after a while, a person when they have spoken."""
        self._said: dict[str, deque[str]] = {}

    # ---- whose turn ----

    def is_willing(self, person: Person, seconds: float) -> bool:
        """Return whether there is something to say to somebody."""
        if not person.speaks or self._mind.relations.is_cool(person.name):
            return False
        rested = seconds >= self._rests.get(person.name, 0.0) or self._in_talk(person.name, seconds)
        return rested and not self._attention.is_busy(person.name, seconds)

    def _in_talk(self, name: str, seconds: float) -> bool:
        one = self.current
        return one is not None and one.partner == name and seconds - one.at <= STAY

    def has_patience(self, name: str, seconds: float) -> bool:
        """Return whether somebody is still answered; of two minds one may rest for longer than the other."""
        slack = REST[1] - REST[0]
        return seconds >= self._rests.get(name, 0.0) - slack or self._in_talk(name, seconds)

    def hear(self, said: Utterance, seconds: float) -> None:
        """Take in what somebody said to the agent: the conversation with them goes on, or begins."""
        if said.speaker not in self._mind.minds:
            self._rests.pop(said.speaker, None)
        one = self.current
        if one is None or one.partner != said.speaker or seconds - one.at > 2 * STAY:
            if not self.has_patience(said.speaker, seconds):
                return
            one = self._begin(said.speaker, seconds)
        one.said, one.at, one.unheeded = said, seconds, 0
        words = without_address(said.words, (self._mind.name, said.speaker))
        one.subject = self.subject_of(words, said.speaker) or one.subject

    def _begin(self, partner: str, seconds: float) -> Conversation:
        self.current = Conversation(partner, self._mind.rng.randint(*LINES), seconds)
        return self.current

    def subject_of(self, words: str, speaker: str) -> str:
        """Return the thing, place or person that words are about; the agent itself for "you"; "" for nothing known."""
        people = [name for name in self._mind.known if name not in (speaker, self._mind.name)]
        found = named_in(words, (*self._explorer.homes, *self._explorer.visited, *people))
        return found or (self._mind.name if {"you", "your"} & set(words.casefold().rstrip("?.!").split()) else "")

    def settle(self, situation: Situation) -> None:
        """End what has ended by itself: the other is gone, or nobody has said anything for long."""
        if one := self.current:
            longest = STAY if one.partner in self._mind.minds else 4 * STAY
            if all(each.name != one.partner for each in situation.people) or situation.seconds - one.at > longest:
                self.part([one.partner], situation.seconds)

    def part(self, names: Iterable[str], seconds: float) -> None:
        """Count as parted: two minds rest before they talk again, and people are spoken to when they have spoken."""
        for name in names:
            self._mind.spoken_to.pop(name, None)
            self._rests[name] = float("inf")
            if name in self._mind.minds:
                self._rests[name] = seconds + self._mind.rng.uniform(*REST)
                self.quiet_until = seconds + self._mind.rng.uniform(*ALONE)
            if self.current and self.current.partner == name:
                self.current = None

    def spoke(self, to: str, seconds: float) -> None:
        """Take note that the agent said something to somebody, in whatever way."""
        self._mind.spoken_to[to] = seconds
        one = self.current
        if one is None or one.partner != to:
            one = self._begin(to, seconds)
        one.said, one.at = None, seconds
        one.lines += 1
        one.unheeded += 1

    # ---- what is said ----

    def open(self, situation: Situation) -> Decision | None:
        """Begin a conversation with somebody here, people before minds, or go on with a silent person."""
        willing = [one for one in situation.people if self.is_willing(one, situation.seconds)]
        people = [one for one in willing if not one.thinks] or willing
        if not people or situation.seconds < self.quiet_until:
            return None
        person, one = self._mind.rng.choice(people), self.current
        if one is None or one.partner != person.name:
            return self._say_of(self._subjects(situation, person), situation, person)
        if person.thinks or situation.seconds - one.at < QUIET * 2.0**one.unheeded:
            return None
        return self._say_of((one.subject, *self._subjects(situation, person)), situation, person)

    def turn(self, situation: Situation) -> Decision | None:
        """Say the next thing in the conversation, or take leave when enough was said; None when it is not its turn."""
        one = self.current
        person = next((each for each in situation.people if one and each.name == one.partner), None)
        if one is None or person is None or one.said is None:
            return None
        if person.thinks and one.lines >= one.limit:
            return self.leave(situation, person.name)
        if one.said.question:
            if decision := self._say_of([one.subject], situation, person):
                return decision
            if not person.thinks or not one.subject:
                return None  # it is a question to memory
            return self._say([Move("topic.unsure", one.subject)], situation, person.name) or self.leave(
                situation, one.partner
            )
        near = [one.subject] if self._mind.rng.random() < 0.7 else []
        return self._say_of((*near, *self._subjects(situation, person)), situation, person) or self.leave(
            situation, one.partner
        )

    def is_over(self, partner: str, situation: Situation) -> bool:
        """Return whether enough was said in the conversation with a mind, that no person perceives; they part then."""
        one = self.current
        over = situation.unwatched and one is not None and one.partner == partner and one.lines >= FEW
        if over and partner in self._mind.minds:
            self.part([partner], situation.seconds)
            return True
        return False

    def leave(self, situation: Situation, to: str) -> Decision | None:
        """Take leave of somebody."""
        subject, keys = self.current.subject if self.current else "", ["leave.plain"]
        if subject in self._explorer.homes and self._mind.rng.random() < 0.4:
            keys.insert(0, "leave.subject")
        if situation.bedtime is not None and situation.bedtime < LATE:
            keys.insert(0, "leave.night")
        decision = self._say([Move(key, subject) for key in keys], situation, to)
        self.part([to], situation.seconds)
        return decision

    def _say_of(self, subjects: Iterable[str], situation: Situation, person: Person) -> Decision | None:
        """Say something of the first of some subjects of which there is something new to say to somebody."""
        lately = self._said.get(person.name, ())
        for subject in subjects:
            moves = [*self._moves(subject, situation, person)]
            self._mind.rng.shuffle(moves)
            moves.sort(key=lambda one: one.key not in ("topic.agree", "topic.disagree"))
            fresh = (one for one in moves if f"{one.key} {one.subject}" not in lately)
            if decision := self._say(fresh, situation, person.name):
                return decision
        return None

    def _say(self, moves: Iterable[Move], situation: Situation, to: str) -> Decision | None:
        """Say the first of some moves that repeats nothing, neither of its own words nor of the other's."""
        heard = "\n".join([one.text for one in situation.recent if one.actor == to])
        for move in moves:
            subject, words = move.subject, move.words
            if words and (words in heard or self._mind.speaker.said_lately(words)):
                continue
            thing = with_article(subject) if subject in self._explorer.homes else subject
            places = {"thing": thing, "person": move.person or subject, "words": words, "when": move.when}
            places |= {"place": move.place} if move.place else {}
            why = f"talks with {to} of {subject or 'this'}"
            if decision := self._mind.say(situation, to, (move.key,), places, why, cites=move.cites, nods=False):
                self._said.setdefault(to, deque(maxlen=24)).append(f"{move.key} {subject}")
                if self.current and self.current.partner == to:
                    self.current.subject = subject
                return decision
        return None

    def _subjects(self, situation: Situation, person: Person) -> list[str]:
        """Return what a conversation may turn to, by chance: news, things, places, people, oneself, the other."""
        mind, explorer = self._mind, self._explorer
        here = {one.name for one in situation.people}
        people = [name for name in explorer.seen if name not in here]
        things = (*situation.items, *[*explorer.homes][-6:], situation.location, *[*explorer.visited][-6:])
        found = [*dict.fromkeys((*things, *people[-6:], mind.name, person.name))]
        mind.rng.shuffle(found)
        return [NEWS, *found] if mind.rng.random() < 0.4 else [*found, NEWS]

    def _moves(self, subject: str, situation: Situation, person: Person) -> Iterator[Move]:
        """Yield what there is to say of something to somebody; no questions to one who has asked."""
        mind, explorer, here = self._mind, self._explorer, situation.location
        said = self.current.said if self.current and self.current.partner == person.name else None
        kind = place = when = ""
        words = explorer.looks.get(subject, "") or self.sights.get(subject, "")
        if subject == NEWS:
            yield from self._news(situation, person.name)
        elif subject == mind.name:
            yield from self._of_me(situation)
        elif subject in explorer.homes or subject in explorer.visited:
            kind, place = ("thing", explorer.homes[subject]) if subject in explorer.homes else ("place", subject)
            mine = self.likes(mind.name, subject)
            theirs = self._liked(said.words) if said and not said.question else None
            if theirs is not None and self.current and self.current.subject == subject:
                yield Move("topic.agree" if mine is theirs else "topic.disagree", subject)
            yield Move("topic.like" if mine else "topic.dislike", subject)
        elif subject == person.name:
            kind = "mind" if person.thinks else "partner"
        elif subject in explorer.seen:
            kind = "animal" if subject in mind.animals else "person"
            place, seconds = explorer.seen[subject]
            minutes = int((situation.seconds - seconds) / 60)
            key = "when.now" if minutes < 2 else "when.minutes" if minutes < 45 else "when.hour"
            when = mind.speaker.plain(key, number=str(minutes))
        asks = not (said and said.question) and mind.rng.random() < mind.speaker.share("manner.ask")
        for key in _TALK.get(kind if place in ("", here) else f"{kind} elsewhere", "").split():
            if asks or key not in _ASKS:
                yield Move(key, subject, words, place, when=when)

    def _of_me(self, situation: Situation) -> Iterator[Move]:
        """Yield what the agent may tell of itself: its profile in its own words, its habits, what it wants."""
        for words in own_words(situation.profile, self._mind.interpreter().words):
            yield Move("topic.self", words, words)
        for habit in situation.habits:
            mine = second_person(f"{situation.name} {habit.does}.", situation.name)
            if mine.startswith("You ") and habit.timed:
                yield Move("topic.habit", habit.does, f"I {mine[4:].replace(' your ', ' my ')}")
        if situation.goal:
            yield Move("goal.topic", situation.goal, situation.goal)

    def _news(self, situation: Situation, listener: str) -> Iterator[Move]:
        """Yield what was seen to change elsewhere, and what people told, retold if it can be; not to its teller, nor
        while its teller is here.
        """
        mind = self._mind
        for entry in reversed(situation.recent):
            if entry.mark == CHANGED and entry.place != situation.location:
                seen = statements(entry, mind.name, (), mind.interpreter().words)[:1]
                yield from (Move("answer.saw", one, one, entry.place or "", cites=(str(entry.seq),)) for one in seen)
        silent = {*mind.minds, *(person.name for person in situation.people), listener}
        for one, entry in told_in([entry for entry in situation.recent if entry.actor not in silent], mind):
            teller = entry.actor or ""
            told = retell(one, teller, listener, mind.interpreter().words)
            about = self.subject_of(one, teller) or teller
            key, cites = "topic.news" if told else "talk.news", (str(entry.seq),)
            said = f"{told.rstrip('.')}." if told else one
            yield Move(key, one if about == mind.name else about, said, person=teller, cites=cites)

    def _liked(self, words: str) -> bool | None:
        """Return whether somebody says that they like something; None when they do not say."""
        lists, told = self._mind.interpreter().words, tokens(words)
        likes, dislikes = (not lists.of(name).isdisjoint(told) for name in ("liking", "disliking"))
        return None if likes is dislikes else likes

    @staticmethod
    def likes(who: str, subject: str) -> bool:
        """Return whether somebody likes a thing or place: it is theirs for good, and differs from mind to mind."""
        return sum(at * ord(letter) for at, letter in enumerate(f"{who} {subject}", 3)) % 5 < 3


def told_in(entries: Iterable[Entry], mind: Mind) -> Iterator[tuple[str, Entry]]:
    """Yield what was told in the open in some memories, the newest first, as far as it can be handed on."""
    words = mind.interpreter().words
    for entry in sorted(entries, key=lambda one: -one.seq):
        if entry.kind == "heard" and not is_private(entry, words):
            for one in statements(entry, mind.name, tuple(mind.known), words):
                if SHORTEST <= len(one) <= LONGEST and len(words.content(one)) > 1:
                    yield one, entry
