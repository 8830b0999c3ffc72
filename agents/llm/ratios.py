"""How many tokens each model makes of a text, as a ratio to `agents.llm.tokens.at_most`, learned from its server."""

from __future__ import annotations

import math

LEAST = 64
"""Tokens of a text below which it says nothing of how all others are to be counted."""
MARGIN = 1.03
"""What is added to a ratio, for texts that are a little unlike those it was learned from."""
LOWEST, HIGHEST = 0.1, 4.0
"""Ratios beyond which a server cannot be believed."""


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

    def learn(self, model: str, counted: int, exact: int) -> None:
        """Take in what a server said of one text; of several texts the highest ratio holds, so that no prompt is long.

        Args:
            model: names the model and its server.
            counted: what `at_most` says of the text.
            exact: the server's own number.
        """
        if min(counted, exact) < LEAST or not LOWEST <= exact / counted <= HIGHEST:
            return
        seen = math.ceil(100 * MARGIN * exact / counted) / 100  # in steps, as a new one has everything counted anew
        self._highest[model] = max(seen, self._highest.get(model, 0.0))
