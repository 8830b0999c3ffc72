"""What is not for everybody's ears: whispers, and what was told with the wish to keep it."""

from __future__ import annotations

from functools import lru_cache

from agents.brains.instinct.words import HEARD, Words
from agents.memory.entries import Entry
from agents.memory.perception import reads_as_whisper


def is_private(entry: Entry, words: Words) -> bool:
    """Return whether a memory was told in confidence; nobody but who told it hears of it again."""
    told = entry.kind == "told" and not is_known(entry)
    return told or (entry.kind in ("heard", "told") and _asks_silence(entry.text, words))


def is_known(entry: Entry) -> bool:
    """Return whether a person wrote a memory for this life; nobody in the world told it."""
    return entry.kind == "told" and not entry.actor and not reads_as_whisper(entry.text)


@lru_cache(maxsize=HEARD)
def _asks_silence(text: str, words: Words) -> bool:
    return words.is_secret(text)
