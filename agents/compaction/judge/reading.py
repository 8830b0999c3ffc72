"""Tokenization for the judge: sentences, normalized words, and which words are names (in doubt, it is one)."""

from __future__ import annotations

import functools
import itertools
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from agents.compaction.judge.numbers import COUNTING, numbers_of
from agents.compaction.judge.words import CUES, DULL, PLAIN, PLEDGES
from mud.world.sentences import is_abbreviated

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_SHORT = frozenset({"s", "t", "ll", "ve", "re", "d", "m", ""})
_AFTER_ARTICLE = re.compile(r"\b(?:an?|the|this|that|these|those|my|your|his|her|its|our|their)\s+$", re.IGNORECASE)
_QUOTE = re.compile(r'"[^"\n]*"|“[^“”\n]*”|«[^«»\n]*»')
_END = re.compile(r"[.!?…]+[\"”»'’)\]]*(?=\s|$)|[.!?…][\"”»](?=\s)")
_NEXT = re.compile(r"\s*(\S)")
_BEFORE = " \t\"'“”‘’«»(*_"
_OPENS = frozenset(".!?…:;\n-–—>")


def unquoted(text: str) -> str:
    return _QUOTE.sub('""', text)


def sentences(text: str) -> list[str]:
    """Split a text into sentences. Quotations are not split; a line break ends a sentence."""
    return [sentence for line in text.split("\n") for sentence in _sentences_of(line.strip())]


@functools.lru_cache(maxsize=2048)
def _sentences_of(line: str) -> tuple[str, ...]:
    ends = list(_END.finditer(line))
    if not ends or ends[0].end() == len(line):  # most lines are one sentence
        return (line,) if line else ()
    quotations = [match.span() for match in _QUOTE.finditer(line)]
    found: list[str] = []
    start = at = 0
    for match in ends:
        first, end = match.span()
        if end <= start:
            continue
        while at < len(quotations) and quotations[at][1] <= end:
            at += 1
        inside = at < len(quotations) and quotations[at][0] < first
        following = _NEXT.match(line, end)
        if inside or (following and following[1].islower()):
            continue
        if match[0] != "." or not is_abbreviated(line, end):
            found.append(line[start:end].strip())
            start = end
    return tuple(one for one in (*found, line[start:].strip()) if one)


class Token(NamedTuple):
    """A whitespace-delimited token and its properties.

    Args:
        capitals: its normalized words that are written with a capital.
        name: its first word, if that is capitalized and may be a name.
        counts: it is a counting word other than `one`.
        joins: it may be part of a number of several words.
        cue: it may be part of a promise or an instruction.
        goes_on: the next token starts neither a sentence nor a quotation.
    """

    words: tuple[str, ...]
    capitals: tuple[str, ...]
    name: str
    figures: tuple[str, ...]
    counts: bool
    joins: bool
    pledge: bool
    cue: bool
    goes_on: bool


@functools.lru_cache(maxsize=16_384)
def token_of(written: str) -> Token:
    found = _WORD.findall(written)
    keys = tuple(map(normalize, found))
    capitals = tuple(key for word, key in zip(found, keys, strict=True) if word != word.lower())
    named = bool(capitals) and written.startswith(found[0]) and keys[0] == capitals[0]
    folded = {part for word in found for part in (word.casefold(), *word.casefold().split("'"))}
    return Token(
        keys,
        capitals,
        found[0] if named and keys[0] not in PLAIN and keys[0] not in COUNTING else "",
        tuple(numbers_of(written, counted=False)),
        counts := any(word in COUNTING and word != "one" for word in folded),
        counts or all(word in COUNTING or word == "and" for word in keys),
        not PLEDGES.isdisjoint(folded),
        not CUES.isdisjoint(folded),
        written[-1].isalnum() or written[-1] in ",;)&'’",
    )


@functools.lru_cache(maxsize=32_768)
def normalize(written: str) -> str:
    folded = unicodedata.normalize("NFKC", written).replace("’", "'").casefold()
    head, mark, tail = folded.rpartition("'")
    while mark and head and tail in _SHORT:
        folded = head[:-1] if tail == "t" and head.endswith("n") and len(head) > 2 else head
        head, mark, tail = folded.rpartition("'")
    return folded


