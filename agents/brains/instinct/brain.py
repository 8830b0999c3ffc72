"""The brain that needs no model: it reads what is said by the vault's intents, answers from memory, talks, and lives.

It never invents. All it says stands in the texts of its voice, around what it really perceived; all it decides comes
from what it noticed and from the chance it was given. It never speaks where nobody is, and never repeats itself.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from itertools import takewhile
from random import Random
from typing import Any

from agents.brains import Decision, Need, Person, Recall, Situation, Thought, Understand, Voice
from agents.brains.instinct.activities import EVENING, Activities
from agents.brains.instinct.answers import acknowledge, answer
from agents.brains.instinct.attention import Attention, age
from agents.brains.instinct.conversation import QUIET, STAY, Conversations, told_in
from agents.brains.instinct.explorer import Explorer, Sighting, named_in, with_article
from agents.brains.instinct.goals import Goals
from agents.brains.instinct.interpreter import STATEMENT, Interpreter, foremost
from agents.brains.instinct.meaning import Meaning, Names
from agents.brains.instinct.mind import Mind
from agents.brains.instinct.topics import Errand
from agents.memory.entries import Entry
from agents.memory.perception import Utterance, given, heard_in, own_words, remembered, seen_of, spoken
from agents.text.addressing import without_address
from mud.world.events import Perception
from mud.world.narration import listed
from mud.world.sentences import sentences

PROMPT, MIND_PROMPT = (0.5, 2.5), (4.5, 9.0)
"""After how many seconds it answers a person, and another mind, at least and at most."""
RECENTLY = 60.0
"""Seconds within which what somebody did makes nobody an acquaintance."""
GREET_AGAIN = 900.0
"""Seconds of absence after which somebody is greeted anew."""
WAITS, PATIENCE, LOOKS = 4.0, 2.2, 0.0
"""How many think intervals it waits for another mind in a conversation, for a person, and to answer after a look."""

ERRAND = "reply.errand"
"""The text that answers who asks to tell somebody something."""
_LEAVE = {"reply.bye", "reply.night"}
"""The texts that answer a farewell."""

Deciding = Generator[Need, Any, Decision | None]


class Instinct:
    """One agent's instinct.

    Args:
        name: the agent's name.
        rng: its chance.
        voice: the texts it may speak with.
        interpreter: gives what the vault says of language, as it is now.
    """

    def __init__(self, name: str, rng: Random, voice: Voice, interpreter: Callable[[], Interpreter]) -> None:
        self._mind = Mind(name, rng, voice, interpreter)
        self._explorer = Explorer(rng, self._mind.ways)
        self._attention = Attention(self._mind)
        self._talk = Conversations(self._mind, self._explorer, self._attention)
        self._goals = Goals(self._mind, self._explorer, self._talk)
        self._acts = Activities(self._mind, self._explorer, self._talk, self._attention)
        self._begun = False
        self._through = 0
        self._last = ""
        self._new: dict[str, None] = {}
        """Who is to be greeted."""
        self._greeted: set[str] = set()
        self._stirred: set[str] = set()
        """Who did anything since they were greeted."""
        self._going: Decision | None = None
        """How it goes, now that it has taken leave."""
        self._along = ""
        """Where it was asked to come along to."""
        self._gift: tuple[str, str] | None = None
        """Who gave it something, and what, until it has thanked them."""

    def notice(self, perceived: Perception, seconds: float) -> float | None:
        """Take note of something perceived; see `BrainRun.notice`."""
        event, actor, mind = perceived.event, perceived.actor, self._mind
        if event is not None and event.kind == "change":
            self._acts.events.append(perceived.text)
            return mind.rng.uniform(*PROMPT)
        if event is None or actor is None:
            self._notice_own(perceived)
            return mind.rng.uniform(*PROMPT) if mind.looking else None
        mind.known.setdefault(actor)
        self._stirred.add(actor)
        if event.kind == "departure":
            self._explorer.seen[actor] = Sighting(event.destination or "", seconds)
            self._attention.here = tuple(one for one in self._attention.here if one.name != actor)
            if actor == mind.following and event.destination:
                self._acts.bound_for, self._along = self._along or event.destination, ""
                return mind.rng.uniform(*PROMPT)
            return None
        if event.kind == "arrival":
            return mind.rng.uniform(*PROMPT) if self._is_new(actor, seconds) else None
        if event.kind == "emote":
            self._talk.sights[actor] = perceived.text
        self._acts.events.append(perceived.text)
        if thing := given(perceived):
            self._gift = actor, thing
            return mind.rng.uniform(*PROMPT)
        said = spoken(perceived)
        if said is None or not self._attention.hear(said, seconds):
            return None
        self._talk.hear(said, seconds)
        return mind.rng.uniform(*(MIND_PROMPT if actor in mind.minds else PROMPT))

    def _notice_own(self, perceived: Perception) -> None:
        """Take note of what came of the agent's own line."""
        self._explorer.outcome(perceived.text, perceived.failed)
        if perceived.kind == "moved" and not perceived.failed:
            self._attention.here = ()  # who is here now it sees when it thinks
        if perceived.kind == "said" and own_words(perceived) not in self._last:
            self._attention.forget()  # another brain, or a person, spoke for this one

    def _is_new(self, name: str, seconds: float) -> bool:
        """Return whether somebody who comes into sight is to be greeted."""
        seen = self._explorer.seen.get(name)
        away = seen is None or (name in self._stirred and seconds - seen.seconds > GREET_AGAIN)
        self._new.update(dict.fromkeys([name] * away))
        return name in self._new

    def decide(self, situation: Situation) -> Thought:
        """Begin a thought; see `BrainRun.decide`."""
        decision = yield from self._decided(situation)
        if (decision.line or "").startswith("go "):
            decision = self._taking_leave(decision, situation)
        elif decision.to and self._talk.has_patience(decision.to, situation.seconds):
            self._talk.spoke(decision.to, situation.seconds)
        self._last = decision.line or ""
        return decision

    def _taking_leave(self, decision: Decision, situation: Situation) -> Decision:
        """Take leave, before it goes, of whom it spoke with lately; it goes the next time."""
        if partners := self._attention.lately(situation.seconds, STAY):
            left = None if situation.unwatched else self._talk.leave(situation, partners[0])
            self._talk.part(partners, situation.seconds)
            if left:
                self._going = decision
                return left._replace(why=f"takes leave: {decision.why}", pause=0.5)
        way, *reason = (decision.line or "").removeprefix("go ").split(" | ", 1)
        far = self._explorer.walk_by(way) if situation.unwatched else ""
        self._explorer.goes(way, far=bool(far))
        return decision._replace(line=" | ".join([f"go {far}", *reason])) if far else decision

    def _decided(self, situation: Situation) -> Generator[Need, Any, Decision]:
        new = self._take_in(situation)
        mind, talk = self._mind, self._talk
        going, self._going = self._going, None
        said = self._attention.newest(situation.seconds)
        if said and (decision := (yield from self._respond(said, situation))):
            waits = LOOKS if mind.looking else WAITS if said.speaker in mind.minds else PATIENCE
            return decision._replace(answers=heard_in(situation.recent, said), pause=waits)
        if decision := self._thanks(situation) or self._acts.reflex(situation) or self._errand(situation):
            return decision
        evening = situation.bedtime is not None and situation.bedtime <= EVENING
        if situation.woke and not evening and (decision := self._acts.morning(situation)):
            return decision
        if new and (decision := (yield from self._greet(new, situation))):
            return decision._replace(answers=seen_of(situation.recent, new[0].name), pause=WAITS)
        if decision := talk.turn(situation):
            return self._talked(decision, situation)
        if talk.current and talk.current.partner in mind.minds:
            return Decision(None, "waits for the other", pause=1.0)
        if decision := going or self._acts.travel(situation) or (yield from self._goals.pursue(situation)):
            return decision
        return self._acts.next(situation)

    def _talked(self, decision: Decision, situation: Situation) -> Decision:
        """Return what it says next in a conversation; who took leave goes."""
        if self._talk.current is None:
            self._going = self._acts.elsewhere(situation)
        return decision._replace(pause=WAITS if self._talk.current else 0.8)

    def _take_in(self, situation: Situation) -> list[Person]:
        """Bring what the agent knows up to this situation; return who is to be greeted."""
        mind, seconds = self._mind, situation.seconds
        mind.speaker.name = situation.voice
        if not self._begun:
            self._begin(situation)
        last = situation.recent[-1].seq if situation.recent else 0
        since, self._through = min(self._through, last), last
        lived = [*takewhile(lambda entry: entry.seq > since, reversed(situation.recent))][::-1]
        mind.speaker.remember([said.words for one in lived if one.kind == "said" and (said := remembered(one))])
        self._attention.here = situation.people
        for one in situation.people:
            mind.known.setdefault(one.name)
            if one.thinks:
                mind.minds.add(one.name)
            elif not one.speaks:
                mind.animals.add(one.name)
            self._is_new(one.name, seconds)
            self._explorer.seen[one.name] = Sighting(situation.location, seconds)
        new = [one for one in situation.people if one.name in self._new and one.speaks]
        new = new[:1] if situation.unwatched else new  # one of them is enough to talk with
        self._new = dict.fromkeys(one.name for one in new)
        if people := [one for one in lived if one.actor and one.actor not in mind.minds]:
            mind.relations.learn(people, tuple(mind.known))
        if self._explorer.settle(situation):
            self._acts.arrived(situation)
        self._talk.settle(situation)
        self._goals.settle(situation)
        if mind.following and all(one.name != mind.following for one in situation.people) and not self._acts.bound_for:
            mind.following = ""  # lost on the way
        return new

    def _begin(self, situation: Situation) -> None:
        """Learn from memory, once, who was about and where it was, so that a new start greets nobody anew."""
        self._begun, mind = True, self._mind
        self._explorer.begin(situation.recent, situation.notes)
        for name in [one.actor for one in situation.recent if one.actor]:
            mind.known.setdefault(name)
            if name not in self._new:
                self._explorer.seen.setdefault(name, Sighting("", situation.seconds))
        if situation.recent:
            self._talk.quiet_until = situation.seconds + QUIET
            self._through = situation.recent[0].seq - 1
        find_errands(situation.recent, mind)

    # ---- answering ----

    def _respond(self, said: Utterance, situation: Situation) -> Deciding:
        """Answer a line, or decide that it needs no answer."""
        mind = self._mind
        mind.looking = None
        decision = yield from self._answered(said, situation)
        if mind.looking is not said:
            self._attention.answered(said)
        elif decision and decision.line and decision.line.startswith("examine "):
            self._explorer.looks_at(decision.line.removeprefix("examine ").partition(" | ")[0])
        self._new.pop(said.speaker, None)
        return decision

    def _answered(self, said: Utterance, situation: Situation) -> Deciding:
        mind, speaker = self._mind, said.speaker
        bare = (without_address(said.words, (mind.name,)) or said.words).strip(" ,.!?")
        if bare == mind.name or not any(map(str.isalnum, bare)):
            key = "greet.back" if any(map(str.isalnum, said.words)) else "reply.unclear"
            return mind.say(situation, speaker, (key,), {}, "heard no words but its name", private=said.private)
        if not self._talk.has_patience(speaker, situation.seconds) or self._talk.is_over(speaker, situation):
            return None
        meaning, texts = None, mind.courtesies(said.words)
        if speaker not in mind.minds:
            meaning = yield from self._meaning(said, situation)
            texts = meaning.texts[:1]
        if _LEAVE & {*texts}:
            return self._farewell(said, texts, situation)
        if "greet.back" in texts and speaker in self._new:
            return (yield from self._greet([one for one in situation.people if one.name == speaker], situation))
        if meaning is None:
            talk = self._talk
            if "greet.back" in texts and talk.current and talk.current.lines == 0:
                return mind.say(situation, speaker, ("greet.back",), {}, "greets back", private=said.private)
            if not said.private and (decision := talk.turn(situation)):
                return self._talked(decision, situation)
            meaning = yield from self._meaning(said, situation)
        return (yield from self._answer(meaning, said, situation))

    def _farewell(self, said: Utterance, texts: tuple[str, ...], situation: Situation) -> Decision | None:
        """Answer who takes leave; that ends the conversation."""
        mind, speaker = self._mind, said.speaker
        keys, why = (*texts, "reply.bye"), "is taken leave of"
        decision = mind.say(situation, speaker, keys, {}, why, private=said.private)
        mind.following = "" if mind.following == speaker else mind.following
        self._talk.part([speaker], situation.seconds)
        return decision

    def _answer(self, meaning: Meaning, said: Utterance, situation: Situation) -> Deciding:
        """Answer what asks or wishes something, and take up what was told; what people tell is worth a note."""
        mind, speaker = self._mind, said.speaker
        if meaning.wants != "nothing" or said.question:
            decision = yield from answer(mind, meaning, said, situation)
            if decision and decision.text == "reply.follow":
                self._along = named_in(said.words, (*self._explorer.visited, *situation.exits))
            return decision
        decision = yield from acknowledge(mind, meaning, said, situation)
        told = speaker not in mind.minds and meaning.intent == STATEMENT and not is_private_line(said, mind)
        if told and len(mind.interpreter().words.content(meaning.words)) > 2:
            self._explorer.keep(speaker, "note.told", meaning.words, situation.location, speaker)
        return decision

    def _meaning(self, said: Utterance, situation: Situation) -> Generator[Need, Any, Meaning]:
        """Read a line by the foremost of its sentences."""
        interpreter, names = self._mind.interpreter(), self._mind.names(situation)
        found: list[Meaning] = []
        for sentence in sentences(said.words)[:6]:
            meaning = interpreter.pattern(sentence, names)
            if meaning is None:
                near: tuple[tuple[str, float], ...] = ((STATEMENT, 0.0),)  # no example is near what a voice's text says
                if said.speaker not in self._mind.minds:
                    near = yield Understand(interpreter.masked(sentence, names))
                meaning = interpreter.read(sentence, names, near)
            found.append(meaning)
        return foremost(found)

    def _greet(self, new: list[Person], situation: Situation) -> Deciding:
        """Greet who has newly come, each once; those it knows as such."""
        mind, names, name = self._mind, [person.name for person in new], new[0].name
        self._new.clear()
        self._stirred.difference_update(names)
        if len(names) > 1:
            mind.spoken_to.update(dict.fromkeys(names, situation.seconds))
            places = {"name": listed(names)}
            return mind.say(situation, name, ("greet.several",), places, "newcomers", reason="reason.greet")
        known, told, cites = name in self._greeted, "", tuple[str, ...]()
        self._greeted.add(name)
        if not (new[0].thinks and (known or situation.unwatched)):
            hits = yield Recall(name, 12)
            now = situation.recent[-1].at if situation.recent else ""
            found = [hit.entry for hit in hits if hit.entry and hit.entry.actor == name]
            entries = [entry for entry in found if age(entry.at, now) > RECENTLY]
            known = known or bool(entries)
            if not new[0].thinks:
                mind.relations.learn(entries, tuple(mind.known))
                last = next(told_in(entries, mind), None) if mind.rng.random() < 0.6 else None
                told, cites = (last[0], (str(last[1].seq),)) if last else ("", ())
        cool, warm = mind.relations.is_cool(name), mind.relations.is_warm(name)
        wanted = {"greet.cool": cool, "greet.remembers": told, "greet.warm": warm, "greet.known": known}
        keys, places = [key for key, fits in wanted.items() if fits], {"words": told, "when": ""}
        return mind.say(situation, name, (*keys, "greet.first"), places, "newcomer", reason="reason.greet", cites=cites)

    def _thanks(self, situation: Situation) -> Decision | None:
        """Thank who has just given it something."""
        gift, self._gift = self._gift, None
        if gift is None:
            return None
        giver, thing = gift
        decision = self._mind.say(situation, giver, ("ack.gift",), {"thing": with_article(thing)}, f"was given {thing}")
        return decision and decision._replace(answers=seen_of(situation.recent, giver), pause=WAITS)

    def _errand(self, situation: Situation) -> Decision | None:
        """Tell somebody here what the agent was asked to tell them; what it has no new words for waits."""
        mind, here = self._mind, {person.name for person in situation.people}
        for errand in [one for one in mind.errands if one.to in here]:
            places, cites = {"person": errand.sender, "words": errand.words}, (str(errand.seq),)
            why, key = f"was asked by {errand.sender} to tell it", ("talk.errand",)
            decision = mind.say(situation, errand.to, key, places, why, private=errand.private, cites=cites, nods=False)
            if decision:
                mind.errands.remove(errand)
                mind.told.append(errand)
                return decision
        return None


def find_errands(recent: Sequence[Entry], mind: Mind) -> None:
    """Find again, after a new start, what it was asked to tell, and what of it was told."""
    names, read = Names(mind.name, tuple(mind.known)), mind.interpreter()
    for entry in recent:
        said = remembered(entry)
        if said and not said.speaker:
            for errand in [one for one in mind.errands if one.words.casefold().rstrip(".!") in said.words.casefold()]:
                mind.errands.remove(errand)
                mind.told.append(errand)
        elif said and said.speaker not in mind.minds:
            asked = [one for one in sentences(said.words) if read.may_mean(ERRAND, one)]
            for meaning in filter(None, [read.pattern(one, names) for one in asked]):
                to, told = (meaning.slots.get(key) for key in ("person", "text"))
                if to and told and meaning.texts[:1] == (ERRAND,):
                    mind.errands.append(Errand(said.speaker, to, told, is_private_line(said, mind), entry.seq))


def is_private_line(said: Utterance, mind: Mind) -> bool:
    """Return whether a line is not to be noted: whispered, or told with the wish to keep it."""
    return said.private or mind.interpreter().words.is_secret(said.words)
