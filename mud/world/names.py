"""Misleading names: reserved words, look-alikes of other names, and names in mixed scripts. Pure.

Look-alikes have the same skeleton, as in Unicode Technical Standard 39, whose tables are used for letters of names.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import groupby, islice
from operator import eq
from typing import NamedTuple

from mud.errors import Problem
from mud.world.exits import SHORT
from mud.world.matching import plain

_WORDS = """
    i me my myself self you yourself he him himself she her herself it itself we us ourselves they them themselves
    here there around nowhere everywhere somewhere inside outside back
    all any both each every everybody everyone everything nobody noone none nothing somebody someone something anybody
    anyone anything other others a an the this that these those who what where and or to from at with as
"""
RESERVED = frozenset(_WORDS.split()) | frozenset(SHORT) | frozenset(SHORT.values())
"""Words that commands and texts use for persons and things."""

_DRAWN_ALIKE = {
    # Cyrillic
    "АВЕЅІЈКМНОРСТУХҮԌԚԜӀ": "ABESIJKMHOPCTYXYGQWI",
    "аеѕіјкорсухһԁԛԝѵүҽӏ": "aesijkopcyxhdqwvyel",
    # Greek
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϜϹϳ": "ABEZHIKMNOPTYXFCj",
    "αγικνορυχϲ": "ayiknopuxc",
    # Armenian, Cherokee, Lisu
    "օոսհցզգՏԼՕՍ": "onuhgqqSLOU",
    "ᎠᎡᎢᎥᎩᎪᎫᎬᎳᎷᎻᏀᏃᏚᏙᏞᏟᏢᏦᏴᏒᏔ": "DRTiYAJEWMHGZSVLCPKBRW",
    "ꓐꓑꓒꓓꓔꓖꓗꓙꓚꓜꓝꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ": "BPdDTGKJCZFNLSRVHWXYAEIOU",
    # Coptic
    "ⲀⲂⲈⲎⲒⲔⲘⲚⲞⲢⲤⲦⲨⲬⲁⲉⲓⲕⲙⲛⲟⲣⲥⲧⲩⲭ": "ABEHIKMNOPCTYXaeikmnopctyx",
    # other Latin letters
    "ıɑɡɩʟɴʀꜱᴀᴄᴏᴑᴜᴠᴡᴢǀ": "iagilnrsacoouvwzl",
    # strokes and rings of other scripts
    "ᥣ丨ഠօဝ၀〇": "llooooo",
    "\u2800": " ",
}
_LATIN = str.maketrans({sign: to for signs, tos in _DRAWN_ALIKE.items() for sign, to in zip(signs, tos, strict=True)})
_STROKES = str.maketrans("I1|0", "lllO")
"""Characters that look like one stroke or ring in many typefaces. """
_DIGITS = str.maketrans("10", "io")
"""Letters that digits are used for."""
_PAIRS = (("rn", "m"), ("vv", "w"))
"""Letters that look like one letter side by side."""
_SMALL_PAIRS = (*_PAIRS, ("cl", "d"))
"""For small letters, as Clara is not mistaken for Dara."""
_OVERLAY, _ABOVE_OR_BELOW = 1, 200
"""Unicode combining classes: strokes through a letter, and the first class of accents. Marks in between are vowels in
some scripts, so they stay."""
_SCRIPTS = {"HIRAGANA": "CJK", "KATAKANA": "CJK", "KATAKANA-HIRAGANA": "CJK", "IDEOGRAPHIC": "CJK", "BOPOMOFO": "CJK"}
"""Scripts that are written together, by the first word of the Unicode names of their letters."""
_COMMON = "MODIFIER"
"""First word of the Unicode names of letters that belong to no script, such as some apostrophes."""


def _latin(name: str) -> str:
    """Return a name without accents and punctuation, with Latin letters for look-alikes."""
    return name.translate(_ASCII) if name.isascii() else _latin_of_any(name)


def _latin_of_any(name: str) -> str:
    signs = []
    for sign in unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name).translate(_LATIN)):
        kind, place = unicodedata.category(sign), unicodedata.combining(sign)
        if kind == "Nd":
            signs.append(str(unicodedata.decimal(sign)))
        elif kind == "Pd":
            signs.append(" ")
        elif place != _OVERLAY and place < _ABOVE_OR_BELOW and kind[0] != "P" and kind != "Sk":
            signs.append(sign)
    return "".join(signs).translate(_LATIN)


_ASCII = {code: _latin_of_any(chr(code)) for code in range(128)}


@lru_cache(maxsize=1 << 16)
def _skeletons(name: str) -> tuple[str, str]:
    """Return the skeleton of a name ignoring case, and one with similar strokes and rings merged."""
    small, drawn = _latin(name.casefold()).casefold(), " ".join(_latin(name).split())
    if any(map(str.isalpha, small)):  # a number is no word
        small, drawn = small.translate(_DIGITS), drawn.translate(_STROKES)
    return _as_one(plain(small), _PAIRS), _as_one(drawn, _SMALL_PAIRS)


def _as_one(text: str, pairs: Iterable[tuple[str, str]]) -> str:
    for pair, one in pairs:
        text = text.replace(pair, one)
    return text


_MEANT = frozenset(_skeletons(word)[0] for word in RESERVED)


def _scripts(name: str) -> list[str]:
    if name.isascii():
        return []  # all letters are of one script
    letters = (sign for sign in unicodedata.normalize("NFKC", name) if sign.isalpha())
    found = (unicodedata.name(sign, "UNKNOWN").split()[0] for sign in letters)
    return list(dict.fromkeys(_SCRIPTS.get(script, script) for script in found if script != _COMMON))


class NameIndex:
    """Names indexed by look, so that a lookup takes the same time for any number of them."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._alike: defaultdict[tuple[int, str], dict[str, tuple[int, str]]] = defaultdict(dict)
        self._count = 0
        self.add(names)

    def add(self, names: Iterable[str]) -> None:
        for name in names:
            self._count += 1
            for look in enumerate(_skeletons(name)):
                self._alike[look].setdefault(plain(name), (self._count, name))

    def alike(self, name: str) -> str | None:
        """Return the first other name that looks like this one."""
        typed = plain(name)
        looks = (self._alike.get(look, {}) for look in enumerate(_skeletons(name)))
        found = [one for look in looks for own, one in islice(look.items(), 2) if own != typed]
        return min(found)[1] if found else None


