"""The judge: the checks that a model's summary must pass, and what it kept of its source.

Deterministic and independent of the summarizers' rules. It rejects invented names and numbers, text that is not a
first-person memory, words of the wrong speaker, and hearsay as fact. It cannot tell who did what to whom.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from functools import cached_property
from itertools import pairwise

from agents.compaction.judge.facts import PROMISE, JudgedFact, facts_among, holds, is_hearsay, parts_of, spoken_in
from agents.compaction.judge.reading import (
    ALSO_NAMES,
    COUNTING,
    PLAIN,
    JudgedTexts,
    capitals_of,
    keys_of,
    neighbours_of,
    normalize,
    rows_of,
    sentences,
    telling_of,
    unquoted,
)
from agents.compaction.periods import undated
from agents.compaction.settings import SECTIONS
from agents.compaction.summarizer import SummarySource, body_of, wrong_sections

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
_BLANKS = re.compile(r"\{\w*\}|\[[^\]]{0,60}\]|<[^>]{1,40}>|```")
_ME = re.compile(r"\b(?:I|[Mm]e|[Mm]y|[Mm]ine|[Mm]yself)\b")
_YOU = re.compile(r"\b(?:you|your|yours|yourself)\b", re.IGNORECASE)
_CLAIMS = re.compile(
    r"\b(?:I['’]m|I am|I was|I,|me,|myself,)\s+(?:called\s+|named\s+|known as\s+)?(?P<a>[^\W\d_a-z][^\W\d_]*)(?!['’])\b"
    r"|\b[Mm]y name(?:['’]s| is| was)\s+(?P<b>[^\W\d_]+)"
    r"|\b(?:call|calls|called|name|named) me\s+(?P<c>[^\W\d_a-z][^\W\d_]*)"
    r"|\bI,? as (?P<d>[^\W\d_a-z][^\W\d_]*)"
)
_FOREIGN = 2 / 3  # maximum share of content words that are not in the source
_PEOPLE_DO = (
    r"(?:said|says|told|tells|asked|asks|repl(?:ied|ies)|answer(?:ed|s)|promis(?:ed|es)|swore|vowed|whisper(?:ed|s)"
    r"|shout(?:ed|s)|explain(?:ed|s)|warn(?:ed|s)|show(?:ed|s)|gave|gives|taught|agreed|thank(?:ed|s)|greet(?:ed|s)"
    r"|smil(?:ed|es)|laugh(?:ed|s)|nodded|offer(?:ed|s)|invited|wanted|wished|knew|thought|believed|sold|bought|paid"
    r"|married|came|went|left|arrived|walked|and I\b)"
)
_OPENING = 6
_CARRIED = 0.2
"""Minimum share of the facts of earlier summaries that must be kept, so that they do not fade at every fold."""
_BORROWED = {3: 2, 5: 1}
"""Length of a shared word sequence -> content words that make it borrowed: `I am so hungry that` is, `I am so` not."""
_QUOTATION = re.compile(r'"([^"\n]*)"|“([^”\n]*)”')
_I_PROMISE = re.compile(
    r"\bI(?:'ve| have| had| also| then)? (?:promised|swore|vowed|gave my word)\b"
    r"|\b(?:promised|swore|vowed)(?= (?:[A-Z]\w+ )?(?:that )?I\b)"
)
_CLAUSE = re.compile(r"[,;:]|\b(?:and|but|while)\b")
_I_AM = re.compile(
    r"\b(?:I(?:['’](?:m|ve|d))?|[Mm]y (?:real |true |own )?[a-z]+)\s+(?:(?:am|was|have been|had been|is|were)\b\s*)?"
)
_SAID_OF_ME = re.compile(
    r"\b(?:sa(?:y|ys|id|ying)|told|tells?|claim(?:s|ed)?|call(?:s|ed)?|insist(?:s|ed)?|swears?|swore|accus\w+"
    r"|according|think(?:s|ing)?|thought|believ\w+|guess\w*|rumou?rs?|hear|heard|if|whether|wonder\w*|ask\w*)\b"
    r"|(?:for|as) a\b",
    re.IGNORECASE,
)


class SummaryEvidence(JudgedTexts):
    """The texts of a source and what is known about them: its words, names, numbers and facts."""

    def __init__(self, source: SummarySource) -> None:
        self.source = source
        self.earlier = [undated(body_of(text) if "\n" in text else text) for text in source.earlier]
        about = {part for one in source.entries for part in (one.actor, one.place, one.reason) if part}
        super().__init__([*self.earlier, *(entry.text for entry in source.entries), *sorted(about)])

    @cached_property
    def known(self) -> frozenset[str]:
        """Words that the source writes with a capital, the parts of the agent's name, and the date."""
        return self.capitals.union(keys_of(self.source.name), keys_of(self.source.when))

    @cached_property
    def facts(self) -> list[JudgedFact]:
        return list(facts_among(self.source.entries, self.earlier, self.source.name))


