"""Weighs what recall found against a question: which memory answers it, in whose words, and how surely.

A question is never evidence, nor is "I don't know". What was whispered is evidence only for who whispered it. People's
own words go before the agent's, what adds nothing to the question goes last, and a weak match is called weak.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from agents.brains._questions import Asks, Question, told_in
from agents.brains._words import coverage, is_weak, meanings, stem, telling
from agents.memory.entries import Entry, Hit
from agents.perception import asks, remembered, sentences, without_address

SURE, NEAR = 0.65, 0.4
"""From which score on a memory counts as the answer, and from which as something that may have to do with it."""

LONGEST = 300
"""How many characters of a memory are repeated at most."""

_IGNORANT = re.compile(
    r"\b(?:don't|don’t|do not|doesn't|does not|didn't|did not|never|can't|cannot|couldn't|could not|won't|nobody)\s+"
    r"(?:\w+\s+){0,2}(?:know|knew|knows|remember|recall|say|tell|told|heard|find|found|learned|come|came|crossed|reached)\b"
    r"|\bno idea\b|\bnot sure\b|\bi wonder\b|\bnothing (?:about|of|on|in me)\b|\b(?:is|are|it's) (?:news|new) to me\b"
    r"|\bknow nothing\b|\bnone the wiser\b|\bno (?:word|memory|record|answer|recollection)\b",
    re.I,
)
_SECRET = re.compile(
    r"\b(?:secret|between (?:us|you and me|ourselves)|confiden\w+|nobody (?:else )?(?:must|may|should) know|"
    r"to yourself|(?:don't|do not|never|mustn't|must not) (?:ever )?(?:tell|say|mention|repeat)|"
    r"tell (?:no ?body|no ?one))\b",
    re.I,
)
_LEANS = re.compile(r"^(?:it|he|she|they|that|this|there|its|his|her|their|also|and|but)\b", re.I)
_MARKS = {
    Asks.WHERE: re.compile(
        r"\b(?:in|inside|on|at|under|underneath|beneath|below|behind|beside|near|next to|between|above|over|among|"
        r"against|within|along|around|beyond|outside|across|up|down|upstairs|downstairs|north|south|east|west|from|to|by|"
        r"opposite|past)\b",
        re.I,
    ),
    Asks.WHEN: re.compile(
        r"\d|\b(?:at|on|before|after|until|during|when|since|dawn|dusk|noon|midnight|morning|evening|night|day|week|"
        r"month|year|hour|bell|tide|spring|summer|autumn|winter|\w+day|tomorrow|yesterday|today|tonight|ago|soon|always)\b",
        re.I,
    ),
    Asks.COUNT: re.compile(
        r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|"
        r"seventeen|eighteen|nineteen|\w+ty|hundred|thousand|dozen|half|couple|single|first|second|third|no|none|"
        r"inch\w*|feet|foot|miles?|years?)\b",
        re.I,
    ),
}
_MALUS = {"said": 0.3, "saw": 0.05, "result": 0.1}
_HEARD = ("heard", "told", "said")


@dataclass(frozen=True, slots=True)
class Evidence:
    """Something remembered that bears on a question.

    Args:
        words: what is worth repeating of it.
        score: how well it answers, about 0 to 1.
        kind: kind of memory, or `summary` or `note`.
        actor: who acted or spoke; None for oneself.
        place: where; None when unknown.
        at: when, ISO-8601; empty when unknown.
        seq: its number; 0 for a note or summary.
        title: title of a note.
    """

    words: str
    score: float
    kind: str
    actor: str | None = None
    place: str | None = None
    at: str = ""
    seq: int = 0
    title: str = ""

    @property
    def sure(self) -> bool:
        """Whether it counts as the answer."""
        return self.score >= SURE


def is_secret(entry: Entry) -> bool:
    """Return whether a memory is not for everybody's ears: whispered, or told with the wish to keep it."""
    return entry.kind == "told" or (entry.kind == "heard" and _SECRET.search(entry.text) is not None)


def is_ignorant(words: str) -> bool:
    """Return whether a sentence only says that its speaker does not know."""
    return _IGNORANT.search(words) is not None


