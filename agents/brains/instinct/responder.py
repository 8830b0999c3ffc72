"""How the instinct answers: courtesies in kind, wishes when it can, and what it is told with attention."""

from __future__ import annotations

from collections.abc import Generator

from agents.brains import Decision, Person, Recall, Situation
from agents.brains._words import is_secret_words
from agents.brains.instinct import answers as answers
from agents.brains.instinct.aims import places_in
from agents.brains.instinct.answers import query_for
from agents.brains.instinct.asks import Asks
from agents.brains.instinct.bonds import Deed
from agents.brains.instinct.evidence import Evidence, EvidenceRequest, weigh
from agents.brains.instinct.goals import Goals
from agents.brains.instinct.questions import AskedQuestion, QuestionLine, Sort, read
from agents.brains.instinct.recollection import HITS, Asking, Recollection
from agents.brains.instinct.self import Self
from agents.brains.instinct.statements import is_insult, is_kin, name_given
from agents.brains.instinct.wishes import granted, is_to_forget
from agents.memory.entries import Hit
from agents.memory.perception import Utterance, heard_in
from mud.world.narration import listed

LINKED = 0.5
"""From which score on something told before goes with what is told now."""

LINKS = 0.5
"""Chance to say what something told goes with, when it goes with something."""

_KEYS = {
    Sort.GREETING: "greet.back",
    Sort.THANKS: "reply.thanks",
    Sort.FAREWELL: "reply.bye",
    Sort.NIGHT: "reply.night",
    Sort.SAD: "ack.sad",
    Sort.GLAD: "ack.glad",
    Sort.PRAISE: "reply.praise",
    Sort.BLAME: "reply.blame",
    Sort.SORRY: "reply.sorry",
    Sort.SHORT: "reply.short",
}

_DEEDS = {Deed.PROMISE: "ack.promise", Deed.GIFT: "ack.gift"}


