"""Turns the results of words and vectors into scored hits. Pure functions.

    relevance = vector weight x cosine + (1 - vector weight) x share of the question's words, less for a question
    score = (relevance + neighbours + who + when + answer) x (1 + w x recency + w' x importance)

Originals are placed before repetitions; named documents get the best document's score in addition. On the development
data plain sets of words did as well as BM25 (README, "How well it remembers").
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from math import inf, nextafter
from typing import NamedTuple, TypeVar

from agents.memory.entries import Entry, Hit
from agents.memory.perception import of_own_mind
from agents.recall.documents import SUMMARY, IndexedDocument, memory_of, place_beside, text_of
from agents.recall.question import ParsedQuestion, is_about_speaker, is_question, repeats, states_answer
from agents.recall.settings import RecallSettings
from mud.clock import parse_iso

K = TypeVar("K")
NO_PARTS: Mapping[int, int] = {}
Groups = Mapping[str, Mapping[str, float]]
"""For each content word of a question the words that match it, with weights; the word itself has 1."""

BOOSTING = 60
"""Number of memories that boost their neighbours; 20, 40 and 200 found about as many answers."""
REACH = 2
"""Distance of boosted neighbours, in memories."""
QUESTION_BOOST = 1.5
"""Factor for the boost that a question gives to later memories."""
BACKWARD_BOOST = 0.8
"""Factor for the boost of earlier memories."""
MAX_BOOST = 0.8
"""Limit of the sum of boosts, as a share of the range of relevance among the best."""
QUESTION_WEIGHT = 0.85
"""Factor for a memory that is a question. 0.75 found as many answers on the development data; 1 found fewer."""
CHECKED_FOR_ORIGINALS, ORIGINALS = 20, 60
"""Hits checked for being repetitions, and the best memories searched for their originals."""
CONVERSATION_GAP = 1800.0
"""Seconds between memories of different conversations."""
DERIVED_WEIGHT = 0.5
"""Factor for what shows the agent's own mind (searches, notes), for dreams and for failed tries, so that they do not
hide what they are about."""
SUMMARY_WEIGHT = 0.75
"""Factor for summaries, which match words more easily because they are long."""

OWN_KINDS = ("said", "thought", "did")
SPOKEN_KINDS = ("said", "heard", "told")
SPEAKER_WEIGHT = 2.0
"""Factor on `who` for a first-person question and a speaker who talks about themselves. Of the lines of one of two
unnamed speakers it found .02 more, .005 more with 1, and as many with 3."""
MAX_SPEAKERS = 2
"""Maximum number of speakers for that rule; of more, most are not the one who asks."""


class FoundDocument(NamedTuple):
    """A summary or note with its share of the question's words and its cosine; None where not found."""

    document: IndexedDocument
    share: float | None
    cosine: float | None


@dataclass(frozen=True, slots=True)
class Candidates:
    """The results of words and vectors by place (see `documents.place_of`); `times`, `wholes` and `parts` are by seq.

    `entries` are the passages found and the best ones' neighbours. `times` counts equal texts.
    """

    shares: Mapping[int, float]
    cosines: Mapping[int, float]
    entries: Mapping[int, Entry]
    times: Mapping[int, int]
    documents: tuple[FoundDocument, ...] = ()
    of_time: Sequence[int] = ()
    wholes: Mapping[int, Entry] = field(default_factory=dict)
    parts: Mapping[int, int] = field(default_factory=dict)

    def whole(self, entry: Entry) -> Entry:
        return self.wholes.get(entry.seq, entry)


# -- relevance, and what neighbours add -------------------------------------------------------------------------------


def relevances(shares: Mapping[K, float], cosines: Mapping[K, float], weight: float) -> dict[K, float]:
    """Return weighted sums of shares and cosines.

    A missing cosine counts as the smallest one; without any, only the words count.
    """
    if not cosines:
        return dict(shares)
    least = min(cosines.values())
    keys = dict.fromkeys((*shares, *cosines))
    return {key: weight * cosines.get(key, least) + (1 - weight) * shares.get(key, 0.0) for key in keys}


def best_places(relevance: Mapping[int, float]) -> list[int]:
    """Return the places that boost their neighbours: best first, then younger first."""
    return sorted(relevance, key=lambda place: (-relevance[place], -memory_of(place), -place))[:BOOSTING]