def weigh(
    question: Question,
    asker: str,
    name: str,
    hits: Iterable[Hit],
    recent: Iterable[Entry],
    minds: Collection[str] = (),
) -> list[Evidence]:
    """Return what bears on a question, best first.

    Args:
        question: the question, read.
        asker: name of who asks.
        name: the agent's own name.
        hits: what recall found.
        recent: the verbatim tail; it is searched too, for recall may be behind.
        minds: names of those a brain plays; what they pass on goes after what people told.
    """
    entries: dict[int, Entry] = {}
    vectors: dict[int, float] = {}
    found: list[Evidence] = []
    for hit in hits:
        if hit.entry is None:
            found.extend(_from_document(question, hit))
            continue
        entries[hit.entry.seq] = hit.entry
        vectors[hit.entry.seq] = hit.vector or 0.0
    entries.update((entry.seq, entry) for entry in recent)
    for entry in entries.values():
        found.extend(_from_entry(question, asker, name, entry, vectors.get(entry.seq, 0.0), minds))
    # Between two that answer alike the newer one holds: things get moved and minds get changed.
    return sorted(found, key=lambda one: (one.sure and one.kind != "said", round(one.score, 1), one.seq), reverse=True)


def _from_entry(
    question: Question, asker: str, name: str, entry: Entry, vector: float, minds: Collection[str]
) -> Iterator[Evidence]:
    """Yield what one memory has to say."""
    if entry.failed or (is_secret(entry) and entry.actor != asker):
        return
    malus = _MALUS.get(entry.kind, 0.0) + (0.2 if entry.actor in minds else 0.0)
    bonus = 0.1 if question.own and entry.actor == asker else 0.0
    bonus += 0.5 * max(0.0, vector - 0.5)
    for words in statements(entry, name, (asker,)):
        score = _score(question, words, entry.actor or "")
        if score > 0:
            yield Evidence(words, score + bonus - malus, entry.kind, entry.actor, entry.place, entry.at, entry.seq)


def statements(entry: Entry, name: str, people: tuple[str, ...] = ()) -> list[str]:
    """Return what a memory states, sentence by sentence; one that leans on the one before it stays with it.

    Args:
        entry: the memory.
        name: the agent's own name.
        people: names that may be called at the beginning of a line.
    """
    if entry.kind in _HEARD:
        said = remembered(entry)
        bare = without_address(said.words, (name, *people)) if said else ""
        told = [part for part in told_in(sentences(bare), name) if not is_ignorant(part)]
    elif entry.kind in ("saw", "result") and len(entry.text) <= LONGEST and "\n" not in entry.text.strip():
        told = [entry.text.strip()]
    else:
        told = []
    pieces: list[str] = []
    for part in told:
        if pieces and _LEANS.match(part) and len(pieces[-1]) + len(part) < LONGEST:
            pieces[-1] = f"{pieces[-1]} {part}"
        else:
            pieces.append(part[:LONGEST])
    return pieces


def _from_document(question: Question, hit: Hit) -> Iterator[Evidence]:
    """Yield the sentence of a note or a summary that answers best; both are at second hand."""
    malus = 0.05 if hit.kind == "note" else 0.15
    lines = [line.strip().lstrip("#*- ") for line in hit.text.splitlines()]
    told = [part for line in lines for part in sentences(line) if not asks(part)]
    scored = [(_score(question, part[:LONGEST], hit.title or ""), part[:LONGEST]) for part in told]
    score, words = max(scored, key=lambda pair: pair[0], default=(0.0, ""))
    if score > 0:
        yield Evidence(words, score - malus, hit.kind, title=hit.title or "")


def _score(question: Question, words: str, actor: str) -> float:
    """Say how well a statement answers: shared telling words, and whether it holds what was asked for."""
    score = coverage(question.telling, meanings(f"{words} {actor}"))
    if score == 0:
        return 0.0
    known = {stem(word) for word in question.telling}
    if not any(stem(word) not in known and not is_weak(word) for word in telling(words)):
        return score - 0.5
    marks = _MARKS.get(question.asks)
    if marks is None:
        return score + 0.05
    return score + 0.1 if marks.search(words) else score - 0.45
