"""Which sentence of which memory answers a question: recall's ranking, and what it does not know.

A question is never a fact, nor is "I don't know" or what the agent said itself. What was told in confidence is one only
for who told it. What minds pass on is unwrapped to who first said it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from agents.brains.instinct.confidence import is_known as is_known
from agents.brains.instinct.confidence import is_private as is_private
from agents.brains.instinct.interpreter import Interpreter
from agents.brains.instinct.meaning import Names
from agents.brains.instinct.retell import lead, opened, part, pronoun_in, with_pronoun
from agents.brains.instinct.words import Words, tokens
from agents.memory.entries import Entry, Hit
from agents.memory.perception import of_own_mind, remembered
from agents.text.addressing import asks, calls, mentions, without_address
from agents.text.grammar import past_of
from mud.world.sentences import sentences

SURE, NEAR = 0.6, 0.5
"""From which score on a fact answers a question, and from which it may have to do with it."""
LEAST, CLOSE, AHEAD = 0.25, 0.46, 0.06
"""From which similarity on the nearest fact may be offered if it is so much ahead, and from which it may be sure."""
KEPT = 8
"""How many facts are looked at closer."""
LONGEST = 300
"""How many characters of a memory are repeated at most."""
REACH = 6
"""How many memories back a pronoun may point."""
_MINE = frozenset(("i", "my", "me", "mine", "i'm", "i've", "i'd", "i'll", "we", "our", "us", "myself"))
_YOURS = frozenset(("you", "your", "yours", "yourself", "you're", "you've"))
_JOINED = re.compile(r",? (?:and|but) (?=(?:I|we|my|our|he|she|it|they)\b)")
_ACTS = frozenset(
    ("i", "we", "he", "she", "it", "they", "is", "are", "was", "were", "has", "have", "had", "i'm", "i've")
)
_EXACT = ("number", "when", "where", "colour", "name", "who")
_LACKED = ("number", "when", "where", "colour", "name")
"""Parts without which a sentence does not answer a question for them."""


class Fact(NamedTuple):
    """Something remembered that bears on a question.

    Args:
        words: the sentence, as it was said, with what its pronoun means in place of it.
        score: how well it answers, about 0 to 1.
        kind: kind of memory, or `summary`, `note`, or `known` for what a person wrote into the memory.
        actor: who said or did it; empty for oneself and for nobody.
        place: where; empty when unknown.
        at: when, ISO-8601; empty when unknown.
        seq: number of the memory; 0 for a note or summary.
        via: the mind that passed it on; empty when it was heard from the actor.
        title: title of a note, or of what was looked at.
        origin: the note or summary it stands in, see `Decision`.
        private: it was told in confidence.
    """

    words: str
    score: float = 1.0
    kind: str = "heard"
    actor: str = ""
    place: str = ""
    at: str = ""
    seq: int = 0
    via: str = ""
    title: str = ""
    origin: str = ""
    private: bool = False

    @property
    def cited(self) -> str:
        """How a decision cites it."""
        return str(self.seq) if self.seq else self.origin


class Question(NamedTuple):
    """A question to memory.

    Args:
        text: the question.
        asks: the part that is asked for, see `Meaning`.
        asker: who asks.
        me: who is asked.
        words: the telling words.
        person: whom it is about, of the people known; empty for nobody.
        minds: names of those that a brain plays.
        people: names of everybody known.
    """

    text: str
    asks: str
    asker: str
    me: str
    words: tuple[str, ...]
    person: str = ""
    minds: Collection[str] = ()
    people: Sequence[str] = ()

    @property
    def own(self) -> bool:
        """Whether it is about who asks."""
        return not _MINE.isdisjoint(said(self.text))

    @property
    def yours(self) -> bool:
        """Whether it is about who is asked."""
        return not self.own and not _YOURS.isdisjoint(said(self.text))


@lru_cache(maxsize=1 << 12)
def said(text: str) -> frozenset[str]:
    """Return the words of a text in lower case."""
    return frozenset(tokens(text))


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


@lru_cache(maxsize=1 << 12)
def _stated(text: str, words: Words) -> list[str]:
    told = [
        words.spelled(opened(clause, words))
        for one in ([text] if text.count('"') > 1 else sentences(text))
        for clause in clauses(one)
    ]
    return [one[:LONGEST] for one in told if one and words.content(one) and _is_statement(one, words)]


def _is_statement(sentence: str, words: Words) -> bool:
    """Return whether a sentence tells something: it is no question, whatever its mark, and confesses no ignorance."""
    low = tokens(sentence)[:2]
    turned = low[0] in words.of("wh") and low[-1] in ("is", "are", "was", "were", "do", "does", "did", "can", "could")
    first = next((at for at, word in enumerate(tokens(sentence)) if at and word in words.of("clause")), None)
    return not (turned or asks(sentence) or words.is_ignorant(" ".join(tokens(sentence)[:first])))


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


def find(question: Question, hits: Sequence[Hit], recent: Sequence[Entry], interpreter: Interpreter) -> list[Fact]:
    """Return what bears on a question, best first.

    Args:
        question: the question.
        hits: what recall found, best first.
        recent: the tail, which recall may not know yet.
        interpreter: what the vault says of language.
    """
    words, scale = interpreter.words, _Scale(question, interpreter.words)
    near = {hit.entry.seq: hit.vector for hit in reversed(hits) if hit.entry and hit.vector is not None}
    first = next((hit.entry.seq for hit in hits if hit.entry), 0)
    entries = {entry.seq: entry for entry in (*recent, *(hit.entry for hit in hits if hit.entry))}
    found: list[Fact] = []
    told: dict[str, list[tuple[int, str]]] = {}
    corrections = set[int]()
    for seq in sorted(entries):
        entry = entries[seq]
        private = is_private(entry, words)
        if (
            entry.failed
            or entry.kind not in ("heard", "told", "saw", "result")
            or (private and entry.actor != question.asker)
        ):
            continue
        before = told.setdefault(entry.actor or "", [])
        if entry.kind == "heard" and (line := remembered(entry)) and corrects(line.words, question.me, words):
            corrections.add(seq)
        for fact in _facts(entry, question, words, private):
            if entry.kind in ("heard", "told") and not fact.via:
                fact = fact._replace(words=resolved(fact.words, seq, before, words))
                before.append((seq, fact.words))
            if not scale.is_beside(fact):
                found.append(fact)
    nearest, second = sorted((LEAST, LEAST, *{fact.seq: near.get(fact.seq, 0.0) for fact in found}.values()))[:-3:-1]
    for number, fact in enumerate(found):
        vector = near.get(fact.seq, 0.0)
        ahead = vector - (second if vector == nearest else nearest) if vector else 0.0
        found[number] = fact._replace(score=scale.score(fact, vector, ahead) + 0.05 * (fact.seq == first))
    for hit in hits:
        if hit.entry is None and not (question.yours and hit.kind == "note"):
            found.extend(_of_document(question, hit, words, scale))
    names = Names(question.me, tuple(question.people))
    best = _ordered([one for one in reversed(found) if one.score > 0], words)
    best = _corrected(question, best, [one for one in found if one.seq in corrections], words)[:KEPT]
    return [one for one in best if one.kind not in ("heard", "told") or _tells(one.words, names, interpreter)]


@lru_cache(maxsize=1 << 12)
def _tells(statement: str, names: Names, interpreter: Interpreter) -> bool:
    """Return whether a sentence tells something, and is no wish, courtesy, praise or blame."""
    meaning = interpreter.pattern(statement, names)
    return meaning is None or (meaning.wants == "nothing" and not meaning.texts[:1][0].startswith(("reply.", "greet.")))


def _facts(entry: Entry, question: Question, words: Words, private: bool) -> Iterator[Fact]:
    kind = "known" if is_known(entry) else entry.kind
    title = titled(entry)[0] if kind == "result" else ""
    plain = Fact("", 0.0, kind, entry.actor or "", entry.place or "", entry.at, entry.seq, "", title, "", private)
    line = remembered(entry) if entry.kind == "heard" and entry.actor in question.minds else None
    if line:
        source, inner = unwrapped(line.words, question.people, words)
        if source and inner and source != question.me:
            yield plain._replace(words=inner, actor=source, via=entry.actor or "")
        if source or not _YOURS.isdisjoint(said(line.words)):
            return
    told = statements(entry, question.me, (question.asker, *question.people), words)
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
    framing = [word.strip(".,;:!?") for word in frame.split()]
    strange = [(frame.find(one), one) for before, one in pairwise(["", *framing])
               if one.isalpha() and one.istitle() and before != "The" and one.casefold() not in words.stop]  # fmt: skip
    tellers = [one for one in named if _is_teller(frame, *one)] or [one for one in strange if _is_teller(frame, *one)]
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


def resolved(statement: str, seq: int, before: Sequence[tuple[int, str]], words: Words) -> str:
    """Return a statement with whom or what its first pronoun means."""
    pronoun = pronoun_in(statement, words)
    near = (earlier for at, earlier in reversed(before[-4:]) if pronoun and seq - at <= REACH)
    who = next((found for earlier in near if (found := lead(earlier, pronoun, words))), "")
    return with_pronoun(statement, pronoun, who, words) if who else statement


class _Scale:
    """Weighs facts by one question."""

    def __init__(self, question: Question, words: Words) -> None:
        self._question, self._words = question, words
        self._asked = tuple(word for word in question.words if word not in words.of("asked")) or question.words
        names = {word.casefold() for word in question.text.rstrip("?.! ").split()[1:] if word[:1].isupper()}
        self._names = (names - {"i", "i'm"} - words.of("time")) | set(
            tokens(question.person if question.person[:1].isupper() else "")
        )
        self._meant = set(map(words.stem, self._names - set(tokens(f"{question.asker} {question.me}"))))
        self._kin = [word for word in self._asked if question.own and word in words.of("persons")]
        self._roots = set(map(words.stem, question.words))
        self._text = tuple(tokens(question.text))

    def score(self, fact: Fact, vector: float = 0.0, ahead: float = 0.0) -> float:
        """Say how well a fact answers: telling words it shares, how near recall has it and ahead of all others."""
        question, words = self._question, self._words
        beside = f"{fact.actor} {fact.title}" if fact.kind not in ("known", "saw") else ""
        more = implied(fact.words, words)
        shared = words.coverage(self._asked, f"{fact.words} {beside} {more}")
        if not (shared or (vector and fact.kind != "saw")):  # whoever was seen is no answer by being near alone
            return 0.0
        literal = said(fact.words)
        rest = [word for word in self._asked if word not in self._names and word not in said(beside)]
        told = words.coverage(rest, f"{fact.words} {more}") if rest else 0.6
        if not told and len(rest) < len(self._asked):
            shared *= 0.5 if vector > 0.4 else 0.3  # that it is they says nothing of what is asked
        level = ahead >= -0.03 if vector else bool(rest) and told >= 0.4  # nothing else is nearer
        ahead = max(-0.2 if told < 0.5 else 0.0, min(0.2, ahead))
        clear = vector >= CLOSE or told > (0.65 if vector else 0.55) or (told >= 0.4 and ahead > AHEAD)
        most = 2.0 if clear else SURE - 0.06
        exact = len(literal.intersection(self._asked)) / max(1, len(self._asked))
        score = 0.6 * shared + 0.35 * told + 0.1 * exact + max(0.0, vector - LEAST) + 1.5 * ahead
        other = self._meant and self._meant.isdisjoint(map(words.stem, literal | said(beside)))
        if other or (self._kin and not any(words.coverage([one], f"{fact.words} {beside}") for one in self._kin)):
            score, most = score * 0.5, min(most, SURE - 0.06)
        echo = question.asks != "yes" and self._roots.issuperset(map(words.stem, words.content(fact.words)))
        score -= 0.5 * echo  # it says no more than the question
        if question.asks in _EXACT:
            has = part(fact.words, question.asks, self._text, words) is not None
            score += 0.2 * (has and question.own and not set(self._asked) - words.of("asked"))
            score += 0.1 if has else -0.3 if question.asks in _LACKED else -0.15
            most = most if has else NEAR - 0.02 if question.asks in _LACKED and told < 0.7 else SURE - 0.06
        if question.own and fact.actor == question.asker:
            score += 0.12
        score -= 0.05 * (fact.kind in ("saw", "result", "known")) + 0.1 * bool(fact.via)
        score -= 0.05 * (not words.of("uncertain").isdisjoint(literal))
        theirs = not question.own and fact.kind in ("heard", "told") and tokens(fact.words)[0] in _MINE
        score = min(most, score - 0.15 if theirs and score < SURE else score)
        offered = not other and not echo and vector >= LEAST and ahead >= AHEAD and (shared or vector >= CLOSE)
        near_by = score >= SURE or (level and (told > 0 or (vector >= CLOSE and ahead >= AHEAD)))
        return max(score, NEAR) if offered and told else score if near_by else min(score, NEAR - 0.02)

    def is_beside(self, fact: Fact) -> bool:
        """Return whether a fact is of somebody else's things, whatever words they share."""
        question, words, literal = self._question, self._words, said(fact.words)
        mine = not _MINE.isdisjoint(literal)
        if fact.kind == "saw" and question.asks == "who":
            return question.person == fact.actor  # who somebody is shows in nothing they do
        if fact.kind == "saw":
            return question.asks not in ("when", "yes", "where") and question.person != fact.actor
        if fact.kind == "result":
            strong = [word for word in self._asked if words.stem(word) not in words.weak]
            whole = len(strong) > 1 and words.coverage(strong, fact.words) > 0.99
            return not words.coverage(strong, fact.title) and not whole
        if question.yours and question.person in ("", question.me):
            of_me = not _YOURS.isdisjoint(literal) or mentions(fact.words, question.me)
            polite = "your" not in self._text and not words.of("polite").isdisjoint(self._text)
            return not (of_me or polite or (fact.kind == "known" and mine))
        return question.own and mine and (fact.kind == "known" or fact.actor != question.asker)


