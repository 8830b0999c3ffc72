"""Turns a question and what is known into an answer: which text says it, what stands in its places, who may hear it.

It answers from what the agent perceived and names where that came from; what it does not know it does not know.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from agents.brains._words import coverage, is_ignorant, is_secret, is_small, meanings, stem, telling
from agents.brains.instinct.asks import Asks
from agents.brains.instinct.evidence import NEAR, SURE, Evidence, statements
from agents.brains.instinct.questions import AskedQuestion
from agents.brains.instinct.repeatable import LONGEST
from agents.brains.instinct.sights import Answer
from agents.brains.instinct.statements import without_correction
from agents.memory.entries import Entry, Hit
from mud.clock import parse_iso

_ONE_SELF = re.compile(r"\b(?:i|me|my|mine|myself|we|us|our|ours|you|your|yours|i'm|i've|i'll|i'd|we're)\b", re.I)
_YOU = re.compile(r"\byou\b|\byour|[\"“]", re.I)
"""A statement that would be taken for one of who is spoken to, or that quotes somebody, so that it is quoted itself."""
_ENDED = re.compile(r"[.!?…][\"”'’)]*$")

_TIMED = re.compile(
    r"\d|\b(?:at|on|in|before|after|until|since|during) \w+|\b(?:morning|noon|evening|night|today|tomorrow|"
    r"yesterday)\b",
    re.I,
)
_MERELY_GONE = re.compile(r"\b(?:arrives|leaves|goes away)\W*$", re.I)
"""A sight that says no more than that somebody was there."""
_ONE_ANSWER = (Asks.WHERE, Asks.WHEN, Asks.COUNT, Asks.COLOUR, Asks.WHO)
"""Questions to which two who answer differently cannot both be right."""

WHILE = 300.0
"""After how many seconds something counts as remembered rather than as just said."""

Phrasing = Callable[[str, str], str]
"""Words a point in time: a key such as `when.hours` and a number."""


def query_for(question: AskedQuestion, asker: str) -> str:
    """Return what to look for in memory."""
    words = question.telling
    if question.asks in (Asks.SAID, Asks.SEEN, Asks.DID_I_SAY) and question.person:
        words = (*words, *telling(question.person))
    if question.asks is Asks.KNOW_ME or not words:
        words = (*words, *telling(asker))
    return " ".join(dict.fromkeys(words))


def from_memory(
    question: AskedQuestion, asker: str, thing: str, evidence: Sequence[Evidence], now: str, phrase_time: Phrasing
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
        places = {"name": asker, "thing": thing, "person": question.person or ""}
        return Answer(_ignorant_keys(question, asker), places, "remembers nothing that answers it", known=False)
    places = _places(best, asker, now, phrase_time)
    keys = _keys(question, best, asker)
    other = _otherwise(question, asker, evidence)
    if other:
        which = "_mine" if best.actor == asker else "_you" if other.actor == asker else ""
        keys = (f"answer.differ{which}", *keys)
        places |= {"other": other.actor or "", "others": inserted(other.words)}
    if best.at == "":
        keys = tuple(key for key in keys if not key.startswith("answer.time"))
    why = f"remembers {best.kind} {best.cited}: {best.score:.2f}"
    cites = tuple(one.cited for one in (best, other) if one and one.cited)
    return Answer(keys, places, why, private=best.kind == "told", cites=cites)


def _ignorant_keys(question: AskedQuestion, asker: str) -> tuple[str, ...]:
    """Return the texts that say fittingly that nothing is known."""
    if question.asks is Asks.DID_I_SAY:
        return ("unknown.not_told", "unknown.plain")
    if question.asks is Asks.SAID and question.person not in (None, asker):
        return ("unknown.said", "unknown.plain")
    if question.asks is Asks.SEEN or (question.asks is Asks.WHERE and question.person):
        return ("unknown.unseen", "unknown.plain")
    somebody = question.person and question.person != asker
    about = "self" if question.yours else "person" if somebody else "plain" if question.person else "thing"
    return (f"unknown.{about}", "unknown.plain")


def _otherwise(question: AskedQuestion, asker: str, evidence: Sequence[Evidence]) -> Evidence | None:
    """Return what somebody else said that does not go with the best; None when nobody did."""
    best = evidence[0]
    if question.own or question.asks not in _ONE_ANSWER or best.kind != "heard" or not best.sure or best.about:
        return None
    said = set(map(stem, telling(best.words)))
    for one in evidence[1:]:
        if one.kind != "heard" or not one.sure or one.actor == best.actor or one.via or best.via or one.about:
            continue
        if _ONE_SELF.search(one.words) or abs(one.score - best.score) > 0.35:
            continue
        words = set(map(stem, telling(one.words)))
        if len(words & said) / max(1, len(words | said)) < 0.75:
            return one
    return None


def _keys(question: AskedQuestion, best: Evidence, asker: str) -> tuple[str, ...]:
    """Return the texts that fit where the answer comes from."""
    if best.kind in ("heard", "told"):
        you = "_you" if best.actor == asker else ""
        if question.asks is Asks.DID_I_SAY and best.sure:
            return (f"answer.yes_told{you}", f"answer.quoted{you}", "answer.again")
        if best.via and best.via != asker:
            return (f"answer.hearsay{you}", f"answer.quoted{you}", "answer.again")
        if not best.sure:
            return (f"answer.near{you}", "answer.again")
        if best.about:
            return (f"answer.about{you}", f"answer.quoted{you}", "answer.again")
        form = "quoted" if _ONE_SELF.search(best.words) else "told"
        first = ("answer.time",) if question.asks is Asks.WHEN and not you and not _TIMED.search(best.words) else ()
        return (*first, f"answer.{form}{you}", f"answer.quoted{you}", "answer.again")
    if best.kind == "known":
        form = "" if best.sure and not _YOU.search(best.words) else "_quoted" if best.sure else "_near"
        return (f"answer.known{form}", "answer.known_quoted", "answer.again")
    if best.kind == "result" and best.title and best.title == question.person:
        return ("answer.looks", "answer.again")
    seen_there = best.kind == "result" and question.asks is Asks.WHERE and bool(best.place)
    if seen_there and coverage(question.strong, meanings(best.title)) == 1.0:
        return ("answer.looked_there", "answer.looked", "answer.again")
    own = {"saw": "saw", "said": "self", "result": "looked", "note": "note", "summary": "summary"}[best.kind]
    first = ("answer.time_saw",) if question.asks is Asks.WHEN and best.kind == "saw" else ()
    return (*first, f"answer.{own}", "answer.again")


def _places(best: Evidence, asker: str, now: str, phrase_time: Phrasing) -> dict[str, str]:
    return {
        "name": asker,
        "person": best.actor or best.title,
        "place": best.place or "",
        "when": spoken_time(best.at, now, phrase_time),
        "words": inserted(best.words),
        "thing": best.about or best.title,
        "via": best.via,
    }


def inserted(words: str) -> str:
    """Return a statement as it stands inside another sentence: it begins small if it may, and it ends."""
    words = without_correction(words.strip())
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
    """Answer where somebody was seen last; None when they never were.

    Args:
        person: who is asked for.
        entries: memories to look through.
        now: the time, written.
        phrase_time: puts how long ago into words.
        asker: who asks.
    """
    theirs = [entry for entry in entries if entry.actor == person and entry.place]
    if not theirs:
        return None
    last = max(theirs, key=lambda entry: entry.seq)
    # Only what was seen is told on: what was said may have been meant for nobody else.
    words = inserted(last.text) if last.kind == "saw" and "\n" not in last.text else ""
    words = "" if _MERELY_GONE.search(words) else words
    places = {"name": asker, "person": person, "place": last.place or "", "words": words}
    places["when"] = spoken_time(last.at, now, phrase_time)
    return Answer(("answer.seen", "answer.again"), places, f"remembers {last.kind} {last.seq}", cites=(str(last.seq),))


def what_they_said(
    question: AskedQuestion, asker: str, name: str, entries: Sequence[Entry], evidence: Sequence[Evidence]
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
    if question.telling and actor is not None:
        on_topic = [one for one in evidence if one.actor == actor and one.kind in spoken and one.score >= NEAR]
        return [_certain(one) for one in on_topic]
    for entry in sorted(entries, key=lambda entry: entry.seq, reverse=True):
        if entry.actor != actor or entry.kind not in spoken or (is_secret(entry) and actor != asker):
            continue
        told = [words for words in statements(entry, name, (asker,)) if len(telling(words)) > 1]
        if told and coverage(question.telling or telling(told[0]), meanings(" ".join(told))) >= NEAR:
            # In one breath only: over a question left out between them two sentences are not quoted as one.
            whole = " ".join(told)
            words = whole if whole in entry.text and len(whole) <= LONGEST else told[0]
            return [Evidence(words, SURE, entry.kind, entry.actor, entry.place, entry.at, entry.seq)]
    return []


def _certain(one: Evidence) -> Evidence:
    # Who said what is certain, whether or not it answers more.
    return replace(one, score=max(one.score, SURE))


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
    """Return every whole memory among the hits and the tail, each once, oldest first; what was dreamt is none."""
    found = {hit.entry.seq: hit.entry for hit in hits if hit.entry is not None}
    found.update((entry.seq, entry) for entry in recent)
    return [found[seq] for seq in sorted(found) if found[seq].kind != "dream"]