def validate(text: str, source: SummarySource) -> list[str]:
    """Return all reasons why a tidied reply must not become the summary of a source; empty if it may."""
    if len(text.split()) < 4:
        return ["it is empty"]
    proof, in_sections = SummaryEvidence(source), source.shape == SECTIONS
    said = body_of(text) if in_sections else text
    bare, template = unquoted(said), _BLANKS if in_sections else _TEMPLATE
    reasons = wrong_sections(text) if in_sections else []
    if _unlike(_META, bare, proof):
        reasons.append("it speaks about the summary instead of remembering")
    if _unlike(template, bare, proof):
        reasons.append("it is a template, a list or a transcript")
    if _repeats(said):
        reasons.append("it says the same again and again")
    reasons += _claims(bare, source) + borrowed(said, source) if in_sections else _of_prose(said, proof)
    reasons += made_up(said, proof) + _joined(said, proof) + misquoted(said, source) + taken_for_true(said, source)
    if len(text) > sum(map(len, source.texts())) + len(source.texts()) - 1:
        reasons.append("it is longer than what it replaces")
    reasons += _forgets(said, proof)
    told = telling_of(said)
    if told and len(told - proof.words) > _FOREIGN * len(told):
        reasons.append("it tells of other things")
    return list(dict.fromkeys(reasons))


def _unlike(pattern: re.Pattern[str], text: str, proof: SummaryEvidence) -> bool:
    """Return whether a pattern matches something in a text that is not in the source."""
    whole = "\n".join(proof.texts).casefold()
    return any(found[0].casefold() not in whole for found in pattern.finditer(text))


def _repeats(text: str) -> bool:
    said, words = [sentence.casefold() for sentence in sentences(text)], keys_of(text)
    openings = Counter(tuple(keys_of(sentence)[:_OPENING]) for sentence in sentences(unquoted(text)))
    alike = max((times for opening, times in openings.items() if len(opening) == _OPENING), default=0)
    few = len(words) > 12 and len(set(words)) < 0.3 * len(words)
    return few or (alike > 2 and 2 * alike > len(said)) or len(set(said)) < len(said)


def _of_prose(text: str, proof: SummaryEvidence) -> list[str]:
    said = [sentence.casefold() for sentence in sentences(text)]
    copied = {sentence for part in proof.texts for sentence in (part.casefold(), *map(str.casefold, sentences(part)))}
    own = [part for part in proof.texts if len(part.split()) > 3]
    is_prose = sum(bool(_ME.search(unquoted(part))) for part in own) > len(own) / 2
    copies = len(said) > 2 and sum(one in copied for one in said) >= len(said) / 2 and not is_prose
    reasons, bare = ["it copies the memories"] if copies else [], unquoted(text)
    if not _ME.search(bare):
        return [*reasons, "it is not told in the first person"]
    voice = (["it speaks to somebody"] if _YOU.search(bare) else []) + _claims(bare, proof.source)
    return reasons + (voice or borrowed(text, proof.source))


def _claims(bare: str, source: SummarySource) -> list[str]:
    """Return the other people that a text says it is, as reasons."""
    named = (next(group for group in match.groups() if group) for match in _CLAIMS.finditer(bare))
    return [f"it says I for {name}" for name in named if normalize(name) not in {*keys_of(source.name), *PLAIN}]


