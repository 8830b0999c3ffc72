"""Which sentence of which memory answers a question: recall's ranking, and what it does not know.

A question is never a fact, nor is "I don't know" or what the agent said itself. What was told in confidence is one only
for who told it. What minds pass on is unwrapped to who first said it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from agents.brains.natural.lore import Lore
from agents.brains.natural.meaning import Names
from agents.brains.natural.retell import lead, opened, part, pronoun_in, retell, with_pronoun
from agents.brains.natural.words import Words, tokens
from agents.memory.entries import Entry, Hit
from agents.memory.perception import of_own_mind, reads_as_whisper, remembered
from agents.text.addressing import asks, calls, mentions, without_address
from mud.world.sentences import sentences

SURE, NEAR = 0.6, 0.42
"""From which score on a fact answers a question, and from which it may have to do with it."""
KEPT = 8
"""How many facts are looked at closer."""
LONGEST = 300
"""How many characters of a memory are repeated at most."""
REACH = 6
"""How many memories back a pronoun may point."""
_MINE = frozenset(("i", "my", "me", "mine", "i'm", "i've", "i'd", "i'll", "we", "our", "us", "myself"))
_YOURS = frozenset(("you", "your", "yours", "yourself", "you're", "you've"))
_JOINED = re.compile(r",? (?:and|but) (?=(?:I|we|my|our|he|she|it|they)\b)")
_NAMES = re.compile(r"(?<=[a-z,] )[A-Z]\w+")
_ACTS = frozenset(
    ("i", "we", "he", "she", "it", "they", "is", "are", "was", "were", "has", "have", "had", "i'm", "i've")
)
_EXACT = ("number", "when", "where", "colour", "name", "who")


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
        return not _MINE.isdisjoint(tokens(self.text))

    @property
    def yours(self) -> bool:
        """Whether it is about who is asked."""
        return not self.own and not _YOURS.isdisjoint(tokens(self.text))


def is_private(entry: Entry, words: Words) -> bool:
    """Return whether a memory is not for everybody's ears: whispered, or told with the wish to keep it."""
    return not is_known(entry) and (
        entry.kind == "told" or (entry.kind == "heard" and _asks_silence(entry.text, words))
    )


@lru_cache(maxsize=1 << 11)
def _asks_silence(text: str, words: Words) -> bool:
    return words.is_secret(text)


def is_known(entry: Entry) -> bool:
    """Return whether a person wrote a memory for this life; nobody in the world told it."""
    return entry.kind == "told" and not entry.actor and not reads_as_whisper(entry.text)


def statements(entry: Entry, me: str, people: Iterable[str], words: Words) -> list[str]:
    """Return what a memory states, sentence by sentence.

    Args:
        entry: the memory.
        me: the agent's own name.
        people: names that may be called in a line.
        words: the word lists.
    """
    if entry.kind == "result":
        text = "" if of_own_mind(entry) else titled(entry)[1]
    elif is_known(entry):
        text = entry.text
    elif entry.kind in ("heard", "told"):
        said = remembered(entry)
        called = [name for name in (me, *people) if said and calls(said.words, name)]
        text = without_address(said.words, called) if said else ""
    else:
        text = entry.text if entry.kind == "saw" and "\n" not in entry.text.strip() else ""
    return _stated(text, words)


@lru_cache(maxsize=1 << 11)
def _stated(text: str, words: Words) -> list[str]:
    told = [opened(clause, words) for one in sentences(text) for clause in clauses(one)]
    return [
        one[:LONGEST] for one in told if one and not asks(one) and not words.is_ignorant(one) and words.content(one)
    ]


def is_past(clause: str) -> bool:
    from agents.text.grammar import past_of
    return any(past_of(word) == word and len(word) > 2 for word in clause.casefold().split())


def clauses(sentence: str) -> list[str]:
    """Return the parts of a sentence that stand by themselves: "I have a dog and I call him Rex" has two.

    Args:
        sentence: the sentence.
    """
    parts = _JOINED.split(sentence)
    if len(parts) == 1 or any(_ACTS.isdisjoint(tokens(one)) and not is_past(one) for one in parts[:-1]):
        return [sentence]
    return [one.strip(" ,") for one in parts]


def titled(entry: Entry) -> tuple[str, str]:
    """Split what was seen of a thing into its name and what it looks like."""
    first = entry.text.strip().split("\n", 1)[0]
    title, mark, rest = first.partition(": ")
    return (title, rest) if mark and len(title) <= 40 else ("", first)


