"""How the instinct answers: questions from memory, courtesies in kind, and what it is told with attention."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

from agents.brains import _answers as answers
from agents.brains._answers import Answer
from agents.brains._brain import Decision, Person, Recall, Situation
from agents.brains._evidence import weigh
from agents.brains._questions import Asks, Line, Question, Sort, read
from agents.brains._self import Self
from agents.brains._words import widened
from agents.memory.entries import Entry, Hit
from agents.perception import Utterance, remembered
from mud.world.narration import listed

HITS = 16
"""How many memories it looks through for an answer."""

JUST_NOW = 20.0
"""How many seconds back a meeting has to be for somebody to be known by it when they ask."""

Asking = Generator[Recall, tuple[Hit, ...], Decision | None]
"""A thought that may look things up and comes to a line, or to none."""


class Responder:
    """Answers for one agent.

    Args:
        me: the agent's own.
    """

    def __init__(self, me: Self) -> None:
        self._me = me

    def respond(self, said: Utterance, situation: Situation, new: tuple[Person, ...]) -> Asking:
        """Answer a line, or decide that it needs no answer."""
        speaker = said.speaker
        line = read(said, self._me.name, self._me.company.names)
        if not self._me.company.has_patience(speaker, situation.seconds):
            return None
        if line.sort is Sort.GREETING and any(person.name == speaker for person in new):
            return (yield from self.greet(tuple(p for p in new if p.name == speaker), situation))
        self._me.company.greeted([speaker], situation.seconds)
        if line.question:
            return (yield from self._answer(line, line.question, said, situation))
        if line.sort is Sort.TOLD:
            self._me.topics[speaker] = line.telling
            return self._acknowledge(line, said, situation)
        if self._lets_pass(line.sort, speaker):
            return self._me.emote(situation, "emote.nod", name=speaker)
        keys = {Sort.GREETING: "greet.back", Sort.THANKS: "reply.thanks", Sort.FAREWELL: "reply.bye"}
        key = keys.get(line.sort, "reply.wish" if line.sort is Sort.WISH else "reply.short")
        return self._me.say(situation, said, (key,), {"name": speaker}, f"answers {line.sort.value}")

    def _lets_pass(self, sort: Sort, speaker: str) -> bool:
        """Return whether a courtesy may go without words: short ones often, those of other minds mostly."""
        if speaker in self._me.company.minds:
            return self._me.rng.random() < 0.7
        return sort is Sort.SHORT and self._me.rng.random() < 0.3

    def _answer(self, line: Line, question: Question, said: Utterance, situation: Situation) -> Asking:
        """Answer a question from what is in sight, or from memory."""
        asker = said.speaker
        if question.asks is Asks.NEWS or (question.asks is Asks.GOAL and not situation.goal):
            return self._tell_news(said, situation)
        if answer := answers.in_sight(question, situation, asker):
            return self._me.say(situation, said, answer.keys, answer.places, answer.why)
        if question.asks is not Asks.KNOW_ME:
            if not question.strong and not question.person and question.asks not in (Asks.OTHER, Asks.SAID):
                # "And where is it now?" is about what the two spoke of last.
                followed = (*question.telling, *self._me.topics.get(asker, ()))
                question = replace(question, telling=followed)
            if not question.telling and question.asks is not Asks.SAID:
                return self._me.say(situation, said, ("reply.unclear",), {"name": asker}, "did not understand")
        answer = yield from self._remember(line, question, said, situation)
        if not answer.known and asker in self._me.company.minds and self._me.rng.random() < 0.7:
            return self._me.emote(situation, "emote.nod", name=asker)
        if question.telling:
            self._me.topics[asker] = question.telling
        reason = "reason.answer" if answer.known else "reason.unknown"
        return self._me.say(situation, said, answer.keys, answer.places, answer.why, reason, private=answer.private)

    def _remember(
        self, line: Line, question: Question, said: Utterance, situation: Situation
    ) -> Generator[Recall, tuple[Hit, ...], Answer]:
        """Look a question up in memory, a second time in wider words when the first finds nothing sure."""
        asker, now = said.speaker, situation.recent[-1].at if situation.recent else ""
        recent = [entry for entry in situation.recent if not _is_line(entry, said)]
        hits = yield Recall(answers.query_for(question, asker), HITS)
        if question.asks is Asks.KNOW_ME:
            return self._recognise(asker, answers.entries_of(hits, recent), now)
        evidence = weigh(question, asker, self._me.name, hits, recent, self._me.company.minds)
        wider = widened(question.telling)
        if not (evidence and evidence[0].sure) and len(wider) > len(question.telling):
            hits = (*hits, *(yield Recall(" ".join(wider), HITS)))
            evidence = weigh(question, asker, self._me.name, hits, recent, self._me.company.minds)
        entries = [entry for entry in answers.entries_of(hits, recent) if not _is_line(entry, said)]
        if question.asks is Asks.SAID:
            evidence = answers.what_they_said(question, asker, self._me.name, entries, evidence)
        elif question.asks is Asks.SEEN and question.person:
            seen = answers.last_seen(question.person, entries, now, self._phrase_time, asker)
            if seen:
                return seen
        if not (evidence and evidence[0].sure) and (seen := answers.thing_in_sight(question, situation, asker)):
            return seen
        return answers.from_memory(question, asker, line.thing, evidence, now, self._phrase_time)

    def _phrase_time(self, key: str, number: str) -> str:
        return self._me.speaker.plain(key, number=number)

    def _recognise(self, asker: str, entries: list[Entry], now: str) -> Answer:
        """Say whether somebody is known, and from what."""
        known, entry, words = answers.old_words(asker, self._me.name, entries, now, JUST_NOW)
        places = {"name": asker}
        if entry:
            places["words"] = answers.inserted(words)
            places["when"] = answers.spoken_time(entry.at, now, self._phrase_time)
            places["place"] = entry.place or self._phrase_time("word.somewhere", "")
            return Answer(("self.know_words", "self.know"), places, f"remembers heard {entry.seq}")
        if known:
            return Answer(("self.know",), places, "remembers them")
        return Answer(("self.stranger",), places, "does not remember them", known=False)

    def _tell_news(self, said: Utterance, situation: Situation) -> Decision | None:
        """Answer what is new with something perceived."""
        listener = next((person for person in situation.people if person.name == said.speaker), None)
        topics = self._me.talk.topics(situation, listener, self._me.explorer.visited, 0.0)
        told = {"talk.news": "talk.news", "talk.saw": "talk.saw", "talk.been": "reply.been"}
        for topic in sorted(topics, key=lambda topic: topic.key == "talk.been"):
            if topic.key not in told:
                continue
            decision = self._me.say(situation, said, (told[topic.key],), topic.places, f"news: {topic.subject}")
            if decision:
                self._me.talk.brought_up(topic)
                return decision
        return self._me.say(situation, said, ("reply.no_news",), {"name": said.speaker}, "no news")

    def _acknowledge(self, line: Line, said: Utterance, situation: Situation) -> Decision | None:
        """Show that something told was heard, and sometimes ask back."""
        speaker, mind = said.speaker, said.speaker in self._me.company.minds
        if not said.private and not mind and len(line.telling) > 2:
            self._me.explorer.told(speaker, line.statement, situation.location)
        if mind and self._me.rng.random() < 0.75:
            return self._me.emote(situation, "emote.nod", name=speaker)
        places = {"name": speaker, "thing": line.thing}
        keys = ["ack.thing", "ack.plain"] if self._me.rng.random() < 0.6 else ["ack.plain", "ack.thing"]
        if self._me.rng.random() < 0.6 * self._me.speaker.share("manner.ask"):
            keys.insert(0, "ack.ask")
        return self._me.say(situation, said, tuple(keys), places, "was told something", "reason.told")

    def greet(self, new: tuple[Person, ...], situation: Situation) -> Asking:
        """Greet who has newly come, each once; those it knows as such."""
        names = [person.name for person in new]
        self._me.company.greeted(names, situation.seconds)
        place, said = situation.location, Utterance(names[0], "")
        if len(names) > 1:
            places = {"name": listed(names), "place": place}
            return self._me.say(situation, said, ("greet.several",), places, "newcomers", "reason.greet")
        hits = yield Recall(names[0], HITS)
        now = situation.recent[-1].at if situation.recent else ""
        known, entry, words = answers.old_words(
            names[0], self._me.name, answers.entries_of(hits, situation.recent), now
        )
        keys = ("greet.known", "greet.first") if known else ("greet.first",)
        places = {"name": names[0], "place": place}
        if entry and self._me.rng.random() < 0.6:
            keys = ("greet.remembers", *keys)
            places["words"] = answers.inserted(words)
            places["when"] = answers.spoken_time(entry.at, now, self._phrase_time)
        return self._me.say(situation, said, keys, places, "newcomer", "reason.greet")


def _is_line(entry: Entry, said: Utterance) -> bool:
    """Return whether a memory is this very line."""
    heard = remembered(entry)
    return heard is not None and heard.speaker == said.speaker and heard.words == said.words
