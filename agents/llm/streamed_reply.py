"""A reply as it comes, piece by piece. Pure."""

from __future__ import annotations

import re

from agents.llm.backend import TEXT_LIMIT, Enough, tidy
from agents.llm.profiles import LLMProfile

PIECES = 4
"""Pieces a token comes in at most; who sends more takes no notice of `max_tokens`."""
_FIRST_HALF = re.compile(r"[\ud800-\udbff]\Z")
"""The half of a character whose other half may be the next piece's beginning."""


class StreamedReply:
    """A reply that may be ended early.

    Only what is new is read, or the work would grow with the square of a reply's length.

    Args:
        profile: its stops and its length.
        enough: says of the text so far whether it is all that is wanted.
    """

    def __init__(self, profile: LLMProfile, enough: Enough) -> None:
        self._pieces: list[str] = []
        self._profile, self._enough = profile, enough
        self._room = PIECES * profile.max_tokens
        self._left = TEXT_LIMIT
        """Characters that are still kept."""
        self._tidied = ""
        """The text so far, but for a half at its end."""
        self._half = ""

    @property
    def text(self) -> str:
        """All that has come, as it came."""
        return "".join(self._pieces)

    def add(self, piece: str) -> bool:
        """Take a piece and say whether the reply ends here: at a stop, at its length, or because it is enough.

        Args:
            piece: what comes next; none comes after the end.
        """
        if not piece:
            return False
        self._pieces.append(piece)
        self._room -= 1
        new, tidied, self._tidied = self._new(piece), self._tidied, ""
        seen = len(tidied)
        tidied += new  # what nothing else refers to, no closure either, grows where it is instead of being copied
        self._tidied = tidied
        end = self._end(tidied, seen)
        return self._enough(tidied[:end]) or self._room <= 0 or end is not None

    def _end(self, text: str, seen: int) -> int | None:
        """Return where the first stop begins in a text whose first so many characters hold none; None without one."""
        found = (text.find(mark, max(0, seen + 1 - len(mark))) for mark in self._profile.stop if mark)
        return min((at for at in found if at >= 0), default=None)

    def _new(self, piece: str) -> str:
        """Return what a piece adds to the tidy text; half a character waits for its other half."""
        raw = self._half + piece[: self._left]
        self._left -= len(piece[: self._left])
        half = _FIRST_HALF.search(raw) if self._left else None
        self._half = half[0] if half else ""
        return tidy(raw[: half.start()] if half else raw)
