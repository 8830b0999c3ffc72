"""What a perceived line means: who said what, whether it asks, and for whom it is.

Pure rules over English words; it never guesses at meaning beyond that, and it knows nobody: names are handed in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from agents.memory.entries import Entry
from mud.world.events import OWN_NOTES, OWN_SELF, RECALLED, WHISPERED, Perception
from mud.world.sentences import sentences

_NOTES = re.compile(r"your notes?\b", re.I)
_SEARCH = re.compile(r"you search your memory\b", re.I)
_WHISPER = re.compile(r"[^\"“]*\bwhisper", re.I)
_SPOKEN = ("heard", "told", "said")
_QUOTED = re.compile(r"[\"“](.*)[\"”]", re.S)
_SAYS = re.compile(
    r"\s+(?:says?|said|tells? (?:me|you)|told (?:me|you)|whispers? to (?:me|you)|whispered to (?:me|you))"
    r"(?:[,:]|\s+that\b|(?=\s))\s*(?P<words>\S.*)$",
    re.S,
)
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
"""A line that opens by calling several."""
_NO_NAME_WORDS = """
    actually also again anyway anyhow besides finally first second third last look see sir madam friend friends
    everybody everyone anybody anyone somebody people all you listen wait tell say today tomorrow yesterday tonight
    indeed still though however perhaps maybe sure right fine good great true there here alas otherwise
    i if when where who what why how it that this then once next later meanwhile really honestly seriously
"""
_NO_NAMES = frozenset(_NO_NAME_WORDS.split())
_WH = r"(?:who|whom|whose|what|where|when|why|how|which)"
_AUX = r"(?:do|does|did|is|are|was|were|can|could|will|would|shall|should|has|had|may|might|am)"
_ASKS = re.compile(
    rf"(?:{_WH}(?:'s|’s|'d|\s+(?:{_AUX}|have|many|much|old|far|long|else|knows|told|said|happened|hid|took|has))\b(?!.*!$)"
    r"|(?:what|who|which)\s+(?!(?:a|an|i|you|we|he|she|they|it|the|my|your|this|that|nonsense|luck|ever|knows|cares|fun|"
    r"joy)\b)\w+(?:\s+\S+){0,6}$"
    rf"|(?:what|which|whose)\s+(?!(?:i|you|we|he|she|it|they)\b)\w+\s+{_AUX}\b(?!.*!$)"
    rf"|(?!do it\b)(?:{_AUX}|have|don't|didn't|isn't|aren't|wasn't|haven't|can't)\s+"
    r"(?:you|i|we|he|she|it|they|the|my|your|our|his|her|their|there|this|that|these|those|any|any\w+|some\w+)\b"
    r"|(?:please\s+)?(?:tell|remind|show)\s+(?:me|us)\b"
    r"|i\s+(?:wonder|forgot|forget|have forgotten|would like to know|want to know|was wondering)\s+"
    rf"(?:if|whether|{_WH})\b)",
    re.I | re.S,
)


_LEADING = re.compile(rf"^{_LEAD}", re.I)


class Address(StrEnum):
    """For whom a line is."""

    ME = "me"
    OTHER = "other"
    ANYBODY = "anybody"


class Utterance(NamedTuple):
    """A line that somebody spoke.

    Args:
        speaker: name of who spoke; empty for oneself.
        words: what was said, without quotation marks.
        private: it was whispered.
    """

    speaker: str
    words: str
    private: bool = False

    @property
    def question(self) -> bool:
        """Whether it asks something."""
        return is_question(self.words)


def spoken(perceived: Perception) -> Utterance | None:
    """Return what somebody else said in this perception, or None when nobody else spoke."""
    event = perceived.event
    if event is None or perceived.actor is None or event.kind not in ("speech", "whisper") or not event.words:
        return None
    return Utterance(perceived.actor, event.words, event.kind == "whisper")


def own_words(perceived: Perception) -> str:
    """Return what the character itself said in this perception; empty when it said nothing."""
    return _words_of(perceived.text, "You") if perceived.kind == "said" and perceived.actor is None else ""


def remembered(entry: Entry) -> Utterance | None:
    """Return what was said in a memory, one's own words included (speaker empty), or None when nobody spoke."""
    return _utterance(entry.kind, entry.actor, entry.text) if entry.kind in _SPOKEN else None


