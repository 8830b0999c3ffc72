"""The facts of memories: how reliable they are, which ones a finished summary holds, and the share that it keeps.

To bound the cost, memories are not read again: every summary carries a sample of their facts, and the next one merges
the samples. Beyond `SAMPLE` facts it is a priority sample (Duffield, Lund and Thorup, 2007) weighted by importance,
with hashes as random numbers, so that merged samples are exact. With 64 facts the error is about 0.06. What a summary
by rules says is chosen in `summarizers/_weighing.py`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from heapq import nlargest
from typing import NamedTuple

from agents.compaction.judge.reading import CUES, PLAIN, JudgedTexts, keys_of, normalize, telling_of
from agents.compaction.periods import undated
from agents.compaction.summarizer import SummarySource, body_of
from agents.memory.entries import Entry
from agents.memory.summaries import Summary
from mud.world.sentences import is_abbreviated

DIRECT, OBSERVED, INFERRED, AMBIENT = 0.9, 0.8, 0.6, 0.3
"""Reliability of a memory, 0 to 1 (seed 003): told directly, observed, inferred, overheard."""
SAMPLE = 64  # maximum facts in a sample; one more is kept to estimate the weight of the rest
_ORDINARY = 3  # importance of a fact of which none is known

_TRUST = {
    **dict.fromkeys(("told", "heard"), DIRECT),
    **dict.fromkeys(("said", "did", "saw", "moved", "result"), OBSERVED),
    **dict.fromkeys(("thought", "note", "dream"), INFERRED),
}
_SPOKEN = re.compile(r'"([^"\n]*)"|“([^”\n]*)”|«([^»\n]*)»')
_CALLED = re.compile(
    r"\s*(?:(?i:hey|hello|hi|oh|ah|dear|please|listen|good (?:morning|day|evening|night))\b[ ,!.]*)*+"
    r"(?P<who>[^\W\d_a-z][^\W\d_]+(?: [^\W\d_a-z][^\W\d_]+)?)(?=[,!:])"
)
_SAYS = re.compile(r"""^([^"“«\n]{1,80})["“«](.*)["”»][.!?]?$""", re.DOTALL)
_ROW = re.compile(r"[A-ZÀ-ÖØ-Þ][\w'’]*(?: [A-ZÀ-ÖØ-Þ][\w'’]*)*")
_BREAK = re.compile(r"[.!?…]+(?=[\s\"”»']|$)|\n")
_AROUND = " \t\n\"”»'"
_MARKS = str.maketrans(';"\\', ",' ")

PROMISE = re.compile(
    r"\b(?:promis(?:e|es|ed|ing)|swears?|swore|sworn|vow(?:s|ed)?|pledged?|(?:i|we)(?: will|'ll|’ll| shall)"
    r"|(?:give|gave|have|had) (?:you |him |her |them )?(?:my|his|her|their) word|my word)\b",
    re.IGNORECASE,
)
_INSTRUCTION = re.compile(
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


class JudgedFact(NamedTuple):
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


def parts_of(text: str) -> Iterator[str]:
    """Yield the sentences of a text, including those in quotations, without quotation marks."""
    start = 0
    for match in _BREAK.finditer(text):
        if match[0] == "." and is_abbreviated(text, match.end()):
            continue
        if sentence := text[start : match.end()].strip(_AROUND):
            yield sentence
        start = match.end()
    if sentence := text[start:].strip(_AROUND):
        yield sentence


def is_hearsay(entry: Entry, sentence: str, name: str = "") -> bool:
    """Return whether a sentence of a memory is what somebody else says about the agent."""
    if not _is_told(entry) or sentence.rstrip().endswith("?"):
        return False
    called = rf"\b{re.escape(name)}(?:['’]s)? (?:is|was|has|had|stole|lied|never|always)\b" if name else r"(?!)"
    return _OF_ME.search(sentence) is not None or re.search(called, sentence) is not None


def _is_told(entry: Entry) -> bool:
    return entry.actor is not None and entry.kind in ("heard", "told")


def longer(sentence: str, names: Iterable[str]) -> Iterator[str]:
    """Yield the full names in a sentence that contain one of `names`: `Salt Mill`, not `Salt`."""
    wanted = set(names)
    for match in _ROW.finditer(sentence) if wanted else ():
        words = match[0].split(" ")
        while words and (normalize(words[0]) in PLAIN or normalize(words[0]) in CUES):
            words.pop(0)
        if not wanted.isdisjoint(map(normalize, words)):
            yield re.sub(r"['’]s?$", "", " ".join(words))


def facts_of_entry(entry: Entry, name: str = "") -> list[JudgedFact]:
    """Return the facts of one memory with their sentences; `name`, the agent's own, is no fact."""
    about = (("name", entry.actor), ("place", entry.place))
    facts = [JudgedFact(kind, what, entry.text) for kind, what in about if what]
    taken = {word for known in (name, *(fact.what for fact in facts)) for word in keys_of(known)}
    spoken = _SAYS.match(entry.text)
    for sentence in parts_of(spoken[2] if spoken else entry.text):
        said = f'{spoken[1]}"{sentence}"' if spoken else sentence
        read, hearsay = JudgedTexts([sentence]), is_hearsay(entry, sentence, name)
        found = [("name", written) for written in longer(sentence, read.names.keys() - taken)]
        deeds = _deeds(sentence, read.may_promise, _is_told(entry))
        facts += [JudgedFact(kind, what, said, hearsay) for kind, what in (*found, *_numbers(read), *deeds)]
    once: dict[tuple[str, str], JudgedFact] = {}
    for fact in facts:
        once.setdefault((fact.kind, fact.what.casefold()), fact)
    return list(once.values())


def _numbers(read: JudgedTexts) -> Iterator[tuple[str, str]]:
    return (("number", number) for number in sorted(read.numbers))


def _deeds(text: str, promises: bool, instructs: bool) -> Iterator[tuple[str, str]]:
    """Yield the promise and the instructions of a text by their content words."""
    if promises and PROMISE.search(text):
        yield "promise", " ".join(sorted(telling_of(text)))
    if instructs and _INSTRUCTION.search(text):
        for sentence in (one for said in spoken_in(text) or [text] for one in parts_of(said)):
            if _INSTRUCTION.search(sentence) and not sentence.endswith("?") and (what := telling_of(sentence)):
                yield "instruction", " ".join(sorted(what))


@functools.lru_cache(maxsize=4096)
def _line(text: str, instructs: bool) -> tuple[dict[str, str], list[JudgedFact]]:
    """Return the names and other facts of a line, for which several agents ask, as small talk repeats."""
    read = JudgedTexts([text])
    deeds = _deeds(text, read.may_promise, instructs and read.may_instruct)
    return read.names, [JudgedFact(kind, what) for kind, what in (*_numbers(read), *deeds) if what]


def facts_among(entries: Iterable[Entry], earlier: Iterable[str], name: str) -> dict[JudgedFact, int]:
    """Return the facts of memories and earlier summaries, weighted by the largest importance."""
    texts = dict.fromkeys(((one, False) for text in earlier for one in parts_of(text)), _ORDINARY)
    about: dict[tuple[str, str], int] = {}
    for entry in entries:
        weight, reason = max(0, entry.importance), entry.reason
        for text in ((entry.text, _is_told(entry)), *([(reason, False)] if reason else ())):
            if texts.get(text, -1) < weight:
                texts[text] = weight
        for one in (("name", entry.actor or ""), ("place", entry.place or "")):
            if about.get(one, -1) < weight:
                about[one] = weight
    found = {JudgedFact(*one): weight for one, weight in about.items() if one[1]}
    taken = {word for known in (name, *(fact.what for fact in found)) for word in keys_of(known)}
    read = [(*_line(*text), weight) for text, weight in texts.items()]
    written = {key: JudgedFact("name", one) for names, _, _ in read for key, one in names.items() if key not in taken}
    for names, rest, weight in read:
        for fact in (*(written[key] for key in names if key in written), *rest):
            found[fact] = max(weight, found.get(fact, 0))
    return found


def holds(fact: JudgedFact, read: JudgedTexts) -> bool:
    """Return whether a text has a fact: most content words of a promise or instruction, all of a name or place."""
    if fact.kind == "number":
        return fact.what in read.numbers
    if fact.kind in ("promise", "instruction"):
        parts = fact.what.split()
        return sum(word in read.words for word in parts) >= 0.6 * len(parts)
    return read.words.issuperset(_parts(fact.what))


@functools.lru_cache(maxsize=4096)
def _parts(name: str) -> tuple[str, ...]:
    parts = tuple(keys_of(name))
    return tuple(word for word in parts if word not in ("the", "a", "an", "of")) or parts or ("?",)


class AskedFacts(NamedTuple):
    """The facts that a summary is checked for; not `whole` means a sample, with the lowest priority last."""

    facts: Mapping[JudgedFact, int]
    whole: bool

    def share(self, text: str) -> float | None:
        """Return the weighted share of the facts that a text contains, 0 to 1; None if there are no facts."""
        read, facts, least = JudgedTexts([_plain(text)]), list(self.facts.items()), 0.0
        if not self.whole:
            least = _priority(facts.pop())
        there = held = 0.0
        for fact, weight in facts:
            stands_for = max(weight, least)
            there += stands_for
            held += stands_for * holds(fact, read)
        return round(held / there, 2) if there else None

    def sample(self) -> tuple[str, ...]:
        facts = _drawn(self.facts) if self.whole else self.facts
        return tuple(_written(fact, weight) for fact, weight in facts.items())


def asked_of(source: SummarySource) -> AskedFacts:
    """Return the facts to check in the summary of a source, including the samples of earlier summaries.

    Earlier texts without a sample, such as single periods of a summary, are read.
    """
    if not source.entries and not source.sample:
        return AskedFacts(facts_among((), map(_plain, source.earlier), source.name), whole=True)
    found = _facts_in(source.sample)
    whole = len(found) <= SAMPLE
    if not source.entries:  # already a sample
        return AskedFacts(found, whole)
    for fact, weight in facts_among(source.entries, (), source.name).items():
        found[fact] = max(weight, found.get(fact, 0))
    return AskedFacts(found if whole else _drawn(found), whole)


def carried(summaries: Iterable[Summary], name: str) -> tuple[str, ...]:
    """Return the merged sample of summaries; for one without a sample, the facts of its text."""
    found: dict[JudgedFact, int] = {}
    for one in summaries:
        facts = _facts_in(one.sample) if one.sample else facts_among((), [_plain(one.text)], name)
        for fact, weight in facts.items():
            found[fact] = max(weight, found.get(fact, 0))
    return AskedFacts(found, whole=True).sample()


def _plain(text: str) -> str:
    return undated(body_of(text) if "\n" in text else text)


def _drawn(facts: Mapping[JudgedFact, int]) -> Mapping[JudgedFact, int]:
    """Return the facts of the highest priority, one more than `SAMPLE`, in descending order."""
    return facts if len(facts) <= SAMPLE else dict(nlargest(SAMPLE + 1, facts.items(), key=_priority))


def _priority(weighted: tuple[JudgedFact, int]) -> float:
    fact, weight = weighted
    return weight / _chance(fact.kind, fact.what)


@functools.lru_cache(maxsize=4096)
def _chance(kind: str, what: str) -> float:
    """Return the hash of a fact as a number above 0 and up to 1."""
    digest = blake2b(f"{kind} {what.casefold()}".encode("utf-8", "replace"), digest_size=8).digest()
    return (int.from_bytes(digest, "big") + 1) / 2**64


@functools.lru_cache(maxsize=4096)
def _written(fact: JudgedFact, weight: int) -> str:
    """Return a fact as stored in a sample, without characters that would need escaping in a file."""
    return f"{weight} {fact.kind} {' '.join(fact.what.translate(_MARKS).split())}"


def _facts_in(sample: Iterable[str]) -> dict[JudgedFact, int]:
    return {fact: weight for fact, weight in map(_read, sample) if fact.what}


@functools.lru_cache(maxsize=4096)
def _read(written: str) -> tuple[JudgedFact, int]:
    weight, _, rest = written.partition(" ")
    kind, _, what = rest.partition(" ")
    known = weight.isdecimal() and len(weight) < 4 and int(weight) > 0
    return JudgedFact(kind, what), min(10, int(weight)) if known else _ORDINARY
