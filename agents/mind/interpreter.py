"""The files of `vault/instinct`: what the instinct knows of language.

After a broken edit the last valid version of a file stays in use; an empty or missing file is an edit in progress.
"""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path

from agents.brains.instinct.confidence import is_private
from agents.brains.instinct.interpreter import Interpreter, parse_interpreter
from agents.memory.entries import Entry
from mud.errors import Problem, VaultProblem
from mud.storage.files import read_if_there
from mud.storage.paths import SHIPPED, markdown_below

FOLDER = "instinct"
"""Below the vault."""


class InterpreterFiles:
    """The intents and word lists of a vault; those that came with the program for a vault without any.

    Args:
        vault: the vault's folder.
    """

    def __init__(self, vault: Path) -> None:
        self._vault = vault
        self._good: dict[str, str] = {}
        self._interpreter: Interpreter | None = None

    def get(self) -> Interpreter:
        """Return what was read last; the first call reads it."""
        if self._interpreter is None:
            self.load()
        assert self._interpreter is not None
        return self._interpreter

    def load(self) -> list[Problem]:
        """Read every file anew and return what is wrong; a file with a mistake keeps its last valid version."""
        found, problems = _read(self._vault)
        if not found and not self._good:
            found, _ = _read(SHIPPED)
        interpreter, wrong = _parsed(tuple(sorted((self._good | found).items())))
        broken = {problem.file.partition("/")[2] for problem in wrong}
        kept = {path: self._good[path] for path in broken if path in self._good}
        self._good |= {path: text for path, text in found.items() if path not in kept}
        self._interpreter = _parsed(tuple(sorted(self._good.items())))[0] if kept else interpreter
        return problems + wrong


@cache
def shipped_interpreter() -> Interpreter:
    """Return what came with the program."""
    return InterpreterFiles(SHIPPED).get()


def is_secret(entry: Entry) -> bool:
    """Return whether a memory was told in confidence, by the words that came with the program."""
    return is_private(entry, shipped_interpreter().words)


def stem(word: str) -> str:
    """Return the stem of a word, by the same."""
    return shipped_interpreter().words.stem(word)


def _read(vault: Path) -> tuple[dict[str, str], list[Problem]]:
    """Return the files by their path in the folder, without empty ones, and those that cannot be read."""
    found: dict[str, str] = {}
    problems: list[Problem] = []
    for path in markdown_below(vault / FOLDER):
        inside = path.relative_to(vault / FOLDER).as_posix()
        try:
            text = read_if_there(path, file=f"{FOLDER}/{inside}")
        except VaultProblem as error:
            problems += error.problems
            continue
        if text and text.strip():
            found[inside] = text
    return found, problems


@lru_cache(maxsize=4)
def _parsed(files: tuple[tuple[str, str], ...]) -> tuple[Interpreter, list[Problem]]:
    """Return the same interpreter for the same files, since every check of the vault reads them."""
    return parse_interpreter(dict(files))
