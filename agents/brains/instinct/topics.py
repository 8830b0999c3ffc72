"""What an agent bears in mind of a talk: what the two spoke of last, and what it was asked to tell others."""

from __future__ import annotations

from typing import NamedTuple

from agents.brains.instinct.relevance import Fact


class Topic(NamedTuple):
    """What an agent and somebody spoke of last.

    Args:
        words: the telling words.
        fact: what was answered with, or told; None when nothing was known.
        text: the last question; empty when something was told.
    """

    words: tuple[str, ...] = ()
    fact: Fact | None = None
    text: str = ""


class Errand(NamedTuple):
    """Words that are to be told to somebody.

    Args:
        sender: who asked.
        to: for whom.
        words: the words.
        private: nobody else is to hear them.
        seq: the memory of the line that asked.
    """

    sender: str
    to: str
    words: str
    private: bool
    seq: int