def find(question: Question, hits: Sequence[Hit], recent: Sequence[Entry], lore: Lore) -> list[Fact]:
    """Return what bears on a question, best first.

    Args:
        question: the question.
        hits: what recall found, best first.
        recent: the tail, which recall may not know yet.
        lore: what the vault says of language.
    """
    words = lore.words
    near = {hit.entry.seq: hit.vector or 0.0 for hit in hits if hit.entry}
    entries = {entry.seq: entry for entry in (*recent, *(hit.entry for hit in hits if hit.entry))}
    first = next((hit.entry.seq for hit in hits if hit.entry), 0)
    found: list[Fact] = []
    told: dict[str, list[tuple[int, str]]] = {}
    for seq in sorted(entries):
        entry = entries[seq]
        if entry.failed or entry.kind not in ("heard", "told", "saw", "result"):
            continue
        if (private := is_private(entry, words)) and entry.actor != question.asker:
            continue
        before = told.setdefault(entry.actor or "", [])
        for fact in _facts(entry, question, words, private):
            plain = fact
            if entry.kind in ("heard", "told") and not fact.via:
                plain = fact._replace(words=_resolved(fact.words, seq, before, words))
                before.append((seq, plain.words))
            score = _score(question, plain, near.get(seq, 0.0), words) + 0.05 * (seq == first)
            if score > 0:
                found.append(plain._replace(score=score))
    for hit in hits:
        if hit.entry is None:
            found.extend(_of_document(question, hit, words))
    names = Names(question.me, tuple(question.people))
    return [
        one for one in _ordered(found, words)[:KEPT] if one.kind not in ("heard", "told") or _tells(one, names, lore)
    ]


def _tells(fact: Fact, names: Names, lore: Lore) -> bool:
    """Return whether a sentence tells something, and is no wish, courtesy, praise or blame."""
    meaning = lore.pattern(fact.words, names)
    return meaning is None or (meaning.wants == "nothing" and not meaning.texts[:1][0].startswith(("reply.", "greet.")))


def _facts(entry: Entry, question: Question, words: Words, private: bool) -> Iterator[Fact]:
    kind = "known" if is_known(entry) else entry.kind
    title = titled(entry)[0] if kind == "result" else ""
    plain = Fact("", 0.0, kind, entry.actor or "", entry.place or "", entry.at, entry.seq, "", title, "", private)
    if entry.actor in question.minds and entry.kind == "heard":
        said = remembered(entry)
        source, inner = unwrapped(said.words if said else "", question.people, words)
        if source and inner and source != question.me:
            yield plain._replace(words=inner, actor=source, via=entry.actor or "")
        if source or any(not _YOURS.isdisjoint(tokens(said.words)) for said in (said,) if said):
            return
    for one in statements(entry, question.me, (question.asker, *question.people), words):
        yield plain._replace(words=one)


def unwrapped(line: str, people: Iterable[str], words: Words) -> tuple[str, str]:
    """Return who first said what a mind passes on, and the words; "" twice when it quotes nobody by name.

    Args:
        line: what the mind said.
        people: names of everybody known.
        words: the word lists.
    """
    open_, close = line.find("'", line.find(" '")), line.rfind("'")
    frame, inner = line, ""
    if -1 < open_ < close - 8:
        frame, inner = f"{line[:open_]} {line[close + 1 :]}", line[open_ + 1 : close]
    elif ": " in line:
        frame, _, inner = line.partition(": ")
    else:
        parts = [one for piece in sentences(line) for one in piece.split("; ")]
        framing = [one for one in parts if not words.of("tell").isdisjoint(tokens(one)) and len(one.split()) < 13]
        frame, inner = " ".join(framing), " ".join(one for one in parts if one not in framing)
    if words.of("tell").isdisjoint(tokens(frame)):
        return "", ""
    named = [(frame.rfind(name), name) for name in people if name and mentions(frame, name)]
    tellers = [pair for pair in named if _is_teller(frame, *pair)]
    source = max(tellers or named[:1], default=(0, ""))[1]
    inner = without_address(inner, [name for name in people if calls(inner, name)])
    if len(inner.split()) < 4:
        return "", ""
    deeper = unwrapped(inner, people, words) if source and inner.count(" ") > 3 else ("", "")
    return deeper if deeper[0] else (source, inner.strip())


def _is_teller(frame: str, at: int, name: str) -> bool:
    """Return whether a name in a frame is whose words they are: "Ann told me", "from Ann", and no name called."""
    before, after = frame[:at].rstrip().casefold(), frame[at + len(name) :]
    return before.endswith(("from", "by")) or after[:1] in (" ", "'", "’")


