"""Which sentence of which memory answers a question: recall's ranking, and what it does not know.

A question is never a fact, nor is "I don't know" or what the agent said itself. What was told in confidence is one only
for who told it. What minds pass on is unwrapped to who first said it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from agents.brains.instinct.confidence import is_known as is_known
from agents.brains.instinct.confidence import is_private as is_private
from agents.brains.instinct.interpreter import Interpreter
from agents.brains.instinct.meaning import Names
from agents.brains.instinct.relevance import EXACT, MINE, SURE, YOURS, Fact, Question, Relevance, said
from agents.brains.instinct.retell import lead, opened, part, pronoun_in, with_pronoun
from agents.brains.instinct.words import HEARD, Words, tokens
from agents.memory.entries import Entry, Hit
from agents.memory.perception import of_own_mind, remembered
from agents.text.addressing import asks, calls, mentions, without_address
from agents.text.grammar import past_of
from mud.world.events import CHANGED
from mud.world.sentences import sentences

SOON = 4
"""Within how many memories a line puts right the one before it, when it shares no word with any."""
KEPT = 8
"""How many facts are looked at closer."""
LONGEST = 300
"""How many characters of a memory are repeated at most."""
REACH = 6
"""How many memories back a pronoun may point."""
_BEFORE_TELLER, _TELLS = ("by", "did", "from"), ("asked", "said", "says", "told")
"""Words beside a name that make it who said something, though nobody of that name is known."""
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_JOINED = re.compile(r",? (?:and|but) (?=(?:I|we|my|our|he|she|it|they)\b)")
_ACTS = frozenset(
    ("i", "we", "he", "she", "it", "they", "is", "are", "was", "were", "has", "have", "had", "i'm", "i've")
)


def statements(entry: Entry, me: str, people: Iterable[str], words: Words) -> list[str]:
    """Return what a memory states, sentence by sentence."""
    if entry.kind == "result":
        text = "" if of_own_mind(entry) else titled(entry)[1]
    elif is_known(entry):
        text = entry.text
    elif entry.kind in ("heard", "told"):
        line = remembered(entry)
        called = [name for name in (me, *people) if line and calls(line.words, name)]
        text = without_address(line.words, called) if line and called else line.words if line else ""
    else:
        text = entry.text if entry.kind == "saw" and "\n" not in entry.text.strip() else ""
    return _stated(text, words)


@lru_cache(maxsize=HEARD)
def _stated(text: str, words: Words) -> list[str]:
    told = [
        words.spelled(opened(clause, words))
        for one in ([text] if text.count('"') > 1 else sentences(text))
        for clause in clauses(one)
    ]
    return [one[:LONGEST] for one in told if one and words.content(one) and _is_statement(one, words)]


def _is_statement(sentence: str, words: Words) -> bool:
    """Return whether a sentence tells something: it is no question, whatever its mark, and confesses no ignorance."""
    low, verbs = tokens(sentence), ("is", "are", "was", "were", "do", "does", "did", "can", "could")
    turned = low[0] in words.of("wh") and low[:2][-1] in verbs
    first = next((at for at, word in enumerate(low) if at and word in words.of("clause")), None)
    return not (turned or asks(sentence) or words.is_ignorant(" ".join(low[:first])))


def clauses(sentence: str) -> list[str]:
    """Return the parts of a sentence that stand by themselves: "I have a dog and I call him Rex" has two."""

    def acts(clause: str) -> bool:
        return not _ACTS.isdisjoint(said(clause)) or any(past_of(one) == one and len(one) > 2 for one in said(clause))

    parts = _JOINED.split(sentence)
    return [one.strip(" ,") for one in parts] if all(map(acts, parts[:-1])) else [sentence]


def titled(entry: Entry) -> tuple[str, str]:
    """Split what was seen of a thing into its name and what it looks like."""
    first = entry.text.strip().split("\n", 1)[0]
    title, mark, rest = first.partition(": ")
    return (title, rest) if mark and len(title) <= 40 else ("", first)


class Candidate(NamedTuple):
    """A fact that may answer.

    Args:
        fact: the fact, not weighed yet.
        vector: cosine of its memory to the question; 0 when it has none.
        ahead: how much greater that is than of the nearest other memory.
        puts_right: numbers of the memories that its line says it puts right.
    """

    fact: Fact
    vector: float
    ahead: float
    puts_right: Collection[int]


def find(question: Question, hits: Sequence[Hit], recent: Sequence[Entry], interpreter: Interpreter) -> list[Fact]:
    """Return what bears on a question, best first.

    Args:
        question: the question.
        hits: what recall found, best first.
        recent: the tail, which recall may not know yet.
        interpreter: what the vault says of language.
    """
    words, scale = interpreter.words, Relevance(question, interpreter.words)
    found, puts_right = list[Fact](), dict[int, Collection[int]]()
    for fact, vector, ahead, corrected in candidates(question, hits, recent, words):
        found.append(fact._replace(score=scale.score(fact, vector, ahead)))
        puts_right[fact.seq] = corrected
    for hit in hits:
        if hit.entry is None and not (question.yours and hit.kind == "note"):
            found.extend(_of_document(question, hit, words, scale))
    names = Names(question.me, tuple(question.people))
    best = _ordered(question, found[::-1], puts_right, words)[:KEPT]
    return [one for one in best if one.kind not in ("heard", "told") or _tells(one.words, names, interpreter)]


def candidates(question: Question, hits: Sequence[Hit], recent: Sequence[Entry], words: Words) -> list[Candidate]:
    """Return the sentences of memories that may answer, oldest first; see `find`."""
    scale = Relevance(question, words)
    near = {hit.entry.seq: hit.vector for hit in reversed(hits) if hit.entry and hit.vector is not None}
    entries = {entry.seq: entry for entry in (*recent, *(hit.entry for hit in hits if hit.entry))}
    found: list[Fact] = []
    told: dict[str, list[tuple[int, str]]] = {}
    puts_right: dict[int, frozenset[int]] = {}
    for seq in sorted(entries):
        entry = entries[seq]
        if entry.kind == "saw" and entry.mark != CHANGED and scale.is_deed_beside(entry.actor or ""):
            continue  # before it is read, as half of what is remembered was seen
        private = is_private(entry, words)
        if (
            entry.failed
            or entry.kind not in ("heard", "told", "saw", "result")
            or (private and entry.actor != question.asker)
        ):
            continue
        before = told.setdefault(entry.actor or "", [])
        line = remembered(entry) if entry.kind == "heard" else None
        for fact in _facts(entry, question, words, private):
            if entry.kind in ("heard", "told") and not fact.via:
                fact = fact._replace(words=resolved(fact.words, seq, before, words))
                before.append((seq, fact.words))
            if not scale.is_beside(fact):
                found.append(fact)
        if line and len(before) > 1 and before[-1][0] == seq and corrects(line.words, question.me, words):
            puts_right[seq] = _put_right(before, words)
    vectors = [near.get(fact.seq, 0.0) for fact in found]
    nearest, second = sorted((0.0, 0.0, *dict(zip([fact.seq for fact in found], vectors, strict=True)).values()))[
        :-3:-1
    ]
    return [
        Candidate(
            fact, vector, vector - (second if vector == nearest else nearest) if vector else 0.0,
            puts_right.get(fact.seq, ()),
        )
        for fact, vector in zip(found, vectors, strict=True)
    ]  # fmt: skip


def _tells(statement: str, names: Names, interpreter: Interpreter) -> bool:
    """Return whether a sentence tells something, and is no wish, courtesy, praise or blame."""
    meaning = interpreter.pattern(statement, names)
    return meaning is None or (meaning.wants == "nothing" and not meaning.texts[:1][0].startswith(("reply.", "greet.")))


def _facts(entry: Entry, question: Question, words: Words, private: bool) -> Iterator[Fact]:
    kind = "known" if is_known(entry) else "change" if entry.mark == CHANGED else entry.kind
    title = titled(entry)[0] if kind == "result" else ""
    plain = Fact("", 0.0, kind, entry.actor or "", entry.place or "", entry.at, entry.seq, "", title, "", private)
    line = remembered(entry) if kind in ("heard", "told") else None
    if line and entry.kind == "heard" and entry.actor in question.minds:
        source, inner = unwrapped(line.words, question.people, words)
        if source and inner and source != question.me:
            yield plain._replace(words=inner, actor=source, via=entry.actor or "")
        if source or not YOURS.isdisjoint(said(line.words)):
            return
    told = statements(entry, question.me, (question.asker, *question.people), words)
    if line and len(line.words) <= LONGEST:
        plain = plain._replace(line=without_address(line.words, (question.me,)))
    for one in (
        told[::-1] if kind == "result" else told
    ):  # the later corrects the earlier, but what is seen begins with it
        yield plain._replace(words=one)


def unwrapped(line: str, people: Iterable[str], words: Words) -> tuple[str, str]:
    """Return who first said what a mind passes on, and the words; "" twice when it quotes nobody by name."""
    open_, close = line.find("'", line.find(" '")), line.rfind("'")
    if -1 < open_ < close - 8:
        frame, inner = f"{line[:open_]} {line[close + 1 :]}", line[open_ + 1 : close]
    elif ": " in line:
        frame, _, inner = line.partition(": ")
    else:
        parts = [one for piece in sentences(line) for one in piece.split("; ")]
        telling = [one for one in parts if not words.of("tell").isdisjoint(said(one)) and len(one.split()) < 13]
        frame, inner = " ".join(telling), " ".join(one for one in parts if one not in telling)
    if words.of("tell").isdisjoint(said(frame)):
        return "", ""
    named = [(frame.rfind(name), name) for name in people if name and mentions(frame, name)]
    tellers = [one for one in named if _is_teller(frame, *one)] or [*_strangers(frame, words)]
    source = max(tellers or named[:1], default=(0, ""))[1]
    inner = without_address(inner, [name for name in people if calls(inner, name)])
    if len(inner.split()) < 4:
        return "", ""
    deeper = unwrapped(inner, people, words) if source else ("", "")
    return deeper if deeper[0] else (source, inner.strip())


def _is_teller(frame: str, at: int, name: str) -> bool:
    """Return whether a name in a frame is whose words they are: "Ann told me", "from Ann", and no name called."""
    before, after = frame[:at].rstrip().casefold(), frame[at + len(name) :]
    return before.endswith(("from", "by")) or after[:1] in (" ", "'", "’")


def _strangers(frame: str, words: Words) -> Iterator[tuple[int, str]]:
    """Yield who is named in a frame as whose words they are, though unknown: no word of the language, as "Tell me"."""
    framing = [word.strip(".,;:!?") for word in frame.split()]
    for before, one, after in zip(["", *framing], framing, [*framing[1:], ""], strict=False):
        named = one.isalpha() and one.istitle() and one.casefold() not in words.vocabulary
        if named and (before.casefold() in _BEFORE_TELLER or after in _TELLS):
            yield frame.find(one), one


def resolved(statement: str, seq: int, before: Sequence[tuple[int, str]], words: Words) -> str:
    """Return a statement with whom or what its first pronoun means."""
    pronoun = pronoun_in(statement, words)
    near = (earlier for at, earlier in reversed(before[-4:]) if pronoun and seq - at <= REACH)
    who = next((found for earlier in near if (found := lead(earlier, pronoun, words))), "")
    return with_pronoun(statement, pronoun, who, words) if who else statement


def _of_document(question: Question, hit: Hit, words: Words, scale: Relevance) -> Iterator[Fact]:
    """Yield the sentence of a note or a summary that answers best; both are at second hand."""
    origin = f"{hit.covers[0]}-{hit.covers[1]}" if hit.covers else f"[[{hit.title}]]"
    best = Fact("", 0.0)
    for line in repeatable(hit.text, words):
        told = line.replace('"', "'") if line.count('"') == 2 else line
        source, inner = unwrapped(told, question.people, words)
        frame, _, rest = line.partition(": ")  # "Seen in The Garden: a sundial" was written for oneself
        text = inner if source else rest if rest and len(frame.split()) < 9 else line
        fact = Fact(text, 0.0, "heard" if source else hit.kind, source, title=hit.title or "", origin=origin)
        shares = words.coverage(question.words, fact.words)
        fits = shares >= 0.5 and source != question.me and not scale.is_beside(fact)
        score = scale.score(fact) - 0.1 if fits else 0.0
        best = max(best, fact._replace(score=score), key=lambda one: one.score)
    if best.words:
        yield best


def repeatable(text: str, words: Words) -> Iterator[str]:
    """Yield the sentences of a note or a summary that are for everybody's ears: nothing thought, confided, or why.

    Headings are no sentences: that of a note's entry is a time and a place.
    """
    for line in text.splitlines():
        if _HEADING.match(line):
            continue
        hidden = False
        for one in sentences(line.strip().lstrip("*- ")):
            low = tokens(one)
            own = low[:1] == ["i"] and not {"thought", "dreamed", "dreamt", "wondered", "because"}.isdisjoint(low)
            secret = words.is_secret(one) or "whisper" in one.casefold()
            hidden = secret or (hidden and bool(low) and low[0] in words.of("leans"))
            unfit = asks(one) or words.is_ignorant(one) or one.count('"') % 2 or low[:1] == ["because"]
            if not (hidden or own or unfit):
                yield one[:LONGEST]


def _ordered(
    question: Question, found: list[Fact], puts_right: Mapping[int, Collection[int]], words: Words
) -> list[Fact]:
    """Order facts, best first: of one statement only its first telling, and with the best what put it right since.

    Where that gives the part that is asked for it takes the place of the best, else it follows it; and so does what
    was said next and goes on from it, if the best does not give that part.
    """
    kept: dict[tuple[tuple[str, ...], str], Fact] = {}
    for one in sorted(found, key=lambda one: (round(one.score, 2), not one.via, one.seq), reverse=True):
        kept.setdefault((words.content(one.words), one.actor), one)
    facts = [one for one in kept.values() if one.score > 0]
    best, asked = facts[0] if facts else Fact(""), tuple(tokens(question.text))
    later = [one for one in kept.values() if one.actor == best.actor and one.seq > best.seq > 0 and not one.via]
    later.sort(key=lambda one: one.seq, reverse=True)
    for one in later:
        marked = best.seq in (question.corrected.get(one.seq), *puts_right.get(one.seq, ()))
        if marked or _tells_anew(one, best, question, asked, words):
            put = one._replace(score=max(one.score, best.score), follows=best.seq)
            exact = question.asks in EXACT and part(one.words, question.asks, asked, words)
            return [*[best] * (not exact), put, *(each for each in facts[1:] if each is not one)]
    more = later[-1] if later and later[-1].seq <= best.seq + SOON and _goes_on(later[-1], best, words) else None
    if more and not (question.asks in EXACT and part(best.words, question.asks, asked, words)):
        after = more._replace(score=max(more.score, best.score), follows=best.seq)
        return [best, after, *(each for each in facts[1:] if each is not more)]
    return facts


def _goes_on(fact: Fact, before: Fact, words: Words) -> bool:
    """Return whether what was said begins with a pronoun, and so goes on from what was said before, of the same."""
    leans = words.of("leans")
    first, other = (next(iter(words.said(opened(one.line, words))), "") for one in (fact, before))
    return first in leans and (other not in leans or other == first)


@lru_cache(maxsize=HEARD)
def _strong(text: str, words: Words) -> frozenset[str]:
    """Return the stems of the telling words of a text that are not general."""
    return frozenset(map(words.stem, words.content(text))) - words.weak


def _put_right(lines: Sequence[tuple[int, str]], words: Words) -> frozenset[int]:
    """Return the numbers of the memories that the last of some lines puts right: those that share a telling word.

    Where none does it is the one before, if that was `SOON` before.
    """
    seq = lines[-1][0]
    told = _strong(" ".join(text for at, text in lines if at == seq), words)
    earlier = [(at, text) for at, text in lines if at < seq]
    shared = frozenset(at for at, text in earlier if not told.isdisjoint(_strong(text, words)))
    return shared or frozenset(at for at, _ in earlier[-1:] if seq - at <= SOON)


def _tells_anew(one: Fact, earlier: Fact, question: Question, asked: tuple[str, ...], words: Words) -> bool:
    """Return whether a fact says that something is so now, or says the same as an earlier one with another part."""
    mine, theirs = _strong(one.words, words), _strong(earlier.words, words)
    if not words.of("now").isdisjoint(said(one.words)):
        return 2 * len(mine & theirs) >= max(1, min(len(mine), len(theirs)))
    new, old = (part(each.words, question.asks, asked, words) or "" for each in (one, earlier))
    return bool(new and old) and mine - _strong(new, words) == theirs - _strong(old, words) != frozenset()


def corrects(line: str, me: str, words: Words) -> bool:
    """Return whether a line begins as one that puts something right: "no wait, it is Thursday"."""
    return _corrects(without_address(line, (me,)), words)


@lru_cache(maxsize=HEARD)
def _corrects(line: str, words: Words) -> bool:
    low, found = f"{'-'.join(tokens(line))}-", False
    openings = _openings(words.of("corrects"), words.of("opener"))
    while low.startswith(openings):
        opening = next(one for one in openings if low.startswith(one))
        found, low = found or opening[:-1] in words.of("corrects"), low.removeprefix(opening)
    return found


@lru_cache(maxsize=8)
def _openings(*lists: frozenset[str]) -> tuple[str, ...]:
    """Return what a line may begin with, the longest first."""
    return tuple(sorted((f"{one}-" for one in frozenset().union(*lists)), key=len, reverse=True))


def otherwise(question: Question, facts: Sequence[Fact], words: Words) -> Fact | None:
    """Return what somebody else tells differently from the best fact; None when nobody does."""
    best = facts[0]
    if question.own or question.asks not in EXACT or best.kind != "heard" or best.via:
        return None
    asked = tuple(tokens(question.text))
    told = words.content(part(best.words, question.asks, asked, words) or "")
    for one in facts[1:]:
        theirs = one.kind == "heard" and one.actor != best.actor and not one.via
        if theirs and one.score >= max(SURE, best.score - 0.3) and MINE.isdisjoint(said(one.words)):
            other = words.content(part(one.words, question.asks, asked, words) or "")
            if told and other and told != other:
                return one
    return None
