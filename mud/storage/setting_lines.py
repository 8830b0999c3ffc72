"""Changing one setting in a config file that people own; every other byte stays. Pure."""

from __future__ import annotations

from mud.errors import VaultProblem
from mud.storage._values import Scalar, write_typed
from mud.storage.documents import body_of, examine_document, markdown_lines, replace_key
from mud.storage.settings import examine_settings


def replace_setting(text: str, schema: type, key: str, value: Scalar, file: str) -> str:
    """Return the text of a config file with one setting changed.

    It is changed in the front matter if it is set there, else in its line, else in a new last line. Raises VaultProblem
    for a file with any problem, which could disable the new value.
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
