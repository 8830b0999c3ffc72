"""A conversation as a thing: who takes part, what it is about, whose turn it is, and how it ends.

What is said in one is made of what the agent knows: of things, places and people, what people told it in the open, what
it wants, does by habit, and how it likes a thing. News is told once, and never to its teller.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from agents.brains import Decision, Person, Situation
from agents.brains.natural.explorer import Explorer, named_in, with_article
from agents.brains.natural.facts import is_private, statements
from agents.brains.natural.mind import Mind
from agents.brains.natural.retell import own_words, retell
from agents.memory.perception import Utterance
from agents.text.addressing import without_address
from agents.text.grammar import second_person

STAY = 45.0
"""Seconds for which who was spoken to stays, or takes leave, and for which a conversation goes on without a word."""
LINES = (4, 8)
"""Own lines in a conversation with another mind, at least and at most."""
REST = (80.0, 200.0)
"""Seconds until the same two minds talk again, at least and at most."""
BUSY = 20.0
"""Seconds for which who spoke to another is not spoken to."""
ALONE = (20.0, 90.0)
"""Seconds after a conversation until it begins one with another mind, at least and at most."""
QUIET = 18.0
"""Seconds of silence after which a person is spoken to; doubled each time nobody takes it up."""
ON_SUBJECT = 3
"""Own lines to one subject."""
IGNORED = 3
"""How often a person is spoken to who says nothing."""


class Move(NamedTuple):
    """Something to say: the text, what it is about, how readily it is said, what its places hold, what it rests on."""

    key: str
    subject: str
    weight: float
    places: dict[str, str]
    cites: tuple[str, ...] = ()


@dataclass(slots=True)
class Conversation:
    """What two talk of.

    Args:
        partner: name of the other.
        limit: own lines after which the agent takes leave.
        at: when either spoke last.
        mine: it is the agent's turn.
        lines: own lines so far.
        subject: what it is about; empty for nothing yet.
        on_subject: own lines to the subject.
        likes: whether the partner has just said that it likes the subject; None when it did not say.
        asked: the partner has asked.
        over: leave was taken.
    """

    partner: str
    limit: int
    at: float
    mine: bool = True
    lines: int = 0
    subject: str = ""
    on_subject: int = 0
    likes: bool | None = None
    asked: bool = False
    over: bool = False


class Talk:
    """One agent's conversations, one at a time.

    Args:
        mind: its mind.
        explorer: what it knows of the world.
    """

    def __init__(self, mind: Mind, explorer: Explorer) -> None:
        self._mind, self._explorer = mind, explorer
        self.current: Conversation | None = None
        self.sights: deque[tuple[str, str]] = deque(maxlen=8)
        """What others were seen to do, with who did."""
        self._alone_until = self.quiet_until = 0.0
        self.parted: set[str] = set()
        """Of whom leave was taken, and who has not spoken since."""
        self.busy: dict[str, float] = {}
        """When somebody was last heard to speak to another."""
        self._rests: dict[str, float] = {}
        self._said: dict[str, deque[str]] = {}
        self._ignored: dict[str, int] = {}
        self._profile: tuple[str, tuple[str, ...]] = "", ()

    # ---- whose turn ----

    def is_willing(self, person: Person, seconds: float) -> bool:
        """Return whether there is something to say to somebody: to people always, to minds after a rest."""
        if not person.speaks or self._mind.relations.is_cool(person.name):
            return False
        if self._ignored.get(person.name, 0) >= IGNORED or seconds - self.busy.get(person.name, -BUSY) < BUSY:
            return False
        return self.in_talk(person.name, seconds) or seconds >= self._rests.get(person.name, 0.0)

    def in_talk(self, name: str, seconds: float) -> bool:
        """Return whether a conversation with somebody is under way."""
        one = self.current
        return one is not None and one.partner == name and not one.over and seconds - one.at <= STAY

    def has_patience(self, name: str, seconds: float) -> bool:
        """Return whether a mind is still answered; people always are."""
        return name not in self._mind.minds or seconds >= self._rests.get(name, 0.0) or self.in_talk(name, seconds)

    def hear(self, said: Utterance, seconds: float) -> None:
        """Take in what somebody said to the agent: the conversation with them goes on, or begins."""
        self._ignored.pop(said.speaker, None)
        one = self.current
        if one is None or one.partner != said.speaker or one.over or seconds - one.at > 2 * STAY:
            if not self.has_patience(said.speaker, seconds):
                return
            one = self._begin(said.speaker, seconds)
        self.parted.discard(said.speaker)
        one.mine, one.at, one.asked = True, seconds, said.question
        words = without_address(said.words, (self._mind.name, *self._mind.known))
        self._turn_to(one, self.subject_of(words, said.speaker) or one.subject)
        lists, said_words = self._mind.lore().words, set(words.casefold().replace(",", " ").replace(".", " ").split())
        likes, dislikes = (not said_words.isdisjoint(lists.of(name)) for name in ("liking", "disliking"))
        one.likes = None if said.question or likes is dislikes else likes

    def _begin(self, partner: str, seconds: float) -> Conversation:
        self.current = Conversation(partner, self._mind.rng.randint(*LINES), seconds)
        return self.current

    def _turn_to(self, one: Conversation, subject: str) -> None:
        if subject != one.subject:
            one.subject, one.on_subject = subject, 0

    def subject_of(self, words: str, speaker: str) -> str:
        """Return the thing, place or person that words are about; the agent itself for "you"; "" for nothing known."""
        known = (*self._explorer.homes, *self._explorer.visited)
        people = [name for name in self._mind.known if name not in (speaker, self._mind.name)]
        found = named_in(words, known) or named_in(words, people)
        return found or (self._mind.name if {"you", "your"} & set(words.casefold().rstrip("?.!").split()) else "")

    def settle(self, situation: Situation) -> None:
        """End what has ended by itself: the other is gone, or nobody has said anything for long."""
        one = self.current
        if one and (all(person.name != one.partner for person in situation.people) or self._is_silent(one, situation)):
            self.end(situation.seconds)

    def _is_silent(self, one: Conversation, situation: Situation) -> bool:
        return situation.seconds - one.at > (STAY if one.partner in self._mind.minds else 4 * STAY)

    def end(self, seconds: float, *, again: float = 1.0) -> None:
        """End the conversation; two minds rest before they talk again."""
        if self.current is not None and self.current.partner in self._mind.minds:
            self._alone_until = seconds + self._mind.rng.uniform(*ALONE)
            self._rests[self.current.partner] = seconds + again * self._mind.rng.uniform(*REST)
        self.current = None

    def spoke(self, to: str, seconds: float) -> None:
        """Take note that the agent said something to somebody, in whatever way."""
        self._mind.spoken_to[to] = seconds
        self.parted.discard(to)
        if self.current is None or self.current.partner != to:
            self._begin(to, seconds)
        if one := self.current:
            one.mine, one.at, one.asked, one.likes = False, seconds, False, None
            one.lines += 1
            one.on_subject += 1

    # ---- what is said ----

    def open(self, situation: Situation) -> Decision | None:
        """Begin a conversation with somebody here, people before minds, or go on with a silent person."""
        willing = [one for one in situation.people if self.is_willing(one, situation.seconds)]
        people = [one for one in willing if not one.thinks] or willing
        if not people or situation.seconds < (self._alone_until if people[0].thinks else self.quiet_until):
            return None
        person, one = self._mind.rng.choice(people), self.current
        if one is not None and one.partner == person.name:
            wait = QUIET * 2.0 ** self._ignored.get(person.name, 0)
            if person.thinks or situation.seconds - one.at < wait:
                return None
        near = list(self._about(one, situation)) if one is not None and one.partner == person.name else []
        ordered = [*self._ordered(near, person.name), *self._ordered([*self._openers(situation, person)], person.name)]
        decision = self._speak(situation, person.name, ordered)
        if decision and not person.thinks:
            self._ignored[person.name] = self._ignored.get(person.name, 0) + 1
        return decision

    def turn(self, situation: Situation) -> Decision | None:
        """Say the next thing in the conversation, or take leave when enough was said; None when it is not its turn."""
        one = self.current
        if one is None or not one.mine or one.over:
            return None
        person = next((each for each in situation.people if each.name == one.partner), None)
        if person is None:
            return None
        if person.thinks and one.lines >= one.limit:
            return self.leave(situation)
        near = self._ordered(list(self._about(one, situation)), one.partner) if one.on_subject < ON_SUBJECT else []
        if one.asked and not near:
            if not person.thinks or self._mind.rng.random() < 0.15:
                return None  # it is a question to memory
            near = [Move("topic.unsure", one.subject, 1.0, {})]
        if not one.asked and self._mind.rng.random() < 0.2:
            near = []
        far = self._ordered(list(self._openers(situation, person)), one.partner)
        return self._speak(situation, one.partner, [*near, *far]) or self.leave(situation)

    def leave(self, situation: Situation) -> Decision | None:
        """Take leave of the partner."""
        one = self.current
        if one is None or one.over or all(person.name != one.partner for person in situation.people):
            return None
        keys = ("leave.night",) if situation.bedtime is not None and situation.bedtime < 900 else ()
        kind = ("leave.subject",) if one.subject and self._kind(one.subject) == "thing" else ()
        moves = [
            Move(key, "", 1.0, {"thing": with_article(one.subject)})
            for key in (*keys, *(kind if self._mind.rng.random() < 0.4 else ()), "leave.plain")
        ]
        decision = self._speak(situation, one.partner, moves)
        one.over = True
        self.parted.add(one.partner)
        self.end(situation.seconds)
        return decision

    def _speak(self, situation: Situation, to: str, moves: list[Move]) -> Decision | None:
        mind = self._mind
        for move in moves:
            places = {"name": mind.relations.called(to), "place": situation.location, **move.places}
            if text := mind.speaker.line(move.key, **places):
                self._said.setdefault(to, deque(maxlen=48)).append(f"{move.key} {move.subject}")
                self.spoke(to, situation.seconds)
                if self.current:
                    self._turn_to(self.current, move.subject)
                return Decision(
                    f"say {text}", f"talks with {to} of {move.subject or 'this'}", move.key, cites=move.cites
                )
        return None

    def _ordered(self, moves: list[Move], partner: str) -> list[Move]:
        """Return moves by chance and weight, without those made lately to this partner."""
        lately, rng = self._said.get(partner, ()), self._mind.rng
        fresh = [one for one in moves if f"{one.key} {one.subject}" not in lately]
        keyed = [(rng.random() ** (1 / one.weight), at) for at, one in enumerate(fresh) if one.weight > 0]
        return [fresh[at] for _, at in sorted(keyed, reverse=True)]

    def _kind(self, subject: str) -> str:
        if subject in self._explorer.homes:
            return "thing"
        if subject == self._mind.name:
            return "me"
        return "place" if subject in self._explorer.visited else "person" if subject in self._mind.known else ""

    def _about(self, one: Conversation, situation: Situation) -> Iterator[Move]:
        """Yield what there is to say to the subject of a conversation."""
        subject, explorer = one.subject, self._explorer
        kind, asks = self._kind(subject), 0.0 if one.asked else self._mind.speaker.share("manner.ask")
        named = {"thing": with_article(subject) if kind == "thing" else subject}
        look = explorer.looks.get(subject, "")
        if kind in ("thing", "place"):
            if look:
                yield Move("topic.look", subject, 1.5, {**named, "words": look})
            mine = self.likes(self._mind.name, subject)
            if one.likes is None:
                yield Move("topic.like" if mine else "topic.dislike", subject, 1.2, named)
            else:
                yield Move("topic.agree" if mine is one.likes else "topic.disagree", subject, 4.0, named)
            yield Move("topic.ask_view", subject, 1.3 * asks, named)
            yield from (move._replace(weight=2.0) for move in self._news(situation, one.partner, subject))
            if kind == "thing" and explorer.homes[subject] != situation.location:
                yield Move("topic.where", subject, 0.8, {**named, "place": explorer.homes[subject]})
        elif subject == one.partner:
            yield Move("topic.ask_self", subject, asks, {})
        elif kind == "person":
            yield from self._of_person(subject, situation, 1.5, asks)
        elif kind == "me":
            yield from self._of_me(situation, 1.5)
            yield Move("topic.ask_self", one.partner, asks, {})

    def _of_person(self, person: str, situation: Situation, weight: float, asks: float) -> Iterator[Move]:
        seen = self._explorer.seen.get(person)
        if seen and seen.place != situation.location:
            minutes = int((situation.seconds - seen.seconds) / 60)
            when = self._mind.speaker.plain(
                "when.now" if minutes < 2 else "when.minutes" if minutes < 45 else "when.hour" if minutes < 100 else ""
            )
            yield Move("topic.seen", person, weight, {"person": person, "place": seen.place, "when": when})
        if all(one.name != person for one in situation.people):
            yield Move("topic.ask_person", person, 0.8 * asks, {"person": person})
            if person not in self._mind.animals:
                yield Move("topic.person", person, 0.5 * weight, {"person": person})
        for actor, words in self.sights:
            if actor == person:
                yield Move("topic.did", person, 0.8 * weight, {"person": person, "words": words})

    def _of_me(self, situation: Situation, weight: float) -> Iterator[Move]:
        """Yield what the agent may tell of itself: its profile in its own words, its habits, what it wants."""
        if self._profile[0] != situation.profile:
            self._profile = situation.profile, own_words(situation.profile, self._mind.lore().words)
        for words in self._profile[1]:
            if not self._mind.speaker.said_lately(words):
                yield Move("topic.self", words, weight / 2, {"words": words})
        for habit in situation.habits:
            mine = second_person(f"{self._mind.name} {habit.does}.", self._mind.name)
            if mine.startswith("You ") and habit.timed:
                words = f"I {mine[4:].replace(' your ', ' my ')}"
                yield Move("topic.habit", habit.does, weight, {"words": words, "when": habit.when})
        if situation.goal:
            yield Move("goal.topic", situation.goal, weight / 2, {"words": situation.goal})

    def _openers(self, situation: Situation, person: Person) -> Iterator[Move]:
        """Yield what a conversation may turn to: things and places, people, news, what was seen, oneself, the other."""
        explorer, asks, name = self._explorer, self._mind.speaker.share("manner.ask"), person.name
        for item in situation.items:
            yield Move("talk.thing", item, 1.0, {"thing": with_article(item)})
            if look := explorer.looks.get(item):
                yield Move("topic.look", item, 0.7, {"thing": with_article(item), "words": look})
        for item, home in [*explorer.homes.items()][-6:]:
            if home != situation.location and (look := explorer.looks.get(item)):
                yield Move("topic.far", item, 0.5, {"thing": with_article(item), "place": home, "words": look})
        yield Move("talk.here", situation.location, 0.6, {})
        for place in explorer.visited[-6:-1]:
            yield Move("talk.been", place, 0.4, {"place": place})
            if look := explorer.looks.get(place):
                yield Move("topic.look", place, 0.4, {"thing": place, "words": look})
        for other in self._mind.known:
            if other not in (name, self._mind.name) and other in explorer.seen:
                yield from self._of_person(other, situation, 0.5, 0.6 * asks)
        yield from self._news(situation, name)
        yield from self._of_me(situation, 0.6)
        yield Move("topic.ask_self" if person.thinks else "talk.ask", name, asks, {})

    def _news(self, situation: Situation, listener: str, of: str = "") -> Iterator[Move]:
        """Yield what people told in the open, retold if it can be; not to its teller, nor while its teller is here."""
        mind, here = self._mind, {person.name for person in situation.people}
        for entry in reversed(situation.recent):
            teller = entry.actor or ""
            if entry.kind != "heard" or not teller or teller in mind.minds or teller in here or teller == listener:
                continue
            words = mind.lore().words
            if is_private(entry, words) or (of and of not in entry.text):
                continue
            for one in statements(entry, mind.name, tuple(mind.known), words):
                if not 12 <= len(one) <= 160 or len(words.content(one)) < 2:
                    continue
                told = retell(one, teller, listener, words)
                places = {"person": teller, "words": f"{told.rstrip('.')}." if told else one}
                subject = self.subject_of(one, teller) or teller
                yield Move("topic.news" if told else "talk.news", one, 1.6, places, (str(entry.seq),))._replace(
                    subject=one if subject == mind.name else subject
                )

    @staticmethod
    def likes(who: str, subject: str) -> bool:
        """Return whether somebody likes a thing or place: it is theirs for good, and differs from mind to mind."""
        return sum(at * ord(letter) for at, letter in enumerate(f"{who} {subject}", 3)) % 5 < 3