def _resolved(statement: str, seq: int, before: Sequence[tuple[int, str]], words: Words) -> str:
    """Return a statement with whom or what its first pronoun means."""
    pronoun = pronoun_in(statement, words)
    near = (earlier for at, earlier in reversed(before[-4:]) if pronoun and seq - at <= REACH)
    who = next((found for earlier in near if (found := lead(earlier, pronoun, words))), "")
    return with_pronoun(statement, pronoun, who, words) if who else statement


def _score(question: Question, fact: Fact, vector: float, words: Words) -> float:
    """Say how well a fact answers: telling words it shares, how near recall has it, and whether it is of that kind."""
    if _is_beside(question, fact, words):
        return 0.0
    asked = tuple(word for word in question.words if word not in words.of("asked")) or question.words
    beside = f"{fact.actor} {fact.title}" if fact.kind != "known" else ""
    said = f"{fact.words} {beside} {implied(fact.words, words)}"
    shared = words.coverage(asked, said)
    names = {word.casefold() for word in _NAMES.findall(question.text)} | set(tokens(question.person))
    named = {*tokens(beside), *names}
    rest = [word for word in asked if word not in named]
    roots = set(map(words.stem, tokens(fact.words)))
    exact = sum(words.stem(word) in roots for word in asked) / len(asked) if asked else 0.0
    if rest and len(rest) < len(asked) and not words.coverage(rest, f"{fact.words} {implied(fact.words, words)}"):
        shared *= 0.5 if vector > 0.4 else 0.3  # that it is they says nothing of what is asked
    weight = 1.0
    literal = set(tokens(fact.words))
    if all(words.stem(word) in words.weak and word not in literal for word in asked):
        shared, exact = shared * 0.3, 0.0
        weight = 2.0
    near = max(0.0, vector - 0.3)
    if not shared and near < 0.12:
        return 0.0
    score = 0.8 * shared + 0.1 * exact + weight * near
    meant = {*names} - {*tokens(f"{question.asker} {question.me}")}
    if meant and meant.isdisjoint(tokens(f"{fact.words} {beside}")):
        score *= 0.5
    known = {words.stem(word) for word in question.words}
    if question.asks != "yes" and all(words.stem(word) in known for word in words.content(fact.words)):
        score -= 0.5  # it says no more than the question
    unfit = False
    if question.asks in _EXACT:
        has = part(fact.words, question.asks, tuple(tokens(question.text)), words) is not None
        score += 0.2 * (has and question.own and not set(asked) - words.of("asked"))
        lacks = question.asks in ("number", "when", "where", "colour")
        unfit = lacks and not has
        score += 0.1 if has else -0.3 if lacks else -0.15
    if question.own and fact.actor == question.asker:
        score += 0.12
    if fact.kind in ("saw", "result", "known"):
        score -= 0.05
    score = min(score, SURE - 0.06) if unfit else score
    return score - 0.1 * bool(fact.via) - 0.05 * (not words.of("uncertain").isdisjoint(tokens(fact.words)))


def implied(statement: str, words: Words) -> str:
    """Return what a statement says without the word for it: "I am a baker" tells a trade.

    Args:
        statement: the sentence.
        words: the word lists.
    """
    low = f"-{'-'.join(tokens(statement))}-"
    pairs = (item.partition("=") for item in sorted(words.of("implied")))
    return " ".join(more.replace("-", " ") for phrase, _, more in pairs if f"-{phrase}-" in low)


def _is_beside(question: Question, fact: Fact, words: Words) -> bool:
    """Return whether a fact is of somebody else's things, whatever words they share."""
    said = set(tokens(fact.words))
    if fact.kind == "saw":
        return question.asks not in ("who", "when", "yes", "where") and question.person != fact.actor
    if fact.kind == "result":
        strong = [
            word for word in question.words if words.stem(word) not in words.weak and word not in words.of("asked")
        ]
        return not words.coverage(strong, fact.title) and not (
            len(strong) > 1 and words.coverage(strong, fact.words) > 0.99
        )
    if question.yours and question.person in ("", question.me):
        of_me = not _YOURS.isdisjoint(said) or mentions(fact.words, question.me)
        polite = not words.of("polite").isdisjoint(tokens(question.text)) and "your" not in tokens(question.text)
        return not (of_me or polite or (fact.kind == "known" and not _MINE.isdisjoint(said)))
    mine = not _MINE.isdisjoint(said)
    if mine and fact.kind in ("heard", "told") and fact.actor != question.asker:
        return question.own
    return question.own and fact.kind == "known" and mine


