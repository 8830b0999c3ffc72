"""A fresh copy of the shipped vault for a test, without anything a run has written into it."""

from __future__ import annotations

import os
import shutil
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHIPPED = ROOT / "vault"

_WRITTEN = shutil.ignore_patterns(
    ".index",
    ".lock",
    ".trash",
    "log",
    "state.md",
    "archive",
    "summaries",
    "notes",
    "journal.md",
    "journal-history.md",
    "mind.md",
)


def _written(folder: str, names: list[str]) -> set[str]:
    """Return what of a folder's names a run has written; what models are asked with is none of it."""
    return set() if Path(folder).name == "prompts" else _WRITTEN(folder, names)


@cache
def _shipped() -> tuple[tuple[str, bytes | None], ...]:
    """Return the path of each folder and file of the shipped vault, and a file's bytes; read once for all copies.

    Only the shipped agents are there: folders of visitors carry a `.gitignore` of their own.
    """
    found: list[tuple[str, bytes | None]] = []
    for folder, folders, files in os.walk(SHIPPED):
        inside = Path(folder).relative_to(SHIPPED)
        if inside.parent.name == "agents" and ".gitignore" in files:
            folders.clear()
            continue
        written = _written(folder, [*folders, *files])
        folders[:] = sorted(set(folders) - written)
        found.append((str(inside), None))
        found += [(str(inside / name), Path(folder, name).read_bytes()) for name in sorted(set(files) - written)]
    return tuple(found)


def copy_vault(folder: Path) -> Path:
    """Copy the shipped vault into a folder, without visitors, and return the copy."""
    copy = folder / "vault"
    for inside, content in _shipped():
        if content is None:
            (copy / inside).mkdir(parents=True)
        else:
            (copy / inside).write_bytes(content)
    return copy


def without_vectors(vault: Path) -> Path:
    """Have a vault's recall go by words alone, so that no child process is started, and return the vault."""
    config = vault / "config/recall.md"
    text = config.read_text(encoding="utf-8")
    assert "**embedder**: minilm" in text
    config.write_text(text.replace("**embedder**: minilm", "**embedder**: none"), encoding="utf-8")
    return vault