def neighbours_of(places: Iterable[int], parts: Mapping[int, int] = NO_PARTS) -> set[int]:
    near = {place_beside(place, step, parts) for place in places for step in range(-REACH, REACH + 1)}
    return {place for place in near if place > 0}


def neighbour_boost(
    relevance: Mapping[int, float],
    entries: Mapping[int, Entry],
    weight: float,
    floor: float = 0.0,
    parts: Mapping[int, int] = NO_PARTS,
) -> dict[int, float]:
    """Return the boost of each place by its neighbours: a part of their relevance above the least of the best.

    `weight` is for the next passage, squared for the one after; `floor` is the least relevance if few were found.
    """
    best = best_places(relevance)
    total: dict[int, float] = {}
    if not best or weight == 0:
        return total
    least = relevance[best[-1]] if len(best) == BOOSTING else floor
    # Sorted, because float sums depend on the order.
    for place in sorted(best):
        source = entries.get(place)
        if source is None or _is_derived(source):
            continue
        onward = min(1.0, weight * (QUESTION_BOOST if "?" in source.text else 1.0))
        back = weight * BACKWARD_BOOST
        for step, part in ((1, onward), (2, onward**2), (-1, back), (-2, back**2)):
            there = place_beside(place, step, parts)
            near = entries.get(there)
            if near is not None and not _is_derived(near) and _in_one_conversation(source, near):
                total[there] = total.get(there, 0.0) + (relevance[place] - least) * part
    most = MAX_BOOST * (relevance[best[0]] - least)
    return {place: min(boost, most) for place, boost in total.items()}


def _in_one_conversation(one: Entry, other: Entry) -> bool:
    a, b = _timestamp(one.at), _timestamp(other.at)
    return a is None or b is None or abs(a - b) <= CONVERSATION_GAP


def _is_derived(entry: Entry | None) -> bool:
    return entry is not None and (entry.kind == "dream" or entry.failed or of_own_mind(entry))


def _fits(
    found: Candidates, question: ParsedQuestion, weights: RecallSettings
) -> tuple[dict[int, float], dict[int, float]]:
    """Return the relevance of each place including its neighbours' boost, and that boost."""
    relevance = relevances(found.shares, found.cosines, weights.vector_weight)
    relevance |= {
        place: DERIVED_WEIGHT * fit for place, fit in relevance.items() if _is_derived(found.entries.get(place))
    }
    # A neighbour that was not found itself counts as the least relevant one.
    least = min(relevance.values(), default=0.0) if found.cosines else 0.0
    boost = neighbour_boost(relevance, found.entries, weights.neighbours, least, found.parts)
    fits = {
        place: relevance.get(place, least) + boost.get(place, 0.0) for place in (*relevance, *boost, *found.of_time)
    }
    return {place: fit * _worth(found.entries.get(place), question) for place, fit in fits.items()}, boost


def _worth(entry: Entry | None, question: ParsedQuestion) -> float:
    asks = entry is not None and is_question(entry.text) and not states_answer(entry.text, question.words)
    return QUESTION_WEIGHT if asks else 1.0


# -- what a question says besides its words ---------------------------------------------------------------------------


@lru_cache(8192)
def _timestamp(at: str) -> float | None:
    try:
        return parse_iso(at).timestamp()
    except (ValueError, OverflowError):
        return None


def recency_of(at: str, now: float, half_life_days: float) -> float | None:
    """Return 1 for `now` (in seconds), 0.5 after one half-life; None for an invalid time."""
    then = _timestamp(at)
    if then is None:
        return None
    age = max(0.0, now - then) / 86400
    return float(0.5 ** min(age / half_life_days, 1000.0))