@lru_cache(maxsize=1 << 13)
def _utterance(kind: str, actor: str | None, text: str) -> Utterance:
    """Return what was said in a memory of this kind; the same few are asked for at every turn."""
    return Utterance(actor or "", _words_of(text, actor or "You"), kind == "told")


def whispered(entry: Entry) -> bool:
    """Return whether one whispered this oneself. Of memories without a mark, as those written before there were any,
    and those from outside, the English words tell.
    """
    if entry.kind != "said" or entry.mark is not None:
        return entry.mark == WHISPERED
    return reads_as_whisper(entry.text)


def whispered_to(entry: Entry, name: str) -> bool:
    """Return whether one whispered this oneself, to somebody of this name."""
    return whispered(entry) and mentions(entry.text.partition('"')[0], name)


def reads_as_whisper(text: str) -> bool:
    """Return whether a memory's text says, before any words it quotes, that they were whispered."""
    return _WHISPER.match(text) is not None


def of_own_notes(entry: Entry) -> bool:
    """Return whether a memory shows one's own notes: what stands in them is no closer look at anything. Without a mark
    the words tell, as in `whispered`.
    """
    if entry.kind != "result" or entry.mark is not None:
        return entry.mark == OWN_NOTES
    return _NOTES.match(entry.text) is not None


def of_own_search(entry: Entry) -> bool:
    """Return whether a memory shows what recall found: other memories, which are found themselves. Without a mark the
    words tell, as in `whispered`.
    """
    if entry.kind != "result" or entry.mark is not None:
        return entry.mark == RECALLED
    return _SEARCH.match(entry.text) is not None


def of_own_mind(entry: Entry) -> bool:
    """Return whether a memory shows only what was in one's own mind: notes, what recall found, who one is. It is no
    look at anything, and is told to nobody.
    """
    return entry.mark == OWN_SELF or of_own_notes(entry) or of_own_search(entry)


def heard_in(recent: Sequence[Entry], said: Utterance) -> int:
    """Return the number of the newest memory that is this line; 0 when none is."""
    for entry in reversed(recent):
        if entry.actor == said.speaker and (one := remembered(entry)) and one.words == said.words:
            return entry.seq
    return 0


def seen_of(recent: Sequence[Entry], name: str) -> int:
    """Return the number of the newest memory of coming to where one is, or of seeing somebody act; 0 when none is."""
    seen = (one for one in reversed(recent) if one.kind == "moved" or (one.actor == name and one.kind == "saw"))
    return next((one.seq for one in seen), 0)


def without_sayer(words: str, name: str) -> str:
    """Return what somebody says by a line that only reports it, such as "it rains" of "Ann says that it rains".

    Args:
        words: the line.
        name: who would be saying it.
    """
    if not name or not words.startswith(name):
        return words
    rest = _SAYS.match(words[len(name) :])
    return rest["words"].strip() if rest else words


def _words_of(text: str, actor: str) -> str:
    """Return the words inside the outermost quotation marks; without any, what follows the speaker and a mark."""
    found = _QUOTED.search(text)
    if found:
        return found[1].strip()
    bare = without_sayer(text, actor)
    if bare != text:
        return bare
    _, mark, after = text.partition(":") if text.startswith(actor) else (text, "", "")
    return (after if mark else text).strip()


@lru_cache(maxsize=1 << 12)
def is_question(words: str) -> bool:
    """Return whether any sentence of a line asks, with a question mark or without one."""
    return any(asks(sentence) for sentence in sentences(words))


def asks(sentence: str) -> bool:
    """Return whether one sentence, perhaps opening with somebody's name, asks."""
    if sentence.rstrip("\"”'’) ").endswith("?"):
        return True
    bare = _LEADING.sub("", sentence)
    after_name = bare.partition(",")[2].strip() if re.match(r"\w+(?: \w+)?,", bare) else ""
    return bool(_ASKS.match(bare) or (after_name and _ASKS.match(after_name)))


