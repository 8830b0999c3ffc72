"""Search in the lexical index: memories and documents by a question's words or by the times it names.

    share = sum over the question's words of max over {the word, words alike} of weight x min(idf, idf of the word)^2
            for those that are in it, / sum of idf^2 of the question's words
    idf = ln(1 + (n - count + 0.5) / (count + 0.5)), as in BM25, with n and count of the one agent's memories

Term frequency and length did not help on the development data.
"""

from __future__ import annotations

import json
import math
import sqlite3
from array import array
from bisect import bisect_left
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, compress, islice
from operator import itemgetter
from typing import NamedTuple

from agents.memory.corrections import FORGOTTEN
from agents.memory.entries import Entry
from agents.recall import tables
from agents.recall.documents import MAX_PASSAGES, memory_of, part_of, passages, place_of
from agents.recall.question import ParsedQuestion, Span
from agents.recall.ranking import (
    REACH,
    Candidates,
    FoundDocument,
    Groups,
    best_places,
    neighbours_of,
    relevances,
)
from agents.recall.tables import WORDS, RepeatedText, Stemmer, passage_row
from mud.clock import iso, parse_iso

CANDIDATES = 100
"""Maximum memories found by words; 200 found no more of the answers."""
WIDELY = 400
"""The same if some kinds are filtered out, as repeated questions would fill the result."""
MAX_ALIKE = 5
BUDGET = 2000
"""Rows read for one query. On 100,000 memories (Zipf), the first 20 hits of 80 queries of 40 words were the same as
without a budget."""
DOCUMENTS = 60
DOCUMENT_BUDGET = 1000

OF_TIME = 60
"""Memories of each span of time: the most important, then the newest."""
NEWEST_OF_TIME = 2000
"""The newest memories of a span, from which those are chosen."""
AT_AN_END = 20
"""Memories added from the start or end when a question asks for the first or last."""
MAX_SPANS = 10
"""Maximum spans: "in May" matches one in every year."""

MAX_POSTINGS_BYTES = 16_000_000
LIST_OVERHEAD = 400
CHUNK = 50_000
"""Rows converted at once; this holds the interpreter lock for some milliseconds."""
FEW_LOOKUPS = 16
"""Up to this number of lookups, no table is built for a long list."""
LONG_LIST = 1000
"""Minimum rows of a list for which a table is worth building."""


# -- posting lists ----------------------------------------------------------------------------------------------------