class Responder:
    """Answers for one agent.

    Args:
        me: the agent's own.
        goals: what it wants.
    """

    def __init__(self, me: Self, goals: Goals) -> None:
        self._me = me
        self._recollection = Recollection(me, goals)
        self._met: set[str] = set()
        """Whom it has greeted alone, and looked up before it did."""

    def respond(self, said: Utterance, situation: Situation, new: tuple[Person, ...]) -> Asking:
        """Answer a line, or decide that it needs no answer."""
        speaker = said.speaker
        if not any(char.isalnum() for char in said.words):
            return self._me.say(situation, said, ("reply.unclear",), {"name": speaker}, "heard no words")
        line = read(said, self._me.name, self._me.company.names)
        if not self._me.company.has_patience(speaker, situation.seconds):
            return None
        if line.sort in (Sort.GREETING, Sort.WISH) and any(person.name == speaker for person in new):
            return (yield from self.greet(tuple(p for p in new if p.name == speaker), situation))
        self._me.company.greeted([speaker], situation.seconds)
        if line.question:
            return (yield from self._recollection.answer(line, line.question, said, situation))
        own = "" if speaker in self._me.company.minds else name_given(line.statement)
        if own:
            places = {"name": speaker, "thing": own}
            return self._me.say(situation, said, ("ack.name", "ack.plain"), places, "was told a name", "reason.told")
        if line.sort is Sort.WISH:
            return self._grant(line, said, situation)
        if line.sort is Sort.TOLD:
            self._me.topics[speaker] = line.telling
            return (yield from self._acknowledge(line, said, situation))
        if line.sort in (Sort.FAREWELL, Sort.NIGHT) and self._me.following == speaker:
            self._me.following = ""
        self._felt(line.sort, said, situation)
        if self._lets_pass(line.sort, speaker):
            return self._me.emote(situation, "emote.nod", name=speaker)
        key = "reply.insult" if line.sort is Sort.BLAME and is_insult(said.words) else _KEYS[line.sort]
        return self._me.say(situation, said, (key,), {"name": speaker}, f"answers {line.sort.value}")

    def _felt(self, sort: Sort, said: Utterance, situation: Situation) -> None:
        """Bear in mind what somebody let the agent feel."""
        heard = heard_in(situation.recent, said)
        for entry in reversed(situation.recent):
            if entry.seq == heard:
                self._me.bonds.did(said.speaker, sort, entry)
                return

    def _lets_pass(self, sort: Sort, speaker: str) -> bool:
        """Return whether a courtesy may go without words: short ones often, those of other minds mostly."""
        if speaker in self._me.company.minds:
            return self._me.rng.random() < 0.7
        return sort is Sort.SHORT and self._me.rng.random() < 0.3

    def _grant(self, line: QuestionLine, said: Utterance, situation: Situation) -> Decision | None:
        """Do what one is asked to, if it is a small thing; else say so kindly."""
        speaker = said.speaker
        if speaker in self._me.company.minds:
            return self._me.emote(situation, "emote.nod", name=speaker)  # "come in" is a courtesy among minds
        if is_to_forget(line.statement):
            return self._me.say(situation, said, ("reply.forget",), {"name": speaker}, "was asked to forget")
        if self._me.bonds.is_cool(speaker):
            return self._me.say(situation, said, ("reply.unwilling",), {"name": speaker}, "was ill treated by who asks")
        wish = granted(line.statement, speaker, situation)
        if wish is None:
            return self._me.say(situation, said, ("reply.wish",), {"name": speaker}, "was asked for something")
        if wish.follows is not None:
            self._me.following = speaker if wish.follows else ""
            self._me.bound_for = next(iter(places_in(line.statement, self._me.explorer.visited)), wish.place)
            key = "reply.follow" if wish.follows else "reply.stay"
            return self._me.say(situation, said, (key,), {"name": speaker}, "was asked to come or stay")
        if wish.gesture:
            return self._me.emote(situation, wish.gesture, name=wish.towards or speaker)
        if wish.line.startswith("examine "):
            self._me.explorer.looks_at(wish.line.removeprefix("examine "))
        return Decision(f"{wish.line}{self._me.reason('reason.asked', name=speaker)}", "does as it was asked")

    def _acknowledge(self, line: QuestionLine, said: Utterance, situation: Situation) -> Asking:
        """Show that something told was heard, and sometimes what it goes with, or ask back."""
        me, speaker = self._me, said.speaker
        mind = speaker in me.company.minds
        secret = said.private or is_secret_words(said.words)
        if not secret and not mind and len(line.telling) > 2:
            me.explorer.told(speaker, line.statement, situation.location)
        if mind and me.rng.random() < 0.75:
            return me.emote(situation, "emote.nod", name=speaker)
        places = {"name": speaker, "thing": "" if mind or is_kin(line.thing) else line.thing}
        if secret:
            return me.say(situation, said, ("ack.secret", "ack.plain"), places, "was told a secret", "reason.told")
        keys = ["ack.thing", "ack.plain"] if me.rng.random() < 0.6 else ["ack.plain", "ack.thing"]
        link = None if mind else (yield from self._link(line, said, situation))
        cites: tuple[str, ...] = ()
        if deed := None if mind else self._deed(said, situation):
            keys.insert(0, deed)
        elif line.corrects and not mind:
            keys.insert(0, "ack.changed")
        elif link:
            keys.insert(0, "ack.link_you" if link.actor == speaker else "ack.link")
            places |= {"words": answers.inserted(link.words), "person": link.actor or ""}
            cites = (link.cited,)
        elif me.rng.random() < 0.4 * me.speaker.share("manner.ask") and situation.seconds - me.asked_at > 60:
            me.asked_at = situation.seconds
            keys.insert(0, "ack.ask")
        return me.say(situation, said, tuple(keys), places, "was told something", "reason.told", cites=cites)

    def _deed(self, said: Utterance, situation: Situation) -> str | None:
        """Return the text for a line that promises, keeps a promise or gives something; None for any other."""
        done = self._me.bonds.done_by(said.speaker, heard_in(situation.recent, said))
        if done is None:
            return None
        deed, kept = done
        return "ack.kept" if kept else _DEEDS.get(deed)

    def _link(
        self, line: QuestionLine, said: Utterance, situation: Situation
    ) -> Generator[Recall, tuple[Hit, ...], Evidence | None]:
        """Find something told before that what is told now goes with; None mostly."""
        me = self._me
        question = AskedQuestion(Asks.ABOUT, line.telling)
        strong = question.strong
        if len(strong) < 2 or me.rng.random() > LINKS:
            return None
        hits = yield Recall(query_for(question, said.speaker), HITS)
        asked = EvidenceRequest(question, said.speaker, me.name, me.company.minds, me.company.names)
        recent = [entry for entry in situation.recent if said.words not in entry.text]
        older = [hit for hit in hits if hit.entry is not None and said.words not in hit.entry.text]
        for one in weigh(asked, older, recent):
            told = one.kind == "heard" and not one.via and one.actor not in me.company.minds
            if told and one.score > LINKED and not me.speaker.said_lately(answers.inserted(one.words)):
                return one
        return None

    def greet(self, new: tuple[Person, ...], situation: Situation) -> Asking:
        """Greet who has newly come, each once; those it knows as such."""
        names = [person.name for person in new]
        self._me.company.greeted(names, situation.seconds)
        place, said = situation.location, Utterance(names[0], "")
        if len(names) > 1:
            places = {"name": listed(names), "place": place}
            return self._me.say(situation, said, ("greet.several",), places, "newcomers", "reason.greet")
        # Of a mind it greeted before it has looked up what there was, and no mind is reminded of its words.
        met = new[0].thinks and names[0] in self._met
        self._met.add(names[0])
        hits = () if met else (yield Recall(names[0], HITS))
        now = situation.recent[-1].at if situation.recent else ""
        known, entry, words = answers.old_words(
            names[0], self._me.name, answers.entries_of(hits, situation.recent), now
        )
        known = known or met
        self._me.bonds.learn(answers.entries_of(hits, ()), self._me.company.others(names[0]))
        keys = ("greet.known", "greet.first") if known else ("greet.first",)
        if known and (self._me.bonds.is_warm(names[0]) or self._me.bonds.is_cool(names[0])):
            keys = ("greet.warm" if self._me.bonds.is_warm(names[0]) else "greet.cool", *keys)
        places = {"name": names[0], "place": place}
        cool = self._me.bonds.is_cool(names[0])
        if entry and self._me.rng.random() < 0.6 and not new[0].thinks and not cool:
            keys = ("greet.remembers", *keys)
            places["words"] = answers.inserted(words)
            places["when"] = answers.spoken_time(entry.at, now, self._phrase_time)
        cites = (str(entry.seq),) if "words" in places and entry else ()
        return self._me.say(situation, said, keys, places, "newcomer", "reason.greet", cites=cites)

    def _phrase_time(self, key: str, number: str) -> str:
        return self._me.speaker.plain(key, number=number)
