"""How an agent answers what it is asked, does what it is asked for, and takes up what it is told.

It invents nothing: what it says stands in the texts of its voice, in what it perceived, or before it. What it cannot
find it says it cannot find.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agents.brains import Decision, Recall, Situation
from agents.brains._texts import TEXTS
from agents.brains.natural.facts import NEAR, SURE, Fact, Question, find, is_private, otherwise, told_to
from agents.brains.natural.meaning import Meaning
from agents.brains.natural.relations import Deed, name_in
from agents.brains.natural.retell import lead, own_words, part, retell, with_pronoun
from agents.brains.natural.topics import Errand, Topic
from agents.brains.natural.words import tokens
from agents.memory.entries import Entry, Hit
from agents.memory.perception import Utterance, heard_in, remembered, whispered, whispered_to
from agents.text.addressing import mentions
from mud.clock import parse_iso
from mud.world.narration import listed
from mud.world.sentences import sentences

if TYPE_CHECKING:
    from agents.brains.natural.mind import Mind

HITS = 16
"""How many memories are looked through for an answer."""
Answering = Generator[Recall, tuple[Hit, ...], Decision | None]
Places = dict[str, str] | None
_ASKING = {"where": "where", "when": "when", "who": "who", "whom": "who", "whose": "who", "why": "why",
           "colour": "colour", "color": "colour", "called": "name", "name": "name", "named": "name"}  # fmt: skip
_THEM = ("he", "she", "him", "her", "they", "them")
_MET = ("death", "illness", "birth", "birthday", "love", "trouble", "fear", "luck", "plan")
"""What is met as such, the gravest first; the words of each stand in the vault."""


def answer(mind: Mind, meaning: Meaning, said: Utterance, situation: Situation) -> Answering:
    """Answer what asks or wishes something.

    Args:
        mind: who answers.
        meaning: what the sentence means.
        said: the line.
        situation: the situation.
    """
    return (yield from _Talk(mind, meaning, said, situation).answered())


def acknowledge(mind: Mind, meaning: Meaning, said: Utterance, situation: Situation) -> Answering:
    """Take up what was told.

    Args:
        mind: who takes it up.
        meaning: what the sentence means.
        said: the line.
        situation: the situation.
    """
    return (yield from _Talk(mind, meaning, said, situation).acknowledged())


@dataclass(slots=True)
class _Talk:
    """One sentence on its way to a line."""

    mind: Mind
    meaning: Meaning
    said: Utterance
    situation: Situation

    @property
    def asker(self) -> str:
        return self.said.speaker

    @property
    def now(self) -> str:
        return self.situation.recent[-1].at if self.situation.recent else ""

    @property
    def others(self) -> list[str]:
        return [one.name for one in self.situation.people if one.name != self.asker]

    @property
    def person(self) -> str:
        """Whom the sentence is about, by the name known; empty for nobody."""
        names, words = self.mind.names(self.situation).people, self.mind.lore().words
        slot = self.meaning.slots.get("person") or ""
        if slot.casefold() in ("i", "me", "you"):
            return self.mind.name if slot.casefold() == "you" else self.asker
        last = self.mind.topics.get(self.asker)
        points = slot.casefold() or next((word for word in tokens(self.meaning.words) if word in _THEM), "")
        if points in words.of("leans"):
            slot = lead(last.fact.words, points, words) if last and last.fact else ""
        found = next((name for name in names if slot and slot.casefold() == name.casefold()), "")
        return found or next(
            (name for name in names if name != self.asker and mentions(self.meaning.words, name)), slot
        )

    @property
    def topic(self) -> str:
        """What the sentence is about, as said."""
        slots = self.meaning.slots
        return next((slots[key] for key in ("topic", "thing", "text", "place", "person") if slots.get(key)), "")

    @property
    def recent(self) -> list[Entry]:
        """The tail without this line."""
        this = heard_in(self.situation.recent, self.said)
        return [entry for entry in self.situation.recent if entry.seq != this]

    def say(
        self,
        keys: Sequence[str],
        places: Mapping[str, str],
        why: str,
        *,
        private: bool = False,
        cites: tuple[str, ...] = (),
    ) -> Decision | None:
        reason = "reason.unknown" if keys and keys[0].startswith("unknown.") else "reason.answer"
        reason = "" if self.meaning.wants == "nothing" else reason
        private = private or self.said.private
        return self.mind.say(
            self.situation, self.asker, keys, dict(places), why, private=private, reason=reason, cites=cites
        )

    def when(self, at: str) -> str:
        """Say how long ago something was."""
        minutes = self.age(at) * 60
        if minutes < 0:
            return ""
        steps = ((3, "now", 1), (45, "minutes", 1), (90, "hour", 60), (22 * 60, "hours", 60), (36 * 60, "day", 1440))
        key, unit = next(((key, unit) for limit, key, unit in steps if minutes < limit), ("days", 1440))
        return self.mind.speaker.plain(f"when.{key}", number=str(max(2, round(minutes / unit))))

    def age(self, at: str) -> float:
        """Return how many hours ago something was; -1 when that cannot be read."""
        try:
            return (parse_iso(self.now) - parse_iso(at)).total_seconds() / 3600
        except ValueError:
            return -1.0

    def recall(self, query: str, *, own: bool = False) -> Generator[Recall, tuple[Hit, ...], list[Entry]]:
        """Look something up; return the memories found and the tail, oldest first."""
        hits = yield Recall(query, HITS, own)
        found = {hit.entry.seq: hit.entry for hit in hits if hit.entry and hit.entry.kind != "dream"}
        found.update((entry.seq, entry) for entry in self.recent)
        self.mind.relations.learn(found.values(), self.mind.names(self.situation).people)
        return [found[seq] for seq in sorted(found)]

    # -- answering ----------------------------------------------------------------------------------------------------

    def answered(self) -> Answering:
        """Answer in the way of the first text that knows one, else from memory."""
        meaning = self.meaning
        if "answer.discreet" in meaning.texts:
            return (yield from self.of_confidence())
        if self.mind.relations.is_cool(self.asker) and meaning.wants == "deed":
            return self.say(("reply.unwilling",), {}, "was ill treated by who asks")
        if meaning.wants == "memory" and meaning.how != "pattern" and isinstance(self.question(), Fact):
            return (yield from self.from_memory())
        if meaning.how == "example" and meaning.wants in ("self", "place", "people", "way"):
            near = {"here", "around", "we", "us", "this", "see", "far", "way", "get", "go"} if meaning.wants != "self" else set()
            if ({"you", "your", "yours"} | near).isdisjoint(tokens(meaning.words)):
                return (yield from self.from_memory())  # it was only like an example
        last, points = self.mind.topics.get(self.asker), {"it", "he", "she"} & set(tokens(meaning.words))
        if points and meaning.wants in ("self", "place") and last and last.fact:
            if lead(last.fact.words, min(points), self.mind.lore().words):
                return (yield from self.from_memory())
        own = {"my", "i", "me", "mine"} & set(tokens(meaning.words)) or self.person not in ("", self.mind.name)
        if meaning.wants not in ("nothing", "deed") and (
            meaning.how == "example" or (meaning.wants != "memory" and own)
        ):
            decision = yield from self.from_memory(surely=True)
            if decision:
                return decision
        for key in meaning.texts:
            if way := _WAYS.get(key):
                decision = yield from way(self)
                if decision:
                    return decision
            elif not key.startswith("unknown.") and (places := self.places(key)) is not None:
                return self.say((key, *self.again()), places, f"was asked: {meaning.intent}")
        if meaning.wants == "nothing":
            return self.say(("reply.short",), {}, "has nothing else to say")
        return (yield from self.from_memory())

    def again(self) -> tuple[str, ...]:
        return () if self.meaning.wants in ("nothing", "deed") else ("answer.again",)

    def places(self, key: str) -> Places:
        """Return what the places of a text hold that needs no memory; None when it does not fit here and now."""
        if provider := _PLACES.get(key):
            return provider(self)
        have = {"person": self.person, "thing": self.your(self.topic)}
        wanted = set(TEXTS.get(key, "").split()) - {"name", "place", "me", "self"}
        held = {name: have.get(name, "") for name in wanted}
        return held if all(held.values()) or key.startswith(("reply.", "ack.", "self.", "emote.")) else None

    def your(self, words: str) -> str:
        """Return words of who asks as one says them back: "my boat" is "your boat"."""
        if not words:
            return ""
        turned = retell(words, self.asker, self.asker, self.mind.lore().words) or words
        return turned if len(turned) < 60 else ""

    def from_memory(self, *, surely: bool = False) -> Answering:
        """Answer from memory, from what is in sight, or say that it cannot be found.

        Args:
            surely: answer only what memory surely answers.
        """
        question = self.question()
        if isinstance(question, Fact):
            return (
                None if surely else self.tell(question._replace(score=1.0), self.asked(self.meaning.words), [question])
            )
        if not question.words and not question.person and len(tokens(question.text)) < 4:
            return None if surely else self.say(("reply.unclear",), {}, "did not understand")
        facts = yield from self.look_up(question, wide=not surely)
        if surely:
            sure = facts and facts[0].score >= 0.85 and facts[0].kind in ("heard", "told")
            return self.tell(facts[0], question, facts) if sure else None
        if facts and facts[0].score >= NEAR:
            if self.meaning.asks in ("", "what") and "about" in self.meaning.intent:
                return self.tell_about(question, facts)
            if facts[0].score >= SURE or not self.in_sight(question):
                return self.tell(facts[0], question, facts)
        if look := self.to_look_at(question, facts):
            self.mind.looking = self.said
            return Decision(f"examine {look}", "looks before it answers")
        if seen := self.in_sight(question):
            return self.say(("answer.in_view", "answer.again"), {"words": seen}, "sees it")
        if question.yours and (told := self.of_itself(question.words)):
            return self.say(("self.profile", "answer.again"), {"words": told}, "says who it is")
        if self.asker in self.mind.minds and self.mind.rng.random() < 0.5:
            return self.say((), {}, "does not know, and a mind asks")
        self.mind.topics[self.asker] = Topic(question.words, None, question.text)
        return self.say(
            self.ignorant(question), {"thing": self.thing(), "person": self.your(question.person)}, "cannot find it"
        )

    def look_up(self, question: Question, *, wide: bool = True) -> Generator[Recall, tuple[Hit, ...], list[Fact]]:
        """Return what bears on a question, best first; with nothing sure it is looked for in wider words."""
        lore = self.mind.lore()
        own = f" {self.asker}" if question.own else ""
        hits = yield Recall(f"{question.text}{own}", HITS, False)
        facts = find(question, hits, self.recent, lore)
        wider = lore.words.widened(question.words)
        if wide and (not facts or facts[0].score < SURE) and len(wider) > len(question.words):
            more = yield Recall(" ".join(wider) + own, HITS, False)
            facts = find(question, (*hits, *more), self.recent, lore)
        return facts

    def question(self) -> Question | Fact:
        """Return the question to memory, with whom its pronouns mean; a fact when that answers what leans on it."""
        meaning, words = self.meaning, self.mind.lore().words
        topic = meaning.slots.get("topic") or ""
        framed = "you" in tokens(meaning.words) and "you" not in tokens(topic)  # "did I tell you of my trip"
        text = topic if topic and framed and meaning.how == "pattern" else meaning.words
        question = self.asked(text)
        last = self.mind.topics.get(self.asker)
        low = tokens(text)
        bare = not [word for word in question.words if word not in words.of("asked")] and not question.person
        bare = bare and not question.own and not question.yours
        points = [word for word in low if word in words.of("leans") and word != "there"]
        if last is None or not (bare or points):
            if last and last.text and question.person and low[:-1] in (["and"], ["what", "about"], ["how", "about"]):
                return self.asked(f"{last.text} {question.person}")._replace(person=question.person)
            return question
        if points and last.fact:
            about = lead(last.fact.words, points[0], words)
            about = (retell(about, last.fact.actor, self.asker, words) or about) if last.fact.actor else about
            if not about and last.fact.actor not in ("", self.asker) and points[0] in (*_THEM, "his", "their"):
                about = last.fact.actor
            if about:
                mine = about.replace("your ", "my ") if last.fact.actor == self.asker else about
                turned = self.asked(with_pronoun(text, points[0], mine, words))
                if about == last.fact.actor:
                    return turned._replace(person=about)
                if part(last.fact.words, turned.asks, turned.words, words) and turned.asks not in ("name", "who"):
                    return (
                        last.fact
                        if set(turned.words) <= {*words.content(about), *words.of("asked"), *last.words}
                        else turned
                    )
                return turned
        if bare and last.fact and (question.asks in ("", "what") or part(last.fact.words, question.asks, (), words)):
            return last.fact if question.asks not in ("", "what") else question._replace(words=last.words)
        return question._replace(words=tuple(dict.fromkeys((*question.words, *last.words))))

    def asked(self, text: str) -> Question:
        """Return a question to memory as it stands."""
        words, names = self.mind.lore().words, self.mind.names(self.situation)
        asks = self.meaning.asks
        if asks in ("", "what", "yes") or self.meaning.wants != "memory":
            low = tokens(self.meaning.words)
            low = [*low[:3], *(word for word in low[3:] if word in ("called", "name", "named"))]
            number = any(
                one == "how" and two in ("many", "much", "old", "long", "far") for one, two in zip(low, low[1:])
            )
            asks = "number" if number else next((_ASKING[word] for word in low if word in _ASKING), asks)
        if {"which", "what"} & set(tokens(text)) and {"day", "time", "year", "month", "date"} & set(tokens(text)):
            asks = "when"
        person = self.person
        skip = {words.stem(self.mind.name.casefold())}
        telling = tuple(word for word in words.content(text) if words.stem(word) not in skip)
        return Question(text, asks, self.asker, self.mind.name, telling, person, self.mind.minds, names.people)

    def thing(self) -> str:
        """Return what the question is about, as one says it back; empty when that is unclear."""
        words = self.mind.lore().words
        for pronoun in ("it", "she", "they", "he"):
            if found := lead(self.topic or self.meaning.words, pronoun, words):
                bare = found.removeprefix("the ")
                found = next((f"{one} {bare}" for one in ("a", "an") if f" {one} {bare}" in self.meaning.words), found)
                return self.your(found) if found.split()[0] in words.of("determiner") else found
        return ""

    def ignorant(self, question: Question) -> tuple[str, ...]:
        """Return the texts that say fittingly that nothing is known."""
        given = tuple(key for key in self.meaning.texts if key.startswith("unknown."))
        other = question.person not in ("", self.asker, self.mind.name)
        about = "self" if question.yours else "person" if other else "thing" if self.thing() else "plain"
        return (*(key for key in given if key != "unknown.plain"), f"unknown.{about}", "unknown.plain")

    def tell(self, fact: Fact, question: Question, facts: Sequence[Fact]) -> Decision | None:
        """Tell a fact, in the form that fits where it comes from."""
        words = self.mind.lore().words
        self.mind.topics[self.asker] = Topic(
            tuple(dict.fromkeys((*question.words, *words.content(fact.words)))), fact, question.text
        )
        you = "_you" if fact.actor == self.asker else ""
        told = told_to(fact, self.asker, self.mind.name, self.situation.location, self.age(fact.at), words)
        exact = part(told, question.asks, tokens(question.text), words) if told and question.asks else None
        places = {"person": fact.actor, "place": fact.place, "when": self.when(fact.at), "via": fact.via,
                  "words": told or _ended(fact.words), "part": exact or "", "thing": fact.title}  # fmt: skip
        other = otherwise(question, facts, words)
        if other:
            which = "_mine" if fact.actor == self.asker else "_you" if other.actor == self.asker else ""
            keys: list[str] = [f"answer.differ{which}"]
            places |= {"other": other.actor, "others": _ended(other.words), "words": _ended(fact.words)}
        elif fact.kind in ("heard", "told") and fact.actor:
            keys = self.keys_of(fact, you, told, exact)
            places["words"] = places["words"] if keys[0] != f"answer.near{you}" else _ended(fact.words)
        elif fact.kind == "known":
            keys = ["answer.known" if fact.score >= SURE else "answer.known_near", "answer.known_quoted"]
        else:
            own = {"saw": "saw", "result": "looked", "note": "note", "summary": "summary"}.get(fact.kind, "known")
            there = fact.kind == "result" and question.asks == "where" and fact.place
            keys = [f"answer.{own}" if not there else "answer.looked_there", f"answer.{own}"]
        why = f"remembers {fact.kind} {fact.cited}: {fact.score:.2f}"
        cites = tuple(one.cited for one in (fact, other) if one and one.cited)
        return self.say((*keys, "answer.again"), places, why, private=fact.private, cites=cites)

    def keys_of(self, fact: Fact, you: str, told: str, exact: str | None) -> list[str]:
        """Return the texts that tell what somebody said, the best first."""
        if fact.score < SURE:
            return [f"answer.near{you}"]
        quoted = f"answer.quoted{you}"
        if fact.via and fact.via != self.asker:
            return ["answer.hearsay_fact" if told and not you else f"answer.hearsay{you}", quoted]
        if not told:
            return [quoted]
        form = [f"answer.fact{you}", f"answer.told{you}"]
        if self.mind.rng.random() < 0.3:
            form.reverse()
        return [f"answer.part{you}", *form] if exact else form

    def tell_about(self, question: Question, facts: Sequence[Fact]) -> Decision | None:
        """Tell what is known of something, up to two facts of one teller, the ones not told lately."""
        fresh = [one for one in facts if one.score >= NEAR and not self.lately(one)]
        if not fresh:
            return self.say(("answer.no_more", "answer.again"), {"thing": self.thing() or self.person}, "has told all")
        first, words = fresh[0], self.mind.lore().words
        more = [one for one in fresh[1:] if one.actor == first.actor and one.kind == first.kind and one.score >= SURE]
        told = [told_to(one, self.asker, self.mind.name, self.situation.location, self.age(one.at), words)
                for one in (first, *more[:1])]  # fmt: skip
        if len(told) == 2 and all(told) and not first.via and first.score >= SURE:
            both = f"{told[0]} {told[1][0].upper()}{told[1][1:]}"
            you = "_you" if first.actor == self.asker else ""
            self.mind.topics[self.asker] = Topic(question.words, first, question.text)
            places = {"words": both, "person": first.actor, "place": first.place, "when": self.when(first.at)}
            cites = (first.cited, more[0].cited)
            private = first.private or more[0].private
            return self.say((f"answer.fact{you}",), places, "tells what it knows", private=private, cites=cites)
        return self.tell(first, question, [first])

    def lately(self, fact: Fact) -> bool:
        told = told_to(
            fact, self.asker, self.mind.name, self.situation.location, self.age(fact.at), self.mind.lore().words
        )
        return any(self.mind.speaker.said_lately(one) for one in (told, fact.words) if one)

    def in_sight(self, question: Question) -> str:
        """Return the sentence of the place's description that answers; empty for none."""
        words = self.mind.lore().words
        strong = [
            word for word in question.words if words.stem(word) not in words.weak and word not in words.of("asked")
        ]
        if question.own or question.yours or not strong:
            return ""
        found = [(words.coverage(strong, one), one) for one in sentences(self.situation.description)]
        score, text = max(found, key=lambda one: one[0], default=(0.0, ""))
        return text if score >= 0.7 else ""

    def to_look_at(self, question: Question, facts: Sequence[Fact]) -> str:
        """Return a thing here that the question is about and that was not looked at for it; empty for none."""
        thing = self.thing_named([*self.situation.items, *self.others])
        seen = any(fact.kind == "result" for fact in facts) or thing in self.mind.looked_at
        if not thing or seen or question.yours or question.asks not in ("", "what", "colour", "number", "why", "yes"):
            return ""
        self.mind.looked_at.add(thing)
        return thing

    def thing_named(self, names: Sequence[str]) -> str:
        """Return which of these names the sentence names; empty for none."""
        words = self.mind.lore().words
        text = self.topic or self.meaning.words
        said = set(map(words.stem, tokens(text)))
        near = [name for name in names if name != self.mind.name and words.stem(tokens(name)[-1]) in said]
        named = [name for name in near if set(map(words.stem, words.content(name))) <= said] or near[: len(near) == 1]
        return max(named, key=len, default="")

    def of_itself(self, wanted: Sequence[str]) -> str:
        """Return the sentence of its profile that answers best; empty for none."""
        words = self.mind.lore().words
        told = own_words(self.situation.profile, words)
        found = [(words.coverage(wanted, one), -number, one) for number, one in enumerate(told)]
        best = max(found, default=(0.0, 0, ""))
        return best[2] if best[0] >= 0.5 else ""

    # -- what needs no memory -----------------------------------------------------------------------------------------

    def view(self) -> Places:
        told = sentences(self.situation.description)[:2]
        return {"words": " ".join(told)} if told else None

    def profile(self) -> Places:
        fresh = [one for one in own_words(self.situation.profile, self.mind.lore().words)
                 if not self.mind.speaker.said_lately(one)]  # fmt: skip
        told = self.of_itself(self.mind.lore().words.content(self.topic or self.meaning.words)) or next(iter(fresh), "")
        return {"words": told} if told else None

    def goal(self) -> Places:
        return {"words": _ended(self.situation.goal), "place": self.situation.location} if self.situation.goal else None

    def of_self(self) -> Answering:
        """Say of itself what its profile says of it, or what it remembers."""
        words = self.mind.lore().words
        if told := self.of_itself(
            [word for word in words.content(self.meaning.words) if word not in words.of("polite")]
        ):
            return self.say(("self.profile", "answer.again"), {"words": told}, "says who it is")
        decision = yield from self.from_memory()
        return decision

    # -- what does ----------------------------------------------------------------------------------------------------

    def of_source(self) -> Answering:
        """Say from whom the last answer came, or when it was told."""
        last = self.mind.topics.get(self.asker)
        fact = last.fact if last else None
        if self.meaning.slots.get("topic") or self.meaning.slots.get("thing"):
            question = self.asked(self.topic)._replace(asks="")
            facts = yield from self.look_up(question)
            fact = facts[0] if facts and facts[0].score >= SURE else None
        if fact is None:
            return self.say(
                ("unknown.thing" if self.thing() else "reply.unclear", "unknown.plain"),
                {"thing": self.thing()},
                "told nothing",
            )
        telling = any(key.startswith("answer.telling") for key in self.meaning.texts)
        places = {"person": fact.actor, "place": fact.place, "via": fact.via, "when": self.when(fact.at)}
        if fact.kind == "known":
            key = "answer.source_known"
        elif fact.kind not in ("heard", "told"):
            key = "answer.source_self"
        else:
            form = "telling" if telling else "source"
            key = f"answer.{form}{'_you' if fact.actor == self.asker else '_via' if fact.via and not telling else ''}"
        return self.say((key, "answer.again"), places, "names the source", cites=(fact.cited,))

    def of_person(self) -> Answering:
        """Say where somebody is, or was seen last."""
        person = self.person
        if person in (self.mind.name, ""):
            return None
        if person in self.others:
            return self.say(("answer.person_here", "answer.again"), {"person": person}, "sees them")
        entries = yield from self.recall(person)
        facts = find(self.asked(f"where {person} is"), (), entries, self.mind.lore())
        last = max((one for one in entries if one.actor == person and one.place), key=lambda one: one.seq, default=None)
        told = next((one for one in facts if one.score >= SURE and (not last or one.seq > last.seq)), None)
        if told:
            return self.tell(told, self.asked(self.meaning.words), [told])
        if last is None:
            return self.say(("unknown.unseen", "unknown.plain"), {"person": person}, "has not seen them")
        places = {"person": person, "place": last.place or "", "when": self.when(last.at)}
        plain = last.kind == "saw" and "\n" not in last.text and len(last.text.split()) > 3
        places["words"] = _ended(last.text) if plain else ""
        return self.say(("answer.seen", "answer.again"), places, f"saw them, {last.seq}", cites=(str(last.seq),))

    def of_meeting(self) -> Answering:
        """Say when who asks, or somebody else, was met first or last, or what they said first."""
        whose = self.person if self.person not in ("", self.mind.name) else self.asker
        newest = "last" in tokens(self.meaning.words)
        entries = yield from self.recall(whose)
        theirs = [
            one
            for one in entries
            if one.actor == whose and (not is_private(one, self.mind.lore().words) or whose == self.asker)
        ]
        if not theirs:
            return None if whose == self.asker else self.say(("unknown.somebody",), {"person": whose}, "never met them")
        key = self.meaning.texts[0]
        you = "_you" if whose == self.asker else ""
        if key.startswith("answer.first"):
            spoken = [(one, said) for one in theirs if (said := remembered(one)) and not said.question]
            if not spoken:
                return None
            entry, said = spoken[-1 if newest else 0]
            words = _ended(sentences(said.words)[-1])
            keys: tuple[str, ...] = (f"answer.quoted{you}" if newest else f"answer.first{you}",)
        elif key == "answer.met_last":
            before = [one for one in theirs if self.age(one.at) > 0.1] or theirs
            entry, keys, words = before[-1], ("answer.met_last",), ""
        else:
            entry, keys, words = theirs[0], ("answer.met_first" if you else "answer.met",), ""
        places = {"person": whose, "place": entry.place or "", "when": self.when(entry.at), "words": words}
        return self.say((*keys, "answer.again"), places, f"remembers {entry.seq}", cites=(str(entry.seq),))

    def of_asker(self) -> Answering:
        """Say what it knows of who asks, out of their own mouth."""
        entries = yield from self.recall(f"{self.asker} I am my name")
        words = self.mind.lore().words
        question = Question("my", "", self.asker, self.mind.name, (), "", self.mind.minds)
        told: list[Fact] = []
        for entry in reversed(entries):
            if entry.actor == self.asker and entry.kind in ("heard", "told"):
                own = find(question._replace(words=words.content(entry.text)), (), [entry], self.mind.lore())
                told += [one for one in own if {"i", "my", "me", "i'm"} & set(tokens(one.words))][:1]
        fresh = [one for one in told if not self.lately(one)][:3]
        if not fresh:
            met = any(one.actor == self.asker and self.age(one.at) > 0.05 for one in entries)
            return self.say(
                ("self.know" if met else "self.stranger", "answer.again"), {}, "was asked whether it knows them"
            )
        turned = [told_to(one, self.asker, self.mind.name, self.situation.location, 0.0, words) or f"'{_ended(one.words)}'"
                  for one in fresh]  # fmt: skip
        both = " ".join(f"{one[0].upper()}{one[1:]}" for one in turned)
        places = {"words": both, "place": fresh[0].place, "when": self.when(fresh[0].at)}
        cites = tuple(one.cited for one in fresh)
        self.mind.topics[self.asker] = Topic(words.content(fresh[0].words), fresh[0])
        return self.say(
            ("answer.fact_you", "self.know"), places, "knows them", private=any(f.private for f in fresh), cites=cites
        )

    def of_deeds(self) -> Answering:
        """Say who promised, gave, or was kind or rude, by what they did."""
        person = self.person or (self.asker if {"i", "me", "my"} & set(tokens(self.meaning.words)) else "")
        promise = any("promise" in key for key in self.meaning.texts)
        entries = yield from self.recall(
            f"{person} {'promise swear word' if promise else 'kind thank sorry gift'} {self.topic}", own=promise
        )
        relations, words = self.mind.relations, self.mind.lore().words
        if promise and (person == self.mind.name or "unknown.promise_mine" in self.meaning.texts):
            return self.own_promise(entries)
        whom = [person] if person else [one for one in relations.known]
        if promise:
            deeds = [
                (one, who)
                for who in whom
                for one in relations.deeds(who, "promise")
                if not one.private or who == self.asker
            ]
            wanted = words.content(self.topic) if self.topic and self.topic != person else ()
            if wanted:
                deeds = [pair for pair in deeds if words.coverage(wanted, pair[0].words) >= NEAR] or deeds
            if deeds:
                deed, who = max(deeds, key=lambda pair: (not pair[0].kept, pair[0].seq))
                key = f"answer.promise{'_kept' if deed.kept else ''}{'_you' if who == self.asker else ''}"
                return self.say((key, "answer.again"), self.deed_places(deed, who), f"remembers {deed.seq}",
                                private=deed.private, cites=(str(deed.seq),))  # fmt: skip
            return (yield from self.from_memory())
        rude = any("rude" in key for key in self.meaning.texts) or not {"rude", "unkind", "mean"}.isdisjoint(
            tokens(self.meaning.words)
        )
        found = [(one.seq, who, one) for who in whom if (one := relations.telling(who, self.asker, -1 if rude else 1))]
        if found:
            return self.judged(max(found)[2], max(found)[1], rude)
        if sure := (yield from self.from_memory(surely=True)):
            return sure
        return self.say(("unknown.deed", "unknown.plain"), {"person": person}, "remembers nothing of the kind")

    def own_promise(self, entries: Sequence[Entry]) -> Decision | None:
        """Say what it promised itself, to who may hear it."""
        words = self.mind.lore().words
        for entry in reversed(entries):
            said = remembered(entry) if entry.kind == "said" else None
            if said is None or (whispered(entry) and not whispered_to(entry, self.asker)):
                continue
            vow = next((one for one in sentences(said.words) if {"promise", "swear"} & set(words.content(one))), "")
            if vow:
                places = {"words": _ended(vow), "place": entry.place or "", "when": self.when(entry.at)}
                return self.say(("answer.self", "answer.again"), places, f"promised it, {entry.seq}",
                                private=whispered(entry), cites=(str(entry.seq),))  # fmt: skip
        return self.say(("unknown.promise_mine", "unknown.plain"), {}, "remembers no promise")

    def judged(self, deed: Deed, person: str, rude: bool) -> Decision | None:
        you = "_you" if person == self.asker else ""
        keys = (f"opinion.{'rude' if rude else 'kind'}{you}", "opinion.you" if you else "opinion.person")
        cites = (str(deed.seq), *((str(deed.kept),) if deed.kept else ()))
        return self.say(
            keys, self.deed_places(deed, person), f"judges by {deed.seq}", private=deed.private, cites=cites
        )

    def deed_places(self, deed: Deed, person: str) -> dict[str, str]:
        return {"person": person, "words": _ended(deed.words), "place": deed.place, "when": self.when(deed.at)}

    def of_opinion(self) -> Answering:
        """Say what it thinks of somebody by what they did, of a thing or place by what one sees."""
        person = self.person or (self.asker if "me" in tokens(self.meaning.words) else "")
        if person and person != self.mind.name:
            entries = yield from self.recall(person)
            deed = self.mind.relations.telling(person, self.asker)
            if deed:
                return self.judged(deed, person, deed.weight < 0)
            known = person in self.mind.names(self.situation).people or any(one.actor == person for one in entries)
            if known or person == self.asker:
                key = "opinion.you" if person == self.asker else "opinion.person"
                return self.say((key, "opinion.plain"), {"person": person}, "was asked for an opinion")
        if person:
            return (yield from self.from_memory())
        liked = self.of_itself(self.mind.lore().words.content(self.meaning.words))
        if liked:
            return self.say(("answer.likes", "self.profile"), {"words": liked}, "says what it likes")
        thing = self.thing_named([*self.situation.items, *self.situation.carrying])
        if thing:
            return self.say(
                ("opinion.thing", "opinion.plain"), {"thing": self.article(thing)}, "was asked for an opinion"
            )
        if self.thing_named([self.situation.location]) or "here" in tokens(self.meaning.words):
            items = [self.article(self.mind.rng.choice(self.situation.items))] if self.situation.items else [""]
            places = {"thing": items[0], "words": (self.view() or {}).get("words", "")}
            return self.say(("opinion.place", "opinion.plain"), places, "was asked for an opinion")
        decision = yield from self.from_memory() if self.topic and self.meaning.how != "example" else _nothing()
        return (
            decision
            if decision and not decision.text.startswith("unknown.")
            else self.say(("opinion.plain",), {}, "has none")
        )

    def article(self, thing: str) -> str:
        first = thing.split(" ", 1)[0]
        return thing if first in self.mind.lore().words.of("determiner") or not first.islower() else f"the {thing}"

    def of_way(self) -> Answering:
        """Say how one gets somewhere, by what it walked itself, or that it was there."""
        ways, here = self.mind.ways, self.situation.location
        if exit_ := self.thing_named(self.situation.exits):
            if place := ways.get(here, {}).get(exit_):
                return self.say(("answer.way", "answer.again"), {"thing": exit_, "place": place}, "went there")
        if not (self.mind.lore().words.content(self.topic) or exit_):
            key = "answer.exits" if self.situation.exits else "answer.no_exits"
            return self.say((key, "answer.again"), {"thing": listed(self.situation.exits)}, "sees the ways out")
        place = self.thing_named(list(self.mind.names(self.situation).places))
        if place == here and place:
            return self.say(("answer.you_are_here", "answer.again"), {}, "is there")
        been = any(key == "answer.been" for key in self.meaning.texts[:1])
        path = self.path_to(place) if place and not been else []
        if path:
            key = "answer.way" if len(path) == 1 else "answer.way_first"
            return self.say((key, "answer.again"), {"thing": path[0], "place": place}, "knows the way")
        entries = yield from self.recall(self.topic or self.meaning.words)
        place = place or self.thing_named(list(dict.fromkeys(one.place for one in entries if one.place)))
        if place:
            return self.say(
                ("answer.been" if been else "answer.way_far", "answer.again"), {"place": place}, "was there"
            )
        decision = yield from self.from_memory()
        if decision and not decision.text.startswith(("unknown.", "reply.")):
            return decision
        return self.say(("unknown.way", "unknown.plain"), {"thing": self.your(self.topic)}, "was never there")

    def path_to(self, place: str) -> list[str]:
        """Return the exits to take to a place, by what was walked; empty when that is not known."""
        paths: dict[str, list[str]] = {self.situation.location: []}
        for at in paths_from(paths, self.mind.ways):
            if at == place:
                return paths[at]
        return []

    def of_news(self) -> Answering:
        """Tell something heard in the open from another, or seen, that was not told yet."""
        words = self.mind.lore().words
        for entry in reversed(self.recent):
            said = remembered(entry) if entry.kind == "heard" else None
            if entry.actor in (None, self.asker, *self.mind.minds) or said is None or is_private(entry, words):
                continue
            question = Question("", "", self.asker, self.mind.name, words.content(said.words), entry.actor or "")
            facts = [one for one in find(question, (), [entry], self.mind.lore()) if not self.lately(one)]
            if facts and len(words.content(facts[0].words)) > 2:
                return self.tell(facts[0]._replace(score=1.0), question, facts[:1])
        return self.say(("reply.no_news",), {}, "no news")
        yield Recall("")  # a generator, as all ways are

    def of_day(self) -> Answering:
        """Say where it was, what it looked at and with whom it spoke lately."""
        found: dict[str, dict[str, None]] = {"place": {}, "thing": {}, "person": {}}
        for entry in reversed(self.situation.recent):
            if entry.actor is None and not entry.failed:
                if entry.place and entry.place != self.situation.location:
                    found["place"].setdefault(entry.place)
                title, mark, _ = entry.text.strip().partition(": ")
                if entry.kind == "result" and mark and len(title) <= 40:
                    found["thing"].setdefault(self.article(title))
                for name in self.mind.known if entry.kind == "said" else ():
                    if mentions(entry.text, name) and name != self.asker:
                        found["person"].setdefault(name)
        places = {key: listed(list(names)[:2]) for key, names in found.items()} | {"here": self.situation.location}
        return self.say(("reply.day", "reply.day_quiet", "answer.again"), places, "was asked what it did")
        yield Recall("")

    def of_said(self) -> Answering:
        """Say what somebody said, on a topic or last."""
        person = self.person or (self.asker if {"i", "my"} & set(tokens(self.meaning.words)) else "")
        topic = self.meaning.slots.get("topic", "") if self.meaning.slots.get("topic") != person else ""
        entries = yield from self.recall(f"{person} {topic}".strip(), own=person == self.mind.name)
        words = self.mind.lore().words
        wanted = words.content(topic)
        for entry in reversed(entries):
            mine = person == self.mind.name and entry.kind == "said" and not whispered(entry)
            if not mine and (entry.actor != person or entry.kind not in ("heard", "told")):
                continue
            said = remembered(entry)
            if said is None or said.question or (not mine and is_private(entry, words) and person != self.asker):
                continue
            facts = find(
                Question("", "", self.asker, self.mind.name, words.content(said.words), person),
                (),
                [entry],
                self.mind.lore(),
            )
            if mine:
                facts = [Fact(said.words, 1.0, "said", "", entry.place or "", entry.at, entry.seq)]
            facts = [one for one in facts if not wanted or words.coverage(wanted, one.words) >= 0.5]
            if facts and (wanted or not self.lately(facts[0]) or mine):
                fact = facts[0]._replace(score=1.0)
                if mine:
                    places = {"words": _ended(fact.words), "place": fact.place, "when": self.when(fact.at)}
                    return self.say(("answer.self", "answer.again"), places, "said it", cites=(fact.cited,))
                return self.tell(fact, self.asked(topic or "")._replace(asks=""), [fact])
        if wanted and person != self.asker:
            return self.say(("unknown.said", "unknown.plain"), {"person": person}, "heard nothing of it")
        return self.say(
            ("unknown.not_told" if person == self.asker else "unknown.said", "unknown.plain"),
            {"person": person},
            "heard nothing",
        )

    def of_confidence(self) -> Answering:
        """Say what was confided, to who did; to others always the same, whatever there is."""
        person = self.person
        if person and person != self.asker:
            return self.say(("answer.discreet", "answer.again"), {"person": person}, "tells no confidences")
        entries = yield from self.recall(f"{self.asker} secret whisper between us")
        words = self.mind.lore().words
        for entry in reversed(entries):
            said = remembered(entry) if entry.actor == self.asker and is_private(entry, words) else None
            if said and not said.question:
                places = {"words": _ended(said.words), "place": entry.place or "", "when": self.when(entry.at)}
                return self.say(("answer.quoted_you", "answer.again"), places, f"was told it, {entry.seq}",
                                private=True, cites=(str(entry.seq),))  # fmt: skip
        return self.say(("unknown.not_told", "unknown.plain"), {}, "was told nothing in confidence")

    def of_errand(self) -> Answering:
        """Take an errand, or say how it stands."""
        to, told = self.person, self.meaning.slots.get("text") or self.meaning.slots.get("topic") or ""
        mine = [
            one
            for one in (*self.mind.errands, *self.mind.told)
            if one.sender == self.asker and one.to in ("", to or one.to)
        ]
        if self.meaning.texts[0] == "reply.errand":
            if not to or not told or to == self.mind.name or self.asker in self.mind.minds:
                return None
            private = self.said.private or self.mind.lore().words.is_secret(self.said.words)
            seq = heard_in(self.situation.recent, self.said)
            self.mind.errands.append(Errand(self.asker, to, told, private, seq))
            return self.say(("reply.errand",), {"person": to}, "was asked to tell somebody something")
        if not mine:
            return (yield from self.from_memory())
        key = "reply.errand_done" if mine[-1] in self.mind.told else "reply.errand_open"
        return self.say((key,), {"person": mine[-1].to}, "was asked about an errand", cites=(str(mine[-1].seq),))

    def of_wish(self) -> Answering:
        """Do a small thing: come along, stay, look at, take, put down, or make a gesture."""
        key = self.meaning.texts[0]
        if self.asker in self.mind.minds:
            return self.say((), {}, "a courtesy among minds")
        if key in ("reply.follow", "reply.stay"):
            self.mind.following = self.asker if key == "reply.follow" else ""
            return self.say((key,), {}, "was asked to come or stay")
        if key.startswith("emote."):
            to = next((name for name in self.others if mentions(self.meaning.words, name)), self.asker)
            text = self.mind.speaker.line(key, name=self.mind.relations.called(to))
            return Decision(f"emote {text}", "was asked for a gesture", key) if text else None
        low = set(tokens(self.meaning.words))
        for verb, names, marks in (
            ("drop", self.situation.carrying, {"drop", "give", "hand", "lend", "pass", "put", "down"}),
            ("take", self.situation.items, {"take", "pick", "get", "fetch", "keep", "hold"}),
            (
                "examine",
                (*self.situation.items, *self.situation.carrying, *self.others),
                {"look", "examine", "inspect", "study"},
            ),
        ):
            if marks & low and (thing := self.thing_named(names)):
                behind = self.mind.speaker.plain("reason.asked", name=self.asker)
                return Decision(f"{verb} {thing}{f' | {behind}' if behind else ''}", "does as it was asked")
        return self.say(("reply.wish",), {}, "was asked for something")
        yield Recall("")

    # -- what was told ------------------------------------------------------------------------------------------------

    def acknowledged(self) -> Answering:
        """Show that something told was heard, as what it is."""
        mind, meaning, words = self.mind, self.meaning, self.mind.lore().words
        mind_speaks = self.asker in mind.minds
        entry = next((one for one in reversed(self.situation.recent) if one.actor == self.asker), None)
        deed = mind.relations.did(entry, meaning) if entry else ""
        telling = words.content(meaning.words)
        before = mind.topics.get(self.asker)
        text = self.resolved(before)
        if telling:
            place = entry.place or "" if entry else ""
            fact = Fact(text, 1.0, "heard", self.asker, place, self.now, entry.seq if entry else 0)
            mind.topics[self.asker] = Topic(telling, fact._replace(private=self.said.private))
        if mind_speaks and mind.rng.random() < 0.6:
            return self.say((), {}, "a mind told something")
        thing = self.thing()
        places = {"thing": thing if thing.startswith(("your ", "the ")) else ""}
        key = next(iter(meaning.texts), "")
        if key in ("ack.name", "ack.called") and meaning.how == "pattern" and (called := name_in(meaning)) and not mind_speaks:
            asked = "call" in tokens(meaning.words) or called.casefold() not in self.asker.casefold()
            return self.say(("ack.called" if asked else "ack.name", "ack.plain"), {"thing": called}, "was told a name")
        if self.said.private or words.is_secret(self.said.words):
            return self.say(("ack.secret", "ack.plain"), places, "was told a secret")
        unsure = ("ack.name", "ack.changed") if meaning.how == "example" else ("ack.name",)
        keys = [one for one in meaning.texts if one.startswith(("ack.", "reply.", "greet.")) and one not in unsure]
        if deed in ("promise", "gift", "kept"):
            keys.insert(0, f"ack.{deed}")
        elif not keys or keys[0] in ("ack.plain", "ack.thing", "ack.sad", "ack.glad", "ack.luck"):
            keys = [one for one in keys if one not in ("ack.plain", "ack.thing")]
            low = f"-{'-'.join(tokens(meaning.words))}-"
            if met := next((one for one in _MET if any(f"-{word}-" in low for word in words.of(f"met_{one}"))), ""):
                keys.insert(0, f"ack.{met}")
            link, known = yield from self.linked(telling, text) if len(telling) > 1 else _no_link()
            if known:
                keys.insert(0, "ack.know")
            elif low.strip("-").partition("-")[0] in words.of("corrects") or not words.of("now").isdisjoint(
                tokens(text)
            ):
                keys.insert(0, "ack.changed")
            elif link and not keys and mind.rng.random() < 0.5:
                keys.insert(0, "ack.link_you" if link.actor == self.asker else "ack.link")
                places |= {"words": _ended(link.words), "person": link.actor}
            elif not keys and mind.rng.random() < 0.4 * mind.speaker.share("manner.ask"):
                keys.append("ack.ask")
        if told := retell(text, self.asker, self.asker, words):
            places["words"] = f"{told}."
        plain = ["ack.plain", "ack.thing", "ack.retold"] if len(telling) > 1 else ["ack.plain"]
        keys += [plain.pop(mind.rng.randrange(len(plain))), *plain]
        return self.say(keys, places, "was told something")

    def resolved(self, before: Topic | None) -> str:
        """Return what was told with whom its first pronoun means."""
        words, text = self.mind.lore().words, self.meaning.words
        first = (tokens(text) or [""])[0].partition("'")[0]
        if before and before.fact and before.fact.actor == self.asker and first in words.of("leans"):
            if who := lead(before.fact.words, first, words):
                return with_pronoun(text, first, who, words)
        return text

    def linked(self, telling: Sequence[str], text: str) -> Generator[Recall, tuple[Hit, ...], tuple[Fact | None, bool]]:
        """Find something told before that goes with this, or that is the same."""
        words = self.mind.lore().words
        hits = yield Recall(f"{text} {self.asker}", HITS, False)
        names = self.mind.names(self.situation).people
        question = Question(text, "", self.asker, self.mind.name, tuple(telling), self.person, self.mind.minds, names)
        older = [hit for hit in hits if hit.entry and self.said.words not in hit.entry.text]
        facts = [
            one
            for one in find(question, older, self.recent, self.mind.lore())
            if one.kind == "heard" and not one.private
        ]
        same = {words.stem(word) for word in telling}
        known = any(one.actor == self.asker and {*map(words.stem, words.content(one.words))} == same for one in facts)
        fits = [
            one
            for one in facts
            if one.score > 0.5 and one.words != text and not one.via and one.actor not in self.mind.minds
        ]
        return next((one for one in fits if not self.mind.speaker.said_lately(one.words)), None), known


