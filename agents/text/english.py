"""Rules for English prose: sentences, quotations, words, names and numbers.

They work on any script and err in one direction: what might be a name or a number counts as one. A wrongly rejected
summary costs one retry; a false memory stays. The check of summaries takes only `sentences` and `unquoted` from here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from mud.world.sentences import is_abbreviated

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_QUOTE = re.compile(r'"[^"\n]*"|“[^“”\n]*”|«[^«»\n]*»')
_END = re.compile(r"[.!?…]+[\"”»'’)\]]*(?=\s|$)|[.!?…][\"”»](?=\s)")
_NEXT = re.compile(r"\s*(\S)")
_SUFFIXES = ("n't", "'ll", "'ve", "'re", "'s", "'d", "'m", "'")


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


PLAIN = word_set(
    """i a about above across after afterwards again against ago ah alas all almost alone along already also although
    always am among an and another any anybody anyone anything anyway anywhere apart are aren around as aside at
    away back be because been before behind being below beneath beside besides between beyond both briefly but
    by can cannot certainly clearly could couldn day days did didn do does doesn doing don done down during each
    earlier early easily either else elsewhere enough especially even evening eventually ever every everybody
    everyone everything everywhere except far farewell few finally first for from further gently goodbye
    gradually had hadn has hasn have haven having he hello hence her here hers herself hey him himself his how
    however if in indeed inside instead into is isn it its itself just last late lately later least less lest
    let likewise listening long looking many maybe me meanwhile mine more moreover morning most mostly much must
    my myself near nearby nearly neither never nevertheless next night no nobody none nonetheless nor not
    nothing now nowhere o occasionally of off often oh ok okay on once one ones only onto or other others
    otherwise our ours ourselves out outside over overall own people perhaps please possibly presently probably
    quickly quietly quite rather really recently remembering same seeing seldom several shall she should shouldn
    similarly simply since slowly so some somebody somehow someone something sometimes somewhere soon speaking
    standing still strangely such suddenly sitting talking thank thanks that the their theirs them themselves
    then there thereafter therefore these they thinking this those though through throughout thus time to today
    together tomorrow tonight too toward towards twice under underneath unless until unto up upon us usually
    very walking wandering was wasn we well were weren what whatever when whenever where wherever whether which
    while who whoever whom whose why with within without wondering won would wouldn yes yesterday yet you your
    yours yourself"""
)
"""Words that begin a sentence without being a name; words that are also names (will, may, rose) are left out."""

DULL = word_set(
    """say says said see sees saw think thinks thought know knows knew well go goes went come comes came get gets got
    look looks looked wonder wonders wondered tell tells told ask asks asked good big new thing things way bit
    lot"""
)

_DIGITS = re.compile(r"\d+(?:,\d{3})+(?!\d)|\d+(?:\.\d+)?")
_LETTERS = re.compile(r"[a-z]+")
_VALUES = {
    word: value
    for value, words in zip(
        (*range(20), *range(20, 100, 10)),
        (
            "zero", "one", "two second twice", "three third thrice", "four fourth", "five fifth", "six sixth",
            "seven seventh", "eight eighth", "nine ninth", "ten tenth", "eleven eleventh", "twelve twelfth dozen",
            "thirteen thirteenth", "fourteen fourteenth", "fifteen fifteenth", "sixteen sixteenth",
            "seventeen seventeenth", "eighteen eighteenth", "nineteen nineteenth", "twenty twentieth",
            "thirty thirtieth", "forty fortieth", "fifty fiftieth", "sixty sixtieth", "seventy seventieth",
            "eighty eightieth", "ninety ninetieth",
        ),
        strict=True,
    )
    for word in words.split()
}  # fmt: skip
_SCALES = {"hundred": 100, "hundredth": 100, "thousand": 1000, "thousandth": 1000, "million": 10**6, "billion": 10**9}
_COUNTING = frozenset({*_VALUES, *_SCALES, *(word + "s" for word in ("dozen", *_SCALES))})


def mentions(text: str, name: str) -> bool:
    return name in text and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def flat(text: str) -> str:
    if text.isprintable():  # the fast path, since this runs on every memory
        return " ".join(text.split()) if "  " in text or text[:1] == " " or text[-1:] == " " else text
    return " ".join("".join(c if c.isprintable() or c.isspace() else " " for c in text).split())


@lru_cache(maxsize=8192)
def _key(word: str) -> str:
    plain = unicodedata.normalize("NFKC", word).replace("’", "'").casefold()
    suffix = next((one for one in _SUFFIXES if plain.endswith(one) and len(plain) > len(one)), "")
    return plain.removesuffix(suffix)


def all_words(text: str) -> frozenset[str]:
    return frozenset(map(_key, _WORD.findall(unicodedata.normalize("NFC", text))))


def content_words(text: str) -> frozenset[str]:
    """Return the words that carry meaning: neither plain nor short ones."""
    return frozenset(word for word in all_words(text) - PLAIN - DULL if len(word) > 2 or not word.isascii())


def names(text: str) -> dict[str, str]:
    """Return the names in a text, normalized and as written: capitalized words that begin no sentence."""
    text = unicodedata.normalize("NFC", text)
    found = {}
    for match in _WORD.finditer(text):
        word = match[0]
        if word == word.lower():
            continue
        before = text[max(0, match.start() - 12) : match.start()]
        bare = before.rstrip(" \t\"'“”‘’«»(*_")
        opens = not bare or bare[-1] in ".!?…:;\n-–—>" or before[-1] in "\"'“‘«("
        if not opens and _key(word) not in PLAIN and _key(word) not in _COUNTING:
            found[_key(word)] = word
    return found


def numbers(text: str) -> frozenset[str]:
    """Return the numbers of a text, in digits or English words; `two`, `second` and `2` are equal.

    A leading zero makes another number, as in a code. The word `one` alone is none.
    """
    if text.isascii() and not _DIGITS.search(text) and _COUNTING.isdisjoint(_LETTERS.findall(text.lower())):
        return frozenset()
    text = unicodedata.normalize("NFC", text)
    found = {_digits(match) for match in _DIGITS.findall(text)}
    found |= {c for c in text if not c.isascii() and unicodedata.category(c) in ("No", "Nl")}
    run: list[str] = []
    # Words of one number are joined only by blanks, hyphens and "and".
    for token in re.findall(r"[^\W\d_]+|[^\s\w-]|\d", text):
        word = token.casefold()
        if word in _COUNTING:
            run.append(word)
        elif not (word == "and" and run):
            found |= _numbers_of_words(run)
            run = []
    return frozenset(found | _numbers_of_words(run))


def _digits(text: str) -> str:
    return "".join(str(unicodedata.digit(c)) if c.isdigit() else c for c in text if c != ",")


def _numbers_of_words(run: list[str]) -> set[str]:
    if run in ([], ["one"]):
        return set()
    found: set[str] = set()
    total, part, last = 0, 0, 10**12
    for word in run:
        base = word if word in _VALUES or word in _SCALES else word.removesuffix("s")
        if scale := _SCALES.get(base):
            total, part = (total, max(part, 1) * scale) if scale == 100 else (total + max(part, 1) * scale, 0)
            last = scale
            continue
        value = _VALUES[base]
        if (part or total) and (value >= last or (part and 0 < part % 100 < 20) or (part % 100 and value >= 10)):
            found.add(str(total + part))
            total, part = 0, 0
        part += value
        last = value
    return found | {str(total + part)}


def quoted(text: str) -> list[str]:
    return [found[1:-1] for found in _QUOTE.findall(text)]


def unquoted(text: str) -> str:
    return _QUOTE.sub('""', text)


def sentences(text: str) -> list[str]:
    """Split a text into sentences. Quotations are not split; a line end ends a sentence."""
    return [one for line in text.split("\n") for one in _sentences_of(line.strip())]


@lru_cache(maxsize=2048)
def _sentences_of(line: str) -> tuple[str, ...]:
    ends = list(_END.finditer(line))
    if not ends or ends[0].end() == len(line):  # the fast path, since most lines are one sentence
        return (line,) if line else ()
    return tuple(part for part in _split_at(line, ends) if part)


def _split_at(line: str, ends: list[re.Match[str]]) -> Iterator[str]:
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
        if (following and following[1].islower()) or (match[0] == "." and is_abbreviated(line, end)):
            continue
        yield line[start:end].strip()
        start = end
    yield line[start:].strip()