@lru_cache(maxsize=1 << 12)
def implied(statement: str, words: Words) -> str:
    """Return what a statement says without the word for it: "I am a baker" tells a trade."""
    said = tokens(statement)
    low = f"-{'-'.join(said)}-{'-'.join(map(words.stem, said))}-"
    pairs = (item.partition("=") for item in sorted(words.of("implied")))
    return " ".join(more.replace("-", " ") for phrase, _, more in pairs if f"-{phrase}-" in low)


def _of_document(question: Question, hit: Hit, words: Words, scale: _Scale) -> Iterator[Fact]:
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
    """Yield the sentences of a note or a summary that are for everybody's ears: nothing thought, confided, or why."""
    for line in text.splitlines():
        hidden = False
        for one in sentences(line.strip().lstrip("#*- ")):
            low = tokens(one)
            own = low[:1] == ["i"] and not {"thought", "dreamed", "dreamt", "wondered", "because"}.isdisjoint(low)
            secret = words.is_secret(one) or "whisper" in one.casefold()
            hidden = secret or (hidden and bool(low) and low[0] in words.of("leans"))
            unfit = asks(one) or words.is_ignorant(one) or one.count('"') % 2 or low[:1] == ["because"]
            if not (hidden or own or unfit):
                yield one[:LONGEST]


