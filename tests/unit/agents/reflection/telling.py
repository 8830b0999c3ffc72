"""Memories for tests of the inner life."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from agents.memory.entries import Entry, importance_of
from mud.commands import Say
from mud.storage.texts import TextStore
from tests.vaults import SHIPPED, copy_vault

AT = "2026-11-20T07:21:37.123Z"
TEXTS = TextStore(SHIPPED / "text")
assert TEXTS.load() == []
SAY = TEXTS.render


def heard(seq: int, actor: str, words: str, place: str = "The Garden") -> Entry:
    text = f'{actor} says, "{words}"'
    return Entry(seq, AT, "heard", actor, place, text, importance=importance_of("heard", text))


def made(seq: int, kind: str, text: str, place: str = "The Garden") -> Entry:
    return Entry(seq, AT, kind, None, place, text, importance=importance_of(kind, text))


def reword(vault: Path, file: str, section: str, **words: str) -> None:
    """Give texts of a vault other words, as a person edits them.

    Args:
        vault: the vault.
        file: the file under `text/`, without ending.
        section: the heading that the texts stand under, in small letters.
        words: the new words by key.
    """
    path = vault / "text" / f"{file}.md"
    head, mark, rest = path.read_text("utf-8").partition(f"\n## {section.capitalize()}\n")
    body, end, after = rest.partition("\n## ")
    assert mark
    for key, text in words.items():
        old = re.search(rf"^\*\*{key}\*\*: .*$", body, re.M)
        assert old is not None, key
        body = f"{body[: old.start()]}**{key}**: {text}{body[old.end() :]}"
    path.write_text(f"{head}{mark}{body}{end}{after}", "utf-8")


def reworded(file: str, section: str, **words: str) -> Say:
    """Return what renders the shipped texts with some of them in other words."""
    with tempfile.TemporaryDirectory() as folder:
        vault = copy_vault(Path(folder))
        reword(vault, file, section, **words)
        texts = TextStore(vault / "text")
        assert texts.load() == []
        return texts.render
