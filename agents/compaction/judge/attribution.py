"""Whose words are whose: what others said must not become one's own, nor be put into another's mouth.

By rules, over memories and over earlier summaries alike. It judges quotations, words said as one's own, promises, and
what was said about oneself: that is hearsay, and may be told only as what somebody said. Who did what to whom it
cannot tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from agents.compaction.judge.facts import PROMISE, is_hearsay, parts_of, spoken_in
from agents.compaction.judge.reading import capitals_of, keys_of, normalize, rows_of, telling_of
from agents.compaction.judge.tables import PLAIN
from agents.compaction.summarizer import SummarySource
from agents.text.english import sentences, unquoted

_BORROWED = {3: 2, 5: 1}
"""Words in a row, the speaker's "I" among them, that make another's words one's own, and how many of them must tell
something: `I am so hungry that` does, `I am so` does not."""
_QUOTATION = re.compile(r'"([^"\n]*)"|“([^”\n]*)”')
_I_PROMISE = re.compile(
    r"\bI(?:'ve| have| had| also| then)? (?:promised|swore|vowed|gave my word)\b"
    r"|\b(?:promised|swore|vowed)(?= (?:[A-Z]\w+ )?(?:that )?I\b)"
)
_CLAUSE = re.compile(r"[,;:]|\b(?:and|but|while)\b")
_SELF = frozenset({"i", "you"})
"""Who speaks in one's own memories (`You say`) and summaries (`I said`)."""
_I_AM = re.compile(
    r"\b(?:I(?:['’](?:m|ve|d))?|[Mm]y (?:real |true |own )?[a-z]+)\s+(?:(?:am|was|have been|had been|is|were)\b\s*)?"
)
"""Where something is said of oneself; the clause that follows says what."""
_SAID_OF_ME = re.compile(
    r"\b(?:sa(?:y|ys|id|ying)|told|tells?|claim(?:s|ed)?|call(?:s|ed)?|insist(?:s|ed)?|swears?|swore|accus\w+"
    r"|according|think(?:s|ing)?|thought|believ\w+|guess\w*|rumou?rs?|hear|heard|if|whether|wonder\w*|ask\w*)\b"
    r"|(?:for|as) a\b",
    re.IGNORECASE,
)
"""What, before a claim about oneself, leaves it with who made it."""


def misquoted(text: str, source: SummarySource) -> list[str]:
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
    return f" {' '.join(keys_of(text))} "


def _spoken(text: str) -> Iterator[tuple[frozenset[str], str]]:
    """Yield every quotation as its words in a row, with the names that stand before it in its sentence."""
    for sentence in sentences(text):
        start = 0
        for found in _QUOTATION.finditer(sentence):
            before = sentence[start : found.start()]
            who = {one.key for one in capitals_of(before) if one.key not in PLAIN or one.key in _SELF}
            yield frozenset("i" if name in _SELF else name for name in who), _in_a_row(found[1] or found[2] or "")
            start = found.end()


def borrowed(text: str, source: SummarySource) -> list[str]:
    """Return what a text says as its own though somebody else said or promised it."""
    bare = unquoted(text)
    theirs: set[tuple[str, ...]] = set()
    ours: set[tuple[str, ...]] = set()
    for spoken, own in _voices(source):
        (ours if own else theirs).update(row for length in _BORROWED for row in rows_of(spoken, length))
    for length, least in _BORROWED.items():
        for row in sorted(row for sentence in sentences(bare) for row in rows_of(sentence, length) & (theirs - ours)):
            if {"i", "me", "my", "mine"} & set(row) and sum(word not in PLAIN for word in row) >= least:
                return [f"it says I in the words of somebody else: {' '.join(row)}"]
    return _borrowed_promises(bare, source)


def _voices(source: SummarySource) -> Iterator[tuple[str, bool]]:
    """Yield what is said in a source, and whether it is one's own."""
    for entry in source.entries:
        own = not (entry.actor and entry.kind in ("heard", "saw", "told"))
        yield from ((spoken, own) for spoken in spoken_in(entry.text) or [entry.text])
    for text in source.earlier:
        yield unquoted(text), True
        yield from ((spoken, "i" in who) for who, spoken in _spoken(text))


def _borrowed_promises(bare: str, source: SummarySource) -> list[str]:
    """Return what is wrong with promises a text says it made: one resembles another's more than any of one's own."""
    own, others = _promises(source)
    for sentence in sentences(bare):
        for found in _I_PROMISE.finditer(sentence):
            what = telling_of(_CLAUSE.split(sentence[found.end() :], maxsplit=1)[0])
            alike = [max((len(what & one) for one in promises), default=-1) for promises in (own, others)]
            if alike[0] < alike[1]:
                return ["it promises what somebody else promised"]
    return []


def _promises(source: SummarySource) -> tuple[list[frozenset[str]], list[frozenset[str]]]:
    """Return what oneself and what others promised in a source, as telling words."""
    own: list[frozenset[str]] = []
    others: list[frozenset[str]] = []
    for entry in source.entries:
        if PROMISE.search(entry.text):
            (others if entry.actor else own).append(telling_of(entry.text))
    for sentence in (one for text in source.earlier for one in sentences(text) if PROMISE.search(one)):
        mine = normalize(next(iter(re.findall(r"\w+", sentence)), "")) == "i" or _I_PROMISE.search(sentence)
        (own if mine else others).append(telling_of(sentence))
    return own, others


def taken_for_true(text: str, source: SummarySource) -> list[str]:
    """Return what a text says of oneself as a fact though it is only what somebody said of one (seed 003)."""
    hearsay = list(_hearsay(source))
    if not hearsay:
        return []
    own = _own_words(source)
    for sentence in sentences(unquoted(text)):
        for what, attributed in _of_oneself(sentence):
            if not attributed and not what <= own and any(what <= claim for claim in hearsay):
                return [f"it takes what was said of me for a fact: {' '.join(sorted(what))}"]
    return []


def _of_oneself(sentence: str) -> Iterator[tuple[frozenset[str], bool]]:
    """Yield what a sentence says of oneself, as telling words, and whether it leaves it with who said so."""
    for found in _I_AM.finditer(sentence):
        if what := telling_of(_CLAUSE.split(sentence[found.end() :], maxsplit=1)[0]):
            yield what, _SAID_OF_ME.search(sentence[: found.end()]) is not None


def _hearsay(source: SummarySource) -> Iterator[frozenset[str]]:
    """Yield the telling words of everything that somebody else said of the one who remembers."""
    for entry in source.entries:
        for said in spoken_in(entry.text) or [entry.text]:
            yield from (telling_of(one) for one in parts_of(said) if is_hearsay(entry, one, source.name))
    for sentence in (one for text in source.earlier for one in sentences(text)):
        for who, said in _spoken(sentence):
            if "i" not in who and re.search(r"\s(?:you|your)\s", said):
                yield telling_of(said)
        yield from (what for what, attributed in _of_oneself(unquoted(sentence)) if attributed)


def _own_words(source: SummarySource) -> frozenset[str]:
    """Return the telling words of what oneself said, thought and did, and of earlier summaries' own telling."""
    own = [entry.text for entry in source.entries if entry.actor is None]
    for sentence in (one for text in source.earlier for one in sentences(text)):
        bare = unquoted(sentence)
        if not _SAID_OF_ME.search(bare):
            own.append(bare)
    return telling_of("\n".join(own))