def _ordered(found: list[Fact], words: Words) -> list[Fact]:
    """Order facts, best first: of one statement only its first telling, and a correction before what it corrects."""
    ranked = sorted(found, key=lambda one: (round(one.score, 1), not one.via, one.seq), reverse=True)
    kept: dict[tuple[tuple[str, ...], str], Fact] = {}
    for one in ranked:
        kept.setdefault((words.content(one.words), one.actor), one)
    facts = list(kept.values())
    best = facts[0] if facts else Fact("")
    told = set(map(words.stem, words.content(best.words))) - words.weak
    for one in sorted(facts[1:], key=lambda each: each.seq, reverse=True):
        marked = one.seq > best.seq > 0 and not words.of("now").isdisjoint(said(one.words))
        shared = marked and told & set(map(words.stem, words.content(one.words)))
        if shared and one.score >= NEAR / 2 and best.score - one.score < 0.7:
            facts.remove(one)
            return [one._replace(score=max(one.score, best.score)), *facts]
    return facts


def corrects(line: str, me: str, words: Words) -> bool:
    """Return whether a line begins as one that puts something right: "no wait, it is Thursday"."""
    low = f"{'-'.join(tokens(without_address(line, (me,))))}-"
    return any(low.startswith(f"{phrase}-") for phrase in words.of("corrects"))


