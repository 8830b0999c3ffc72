"""Which small things a mind does when asked: look at something, take it, put it down, come along, make a gesture."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from agents.brains import Situation
from agents.brains._words import coverage, meanings, telling
from agents.text.addressing import mentions

_LOOK = re.compile(r"\b(?:look (?:closely )?at|examine|inspect|study)\b(?P<thing>.+)", re.I)
_TAKE = re.compile(r"\b(?:take|pick up|get|fetch|keep|hold)\b(?P<thing>.+)", re.I)
_GIVE = re.compile(
    r"\b(?:drop|put down|put back|lay down|(?:give|hand|lend|pass) (?:me|us)|"
    r"let go of)\b(?P<thing>.+)",
    re.I,
)
_COME = re.compile(
    r"\bfollow (?:me|us)\b|\b(?:come|go|walk) (?:along )?with (?:me|us)\b|\bcome (?:along|on)\b|"
    r"\bkeep me company\b",
    re.I,
)
_TO = re.compile(r"\b(?:to|into) (?:the )?([\w'’-]+(?: [\w'’-]+)?)(?:,? (?:please|now|then))*\W*$", re.I)
_STAY = re.compile(r"\b(?:stay|wait|remain)\b(?: (?:here|there|with|for|a)\b.*)?|\b(?:stop|don't) follow\w*\b", re.I)
_ASK = re.compile(r"(?:\w+ ){0,3}ask\b", re.I)
_FORGET = re.compile(r"\bforget\b", re.I)
_GESTURES = (
    ("emote.sing", re.compile(r"\b(?:sing|hum|whistle)\b", re.I)),
    ("emote.dance", re.compile(r"\b(?:dance|jump|hop|spin)\b", re.I)),
    ("emote.greet", re.compile(r"\b(?:wave|bow|nod|smile|laugh)\b", re.I)),
    ("emote.sit", re.compile(r"\b(?:sit|rest)\b", re.I)),
    ("emote.hush", re.compile(r"\b(?:quiet|silent|still|hush|shut up|stop talking)\b", re.I)),
)


@dataclass(frozen=True, slots=True)
class Wish:
    """A wish that can be granted.

    Args:
        line: the command that does it; empty when a gesture or company is wanted.
        gesture: text of the gesture.
        towards: name of whom the gesture is for; empty for who asked.
        follows: to come along, or to stay; None when neither is wanted.
        place: where to come along to, as it was named; empty when it was not.
    """

    line: str = ""
    gesture: str = ""
    follows: bool | None = None
    towards: str = ""
    place: str = ""


def granted(wish: str, speaker: str, situation: Situation) -> Wish | None:
    """Return how a wish is granted; None when it is none of these, or nothing it names is here.

    Args:
        wish: what is asked for.
        speaker: name of who asks.
        situation: the situation.
    """
    if _ASK.match(wish):
        return None  # what somebody else is to be asked for is not asked of this one
    if _COME.search(wish):
        place = _TO.search(wish)
        return Wish(follows=True, place=place[1] if place else "")
    people = [person.name for person in situation.people]
    for verb, pattern, names in (
        ("examine", _LOOK, [*situation.items, *situation.carrying, *people]),
        ("drop", _GIVE, situation.carrying),
        ("take", _TAKE, situation.items),
    ):
        found = pattern.search(wish)
        if found and (name := _named(found["thing"], names)):
            return Wish(line=f"{verb} {name}")
    for key, pattern in _GESTURES:
        if pattern.search(wish):
            return Wish(gesture=key, towards=next((name for name in people if mentions(wish, name)), ""))
    return Wish(follows=False) if _STAY.match(wish) else None


def is_to_forget(wish: str) -> bool:
    """Return whether a wish is to forget something, which nobody here can do."""
    return _FORGET.search(wish) is not None


def _named(words: str, names: Iterable[str]) -> str:
    wanted = telling(words)
    return next((name for name in names if wanted and coverage(wanted, meanings(name)) == 1.0), "")
