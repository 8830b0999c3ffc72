"""What happens in the world, and what it leaves with each who perceived it.

An Event is told once; a Perceived is one character's share of it and becomes one memory. Whispers reach two and private
reasons only the one who had them, because nobody else gets a Perceived that holds them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

WHISPERED = "whispered"
"""The mark of what one whispered oneself, whatever words the vault has for it."""
OWN_NOTES = "notes"
"""The mark of what one's own notes showed: it tells what was written, not what is."""
OWN_SELF = "self"
"""The mark of what one asked of oneself: one's profile, description or goal; it is no look at anything."""
RECALLED = "recalled"
"""The mark of what a search in one's own memory showed, which happened at another time, and maybe in confidence."""
INSIGHT = "insight"
"""The mark of a thought that looking back came to."""
MARKS = (WHISPERED, OWN_NOTES, OWN_SELF, RECALLED, INSIGHT)


def mark_of(value: object) -> str | None:
    """Return a mark as a file holds it; None for whatever is none."""
    return value if isinstance(value, str) and value in MARKS else None


class Event(NamedTuple):
    """One happening in one location.

    Args:
        kind: `speech`, `whisper`, `emote`, `action`, `departure` or `arrival`.
        actor: id of who did it.
        location: id of where it can be perceived.
        text: what others there perceive, in the third person.
        words: what was said, as typed; None when nothing was.
        to: id of who is addressed; None for everybody. A whisper is perceived by nobody else.
        origin: name of the location that somebody arrives from; None when that is nowhere.
        destination: name of the location that somebody departs to; None when that is nowhere.
        thing: name of the thing that was taken, dropped or looked at; None when there is none.
    """

    kind: str
    actor: str
    location: str
    text: str
    words: str | None = None
    to: str | None = None
    origin: str | None = None
    destination: str | None = None
    thing: str | None = None


class Perception(NamedTuple):
    """What one step left with one character: one memory, or one line seen and not kept.

    Args:
        who: id of the character.
        kind: kind of memory: `said heard did saw moved result thought note dream told`.
        text: the memory's text.
        actor: name of who acted; None for one's own doings.
        place: name of the location at that moment; None when nowhere.
        reason: the private reason behind one's own doing.
        failed: it was tried and did not work.
        mark: one of `MARKS`, by which is told apart what its kind and its words do not tell; None for most.
        event: the event it comes from; None for one's own outcome, and never written to a file.
    """

    who: str
    kind: str
    text: str
    actor: str | None = None
    place: str | None = None
    reason: str | None = None
    failed: bool = False
    mark: str | None = None
    event: Event | None = None


class Request(NamedTuple):
    """Something outside the world that a command asks for; whoever carries it out answers with an Outcome.

    Args:
        name: what is asked for ("recall", "save").
        who: id of who asked.
        step: number of the step that asked.
        args: what it needs, all text.
        keep: kind of the memory that the answer leaves; None when it leaves none.
    """

    name: str
    who: str
    step: int
    args: Mapping[str, str] = MappingProxyType({})
    keep: str | None = None
