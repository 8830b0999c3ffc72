"""Weighs what recall found against a question: which memory answers it, in whose words, and how surely.

A question is never evidence, nor is "I don't know", small talk, or what the agent said itself. What was whispered is
evidence only for who whispered it. What minds pass on is unwrapped to who first said it; what adds nothing to the
question goes last, and a weak match is called weak. What a person wrote for a life before it began was said by nobody:
the agent simply knows it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from agents.brains._words import coverage, is_ignorant, is_known, is_secret, is_weak, meanings, stem, telling
from agents.brains.instinct.asks import Asks
from agents.brains.instinct.follow import Antecedents
from agents.brains.instinct.hearsay import unwrapped
from agents.brains.instinct.marks import BEING, HEARD, IMPLIED, LEANS, MALUS, MARKS, MINE, ONESELF, TO_YOU, UNSURE
from agents.brains.instinct.questions import AskedQuestion
from agents.brains.instinct.repeatable import LONGEST, repeatable
from agents.brains.instinct.statements import corrects, is_small_talk, told_in
from agents.memory.entries import Entry, Hit
from agents.memory.perception import of_own_mind, remembered
from agents.text.addressing import mentions, without_address
from mud.world.sentences import sentences

SURE, NEAR = 0.65, 0.4
"""From which score on a memory counts as the answer, and from which as something that may have to do with it."""

_WEIGHED = ("heard", "told", "saw", "result")
"""Kinds of memory that can answer a question: one's own words and thoughts would only come back to oneself."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Something remembered that bears on a question.

    Args:
        words: what is worth repeating of it.
        score: how well it answers, about 0 to 1.
        kind: kind of memory, or `summary`, `note`, or `known` for what a person wrote into its memory.
        actor: who acted or spoke; None for oneself.
        place: where; None when unknown.
        at: when, ISO-8601; empty when unknown.
        seq: its number; 0 for a note or summary.
        title: title of a note, or of what was looked at.
        via: name of the mind that passed it on; empty when it was heard from the actor.
        about: whom or what its first word, a pronoun, means; empty when it stands by itself.
        origin: the note or summary it stands in, see `Decision`; empty for a memory.
    """

    words: str
    score: float
    kind: str
    actor: str | None = None
    place: str | None = None
    at: str = ""
    seq: int = 0
    title: str = ""
    via: str = ""
    about: str = ""
    origin: str = ""

    @property
    def cited(self) -> str:
        """How a decision cites it; see `Decision`."""
        return str(self.seq) if self.seq else self.origin

    @property
    def sure(self) -> bool:
        """Whether it counts as the answer."""
        return self.score >= SURE


@dataclass(frozen=True, slots=True)
class EvidenceRequest:
    """Who asks whom what, among whom.

    Args:
        question: the question, read.
        asker: name of who asks.
        name: the agent's own name.
        minds: names of those a brain plays.
        known: names of everybody known.
    """

    question: AskedQuestion
    asker: str
    name: str
    minds: Collection[str] = ()
    known: Collection[str] = ()


def weigh(asked: EvidenceRequest, hits: Iterable[Hit], recent: Iterable[Entry]) -> list[Evidence]:
    """Return what bears on a question, best first.

    Args:
        asked: the question, and by whom.
        hits: what recall found.
        recent: the verbatim tail; it is searched too, for recall may be behind.
    """
    entries: dict[int, Entry] = {}
    vectors: dict[int, float] = {}
    found: list[Evidence] = []
    for hit in hits:
        if hit.entry is None:
            found.extend(_from_document(asked, hit))
            continue
        entries[hit.entry.seq] = hit.entry
        vectors[hit.entry.seq] = hit.vector or 0.0
    entries.update((entry.seq, entry) for entry in recent)
    pronouns = Antecedents(entries, asked.asker)
    for seq in sorted(entries):
        entry = entries[seq]
        if entry.kind not in _WEIGHED or entry.failed:
            continue
        # Only what people say may lean on a line of theirs before it; of the rest most shares no word with a question.
        leans = entry.kind in ("heard", "told") and entry.actor is not None and entry.actor not in asked.minds
        if not leans and coverage(asked.question.telling, _meant(entry.text, entry.actor or "")) == 0:
            continue
        told = statements(entry, asked.name, (asked.asker, *asked.known))
        about = ""
        if leans:
            about = pronouns.about(entry, told, open_to_all=not is_secret(entry))
        found.extend(_from_entry(asked, entry, told, vectors.get(seq, 0.0), about))
    return _ordered(found)


@lru_cache(maxsize=1 << 12)
def _meant(text: str, actor: str) -> frozenset[str]:
    """Return everything by which a memory can be matched."""
    return meanings(f"{text} {actor} {_implied(text)}")


@lru_cache(maxsize=1 << 12)
def _implied(text: str) -> str:
    """Return what a text says without the words for it."""
    return " ".join(more for pattern, more in IMPLIED if pattern.search(text))


def _ordered(found: list[Evidence]) -> list[Evidence]:
    """Order evidence, best first; of one statement only its first telling counts, and a correction outdoes the rest."""
    # Between two that answer alike the newer one holds: things get moved and minds get changed.
    ranked = sorted(found, key=lambda one: (one.sure, round(one.score, 1), not one.via, one.seq), reverse=True)
    best: dict[tuple[frozenset[str], str | None], Evidence] = {}
    for one in ranked:
        best.setdefault((frozenset(telling(one.words)), one.actor), one)
    kept = list(best.values())
    for one in sorted(kept, key=lambda each: each.seq, reverse=True):
        if one.kind in HEARD and one.score >= NEAR and corrects(one.words):
            shared = _shared(one, kept[0])
            # With two things in common both are of the same, in however few of the question's words the newer puts it.
            if kept[0].score - one.score >= 0.6 and shared < 2:
                continue
            later = one.seq > kept[0].seq or (one.seq == kept[0].seq and one is not kept[0])
            if later and shared:
                kept.remove(one)
                kept.insert(0, replace(one, score=max(one.score, SURE)))
            break
    return kept


def _shared(one: Evidence, other: Evidence) -> int:
    """Return how many telling words two statements share."""
    return len({stem(word) for word in telling(one.words)} & {stem(word) for word in telling(other.words)})


def _from_entry(asked: EvidenceRequest, entry: Entry, told: list[str], vector: float, about: str) -> Iterator[Evidence]:
    """Yield what one memory has to say; never one's own words, which would only come back to oneself."""
    question = asked.question
    if is_secret(entry) and entry.actor != asked.asker:
        return
    if entry.kind == "saw" and _is_mere_sight(question, entry):
        return
    bonus = 0.15 if question.own and entry.actor == asked.asker else 0.0
    bonus += 0.5 * max(0.0, vector - 0.5)
    title = _titled(entry)[0] if entry.kind == "result" else ""
    kind = "told" if is_secret(entry) else "known" if is_known(entry) else entry.kind
    for number, words in enumerate(told):
        voiced = _voiced(asked, entry, words)
        if voiced is None or _is_beside(asked, entry, voiced, title):
            continue
        meant = about if number == 0 else ""
        whole = f"{voiced.words} {meant}" if meant else voiced.words
        score = _score(question, whole, f"{voiced.actor or ''} {title}")
        if score > 0 and len(voiced.words) <= LONGEST:
            yield replace(voiced, score=score + bonus + voiced.score, kind=kind, title=title, about=meant)


