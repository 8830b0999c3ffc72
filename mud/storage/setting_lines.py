"""Setting one key of a config file that people own: its one line changes, everything else stays byte for byte.

Pure: text in, text out. It changes nothing in a file that cannot be understood.
"""

from __future__ import annotations

from mud.errors import VaultProblem
from mud.storage._values import Scalar, write_typed
from mud.storage.documents import body_of, examine_document, markdown_lines, replace_key
from mud.storage.settings import examine_settings


def replace_setting(text: str, schema: type, key: str, value: Scalar, file: str) -> str:
    """Return a config file's text with one setting at a value.

    Where the front matter sets it, it is set there; else in its line `**key**: ...`, or in a new one at the end.

    Args:
        text: the whole file.
        schema: the dataclass that says which keys there are.
        key: one of them.
        value: what it is set to.
        file: what problems call the file.

    Raises:
        VaultProblem: when something is wrong with the file; it is mended by hand first, or nobody would see that the
            value is kept out by it.
    """
    _, problems = examine_settings(text, schema, file)
    if problems:
        raise VaultProblem(problems)
    document, _ = examine_document(text, file)
    if key in document.front:
        return replace_key(text, key, list(value) if isinstance(value, tuple) else value, file)
    line, head = f"**{key}**: {write_typed(value)}", f"**{key}**:"
    rest = body_of(text)
    body = len(text) - len(rest)
    for one in markdown_lines(rest):
        if not one.fenced and one.text.startswith(head):
            start = body + one.start
            return text[:start] + line + text[start + len(one.text) :]
    newline = "\r\n" if "\r\n" in text else "\n"
    end = "" if not text or text.endswith("\n") else newline
    return f"{text}{end}{newline if text else ''}{line}{newline}"
