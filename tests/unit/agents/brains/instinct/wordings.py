"""Everyday wordings of what people say to a villager, each with plain sentences any of which means the same."""

from __future__ import annotations

from pathlib import Path

Row = tuple[tuple[str, ...], str]


def rows() -> list[Row]:
    """Return the wordings of `wordings.txt`, each after its plain sentences."""
    found: list[Row] = []
    plain: tuple[str, ...] = ()
    for line in Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines()[3:]:
        wording, *more = line.removeprefix("= ").split(" // ")
        if line.startswith("= "):
            plain = (wording, *more)
        elif line != "---":
            found.append(((*plain, *more), wording))
    return found