def _of_document(question: Question, hit: Hit, words: Words) -> Iterator[Fact]:
    """Yield the sentence of a note or a summary that answers best; both are at second hand."""
    if question.yours and hit.kind == "note":
        return
    origin = f"{hit.covers[0]}-{hit.covers[1]}" if hit.covers else f"[[{hit.title}]]"
    best = Fact("", 0.0)
    for line in repeatable(hit.text, words):
        source, inner = unwrapped(line, question.people, words)
        fact = Fact(inner if source else line, 0.0, "heard" if source else hit.kind, source, title=hit.title or "")
        shares = words.coverage(question.words, fact.words)
        score = _score(question, fact, 0.0, words) - 0.1 if shares >= 0.5 and source != question.me else 0.0
        best = max(best, fact._replace(score=score, origin=origin), key=lambda one: one.score)
    if best.words:
        yield best


def repeatable(text: str, words: Words) -> Iterator[str]:
    """Yield the sentences of a note or a summary that are for everybody's ears: nothing thought, confided, or why.

    Args:
        text: what stands in it.
        words: the word lists.
    """
    for line in text.splitlines():
        bare = line.strip().lstrip("#*- ")
        hidden = False
        for one in sentences(bare):
            low = tokens(one)
            own = low[:1] == ["i"] and not {"thought", "dreamed", "dreamt", "wondered", "because"}.isdisjoint(low)
            secret = words.is_secret(one) or "whisper" in one.casefold()
            hidden = secret or (hidden and bool(low) and low[0] in words.of("leans"))
            if not (
                hidden or own or asks(one) or words.is_ignorant(one) or one.count('"') % 2 or low[:1] == ["because"]
            ):
                yield one[:LONGEST]


def _ordered(found: list[Fact], words: Words) -> list[Fact]:
    """Order facts, best first: of one statement only its first telling, and a correction before what it corrects."""
    ranked = sorted(found, key=lambda one: (round(one.score, 1), not one.via, one.seq), reverse=True)
    kept: dict[tuple[tuple[str, ...], str], Fact] = {}
    for one in ranked:
        kept.setdefault((words.content(one.words), one.actor), one)
    facts = list(kept.values())
    if not facts:
        return facts
    best = facts[0]
    told = set(map(words.stem, words.content(best.words))) - words.weak
    for one in sorted(facts[1:], key=lambda each: each.seq, reverse=True):
        said = tokens(one.words)
        marked = not words.of("now").isdisjoint(said)
        shared = told & set(map(words.stem, words.content(one.words)))
        if marked and one.seq > best.seq > 0 and shared and one.score >= NEAR / 2 and best.score - one.score < 0.7:
            facts.remove(one)
            return [one._replace(score=max(one.score, best.score)), *facts]
    return facts


def otherwise(question: Question, facts: Sequence[Fact], words: Words) -> Fact | None:
    """Return what somebody else tells differently from the best fact; None when nobody does.

    Args:
        question: the question.
        facts: what bears on it, best first.
        words: the word lists.
    """
    best = facts[0]
    if question.own or question.asks not in _EXACT or best.kind != "heard" or best.via:
        return None
    said = part(best.words, question.asks, tuple(tokens(question.text)), words)
    for one in facts[1:]:
        if one.kind != "heard" or one.actor == best.actor or one.via or best.score - one.score > 0.3:
            continue
        if one.score < SURE or not _MINE.isdisjoint(tokens(one.words)):
            continue
        other = part(one.words, question.asks, tuple(tokens(question.text)), words)
        if said and other and words.content(said) != words.content(other):
            return one
    return None


def told_to(fact: Fact, listener: str, me: str, here: str, age: float, words: Words) -> str:
    """Return a fact as a sentence for somebody, or "" when only a quotation does: it cannot be turned for sure.

    Args:
        fact: the fact.
        listener: who hears it.
        me: who says it.
        here: where they are.
        age: how many hours ago it was said.
        words: the word lists.
    """
    if fact.kind not in ("heard", "told") or not fact.actor or mentions(fact.words, me):
        return ""
    said = tokens(fact.words)
    if (age > 12 and not words.of("always_time").isdisjoint(said)) or ("here" in said and fact.place != here):
        return ""
    if said[0] in words.of("leans") and said[0] not in ("that", "this", "those", "these", "there"):
        return ""
    told = retell(fact.words, fact.actor, listener, words)
    return f"{told}." if told else ""
