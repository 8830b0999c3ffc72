"""The prompts that models read, as templates in `vault/prompts/`; a broken edit leaves the last good one in use."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Generic, TypeVar

from mud.errors import Problem, VaultProblem
from mud.storage.files import read_if_there

T = TypeVar("T")


class Templates(Generic[T]):
    """Some templates of a vault, read by one parser.

    Args:
        folder: `vault/prompts`.
        files: names of the files that the program uses.
        parse: takes a file's text and what problems call the file; raises VaultProblem when it cannot be used.
    """

    def __init__(self, folder: Path, files: Iterable[str], parse: Callable[[str, str], T]) -> None:
        self._folder = folder
        self._files = tuple(files)
        self._parse = parse
        self._good: dict[str, T] = {}

    def load(self) -> list[Problem]:
        """Read every template; one that is wrong keeps its last good form.

        Returns:
            What is wrong, all of it.
        """
        problems: list[Problem] = []
        for name in self._files:
            file = f"prompts/{name}"
            try:
                text = read_if_there(self._folder / name, file=file)
                if text and text.strip():
                    self._good[name] = self._parse(text, file)
                elif name not in self._good:  # else it is an edit in progress
                    problems.append(Problem(file, 0, "", "it is missing or empty; expected the words of the prompt"))
            except VaultProblem as wrong:
                problems.extend(wrong.problems)
        return problems

    def get(self, name: str) -> T:
        """Return a template.

        Raises:
            VaultProblem: when it was never read without a problem.
        """
        if name not in self._good:
            raise VaultProblem([Problem(f"prompts/{name}", 0, "", "there is no usable template of this name")])
        return self._good[name]
