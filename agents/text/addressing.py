"""Whom a spoken line addresses by name, whether it is a question, and the line without the names. English only."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from functools import lru_cache

from mud.world.sentences import sentences

_LEAD = (
    r"(?:(?:hey|hi|hiya|hello|oh|ah|well|and|but|so|now|then|ok|okay|dear|please|sorry|yes|no|listen|greetings|welcome|"
    r"thanks|thank you|thank you very much|good (?:morning|day|afternoon|evening|night)|goodbye|good-?bye|bye|farewell|"
    r"by the way|excuse me|pardon)\b[\s,!.;:…-]*)*"
)
_CALLING = (
    r"(?:who|what|where|when|why|how|which|whose|do|does|did|is|are|was|were|can|could|will|would|should|shall|am|"
    r"have|has|may|please|tell|remember|remind|listen|look|come|go|give|take|wait|stay|follow|help|i|i'm|i've|i'll|my|you|your|we|let|let's|"
    r"thanks|thank|hello|hi|good)\b"
)
_CALLED_LAST = re.compile(
    r"(?:\b(?:hey|hi|hiya|hello|thanks|thank you|thank you very much|good (?:morning|day|afternoon|evening|night)|"
    r"goodbye|good-?bye|bye|farewell|welcome(?: back)?|dear|oh)\s+|[,;:!.?]\s*)$",
    re.I,
)
_STRANGER = re.compile(rf"\s*@?(?i:{_LEAD})(?P<called>[A-ZÀ-ÖØ-ÞΑ-ΩА-Я][\w-]+),\s+(?i:{_CALLING})", re.S)
_NAME = r"[A-ZÀ-ÖØ-ÞΑ-ΩА-Я][\w'’-]+"
_SEVERAL = re.compile(
    rf"@?(?i:{_LEAD})(?P<called>{_NAME}(?:(?:\s*,\s*(?:and\s+)?|\s+(?:and|&)\s+){_NAME}){{1,3}})\s*[,:;!]\s*"
    r"(?P<rest>\S.*)$",
    re.S,
)
_NO_NAME_WORDS = """
    the a an old young little mr mrs ms miss dr
    actually also again anyway anyhow besides finally first second third last look see sir madam friend friends
    everybody everyone anybody anyone somebody people all you listen wait tell say today tomorrow yesterday tonight
    indeed still though however perhaps maybe sure right fine good great true there here alas otherwise
    i if when where who what why how it that this then once next later meanwhile really honestly seriously
"""
_NO_NAMES = frozenset(_NO_NAME_WORDS.split())
_WH = r"(?:who|whom|whose|what|where|when|why|how|which)"
_AUX = r"(?:do|does|did|is|are|was|were|can|could|will|would|shall|should|has|had|may|might|am)"
_ASKS = re.compile(
    rf"(?:{_WH}(?:['’]?s|'d|\s+(?:{_AUX}|have|many|much|old|far|long|else|knows|told|said|happened|hid|took|has))\b(?!.*!$)"
    r"|(?:what|who|which)\s+(?!(?:a|an|i|you|we|he|she|they|it|the|my|your|this|that|nonsense|luck|ever|knows|cares|fun|"
    r"joy)\b)\w+(?:\s+\S+){0,6}$"
    rf"|(?:what|which|whose)\s+(?!(?:i|you|we|he|she|it|they)\b)\w+\s+{_AUX}\b(?!.*!$)"
    rf"|(?!do it\b)(?:{_AUX}|have|don't|didn't|isn't|aren't|wasn't|haven't|can't)\s+"
    r"(?:you|u|ya|i|we|he|she|it|they|the|my|your|our|his|her|their|there|this|that|these|those|any|any\w+|some\w+)\b"
    r"|(?:please\s+)?(?:tell|remind|show)\s+(?:me|us)\b"
    r"|i\s+(?:wonder|forgot|forget|have forgotten|would like to know|want to know|was wondering)\s+"
    rf"(?:if|whether|{_WH})\b)",
    re.I | re.S,
)
_LEADING = re.compile(rf"^{_LEAD}", re.I)


class Address(StrEnum):
    ME = "me"
    OTHER = "other"
    ANYBODY = "anybody"


@lru_cache(maxsize=1 << 12)
def is_question(words: str) -> bool:
    """Return whether any sentence of a line is a question, with or without a question mark."""
    return any(asks(sentence) for sentence in sentences(words))


def asks(sentence: str) -> bool:
    if sentence.rstrip("\"”'’) ").endswith("?"):
        return True
    bare = _LEADING.sub("", sentence)
    after_name = bare.partition(",")[2].strip() if re.match(r"\w+(?: \w+)?,", bare) else ""
    return bool(_ASKS.match(bare) or (after_name and _ASKS.match(after_name)))


def addressed(
    words: str, names: Sequence[str], others: Iterable[str] = (), *, alone: bool = False, private: bool = False
) -> Address:
    """Return whom a line is for.

    `names`: the listener's own names. `others`: names of everybody else, without the speaker. `alone`: only speaker and
    listener are here. `private`: it was whispered to the listener.
    """
    if private or any(calls(words, name) for name in names):
        return Address.ME
    if any(calls(words, name) for name in others):
        return Address.OTHER
    if _calls_a_stranger(words):
        return Address.OTHER
    if alone or any(_mentions(words, name) for name in names):
        return Address.ME
    return Address.ANYBODY


@lru_cache(maxsize=1 << 10)
def _calls_a_stranger(words: str) -> bool:
    found = _STRANGER.match(words)
    if not found:
        return False
    called = found["called"].casefold()
    no_name = called in _NO_NAMES or re.fullmatch(_LEAD, called) is not None
    return not no_name and not called.endswith("ly")


def mentions(text: str, name: str) -> bool:
    if text.isascii() and name.isascii():
        return bool(name) and _stands_in(text, name)
    return bool(name) and _name(name).search(text) is not None


def _stands_in(text: str, name: str, *, owning: bool = True) -> bool:
    """Return whether a name stands in a text as words of its own, with `owning` also before 's; both are ASCII."""
    return next(_places(text, name, owning=owning), None) is not None