def composed(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def keys_of(text: str) -> list[str]:
    return [normalize(word) for word in _WORD.findall(composed(text))]


def telling_of(text: str) -> frozenset[str]:
    """Return the content words of a text: neither plain nor dull nor short."""
    return frozenset(
        word
        for word in keys_of(text)
        if (len(word) > 2 or not word.isascii()) and word not in PLAIN and word not in DULL
    )


def rows_of(text: str, length: int) -> set[tuple[str, ...]]:
    found = keys_of(text)
    return {tuple(found[at : at + length]) for at in range(len(found) - length + 1)}


class CapitalizedToken(NamedTuple):
    """A capitalized word; it `opens` a sentence, line or quotation, or follows an `article`."""

    word: str
    key: str
    opens: bool
    article: bool


def capitals_of(text: str) -> list[CapitalizedToken]:
    text = composed(text)
    return [_capital(text, match.start(), match[0]) for match in _WORD.finditer(text) if match[0] != match[0].lower()]


def _capital(text: str, start: int, word: str) -> CapitalizedToken:
    before = text[max(0, start - 12) : start]
    bare = before.rstrip(_BEFORE)
    opens = not bare or bare[-1] in _OPENS or before[-1] in '"“‘«('
    return CapitalizedToken(word, normalize(word), opens, _AFTER_ARTICLE.search(before) is not None)


def neighbours_of(text: str) -> Iterator[list[str]]:
    text = composed(text)
    row: list[str] = []
    end = 0
    for match in _WORD.finditer(text):
        word = match[0]
        named = word[0] != word[0].lower() and normalize(word) not in PLAIN
        if row and (not named or text[end : match.start()] != " "):
            yield row
            row = []
        if named:
            row.append(normalize(word))
        end = 0 if word.endswith(("'s", "’s")) else match.end()
    yield row


def scripts_of(text: str) -> frozenset[str]:
    """Return the scripts without capitals in a text, by the first word of the Unicode names of their letters."""
    if text.isascii():
        return frozenset()
    return frozenset(unicodedata.name(sign, "?").split()[0] for sign in set(text) if unicodedata.category(sign) == "Lo")


class JudgedTexts:
    """Texts tokenized once, with properties computed on access; `known` are readings of preceding texts."""

    def __init__(self, texts: Iterable[str], known: Sequence[JudgedTexts] = ()) -> None:
        self._known, self._own = known, [composed(text) for text in texts]
        self.texts: Sequence[str] = [*(text for one in known for text in one.texts), *self._own]
        self._rows = [text.split() for text in self._own]
        self._tokens = {written: token_of(written) for row in self._rows for written in row}

    @cached_property
    def whole(self) -> str:
        return "\n".join(self.texts)

    @cached_property
    def words(self) -> frozenset[str]:
        found = itertools.chain.from_iterable([token.words for token in self._tokens.values()])
        return frozenset().union(found, *(one.words for one in self._known))

    @cached_property
    def capitals(self) -> frozenset[str]:
        found = itertools.chain.from_iterable([token.capitals for token in self._tokens.values()])
        return frozenset().union(found, *(one.capitals for one in self._known))

    @cached_property
    def numbers(self) -> frozenset[str]:
        found = set(itertools.chain.from_iterable([token.figures for token in self._tokens.values()]))
        counting = {written for written, token in self._tokens.items() if token.counts}
        if counting:
            for row in self._rows:
                if not counting.isdisjoint(row):
                    found.update(_counted(row))
        return frozenset(found).union(*(one.numbers for one in self._known))

    @cached_property
    def names(self) -> dict[str, str]:
        """Names, normalized -> as written: capitalized words inside a sentence."""
        named = {written: token.name for written, token in self._tokens.items() if token.name}
        found = {key: name for one in self._known for key, name in one.names.items()}
        for row in self._rows:
            if not named.keys().isdisjoint(row):
                for before, written in itertools.pairwise(row):
                    if written in named and self._tokens[before].goes_on:
                        found[normalize(named[written])] = named[written]
        return found

    @property
    def may_promise(self) -> bool:
        """Whether a promise is possible; ten times faster than searching for one."""
        return any(token.pledge for token in self._tokens.values())

    @property
    def may_instruct(self) -> bool:
        return any(token.cue for token in self._tokens.values())

    @cached_property
    def scripts(self) -> frozenset[str]:
        return scripts_of(self.whole)


def _counted(row: Iterable[str]) -> Iterator[str]:
    for joins, run in itertools.groupby(row, lambda written: token_of(written).joins):
        tokens = list(run) if joins else []
        if any(token_of(one).counts for one in tokens):
            yield from numbers_of(" ".join(tokens))


@functools.lru_cache(maxsize=16)
def reading_of(text: str) -> JudgedTexts:
    """Return a cached reading: a summary is judged when it is made and read again when it is folded."""
    return JudgedTexts([text])
