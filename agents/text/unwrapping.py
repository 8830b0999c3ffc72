"""A model's reply without what models set around it: thoughts, signs of turns, tags. Pure.

Every pattern here takes time that grows with the text alone, whatever the text is: replies are read where the whole
world waits.
"""

from __future__ import annotations

import re

from mud.sanitize import sanitize

_THINKING = r"(?:think|thinking|thought|reasoning|reflection)"
_THOUGHT = re.compile(rf"<({_THINKING})\b[^<>]{{0,99}}>.*?(?:</\1\s*>|\Z)", re.S | re.I)
_THOUGHT_END = re.compile(rf"</{_THINKING}\s{{0,9}}>", re.I)
_THINKS = re.compile(rf"\s*<({_THINKING})\b[^<>]{{0,99}}>", re.I)
_SIGN = re.compile(rf"</?{_THINKING}\b|<\|channel", re.I)
_SPOKEN_OF = re.compile(rf"(?<=[ `\"'“‘(])<{_THINKING}>(?=[ `\"'”’.,;:?!)])", re.I)
"""A sign in the middle of a sentence: a thought that speaks of such signs opens no other."""
_CHANNEL = re.compile(r"<\|channel\|>\s{0,9}final\s{0,9}<\|message\|>")
_TURN_END = re.compile(
    r"<\|(?:im_end|eot_id|end|return|endoftext|eom_id)\|>|</s>|<end_of_turn>|<\|im_start\|>(?!\s{0,9}assistant)"
    r"|<\|end▁of▁sentence\|>|<\|User\|>"
    r"|\[/INST\]"
)
_TURN_SIGN = re.compile(
    r"<\|(?:[a-z_▁]{2,20}|Assistant)\|>(?:assistant)?|<s>|<start_of_turn>(?:model)?|\[INST\]|<<SYS>>"
)
_TAG = re.compile(
    r"</?(?:command|action|answer|response|reply|output|final|line|reason|code|p|b|i|br|tool_call|function_call|tools?"
    r"|rationale|explanation|private[ _-]?(?:reason|reasoning|rationale|thoughts?))"
    r"\s{0,9}/?>|\[/?TOOL_CALLS?\]",
    re.I,
)
_BLANKS = re.compile(r"[^\S\n]{2,}")


def unwrapped(raw: str) -> str:
    """Return a reply without thoughts, signs of turns, tags and what no line may hold; runs of blanks become one."""
    text = _after(_CHANNEL, normalize_newlines(raw))
    text = _after(_THOUGHT_END, _THOUGHT.sub("", text))
    text = _TURN_SIGN.sub("", _cut_at(_TURN_END, text.lstrip()))
    return collapse_spaces(_TAG.sub("\n", text))


def past_thoughts(text: str) -> str | None:
    """Return what stands after the thoughts that open a reply; None while one is open, or where one holds another.

    Args:
        text: the reply so far.
    """
    while found := _THINKS.match(text):
        if "</" not in text:
            return None  # found at once; a thought that comes bit by bit is looked at with every bit
        end = re.compile(rf"</{found[1]}\s{{0,9}}>", re.I).search(text, found.end())
        if end is None or thinks(_SPOKEN_OF.sub("", text[found.end() : end.start()])):
            return None
        text = text[end.end() :]
    return text


def thinks(text: str) -> bool:
    """Return whether a text holds a sign of a thought."""
    return _SIGN.search(text) is not None


def normalize_newlines(raw: str) -> str:
    """Return a text with one kind of line end and of space, and without what could do something to a terminal."""
    raw = raw.replace("｜", "|")  # the bar of a Chinese or Japanese keyboard
    text = raw.replace("\r", "\n").replace("\t", " ").replace("\u2028", "\n").replace("\u2029", "\n")
    return sanitize(text)


def collapse_spaces(text: str) -> str:
    """Return a text in which every run of blanks is one; the ends of lines stay."""
    return _BLANKS.sub(" ", text)


def _after(sign: re.Pattern[str], text: str) -> str:
    """Return what stands after the last of these signs; everything when there is none."""
    return text[max((found.end() for found in sign.finditer(text)), default=0) :]


def _cut_at(end: re.Pattern[str], text: str) -> str:
    """Cut a text at the first sign of its end that has something before it."""
    for found in end.finditer(text):
        if text[: found.start()].strip():
            return text[: found.start()]
    return end.sub("", text)
