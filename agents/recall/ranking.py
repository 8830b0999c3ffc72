"""From what words and vectors found to scored hits. Pure.

    relevance = vector weight x cosine + (1 - vector weight) x share of the question's words, less for a question
    score = (relevance + neighbours + who + when + answer) x (1 + w x recency + w' x importance)
    what somebody said stands before what others, later, made of it
    a document that the question calls by its name gets the score of the best document besides its own

A word counts by the square of its inverse document frequency in this life: of a name that half of all memories have
next to nothing is left. Measured on the development data (README, "How well it remembers"): the share of words as a
plain set does as well as BM25, and a cosine known only for the nearest hundred as well as one known for all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from math import inf, nextafter
from typing import NamedTuple, TypeVar

from agents.memory.entries import Entry, Hit
from agents.recall.documents import SUMMARY, IndexedDocument, text_of
from agents.recall.passages import beside, memory_of
from agents.recall.question import Question
from agents.recall.settings import RecallSettings
from agents.recall.signs import SPOKEN, Signs, recency_of, stamp
from agents.recall.spoken import is_question, repeats, tells

K = TypeVar("K")
NO_PARTS: Mapping[int, int] = {}
"""What a life without any long memory has."""
Groups = Mapping[str, Mapping[str, float]]
"""For each telling word of a question the words that stand for it, with their weights; the word itself has 1."""

CANDIDATES = 100
"""Memories that the words may bring forward; 200 found no more of the answers."""
WIDELY = 400
"""As many where some kinds of them will not count: who was asked the same a hundred times has said it as often."""
NEAREST = 100
"""Memories, and documents, that the vectors may bring forward; 60 found a little less, 200 no more."""
LENDERS = 60
"""Memories that lend to their neighbours; with 20, 40 and 200 about as many answers were found."""
REACH = 2
"""How far a memory lends, in memories."""
ANSWERED = 1.5
"""How much more a question lends to what follows it than another line does."""
BACK = 0.8
"""How much of what it lends onward a memory lends to those before it."""
MOST_LENT = 0.8
"""What neighbours lend together, at most: so much of what the best fits better than the least."""
ASKED = 0.85
"""A question is worth so much of a line that tells something: who recalls wants the answer, not the asking. With 0.75
as many answers were found on the development data, without it one in sixty fewer."""
LOOKED_AT, ORIGINALS = 20, 60
"""Hits of which each may repeat something earlier, and the best memories among which that is looked for."""
CONVERSATION_GAP = 1800.0
"""Seconds after which what follows belongs to another conversation."""
QUERY_RESULT_WEIGHT = 0.5
"""What one's own queries showed, or one dreamed, is worth so much: neither must hide what it was about."""
SUMMARY_FIT = 0.75
"""A summary has many words, so it has those of a question more easily than the memory that says it in full."""


class FoundDocument(NamedTuple):
    """A summary or note that was found.

    Args:
        document: the summary or note.
        share: its share of the question's words; None when it has none of them.
        cosine: that of its vector and the question's; None when the vectors did not find it.
    """

    document: IndexedDocument
    share: float | None
    cosine: float | None


@dataclass(frozen=True, slots=True)
class Candidates:
    """What words and vectors found.

    Args:
        shares: share of the question's words by place, of the passages that have any; see `passages`. The place of a
            short memory, which is its own only passage, is its number.
        cosines: cosine by place, of the passages that the vectors found.
        entries: these passages as memories of their own, and the neighbours of the best, by place.
        times: how often a memory's text was lived, by seq; only where that is more than once.
        documents: summaries and notes.
        brought: memories of the time that is asked about, which words and vectors need not have found.
        wholes: the long ones of these memories in full, by seq.
        parts: how many passages each of these has.
    """

    shares: Mapping[int, float]
    cosines: Mapping[int, float]
    entries: Mapping[int, Entry]
    times: Mapping[int, int]
    documents: tuple[FoundDocument, ...] = ()
    brought: Sequence[int] = ()
    wholes: Mapping[int, Entry] = field(default_factory=dict)
    parts: Mapping[int, int] = field(default_factory=dict)

    def whole(self, entry: Entry) -> Entry:
        """Return the memory that a passage is of."""
        return self.wholes.get(entry.seq, entry)


