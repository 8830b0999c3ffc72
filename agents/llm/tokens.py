"""How many tokens a text takes, without any model's tokenizer.

It errs on the high side: a prompt that is too long is refused or, worse, cut at the top without a word. The model's own
count, where a server tells it, is kept with the completion; it is never needed to decide anything.
"""

from __future__ import annotations

import math
import string

_DIGITS = string.digits.encode()
_MARKS = (string.punctuation + "\t\n\r\x0b\x0c").encode()
_ASCII = bytes(range(128))
_LETTERS = string.ascii_letters.encode()
_CASES = bytes(ord("U") if 65 <= byte <= 90 else ord("l") if 97 <= byte <= 122 else ord(" ") for byte in range(256))
"""Turns capitals into U, other ASCII letters into l, and everything else into a space."""
_HARSH = bytes(ord("c") if byte in _LETTERS and byte not in b"aeiouyAEIOUY" else ord(" ") for byte in range(256))
"""Turns consonants into c, and everything else into a space."""
_SPACED = bytes(
    ord("f") if byte > 127 or byte in _DIGITS else ord(" ") if byte == 32 else ord("x") for byte in range(256)
)
"""Turns digits and every byte beyond ASCII into f, and all else but the space into x."""
_RARE = bytes(byte for byte in range(128) if byte not in _LETTERS + _DIGITS + _MARKS + b" ")

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


RUN_TOKENS, LETTER_TOKENS = 0.8, 0.2
"""Tokens of a run of ASCII letters, and of each letter of it and the space before: 1.9 for an English word, 1 for the
`a` in 3a9, which stands alone. A space before a digit or a sign beyond ASCII stands alone too."""
CAPITAL_TOKENS = 0.8
"""Tokens that a capital within a run adds; `QXZJKWV` takes 0.8 a letter."""
LONG_RUN, LONG_TOKENS = 15, 0.35
"""Letters from which on a run is hardly a word, and what each further one adds; letters by chance take 0.5 each."""
HARSH_RUN, HARSH_TOKENS = b"cccc", 3
"""Consonants in a row that hardly a word has, and what they add: keys hit by chance take 0.9 tokens a letter."""


def at_most(text: str) -> int:
    """Return how many tokens a text takes at most, in any script: what a prompt is measured with.

    No tokenizer that works on bytes makes more than one token of a byte, and for Armenian, Burmese or rare signs that
    is what they make; so every byte beyond ASCII counts one. Never less than `estimate`.

    Args:
        text: any text.
    """
    raw = text.encode("utf-8", "surrogatepass")
    foreign = 0 if text.isascii() else len(raw.translate(None, _ASCII))
    digits = len(raw) - len(raw.translate(None, _DIGITS))
    marks = len(raw) - len(raw.translate(None, _MARKS + _RARE))
    plain = len(raw) - foreign - digits - marks
    cases = raw.translate(_CASES)
    runs = cases.split()
    inner = cases.count(b"U") - cases.count(b" U") - cases.startswith(b"U")
    long = sum(len(run) - LONG_RUN for run in runs if len(run) > LONG_RUN)
    alone = len(runs) + raw.translate(_SPACED).count(b" f")
    harsh = raw.translate(_HARSH).count(HARSH_RUN)
    words = LETTER_TOKENS * plain + RUN_TOKENS * alone + CAPITAL_TOKENS * inner
    unlikely = LONG_TOKENS * long + HARSH_TOKENS * harsh
    return max(estimate(text), math.ceil(words + unlikely + digits + marks + foreign))
