"""Reading prose by rules: sentences, quotations, names, numbers and the words that tell something.

English rules over text in any script, and careful in one direction: what might be a name or a number is taken for one.
A summary rejected for nothing costs one try; a false memory stays for life.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from mud.world.sentences import is_abbreviated

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_QUOTE = re.compile(r'"[^"\n]*"|“[^“”\n]*”|«[^«»\n]*»')
_ARTICLE = re.compile(r"\b(?:the|a|an|this|that|my|our|your|his|her|their)\s+$", re.IGNORECASE)
_END = re.compile(r"[.!?…]+[\"”»'’)\]]*(?=\s|$)|[.!?…][\"”»](?=\s)")
_NEXT = re.compile(r"\s*(\S)")
_SUFFIXES = ("n't", "'ll", "'ve", "'re", "'s", "'d", "'m", "'")


def word_set(text: str) -> frozenset[str]:
    """Return the words of a table."""
    return frozenset(text.split())


PLAIN = word_set(
    """i a about above across after afterwards again against ago ah alas all almost alone along already also
    although always am among an and another any anybody anyone anything anyway anywhere apart are aren around as
    aside at away back be because been before behind being below beneath beside besides between beyond both
    briefly but by can cannot certainly clearly could couldn day days did didn do does doesn doing don done down
    during each earlier early easily either else elsewhere enough especially even evening eventually ever every
    everybody everyone everything everywhere except far farewell few finally first for from further gently goodbye
    gradually had hadn has hasn have haven having he hello hence her here hers herself hey him himself his how
    however if in indeed inside instead into is isn it its itself just last late lately later least less lest let
    likewise listening long looking many maybe me meanwhile mine more moreover morning most mostly much must my
    myself near nearby nearly neither never nevertheless next night no nobody none nonetheless nor not nothing now
    nowhere o occasionally of off often oh ok okay on once one ones only onto or other others otherwise our ours
    ourselves out outside over overall own people perhaps please possibly presently probably quickly quietly quite
    rather really recently remembering same seeing seldom several shall she should shouldn similarly simply since
    slowly so some somebody somehow someone something sometimes somewhere soon speaking standing still strangely
    such suddenly sitting talking thank thanks that the their theirs them themselves then there thereafter
    therefore these they thinking this those though through throughout thus time to today together tomorrow
    tonight too toward towards twice under underneath unless until unto up upon us usually very walking wandering
    was wasn we well were weren what whatever when whenever where wherever whether which while who whoever whom
    whose why with within without wondering won would wouldn yes yesterday yet you your yours yourself"""
)
"""Words that begin a sentence without being a name. Those that are also names (will, may, rose) are not here."""

_DULL = word_set(
    """say says said see sees saw think thinks thought know knows knew well go goes went come comes came get gets
    got look looks looked wonder wonders wondered tell tells told ask asks asked good big new thing things way bit
    lot"""
)
"""Words so common in talk that they tell nothing."""

_DIGITS = re.compile(r"\d+(?:,\d{3})+(?!\d)|\d+(?:\.\d+)?")
_LETTERS = re.compile(r"[a-z]+")
_UNITS = {
    word: value
    for value, words in enumerate(
        (
            "zero", "one", "two second twice", "three third thrice", "four fourth", "five fifth", "six sixth",
            "seven seventh", "eight eighth", "nine ninth", "ten tenth", "eleven eleventh", "twelve twelfth dozen",
            "thirteen thirteenth", "fourteen fourteenth", "fifteen fifteenth", "sixteen sixteenth",
            "seventeen seventeenth", "eighteen eighteenth", "nineteen nineteenth",
        )
    )
    for word in words.split()
}  # fmt: skip
_TENS = {
    word: 10 * value
    for value, words in enumerate(
        (
            "twenty twentieth", "thirty thirtieth", "forty fortieth", "fifty fiftieth", "sixty sixtieth",
            "seventy seventieth", "eighty eightieth", "ninety ninetieth",
        ),
        start=2,
    )
    for word in words.split()
}  # fmt: skip
_SCALES = {"hundred": 100, "hundredth": 100, "thousand": 1000, "thousandth": 1000, "million": 10**6, "billion": 10**9}
_COUNTING = frozenset({*_UNITS, *_TENS, *_SCALES, *(word + "s" for word in ("dozen", *_SCALES))})
_VAGUE = frozenset({"one"})
"""Counting words that mostly count nothing when they stand alone."""


def flat(text: str) -> str:
    """Return a text on one line, without control characters."""
    if text.isprintable():  # most are, and this is asked of every memory that is told
        return " ".join(text.split()) if "  " in text or text[:1] == " " or text[-1:] == " " else text
    return " ".join("".join(c if c.isprintable() or c.isspace() else " " for c in text).split())


@functools.lru_cache(maxsize=8192)
def key(word: str) -> str:
    """Return a word as it is compared: without case, possessive and contraction."""
    plain = unicodedata.normalize("NFKC", word).replace("’", "'").casefold()
    for suffix in _SUFFIXES:
        if plain.endswith(suffix) and len(plain) > len(suffix):
            return plain[: -len(suffix)]
    return plain


def words(text: str) -> Iterator[str]:
    """Yield the words of a text as they are compared."""
    return (key(found) for found in _WORD.findall(unicodedata.normalize("NFC", text)))


def content_words(text: str) -> frozenset[str]:
    """Return the words that tell what a text is about: neither plain words nor short ones."""
    found = (word for word in words(text) if len(word) > 2 or not word.isascii())
    return frozenset(word for word in found if word not in PLAIN and word not in _DULL)


class CapitalWord(NamedTuple):
    """A word with a capital letter.

    Args:
        word: as written.
        key: as compared.
        opens: it begins a sentence, a line or a quotation.
        article: an article or the like stands before it.
    """

    word: str
    key: str
    opens: bool
    article: bool


def capitals(text: str) -> list[CapitalWord]:
    """Return the words that hold a capital letter, in order."""
    text = unicodedata.normalize("NFC", text)
    found = []
    for match in _WORD.finditer(text):
        word = match[0]
        if word == word.lower():
            continue
        before = text[max(0, match.start() - 12) : match.start()]
        bare = before.rstrip(" \t\"'“”‘’«»(*_")
        opens = not bare or bare[-1] in ".!?…:;\n-–—>" or before[-1] in "\"'“‘«("
        found.append(CapitalWord(word, key(word), opens, bool(_ARTICLE.search(before))))
    return found


def names(text: str) -> dict[str, str]:
    """Return the names in a text, as compared and as written: capitalised words that no sentence rule explains."""
    return {c.key: c.word for c in capitals(text) if not c.opens and c.key not in PLAIN and c.key not in _COUNTING}


def numbers(text: str) -> frozenset[str]:
    """Return the numbers of a text, written in digits or in English words, as compared.

    `two`, `second` and `2` are one number, `twenty-three` and `23` too; a leading zero makes another number, as in a
    code. The word `one` alone is none.
    """
    if text.isascii() and not _DIGITS.search(text) and _COUNTING.isdisjoint(_LETTERS.findall(text.lower())):
        return frozenset()
    text = unicodedata.normalize("NFC", text)
    found = {_digits(match) for match in _DIGITS.findall(text)}
    found |= {c for c in text if not c.isascii() and unicodedata.category(c) in ("No", "Nl")}
    run: list[str] = []
    # Words of one number are joined by nothing but blanks, hyphens and "and".
    for token in re.findall(r"[^\W\d_]+|[^\s\w-]|\d", text):
        word = token.casefold()
        if word in _COUNTING:
            run.append(word)
        elif not (word == "and" and run):
            found |= _spoken(run)
            run = []
    return frozenset(found | _spoken(run))


def _digits(text: str) -> str:
    return "".join(str(unicodedata.digit(c)) if c.isdigit() else c for c in text if c != ",")


def _spoken(run: list[str]) -> set[str]:
    """Return the numbers that a run of counting words says; neighbours that make no number stand for themselves."""
    found: set[str] = set()
    total, part, last = 0, 0, 10**12
    lone = len(run) == 1
    for word in run:
        base = word[:-1] if word.endswith("s") and word[:-1] in {"dozen", *_SCALES} else word
        if base in _SCALES:
            scale = _SCALES[base]
            if scale == 100:
                part = max(part, 1) * scale
            else:
                total, part = total + max(part, 1) * scale, 0
            last = scale
            continue
        value = _TENS.get(base, _UNITS.get(base, 0))
        if (part or total) and (value >= last or (part and 0 < part % 100 < 20) or (part % 100 and value >= 10)):
            found.add(str(total + part))
            total, part = 0, 0
        part += value
        last = value
        lone = lone and word in _VAGUE
    if run and not (lone and run[0] in _VAGUE):
        found.add(str(total + part))
    return found


def quoted(text: str) -> list[str]:
    """Return what stands in quotation marks."""
    return [found[1:-1] for found in _QUOTE.findall(text)]


def unquoted(text: str) -> str:
    """Return a text with its quotations replaced by empty quotation marks."""
    return _QUOTE.sub('""', text)


def sentences(text: str) -> list[str]:
    """Split a text into sentences. A quotation is not split; a line's end ends a sentence."""
    found: list[str] = []
    for line in text.split("\n"):
        found += _sentences_of(line.strip())
    return found


@functools.lru_cache(maxsize=2048)
def _sentences_of(line: str) -> tuple[str, ...]:
    return tuple(_found_in(line))


def _found_in(line: str) -> Iterator[str]:
    ends = list(_END.finditer(line))
    if not ends or ends[0].end() == len(line):  # most lines are one sentence, and nothing is to be found out
        yield from (line,) if line else ()
        return
    spans = [match.span() for match in _QUOTE.finditer(line)]
    start = at = 0
    for match in ends:
        first, end = match.span()
        if end <= start:
            continue
        while at < len(spans) and spans[at][1] <= end:
            at += 1
        if at < len(spans) and spans[at][0] < first:
            continue
        following = _NEXT.match(line, end)
        if following and following[1].islower():
            continue
        if match[0] == "." and is_abbreviated(line, end):
            continue
        yield line[start:end].strip()
        start = end
    if line[start:].strip():
        yield line[start:].strip()


def all_words(texts: Iterable[str]) -> set[str]:
    """Return every word of some texts, as compared."""
    return {word for text in texts for word in words(text)}