def _corrected(question: Question, facts: list[Fact], corrections: Sequence[Fact], words: Words) -> list[Fact]:
    """Return facts with what put the best one right in its place: said soon after it, and of the same matter."""
    best, asked = facts[0] if facts else Fact(""), tuple(tokens(question.text))
    told = set(map(words.stem, words.content(best.words))) - words.weak
    for one in reversed(corrections if best.kind == "heard" and question.asks in _EXACT else ()):
        alike = told & set(map(words.stem, words.content(one.words)))
        leans = one.seq - best.seq < 4 and tokens(one.words)[0].partition("'")[0] in words.of("leans")
        soon = one.actor == best.actor and 0 < one.seq - best.seq <= 2 * REACH and (alike or leans)
        if soon and part(one.words, question.asks, asked, words):
            return [one._replace(score=best.score), *(each for each in facts if each.seq not in (one.seq, best.seq))]
    return facts


def otherwise(question: Question, facts: Sequence[Fact], words: Words) -> Fact | None:
    """Return what somebody else tells differently from the best fact; None when nobody does."""
    best = facts[0]
    if question.own or question.asks not in _EXACT or best.kind != "heard" or best.via:
        return None
    asked = tuple(tokens(question.text))
    told = words.content(part(best.words, question.asks, asked, words) or "")
    for one in facts[1:]:
        theirs = one.kind == "heard" and one.actor != best.actor and not one.via
        if theirs and one.score >= max(SURE, best.score - 0.3) and _MINE.isdisjoint(said(one.words)):
            other = words.content(part(one.words, question.asks, asked, words) or "")
            if told and other and told != other:
                return one
    return None
