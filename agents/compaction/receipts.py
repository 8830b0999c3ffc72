"""What a summary kept and what it made up: the facts of a source, and the checks that a summary must pass.

By rules alone, so the same reply is judged alike every time and without a model. A bad summary never wins: a name or a
number that is nowhere in the source is reason enough, and so is anything that is not somebody remembering.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

from agents.compaction.summarizers._summarizer import Source
from agents.compaction.voices import PROMISE, borrowed, misquoted
from agents.compaction.wording import (
    PLAIN,
    all_words,
    capitals,
    key,
    may_be_name,
    names,
    numbers,
    runs,
    sentences,
    side_by_side,
    telling,
    uncased,
    unquoted,
    words,
)
from agents.memory.entries import Entry

_META = re.compile(
    r"\bas an ai\b|\blanguage model\b|\bto summari[sz]e\b|\bsummari[sz](?:e|es|ed|ing)\b|\bsummary\b|\brecap\b"
    r"|\bfirst[- ]person\b|\bmeta[- ]comment|\bthese memories\b|\b(?:memories|text|passage|transcript|prompt) "
    r"(?:above|below|describes?|shows?|provided|given)\b"
    r"|\b(?:narrator|protagonist|main character|the user|the author)\b"
    r"|\binstructions?\b|\bi hope this\b|\blet me know\b|\b(?:sure|certainly|absolutely)[,!] (?:here|i)\b"
    r"|\bhere(?:'s| is| are) (?:a|the|my|your|some)\b|\bword count\b|\blorem ipsum\b|\bplaceholder\b"
    r"|\bkey (?:points|events|details|takeaways)\b|\bin (?:conclusion|short form)\b|\bno commentary\b"
    r"|\b(?:the|this) (?:story|narrative)\b|\bperspective\b|\bthe reader\b|\bassist(?:ant|ance)\b|\bhere to help\b"
    r"|\b(?:happy|glad|pleased|ready) to (?:share|help|assist|provide)\b|\btrained (?:by|to)\b|\bcreative writing\b",
    re.IGNORECASE,
)
_TEMPLATE = re.compile(
    r"^\s*(?:#|>|~|[-*•+]\s|\d+[.)]\s|```|\|)|^\s*[A-Z][\w ]{0,24}:(?:\s|$)"
    r"|\{\w*\}|\[[^\]]{0,60}\]|<[^>]{1,40}>|\*\*|```",
    re.MULTILINE,
)
_ME = re.compile(r"\b(?:I|me|my|mine|myself)\b|\b(?:My|Me|Mine|Myself)\b")
_YOU = re.compile(r"\b(?:you|your|yours|yourself)\b", re.IGNORECASE)
_CLAIMS = re.compile(
    r"\b(?:I['’]m|I am|I was|I,|me,|myself,)\s+(?:called\s+|named\s+|known as\s+)?(?P<a>[^\W\d_a-z][^\W\d_]*)(?!['’])\b"
    r"|\b[Mm]y name(?:['’]s| is| was)\s+(?P<b>[^\W\d_]+)"
    r"|\b(?:call|calls|called|name|named) me\s+(?P<c>[^\W\d_a-z][^\W\d_]*)"
    r"|\bI,? as (?P<d>[^\W\d_a-z][^\W\d_]*)"
)
_FOREIGN = 2 / 3
"""Share of what a summary tells of that may stand in other words than the source has; more is another story."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything a summary may speak of.

    Args:
        texts: the source, word for word.
        known: words that the source writes with a capital, and the parts of one's own name.
        words: every word of the source.
        pairs: words that stand side by side in the source.
        numbers: every number of the source.
        scripts: scripts without capitals that it uses.
    """

    texts: tuple[str, ...]
    known: frozenset[str]
    words: frozenset[str]
    pairs: frozenset[tuple[str, ...]]
    numbers: frozenset[str]
    scripts: frozenset[str]


def evidence(source: Source) -> Evidence:
    """Return what a summary of a source may speak of: memories, who acted, where, why, and earlier summaries."""
    texts = [*source.earlier, *(part for entry in source.entries for part in _parts(entry))]
    whole = "\n".join(texts)
    known = {capital.key for capital in capitals(whole)} | set(words(source.name))
    pairs = {pair for text in (*texts, source.name) for pair in runs(text, 2)}
    return Evidence(
        tuple(texts),
        frozenset(known),
        frozenset(all_words([whole])),
        frozenset(pairs),
        numbers(whole),
        uncased(whole + source.name),
    )


def _parts(entry: Entry) -> list[str]:
    return [part for part in (entry.text, entry.actor, entry.place, entry.reason) if part]


def made_up(text: str, proof: Evidence) -> list[str]:
    """Return the names and numbers of a text that are nowhere in its source, as reasons."""
    reasons = []
    for capital in capitals(text):
        word = capital.key
        if word in proof.known or word in PLAIN or numbers(word):
            continue  # counting words are judged as numbers
        ordinary = word in proof.words and not may_be_name(word)
        if not (ordinary and (capital.opens or capital.article)):
            reasons.append(f"the name {capital.word} is not in the source")
    reasons += [f"the number {number} is not in the source" for number in sorted(numbers(text) - proof.numbers)]
    if strange := uncased(text) - proof.scripts:
        reasons.append(f"the source has no {' or '.join(sorted(strange)).lower()} script")
    return list(dict.fromkeys(reasons))


def _joined(text: str, proof: Evidence) -> list[str]:
    """Return the longer names of a text that are put together from parts of others, as reasons."""
    reasons = []
    for row in side_by_side(text):
        pairs = list(itertools.pairwise(row))
        there = [False, *(pair in proof.pairs for pair in pairs), False]
        for at, (one, two) in enumerate(pairs, 1):
            neighbours = there[at - 1] or there[at + 1]  # `the Old Mill Moss built` is two names, and both are there
            if not (there[at] or neighbours) and {one, two} <= proof.known:
                reasons.append(f"the source has no {one.title()} {two.title()}")
    return reasons


def validate(text: str, source: Source) -> list[str]:
    """Return every reason why a text must not become the summary of a source; none when it may.

    Args:
        text: what a model replied, tidied.
        source: what it was asked to summarize.
    """
    if len(text.split()) < 4:
        return ["it is empty"]
    proof = evidence(source)
    reasons = _form(text, proof) + _voice(text, source) + made_up(text, proof)
    reasons += _joined(text, proof) + misquoted(text, source)
    replaced = sum(map(len, source.texts())) + len(source.texts()) - 1
    if len(text) > replaced:
        reasons.append("it is longer than what it replaces")
    facts = facts_of(source)
    if len(facts) > 3 and not kept(text, facts):
        reasons.append("it keeps nothing of what happened")
    told = telling(text)
    if told and len(told - proof.words) > _FOREIGN * len(told):
        reasons.append("it tells of other things")
    return reasons


def _form(text: str, proof: Evidence) -> list[str]:
    reasons = []
    whole = "\n".join(proof.texts).casefold()
    if any(found[0].casefold() not in whole for found in _META.finditer(unquoted(text))):
        reasons.append("it speaks about the summary instead of remembering")
    if any(found[0].casefold() not in whole for found in _TEMPLATE.finditer(unquoted(text))):
        reasons.append("it is a template, a list or a transcript")
    said = [sentence.casefold() for sentence in sentences(text)]
    everything = list(words(text))
    few = len(everything) > 12 and len(set(everything)) < 0.3 * len(everything)
    if few or len(set(said)) < len(said):
        reasons.append("it says the same again and again")
    copied = {sentence for part in proof.texts for sentence in (part.casefold(), *map(str.casefold, sentences(part)))}
    if len(said) > 2 and sum(sentence in copied for sentence in said) >= len(said) / 2 and not _is_prose(proof):
        reasons.append("it copies the memories")
    return reasons


def _is_prose(proof: Evidence) -> bool:
    """Return whether the source itself is told in the first person, as earlier summaries are."""
    own = [text for text in proof.texts if len(text.split()) > 3]
    return bool(own) and sum(bool(_ME.search(unquoted(text))) for text in own) > len(own) / 2


def _voice(text: str, source: Source) -> list[str]:
    bare = unquoted(text)
    if not _ME.search(bare):
        return ["it is not told in the first person"]
    reasons = []
    if _YOU.search(bare):
        reasons.append("it speaks to somebody")
    own = set(words(source.name))
    for match in _CLAIMS.finditer(bare):
        name = next(group for group in match.groups() if group)
        if key(name) not in own and key(name) not in PLAIN:
            reasons.append(f"it says I for {name}")
    return reasons or borrowed(text, source)


Fact = tuple[str, str]
"""Kind (`name`, `number`, `place`, `promise`) and what it is."""


def facts_of(source: Source) -> list[Fact]:
    """Return the names, numbers, places and promises of a source, each once."""
    found: dict[Fact, None] = {}
    own = set(words(source.name))
    for entry in source.entries:
        if entry.actor:
            found[("name", entry.actor)] = None
        if entry.place:
            found[("place", entry.place)] = None
    inside = {word for _, text in found for word in words(text)} | own
    for text in source.texts():
        for word in names(text):
            if word not in inside:
                found[("name", word)] = None
        for number in sorted(numbers(text)):
            found[("number", number)] = None
        if PROMISE.search(text):
            found[("promise", " ".join(sorted(telling(text))))] = None
    return list(found)


def kept(text: str, facts: list[Fact]) -> list[Fact]:
    """Return the facts that a summary still holds."""
    has, counted = set(words(text)), numbers(text)
    return [fact for fact in facts if _holds(fact, has, counted)]


def _holds(fact: Fact, has: set[str], counted: frozenset[str]) -> bool:
    kind, what = fact
    if kind == "number":
        return what in counted
    parts = [word for word in words(what) if word not in PLAIN] or list(words(what))
    here = sum(word in has for word in parts)
    return here >= 0.6 * len(parts) if kind == "promise" else here == len(parts) > 0


def retention(text: str, source: Source) -> float | None:
    """Return the share of a source's facts that a summary kept, 0 to 1; None when there were none."""
    facts = facts_of(source)
    return round(len(kept(text, facts)) / len(facts), 2) if facts else None


def faithful(text: str, source: Source) -> bool:
    """Return whether no name and no number of a summary is missing from its source."""
    return not made_up(text, evidence(source))
