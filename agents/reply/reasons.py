"""Where a reply tells a private reason: the names of reasons, and reasons at the end of what is said aloud. Pure."""

from __future__ import annotations

import re

_REASONS = tuple(
    f"{whose}{word}"
    for whose in ("", "private")
    for word in ("reason", "reasoning", "why", "rationale", "because", "explanation")
)
_PARTS = (
    *("reason", "rationale", "why", "because", "explanation", "thought", "thinking"),
    *("motiv", "intention", "purpose", "justification"),
)
"""What the name of an argument with a private reason holds."""
_AROUND = ' *_`(["'
"""What may stand around the word that begins a reason."""
_LOOSE = re.compile(r"[\s_]|(?<=\w)-")
"""What names differ in without being others: `private_reason`, `Private-Reason`, `privateReason`."""

_WORD = r"[a-z]{3,12}"
_ASIDE = re.compile(
    rf"[(\[]\s?(?:(?:the|my|own|inner|hidden|secret|true|real)\s){{0,2}}({_WORD}(?:[ _-]{_WORD})?)\s?[:=]", re.I
)
_BRACKETS = re.compile(r"[()\[\]]")
_TAIL = ' .!…*_"”'
"""What may stand behind a bracket at the end of what is said."""
_SENTENCE = re.compile(
    rf"(?:[.!?…][\"”'’)*]{{0,3}}|[\"”])\s[*_]{{0,3}}(?:My\s)?"
    rf"(Reason|Reasoning|Rationale|[Pp]rivate[ _-]{_WORD})[*_]{{0,3}}:"
)
"""A reason as a sentence of its own. In the middle of another, or without a capital, it is spoken of, not given."""


def evened(key: str) -> str:
    """Return a name as it is compared: without case, blanks, underscores and hyphens.

    Args:
        key: the name of an argument, or what stands before a colon.
    """
    return _LOOSE.sub("", key).casefold()


def is_reason(head: str) -> bool:
    """Return whether what stands before a colon names a private reason."""
    return evened(head.strip(_AROUND)) in _REASONS


def may_become_reason(head: str) -> bool:
    """Return whether a line that begins so may yet name a private reason."""
    bare = evened(head.strip(_AROUND))
    return any(reason.startswith(bare) for reason in _REASONS)


def holds_reason(key: str) -> bool:
    """Return whether an argument of this name holds a private reason or thought, whatever else its name tells."""
    return any(part in evened(key) for part in _PARTS)


def parted(words: str) -> tuple[str, str]:
    """Return what is said aloud and the private reason that ends it; none where the words only speak of reasons.

    Args:
        words: what stands after a verb of speech, in one line.
    """
    at = 0
    while found := _ASIDE.search(words, at):
        at = found.end()
        if not _is_private(found[1]):
            continue
        closing = _closing(words, at)
        end = closing.end() if closing else len(words)
        if not words[end:].strip(_TAIL):
            reason = words[at : closing.start()] if closing else words[at:].rstrip(_TAIL)
            return _closed(words[: found.start()], words), reason.strip()
        at = end
    for found in _SENTENCE.finditer(words):
        if _is_private(found[1]):
            said = words[: found.start(1)].removesuffix("My ").rstrip(" *_")
            return _closed(said, words), words[found.end() :].strip(' *_"”')
    return words, ""


def _is_private(head: str) -> bool:
    return is_reason(head) or (evened(head).startswith("private") and holds_reason(head))


def _closing(words: str, at: int) -> re.Match[str] | None:
    """Return the bracket that closes the one that is open at a place."""
    depth = 1
    for sign in _BRACKETS.finditer(words, at):
        depth += 1 if sign[0] in "([" else -1
        if not depth:
            return sign
    return None


def _closed(said: str, words: str) -> str:
    """Return words without what led to the reason, and with the quotation mark that stood behind it."""
    said = said.rstrip(" *_")
    for opening, closing in ('""', "“”"):
        if said.startswith(opening) and closing not in said[1:] and closing in words[len(said) :]:
            return said + closing
    return said
