"""One sentence put to an agent, and what memory, the place and the profile give to answer it.

Nothing is invented: what is said stands in the texts of the voice, in what the agent perceived, or before it.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agents.brains import Decision, Recall, Situation
from agents.brains.instinct.facts import find, is_private, otherwise
from agents.brains.instinct.interpreter import Interpreter
from agents.brains.instinct.meaning import Meaning
from agents.brains.instinct.relevance import LIKELY, NEAR, SURE, Fact, Question, said
from agents.brains.instinct.retell import lead, own_words, part, retell, with_pronoun
from agents.brains.instinct.topics import Topic
from agents.brains.instinct.words import tokens
from agents.memory.entries import Entry, Hit
from agents.memory.perception import Utterance, heard_in, remembered, whispered, whispered_to
from agents.text.addressing import asks, mentions
from mud.clock import parse_iso
from mud.world.narration import listed
from mud.world.sentences import sentences

if TYPE_CHECKING:
    from agents.brains.instinct.mind import Mind

HITS = 16
"""How many memories are looked through for an answer."""
Answering = Generator[Recall, tuple[Hit, ...], Decision | None]
ASKING = {"where": "where", "when": "when", "who": "who", "whom": "who", "whose": "who", "why": "why", "name": "name",
          "colour": "colour", "color": "colour", "called": "name", "named": "name", "names": "name"}  # fmt: skip
_SURELY = ("name", "called", "named", "names", "colour", "color")
_DATES = frozenset(("day", "days", "time", "year", "month", "date"))
_THEM = ("he", "she", "him", "her", "they", "them", "his", "their")
_STEPS = ((3, "now", 1), (45, "minutes", 1), (90, "hour", 60), (22 * 60, "hours", 60), (36 * 60, "day", 1440))
_FORMS = {"saw": "saw", "change": "saw", "result": "looked", "note": "note", "summary": "summary"}


@dataclass(slots=True)
class Talk:
    """One sentence on its way to a line.

    Args:
        mind: who answers.
        meaning: what the sentence means.
        said: the line.
        situation: the situation.
    """

    mind: Mind
    meaning: Meaning
    said: Utterance
    situation: Situation

    @property
    def asker(self) -> str:
        return self.said.speaker

    @property
    def interpreter(self) -> Interpreter:
        return self.mind.interpreter()

    @property
    def low(self) -> list[str]:
        """The words of the sentence."""
        return tokens(self.meaning.words)

    @property
    def others(self) -> list[str]:
        return [one.name for one in self.situation.people if one.name != self.asker]

    @property
    def last(self) -> Topic:
        return self.mind.topics.get(self.asker, Topic())

    @property
    def person(self) -> str:
        """Whom the sentence is about, by the name known; empty for nobody."""
        slot = self.meaning.slots.get("person") or ""
        if slot.casefold() in ("i", "me", "you"):
            return self._self(slot)
        points = slot.casefold() or next((word for word in self.low if word in _THEM[:6]), "")
        slot = self.meant(points) if points in _THEM else slot
        people = self.mind.names(self.situation).people
        known = next((name for name in people if slot and slot.casefold() == name.casefold()), "")
        named = (name for name in people if name != self.asker and mentions(self.meaning.words, name))
        return known or next(named, slot)

    @property
    def whom(self) -> str:
        """To whom the person of the sentence did something; empty for nobody."""
        return self._self(self.meaning.slots.get("whom", ""))

    def _self(self, slot: str) -> str:
        who = {"i": self.asker, "me": self.asker, "you": self.mind.name}
        return who.get(slot.casefold(), slot)

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

    # -- speaking -----------------------------------------------------------------------------------------------------

    def say(self, keys: Sequence[str], why: str, **places: str) -> Decision | None:
        """Say something to who asks."""
        return self.speak(keys, why, places)

    def speak(
        self, keys: Sequence[str], why: str, places: dict[str, str], *, private: bool = False, cites: Sequence[str] = ()
    ) -> Decision | None:
        """Say something to who asks; a whisper is answered by a whisper."""
        unknown, told = bool(keys) and keys[0].startswith("unknown."), self.meaning.wants == "nothing"
        keys = keys if unknown or told or self.meaning.wants == "deed" else (*keys, "answer.again")
        reason = "" if told else "reason.unknown" if unknown else "reason.answer"
        hidden = private or self.said.private
        return self.mind.say(
            self.situation, self.asker, keys, places, why, private=hidden, reason=reason, cites=tuple(cites)
        )

    def say_of(self, key: str, one: Entry | Fact, words: str = "", person: str = "", **more: str) -> Decision | None:
        """Say a text about a memory, with where and when it was."""
        private = one.private if isinstance(one, Fact) else is_private(one, self.interpreter.words) or whispered(one)
        places = {"person": person or one.actor or "", "place": one.place or "", "when": self.when(one.at), **more}
        places["words"] = ended(words) if words else ""
        return self.speak((key,), f"remembers {one.kind} {one.seq}", places, private=private, cites=(str(one.seq),))

    def age(self, at: str) -> float:
        """Return how many hours ago something was; -1 when that cannot be read."""
        try:
            return (parse_iso(self.situation.recent[-1].at) - parse_iso(at)).total_seconds() / 3600
        except (ValueError, IndexError):
            return -1.0

    def when(self, at: str) -> str:
        """Say how long ago something was; empty when that cannot be read."""
        minutes = self.age(at) * 60
        key, unit = next(((key, unit) for limit, key, unit in _STEPS if minutes < limit), ("days", 1440))
        number = str(max(2, round(minutes / unit)))
        return self.mind.speaker.plain(f"when.{key}", number=number) if minutes >= 0 else ""

    def your(self, words: str) -> str:
        """Return words of who asks as one says them back: "my boat" is "your boat"."""
        turned = retell(words, self.asker, self.asker, self.interpreter.words) or words
        return turned if len(turned) < 60 else ""

    def thing(self) -> str:
        """Return what the sentence is about, as one says it back; empty when that is unclear."""
        for pronoun in ("it", "she", "they", "he"):
            if found := lead(self.topic or self.meaning.words, pronoun, self.interpreter.words):
                if f"does {found} ?" in f"{' '.join(self.low)} ?" and " " in found:
                    found = found.rpartition(" ")[0]  # "when does the ferry leave"
                while " " in found and found.endswith("ing") and asks(self.meaning.words):
                    found = found.rpartition(" ")[0]  # "what is my girl going to be"
                bare = found.removeprefix("the ")
                found = next((f"{one} {bare}" for one in ("a", "an") if f" {one} {bare}" in self.meaning.words), found)
                return self.your(found) if found[0].isupper() or " " in found.removeprefix("one ") else ""
        return ""

    # -- looking up ---------------------------------------------------------------------------------------------------

    def recall(self, query: str, *, own: bool = False) -> Generator[Recall, tuple[Hit, ...], list[Entry]]:
        """Look something up; return the memories found and the tail, oldest first."""
        hits = yield Recall(query, HITS, own)
        found = {hit.entry.seq: hit.entry for hit in hits if hit.entry and hit.entry.kind != "dream"}
        found.update((entry.seq, entry) for entry in self.recent)
        found.pop(heard_in(self.situation.recent, self.said), None)
        self.mind.relations.learn(found.values(), self.mind.names(self.situation).people)
        return [found[seq] for seq in sorted(found)]

    def lines(
        self, entries: Sequence[Entry], whose: str, kinds: Sequence[bool] = (False,)
    ) -> Iterator[tuple[Entry, str]]:
        """Yield what somebody said in memories and who asks may hear, the newest first: no questions, or these too."""
        mine = whose == self.mind.name
        for entry in reversed(entries):
            said = remembered(entry) if entry.kind in (("said",) if mine else ("heard", "told")) else None
            if said is None or said.question not in kinds or not (mine or entry.actor == whose):
                continue
            private = whispered(entry) if mine else is_private(entry, self.interpreter.words)
            if not private or whose == self.asker or (mine and whispered_to(entry, self.asker)):
                yield entry, said.words

    def facts_in(self, entry: Entry, about: str = "") -> list[Fact]:
        """Return what a memory states, as facts that are sure."""
        said = remembered(entry)
        words = self.interpreter.words.content(said.words if said else entry.text)
        question = Question(about, "yes", self.asker, self.mind.name, words, entry.actor or "")
        return [one._replace(score=1.0) for one in find(question, (), [entry], self.interpreter)]

    def question(self) -> Question | Fact:
        """Return the question to memory, with whom its pronouns mean; a fact when that answers what leans on it."""
        words, last = self.interpreter.words, self.last
        topic = self.meaning.slots.get("topic") or ""
        framed = topic and self.meaning.how == "pattern" and "you" in self.low and "you" not in tokens(topic)
        question = self.asked(topic if framed else self.meaning.words)  # "did I tell you of my trip" is of the trip
        low = tokens(question.text)
        if last.text and question.person and low[:-1] in (["and"], ["what", "about"], ["how", "about"]):
            return self.asked(f"{last.text} {question.person}")
        # "Who is it that lives in York" means nothing said before.
        cleft = low[1:3] in (["is", "it"], ["was", "it"]) and len(low) > 3
        leaning = (word for word in low[3 * cleft :] if word in words.of("leans") and word != "there")
        points = next(leaning, "")
        if points in _THEM and any(
            one[0].isupper() and one[:2] not in ("I", "I'") for one in question.text.split()[1:]
        ):
            points = ""  # "where does Tom keep his bees"
        if points and (about := self.meant(points)):
            named = [one for one in about.split() if question.asks != "name" or not one[0].isupper()]
            about = " ".join(named) or about
            turned = self.asked(with_pronoun(question.text, points, about, words))
            return turned._replace(person=about) if last.fact and about == last.fact.actor else turned
        rest = [word for word in question.words if word not in words.of("asked")]
        bare = not (rest or question.person or question.own or question.yours)
        if bare and last.fact and question.asks not in ("", "what") and part(last.fact.words, question.asks, (), words):
            return last.fact._replace(score=1.0)
        leans = bare or (points and len(question.words) < 3)
        return question._replace(words=tuple(dict.fromkeys((*question.words, *last.words)))) if leans else question

    def meant(self, pronoun: str) -> str:
        """Return whom or what a pronoun means, as who asks would say it; empty when that is unclear."""
        fact = self.last.fact
        about = lead(fact.words if fact else self.last.text, pronoun, self.interpreter.words)
        if fact is None or fact.actor in ("", self.asker):
            return about
        other = fact.actor if pronoun in _THEM else ""
        return (retell(about, fact.actor, self.asker, self.interpreter.words) or about) if about else other

    def asked(self, text: str) -> Question:
        """Return a question to memory as it stands."""
        words, low, asks = self.interpreter.words, self.low, self.meaning.asks
        asks = "" if self.meaning.how == "example" else asks
        if asks in ("", "what", "yes") or self.meaning.wants != "memory" or self.meaning.how != "pattern":
            number = low[:1] == ["how"] and low[1:2] and low[1] in ("many", "much", "old", "long", "far")
            first = 0 if low[:1] in (["what"], ["which"], ["how"]) else 3
            told = [ASKING[word] for at, word in enumerate(low) if word in ASKING and (at < first or word in _SURELY)]
            asks = "number" if number else next(iter(told), asks)
        at = next((at for at, word in enumerate(low) if word in ("what", "which", "whats")), len(low))
        asks = "when" if _DATES & set(words.content(" ".join(low[at + 1 :]))[:1]) else asks
        me = words.stem(self.mind.name.casefold())
        telling = tuple(word for word in words.content(text) if words.stem(word) != me)
        people = self.mind.names(self.situation).people
        mind = self.mind
        return Question(text, asks, self.asker, mind.name, telling, self.person, mind.minds, people, mind.corrected)

    def look_up(self, question: Question, *, wide: bool = True) -> Generator[Recall, tuple[Hit, ...], list[Fact]]:
        """Return what bears on a question, best first; with nothing sure it is looked for in wider words."""
        heard = frozenset[str]().union(*(said(entry.text) for entry in self.recent))
        right = tuple(self.interpreter.right(word, heard) for word in question.words)
        own = f" {self.asker}" if question.own else ""
        own += "".join(f" {word}" for word in right if word not in question.words)
        question = question._replace(words=right)
        hits = yield Recall(f"{question.text}{own}", HITS, False)
        facts = find(question, hits, self.recent, self.interpreter)
        wider = self.interpreter.words.widened(question.words)
        if wide and (not facts or facts[0].score < SURE) and len(wider) > len(question.words):
            more = yield Recall(" ".join(wider) + own, HITS, False)
            facts = find(question, (*hits, *more), self.recent, self.interpreter)
        looks = "answer.saw" not in self.meaning.texts  # how somebody looks is nothing they did
        return [one for one in facts if looks or one.kind != "result"]

    # -- answering ----------------------------------------------------------------------------------------------------

    def surely(self) -> Answering:
        """Answer only what memory answers for certain."""
        question = self.question()
        if isinstance(question, Fact) or not question.words:
            return None
        facts = yield from self.look_up(question, wide=False)
        sure = facts and facts[0].score >= SURE and facts[0].kind in ("heard", "told")
        return self.tell(facts[0], question, facts) if sure else None

    def from_memory(self) -> Answering:
        """Answer from memory, from what is in sight, or say that it cannot be found."""
        question = self.question()
        if isinstance(question, Fact):
            return self.tell(question, self.asked(self.meaning.words), [question])
        if not question.words and not question.person and len(tokens(question.text)) < 4:
            return self.say(("reply.unclear",), "did not understand")
        facts = yield from self.look_up(question)
        seen = self.in_sight(question)
        if facts and facts[0].score >= SURE:
            about = self.meaning.asks in ("", "what") and "about" in self.meaning.intent
            return self.tell_about(question, facts) if about else self.tell(facts[0], question, facts)
        if look := self.to_look_at(question, facts):
            self.mind.looking = self.said
            return Decision(f"examine {look}", "looks before it answers")
        if seen:
            return self.say(("answer.in_view",), "sees it", words=seen)
        if self.meaning.wants == "place" and self.named(self.situation.exits):
            return self.say(("answer.exits",), "sees the ways out", thing=listed(self.situation.exits))
        if question.yours and (told := self.of_itself(question.words)):
            return self.say(("self.profile",), "says who it is", words=told)
        near = facts and facts[0].score >= NEAR and self.last.text != question.text
        if near and not (self.asker in self.mind.minds and self.lately(facts[0])):
            return self.tell(facts[0], question, facts)
        if self.asker in self.mind.minds and self.mind.rng.random() < 0.5:
            return self.say((), "does not know, and a mind asks")
        return self.unknown(question)

    def unknown(self, question: Question) -> Decision | None:
        """Say that it cannot be found."""
        self.mind.topics[self.asker] = Topic(question.words, None, question.text)
        thing, other = self.thing(), question.person not in ("", self.asker, self.mind.name)
        about = "self" if question.yours else "person" if other else "thing" if thing else "plain"
        given = (key for key in self.meaning.texts if key.startswith("unknown.") and key != "unknown.plain")
        keys = (*given, f"unknown.{about}", "unknown.plain")
        return self.say(keys, "cannot find it", thing=thing, person=self.your(question.person))

    def told(self, fact: Fact) -> str:
        """Return a fact as a sentence for who asks; empty when only a quotation does: it cannot be turned for sure."""
        words, said = self.interpreter.words, tokens(fact.words)
        if fact.kind not in ("heard", "told") or not fact.actor or mentions(fact.words, self.mind.name):
            return ""
        timed = self.age(fact.at) > 12 and not words.of("always_time").isdisjoint(said)
        leans = said[0] in words.of("leans") and said[0] not in ("that", "this", "those", "these", "there")
        if timed or leans or ("here" in said and fact.place != self.situation.location):
            return ""
        told = retell(fact.words, fact.actor, self.asker, words)
        return f"{told}." if told else ""

    def lately(self, fact: Fact) -> bool:
        return any(self.mind.speaker.said_lately(one) for one in (self.told(fact), fact.words) if one)

    def tell(self, fact: Fact, question: Question, facts: Sequence[Fact]) -> Decision | None:
        """Tell a fact, in the form that fits where it comes from."""
        words, told = self.interpreter.words, self.told(fact)
        if since := [one for one in facts[1:2] if fact.seq and one.follows == fact.seq]:
            return self.tell_all([fact, *since])
        self.mind.topics[self.asker] = Topic((*question.words, *words.content(fact.words)), fact, question.text)
        exact = part(told, question.asks, tuple(tokens(question.text)), words) if told else None
        other = otherwise(question, facts, words)
        keys = self._forms(fact, told, exact, question.asks) if other is None else ["answer.differ"]
        if other and self.asker in (fact.actor, other.actor):
            keys = ["answer.differ_mine" if fact.actor == self.asker else "answer.differ_you"]
        whole = keys[0].startswith(("answer.near", "answer.faint", "answer.quoted"))
        turned = "" if keys[0].startswith("answer.differ") else told
        form = ended(fact.quoted if whole else turned or fact.words)
        form = f"{fact.title}: {form}" if fact.kind == "result" and fact.title else form
        places = {"person": fact.actor, "place": fact.place, "when": self.when(fact.at), "via": fact.via, "words": form,
                   "part": exact or "", "thing": fact.title,
                  "other": other.actor if other else "", "others": ended(other.words) if other else ""}  # fmt: skip
        cites = tuple(one.cited for one in (fact, other) if one and one.cited)
        why = f"remembers {fact.kind} {fact.cited}: {fact.score:.2f}"
        return self.speak(keys, why, places, private=fact.private, cites=cites)

    def _forms(self, fact: Fact, told: str, exact: str | None, asks: str) -> list[str]:
        """Return the texts that tell a fact, the best first."""
        you = "_you" if fact.actor == self.asker else ""
        if fact.kind not in ("heard", "told") or not fact.actor:
            if fact.kind == "known":
                return ["answer.known" if fact.score >= SURE else "answer.known_near", "answer.known_quoted"]
            there = ["answer.looked_there"] if fact.kind == "result" and asks == "where" else []
            return [*there, f"answer.{_FORMS.get(fact.kind, 'known')}"]
        if fact.score < SURE:
            return [f"answer.{'near' if fact.score >= LIKELY else 'faint'}{you}"]
        if fact.via and fact.via != self.asker:
            return ["answer.hearsay_fact" if told and not you else f"answer.hearsay{you}", f"answer.quoted{you}"]
        if not told:
            return [f"answer.quoted{you}"]
        form = [f"answer.fact{you}", f"answer.told{you}"]
        form = form[::-1] if self.mind.rng.random() < 0.3 else form
        return [f"answer.part{you}", *form] if exact else form

    def tell_about(self, question: Question, facts: Sequence[Fact]) -> Decision | None:
        """Tell what is known of something, up to two facts of one teller, those not told lately."""
        fresh = [one for one in facts if one.score >= NEAR and not self.lately(one)]
        if not fresh and {"else", "more"}.isdisjoint(self.low):
            return self.tell(facts[0], question, facts)
        if not fresh:
            return self.say(("answer.no_more",), "has told all", thing=self.thing() or self.person)
        first = fresh[0]
        alike = (one for one in fresh[1:] if (one.actor, one.kind, one.via) == (first.actor, first.kind, ""))
        more = next((one for one in alike if one.score > max(SURE, first.score - 0.35) and self.told(one)), None)
        if more is None or not self.told(first) or first.score < SURE:
            return self.tell(first, question, [first])
        return self.tell_all([first, more])

    def tell_all(self, facts: Sequence[Fact], before: str = "") -> Decision | None:
        """Tell several facts of one teller in one breath, after a sentence if there is one."""
        first = facts[0]
        self.mind.topics[self.asker] = Topic(self.interpreter.words.content(first.words), first, self.meaning.words)
        told = [before] * bool(before) + [self.told(one) or f"'{ended(one.words)}'" for one in facts]
        words = " ".join([told[0], *(f"{one[0].upper()}{one[1:]}" for one in told[1:])])
        key = "fact" if first.score >= SURE else "near" if first.score >= LIKELY else "faint"
        key = f"answer.{key}{'_you' * (first.actor == self.asker)}"
        if first.score < SURE:
            words = " ".join(dict.fromkeys(ended(one.quoted) for one in facts))
        places = {"words": words, "person": first.actor, "place": first.place, "when": self.when(first.at)}
        private, cites = any(one.private for one in facts), tuple(one.cited for one in facts)
        return self.speak((key,), "tells what it knows", places, private=private, cites=cites)

    # -- the place and the profile ------------------------------------------------------------------------------------

    def view(self) -> str:
        return " ".join(sentences(self.situation.description)[:2])

    def in_sight(self, question: Question) -> str:
        """Return the sentence of the place's description that answers; empty for none."""
        words = self.interpreter.words
        strong = [one for one in question.words if words.stem(one) not in words.weak and one not in words.of("asked")]
        if self.meaning.wants == "place":  # whether the gate is open shows where the gate is seen
            strong = list(words.content(self.meaning.slots.get("thing", ""))) or strong
        if question.own or question.yours or not strong:
            return ""
        found = [(words.coverage(strong, one), one) for one in sentences(self.situation.description)]
        score, text = max(found, key=lambda one: one[0], default=(0.0, ""))
        return text if score >= 0.7 else ""

    def to_look_at(self, question: Question, facts: Sequence[Fact]) -> str:
        """Return a thing here that the question is about and that was not looked at for it; empty for none."""
        looks = not {"look", "looks", "like", "wear", "wears", "wearing"}.isdisjoint(self.low)
        thing = self.named((*self.situation.items, *self.situation.carrying, *(self.others if looks else ())))
        seen = any(fact.kind == "result" and fact.score >= SURE for fact in facts) or thing in self.mind.looked_at
        if not thing or seen or question.yours or question.asks not in ("", "what", "colour", "number", "why", "yes"):
            return ""
        self.mind.looked_at.add(thing)
        return thing

    def named(self, names: Sequence[str]) -> str:
        """Return which of these names the sentence names, be it by its last word; empty for none."""
        words = self.interpreter.words
        said = set(map(words.stem, tokens(self.topic or self.meaning.words)))
        near = [name for name in names if name != self.mind.name and words.stem(tokens(name)[-1]) in said]
        whole = [name for name in near if set(map(words.stem, words.content(name))) <= said] or near[: len(near) == 1]
        return max(whole, key=len, default="")

    def of_itself(self, wanted: Sequence[str]) -> str:
        """Return the sentence of its profile that answers best; empty for none."""
        told = own_words(self.situation.profile, self.interpreter.words)
        found = ((self.interpreter.words.coverage(wanted, one), -number, one) for number, one in enumerate(told))
        best = max(found, default=(0.0, 0, ""))
        return best[2] if best[0] >= 0.5 else ""

    def article(self, thing: str) -> str:
        first = thing.split(" ", 1)[0]
        return thing if first in self.interpreter.words.of("determiner") or not first.islower() else f"the {thing}"


def ended(words: str) -> str:
    """Return a statement with a mark at its end."""
    words = words.strip()
    return words if words.rstrip("\"”'’)").endswith((".", "!", "?", "…")) else f"{words.rstrip(',;:')}."
