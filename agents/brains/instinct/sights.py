"""Answers that need no memory: from what is in sight, from manners, and what one thinks of it. It invents no facts."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agents.brains import Situation
from agents.brains._words import coverage, is_weak, meanings, stem, tokens, with_article
from agents.brains.instinct.asks import Asks
from agents.brains.instinct.questions import AskedQuestion
from mud.world.narration import listed
from mud.world.sentences import sentences

Pick = Callable[[Sequence[str]], str]
"""Takes one of several by chance."""

_VISIBLE = (Asks.ABOUT, Asks.OTHER, Asks.WHERE, Asks.WHY, Asks.COLOUR, Asks.COUNT)
_HERE = re.compile(r"\b(?:place|here|room|this|there|it)\b", re.I)
_WITH_ME = re.compile(r"\bour (?:talk|chat|conversation)\b|\b(?:talking|speaking|chatting) (?:to|with) me\b", re.I)
_PLAIN = {
    Asks.HOW_ARE_YOU: ("reply.how", "was asked how it is"),
    Asks.WHO_ARE_YOU: ("self.who", "was asked who it is"),
    Asks.TRUST: ("ack.secret", "was asked whether it keeps secrets"),
    Asks.YOURSELF: ("self.who", "was asked who it is"),
    Asks.TRADE: ("self.who", "was asked what it does"),
    Asks.WHAT_KIND: ("self.kind", "was asked whether it is a machine"),
    Asks.WHERE_ARE_YOU: ("answer.i_am_here", "was asked where it is"),
    Asks.MY_NAME: ("self.your_name", "was asked for the name of who asks"),
    Asks.WEARING: ("self.wearing", "was asked how it looks"),
    Asks.JOKE: ("reply.joke", "was asked for a joke"),
    Asks.TIME: ("reply.time", "was asked for the time"),
    Asks.ADVICE: ("reply.advice", "was asked for advice"),
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What to answer.

    Args:
        keys: texts that say it, the best first.
        places: what their places hold.
        why: for traces.
        private: only the asker may hear it.
        known: it is an answer, not its absence.
        cites: what it rests on, see `Decision`.
    """

    keys: tuple[str, ...]
    places: dict[str, str]
    why: str
    private: bool = False
    known: bool = True
    cites: tuple[str, ...] = ()


def in_sight(question: AskedQuestion, situation: Situation, asker: str, pick: Pick) -> Answer | None:
    """Answer what needs no memory; None for everything else."""
    places = {"name": asker, "self": situation.name, "place": situation.location}
    others = [person.name for person in situation.people if person.name != asker]
    if question.asks in _PLAIN:
        key, why = _PLAIN[question.asks]
        return Answer((key,), places, why)
    match question.asks:
        case Asks.WHERE_ARE_WE:
            places["words"] = _something_of(situation, pick)
            return Answer(("answer.place_words", "answer.place"), places, "was asked where this is")
        case Asks.CARRYING:
            thing = listed([with_article(name) for name in situation.carrying])
            return Answer(
                ("answer.carried", "answer.empty_handed"), {**places, "thing": thing}, "was asked what it has"
            )
        case Asks.WHO_IS_HERE:
            key = "answer.company" if others else "answer.nobody_else"
            return Answer((key,), {**places, "person": listed(others)}, "was asked who is here")
        case Asks.SEEN if question.person == asker:
            return Answer(("answer.you_are_here",), places, "was asked where the asker is")
        case Asks.SEEN if question.person == situation.name:
            return Answer(("answer.i_am_here",), places, "was asked where it is")
        case Asks.SEEN if question.person in others:
            return Answer(("answer.person_here",), {**places, "person": question.person or ""}, "sees who is asked for")
    return None


def opinion(question: AskedQuestion, words: str, situation: Situation, asker: str, pick: Pick) -> Answer:
    """Say what one thinks of something: in manners, around what is really here.

    Args:
        question: the question.
        words: how it was put.
        situation: the situation.
        asker: name of who asks.
        pick: takes one of several by chance.
    """
    places = {"name": asker, "place": situation.location, "words": _something_of(situation, pick)}
    places["thing"] = with_article(pick(situation.items)) if situation.items else ""
    why = "was asked what it thinks"
    if question.person == asker or _WITH_ME.search(words) or (not question.telling and re.search(r"\bme\b", words)):
        return Answer(("opinion.you", "opinion.plain"), places, why)
    if question.person and question.person != situation.name:
        return Answer(("opinion.person", "opinion.plain"), {**places, "person": question.person}, why)
    if item := item_named(question, situation.items):
        return Answer(("opinion.thing", "opinion.plain"), {**places, "thing": with_article(item)}, why)
    strong = question.strong
    if (_HERE.search(words) and not strong) or (strong and coverage(strong, meanings(situation.location)) == 1.0):
        return Answer(("opinion.place", "opinion.plain"), places, why)
    return Answer(("opinion.plain",), places, why)


def _something_of(situation: Situation, pick: Pick) -> str:
    """Return a sentence of what the place looks like; empty when nobody described it."""
    told = [part for part in sentences(situation.description) if len(part) <= 200]
    return pick(told) if told else ""


def item_named(question: AskedQuestion, names: Sequence[str]) -> str:
    """Return the thing that a question names; empty when it names none of these."""
    if not question.strong:
        return ""
    return next((name for name in names if coverage(question.strong, meanings(name)) == 1.0), "")


def thing_in_sight(question: AskedQuestion, situation: Situation, asker: str) -> Answer | None:
    """Answer where a thing is that lies here or is carried; None when it is not, or something else was asked."""
    if question.asks is not Asks.WHERE:
        return None
    for key, names in (("answer.carried", situation.carrying), ("answer.thing_here", situation.items)):
        if name := item_named(question, names):
            places = {"name": asker, "thing": with_article(name), "place": situation.location}
            return Answer((key,), places, "sees the thing")
    return None


def in_view(question: AskedQuestion, situation: Situation, asker: str) -> Answer | None:
    """Answer from what the place itself looks like, when that speaks of what is asked for."""
    if (
        question.asks is Asks.ABOUT
        and question.strong
        and coverage(question.strong, meanings(situation.location)) == 1.0
    ):
        words = next(iter(sentences(situation.description)), "")
        places = {"name": asker, "place": situation.location, "words": words}
        return Answer(("answer.in_view", "answer.place"), places, "stands in it") if words else None
    subject = tuple(word for word in question.subject or question.strong if not is_weak(word))
    if not subject or question.yours or question.asks not in _VISIBLE:
        return None
    wanted = {stem(word.casefold()) for word in subject}
    told = [part for part in sentences(situation.description) if wanted <= {stem(word) for word in tokens(part)}]
    told = [part for part in told if coverage(question.strong, meanings(part)) >= 0.5]
    if not told:
        return None
    return Answer(
        ("answer.in_view",), {"name": asker, "words": told[0], "place": situation.location}, "sees it from here"
    )
