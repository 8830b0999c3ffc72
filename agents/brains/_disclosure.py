"""What a line gives away about itself: that it is to be kept, or that its speaker does not know. Pure."""

from __future__ import annotations

import re

from agents.memory.entries import Entry
from agents.memory.perception import reads_as_whisper

_IGNORANT = re.compile(
    r"\b(?:don't|don’t|do not|doesn't|does not|didn't|did not|never|can't|cannot|couldn't|could not|won't|nobody)\s+"
    r"(?:\w+\s+){0,2}(?:know|knew|knows|remember|recall|say|tell|told|heard|find|found|learned|come|came|"
    r"crossed|reached)\b"
    r"|\bno idea\b|\bnot sure\b|\bi wonder\b|\bnothing (?:about|of|on|in me)\b|\b(?:is|are|it's) (?:news|new) to me\b"
    r"|\bknow nothing\b|\bnone the wiser\b|\bno (?:word|memory|record|answer|recollection)\b",
    re.I,
)
_SECRET = re.compile(
    r"\b(?:secret|between (?:us|you and me|ourselves)|confid\w+|nobody (?:else )?(?:must|may|should) know|"
    r"to yourself|(?:don't|do not|never|mustn't|must not|not to) (?:ever )?(?:tell|say|mention|repeat)|"
    r"tell (?:no ?body|no ?one))\b",
    re.I,
)


def is_secret(entry: Entry) -> bool:
    """Return whether a memory is not for everybody's ears: whispered, or told with the wish to keep it."""
    if entry.kind == "told" and not is_known(entry):
        return True
    return entry.kind in ("heard", "told") and is_secret_words(entry.text)


def is_known(entry: Entry) -> bool:
    """Return whether a memory was written for this life by a person; nobody in the world told it, nor whispered."""
    return entry.kind == "told" and entry.actor is None and not reads_as_whisper(entry.text)


def is_secret_words(words: str) -> bool:
    """Return whether a line asks not to be told on."""
    return _SECRET.search(words) is not None


def is_ignorant(words: str) -> bool:
    """Return whether a sentence only says that its speaker does not know."""
    return _IGNORANT.search(_SECRET.sub("", words)) is not None  # "don't tell" is no lack of knowledge
