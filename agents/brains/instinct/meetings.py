"""Answers on meetings and on tellings themselves: when and where two met, who said what first or last, when and where.

All of it is read off whole memories of those two: what was whispered goes to nobody but who whispered it.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

from agents.brains import Recall, Situation
from agents.brains._words import coverage, is_secret, meanings, telling
from agents.brains.instinct import answers as answers
from agents.brains.instinct.answers import Phrasing
from agents.brains.instinct.asks import Asks
from agents.brains.instinct.company import seconds_between
from agents.brains.instinct.evidence import NEAR, SURE, Evidence, statements
from agents.brains.instinct.questions import AskedQuestion
from agents.brains.instinct.repeatable import LONGEST
from agents.brains.instinct.self import Self
from agents.brains.instinct.sights import Answer
from agents.brains.instinct.talk import GOING
from agents.memory.entries import Entry, Hit
from agents.memory.perception import Utterance, heard_in, remembered, whispered, whispered_to
from agents.text.addressing import is_question, without_address

ASKS = (Asks.TOLD_WHEN, Asks.MET, Asks.SPOKE)
"""What is answered here."""
HITS = 24
"""How many memories are looked through."""
APART = 3600.0
"""After how many seconds without a sign of somebody a meeting is over."""
MEETINGS = "arrives hello meet name"
"""Words by which the beginning of an acquaintance is found again."""

Found = tuple[Answer, Evidence | None]
"""An answer, and what it rests on."""


def of_meetings(
    me: Self,
    question: AskedQuestion,
    said: Utterance,
    situation: Situation,
    last: Evidence | None,
    phrase_time: Phrasing,
) -> Generator[Recall, tuple[Hit, ...], Found]:
    """Answer when or where somebody told a thing, when or where one met, or what was said first or last.

    Args:
        me: the agent's own.
        question: the question.
        said: the line that asks it.
        situation: the situation.
        last: what the last answer to who asks rested on; None for nothing.
        phrase_time: words a point in time.
    """
    asker, person = said.speaker, question.person or said.speaker
    now = situation.recent[-1].at if situation.recent else ""
    # What was passed on, or stands in a note, that one did not tell at the place or time it is known from.
    first_hand = last is not None and last.actor == person and not last.via and last.at != ""
    if last and first_hand and question.asks is Asks.TOLD_WHEN and not question.telling:
        return _telling(last, asker, me.name, now, phrase_time), last
    words = question.telling
    if question.asks is Asks.TOLD_WHEN:
        words = words or me.topics.get(asker, ())
    sought = MEETINGS if question.asks is Asks.MET else " ".join(words)
    hits = yield Recall(f"{person} {sought}".strip(), HITS)
    asking = heard_in(situation.recent, said)
    lived = [one for one in answers.entries_of(hits, situation.recent) if not asking or one.seq < asking]
    if question.asks is Asks.MET:
        theirs = [entry for entry in lived if entry.actor == person and entry.place]
        return _meeting(question, theirs, asker, now, phrase_time), None
    spoken = [entry for entry in lived if _may_tell(entry, person, asker, me.name)]
    one = (
        _line(question, spoken, me, asker) if question.asks is Asks.SPOKE else _of_topic(words, spoken, me.name, asker)
    )
    if one is None:
        key = "not_told" if person == asker else "self" if person == me.name else "said"
        places = {"name": asker, "person": person}
        return Answer((f"unknown.{key}", "unknown.plain"), places, "remembers no such words", known=False), None
    if question.asks is Asks.TOLD_WHEN:
        me.topics[asker] = words or me.topics.get(asker, ())
        return _telling(one, asker, me.name, now, phrase_time), one
    you = "_you" if person == asker else ""
    key = "answer.self" if person == me.name else f"answer.quoted{you}"
    keys = (f"answer.first{you}", key) if "first" in question.telling and person != me.name else (key,)
    places = _places(one, asker, now, phrase_time) | {"words": answers.inserted(one.words)}
    why = f"remembers the words, {one.seq}"
    return Answer((*keys, "answer.again"), places, why, private=one.kind == "told", cites=(one.cited,)), one


def _may_tell(entry: Entry, person: str, asker: str, name: str) -> bool:
    """Return whether a memory is a line of somebody that who asks may hear of."""
    if person == name:
        open_to = not whispered(entry) or whispered_to(entry, asker)
        return entry.kind == "said" and entry.actor is None and open_to
    spoke = entry.kind in ("heard", "told") and entry.actor == person
    return spoke and (person == asker or not is_secret(entry))


def _evidence(entry: Entry, words: str) -> Evidence:
    kind = "told" if is_secret(entry) or whispered(entry) else entry.kind
    return Evidence(words, SURE, kind, entry.actor, entry.place, entry.at, entry.seq)


def _of_topic(words: Sequence[str], spoken: Sequence[Entry], name: str, asker: str) -> Evidence | None:
    """Return the line that told most of a topic, the newest of several; of no topic the newest that told anything."""
    best: tuple[float, int, Evidence] | None = None
    for entry in spoken:
        for part in _told(entry, name, asker):
            score = coverage(words, meanings(part)) if words else SURE
            if score >= NEAR and (best is None or (score, entry.seq) > best[:2]):
                best = (score, entry.seq, _evidence(entry, part))
    return best[2] if best else None


def _told(entry: Entry, name: str, asker: str) -> list[str]:
    """Return what a line states, whoever spoke it."""
    if entry.kind != "said":
        return statements(entry, name, (asker,))
    said = remembered(entry)
    return [said.words] if said and not said.question else []


def _line(question: AskedQuestion, spoken: Sequence[Entry], me: Self, asker: str) -> Evidence | None:
    """Return the first or the last thing that somebody said; just now it may be anything, a question too, but what
    was asked is a question and what was told is none."""
    just, asked, anything = ("just" in question.telling), ("ask" in question.telling), ("say" in question.telling)
    for entry in spoken if "first" in question.telling else reversed(spoken):
        said = remembered(entry)
        bare = (without_address(said.words, (me.name,)) or said.words) if said else ""
        told = [part for part in _told(entry, me.name, asker) if len(telling(part)) > 1]
        if just and 0 < len(bare) <= LONGEST and (anything or (asked and is_question(bare))):
            return _evidence(entry, bare)
        if told and not asked:
            return _evidence(entry, told[0])
    return None


def _telling(one: Evidence, asker: str, name: str, now: str, phrase_time: Phrasing) -> Answer:
    """Say when and where something was told."""
    form = "_you" if one.actor == asker else "_self" if one.actor in (None, name) else ""
    why = f"remembers the telling, {one.seq}"
    private = one.kind == "told"
    keys = (f"answer.telling{form}", "answer.again")
    return Answer(keys, _places(one, asker, now, phrase_time), why, private=private, cites=(one.cited,))


def _places(one: Evidence, asker: str, now: str, phrase_time: Phrasing) -> dict[str, str]:
    return {
        "name": asker,
        "person": one.actor or "",
        "place": one.place or phrase_time("word.somewhere", ""),
        "when": answers.spoken_time(one.at, now, phrase_time),
    }


def _meeting(question: AskedQuestion, theirs: Sequence[Entry], asker: str, now: str, phrase_time: Phrasing) -> Answer:
    """Say when and where one met who asks first, or last before now."""
    before = _before_now(theirs, now) if "last" in question.telling else []
    met = before[-1] if before else next(iter(theirs), None)
    if met is None:
        return Answer(("self.stranger",), {"name": asker}, "does not remember them", known=False)
    places = {"name": asker, "place": met.place or "", "when": answers.spoken_time(met.at, now, phrase_time)}
    key = "answer.met_last" if before else "answer.met_first"
    return Answer((key, "answer.again"), places, f"has met them, {met.seq}", cites=(str(met.seq),))


def _before_now(theirs: Sequence[Entry], now: str) -> Sequence[Entry]:
    """Return what is remembered of somebody from before they were here this time."""
    later = now
    for number in range(len(theirs) - 1, -1, -1):
        entry = theirs[number]
        if (entry.kind == "saw" and GOING.search(entry.text)) or seconds_between(entry.at, later) > APART:
            return theirs[: number + 1]
        later = entry.at
    return ()
