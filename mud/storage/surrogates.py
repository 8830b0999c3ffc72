"""Halves of surrogate pairs: no characters, though YAML and JSON can spell them. UTF-8, files and servers take none."""

from __future__ import annotations


def joined(text: str) -> str:
    """Return a text whose halves that belong together are one character; one that stands alone is a question mark.

    Args:
        text: any text; YAML, unlike JSON, reads `\\ud83d\\ude00` as two halves.
    """
    if text.isascii():
        return text
    pairs = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return pairs.encode("utf-8", "replace").decode("utf-8")
