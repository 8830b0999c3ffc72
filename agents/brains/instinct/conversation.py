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
from agents.brains.instinct.confidence import is_private
from agents.brains.instinct.explorer import Explorer, named_in, with_article
from agents.brains.instinct.facts import statements
from agents.brains.instinct.mind import Mind
from agents.brains.instinct.retell import own_words, retell
from agents.memory.perception import Utterance
from agents.text.addressing import without_address
from agents.text.grammar import second_person

STAY = 45.0
"""Seconds for which who was spoken to stays, or takes leave, and for which a conversation goes on without a word."""
LINES, ON_SUBJECT = (5, 9), 3
"""Own lines in a conversation with another mind, at least and at most, and to one subject."""
REST, ALONE = (170.0, 280.0), (30.0, 110.0)
"""Seconds until the same two minds talk again, and until it begins a conversation with any, at least and at most."""
BUSY = 20.0
"""Seconds for which who spoke to another is not spoken to."""
QUIET, IGNORED = 18.0, 3
"""Seconds of silence after which a person is spoken to, doubled each time nobody takes it up, and how often at most."""
CHATTER = 10
"""Lines in a minute after which nothing more is said of one's own accord."""
NEWS = "news"
"""The subject of what people told."""
_ELSEWHERE = ("topic.far", "topic.where", "topic.seen", "talk.been")
"""Texts whose place is where their subject is, not where one speaks."""


class Move(NamedTuple):
    """Something to say: the text, what it is about, how readily it is said, words and whose they are, its source."""

    key: str
    subject: str
    weight: float
    words: str = ""
    person: str = ""
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

    def turn_to(self, subject: str) -> None:
        """Make something the subject."""
        if subject != self.subject:
            self.subject, self.on_subject = subject, 0


