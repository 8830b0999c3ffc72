"""Turns a question and what is known into an answer: which text says it, what stands in its places, who may hear it.

It answers from what the agent perceived and names where that came from; what it does not know it does not know.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agents.brains._brain import Situation
from agents.brains._evidence import NEAR, SURE, Evidence, is_ignorant, is_secret, statements
from agents.brains._questions import Asks, Question
from agents.brains._words import coverage, is_small, meanings, telling, with_article
from agents.memory.entries import Entry, Hit
from mud.clock import parse_iso
from mud.world.narration import listed

_ONE_SELF = re.compile(r"\b(?:i|me|my|mine|myself|we|us|our|ours|you|your|yours|i'm|i've|i'll|i'd|we're)\b", re.I)
_ENDED = re.compile(r"[.!?…][\"”'’)]*$")

WHILE = 300.0
"""After how many seconds something counts as remembered rather than as just said."""

Phrasing = Callable[[str, str], str]
"""Words a point in time: a key such as `when.hours` and a number."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What to answer.

    Args:
        keys: texts that say it, the best first.
        places: what their places hold.
        why: for traces.
        private: only the asker may hear it.
        known: it is an answer, not its absence.
    """

    keys: tuple[str, ...]
    places: dict[str, str]
    why: str
    private: bool = False
    known: bool = True


def query_for(question: Question, asker: str) -> str:
    """Return what to look for in memory."""
    words = question.telling
    if question.asks in (Asks.SAID, Asks.SEEN) and question.person:
        words = (*words, *telling(question.person))
    if question.asks is Asks.KNOW_ME or not words:
        words = (*words, *telling(asker))
    return " ".join(dict.fromkeys(words))


def in_sight(question: Question, situation: Situation, asker: str) -> Answer | None:
    """Answer what needs no memory; None for everything else."""
    places = {"name": asker, "self": situation.name, "place": situation.location, "words": situation.goal}
    others = [person.name for person in situation.people if person.name != asker]
    match question.asks:
        case Asks.HOW_ARE_YOU:
            return Answer(("reply.how",), places, "was asked how it is")
        case Asks.WHO_ARE_YOU:
            return Answer(("self.who",), places, "was asked who it is")
        case Asks.WHERE_ARE_WE:
            return Answer(("answer.place",), places, "was asked where this is")
        case Asks.WHO_IS_HERE:
            key = "answer.company" if others else "answer.nobody_else"
            return Answer((key,), {**places, "person": listed(others)}, "was asked who is here")
        case Asks.GOAL if situation.goal:
            return Answer(("self.goal",), places, "was asked what it wants")
        case Asks.SEEN if question.person == asker:
            return Answer(("answer.place",), places, "was asked where the asker is")
        case Asks.SEEN if question.person in others:
            return Answer(("answer.person_here",), {**places, "person": question.person or ""}, "sees who is asked for")
    return None


def thing_in_sight(question: Question, situation: Situation, asker: str) -> Answer | None:
    """Answer where a thing is that lies here or is carried; None when it is not, or something else was asked."""
    if question.asks is not Asks.WHERE or not question.strong:
        return None
    for key, names in (("answer.carried", situation.carrying), ("answer.thing_here", situation.items)):
        for name in names:
            if coverage(question.strong, meanings(name)) == 1.0:
                return Answer(
                    (key,), {"name": asker, "thing": with_article(name), "place": situation.location}, "sees the thing"
                )
    return None


def from_memory(
    question: Question, asker: str, thing: str, evidence: Sequence[Evidence], now: str, phrase_time: Phrasing
) -> Answer:
    """Answer from the best evidence, or say that there is none.

    Args:
        question: the question.
        asker: name of who asks.
        thing: what the question is about, as one would say it; may be empty.
        evidence: what bears on it, best first.
        now: the present time, ISO-8601.
        phrase_time: words a point in time.
    """
    best = evidence[0] if evidence else None
    if best is None or best.score < NEAR:
        about = "self" if question.yours else "person" if question.person else "thing"
        keys = (f"unknown.{about}", "unknown.plain")
        places = {"name": asker, "thing": thing, "person": question.person or ""}
        return Answer(keys, places, "remembers nothing that answers it", known=False)
    return Answer(
        _keys(question, best, asker),
        _places(best, asker, now, phrase_time),
        f"remembers {best.kind} {best.seq or best.title}: {best.score:.2f}",
        private=best.kind == "told",
    )


def _keys(question: Question, best: Evidence, asker: str) -> tuple[str, ...]:
    """Return the texts that fit where the answer comes from."""
    if best.kind in ("heard", "told"):
        you = "_you" if best.actor == asker else ""
        if not best.sure:
            return (f"answer.near{you}", "answer.again")
        form = "quoted" if _ONE_SELF.search(best.words) else "told"
        first = ("answer.time",) if question.asks is Asks.WHEN and not you else ()
        return (*first, f"answer.{form}{you}", f"answer.quoted{you}", "answer.again")
    own = {"saw": "saw", "said": "self", "result": "looked", "note": "note", "summary": "summary"}[best.kind]
    first = ("answer.time_saw",) if question.asks is Asks.WHEN and best.kind == "saw" else ()
    return (*first, f"answer.{own}", "answer.again")


def _places(best: Evidence, asker: str, now: str, phrase_time: Phrasing) -> dict[str, str]:
    return {
        "name": asker,
        "person": best.actor or "",
        "place": best.place or phrase_time("word.somewhere", ""),
        "when": spoken_time(best.at, now, phrase_time),
        "words": inserted(best.words),
        "thing": best.title,
    }


def inserted(words: str) -> str:
    """Return a statement as it stands inside another sentence: it begins small if it may, and it ends."""
    words = words.strip()
    first = words.split(" ", 1)[0] if words else ""
    if is_small(first.rstrip(",")) and not first.startswith(("I", "Mr")):
        words = first.lower() + words[len(first) :]
    return words if _ENDED.search(words) else f"{words.rstrip(',;:')}."


def spoken_time(at: str, now: str, phrase_time: Phrasing) -> str:
    """Say how long ago something was; empty when a time cannot be read.

    Args:
        at: when it was, ISO-8601.
        now: the present time, ISO-8601.
        phrase_time: words it.
    """
    try:
        minutes = (parse_iso(now) - parse_iso(at)).total_seconds() / 60
    except ValueError:
        return ""
    steps = ((3, "when.now", 1), (45, "when.minutes", 1), (90, "when.hour", 60), (22 * 60, "when.hours", 60))
    for limit, key, unit in (*steps, (36 * 60, "when.day", 1440)):
        if minutes < limit:
            return phrase_time(key, str(max(2, round(minutes / unit))))
    return phrase_time("when.days", str(max(2, round(minutes / 1440))))


def last_seen(person: str, entries: Sequence[Entry], now: str, phrase_time: Phrasing, asker: str) -> Answer | None:
    """Answer where somebody was seen last; None when they never were."""
    theirs = [entry for entry in entries if entry.actor == person and entry.place]
    if not theirs:
        return None
    last = max(theirs, key=lambda entry: entry.seq)
    # Only what was seen is told on: what was said may have been meant for nobody else.
    words = inserted(last.text) if last.kind == "saw" and "\n" not in last.text else ""
    places = {"name": asker, "person": person, "place": last.place or "", "words": words}
    places["when"] = spoken_time(last.at, now, phrase_time)
    return Answer(("answer.seen", "answer.again"), places, f"remembers {last.kind} {last.seq}")


def what_they_said(
    question: Question, asker: str, name: str, entries: Sequence[Entry], evidence: Sequence[Evidence]
) -> list[Evidence]:
    """Return what somebody said that answers "what did they say": on the topic asked for, else the newest.

    Args:
        question: the question.
        asker: name of who asks.
        name: the agent's own name.
        entries: what is remembered of them.
        evidence: what bears on the topic.
    """
    actor = None if question.person == name else question.person
    spoken = ("said",) if actor is None else ("heard", "told")
    if question.telling:
        on_topic = [one for one in evidence if one.actor == actor and one.kind in spoken and one.score >= NEAR]
        return [_certain(one) for one in on_topic]
    for entry in sorted(entries, key=lambda entry: entry.seq, reverse=True):
        if entry.actor != actor or entry.kind not in spoken or (is_secret(entry) and actor != asker):
            continue
        told = [words for words in statements(entry, name, (asker,)) if len(telling(words)) > 1]
        if told:
            return [Evidence(" ".join(told)[:300], SURE, entry.kind, entry.actor, entry.place, entry.at, entry.seq)]
    return []


def _certain(one: Evidence) -> Evidence:
    # Who said what is certain, whether or not it answers more.
    return Evidence(one.words, max(one.score, SURE), one.kind, one.actor, one.place, one.at, one.seq, one.title)


def old_words(
    person: str, name: str, entries: Sequence[Entry], now: str, age: float = WHILE
) -> tuple[bool, Entry | None, str]:
    """Say what is remembered of somebody from an earlier meeting.

    Args:
        person: their name.
        name: the agent's own name.
        entries: what is remembered of them.
        now: the present time, ISO-8601.
        age: how many seconds ago it has to be.

    Returns:
        Whether they are known from before, the memory worth mentioning, and its words; None and "" for none.
    """
    before = [entry for entry in entries if entry.actor == person and _is_old(entry.at, now, age)]
    told = [entry for entry in before if entry.kind == "heard" and not is_secret(entry)]
    for entry in sorted(told, key=lambda entry: (entry.importance, entry.seq), reverse=True):
        for words in statements(entry, name):
            if len(words) <= 160 and len(telling(words)) > 1 and not is_ignorant(words):
                return True, entry, words
    return bool(before), None, ""


def _is_old(at: str, now: str, age: float) -> bool:
    try:
        return (parse_iso(now) - parse_iso(at)).total_seconds() > age
    except ValueError:
        return False


def entries_of(hits: Sequence[Hit], recent: Sequence[Entry]) -> list[Entry]:
    """Return every whole memory among the hits and the tail, each once, oldest first."""
    found = {hit.entry.seq: hit.entry for hit in hits if hit.entry is not None}
    found.update((entry.seq, entry) for entry in recent)
    return [found[seq] for seq in sorted(found)]
