"""Removing invisible and harmful characters from all text that enters the program. Pure.

Removed are control characters, terminal sequences, direction marks, and invisible letters that hide words or make names
look alike. Kept are those that writing needs: in emoji, in Persian and Hindi, beside letters from right to left.
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
"""Letters whose shapes a joiner changes: Arabic, Mongolian, and those of India and South-East Asia."""
_LEFTWARD = (
    "\u0590-\u061b\u061d-\u08ff\ufb1d-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
)
_PICTURE = "\u00a9\u00ae\u203c\u2049\u2100-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_IDEOGRAPH = "\u2e80-\u2fdf\u3021-\u3029\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"

_KEPT = "|".join(
    (
        rf"(?<=[{_PICTURE}])[\ufe0e\ufe0f]",  # as text, as a picture
        r"(?<=[0-9#*])\ufe0f(?=\u20e3)",  # keycaps
        rf"(?<=[{_PICTURE}\ufe0f])\u200d(?=[{_PICTURE}])",  # a family, a profession
        rf"(?<=[{_JOINING}])[\u200c\u200d]",
        rf"(?<=[{_LEFTWARD}])[\u200e\u200f\u061c]|[\u200e\u200f\u061c](?=[{_LEFTWARD}])",
        rf"(?<=[{_IDEOGRAPH}])[\ufe00-\ufe02\U000e0100-\U000e01ef]",  # variant forms
        r"(?<=[\u1820-\u18aa])[\u180b-\u180d\u180f]",
    )
)
"""Invisible characters that are kept, by their neighbours."""
_HIDDEN = (
    "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_ESCAPED = re.compile(rb"\\[ubrf]")
"""What JSON writes for a character that may have to be removed, or for a backslash before such a letter."""
_LINE_ENDS = "\x0b\x0c\r\x85\u2028\u2029"
_ORDER = (
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*(?:[@-~]|\Z)"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x80-\x9f\n]*(?:\x07|\x1b\\|\x9c)"  # titles, links
)
"""Terminal sequences, with their text."""
_WRONG = re.compile(
    rf"(?=[{_HIDDEN}{_LINE_ENDS}])"
    rf"(?:(?P<kept>{_KEPT})|(?P<end>\r\n)|(?P<gap>[{_LINE_ENDS}])|(?P<half>[\ud800-\udfff])|{_ORDER}|.)",
    re.S,
)
_UNSHOWN = re.compile(rf"(?=[{_HIDDEN}{_LINE_ENDS}\n\t])(?:(?P<kept>{_KEPT})|.)", re.S)
_PRINTABLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""The hidden characters that Python calls printable."""
_CONTROLS = bytes({*range(32), 127} - {*b"\n\t"})


def sanitize(text: str) -> str:
    r"""Return a text without invisible and harmful characters; most texts are returned unchanged. Idempotent.

    `\r\n` becomes `\n`, and any other line end a space, which keeps line numbers. Terminal sequences are removed with
    their text. Surrogate pairs are joined, as YAML, unlike JSON, does not; a single surrogate becomes a question mark.
    """
    if text.isascii():
        raw = text.encode()
        if len(raw.translate(None, _CONTROLS)) == len(raw):  # ten times as fast as the pattern
            return text
    elif not _PRINTABLE.search(text) and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")  # joins surrogate pairs
    while (clean := _WRONG.sub(_put_right, text)) != text:
        text = clean  # a removal may have joined two harmful parts
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
    match value:
        case str():
            return sanitize(value)
        case Mapping():
            return {sanitize(key): sanitize_values(inner) for key, inner in value.items()}
        case list():
            return [sanitize_values(inner) for inner in value]
    return value


def sanitize_json(raw: bytes, value: Any) -> Any:
    """Return the sanitized value of a line of JSON; nearly all are seen to be clean without looking into them."""
    if raw.isascii():
        clean = b"\x7f" not in raw
    else:
        text = raw.decode("utf-8", "surrogateescape")
        clean = text.isprintable() and not _PRINTABLE.search(text)
    return value if clean and not _ESCAPED.search(raw) else sanitize_values(value)


def visible(text: str, but: str = "") -> str:
    r"""Return a text on one line with invisible characters escaped, such as `\x1b`, except those in `but`."""
    return (
        text
        if text.isascii() and text.isprintable()
        else _UNSHOWN.sub(lambda found: found[0] if found["kept"] or found[0] in but else ascii(found[0])[1:-1], text)
    )


class VisibleFormatter(logging.Formatter):
    """Escapes invisible characters in log records, such as in file names."""

    def format(self, record: logging.LogRecord) -> str:
        record = logging.makeLogRecord({**record.__dict__, "msg": visible(record.getMessage()), "args": ()})
        return visible(super().format(record), but="\n")