class Conversations:
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
        self._heard: deque[tuple[str, str]] = deque(maxlen=12)
        """What was said to it last, with who said it."""
        self._spoken: deque[float] = deque([float("-inf")] * CHATTER, maxlen=CHATTER)
        """When it spoke last."""
        self._profile: tuple[str, tuple[str, ...]] = "", ()

    # ---- whose turn ----

    @property
    def crowd(self) -> float:
        """By how much it spares its words: 1 among few minds, more where there is always one to talk to."""
        return 1.0 + max(0, len(self._mind.minds) - 5) / 10

    def is_willing(self, person: Person, seconds: float) -> bool:
        """Return whether there is something to say to somebody: to people always, to minds after a rest."""
        if not person.thinks and person.name in self.parted:
            return False
        if not person.speaks or self._mind.relations.is_cool(person.name) or seconds - self._spoken[0] < 60:
            return False
        if self._ignored.get(person.name, 0) >= IGNORED or self.is_busy(person.name, seconds):
            return False
        return self.in_talk(person.name, seconds) or seconds >= self._rests.get(person.name, 0.0)

    def is_busy(self, name: str, seconds: float) -> bool:
        """Return whether somebody talks with another."""
        return seconds - self.busy.get(name, -BUSY) < BUSY

    def in_talk(self, name: str, seconds: float) -> bool:
        """Return whether a conversation with somebody is under way."""
        one = self.current
        return one is not None and one.partner == name and seconds - one.at <= STAY

    def has_patience(self, name: str, seconds: float) -> bool:
        """Return whether a mind is still answered; people always are. One may rest for longer than the other."""
        rested = seconds >= self._rests.get(name, 0.0) - self.crowd * (REST[1] - REST[0])
        return name not in self._mind.minds or rested or self.in_talk(name, seconds)

    def hear(self, said: Utterance, seconds: float) -> None:
        """Take in what somebody said to the agent: the conversation with them goes on, or begins."""
        self._ignored.pop(said.speaker, None)
        self._heard.append((said.speaker, said.words))
        one = self.current
        if one is None or one.partner != said.speaker or seconds - one.at > 2 * STAY:
            if not self.has_patience(said.speaker, seconds):
                return
            one = self._begin(said.speaker, seconds)
        self.parted.discard(said.speaker)
        one.mine, one.at, one.asked = True, seconds, said.question
        words = without_address(said.words, (self._mind.name, said.speaker))
        one.turn_to(self.subject_of(words, said.speaker) or one.subject)
        lists, told = self._mind.lore().words, set(words.casefold().replace(",", " ").replace(".", " ").split())
        likes, dislikes = (not told.isdisjoint(lists.of(name)) for name in ("liking", "disliking"))
        one.likes = None if said.question or likes is dislikes else likes

    def _begin(self, partner: str, seconds: float) -> Conversation:
        limit = self._mind.rng.randint(*LINES) / (self.crowd if partner in self._mind.minds else 1.0)
        self.current = Conversation(partner, max(2, round(limit)), seconds)
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
            gone = all(person.name != one.partner for person in situation.people)
            if gone or situation.seconds - one.at > longest:
                self.end(situation.seconds)

    def end(self, seconds: float) -> None:
        """End the conversation; two minds rest before they talk again."""
        if self.current is not None and self.current.partner in self._mind.minds:
            self._alone_until = seconds + self.crowd * self._mind.rng.uniform(*ALONE)
            self._rests[self.current.partner] = seconds + self.crowd * self._mind.rng.uniform(*REST)
        self.current = None

    def spoke(self, to: str, seconds: float) -> None:
        """Take note that the agent said something to somebody, in whatever way."""
        self._mind.spoken_to[to] = seconds
        self._spoken.append(seconds)
        self.parted.discard(to)
        one = self.current
        if one is None or one.partner != to:
            one = self._begin(to, seconds)
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
        near: list[str] = []
        if one is not None and one.partner == person.name:
            wait = QUIET * 2.0 ** self._ignored.get(person.name, 0)
            if person.thinks or situation.seconds - one.at < wait:
                return None
            near = [one.subject]
        decision = self._say_of((*near, *self._subjects(situation, person)), situation, person)
        if decision and not person.thinks:
            self._ignored[person.name] = self._ignored.get(person.name, 0) + 1
        return decision

    def turn(self, situation: Situation) -> Decision | None:
        """Say the next thing in the conversation, or take leave when enough was said; None when it is not its turn."""
        one, chance = self.current, self._mind.rng.random()
        person = next((each for each in situation.people if one and each.name == one.partner), None)
        if one is None or person is None or not one.mine:
            return None
        if person.thinks and one.lines >= one.limit:
            return self.leave(situation)
        near = [one.subject] if one.on_subject < ON_SUBJECT and (one.asked or chance > 0.2) else []
        if one.asked and not (decision := self._say_of(near, situation, person)):
            if not person.thinks or not one.subject:
                return None  # it is a question to memory
            decision = self._speak(situation, one.partner, [Move("topic.unsure", one.subject, 1.0)])
        else:
            decision = self._say_of((*near, *self._subjects(situation, person)), situation, person)
        return decision or self.leave(situation)

    def leave(self, situation: Situation) -> Decision | None:
        """Take leave of the partner."""
        one = self.current
        if one is None or all(person.name != one.partner for person in situation.people):
            return None
        keys = ["leave.plain"]
        if one.subject in self._explorer.homes and self._mind.rng.random() < 0.4:
            keys.insert(0, "leave.subject")
        if situation.bedtime is not None and situation.bedtime < 900:
            keys.insert(0, "leave.night")
        decision = self._speak(situation, one.partner, [Move(key, one.subject, 1.0) for key in keys])
        self.parted.add(one.partner)
        self.end(situation.seconds)
        return decision

    def _say_of(self, subjects: Iterable[str], situation: Situation, person: Person) -> Decision | None:
        """Say something of the first of some subjects of which there is something new to say to somebody."""
        lately, rng = self._said.get(person.name, ()), self._mind.rng
        for subject in subjects:
            moves = [one for one in self._moves(subject, situation, person) if one.weight > 0]
            fresh = [one for one in moves if f"{one.key} {one.subject}" not in lately]
            keyed = sorted([(-(rng.random() ** (1 / one.weight)), at) for at, one in enumerate(fresh)])
            if decision := self._speak(situation, person.name, [fresh[at] for _, at in keyed]):
                return decision
        return None

    def _speak(self, situation: Situation, to: str, moves: Iterable[Move]) -> Decision | None:
        mind, explorer = self._mind, self._explorer
        for move in moves:
            subject, seen = move.subject, explorer.seen.get(move.subject)
            known = any(who == to and move.words in told for who, told in self._heard)
            if move.words and (known or mind.speaker.said_lately(move.words)):
                continue
            thing = with_article(subject) if subject in explorer.homes else subject
            place, when = situation.location, ""
            if move.key in _ELSEWHERE:
                place = explorer.homes.get(subject) or (seen.place if seen else subject)
            if move.key == "topic.seen" and seen:
                minutes = int((situation.seconds - seen.seconds) / 60)
                key = "when.now" if minutes < 2 else "when.minutes" if minutes < 45 else "when.hour"
                when = mind.speaker.plain(key, number=str(minutes))
            places = {"thing": thing, "place": place, "when": when, "words": move.words}
            named = {"name": mind.relations.called(to), "person": move.person or subject}
            if text := mind.speaker.line(move.key, **places, **named):
                self._said.setdefault(to, deque(maxlen=24)).append(f"{move.key} {subject}")
                self.spoke(to, situation.seconds)
                if self.current:
                    self.current.turn_to(subject)
                return Decision(f"say {text}", f"talks with {to} of {subject or 'this'}", move.key, cites=move.cites)
        return None

    def _subjects(self, situation: Situation, person: Person) -> list[str]:
        """Return what a conversation may turn to, by chance: news, things, places, people, oneself, the other."""
        mind, explorer = self._mind, self._explorer
        here = {one.name for one in situation.people}
        people = [name for name in mind.known if name in explorer.seen and name not in here and name != mind.name]
        things = (*situation.items, *[*explorer.homes][-6:], situation.location, *[*explorer.visited][-6:])
        found = [*dict.fromkeys((*things, *people[-6:], mind.name, person.name))]
        mind.rng.shuffle(found)
        return [NEWS, *found] if mind.rng.random() < 0.4 else [*found, NEWS]

    def _moves(self, subject: str, situation: Situation, person: Person) -> Iterator[Move]:
        """Yield what there is to say of something to somebody; no questions to one who has asked."""
        mind, explorer, one = self._mind, self._explorer, self.current
        ours = one if one is not None and one.partner == person.name else None
        asks = 0.0 if ours and ours.asked else mind.speaker.share("manner.ask")
        if subject == NEWS:
            yield from self._news(situation, person.name)
        elif subject in explorer.homes or subject in explorer.visited:
            look, home = explorer.looks.get(subject, ""), explorer.homes.get(subject, subject)
            away, thing = home != situation.location, subject in explorer.homes
            if look:
                yield Move("topic.look", subject, 1.5, look)
                yield Move("topic.far", subject, 0.8 * bool(ours and thing and away), look)
            likes = ours.likes if ours and ours.subject == subject else None
            mine = self.likes(mind.name, subject)
            if likes is None:
                yield Move("topic.like" if mine else "topic.dislike", subject, 0.8)
            else:
                yield Move("topic.agree" if mine is likes else "topic.disagree", subject, 4.0)
            yield Move("topic.ask_view", subject, 1.3 * asks * bool(ours and ours.lines))
            yield Move("topic.where", subject, 0.8 * bool(ours and thing and away))
            yield Move("talk.thing", subject, 1.2 * asks * (thing and not away))
            yield Move("talk.been" if away else "talk.here", subject, 0.6 * asks * (not thing))
            yield from (move._replace(weight=2.0) for move in self._news(situation, person.name, subject))
        elif subject == mind.name:
            yield from self._of_me(situation)
            yield Move("topic.ask_self", person.name, asks * person.thinks)
        elif subject == person.name:
            yield Move("topic.ask_self" if person.thinks else "talk.ask", subject, asks)
        elif subject in mind.known:
            away = all(one.name != subject for one in situation.people)
            seen = explorer.seen.get(subject)
            yield Move("topic.seen", subject, 1.0 * bool(seen and seen.place != situation.location))
            yield Move("topic.ask_person", subject, 0.8 * asks * away)
            yield Move("topic.person", subject, 0.6 * (away and subject not in mind.animals))
            yield from (Move("topic.did", subject, 0.8, words) for actor, words in self.sights if actor == subject)

    def _of_me(self, situation: Situation) -> Iterator[Move]:
        """Yield what the agent may tell of itself: its profile in its own words, its habits, what it wants."""
        name, lists = self._mind.name, self._mind.lore().words
        if self._profile[0] != situation.profile:
            self._profile = situation.profile, own_words(situation.profile, lists)
        yield from (Move("topic.self", words, 0.5, words) for words in self._profile[1])
        for habit in situation.habits:
            mine = second_person(f"{name} {habit.does}.", name)
            if mine.startswith("You ") and habit.timed:
                yield Move("topic.habit", habit.does, 1.0, f"I {mine[4:].replace(' your ', ' my ')}")
        if situation.goal:
            yield Move("goal.topic", situation.goal, 0.5, situation.goal)

    def _news(self, situation: Situation, listener: str, of: str = "") -> Iterator[Move]:
        """Yield what people told in the open, retold if it can be; not to its teller, nor while its teller is here."""
        mind, words = self._mind, self._mind.lore().words
        silent = {*mind.minds, *(person.name for person in situation.people), listener, None}
        for entry in reversed(situation.recent):
            if entry.kind != "heard" or entry.actor in silent or of not in entry.text or is_private(entry, words):
                continue
            teller = entry.actor or ""
            for one in statements(entry, mind.name, tuple(mind.known), words):
                if 12 <= len(one) <= 160 and len(words.content(one)) > 1:
                    told = retell(one, teller, listener, words)
                    said = f"{told.rstrip('.')}." if told else one
                    about = self.subject_of(one, teller) or teller
                    subject = one if about == mind.name else about
                    yield Move("topic.news" if told else "talk.news", subject, 1.6, said, teller, (str(entry.seq),))

    @staticmethod
    def likes(who: str, subject: str) -> bool:
        """Return whether somebody likes a thing or place: it is theirs for good, and differs from mind to mind."""
        return sum(at * ord(letter) for at, letter in enumerate(f"{who} {subject}", 3)) % 5 < 3
