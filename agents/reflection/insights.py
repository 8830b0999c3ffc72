"""Insights from an agent's entries, by rules or from a model, each with the entries that support it. Pure.

By rules they cover kept promises, contradicting places of things, frequent topics, and the usual place and company. One
of a model is accepted when it is one sentence, cites shown entries, and has no name or number that these do not have.
It is stored as a thought such as `I have come to think: ... (memories 12, 40)`, with a mark.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from agents.compaction.judge import SummaryEvidence, made_up, misquoted, taken_for_true
from agents.compaction.judge.reading import normalize, telling_of
from agents.compaction.summarizer import SummarySource
from agents.memory.entries import Entry
from agents.mind.interpreter import stem
from agents.reflection.dreams import speaks
from agents.reflection.experiences import PROMISE, READ, SPOKEN_TO_ME, asks, events_of, sentence, topics_of, words_of
from agents.text.english import sentences
from agents.text.unwrapping import unwrapped
from mud.commands import Say
from mud.world.narration import Phrase, phrase

KEEPS = phrase("minds.reflect.keeps_promises", "name")
CHANGED = phrase("minds.reflect.changed", "old", "new")
COMES_BACK = phrase("minds.reflect.comes_back", "thing")
MOSTLY = phrase("minds.reflect.mostly", "place")
COMPANY = phrase("minds.reflect.company", "name")
THOUGHT = phrase("minds.reflect.thought", "insight", "memories")
ONE = phrase("minds.reflect.one", "seq")
SEVERAL = phrase("minds.reflect.several", "seqs")

MOST = 3
LONGEST = 240
CITED = 5
OFTEN = 4  # number of mentions that make a topic frequent
SPEAKERS = 2
SHARE = 0.5  # share of entries at one place, or of lines by one speaker, that makes a habit

_DONE = re.compile(
    r"\b(?:I['’]ve|I have|here (?:is|are)|gives?|gave|brought|brings?|mended|found|done|drops?|puts?)\b", re.I
)
_CITED = re.compile(
    r"^(?:\d{1,2}[.)]\s+)?(?P<text>\S.*?)\s*[(\[][^\d()\[\]#]{0,40}"
    r"(?P<cites>#?\d[\d\s,;&#]*(?:and\s+#?\d+)?)[)\]]\W*$",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^[\W_]+")
_SAID = re.compile(r"^(?:insight\s*\d*\s*[:.-]\s*)?(?:I have come to think(?: that)?\s*[:,]?\s*)?", re.IGNORECASE)
_MODEL_TALK = re.compile(r"\b(?:you|your|insights?|memor(?:y|ies)|language model|AI)\b", re.IGNORECASE)
_STANDS = re.compile(
    r"\b(?P<thing>(?:the|my|our|his|her|your)\s+[\w'’ -]{2,40}?)\s+(?:is|are|lies|hangs|stands|sits|lives|hides)\s+"
    r"(?:now\s+|still\s+|hidden\s+|kept\s+)?(?P<where>(?:in|under|at|on|behind|by|beneath|inside|near|beside|above)\s+"
    r"[\w'’ -]{2,60})",
    re.IGNORECASE,
)

_WHEN = frozenset(["today", "tomorrow", "tonight", "soon", "morning", "evening", "night", "week", "later"])
"""Time words, ignored when the content of promises is compared."""


class Insight(NamedTuple):
    """One sentence, and the entry numbers that support it, ascending."""

    text: str
    cites: tuple[int, ...]


def insights(entries: Sequence[Entry], name: str, say: Say) -> Iterator[Insight]:
    """Yield insights from entries, which are oldest first, in order of relevance."""
    found = events_of(entries)
    yield from _promises(found, say)
    yield from _changes(found, say)
    yield from _topics(found, name, say)
    yield from _habits(found, say)


def _insight(say: Say, what: Phrase, cites: Sequence[int], **places: str) -> Insight:
    return Insight(say(what, **places), tuple(sorted(set(cites))[:CITED]))


def _promises(entries: Sequence[Entry], say: Say) -> Iterator[Insight]:
    """Yield kept promises: a later line of the same speaker has the promise's content words."""
    promised: dict[str, list[tuple[Entry, frozenset[str]]]] = defaultdict(list)
    kept: dict[str, list[int]] = defaultdict(list)
    for entry in entries:
        if not entry.actor:
            continue
        words, before = words_of(entry), promised[entry.actor]
        told = _stems(topics_of(entry)) if before and _DONE.search(words) else frozenset()
        for promise, what in before:
            if 2 * len(what & told) > len(what):
                kept[entry.actor] += [promise.seq, entry.seq]
        found = PROMISE.search(words) if entry.kind in SPOKEN_TO_ME and not asks(entry) else None
        if found and (what := _stems(telling_of(words[found.end() :]) - _WHEN)):
            before.append((entry, what))
    for actor, seqs in kept.items():
        yield _insight(say, KEEPS, seqs, name=actor)


def _stems(words: Iterable[str]) -> frozenset[str]:
    return frozenset(map(stem, words))


