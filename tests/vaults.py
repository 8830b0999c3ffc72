"""A fresh copy of the shipped vault for a test, without anything a run has written into it."""

from __future__ import annotations

import shutil
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


def copy_vault(folder: Path) -> Path:
    """Copy the shipped vault into a folder and return the copy.

    Only the shipped agents come along: folders of visitors carry a `.gitignore` of their own.
    """
    copy = folder / "vault"
    shutil.copytree(SHIPPED, copy, ignore=_written)
    for visitor in [path.parent for path in copy.glob("agents/*/.gitignore")]:
        shutil.rmtree(visitor)
    return copy


def without_vectors(vault: Path) -> Path:
    """Have a vault's recall go by words alone, so that no child process is started, and return the vault."""
    config = vault / "config/recall.md"
    text = config.read_text(encoding="utf-8")
    assert "**embedder**: minilm" in text
    config.write_text(text.replace("**embedder**: minilm", "**embedder**: none"), encoding="utf-8")
    return vault
