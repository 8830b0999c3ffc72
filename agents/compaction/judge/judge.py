"""What a summary kept and what it made up: the facts of a source, and the checks that a summary must pass.

By rules alone, so the same reply is judged alike every time and without a model. A bad summary never wins: a name or a
number that is nowhere in the source is reason enough, and so is anything that is not somebody remembering. What it
finds names and numbers by (`agents.compaction.judge`, `agents.compaction.judge.facts`) no summarizer uses.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Collection, Sequence
from functools import cached_property

from agents.compaction.judge.attribution import borrowed, misquoted, taken_for_true
from agents.compaction.judge.facts import Fact, facts_among, holds
from agents.compaction.judge.numbers import COUNTING
from agents.compaction.judge.reading import (
    JudgedTexts,
    capitals_of,
    keys_of,
    neighbours_of,
    normalize,
    reading_of,
    rows_of,
    telling_of,
)
from agents.compaction.judge.tables import ALSO_NAMES, PLAIN
from agents.compaction.summarizer import SummarySource, body_of, wrong_sections
from agents.compaction.summary_style import SECTIONS
from agents.text.english import sentences, unquoted

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
"""What a template looks like even between headings."""
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


_PEOPLE_DO = (
    r"(?:said|says|told|tells|asked|asks|repl(?:ied|ies)|answer(?:ed|s)|promis(?:ed|es)|swore|vowed|whisper(?:ed|s)"
    r"|shout(?:ed|s)|explain(?:ed|s)|warn(?:ed|s)|show(?:ed|s)|gave|gives|taught|agreed|thank(?:ed|s)|greet(?:ed|s)"
    r"|smil(?:ed|es)|laugh(?:ed|s)|nodded|offer(?:ed|s)|invited|wanted|wished|knew|thought|believed|sold|bought|paid"
    r"|married|came|went|left|arrived|walked|and I\b)"
)
_OPENING = 6
"""Words that sentences begin with alike when the same is said again and again."""
_CARRIED = 0.2
"""Share of the facts of earlier summaries that must be kept; else a life begins anew at every fold."""


class SummaryEvidence(JudgedTexts):
    """Everything a summary may speak of: earlier summaries, memories, who acted, where and why.

    Args:
        source: what is summarized.
    """

    def __init__(self, source: SummarySource) -> None:
        self.source = source
        about = {part for one in source.entries for part in (one.actor, one.place, one.reason) if part}
        self.earlier = [body_of(text) if "\n" in text else text for text in source.earlier]
        texts = [*(entry.text for entry in source.entries), *sorted(about)]
        super().__init__(texts, [reading_of(text) for text in self.earlier])
        self._name = keys_of(source.name)

    @cached_property
    def known(self) -> frozenset[str]:
        """Words that the source writes with a capital, the parts of one's own name, and the day that it was."""
        return self.capitals | frozenset(self._name) | frozenset(keys_of(self.source.when))

    @cached_property
    def pairs(self) -> frozenset[tuple[str, ...]]:
        """Words that stand side by side in the source."""
        return frozenset(pair for text in (*self.texts, self.source.name) for pair in rows_of(text, 2))

    @cached_property
    def facts(self) -> list[Fact]:
        """What of the source should be kept: names, numbers, places, promises and instructions, each once."""
        return list(facts_among(self.source.entries, self.earlier, self.source.name))


def evidence(source: SummarySource) -> SummaryEvidence:
    """Return what a summary of a source may speak of."""
    return SummaryEvidence(source)


def made_up(text: str, proof: SummaryEvidence) -> list[str]:
    """Return the names and numbers of a text that are nowhere in its source, as reasons."""
    return _made_up(text, JudgedTexts([text]), proof)


def _made_up(text: str, read: JudgedTexts, proof: SummaryEvidence) -> list[str]:
    reasons = [f"the name {word} is not in the source" for word in _strangers(text, read, proof)]
    reasons += [f"the number {number} is not in the source" for number in sorted(read.numbers - proof.numbers)]
    if not text.isascii() and (strange := read.scripts - proof.scripts):
        reasons.append(f"the source has no {' or '.join(sorted(strange)).lower()} script")
    return reasons


def _strangers(text: str, read: JudgedTexts, proof: SummaryEvidence) -> list[str]:
    """Return the words of a text that must be names and that the source does not know as such, as written."""
    suspects = {word for word in read.capitals - proof.known if word not in PLAIN and not _is_number(word)}
    if not suspects:
        return []
    found = []
    for capital in capitals_of(text):
        ordinary = capital.key in proof.words and capital.key not in ALSO_NAMES and not _acts(capital.word, text)
        if capital.key in suspects and not (ordinary and (capital.opens or capital.article)):
            found.append(capital.word)
    return list(dict.fromkeys(found))


def _acts(word: str, text: str) -> bool:
    """Return whether a word is told to do what people do: `Heron told me` makes a person of a heron."""
    return re.search(rf"\b{re.escape(word)}(?:,? who|,? also| then)? {_PEOPLE_DO}\b", text) is not None


def _is_number(word: str) -> bool:
    """Return whether a word counts, and so is judged as a number."""
    return word in COUNTING or word.isdigit()


