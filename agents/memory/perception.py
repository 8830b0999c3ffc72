"""What a perception or memory contains: who said what to whom, and whether it only shows the agent's own mind."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from agents.memory.entries import Entry
from agents.text.addressing import is_question, mentions
from mud.world.events import DISTANT, OWN_NOTES, OWN_SELF, RECALLED, WHISPERED, Perception

_OWN_MIND = frozenset((OWN_NOTES, OWN_SELF, RECALLED))
_NOTES = re.compile(r"your notes?\b", re.I)
_SEARCH = re.compile(r"you search your memory\b", re.I)
_WHISPER = re.compile(r"[^\"“]*\bwhisper", re.I)
_ALOUD = ("speech", "shout", "whisper")  # kinds of event
_SPOKEN = ("heard", "told", "said")
_QUOTED = re.compile(r"[\"“](.*)[\"”]", re.S)
_SAYS = re.compile(
    r"\s+(?:says?|said|tells? (?:me|you)|told (?:me|you)|whispers? to (?:me|you)|whispered to (?:me|you))"
    r"(?:[,:]|\s+that\b|(?=\s))\s*(?P<words>\S.*)$",
    re.S,
)


class Utterance(NamedTuple):
    """A spoken line. `speaker` is empty for the agent itself, `words` are unquoted, `private` marks a whisper."""

    speaker: str
    words: str
    private: bool = False

    @property
    def question(self) -> bool:
        return is_question(self.words)


def spoken(perceived: Perception) -> Utterance | None:
    """Return what another character here said in a perception; None when nobody else spoke."""
    event = perceived.event
    if event is None or perceived.actor is None or event.kind not in _ALOUD or not event.words:
        return None
    if perceived.mark == DISTANT:
        return None  # an answer would not be heard
    return Utterance(perceived.actor, event.words, event.kind == "whisper")


def given(perceived: Perception) -> str:
    """Return what another character gave to the one who perceives it; empty when nobody gave it anything."""
    event = perceived.event
    mine = event is not None and event.kind == "gift" and event.to == perceived.who
    return (event.thing or "") if mine and event is not None else ""


def own_words(perceived: Perception) -> str:
    """Return what the character itself said in a perception; may be empty."""
    return _words_of(perceived.text, "You") if perceived.kind == "said" and perceived.actor is None else ""


def remembered(entry: Entry) -> Utterance | None:
    """Return what was said in a memory, with an empty speaker for own words; None when nothing was said."""
    return _utterance(entry.kind, entry.actor, entry.text) if entry.kind in _SPOKEN else None


@lru_cache(maxsize=1 << 14)
def _utterance(kind: str, actor: str | None, text: str) -> Utterance:
    """Cached, as the same few are asked for every turn."""
    return Utterance(actor or "", _words_of(text, actor or "You"), kind == "told")


def _marked(entry: Entry, kind: str, mark: str, wording: re.Pattern[str]) -> bool:
    """Return whether a memory has a mark. Without any (older, imported) the English wording decides."""
    if entry.kind != kind or entry.mark is not None:
        return entry.mark == mark
    return wording.match(entry.text) is not None


def whispered(entry: Entry) -> bool:
    """Return whether this is an own whisper."""
    return _marked(entry, "said", WHISPERED, _WHISPER)


def whispered_to(entry: Entry, name: str) -> bool:
    return whispered(entry) and mentions(entry.text.partition('"')[0], name)


def reads_as_whisper(text: str) -> bool:
    """Return whether the text before any quotation says that the words were whispered."""
    return _WHISPER.match(text) is not None


def of_own_notes(entry: Entry) -> bool:
    """Return whether a memory shows the agent's own notes."""
    return _marked(entry, "result", OWN_NOTES, _NOTES)


def of_own_search(entry: Entry) -> bool:
    """Return whether a memory shows what recall found."""
    return _marked(entry, "result", RECALLED, _SEARCH)


def of_own_mind(entry: Entry) -> bool:
    """Return whether a memory shows only the agent's own notes, recall or self, and nothing of the world."""
    if entry.mark is not None or entry.kind != "result":  # asked for every memory that a search finds
        return entry.mark in _OWN_MIND
    return of_own_notes(entry) or of_own_search(entry)


def heard_in(recent: Sequence[Entry], said: Utterance) -> int:
    """Return the number of the newest memory of this utterance; 0 when there is none."""
    for entry in reversed(recent):
        if entry.actor == said.speaker and (one := remembered(entry)) and one.words == said.words:
            return entry.seq
    return 0


def seen_of(recent: Sequence[Entry], name: str) -> int:
    """Return the number of the newest memory of an arrival, or of seeing `name` act; 0 when there is none."""
    seen = (one for one in reversed(recent) if one.kind == "moved" or (one.actor == name and one.kind == "saw"))
    return next((one.seq for one in seen), 0)


def without_sayer(words: str, name: str) -> str:
    """Strip a reporting clause by `name`: "it rains" of "Ann says that it rains"."""
    if not name or not words.startswith(name):
        return words
    rest = _SAYS.match(words[len(name) :])
    return rest["words"].strip() if rest else words


def _words_of(text: str, actor: str) -> str:
    """Return the text inside the outermost quotation marks; without any, what follows the speaker and a mark."""
    found = _QUOTED.search(text)
    if found:
        return found[1].strip()
    bare = without_sayer(text, actor)
    if bare != text:
        return bare
    _, mark, after = text.partition(":") if text.startswith(actor) else (text, "", "")
    return (after if mark else text).strip()
