"""Events of the world and how characters perceive them.

A `Perception` becomes one memory of one character. Whispers and private reasons stay private because nobody else gets a
perception that holds them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

WHISPERED = "whispered"
"""The mark of one's own whisper, whatever the words of the vault."""
OWN_NOTES = "notes"
"""The mark of what the character's notes showed, which need not be true."""
OWN_SELF = "self"
"""The mark of what the character read in its own profile, description or goal."""
RECALLED = "recalled"
"""The mark of results of a memory search: from another time, and perhaps confidential."""
INSIGHT = "insight"
"""The mark of a thought from reflection."""
DISTANT = "distant"
"""The mark of what was heard from another location."""
CHANGED = "changed"
"""The mark of what things did by their rules, which has no actor."""
MARKS = (WHISPERED, OWN_NOTES, OWN_SELF, RECALLED, INSIGHT, DISTANT, CHANGED)


def mark_of(value: object) -> str | None:
    return value if isinstance(value, str) and value in MARKS else None


class Event(NamedTuple):
    """Something that happened in one location.

    Args:
        kind: `speech`, `shout`, `whisper`, `emote`, `action`, `gift`, `channel`, `departure`, `arrival`, or `change`,
            which is what things do by their rules: its actor is who set it off, or the thing itself when it is later.
        text: what others there perceive, in the third person.
        words: the speech as typed, if any.
        to: id of the addressee; None for everybody. Only the addressee perceives a whisper.
        origin, destination: name of the location that an arrival or a distant shout is from, a departure is to.
        thing: name of the thing that was taken, dropped, given or looked at.
        channel: name of the channel whose members perceive it, wherever they are; None for those in the location.
        told: what the addressee perceives instead of the text, in the second person; None for the same.
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
    told: str | None = None
    channel: str | None = None


class Perception(NamedTuple):
    """What one character perceived of one step: one memory, or a line that is not kept.

    Args:
        kind: kind of memory: `said heard did saw moved result thought note dream told`.
        actor: name of the character that acted; None for `who` itself.
        reason: the private reason for one's own action.
        mark: one of `MARKS`; None for most.
        event: its event, never written to a file; None for the result of one's own action.
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
    """Something outside the world that a command asks for; the answer is kept as a memory of kind `keep`."""

    name: str
    who: str
    step: int
    args: Mapping[str, str] = MappingProxyType({})
    keep: str | None = None