def _nothing() -> Answering:
    return None
    yield Recall("")


def _no_link() -> Generator[Recall, tuple[Hit, ...], tuple[Fact | None, bool]]:
    return None, False
    yield Recall("")


def paths_from(paths: dict[str, list[str]], ways: Mapping[str, Mapping[str, str]]) -> Generator[str]:
    """Yield every place that can be reached, the nearest first, and write the way to it into `paths`."""
    for at in (queue := list(paths)):
        yield at
        for exit_, place in ways.get(at, {}).items():
            if place not in paths:
                paths[place] = [*paths[at], exit_]
                queue.append(place)


def _ended(words: str) -> str:
    """Return a statement with a mark at its end."""
    words = words.strip()
    return words if words.rstrip("\"”'’)").endswith((".", "!", "?", "…")) else f"{words.rstrip(',;:')}."


def _one(name: str, value: Callable[[_Talk], str]) -> Callable[[_Talk], Places]:
    return lambda talk: {name: found} if (found := value(talk)) else None


def _if(test: Callable[[_Talk], object]) -> Callable[[_Talk], Places]:
    return lambda talk: {} if test(talk) else None


_PLACES: dict[str, Callable[[_Talk], Places]] = {
    "answer.carried": _one("thing", lambda talk: listed([talk.article(one) for one in talk.situation.carrying])),
    "answer.empty_handed": _if(lambda talk: not talk.situation.carrying),
    "answer.company": _one("person", lambda talk: listed(talk.others)),
    "answer.nobody_else": _if(lambda talk: not talk.others),
    "answer.person_here": _one("person", lambda talk: talk.person if talk.person in talk.others else ""),
    "answer.place_words": lambda talk: talk.view(),
    "answer.exits": _one("thing", lambda talk: listed(talk.situation.exits)),
    "answer.no_exits": _if(lambda talk: not talk.situation.exits),
    "answer.things": _one("thing", lambda talk: listed([talk.article(one) for one in talk.situation.items])),
    "answer.nothing_here": _if(lambda talk: not talk.situation.items),
    "answer.thing_here": _one("thing", lambda talk: talk.article(talk.thing_named(talk.situation.items))),
    "answer.in_view": _one("words", lambda talk: talk.in_sight(talk.asked(talk.topic or talk.meaning.words))),
    "answer.acquainted": _one("person", lambda talk: listed([n for n in talk.mind.known if n != talk.asker][-6:])),
    "answer.met_nobody": _if(lambda talk: not [name for name in talk.mind.known if name != talk.asker]),
    "self.goal": lambda talk: talk.goal(),
    "self.goal_sought": lambda talk: None,
    "self.goal_reached": lambda talk: None,
    "self.no_goal": _if(lambda talk: not talk.situation.goal),
    "self.profile": lambda talk: talk.profile(),
    "answer.likes": _one("words", lambda talk: talk.of_itself(talk.mind.lore().words.content(talk.meaning.words))),
}
"""What stands in the places of texts that need no memory; None where a text does not fit."""

