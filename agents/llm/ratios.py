"""How many tokens each model makes of words, as a ratio to `agents.llm.tokens.at_most`, learned from its server.

Marks, digits and other scripts are counted by their bytes whatever a server says of English, or a line of Armenian
would be taken for less than it is. A server that tells of more than `at_most` is believed for everything.
"""

from __future__ import annotations

import math

from agents.llm.tokens import words_and_rest

LEAST = 64
"""Tokens of a text below which it says nothing of how all others are to be counted."""
MARGIN = 1.03
"""What is added to a ratio, for texts that are a little unlike those it was learned from."""
LOWEST, HIGHEST = 0.75, 4.0
"""The least that words are taken for, and the ratio beyond which a server cannot be believed."""
LEAST_SHARE = 0.2
"""Share of a count below which its server must have left something out, such as what it had read before."""


class TokenRatios:
    """The ratios of all models, kept while the program runs."""

    def __init__(self) -> None:
        self._highest: dict[str, float] = {}

    def of(self, model: str) -> float:
        """Return what a count is multiplied by for a model: 1 as long as its server has said nothing.

        Args:
            model: names the model and its server.
        """
        return self._highest.get(model, 1.0)

    def learn(self, model: str, text: str, exact: int) -> None:
        """Take in what a server said of one text; of several texts the highest ratio holds, so that no prompt is long.

        Args:
            model: names the model and its server.
            text: the text.
            exact: the server's own number.
        """
        words, rest = words_and_rest(text)
        if min(words, exact) < LEAST or not LEAST_SHARE <= exact / (words + rest) <= HIGHEST:
            return
        ratio = max(LOWEST, (exact - rest) / words) if exact <= words + rest else exact / (words + rest)
        seen = math.ceil(100 * MARGIN * ratio) / 100  # in steps, as a new one has everything counted anew
        self._highest[model] = max(seen, self._highest.get(model, 0.0))
