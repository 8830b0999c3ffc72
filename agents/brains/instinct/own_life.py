"""What an agent says of itself: its profile out of its own mouth, and what it did lately. Pure.

A profile speaks to its agent, "You are the lamplighter". Only sentences that can be turned round surely are said; one
that cannot, or that asks to be kept, is nobody's business.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from agents.brains import Situation
from agents.brains._words import coverage, is_secret_words, meanings, stem, tokens, with_article
from agents.brains.instinct.asks import Asks
from agents.brains.instinct.questions import AskedQuestion
from agents.brains.instinct.self import Self
from agents.brains.instinct.sights import Answer, item_named
from agents.memory.entries import Entry
from agents.memory.perception import of_own_mind, remembered
from agents.text.addressing import mentions
from mud.world.narration import listed
from mud.world.sentences import sentences

_YOU = re.compile(r"\byou\b", re.I)
_FORMS = (
    (re.compile(r"\b(Y|y)ou(?:['’]re| are)\b"), "I am"),
    (re.compile(r"\b(?:Y|y)ou were\b"), "I was"),
    (re.compile(r"\b(?:Y|y)ou['’](?=(?:ve|ll|d)\b)"), "I'"),
    (re.compile(r"\bYour\b"), "My"),
    (re.compile(r"\byour\b"), "my"),
    (re.compile(r"\byours\b", re.I), "mine"),
    (re.compile(r"\byourself\b", re.I), "myself"),
)
_OBJECT = re.compile(
    r"(?<=\b)(to|of|with|for|from|by|at|about|beside|behind|on|upon|around|without) you\b(?=\s*(?:[.,;:!?…]|$|\w))",
    re.I,
)
_SUBJECT = re.compile(
    r"(^|[.;:,—–]\s+(?:\w+ )?|\b(?:and|but|or|so|that|when|where|what|which|while|if|as|because|until|though|"
    r"although|before|after|since|than|whom|how|why)\s+)you\b(?= \w)",
    re.I,
)
_TRADE = re.compile(
    r"^I am (?:a|an|the)\b|^My (?:work|trade|job|craft)\b|^I (?:also |mostly |only |still )?"
    r"(?:work|keep|tend|mend|make|build|bake|sell|teach|guard|serve|run|write|cook|fish|hunt|sew|weave|paint|brew|farm|"
    r"light|carry|look after|take care|earn)\b"
)
_WISH = re.compile(
    r"\b(?:I (?:\w+ )?(?:want|wish|hope|long|dream|would like|seek|search)|my (?:\w+ )?(?:wish|dream|hope|aim))\b", re.I
)
_WEARING = re.compile(
    r"\b(?:wear|dressed|clothes|coat|cloak|cape|apron|hat|cap|hood|gown|robe|dress|shirt|scarf|shawl|boots|jacket|"
    r"jersey|hair|beard|eyes|tall|short|thin|stout)\b",
    re.I,
)
_LIKING = re.compile(
    r"\bwhat do you (?:\w+ )?(like|love|enjoy|prefer|hate|dislike|fear|admire|believe|miss|dread|notice)"
    r"(?: (?:most|best|least|more|in))*\W*$",
    re.I,
)
_OF_ITSELF = (Asks.OPINION, Asks.OTHER, Asks.ABOUT)
_WHERE = re.compile(r"\bwhere\b", re.I)
_HAPPY = re.compile(r"\bwhat makes you (?:happy|glad|smile)\b", re.I)
_HABIT = re.compile(r"\bdo you\b", re.I)
_DOES = re.compile(r"\bI (?:(?:also|really|rather|truly|do|most|would) )*(\w+)")


@lru_cache(maxsize=1 << 6)
def in_own_words(profile: str) -> tuple[str, ...]:
    """Return the sentences of a profile as its agent would say them, in order.

    Args:
        profile: who it is, in prose that speaks to it.
    """
    told = (_turned(part) for part in sentences(profile) if _YOU.search(part) and not is_secret_words(part))
    return tuple(part for part in told if part)


def _turned(part: str) -> str:
    """Return a sentence to "you" as one of "I"; empty when it is not sure who does what in it."""
    for pattern, mine in _FORMS:
        part = pattern.sub(mine, part)
    part = _SUBJECT.sub(lambda found: f"{found[1]}I", _OBJECT.sub(r"\1 me", part))
    return "" if re.search(r"\byou(?:r|rs|rself)?\b", part, re.I) else part


def of_trade(profile: str) -> str:
    """Return what an agent says of what it does; empty when its profile says nothing."""
    told = in_own_words(profile)
    return next((part for part in told if _TRADE.search(part)), next(iter(told), ""))


def of_wish(profile: str) -> str:
    """Return what an agent says of what it wishes for; empty when its profile says nothing of it."""
    return next((part for part in in_own_words(profile) if _WISH.search(part)), "")


def of_words(profile: str, words: Sequence[str]) -> str:
    """Return what an agent says of itself in which all these words stand; empty when nothing does."""
    wanted = {stem(word.casefold()) for word in words}
    told = in_own_words(profile) if wanted else ()
    return next((part for part in told if wanted <= {stem(word) for word in tokens(part)}), "")


def of_verb(profile: str, verb: str) -> str:
    """Return what an agent says that it does, such as to love or to fear; empty when its profile says nothing of it."""
    told = in_own_words(profile)
    return next((part for part in told if coverage((verb,), meanings(" ".join(_DOES.findall(part)))) == 1.0), "")


def lately(recent: Sequence[Entry], here: str, people: Sequence[str]) -> dict[str, list[str]]:
    """Return where an agent was lately, what it looked at, and with whom it spoke, the latest first.

    Args:
        recent: the verbatim tail of its memory.
        here: where it is now.
        people: names of whom it may have spoken with.
    """
    found: dict[str, dict[str, None]] = {"place": {}, "thing": {}, "person": {}}
    for entry in reversed(recent):
        if entry.actor is not None or entry.failed:
            continue
        if entry.place and entry.place != here:
            found["place"].setdefault(entry.place)
        if entry.kind == "result" and not of_own_mind(entry):
            title, mark, _ = entry.text.strip().partition(": ")
            if mark and len(title) <= 40 and title not in people:
                found["thing"].setdefault(with_article(title))
        elif entry.kind == "said" and (said := remembered(entry)):
            for name in people:
                if mentions(said.words, name):
                    found["person"].setdefault(name)
    return {key: list(values) for key, values in found.items()}


def of_itself(question: AskedQuestion, words: str, me: Self, asker: str, situation: Situation) -> Answer | None:
    """Answer what an agent is, does, wishes or likes, out of its profile and its day; None when these say nothing.

    Args:
        question: the question.
        words: how it was put.
        me: the agent's own.
        asker: name of who asks.
        situation: the situation.
    """
    told = _told_of_itself(question, words, me, situation)
    if told:
        return Answer(("self.profile", "answer.again"), {"name": asker, "words": told}, "says who it is")
    if question.asks is not Asks.DOING:
        return None
    day = lately(situation.recent, situation.location, me.company.names)
    if _WHERE.search(words):
        day = {"place": day["place"]}
    day["person"] = [name for name in day.get("person", ()) if name != asker]
    places = {key: listed(day.get(key, [])[:2]) for key in ("place", "thing", "person")}
    places |= {"name": asker, "here": situation.location}
    return Answer(("reply.day", "reply.day_quiet"), places, "was asked what it did")


def _told_of_itself(question: AskedQuestion, words: str, me: Self, situation: Situation) -> str:
    """Return the sentence of its profile that answers; empty when none does."""
    profile, told = situation.profile, ""
    match question.asks:
        case Asks.TRADE:
            told = of_trade(profile)
        case Asks.GOAL if not situation.goal:
            told = of_wish(profile)
        case Asks.WEARING:
            told = next((part for part in in_own_words(profile) if _WEARING.search(part)), "")
        case Asks.YOURSELF:
            told = next((part for part in in_own_words(profile) if not me.speaker.said_lately(part)), "")
        case Asks.OPINION if liked := _LIKING.search(words):
            told = of_verb(profile, liked[1])
        case Asks.OPINION if _HAPPY.search(words):
            told = of_verb(profile, "love")
        case Asks.DOING if _HABIT.search(words):
            told = of_trade(profile)
            told = "" if me.speaker.said_lately(told) else told
    of_it = question.asks in _OF_ITSELF and question.yours and question.person in (None, me.name)
    if told or not of_it or item_named(question, [*situation.items, situation.location]):
        return told
    return of_words(profile, question.strong)