def _changes(entries: Sequence[Entry], say: Say) -> Iterator[Insight]:
    """Yield things that were said to be in one place and later in another, by any speaker."""
    known: dict[frozenset[str], tuple[Entry, str, frozenset[str]]] = {}
    for entry in entries:
        if entry.kind != "heard" or asks(entry):
            continue
        for found in _STANDS.finditer(words_of(entry)):
            thing, where = telling_of(found["thing"]), telling_of(found["where"])
            if not thing or not where:
                continue
            # `the` for a possessive, which would be wrong for another speaker.
            told = f"the {found['thing'].split(None, 1)[1]} {found[0][len(found['thing']) :].strip()}"
            before = known.get(thing)
            if before is not None and not before[2] & where:
                yield _insight(say, CHANGED, [before[0].seq, entry.seq], old=before[1], new=told)
            known[thing] = entry, told, where


def _topics(entries: Sequence[Entry], name: str, say: Say) -> Iterator[Insight]:
    seqs: dict[str, list[int]] = defaultdict(list)
    speakers: dict[str, set[str]] = defaultdict(set)
    written: dict[str, str] = {}
    people = {normalize(part) for entry in entries for part in (entry.actor or "").split()}
    people |= {normalize(part) for part in name.split()}
    for entry in entries:
        if entry.kind != "heard" or not entry.actor:
            continue
        named = re.findall(r"\b(?:the|my|our) ([^\W\d_]{4,})\b", words_of(entry), re.IGNORECASE)
        topics = topics_of(entry) if named else frozenset()
        for word in named:
            key = normalize(word)
            if key in people or key not in topics:
                continue
            written.setdefault(key, word.lower())
            speakers[key].add(entry.actor)
            if entry.seq not in seqs[key]:
                seqs[key].append(entry.seq)
    often = sorted((-len(found), found[0], key) for key, found in seqs.items() if len(found) >= OFTEN)
    for _, _, key in often:
        if len(speakers[key]) >= SPEAKERS:
            yield _insight(say, COMES_BACK, seqs[key][-CITED:], thing=written[key])


def _habits(entries: Sequence[Entry], say: Say) -> Iterator[Insight]:
    places = Counter(entry.place for entry in entries if entry.place)
    for place, times in places.most_common(1):
        if len(places) > 1 and times >= max(OFTEN, SHARE * sum(places.values())):
            yield _insight(say, MOSTLY, [one.seq for one in entries if one.place == place][-3:], place=place)
    heard = Counter(entry.actor for entry in entries if entry.kind in SPOKEN_TO_ME and entry.actor)
    for actor, times in heard.most_common(1):
        if len(heard) > 1 and times >= max(OFTEN, SHARE * sum(heard.values())):
            seqs = [one.seq for one in entries if one.actor == actor and one.kind in SPOKEN_TO_ME]
            yield _insight(say, COMPANY, seqs[-3:], name=actor)


def kept(insight: Insight, say: Say) -> str:
    """Return an insight as the text of an entry."""
    seqs = ", ".join(map(str, insight.cites))
    memories = say(ONE, seq=seqs) if len(insight.cites) == 1 else say(SEVERAL, seqs=seqs)
    return say(THOUGHT, insight=sentence(insight.text), memories=memories)


def fresh(found: Iterable[Insight], earlier: Collection[str]) -> list[Insight]:
    """Return the first few insights whose sentence is in none of the earlier texts."""
    known = [text.casefold() for text in earlier]
    new: list[Insight] = []
    for one in found:
        said = sentence(one.text).casefold()
        again = re.compile(rf"(?<!\w){re.escape(said)}")
        if len(new) < MOST and not any(again.search(text) for text in known):
            known.append(said)
            new.append(one)
    return new


def parse_insights(reply: str, shown: Sequence[Entry], name: str) -> list[Insight]:
    """Return the acceptable insights in a reply: one a line, with entry numbers in brackets at its end."""
    by_seq = {entry.seq: entry for entry in shown}
    found: list[Insight] = []
    for line in unwrapped(reply[:READ]).splitlines():
        match = _CITED.match(_BULLET.sub("", line[: LONGEST * 2]))
        if match is None:
            continue
        text = _SAID.sub("", match["text"].strip(' "“”*_')).strip()
        numbers = {int(number) for number in re.findall(r"\d{1,9}", match["cites"])}
        if not numbers or not numbers <= by_seq.keys() or len(numbers) > CITED:
            continue
        if _holds(text, [by_seq[seq] for seq in sorted(numbers)], name):
            found.append(Insight(text, tuple(sorted(numbers))))
    return found


def _holds(text: str, cited: Sequence[Entry], name: str) -> bool:
    if not 4 <= len(text.split()) <= 40 or len(text) > LONGEST or len(sentences(text)) != 1 or text.endswith("?"):
        return False
    if _MODEL_TALK.search(text) or speaks(text) or not events_of(cited):
        return False
    source = SummarySource(name, "recent", tuple(cited))
    told = sentence(text)
    return not (made_up(told, SummaryEvidence(source)) or misquoted(told, source) or taken_for_true(told, source))
