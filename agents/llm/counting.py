"""Counting the tokens of an agent's memories and prompts, with one and the same counter.

Without a server `agents.llm.tokens.at_most` counts, on the high side. What a model's server says of a
text, asked for or told with a reply, sets all counts for that model right: they become shorter, and stay long enough.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from agents.llm.queue import ModelQueue
from agents.llm.ratios import TokenRatios
from agents.llm.timeouts import timeout
from agents.llm.tokens import at_most, bundled_tokenizer
from mud.clock import Clock
from mud.errors import Unavailable

CHARACTERS = "characters"
"""The value of `token_counter` that counts the view by a quarter of its characters."""
PER_TOKEN = 4
"""Characters of a token, where nothing better counts; seed 003's rule of thumb."""
SECONDS = 1.0
"""Seconds within which a server must have counted; a status is not kept waiting longer."""
LONGEST = 400_000
"""Characters that a server is asked to count at most; of a longer view it counts the end."""
Count = Callable[[str], int]
Ask = Callable[[str], Awaitable[int | None]]
"""Asks the model's server how many tokens a text takes; None when it cannot say."""

BY_CHARACTERS = "a quarter of the characters"
BY_TOKENIZER = "the tokenizer of all-MiniLM-L6-v2, on the high side"
BY_LETTERS = "letters and bytes, on the high side"
BY_SERVER = "the model's server"


def by_characters(text: str) -> int:
    """Return a quarter of a text's characters, rounded up."""
    return -(-len(text) // PER_TOKEN)


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
            return await timeout(SECONDS, model.tokens(text, settings), clock)
        except (Unavailable, TimeoutError):
            return None

    return ask


class TokenCounter:
    """Counts the tokens of one agent's texts.

    Args:
        way: gives the setting `token_counter` of the moment.
        ask: asks the model's server; None when no model may be asked.
        ratios: what servers said of their models, for all agents.
        model: names the agent's thinking model there.
    """

    def __init__(
        self,
        way: Callable[[], str] = lambda: "auto",
        ask: Ask | None = None,
        ratios: TokenRatios | None = None,
        model: Callable[[], str] = lambda: "",
    ) -> None:
        self._way, self._ask, self._model = way, ask, model
        self._ratios = TokenRatios() if ratios is None else ratios
        self._known: tuple[str, int] | None = None

    @property
    def ratio(self) -> float:
        """What a count is multiplied by; who has kept counts must count anew when it has changed."""
        return self._ratios.of(self._model())

    def prompts(self) -> Count:
        """Return what counts a text of a prompt at once, on the high side; see `agents.llm.tokens.at_most`."""
        ratio = self.ratio
        return at_most if ratio == 1 else lambda text: at_most(text, ratio)

    def view(self) -> Count:
        """Return what counts a text of the view: as in a prompt, unless `token_counter` says otherwise."""
        return by_characters if self._way() == CHARACTERS else self.prompts()

    def total(self, texts: Sequence[str]) -> tuple[int, str]:
        """Return how many tokens some texts of the view take together, and what counted them, in words.

        Args:
            texts: as they stand in a prompt, a line each; the server's own number when it was just asked for these.
        """
        if self._way() == CHARACTERS:
            return sum(map(by_characters, texts)), BY_CHARACTERS
        if self._known is not None and self._known[0] == "\n".join(texts):
            return self._known[1], BY_SERVER
        by = BY_LETTERS if bundled_tokenizer() is None else BY_TOKENIZER
        corrected = f"{by}, set right by {BY_SERVER}" if self.ratio != 1 else by
        return sum(map(self.prompts(), texts)), corrected

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
        self._ratios.learn(self._model(), whole, exact)
        if len(asked) < len(texts):
            return None
        self._known = whole, exact
        return exact


def _end(texts: Sequence[str]) -> Sequence[str]:
    """Return the last of some texts, as many as a server is asked about at once."""
    room = LONGEST
    for number, text in enumerate(reversed(texts)):
        room -= len(text) + 1
        if room < 0:
            return texts[len(texts) - number :]
    return texts