def _voiced(asked: EvidenceRequest, entry: Entry, words: str) -> Evidence | None:
    """Return a statement with whose it is, and as score what that takes off; None for the small talk of minds."""
    plain = Evidence(words, -MALUS.get(entry.kind, 0.0), entry.kind, entry.actor, entry.place, entry.at, entry.seq)
    if entry.actor not in asked.minds:
        return plain
    source, inner = unwrapped(words, asked.known)
    if source == asked.name or (not source and (TO_YOU.search(words) or len(telling(words, asked.known)) < 3)):
        return None
    if not source:
        return replace(plain, score=-0.2)
    return replace(plain, words=inner, score=-0.1, actor=source, via=entry.actor or "")


def _is_mere_sight(question: AskedQuestion, entry: Entry) -> bool:
    """Return whether what was seen says nothing here: that somebody looked at a thing does not tell of the thing."""
    wanted = question.asks in (Asks.WHO, Asks.WHEN) or question.person == entry.actor
    return question.asks is Asks.ABOUT or not wanted or not set(question.strong) - set(telling(entry.actor or ""))


def _is_beside(asked: EvidenceRequest, entry: Entry, voiced: Evidence, title: str) -> bool:
    """Return whether a statement is beside the question, whatever words they share."""
    question, words = asked.question, voiced.words
    if entry.kind == "result" and not _concerns(question, title, words):
        return True
    of_me = TO_YOU.search(words) or mentions(words, asked.name) or (is_known(entry) and ONESELF.search(words))
    if question.yours and not of_me:
        return True  # what one is asked of oneself, others seldom told
    if question.asks is Asks.ABOUT and voiced.actor and question.person == voiced.actor and not ONESELF.search(words):
        return True  # that somebody said a thing does not make it one about them
    # "My sister" is somebody else's in another's mouth.
    return question.own and voiced.actor != asked.asker and not question.person and MINE.search(words) is not None


def _concerns(question: AskedQuestion, title: str, words: str) -> bool:
    """Return whether what was seen or noted of a thing has more to do with a question than a chance word."""
    strong = question.strong
    return coverage(strong, meanings(title)) > 0 or (len(strong) > 1 and coverage(strong, meanings(words)) == 1.0)


def _titled(entry: Entry) -> tuple[str, str]:
    """Split what was seen of a thing into its name and the first line of what it looks like."""
    first = entry.text.strip().split("\n", 1)[0]
    title, mark, rest = first.partition(": ")
    return (title, rest) if mark and len(title) <= 40 else ("", first)


