"""How many tokens a call took: as its server tells, as far as that can be, else by what was seen of it. Pure.

The budget believes these numbers. What a reasoning model thinks is paid for like its reply, and a stream that is ended
early mostly ends before its server has counted.
"""

from __future__ import annotations

from collections.abc import Sequence

from agents.llm.tokens import estimate

TEMPLATE_TOKENS = 2_000
"""Tokens that a server's own template may add to a prompt; those of known chat models take 5 to 500."""


def prompt_tokens(told: int | None, prompt: str) -> int | None:
    """Return how many tokens of a prompt a server tells of: no more than one a byte, as no tokenizer makes more.

    Args:
        told: what it says; None when it does not.
        prompt: what it was sent.
    """
    return None if told is None else min(told, len(prompt.encode("utf-8", "replace")) + TEMPLATE_TOKENS)


def reply_tokens(told: int | None, text: str, thoughts: Sequence[str], most: int) -> int | None:
    """Return how many tokens a reply took.

    Args:
        told: what its server says; None when it does not.
        text: the reply.
        thoughts: what a reasoning model thought before it, in the pieces that came.
        most: the length that was asked for; some servers do not count thoughts under it.

    Returns:
        The number; None when nobody knows more than the text itself tells.
    """
    thought = max(len(thoughts), estimate("".join(thoughts)))
    if told is None:
        return estimate(text) + thought if thoughts else None
    return min(told, most + estimate(text) + thought)