class Bonuses:
    def __init__(self, question: ParsedQuestion, entries: Mapping[int, Entry], weights: RecallSettings) -> None:
        self._question, self._weights = question, weights
        self._named = {actor: question.names(actor) for actor in {entry.actor or "" for entry in entries.values()}}
        speakers = {(entry.kind == "said", entry.actor) for entry in entries.values() if entry.kind in SPOKEN_KINDS}
        self._of_speaker = question.first_person and not any(self._named.values()) and len(speakers) <= MAX_SPEAKERS
        seqs = [entry.seq for entry in entries.values()]
        self._first, self._last = min(seqs, default=0), max(seqs, default=0)

    @property
    def most(self) -> float:
        question, weights = self._question, self._weights
        return (
            weights.who * max(question.own_words or any(self._named.values()), SPEAKER_WEIGHT * self._of_speaker)
            + weights.when * bool(question.moments or question.order)
            + weights.answer * (question.number or question.time)
        )

    def who(self, entry: Entry) -> float:
        if not self._question.own_words:
            if self._named[entry.actor or ""]:
                return self._weights.who
            # "Where did I grow up" asks for what the speaker told, not for the replies.
            told = self._of_speaker and entry.kind in SPOKEN_KINDS and is_about_speaker(entry.text)
            return SPEAKER_WEIGHT * self._weights.who if told else 0.0
        if entry.kind not in OWN_KINDS:
            return 0.0
        # "What did I tell Moss?" asks for what was said to Moss.
        to = [name for name, named in self._named.items() if named]
        return self._weights.who / (1 if not to or any(name in entry.text for name in to) else 2)

    def when(self, entry: Entry) -> float:
        fit = 0.0
        if self._question.moments and (at := _timestamp(entry.at)) is not None:
            fit = self._question.fits_time(datetime.fromtimestamp(at, UTC))
        if self._question.order and self._last > self._first:
            late = (entry.seq - self._first) / (self._last - self._first)
            fit = max(fit, (late if self._question.order > 0 else 1 - late) / 2)
        return self._weights.when * fit

    def answer(self, entry: Entry) -> float:
        return self._weights.answer if self._question.answered_by(entry.text) else 0.0


# -- memories ---------------------------------------------------------------------------------------------------------


class _Candidate(NamedTuple):
    """A passage; its bonuses and score come later, as they are slow to compute.

    `factor` multiplies the sum of fit and bonuses; `original` was added to place it before a repetition.
    """

    place: int
    entry: Entry
    fit: float
    recency: float | None
    importance: float
    factor: float
    score: float = 0.0
    who: float = 0.0
    when: float = 0.0
    answer: float = 0.0
    original: float = 0.0

    @property
    def bonuses(self) -> float:
        return self.who + self.when + self.answer


def _scored(one: _Candidate, bonuses: Bonuses) -> _Candidate:
    who, when, answer = bonuses.who(one.entry), bonuses.when(one.entry), bonuses.answer(one.entry)
    score = (one.fit + who + when + answer) * one.factor
    return _Candidate(*one[:6], score, who, when, answer)  # twice as quick as _replace


def _candidates(
    fits: Mapping[int, float], found: Candidates, now: datetime, weights: RecallSettings, without: Collection[str]
) -> list[_Candidate]:
    made, seconds, half_life = [], now.timestamp(), weights.recency_half_life
    recent, important, get = weights.recency, weights.importance, found.entries.get
    for place, fit in fits.items():
        if (entry := get(place)) is not None and entry.text and entry.kind not in without:  # own searches have no text
            recency = recency_of(entry.at, seconds, half_life)
            importance = max(0.0, min(1.0, (entry.importance - 1) / 9))
            factor = 1.0 + recent * (recency or 0.0) + important * importance
            made.append(_Candidate(place, entry, fit, recency, importance, factor))
    return sorted(made, key=lambda one: -one.fit * one.factor)


def _in_reach(candidates: list[_Candidate], found: Candidates, k: int, most: float) -> list[_Candidate]:
    """Return those candidates that can be among the best k texts if no bonus exceeds `most`."""
    texts: set[str] = set()
    for place, one in enumerate(candidates):
        texts.add(_text_of(found.whole(one.entry)))
        if len(texts) > k:
            least = one.fit * one.factor
            rest = (other for other in candidates[place:] if (other.fit + most) * other.factor >= least)
            return [*candidates[:place], *rest]
    return candidates


def _memory_hits(
    found: Candidates,
    question: ParsedQuestion,
    k: int,
    now: datetime,
    weights: RecallSettings,
    without: Collection[str],
) -> list[Hit]:
    """Return the best k memories, each by its best passage; of equal texts only the best."""
    fits, boost = _fits(found, question, weights)
    bonuses = Bonuses(question, found.entries, weights)
    candidates = _candidates(fits, found, now, weights, without)
    scored = [_scored(one, bonuses) for one in _in_reach(candidates, found, k, bonuses.most)]
    # Younger first among equals, so that the order is deterministic.
    scored.sort(key=lambda one: (-one.score, -one.entry.seq, one.place))
    best: dict[str, _Candidate] = {}
    for one in scored:
        best.setdefault(_text_of(found.whole(one.entry)), one)
    return [_hit(one, found, boost) for one in _originals_first(list(best.values()), question, k)[:k]]