def statements(entry: Entry, name: str, people: tuple[str, ...] = ()) -> list[str]:
    """Return what a memory states, sentence by sentence; one that leans on the one before it stays with it.

    Args:
        entry: the memory.
        name: the agent's own name.
        people: names that may be called at the beginning of a line.
    """
    if is_known(entry):  # whole, so that whoever speaks in it is named
        told = list(_told(entry.text, "", ()))
    elif entry.kind in HEARD:
        said = remembered(entry)
        plain = said.words.casefold() if said else ""
        called = tuple(one for one in people if one and one.casefold() in plain)
        told = list(_told(said.words, name, called)) if said else []
    elif entry.kind == "result":
        told = [] if of_own_mind(entry) else sentences(_titled(entry)[1])
        told = [] if len(told) == 1 and is_ignorant(told[0]) else told  # a look that showed nothing
    elif entry.kind == "saw" and len(entry.text) <= LONGEST and "\n" not in entry.text.strip():
        told = [entry.text.strip()]
    else:
        told = []
    pieces: list[str] = []
    breath = " ".join(entry.text.split())
    for part in told:
        quoted = entry.kind == "result" and part.startswith('"') and len(pieces[-1:]) and len(pieces[-1]) < 120
        if pieces and (quoted or LEANS.match(part)) and len(pieces[-1]) + len(part) < LONGEST:
            joined = f"{pieces[-1]} {part}"
            if " ".join(joined.split()) in breath:  # never over something left out between the two
                pieces[-1] = joined
                continue
        pieces.append(part[:LONGEST])
    return pieces


@lru_cache(maxsize=1 << 12)
def _told(words: str, name: str, called: tuple[str, ...]) -> tuple[str, ...]:
    """Return what a spoken line states; the same lines are weighed for one question after another."""
    bare = without_address(_uncalled(words, called), (name,))
    return tuple(part for part in told_in(_whole(bare), name) if not is_ignorant(part) and not is_small_talk(part))


def _uncalled(words: str, people: tuple[str, ...]) -> str:
    """Return a line without the name it calls at its beginning or its end."""
    for name in people:
        words = re.sub(
            rf"^{re.escape(name)}\s*[,;:!]\s*|"
            rf"\s*,\s*{re.escape(name)}(?=\s*[.!?…]*$)",
            "",
            words,
            flags=re.I,
        )
    return words


def _whole(words: str) -> list[str]:
    """Split a line into sentences, but never within a quotation."""
    return [words] if re.search(r"(?<!\w)['‘\"“]\w", words) else sentences(words)


def _from_document(asked: EvidenceRequest, hit: Hit) -> Iterator[Evidence]:
    """Yield the sentence of a note or a summary that answers best; both are at second hand."""
    question = asked.question
    malus = 0.05 if hit.kind == "note" else 0.15
    scored = [(_score(question, part, hit.title or ""), part) for part in repeatable(hit.text)]
    score, words = max(scored, key=lambda pair: pair[0], default=(0.0, ""))
    if score <= 0:
        return
    source, inner = unwrapped(words, asked.known)
    origin = f"{hit.covers[0]}-{hit.covers[1]}" if hit.covers else f"[[{hit.title}]]"
    if source and source != asked.name:
        yield Evidence(inner, score - malus, "heard", source, None, "", 0, origin=origin)
    else:
        if hit.kind == "summary" and not _shares(question, words, asked.known):
            return
        if question.yours and not (hit.kind == "summary" and words.startswith("I ")):
            return
        if hit.kind == "note" and not _concerns(question, hit.title or "", words):
            return
        yield Evidence(words, score - malus, hit.kind, title=hit.title or "", origin=origin)


def _shares(question: AskedQuestion, words: str, people: Collection[str]) -> bool:
    """Return whether a sentence of a summary shares what a question tells, not only whom it names."""
    named = {word for name in people for word in telling(name)}
    rest = [word for word in question.strong if word.casefold() not in named] or question.strong
    return coverage(rest, meanings(words)) >= 0.5


def _score(question: AskedQuestion, words: str, actor: str) -> float:
    """Say how well a statement answers: shared telling words, and whether it holds what was asked for."""
    implied = _implied(words)
    found = meanings(f"{words} {actor} {implied}")
    speaker = telling(actor)
    rest = tuple(word for word in question.strong if word.casefold() not in speaker)
    if rest and len(rest) < len(question.strong) and coverage(rest, meanings(f"{words} {implied}")) == 0:
        return 0.0  # that it is they who spoke says nothing of what they are asked for
    score = coverage(question.telling, found)
    if score == 0:
        return 0.0
    known = {stem(word) for word in question.telling}
    if not any(stem(word) not in known and not is_weak(word) for word in telling(words)):
        return score - 0.5
    score -= 0.1 if UNSURE.search(words) else 0.0
    if question.subject and coverage(question.subject, found) == 0:
        score -= 0.2
    marks = MARKS.get(question.asks)
    if marks is None:
        return score + 0.05
    if not marks.search(words):
        return score - (0.25 if question.asks in (Asks.WHY, Asks.COLOUR, Asks.NAME) else 0.45)
    if question.asks is Asks.WHERE and len(question.strong) == 1 and question.subject:
        name = question.subject[0]
        if name[0].isupper() and not re.search(rf"\b{re.escape(name)}{BEING.pattern}", words, re.I):
            return score - 0.5  # where something happened to somebody is not where they are
    return score + 0.1
