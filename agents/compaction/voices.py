"""Whose words are whose: what others said must not become one's own, nor be put into another's mouth.

By rules, over memories and over earlier summaries alike. It judges quotations, words said as one's own, and promises;
who did what to whom it cannot tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from agents.compaction.summarizers._summarizer import Source
from agents.compaction.wording import PLAIN, capitals, key, quoted, runs, sentences, telling, unquoted, words

PROMISE = re.compile(
    r"\b(?:promis\w+|swear|swore|sworn|vow\w*|give you my word|my word|i will|i'll|i shall|you must|never forget)\b",
    re.IGNORECASE,
)
"""What makes a sentence a promise."""

_BORROWED = {3: 2, 5: 1}
"""Words in a row, the speaker's "I" among them, that make another's words one's own, and how many of them must tell
something: `I am so hungry that` does, `I am so` does not."""
_QUOTATION = re.compile(r'"([^"\n]*)"|“([^”\n]*)”')
_I_PROMISE = re.compile(r"\bI(?:'ve| have| had| also| then)? (?:promised|swore|vowed|gave my word)\b")
_CLAUSE = re.compile(r"[,;:]|\b(?:and|but|while)\b")
_SELF = frozenset({"i", "you"})
"""Who speaks in one's own memories (`You say`) and summaries (`I said`)."""


def misquoted(text: str, source: Source) -> list[str]:
    """Return what is wrong with a text's quotations: who says what in one must have said it in the source."""
    if text.count('"') % 2 or text.count("“") != text.count("”"):
        return ["a quotation in it has no end"]
    told = [*source.texts(), *(entry.reason for entry in source.entries if entry.reason)]
    whole = _in_a_row("\n".join(told))
    known = [one for part in told for one in _spoken(part)]
    for who, what in _spoken(text):
        if what not in whole:
            return ["it quotes what nobody said"]
        speakers = [speaker for speaker, said in known if what in said and speaker]
        if who and speakers and not any(who & speaker for speaker in speakers):
            return ["it puts words into another's mouth"]
    return []


def _in_a_row(text: str) -> str:
    return f" {' '.join(words(text))} "


def _spoken(text: str) -> Iterator[tuple[frozenset[str], str]]:
    """Yield every quotation as its words in a row, with the names that stand before it in its sentence."""
    for sentence in sentences(text):
        start = 0
        for found in _QUOTATION.finditer(sentence):
            before = sentence[start : found.start()]
            who = {one.key for one in capitals(before) if one.key not in PLAIN or one.key in _SELF}
            yield frozenset("i" if name in _SELF else name for name in who), _in_a_row(found[1] or found[2] or "")
            start = found.end()


def borrowed(text: str, source: Source) -> list[str]:
    """Return what a text says as its own though somebody else said or promised it."""
    bare = unquoted(text)
    theirs: set[tuple[str, ...]] = set()
    ours: set[tuple[str, ...]] = set()
    for spoken, own in _voices(source):
        (ours if own else theirs).update(run for length in _BORROWED for run in runs(spoken, length))
    for length, least in _BORROWED.items():
        for run in sorted(run for sentence in sentences(bare) for run in runs(sentence, length) & (theirs - ours)):
            if {"i", "me", "my", "mine"} & set(run) and sum(word not in PLAIN for word in run) >= least:
                return [f"it says I in the words of somebody else: {' '.join(run)}"]
    return _borrowed_promises(bare, source)


def _voices(source: Source) -> Iterator[tuple[str, bool]]:
    """Yield what is said in a source, and whether it is one's own."""
    for entry in source.entries:
        own = not (entry.actor and entry.kind in ("heard", "saw"))
        yield from ((spoken, own) for spoken in quoted(entry.text) or [entry.text])
    for text in source.earlier:
        yield unquoted(text), True
        yield from ((spoken, "i" in who) for who, spoken in _spoken(text))


def _borrowed_promises(bare: str, source: Source) -> list[str]:
    """Return what is wrong with promises a text says it made: one resembles another's more than any of one's own."""
    own, others = _promises(source)
    for sentence in sentences(bare):
        for found in _I_PROMISE.finditer(sentence):
            what = telling(_CLAUSE.split(sentence[found.end() :], maxsplit=1)[0])
            alike = [max((len(what & one) for one in promises), default=-1) for promises in (own, others)]
            if alike[0] < alike[1]:
                return ["it promises what somebody else promised"]
    return []


def _promises(source: Source) -> tuple[list[frozenset[str]], list[frozenset[str]]]:
    """Return what oneself and what others promised in a source, as telling words."""
    own: list[frozenset[str]] = []
    others: list[frozenset[str]] = []
    for entry in source.entries:
        if PROMISE.search(entry.text):
            (others if entry.actor else own).append(telling(entry.text))
    for sentence in (one for text in source.earlier for one in sentences(text) if PROMISE.search(one)):
        mine = key(next(iter(re.findall(r"\w+", sentence)), "")) == "i" or _I_PROMISE.search(sentence)
        (own if mine else others).append(telling(sentence))
    return own, others
