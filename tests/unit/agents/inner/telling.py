"""Memories for tests of the inner life."""

from __future__ import annotations

from agents.memory.entries import Entry, importance_of
from mud.storage.texts import TextStore
from tests.vaults import SHIPPED

AT = "2026-11-20T07:21:37.123Z"
TEXTS = TextStore(SHIPPED / "text")
assert TEXTS.load() == []
SAY = TEXTS.render


def heard(seq: int, actor: str, words: str, place: str = "The Garden") -> Entry:
    text = f'{actor} says, "{words}"'
    return Entry(seq, AT, "heard", actor, place, text, importance=importance_of("heard", text))


def made(seq: int, kind: str, text: str, place: str = "The Garden") -> Entry:
    return Entry(seq, AT, kind, None, place, text, importance=importance_of(kind, text))