def made_up(text: str, proof: SummaryEvidence) -> list[str]:
    """Return the names and numbers of a text that are not in its source, as reasons."""
    read = JudgedTexts([text])
    reasons = [f"the name {word} is not in the source" for word in _strangers(text, read, proof)]
    reasons += [f"the number {number} is not in the source" for number in sorted(read.numbers - proof.numbers)]
    if strange := read.scripts - proof.scripts:
        reasons.append(f"the source has no {' or '.join(sorted(strange)).lower()} script")
    return reasons


def _strangers(text: str, read: JudgedTexts, proof: SummaryEvidence) -> list[str]:
    suspects = read.capitals - proof.known - PLAIN - COUNTING  # numbers are checked separately
    found = []
    for capital in capitals_of(text) if suspects else ():
        word = re.escape(capital.word)
        acts = rf"\b{word}(?:,? who|,? also| then)? {_PEOPLE_DO}\b"  # `Heron told me` makes a heron a person
        ordinary = capital.key in proof.words and capital.key not in ALSO_NAMES and not re.search(acts, text)
        if capital.key in suspects and not (ordinary and (capital.opens or capital.article)):
            found.append(capital.word)
    return list(dict.fromkeys(found))


def _joined(text: str, proof: SummaryEvidence) -> list[str]:
    """Return the names of a text that combine parts of different names, as reasons."""
    reasons = []
    known = {pair for one in (*proof.texts, proof.source.name) for pair in rows_of(one, 2)}
    for row in neighbours_of(text):
        pairs = list(pairwise(row))
        there = [False, *(pair in known for pair in pairs), False]
        for at, (one, two) in enumerate(pairs):
            # the pairs beside it count: `the Old Mill Moss built` is two names that are both known
            if not any(there[at : at + 3]) and {one, two} <= proof.known:
                reasons.append(f"the source has no {one.title()} {two.title()}")
    return reasons


def _forgets(text: str, proof: SummaryEvidence) -> list[str]:
    if len(proof.facts) > 3 and not kept(text, proof.facts):
        return ["it keeps nothing of what happened"]
    carried = facts_among((), proof.earlier, proof.source.name)
    if len(carried) > 3 and len(kept(text, carried)) < _CARRIED * len(carried):
        return ["it loses what was summed up before"]
    return []


def kept(text: str, facts: Collection[JudgedFact]) -> list[JudgedFact]:
    read = JudgedTexts([text])
    return [fact for fact in facts if holds(fact, read)]


def misquoted(text: str, source: SummarySource) -> list[str]:
    """Return a reason if a quotation is not in the source, or has another speaker there."""
    if text.count('"') % 2 or text.count("“") != text.count("”"):
        return ["a quotation in it has no end"]
    told = [*source.texts(), *(entry.reason for entry in source.entries if entry.reason)]
    whole = _in_a_row("\n".join(told))
    known = [one for part in told for one in _spoken(part)]
    for who, what in _spoken(text):
        if what not in whole:
            return ["it quotes what nobody said"]
        speakers = [speaker for speaker, said in known if what in said and speaker]
        if who and speakers and all(map(who.isdisjoint, speakers)):
            return ["it puts words into another's mouth"]
    return []


def _in_a_row(text: str) -> str:
    return f" {' '.join(keys_of(text))} "


def _spoken(text: str) -> Iterator[tuple[frozenset[str], str]]:
    """Yield the quotations of a text with the names before them; the agent is `i`."""
    for sentence in sentences(text):
        start = 0
        for found in _QUOTATION.finditer(sentence):
            before = {one.key for one in capitals_of(sentence[start : found.start()])}
            itself = {"i"} if before & {"i", "you"} else set()  # `You say` in memories, `I said` in summaries
            yield frozenset((before - PLAIN) | itself), _in_a_row(found[1] or found[2] or "")
            start = found.end()


