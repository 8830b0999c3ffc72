"""Text from outside made harmless: the one function that everything passes where it comes in.

Whoever writes a file, a reply or a line can put characters into it that nobody sees: control characters that move a
terminal's cursor, marks that turn the order of what follows, letters without a shape that make two names look alike or
hide words from whoever reads along. None of them goes any further than the door. What people write with stays: emoji
joined or given their colours, the joiners of Persian and Hindi, marks of direction beside letters that run from right
to left. Pure, and the ground that all else stands on.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from typing import Any

_JOINING = (
    "\u0600-\u061b\u061d-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u17b3\u17b6-\u180a\u1810-\u18af\u1a00-\u1bff"
    "\ua840-\ua87f\ua8e0-\ua8ff\ufb50-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc\U00011000-\U00011fff\U0001e900-\U0001e95f"
)
"""Letters whose shapes a joiner changes: of Arabic, of India and of South-East Asia, Mongolian."""
_LEFTWARD = (
    "\u0590-\u061b\u061d-\u08ff\ufb1d-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
)
"""Letters that run from right to left."""
_PICTURE = "\u00a9\u00ae\u203c\u2049\u2100-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_IDEOGRAPH = "\u2e80-\u2fdf\u3021-\u3029\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"

_KEPT = "|".join(
    (
        rf"(?<=[{_PICTURE}])[\ufe0e\ufe0f]",  # as text, as a picture
        r"(?<=[0-9#*])\ufe0f(?=\u20e3)",  # the keys of a telephone
        rf"(?<=[{_PICTURE}\ufe0f])\u200d(?=[{_PICTURE}])",  # a family, a profession
        rf"(?<=[{_JOINING}])[\u200c\u200d]",
        rf"(?<=[{_LEFTWARD}])[\u200e\u200f\u061c]|[\u200e\u200f\u061c](?=[{_LEFTWARD}])",
        rf"(?<=[{_IDEOGRAPH}])[\ufe00-\ufe02\U000e0100-\U000e01ef]",  # another form of the same sign
        r"(?<=[\u1820-\u18aa])[\u180b-\u180d\u180f]",
    )
)
"""What cannot be seen and yet belongs there, by what stands beside it."""
_HIDDEN = (
    "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_LINE_ENDS = "\x0b\x0c\r\x85\u2028\u2029"
_ORDER = (
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*(?:[@-~]|\Z)"  # colours, movements
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x80-\x9f\n]*(?:\x07|\x1b\\|\x9c)"  # titles, links
)
"""What a terminal takes for an order, its words included."""
_WRONG = re.compile(
    rf"(?=[{_HIDDEN}{_LINE_ENDS}])"
    rf"(?:(?P<kept>{_KEPT})|(?P<end>\r\n)|(?P<gap>[{_LINE_ENDS}])|(?P<half>[\ud800-\udfff])|{_ORDER}|.)",
    re.S,
)
_UNSHOWN = re.compile(rf"(?=[{_HIDDEN}{_LINE_ENDS}\n\t])(?:(?P<kept>{_KEPT})|.)", re.S)
_PRINTABLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""The part of what is hidden that Python calls printable."""
_CONTROLS = bytes({*range(32), 127} - {*b"\n\t"})


def sanitize(text: str) -> str:
    r"""Return a text without what cannot be seen and could do harm; most texts are returned as they are.

    Newlines and tabs stay, `\r\n` is one newline, every other end of a line is a space, so that lines keep their
    numbers. Orders to a terminal go with their words. Two halves of a character that belong together are one character;
    one that stands alone is a question mark. What it returns, it leaves as it is.

    Args:
        text: any text; YAML, unlike JSON, reads `\ud83d\ude00` as two halves.
    """
    if text.isascii():
        raw = text.encode()
        if len(raw.translate(None, _CONTROLS)) == len(raw):  # a tenth of the time that a pattern takes
            return text
    elif not _PRINTABLE.search(text) and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")  # halves become whole
    while (clean := _WRONG.sub(_put_right, text)) != text:
        text = clean  # what was taken out may have held two others together
    return text


def _put_right(found: re.Match[str]) -> str:
    match found.lastgroup:
        case "kept":
            return found[0]
        case "end":
            return "\n"
        case "gap":
            return " "
        case "half":
            return "?"
    return ""


def sanitize_values(value: Any) -> Any:
    """Return what JSON or YAML held, every text in it sanitized, keys too."""
    match value:
        case str():
            return sanitize(value)
        case Mapping():
            return {sanitize(key): sanitize_values(inner) for key, inner in value.items()}
        case list():
            return [sanitize_values(inner) for inner in value]
    return value


def sanitize_json(raw: bytes, value: Any) -> Any:
    """Return what a line of JSON held, sanitized; a line of plain ASCII without such escapes is not gone through.

    Args:
        raw: the line.
        value: what it holds.
    """
    if raw.isascii() and b"\x7f" not in raw:
        escaped = b"\\" in raw and any(sign in raw for sign in (b"\\u", b"\\r", b"\\b", b"\\f"))
        return sanitize_values(value) if escaped else value
    return sanitize_values(value)


def visible(text: str, but: str = "") -> str:
    r"""Return a name of a file, or what else stands in a message, on one line: what cannot be shown is spelled, `\x1b`.

    Args:
        text: any text; it need not have passed `sanitize`, and nothing of it is lost.
        but: what stays as it is of line ends and tabs.
    """
    return (
        text
        if text.isascii() and text.isprintable()
        else _UNSHOWN.sub(lambda found: found[0] if found["kept"] or found[0] in but else ascii(found[0])[1:-1], text)
    )


class VisibleFormatter(logging.Formatter):
    """Spells what cannot be shown in a line of the log, such as the name of a file that somebody else made."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record, which has several lines where there is a traceback."""
        record = logging.makeLogRecord({**record.__dict__, "msg": visible(record.getMessage()), "args": ()})
        return visible(super().format(record), but="\n")