_WAYS: dict[str, Callable[[_Talk], Answering]] = {
    **dict.fromkeys(("answer.source", "answer.source_you", "answer.telling", "answer.telling_you"), _Talk.of_source),
    **dict.fromkeys(("answer.seen", "unknown.unseen"), _Talk.of_person),
    **dict.fromkeys(("answer.met", "answer.met_first", "answer.met_last", "answer.first", "answer.first_you"), _Talk.of_meeting),
    **dict.fromkeys(("self.know", "self.know_words", "self.know_three", "self.know_two", "self.stranger"), _Talk.of_asker),
    **dict.fromkeys(("answer.self", "unknown.self"), _Talk.of_self),
    "answer.saw": _Talk.from_memory,
    **dict.fromkeys(("answer.promise", "answer.promise_you", "unknown.promise", "unknown.promise_you",
                     "unknown.promise_mine", "opinion.kind", "opinion.rude", "unknown.deed"), _Talk.of_deeds),
    **dict.fromkeys(("opinion.person", "opinion.you", "opinion.thing", "opinion.place", "opinion.plain"), _Talk.of_opinion),
    **dict.fromkeys(("answer.way", "answer.way_first", "answer.way_far", "answer.been", "unknown.way"), _Talk.of_way),
    **dict.fromkeys(("talk.news", "talk.saw", "reply.no_news", "reply.been"), _Talk.of_news),
    **dict.fromkeys(("reply.day", "reply.day_quiet"), _Talk.of_day),
    **dict.fromkeys(("answer.quoted", "answer.quoted_you", "answer.yes_told", "answer.yes_told_you", "unknown.said",
                     "unknown.not_told", "answer.overheard"), _Talk.of_said),
    **dict.fromkeys(("answer.discreet", "ack.secret"), _Talk.of_confidence),
    **dict.fromkeys(("reply.errand", "reply.errand_done", "reply.errand_open"), _Talk.of_errand),
    **dict.fromkeys(("reply.follow", "reply.stay", "reply.wish", "emote.sing", "emote.dance", "emote.greet", "emote.sit",
                     "emote.hush"), _Talk.of_wish),
}  # fmt: skip
"""How the questions are answered that these texts answer."""
