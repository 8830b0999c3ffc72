"""Read a question: which of its words are telling, what kind of thing it asks for, of whom and of when. Pure.

The rules know English; a question in another language keeps its words and simply gives no such sign.
"""

from __future__ import annotations

import re
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from agents.recall.moments import DAYS, MONTHS, Moment, moments_in

MOST_WORDS = 64
"""Words of a question that are looked for; a situation's text may be long."""
LONGEST = 20_000
"""Characters of a question that are read."""

_WORD = re.compile(r"[^\W_]+")
_COMMON = """
    a about above after again against all also am an and any are aren as at be because been before being below between
    both but by can cannot could couldn d did didn do does doesn doing don down during each few for from further had
    hadn has hasn have haven having he her here hers herself him himself his how i if in into is isn it its itself just
    let ll m me might more most must my myself no nor not of off on once only or other our ours ourselves out over own
    re s same say says said she should shouldn so some such t tell tells than that the their theirs them themselves then
    there these they this those through to too told under until up us ve very was wasn we were weren what when where
    which while who whom whose why will with won would wouldn you your yours yourself yourselves
"""
_STOP = frozenset(_COMMON.split())


def is_telling(word: str) -> bool:
    """Tell whether a lower-case word says what a sentence is about."""
    return word not in _STOP


def words_of(text: str) -> list[str]:
    """Return the words of a text, lower case, in order."""
    return _WORD.findall(text.lower())


def telling_words(question: str) -> list[str]:
    """Return the words of a question that say what it is about, each once, lower case, in order.

    Words that every question has are left out, unless there is nothing else.
    """
    words = list(dict.fromkeys(words_of(question[:LONGEST])))
    telling = [word for word in words if is_telling(word)]
    return (telling or words)[:MOST_WORDS]


# -- what kind of thing is asked for --------------------------------------------------------------------------------

_ASKS_NUMBER = re.compile(
    r"\bhow (?:many|much|old|far|tall|big|large|heavy|deep|high|wide|often)\b"
    r"|\b(?:number|numbered|code|distance|price|cost|costs|amount|debt|age)\b",
    re.IGNORECASE,
)
_ASKS_TIME = re.compile(
    r"\bwhen\b|\bhow long\b|\b(?:what|which) (?:time|hour|day|date|week|month|year|season)\b", re.IGNORECASE
)
_NUMBER = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|fifteen|twenty|thirty|forty|fifty|sixty"
    r"|seventy|eighty|ninety|hundred|thousand|million|half|twice)\b",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\bwhen\b|\bhow long\b|\b(?:what|which) (?:time|hour|day|date|week|month|year|season)\b", re.IGNORECASE
)
_NUMBER = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|fifteen|twenty|thirty|forty|fifty|sixty"
    r"|seventy|eighty|ninety|hundred|thousand|million|half|twice)\b",
    re.IGNORECASE,
)
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_TIME = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|ago|(?:last|next|this|every) \w+|weeks?|months?|years?|days?|hours?"
    r"|minutes?|morning|afternoon|evening|night|midnight|noon|weekend|spring|summer|autumn|winter|recently|bell|o'clock"
    rf"|{'|'.join(DAYS)}|{'|'.join(m for m in MONTHS if m not in ('may', 'march'))}"
    r"|(?:in|of|until|since|by) (?:may|march)|(?:1[5-9]|20)\d\d)\b",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"\b(?:did|have|had|do) i (?:ever |really |once )?(?:say|said|tell|told|promise|promised|ask|asked|answer|answered"
    r"|whisper|whispered|shout|shouted|call|called|mention|mentioned|think|thought)\b"
    r"|\bi (?:said|told|promised|asked)\b",
    re.IGNORECASE,
)
_ONESELF = re.compile(r"\b(?:i|me|my|mine|myself)\b", re.IGNORECASE)
_FIRST = re.compile(
    r"\b(?:the (?:very )?first (?:thing|time|one|words?)|first time|earliest|originally|in the beginning|at the start"
    r"|(?:who|what|where|when|whom|which|i|you|we|he|she|they|it|did|to|was|were|ever) first)\b"
    r"|\bdid\b[^.?!]*(?<!the )(?<!her )(?<!his )(?<!my )(?<!your )(?<!their )(?<!our )(?<!at )\bfirst\b"
    r"|\bfirst\W*$",
    re.IGNORECASE,
)
_LAST = re.compile(
    r"\b(?:latest|newest|lately|most recent|most recently|the (?:very )?last (?:time|thing|one|words?)"
    r"|last (?:time|words?)"
    r"|last (?:see|saw|say|said|meet|met|speak|spoke|talk|hear|heard|do|did|go|went|was|were))\b|\blast\W*$",
    re.IGNORECASE,
)


# -- all of it --------------------------------------------------------------------------------------------------------


class Question(NamedTuple):
    """A question, read.

    Args:
        text: as it was asked.
        words: its telling words.
        moments: the times it names.
        order: -1 when it asks for what was first, 1 for what was last, else 0.
        number, time: whether it asks for a number, for a time.
        own: whether it asks what one said or thought oneself.
        oneself: whether it is about whoever asks.
    """

    text: str
    words: tuple[str, ...] = ()
    moments: tuple[Moment, ...] = ()
    order: int = 0
    number: bool = False
    time: bool = False
    own: bool = False
    oneself: bool = False

    def answered_by(self, text: str) -> bool:
        """Tell whether a text holds the kind of thing that is asked for."""
        return (self.number and _NUMBER.search(text) is not None) or (self.time and _TIME.search(text) is not None)

    def names(self, name: str) -> bool:
        """Tell whether a name stands in it, in any case, as words of its own."""
        return bool(name) and _name(name).search(self.text) is not None

    def calls(self, title: str) -> bool:
        """Tell whether a title is all of the question, or all of it stands there with a word that tells something."""
        words, asked = _in_words(title), _in_words(self.text)
        return words in asked and bool(words.strip()) and (words == asked or any(map(is_telling, words.split())))

    def when(self, at: datetime) -> float:
        """Return how well a moment fits the times that are named: 1 within, 0.5 close, 0 far or none named."""
        return max((moment.fits(at) for moment in self.moments), default=0.0)


@lru_cache(maxsize=1 << 10)
def _in_words(text: str) -> str:
    """Return the words of a text with a space on either side; a question is held against many titles."""
    return f" {' '.join(words_of(text))} "


@lru_cache(maxsize=1 << 10)
def _name(name: str) -> re.Pattern[str]:
    """Return what finds a name as words of its own; the same few are looked for in every question."""
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)


def read_question(text: str, now: datetime) -> Question:
    """Return a question with what it asks about.

    Args:
        text: the question, or a situation in words.
        now: the time it is asked at.
    """
    text = text[:LONGEST]
    moments, left = moments_in(text, now)
    order = 1 if _LAST.search(text) else -1 if _FIRST.search(text) else 0
    return Question(
        text,
        # "Yesterday" says when, not what: nobody said the word then.
        tuple(telling_words(_FIRST.sub(" ", _LAST.sub(" ", left)) if order else left)) or tuple(telling_words(text)),
        moments,
        order,
        _ASKS_NUMBER.search(text) is not None,
        _ASKS_TIME.search(text) is not None,
        _OWN.search(text) is not None,
        _ONESELF.search(text) is not None,
    )
