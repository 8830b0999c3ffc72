"""How the instinct answers a question: from what is in sight, from memory, or with "I don't know"."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from dataclasses import replace

from agents.brains import Decision, Recall, Situation
from agents.brains._words import is_weak, telling, widened
from agents.brains.instinct import acquaintance as acquaintance
from agents.brains.instinct import answers as answers
from agents.brains.instinct import meetings as meetings
from agents.brains.instinct import persons as persons
from agents.brains.instinct import relations as relations
from agents.brains.instinct import sights as sights
from agents.brains.instinct.asks import Asks
from agents.brains.instinct.evidence import NEAR, Evidence, EvidenceRequest, weigh
from agents.brains.instinct.goals import Goals
from agents.brains.instinct.own_life import of_itself
from agents.brains.instinct.questions import AskedQuestion, QuestionLine
from agents.brains.instinct.self import Self
from agents.brains.instinct.sights import Answer
from agents.memory.entries import Entry, Hit
from agents.memory.perception import Utterance, remembered
from agents.text.addressing import mentions

HITS = 16
"""How many memories it looks through for an answer."""

CERTAIN = 0.95
"""From which score on nothing is looked for in wider words."""

Asking = Generator[Recall, tuple[Hit, ...], Decision | None]
"""A thought that may look things up and comes to a line, or to none."""

Looking = Generator[Recall, tuple[Hit, ...], Answer]
"""A thought that looks things up and comes to an answer."""

_POINTS = re.compile(r"\b(?:it|its|he|she|they|him|her|his|them|their|that|this|there|those|these|one)\b", re.I)
_IS_THERE = re.compile(
    r"^(?:\W|\w+, )*(?:is|are) there (?:an?|any|some)\b.*\b(?:near|nearby|here|around|about|close)\b", re.I
)
_MORE = re.compile(r"\b(?:else|more|other)\b", re.I)
_LEANING = (Asks.OTHER, Asks.WHERE, Asks.WHO, Asks.WHEN, Asks.COUNT, Asks.WHY, Asks.COLOUR, Asks.NAME)


class Recollection:
    """Answers the questions put to one agent.

    Args:
        me: the agent's own.
        goals: what it wants.
    """

    def __init__(self, me: Self, goals: Goals) -> None:
        self._me = me
        self._goals = goals
        self._sources: dict[str, Evidence] = {}
        self._looked_at: set[str] = set()

    def answer(self, line: QuestionLine, question: AskedQuestion, said: Utterance, situation: Situation) -> Asking:
        """Answer a question from what is in sight, or from memory."""
        me, asker = self._me, said.speaker
        if question.asks is Asks.NEWS:
            return self._tell_news(said, situation)
        if two := (yield from self._of_the_two(question, said, situation)):
            return self._rest(*two, said, situation)
        if known := (yield from self._known(line, question, said, situation)):
            return self._say(known, said, situation)
        points = _POINTS.search(said.words) is not None
        question, topics = self._with_topic(question, asker, points)
        if not question.telling and question.asks in _LEANING:
            return me.say(situation, said, ("reply.unclear",), {"name": asker}, "did not understand")
        found = yield from self._remember(line, question, said, situation)
        if topics and not found.known and points:
            question = replace(question, telling=topics)
            found = yield from self._remember(line, question, said, situation)
        seen = found.keys[0] == "answer.in_view"
        if (seen or not found.known) and (thing := self._to_look_at(question, said, situation)):
            return Decision(f"examine {thing}{me.reason('reason.asked', name=asker)}", "looks before it answers")
        if not found.known and asker in me.company.minds and me.rng.random() < 0.7:
            return me.emote(situation, "emote.nod", name=asker)
        if question.telling and (found.known or not topics):
            me.topics[asker] = question.telling
        return self._say(found, said, situation)

    def _of_the_two(
        self, question: AskedQuestion, said: Utterance, situation: Situation
    ) -> Generator[Recall, tuple[Hit, ...], meetings.Found | None]:
        """Answer what is between two: deeds, meetings, what who asks told of themselves; None for everything else."""
        me, asker = self._me, said.speaker
        if question.asks in (Asks.PROMISED, Asks.KINDNESS, Asks.DONE, Asks.SECRET):
            return (yield from relations.of_deeds(me, question, asker, situation, self._phrase_time))
        if question.asks in meetings.ASKS:
            last = self._sources.get(asker)
            return (yield from meetings.of_meetings(me, question, said, situation, last, self._phrase_time))
        if question.asks is Asks.ABOUT_ME:
            return (yield from acquaintance.of_asker(me, asker, situation, self._phrase_time)), None
        return None

    def _rest(
        self, answer: Answer, rests_on: Evidence | None, said: Utterance, situation: Situation
    ) -> Decision | None:
        """Give an answer, and bear in mind what it rests on."""
        if rests_on:
            self._sources[said.speaker] = rests_on
        return self._say(answer, said, situation)

    def _known(
        self, line: QuestionLine, question: AskedQuestion, said: Utterance, situation: Situation
    ) -> Generator[Recall, tuple[Hit, ...], Answer | None]:
        """Answer what needs no recall, or only that of where it was; None for everything else."""
        known = self._at_once(line, question, said.words, said.speaker, situation)
        if known is None or known.known or question.asks not in (Asks.WAY, Asks.BEEN):
            return known
        hits = yield Recall(" ".join(question.telling), HITS)
        return self._once_in(question, answers.entries_of(hits, ()), said.speaker) or known

    def _at_once(
        self, line: QuestionLine, question: AskedQuestion, words: str, asker: str, situation: Situation
    ) -> Answer | None:
        """Answer what needs no recall; None for everything else."""
        if question.asks is Asks.SOURCE:
            return self._name_source(asker, situation)
        if mine := of_itself(question, words, self._me, asker, situation):
            return mine
        if question.asks is Asks.GOAL:
            return self._of_goal(asker, situation)
        if question.asks is Asks.WHOM_MET:
            return persons.acquainted(self._me.company.names, asker)
        if question.asks in (Asks.WAY, Asks.BEEN) or self._is_of_place(question, words, situation):
            return self._of_ways(question, line, asker, situation)
        return sights.in_sight(question, situation, asker, self._me.rng.choice)

    def _of_goal(self, asker: str, situation: Situation) -> Answer:
        """Say what it wants, and how far it has come."""
        places = {"name": asker, "words": answers.inserted(situation.goal), "place": self._goals.tried}
        if not situation.goal:
            return Answer(("self.no_goal",), places, "was asked what it wants, and wants nothing")
        key = "self.goal_reached" if self._goals.rests else "self.goal_sought"
        return Answer((key, "self.goal", "answer.again"), places, "was asked what it wants")

    def _with_topic(self, question: AskedQuestion, asker: str, points: bool) -> tuple[AskedQuestion, tuple[str, ...]]:
        """Return a question and the words that "and where is it now?" would mean: what the two spoke of last."""
        if question.asks not in _LEANING or (question.strong and not points) or question.person:
            return question, ()
        topics = (*question.telling, *self._me.topics.get(asker, ()))
        return (question, topics) if question.telling else (replace(question, telling=topics), topics)

    def _say(self, answer: Answer, said: Utterance, situation: Situation) -> Decision | None:
        reason = "reason.answer" if answer.known else "reason.unknown"
        return self._me.say(
            situation, said, answer.keys, answer.places, answer.why, reason, private=answer.private, cites=answer.cites
        )

    def _to_look_at(self, question: AskedQuestion, said: Utterance, situation: Situation) -> str:
        """Return a thing here that a question is about and that a look may tell of, once; empty when there is none."""
        if question.asks not in (Asks.ABOUT, Asks.OTHER, Asks.WHY, Asks.COLOUR, Asks.COUNT) or question.yours:
            return ""
        subject = replace(question, telling=question.subject) if question.subject else question
        people = [one.name for one in situation.people if one.name != said.speaker]
        thing = sights.item_named(subject, [*situation.items, *people])
        if thing in self._looked_at:
            return ""
        self._looked_at.add(thing)
        self._me.looking = said if thing else None
        return thing

    def _remember(self, line: QuestionLine, question: AskedQuestion, said: Utterance, situation: Situation) -> Looking:
        """Look a question up in memory; a person's a second time in wider words when the first finds nothing sure."""
        me, asker = self._me, said.speaker
        now = situation.recent[-1].at if situation.recent else ""
        recent = [entry for entry in situation.recent if not _is_line(entry, said)]
        # Of its own words only who asks for them wants to hear; for a mind it looks no further than it must.
        own = question.person == me.name or asker in me.company.minds
        hits = yield Recall(answers.query_for(question, asker), HITS, own)
        if question.asks is Asks.KNOW_ME:
            return self._recognise(asker, answers.entries_of(hits, recent), now)
        asked = EvidenceRequest(question, asker, me.name, me.company.minds, me.company.names)
        evidence = weigh(asked, hits, recent)
        # Minds mostly ask what nobody can have told them, and are content with a nod.
        wider = () if asker in me.company.minds else widened(question.telling)
        if not (evidence and evidence[0].score >= CERTAIN) and len(wider) > len(question.telling):
            whose = f" {asker}" if question.own else ""
            hits = (*hits, *(yield Recall(" ".join(wider) + whose, HITS, own)))
            evidence = weigh(asked, hits, recent)
        if question.asks is Asks.ABOUT and self._is_of_person(question):
            hits = (*hits, *(yield Recall(f"{question.person} {persons.WHO_WORDS}", HITS)))
        entries = [entry for entry in answers.entries_of(hits, recent) if not _is_line(entry, said)]
        return self._decide(line, question, said, situation, evidence, entries, now)

    def _decide(
        self,
        line: QuestionLine,
        question: AskedQuestion,
        said: Utterance,
        situation: Situation,
        evidence: list[Evidence],
        entries: Sequence[Entry],
        now: str,
    ) -> Answer:
        """Choose among what memory gave, what is in sight, and an opinion."""
        asker, me = said.speaker, self._me
        if view := self._viewed(question, said, situation, evidence, entries, now):
            return view
        if question.asks in (Asks.SAID, Asks.DID_I_SAY):
            evidence = answers.what_they_said(question, asker, me.name, entries, evidence)
        if seen := self._seen(question, asker, situation, evidence, entries, now):
            return seen
        evidence = [one for one in evidence if one.score >= NEAR]
        if question.asks is Asks.ABOUT and self._is_of_person(question):
            evidence = self._telling_of(question.person or "", asker, entries, evidence)
            if not evidence:
                return (
                    self._judged(question, said, entries, now)
                    or persons.met(question.person or "", asker, entries, now, self._phrase_time)
                    or sights.opinion(question, said.words, situation, asker, me.rng.choice)
                )
        if question.asks in (Asks.ABOUT, Asks.SAID) and evidence:
            fresh = [one for one in evidence if not me.speaker.said_lately(answers.inserted(one.words))]
            if not fresh and _MORE.search(said.words):
                return Answer(("answer.no_more", "answer.again"), {"name": asker, "thing": line.thing}, "has told all")
            evidence = fresh or evidence
        found = answers.from_memory(question, asker, line.thing, evidence, now, self._phrase_time)
        if found.known and evidence:
            self._sources[asker] = evidence[0]
        return found

    def _viewed(
        self,
        question: AskedQuestion,
        said: Utterance,
        situation: Situation,
        evidence: list[Evidence],
        entries: Sequence[Entry],
        now: str,
    ) -> Answer | None:
        """Say what it thinks of something, but of nobody whom it never met; None when no opinion is asked for."""
        if stranger := self._stranger_in(question, entries, situation):
            if question.asks is Asks.OPINION or not any(one.score >= NEAR for one in evidence):
                places = {"name": said.speaker, "person": stranger}
                return Answer(("unknown.somebody", "unknown.plain"), places, "has never met them", known=False)
            return None
        if question.asks is not Asks.OPINION or _is_report(question, evidence):
            return None
        return self._judged(question, said, entries, now) or sights.opinion(
            question, said.words, situation, said.speaker, self._me.rng.choice
        )

    def _telling_of(
        self, person: str, asker: str, entries: Sequence[Entry], evidence: list[Evidence]
    ) -> list[Evidence]:
        """Return what tells who somebody is, the best first; what they said of other things does not."""
        who = persons.who_is(person, self._me.name, asker, entries, self._me.company.names)
        return [*who, *(one for one in evidence if one.actor != person)]

    def _is_of_person(self, question: AskedQuestion) -> bool:
        """Return whether a question is about somebody and nothing else."""
        other = question.person not in (None, self._me.name)
        return other and not set(question.strong) - set(telling(question.person or ""))

    def _stranger_in(self, question: AskedQuestion, entries: Sequence[Entry], situation: Situation) -> str:
        """Return the name of who is asked about and was never met; empty when somebody was, or it names no person."""
        person = question.person or ""
        if question.asks not in (Asks.OPINION, Asks.ABOUT) or not person or person == self._me.name:
            return ""
        named = [*self._me.explorer.visited, situation.location, *situation.items, *situation.carrying]
        beside = set(question.strong) - set(telling(person))
        if beside or any(mentions(name, person) for name in named):
            return ""
        return "" if persons.is_met(person, self._me.company.names, entries) else person

    def _judged(self, question: AskedQuestion, said: Utterance, entries: Sequence[Entry], now: str) -> Answer | None:
        """Say what it thinks of somebody by what they did; None of those who did nothing to it."""
        me, asker = self._me, said.speaker
        person = question.person or (asker if not question.telling and re.search(r"\bme\b", said.words) else "")
        if not person or person == me.name:
            return None
        me.bonds.learn(entries, me.company.others(person))
        found = relations.thinks_of(me, person, asker, now, self._phrase_time)
        if found is None:
            return None
        self._sources[asker] = found[1] or self._sources[asker]
        return found[0]

    def _seen(
        self,
        question: AskedQuestion,
        asker: str,
        situation: Situation,
        evidence: list[Evidence],
        entries: Sequence[Entry],
        now: str,
    ) -> Answer | None:
        """Answer from what it saw or heard of others, or from what is in sight when memory is unsure."""
        if question.asks is Asks.SAID and question.towards:
            between = relations.said_between(question, asker, entries, now, self._phrase_time)
            return between[0] if between else None
        if question.asks is Asks.SEEN and question.person:
            seen = answers.last_seen(question.person, entries, now, self._phrase_time, asker)
            if seen:
                return seen
        if here := sights.thing_in_sight(question, situation, asker):
            return here
        if evidence and evidence[0].sure:
            return None
        far = self._once_in(question, entries, asker) if question.asks is Asks.WHERE else None
        return far or sights.in_view(question, situation, asker)

    def _phrase_time(self, key: str, number: str) -> str:
        return self._me.speaker.plain(key, number=number)

    def _name_source(self, asker: str, situation: Situation) -> Answer:
        """Say from where the last answer to somebody came."""
        one = self._sources.get(asker)
        places = {"name": asker}
        if one is None:
            return Answer(("reply.unclear",), places, "has told nothing to be asked about")
        now = situation.recent[-1].at if situation.recent else ""
        places |= {"person": one.actor or "", "place": one.place or "", "via": one.via}
        places["when"] = answers.spoken_time(one.at, now, self._phrase_time)
        if one.kind == "known":
            told = "knows of nobody who told it"
            return Answer(("answer.source_known", "answer.again"), places, told, cites=(one.cited,))
        if one.kind not in ("heard", "told"):
            told = "names itself as the source"
            return Answer(("answer.source_self", "answer.again"), places, told, cites=(one.cited,))
        you = "_you" if one.actor == asker else ""
        via = "_via" if one.via and not you else ""
        return Answer((f"answer.source{you}{via}", "answer.again"), places, "names the source", cites=(one.cited,))

    def _is_of_place(self, question: AskedQuestion, words: str, situation: Situation) -> bool:
        """Return whether a question is where a location is that it was in."""
        known = [*self._me.explorer.visited, situation.location]
        sought = replace(question, telling=question.subject) if _IS_THERE.search(words) else question
        asked = question.asks is Asks.WHERE or sought is not question
        return asked and not question.own and bool(sights.item_named(sought, known))

    def _of_ways(self, question: AskedQuestion, line: QuestionLine, asker: str, situation: Situation) -> Answer:
        """Say how one gets somewhere, or whether one was there, from what one walked oneself."""
        explorer, places = self._me.explorer, {"name": asker, "thing": line.thing}
        if exit_ := sights.item_named(question, situation.exits):
            if place := explorer.leads(situation.location, exit_):
                return Answer(("answer.way", "answer.again"), {**places, "thing": exit_, "place": place}, "went there")
            return Answer(("unknown.way", "unknown.plain"), places, "never went that way", known=False)
        visited = [*explorer.visited, situation.location]
        subject = replace(question, telling=question.subject)
        place = sights.item_named(question, visited) or sights.item_named(subject, visited)
        places["place"] = place
        if question.asks is not Asks.BEEN and place and place != situation.location:
            if way := explorer.way_to(situation, place):
                return Answer(("answer.way", "answer.again"), {**places, "thing": way}, "knows the way")
            if way := explorer.route(situation, (place,)):
                return Answer(("answer.way_first", "answer.again"), {**places, "thing": way}, "knows how to begin")
            return Answer(("answer.way_far", "answer.again"), places, "was there")
        if place:
            key = "answer.you_are_here" if place == situation.location else "answer.been"
            return Answer((key, "answer.again"), places, "was there")
        return Answer(("unknown.way", "unknown.plain"), places, "was never there", known=False)

    @staticmethod
    def _once_in(question: AskedQuestion, entries: Sequence[Entry], asker: str) -> Answer | None:
        """Say that one was in a location that is asked for, by a memory of it; None without any."""
        by_place = {entry.place: entry for entry in entries if entry.place}
        place = sights.item_named(question, list(by_place))
        if not place:
            return None
        key = "answer.been" if question.asks is Asks.BEEN else "answer.way_far"
        cites = (str(by_place[place].seq),)
        return Answer((key, "answer.again"), {"name": asker, "place": place}, "was there once", cites=cites)

    def _recognise(self, asker: str, entries: list[Entry], now: str) -> Answer:
        """Say whether somebody is known, and from what."""
        return acquaintance.recognise(self._me, asker, entries, now, self._phrase_time)

    def _tell_news(self, said: Utterance, situation: Situation) -> Decision | None:
        """Answer what is new with something perceived."""
        listener = next((person for person in situation.people if person.name == said.speaker), None)
        topics = self._me.talk.topics(situation, listener, self._me.explorer.visited, 0.0)
        told = {"talk.news": "talk.news", "talk.saw": "talk.saw", "talk.been": "reply.been"}
        for topic in sorted(topics, key=lambda topic: topic.key == "talk.been"):
            if topic.key not in told:
                continue
            why = f"news: {topic.subject}"
            decision = self._me.say(situation, said, (told[topic.key],), topic.places, why, cites=topic.cites)
            if decision:
                self._me.talk.brought_up(topic)
                return decision
        return self._me.say(situation, said, ("reply.no_news",), {"name": said.speaker}, "no news")


def _is_report(question: AskedQuestion, evidence: list[Evidence]) -> bool:
    """Return whether "do you think the key is in the shed" is better answered by what was told of it."""
    strong = [word for word in question.telling if not is_weak(word)]
    return bool(evidence) and evidence[0].score >= 0.6 and len(strong) > 1 and evidence[0].kind == "heard"


def _is_line(entry: Entry, said: Utterance) -> bool:
    """Return whether a memory is this very line."""
    heard = remembered(entry)
    return heard is not None and heard.speaker == said.speaker and heard.words == said.words
