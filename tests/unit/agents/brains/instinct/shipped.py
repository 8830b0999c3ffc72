"""The interpreter of the shipped vault, for the tests of the instinct."""

from __future__ import annotations

from pathlib import Path

from agents.brains.instinct.interpreter import parse_interpreter

ROOT = Path(__file__).parents[5] / "vault" / "instinct"
FILES = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in sorted(ROOT.rglob("*.md"))}
INTERPRETER, PROBLEMS = parse_interpreter(FILES)
