"""Numbers in figures and in English words, normalized to figures.

Leading zeros are significant, as in a code. The word `one` alone is no number.
"""

from __future__ import annotations

import functools
import re
import unicodedata

_FIGURES = re.compile(r"\d{1,3}(?:,\d{3})+(?!\d)|\d+(?:\.\d+)?")
_PHRASE = re.compile(r"[^\W\d_]+|[^\s\w-]|\d")
_SMALL = (
    "zero nought;;two second twice pair;three third thrice;four fourth;five fifth;six sixth;seven seventh;eight eighth;"
    "nine ninth;ten tenth;eleven eleventh;twelve twelfth dozen;thirteen thirteenth;fourteen fourteenth;"
    "fifteen fifteenth;sixteen sixteenth;seventeen seventeenth;eighteen eighteenth;nineteen nineteenth"
)
_TENS = (
    "twenty twentieth;thirty thirtieth;forty fortieth fourty;fifty fiftieth;sixty sixtieth;seventy seventieth;"
    "eighty eightieth;ninety ninetieth"
)
_ENDLESS = 10**18
_GREAT = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}


def _table() -> dict[str, int]:
    table = {"one": 1}
    rows = [(value, row) for value, row in enumerate(_SMALL.split(";"))]
    rows += [(10 * value, row) for value, row in enumerate(_TENS.split(";"), 2)]
    for value, row in rows:
        for word in row.split():
            table[word] = value
            table[f"{word[:-1]}ies" if word.endswith("y") else f"{word}s"] = value
    del table["seconds"], table["pairs"], table["twices"], table["thrices"]  # units of time, or no words
    del table["pair"]
    return table


_VALUES = _table()
_SCALES = {form: value for word, value in _GREAT.items() for form in (word, f"{word}s", f"{word}th")}
COUNTING = frozenset((*_VALUES, *_SCALES))


@functools.lru_cache(maxsize=2048)
def numbers_of(text: str, counted: bool = True) -> frozenset[str]:
    """Return the numbers of a text in Unicode's composed form; `counted=False` skips number words."""
    # Cached: a line is read in the folds of all who heard it, a summary again in the next fold.
    found = {_as_figures(figures) for figures in _FIGURES.findall(text)}
    if not text.isascii():
        found |= {sign for sign in set(text) if unicodedata.category(sign) in ("No", "Nl")}
    if counted:
        found |= _in_words(text)
    return frozenset(found)


def _as_figures(found: str) -> str:
    return "".join(c if c == "." else str(unicodedata.digit(c)) for c in found if c != ",")


def _in_words(text: str) -> frozenset[str]:
    found: set[str] = set()
    row: list[str] = []
    for token in [*_PHRASE.findall(text), "."]:
        word = token.casefold()
        if word in COUNTING:
            row.append(word)
        elif row and word != "and":
            found.update(map(str, _read(row)))
            row = []
    return frozenset(found)


def _read(row: list[str]) -> list[int]:
    """Return the numbers in a sequence of counting words; a word that cannot continue a number starts the next."""
    if row == ["one"] or row == ["ones"]:
        return []
    numbers: list[int] = []
    whole, part = 0, 0
    room, top = _ENDLESS, _ENDLESS  # exclusive limit for the next word of the same number
    begun = False
    for word in row:
        scale = _SCALES.get(word)
        value = _VALUES.get(word, 0)
        fits = value < room if scale is None else part < 100 if scale == 100 else scale < top
        if begun and not fits:
            numbers.append(whole + part)
            whole, part, room, top = 0, 0, _ENDLESS, _ENDLESS
        begun = True
        if scale is None:
            part, room = part + value, 10 if value >= 20 else 1
        elif scale == 100:
            part, room = max(part, 1) * 100, 100
        else:
            whole, part, room, top = whole + max(part, 1) * scale, 0, scale, scale
    return [*numbers, whole + part]