def relevances(shares: Mapping[K, float], cosines: Mapping[K, float], weight: float) -> dict[K, float]:
    """Return how well each fits by words and vectors together.

    What the vectors passed over counts as the least they found; without any cosine the words alone count.

    Args:
        shares: share of the question's words.
        cosines: cosine with the question.
        weight: the vectors' part, 0 to 1.
    """
    if not cosines:
        return dict(shares)
    least = min(cosines.values())
    keys = dict.fromkeys((*shares, *cosines))
    return {key: weight * cosines.get(key, least) + (1 - weight) * shares.get(key, 0.0) for key in keys}


def lenders(relevance: Mapping[int, float]) -> list[int]:
    """Return the passages that lend to their neighbours, best first, younger first among equals."""
    return sorted(relevance, key=lambda place: (-relevance[place], -memory_of(place), -place))[:LENDERS]


def neighbours_of(places: Iterable[int], parts: Mapping[int, int] = NO_PARTS) -> set[int]:
    """Return the passages to which these lend, and these; of long memories `parts` tells how many each has."""
    near = {beside(place, step, parts) for place in places for step in range(-REACH, REACH + 1)}
    return {place for place in near if place > 0}


def lent(
    relevance: Mapping[int, float],
    entries: Mapping[int, Entry],
    weight: float,
    floor: float = 0.0,
    parts: Mapping[int, int] = NO_PARTS,
) -> dict[int, float]:
    """Return what each passage gets from those beside it: a part of what these have above the least of the lenders.

    So a short memory lends to all of another, and a long one, which tells by itself what belongs together, within
    itself, and of its ends alone to others.

    Args:
        relevance: how well each passage fits by itself, by place.
        entries: passages and neighbours.
        weight: the part that goes to the next passage, and squared to the one after that.
        floor: what anything fits, however little it has to do with the question.
        parts: how many passages each long memory has.
    """
    best = lenders(relevance)
    total: dict[int, float] = {}
    if not best or weight == 0:
        return total
    least = relevance[best[-1]] if len(best) == LENDERS else floor
    # In order, because a sum of floats hangs on it.
    for place in sorted(best):
        lender = entries.get(place)
        if lender is None or _is_echo(lender):
            continue
        onward = min(1.0, weight * (ANSWERED if "?" in lender.text else 1.0))
        for step, part in ((1, onward), (2, onward**2), (-1, weight * BACK), (-2, (weight * BACK) ** 2)):
            there = beside(place, step, parts)
            near = entries.get(there)
            if near is not None and not _is_echo(near) and _together(lender, near):
                total[there] = total.get(there, 0.0) + (relevance[place] - least) * part
    most = MOST_LENT * (relevance[best[0]] - least)
    return {place: min(share, most) for place, share in total.items()}


def _together(one: Entry, other: Entry) -> bool:
    """Tell whether two memories belong to the same stretch of life; of times that cannot be read nobody knows."""
    a, b = stamp(one.at), stamp(other.at)
    return a is None or b is None or abs(a - b) <= CONVERSATION_GAP


def _fits(found: Candidates, question: Question, weights: RecallSettings) -> tuple[dict[int, float], dict[int, float]]:
    """Return how well each memory fits, what its neighbours lend included, and what they lend."""
    relevance = relevances(found.shares, found.cosines, weights.vector_weight)
    relevance |= {seq: QUERY_RESULT_WEIGHT * fit for seq, fit in relevance.items() if _is_echo(found.entries.get(seq))}
    # A neighbour that neither words nor vectors found is worth as much by itself as the least that they did.
    least = min(relevance.values(), default=0.0) if found.cosines else 0.0
    near = lent(relevance, found.entries, weights.neighbours, least, found.parts)
    fits = {seq: relevance.get(seq, least) + near.get(seq, 0.0) for seq in (*relevance, *near, *found.brought)}
    return {place: fit * _worth(found.entries.get(place), question) for place, fit in fits.items()}, near


