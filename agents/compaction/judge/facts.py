"""The facts of a memory, and how reliable it is. What others say about the agent is hearsay, not a fact about it."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from agents.compaction.judge.reading import JudgedTexts, keys_of, normalize, telling_of
from agents.compaction.judge.words import CUES, PLAIN
from agents.memory.entries import Entry
from mud.world.sentences import is_abbreviated

DIRECT, OBSERVED, INFERRED, AMBIENT = 0.9, 0.8, 0.6, 0.3
"""Reliability of a memory, 0 to 1 (seed 003): told directly, observed, inferred, overheard."""

ORDINARY = 3

_TRUST = {
    "told": DIRECT,
    "heard": DIRECT,
    "said": OBSERVED,
    "did": OBSERVED,
    "saw": OBSERVED,
    "moved": OBSERVED,
    "result": OBSERVED,
    "thought": INFERRED,
    "note": INFERRED,
    "dream": INFERRED,
}
_SPOKEN = re.compile(r'"([^"\n]*)"|“([^”\n]*)”|«([^»\n]*)»')
_CALLED = re.compile(
    r"\s*(?:(?i:hey|hello|hi|oh|ah|dear|please|listen|good (?:morning|day|evening|night))\b[ ,!.]*)*+"
    r"(?P<who>[^\W\d_a-z][^\W\d_]+(?: [^\W\d_a-z][^\W\d_]+)?)(?=[,!:])"
)
_SAYS = re.compile(r"""^([^"“«\n]{1,80})["“«](.*)["”»][.!?]?$""", re.DOTALL)
_ROW = re.compile(r"[A-ZÀ-ÖØ-Þ][\w'’]*(?: [A-ZÀ-ÖØ-Þ][\w'’]*)*")
_BREAK = re.compile(r"[.!?…]+(?=[\s\"”»']|$)|\n")

PROMISE = re.compile(
    r"\b(?:promis(?:e|es|ed|ing)|swears?|swore|sworn|vow(?:s|ed)?|pledged?|(?:i|we)(?: will|'ll|’ll| shall)"
    r"|(?:give|gave|have|had) (?:you |him |her |them )?(?:my|his|her|their) word|my word)\b",
    re.IGNORECASE,
)

INSTRUCTION = re.compile(
    r"\byou(?:'d|’d)? (?:must|should|shall|need to|have to|ought to|had better|better|are to)\b"
    r"|(?:^|[.!?,;:—–\"“]\s*|\b(?:and|but|then|please|so|now)\s+)(?:please\s+|always\s+)?"
    r"(?:(?:do not|don['’]?t|never)\s+(?!know\b|think\b|mind\b|worry\b|mention\b|you\b)[a-z]+"
    r"|(?:bring|give|tell|show|ask|remind|follow|help|meet|warn|find|fetch|take|send|let|pay)\s+"
    r"(?:me|us|him|her|them|it|my|our|your|his|the|a|an|this|that|these|those|(?-i:[A-Z])\w+)\b"
    r"|(?:go|come|look|wait|stay|watch|beware|keep|leave|open|close|stop|remember|forget|meet|put|hide|guard)\b"
    r"(?!\s+(?:is|are|was|were|of)\b))",
    re.IGNORECASE | re.MULTILINE,
)

_OF_ME = re.compile(
    r"(?<!if )(?<!when )(?<!where )(?<!what )(?<!do )(?<!did )(?<!are )(?<!would )(?<!could )(?<!can )(?<!will )"
    r"(?<!should )(?<!have )(?<!were )\byou(?:['’]re|['’]ve| (?:are|were|have|had|did|always|never|once|also|still|seem"
    r"|look|used to|want|like|love|hate|fear|stole|lied|killed|promised|said|told|owe|belong|come from|live|work"
    r"|[a-z]{3,}ed))\b(?! to\b| better\b)|\byour (?:real |true |own )?[a-z]+ (?:is|was|are|were)\b",
    re.IGNORECASE,
)


class Fact(NamedTuple):
    """A name, number, place, promise or instruction, of which `what` is normalized, that a summary should keep."""

    kind: str
    what: str
    said: str = ""
    hearsay: bool = False


def trust_of(entry: Entry, name: str = "") -> float:
    """Return the reliability of a memory; with `name`, speech addressed to somebody else counts as overheard."""
    if entry.kind == "heard":
        if entry.actor is None:
            return AMBIENT
        said = spoken_in(entry.text)
        called = _CALLED.match(said[0]) if name and said else None
        who = keys_of(called["who"]) if called else []
        if who and who[0] not in PLAIN and not set(who) & set(keys_of(name)):
            return AMBIENT
    return _TRUST.get(entry.kind, INFERRED)


def spoken_in(text: str) -> list[str]:
    return ["".join(groups) for groups in _SPOKEN.findall(text)]


def facts_of_entry(entry: Entry, name: str = "") -> list[Fact]:
    """Return the facts of one memory with their sentences; `name`, the agent's own, is no fact."""
    own = set(keys_of(name))
    found: dict[tuple[str, str], Fact] = {}

    def add(kind: str, what: str, said: str, hearsay: bool = False) -> None:
        found.setdefault((kind, what.casefold()), Fact(kind, what, said, hearsay))

    if entry.actor:
        add("name", entry.actor, entry.text)
    if entry.place:
        add("place", entry.place, entry.text)
    taken = own | {word for fact in found.values() for word in keys_of(fact.what)}
    for sentence, said in _sentences(entry.text):
        hearsay = is_hearsay(entry, sentence, name)
        read = JudgedTexts([sentence])
        for written in longer(sentence, read.names.keys() - taken):
            add("name", written, said, hearsay)
        for number in sorted(read.numbers):
            add("number", number, said, hearsay)
        promised = _promised(sentence) if read.may_promise else ()
        for deed in (*promised, *(_instructed(sentence) if _instructs(entry) else ())):
            add(deed.kind, deed.what, said, hearsay)
    return list(found.values())


def _sentences(text: str) -> Iterator[tuple[str, str]]:
    spoken = _SAYS.match(text)
    for sentence in parts_of(spoken[2] if spoken else text):
        yield sentence, f'{spoken[1]}"{sentence}"' if spoken else sentence


def longer(sentence: str, names: Iterable[str]) -> Iterator[str]:
    """Yield the full names in a sentence that contain one of `names`: `Salt Mill`, not `Salt`."""
    wanted = set(names)
    for match in _ROW.finditer(sentence) if wanted else ():
        words = match[0].split(" ")
        while words and (normalize(words[0]) in PLAIN or normalize(words[0]) in CUES):
            words.pop(0)
        if words and not wanted.isdisjoint(map(normalize, words)):
            yield re.sub(r"['’]s?$", "", " ".join(words))


def parts_of(text: str) -> Iterator[str]:
    """Yield the sentences of a text, including those in quotations, without quotation marks."""
    start = 0
    for match in _BREAK.finditer(text):
        if match[0] == "." and is_abbreviated(text, match.end()):
            continue
        if sentence := text[start : match.end()].strip(" \t\n\"”»'"):
            yield sentence
        start = match.end()
    if sentence := text[start:].strip(" \t\n\"”»'"):
        yield sentence


def is_hearsay(entry: Entry, sentence: str, name: str = "") -> bool:
    """Return whether a sentence of a memory is what somebody else says about the agent."""
    if entry.actor is None or entry.kind not in ("heard", "told") or sentence.rstrip().endswith("?"):
        return False
    if _OF_ME.search(sentence):
        return True
    called = rf"\b{re.escape(name)}(?:['’]s)? (?:is|was|has|had|stole|lied|never|always)\b" if name else r"(?!)"
    return re.search(called, sentence) is not None


def _instructs(entry: Entry) -> bool:
    return entry.actor is not None and entry.kind in ("heard", "told")


def _promised(text: str) -> tuple[Fact, ...]:
    return (Fact("promise", " ".join(sorted(telling_of(text)))),) if PROMISE.search(text) else ()


def _instructed(text: str) -> tuple[Fact, ...]:
    if not INSTRUCTION.search(text):
        return ()
    every = (sentence for said in spoken_in(text) or [text] for sentence in parts_of(said))
    some = [one for one in every if INSTRUCTION.search(one) and not one.endswith("?")]
    return tuple(Fact("instruction", " ".join(sorted(what))) for one in some if (what := telling_of(one)))


class _LineFacts(NamedTuple):
    names: tuple[tuple[str, str], ...]
    rest: tuple[Fact, ...]


@functools.lru_cache(maxsize=4096)
def _line(text: str, instructs: bool) -> _LineFacts:
    """Return the facts of a line. Cached, because several agents hear the same line and small talk repeats."""
    read = JudgedTexts([text])
    promised = _promised(text) if read.may_promise else ()
    instructed = _instructed(text) if instructs and read.may_instruct else ()
    numbers = (Fact("number", number) for number in sorted(read.numbers))
    return _LineFacts(tuple(read.names.items()), (*numbers, *(deed for deed in (*promised, *instructed) if deed.what)))


def facts_among(entries: Iterable[Entry], earlier: Iterable[str], name: str) -> dict[Fact, int]:
    """Return the facts of memories and earlier summaries, weighted by the largest importance."""
    texts: dict[tuple[str, bool], int] = dict.fromkeys(
        ((one, False) for text in earlier for one in parts_of(text)), ORDINARY
    )
    about: dict[tuple[str, str | None], int] = {}
    for entry in entries:
        weight = entry.importance
        for text in ((entry.text, _instructs(entry)), (entry.reason or "", False)):
            texts[text] = max(weight, texts.get(text, 0))
        for one in (("name", entry.actor), ("place", entry.place)):
            about[one] = max(weight, about.get(one, 0))
    read = [(_line(*text), weight) for text, weight in texts.items()]
    found = {Fact(kind, what): weight for (kind, what), weight in about.items() if what}
    taken = {word for fact in found for word in keys_of(fact.what)} | set(keys_of(name))
    written = {key: Fact("name", as_written) for line, _ in read for key, as_written in line.names if key not in taken}
    for line, weight in read:
        named = (written[key] for key, _ in line.names if key in written)
        for fact in (*named, *line.rest):
            found[fact] = max(weight, found.get(fact, 0))
    return found


def holds(fact: Fact, words: frozenset[str], numbers: frozenset[str]) -> bool:
    if fact.kind == "number":
        return fact.what in numbers
    if fact.kind in ("promise", "instruction"):
        parts = fact.what.split()
        return sum(word in words for word in parts) >= 0.6 * len(parts)
    return all(word in words for word in _parts(fact.what))


@functools.lru_cache(maxsize=4096)
def _parts(name: str) -> tuple[str, ...]:
    parts = tuple(keys_of(name))
    return tuple(word for word in parts if word not in ("the", "a", "an", "of")) or parts or ("?",)
