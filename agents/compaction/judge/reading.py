"""Reading for the judge: sentences, words and how they are compared, and which words are names. In one pass.

The rules are the judge's own and shared with no summarizer. Careful in one direction: what might be a name is taken
for one.
"""

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
"""What follows an apostrophe without belonging to the word."""
_AFTER_ARTICLE = re.compile(r"\b(?:an?|the|this|that|these|those|my|your|his|her|its|our|their)\s+$", re.IGNORECASE)
_QUOTE = re.compile(r'"[^"\n]*"|“[^“”\n]*”|«[^«»\n]*»')
_END = re.compile(r"[.!?…]+[\"”»'’)\]]*(?=\s|$)|[.!?…][\"”»](?=\s)")
_NEXT = re.compile(r"\s*(\S)")
_BEFORE = " \t\"'“”‘’«»(*_"
_OPENS = frozenset(".!?…:;\n-–—>")


def unquoted(text: str) -> str:
    """Return a text with its quotations replaced by empty quotation marks."""
    return _QUOTE.sub('""', text)


def sentences(text: str) -> list[str]:
    """Split a text into sentences. A quotation is not split; a line's end ends a sentence."""
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
    """What stands between two blanks, marks and all, looked at once.

    Args:
        words: its words, as compared.
        capitals: those of them that are written with a capital.
        name: the first of those when nothing stands before it; empty otherwise.
        figures: its numbers in figures.
        counts: it is a counting word, and more than `one`.
        joins: it may stand within a number of several words, as it says nothing else.
        pledge: a promise may stand near it.
        cue: a promise or an instruction may.
        goes_on: what follows begins neither a sentence nor a quotation.
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
    """Return what there is to know about a token."""
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
    """Return a word as it is compared."""
    folded = unicodedata.normalize("NFKC", written).replace("’", "'").casefold()
    head, mark, tail = folded.rpartition("'")
    while mark and head and tail in _SHORT:
        folded = head[:-1] if tail == "t" and head.endswith("n") and len(head) > 2 else head
        head, mark, tail = folded.rpartition("'")
    return folded


def composed(text: str) -> str:
    """Return a text in Unicode's composed form."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def keys_of(text: str) -> list[str]:
    """Return the words of a text as they are compared, in order."""
    return [normalize(word) for word in _WORD.findall(composed(text))]


def telling_of(text: str) -> frozenset[str]:
    """Return the words that tell what a text is about: neither plain nor dull nor short."""
    return frozenset(
        word
        for word in keys_of(text)
        if (len(word) > 2 or not word.isascii()) and word not in PLAIN and word not in DULL
    )


def rows_of(text: str, length: int) -> set[tuple[str, ...]]:
    """Return every row of `length` words of a text."""
    found = keys_of(text)
    return {tuple(found[at : at + length]) for at in range(len(found) - length + 1)}


class CapitalizedToken(NamedTuple):
    """A word with a capital letter where it stands.

    Args:
        word, key: as written, and as compared.
        opens: it begins a sentence, a line or a quotation.
        article: an article or the like stands before it.
    """

    word: str
    key: str
    opens: bool
    article: bool


def capitals_of(text: str) -> list[CapitalizedToken]:
    """Return the words that hold a capital letter, in order."""
    text = composed(text)
    return [_capital(text, match.start(), match[0]) for match in _WORD.finditer(text) if match[0] != match[0].lower()]


def _capital(text: str, start: int, word: str) -> CapitalizedToken:
    before = text[max(0, start - 12) : start]
    bare = before.rstrip(_BEFORE)
    opens = not bare or bare[-1] in _OPENS or before[-1] in '"“‘«('
    return CapitalizedToken(word, normalize(word), opens, _AFTER_ARTICLE.search(before) is not None)


def neighbours_of(text: str) -> Iterator[list[str]]:
    """Yield the rows of names that stand side by side, as compared: longer names, and neighbours."""
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
    """Return the scripts without capitals that a text uses, by the first word of their letters' Unicode names."""
    if text.isascii():
        return frozenset()
    return frozenset(unicodedata.name(sign, "?").split()[0] for sign in set(text) if unicodedata.category(sign) == "Lo")


class JudgedTexts:
    """Some texts, read once; what is asked for later is found then.

    Args:
        texts: the texts.
        known: readings of the texts that stand before them.
    """

    def __init__(self, texts: Iterable[str], known: Sequence[JudgedTexts] = ()) -> None:
        self._known, self._own = known, [composed(text) for text in texts]
        self.texts: Sequence[str] = [*(text for one in known for text in one.texts), *self._own]
        self._rows = [text.split() for text in self._own]
        self._tokens = {written: token_of(written) for row in self._rows for written in row}

    @cached_property
    def whole(self) -> str:
        """All texts, a line each."""
        return "\n".join(self.texts)

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word, as compared."""
        found = itertools.chain.from_iterable([token.words for token in self._tokens.values()])
        return frozenset().union(found, *(one.words for one in self._known))

    @cached_property
    def capitals(self) -> frozenset[str]:
        """Every word that is written with a capital somewhere, as compared."""
        found = itertools.chain.from_iterable([token.capitals for token in self._tokens.values()])
        return frozenset().union(found, *(one.capitals for one in self._known))

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Every number."""
        found = set(itertools.chain.from_iterable([token.figures for token in self._tokens.values()]))
        counting = {written for written, token in self._tokens.items() if token.counts}
        if counting:
            for row in self._rows:
                if not counting.isdisjoint(row):
                    found.update(_counted(row))
        return frozenset(found).union(*(one.numbers for one in self._known))

    @cached_property
    def names(self) -> dict[str, str]:
        """Every name, as compared and as written: words with a capital that no rule of sentences explains."""
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
        """Whether a promise may stand here; a search for how it does takes ten times as long."""
        return any(token.pledge for token in self._tokens.values())

    @property
    def may_instruct(self) -> bool:
        """Whether an instruction may stand here."""
        return any(token.cue for token in self._tokens.values())

    @cached_property
    def scripts(self) -> frozenset[str]:
        """Every script without capitals."""
        return scripts_of(self.whole)


def _counted(row: Iterable[str]) -> Iterator[str]:
    """Yield the numbers that are written in words among tokens: only runs of counting words are read for them."""
    for joins, run in itertools.groupby(row, lambda written: token_of(written).joins):
        tokens = list(run) if joins else []
        if any(token_of(one).counts for one in tokens):
            yield from numbers_of(" ".join(tokens))


@functools.lru_cache(maxsize=16)
def reading_of(text: str) -> JudgedTexts:
    """Return the reading of a summary, which is judged once when it is made and read again when it is folded."""
    return JudgedTexts([text])
