"""The form of letters between worlds, for those who send them and for the door where they come."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable

PATH = "/region"
SIGNATURE, DIGEST = "x-signature", "x-digest"
LONGEST = 64 * 1024 * 1024
"""Bytes that a letter may have at most: a life of some 400,000 memories, packed."""

TakeLetter = Callable[[bytes], Awaitable[tuple[bytes, str]]]
"""Takes the body of a letter; returns that of its answer, and the answer's signature."""
OpenLetter = Callable[[str, str, str], TakeLetter | None]
"""Returns what takes a letter, given what it is, the digest of its body and its signature; None for a stranger's."""


def digest(body: bytes) -> str:
    """Return what is signed of a letter, so that one of a stranger is refused before it is read."""
    return hashlib.sha256(body).hexdigest()