def folded(name: str) -> str:
    """Normalize a name to compare things of a kind: NFC and casefolded."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


class Named(NamedTuple):
    """A name or alias, where it stands, and the id of its thing; the id is empty for a new thing."""

    name: str
    file: str
    line: int
    key: str
    id: str


def misleading_names(named: Iterable[Named], homes: Mapping[str, str]) -> list[Problem]:
    """Report names that are reserved or look like an older name.

    Things that `homes`, the saved file of each id, knows are older than others, and lower ids are older than higher
    ones.
    """

    def age(one: Named) -> tuple[bool, bool, int, str]:
        return homes.get(one.id) != one.file, not one.id, int(one.id[1:] or 0), one.file

    problems: list[Problem] = []
    names = NameIndex()
    for _, group in groupby(sorted(named, key=age), key=age):
        own = list(group)
        found = ((one, misleading(one.name, names)) for one in own)
        problems += [Problem(one.file, one.line, one.key, f"{why}; expected another name") for one, why in found if why]
        names.add(one.name for one in own)
    return problems


def _alike(name: str, others: Iterable[str]) -> str | None:
    """Return what `NameIndex.alike` does, without an index that would be used once."""
    typed, looks = plain(name), _skeletons(name)
    return next((one for one in others if any(map(eq, looks, _skeletons(one))) and plain(one) != typed), None)


LONGEST = 120
"""Characters that a name may have at most."""


def misleading(name: str, others: Iterable[str] | NameIndex = ()) -> str:
    """Return as a clause why a name would mislead; empty when it would not. Pass `NameIndex` for many lookups."""
    if len(name) > LONGEST:
        return f"the name has {len(name):,} characters, more than the {LONGEST} that can be taken in"
    if _skeletons(name)[0] in _MEANT:
        return f"{name!r} is a word that means something else where a name is typed"
    other = others.alike(name) if isinstance(others, NameIndex) else _alike(name, others)
    if other is not None:
        return f"{name!r} looks like {other!r}, which is the name of another"
    scripts = [script.capitalize() for script in _scripts(name)]
    return f"{name!r} mixes letters of {scripts[0]} and {scripts[1]}" if len(scripts) > 1 else ""