def borrowed(text: str, source: SummarySource) -> list[str]:
    """Return a reason if a text says in the first person what somebody else said or promised."""
    bare = unquoted(text)
    theirs: set[tuple[str, ...]] = set()
    ours: set[tuple[str, ...]] = set()
    for spoken, by_agent in _voices(source):
        (ours if by_agent else theirs).update(row for length in _BORROWED for row in rows_of(spoken, length))
    for length, least in _BORROWED.items():
        for row in sorted(row for sentence in sentences(bare) for row in rows_of(sentence, length) & (theirs - ours)):
            if {"i", "me", "my", "mine"} & set(row) and sum(word not in PLAIN for word in row) >= least:
                return [f"it says I in the words of somebody else: {' '.join(row)}"]
    own, others = _promises(source)
    for sentence in sentences(bare):
        for found in _I_PROMISE.finditer(sentence):
            what = telling_of(_CLAUSE.split(sentence[found.end() :], maxsplit=1)[0])
            alike = [max((len(what & one) for one in promises), default=-1) for promises in (own, others)]
            if alike[0] < alike[1]:
                return ["it promises what somebody else promised"]
    return []


def _voices(source: SummarySource) -> Iterator[tuple[str, bool]]:
    """Yield what was said in a source, and whether by the agent."""
    for entry in source.entries:
        own = not (entry.actor and entry.kind in ("heard", "saw", "told"))
        yield from ((spoken, own) for spoken in spoken_in(entry.text) or [entry.text])
    for text in source.earlier:
        yield unquoted(text), True
        yield from ((spoken, "i" in who) for who, spoken in _spoken(text))


def _promises(source: SummarySource) -> tuple[list[frozenset[str]], list[frozenset[str]]]:
    """Return the content words of the agent's promises and of those of others."""
    own: list[frozenset[str]] = []
    others: list[frozenset[str]] = []
    for entry in source.entries:
        if PROMISE.search(entry.text):
            (others if entry.actor else own).append(telling_of(entry.text))
    for sentence in filter(PROMISE.search, _sentences_before(source)):
        mine = normalize(next(iter(re.findall(r"\w+", sentence)), "")) == "i" or _I_PROMISE.search(sentence)
        (own if mine else others).append(telling_of(sentence))
    return own, others


def _sentences_before(source: SummarySource) -> list[str]:
    return [sentence for text in source.earlier for sentence in sentences(text)]


def taken_for_true(text: str, source: SummarySource) -> list[str]:
    """Return a reason if a text states as a fact about the agent what somebody only said (seed 003)."""
    hearsay = list(_hearsay(source))
    own = _own_words(source) if hearsay else frozenset()
    for sentence in sentences(unquoted(text)) if hearsay else ():
        for what, attributed in _of_oneself(sentence):
            if not attributed and not what <= own and any(what <= claim for claim in hearsay):
                return [f"it takes what was said of me for a fact: {' '.join(sorted(what))}"]
    return []


def _of_oneself(sentence: str) -> Iterator[tuple[frozenset[str], bool]]:
    for found in _I_AM.finditer(sentence):
        if what := telling_of(_CLAUSE.split(sentence[found.end() :], maxsplit=1)[0]):
            yield what, _SAID_OF_ME.search(sentence[: found.end()]) is not None


def _hearsay(source: SummarySource) -> Iterator[frozenset[str]]:
    for entry in source.entries:
        for said in spoken_in(entry.text) or [entry.text]:
            yield from (telling_of(one) for one in parts_of(said) if is_hearsay(entry, one, source.name))
    for sentence in _sentences_before(source):
        for who, said in _spoken(sentence):
            if "i" not in who and re.search(r"\s(?:you|your)\s", said):
                yield telling_of(said)
        yield from (what for what, attributed in _of_oneself(unquoted(sentence)) if attributed)


def _own_words(source: SummarySource) -> frozenset[str]:
    own = [entry.text for entry in source.entries if entry.actor is None]
    own += (bare for bare in map(unquoted, _sentences_before(source)) if not _SAID_OF_ME.search(bare))
    return telling_of("\n".join(own))