def addressed(
    words: str, names: Sequence[str], others: Iterable[str] = (), *, alone: bool = False, private: bool = False
) -> Address:
    """Say for whom a line is.

    Args:
        words: what was said.
        names: one's own names.
        others: names of everybody else who may be meant, without the speaker.
        alone: there is nobody here but the speaker and oneself.
        private: it was whispered to oneself.
    """
    if private or any(_calls(words, name) for name in names):
        return Address.ME
    if any(_calls(words, name) for name in others):
        return Address.OTHER
    if _calls_a_stranger(words):
        return Address.OTHER
    if alone or any(_mentions(words, name) for name in names):
        return Address.ME
    return Address.ANYBODY


def _calls_a_stranger(words: str) -> bool:
    """Return whether a line opens by calling somebody whose name nobody here knows."""
    found = _STRANGER.match(words)
    if not found:
        return False
    called = found["called"].casefold()
    no_name = called in _NO_NAMES or re.fullmatch(_LEAD, called) is not None
    return not no_name and not called.endswith("ly")


def mentions(text: str, name: str) -> bool:
    """Return whether a text holds this name as words of its own, in any case, possessive or not."""
    return bool(name) and not _lacks(text, name) and _name(name).search(text) is not None


@lru_cache(maxsize=1 << 10)
def _name(name: str) -> re.Pattern[str]:
    """Return what finds a name as words of its own; made once, as there are few names and many lines."""
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.I)


@lru_cache(maxsize=1 << 10)
def _called(name: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what finds a name that opens a line with the politeness before it, and one that closes it."""
    first = re.compile(rf"^{_LEAD}{re.escape(name)}(?!\w|['’]s)\s*[,;:!.…-]*\s*", re.I)
    return first, re.compile(rf"\s*,\s*{re.escape(name)}(?=\s*[.!?…]*$)", re.I)


def _lacks(text: str, name: str) -> bool:
    """Return whether a text surely does not hold a name, which is quicker to tell; most do not."""
    return text.isascii() and name.isascii() and name.lower() not in text.lower()


def calls(words: str, name: str) -> bool:
    """Return whether a line calls somebody by their name, rather than speaking of them."""
    return _calls(words, name)


def _mentions(words: str, name: str) -> bool:
    return bool(name) and not _lacks(words, name) and _named(name).search(words) is not None


@lru_cache(maxsize=1 << 10)
def _named(name: str) -> re.Pattern[str]:
    """Return what finds a name that is not possessive."""
    return re.compile(rf"(?<!\w){re.escape(name)}(?!['’]s|\w)", re.I)


@lru_cache(maxsize=1 << 13)
def _calls(words: str, name: str) -> bool:
    """Return whether a line calls somebody: their name opens it, closes it, or stands between marks."""
    if not name or name.casefold() not in words.casefold():
        return False
    for found in _named(name).finditer(words):
        before, after = words[: found.start()], words[found.end() :]
        marked = re.match(r"\s*(?:[,;:!?.…-]|$)", after) is not None
        opens = re.fullmatch(rf"\s*@?{_LEAD}(?:[\w'’-]+\s*(?:,|and|&)\s+){{0,3}}", before, re.I) is not None
        # "Eliza, Corvin is late" calls Eliza and speaks of Corvin.
        after_another = re.search(r",\s+$", _LEADING.sub("", before.lstrip())) is not None
        calling = not after_another and re.match(rf"\s+(?:(?:and|&)\s+\w+\s*,|{_CALLING})", after, re.I)
        if opens and (marked or calling):
            return True
        if marked and _CALLED_LAST.search(before):
            return True
    return False


def without_address(words: str, names: Iterable[str]) -> str:
    """Return a line without the names it calls at its beginning or end, and without the politeness before them."""
    bare = words.strip()
    several = _SEVERAL.match(bare)
    if several and any(name and mentions(several["called"], name) for name in names):
        bare = several["rest"]
    for name in (name for name in names if name):
        if not _lacks(bare, name):
            first, last = _called(name)
            bare = last.sub("", first.sub("", bare, count=1), count=1)
    return bare
