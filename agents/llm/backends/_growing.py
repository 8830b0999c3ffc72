"""A reply as it comes, piece by piece. Pure."""

from __future__ import annotations

from agents.llm.backends._backend import Enough, tidy
from agents.llm.profiles import LLMProfile

PIECES = 4
"""Pieces a token comes in at most; who sends more takes no notice of `max_tokens`."""


class Growing:
    """A reply that may be ended early.

    Args:
        profile: its stops and its length.
        enough: says of the text so far whether it is all that is wanted.
    """

    def __init__(self, profile: LLMProfile, enough: Enough) -> None:
        self.text = ""
        self._profile, self._enough = profile, enough
        self._room = PIECES * profile.max_tokens

    def add(self, piece: str) -> bool:
        """Take a piece and say whether the reply ends here: at a stop, at its length, or because it is enough."""
        if not piece:
            return False
        self.text += piece
        self._room -= 1
        shown = tidy(self.text, self._profile.stop)
        return self._enough(shown) or self._room <= 0 or len(shown) < len(tidy(self.text))