def _worth(entry: Entry | None, question: Question) -> float:
    """Return what is left of a fit: less of a question, but for one that fits by what it tells before it asks."""
    asks = entry is not None and is_question(entry.text) and not tells(entry.text, question.words)
    return ASKED if asks else 1.0


def _is_echo(entry: Entry | None) -> bool:
    """Tell whether a memory is what one's own queries showed, or only a dream."""
    return entry is not None and entry.kind in ("result", "dream")


class _Candidate(NamedTuple):
    """A memory before the question's other signs are looked at, which takes the longest.

    Args:
        place: of its passage.
        entry: the memory, with the text of that passage.
        fit: see `_fits`.
        recency, importance: as in its hit.
        raised: what its fit and its signs are multiplied with.
    """

    place: int
    entry: Entry
    fit: float
    recency: float | None
    importance: float
    raised: float


class _Scored(NamedTuple):
    """A candidate with its score, and what its signs, and an echo that it stands before, add to it."""

    of: _Candidate
    score: float
    who: float
    when: float
    answer: float
    echoed: float = 0.0

    @property
    def signs(self) -> float:
        """What all of its signs add."""
        return self.who + self.when + self.answer


def _scored(one: _Candidate, signs: Signs) -> _Scored:
    who, when, answer = signs.who(one.entry), signs.when(one.entry), signs.answer(one.entry)
    return _Scored(one, (one.fit + who + when + answer) * one.raised, who, when, answer)


def _candidates(
    fits: Mapping[int, float], found: Candidates, now: datetime, weights: RecallSettings, without: Collection[str]
) -> list[_Candidate]:
    made, seconds, half_life = [], now.timestamp(), weights.recency_half_life
    recent, important, get = weights.recency, weights.importance, found.entries.get
    for place, fit in fits.items():
        if (entry := get(place)) is not None and entry.text and entry.kind not in without:  # own searches have no text
            recency = recency_of(entry.at, seconds, half_life)
            importance = max(0.0, min(1.0, (entry.importance - 1) / 9))
            raised = 1.0 + recent * (recency or 0.0) + important * importance
            made.append(_Candidate(place, entry, fit, recency, importance, raised))
    return sorted(made, key=lambda one: -one.fit * one.raised)


def _in_reach(candidates: list[_Candidate], found: Candidates, k: int, most: float) -> list[_Candidate]:
    """Return the candidates, sorted, that can be among the best k texts when none gets more than `most` from signs."""
    texts: set[str] = set()
    for place, one in enumerate(candidates):
        texts.add(_text_of(found.whole(one.entry)))
        if len(texts) > k:
            least = one.fit * one.raised
            return [
                *candidates[:place],
                *(other for other in candidates[place:] if (other.fit + most) * other.raised >= least),
            ]
    return candidates


def _memory_hits(
    found: Candidates, question: Question, k: int, now: datetime, weights: RecallSettings, without: Collection[str]
) -> list[Hit]:
    """Return the best k memories, each by its best passage; of those with the same text only the best."""
    fits, near = _fits(found, question, weights)
    signs = Signs(question, found.entries, weights)
    candidates = _candidates(fits, found, now, weights, without)
    scored = [_scored(one, signs) for one in _in_reach(candidates, found, max(0, k), signs.most)]
    # The younger of two equal ones comes first, and nothing hangs on the order in which they were found.
    scored.sort(key=lambda one: (-one.score, -one.of.entry.seq, one.of.place))
    best: dict[str, _Scored] = {}
    for one in scored:
        best.setdefault(_text_of(found.whole(one.of.entry)), one)
    raised = _originals_first(list(best.values()), question, max(0, k))
    return [_hit(one, found, near) for one in islice(raised, max(0, k))]