def _joined(text: str, proof: SummaryEvidence) -> list[str]:
    """Return the longer names of a text that are put together from parts of others, as reasons."""
    reasons = []
    for row in neighbours_of(text):
        pairs = list(itertools.pairwise(row))
        there = [False, *(pair in proof.pairs for pair in pairs), False]
        for at, (one, two) in enumerate(pairs, 1):
            neighbours = there[at - 1] or there[at + 1]  # `the Old Mill Moss built` is two names, and both are there
            if not (there[at] or neighbours) and {one, two} <= proof.known:
                reasons.append(f"the source has no {one.title()} {two.title()}")
    return reasons


def validate(text: str, source: SummarySource) -> list[str]:
    """Return every reason why a text must not become the summary of a source; none when it may.

    Args:
        text: what a model replied, tidied.
        source: what it was asked to summarize; its shape says which form is wanted.
    """
    if len(text.split()) < 4:
        return ["it is empty"]
    proof = evidence(source)
    reasons = _of_sections(text, proof) if source.shape == SECTIONS else _of_prose(text, proof)
    said = body_of(text) if source.shape == SECTIONS else text
    reasons += made_up(said, proof) + _joined(said, proof) + misquoted(said, source) + taken_for_true(said, source)
    replaced = sum(map(len, source.texts())) + len(source.texts()) - 1
    if len(text) > replaced:
        reasons.append("it is longer than what it replaces")
    reasons += _forgets(said, proof)
    told = telling_of(said)
    if told and len(told - proof.words) > _FOREIGN * len(told):
        reasons.append("it tells of other things")
    return list(dict.fromkeys(reasons))


def _forgets(text: str, proof: SummaryEvidence) -> list[str]:
    """Return whether a text lets go of what happened; what is summed up already is not to be lost at the next fold."""
    if len(proof.facts) > 3 and not kept(text, proof.facts):
        return ["it keeps nothing of what happened"]
    carried = facts_among((), proof.earlier, proof.source.name)
    if len(carried) > 3 and len(kept(text, carried)) < _CARRIED * len(carried):
        return ["it loses what was summed up before"]
    return []


def _of_prose(text: str, proof: SummaryEvidence) -> list[str]:
    """Return what is wrong with the form and the voice of a summary that is told."""
    reasons = _meta(text, proof)
    if _unlike(_TEMPLATE, unquoted(text), proof):
        reasons.append("it is a template, a list or a transcript")
    return reasons + _repeats(text) + _copies(text, proof) + _voice(text, proof.source)


def _of_sections(text: str, proof: SummaryEvidence) -> list[str]:
    """Return what is wrong with the form and the voice of a summary in sections; the first person is not asked for."""
    said = body_of(text)
    reasons = wrong_sections(text) + _meta(said, proof)
    if _unlike(_BLANKS, unquoted(said), proof):
        reasons.append("it is a template, a list or a transcript")
    return reasons + _repeats(said) + _claims(unquoted(said), proof.source) + borrowed(said, proof.source)


def _meta(text: str, proof: SummaryEvidence) -> list[str]:
    found = _unlike(_META, unquoted(text), proof)
    return ["it speaks about the summary instead of remembering"] if found else []


def _unlike(pattern: re.Pattern[str], text: str, proof: SummaryEvidence) -> bool:
    """Return whether a pattern finds something in a text that the source does not say itself."""
    whole = proof.whole.casefold()
    return any(found[0].casefold() not in whole for found in pattern.finditer(text))


def _repeats(text: str) -> list[str]:
    said = [sentence.casefold() for sentence in sentences(text)]
    everything = keys_of(text)
    few = len(everything) > 12 and len(set(everything)) < 0.3 * len(everything)
    openings = Counter(tuple(keys_of(sentence)[:_OPENING]) for sentence in sentences(unquoted(text)))
    alike = max((times for words, times in openings.items() if len(words) == _OPENING), default=0)
    droning = alike > 2 and 2 * alike > len(said)
    return ["it says the same again and again"] if few or droning or len(set(said)) < len(said) else []


def _copies(text: str, proof: SummaryEvidence) -> list[str]:
    said = [sentence.casefold() for sentence in sentences(text)]
    copied = {sentence for part in proof.texts for sentence in (part.casefold(), *map(str.casefold, sentences(part)))}
    if len(said) > 2 and sum(one in copied for one in said) >= len(said) / 2 and not _is_prose(proof.texts):
        return ["it copies the memories"]
    return []


def _is_prose(texts: Sequence[str]) -> bool:
    """Return whether the source itself is told in the first person, as earlier summaries are."""
    own = [text for text in texts if len(text.split()) > 3]
    return bool(own) and sum(bool(_ME.search(unquoted(text))) for text in own) > len(own) / 2


def _voice(text: str, source: SummarySource) -> list[str]:
    bare = unquoted(text)
    if not _ME.search(bare):
        return ["it is not told in the first person"]
    reasons = ["it speaks to somebody"] if _YOU.search(bare) else []
    reasons += _claims(bare, source)
    return reasons or borrowed(text, source)


def _claims(bare: str, source: SummarySource) -> list[str]:
    own = set(keys_of(source.name))
    named = (next(group for group in match.groups() if group) for match in _CLAIMS.finditer(bare))
    return [f"it says I for {name}" for name in named if normalize(name) not in own and normalize(name) not in PLAIN]


def kept(text: str, facts: Collection[Fact]) -> list[Fact]:
    """Return the facts that a summary still holds."""
    read = JudgedTexts([text])
    return [fact for fact in facts if holds(fact, read.words, read.numbers)]