class PostingList:
    """Ascending row numbers (at least 1) with a fast membership test."""

    def __init__(self, rows: Sequence[int] = ()) -> None:
        self.rows = array("I", rows)
        self._table = bytearray()

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def size(self) -> int:
        return LIST_OVERHEAD + 4 * len(self.rows) + len(self._table)

    def extend(self, rows: Sequence[int]) -> None:
        self.rows.extend(rows)
        if self._table:
            self._mark(rows)

    def among(self, wanted: Sequence[int]) -> Collection[int]:
        rows = self.rows
        if not rows or not wanted:
            return ()
        if len(wanted) > FEW_LOOKUPS and len(rows) >= LONG_LIST and len(rows) > len(wanted):
            return self._by_table(wanted)
        if len(rows) <= 8 * len(wanted):
            return set(wanted).intersection(rows)
        end = len(rows)
        return [row for row in wanted if (place := bisect_left(rows, row)) < end and rows[place] == row]

    def _by_table(self, wanted: Sequence[int]) -> Collection[int]:
        if not self._table:
            self._mark(self.rows)
        try:
            # One call for all: a twentieth of a microsecond each.
            return list(compress(wanted, itemgetter(*wanted)(self._table)))
        except IndexError:
            return [row for row in wanted if row < len(self._table) and self._table[row]]

    def _mark(self, rows: Sequence[int]) -> None:
        table = self._table
        if rows and rows[-1] >= len(table):
            # With room for later memories.
            table.extend(bytes(rows[-1] * 9 // 8 + 64 - len(table)))
        for row in rows:
            table[row] = 1


class Postings:
    """The posting lists used last. Memories are only appended, so a list is extended instead of read again."""

    def __init__(self, max_bytes: int = MAX_POSTINGS_BYTES) -> None:
        self._max_bytes = max_bytes
        self._size = 0
        self._lists: OrderedDict[tuple[str, int, str], tuple[int, PostingList, int]] = OrderedDict()
        self._stems: defaultdict[tuple[str, int], set[str]] = defaultdict(set)
        """The words that there are lists of, by table and agent: those of all agents are too many to look through."""

    def rows(
        self, db: sqlite3.Connection, table: str, number: int, stem: str, word: str, through: int, top: int
    ) -> PostingList:
        """Return the rows of an agent that contain a word, as lower halves of row ids.

        Rows up to `through` never change and are cached; `top` is the last row.
        """
        key = (table, number, stem)
        upto, rows, before = self._lists.pop(key, (0, PostingList(), 0))
        if upto < through:
            _read_rows(db, table, number, word, upto + 1, through, rows)
        self._lists[key] = (through, rows, rows.size)
        self._stems[table, number].add(stem)
        self._size += rows.size - before
        while self._size > self._max_bytes:
            self._drop(*next(iter(self._lists)))
        if through < top:
            rows = PostingList(rows.rows)
            _read_rows(db, table, number, word, through + 1, top, rows)
        return rows

    def forget(self, table: str, number: int) -> None:
        for stem in list(self._stems.get((table, number), ())):
            self._drop(table, number, stem)

    def _drop(self, table: str, number: int, stem: str) -> None:
        stems = self._stems[table, number]
        stems.discard(stem)
        if not stems:
            del self._stems[table, number]
        _, _, size = self._lists.pop((table, number, stem), (0, None, 0))  # one that could not be read is gone
        self._size -= size

    def clear(self) -> None:
        self._lists.clear()
        self._stems.clear()
        self._size = 0


def _read_rows(
    db: sqlite3.Connection, table: str, number: int, word: str, first: int, last: int, into: PostingList
) -> None:
    """Append the rows from `first` to `last`; joined as text, which is three times as fast as Python objects."""
    low, _ = tables.span(number)
    quoted = '"' + word.replace('"', '""') + '"'
    while True:
        found, end, text = db.execute(
            f"SELECT count(*), max(row), group_concat(row) FROM (SELECT rowid & 0xFFFFFFFF AS row FROM {table} "
            f"WHERE {table} MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid LIMIT {CHUNK})",
            (quoted, low | first, low | last),
        ).fetchone()
        if found:
            into.extend(json.loads(f"[{text}]"))
        if found < CHUNK:
            return
        first = end + 1


# -- shares of a question's words -------------------------------------------------------------------------------------


class Term(NamedTuple):
    """A word to search for, with its value and the number of the question's word that it stands for."""

    value: float
    word: int
    rows: PostingList


@dataclass(frozen=True, slots=True)
class WordMatches:
    """The best rows of one table with their shares; and for scoring others the terms, best first, and their sum."""

    terms: tuple[Term, ...] = ()
    whole: float = 1.0
    shares: Mapping[int, float] = field(default_factory=dict)

    def all_shares(self, rows: Collection[int]) -> dict[int, float]:
        """Return the shares of these rows, found or not; of those with none of the words there is none."""
        shares = {row: share for row, share in self.shares.items() if row in rows}
        others = [row for row in rows if row not in shares]
        sums = _sums([(term, term.rows.among(others)) for term in reversed(self.terms)])
        return shares | {row: value / self.whole for row, value in sums.items()}


def idf(count: int, total: int) -> float:
    """Return the inverse document frequency of a word in `count` of `total` memories; always above 0."""
    count = min(count, total)
    return math.log(1 + (total - count + 0.5) / (count + 0.5))


def _best_rows(terms: Sequence[Term], most: int, budget: int, oldest: bool) -> dict[int, float]:
    """Return the rows with the highest sums of values, best first, then youngest (or `oldest`) first.

    Posting lists longer than the budget are only looked up for rows of rarer words, and for the newest rows.
    """
    short: list[tuple[Term, Collection[int]]] = []
    long: list[Term] = []
    for term in terms:
        if len(term.rows) <= budget:
            budget -= len(term.rows)
            short.append((term, term.rows.rows))
        else:
            long.append(term)
    rows: set[int] = set().union(*(having for _, having in short))
    if long and budget:
        # Of rows with only very common words, the newest (or oldest) are enough.
        common = long[0].rows.rows
        rows.update(common[:budget] if oldest else common[-budget:])
    wanted = list(rows)
    sums = _sums(sorted(short + [(term, term.rows.among(wanted)) for term in long], key=lambda one: one[0].value))
    # Sorting only the values is the fastest way to drop most rows.
    least = sorted(sums.values())[-most] if len(sums) > most else 0.0
    turn = -1 if oldest else 1
    top = sorted(((value, turn * row) for row, value in sums.items() if value >= least), reverse=True)
    return {turn * row: value for value, row in top[:most]}


def _sums(found: Sequence[tuple[Term, Collection[int]]]) -> dict[int, float]:
    """Return the sum of values for each row; of the terms for one word the last counts."""
    parts: dict[int, dict[int, float]] = {number: {} for number in sorted({term.word for term, _ in found})}
    for term, having in found:
        parts[term.word].update(dict.fromkeys(having, term.value))
    total, *others = sorted(parts.values(), key=len, reverse=True) or [{}]
    get = total.get
    for part in others:
        for row, value in part.items():
            total[row] = get(row, 0.0) + value
    return total


# -- what has the words -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Matches:
    """Search results by words; `passages` are those of long memories."""

    memories: WordMatches = field(default_factory=WordMatches)
    passages: WordMatches = field(default_factory=WordMatches)
    documents: Mapping[str, WordMatches] = field(default_factory=dict)
    of_time: tuple[int, ...] = ()


class _Word(NamedTuple):
    """A word with its stem (empty if it cannot be searched), value and posting lists."""

    word: str
    stem: str
    value: float
    rows: PostingList
    passages: PostingList

    @property
    def frequency(self) -> int:
        return len(self.rows) + len(self.passages)


class Searcher:
    def __init__(self, stemmer: Stemmer, postings: Postings, budget: int) -> None:
        self._stemmer, self._postings, self._budget = stemmer, postings, budget

    def match(
        self,
        db: sqlite3.Connection,
        agent_id: str,
        groups: Groups,
        memories: bool,
        kinds: Collection[str],
        question: ParsedQuestion,
        widely: bool = False,
    ) -> Matches:
        """Find memories and documents by the words in `groups` and the times in `question`.

        `widely` returns more memories, for when some will be filtered out.
        """
        of_time = tuple(memories_of_time(db, agent_id, question)) if memories else ()
        number, through, more = tables.agent_row(db, agent_id)
        if not number or not groups:
            return Matches(of_time=of_time)
        top = max(through, tables.last_row(db, f"{tables.table_of(number)}_content", number))
        stems = self._stemmer.stems({*groups, *chain.from_iterable(groups.values())})

        @cache
        def look_up(word: str) -> _Word:
            if word not in stems:
                return _Word(word, "", 0.0, PostingList(), PostingList())
            stem = stems[word]
            rows = self._postings.rows(db, tables.table_of(number), number, stem, word, through, top)
            if not more:  # the usual case
                return _Word(word, stem, 0.0, rows, PostingList())
            first, last = passage_row(through, MAX_PASSAGES - 1), passage_row(top, MAX_PASSAGES - 1)
            of_long = self._postings.rows(db, tables.passages_of(number), number, stem, word, first, last)
            return _Word(word, stem, 0.0, rows, of_long)

        total = through + more
        chosen = [_chosen(word, alike, look_up, total) for word, alike in groups.items()]
        whole = sum(idf(look_up(word).frequency, total) ** 2 for word in groups)

        def find(rows_of: Callable[[_Word], PostingList], most: int, budget: int, oldest: bool = False) -> WordMatches:
            terms = [Term(word.value, number, rows_of(word)) for number, group in enumerate(chosen) for word in group]
            terms.sort(key=lambda term: -term.value)
            best = _best_rows(terms, most, budget, oldest)
            return WordMatches(tuple(terms), whole, {row: value / whole for row, value in best.items()})

        def written(table: str, last: int) -> WordMatches:
            # Uses the memories' idf: there are too few documents to tell which words are rare.
            def rows_of(word: _Word) -> PostingList:
                return self._postings.rows(db, table, number, word.stem, word.word, last, last)

            return find(rows_of, DOCUMENTS, min(self._budget, DOCUMENT_BUDGET))

        oldest = question.order < 0  # then the oldest come first among equals
        most, last = WIDELY if widely else CANDIDATES, tables.last_row(db, "documents", number) if kinds else 0
        return Matches(
            find(lambda word: word.rows, most, self._budget, oldest) if memories else WordMatches(),
            find(lambda word: word.passages, most, self._budget, oldest) if memories and more else WordMatches(),
            {kind: written(WORDS[kind], last) for kind in kinds} if last else {},
            of_time,
        )


def _chosen(word: str, alike: Mapping[str, float], look_up: Callable[[str], _Word], total: int) -> list[_Word]:
    """Return the word, if it can be searched, and its best similar words that this agent's memories contain."""
    asked = look_up(word)
    own = idf(asked.frequency, total)
    chosen = {asked.stem: asked._replace(value=own**2)} if asked.stem else {}
    left = MAX_ALIKE
    for other, weight in sorted(alike.items(), key=lambda one: -one[1]):
        if left == 0 or weight <= 0:
            break
        there = look_up(other)
        if there.stem not in chosen and there.frequency:
            chosen[there.stem] = there._replace(value=weight * min(own, idf(there.frequency, total)) ** 2)
            left -= 1
    return list(chosen.values())


# -- what is of the time asked about ----------------------------------------------------------------------------------


def memories_of_time(db: sqlite3.Connection, agent_id: str, question: ParsedQuestion) -> list[int]:
    """Return an agent's memories of the times a question names, or its first or last ones if asked for.

    Times have their own table, because imported memories may be in any order.
    """
    if not (question.moments or question.order):
        return []  # the usual case
    number, through, _ = tables.agent_row(db, agent_id)
    if not through:
        return []
    found: list[int] = []
    for span in islice(_spans(db, number, question), MAX_SPANS):
        found += _best_of(db, number, span)
    if question.order < 0:
        found += range(1, min(through, AT_AN_END) + 1)
    if question.order > 0:
        found += range(max(1, through - AT_AN_END + 1), through + 1)
    return list(dict.fromkeys(found))


def _spans(db: sqlite3.Connection, number: int, question: ParsedQuestion) -> Iterator[Span]:
    # Invalid times in edited archives sort after the digits.
    ends = [
        db.execute(f"SELECT {end}(at) FROM times WHERE agent = ? AND at < ':'", (number,)).fetchone()[0]
        for end in ("min", "max")
    ]
    try:
        begin, end = (parse_iso(at or "") for at in ends)
    except ValueError:  # an invalid time
        return
    for moment in question.moments:
        yield from reversed(list(moment.within(begin, end)))


def _best_of(db: sqlite3.Connection, number: int, span: Span) -> list[int]:
    # ISO times sort as text.
    rows = db.execute(
        "SELECT seq FROM (SELECT seq FROM times WHERE agent = ? AND at >= ? AND at < ? ORDER BY at DESC, seq DESC "
        f"LIMIT ?) JOIN {tables.table_of(number)}_content ON id = ? | seq ORDER BY c8 DESC, seq DESC LIMIT ?",
        (number, iso(span.first), iso(span.last), NEWEST_OF_TIME, number << 32, OF_TIME),
    )
    return [seq for (seq,) in rows]


# -- with what the vectors found --------------------------------------------------------------------------------------


def gather(
    db: sqlite3.Connection,
    agent_id: str,
    matches: Matches,
    memories: Mapping[int, float],
    documents: Mapping[str, float],
    kinds: Collection[str],
    weight: float,
) -> Candidates:
    """Combine the results of words and vectors.

    Args:
        memories: cosines by place, of the first memory with each text.
        documents: cosines by vector id; unknown ids are ignored.
        weight: the vectors' weight, used to choose whose neighbours are included.
    """
    number = tables.number_of(db, agent_id)
    places = [_place(row) for row in matches.passages.shares]
    needed = _NeededMemories(db, number)
    needed.read({*matches.memories.shares, *map(memory_of, (*memories, *places)), *matches.of_time})
    texts = tables.repeated(db, number, needed.memories)
    # Vector ids may be left from an earlier agent with the same id.
    known = {place: cosine for place, cosine in memories.items() if needed.tells(place) and _is_first(place, texts)}
    firsts = {texts[seq].last: texts[seq] for seq in map(memory_of, known) if seq in texts}
    later = {seq: text for seq, text in firsts.items() if seq not in needed.memories}
    needed.read(later)
    texts.update(later)
    cosines = known | _of_repetitions(known, texts)
    shares = matches.memories.all_shares(needed.short())
    rows = [passage_row(memory_of(place), part_of(place)) for place in {*places, *cosines}
            if memory_of(place) in needed.parts]  # fmt: skip
    shares |= {_place(row): share for row, share in matches.passages.all_shares(rows).items()}
    best = best_places(relevances(shares, cosines, weight))
    needed.read({seq for place in best for seq in needed.beside(place)} - needed.memories.keys())
    of_time = [seq for seq in matches.of_time if seq in needed.memories]
    near = neighbours_of(best, needed.parts)
    wanted = {*needed.short(), *shares, *cosines, *of_time, *near}
    return Candidates(
        shares,
        cosines,
        entries={place: needed.entry(place) for place in wanted if needed.has(place)},
        times={seq: text.times for seq, text in texts.items()},
        documents=_documents(db, number, matches, documents, kinds),
        of_time=of_time,
        wholes={seq: needed.memories[seq] for seq in needed.parts},
        parts=needed.parts,
    )


class _NeededMemories:
    def __init__(self, db: sqlite3.Connection, number: int) -> None:
        self._db, self._number = db, number
        self.memories: dict[int, Entry] = {}
        self.parts: dict[int, int] = {}

    def read(self, seqs: Collection[int]) -> None:
        new = tables.entries_of(self._db, self._number, seqs)
        self.memories.update(new)
        self.parts.update((seq, parts) for seq, entry in new.items() if (parts := len(passages(entry.text))) > 1)

    def short(self) -> list[int]:
        return [seq for seq in self.memories if seq not in self.parts]

    def has(self, place: int) -> bool:
        seq = memory_of(place)
        return seq in self.memories and part_of(place) < self.parts.get(seq, 1)

    def tells(self, place: int) -> bool:
        """Return whether there is such a passage, of a memory that is not forgotten."""
        return self.has(place) and self.memories[memory_of(place)].kind != FORGOTTEN

    def entry(self, place: int) -> Entry:
        entry = self.memories[memory_of(place)]
        return entry if entry.seq not in self.parts else entry._replace(text=passages(entry.text)[part_of(place)])

    def beside(self, place: int) -> Iterable[int]:
        """Return the seqs within `REACH` passages of a passage."""
        seq, part = memory_of(place), part_of(place)
        low = max(1, seq - max(0, REACH - part))
        return range(low, seq + max(0, REACH - (self.parts.get(seq, 1) - 1 - part)) + 1)


def _place(row: int) -> int:
    return place_of(*divmod(row, MAX_PASSAGES))


def _of_repetitions(known: Mapping[int, float], texts: Mapping[int, RepeatedText]) -> dict[int, float]:
    """Return the cosines for memories that repeat a text, because only the first has a vector."""
    again: dict[int, list[int]] = {}
    for seq, text in texts.items():
        again.setdefault(text.first, []).append(seq)
    return {
        place_of(seq, part_of(place)): cosine
        for place, cosine in known.items()
        for seq in again.get(memory_of(place), ())
    }


def _is_first(place: int, texts: Mapping[int, RepeatedText]) -> bool:
    seq = memory_of(place)
    return seq not in texts or texts[seq].first == seq


def _documents(
    db: sqlite3.Connection, number: int, matches: Matches, cosines: Mapping[str, float], kinds: Collection[str]
) -> tuple[FoundDocument, ...]:
    words = [row for of_kind in matches.documents.values() for row in of_kind.shares]
    found = tables.documents_found(db, number, words, cosines, kinds)
    shares: dict[int, float] = {}
    for kind, of_kind in matches.documents.items():
        shares |= of_kind.all_shares([row for row, document, _ in found if document.kind == kind])
    return tuple(FoundDocument(document, shares.get(row), cosine) for row, document, cosine in found)