def _originals_first(scored: list[_Scored], question: Question, k: int) -> list[_Scored]:
    """Return these with what somebody said before what others made of it: an echo has the same words, or more."""
    for place in range(min(k, LOOKED_AT, len(scored))):
        echo = scored[place]
        rest = [
            one
            for one in scored[place + 1 : ORIGINALS]
            if one.of.entry.seq < echo.of.entry.seq
            and one.of.entry.kind in SPOKEN
            and (one.of.entry.kind, one.of.entry.actor) != (echo.of.entry.kind, echo.of.entry.actor)
            and one.signs >= echo.signs
            and repeats(echo.of.entry.text, one.of.entry.text, question.words)
        ]
        if rest:
            original = min(rest, key=lambda one: one.of.entry.seq)
            scored.remove(original)
            score = nextafter(echo.score, inf)
            scored.insert(place, original._replace(score=score, echoed=score - original.score))
    return scored


def _hit(scored: _Scored, found: Candidates, near: Mapping[int, float]) -> Hit:
    one, entry, place = scored.of, scored.of.entry, scored.of.place
    return Hit(
        entry.kind,
        entry.text,
        scored.score,
        lexical=found.shares.get(place),
        vector=found.cosines.get(place),
        recency=one.recency,
        importance=one.importance,
        seq=entry.seq,
        entry=found.whole(entry),
        neighbours=near.get(place, 0.0),
        who=scored.who,
        when=scored.when,
        answer=scored.answer,
        echoed=scored.echoed,
        times=found.times.get(entry.seq, 1),
        at=entry.at,
    )


def _document_hits(found: Candidates, question: Question, now: datetime, weights: RecallSettings) -> list[Hit]:
    """Return all documents; one that is called by its name stands before any that only has its words."""
    shares = {
        number: one.share * (SUMMARY_FIT if one.document.kind == SUMMARY else 1.0)
        for number, one in enumerate(found.documents)
        if one.share is not None
    }
    cosines = {number: one.cosine for number, one in enumerate(found.documents) if one.cosine is not None}
    hits: list[Hit] = []
    called: list[int] = []
    for number, relevance in relevances(shares, cosines, weights.vector_weight).items():
        document, cosine = found.documents[number].document, cosines.get(number)
        recency = recency_of(document.timestamp, now.timestamp(), weights.recency_half_life)
        score = max(0.0, relevance) * (1 + weights.recency * (recency or 0.0))
        hits.append(
            Hit(
                document.kind,
                document.text,
                score,
                lexical=shares.get(number),
                vector=cosine,
                recency=recency,
                covers=document.covers,
                title=document.title or None,
                at=document.timestamp,
            )
        )
        if any(map(question.calls, (document.title, *document.aliases))):
            called.append(len(hits) - 1)
    best = max((hit.score for hit in hits), default=0.0)
    for place in called:
        hits[place] = hits[place]._replace(score=hits[place].score + best, called=best)
    return hits


def rank(
    found: Candidates, question: Question, k: int, now: datetime, weights: RecallSettings, without: Collection[str] = ()
) -> list[Hit]:
    """Return the best hits, best first; of memories with the same text only the best.

    Args:
        found: what words and vectors found.
        question: what was asked.
        k: how many at most.
        now: the time that recency is counted from.
        weights: the shares of the parts.
        without: kinds of memories that are no hits.
    """
    hits = _memory_hits(found, question, k, now, weights, without) + _document_hits(found, question, now, weights)
    hits.sort(key=lambda hit: (-hit.score, -(hit.seq or 0), hit.covers or (0, 0), hit.title or ""))
    best: dict[tuple[object, ...], Hit] = {}
    for hit in hits:
        if hit.score > 0:
            best.setdefault(_same(hit), hit)
    return list(best.values())[: max(0, k)]


def _same(hit: Hit) -> tuple[object, ...]:
    """Return what hits have in common of which only the best is shown."""
    if hit.entry is None:
        return hit.kind, hit.title, hit.covers, hit.text  # a document is only itself: two notes may say the same
    return (_text_of(hit.entry),)


def _text_of(entry: Entry) -> str:
    """Return what memories have in common of which only the best is shown."""
    # One look back is enough: who asked again and again would see nothing else.
    return "result" if _is_echo(entry) else text_of(entry)
