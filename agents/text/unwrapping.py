"""A model's reply without what models put around it: thoughts, turn tokens, tags.

Every pattern here takes linear time on any text, since replies are read on the event loop.
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
"""A tag inside a sentence: a thought that mentions such tags opens no other thought."""
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
    """Return a reply without thoughts, turn tokens, tags and control characters, runs of blanks collapsed."""
    text = _after(_CHANNEL, normalize_newlines(raw))
    text = _after(_THOUGHT_END, _THOUGHT.sub("", text))
    text = _TURN_SIGN.sub("", _cut_at(_TURN_END, text.lstrip()))
    return collapse_spaces(_TAG.sub("\n", text))


def past_thoughts(text: str) -> str | None:
    """Return the text after the thoughts that open a reply; None while one is open, or where one holds another."""
    while found := _THINKS.match(text):
        if "</" not in text:
            return None  # quick test, since a streamed thought is checked at every piece
        end = re.compile(rf"</{found[1]}\s{{0,9}}>", re.I).search(text, found.end())
        if end is None or thinks(_SPOKEN_OF.sub("", text[found.end() : end.start()])):
            return None
        text = text[end.end() :]
    return text


def thinks(text: str) -> bool:
    return _SIGN.search(text) is not None


def normalize_newlines(raw: str) -> str:
    r"""Return a text with only "\n" as line end, blanks for tabs, and without control characters."""
    raw = raw.replace("｜", "|")  # the full-width bar of Chinese and Japanese keyboards
    text = raw.replace("\r", "\n").replace("\t", " ").replace("\u2028", "\n").replace("\u2029", "\n")
    return sanitize(text)


def collapse_spaces(text: str) -> str:
    return _BLANKS.sub(" ", text)


def _after(sign: re.Pattern[str], text: str) -> str:
    return text[max((found.end() for found in sign.finditer(text)), default=0) :]


def _cut_at(end: re.Pattern[str], text: str) -> str:
    for found in end.finditer(text):
        if text[: found.start()].strip():
            return text[: found.start()]
    return end.sub("", text)