def _originals_first(scored: list[_Candidate], question: ParsedQuestion, k: int) -> list[_Candidate]:
    for place in range(min(k, CHECKED_FOR_ORIGINALS, len(scored))):
        later = scored[place]
        earlier = [
            one
            for one in scored[place + 1 : ORIGINALS]
            if one.entry.seq < later.entry.seq
            and one.entry.kind in SPOKEN_KINDS
            and (one.entry.kind, one.entry.actor) != (later.entry.kind, later.entry.actor)
            and one.bonuses >= later.bonuses
            and repeats(later.entry.text, one.entry.text, question.words)
        ]
        if earlier:
            first = min(earlier, key=lambda one: one.entry.seq)
            scored.remove(first)
            score = nextafter(later.score, inf)
            scored.insert(place, first._replace(score=score, original=score - first.score))
    return scored


def _hit(one: _Candidate, found: Candidates, boost: Mapping[int, float]) -> Hit:
    entry, place = one.entry, one.place
    return Hit(
        entry.kind,
        entry.text,
        one.score,
        lexical=found.shares.get(place),
        vector=found.cosines.get(place),
        recency=one.recency,
        importance=one.importance,
        seq=entry.seq,
        entry=found.whole(entry),
        neighbours=boost.get(place, 0.0),
        who=one.who,
        when=one.when,
        answer=one.answer,
        echoed=one.original,
        times=found.times.get(entry.seq, 1),
        at=entry.at,
    )


# -- documents, and all together --------------------------------------------------------------------------------------


def _document_hits(found: Candidates, question: ParsedQuestion, now: datetime, weights: RecallSettings) -> list[Hit]:
    """Return all documents; those whose title or alias the question contains score above all others."""
    shares = {
        number: one.share * (SUMMARY_WEIGHT if one.document.kind == SUMMARY else 1.0)
        for number, one in enumerate(found.documents)
        if one.share is not None
    }
    cosines = {number: one.cosine for number, one in enumerate(found.documents) if one.cosine is not None}
    hits: list[Hit] = []
    called: list[int] = []
    for number, relevance in relevances(shares, cosines, weights.vector_weight).items():
        document = found.documents[number].document
        recency = recency_of(document.timestamp, now.timestamp(), weights.recency_half_life)
        if any(map(question.names_title, (document.title, *document.aliases))):
            called.append(len(hits))
        hits.append(
            Hit(
                document.kind,
                document.text,
                max(0.0, relevance) * (1 + weights.recency * (recency or 0.0)),
                lexical=shares.get(number),
                vector=cosines.get(number),
                recency=recency,
                covers=document.covers,
                title=document.title or None,
                at=document.timestamp,
            )
        )
    best = max((hit.score for hit in hits), default=0.0)
    for place in called:
        hits[place] = hits[place]._replace(score=hits[place].score + best, called=best)
    return hits


def rank(
    found: Candidates,
    question: ParsedQuestion,
    k: int,
    now: datetime,
    weights: RecallSettings,
    without: Collection[str] = (),
) -> list[Hit]:
    """Return the best k hits, best first; kinds in `without` are no hits."""
    k = max(0, k)
    hits = _memory_hits(found, question, k, now, weights, without) + _document_hits(found, question, now, weights)
    hits.sort(key=lambda hit: (-hit.score, -(hit.seq or 0), hit.covers or (0, 0), hit.title or ""))
    best: dict[tuple[object, ...], Hit] = {}
    for hit in hits:
        if hit.score > 0:
            best.setdefault(_identity(hit), hit)
    return list(best.values())[:k]


def _identity(hit: Hit) -> tuple[object, ...]:
    """Return a key; of hits with the same key only the best is shown."""
    if hit.entry is None:
        return hit.kind, hit.title, hit.covers, hit.text
    return (_text_of(hit.entry),)


def _text_of(entry: Entry) -> str:
    # These share one key, else repeated searches would show nothing else.
    return "derived" if entry.kind == "dream" or of_own_mind(entry) else text_of(entry)
