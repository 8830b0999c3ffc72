"""Answers on how others stand with an agent, what they promised, and what it promised: each from a deed, in its words.

It judges nobody by more than what it remembers, and tells no confidence to anybody but who made it.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from dataclasses import replace

from agents.brains import Recall, Situation
from agents.brains._words import coverage, is_secret, meanings
from agents.brains.instinct import answers as answers
from agents.brains.instinct import persons as persons
from agents.brains.instinct.answers import Phrasing
from agents.brains.instinct.asks import Asks
from agents.brains.instinct.bonds import FELT, WEIGHTS, Act, Deed, vow_in
from agents.brains.instinct.evidence import NEAR, SURE, Evidence
from agents.brains.instinct.questions import AskedQuestion
from agents.brains.instinct.self import Self
from agents.brains.instinct.sights import Answer
from agents.brains.instinct.statements import feeling_of
from agents.brains.instinct.talk import COMING_AND_GOING
from agents.memory.entries import Entry, Hit
from agents.memory.perception import remembered, whispered, whispered_to

HITS = 24
"""Memories that are looked through for what somebody did."""
CONFIDENCES = "secret whisper tell nobody keep yourself between us confidence"
"""Words by which confidences are found again."""
PROMISES = "promise promised swear word honour bring give show mend"
"""Words by which promises are found again."""
FEELINGS = "kind good thank thanks gift sorry rude wrong stupid liar fool"
"""Words by which kindness and rudeness are found again."""

SIGNS: dict[tuple[str, ...], tuple[int, ...]] = {("kind",): (1,), ("rude",): (-1,)}
"""Which weight of a deed is asked for; either where nothing is said."""

Found = tuple[Answer, Evidence | None]
"""An answer, and what it rests on."""


def of_deeds(
    me: Self, question: AskedQuestion, asker: str, situation: Situation, phrase_time: Phrasing
) -> Generator[Recall, tuple[Hit, ...], Found]:
    """Answer a question after promises, or after who was kind.

    Args:
        me: the agent's own.
        question: the question.
        asker: name of who asks.
        situation: the situation.
        phrase_time: words a point in time.
    """
    person = question.person or ""
    sought = {Asks.PROMISED: PROMISES, Asks.SECRET: CONFIDENCES}.get(question.asks, FEELINGS)
    whom = f"{me.name} {asker}" if person == me.name else f"{person} {question.towards}"
    hits = yield Recall(f"{whom} {' '.join(question.telling)} {sought}".strip(), HITS, person == me.name)
    entries = answers.entries_of(hits, situation.recent)
    now = situation.recent[-1].at if situation.recent else ""
    me.bonds.learn(entries, me.company.others(person))
    if question.asks is Asks.SECRET:
        return _of_confidence(question, asker, entries, now, phrase_time)
    if question.asks is Asks.DONE and question.telling:
        return _of_doing(question, asker, entries, now, phrase_time)
    if question.towards:
        return _of_others(question, asker, entries, now, phrase_time)
    if question.asks in (Asks.KINDNESS, Asks.DONE):
        return _of_kindness(me, question, asker, now, phrase_time)
    if person == me.name:
        return _own_promise(question, asker, entries, now, phrase_time)
    return _their_promise(me, question, asker, now, phrase_time)


def _their_promise(me: Self, question: AskedQuestion, asker: str, now: str, phrase_time: Phrasing) -> Found:
    person = question.person or ""
    told = [act for act in me.bonds.acts(person, Deed.PROMISE) if not act.secret or person == asker]
    if question.telling:
        told = [act for act in told if coverage(question.telling, meanings(act.words)) >= NEAR]
    # What is still owed matters more than what was kept.
    told.sort(key=lambda act: (act.kept > 0, me.speaker.said_lately(answers.inserted(act.words)), -act.seq))
    you = "_you" if person == asker else ""
    if not told:
        places = {"name": asker, "person": person}
        return Answer((f"unknown.promise{you}", "unknown.plain"), places, "remembers no promise", known=False), None
    act = told[0]
    key = f"answer.promise_kept{you}" if act.kept else f"answer.promise{you}"
    cites = (str(act.seq), *((str(act.kept),) if act.kept else ()))
    places = _places(act, person, asker, now, phrase_time)
    why = f"remembers a promise, {act.seq}" + (f", kept by {act.kept}" if act.kept else "")
    answer = Answer((key, f"answer.quoted{you}", "answer.again"), places, why, private=act.secret, cites=cites)
    return answer, _evidence(act, person)


def _own_promise(
    question: AskedQuestion, asker: str, entries: Sequence[Entry], now: str, phrase_time: Phrasing
) -> Found:
    """Answer what the agent itself promised: aloud, or in a whisper to who asks."""
    newest = sorted(entries, key=lambda one: one.seq, reverse=True)
    for entry in newest:
        said = remembered(entry) if entry.kind == "said" and entry.actor is None else None
        private = whispered(entry)
        if said is None or (private and not whispered_to(entry, asker)):
            continue
        vow = vow_in(said.words)
        if vow and (not question.telling or coverage(question.telling, meanings(vow)) >= NEAR):
            key, why = "answer.self", f"remembers a promise of its own, {entry.seq}"
            return _quoted(entry, vow, key, asker, why, now, phrase_time, private=private)
    for entry in newest:
        # To keep a confidence is a promise too, whatever words it was made in.
        said = remembered(entry) if entry.actor == asker and is_secret(entry) else None
        if said and not said.question and not question.telling:
            key, why = "answer.promise_silence", f"keeps a confidence, {entry.seq}"
            return _quoted(entry, said.words, key, asker, why, now, phrase_time, private=True)
    return Answer(("unknown.promise_mine", "unknown.plain"), {"name": asker}, "remembers no promise", known=False), None


def _quoted(
    entry: Entry, words: str, key: str, asker: str, why: str, now: str, phrase_time: Phrasing, *, private: bool
) -> Found:
    """Return an answer that quotes a memory, and what it rests on."""
    places = {"name": asker, "place": entry.place or "", "words": answers.inserted(words)}
    places["when"] = answers.spoken_time(entry.at, now, phrase_time)
    found = Evidence(words, SURE, entry.kind, entry.actor, entry.place, entry.at, entry.seq)
    return Answer((key, "answer.again"), places, why, private=private, cites=(str(entry.seq),)), found


def _of_kindness(me: Self, question: AskedQuestion, asker: str, now: str, phrase_time: Phrasing) -> Found:
    """Answer who was kind or rude, whether somebody was, or what they did, by the deed that weighs most."""
    signs = SIGNS.get(question.telling, (1, -1))
    people = [question.person] if question.person else me.bonds.known
    found = [
        (abs(act.weight), act.seq, person, act)
        for person in people
        for act in me.bonds.counting(person)
        if any(act.weight * sign > 0 for sign in signs)
        and (not act.secret or person == asker)
        and act.deed is not Deed.SORRY
    ]
    if found:
        _, _, person, act = max(found)
        return judged(act, person, asker, now, phrase_time, rude=act.weight < 0), _evidence(act, person)
    promised = me.bonds.acts(question.person or "", Deed.PROMISE) if question.asks is Asks.DONE else ()
    if any(not act.secret or question.person == asker for act in promised):
        return _their_promise(me, question, asker, now, phrase_time)
    places = {"name": asker, "person": question.person or ""}
    return Answer(("unknown.deed", "unknown.plain"), places, "remembers nothing of the kind", known=False), None


def _of_doing(question: AskedQuestion, asker: str, entries: Sequence[Entry], now: str, phrase_time: Phrasing) -> Found:
    """Answer what somebody did, by what the agent saw of it last; coming and going is nothing done."""
    person = question.person or ""
    for entry in sorted(entries, key=lambda one: one.seq, reverse=True):
        plain = entry.kind == "saw" and entry.actor == person and not entry.failed and "\n" not in entry.text
        if plain and not COMING_AND_GOING.search(entry.text):
            return _quoted(
                entry, entry.text, "answer.saw", asker, f"saw it, {entry.seq}", now, phrase_time, private=False
            )
    places = {"name": asker, "person": person}
    return Answer(("unknown.deed", "unknown.plain"), places, "saw nothing of the kind", known=False), None


def _of_others(question: AskedQuestion, asker: str, entries: Sequence[Entry], now: str, phrase_time: Phrasing) -> Found:
    """Answer who was kind or rude to another, as far as the agent heard it."""
    person, towards = question.person or "", question.towards
    signs = SIGNS.get(question.telling, (1, -1))
    for entry, words in persons.said_to(person, towards, entries):
        # Of a liar one says that he is one, to him "you are".
        feeling = feeling_of(re.sub(rf"(?<!\w){re.escape(towards)} (?:is|was)\b", "you are", words))
        if feeling in FELT and any(WEIGHTS[FELT[feeling]] * sign > 0 for sign in signs):
            return _overheard(entry, words, towards, asker, now, phrase_time)
    return Answer(("unknown.deed", "unknown.plain"), {"name": asker}, "heard nothing of the kind", known=False), None


def said_between(
    question: AskedQuestion, asker: str, entries: Sequence[Entry], now: str, phrase_time: Phrasing
) -> Found | None:
    """Return what somebody said in the open to another, the newest of it; None when the agent heard nothing.

    Args:
        question: the question, which names both.
        asker: who asks.
        entries: what is remembered.
        now: the present time, ISO-8601.
        phrase_time: words a point in time.
    """
    for entry, words in persons.said_to(question.person or "", question.towards, entries):
        if not question.telling or coverage(question.telling, meanings(words)) >= NEAR:
            return _overheard(entry, words, question.towards, asker, now, phrase_time)
    return None


def _overheard(entry: Entry, words: str, towards: str, asker: str, now: str, phrase_time: Phrasing) -> Found:
    who, other = ("you" if one == asker else one for one in (entry.actor or "", towards))
    why = f"heard it, {entry.seq}"
    found, rests_on = _quoted(entry, words, "answer.overheard", asker, why, now, phrase_time, private=False)
    return replace(found, places=found.places | {"person": who, "other": other}), rests_on


def _of_confidence(
    question: AskedQuestion, asker: str, entries: Sequence[Entry], now: str, phrase_time: Phrasing
) -> Found:
    """Answer what somebody told in confidence: to who did, their words; to others always the same, whatever it was."""
    if question.person != asker:
        places = {"name": asker, "person": question.person or ""}
        return Answer(("answer.discreet", "answer.again"), places, "tells no confidences", known=False), None
    for entry in sorted(entries, key=lambda one: one.seq, reverse=True):
        said = remembered(entry) if entry.actor == asker and is_secret(entry) else None
        if said and not said.question:
            why = f"remembers a confidence, {entry.seq}"
            return _quoted(entry, said.words, "answer.quoted_you", asker, why, now, phrase_time, private=True)
    return Answer(("unknown.not_told", "unknown.plain"), {"name": asker}, "remembers no confidence", known=False), None


def judged(act: Act, person: str, asker: str, now: str, phrase_time: Phrasing, *, rude: bool) -> Answer:
    """Say how somebody stands with the agent, by what they did.

    Args:
        act: the deed.
        person: who did it.
        asker: who asks.
        now: the present time, ISO-8601.
        phrase_time: words a point in time.
        rude: it speaks against them.
    """
    key = f"opinion.{'rude' if rude else 'kind'}{'_you' if person == asker else ''}"
    plain = "opinion.you" if person == asker else "opinion.person"
    cites = (str(act.seq), *((str(act.kept),) if act.kept else ()))
    why = f"judges by what was done, {act.seq}"
    keys = (key, "answer.again") if rude else (key, plain, "opinion.plain")
    return Answer(keys, _places(act, person, asker, now, phrase_time), why, private=act.secret, cites=cites)


def thinks_of(me: Self, person: str, asker: str, now: str, phrase_time: Phrasing) -> Found | None:
    """Return what the agent thinks of somebody who did something to it; None of everybody else.

    Args:
        me: the agent's own.
        person: who is asked about.
        asker: who asks.
        now: the present time, ISO-8601.
        phrase_time: words a point in time.
    """
    act = me.bonds.telling(person, asker)
    rude = me.bonds.warmth(person) < 0
    if act is None or (not rude and me.speaker.said_lately(answers.inserted(act.words))):
        return None
    return judged(act, person, asker, now, phrase_time, rude=rude), _evidence(act, person)


def _places(act: Act, person: str, asker: str, now: str, phrase_time: Phrasing) -> dict[str, str]:
    return {
        "name": asker,
        "person": person,
        "place": act.place,
        "when": answers.spoken_time(act.at, now, phrase_time),
        "words": answers.inserted(act.words),
    }


def _evidence(act: Act, person: str) -> Evidence:
    return Evidence(act.words, SURE, "told" if act.secret else "heard", person, act.place or None, act.at, act.seq)
