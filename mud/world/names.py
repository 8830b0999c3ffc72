"""Names that would mislead: words that mean something else where a name is typed, and look-alikes of names there are.

What looks alike is told by a skeleton, as in Unicode's report 39: compatible forms made one, accents and punctuation
left out, and what is drawn like Latin letters, of other scripts, digits or two letters for one, put down as these. The
tables are that report's, as far as they concern letters in which names are written. As there, the letters of one name
are of one script. Pure.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import groupby, islice
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
"""Words that commands and texts use for whoever or whatever is meant."""

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
    # Latin letters of other tongues
    "ıɑɡɩʟɴʀꜱᴀᴄᴏᴑᴜᴠᴡᴢǀ": "iagilnrsacoouvwzl",
    # strokes and rings of further scripts
    "ᥣ丨ഠօဝ၀〇": "llooooo",
    "\u2800": " ",
}
_LATIN = str.maketrans({sign: to for signs, tos in _DRAWN_ALIKE.items() for sign, to in zip(signs, tos, strict=True)})
_STROKES = str.maketrans("I1|0", "lllO")
"""What is one stroke, or one ring, in many a typeface."""
_DIGITS = str.maketrans("10", "io")
"""What digits are written for."""
_PAIRS = (("rn", "m"), ("vv", "w"))
"""Letters that look like one letter beside each other."""
_SMALL_PAIRS = (*_PAIRS, ("cl", "d"))
"""The same where they are small letters: Clara is not taken for Dara."""
_OVERLAY, _ABOVE_OR_BELOW = 1, 200
"""Classes of marks by the place where they stand: strokes through a letter, and from which on they are accents. What is
between is a letter's own in scripts whose vowels are marks."""
_SCRIPTS = {"HIRAGANA": "CJK", "KATAKANA": "CJK", "KATAKANA-HIRAGANA": "CJK", "IDEOGRAPHIC": "CJK", "BOPOMOFO": "CJK"}
"""Scripts that are written together with another, by the first words of their letters' names."""
_COMMON = "MODIFIER"
"""The first word of the names of letters that belong to no script, such as the apostrophe in many a name."""


def _latin(name: str) -> str:
    """Return a name in compatible letters, without accents and punctuation, and with Latin letters for look-alikes."""
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


@lru_cache(maxsize=1 << 13)
def _skeletons(name: str) -> tuple[str, str]:
    """Return a name as it looks in any case, and as it looks with strokes and rings for one another."""
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
    """Return the scripts of a name's letters, in order."""
    letters = (sign for sign in unicodedata.normalize("NFKC", name) if sign.isalpha())
    found = (unicodedata.name(sign, "UNKNOWN").split()[0] for sign in letters)
    return list(dict.fromkeys(_SCRIPTS.get(script, script) for script in found if script != _COMMON))


class Names:
    """Names that there are, by how they look: to ask for one takes no longer the more there are.

    Args:
        names: the first of them.
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._alike: defaultdict[tuple[int, str], dict[str, tuple[int, str]]] = defaultdict(dict)
        self._count = 0
        self.add(names)

    def add(self, names: Iterable[str]) -> None:
        """Take up further names."""
        for name in names:
            self._count += 1
            for look in enumerate(_skeletons(name)):
                self._alike[look].setdefault(plain(name), (self._count, name))

    def alike(self, name: str) -> str | None:
        """Return the first that looks like a name and is another; None when none does."""
        typed = plain(name)
        looks = (self._alike.get(look, {}) for look in enumerate(_skeletons(name)))
        found = [one for look in looks for own, one in islice(look.items(), 2) if own != typed]
        return min(found)[1] if found else None


def folded(name: str) -> str:
    """Return a name as two of a kind are compared: in no case, and with composed letters."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def look_alike(name: str, others: Iterable[str]) -> str | None:
    """Return the first of other names that looks like a name and is another; None when none does."""
    return Names(others).alike(name)


class Named(NamedTuple):
    """A name or an alias, where it stands, and whose it is.

    Args:
        name: the name.
        file: the file's path inside the vault.
        line, key: of the name in it, as problems tell them.
        id: of whoever is called so; empty for none yet.
    """

    name: str
    file: str
    line: int
    key: str
    id: str


def misleading_names(named: Iterable[Named], homes: Mapping[str, str]) -> list[Problem]:
    """Return the names and aliases that mean something else, or look like the name of another that was there before.

    Args:
        named: every name and alias.
        homes: the file of each id as the saved state has it: who is in it was there before who is not, and of two that
            are, or are not, the one with the lower id.
    """

    def age(one: Named) -> tuple[bool, bool, int, str]:
        return homes.get(one.id) != one.file, not one.id, int(one.id[1:] or 0), one.file

    problems: list[Problem] = []
    names = Names()
    for _, group in groupby(sorted(named, key=age), key=age):
        own = list(group)
        found = ((one, misleading(one.name, names)) for one in own)
        problems += [Problem(one.file, one.line, one.key, f"{why}; expected another name") for one, why in found if why]
        names.add(one.name for one in own)
    return problems


LONGEST = 120
"""Characters of a name at most."""


def misleading(name: str, others: Iterable[str] | Names = ()) -> str:
    """Return why a name would mislead, as a clause; empty when it would not.

    Args:
        name: the name.
        others: the names that there are; `Names` where many are held against them.
    """
    if len(name) > LONGEST:
        return f"the name has {len(name):,} characters, more than the {LONGEST} that can be taken in"
    if _skeletons(name)[0] in _MEANT:
        return f"{name!r} is a word that means something else where a name is typed"
    other = (others if isinstance(others, Names) else Names(others)).alike(name)
    if other is not None:
        return f"{name!r} looks like {other!r}, which is the name of another"
    scripts = [script.capitalize() for script in _scripts(name)]
    return f"{name!r} mixes letters of {scripts[0]} and {scripts[1]}" if len(scripts) > 1 else ""