def _places(text: str, name: str, *, owning: bool = False) -> Iterator[tuple[int, int]]:
    """Yield where a name begins and ends in a text as words of its own, with `owning` also before 's; both are ASCII.

    It finds what `_name` and `_named` find, without a pattern for each name of a crowd.
    """
    line, wanted = text.lower(), name.lower()
    at = line.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        around = line[at - 1 : at] + line[end : end + 1] if at else line[end : end + 1]
        if not any(sign.isalnum() or sign == "_" for sign in around) and (owning or line[end : end + 2] != "'s"):
            yield at, end
        at = line.find(wanted, at + 1)


@lru_cache(maxsize=1 << 10)
def _name(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.I)


_AFTER_NAME = re.compile(r"\s*[,;:!.…-]*\s*")
_COMMA = re.compile(r"\s*,\s*$")
_END = re.compile(r"\s*[.!?…]*$")


def _uncalled_first(words: str, name: str) -> str:
    """Return a line without a name at its beginning, and without the greeting before it."""
    for found in reversed([*_named(name).finditer(words)]):
        if _LEADING.fullmatch(words, 0, found.start()):
            return _AFTER_NAME.sub("", words[found.end() :], count=1)
    return words


def _uncalled_last(words: str, name: str) -> str:
    """Return a line without a name that it calls at its end."""
    for found in _named(name).finditer(words):
        comma = _COMMA.search(words[: found.start()])
        if comma and _END.match(words, found.end()):
            return words[: comma.start()] + words[found.end() :]
    return words


def lacks(text: str, name: str) -> bool:
    """Return whether a name surely stands nowhere in a text."""
    return text.isascii() and name.isascii() and name.lower() not in text.lower()


def _mentions(words: str, name: str) -> bool:
    if words.isascii() and name.isascii():
        return bool(name) and _stands_in(words, name, owning=False)
    return bool(name) and _named(name).search(words) is not None


@lru_cache(maxsize=1 << 12)
def _named(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?!['’]s|\w)", re.I)


def calls(words: str, name: str) -> bool:
    """Return whether a line addresses somebody by name or first name, rather than speaking of them."""
    return _calls(words, name) or _calls_first(words, name)


def _calls_first(words: str, name: str) -> bool:
    """Return whether a line addresses somebody by the first of several names: "Saul, how are you?" calls Saul Wilby."""
    first, _, more = name.partition(" ")
    return bool(more) and first.casefold() not in _NO_NAMES and _calls(words, first, marked_only=True)


@lru_cache(maxsize=1 << 13)
def _calls(words: str, name: str, *, marked_only: bool = False) -> bool:
    """Return whether a line addresses somebody by this name; with `marked_only`, with a mark behind it."""
    if not name or name.casefold() not in words.casefold():
        return False
    ascii_only = words.isascii() and name.isascii()
    for start, end in _places(words, name) if ascii_only else (one.span() for one in _named(name).finditer(words)):
        before, after = words[:start], words[end:]
        marked = re.match(r"\s*(?:[,;:!?.…-]|$)", after) is not None
        opens = re.fullmatch(rf"\s*@?{_LEAD}(?:[\w'’-]+\s*(?:,|and|&)\s+){{0,3}}", before, re.I) is not None
        # "Eliza, Corvin is late" calls Eliza and speaks of Corvin.
        after_another = re.search(r",\s+$", _LEADING.sub("", before.lstrip())) is not None
        unmarked = not marked_only and not after_another
        calling = unmarked and re.match(rf"\s+(?:(?:and|&)\s+\w+\s*,|{_CALLING})", after, re.I)
        if opens and (marked or calling):
            return True
        if marked and _CALLED_LAST.search(before):
            return True
    return False


def without_address(words: str, names: Iterable[str]) -> str:
    """Return a line without the names it addresses at its beginning or end, and without the greeting before them."""
    bare = words.strip()
    several = _called_together(bare)
    if several and any(name and mentions(several["called"], name) for name in names):
        bare = several["rest"]
    for name in (name for name in names if name):
        if not lacks(bare, name):
            bare = _uncalled_last(_uncalled_first(bare, name), name)
        elif _calls_first(bare, name):
            first = name.partition(" ")[0]
            bare = _uncalled_last(_uncalled_first(bare, first), first)
    return bare


@lru_cache(maxsize=1 << 10)
def _called_together(line: str) -> re.Match[str] | None:
    return _SEVERAL.match(line)
